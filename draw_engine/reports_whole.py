"""A whole report of some closed draws, and how much of it is surprising: many comparisons are made at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from draw_engine.reports import GroupRow, PersonRow, RepeatRow, by_group, by_hour, most_selected, repeats
from draw_engine.reports_chance import Judged, Overall, overall
from draw_engine.reports_facts import DIMENSIONS, DrawFacts
from draw_engine.reports_operators import ANNOUNCER, CREW, MANAGER, Operators, Presented, operators, presented

HOUR = "hour"


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that follows from the facts alone. `groups`: by dimension, the hours among them; `persons`: how many
    were in any pool; `operators`: by role.
    """

    draws: int
    selections: int
    won: int
    groups: Mapping[str, tuple[GroupRow, ...]]
    repeats: tuple[RepeatRow, ...]
    most: tuple[PersonRow, ...]
    persons: int
    operators: Mapping[str, Operators]
    presented: Presented

    def judged(self) -> Iterator[Judged]:
        """Every figure held against chance, but for the single persons': they are judged among all persons."""
        for rows in self.groups.values():
            for row in rows:
                if row.selected is not None:
                    yield row.selected
                yield row.won
        yield from (row.persons for row in self.repeats)
        for told in self.operators.values():
            for one in told.rows:
                yield from one.measures.values()


def report_of(draws: Sequence[DrawFacts]) -> Report:
    """The report of these closed draws."""
    groups = {dimension: tuple(by_group(draws, dimension)) for dimension in DIMENSIONS}
    most, persons = most_selected(draws)
    return Report(
        draws=len(draws),
        selections=sum(len(draw.selections) for draw in draws),
        won=sum(one.won for draw in draws for one in draw.selections),
        groups={**groups, HOUR: tuple(by_hour(draws))},
        repeats=tuple(repeats(draws)),
        most=tuple(most),
        persons=persons,
        operators={role: operators(draws, role) for role in (CREW, ANNOUNCER, MANAGER)},
        presented=presented(draws),
    )


def all_of(report: Report, further: Sequence[Judged] = ()) -> Overall:
    """The report's comparisons together, with further ones (the envelopes')."""
    return overall([*report.judged(), *further])
