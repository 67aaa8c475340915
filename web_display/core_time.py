"""The core's time as another process knows it: counted on by the steady clock, set right by what the core says.

The page's `static/server_clock.js` goes by the same rules: they are said there once more, in its own language.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from draw_engine.clock import Millis

_KEPT = 8
_SLACK_MS = 2.0  # the clocks' own grain


class Trip(NamedTuple):
    """A question and its answer: how long they took, and the offset they say, right within half of that (ms)."""

    length: float
    offset: float

    @property
    def most(self) -> float:
        """The offset is no more than this."""
        return self.offset + self.length / 2 + _SLACK_MS


class CoreTime:
    """Offsets of the core's time from this process's steady clock (`steady`, seconds).

    A message says only that the offset is at least so much, since it comes after it was made. So the shortest of the
    last round trips counts; without any, the largest of the messages. What contradicts the newest was said by another
    core, or before its clock was set, and is forgotten.
    """

    def __init__(self, steady: Callable[[], float] = time.monotonic) -> None:
        self._steady = steady
        self._least: list[float] = []
        self._trips: list[Trip] = []
        self._offset: float | None = None

    def restart(self) -> None:
        """The core may be another one now: what was said before no longer counts, once it has said something."""
        self._least.clear()
        self._trips.clear()

    def heard(self, core_now: Millis) -> None:
        """A message made at `core_now` has just come."""
        least = core_now - self._steady() * 1000
        self._trips = [trip for trip in self._trips if trip.most >= least]
        self._least = [*self._least, least][-_KEPT:]
        self._settle()

    def measured(self, core_now: Millis, asked_at: float) -> None:
        """The core was asked at `asked_at` (steady, seconds) and its answer `core_now` has just come."""
        now = self._steady()
        made = Trip((now - asked_at) * 1000, core_now - (now + asked_at) * 500)
        agree = [
            trip for trip in self._trips if abs(trip.offset - made.offset) <= trip.most - trip.offset + made.length / 2
        ]
        self._trips = [*agree, made][-_KEPT:]
        self._least = [least for least in self._least if least <= made.most]
        self._settle()

    def now(self) -> Millis | None:
        """The core's time; None as long as it has said nothing."""
        return None if self._offset is None else round(self._offset + self._steady() * 1000)

    def _settle(self) -> None:
        self._offset = min(self._trips).offset if self._trips else max(self._least)
