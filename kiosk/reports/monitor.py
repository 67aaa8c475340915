"""What an auditor looks at that no chance speaks of: wins of people who may not win, late changes, voids, envelopes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from draw_engine import calendar
from draw_engine.list_rows import ExclusionRow
from draw_engine.reports_envelopes import BatchReport, batch_report
from draw_engine.reports_facts import DrawFacts, SelectionFact
from draw_engine.service.engine import Engine
from draw_engine.service.prize_ports import CashCountRow, DayCountRow


@dataclass(frozen=True, slots=True)
class Barred:
    """A win of somebody whom today's lists bar on its day: a row that came later, or one that was missed.

    `known_from`: since when the list has said so (ms); later than the selection, nobody could have known by it.
    """

    draw: DrawFacts
    selection: SelectionFact
    category: str
    known_from: int


@dataclass(frozen=True, slots=True)
class Void:
    """A claim that was voided, whose result had been seen by then. `after_close`: the record keeps its outcome."""

    draw: DrawFacts
    ordinal: int
    at: int
    seen_for_ms: int
    by: tuple[str, ...]
    again: bool
    after_close: bool


@dataclass(frozen=True, slots=True)
class Monitor:
    """The parts of the integrity monitor that are read from the property's state as it is now."""

    barred: tuple[Barred, ...]
    voids: tuple[Void, ...]
    new_rules: tuple[tuple[DrawFacts, DrawFacts], ...]
    """(before, after): two draws of a promotion one after the other, opened under different rules."""
    batches: tuple[BatchReport, ...]
    day_counts: tuple[DayCountRow, ...]
    cash_counts: tuple[CashCountRow, ...]


def monitor(engine: Engine, draws: Sequence[DrawFacts], *, all_batches: bool) -> Monitor:
    """Read it, off the engine's thread. `all_batches`: those that no draw has touched as well."""
    return Monitor(
        barred=tuple(_barred(engine, draws)),
        voids=tuple(_voids(engine, draws)),
        new_rules=tuple(_new_rules(draws)),
        batches=tuple(_batches(engine, {draw.id for draw in draws}, all_batches=all_batches)),
        day_counts=tuple(_day_counts(engine, draws)),
        cash_counts=tuple(_cash_counts(engine, draws)),
    )


def _barred(engine: Engine, draws: Iterable[DrawFacts]) -> Iterable[Barred]:
    rows: dict[str, list[ExclusionRow]] = {}
    for kind in ("exclusions", "staff"):
        version = engine.versions.get(kind)
        for row in version.rows if version else ():
            if isinstance(row, ExclusionRow):
                rows.setdefault(row.member, []).append(row)
    persons = engine.lists.at(engine.now()) if rows else None
    for draw in draws:
        kept = engine.draws.get(draw.id)
        if kept is None or persons is None:
            continue
        for one in draw.selections:
            chosen = kept.rows[one.ordinal]
            numbers = {chosen.member, chosen.person, *persons.person_of(chosen.member).numbers}
            day = calendar.local(draw.zone, one.at).date()
            for row in (row for number in sorted(numbers) for row in rows.get(number, ()) if one.won):
                covered = row.first <= day and (row.last is None or day <= row.last)
                if covered and row.category in kept.book.exclude:
                    yield Barred(draw, one, row.category, row.known_from)


def _voids(engine: Engine, draws: Iterable[DrawFacts]) -> Iterable[Void]:
    late: dict[str, list[Void]] = {}
    by_id = {draw.id: draw for draw in draws}
    for entry in engine.store.voided_after_close():
        draw = by_id.get(entry.draw or "")
        if draw is not None:
            ordinal = entry.data["ordinal"]
            seen = entry.at - draw.selections[ordinal].at
            by = tuple(entry.data["by"])
            late.setdefault(draw.id, []).append(Void(draw, ordinal, entry.at, seen, by, again=False, after_close=True))
    for draw in by_id.values():
        for one in draw.decisions:
            if one.what == "void":
                seen = one.at - draw.selections[one.ordinal].at
                yield Void(draw, one.ordinal, one.at, seen, one.by, one.again, after_close=False)
        yield from late.get(draw.id, ())


def _new_rules(draws: Iterable[DrawFacts]) -> Iterable[tuple[DrawFacts, DrawFacts]]:
    last: dict[str, DrawFacts] = {}
    for draw in draws:
        before = last.get(draw.promotion)
        if before is not None and before.rules_sha256 != draw.rules_sha256:
            yield before, draw
        last[draw.promotion] = draw


def _batches(engine: Engine, draws: set[str], *, all_batches: bool) -> Iterable[BatchReport]:
    for batch in engine.store.batches():
        rows = engine.store.envelopes(batch=batch.id)
        if all_batches or any(row.draw in draws for row in rows):
            amounts = {int(amount): int(many) for amount, many in json.loads(batch.amounts).items()}
            states = [(row.state, row.amount) for row in rows]
            yield batch_report(batch.id, batch.counted_at, amounts, states)


def _day_counts(engine: Engine, draws: Iterable[DrawFacts]) -> Iterable[DayCountRow]:
    for day in sorted({draw.day for draw in draws}):
        counted = engine.store.day_count(day)
        if counted is not None:
            yield counted


def _cash_counts(engine: Engine, draws: Iterable[DrawFacts]) -> Iterable[CashCountRow]:
    for day in sorted({draw.day for draw in draws}):
        counted = engine.store.cash_count(day)
        if counted is not None:
            yield counted
