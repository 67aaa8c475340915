"""The rows of the lists, and how each column is read (design "Lists"). Every fault is named, none is repaired."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, time
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from draw_engine.calendar import instant
from draw_engine.canonical import parse_time
from draw_engine.clock import Millis

CATEGORIES = ("refusal_of_entry", "self_excluded", "excluded_category", "staff_or_related")
"""What a row of the exclusions can say; a row of the staff list says the last one."""

_TEXT = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,200}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LOCAL = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]([0-9]{2}:[0-9]{2})")
_POSITION = re.compile(r"[A-Za-z0-9._/:-]{1,111}")
_PLACE_ON_PLAN = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member number, in NFC as everywhere below. `person`: what its holder's numbers have in common."""

    member: str
    first_name: str
    last_name: str
    tier: str
    born: date
    phone: str
    email: str
    person: str
    known_from: Millis


@dataclass(frozen=True, slots=True)
class ExclusionRow:
    """`member` is excluded in `category` from `first` to `last`, both included; None = until it is lifted."""

    member: str
    category: str
    first: date
    last: date | None
    source: str
    known_from: Millis


@dataclass(frozen=True, slots=True)
class PositionRow:
    """A machine or table: its zone, and where known its feed and its place on the floor plan."""

    position: str
    kind: str
    zone: str
    bank: str
    seats: int | None
    feed: str
    x: float | None
    y: float | None
    known_from: Millis


@dataclass(frozen=True, slots=True)
class RegisterRow:
    """A guest signs the decline register at `at`: a rehearsal's floor has these."""

    member: str
    at: Millis
    phone: str
    known_from: Millis


ListRow = MemberRow | ExclusionRow | PositionRow | RegisterRow


class Fault(Exception):  # noqa: N818 - it names the fact
    """One column's fault: `column` and a sentence that says what to do."""

    def __init__(self, column: str, sentence: str) -> None:
        super().__init__(f"{column}: {sentence}")
        self.column = column
        self.sentence = sentence


class Cells:
    """One line's cells by column. Each reader gives its value or notes the fault, so that all of a line come out.

    `known_from` and `zone`: the load's own instant, and the zone of local times.
    """

    def __init__(self, cells: dict[str, str], known_from: Millis, zone: str) -> None:
        self._cells = cells
        self._known_from = known_from
        self._zone = zone
        self.faults: list[Fault] = []

    def text(self, column: str, *, needed: bool = True) -> str:
        cell = self._cells.get(column, "")
        if not cell:
            if needed:
                self._fault(column, "is empty; fill it in.")
        elif not _TEXT.fullmatch(cell) or cell != cell.strip():
            self._fault(column, "must be at most 200 characters without control characters or outer spaces.")
        return cell

    def number(self, column: str, *, needed: bool = True) -> str:
        """A member number or person, in NFC."""
        cell = self.text(column, needed=needed)
        if len(cell) > 128:
            self._fault(column, "must be at most 128 characters.")
        return cell if cell.isascii() else normalize("NFC", cell)

    def position(self, column: str) -> str:
        cell = self._cells.get(column, "")
        if not _POSITION.fullmatch(cell):
            self._fault(column, "must be 1 to 111 of the characters A-Z a-z 0-9 . _ / : -.")
        return cell

    def choice(self, column: str, choices: tuple[str, ...]) -> str:
        cell = self._cells.get(column, "")
        if cell not in choices:
            self._fault(column, f"must be {' or '.join(choices)}.")
        return cell

    def day(self, column: str) -> date:
        return self.optional_day(column, needed=True) or date.min

    def optional_day(self, column: str, *, needed: bool = False) -> date | None:
        cell = self._cells.get(column, "")
        if not cell and not needed:
            return None
        day = _day(cell)
        if day is None:
            self._fault(column, "must be a date of the form 2023-10-07.")
        return day

    def seats(self, column: str) -> int | None:
        cell = self._cells.get(column, "")
        if not cell:
            return None
        if not cell.isascii() or not cell.isdigit() or not 1 <= int(cell[:6]) <= 100:
            self._fault(column, "must be a whole number from 1 to 100, or empty.")
            return None
        return int(cell)

    def on_plan(self, column: str) -> float | None:
        cell = self._cells.get(column, "")
        if cell and not _PLACE_ON_PLAN.fullmatch(cell):
            self._fault(column, "must be a plain decimal number, or empty.")
            return None
        return float(cell) if cell else None

    def instant(self, column: str) -> Millis:
        cell = self._cells.get(column, "")
        at = _instant(cell, self._zone)
        if at is None:
            self._fault(column, "must be a time like 2023-10-07T12:00:00.000Z, or local like 2023-10-07 14:00.")
        return at or 0

    def known_from(self) -> Millis:
        """The row's own, or the load's."""
        return self.instant("known_from") if self._cells.get("known_from") else self._known_from

    def _fault(self, column: str, sentence: str) -> None:
        self.faults.append(Fault(column, sentence))

    def refuse(self, column: str, sentence: str) -> None:
        """Note a fault that only the whole row shows."""
        self._fault(column, sentence)


