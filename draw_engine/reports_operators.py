"""What became of the claims each person at work had a hand in, against the house's rate; how quickly guests came.

A member of staff had n of all N cases, and K of all N went a certain way: had it nothing to do with who was at work,
theirs would be hypergeometric (`reports_chance`). The house's rate has their own cases in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from draw_engine.reports_chance import Judged, hypergeometric, judge
from draw_engine.reports_facts import Decision, DrawFacts, SelectionFact

CREW, ANNOUNCER, MANAGER = "crew", "announcer", "manager"

Case = TypeVar("Case")
_Of = Callable[[SelectionFact], bool]


def is_late(claim: SelectionFact) -> bool:
    """Came, but after the deadline: the press was refused, or stands in the log with its time."""
    if claim.presented_at is None or claim.deadline_at is None:
        return claim.came_late
    return claim.presented_at > claim.deadline_at


CREW_MEASURES: Mapping[str, _Of] = {
    "won": lambda claim: claim.won,
    "again": lambda claim: claim.again,
    "not_there": lambda claim: claim.arrival == "not_there",
    "no_show": lambda claim: claim.no_show,
    "wrong_card": lambda claim: claim.outcome == "not_rightful_card",
    "voided": lambda claim: claim.outcome == "voided",
}
"""What is counted of the claims a member of the crew had last."""
ANNOUNCER_MEASURES: Mapping[str, _Of] = {
    "won": lambda claim: claim.won,
    "again": lambda claim: claim.again,
    "no_show": lambda claim: claim.no_show,
    "late": is_late,
    "voided": lambda claim: claim.outcome == "voided",
}
"""What is counted of the claims somebody announced last."""
MANAGER_MEASURES: Mapping[str, Callable[[Decision], bool]] = {
    "void": lambda decision: decision.what == "void",
    "again": lambda decision: decision.again,
    "absent": lambda decision: decision.what == "absent",
    "present": lambda decision: decision.what == "present",
}
"""What is counted of the decisions somebody was one of the two for."""
MEASURES: Mapping[str, tuple[str, ...]] = {
    CREW: tuple(CREW_MEASURES),
    ANNOUNCER: tuple(ANNOUNCER_MEASURES),
    MANAGER: tuple(MANAGER_MEASURES),
}


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """One person at work (an actor, `crew:kabelo`): how many cases, and each measure against the house's rate."""

    actor: str
    cases: int
    measures: Mapping[str, Judged]


@dataclass(frozen=True, slots=True)
class Operators:
    """A role's rows, by name, and the house's own figures: all cases, and how many of them by measure."""

    cases: int
    house: Mapping[str, int]
    rows: tuple[OperatorRow, ...]


def operators(draws: Sequence[DrawFacts], role: str) -> Operators:
    """The rows of the crew, the announcers or those who decided."""
    claims = [one for draw in draws for one in draw.selections]
    if role == CREW:
        taken = [((one.taken_by,), one) for one in claims if one.taken_by is not None]
        return _held_against(taken, CREW_MEASURES)
    if role == ANNOUNCER:
        announced = [((one.announced_by,), one) for one in claims if one.announced_by is not None]
        return _held_against(announced, ANNOUNCER_MEASURES)
    return _held_against([(one.by, one) for draw in draws for one in draw.decisions], MANAGER_MEASURES)


def _held_against(
    cases: Sequence[tuple[Iterable[str], Case]], measures: Mapping[str, Callable[[Case], bool]]
) -> Operators:
    """Each actor's cases against all cases. A case with two actors is one case of each."""
    house = {name: sum(1 for _, case in cases if test(case)) for name, test in measures.items()}
    theirs: dict[str, list[Case]] = {}
    for actors, case in cases:
        for actor in actors:
            theirs.setdefault(actor, []).append(case)
    rows = [
        OperatorRow(
            actor,
            len(own),
            {
                name: judge(sum(map(test, own)), len(own), hypergeometric(len(own), house[name], len(cases)))
                for name, test in measures.items()
            },
        )
        for actor, own in sorted(theirs.items())
    ]
    return Operators(len(cases), house, tuple(rows))


# -- presented in time --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Presented:
    """How long after the announcement guests presented themselves.

    `steps`: how many within each tenth of the window, the deadline in the last; `late`: after it; `never`: announced
    and not presented. `middle_ms`: half of those in time came within this. `window_ms`: of every claim; None where
    they differ.
    """

    announced: int
    steps: tuple[int, ...]
    late: int
    never: int
    middle_ms: int | None
    window_ms: int | None


def presented(draws: Sequence[DrawFacts]) -> Presented:
    """The distribution over all announced claims; of one announced again, the last announcement counts."""
    steps = [0] * 10
    took: list[int] = []
    windows: set[int] = set()
    late = never = 0
    for draw in draws:
        for claim in draw.selections:
            if claim.announced_at is None or claim.deadline_at is None:
                continue
            windows.add(claim.deadline_at - claim.announced_at)
            if is_late(claim):
                late += 1
            elif claim.presented_at is None:
                never += 1
            else:
                window = claim.deadline_at - claim.announced_at
                ms = claim.presented_at - claim.announced_at
                took.append(ms)
                steps[min(9, ms * 10 // window if window else 0)] += 1
    took.sort()
    middle = took[(len(took) - 1) // 2] if took else None
    return Presented(
        len(took) + late + never, tuple(steps), late, never, middle, next(iter(windows)) if len(windows) == 1 else None
    )
