"""What can be read of a rule book that may still have faults, so that one fault does not hide another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, time
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from config.fields import YEARS
from config.rule_book_form import WEEKDAYS
from draw_engine.calendar import span_days
from draw_engine.rule_book import CalendarSpan

Table = dict[str, Any]
T = TypeVar("T")

LONGEST_SPAN_DAYS = 1100
_WALL = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
# A region and a city, or UTC: no name that means another zone on another machine ("localtime").
_ZONE = re.compile(r"UTC|[A-Z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)+")


def get(table: Table, key: str, kind: type[T]) -> T | None:
    """The value when it is of exactly this kind."""
    value = table.get(key)
    return value if type(value) is kind else None


def inner(table: Table, key: str) -> Table:
    """The table under the key; an empty one when there is none."""
    return get(table, key, dict) or {}


def tables(table: Table, key: str, place: str) -> list[tuple[str, Table]]:
    """The tables of a list with their places."""
    rows = get(table, key, list) or []
    return [(f"{place}[{n}]", row) for n, row in enumerate(rows, start=1) if isinstance(row, dict)]


def texts(table: Table, key: str) -> list[str]:
    """The texts of a list."""
    return [value for value in get(table, key, list) or [] if isinstance(value, str)]


def dates(table: Table, key: str) -> list[tuple[int, date]]:
    """The dates of a list with their numbers from 1."""
    return [(n, value) for n, value in enumerate(get(table, key, list) or [], start=1) if type(value) is date]


def as_wall(value: object) -> time | None:
    """A time of day that is written as it must be."""
    return time.fromisoformat(value) if isinstance(value, str) and _WALL.fullmatch(value) else None


def zone_of(toml: Table) -> str | None:
    """The promotion's zone when this machine knows it."""
    name = get(inner(toml, "promotion"), "zone", str) or ""
    return name if known_zone(name) else None


def known_zone(name: str) -> bool:
    """Whether it is an IANA zone with rules."""
    if not _ZONE.fullmatch(name):
        return False
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


def day_start(toml: Table) -> time | None:
    """When the gaming day begins."""
    return as_wall(inner(toml, "promotion").get("day_starts_at"))


@dataclass(frozen=True, slots=True)
class Window:
    """A window of the gaming day: minutes from the day's beginning, `last` at most 1440."""

    place: str
    name: str
    starts: time
    ends: time
    first: int
    last: int

    def overlaps(self, other: Window) -> bool:
        return self.first < other.last and other.first < self.last


def window(day_begins: time, place: str, name: str, bounds: tuple[time, time]) -> Window:
    """A window as minutes of the gaming day; `last` is not after `first` when it does not fit into one."""
    starts, ends = bounds
    return Window(place, name, starts, ends, _minutes(day_begins, starts), _minutes(day_begins, ends) or 1440)


def _minutes(day_begins: time, moment: time) -> int:
    return ((moment.hour - day_begins.hour) * 60 + moment.minute - day_begins.minute) % 1440


def sessions(toml: Table) -> list[tuple[str, Table]]:
    """The draws of kind session with their places."""
    return [(place, draw) for place, draw in tables(toml, "draw", "draw") if draw.get("kind") == "session"]


def session_windows(toml: Table) -> list[Window]:
    """The sessions whose times can be read."""
    begins = day_start(toml)
    found = []
    for place, draw in sessions(toml):
        starts, ends = as_wall(draw.get("from")), as_wall(draw.get("to"))
        if begins is not None and starts is not None and ends is not None:
            found.append(window(begins, place, get(draw, "id", str) or place, (starts, ends)))
    return found


def sound_span(span: Table) -> CalendarSpan | None:
    """One calendar when all of it can be read and it is not too long."""
    first, last, weekdays = get(span, "from", date), get(span, "to", date), texts(span, "weekdays")
    if first is None or last is None or not weekdays or not set(weekdays) <= set(WEEKDAYS):
        return None
    if not 0 <= (last - first).days <= LONGEST_SPAN_DAYS or not {first.year, last.year} <= set(YEARS):
        return None
    numbers = tuple(WEEKDAYS.index(name) for name in weekdays)
    only, never = (tuple(day for _, day in dates(span, key)) for key in ("only", "never"))
    return CalendarSpan(numbers, first, last, only, never)


def promotion_dates(toml: Table) -> list[date] | None:
    """Every promotion day, ascending; None when a calendar cannot be read."""
    spans = [sound_span(span) for _, span in tables(toml, "calendar", "calendar")]
    if not spans or None in spans:
        return None
    return sorted({day for span in spans if span for day in span_days(span)})