@lru_cache(maxsize=65_536)
def _day(cell: str) -> date | None:
    try:
        return date.fromisoformat(cell) if _DATE.fullmatch(cell) else None
    except ValueError:
        return None


@lru_cache(maxsize=4_096)
def _instant(cell: str, zone: str) -> Millis | None:
    try:
        local = _LOCAL.fullmatch(cell)
        if local is None:
            return parse_time(cell)
        return instant(zone, date.fromisoformat(local[1]), time.fromisoformat(local[2]))
    except ValueError:
        return None


def _member(cells: Cells) -> MemberRow:
    member = cells.number("member")
    return MemberRow(
        member,
        cells.text("first_name", needed=False),
        cells.text("last_name", needed=False),
        cells.text("tier"),
        cells.day("born"),
        cells.text("phone", needed=False),
        cells.text("email", needed=False),
        cells.number("person", needed=False) or member,
        cells.known_from(),
    )


def _exclusion(cells: Cells, categories: tuple[str, ...] = CATEGORIES) -> ExclusionRow:
    row = ExclusionRow(
        cells.number("member"),
        cells.choice("category", categories),
        cells.day("from"),
        cells.optional_day("to"),
        cells.text("source", needed=False),
        cells.known_from(),
    )
    if row.last is not None and row.last < row.first:
        cells.refuse("to", "lies before from; both days are included.")
    return row


def _staff(cells: Cells) -> ExclusionRow:
    return _exclusion(cells, CATEGORIES[-1:])


def _position(cells: Cells) -> PositionRow:
    return PositionRow(
        cells.position("position"),
        cells.choice("kind", ("slot", "table")),
        cells.text("zone"),
        cells.text("bank", needed=False),
        cells.seats("seats"),
        cells.text("feed", needed=False),
        cells.on_plan("x"),
        cells.on_plan("y"),
        cells.known_from(),
    )


def _register(cells: Cells) -> RegisterRow:
    return RegisterRow(
        cells.number("member"), cells.instant("at"), cells.text("phone", needed=False), cells.known_from()
    )


@dataclass(frozen=True, slots=True)
class Kind:
    """A list's columns, those that may be left out, how a line becomes a row, and what may stand in it only once."""

    columns: tuple[str, ...]
    optional: tuple[str, ...]
    read: Callable[[Cells], ListRow]
    once: Callable[[Any], object] | None = None


_EXCLUSION = ("member", "category", "from", "to", "source")

KINDS: dict[str, Kind] = {
    "members": Kind(
        ("member", "first_name", "last_name", "tier", "born", "phone", "email", "person"),
        ("known_from",),
        _member,
        lambda row: (row.member, row.known_from),
    ),
    "exclusions": Kind(_EXCLUSION, ("known_from",), _exclusion),
    "staff": Kind(_EXCLUSION, ("known_from",), _staff),
    "positions": Kind(
        ("position", "kind", "zone", "bank", "seats"),
        ("feed", "x", "y", "known_from"),
        _position,
        lambda row: (row.position, row.known_from),
    ),
    "register": Kind(("member", "at", "phone"), ("known_from",), _register),
}
