"""A claim's stages and moves: every stage against every move (requirements 2.2, machine A, rows A2 to A23)."""

from __future__ import annotations

from typing import Any

import pytest
from told_draw import MOMENTS, Told

from draw_engine import claim_moves
from draw_engine.canonical import format_time
from draw_engine.draw_state import Claim
from draw_engine.errors import Refused

AT = MOMENTS[0]
TAKEN = ("claim.taken", {})
FOUND = (TAKEN, ("claim.arrived", {"arrival": "found"}), ("claim.found", {}))
NOT_THERE = (TAKEN, ("claim.arrived", {"arrival": "not_there"}))
ANNOUNCED = (*NOT_THERE, ("claim.announced", {"deadline_at": format_time(AT + 90_000)}))
PRESENTED = (*ANNOUNCED, ("claim.presented", {"presented_at": format_time(AT + 60_000)}))
REVIEW = (*ANNOUNCED, ("claim.review", {"reason": "SS_TIMER_INTERRUPTED"}))
CHECKED = (*FOUND, ("claim.checked", {}))
ENVELOPE = (*CHECKED, ("envelope.drawn", {"pocket": "E-0001"}))
PAID = (*ENVELOPE, ("claim.confirmed", {"prize": 75_000}))


def reviewed(decision: str) -> tuple[str, dict[str, Any]]:
    return ("claim.reviewed", {"decision": decision, "by": ["manager:a", "manager:b"]})


VOID = ("claim.voided", {"prize": None, "reselect": False, "by": ["manager:a", "manager:b"], "reason": "a drill"})

LOGGED: list[tuple[str, str, tuple[tuple[str, dict[str, Any]], ...]]] = [
    ("selected", "selected", ()),
    ("selected", "taken and released", (TAKEN, ("claim.released", {}))),
    ("taken", "taken", (TAKEN,)),
    ("taken", "handed over", (TAKEN, ("claim.handed_over", {"to": "crew:zanele"}))),
    ("not_there", "not there", NOT_THERE),
    ("not_there", "and released", (*NOT_THERE, ("claim.released", {}))),
    ("not_there", "to be announced again", (*REVIEW, reviewed("again"))),
    ("announced", "announced", ANNOUNCED),
    ("announced", "again", (*REVIEW, reviewed("again"), ANNOUNCED[-1])),
    ("announced", "absent attested", (*REVIEW, reviewed("absent"))),
    ("review", "interrupted", REVIEW),
    ("review", "twice", (*REVIEW, reviewed("again"), ANNOUNCED[-1], REVIEW[-1])),
    ("found", "found", FOUND),
    ("presented", "presented", PRESENTED),
    ("presented", "attested", (*REVIEW, reviewed("present"))),
    ("checked", "found and checked", CHECKED),
    ("checked", "presented and checked", (*PRESENTED, ("claim.checked", {}))),
    ("checked", "attested and checked", (*REVIEW, reviewed("present"), ("claim.checked", {}))),
    ("envelope", "envelope", ENVELOPE),
    ("confirmed", "paid", PAID),
    ("refused", "refused", (*ENVELOPE, ("claim.refused", {"prize": None}))),
    ("held", "held", (*ANNOUNCED, ("claim.held", {"prize": None}))),
    ("expired", "expired", (*ANNOUNCED, ("claim.expired", {"prize": None}))),
    ("not_rightful_card", "wrong card", (TAKEN, ("claim.not_rightful_card", {"prize": None}))),
    ("ineligible", "ineligible", (TAKEN, ("claim.ineligible", {"prize": None}))),
    ("voided", "voided while it ran", (*ANNOUNCED, VOID)),
    ("voided", "voided when paid", (*PAID, VOID)),
]
"""(stage, what happened, its entries)."""

WITH_THE_GUEST = ("found", "presented", "checked", "envelope")
BEFORE_A_REVIEW = ("selected", "taken", "not_there", "announced", *WITH_THE_GUEST)

