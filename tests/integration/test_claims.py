"""Claims through the service: every stage against every move, and what each ending does.

The stages and moves are those of requirements 2.2, machine A (rows A2 to A23).
"""

from __future__ import annotations

import pytest
from casino import Casino
from claim_steps import CREW, MOVES, ON_SQLITE, Casinos, as_kept, bring, move, rows_agree, selected_alone
from people_words import LERATO, SIGNED_HEADER, iso, jhb
from small_book import FIRST, Session, book_toml

from draw_engine.claim_moves import stage_of
from draw_engine.errors import Refused
from draw_engine.service import claims, expiry, house

WITH_THE_GUEST = ("found", "presented", "checked", "envelope")
RUNNING = ("selected", "taken", "not_there", "announced", "review", *WITH_THE_GUEST)
FILLED = ("confirmed", "held", "refused")
ALLOWED: dict[tuple[str, str], str] = {
    ("selected", "take"): "taken",
    ("taken", "release"): "selected",
    ("taken", "found"): "found",
    ("taken", "other_person"): "not_rightful_card",
    ("taken", "not_there"): "not_there",
    ("not_there", "announce"): "announced",
    ("announced", "present"): "presented",
    ("announced", "expire"): "expired",
    ("announced", "hold"): "held",
    ("announced", "interrupt"): "review",
    ("review", "attest_present"): "presented",
    ("review", "attest_absent"): "expired",
    ("review", "announce_again"): "not_there",
    ("found", "check"): "checked",
    ("presented", "check"): "checked",
    ("checked", "envelope"): "envelope",
    ("checked", "refuse"): "refused",
    ("envelope", "refuse"): "refused",
    ("envelope", "pay"): "confirmed",
    **{(stage, "mismatch"): "not_rightful_card" for stage in WITH_THE_GUEST},
    **{(stage, "rule_out"): "ineligible" for stage in RUNNING if stage != "review"},
    **{(stage, "void"): "voided" for stage in (*RUNNING, *FILLED) if stage != "review"},
    **{
        (stage, how): stage
        for stage in RUNNING[2:]
        for how in ("release", "hand_over")  # to take it, nobody may have it: further down
    },
    ("taken", "hand_over"): "taken",
}
LOGS = {
    "take": "claim.taken",
    "release": "claim.released",
    "hand_over": "claim.handed_over",
    "not_there": "claim.arrived",
    "announce": "claim.announced",
    "present": "claim.presented",
    "interrupt": "claim.review",
    "attest_present": "claim.reviewed",
    "announce_again": "claim.reviewed",
    "check": "claim.checked",
    "envelope": "envelope.drawn",
}
"""The last entry of a move; of one that ends the claim it is `claim.` and the outcome."""


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    return selected_alone(casinos)


@ON_SQLITE
@pytest.mark.parametrize("stage", [*RUNNING, *FILLED, "expired", "not_rightful_card", "ineligible", "voided"])
def test_what_a_claim_may_not_do_is_refused_and_changes_nothing(casino: Casino, stage: str) -> None:
    bring(casino, stage)
    casino.tray()
    before = as_kept(casino)
    for name in MOVES:
        if (stage, name) in ALLOWED:
            continue
        with pytest.raises(Refused) as refusal:
            move(casino, name)
        expected = "X_CLAIM_STATE"
        if name == "take" and stage in RUNNING:
            expected = "X_ALREADY_TAKEN"
        if name == "present" and stage in {"expired", "held", "review"}:
            expected = "SS_LATE_AFTER_90S"
        assert refusal.value.code == expected, name
        assert "c0" in refusal.value.sentence
        assert as_kept(casino) == before, name
    assert not expiry.expire_due(casino.engine, casino.clock.now())


@ON_SQLITE
@pytest.mark.parametrize(("stage", "name"), sorted(ALLOWED))
def test_what_a_claim_may_do_is_logged_kept_and_holds_when_verified(casino: Casino, stage: str, name: str) -> None:
    bring(casino, stage if name != "hold" else "announced")
    if name == "hold":
        casino.load_lists(register=f"{SIGNED_HEADER}{LERATO},{iso(jhb('13:20'))},0820000001\n")
    move(casino, name)
    after = ALLOWED[stage, name]
    told = [entry for entry in casino.log() if entry.data.get("claim") == "c0"]
    assert told[-1].kind == LOGS.get(name, "claim.found" if name == "found" else f"claim.{after}")
    assert (told[-1].at, told[-1].data["ordinal"]) == (casino.clock.now(), 0)
    live = repr(casino.draw().state.claims[0])
    casino.restart()
    assert repr(casino.draw().state.claims[0]) == live
    assert stage_of(casino.draw().state.claims[0]) == after
    _end(casino)
    casino.tick()
    casino.finish("14:11")
    casino.finish("14:41")


def _end(casino: Casino) -> None:
    """Whatever it waits for, the claim comes to an end."""
    if stage_of(casino.draw().state.claims[0]) == "review":
        move(casino, "attest_absent")
    if stage_of(casino.draw().state.claims[0]) in {"not_there", "announced"}:
        move(casino, "void")


