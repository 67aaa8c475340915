"""The demo's rule book goes the way of every book: rehearsed on a made floor, then locked by two simulated managers."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from draw_engine import calendar
from draw_engine.errors import Refused
from draw_engine.service import rule_locks
from draw_engine.service.engine import Book, Engine
from draw_engine.store.repositories import TableStore
from kiosk.demo.crew import CREWS, MANAGERS
from kiosk.rehearsal.figures import figures
from kiosk.rehearsal.floors import prepare
from kiosk.rehearsal.rehearse import RehearsalOrder, rehearse

REASON = "The demo's own rule book"


def lock_act(store: TableStore, book: Book, state_dir: Path) -> Callable[[Engine], None]:
    """What locks the book once the engine runs; it is rehearsed here, before, which takes some three seconds once."""
    digest = book.rules.sha256
    kept = next((each for each in store.kept_books() if each.sha256 == digest), None)
    found = None if kept is not None and kept.rehearsal is not None else _rehearsed(book, state_dir)

    def act(engine: Engine) -> None:
        # Refused: whoever tries the demo has retired it or has locked another; or an older demo locked this version.
        with suppress(Refused):
            rule_locks.load(engine, book, by=MANAGERS[0])
            if found is not None:
                rule_locks.rehearsed(engine, digest, found, by=MANAGERS[0])
            if rule_locks.kept_book(engine, digest).locked_at is None:
                rule_locks.lock(engine, digest, by=MANAGERS[0], second=MANAGERS[1], reason=REASON)

    return act


def _rehearsed(book: Book, state_dir: Path) -> Mapping[str, Any]:
    """The figures of the first day; its records lie where the console looks for them."""
    day = calendar.promotion_days(book.rules)[0]
    out = state_dir / "rehearsals" / book.rules.sha256[:16]
    made = {"kind": "made", "name": "rehearsal"}
    floor = prepare(book.rules, day, made, out / "floor")
    try:
        crew = f"crews = {len(CREWS)}\n".encode()
        told = rehearse(RehearsalOrder(rules=book.toml, day=day, floor=floor, crew=crew), out)
    finally:
        shutil.rmtree(floor, ignore_errors=True)
    return figures(out, told, day=day.isoformat(), floor="made:rehearsal", crews=len(CREWS))
