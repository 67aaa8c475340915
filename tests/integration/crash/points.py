"""Where a core may die: every step of the journal, of a transaction, of the listeners, named and counted.

The product knows nothing of this: its journal and store are subclassed and the operating system's calls wrapped, in
the child process of a test alone.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from draw_engine.store.journal import FileJournal
from draw_engine.store.repositories import TableStore
from draw_engine.store.unit_of_work import TransactionOfTables

SYNCS = ("fsync", "fdatasync", "ftruncate", "rename", "replace", "unlink")


class Points:
    """Counts the points that are reached, under what the core is doing; at number `die_at` the process is no more."""

    def __init__(self, die_at: int | None = None) -> None:
        self.doing = "start"
        self.count = 0
        self._die_at = die_at
        self._names: list[str] = []

    def reach(self, name: str) -> None:
        self.count += 1
        self._names.append(f"{self.doing}: {name}")
        if self.count == self._die_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def take_names(self) -> list[str]:
        names, self._names = self._names, []
        return names


class DyingJournal(FileJournal):
    """A journal whose process may die before, half way through and after a write."""

    def __init__(self, folder: Path, segment: str, points: Points, counted: int) -> None:
        self._points = points
        super().__init__(folder, segment, counted)

    def _write(self, lines: bytes) -> None:
        self._points.reach("before journal write")
        half = len(lines) // 2
        super()._write(lines[:half])
        self._points.reach("half of journal write")
        super()._write(lines[half:])
        self._points.reach("after journal write")

    def turn_to(self, segment: str) -> None:
        self._points.reach("before segment turn")
        super().turn_to(segment)
        self._points.reach("after segment turn")


class DyingStore(TableStore):
    """A store whose process may die before a transaction begins, at each statement, before and after its commit."""

    def __init__(self, database: Engine, *, salt: Callable[[int], bytes], property_id: str, points: Points) -> None:
        super().__init__(database, salt=salt, property_id=property_id)
        self._points = points
        event.listen(database, "before_cursor_execute", self._before)
        event.listen(database, "after_cursor_execute", self._after)

    @contextmanager
    def transaction(self) -> Iterator[TransactionOfTables]:
        self._points.reach("before begin")
        with super().transaction() as work:
            yield work
            kept = " ".join(entry.kind for entry in work.entries) or "a key"
            self._points.reach(f"before commit of {kept}")
        self._points.reach(f"after commit of {kept}")

    def count_journal(self, segment: str, length: int) -> None:
        self._points.reach("before begin of the journal's count")
        super().count_journal(segment, length)
        self._points.reach("after commit of the journal's count")

    def _before(self, _connection: Any, _cursor: Any, statement: str, _values: Any, context: Any, _many: Any) -> None:
        if name := _writes(statement, context):
            self._points.reach(f"before {name}")

    def _after(self, _connection: Any, _cursor: Any, statement: str, _values: Any, context: Any, _many: Any) -> None:
        if name := _writes(statement, context):
            self._points.reach(f"after {name}")


def _writes(statement: str, context: Any) -> str | None:
    """`insert selections`, `insert log_entries draw.closed checkpoint.made`; None for what only reads."""
    words = statement.replace("(", " ").split()
    verb = words[0].lower()
    if verb not in {"insert", "update", "delete"}:
        return None
    table = words[1] if verb == "update" else words[2]
    kind = ""
    if table == "log_entries":
        # One statement writes all of a transaction's entries.
        kind = "".join(f" {row['kind']}" for row in context.compiled_parameters)
    return f"{verb} {table}{kind}"


def watch_syncs(points: Points) -> None:
    """From now on this process may die before and after every sync, cut, rename and removal of a file."""
    for name in SYNCS:
        _watch(points, name)


def _watch(points: Points, name: str) -> None:
    call = getattr(os, name)

    def watched(*said: Any, **more: Any) -> Any:
        points.reach(f"before {name}")
        given = call(*said, **more)
        points.reach(f"after {name}")
        return given

    setattr(os, name, watched)