@ON_SQLITE
@pytest.mark.parametrize("stage", RUNNING[1:])
def test_a_claim_that_was_released_is_taken_as_far_as_it_has_come(casino: Casino, stage: str) -> None:
    bring(casino, stage)
    move(casino, "release")
    after = "selected" if stage == "taken" else stage
    assert (stage_of(casino.last_claim()), casino.last_claim().taken_by) == (after, None)
    with pytest.raises(Refused, match="X_CLAIM_STATE"):
        move(casino, "release")
    claims.take(casino.engine, casino.draw(), 0, actor="crew:ayanda", now=casino.clock.now())
    assert (stage_of(casino.last_claim()), casino.last_claim().taken_by) == (stage, "crew:ayanda")
    claims.hand_over(casino.engine, casino.draw(), 0, to=CREW, actor="crew:ayanda", now=casino.clock.now())
    with pytest.raises(Refused, match="X_ALREADY_TAKEN"):
        claims.hand_over(casino.engine, casino.draw(), 0, to=CREW, actor="crew:ayanda", now=casino.clock.now())
    casino.restart()
    assert (stage_of(casino.last_claim()), casino.last_claim().taken_by) == (stage, CREW)


def test_the_tables_say_of_a_claim_what_the_log_says(casino: Casino) -> None:
    """Through every stage of the longest way: announced, interrupted, announced again, presented, paid."""
    way = ("take", "not_there", "announce", "interrupt", "announce_again", "announce", "present")
    for name in (*way, "check", "envelope", "pay"):
        casino.go(casino.clock.now() + 1_000)
        move(casino, name)
        rows_agree(casino)
    casino.tick()
    casino.finish("14:11")
    rows_agree(casino)


@pytest.mark.parametrize(
    ("stage", "name", "place"),
    [
        ("envelope", "pay", "filled"),
        ("announced", "hold", "filled"),
        ("envelope", "refuse", "filled"),
        ("announced", "expire", "waiting"),
        ("taken", "other_person", "waiting"),
        ("presented", "mismatch", "waiting"),
        ("selected", "rule_out", "waiting"),
        ("envelope", "void", "given_up"),
    ],
)
def test_an_ending_fills_the_place_or_asks_for_another_selection(
    casinos: Casinos, stage: str, name: str, place: str
) -> None:
    casino = selected_alone(casinos)
    bring(casino, stage)
    if name == "hold":
        casino.load_lists(register=f"{SIGNED_HEADER}{LERATO},{iso(jhb('13:20'))},0820000001\n")
    if name in {"hold", "expire"}:
        at = casino.last_claim().deadline_at
        assert at is not None
        casino.clock.set(at + 250)
        expiry.expire_due(casino.engine, casino.clock.now())
    else:
        move(casino, name)
    found = casino.draw().state.places[1]
    assert found.state == place
    assert (found.turn is None) == (place != "waiting")
    if found.turn is not None:
        assert (found.turn.after, found.turn.due) == (0, casino.clock.now())


# -- the walk --------------------------------------------------------------------------------------------------


def test_the_answer_at_the_device_is_the_arrival_record(casino: Casino) -> None:
    """SS-030: with its time, and in the same transaction."""
    bring(casino, "taken")
    casino.go(casino.clock.now() + 7_000)
    move(casino, "found")
    arrived, found = casino.said("claim.arrived", "claim.found")
    assert (arrived.data, arrived.actor) == ({"claim": "c0", "ordinal": 0, "arrival": "found"}, CREW)
    assert arrived.at == found.at == casino.last_claim().arrived_at == casino.last_claim().found_at
    assert found.seq == arrived.seq + 1


def test_nobody_is_announced_without_an_arrival(casino: Casino) -> None:
    """SS-031"""
    for stage in ("selected", "taken"):
        with pytest.raises(Refused, match="X_CLAIM_STATE"):
            move(casino, "announce")
        bring(casino, "taken") if stage == "selected" else None
    assert not casino.said("claim.announced")


@pytest.mark.parametrize("ordinal", [-1, 1, 99])
def test_a_claim_there_is_not_is_refused(casino: Casino, ordinal: int) -> None:
    for name, step in MOVES.items():
        with pytest.raises(Refused) as refusal:
            step(casino.engine, casino.draw(), ordinal, casino.clock.now())
        assert refusal.value.code == "X_NO_SUCH_CLAIM", name


def test_no_refusal_names_a_guest(casino: Casino) -> None:
    sentences = []
    for stage, ways in (("announced", ()), ("checked", ("present", "check"))):
        bring(casino, "announced") if not ways else [move(casino, name) for name in ways]
        for name in MOVES:
            if (stage, name) not in ALLOWED:
                with pytest.raises(Refused) as refusal:
                    move(casino, name)
                sentences.append(refusal.value.sentence)
    text = " ".join(sentences)
    assert len(sentences) > 20
    assert not any(said in text for said in (LERATO, "Lerato", "Dlamini"))


def test_claims_of_two_draws_run_side_by_side(casinos: Casinos) -> None:
    """The first session's last claims still run while the second is open."""
    casino = casinos(book=book_toml(FIRST, Session("second", "14:12", "14:20")))
    casino.load_lists()
    casino.rated(LERATO)
    casino.at("13:59")
    casino.at("14:13")
    casino.go(casino.moments("second")[0])
    running = {plan: [claim.ordinal for claim in casino.draw(plan).state.running()] for plan in ("first", "second")}
    assert running["first"] == [0, 1, 2]
    assert running["second"]
    casino.finish("14:21")
    assert house.next_instant(casino.engine) is None
