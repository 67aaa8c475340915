"""A machine's two clocks apart: the steady one goes where time goes, the wall clock where somebody puts it."""

from __future__ import annotations

from casino import Casino

from draw_engine.clock import SteadyClock

_NS = 1_000_000


class TwoClocks(SteadyClock):
    """The live core's own clock over a test's two sources. `steady` (ms) is the time that really passes."""

    def __init__(self, now: int) -> None:
        self._wall_ms, self.steady = now, 0
        super().__init__(wall=lambda: self._wall_ms * _NS, steady=lambda: self.steady * _NS)

    def passes(self, ms: int) -> None:
        """Time passes on both."""
        self.steady += ms
        self._wall_ms += ms

    def set(self, at: int) -> None:
        """Time passes until the engine's clock shows this instant."""
        while (left := at - self.now()) > 0:
            self.passes(left)
        if left < 0:
            raise ValueError("a clock does not go back")

    def step(self, ms: int) -> None:
        """Somebody sets the wall clock."""
        self._wall_ms += ms

    def set_right(self) -> None:
        """Somebody sets the wall clock to what the engine shows."""
        self._wall_ms += self.now() - self._wall_ms

    @property
    def wall(self) -> int:
        return self._wall_ms


def on_two_clocks(casino: Casino) -> TwoClocks:
    """The casino's core is started again, on the live core's clock."""
    clock = TwoClocks(casino.clock.now())
    casino.clock = clock  # type: ignore[assignment]
    casino.restart()
    return clock
