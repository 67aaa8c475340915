"""The reports: who was selected and who won, by tier, zone, kind of game and hour, against what chance gives.

For each selection the chance of a group is its share of the tickets in that selection's frozen pool; a group's count is
held against all of these together (`reports_chance`). Source: draw record, "Selecting"; field research 4, feature 12.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from draw_engine import calendar
from draw_engine.reports_chance import Chance, Judged, against, hypergeometric, judge
from draw_engine.reports_facts import DIMENSIONS, DrawFacts, SelectionFact

_HOUR_MS = 3_600_000
_QUARTER_MS = _HOUR_MS // 4


@dataclass(frozen=True, slots=True)
class Filter:
    """Which closed draws a report is of. Days are gaming days, both included; None or "" = no bound."""

    first: date | None = None
    last: date | None = None
    promotion: str = ""
    session: str = ""

    def takes(self, draw: DrawFacts) -> bool:
        day = date.fromisoformat(draw.day)
        return (
            (self.first is None or self.first <= day)
            and (self.last is None or day <= self.last)
            and self.promotion in {"", draw.promotion}
            and self.session in {"", draw.session}
        )


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group's selections and wins against chance. `selected` is None where chance has no say (see `by_hour`)."""

    group: str
    selections: int
    selected: Judged | None
    won: Judged


def all_selections(draws: Iterable[DrawFacts]) -> list[tuple[DrawFacts, SelectionFact]]:
    """Every selection of some draws with its draw, in the order of time."""
    made = [(draw, one) for draw in draws for one in draw.selections]
    return sorted(made, key=lambda each: (each[1].at, each[0].id, each[1].ordinal))


def by_group(draws: Sequence[DrawFacts], dimension: str) -> list[GroupRow]:
    """The rows of a dimension (tier, zone or kind), by name: all selections, and those that won, each against
    the group's share of the pool it was drawn from. A group that was in no pool has no row.
    """
    n = DIMENSIONS.index(dimension)
    selected: dict[str, list[Chance]] = {}
    won: dict[str, list[Chance]] = {}
    seen: Counter[str] = Counter()
    seen_won: Counter[str] = Counter()
    for draw in draws:
        for one in draw.selections:
            seen[one.groups[n]] += 1
            seen_won[one.groups[n]] += one.won
        columns = [(selected, [draw.pools[one.pool] for one in draw.selections])]
        columns.append((won, [draw.pools[one.pool] for one in draw.selections if one.won]))
        for chances, pools in columns:
            totals = [pool.total for pool in pools]
            by_pool = zip(*(pool.shares[n] for pool in pools), strict=True) if pools else ()
            for group, weights in zip(draw.groups[n], by_pool, strict=bool(pools)):
                chances.setdefault(group, []).extend(zip(weights, totals, strict=True))
    return [
        GroupRow(
            group, seen[group], against(seen[group], selected[group]), against(seen_won[group], won.get(group, []))
        )
        for group in sorted(selected)
    ]


# -- by hour ------------------------------------------------------------------------------------------------------


def by_hour(draws: Sequence[DrawFacts]) -> list[GroupRow]:
    """Selections made for a moment by the hour in which they were made, against moments that fall anywhere within their
    parts of the session; wins by the hour of their selection, against all selections winning alike.

    A re-selection follows a failure: it is counted in `selections`, chance gives its hour no figure.
    """
    moments: dict[int, list[Chance]] = {}
    timed: Counter[int] = Counter()
    every: Counter[int] = Counter()
    won: Counter[int] = Counter()
    for draw in draws:
        hour_of = _hours(draw.zone)
        for one in draw.selections:
            hour = hour_of(one.at)
            every[hour] += 1
            won[hour] += one.won
            if one.moment is not None:
                timed[hour] += 1
                for at, chance in hours_of_moment(draw, one.moment, one.at):
                    moments.setdefault(at, []).append(chance)
    first = min((draw.day_starts_hour for draw in draws), default=0)
    wins, whole = sum(won.values()), sum(every.values())
    return [
        GroupRow(
            f"{hour:02d}",
            every[hour],
            against(timed[hour], moments.get(hour, [])),
            judge(won[hour], every[hour], hypergeometric(every[hour], wins, whole)),
        )
        for hour in sorted({*every, *moments}, key=lambda hour: (hour - first) % 24)
    ]


def hours_of_moment(draw: DrawFacts, moment: int, made_at: int) -> list[tuple[int, Chance]]:
    """The chance of each hour for a moment: how much of its part of the session lies in it (draw record, "When").

    Part n of `count` is [n L/count, (n+1) L/count) of the session's length L: all lengths are taken times `count`.
    Where the terms fix the moments, the hour it was made in has the chance 1.
    """
    hour_of = _hours(draw.zone)
    if draw.how != "spread":
        return [(hour_of(made_at), (1, 1))]
    length = draw.end - draw.start
    begins, ends = moment * length, (moment + 1) * length
    found = []
    at = draw.start + begins // draw.count
    while (at - draw.start) * draw.count < ends:
        clock = calendar.local(draw.zone, at)
        into = (clock.minute * 60 + clock.second) * 1000 + at % 1000
        upto = at - into + _HOUR_MS
        overlap = min(ends, (upto - draw.start) * draw.count) - max(begins, (at - draw.start) * draw.count)
        found.append((hour_of(at), (overlap, length)))
        at = upto
    return found


