"""No-shows in the register, held prizes, envelopes and money, by the ids of the worked cases (1.3 and 1.5).

The award and the guest are those of a small Saturday: Lerato alone is selected at 14:0x, and did not come.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from casino import Casino
from desk_words import (
    announced,
    checked,
    code_of,
    count,
    desk_casino,
    draw_on_behalf,
    hand_over,
    held_prize,
    later,
    move,
    no_show,
    pay,
    pocket_state,
    refusal,
    scan,
    select_alone,
    sign,
    slips,
    the_prize,
)
from people_words import LERATO, jhb
from small_book import Session, book_toml

from draw_engine.claim_moves import stage_of
from draw_engine.envelopes import programme_gap
from draw_engine.service import claims, envelopes, house, prizes

Casinos = Callable[..., Casino]

ROLLS = book_toml().replace(b"roll_if_closed = false", b"roll_if_closed = true")


def stage(casino: Casino, ordinal: int = 0) -> str:
    return stage_of(casino.draw().state.claims[ordinal])


# -- 1.3: nobody came -------------------------------------------------------------------------------------------


def test_ss_c35_in_the_register_an_envelope_is_drawn_marked_and_kept_by_marketing(casinos: Casinos) -> None:
    casino = held_prize(casinos, drawn=False)
    draw_on_behalf(casino)
    move(casino, to="marketing", given_by="kabelo", received_by="sibusiso")
    prize = the_prize(casino)
    assert (prize.state, prize.custody, prize.pocket) == ("held", "marketing", "E-0003")
    assert prize.claim_by == date(2023, 10, 22)
    assert prize.alarm, "she is to be contacted"
    assert prize.contact.phone == "0820000001"
    (label,) = slips(casino, "envelope_label")
    said = {"guest": "Lerato Dlamini", "card": LERATO[-4:], "award": 1, "claim": "c0", "pocket": "E-0003"}
    assert said.items() <= label.data.items()
    assert (label.data["date"], label.data["claim_by"]) == ("2023-10-07", "2023-10-22")
    assert (label.data["rep"], label.data["witness"]) == ("sibusiso", "kabelo")
    assert label.data["desk"] == "Customer Services Desk"


def test_ss_c37_no_envelope_on_behalf_before_the_ninety_seconds_are_over(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:55")
    count(casino)
    sign(casino, LERATO)
    select_alone(casino)
    assert code_of(draw_on_behalf, casino) == "X_CLAIM_STATE"
    announced(casino, 0)
    casino.go(casino.engine.now() + 90_000)
    assert stage(casino) == "announced"
    assert code_of(draw_on_behalf, casino) == "X_CLAIM_STATE"
    casino.go(casino.engine.now() + 250)
    assert stage(casino) == "held"
    draw_on_behalf(casino)
    assert pocket_state(casino, "E-0003") == "held"


@pytest.mark.parametrize("registered", [pytest.param(False, id="SS-C38"), pytest.param(True, id="SS-C39")])
def test_another_person_on_the_card_is_selected_again(casinos: Casinos, *, registered: bool) -> None:
    casino = desk_casino(casinos, now="13:55")
    if registered:
        sign(casino, LERATO)
    select_alone(casino)
    now = casino.engine.now()
    claims.take(casino.engine, casino.draw(), 0, actor="crew:kabelo", now=now)
    claims.other_person(casino.engine, casino.draw(), 0, actor="crew:kabelo", now=now)
    assert stage(casino) == "not_rightful_card"
    assert prizes.held(casino.engine) == []


def test_nobody_in_the_register_is_selected_again(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:55")
    select_alone(casino)
    no_show(casino, 0)
    assert stage(casino) == "expired"
    assert prizes.held(casino.engine) == []


ONE = Session("first", "14:00", "14:10", awards=1)


@pytest.mark.parametrize(
    ("signed_at", "outcome"),
    [
        pytest.param("14:10:40", "expired", id="SS-C49 signed after the selection"),
        pytest.param("13:59:59.999", "held", id="SS-C49 flipped: signed before it"),
    ],
)
def test_an_entry_counts_when_it_was_made_before_the_selection(casinos: Casinos, signed_at: str, outcome: str) -> None:
    casino = desk_casino(casinos, now="13:55", book=book_toml(ONE))
    before = jhb(signed_at) < jhb("14:00")
    casino.rated(LERATO)
    casino.send()
    if before:
        casino.at(signed_at)
        sign(casino, LERATO)
    casino.at("14:10:00.000")
    assert len(casino.draw().state.selections) == 1
    announced(casino, 0)
    if not before:
        casino.at(signed_at)
        sign(casino, LERATO)
    casino.at("14:11:30.250")
    assert stage(casino) == outcome
    assert len(prizes.held(casino.engine)) == (outcome == "held")


def test_ss_c47_an_exclusion_entered_since_keeps_the_prize_at_the_desk(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    house.exclude_guest(casino.engine, LERATO, "refusal_of_entry", first=date(2023, 10, 7), last=None, by="nomvula")
    assert code_of(hand_over, casino) == "SS_REFUSAL_OF_ENTRY"
    assert the_prize(casino).state == "held"


# -- 1.5: claim period, custody, money --------------------------------------------------------------------------


def test_ss_c62_claimed_on_day_fifteen(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    later(casino, "2023-10-22 17:00")
    hand_over(casino, amount=100_000)
    prize = the_prize(casino)
    assert (prize.state, prize.custody, prize.amount) == ("handed_over", "winner", 100_000)
    assert pocket_state(casino, "E-0003") == "handed_over"
    (receipt,) = slips(casino, "claim_receipt")
    said = {"guest": "Lerato Dlamini", "amount": 100_000, "pocket": "E-0003", "held": True, "signed": True}
    assert said.items() <= receipt.data.items()
    assert receipt.data["paid_at"] == jhb("2023-10-22 17:00")


def test_ss_c62_to_the_last_instant_of_day_fifteen(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    later(casino, "2023-10-22 23:59:59.999")
    assert not prizes.expire_due(casino.engine, casino.engine.now())
    hand_over(casino)


def test_ss_c63_refused_on_day_sixteen_and_the_envelope_is_on_the_return_list(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    selections = len(casino.draw().state.selections)
    later(casino, "2023-10-23 00:00:00.000")
    assert code_of(hand_over, casino) == "SS_CLAIM_EXPIRED", "the date alone decides, whether or not the night job ran"
    assert prizes.expire_due(casino.engine, casino.engine.now())
    later(casino, "2023-10-23 08:00")
    said = refusal(hand_over, casino)
    assert said.code == "SS_CLAIM_EXPIRED"
    assert "Sunday 22 October 2023" in said.sentence
    assert (the_prize(casino).state, pocket_state(casino, "E-0003")) == ("to_return", "to_return")
    (listed,) = slips(casino, "return_list")
    assert listed.data["pockets"] == [
        {"pocket": "E-0003", "claim": "c0", "award": 1, "claim_by": "2023-10-22"},
    ]
    assert len(casino.draw().state.selections) == selections, "no re-draw"


def test_ss_c65_a_closed_sunday_rolls_on_to_monday(casinos: Casinos) -> None:
    casino = held_prize(casinos, book=ROLLS)
    later(casino, "2023-10-23 23:59:59.999")
    assert not prizes.expire_due(casino.engine, casino.engine.now()), "Monday counts to its end"
    hand_over(casino)
    assert the_prize(casino).claim_by == date(2023, 10, 23)


def test_ss_c65_and_not_on_to_tuesday(casinos: Casinos) -> None:
    casino = held_prize(casinos, book=ROLLS)
    later(casino, "2023-10-24 00:00:00.000")
    assert code_of(hand_over, casino) == "SS_CLAIM_EXPIRED"


@pytest.mark.parametrize("desk", ["Rewards Guest Relations Desk", "Guest Relations Desk", ""])
def test_ss_c66_at_another_desk(casinos: Casinos, desk: str) -> None:
    said = refusal(hand_over, held_prize(casinos), desk=desk)
    assert said.code == "SS_CLAIM_WRONG_DESK"
    assert "Customer Services Desk" in said.sentence


def test_ss_c66_flip_the_desks_other_name(casinos: Casinos) -> None:
    hand_over(held_prize(casinos), desk="Customer Service Desk")


def test_ss_c67_a_husband_with_her_paper_and_a_letter(casinos: Casinos) -> None:
    assert code_of(hand_over, held_prize(casinos), in_person=False) == "SS_NOT_TRANSFERABLE"


@pytest.mark.parametrize(
    ("rands", "ok"), [(499, False), (500, True), (1000, True), (1001, False)], ids="SS-C69 R{}".format
)
def test_ss_c69_a_batchs_amounts(casinos: Casinos, rands: int, *, ok: bool) -> None:
    casino = desk_casino(casinos)
    if ok:
        assert count(casino, {rands * 100: 1}) == "B-001"
    else:
        assert code_of(count, casino, {50_000: 9, rands * 100: 1}) == "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE"
        assert envelopes.tray(casino.engine) == []


def test_ss_c70_an_envelope_scanned_again(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:59:40")
    count(casino, {50_000: 40})
    select_alone(casino)
    checked(casino, 0)
    scan(casino, 0, "E-0031")
    pay(casino, 50_000)
    assert pocket_state(casino, "E-0031") == "given"
    casino.go(casino.moments()[0])
    assert casino.last_claim().ordinal == 1
    checked(casino, 1)
    assert code_of(scan, casino, 1, "E-0031") == "SS_ENVELOPE_USED"
    assert code_of(scan, casino, 1, "E-0041") == "X_NO_SUCH_POCKET"
    scan(casino, 1, "e-0032 ")
    assert pocket_state(casino, "E-0032") == "presented"


def test_ss_c71_the_whole_plan_against_what_the_rules_state() -> None:
    plan, stated = (700 * 500 + 450_000) * 100, 800_000 * 100
    assert programme_gap(plan, stated) == 0
    assert programme_gap(plan + 100, stated) is None
