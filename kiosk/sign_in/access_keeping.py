"""What is due about sign-ins while time passes: ending the idle ones, keeping when each was used, the hourly digest."""

from __future__ import annotations

from draw_engine.service import access_notes
from draw_engine.service.engine import Engine
from kiosk.sign_in.door import Door

_LOOK_EVERY_MS = 5_000


class AccessKeeping:
    """Called after each tick of the engine."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._next_look = 0
        self._digested: tuple[int, int] | None = None

    def look(self, engine: Engine) -> None:
        """See to what is due."""
        now = engine.now()
        if 0 <= self._next_look - now <= _LOOK_EVERY_MS:
            return
        self._next_look = now + _LOOK_EVERY_MS
        self._door.end_idle(now)
        self._door.keep_seen(engine)
        if self._digested is None:
            self._digested = access_notes.digested_to(engine)
        done_to, at = self._digested
        if now - at >= access_notes.EVERY_MS:
            self._digested = (access_notes.digest_due(engine, done_to), now)
