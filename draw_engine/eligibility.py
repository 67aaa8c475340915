"""Who is in the pool at t, who is not, and why (design "Who is in the RAPS pool at t"; rules 1 to 8).

A session goes through the tests in their order; a person counts with the session that gets furthest. Everything is
passed in as values; the order of sessions, feeds and rows makes no difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from draw_engine.clock import Millis
from draw_engine.feed_states import FeedState
from draw_engine.feeds import View
from draw_engine.lists import ListsAt, ListsInForce
from draw_engine.play_tests import PASSED, Outcome, outcome_of
from draw_engine.rule_book import Criterion
from draw_engine.screening import FAILED_THIS_AWARD, WIN_LIMIT, ZONE_NOT_QUALIFYING, Asked, Screen
from draw_engine.sessions import TABLE, PlaySession
from draw_engine.verdicts import bytes_of, line_of, outcome_cells, play_cells

NOT_PROMO_DAY = outcome_of(0, "SS_NOT_PROMO_DAY")
OUTSIDE_SESSION = outcome_of(1, "SS_OUTSIDE_SESSION")
OTHER_CARD_COUNTED = "SS_OTHER_CARD_COUNTED"
_OTHER_CARD = outcome_cells(OTHER_CARD_COUNTED)


class Entrant(NamedTuple):
    """A person (`person` = m) in the pool: the member number and card played, where (a table with its seat).

    `session` is what was judged; None in a re-selection after the end, where nobody's play is asked for.
    """

    person: str
    member: str
    card: str | None
    position: str
    session: PlaySession | None


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judging: entrants ascending by person; `left_out`: persons by reason code (`SS_OTHER_CARD_COUNTED`: cards).

    `verdicts`: as `draw_engine.verdicts` reads them.
    """

    at: Millis
    entrants: tuple[Entrant, ...]
    left_out: Mapping[str, int]
    verdicts: bytes


class Basis(NamedTuple):
    """A member of the pool a re-selection after the end goes back to, as recorded there."""

    member: str
    card: str | None
    position: str


class _Found:
    """Each person's session that got furthest and its outcome; and the numbers of those who play on several."""

    def __init__(self, t: Millis) -> None:
        self._t = t
        self.outcomes: dict[str, Outcome] = {}
        self.sessions: dict[str, PlaySession] = {}
        self.cards: dict[str, set[str]] = {}

    def another(self, person: str, outcome: Outcome, session: PlaySession) -> None:
        """A further session of a person: of several as far, the latest play; then position and feed, ascending."""
        was = self.sessions[person]
        self.cards.setdefault(person, {was.member}).add(session.member)
        if self._order(outcome, session) < self._order(self.outcomes[person], was):
            self.outcomes[person], self.sessions[person] = outcome, session

    def _order(self, outcome: Outcome, session: PlaySession) -> tuple[int, bool, int, str, str]:
        latest = self._t if session.game == TABLE else session.last_play_at
        return (-outcome.rank, latest is None, -(latest or 0), session.place, session.feed)


@dataclass(frozen=True, slots=True)
class _Moment:
    """What holds for every session of one judging. `closed`: nobody can be in, for this reason."""

    t: Millis
    screen: Screen
    closed: Outcome | None
    failed: AbstractSet[str]
    at_limit: AbstractSet[str]


def judge(
    view: View,
    lists: ListsInForce,
    *,
    t: Millis,
    promotion_day: bool,
    start: Millis,
    end: Millis,
    tiers: tuple[str, ...],
    zones: tuple[str, ...],
    criteria: tuple[Criterion, ...],
    min_age: int,
    exclude: tuple[str, ...],
    excluded_feeds: AbstractSet[str] = frozenset(),
    failed: AbstractSet[str] = frozenset(),
    at_limit: AbstractSet[str] = frozenset(),
) -> Judgement:
    """Judge every open session of `view` at `t` (the view's own instant).

    `start`, `end`: the session's window, [start, end). `failed`, `at_limit`: persons (m) who failed on this award, or
    have won as often as they may; `excluded_feeds`: feeds a manager and a second person left out.
    """
    if view.at != t:
        raise ValueError("the floor is judged at the instant it was looked at")
    screen = _screen_of(lists.at(t), Asked(tiers, zones, criteria, min_age, exclude))
    moment = _Moment(t, screen, _closed(t, promotion_day=promotion_day, start=start, end=end), failed, at_limit)
    found = _Found(t)
    for feed, sessions in view.sessions.items():
        unknown = _unknown(view.feed(feed), excluded=feed in excluded_feeds)
        _judge_feed(sessions.values(), moment, unknown, found)
    return _judgement(t, found)


