"""The core's time, as a bridge near it knows it: asked once a minute, carried by the monotonic clock between."""

from __future__ import annotations

from collections.abc import Callable

from floor_bridge.event_form import Millis

ASK_EVERY_SECONDS = 60.0
_ASK_AGAIN_SECONDS = 5.0


class CoreClock:
    """`ask()` gives the core's time or None; `steady()` is monotonic, in seconds.

    It never runs ahead of the core: what the core said was true when it said it, and the answer came later. Nor does
    it go back, unless the core's own time was moved: then `was_moved` says so once, and it follows.
    """

    def __init__(self, ask: Callable[[], Millis | None], steady: Callable[[], float], *, leap: Millis = 5_000) -> None:
        self._ask, self._steady, self._leap = ask, steady, leap
        self._anchor: tuple[Millis, float] | None = None
        self._ask_at = 0.0
        self._last: Millis = 0
        self._moved = False

    def read(self) -> bool:
        """Asks the core, if it is time to; whether its time is known. May wait: for a thread that may."""
        if self._anchor is None or self._steady() >= self._ask_at:
            said = self._ask()
            now = self._steady()
            self._ask_at = now + (ASK_EVERY_SECONDS if said is not None else _ASK_AGAIN_SECONDS)
            if said is not None:
                self._take(said, now)
        return self._anchor is not None

    def now(self) -> Millis:
        """The core's time; never waits. Raises ValueError before the core has answered once."""
        if self._anchor is None:
            raise ValueError("the core has not said its time yet")
        self._last = max(self._last, _carried(self._anchor, self._steady()))
        return self._last

    def was_moved(self) -> bool:
        """Whether the core's time leapt since this was last asked: what was made up for the old time is void."""
        if not self._moved:
            return False
        self._moved, self._last = False, 0
        return True

    def _take(self, said: Millis, now: float) -> None:
        if self._anchor is not None and abs(said - _carried(self._anchor, now)) > self._leap:
            self._moved = True
        self._anchor = (said, now)


def _carried(anchor: tuple[Millis, float], now: float) -> Millis:
    said, said_at = anchor
    return said + int((now - said_at) * 1_000)
