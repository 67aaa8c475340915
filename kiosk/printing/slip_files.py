"""Every checkpoint's slip, written beside the database as soon as it is committed, and caught up with at a start."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import structlog

from draw_engine.log import Entry
from draw_engine.service.engine import Engine
from draw_engine.service.publishing import shown
from printers.slips import keep_slip

_log = structlog.get_logger(__name__)


class SlipFiles:
    """Writes what the engine signs. A full disk here stops nothing: the slip is made again at the next start."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self._engine = engine
        self._folder = folder
        head = engine.store.head()
        self._keep(1, head.seq if head else 0)
        engine.listeners.append(self._saw)

    def _saw(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if entry.kind == "checkpoint.made":
                self._keep(entry.data["seq"], entry.data["seq"])

    def _keep(self, first: int, last: int) -> None:
        for checkpoint in self._engine.store.checkpoints(first, last):
            try:
                keep_slip(self._folder, shown(checkpoint), rehearsal=self._engine.seeds.rehearsal)
            except OSError as trouble:
                _log.warning("slip.not_written", seq=checkpoint.seq, kind=type(trouble).__name__)
