"""What two people decide of a claim that nobody could be presented at in time (A22, A23; X-13)."""

from __future__ import annotations

from typing import Any

import pytest
from casino import Casino
from claim_steps import MOVES, ON_SQLITE, TWO, Casinos, as_kept, bring, move, pass_deadline, rows_agree, selected_alone
from people_words import LERATO, PIETER, SIGNED_HEADER, iso, jhb

from draw_engine.claim_moves import stage_of
from draw_engine.errors import Refused
from draw_engine.service import expiry, reviews

REASONS = ["SS_TIMER_INTERRUPTED", "SS_STAGE_UNHEARD"]


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    """Lerato was selected, Pieter sat down after it: whoever is selected again is him."""
    made = selected_alone(casinos)
    made.rated(PIETER, seat="5")
    made.send()
    return made


def decide(casino: Casino, decision: str, ordinal: int = 0, **changed: str) -> str:
    said: dict[str, Any] = {**TWO, "now": casino.clock.now(), **changed}
    return reviews.decide(casino.engine, casino.draw(), ordinal, decision, **said)


def sign_before(casino: Casino) -> None:
    casino.load_lists(register=f"{SIGNED_HEADER}{LERATO},{iso(jhb('13:20'))},0820000001\n")


def last_turn(casino: Casino) -> tuple[str, object]:
    entry = casino.said("selection.made", "selection.postponed", "selection.lapsed")[-1]
    return entry.kind, entry.data["after"]


@pytest.mark.parametrize("reason", REASONS)
def test_when_nobody_could_press_at_the_deadline_the_claim_waits_for_two_people(casino: Casino, reason: str) -> None:
    sign_before(casino)
    asked: list[tuple[str, int, int]] = []
    bring(casino, "announced")

    def nobody_could(draw: str, ordinal: int, deadline: int) -> str:
        asked.append((draw, ordinal, deadline))
        return reason

    casino.engine.interrupted = nobody_could
    pass_deadline(casino)
    claim = casino.draw().state.claims[0]
    assert (stage_of(claim), claim.review) == ("review", reason)
    assert set(asked) == {(casino.draw().state.id, 0, claim.deadline_at)}
    (entry,) = casino.said("claim.review")
    assert (entry.data, entry.actor) == ({"claim": "c0", "ordinal": 0, "reason": reason}, "engine")
    casino.go(casino.clock.now() + 30_000)
    assert stage_of(claim) == "review"
    assert expiry.next_expiry(casino.engine) is None
    casino.restart()
    assert casino.draw().state.claims[0].review == reason
    rows_agree(casino)
    assert not casino.said("claim.expired", "claim.held")
    decide(casino, "absent")


# -- the decision ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decision", "registered", "stage"),
    [
        ("present", False, "presented"),
        ("present", True, "presented"),
        ("absent", False, "expired"),
        ("absent", True, "held"),
        ("again", False, "not_there"),
        ("again", True, "not_there"),
    ],
)
def test_each_decision_leads_where_the_rules_say_and_is_logged_with_both_people(
    casino: Casino, decision: str, *, registered: bool, stage: str
) -> None:
    if registered:
        sign_before(casino)
    bring(casino, "review")
    casino.go(casino.clock.now() + 10_000)
    now = casino.clock.now()
    assert decide(casino, decision) == stage
    assert stage_of(casino.draw().state.claims[0]) == stage
    why, reviewed = casino.said("claim.review_reason", "claim.reviewed")
    assert why.data["reason"] == TWO["reason"]
    assert (reviewed.data["decision"], reviewed.data["by"]) == (decision, ["manager:nomvula", "manager:themba"])
    assert (reviewed.actor, reviewed.at) == ("manager:nomvula", now)
    rows_agree(casino)
    held = [(row.ordinal, row.state) for row in casino.engine.store.held_prizes()]
    assert held == ([(0, "to_draw")] if stage == "held" else [])
    casino.tick()
    if stage == "expired":
        made = [entry for entry in casino.said("selection.made") if entry.data["after"] == 0]
        assert [(entry.at, casino.draw().rows[entry.data["ordinal"]].person) for entry in made] == [(now, PIETER)]
    casino.restart()
    assert stage_of(casino.draw().state.claims[0]) == stage
    if stage == "not_there":
        casino.announce(ordinal=0)
    if stage in {"presented", "not_there"}:
        casino.pay(ordinal=0)
    casino.tick()
    casino.finish("14:11")


MAY_FOLLOW = {
    "present": {"check", "rule_out", "void", "hand_over", "release"},
    "again": {"announce", "void", "hand_over", "release"},
}


