"""Time, passed in. The only place that asks the machine what time it is.

Everywhere in the engine an instant is a whole number of milliseconds since 1970-01-01T00:00:00Z (`Millis`).
"""

from __future__ import annotations

import time
from typing import Protocol

Millis = int


class Clock(Protocol):
    """What the engine needs of time."""

    def now(self) -> Millis:
        """The instant, UTC, in whole milliseconds. Never goes back."""

    def disagreement(self) -> Millis:
        """Wall clock less steady clock, in milliseconds: over 1,000 either way is reason to postpone ("clock")."""

    def reanchor(self) -> None:
        """Take the wall clock as it is now; only while no claim runs."""

    def go_on_from(self, at: Millis) -> None:
        """Begin no earlier than `at`, and run from there: what the wall clock lacks is a disagreement."""


class SteadyClock:
    """The wall time read once, then carried by the monotonic clock (architecture, "State: time").

    `offset` is added to the wall clock: the demo's Saturday is the real one moved by a stored offset.
    """

    def __init__(self, offset: Millis = 0) -> None:
        self._offset = offset
        self._wall_at_anchor = self._wall()
        self._steady_at_anchor = time.monotonic_ns()
        self._last = 0

    def _wall(self) -> Millis:
        return time.time_ns() // 1_000_000 + self._offset

    def _steady(self) -> Millis:
        return self._wall_at_anchor + (time.monotonic_ns() - self._steady_at_anchor) // 1_000_000

    def now(self) -> Millis:
        self._last = max(self._last, self._steady())
        return self._last

    def disagreement(self) -> Millis:
        return self._wall() - self._steady()

    def reanchor(self) -> None:
        self._wall_at_anchor = self._wall()
        self._steady_at_anchor = time.monotonic_ns()

    def go_on_from(self, at: Millis) -> None:
        self._wall_at_anchor += max(0, at - self._steady())


class SetClock:
    """A clock that stands where it is put: for rehearsals and tests."""

    def __init__(self, now: Millis) -> None:
        self.at = now
        self.off = 0

    def now(self) -> Millis:
        return self.at

    def set(self, at: Millis) -> None:
        if at < self.at:
            raise ValueError("a clock does not go back")
        self.at = at

    def disagreement(self) -> Millis:
        return self.off

    def reanchor(self) -> None:
        self.off = 0

    def go_on_from(self, at: Millis) -> None:
        lacking = max(0, at - self.at)
        self.at += lacking
        self.off -= lacking