def _hours(zone: str) -> Callable[[int], int]:
    """The hour an instant's clocks show. Zones differ from UTC by quarters of an hour: one look a quarter will do."""
    return lambda at: _hour_of_quarter(zone, at // _QUARTER_MS)


@lru_cache(maxsize=100_000)
def _hour_of_quarter(zone: str, quarter: int) -> int:
    return calendar.local(zone, quarter * _QUARTER_MS).hour


# -- the same person again ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RepeatRow:
    """How many persons were selected for the `times`th time, against how many chance gives."""

    times: int
    persons: Judged


def repeats(draws: Sequence[DrawFacts], up_to: int = 5) -> list[RepeatRow]:
    """Persons selected a second, third ... `up_to`th time within these draws.

    Before each selection the chance that it falls on somebody selected exactly k times so far is the share such
    persons have in its pool; the sum over all selections is what chance gives for the (k+1)th time. Pools being what
    they were, the difference is a martingale, its variance the sum of p (1-p): so whoever may not win again, and was
    left out of later pools for it, is left out of what chance gives too.
    """
    standing = _Standing()
    chances: dict[int, list[Chance]] = {k: [] for k in range(1, up_to)}
    seen: Counter[int] = Counter()
    for draw, one in all_selections(draws):
        pool = draw.pools[one.pool]
        levels = standing.levels(draw)
        for k, column in chances.items():
            column.append((pool.weight_of(levels.get(k, 0)), pool.total))
        seen[standing.selected(one.person) + 1] += 1
    return [RepeatRow(k + 1, against(seen[k + 1], column)) for k, column in chances.items()]


class _Standing:
    """How often everybody has been selected so far; and of each draw under way, its persons by that, as bits."""

    def __init__(self) -> None:
        self._times: dict[str, int] = {}
        self._levels: dict[str, dict[int, int]] = {}
        self._numbers: dict[str, dict[str, int]] = {}
        self._left: dict[str, int] = {}

    def levels(self, draw: DrawFacts) -> dict[int, int]:
        """The persons of a draw selected exactly k times, as bits by k. Asked once before each of its selections."""
        if draw.id not in self._levels:
            self._begin(draw)
        self._left[draw.id] -= 1
        return self._levels[draw.id]

    def _begin(self, draw: DrawFacts) -> None:
        for done in [other for other, left in self._left.items() if left == 0]:
            del self._left[done], self._levels[done], self._numbers[done]
        self._numbers[draw.id] = {person: n for n, person in enumerate(draw.persons)}
        self._left[draw.id] = len(draw.selections)
        levels = self._levels[draw.id] = {}
        times = self._times
        for n, person in enumerate(draw.persons):
            if person in times:
                levels[times[person]] = levels.get(times[person], 0) | 1 << n

    def selected(self, person: str) -> int:
        """Somebody is selected once more; gives how often they had been before."""
        before = self._times.get(person, 0)
        self._times[person] = before + 1
        for draw, numbers in self._numbers.items():
            bit = 1 << numbers[person] if person in numbers else 0
            levels = self._levels[draw]
            levels[before] = levels.get(before, 0) & ~bit
            levels[before + 1] = levels.get(before + 1, 0) | bit
        return before


@dataclass(frozen=True, slots=True)
class PersonRow:
    """Somebody selected more than once: how often, against their own chances; and which selections (draw, ordinal)."""

    person: str
    selected: Judged
    won: int
    which: tuple[tuple[str, int], ...]


def most_selected(draws: Sequence[DrawFacts], most: int = 8) -> tuple[list[PersonRow], int]:
    """Those selected most often, and how many persons were in any pool: among so many, the luckiest is far out."""
    made = all_selections(draws)
    times = Counter(one.person for _, one in made)
    named = [person for person, n in sorted(times.items(), key=lambda each: (-each[1], each[0]))[:most] if n > 1]
    chances: dict[str, list[Chance]] = {person: [] for person in named}
    everybody: set[str] = set()
    for draw in draws:
        everybody.update(draw.persons)
        bits = {person: 1 << n for n, person in enumerate(draw.persons) if person in chances}
        for one in draw.selections:
            pool = draw.pools[one.pool]
            for person, bit in bits.items():
                if weight := pool.weight_of(bit):
                    chances[person].append((weight, pool.total))
    rows = []
    for person in named:
        theirs = [(draw.id, one) for draw, one in made if one.person == person]
        which = tuple((draw, one.ordinal) for draw, one in theirs)
        rows.append(PersonRow(person, against(len(theirs), chances[person]), sum(o.won for _, o in theirs), which))
    return rows, len(everybody)
