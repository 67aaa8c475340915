"""The worked cases of section 1.3, under their ids: the device, the ninety seconds, the register; and their flips.

Slot 12 on 07 Oct 2023: Thandi selected 14:18:05 at S-0412; crew Kabelo accepts 14:18:20 (`crew_at_work`).
"""

from __future__ import annotations

from typing import Any

import pytest
from claim_steps import TWO, Casinos
from crew_at_work import FOUND_CHECK, PAID, STAGE_CHECK, CrewAtWork
from people_words import LERATO, PIETER, SIGNED_HEADER, THANDI, iso, jhb
from small_book import FIRST, Session, book_toml

from draw_engine import verdicts
from draw_engine.errors import Refused
from draw_engine.service import house, prizes, reviews
from printers import amounts

ANNOUNCE_MISUSE = book_toml(FIRST).replace(b'not_rightful_card = "reselect"', b'not_rightful_card = "announce"')
NO_HOLDING = book_toml(FIRST).replace(b'no_show_registered = "hold"', b'no_show_registered = "reselect"')
TWO_MINUTES = book_toml(Session("first", "14:00", "14:10", seconds=120))


@pytest.fixture
def crew(casinos: Casinos) -> CrewAtWork:
    return CrewAtWork(casinos)


def pay(crew: CrewAtWork, after: str, checks: dict[str, Any]) -> None:
    """Checked, given the next envelope, opened before her and signed for."""
    crew.press(after, "check", **checks)
    crew.press(after, "envelope", pocket="E-0001")
    assert crew.press(after, "pay", **PAID) == "confirmed"


# -- found at the device ---------------------------------------------------------------------------------------


def test_ss_c30_found_confirmed_and_paid(crew: CrewAtWork) -> None:
    assert crew.press("14:18:20", "take") == "taken"
    assert crew.press("14:19:40", "found") == "found"
    assert crew.press("14:20:10", "check", **FOUND_CHECK) == "checked"
    assert crew.press("14:20:20", "envelope", pocket="E-0001") == "envelope"
    assert crew.press("14:20:50", "pay", **PAID) == "confirmed"
    assert (crew.claim.prize, crew.claim.announced_at) == (75_000, None)
    draw = crew.casino.draw().state.id
    (receipt,) = [job for job in crew.casino.engine.store.print_jobs(["queued"]) if job.kind == "winner_receipt"]
    assert (receipt.data["amount"], receipt.data["card"], receipt.draw) == (75_000, "1001", draw)
    assert amounts.in_words(receipt.data["amount"], "ZAR") == "Seven hundred and fifty rand"
    crew.ends_well()


def test_ss_c31_who_will_not_sign_is_not_paid(crew: CrewAtWork) -> None:
    crew.press("14:18:20", "take")
    crew.press("14:19:40", "found")
    crew.press("14:20:10", "check", **FOUND_CHECK)
    crew.press("14:20:20", "envelope", pocket="E-0001")
    for unsigned in ({"amount": 75_000}, {"amount": 75_000, "signature": {"width": 300, "height": 100, "strokes": []}}):
        with pytest.raises(Refused, match="SS_SIGNATURE_REQUIRED"):
            crew.press("14:20:50", "pay", **unsigned)
    store = crew.casino.engine.store
    row = store.envelope("E-0001")
    assert row is not None
    assert (crew.stage, crew.claim.prize, row.state, row.amount) == ("envelope", None, "presented", None)
    assert not [job for job in store.print_jobs(["queued"]) if job.kind == "winner_receipt"]
    # A21: she will not have it: the award counts as filled, not as paid; the envelope goes back to custody.
    assert crew.press("14:25:00", "refuse") == "refused"
    row = store.envelope("E-0001")
    assert row is not None
    assert (row.state, crew.claim.prize, crew.casino.draw().state.places[1].state) == ("to_return", None, "filled")
    crew.ends_well()


# -- the ninety seconds ----------------------------------------------------------------------------------------

WINDOW = [
    pytest.param(None, "14:21:29.900", "presented", id="SS-C32"),
    pytest.param(None, "14:21:30.000", "presented", id="SS-C33"),
    pytest.param(None, "14:21:30.001", "SS_LATE_AFTER_90S", id="SS-C34"),
    pytest.param(TWO_MINUTES, "14:22:00.000", "presented", id="SS-C33 flipped: 120 seconds"),
    pytest.param(TWO_MINUTES, "14:22:00.001", "SS_LATE_AFTER_90S", id="SS-C34 flipped: 120 seconds"),
]


@pytest.mark.parametrize(("book", "at", "answer"), WINDOW)
def test_at_the_stage_in_time_or_late(casinos: Casinos, book: bytes | None, at: str, answer: str) -> None:
    crew = CrewAtWork(casinos, book=book)
    crew.announced()
    if answer == "presented":
        assert crew.press(at, "present", by="mandla") == answer
        pay(crew, "14:22:40", STAGE_CHECK)
        assert not crew.casino.said("claim.expired")
    else:
        with pytest.raises(Refused, match=answer):
            crew.press(at, "present", by="mandla")
        crew.at("14:21:30.250" if book is None else "14:22:00.250")
        assert crew.claim.outcome == "expired"
        assert crew.selected_again() == PIETER
        with pytest.raises(Refused, match=answer):  # no claim right: she comes a minute later
            crew.press("14:23:10", "present", by="mandla")
    crew.ends_well()


def test_ss_c43_presented_in_time_counts_though_the_check_ends_later(crew: CrewAtWork) -> None:
    crew.announced()
    crew.press("14:21:20", "present", by="mandla")
    pay(crew, "14:22:20", STAGE_CHECK)
    assert (crew.claim.outcome, crew.claim.checked_at) == ("confirmed", crew.time("14:22:20"))
    crew.ends_well()


def test_ss_c45_a_slow_tablet_gains_nothing_the_server_s_clock_counts(crew: CrewAtWork) -> None:
    """Its clock is two minutes slow; the server has the press 90.4 s after the announcement."""
    crew.announced()
    late = crew.time("14:21:30.400")
    with pytest.raises(Refused, match="SS_LATE_AFTER_90S") as refusal:
        crew.press("14:21:30.400", "present", by="mandla", stamped=late, made_at=late - 120_000)
    assert "0.400 s late" in refusal.value.sentence
    crew.casino.tick()
    assert crew.claim.outcome == "expired"
    crew.ends_well()


# -- the register ----------------------------------------------------------------------------------------------

REGISTERED = [
    pytest.param(None, "held", id="SS-C35"),
    pytest.param(NO_HOLDING, "expired", id="SS-C35 flipped: the register changes nothing"),
]


@pytest.mark.parametrize(("book", "outcome"), REGISTERED)
def test_a_no_show_in_the_register(casinos: Casinos, book: bytes | None, outcome: str) -> None:
    """C35: held for her until 22 October, no re-selection; the rest of it is among the prizes' cases."""
    crew = CrewAtWork(casinos, signed=True, book=book)
    crew.announced()
    with pytest.raises(Refused, match="SS_LATE_AFTER_90S"):
        crew.press("14:21:30.001", "present", by="mandla")
    crew.at("14:21:30.250")
    assert crew.claim.outcome == outcome
    held = crew.casino.engine.store.held_prizes()
    if outcome == "held":
        assert [(row.ordinal, row.claim_by, row.state) for row in held] == [(0, "2023-10-22", "to_draw")]
        assert crew.casino.draw().state.places[1].state == "filled"
        crew.casino.tick()
        assert all(entry.data["after"] is None for entry in crew.casino.said("selection.made"))
    else:
        assert not held
        assert crew.selected_again() == PIETER
    crew.ends_well()


def test_ss_c37_nothing_is_drawn_on_her_behalf_before_the_ninety_seconds_are_over(casinos: Casinos) -> None:
    crew = CrewAtWork(casinos, signed=True)

    def draw_on_behalf(at: str) -> None:
        crew.at(at)
        said = {"pocket": "E-0001", "by": "sibusiso", "second": "kabelo", "now": crew.casino.clock.now()}
        prizes.draw_on_behalf(crew.casino.engine, crew.casino.draw(), 0, **said)

    crew.press("14:18:20", "take")
    for at in ("14:18:21", "14:19:41", "14:20:01", "14:21:30.000", "14:21:30.249"):
        with pytest.raises(Refused, match="X_CLAIM_STATE"):
            draw_on_behalf(at)
        if at == "14:18:21":
            crew.press("14:19:40", "not_there")
        if at == "14:19:41":
            crew.press("14:20:00", "announce", by="mandla")
    draw_on_behalf("14:21:30.250")
    row = crew.casino.engine.store.envelope("E-0001")
    assert row is not None
    assert (crew.claim.outcome, row.state) == ("held", "held")
    crew.ends_well()


def test_ss_c49_signing_while_the_window_is_open_is_too_late(crew: CrewAtWork) -> None:
    crew.announced()
    crew.at("14:20:40")
    signed = f"{SIGNED_HEADER}{THANDI},{iso(crew.casino.clock.now())},0820000001\n"
    crew.casino.load_lists(register=signed)
    crew.at("14:21:30.250")
    assert crew.claim.outcome == "expired"
    assert crew.selected_again() == PIETER
    crew.ends_well()


# -- another person, another place -----------------------------------------------------------------------------


@pytest.mark.parametrize("signed", [False, True], ids=["SS-C38", "SS-C39"])
def test_bongani_on_her_card_is_re_selected_at_once_register_or_not(casinos: Casinos, *, signed: bool) -> None:
    crew = CrewAtWork(casinos, signed=signed)
    crew.press("14:18:20", "take")
    assert crew.press("14:19:40", "other_person") == "not_rightful_card"
    assert not crew.casino.said("claim.announced")
    (misuse,) = crew.casino.said("claim.card_misused")
    assert (misuse.data["code"], misuse.actor) == ("SS_NOT_RIGHTFUL_OWNER", "crew:kabelo")
    assert not crew.casino.engine.store.held_prizes()
    assert crew.selected_again() == PIETER
    crew.ends_well()


@pytest.mark.parametrize("comes", [True, False], ids=["she comes", "she does not"])
def test_ss_c38_flipped_her_card_in_other_hands_leads_to_the_announcement(casinos: Casinos, *, comes: bool) -> None:
    """A-SS-10: `on.not_rightful_card = "announce"`."""
    crew = CrewAtWork(casinos, book=ANNOUNCE_MISUSE)
    crew.press("14:18:20", "take")
    assert crew.press("14:19:40", "other_person") == "not_there"
    (misuse,) = crew.casino.said("claim.card_misused")
    assert misuse.data["code"] == "SS_NOT_RIGHTFUL_OWNER"
    crew.press("14:20:00", "announce", by="mandla")
    if comes:
        crew.press("14:21:30", "present", by="mandla")
        pay(crew, "14:22:00", STAGE_CHECK)
    else:
        crew.at("14:21:30.250")
        assert crew.claim.outcome == "expired"
        assert crew.selected_again() == PIETER
    crew.ends_well()


def test_ss_c41_presenting_to_the_crew_at_another_device_does_not_count(crew: CrewAtWork) -> None:
    """She has moved to S-0500: that is "not there", she is announced, and only the stage counts."""
    crew.press("14:18:20", "take")
    assert crew.press("14:19:40", "not_there") == "not_there"
    for verb, said in (("found", {}), ("present", {}), ("check", FOUND_CHECK), ("envelope", {"pocket": "E-0001"})):
        with pytest.raises(Refused, match="X_CLAIM_STATE"):
            crew.press("14:19:50", verb, **said)
    crew.press("14:20:00", "announce", by="mandla")
    with pytest.raises(Refused, match="X_CLAIM_STATE"):
        crew.press("14:20:30", "found")
    crew.press("14:21:00", "present", by="mandla")
    with pytest.raises(Refused, match="X_CHECK_INCOMPLETE"):
        crew.press("14:21:10", "check", **FOUND_CHECK)  # the place is the stage, not the device
    pay(crew, "14:21:20", STAGE_CHECK)
    crew.ends_well()


MISMATCHES = [("card", "SS_CARD_MISMATCH"), ("owner", "SS_NOT_RIGHTFUL_OWNER")]


@pytest.mark.parametrize(("reason", "code"), MISMATCHES)
def test_ss_c42_her_sister_with_her_card_at_the_stage(casinos: Casinos, reason: str, code: str) -> None:
    crew = CrewAtWork(casinos)
    crew.announced()
    crew.press("14:21:00", "present", by="mandla")
    assert crew.press("14:21:20", "mismatch", reason=reason) == "not_rightful_card"
    (entry,) = crew.casino.said("claim.mismatch")
    assert entry.data["code"] == code
    assert crew.selected_again() == PIETER
    crew.ends_well()


def test_ss_c47_an_exclusion_entered_after_the_selection_keeps_her_from_the_prize(crew: CrewAtWork) -> None:
    crew.press("14:18:20", "take")
    crew.press("14:19:40", "found")
    crew.at("14:20:00")
    crew.casino.load_lists(exclusions=f"member,category,from,to,source\n{THANDI},refusal_of_entry,2023-10-07,,desk\n")
    assert crew.press("14:20:10", "check", **FOUND_CHECK) == "ineligible"
    assert crew.selected_again() == PIETER
    crew.ends_well()


# -- interrupted -----------------------------------------------------------------------------------------------


def _down(crew: CrewAtWork, since: str, until: str) -> None:
    crew.at(since)
    crew.casino.clock.set(crew.time(until))
    crew.casino.restart()
    house.start_log(crew.casino.engine, "test")
    crew.casino.tick()
    crew.casino.send()


def test_ss_c46_down_over_the_deadline_it_waits_for_two_people(crew: CrewAtWork) -> None:
    crew.announced()
    _down(crew, "14:20:30", "14:22:10")
    assert (crew.stage, crew.claim.review) == ("review", "SS_TIMER_INTERRUPTED")
    assert not crew.casino.said("claim.expired")
    crew.at("14:23:00")
    assert crew.stage == "review"
    # The default of A23: announced again, with ninety new seconds.
    said = TWO | {"now": crew.casino.clock.now()}
    assert reviews.decide(crew.casino.engine, crew.casino.draw(), 0, "again", **said) == "not_there"
    assert crew.press("14:23:30", "announce", by="mandla") == "announced"
    assert crew.claim.deadline_at == crew.time("14:25:00")
    assert crew.press("14:25:00", "present", by="mandla") == "presented"
    pay(crew, "14:25:30", STAGE_CHECK)
    crew.ends_well()


def test_ss_c46_down_within_the_window_alone_it_goes_on(crew: CrewAtWork) -> None:
    crew.announced()
    _down(crew, "14:20:30", "14:21:29.999")
    assert crew.stage == "announced"
    assert crew.press("14:21:30.000", "present", by="mandla") == "presented"
    pay(crew, "14:22:00", STAGE_CHECK)
    crew.ends_well()


# -- after the session's end -----------------------------------------------------------------------------------
# SS-C48 and SS-C50 are in test_worked_cases_attempts.py; SS-C61:


def test_ss_c61_a_registered_guest_who_does_not_play_is_never_selected(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists(register=f"{SIGNED_HEADER}{PIETER},{iso(jhb('13:20'))},0820000001\n")
    casino.rated(LERATO)
    casino.at("13:59")
    casino.finish("14:11")
    assert {row.person for row in casino.draw().rows.values()} == {LERATO}
    kept = casino.engine.store.verdicts(casino.draw().state.id)[0][2]
    assert verdicts.find(kept, PIETER) == []
