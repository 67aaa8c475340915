"""The roster: a manager enters who works which duty when on a gaming day, changes it, or takes over an earlier day's.

Nothing is lost: a line that is changed is taken off and entered anew, and the log has both. It stops no session.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, time, timedelta

from draw_engine import calendar
from draw_engine.canonical import format_time
from draw_engine.errors import Refused
from draw_engine.roster import Shift, require_sound
from draw_engine.service import staffing
from draw_engine.service.engine import Engine
from draw_engine.service.ports import UnitOfWork
from draw_engine.service.roster_ports import ShiftRow

AHEAD_DAYS = 60
"""How far ahead a roster is kept."""


@dataclass(frozen=True, slots=True)
class Line:
    """What a manager enters: the person's number, their duty, a zone or None for the whole floor, times on the wall."""

    person: str
    duty: str
    zone: str | None
    starts: time
    ends: time


@dataclass(frozen=True, slots=True)
class Copied:
    """What came of taking over an earlier day: which, how many lines, whose lines no longer fit or stand already."""

    day: str
    lines: int
    left_out: tuple[str, ...]


def zones(engine: Engine) -> list[str]:
    """The zones of the floor by the list of positions, ascending."""
    listed = engine.versions.get("positions")
    return sorted({zone for row in ([] if listed is None else listed.rows) if (zone := getattr(row, "zone", ""))})


def enter(engine: Engine, day: date, line: Line, *, actor: str, instead_of: int | None = None) -> Shift:
    """Put a line on the roster. `instead_of`: the number of a line of that day that is changed by it.

    Raises Refused X_DAY_NOT_PLANNED, X_NO_SUCH_PERSON, X_NO_SUCH_SHIFT, X_SHIFT_OVER, and as `require_sound`.
    """
    now = engine.now()
    _require_plannable(engine, day, now)
    standing = [row.shift for row in engine.store.shifts(day.isoformat())]
    if instead_of is not None:
        _require_running(_one(standing, instead_of), now)
    made = _shift(engine, day, line)
    role = staffing.person_of(engine, line.person).role
    require_sound(made, role=role, zones=zones(engine), others=[one for one in standing if one.id != instead_of])
    _require_running(made, now)
    with engine.change() as work:
        if instead_of is not None:
            _remove(work, instead_of, actor, now)
        return _add(work, made, actor, now)


def remove(engine: Engine, day: date, shift: int, *, actor: str) -> Shift:
    """Take a line off. Raises Refused X_NO_SUCH_SHIFT, X_SHIFT_OVER: what is over stays as it was planned."""
    now = engine.now()
    found = _one([row.shift for row in engine.store.shifts(day.isoformat())], shift)
    _require_running(found, now)
    with engine.change() as work:
        _remove(work, shift, actor, now)
    return found


def copy_last(engine: Engine, day: date, *, actor: str) -> Copied:
    """Take over the lines of the last day before `day` that has any, at the same times on the wall.

    A line is left out whose person has gone, has another role by now, or is on that day's roster at that time already.
    Raises Refused X_DAY_NOT_PLANNED, X_NOTHING_TO_COPY.
    """
    now = engine.now()
    _require_plannable(engine, day, now)
    earlier = [one for one in engine.store.roster_days() if one < day.isoformat()]
    if not earlier:
        raise Refused("X_NOTHING_TO_COPY", "No earlier day has a roster. Enter the first line.")
    standing = [row.shift for row in engine.store.shifts(day.isoformat())]
    fit: list[Shift] = []
    left_out: list[str] = []
    for row in engine.store.shifts(earlier[-1]):
        made = _shift(engine, day, _as_line(engine, row.shift))
        if _fits(engine, made, [*standing, *fit], now):
            fit.append(made)
        else:
            left_out.append(made.person)
    with engine.change() as work:
        for made in fit:
            _add(work, made, actor, now)
    return Copied(earlier[-1], len(fit), tuple(left_out))


def _fits(engine: Engine, made: Shift, others: Collection[Shift], now: int) -> bool:
    try:
        role = staffing.person_of(engine, made.person).role
        require_sound(made, role=role, zones=zones(engine), others=others)
        _require_running(made, now)
    except Refused:
        return False
    return True


def _shift(engine: Engine, day: date, line: Line) -> Shift:
    zone, day_starts_at = _property_day(engine)
    on, off = calendar.civil_dates(day_starts_at, day, line.starts, line.ends)
    starts_at = calendar.instant(zone, on, line.starts)
    return Shift(
        0, day.isoformat(), line.person, line.duty, line.zone, starts_at, calendar.instant(zone, off, line.ends)
    )


def _as_line(engine: Engine, shift: Shift) -> Line:
    zone, _ = _property_day(engine)
    starts, ends = (calendar.local(zone, at).time() for at in (shift.starts_at, shift.ends_at))
    return Line(shift.person, shift.duty, shift.zone, starts, ends)


def _property_day(engine: Engine) -> tuple[str, time]:
    """The property's zone and the time at which its gaming day begins."""
    book = next(iter(engine.books.values()), None)
    return (engine.zone, time()) if book is None else (book.rules.zone, book.rules.day_starts_at)


def _require_plannable(engine: Engine, day: date, now: int) -> None:
    today = engine.gaming_day(now)
    if not today <= day <= today + timedelta(days=AHEAD_DAYS):
        raise Refused("X_DAY_NOT_PLANNED", f"Choose today or one of the next {AHEAD_DAYS} days; what is past stays.")


def _require_running(shift: Shift, now: int) -> None:
    if shift.ends_at <= now:
        raise Refused("X_SHIFT_OVER", "That time is over, and the roster stays as it was. Choose a later time.")


def _one(standing: Collection[Shift], shift: int) -> Shift:
    found = next((one for one in standing if one.id == shift), None)
    if found is None:
        raise Refused("X_NO_SUCH_SHIFT", "That line is not on the roster any more. Load the page again.")
    return found


def _add(work: UnitOfWork, made: Shift, actor: str, now: int) -> Shift:
    kept = Shift(work.next_shift(), made.day, made.person, made.duty, made.zone, made.starts_at, made.ends_at)
    work.add_shift(ShiftRow(kept, entered_at=now, entered_by=actor))
    data = {"shift": kept.id, "day": kept.day, "person": kept.person, "duty": kept.duty}
    data |= {"from": format_time(kept.starts_at), "to": format_time(kept.ends_at)}
    data |= {} if kept.zone is None else {"zone": kept.zone}
    work.append(at=work.instant(now), kind="roster.entered", draw=None, actor=actor, data=data)
    return kept


def _remove(work: UnitOfWork, shift: int, actor: str, now: int) -> None:
    work.remove_shift(shift, at=now, by=actor)
    work.append(at=work.instant(now), kind="roster.removed", draw=None, actor=actor, data={"shift": shift})