def _judge_feed(sessions: Iterable[PlaySession], moment: _Moment, unknown: Outcome | None, found: _Found) -> None:
    t, screen, closed = moment.t, moment.screen, moment.closed
    standings, in_zone, outcomes = screen.standings, screen.in_zone, found.outcomes
    anybody_won = bool(moment.failed or moment.at_limit)
    for session in sessions:
        (m, numbers), stopped, slot, table = standings.get(session.member) or screen.stand(session.member)
        outcome = closed
        if outcome is None:
            outcome = (stopped or unknown) if session.position in in_zone else ZONE_NOT_QUALIFYING
        if outcome is None:
            outcome = (table if session.game == TABLE else slot).outcome(session, t)
            if anybody_won and outcome is PASSED:
                outcome = _won(numbers, moment.failed, moment.at_limit)
        if m in outcomes:
            found.another(m, outcome, session)
        else:
            outcomes[m] = outcome
            found.sessions[m] = session


def _screen_of(at: ListsAt, asked: Asked) -> Screen:
    screen = at.kept.get(asked)
    if not isinstance(screen, Screen):
        screen = at.kept[asked] = Screen(at, asked)
    return screen


def _closed(t: Millis, *, promotion_day: bool, start: Millis, end: Millis) -> Outcome | None:
    if not promotion_day:
        return NOT_PROMO_DAY
    return None if start <= t < end else OUTSIDE_SESSION


def _unknown(state: FeedState, *, excluded: bool) -> Outcome | None:
    if excluded:
        return outcome_of(8, "SS_FEED_STALE", "excluded")
    if not state.unknown:
        return None
    if state.state == "stale":
        oldest = max(state.silent_ms or 0, state.behind_ms or 0)
        return outcome_of(8, "SS_FEED_STALE", "silent", oldest, state.limit_ms)
    return outcome_of(8, "SS_FEED_STALE", state.state)


def _won(numbers: Iterable[str], failed: AbstractSet[str], at_limit: AbstractSet[str]) -> Outcome:
    if not failed.isdisjoint(numbers):
        return FAILED_THIS_AWARD
    return PASSED if at_limit.isdisjoint(numbers) else WIN_LIMIT


def _judgement(t: Millis, found: _Found) -> Judgement:
    entrants: list[Entrant] = []
    codes: list[str] = []
    lines: list[str] = []
    for person in sorted(found.outcomes):
        outcome, session = found.outcomes[person], found.sessions[person]
        feed, position, seat, _, member, card, opened_at, last, games, coin_in, average_bet, _, touched_at = session
        place = position if seat is None else session.place
        line = line_of(person, outcome.cells, member, card, place, feed)
        if outcome is not PASSED:
            codes.append(outcome.code)
            lines.append(line)
            continue
        idle = None if last is None else t - last
        lines.append(line + play_cells((idle, t - opened_at, t - touched_at, games, coin_in, average_bet)))
        entrants.append(Entrant(person, member, card, place, session))
        if person in found.cards:
            others = sorted(found.cards[person] - {member})
            codes += [OTHER_CARD_COUNTED] * len(others)
            lines += [line_of(person, _OTHER_CARD, other, None, place, feed) for other in others]
    return Judgement(t, tuple(entrants), dict(sorted(Counter(codes).items())), bytes_of(t, lines))


def judge_after_end(
    basis: Mapping[str, Basis],
    lists: ListsInForce,
    *,
    t: Millis,
    exclude: tuple[str, ...],
    failed: AbstractSet[str] = frozenset(),
    at_limit: AbstractSet[str] = frozenset(),
) -> Judgement:
    """Judge a re-selection at or after the end: the last pool's members by person, less those who may not win now.

    Less persons with an exclusion in force at `t`, who failed on this award, or are over a win limit.
    """
    at = lists.at(t)
    screen = Screen(at, Asked((), (), (), 0, exclude))
    entrants: list[Entrant] = []
    codes: list[str] = []
    lines: list[str] = []
    for m in sorted(basis):
        member, card, position = basis[m]
        numbers = {m, member, *at.person_of(m).numbers, *at.person_of(member).numbers}
        outcome = screen.exclusion(numbers) or _won(numbers, failed, at_limit)
        lines.append(line_of(m, outcome.cells, member, card, position, ""))
        if outcome is PASSED:
            entrants.append(Entrant(m, member, card, position, None))
        else:
            codes.append(outcome.code)
    return Judgement(t, tuple(entrants), dict(sorted(Counter(codes).items())), bytes_of(t, lines))
