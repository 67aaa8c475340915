"""Rehearsals of loaded rule books: one at a time, each in a process of its own, its figures noted when it has ended."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import structlog

from draw_engine import calendar
from draw_engine.errors import Refused
from draw_engine.locked_books import KeptBook
from draw_engine.rule_book_toml import read
from draw_engine.service import rule_locks
from draw_engine.service.engine import Engine
from kiosk.core import Core
from kiosk.rehearsal.floors import OfferedFloor, asked_floor, offered

_log = structlog.get_logger(__name__)
_LISTS = ("positions", "members", "exclusions", "staff")
LONGEST_SECONDS = 900
"""A rehearsal that has not ended by then is ended: something of the floor is wrong."""
COMMAND = (sys.executable, "-m", "kiosk.rehearsal.child")
_GONE = "The rehearsal ended without a result. Try it again; if it happens again, look into the log of the core."


@dataclass(slots=True)
class Run:
    """One rehearsal: of which book, what it does now (floor, rehearse, verify, done, refused), and what came of it."""

    book: str
    by: str
    step: str = "floor"
    code: str = ""
    sentence: str = ""
    figures: Mapping[str, Any] | None = None
    kept: bool = False

    @property
    def runs(self) -> bool:
        return self.step not in {"done", "refused"}


class Rehearsals:
    """Starts rehearsals and keeps the last one's records, in a folder of the state for each book."""

    def __init__(self, core: Core, state_dir: Path, journal_dir: Path, command: tuple[str, ...] = COMMAND) -> None:
        self._core = core
        self._records = state_dir / "rehearsals"
        self._floors = state_dir / "floors"
        self._journal = journal_dir
        self._command = command
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self.last: Run | None = None

    def floors(self) -> list[OfferedFloor]:
        """The floors there are."""
        return offered(self._journal, self._floors)

    def start(self, digest: str, *, day: date, floor: str, crews: int, by: str) -> Run:
        """Begin a rehearsal. Raises Refused: X_NO_SUCH_RULES, X_NO_SUCH_FLOOR, SS_NOT_PROMO_DAY, X_REHEARSAL_RUNS."""
        chosen = asked_floor(self.floors(), floor)
        kept, lists = self._core.ask(lambda engine: (rule_locks.kept_book(engine, digest), _lists_of(engine)))
        rules = read(kept.toml)
        if not calendar.is_promotion_day(rules, day):
            raise Refused("SS_NOT_PROMO_DAY", f"{day:%A %d %B %Y} is not a day of {kept.title}. Pick one of its days.")
        if chosen.kind == "day" and not {"positions", "members", "exclusions"} <= set(lists):
            raise Refused("X_LIST_TOO_OLD", "A recorded day needs the lists of members, exclusions and positions.")
        with self._lock:
            if self.last is not None and self.last.runs:
                raise Refused("X_REHEARSAL_RUNS", "A rehearsal runs. Wait until it has ended, then start this one.")
            run = self.last = Run(digest, by)
        order = {
            "out": str(self._fresh(digest)),
            "rules": kept.toml.decode(),
            "day": day.isoformat(),
            "crew": {"crews": crews},
            "floor": {"kind": chosen.kind, "name": chosen.name, "path": str(self._path(chosen)), "lists": lists},
        }
        threading.Thread(target=self._run, args=(run, kept, order), name="rehearsal", daemon=True).start()
        return run

    def stop(self) -> None:
        """End the one that runs."""
        child = self._child
        if child is not None:
            child.kill()

    def has_records(self, digest: str) -> bool:
        """Whether the records of a rehearsal of this book lie here, whole."""
        runs = self.last is not None and self.last.runs and self.last.book == digest
        return not runs and (self._folder(digest) / "summary.json").is_file()

    def packed(self, digest: str) -> bytes:
        """The records that the book's last rehearsal made, as a ZIP file. Raises Refused X_NOT_REHEARSED."""
        folder = self._folder(digest)
        if not self.has_records(digest):
            raise Refused("X_NOT_REHEARSED", "There is no record of a rehearsal of this book here. Rehearse it.")
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(file for file in folder.rglob("*") if file.is_file()):
                archive.write(file, str(file.relative_to(folder)))
        return packed.getvalue()

    # -- in the rehearsal's own thread ---------------------------------------------------------------------------

    def _run(self, run: Run, kept: KeptBook, order: Mapping[str, Any]) -> None:
        try:
            figures = self._play(run, order)
            if kept.locked_at is None:
                self._core.ask(lambda engine: rule_locks.rehearsed(engine, run.book, figures, by=run.by))
                run.kept = True
            run.step = "done"
        except Refused as refusal:
            run.code, run.sentence, run.step = refusal.code, refusal.sentence, "refused"
        except Exception as fault:  # noqa: BLE001 - whoever waits for it must be told
            _log.warning("rehearsal.failed", kind=type(fault).__name__)
            run.code, run.sentence, run.step = "X_NO_RESULT", _GONE, "refused"

    def _play(self, run: Run, order: Mapping[str, Any]) -> Mapping[str, Any]:
        """Raises Refused as the child refused, or X_NO_RESULT when it ended without a word."""
        child = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - our own
        self._child = child
        late = threading.Timer(LONGEST_SECONDS, child.kill)
        late.daemon = True
        late.start()
        try:
            assert child.stdin is not None
            assert child.stdout is not None
            with suppress(BrokenPipeError), child.stdin as told:
                told.write(json.dumps(order).encode())
            for line in child.stdout:
                _take(run, json.loads(line))
        finally:
            late.cancel()
            self._child = None
            child.kill()
            child.wait()
            child.stdout.close()  # type: ignore[union-attr]  # it is there: asked for above
        if run.figures is None:
            raise Refused(run.code or "X_NO_RESULT", run.sentence or _GONE)
        return run.figures

    def _path(self, floor: OfferedFloor) -> Path:
        if floor.kind == "folder":
            return self._floors / floor.name
        plain = self._journal / f"{floor.name}.jsonl"
        return plain if plain.exists() else plain.with_suffix(".jsonl.gz")

    def _folder(self, digest: str) -> Path:
        return self._records / digest[:16]

    def _fresh(self, digest: str) -> Path:
        folder = self._folder(digest)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder


def _take(run: Run, told: Mapping[str, Any]) -> None:
    if "step" in told:
        run.step = str(told["step"])
    elif "figures" in told:
        run.figures = told["figures"]
    else:
        run.code, run.sentence = str(told["code"]), str(told["sentence"])


def _lists_of(engine: Engine) -> dict[str, str]:
    """The lists in force, as they came: a recorded day is rehearsed with today's."""
    return {kind: row.content.decode() for kind, row in engine.list_rows.items() if kind in _LISTS}
