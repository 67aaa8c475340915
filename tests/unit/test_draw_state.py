"""A draw as its log tells it: every kind of entry, what is due and in which order, and when it is settled."""

from __future__ import annotations

import pytest
from told_draw import END, MOMENTS, RETRY, START, TERMS, Told

from draw_engine.canonical import format_time
from draw_engine.draw_state import Turn


@pytest.fixture
def told() -> Told:
    return Told()


def turns(told: Told, now: int) -> list[tuple[int, int | None, int | None]]:
    return [(turn.place, turn.moment, turn.after) for turn in told.state.turns_due(now)]


def test_a_new_draw_waits_for_its_moments_in_the_order_of_its_places(told: Told) -> None:
    assert [(place.number, place.state) for place in told.state.places.values()] == [
        (7, "waiting"),
        (1, "waiting"),
        (2, "waiting"),
    ]
    assert turns(told, MOMENTS[0] - 1) == []
    assert turns(told, MOMENTS[0]) == [(7, 0, None)]
    assert turns(told, END) == [(7, 0, None), (1, 1, None), (2, 2, None)]
    assert told.state.next_due() == MOMENTS[0]
    assert not told.state.settled()
    assert told.state.last_made_at() is None


def test_a_selection_made_takes_the_turn_and_runs(told: Told) -> None:
    told.select(MOMENTS[0], 7, moment=0)
    assert told.state.places[7].state == "running"
    assert told.state.next_due() == MOMENTS[1]
    assert [claim.id for claim in told.state.running()] == ["c0"]
    assert told.state.last_made_at() == MOMENTS[0]


def test_a_try_put_off_is_due_again_thirty_seconds_after_it_was_logged(told: Told) -> None:
    told.tell(MOMENTS[0] + 700, "selection.postponed", place=7, moment=0, after=None, reason="stale_feed")
    assert told.state.places[7].turn == Turn(7, 0, None, MOMENTS[0] + 700 + RETRY, tries=1, after_outage=False)
    told.tell(MOMENTS[0] + 700 + RETRY, "selection.postponed", place=7, moment=0, after=None, reason="outage")
    assert told.state.places[7].turn == Turn(7, 0, None, MOMENTS[0] + 700 + 2 * RETRY, tries=2, after_outage=True)
    told.tell(MOMENTS[0] + 700 + 2 * RETRY, "selection.postponed", place=7, moment=0, after=None, reason="queue")
    turn = told.state.places[7].turn
    assert turn is not None
    assert (turn.tries, turn.after_outage) == (3, True)


@pytest.mark.parametrize("outcome", ["confirmed", "held", "refused"])
def test_what_fills_a_place(told: Told, outcome: str) -> None:
    ordinal = told.select(MOMENTS[0], 7, moment=0)
    told.end(MOMENTS[0] + 60_000, ordinal, outcome, prize=50_000 if outcome == "confirmed" else None)
    assert told.state.places[7].state == "filled"
    claim = told.state.claims[0]
    assert (claim.outcome, claim.ended_at, claim.runs) == (outcome, MOMENTS[0] + 60_000, False)
    assert claim.prize == (50_000 if outcome == "confirmed" else None)
    assert told.state.failed_ordinals(7) == []


@pytest.mark.parametrize("outcome", ["expired", "not_rightful_card", "ineligible"])
def test_what_fails_waits_for_a_re_selection_that_is_due_at_once(told: Told, outcome: str) -> None:
    ordinal = told.select(MOMENTS[0], 7, moment=0)
    told.end(MOMENTS[0] + 60_000, ordinal, outcome)
    assert told.state.places[7].state == "waiting"
    assert told.state.places[7].turn == Turn(7, None, 0, MOMENTS[0] + 60_000)
    assert told.state.failed_ordinals(7) == [0]
    assert told.state.failed_ordinals(1) == []
    again = told.select(MOMENTS[0] + 60_000, 7, after=0)
    assert told.state.places[7].ordinals == [0, 1]
    told.end(MOMENTS[0] + 70_000, again, outcome)
    assert told.state.failed_ordinals(7) == [0, 1]


@pytest.mark.parametrize(("reselect", "state"), [(True, "waiting"), (False, "given_up")])
def test_a_void_asks_for_another_or_gives_the_place_up(told: Told, reselect: bool, state: str) -> None:  # noqa: FBT001 - the void's own flag
    ordinal = told.select(MOMENTS[0], 7, moment=0)
    told.end(MOMENTS[0] + 1_000, ordinal, "confirmed", prize=50_000)
    told.end(MOMENTS[0] + 2_000, ordinal, "voided", by=["a:b", "c:d"], reason="wrong guest", reselect=reselect)
    assert told.state.places[7].state == state
    assert (told.state.claims[0].outcome, told.state.claims[0].prize) == ("voided", None)
    assert told.state.failed_ordinals(7) == ([0] if reselect else [])


def test_re_selections_go_first_then_the_oldest_moment(told: Told) -> None:
    first = told.select(MOMENTS[0], 7, moment=0)
    second = told.select(MOMENTS[1], 1, moment=1)
    told.end(MOMENTS[2], second, "expired")
    told.end(MOMENTS[2], first, "expired")
    assert turns(told, MOMENTS[2]) == [(7, None, 0), (1, None, 1), (2, 2, None)]


