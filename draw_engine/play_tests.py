"""Active at t, and the rule book's figures, for one tier and one kind of game (rules 5, 7 and 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from draw_engine.clock import Millis
from draw_engine.rule_book import Criterion
from draw_engine.sessions import SLOT, TABLE, PlaySession
from draw_engine.verdicts import IN, outcome_cells


class Outcome(NamedTuple):
    """What became of a session: how far it got (`rank`), the code, and the cells of its verdict (`outcome_of`)."""

    rank: int
    code: str
    cells: str


def outcome_of(rank: int, code: str, measure: str = "", figure: int | None = None, limit: int | None = None) -> Outcome:
    """An outcome; what failed, by how much, against what, as in `verdicts.Verdict`."""
    return Outcome(rank, code, outcome_cells(code, measure, figure, limit))


PASSED = outcome_of(13, IN)
_NOT_ACTIVE = 9
_CRITERIA_NOT_MET = 10

NEVER_PLAYED = outcome_of(_NOT_ACTIVE, "SS_NOT_ACTIVE", "idle_seconds")
PAUSED = outcome_of(_NOT_ACTIVE, "SS_NOT_ACTIVE", "paused")

_UNIT_MS = {"idle_seconds": 1_000, "minutes": 60_000, "minutes_since_touch": 60_000}
"""How many ms a measure's unit has; the other measures are counts and cents as they are."""

_ACTIVITY = {SLOT: "idle_seconds", TABLE: "minutes_since_touch"}
"""The measure whose `max` says who is active, by game."""

_FIGURES: dict[str, Callable[[PlaySession, Millis], int | None]] = {
    "idle_seconds": lambda session, t: None if session.last_play_at is None else t - session.last_play_at,
    "minutes": lambda session, t: t - session.opened_at,
    "minutes_since_touch": lambda session, t: t - session.touched_at,
    "games": lambda session, _: session.games,
    "coin_in": lambda session, _: session.coin_in,
    "average_bet": lambda session, _: session.average_bet,
}


class _Bound(NamedTuple):
    measure: str
    figure: Callable[[PlaySession, Millis], int | None]
    least: int | None
    most: int | None


class Tests:
    """What a session of `game` on a card of `tier` must pass. `max` is inclusive, `min` is >=."""

    def __init__(self, game: str, tier: str, criteria: Iterable[Criterion]) -> None:
        self._table = game == TABLE
        self._activity = _ACTIVITY[game]
        self._active_within: Millis | None = None
        self._bounds: list[_Bound] = []
        for criterion in criteria:
            if criterion.game == game and (not criterion.tiers or tier in criterion.tiers):
                self._add(criterion)

    def _add(self, criterion: Criterion) -> None:
        unit = _UNIT_MS.get(criterion.measure, 1)
        least = None if criterion.min is None else criterion.min * unit
        most = None if criterion.max is None else criterion.max * unit
        if criterion.measure == self._activity and most is not None:
            within = self._active_within
            self._active_within = most if within is None else min(within, most)
            most = None
        if least is not None or most is not None:
            self._bounds.append(_Bound(criterion.measure, _FIGURES[criterion.measure], least, most))

    def outcome(self, session: PlaySession, t: Millis) -> Outcome:
        """`PASSED`, or the first test that failed, with its figure."""
        if self._table:
            if session.paused:
                return PAUSED
            age = t - session.touched_at
        elif session.last_play_at is None:
            return NEVER_PLAYED
        else:
            age = t - session.last_play_at
        if self._active_within is not None and age > self._active_within:
            return outcome_of(_NOT_ACTIVE, "SS_NOT_ACTIVE", self._activity, age, self._active_within)
        for measure, figure_of, least, most in self._bounds:
            figure = figure_of(session, t)
            if least is not None and (figure is None or figure < least):
                return outcome_of(_CRITERIA_NOT_MET, "SS_CRITERIA_NOT_MET", measure, figure, least)
            if most is not None and (figure is None or figure > most):
                return outcome_of(_CRITERIA_NOT_MET, "SS_CRITERIA_NOT_MET", measure, figure, most)
        return PASSED
