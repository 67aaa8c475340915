"""Tables of the reports: cells for the page, and the same for a spreadsheet, in which no text becomes a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from draw_engine import calendar
from draw_engine.reports_chance import AS_CHANCE, RARE, Judged, surprise
from draw_engine.reports_facts import UNLISTED
from web_display.catalogue import say

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠")  # noqa: RUF001 - these, too
_MARKS = {AS_CHANCE: "plain", "outside": "held", RARE: "late"}
_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Cell:
    """`text` as the page shows it; `raw`: what a spreadsheet gets instead, where that is a number.

    `mark`: a shape before it; `small`: a line below; `href`: where more of it is told.
    """

    text: str
    raw: int | float | None = None
    mark: str = ""
    number: bool = False
    small: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table. `head`: (word, whether its cells are figures); `none`: what is said where it has no rows."""

    id: str
    caption: str
    head: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[Cell]]
    none: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page. `plot`: what the script draws, None where there is nothing to draw."""

    id: str
    title: str
    what: str
    tables: Sequence[Table]
    plot: dict[str, Any] | None = None
    faults: Sequence[str] = field(default_factory=tuple)

    @property
    def mark(self) -> str:
        """`late` where something in it is far out or barred, else `held` where something is outside its band."""
        marks = {cell.mark for table in self.tables for row in table.rows for cell in row}
        return "late" if "late" in marks or self.faults else "held" if "held" in marks else ""


# -- cells --------------------------------------------------------------------------------------------------------


def words(text: str) -> Cell:
    """A cell of words."""
    return Cell(text)


def whole(number: int) -> Cell:
    """A cell with a count."""
    return Cell(grouped(number), number, number=True)


def selection(draw_id: str, ordinal: int) -> Cell:
    """A cell with a selection's number, which leads to everything about it."""
    return replace(whole(ordinal), href=f"/console/draws/{draw_id}/selections/{ordinal}")


def part(number: Fraction) -> Cell:
    """A cell with an expectation."""
    return Cell(decimal(number), round(float(number), 4), number=True)


def percent(number: int, of: int) -> Cell:
    """A cell with a share."""
    share = 100 * number / of if of else 0.0
    return Cell(f"{share:.1f}\u00a0%" if of else "", round(share, 2) if of else None, number=True)


def money(cents: int | Fraction, currency: str) -> Cell:
    """A cell with an amount: whole units, no-break spaces."""
    units = round(Fraction(cents, 100))
    sign = "\u2212" if units < 0 else ""
    symbol = "R" if currency == "ZAR" else currency
    return Cell(f"{sign}{symbol}\u00a0{grouped(abs(units))}", round(float(Fraction(cents, 100)), 2), number=True)


def grouped(number: int) -> str:
    """`12 480`, with no-break spaces."""
    return f"{number:,}".replace(",", "\u00a0").replace("-", "\u2212")


def decimal(number: Fraction) -> str:
    """An expectation: one decimal, two below 1, none from 1 000 on."""
    if number >= 1000:
        return grouped(round(number))
    return f"{float(number):.2f}" if number < 1 else f"{float(number):.1f}"


def band(judged: Judged) -> Cell:
    """The 99 % band."""
    return Cell(say("reports.band", low=grouped(judged.low), high=grouped(judged.high)), number=True)


def group_name(dimension: str, group: str) -> str:
    """What a group is called."""
    if group == UNLISTED:
        return say("reports.unlisted")
    if dimension == "kind" and group in {"slot", "table"}:
        return say(f"reports.kind.{group}")
    return say("reports.hour.name", hour=group) if dimension == "hour" else group


def reading(judged: Judged, comparisons: int) -> str:
    """How surprising a figure is, in words."""
    if judged.variance == 0:
        return say("reports.no_room")
    if surprise(judged.rarity, comparisons) == AS_CHANCE:
        return say("reports.as_chance")
    said = _surprise(judged, comparisons)
    return said[:1].upper() + said[1:]


def _surprise(judged: Judged, comparisons: int) -> str:
    side = "more" if judged.observed > judged.mean else "fewer"
    rare = surprise(judged.rarity, comparisons) == RARE
    return say(f"reports.rare_{side}" if rare else f"reports.{side}", n=_one_in(judged.rarity))


def reading_cell(judged: Judged, comparisons: int) -> Cell:
    """The same as a cell, with its mark."""
    return Cell(reading(judged, comparisons), mark=_mark([judged], comparisons))


def two_readings(selected: Judged, won: Judged, comparisons: int) -> Cell:
    """What a row's selections and wins say: one sentence where both are as chance gives."""
    if all(surprise(one.rarity, comparisons) == AS_CHANCE for one in (selected, won)):
        return Cell(say("reports.as_chance"), mark="plain")
    said = [
        say(f"reports.{key}", what=_surprise(one, comparisons))
        for key, one in (("selections_say", selected), ("wins_say", won))
        if surprise(one.rarity, comparisons) != AS_CHANCE
    ]
    return Cell("; ".join(said), mark=_mark([selected, won], comparisons))


def _mark(judged: Sequence[Judged], comparisons: int) -> str:
    levels = [surprise(one.rarity, comparisons) for one in judged]
    return _MARKS[RARE if RARE in levels else min(levels, key=lambda level: level == AS_CHANCE)]


def _one_in(rarity: float) -> str:
    if rarity * _MOST <= 1:
        return say("reports.over", n=grouped(_MOST))
    times = round(1 / rarity)
    figures = max(0, len(str(times)) - 2)
    return grouped(round(times, -figures))


def time_of(at: int, zone: str) -> str:
    """`2023-10-07 14:18:05` in the property's zone."""
    return f"{calendar.local(zone, at):%Y-%m-%d %H:%M:%S}"


def lasted(ms: int) -> str:
    """`12 s`, `3 min 05 s`, `2 h 10 min`."""
    minutes, seconds = divmod(ms // 1000, 60)
    hours, rest = divmod(minutes, 60)
    if hours:
        return f"{hours}\u00a0h {rest:02d}\u00a0min"
    return f"{minutes}\u00a0min {seconds:02d}\u00a0s" if minutes else f"{seconds}\u00a0s"


# -- for a spreadsheet --------------------------------------------------------------------------------------------


def as_csv(table: Table) -> bytes:
    """The table as CSV in UTF-8 with its mark, so that a spreadsheet reads it as such; figures plain."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\r\n")
    rows.writerow([safe(name) for name, _ in table.head])
    for row in table.rows:
        rows.writerow([cell.raw if cell.raw is not None else safe(cell.text) for cell in row])
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def safe(text: str) -> str:
    """A text that no spreadsheet takes for a formula (OWASP, CSV injection), its no-break spaces made plain."""
    plain = text.replace("\u00a0", " ")
    return f"'{plain}" if plain.lstrip(" ").startswith(_FORMULA) else plain
