"""The roster as its page and the console show it: a day's lines with who is here, and what does not agree."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from draw_engine import calendar
from draw_engine.clock import Millis
from draw_engine.roster import NEAR_MS, Shift, attendance
from draw_engine.rule_book import RuleBook
from draw_engine.service import roster
from draw_engine.service.engine import Engine
from draw_engine.service.people_ports import StaffRow
from kiosk.screens.view import current_book
from web_display import screens
from web_display.catalogue import say
from web_display.console_messages import HouseLine

_SHOWN_DAYS = 14
"""Days ahead that the page offers; a later one is asked for by its address."""


def roster_message(
    engine: Engine, people: Mapping[str, StaffRow], signed_in: Mapping[str, str], day: date, now: Millis
) -> dict[str, Any]:
    """{day, day_text, days, sessions, lines, copy_from, people, zones, may_plan} of one gaming day.

    `people`: number -> the person, those who have left too; `signed_in`: number -> role.
    """
    book = current_book(engine, now)
    today = engine.gaming_day(now)
    earlier = [one for one in engine.store.roster_days() if one < day.isoformat()]
    shifts = [row.shift for row in engine.store.shifts(day.isoformat())]
    return {
        "day": day.isoformat(),
        "day_text": _day_text(day),
        "days": [_choice(today + timedelta(days=n)) for n in range(_SHOWN_DAYS)],
        "sessions": _sessions(book, day),
        "lines": [_line(shift, people, signed_in, engine.zone, now) for shift in shifts],
        "copy_from": _day_text(date.fromisoformat(earlier[-1])) if earlier else None,
        "people": [
            {"id": row.id, "name": row.name, "role": row.role}
            for row in sorted(people.values(), key=lambda row: (row.name, row.id))
            if row.ended_at is None
        ],
        "zones": roster.zones(engine),
        "may_plan": today <= day <= today + timedelta(days=roster.AHEAD_DAYS),
    }


def roster_lines(
    engine: Engine, names: Mapping[str, str], signed_in: Mapping[str, str], now: Millis
) -> list[HouseLine]:
    """What the console says of today's roster. Nothing where the house keeps none."""
    if not engine.store.roster_days():
        return []
    book, today = current_book(engine, now), engine.gaming_day(now)
    shifts = [row.shift for row in engine.store.shifts(today.isoformat())]
    found = attendance(shifts, signed_in, now)
    lines = [_absent("missing", "warn", shift, names, book.zone) for shift in found.missing]
    lines += [_absent("soon", "fine", shift, names, book.zone) for shift in found.soon]
    if shifts and found.extra:
        listed = ", ".join(names.get(person, person) for person in found.extra)
        lines.append(HouseLine("roster-extra", "fine", say("console.roster_extra", names=listed)))
    return [*_uncovered(book, today, shifts, now), *lines]


def _absent(kind: str, state: str, shift: Shift, names: Mapping[str, str], zone: str) -> HouseLine:
    said = say(
        f"console.roster_{kind}",
        name=names.get(shift.person, shift.person),
        duty=say(f"roster.duty_{shift.duty}"),
        time=screens.time_text(shift.starts_at, zone),
    )
    return HouseLine(f"roster-{shift.id}", "warn" if state == "warn" else "fine", said)


def _uncovered(book: RuleBook, today: date, shifts: list[Shift], now: Millis) -> list[HouseLine]:
    """The day's next session, or the one that runs, when no crew is planned for it."""
    if not calendar.is_promotion_day(book, today):
        return []
    for plan in sorted(book.draws, key=lambda one: calendar.session_bounds(book, one, today)):
        start, end = calendar.session_bounds(book, plan, today)
        if end <= now:
            continue
        if any(one.duty == "crew" and one.starts_at < end and start < one.ends_at for one in shifts):
            return []
        title = screens.short_title(plan.title, book.title)
        said = say("console.roster_nobody", title=title, time=screens.time_text(start, book.zone))
        return [HouseLine("roster-nobody", "warn", said)]
    return []


def _sessions(book: RuleBook, day: date) -> list[str]:
    if not calendar.is_promotion_day(book, day):
        return []
    bounds = [(calendar.session_bounds(book, plan, day), plan) for plan in book.draws]
    return [
        say(
            "roster.session",
            title=screens.short_title(plan.title, book.title),
            **{"from": screens.time_text(start, book.zone), "to": screens.time_text(end, book.zone)},
        )
        for (start, end), plan in sorted(bounds, key=lambda one: one[0])
    ]


def _line(
    shift: Shift, people: Mapping[str, StaffRow], signed_in: Mapping[str, str], zone: str, now: Millis
) -> dict[str, Any]:
    person = people.get(shift.person)
    return {
        "id": shift.id,
        "person": shift.person,
        "name": shift.person if person is None else person.name,
        "duty": shift.duty,
        "zone": shift.zone,
        "from": screens.time_text(shift.starts_at, zone),
        "until": screens.time_text(shift.ends_at, zone),
        "state": _state(shift, person, signed_in, now),
    }


def _state(shift: Shift, person: StaffRow | None, signed_in: Mapping[str, str], now: Millis) -> str:
    if shift.ends_at <= now:
        return "over"
    if person is None or person.ended_at is not None:
        return "gone"
    if now < shift.starts_at - NEAR_MS:
        return "later"
    return "here" if shift.person in signed_in else "missing"


def _choice(day: date) -> dict[str, str]:
    return {"day": day.isoformat(), "text": _day_text(day)}


def _day_text(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"
