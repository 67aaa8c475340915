"""Sends a recording to a live core as if it happened now: same events, same order, holes and repeats included.

Numbers go on from the core's last, times are moved to the core's now. A recording that opens in the middle, with no
snapshot, gets an empty one put before it: nothing is known to be open where it begins.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event as Stop

from floor_bridge.answers import NOT_ALLOWED, Line, read_last_seq, read_taken
from floor_bridge.core_clock import CoreClock
from floor_bridge.core_link import CoreLink
from floor_bridge.event_form import Event, Millis, format_time, line_of, parse_time, read_lines
from floor_bridge.sender import send_lines

_MOST_LINES = 500
_MOST_BYTES = 500_000
_LOOK_EVERY = 0.2
_RETRY_SECONDS = 1.0
_OPENINGS = ("snapshot", "feed_up")
_SESSION_TIMES = ("opened_at", "last_play_at")


@dataclass(slots=True)
class ReplayReport:
    """What became of a recording: lines the core has answered, refusals by code, whether it went to its end."""

    sent: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    finished: bool = False

    def __str__(self) -> str:
        refused = "".join(f", {count} refused with {code}" for code, count in sorted(self.refused.items()))
        return f"{self.sent} events were sent{refused}; {'to the end' if self.finished else 'stopped before the end'}."


@dataclass(frozen=True, slots=True)
class Retimed:
    """Recorded time to live time: `first` becomes `start`, and what follows it goes `speed` times as fast."""

    first: Millis
    start: Millis
    speed: float

    def at(self, recorded: Millis) -> Millis:
        after = recorded - self.first
        return self.start + (int(after / self.speed) if after > 0 else after)

    def event(self, event: Event, first_seq: int, next_seq: int) -> Event:
        """The event with its live number and times."""
        live = {**event, "seq": next_seq + event["seq"] - first_seq, "at": self._text(event["at"])}
        if event["kind"] == "snapshot":
            live["sessions"] = [self._session(session) for session in event["sessions"]]
        return live

    def _session(self, session: Event) -> Event:
        return {**session, **{name: self._text(session[name]) for name in _SESSION_TIMES if name in session}}

    def _text(self, text: str) -> str:
        return format_time(self.at(parse_time(text)))


@dataclass(slots=True)
class _Channel:
    """One feed of the recording on its way: where its numbers begin, there and here, and what is due."""

    link: CoreLink
    first_seq: int
    opens: bool
    next_seq: int = 0
    due: list[Line] = field(default_factory=list)
    size: int = 0

    def take(self, line: Line) -> None:
        self.due.append(line)
        self.size += len(line[1]) + 1

    @property
    def full(self) -> bool:
        return len(self.due) >= _MOST_LINES or self.size >= _MOST_BYTES


def replay(
    file: Path,
    core_url: str,
    tokens: Mapping[str, str],
    *,
    speed: float = 1.0,
    shift: Millis | None = None,
    stop: Stop | None = None,
) -> ReplayReport:
    """Replays a recording (JSON lines, gzipped or not) until its end or `stop`.

    `tokens`: feed id to bearer token; the recording's other feeds are left out. `shift` None moves the recording's
    first event to the core's now; a number is added to its times instead (0 = as they are). An event is sent when the
    core's time has reached its own. Raises ValueError for a recording that cannot be read, PermissionError when the
    core does not know a token.
    """
    if speed <= 0:
        raise ValueError("the speed must be above 0; 1 is as it was recorded")
    stop = stop or Stop()
    first, begins = _look_through(file, tokens)
    channels = {
        feed: _Channel(CoreLink(core_url, tokens[feed]), seq, opens=kind in _OPENINGS)
        for feed, (seq, kind) in begins.items()
    }
    link, report = CoreLink(core_url, next(iter(tokens.values()))), ReplayReport()
    clock = CoreClock(link.clock, time.monotonic)
    try:
        while not (_greet(channels) and clock.read()):
            if stop.wait(_RETRY_SECONDS):
                return report
        retimed = Retimed(first, clock.now() if shift is None else first + shift, speed)
        report.finished = _send(_live_events(file, channels, retimed), channels, clock, report, stop)
    finally:
        for one in (link, *(channel.link for channel in channels.values())):
            one.close()
    return report


def _send(
    events: Iterator[Event], channels: Mapping[str, _Channel], clock: CoreClock, report: ReplayReport, stop: Stop
) -> bool:
    for event in events:
        if not _wait_until(parse_time(event["at"]), clock, channels, report, stop):
            return False
        channel = channels[event["feed"]]
        channel.take((event["seq"], line_of(event)))
        if channel.full and not _post(channel, report, stop):
            return False
    return all(_post(channel, report, stop) for channel in channels.values())


def _look_through(file: Path, tokens: Mapping[str, str]) -> tuple[Millis, dict[str, tuple[int, str]]]:
    """The recording's earliest time, and each feed's lowest number with that event's kind. Raises ValueError."""
    first: Millis | None = None
    begins: dict[str, tuple[int, str]] = {}
    for number, event in enumerate(read_lines(file), 1):
        try:
            feed, seq, at, kind = event["feed"], int(event["seq"]), parse_time(event["at"]), event["kind"]
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"event {number} of the recording has no feed, seq, at and kind as it should") from None
        if feed in tokens:
            first = at if first is None else min(first, at)
            if feed not in begins or seq < begins[feed][0]:
                begins[feed] = (seq, kind)
    if first is None:
        raise ValueError("the recording has no event of a feed whose token was given")
    return first, begins


