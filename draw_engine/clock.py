"""Time, passed in. The only place that asks the machine what time it is.

Everywhere in the engine an instant is a whole number of milliseconds since 1970-01-01T00:00:00Z (`Millis`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

Millis = int
_NS = 1_000_000


class Clock(Protocol):
    """What the engine needs of time."""

    def now(self) -> Millis:
        """The instant, UTC, in whole milliseconds. Never goes back."""

    def disagreement(self) -> Millis:
        """Wall clock less this one, in milliseconds: over 1,000 either way is reason to postpone ("clock")."""

    def reanchor(self) -> None:
        """Take the wall clock as it is now; only while no claim runs. To one that was put back it comes `nearing`."""

    @property
    def nearing(self) -> bool:
        """Whether time runs slower until a wall clock that was put back has caught up with it."""

    @property
    def unsynchronised(self) -> str:
        """Why the machine's clock is not to be trusted, in a sentence; "" when it is, or when nobody asks (X-02)."""

    def go_on_from(self, at: Millis) -> None:
        """Run at true pace from here, and from no earlier than `at`: what the wall clock lacks is a disagreement."""


SLOWER = 4
"""While nearing a wall clock that was put back, a second of time takes so many: an hour is made up in 80 minutes."""


class SteadyClock:
    """The wall time read once, then carried by the monotonic clock (architecture, "State: time").

    `offset` is added to the wall clock: the demo's Saturday is the real one moved by a stored offset.
    `wall` and `steady` give nanoseconds: the machine's two clocks, or a test's. `trouble` gives `unsynchronised`.
    """

    def __init__(
        self,
        offset: Millis = 0,
        *,
        wall: Callable[[], int] = time.time_ns,
        steady: Callable[[], int] = time.monotonic_ns,
        trouble: Callable[[], str] = lambda: "",
    ) -> None:
        self._offset = offset * _NS
        self._wall_source, self._steady_source = wall, steady
        self._trouble = trouble
        self._anchored = (steady(), self._wall(), self._wall())
        """Where the steady clock stood, a line from there at true pace, one at a slower: time is the later of the two.

        One assignment at a time: presses are stamped by other threads.
        """
        self._last = 0

    def _wall(self) -> int:
        return self._wall_source() + self._offset

    def _lines(self, steady: int) -> tuple[int, int]:
        at, line, slower = self._anchored
        return line + (steady - at), slower + (steady - at) // SLOWER

    def now(self) -> Millis:
        self._last = max(self._last, max(self._lines(self._steady_source())) // _NS)
        return self._last

    def disagreement(self) -> Millis:
        return (self._wall() - max(self._lines(self._steady_source()))) // _NS

    def reanchor(self) -> None:
        steady, wall = self._steady_source(), self._wall()
        self._anchored = (steady, wall, max(wall, *self._lines(steady)))

    @property
    def nearing(self) -> bool:
        line, slower = self._lines(self._steady_source())
        return slower > line

    @property
    def unsynchronised(self) -> str:
        return self._trouble()

    def go_on_from(self, at: Millis) -> None:
        steady = self._steady_source()
        line = max(at * _NS, *self._lines(steady))
        self._anchored = (steady, line, line)


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

    nearing = False
    unsynchronised = ""

    def go_on_from(self, at: Millis) -> None:
        lacking = max(0, at - self.at)
        self.at += lacking
        self.off -= lacking
