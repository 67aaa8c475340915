"""One feed's events put in the order of their numbers, holes waited for (design "Taking it in").

What has happened at t is: the events with `at` <= t, in seq order, up to a hole that is still waited for.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from draw_engine.clock import Millis
from draw_engine.floor_events import FeedDown, FeedUp, FloorEvent, Snapshot
from draw_engine.sessions import OpenSessions, apply

HOLE_WAIT: Millis = 2_000
"""How long a missing number is waited for, from the first arrival after it; one in its last ms is in time."""

_OFFSETS_KEPT = 60  # seconds


class Unsure(NamedTuple):
    """Why a feed's sessions cannot be relied on before its next snapshot, and since when.

    `cause`: `beginning` (numbers before the first one heard), `hole` (numbers that never came) or `link_back`;
    `hole`: the first and last number missing.
    """

    cause: str
    since: Millis
    hole: tuple[int, int] | None


@dataclass(slots=True)
class Known:
    """What a feed's events say, as far as they have happened."""

    sessions: OpenSessions = field(default_factory=dict)
    unsure: Unsure | None = None
    down_since: Millis | None = None
    down_reason: str = ""
    orphans: int = 0

    def apply(self, event: FloorEvent) -> None:
        kind = type(event)
        if kind is Snapshot:
            self.unsure = None
        elif kind is FeedDown or kind is FeedUp:
            self._link(event)
            return
        if not apply(self.sessions, event):
            self.orphans += 1

    def _link(self, event: FloorEvent) -> None:
        if isinstance(event, FeedUp):
            self.down_since = None
            self.unsure = Unsure("link_back", event.at, None)
        elif isinstance(event, FeedDown) and self.down_since is None:
            self.down_since = event.at
            self.down_reason = event.reason

    def copy(self, *, listing: bool) -> Known:
        sessions = dict(self.sessions) if listing else {}
        return Known(sessions, self.unsure, self.down_since, self.down_reason, self.orphans)


class _Waiting(NamedTuple):
    """An event not yet committed. `gap_until`: how long numbers missing directly below it are waited for."""

    seq: int
    event: FloorEvent
    gap_until: Millis


class FeedOrder:
    """One feed: what is committed, and the few events that wait for a hole, their own time, or the beginning.

    What is committed can not change any more, whatever comes: a number below it is late and changes nothing.
    """

    def __init__(self, feed: str, *, recording: bool) -> None:
        self.feed = feed
        self.last_arrival: Millis = 0
        self.newest_at: Millis = 0
        self.late = 0
        self.clock = ClockOffset()
        self._recording = recording
        self._known = Known()
        self._next: int | None = None
        self._highest: int | None = None
        self._pending: deque[_Waiting] = deque()

    @property
    def orphans(self) -> int:
        return self._known.orphans

    def take(self, event: FloorEvent, received_at: Millis) -> None:
        """Hear the feed's next arrival; `received_at` never goes back."""
        at = event.at
        if self._highest is None or at > self.newest_at:
            self.newest_at = at
        self.last_arrival = received_at
        self.clock.measure(received_at, received_at - at)
        if event.seq == self._next and not self._pending and at <= received_at:
            self._next = self._highest = event.seq
            self._next += 1
            self._known.apply(event)
        else:
            self._place(event, received_at)
            self._commit(received_at)

    def at(self, t: Millis, *, listing: bool = True) -> Known:
        """What is known at `t`, a copy; without `listing` its sessions are left out."""
        known = self._known.copy(listing=listing)
        if not self._pending:
            return known
        following = self._next
        if following is None:
            known.unsure = self._beginning()
            if known.unsure is not None and t <= self._pending[0].gap_until:
                return known
            following = self._pending[0].seq
        for waiting in self._pending:
            if waiting.seq != following:
                if t <= waiting.gap_until:
                    break
                known.unsure = Unsure("hole", waiting.gap_until, (following, waiting.seq - 1))
            following = waiting.seq + 1
            if waiting.event.at <= t:
                known.apply(waiting.event)
        return known

    def _place(self, event: FloorEvent, received_at: Millis) -> None:
        seq = event.seq
        if self._highest is None or seq > self._highest:
            self._highest = seq
            self._pending.append(_Waiting(seq, event, received_at + HOLE_WAIT))
            return
        if not self._pending or (self._next is not None and seq < self._next):
            self.late += 1
            return
        place = len(self._pending)
        while place and self._pending[place - 1].seq > seq:
            place -= 1
        if (place and self._pending[place - 1].seq == seq) or received_at > self._pending[place].gap_until:
            self.late += 1
        else:
            self._pending.insert(place, _Waiting(seq, event, self._pending[place].gap_until))

    def _commit(self, t: Millis) -> None:
        if self._next is None:
            if t <= self._pending[0].gap_until:
                return  # lower numbers may still come
            self._known.unsure = self._beginning()
            self._next = self._pending[0].seq
        while self._pending:
            first = self._pending[0]
            missing = first.seq != self._next
            if first.event.at > t or (missing and t <= first.gap_until):
                return
            if missing:
                self._known.unsure = Unsure("hole", first.gap_until, (self._next, first.seq - 1))
            self._pending.popleft()
            self._next = first.seq + 1
            self._known.apply(first.event)

    def _beginning(self) -> Unsure | None:
        first = self._pending[0]
        if first.seq <= 1 or self._recording:
            return None
        return Unsure("beginning", first.gap_until - HOLE_WAIT, (1, first.seq - 1))


class ClockOffset:
    """How far a feed's clock lies behind the core's (`received_at` - `at`, ms): the last, and the last minute's least.

    The least is the better measure: it has the least of the line's delay in it.
    """

    def __init__(self) -> None:
        self.last: Millis | None = None
        self._seconds: deque[tuple[int, Millis]] = deque()

    def measure(self, received_at: Millis, offset: Millis) -> None:
        self.last = offset
        second = received_at // 1000
        if not self._seconds or self._seconds[-1][0] != second:
            self._seconds.append((second, offset))
            if len(self._seconds) > _OFFSETS_KEPT:
                self._seconds.popleft()
        elif offset < self._seconds[-1][1]:
            self._seconds[-1] = (second, offset)

    def least(self, t: Millis) -> Millis | None:
        """The least offset of the minute up to `t`; None when nothing was heard in it."""
        recent = [offset for second, offset in self._seconds if second > t // 1000 - _OFFSETS_KEPT]
        return min(recent, default=None)
