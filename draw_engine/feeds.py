"""The floor as heard: every feed's events in their order, holes waited for, and what is known at an instant.

Everything here follows from the events with the times they were received, in that order, and the instant asked about:
an auditor's replay from the journal gives the same (draw record 1, "Recomputing the pools").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from draw_engine.clock import Millis
from draw_engine.feed_order import FeedOrder
from draw_engine.feed_states import FeedState, state_at, unheard
from draw_engine.floor_events import FloorEvent, UnknownKind
from draw_engine.sessions import OpenSessions, PlaySession, SeatKey


@dataclass(frozen=True, slots=True)
class View:
    """What was known at instant `at`: each heard feed's state and its open sessions; later events do not change it.

    The sessions of a feed whose state is not `up` are unknown: neither playing nor ended.
    """

    at: Millis
    feeds: Mapping[str, FeedState]
    sessions: Mapping[str, Mapping[SeatKey, PlaySession]]

    def feed(self, feed: str) -> FeedState:
        """A feed's state; one never heard is `unheard`."""
        state = self.feeds.get(feed)
        return unheard(feed) if state is None else state

    def open_sessions(self) -> Iterator[PlaySession]:
        """Every open session, feed by feed."""
        for sessions in self.sessions.values():
            yield from sessions.values()


class Floor:
    """All feeds. `stale_after_ms`: how old a feed's last arrival or newest time may be.

    `recording`: a rehearsal's floor, where the first number found is each feed's beginning.
    """

    def __init__(self, stale_after_ms: Millis, *, recording: bool = False) -> None:
        self.stale_after_ms = stale_after_ms
        self._recording = recording
        self._feeds: dict[str, FeedOrder] = {}
        self._received_at: Millis | None = None
        self.unknown_kinds: dict[tuple[str, str], int] = {}

    def take(self, event: FloorEvent, received_at: Millis) -> None:
        """Hear an event that was accepted and is not a repeat; in the order of arrival."""
        if self._received_at is None or received_at > self._received_at:
            self._received_at = received_at
        order = self._feeds.get(event.feed)
        if order is None:
            order = self._feeds[event.feed] = FeedOrder(event.feed, recording=self._recording)
        if type(event) is UnknownKind:
            told = (event.feed, event.kind)
            self.unknown_kinds[told] = self.unknown_kinds.get(told, 0) + 1
        order.take(event, self._received_at)

    def at(self, t: Millis) -> View:
        """What is known at `t`, not before the last arrival (ValueError)."""
        if self._received_at is not None and t < self._received_at:
            raise ValueError("the floor was asked about an instant before its last arrival")
        states: dict[str, FeedState] = {}
        sessions: dict[str, OpenSessions] = {}
        for feed, order in self._feeds.items():
            known = order.at(t)
            states[feed] = state_at(order, known, t, self.stale_after_ms)
            sessions[feed] = known.sessions
        return View(t, states, sessions)

    def feed_at(self, feed: str, t: Millis) -> FeedState:
        """One feed's state at `t`, without listing its sessions."""
        order = self._feeds.get(feed)
        return unheard(feed) if order is None else state_at(order, order.at(t, listing=False), t, self.stale_after_ms)

    def feed_states(self, t: Millis) -> dict[str, FeedState]:
        """The state at `t` of every feed that was heard."""
        return {feed: self.feed_at(feed, t) for feed in self._feeds}

    def want_snapshot(self, feed: str, t: Millis) -> bool:
        """Whether the feed's bridge is to be asked for a snapshot at `t`."""
        return self.feed_at(feed, t).wants_snapshot

    def orphans(self, feed: str) -> int:
        """How many of the feed's events spoke of a session that was not open."""
        order = self._feeds.get(feed)
        return 0 if order is None else order.orphans

    def late(self, feed: str) -> int:
        """How many of the feed's events came too late to be put in their place, and changed nothing."""
        order = self._feeds.get(feed)
        return 0 if order is None else order.late

    def clock_offset(self, feed: str, t: Millis) -> tuple[Millis, Millis | None] | None:
        """The core's clock less the feed's, in ms: at the last arrival, and the least of the minute up to `t`."""
        order = self._feeds.get(feed)
        return None if order is None or order.clock.last is None else (order.clock.last, order.clock.least(t))
