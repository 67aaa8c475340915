"""Keeps the floor beside its journal now and then, so that a start in the evening takes no longer than one at noon."""

from __future__ import annotations

import time

import structlog

from draw_engine.service.engine import Engine

EVERY_SECONDS = 300.0
_log = structlog.get_logger(__name__)


class FloorKeeping:
    """Called after every tick, on the engine's thread. A full disk here stops nothing: the journal is enough."""

    def __init__(self) -> None:
        self._kept = time.monotonic()

    def note(self, engine: Engine) -> None:
        """Keep it when it was last kept five minutes ago."""
        if time.monotonic() - self._kept >= EVERY_SECONDS:
            self.keep(engine)

    def keep(self, engine: Engine) -> None:
        """Keep it now."""
        self._kept = time.monotonic()
        try:
            engine.keep_floor()
        except OSError as trouble:
            _log.warning("floor.not_kept", kind=type(trouble).__name__)
