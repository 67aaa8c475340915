"""The lists: read whole or not at all, and what they say at an instant (design "Lists").

A row is in force at t when its dates cover t's local date and it was known at t.
"""

from __future__ import annotations

import csv
import io
import re
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from draw_engine.calendar import instant, local
from draw_engine.clock import Millis
from draw_engine.list_rows import KINDS, Cells, ExclusionRow, Kind, ListRow, MemberRow, PositionRow

_FOREVER: Millis = 2**62
_COLUMN = re.compile(r"[a-z_;]+")


class ListFault(NamedTuple):
    """Line (1 = the header), column, and a sentence that says what to do. It repeats nothing of the cell."""

    line: int
    column: str
    sentence: str


class ListFaults(Exception):  # noqa: N818 - it names the fact
    """A list that was not taken: every fault found in it, in the order of its lines."""

    def __init__(self, kind: str, faults: Sequence[ListFault]) -> None:
        super().__init__(f"the list of {kind} was not taken: {len(faults)} faults")
        self.kind = kind
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True, eq=False)
class ListVersion:
    """One load of a list: SHA-256 of its bytes (hex) and its rows. Two versions are equal only when they are one."""

    kind: str
    sha256: str
    rows: tuple[ListRow, ...]


def read_list(kind: str, data: bytes, known_from: Millis, zone: str) -> ListVersion:
    """A list from its CSV: UTF-8, commas, one header. Raises ListFaults with all faults.

    `known_from`: since when its rows count as known where they do not say; `zone`: of their local times.
    """
    if kind not in KINDS:
        raise ListFaults(kind, [ListFault(1, "", f"There is no such kind of list; the kinds are {', '.join(KINDS)}.")])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise ListFaults(kind, [ListFault(line, "", "The file is not UTF-8; save it as CSV in UTF-8.")]) from None
    faults: list[ListFault] = []
    rows = list(_rows(KINDS[kind], text, known_from, zone, faults))
    if faults:
        raise ListFaults(kind, faults)
    return ListVersion(kind, sha256(data).hexdigest(), tuple(rows))


def _rows(kind: Kind, text: str, known_from: Millis, zone: str, faults: list[ListFault]) -> Iterator[ListRow]:
    lines = _lines(text, faults)
    _, header = next(lines, (1, []))
    faults.extend(_header_faults(kind, header))
    if faults:
        return
    stood: dict[object, int] = {}
    for line, cells in lines:
        if len(cells) != len(header):
            faults.append(ListFault(line, "", f"The line has {len(cells)} cells, the header {len(header)}."))
            continue
        read = Cells(dict(zip(header, cells, strict=True)), known_from, zone)
        row = kind.read(read)
        faults.extend(ListFault(line, fault.column, f"{fault.column} {fault.sentence}") for fault in read.faults)
        if kind.once is not None and stood.setdefault(kind.once(row), line) != line:
            column = header[0] if kind.columns[0] not in header else kind.columns[0]
            faults.append(ListFault(line, column, f"{column} stands in line {stood[kind.once(row)]} already."))
        yield row


