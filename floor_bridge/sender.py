"""The sender: takes what the outbox holds to the core, and never holds up the source.

One request at a time and a feed, so the core sees the numbers in order. A request that brought no answer is sent
again as it was: `(feed, seq)` makes a repeat harmless. Only an answer that speaks for every line of a request moves
the outbox on.

The sender makes up no event. When the core wants a snapshot, or there was nothing to say for a while, it *asks the
source* (`ask("snapshot")`, `ask("heartbeat")`): a heartbeat that outlived its source would be a lie.
"""

from __future__ import annotations

import gzip
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Protocol

from floor_bridge.answers import BUSY, NOT_ALLOWED, TOO_LARGE, Line, Taken, read_taken
from floor_bridge.core_link import UNREACHABLE, Answer
from floor_bridge.outbox import LARGEST_LINE, Outbox, SetAside

Asked = Literal["snapshot", "heartbeat"]
LinkState = Literal["new", "up", "unreachable", "not_allowed", "busy", "unclear"]

MOST_LINES = 1_000
MOST_BYTES = LARGEST_LINE + 1
GATHER_SECONDS = 0.2
IDLE_SECONDS = 5.0
GZIP_ABOVE = 2_000
MOST_RESENDS = 3
_FIRST_RETRY, _LAST_RETRY = 0.2, 2.0
_NOT_ALLOWED_SECONDS = 15.0
_LONGEST_RETRY_AFTER = 30.0

_WORDS: dict[LinkState, str] = {
    "new": "feed %s: not tried yet",
    "up": "feed %s: the core takes its events",
    "unreachable": "feed %s: the core does not answer; its events are kept and sent again",
    "not_allowed": "feed %s: the core does not know this token; give the bridge the one from `floordraw feeds add`",
    "busy": "feed %s: the core is busy; its events are kept and sent again",
    "unclear": "feed %s: what answers is not the core, or not one of this version; check the core's address",
}
_log = logging.getLogger(__name__)


class Post(Protocol):
    """Sends a body of JSON lines to the core."""

    def __call__(self, body: bytes, *, gzipped: bool) -> Answer: ...


def send_lines(post: Post, lines: Sequence[Line]) -> Answer:
    """Posts the lines in one request, gzipped where that is worth it."""
    body = b"".join(line + b"\n" for _, line in lines)
    gzipped = len(body) > GZIP_ABOVE
    return post(gzip.compress(body, 5, mtime=0) if gzipped else body, gzipped=gzipped)


class Sender:
    """Sends one feed's outbox. `clock` is monotonic, in seconds; `wait(seconds)` returns early when woken."""

    def __init__(
        self,
        outbox: Outbox,
        post: Post,
        clock: Callable[[], float],
        wait: Callable[[float], object],
        ask: Callable[[Asked], None],
    ) -> None:
        self._outbox, self._post, self._clock, self._wait, self._ask = outbox, post, clock, wait, ask
        self._state: LinkState = "new"
        self._failures = 0
        self._most_lines = MOST_LINES
        self._missing: list[int] = []
        self._resent: dict[int, int] = {}
        self._spoke_at = clock()

    @property
    def state(self) -> LinkState:
        """How the line to the core is."""
        return self._state

    def run(self, stopped: Callable[[], bool]) -> None:
        """Sends until `stopped()`; meant for a thread of its own."""
        while not stopped():
            self._wait(self.step())

    def flush(self, seconds: float) -> bool:
        """Sends what there is for at most so long; whether everything was answered."""
        until = self._clock() + seconds
        while self._outbox.waiting and self._clock() < until:
            pause = self.step()
            if self._failures:
                self._wait(min(pause, max(0.0, until - self._clock())))
        return not self._outbox.waiting

    def step(self) -> float:
        """One request at most. Gives the seconds to wait before the next step; 0 when there is more to send."""
        again = self._outbox.kept(self._missing, self._most_lines, MOST_BYTES) if self._missing else []
        lines = again or self._outbox.batch(self._most_lines, MOST_BYTES)
        if not lines:
            self._ask_for_a_heartbeat()
            return GATHER_SECONDS
        more = bool(again) or self._outbox.waiting > len(lines)
        answer = send_lines(self._post, lines)
        self._spoke_at = self._clock()
        if answer.status == TOO_LARGE:
            return self._make_smaller(lines)
        taken = read_taken(answer, lines)
        if taken is None:
            return self._retry_in(answer)
        self._note("up")
        self._failures = 0
        self._most_lines = min(MOST_LINES, self._most_lines * 2)
        self._keep_books(lines, taken, again=bool(again))
        return 0.0 if more or self._missing else GATHER_SECONDS

    def hear(self, last_seq: int, missing: Iterable[int], *, want_snapshot: bool) -> None:
        """What the core says of the feed, in an answer or at `GET /floor-feeds/F`."""
        self._outbox.go_on_after(last_seq)
        wanted = {seq for seq in missing if seq <= self._outbox.answered}
        held, gone = self._outbox.find(wanted)
        self._resent = {seq: tries for seq, tries in self._resent.items() if seq in wanted}
        self._missing = sorted(seq for seq in held if self._resent.get(seq, 0) < MOST_RESENDS)
        lost = gone - self._resent.keys()
        # Remembered, so that a hole that can never be filled brings one snapshot and not one with every answer.
        self._resent.update(dict.fromkeys(lost, MOST_RESENDS))
        if want_snapshot or lost:
            self._ask("snapshot")

    def _keep_books(self, lines: list[Line], taken: Taken, *, again: bool) -> None:
        for seq, _ in lines if again else []:
            self._resent[seq] = self._resent.get(seq, 0) + 1
        for one in taken.refused:
            _log.warning("feed %s: the core refused event %d: %s", self._outbox.feed, one.seq, one.code)
        self._outbox.answer(0 if again else lines[-1][0], taken.refused)
        # A line that was refused leaves a hole, and the core says when it wants a snapshot for it. Under a number that
        # was taken already there is no hole: only we know that something was lost.
        reused = any(one.code == "X_SEQ_REUSED" for one in taken.refused)
        self.hear(taken.last_seq, taken.missing, want_snapshot=taken.want_snapshot or reused)

    def _make_smaller(self, lines: list[Line]) -> float:
        if len(lines) > 1:
            self._most_lines = max(1, len(lines) // 2)
            return 0.0
        (seq, line), sentence = lines[0], "One event is more than the core takes in a request."
        _log.error("feed %s: event %d is too large for the core and was set aside", self._outbox.feed, seq)
        self._outbox.answer(seq, [SetAside(seq, line, "X_EVENT_TOO_LARGE", sentence)])
        self._ask("snapshot")
        return 0.0

    def _retry_in(self, answer: Answer) -> float:
        self._failures += 1
        pause: float = min(_LAST_RETRY, _FIRST_RETRY * 2 ** min(self._failures - 1, 10))
        if answer.status == UNREACHABLE:
            self._note("unreachable")
        elif answer.status in NOT_ALLOWED:
            self._note("not_allowed")
            return _NOT_ALLOWED_SECONDS
        elif answer.status in BUSY:
            self._note("busy")
            return min(_LONGEST_RETRY_AFTER, answer.retry_after or pause)
        else:
            self._note("unclear")
        return pause

    def _ask_for_a_heartbeat(self) -> None:
        if self._clock() - self._spoke_at >= IDLE_SECONDS:
            self._spoke_at = self._clock()
            self._ask("heartbeat")

    def _note(self, state: LinkState) -> None:
        if state != self._state:
            self._state = state
            _log.log(logging.INFO if state == "up" else logging.WARNING, _WORDS[state], self._outbox.feed)