@ON_SQLITE
@pytest.mark.parametrize("decision", MAY_FOLLOW)
def test_nothing_else_may_follow_a_decision(casino: Casino, decision: str) -> None:
    """Draw record: present: confirmed, refused, ineligible or voided; again: an announcement; a void after any."""
    bring(casino, "review")
    decide(casino, decision)
    casino.tray()
    before = as_kept(casino)
    for name in MOVES:
        if name in MAY_FOLLOW[decision]:
            continue
        expected = "X_ALREADY_TAKEN" if name == "take" else "X_CLAIM_STATE"
        with pytest.raises(Refused, match=expected):
            move(casino, name)
        assert as_kept(casino) == before, name
    for name in sorted(MAY_FOLLOW[decision] - {"hand_over", "release", "void"}):
        if name != "rule_out":
            move(casino, name)
    move(casino, "void")
    casino.finish("14:11")


def test_attested_present_a_mismatch_cannot_be_said_at_any_step_before_the_money(casino: Casino) -> None:
    bring(casino, "review")
    decide(casino, "present")
    for name in ("check", "envelope", "pay"):
        with pytest.raises(Refused, match="X_CLAIM_STATE") as refusal:
            move(casino, "mismatch")
        assert "void" in refusal.value.sentence
        move(casino, name)
    assert casino.draw().state.claims[0].outcome == "confirmed"
    casino.tick()
    casino.finish("14:11")


def test_announced_again_the_window_is_a_new_one_and_the_old_deadline_means_nothing(casino: Casino) -> None:
    bring(casino, "review")
    first = casino.draw().state.claims[0].deadline_at
    casino.go(casino.clock.now() + 20_000)
    decide(casino, "again")
    with pytest.raises(Refused, match="X_CLAIM_STATE"):
        casino.present(ordinal=0)
    at = casino.clock.now()
    assert casino.announce(ordinal=0) == at + 90_000 != first
    casino.go(at + 90_000)
    casino.present(ordinal=0)
    assert casino.draw().state.claims[0].presented_at == at + 90_000
    rows_agree(casino)
    casino.pay(ordinal=0)
    casino.tick()
    casino.finish("14:11")


def test_interrupted_again_and_again_it_waits_each_time(casino: Casino) -> None:
    bring(casino, "review")
    for _ in range(2):
        decide(casino, "again")
        move(casino, "announce")
        move(casino, "interrupt")
        assert stage_of(casino.draw().state.claims[0]) == "review"
    assert decide(casino, "absent") == "expired"
    assert len(casino.said("claim.announced")) == len(casino.said("claim.review")) == 3
    assert [entry.data["decision"] for entry in casino.said("claim.reviewed")] == ["again", "again", "absent"]
    casino.tick()
    casino.finish("14:11")


# -- who decides -----------------------------------------------------------------------------------------------

NOT_TWO = [
    ({"second": "nomvula"}, "X_SAME_PERSON"),
    ({"second": ""}, "X_SECOND_PERSON_REQUIRED"),
    ({"by": ""}, "X_SECOND_PERSON_REQUIRED"),
    ({"second": "nobody"}, "X_NO_PERMISSION"),
    ({"by": "kabelo"}, "X_NO_PERMISSION"),
    ({"reason": "  "}, "X_REASON_REQUIRED"),
    ({"reason": "x" * 501}, "X_REASON_REQUIRED"),
    ({"reason": "a\u200bb"}, "X_REASON_REQUIRED"),
    ({"decision": "perhaps"}, "X_VALUE_WRONG"),
]


@ON_SQLITE
@pytest.mark.parametrize(("changed", "code"), NOT_TWO)
def test_a_decision_needs_two_people_of_whom_one_is_a_manager_and_a_reason(
    casino: Casino, changed: dict[str, str], code: str
) -> None:
    bring(casino, "review")
    before = as_kept(casino)
    said = dict(changed)
    with pytest.raises(Refused, match=code):
        decide(casino, said.pop("decision", "absent"), **said)
    casino.engine.ready()
    assert as_kept(casino) == before
    assert decide(casino, "absent", by="nomvula", second="kabelo") == "expired"


@ON_SQLITE
def test_nobody_is_called_absent_while_the_window_is_open(casino: Casino) -> None:
    """The record asks for an ending later than the deadline."""
    bring(casino, "announced")
    expiry.interrupt(casino.engine, casino.draw(), 0, expiry.INTERRUPTED, now=casino.clock.now())
    deadline = casino.draw().state.claims[0].deadline_at
    assert deadline is not None
    casino.go(deadline)
    with pytest.raises(Refused, match="X_CLAIM_STATE"):
        decide(casino, "absent")
    casino.go(deadline + 1)
    assert decide(casino, "absent") == "expired"
    casino.tick()
    casino.finish("14:11")