def _lines(text: str, faults: list[ListFault]) -> Iterator[tuple[int, list[str]]]:
    """Each record's first line and its cells; empty lines are passed over."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error:
        faults.append(ListFault(line, "", "The line is not CSV: look at its quotation marks."))


def _header_faults(kind: Kind, header: Sequence[str]) -> list[ListFault]:
    known = (*kind.columns, *kind.optional)
    missing = [column for column in kind.columns if column not in header]
    strange = [column for column in header if column not in known]
    twice = [column for column in known if header.count(column) > 1]
    return (
        [ListFault(1, column, f"The column {column} is missing from the header.") for column in missing]
        + [
            ListFault(1, _named(column), f"This list has no such column; it has {', '.join(known)}.")
            for column in strange
        ]
        + [ListFault(1, column, f"The column {column} stands in the header twice.") for column in twice]
    )


def _named(column: str) -> str:
    """A column's name, where it can be one: in a file without a header it is a guest's name, number or telephone."""
    return column[:40] if _COLUMN.fullmatch(column) else ""


class Person(NamedTuple):
    """One human being: `m`, the first of the member numbers in ascending byte order, and all of them."""

    m: str
    numbers: tuple[str, ...]


@dataclass(slots=True, eq=False)
class ListsAt:
    """What the lists say at one instant, and until they say something else. Numbers are in NFC.

    `kept` is for what others work out from these lists alone, once.
    """

    local_date: date
    since: Millis
    until: Millis
    members: Mapping[str, MemberRow]
    persons: Mapping[str, Person]
    excluded: Mapping[str, frozenset[str]]
    positions: Mapping[str, PositionRow]
    kept: dict[Hashable, Any] = field(default_factory=dict)

    def person_of(self, member: str) -> Person:
        """Who holds a member number; a number in no list is a person of its own."""
        return self.persons.get(member) or Person(member, (member,))

    def categories(self, numbers: Iterable[str]) -> frozenset[str]:
        """Every category of exclusion in force on any of the numbers."""
        excluded = self.excluded
        found: frozenset[str] = frozenset()
        for number in numbers:
            if number in excluded:
                found |= excluded[number]
        return found


class ListsInForce:
    """The loaded version of each list (None: not loaded) and the exclusions entered at a desk, asked at instants."""

    def __init__(
        self,
        *,
        members: ListVersion | None,
        exclusions: ListVersion | None,
        staff: ListVersion | None,
        positions: ListVersion | None,
        zone: str,
        desk: Iterable[ExclusionRow] = (),
    ) -> None:
        self._members = members
        self._positions = positions
        self._zone = zone
        self._exclusions = [
            *(exclusions.rows if exclusions else ()),
            *(staff.rows if staff else ()),
            *desk,
        ]
        self._changes = sorted(
            {row.known_from for row in self._exclusions}.union(_changes(members), _changes(positions)),
        )
        self._at: ListsAt | None = None

    def at(self, t: Millis) -> ListsAt:
        """What is in force at `t`; the same object for as long as nothing changes."""
        if self._at is None or not self._at.since <= t < self._at.until:
            self._at = self._build(t)
        return self._at

    def persons(self) -> set[str]:
        """The `m` of everybody in the members' list, whenever they come to be known."""
        if self._members is None:
            return set()
        return {person.m for person in _people(self._members, len(_changes(self._members))).persons.values()}

    def _build(self, t: Millis) -> ListsAt:
        today = local(self._zone, t).date()
        epoch = bisect_right(self._changes, t)
        next_change = self._changes[epoch] if epoch < len(self._changes) else _FOREVER
        last_change = self._changes[epoch - 1] if epoch else -_FOREVER
        midnight, next_midnight = (instant(self._zone, today + timedelta(days=n), time(0)) for n in (0, 1))
        people = _people(self._members, bisect_right(_changes(self._members), t))
        return ListsAt(
            today,
            max(midnight, last_change),
            min(next_midnight, next_change),
            people.rows,
            people.persons,
            self._excluded(t, today),
            _places(self._positions, bisect_right(_changes(self._positions), t)),
        )

    def _excluded(self, t: Millis, today: date) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for row in self._exclusions:
            assert isinstance(row, ExclusionRow)
            if row.known_from <= t and row.first <= today and (row.last is None or today <= row.last):
                found.setdefault(row.member, set()).add(row.category)
        return {member: frozenset(categories) for member, categories in found.items()}


class _People(NamedTuple):
    rows: dict[str, MemberRow]
    persons: dict[str, Person]


@lru_cache(maxsize=16)
def _changes(version: ListVersion | None) -> tuple[Millis, ...]:
    """The instants from which rows of the version are known, ascending."""
    return () if version is None else tuple(sorted({row.known_from for row in version.rows}))


@lru_cache(maxsize=8)
def _people(version: ListVersion | None, epoch: int) -> _People:
    """The members after the version's `epoch`th change: the latest known row of each, and who belongs together."""
    rows: dict[str, MemberRow] = {}
    if version is not None and epoch:
        known_at = _changes(version)[epoch - 1]
        for row in version.rows:
            assert isinstance(row, MemberRow)
            if row.known_from <= known_at:
                was = rows.get(row.member)
                if was is None or row.known_from > was.known_from:
                    rows[row.member] = row
    numbers: dict[str, list[str]] = {}
    for row in rows.values():
        numbers.setdefault(row.person, []).append(row.member)
    persons: dict[str, Person] = {}
    for of_one in numbers.values():
        of_one.sort()  # by code point, which in UTF-8 is by byte
        person = Person(of_one[0], tuple(of_one))
        persons.update(dict.fromkeys(of_one, person))
    return _People(rows, persons)


@lru_cache(maxsize=8)
def _places(version: ListVersion | None, epoch: int) -> dict[str, PositionRow]:
    places: dict[str, PositionRow] = {}
    if version is not None and epoch:
        known_at = _changes(version)[epoch - 1]
        for row in version.rows:
            assert isinstance(row, PositionRow)
            if row.known_from <= known_at:
                was = places.get(row.position)
                if was is None or row.known_from > was.known_from:
                    places[row.position] = row
    return places
