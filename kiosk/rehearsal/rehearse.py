"""`floordraw rehearse`: a day of a rule book over a recorded floor, written out as the auditor's copies."""

from __future__ import annotations

import gzip
import json
import secrets
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from config.rule_book_faults import check
from draw_engine import calendar
from draw_engine.canonical import read_json
from draw_engine.clock import SetClock
from draw_engine.errors import Refused
from draw_engine.floor_events import read_event
from draw_engine.list_rows import PositionRow
from draw_engine.lists import read_list
from draw_engine.rehearsal import Rehearsal, events_in_order
from draw_engine.rehearsal_summary import summary
from draw_engine.scripted_crew import CrewPlan, ScriptedCrew, read_crew
from draw_engine.seeds import RehearsalSeeds
from draw_engine.service.engine import Book, Engine, PropertySettings
from draw_engine.service.publishing import published_copy
from draw_engine.store.database import open_database
from draw_engine.store.repositories import TableStore
from draw_engine.store.sealing import MasterKey, Signer

LISTS = ("positions", "members", "exclusions", "staff", "register")
_OPTIONAL = frozenset({"staff", "register", "exclusions"})
STALE_AFTER_MS = 30_000
TWO_PEOPLE = {"rehearsal-1": "manager", "rehearsal-2": "manager"}
"""Whose word a script's voids and reviews rest on (`draw_engine.service.scripted`)."""


@dataclass(frozen=True, slots=True)
class RehearsalOrder:
    """What is rehearsed: the book's bytes, the day, the floor's folder; `session` one draw alone; `seed` 32 bytes."""

    rules: bytes
    day: date
    floor: Path
    session: str | None = None
    seed: bytes | None = None
    crew: bytes | None = None
    stale_after_ms: int = STALE_AFTER_MS


def rehearse(order: RehearsalOrder, out: Path) -> dict[str, Any]:
    """Play it and write one folder a draw, and `summary.json`. Returns the summary.

    Raises Refused, RuleBookFaults or ListFaults with what to do; nothing is written then.
    """
    book = Book(check(order.rules), order.rules)
    plans = [plan for plan in book.rules.draws if order.session in {None, plan.id}]
    if not plans:
        raise Refused("X_NO_SUCH_DRAW", f"The rule book has no draw {order.session}.")
    seed = order.seed or secrets.token_bytes(32)
    day_starts = calendar.instant(book.rules.zone, order.day, book.rules.day_starts_at)
    clock = SetClock(day_starts)
    events = events_in_order(read_events(order.floor))
    engine = _engine(book, seed, clock, order, recorded=_feeds_of(event for _, event in events))
    engine.only_plans = frozenset(plan.id for plan in plans)
    plan = read_crew(order.crew) if order.crew is not None else CrewPlan()
    prize = plans[0].prize
    crew = ScriptedCrew(plan, prize=(prize.min, prize.max), window_ms=plans[0].claim.seconds * 1000)
    play = Rehearsal(engine, clock, crew, plans)
    play.load_lists(read_lists(order.floor))
    draws = play.run(book, order.day, events)
    told = summary(
        engine,
        draws,
        play.told,
        longest_queue=crew.longest_queue,
        seed=None if order.seed is not None else seed.hex(),
    )
    out.mkdir(parents=True, exist_ok=True)
    for draw in draws:
        _write(out / draw.plan.id, published_copy(engine, draw, "auditor"))
    (out / "summary.json").write_bytes(json.dumps(told, indent=1, sort_keys=True).encode() + b"\n")
    return told


def _engine(book: Book, seed: bytes, clock: SetClock, order: RehearsalOrder, *, recorded: set[str]) -> Engine:
    seeds = RehearsalSeeds(seed)
    store = TableStore(open_database("sqlite://"), salt=seeds.salt, property_id=book.rules.property)
    needs = {need for plan in book.rules.draws for need in plan.needs}
    settings = PropertySettings(
        id=book.rules.property,
        stale_after_ms=order.stale_after_ms,
        list_age_hours={},
        # A feed that speaks for the first time after a moment was needed at it all the same.
        feeds=positions_feeds(order.floor, needs) or {feed: tuple(sorted(needs)) for feed in sorted(recorded)},
        staff=TWO_PEOPLE,
    )
    return Engine(
        settings=settings,
        books=[book],
        store=store,
        journal=None,
        vault=MasterKey(secrets.token_bytes(32)),
        seeds=seeds,
        clock=clock,
        make_signer=Signer,
    )


def _feeds_of(events: Iterable[dict[str, Any]]) -> set[str]:
    """The feeds of a recording: those with an event that can be read."""
    found: set[str] = set()
    for value in events:
        if value.get("feed") not in found:
            with suppress(Refused):
                found.add(read_event(value).feed)
    return found


def positions_feeds(floor: Path, needs: set[str]) -> dict[str, tuple[str, ...]]:
    """What each feed brings: every kind its positions are of; none named = every feed of the recording everything.

    Raises ListFaults.
    """
    file = floor / "positions.csv"
    found: dict[str, set[str]] = {}
    if file.exists():
        for row in read_list("positions", file.read_bytes(), 0, "UTC").rows:
            if isinstance(row, PositionRow) and row.feed:
                found.setdefault(row.feed, set()).add(f"{row.kind}s")
    return {feed: tuple(sorted(kinds & needs)) for feed, kinds in sorted(found.items())}


def read_lists(floor: Path) -> Iterator[tuple[str, bytes]]:
    """The floor's lists. Raises Refused X_FLOOR_FILE for one that must be there and is not."""
    for kind in LISTS:
        file = floor / f"{kind}.csv"
        if file.exists():
            yield kind, file.read_bytes()
        elif kind not in _OPTIONAL:
            raise Refused("X_FLOOR_FILE", f"There is no {kind}.csv in {floor}. Put the list there.")
        elif kind == "exclusions":
            raise Refused(
                "X_FLOOR_FILE", f"There is no exclusions.csv in {floor}. Put the list there, even if it is empty."
            )


def read_events(floor: Path) -> Iterator[dict[str, Any]]:
    """The recording's events. Raises Refused X_RECORDING naming the line that is not JSON."""
    plain, packed = floor / "events.jsonl", floor / "events.jsonl.gz"
    if plain.exists():
        data = plain.read_bytes()
    elif packed.exists():
        data = packed.read_bytes()
    else:
        raise Refused("X_FLOOR_FILE", f"There is no events.jsonl in {floor}. Record or make one first.")
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (EOFError, OSError, zlib.error):
            raise Refused("X_RECORDING", f"The gzip data of {floor} ends early or is damaged. Copy it again.") from None
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = read_json(line)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise Refused("X_RECORDING", f"Line {number} of events.jsonl is not a JSON object. Mend it.")
        yield value


def _write(folder: Path, files: dict[str, bytes]) -> None:
    """Write a copy; pools that an earlier rehearsal left there go, so that the same inputs leave the same folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob("*.pool"):
        if left.name not in files:
            left.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)