def test_a_claim_s_times_are_as_logged(told: Told) -> None:
    ordinal = told.select(MOMENTS[0], 7, moment=0)
    at = MOMENTS[0]
    named = {"claim": "c0", "ordinal": ordinal}
    told.tell(at + 1, "claim.announced", **named, deadline_at=format_time(at + 90_001))
    told.tell(at + 500, "claim.presented", **named, presented_at=format_time(at + 400))
    told.tell(at + 900, "claim.presented", **named, presented_at=format_time(at + 800))
    claim = told.state.claims[0]
    assert (claim.opened_at, claim.found_at, claim.announced_at) == (at, None, at + 1)
    assert (claim.deadline_at, claim.presented_at) == (at + 90_001, at + 400)
    told.tell(at + 2_000, "claim.announced", **named, deadline_at=format_time(at + 92_000))
    assert (claim.announced_at, claim.deadline_at, claim.presented_at) == (at + 2_000, at + 92_000, None)


def test_who_sees_to_a_claim_and_how_far_it_has_come_is_as_logged(told: Told) -> None:
    ordinal, at = told.select(MOMENTS[0], 7, moment=0), MOMENTS[0]
    claim, named = told.state.claims[ordinal], {"claim": "c0", "ordinal": ordinal}
    told.tell(at + 1, "claim.taken", **named)
    assert (claim.taken_by, claim.taken_at) == ("engine", at + 1)
    told.tell(at + 2, "claim.handed_over", **named, to="crew:zanele")
    assert (claim.taken_by, claim.taken_at) == ("crew:zanele", at + 1)
    told.tell(at + 3, "claim.released", **named)
    assert claim.taken_by is None
    told.tell(at + 4, "claim.arrived", **named, arrival="not_there")
    assert (claim.arrived_at, claim.arrival, claim.found_at) == (at + 4, "not_there", None)
    told.tell(at + 5, "claim.announced", **named, deadline_at=format_time(at + 90_005))
    told.tell(at + 95_000, "claim.review", **named, reason="SS_STAGE_UNHEARD")
    assert (claim.announced_by, claim.review, claim.attested) == ("engine", "SS_STAGE_UNHEARD", None)
    told.tell(at + 99_000, "claim.reviewed", **named, decision="again", by=["manager:a", "manager:b"])
    assert (claim.review, claim.attested) == (None, "again")
    told.tell(at + 100_000, "claim.announced", **named, deadline_at=format_time(at + 190_000))
    assert (claim.announced_at, claim.deadline_at, claim.attested) == (at + 100_000, at + 190_000, None)
    told.tell(at + 120_000, "claim.presented", **named, presented_at=format_time(at + 120_000))
    told.tell(at + 121_000, "claim.checked", **named)
    told.tell(at + 122_000, "envelope.drawn", **named, pocket="E-0007")
    assert (claim.checked_at, claim.pocket, claim.runs) == (at + 121_000, "E-0007", True)


def test_the_basis_is_the_last_pool_frozen_for_a_moment_before_the_end(told: Told) -> None:
    assert told.state.last_pool_before_end is None
    for n in (0, 1):
        told.select(MOMENTS[n], TERMS["places"][n], moment=n)
    told.end(MOMENTS[1] + 1, 1, "expired")
    told.select(MOMENTS[1] + 1, 1, after=1)
    pool = told.state.last_pool_before_end
    assert pool is not None
    assert pool.id == "p1"
    told.select(END, 2, moment=2)
    assert told.state.last_pool_before_end is pool


def test_a_draw_is_settled_when_every_place_is_filled_lapsed_or_given_up(told: Told) -> None:
    for n, (place, outcome) in enumerate(zip(TERMS["places"], ("confirmed", "voided", None), strict=True)):
        assert not told.state.settled()
        if outcome is None:
            told.tell(END, "selection.lapsed", place=place, moment=n, after=None, reason="session_end")
        else:
            ordinal = told.select(MOMENTS[n], place, moment=n)
            assert not told.state.settled()
            told.end(MOMENTS[n] + 1, ordinal, outcome, reselect=False)
    assert told.state.settled()
    assert told.state.places[2].lapse == "session_end"
    assert told.state.next_due() is None
    told.tell(END + 5, "draw.closed", record="0" * 64)
    assert (told.state.closed_at, told.state.closed_seq) == (END + 5, told.seq)


def test_suspended_resumed_excluded_and_given_entropy_are_remembered(told: Told) -> None:
    people = {"by": ["a:b", "c:d"], "reason": "r", "authenticated": False}
    told.tell(START, "session.suspended", **people)
    assert told.state.suspended
    told.tell(START, "session.resumed", **people)
    assert not told.state.suspended
    told.tell(START, "feed.excluded", feed="slots-1", **people)
    told.tell(START, "feed.excluded", feed="slots-2", **people)
    assert told.state.excluded_feeds == {"slots-1", "slots-2"}
    told.tell(START, "entropy.given", source="dice", text="0" * 20)
    assert told.state.public == [(START, "dice", "0" * 20)]


@pytest.mark.parametrize(
    "kind", ["claim.card_misused", "claim.review_reason", "draw.certified", "note", "apply", "turn.of", "end"]
)
def test_other_kinds_change_nothing(told: Told, kind: str) -> None:
    before = repr(vars(told.state))
    told.tell(START, kind, anything=1)
    assert repr(vars(told.state)) == before
