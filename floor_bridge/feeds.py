"""A feed as its source sees it: opening, events, what the core asks for, and an outbox that was full."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Literal

from floor_bridge.event_form import Event, Millis, format_time
from floor_bridge.outbox import Outbox, OutboxFull

Asked = Literal["snapshot", "heartbeat"]
_SNAPSHOTS_APART = 2_000
_log = logging.getLogger(__name__)


class Feed:
    """Puts one source's events into its outbox. `snapshot(at)` gives the snapshot event of all that is open at `at`.

    All but `ask` is called by the source's thread alone, with the source's time.
    """

    def __init__(self, outbox: Outbox, snapshot: Callable[[Millis], Event]) -> None:
        self._outbox, self._snapshot = outbox, snapshot
        self._asked: set[Asked] = set()
        self._snapshot_seq = 0
        self._snapshot_at: Millis | None = None

    def ask(self, what: Asked) -> None:
        """For the sender, from its thread: answered with the next `hear`."""
        self._asked.add(what)

    def start(self, now: Millis, reason: str = "bridge started") -> None:
        """Opens the feed: `feed_up`, then all that is open. An outbox that is still full opens it when it has room."""
        up, snapshot = self._word("feed_up", now, reason), self._snapshot(now)
        self._put([up, snapshot], now, snapshot_last=True)

    def hear(self, events: Sequence[Event], now: Millis) -> None:
        """Takes the source's events up to `now`, and answers what the sender asked."""
        if self._outbox.full_since is not None:
            self._take_again(now)
            return
        asked = {what for what in ("snapshot", "heartbeat") if what in self._asked}
        if asked == {"heartbeat"} and not events:
            events = [{"feed": self._outbox.feed, "at": format_time(now), "kind": "heartbeat"}]
        self._asked.discard("heartbeat")
        if events:
            self._put(events, now)
        if "snapshot" in asked:
            self._answer_with_snapshot(now)

    def stop(self, now: Millis, reason: str = "bridge stopped") -> None:
        """Says that nothing more comes, so that the core need not find out by waiting."""
        self._put([self._word("feed_down", now, reason)], now)

    def _put(self, events: Sequence[Event], now: Millis, *, snapshot_last: bool = False) -> None:
        if self._outbox.full_since is not None:
            return
        try:
            seq = self._outbox.put(events)
        except OutboxFull as full:
            _log.error("%s", full)
            return
        if snapshot_last:
            self._note_snapshot(seq, now)

    def _take_again(self, now: Millis) -> None:
        """Once half of what waited is answered: the gap is declared, and what is open now closes it."""
        since = self._outbox.full_since
        if since is None or not self._outbox.has_room:
            return
        down = self._word("feed_down", since, "outbox full: the core did not answer for too long")
        up = self._word("feed_up", now, "outbox has room again")
        self._note_snapshot(self._outbox.take_again([down, up, self._snapshot(now)]), now)
        _log.warning("feed %s: takes events again; between %s and %s there are none", self._outbox.feed,
                     format_time(since), format_time(now))  # fmt: skip

    def _answer_with_snapshot(self, now: Millis) -> None:
        if self._snapshot_seq > self._outbox.answered:
            # One is under way and answers this wish too; if it does not, the core will say so again.
            self._asked.discard("snapshot")
        elif self._snapshot_at is None or abs(now - self._snapshot_at) >= _SNAPSHOTS_APART:
            self._put([self._snapshot(now)], now, snapshot_last=True)

    def _note_snapshot(self, seq: int, now: Millis) -> None:
        self._snapshot_seq, self._snapshot_at = seq, now
        self._asked.discard("snapshot")

    def _word(self, kind: str, at: Millis, reason: str) -> Event:
        return {"feed": self._outbox.feed, "at": format_time(at), "kind": kind, "reason": reason}
