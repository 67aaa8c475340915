"""From check to signed receipt: what is compared, who is barred, one envelope, the amount (rules 13, 14, 31)."""

from __future__ import annotations

import pytest
from casino import Casino
from claim_steps import CREW, ON_SQLITE, SIGNED, Casinos, as_kept, bring, bring_to, move, selected_alone
from desk_words import desk_casino
from people_words import LERATO, THANDI

from draw_engine.claim_moves import stage_of
from draw_engine.errors import Refused
from draw_engine.service import claims


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    return selected_alone(casinos)


# -- the check -------------------------------------------------------------------------------------------------


@ON_SQLITE
@pytest.mark.parametrize("stage", ["found", "presented"])
@pytest.mark.parametrize("left_out", ["name", "card", "owner", "place"])
def test_all_four_are_compared_before_a_guest_is_confirmed(casino: Casino, stage: str, left_out: str) -> None:
    """SS-034"""
    bring(casino, stage)
    place = "device" if stage == "found" else "stage"
    other_place = "stage" if stage == "found" else "device"
    checks = ["name", "card", "owner", place]
    checks[checks.index(place if left_out == "place" else left_out)] = other_place
    said = {"actor": CREW, "now": casino.clock.now(), "identification": ""}
    with pytest.raises(Refused, match="X_CHECK_INCOMPLETE") as refusal:
        claims.check(casino.engine, casino.draw(), 0, checks=checks, **said)
    assert (place if left_out == "place" else left_out) in refusal.value.sentence
    full = ["name", "card", "owner", place]
    with pytest.raises(Refused, match="SS_ID_REQUIRED"):
        claims.check(casino.engine, casino.draw(), 0, checks=full, **(said | {"identification": "library_card"}))
    assert stage_of(casino.last_claim()) == stage
    assert claims.check(casino.engine, casino.draw(), 0, checks=[*full, "more"], **said) == "checked"
    (entry,) = casino.said("claim.checked")
    assert (entry.data["checks"], entry.data["identification"]) == (full, "")


EXCLUDED = [
    ("refusal_of_entry", "SS_REFUSAL_OF_ENTRY"),
    ("self_excluded", "SS_SELF_EXCLUDED"),
    ("excluded_category", "SS_EXCLUDED_CATEGORY"),
    ("staff_or_related", "SS_STAFF_OR_RELATED"),
]


@ON_SQLITE
@pytest.mark.parametrize(("category", "code"), EXCLUDED)
@pytest.mark.parametrize("name", ["check", "pay"])
def test_an_exclusion_that_became_known_ends_it_at_the_check_and_before_the_money(
    casinos: Casinos, name: str, category: str, code: str
) -> None:
    """SS-007: an envelope on the table goes back, nothing is printed, and another guest is selected."""
    casino = selected_alone(casinos)
    bring(casino, "found" if name == "check" else "envelope")
    casino.load_lists(exclusions=f"member,category,from,to,source\n{LERATO},{category},2023-10-07,,desk\n")
    assert claims.barred_now(casino.engine, casino.draw(), 0, casino.clock.now()) == code
    assert move(casino, name) == "ineligible"
    casino.tick()
    assert casino.draw().state.claims[0].outcome == "ineligible"
    assert not [job for job in casino.engine.store.print_jobs(["queued"]) if job.kind == "winner_receipt"]
    assert casino.engine.store.signature(f"claim {casino.draw().state.id} 0") is None
    assert {row.state for row in casino.engine.store.envelopes() if row.draw} == (
        set() if name == "check" else {"to_return"}
    )
    again = casino.said("selection.postponed", "selection.made")[-1]
    assert again.data["after"] == 0
    casino.finish("14:41")


# -- the prize -------------------------------------------------------------------------------------------------


@ON_SQLITE
@pytest.mark.parametrize("amount", [0, 49_999, 49_900, 100_001, 100_100, 75_050, -75_000])
def test_an_envelope_outside_the_bounds_is_refused(casino: Casino, amount: int) -> None:
    """SS-040: whole rand from R500 to R1,000."""
    bring(casino, "envelope")
    said = {"actor": CREW, "now": casino.clock.now(), "signature": SIGNED}
    with pytest.raises(Refused) as refusal:
        claims.pay(casino.engine, casino.draw(), 0, amount=amount, **said)
    assert refusal.value.code == "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE"
    assert stage_of(casino.last_claim()) == "envelope"


@pytest.mark.parametrize("prize", [50_000, 100_000])
def test_both_bounds_of_the_envelope_are_in(casino: Casino, prize: int) -> None:
    casino.pay(prize=prize)
    (entry,) = casino.said("claim.confirmed")
    assert (entry.data["prize"], casino.draw().state.claims[0].prize) == (prize, prize)
    casino.finish("14:11")


UNSIGNED = [None, {}, {"width": 300, "height": 100, "strokes": []}, SIGNED | {"strokes": [[[5, 5]]]}]


@ON_SQLITE
@pytest.mark.parametrize("signature", UNSIGNED)
def test_nothing_is_paid_without_a_signature(casino: Casino, signature: dict[str, object] | None) -> None:
    """SS-044"""
    bring(casino, "envelope")
    before = as_kept(casino)
    with pytest.raises(Refused, match="SS_SIGNATURE_REQUIRED"):
        claims.pay(
            casino.engine,
            casino.draw(),
            0,
            amount=75_000,
            signature=signature,
            actor=CREW,
            now=casino.clock.now(),
        )
    casino.engine.ready()
    assert as_kept(casino) == before
    move(casino, "pay")
    assert casino.last_claim().outcome == "confirmed"


def test_what_was_paid_is_signed_given_and_printed_in_one_go(casino: Casino) -> None:
    bring(casino, "envelope")
    pocket = casino.last_claim().pocket
    move(casino, "pay")
    draw, store = casino.draw(), casino.engine.store
    envelope = store.envelope_of(draw.state.id, 0)
    assert envelope is not None
    assert (envelope.pocket, envelope.state, envelope.amount) == (pocket, "given", 75_000)
    assert store.signature(f"claim {draw.state.id} 0") is not None
    (receipt,) = [job for job in store.print_jobs(["queued"]) if job.kind == "winner_receipt"]
    assert (receipt.draw, receipt.ordinal) == (draw.state.id, 0)
    assert receipt.data["amount"] == 75_000
    assert receipt.data["card"] == LERATO[-4:]


def test_a_second_claim_cannot_be_given_the_same_envelope(casinos: Casinos) -> None:
    """SS-046"""
    casino = desk_casino(casinos, now="13:59:40")
    for seat, member in enumerate((LERATO, THANDI)):
        casino.rated(member, seat=str(seat))
    casino.send()
    casino.tick()
    casino.go(casino.moments()[1])
    for ordinal in (0, 1):
        bring_to(casino, "checked", ordinal=ordinal)
    casino.tray()
    said = {"actor": CREW, "now": casino.clock.now()}
    claims.envelope(casino.engine, casino.draw(), 0, pocket=" e-0001 ", **said)
    assert casino.draw().state.claims[0].pocket == "E-0001"
    for pocket, code in (("E-0001", "SS_ENVELOPE_USED"), ("E-9999", "X_NO_SUCH_POCKET"), ("", "X_NO_SUCH_POCKET")):
        with pytest.raises(Refused, match=code):
            claims.envelope(casino.engine, casino.draw(), 1, pocket=pocket, **said)
    move(casino, "refuse", ordinal=0)
    with pytest.raises(Refused, match="SS_ENVELOPE_USED"):  # handed back it does not lie in the tray again
        claims.envelope(casino.engine, casino.draw(), 1, pocket="E-0001", **said)