def _live_events(file: Path, channels: Mapping[str, _Channel], retimed: Retimed) -> Iterator[Event]:
    for feed, channel in channels.items():
        if not channel.opens:
            at = format_time(retimed.start)
            yield {"feed": feed, "seq": channel.next_seq, "at": at, "kind": "snapshot", "sessions": []}
            channel.next_seq += 1
    for event in read_lines(file):
        if event["feed"] in channels:
            channel = channels[event["feed"]]
            yield retimed.event(event, channel.first_seq, channel.next_seq)


_NO, _FAULT = 400, 500
"""An answer from the one up to the other is a no: asking again changes nothing."""


def _greet(channels: Mapping[str, _Channel]) -> bool:
    for feed, channel in channels.items():
        answer = channel.link.feed(feed)
        _check_allowed(answer.status)
        last_seq = read_last_seq(answer)
        if last_seq is None:
            if _NO <= answer.status < _FAULT:
                raise PermissionError(
                    f"the core does not take feed {feed} with this token; give the token that `floordraw feeds add` "
                    "printed for it, and put the feed into site.toml"
                )
            return False
        channel.next_seq = last_seq + 1
    return True


def _wait_until(
    at: Millis, clock: CoreClock, channels: Mapping[str, _Channel], report: ReplayReport, stop: Stop
) -> bool:
    """Whether the core's time reached `at`; what is due goes out before any waiting."""
    while clock.now() < at:
        for channel in channels.values():
            if not _post(channel, report, stop):
                return False
        if stop.wait(min(_LOOK_EVERY, max(0.001, (at - clock.now()) / 1_000))):
            return False
        clock.read()
    return not stop.is_set()


def _post(channel: _Channel, report: ReplayReport, stop: Stop) -> bool:
    """Sends what is due until the core has answered it; False when stopped before."""
    while channel.due:
        answer = send_lines(channel.link.post_events, channel.due)
        _check_allowed(answer.status)
        taken = read_taken(answer, channel.due)
        if taken is not None:
            report.sent += len(channel.due)
            report.refused.update(one.code for one in taken.refused)
            channel.due, channel.size = [], 0
        elif stop.wait(_RETRY_SECONDS):
            return False
    return True


def _check_allowed(status: int) -> None:
    if status in NOT_ALLOWED:
        raise PermissionError("the core does not know this token; take the feed's one from `floordraw feeds add`")
