"""A clock for tests of what takes minutes: it runs as this machine's does, and can be moved on."""

from __future__ import annotations

from draw_engine.clock import SteadyClock


class MovedClock:
    """This machine's time, moved to where it begins, and ahead by `move`: wall and steady clock alike."""

    def __init__(self, now: int) -> None:
        self._under = SteadyClock(now - SteadyClock().now())
        self._ahead = 0

    def now(self) -> int:
        return self._under.now() + self._ahead

    def move(self, ms: int) -> None:
        self._ahead += ms

    def disagreement(self) -> int:
        return self._under.disagreement()

    def reanchor(self) -> None:
        self._under.reanchor()

    unsynchronised = ""

    def go_on_from(self, at: int) -> None:
        self._under.go_on_from(at - self._ahead)