LEADS_TO = {
    # A2; SS-030: the walk ends in one of three answers, which exclude each other (A4, A5, A6).
    ("selected", "take"): "taken",
    ("taken", "release"): "selected",
    ("taken", "found"): "found",
    ("taken", "other_person"): "not_rightful_card",
    ("taken", "not_there"): "not_there",
    # A7, SS-031: no announcement without the arrival. A8, A9 with A14 and A15.
    ("not_there", "announce"): "announced",
    ("announced", "present"): "presented",
    ("announced", "expire"): "expired",
    ("announced", "hold"): "held",
    # A22, A23.
    ("announced", "interrupt"): "review",
    ("review", "attest_present"): "presented",
    ("review", "attest_absent"): "announced",
    ("review", "announce_again"): "not_there",
    # A10, A12, A13, A21: from the check to the signature, or the guest will not have it.
    ("found", "check"): "checked",
    ("presented", "check"): "checked",
    ("checked", "envelope"): "envelope",
    ("envelope", "pay"): "confirmed",
    ("checked", "refuse"): "refused",
    ("envelope", "refuse"): "refused",
    # A11: until the prize is paid a mismatch, and an exclusion that became known, end it (SS-007, SS-035).
    **{(stage, "mismatch"): "not_rightful_card" for stage in WITH_THE_GUEST},
    **{(stage, "rule_out"): "ineligible" for stage in BEFORE_A_REVIEW},
    # A20: two people may void what runs or filled its award; an open review is decided first (draw record).
    **{(stage, "void"): "voided" for stage in (*BEFORE_A_REVIEW, "confirmed", "held", "refused")},
    # Whoever sees to a claim may change at any running stage: a tablet's battery may be empty at any of them.
    **{
        (stage, move): stage
        for stage in ("taken", "not_there", "announced", "review", *WITH_THE_GUEST)
        for move in ("take", "hand_over", "release")
        if (stage, move) != ("taken", "release")
    },
}
STAGES = list(dict.fromkeys(stage for stage, _, _ in LOGGED))
MOVES = sorted({move for _, move in LEADS_TO})


def claim_after(entries: tuple[tuple[str, dict[str, Any]], ...]) -> Claim:
    told = Told()
    ordinal = told.select(AT, 7, moment=0)
    for n, (kind, data) in enumerate(entries, 1):
        told.tell(AT + n, kind, claim="c0", ordinal=ordinal, **data)
    return told.state.claims[ordinal]


def claim_at(stage: str) -> Claim:
    return claim_after(next(entries for found, _, entries in LOGGED if found == stage))


@pytest.mark.parametrize(("stage", "_what", "entries"), LOGGED, ids=[what for _, what, _ in LOGGED])
def test_where_a_claim_stands_follows_from_what_was_logged(
    stage: str, _what: str, entries: tuple[tuple[str, dict[str, Any]], ...]
) -> None:
    assert claim_moves.stage_of(claim_after(entries)) == stage


@pytest.mark.parametrize("stage", STAGES)
def test_every_move_from_this_stage_leads_where_the_rules_say_or_is_refused(stage: str) -> None:
    claim = claim_at(stage)
    for move in MOVES:
        expected = LEADS_TO.get((stage, move))
        if expected is not None:
            assert claim_moves.stage_after(claim, move) == expected, move
            continue
        with pytest.raises(Refused) as refusal:
            claim_moves.stage_after(claim, move)
        assert (refusal.value.code, "c0" in refusal.value.sentence) == ("X_CLAIM_STATE", True), move
    with pytest.raises(Refused, match="X_CLAIM_STATE"):
        claim_moves.stage_after(claim, "teleport")


def test_the_stages_are_these_and_none_leads_out_of_an_ending_but_a_void() -> None:
    assert set(STAGES) == {*claim_moves.RUNNING, *claim_moves.ENDED}
    assert [claim_at(stage).runs for stage in STAGES] == [stage in claim_moves.RUNNING for stage in STAGES]
    assert {(stage, move) for stage, move in claim_moves.TRANSITIONS if stage in claim_moves.ENDED} == {
        (stage, "void") for stage in ("confirmed", "held", "refused")
    }


def test_every_ending_can_be_reached_and_every_running_stage_can_be_left() -> None:
    reached, todo = {"selected"}, ["selected"]
    while todo:
        stage = todo.pop()
        for (start, _), after in claim_moves.TRANSITIONS.items():
            if start == stage and after not in reached:
                reached.add(after)
                todo.append(after)
    assert reached == set(STAGES)
    for stage in claim_moves.RUNNING:
        assert any(start == stage and after != stage for (start, _), after in claim_moves.TRANSITIONS.items())


def test_the_diagram_shows_every_move_of_the_table() -> None:
    lines = claim_moves.diagram().splitlines()
    assert lines[:2] == ["stateDiagram-v2", "    [*] --> selected"]
    for (stage, move), after in LEADS_TO.items():
        if stage != after:
            assert f"    {stage} --> {after}: {move}" in lines
    assert {f"    {stage} --> [*]" for stage in claim_moves.ENDED} <= set(lines)


def test_a_refusal_says_where_the_claim_stands_and_what_cannot_be_done() -> None:
    for stage, move, said in (
        ("selected", "announce", "has been selected and nobody has taken it; it cannot be announced"),
        ("expired", "check", "has ended: expired; it cannot be checked"),
        ("review", "void", "waits for two people to decide; it cannot be voided"),
        ("selected", "hand_over", "nobody has taken it; it cannot be handed over"),
    ):
        with pytest.raises(Refused, match=said):
            claim_moves.stage_after(claim_at(stage), move)
