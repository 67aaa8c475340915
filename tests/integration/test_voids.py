"""Two people void a claim that runs or filled its award; the award is selected again, or given up (A20, X-06)."""

from __future__ import annotations

from typing import Any

import pytest
from casino import Casino
from claim_steps import ON_SQLITE, TWO, Casinos, as_kept, bring, bring_to, rows_agree, selected_alone
from people_words import LERATO, PIETER

from draw_engine.claim_moves import stage_of
from draw_engine.errors import Refused
from draw_engine.records import AUDITOR, PUBLIC
from draw_engine.service import prizes, reviews
from draw_engine.service.publishing import published_copy

RUNNING = ("selected", "taken", "not_there", "announced", "found", "presented", "checked", "envelope")
FILLED = ("confirmed", "held", "refused")
ENVELOPE_AFTER = {"envelope": "to_return", "confirmed": "given", "refused": "to_return"}
"""What becomes of the envelope that was drawn for the claim: money that was given stays given."""


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    made = selected_alone(casinos)
    made.rated(PIETER, seat="5")
    made.send()
    return made


def void(casino: Casino, ordinal: int = 0, *, reselect: bool = False, **changed: Any) -> None:
    said = {**TWO, "now": casino.clock.now(), "reselect": reselect, **changed}
    reviews.void(casino.engine, casino.draw(), ordinal, **said)


@ON_SQLITE
@pytest.mark.parametrize("reselect", [False, True])
@pytest.mark.parametrize("stage", [*RUNNING, *FILLED])
def test_a_claim_is_voided_at_any_stage_and_its_award_given_up_or_selected_again(
    casino: Casino, stage: str, *, reselect: bool
) -> None:
    bring(casino, stage)
    casino.go(casino.clock.now() + 5_000)
    now = casino.clock.now()
    pocket = casino.draw().state.claims[0].pocket
    void(casino, reselect=reselect)
    claim = casino.draw().state.claims[0]
    assert (stage_of(claim), claim.ended_at, claim.prize, claim.reselect) == ("voided", now, None, reselect)
    (entry,) = casino.said("claim.voided")
    assert entry.actor == "manager:nomvula"
    assert entry.data == {
        "claim": "c0",
        "ordinal": 0,
        "by": ["manager:nomvula", "manager:themba"],
        "reason": TWO["reason"],
        "reselect": reselect,
        "prize": None,
    }
    if stage in FILLED:  # the first result stays in the log
        assert [one.data["ordinal"] for one in casino.said(f"claim.{stage}")] == [0]
    if pocket is not None:
        row = casino.engine.store.envelope(pocket)
        assert row is not None
        assert row.state == ENVELOPE_AFTER[stage]
    assert [row.state for row in casino.engine.store.held_prizes()] == (["void"] if stage == "held" else [])
    rows_agree(casino)
    casino.tick()
    again = [one for one in casino.said("selection.made") if one.data["after"] == 0]
    if reselect:
        assert [(one.at, casino.draw().rows[one.data["ordinal"]].person) for one in again] == [(now, PIETER)]
    else:
        assert (again, casino.draw().state.places[1].state) == ([], "given_up")
    casino.restart()
    assert stage_of(casino.draw().state.claims[0]) == "voided"
    casino.finish("14:11")


@pytest.mark.parametrize("stage", ["review", "expired", "not_rightful_card", "ineligible", "voided"])
def test_what_is_reviewed_or_has_failed_cannot_be_voided(casino: Casino, stage: str) -> None:
    bring(casino, stage)
    before = as_kept(casino)
    for reselect in (False, True):
        with pytest.raises(Refused, match="X_CLAIM_STATE"):
            void(casino, reselect=reselect)
    assert as_kept(casino) == before


NOT_TWO = [
    ({"second": "nomvula"}, "X_SAME_PERSON"),
    ({"second": ""}, "X_SECOND_PERSON_REQUIRED"),
    ({"by": "kabelo", "second": "ayanda"}, "X_NO_PERMISSION"),
    ({"second": "nobody"}, "X_NO_PERMISSION"),
    ({"reason": ""}, "X_REASON_REQUIRED"),
]


@ON_SQLITE
@pytest.mark.parametrize(("changed", "code"), NOT_TWO)
def test_a_void_needs_two_people_and_a_reason(casino: Casino, changed: dict[str, str], code: str) -> None:
    bring(casino, "confirmed")
    before = as_kept(casino)
    with pytest.raises(Refused, match=code):
        void(casino, **changed)
    assert as_kept(casino) == before


def test_the_void_of_a_prize_that_was_drawn_on_behalf_sends_its_envelope_back(casino: Casino) -> None:
    bring(casino, "held")
    casino.tray()
    said = {"pocket": "E-0001", "by": "sibusiso", "second": "kabelo", "now": casino.clock.now()}
    prizes.draw_on_behalf(casino.engine, casino.draw(), 0, **said)
    void(casino, reselect=True)
    row = casino.engine.store.envelope("E-0001")
    assert row is not None
    assert (row.state, [one.state for one in casino.engine.store.held_prizes()]) == ("to_return", ["void"])
    casino.tick()
    casino.finish("14:11")


def test_a_guest_voided_with_a_new_selection_may_not_be_selected_for_that_award_again(casinos: Casinos) -> None:
    """Lerato is alone: her own award finds nobody, the next ones find her."""
    casino = selected_alone(casinos)
    bring_to(casino, "confirmed")
    void(casino, reselect=True)
    casino.tick()
    assert casino.said("selection.postponed")[-1].data["after"] == 0
    casino.finish("14:11")
    awards = {made.place: casino.draw().rows[made.ordinal].person for made in casino.draw().state.selections[1:]}
    assert awards == {2: LERATO, 3: LERATO}


# -- after the close -------------------------------------------------------------------------------------------


def test_after_the_close_a_void_is_logged_and_the_record_stays_what_it_is(casino: Casino) -> None:
    casino.finish("14:11")
    draw = casino.draw()
    assert draw.state.closed_at is not None
    copies = {copy: published_copy(casino.engine, draw, copy) for copy in (PUBLIC, AUDITOR)}
    before = repr(draw.state.claims)
    with pytest.raises(Refused, match="SS_OUTSIDE_SESSION"):
        void(casino, 1, reselect=True)
    void(casino, 1)
    (entry,) = casino.said("award.voided")
    assert (entry.draw, entry.actor) == (draw.state.id, "manager:nomvula")
    assert entry.data == {
        "claim": "c1",
        "ordinal": 1,
        "by": ["manager:nomvula", "manager:themba"],
        "reason": TWO["reason"],
    }
    with pytest.raises(Refused, match="X_ALREADY_DONE"):
        void(casino, 1)
    void(casino, 2)
    casino.restart()
    draw = casino.draw()
    assert repr(draw.state.claims) == before
    assert {copy: published_copy(casino.engine, draw, copy) for copy in (PUBLIC, AUDITOR)} == copies
    rows_agree(casino)


def test_after_the_close_the_void_of_a_held_prize_ends_its_claim(casino: Casino) -> None:
    bring(casino, "held")
    casino.tick()
    casino.finish("14:11")
    assert casino.draw().state.closed_at is not None
    void(casino)
    assert [row.state for row in casino.engine.store.held_prizes()] == ["void"]
    casino.tray()
    said = {"pocket": "E-0001", "by": "sibusiso", "second": "kabelo", "now": casino.clock.now()}
    with pytest.raises(Refused, match="X_CLAIM_STATE"):
        prizes.draw_on_behalf(casino.engine, casino.draw(), 0, **said)
