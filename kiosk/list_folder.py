"""A watched folder for the lists: what another system puts there is loaded, or set aside with its faults.

`KIND.csv` is taken once it has not changed for two seconds; it then stands in `loaded/`, or in `refused/` beside a text
that names every fault (floor-events, "Lists"). What cannot be read or moved stays where it is, and is looked at again
when it has changed: it holds up no other list, and is not loaded over and over.
"""

from __future__ import annotations

import time
from pathlib import Path

import structlog

from draw_engine.lists import ListFaults
from draw_engine.service import house
from draw_engine.service.engine import Engine

KINDS = ("positions", "members", "exclusions", "staff")
_LOOK_EVERY_SECONDS = 2.0
_log = structlog.get_logger(__name__)


class ListFolder:
    """Looks into `folder` now and then, on the engine's thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._looked = 0.0
        self._seen: dict[str, tuple[int, int]] = {}
        self._left: dict[str, tuple[int, int]] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def look(self, engine: Engine) -> None:
        """Load what lies there and has stopped changing."""
        if time.monotonic() - self._looked < _LOOK_EVERY_SECONDS:
            return
        self._looked = time.monotonic()
        for kind in KINDS:
            file = self._folder / f"{kind}.csv"
            try:
                state = file.stat()
            except OSError:
                self._seen.pop(kind, None)
                self._left.pop(kind, None)
                continue
            mark = (state.st_size, state.st_mtime_ns)
            if self._left.get(kind) == mark:
                continue
            if self._seen.get(kind) != mark:
                self._seen[kind] = mark
                continue
            try:
                self._take(engine, kind, file)
            except OSError as trouble:
                self._left[kind] = mark
                _log.warning("list.left_lying", kind=kind, trouble=type(trouble).__name__)

    def _take(self, engine: Engine, kind: str, file: Path) -> None:
        del self._seen[kind]
        try:
            rows = house.load_list(engine, kind, file.read_bytes())
        except ListFaults as found:
            lines = [f"line {fault.line}, {fault.column or 'file'}: {fault.sentence}" for fault in found.faults]
            aside = self._put(file, "refused")
            aside.with_suffix(".faults.txt").write_text("\n".join([str(found), *lines, ""]), encoding="utf-8")
            _log.warning("list.refused", kind=kind, faults=len(found.faults))
        else:
            self._put(file, "loaded")
            _log.info("list.loaded", kind=kind, rows=rows)

    def _put(self, file: Path, where: str) -> Path:
        target = self._folder / where
        target.mkdir(exist_ok=True)
        return file.replace(target / file.name)
