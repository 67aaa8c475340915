"""A watched folder for the lists: what another system puts there is loaded, or set aside with its faults.

`KIND.csv` is taken once it has not changed for two seconds; it then stands in `loaded/`, or in `refused/` beside a text
that names every fault (floor-events, "Lists"). What cannot be read or moved stays where it is, and is looked at again
when it has changed: it holds up no other list, and is not loaded over and over.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import structlog

from draw_engine.lists import ListFaults
from draw_engine.service import house
from draw_engine.service.engine import Engine

KINDS = ("positions", "members", "exclusions", "staff")
_LOOK_EVERY_SECONDS = 2.0
Mark = tuple[int, int]
"""Size and time of change: a file that has the same ones twice has stopped changing."""
_log = structlog.get_logger(__name__)


class ListFolder:
    """Looks into `folder` now and then, on the engine's thread. `steady` is a clock in seconds."""

    def __init__(self, folder: Path, *, steady: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self._steady = steady
        self._looked = -_LOOK_EVERY_SECONDS
        self._seen: dict[str, Mark] = {}
        self._done: dict[str, Mark] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def look(self, engine: Engine) -> None:
        """Load what lies there and has stopped changing. A file that cannot be read or moved stops nothing else."""
        if self._steady() - self._looked < _LOOK_EVERY_SECONDS:
            return
        self._looked = self._steady()
        for kind in KINDS:
            file = self._folder / f"{kind}.csv"
            mark = _mark_of(file)
            if mark is None:
                self._seen.pop(kind, None)
                self._done.pop(kind, None)
            elif self._seen.get(kind) != mark:
                self._seen[kind] = mark
            elif self._done.get(kind) != mark:
                self._try(engine, kind, file, mark)

    def _try(self, engine: Engine, kind: str, file: Path, mark: Mark) -> None:
        try:
            content = file.read_bytes()
        except OSError as trouble:
            self._done[kind] = mark
            _log.warning("list.not_read", kind=kind, trouble=type(trouble).__name__)
            return
        try:
            self._take(engine, kind, file, content)
        except OSError as trouble:
            # It is decided what becomes of the list; where its file cannot be put aside it is not taken again.
            _log.warning("list.not_put_aside", kind=kind, trouble=type(trouble).__name__)
        self._done[kind] = mark

    def _take(self, engine: Engine, kind: str, file: Path, content: bytes) -> None:
        try:
            rows = house.load_list(engine, kind, content)
        except ListFaults as found:
            _log.warning("list.refused", kind=kind, faults=len(found.faults))
            lines = [f"line {fault.line}, {fault.column or 'file'}: {fault.sentence}" for fault in found.faults]
            aside = self._put(file, "refused")
            aside.with_suffix(".faults.txt").write_text("\n".join([str(found), *lines, ""]), encoding="utf-8")
        else:
            _log.info("list.loaded", kind=kind, rows=rows)
            self._put(file, "loaded")

    def _put(self, file: Path, where: str) -> Path:
        target = self._folder / where
        target.mkdir(exist_ok=True)
        return file.replace(target / file.name)


def _mark_of(file: Path) -> Mark | None:
    try:
        state = file.stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns
