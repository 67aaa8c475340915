"""Held prizes: custody from hand to hand, the search for the winner, the claim at the desk, and what is returned."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from casino import Casino
from desk_words import (
    DESK,
    DRAWN,
    SA_ID,
    checked,
    code_of,
    count,
    desk_casino,
    draw_on_behalf,
    hand_over,
    held_prize,
    kinds,
    later,
    move,
    no_show,
    pocket_state,
    refusal,
    scan,
    select_alone,
    slips,
    take_over,
    the_prize,
)
from people_words import LERATO, MEMBERS, NOBODY, jhb
from small_book import FIRST, book_toml
from sqlalchemy import text

from draw_engine.canonical import read_json
from draw_engine.service import claims, envelopes, house, prizes, reviews
from draw_engine.store.unit_of_work import TransactionOfTables
from draw_engine.verify.report import HOLDS

Casinos = Callable[..., Casino]

HER_SECRETS = (SA_ID, "0820000001", "Lerato", "Dlamini", LERATO)


def contact(casino: Casino, channel: str = "phone", outcome: str = "no_answer", **changed: Any) -> None:
    said: dict[str, Any] = {"by": "lindiwe", "now": casino.engine.now()}
    prizes.contact(casino.engine, casino.draw(), 0, channel=channel, outcome=outcome, **(said | changed))


def give_back(casino: Casino, ordinal: int = 0, **changed: Any) -> None:
    said: dict[str, Any] = {"by": "sibusiso", "second": "lindiwe", "now": casino.engine.now()}
    prizes.give_back(casino.engine, casino.draw(), ordinal, **(said | changed))


def expire(casino: Casino) -> bool:
    return prizes.expire_due(casino.engine, casino.engine.now())


def void(casino: Casino, *, reselect: bool = False) -> None:
    engine, draw, now = casino.engine, casino.draw(), casino.engine.now()
    reviews.void(engine, draw, 0, by="nomvula", second="kabelo", reason="wrong guest", reselect=reselect, now=now)


# -- drawn on behalf --------------------------------------------------------------------------------------------


def test_a_held_claim_waits_for_its_envelope(casinos: Casinos) -> None:
    prize = the_prize(held_prize(casinos, drawn=False))
    assert (prize.state, prize.custody, prize.pocket, prize.amount) == ("to_draw", "promotions", None, None)
    assert (prize.claim, prize.award, prize.guest, prize.card) == ("c0", 1, "Lerato Dlamini", "0003")
    assert (prize.day, prize.claim_by, prize.days_left) == (date(2023, 10, 7), date(2023, 10, 22), 15)


DRAWING: tuple[tuple[dict[str, Any], str], ...] = (
    ({"by": "bheki"}, "X_NO_PERMISSION"),
    ({"by": "zanele"}, "X_NO_PERMISSION"),
    ({"second": "sibusiso"}, "X_SAME_PERSON"),
    ({"second": ""}, "X_SECOND_PERSON_REQUIRED"),
    ({"second": "nobody"}, "X_NO_PERMISSION"),
    ({"pocket": "E-0099"}, "X_NO_SUCH_POCKET"),
)


def test_a_representative_draws_before_a_witness(casinos: Casinos) -> None:
    casino = held_prize(casinos, drawn=False)
    for changed, code in DRAWING:
        assert code_of(draw_on_behalf, casino, **changed) == code, changed
    assert len(envelopes.tray(casino.engine)) == 10


@pytest.mark.parametrize("by", ["kabelo", "sibusiso", "nomvula"])
def test_crew_marketing_and_managers_represent_promotions(casinos: Casinos, by: str) -> None:
    casino = held_prize(casinos, drawn=False)
    draw_on_behalf(casino, by=by, second="zanele")
    (said,) = casino.said("envelope.on_behalf")
    actors = sorted([f"{casino.settings.staff[by]}:{by}", "auditor:zanele"])
    assert said.data == {"of": casino.draw().state.id, "claim": "c0", "pocket": "E-0003", "by": actors}
    assert said.draw is None


def test_it_is_drawn_once(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    assert code_of(draw_on_behalf, casino, pocket="E-0004") == "X_ALREADY_DONE"
    assert pocket_state(casino, "E-0004") == "tray"


def test_a_used_pocket_is_not_drawn(casinos: Casinos) -> None:
    casino = held_prize(casinos, drawn=False)
    envelopes.withdraw(casino.engine, pocket="E-0003", by="nomvula", second="kabelo", now=casino.engine.now())
    assert code_of(draw_on_behalf, casino) == "SS_ENVELOPE_USED"


def test_a_claim_that_is_not_held_has_none(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:55")
    count(casino)
    select_alone(casino)
    no_show(casino, 0)
    assert code_of(draw_on_behalf, casino) == "X_CLAIM_STATE"


# -- custody ----------------------------------------------------------------------------------------------------


def test_every_hand_over_has_two_names_and_a_time(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    hand_over(casino)
    moves = [(row.from_place, row.to_place, row.given_by, row.received_by) for row in the_prize(casino).moves]
    assert moves == [
        ("tray", "promotions", "crew:kabelo", "marketing:sibusiso"),
        ("promotions", "marketing", "crew:kabelo", "marketing:sibusiso"),
        ("marketing", "customer_services", "marketing:sibusiso", "customer_services:lindiwe"),
        ("customer_services", "winner", "customer_services:lindiwe", "guest"),
    ]
    assert {row.moved_at for row in the_prize(casino).moves} == {casino.engine.now()}
    told = [entry.data for entry in casino.said("envelope.moved")]
    assert [(data["from"], data["to"], data["claim"]) for data in told] == [
        ("promotions", "marketing", "c0"),
        ("marketing", "customer_services", "c0"),
    ]


HANDS = (
    ("customer_services", "kabelo", "lindiwe", "X_CLAIM_STATE"),
    ("promotions", "kabelo", "ayanda", "X_CLAIM_STATE"),
    ("safe", "kabelo", "sibusiso", "X_VALUE_WRONG"),
    ("marketing", "sibusiso", "sibusiso", "X_SAME_PERSON"),
    ("marketing", "lindiwe", "sibusiso", "X_NO_PERMISSION"),
    ("marketing", "kabelo", "lindiwe", "X_NO_PERMISSION"),
    ("marketing", "kabelo", "", "X_SECOND_PERSON_REQUIRED"),
)


def test_from_the_representative_it_goes_to_marketing(casinos: Casinos) -> None:
    casino = held_prize(casinos, at_desk=False)
    for to, given_by, received_by, code in HANDS:
        assert code_of(move, casino, to=to, given_by=given_by, received_by=received_by) == code, (to, received_by)
    assert the_prize(casino).custody == "promotions"


def test_from_the_desk_it_may_go_back_to_marketing(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    move(casino, to="marketing", given_by="lindiwe", received_by="sibusiso")
    assert the_prize(casino).custody == "marketing"
    assert code_of(hand_over, casino) == "X_CLAIM_STATE"


def test_without_an_envelope_nothing_changes_hands(casinos: Casinos) -> None:
    casino = held_prize(casinos, drawn=False)
    assert code_of(move, casino, to="marketing", given_by="kabelo", received_by="sibusiso") == "X_CLAIM_STATE"
    draw_on_behalf(casino)
    take_over(casino)
    hand_over(casino)
    assert code_of(move, casino, to="marketing", given_by="lindiwe", received_by="sibusiso") == "X_CLAIM_STATE"


# -- the search for the winner ----------------------------------------------------------------------------------


def test_attempts_are_kept_and_the_number_used_lies_sealed(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    contact(casino, "phone", "no_answer")
    contact(casino, "sms", "message_left")
    assert [(row.channel, row.outcome, row.by) for row in the_prize(casino).attempts] == [
        ("phone", "no_answer", "customer_services:lindiwe"),
        ("sms", "message_left", "customer_services:lindiwe"),
    ]
    with casino.database.connect() as connection:
        rows = connection.execute(text("SELECT id, sealed FROM contact_attempts ORDER BY id")).all()
    assert not any(b"0820000001" in bytes(row.sealed) for row in rows)
    opened = [read_json(casino.engine.vault.unseal(f"contact:{row.id}", bytes(row.sealed))) for row in rows]
    assert opened == [{"used": "0820000001"}] * 2
    (first, _) = casino.said("prize.contacted")
    assert (first.draw, first.data) == (
        None,
        {"of": casino.draw().state.id, "claim": "c0", "channel": "phone", "outcome": "no_answer"},
    )


def test_the_alarm_rings_until_enough_was_tried(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    assert the_prize(casino).alarm
    contact(casino)
    contact(casino, "sms")
    later(casino, "2023-10-08 10:00")
    assert the_prize(casino).alarm
    contact(casino)
    assert not the_prize(casino).alarm
    assert the_prize(casino).search.enough


def test_the_alarm_is_only_an_alarm(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    hand_over(casino)
    assert not the_prize(casino).alarm, "the winner has the prize"


def test_an_attempt_on_the_other_side_of_midnight_is_another_day(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    later(casino, "23:59:59.999")
    contact(casino)
    contact(casino, "whatsapp")
    later(casino, "2023-10-08 00:00")
    contact(casino)
    assert the_prize(casino).search.missing_days == 0


def test_attempts_that_cannot_be(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    assert code_of(contact, casino, "letter") == "X_VALUE_WRONG"
    assert code_of(contact, casino, "phone", "perhaps") == "X_VALUE_WRONG"
    assert code_of(contact, casino, by="kabelo") == "X_NO_PERMISSION"
    assert code_of(contact, casino, "email") == "X_NO_CONTACT"


def test_what_the_register_has_goes_before_the_members_list(casinos: Casinos) -> None:
    listed = MEMBERS.replace(
        "100003,Lerato,Dlamini,Black,1979-01-20,,,", "100003,Lerato,Dlamini,Black,1979-01-20,0111111111,l@example.com,"
    )
    casino = held_prize(casinos, members=listed)
    found = the_prize(casino).contact
    assert (found.phone, found.email) == ("0820000001", "l@example.com")
    contact(casino, "email")


# -- handed over ------------------------------------------------------------------------------------------------


FAULTS: tuple[tuple[dict[str, Any], str], ...] = (
    # SS-C66: at the rewards desk its own clerk is told where to send the guest, whatever else is wrong.
    ({"desk": "Rewards Guest Relations Desk"}, "SS_CLAIM_WRONG_DESK"),
    ({"by": "bheki"}, "X_NO_PERMISSION"),
    ({"now": jhb("2023-10-23 00:00")}, "SS_CLAIM_EXPIRED"),
    ({"in_person": False}, "SS_NOT_TRANSFERABLE"),
    ({"id_number": ""}, "SS_ID_REQUIRED"),
    ({"amount": 49_900}, "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE"),
    ({"signature": None}, "SS_SIGNATURE_REQUIRED"),
)


def test_of_several_reasons_the_first_is_said(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    said: dict[str, Any] = {}
    for changed, code in reversed(FAULTS):
        said |= changed
        assert code_of(hand_over, casino, **said) == code
    assert (the_prize(casino).state, pocket_state(casino, "E-0003")) == ("held", "held")


def test_only_customer_services_or_a_manager_hands_over(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    for by in ("bheki", "kabelo", "sibusiso", "zanele", "nobody", ""):
        assert code_of(hand_over, casino, by=by) == "X_NO_PERMISSION", by


def test_a_manager_may(casinos: Casinos) -> None:
    hand_over(held_prize(casinos), by="nomvula")


def test_the_winner_shows_the_paper_of_the_register_or_another(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    for kind, number in (("sa_id", "8503120001089"), ("patron_manager", "4711"), ("", "")):
        assert code_of(hand_over, casino, id_type=kind, id_number=number) == "SS_ID_REQUIRED", kind
    hand_over(casino, id_type="drivers_licence", id_number="60450001XYZ7")


def test_what_was_in_it_must_be_possible(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    for amount in (49_900, 100_100, 50_050):
        assert code_of(hand_over, casino, amount=amount) == "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE", amount
    for wrong in ("50000", None, 50_000.0):
        assert code_of(hand_over, casino, amount=wrong) == "X_VALUE_WRONG", wrong


def test_no_envelope_or_elsewhere(casinos: Casinos) -> None:
    casino = held_prize(casinos, drawn=False)
    assert code_of(hand_over, casino) == "X_CLAIM_STATE"
    draw_on_behalf(casino)
    said = refusal(hand_over, casino)
    assert (said.code, "promotions representative" in said.sentence) == ("X_CLAIM_STATE", True)


def test_it_is_handed_over_once(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    hand_over(casino)
    assert code_of(hand_over, casino) == "X_ALREADY_DONE"
    assert code_of(contact, casino) == "X_ALREADY_DONE"
    assert len(slips(casino, "claim_receipt")) == 1


def test_the_signature_lies_sealed(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    hand_over(casino)
    under = f"held {casino.draw().state.id} 0"
    kept = casino.engine.store.signature(under)
    assert kept is not None
    assert read_json(casino.engine.vault.unseal(f"signature:{under}", kept[1])) == DRAWN


def test_the_log_names_the_claim_and_never_the_guest(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    contact(casino)
    hand_over(casino)
    told = [
        entry for entry in casino.log() if entry.kind.startswith(("prize.", "envelope.", "envelopes.", "register."))
    ]
    assert {"register.signed", "envelope.on_behalf", "envelope.moved", "prize.contacted"} <= {e.kind for e in told}
    for entry in told:
        shown = repr((entry.actor, entry.data))
        assert not any(secret in shown for secret in HER_SECRETS)
        assert (entry.draw is not None) == (entry.kind == "prize.handed_over")
    (handed,) = casino.said("prize.handed_over")
    assert handed.data == {"claim": "c0", "ordinal": 0, "amount": 100_000, "pocket": "E-0003"}


def test_nothing_of_the_guest_in_a_debug_output(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    contact(casino)
    told = repr(prizes.held(casino.engine))
    assert not any(secret in told for secret in HER_SECRETS)


# -- expired, returned, voided ----------------------------------------------------------------------------------


def test_expiring_is_done_once(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    later(casino, "2023-10-23 00:00")
    assert expire(casino)
    assert not expire(casino)
    casino.restart()
    assert not expire(casino)
    assert kinds(casino).count("prize.overdue") == 1
    (said,) = casino.said("prize.overdue")
    assert (said.draw, said.actor, said.data) == (None, "engine", {"of": casino.draw().state.id, "claim": "c0"})
    assert len(slips(casino, "return_list")) == 1


def test_the_first_tick_after_midnight_does_it(casinos: Casinos) -> None:
    casino = held_prize(casinos, book=book_toml(FIRST))
    casino.finish("14:20")
    later(casino, "2023-10-22 23:59:59.999")
    casino.tick()
    assert the_prize(casino).state == "held"
    later(casino, "2023-10-23 00:00")
    casino.tick()
    assert the_prize(casino).state == "to_return"


def test_a_prize_nobody_drew_an_envelope_for_is_over_without_a_list(casinos: Casinos) -> None:
    casino = held_prize(casinos, drawn=False)
    later(casino, "2023-10-23 00:00")
    assert code_of(draw_on_behalf, casino) == "SS_CLAIM_EXPIRED"
    assert expire(casino)
    assert the_prize(casino).state == "returned"
    assert slips(casino, "return_list") == []
    assert code_of(draw_on_behalf, casino) == "SS_CLAIM_EXPIRED"
    assert code_of(give_back, casino) == "X_CLAIM_STATE"


def test_what_was_handed_over_does_not_expire(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    hand_over(casino)
    later(casino, "2023-10-23 00:00")
    assert not expire(casino)


def test_an_expired_envelope_is_given_back_by_two(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    assert code_of(give_back, casino) == "X_CLAIM_STATE"
    later(casino, "2023-10-23 09:00")
    expire(casino)
    assert code_of(give_back, casino, second="sibusiso") == "X_SAME_PERSON"
    assert code_of(give_back, casino, by="kabelo") == "X_NO_PERMISSION"
    give_back(casino)
    assert (the_prize(casino).state, pocket_state(casino, "E-0003")) == ("returned", "returned")
    (said,) = casino.said("prize.returned")
    actors = ["customer_services:lindiwe", "marketing:sibusiso"]
    assert said.data == {"claim": "c0", "ordinal": 0, "pocket": "E-0003", "by": actors}
    assert said.draw == casino.draw().state.id
    last = the_prize(casino).moves[-1]
    assert (last.from_place, last.to_place) == ("customer_services", "returned")
    assert code_of(give_back, casino) == "X_CLAIM_STATE"
    assert code_of(hand_over, casino) == "SS_CLAIM_EXPIRED"
    assert code_of(contact, casino) == "SS_CLAIM_EXPIRED"


def test_a_void_takes_the_prize_and_sends_the_envelope_back(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    void(casino)
    assert (the_prize(casino).state, pocket_state(casino, "E-0003")) == ("void", "to_return")
    assert code_of(hand_over, casino) == "X_CLAIM_STATE"
    give_back(casino)
    assert (the_prize(casino).state, pocket_state(casino, "E-0003")) == ("void", "returned")


def test_a_void_before_an_envelope_was_drawn(casinos: Casinos) -> None:
    casino = held_prize(casinos, drawn=False)
    void(casino)
    assert code_of(draw_on_behalf, casino) == "X_CLAIM_STATE"
    assert code_of(give_back, casino) == "X_CLAIM_STATE"


def test_a_void_after_the_guest_was_paid_unmakes_nothing(casinos: Casinos) -> None:
    """X-06: the first outcome stays; what was handed over was handed over, and the log has the void beside it."""
    casino = held_prize(casinos)
    hand_over(casino)
    before = the_prize(casino)
    void(casino)
    assert the_prize(casino) == before
    assert (before.state, pocket_state(casino, "E-0003")) == ("handed_over", "handed_over")


def test_a_refused_envelope_is_given_back_too(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:59:40")
    count(casino)
    select_alone(casino)
    checked(casino, 0)
    scan(casino, 0, "E-0004")
    claims.refuse(casino.engine, casino.draw(), 0, actor="crew:kabelo", now=casino.engine.now())
    give_back(casino)
    assert pocket_state(casino, "E-0004") == "returned"
    assert prizes.held(casino.engine) == []


def test_an_excluded_winners_prize_waits_out_its_days(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    house.load_list(casino.engine, "exclusions", f"{NOBODY}{LERATO},self_excluded,2023-10-07,,\n".encode())
    assert code_of(hand_over, casino) == "SS_SELF_EXCLUDED"
    later(casino, "2023-10-23 00:00")
    assert expire(casino)


# -- the record -------------------------------------------------------------------------------------------------


def test_the_record_holds_with_all_of_it_in_the_log(casinos: Casinos) -> None:
    casino = held_prize(casinos, book=book_toml(FIRST))
    contact(casino)
    hand_over(casino)
    envelopes.count_day(casino.engine, left=9, by="nomvula", second="kabelo", now=casino.engine.now())
    casino.finish("14:20")
    assert casino.draw().state.closed_at is not None
    assert casino.draw().state.claims[0].outcome == "held"
    reports = casino.verify_closed()
    assert {report.exit_code for report in reports.values()} == {HOLDS}


def test_after_the_close_the_record_stays_what_it_was(casinos: Casinos) -> None:
    casino = held_prize(casinos, book=book_toml(FIRST), drawn=False)
    casino.finish("14:20")
    closed_seq = casino.draw().state.closed_seq
    assert closed_seq is not None
    draw_on_behalf(casino)
    take_over(casino)
    contact(casino)
    later(casino, "2023-10-22 17:00")
    hand_over(casino)
    after = [entry for entry in casino.log() if entry.seq > closed_seq and entry.draw == casino.draw().state.id]
    assert [entry.kind for entry in after] == ["prize.handed_over"]
    assert {report.exit_code for report in casino.verify_closed().values()} == {HOLDS}


def test_a_prize_returned_after_the_close(casinos: Casinos) -> None:
    casino = held_prize(casinos, book=book_toml(FIRST))
    casino.finish("14:20")
    closed_seq = casino.draw().state.closed_seq or 0
    later(casino, "2023-10-23 00:00")
    expire(casino)
    give_back(casino)
    after = [entry for entry in casino.log() if entry.seq > closed_seq and entry.draw == casino.draw().state.id]
    assert [entry.kind for entry in after] == ["prize.returned"]
    assert {report.exit_code for report in casino.verify_closed().values()} == {HOLDS}


def test_everything_is_there_after_a_restart(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    contact(casino)
    before = prizes.held(casino.engine)
    casino.restart()
    assert prizes.held(casino.engine) == before
    hand_over(casino)
    casino.restart()
    assert the_prize(casino).state == "handed_over"


def test_what_is_not_printed_did_not_happen(casinos: Casinos, monkeypatch: pytest.MonkeyPatch) -> None:
    casino = held_prize(casinos, drawn=False)

    def broken(*_: Any, **__: Any) -> int:
        raise OSError("the disk is full")

    def fails_whole(verb: Callable[..., Any], *args: Any) -> None:
        before = [entry.hash for entry in casino.log()], casino.engine.store.envelopes(), prizes.held(casino.engine)
        with monkeypatch.context() as patched:
            patched.setattr(TransactionOfTables, "add_print_job", broken)
            with pytest.raises(OSError, match="disk"):
                verb(casino, *args)
        casino.engine.ready()
        after = [entry.hash for entry in casino.log()], casino.engine.store.envelopes(), prizes.held(casino.engine)
        assert after == before

    fails_whole(draw_on_behalf)
    draw_on_behalf(casino)
    take_over(casino)
    fails_whole(hand_over)
    assert casino.engine.store.signature(f"held {casino.draw().state.id} 0") is None
    later(casino, "2023-10-23 00:00")
    fails_whole(expire)
    assert expire(casino)


def test_two_guests_of_one_day_each_with_their_own(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    casino.go(casino.moments()[0])
    assert casino.last_claim().ordinal == 1
    no_show(casino, 1)
    draw_on_behalf(casino, 1, pocket="E-0005")
    first, second = prizes.held(casino.engine)
    assert (first.claim, first.pocket, first.custody) == ("c0", "E-0003", "customer_services")
    assert (second.claim, second.pocket, second.custody) == ("c1", "E-0005", "promotions")
    hand_over(casino, desk=DESK)
    assert [prize.state for prize in prizes.held(casino.engine)] == ["handed_over", "held"]
    later(casino, "2023-10-23 00:00")
    expire(casino)
    (listed,) = slips(casino, "return_list")
    assert [line["pocket"] for line in listed.data["pockets"]] == ["E-0005"]
