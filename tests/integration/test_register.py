"""The decline register: who may sign, in which order that is asked, what is kept of it, and when it counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from casino import Casino
from desk_words import (
    DRAWN,
    SA_ID,
    announced,
    code_of,
    desk_casino,
    no_show,
    refusal,
    select_alone,
    sign,
    slips,
    withdraw,
)
from people_words import JOHAN, LERATO, MEMBERS, NOBODY, PIETER, THANDI, THANDI_SECOND, jhb
from small_book import book_toml
from sqlalchemy import text

from draw_engine.canonical import read_json
from draw_engine.service import house, register
from draw_engine.store.unit_of_work import TransactionOfTables

Casinos = Callable[..., Casino]

SATURDAY = date(2023, 10, 7)
YOUNG = "100009"


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    """Five to two on Saturday: the register is open until two."""
    return desk_casino(casinos, now="13:55", members=MEMBERS + f"{YOUNG},Sizwe,Khoza,Gold,2005-10-08,,,\n")


# -- signing ----------------------------------------------------------------------------------------------------


def test_what_is_kept_of_an_entry(casino: Casino) -> None:
    entry = sign(casino, THANDI, email="thandi@example.com")
    (kept,) = register.entries(casino.engine, SATURDAY)
    assert (kept.id, kept.member, kept.guest, kept.clerk) == (entry, THANDI, "Thandi Mokoena", "desk:bheki")
    assert (kept.day, kept.signed_at, kept.in_force) == (SATURDAY, jhb("13:55"), True)
    assert (kept.identification.type, kept.identification.number) == ("sa_id", SA_ID)
    assert (kept.contact.phone, kept.contact.email) == ("0820000001", "thandi@example.com")
    casino.restart()
    assert register.entries(casino.engine, SATURDAY) == [kept]


def test_the_log_says_that_somebody_signed_and_not_who(casino: Casino) -> None:
    entry = sign(casino, THANDI)
    (said,) = casino.said("register.signed")
    assert (said.draw, said.actor, said.data) == (None, "desk:bheki", {"entry": entry, "day": "2023-10-07"})


def test_papers_contact_and_signature_lie_sealed(casino: Casino) -> None:
    sign(casino, THANDI, email="thandi@example.com")
    with casino.database.connect() as connection:
        (entry,) = connection.execute(text("SELECT * FROM register_entries")).mappings().all()
        (drawn,) = connection.execute(text("SELECT * FROM signatures")).mappings().all()
    for row in (entry, drawn):
        shown = repr(dict(row)).replace(repr(bytes(row["sealed"])), "")
        for secret in (SA_ID, "0820000001", "example.com", "strokes"):
            assert secret.encode() not in bytes(row["sealed"])
            assert secret not in shown
    assert drawn["under"] == "register 1"
    opened = casino.engine.vault.unseal("signature:register 1", bytes(drawn["sealed"]))
    assert read_json(opened) == DRAWN


def test_nothing_shown_of_an_entry_in_a_debug_output(casino: Casino) -> None:
    sign(casino, THANDI, email="thandi@example.com")
    told = repr(register.entries(casino.engine, SATURDAY)) + repr(casino.engine.store.register_entries("2023-10-07"))
    for secret in (SA_ID, "0820000001", "example", "Thandi", THANDI):
        assert secret not in told


def test_the_slip_shows_ends_of_numbers_alone(casino: Casino) -> None:
    entry = sign(casino, THANDI, email="thandi@example.com")
    (slip,) = slips(casino, "decline_slip")
    assert slip.use == "slips"
    assert slip.data == {
        "entry": entry,
        "promotion": "Playtime",
        "guest": "Thandi Mokoena",
        "card": "0001",
        "id_type": "sa_id",
        "id_number": "1088",
        "contact": "...0001, t...@example.com",
        "day": "2023-10-07",
        "covers": ["Playtime, first", "Playtime, second"],
        "signed_at": jhb("13:55"),
        "zone": "Africa/Johannesburg",
        "clerk": "bheki",
    }


def test_entries_are_numbered_over_the_days(casino: Casino) -> None:
    assert [sign(casino, THANDI), sign(casino, PIETER)] == [1, 2]
    casino.clock.set(jhb("2023-10-14 09:00"))
    assert sign(casino, THANDI) == 3
    assert [row.id for row in register.entries(casino.engine, date(2023, 10, 14))] == [3]


def test_any_member_may_sign_whatever_the_tier(casino: Casino) -> None:
    assert sign(casino, JOHAN) == 1


def test_a_number_is_read_in_its_composed_form(casinos: Casinos) -> None:
    composed, decomposed = "n\u00e9-1", "ne\u0301-1"
    casino = desk_casino(casinos, now="13:55", members=MEMBERS + f"{composed},Renée,Roux,Gold,1980-01-01,,,\n")
    sign(casino, f" {decomposed} ")
    (kept,) = register.entries(casino.engine, SATURDAY)
    assert kept.member == composed


# -- who may not ------------------------------------------------------------------------------------------------


def test_only_a_desk_or_a_manager_signs_guests_in(casino: Casino) -> None:
    for by in ("kabelo", "sibusiso", "zanele", "mandla", "nobody", ""):
        assert code_of(sign, casino, THANDI, by=by) == "X_NO_PERMISSION", by


def test_these_may(casino: Casino) -> None:
    for entry, (by, member) in enumerate([("bheki", THANDI), ("lindiwe", PIETER), ("nomvula", LERATO)], start=1):
        assert sign(casino, member, by=by) == entry


def test_only_members_sign(casino: Casino) -> None:
    strangers: list[Any] = ["999999", "", "100001x", 7]
    for member in strangers:
        assert code_of(sign, casino, member) == "SS_REGISTER_NOT_PARTICIPANT", member


@pytest.mark.parametrize(
    ("category", "code"),
    [
        ("refusal_of_entry", "SS_REFUSAL_OF_ENTRY"),
        ("self_excluded", "SS_SELF_EXCLUDED"),
        ("excluded_category", "SS_EXCLUDED_CATEGORY"),
        ("staff_or_related", "SS_STAFF_OR_RELATED"),
    ],
)
def test_exclusions_are_asked_again_on_every_number_of_the_guest(casino: Casino, category: str, code: str) -> None:
    house.load_list(casino.engine, "exclusions", f"{NOBODY}{THANDI_SECOND},{category},2023-01-01,,\n".encode())
    said = refusal(sign, casino, THANDI)
    assert said.code == code
    assert "Do not say why" in said.sentence


def test_an_exclusion_that_is_over_bars_nobody(casino: Casino) -> None:
    row = f"{NOBODY}{THANDI},self_excluded,2023-01-01,2023-10-06,\n"
    house.load_list(casino.engine, "exclusions", row.encode())
    assert sign(casino, THANDI) == 1


def test_under_age_today_and_of_age_tomorrow(casino: Casino) -> None:
    assert code_of(sign, casino, YOUNG) == "SS_UNDER_AGE"
    casino.clock.set(jhb("2023-10-14 09:00"))
    assert sign(casino, YOUNG) == 1


FAULTS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"by": "kabelo"}, "X_NO_PERMISSION"),
    ({"now": jhb("14:05")}, "SS_REGISTER_CLOSED"),
    ({"in_person": False}, "SS_REGISTER_IN_PERSON_ONLY"),
    ({"member": YOUNG}, "SS_UNDER_AGE"),
    ({"id_type": ""}, "SS_REGISTER_ID_REQUIRED"),
    ({"phone": ""}, "SS_REGISTER_CONTACT_REQUIRED"),
    ({"signature": None}, "SS_SIGNATURE_REQUIRED"),
)


def test_of_several_reasons_the_first_is_said(casino: Casino) -> None:
    said: dict[str, Any] = {"member": THANDI}
    for changed, code in reversed(FAULTS):
        said |= changed
        assert code_of(sign, casino, **said) == code


def test_presence_is_attested_or_it_is_not(casino: Casino) -> None:
    for in_person in (None, 1, "yes"):
        assert code_of(sign, casino, THANDI, in_person=in_person) == "SS_REGISTER_IN_PERSON_ONLY", in_person


def test_an_empty_signature_is_none(casino: Casino) -> None:
    for signed in (None, {}, {"width": 1, "height": 1, "strokes": []}):
        assert code_of(sign, casino, THANDI, signature=signed) == "SS_SIGNATURE_REQUIRED", signed
    assert register.entries(casino.engine, SATURDAY) == []


def test_a_person_signs_once_a_day_on_whatever_card(casino: Casino) -> None:
    sign(casino, THANDI)
    assert code_of(sign, casino, THANDI) == "X_ALREADY_DONE"
    said = refusal(sign, casino, THANDI_SECOND)
    assert (said.code, "13:55" in said.sentence) == ("X_ALREADY_DONE", True)
    sign(casino, PIETER)


def test_an_entry_without_its_slip_is_none(casino: Casino, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> int:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(TransactionOfTables, "add_print_job", broken)
        with pytest.raises(OSError, match="disk"):
            sign(casino, THANDI)
    casino.engine.ready()
    assert register.entries(casino.engine, SATURDAY) == []
    assert casino.engine.store.signature("register 1") is None
    assert casino.said("register.signed") == []
    assert sign(casino, THANDI) == 1


# -- withdrawing ------------------------------------------------------------------------------------------------


def test_an_entry_is_withdrawn_and_made_again(casino: Casino) -> None:
    entry = sign(casino, THANDI)
    withdraw(casino, entry)
    assert [row.in_force for row in register.entries(casino.engine, SATURDAY)] == [False]
    (said,) = casino.said("register.withdrawn")
    assert (said.draw, said.data) == (None, {"entry": entry})
    assert sign(casino, THANDI) == 2


WITHDRAWING: tuple[tuple[dict[str, Any], str], ...] = (
    ({"by": "kabelo"}, "X_NO_PERMISSION"),
    ({"now": jhb("14:05")}, "SS_REGISTER_CLOSED"),
    ({"in_person": False}, "SS_REGISTER_IN_PERSON_ONLY"),
    ({"id_type": "", "id_number": ""}, "SS_REGISTER_ID_REQUIRED"),
    ({"id_number": "8503120001089"}, "SS_REGISTER_ID_REQUIRED"),
)


def test_withdrawing_asks_for_the_same(casino: Casino) -> None:
    entry = sign(casino, THANDI)
    for changed, code in WITHDRAWING:
        assert code_of(withdraw, casino, entry, **changed) == code, changed


def test_another_paper_of_the_guest_will_do(casino: Casino) -> None:
    withdraw(casino, sign(casino, THANDI), id_type="passport", id_number="A1234567")


def test_entries_that_cannot_be_withdrawn(casino: Casino) -> None:
    entry = sign(casino, THANDI)
    assert code_of(withdraw, casino, entry + 1) == "X_NO_SUCH_ENTRY"
    withdraw(casino, entry)
    assert code_of(withdraw, casino, entry) == "X_ALREADY_DONE"
    other = sign(casino, PIETER)
    casino.clock.set(jhb("2023-10-14 09:00"))
    assert code_of(withdraw, casino, other) == "X_NO_SUCH_ENTRY"


# -- when it counts ---------------------------------------------------------------------------------------------


def registered(casino: Casino, ordinal: int = 0) -> bool:
    draw = casino.draw()
    return register.registered_before(casino.engine, draw, draw.state.claims[ordinal])


def test_signed_before_the_selection(casino: Casino) -> None:
    sign(casino, LERATO)
    select_alone(casino)
    assert registered(casino)
    casino.restart()
    assert registered(casino)


def test_not_signed(casino: Casino) -> None:
    sign(casino, PIETER)
    select_alone(casino)
    assert not registered(casino)


def test_withdrawn_before_the_selection_it_does_not_count(casino: Casino) -> None:
    withdraw(casino, sign(casino, LERATO))
    select_alone(casino)
    assert not registered(casino)


def test_signed_by_another_card_of_the_same_person(casino: Casino) -> None:
    sign(casino, PIETER)
    sign(casino, THANDI_SECOND)
    select_alone(casino, THANDI)
    assert registered(casino)
    no_show(casino, 0)
    assert casino.draw().state.claims[0].outcome == "held"


def test_two_cards_found_to_be_one_persons_after_the_signing(casinos: Casinos) -> None:
    apart = MEMBERS.replace(
        "200001,Thandi,Mokoena,Gold,1985-03-12,,,100001", "200001,Thandi,Mokoena,Gold,1985-03-12,,,"
    )
    casino = desk_casino(casinos, now="13:55", members=apart)
    sign(casino, THANDI_SECOND)
    casino.load_lists(members=MEMBERS)
    select_alone(casino, THANDI)
    assert registered(casino)


def test_a_list_loaded_since_the_selection_takes_nothing_back(casinos: Casinos) -> None:
    apart = MEMBERS.replace(
        "200001,Thandi,Mokoena,Gold,1985-03-12,,,100001", "200001,Thandi,Mokoena,Gold,1985-03-12,,,"
    )
    casino = desk_casino(casinos, now="13:55", members=apart)
    sign(casino, THANDI_SECOND)
    casino.load_lists(members=MEMBERS)
    select_alone(casino, THANDI)
    casino.clock.set(casino.engine.now() + 1_000)
    casino.load_lists(members=MEMBERS)
    assert registered(casino)
    casino.load_lists(members=apart)
    assert not registered(casino), "the lists do not say any more that the two cards are one person's"


def test_the_card_that_was_signed_with_may_have_left_the_list(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:55")
    sign(casino, THANDI_SECOND)
    select_alone(casino, THANDI)
    casino.clock.set(casino.engine.now() + 1_000)
    casino.load_lists(members=MEMBERS.replace("200001,Thandi,Mokoena,Gold,1985-03-12,,,100001\n", ""))
    assert registered(casino)


def test_it_counts_on_its_own_day_alone(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:55")
    sign(casino, LERATO)
    casino.clock.set(jhb("2023-10-14 13:55"))
    casino.load_lists()
    casino.rated(LERATO)
    casino.send()
    casino.tick()
    draw = casino.engine.draw("silverstar/playtime/2023-10-14/first")
    casino.go(min(place.turn.due for place in draw.state.places.values() if place.turn is not None))
    assert len(draw.state.claims) == 1
    assert not register.registered_before(casino.engine, draw, draw.state.claims[0])


def test_signed_at_the_very_instant_of_the_selection_it_does_not_count(casinos: Casinos) -> None:
    always = book_toml().replace(b'["08:00", "14:00"], ["14:10", "14:30"]', b'["06:00", "20:00"]')
    casino = desk_casino(casinos, now="13:55", book=always)
    casino.rated(LERATO)
    casino.send()
    casino.tick()
    casino.go(casino.moments()[0])
    sign(casino, LERATO)
    made = casino.draw().state.selections[0].at
    assert register.entries(casino.engine, SATURDAY)[0].signed_at == made
    assert not registered(casino)


def test_withdrawn_while_the_claim_runs_it_still_counts(casinos: Casinos) -> None:
    always = book_toml().replace(b'["08:00", "14:00"], ["14:10", "14:30"]', b'["06:00", "20:00"]')
    casino = desk_casino(casinos, now="13:55", book=always)
    entry = sign(casino, LERATO)
    select_alone(casino)
    announced(casino, 0)
    withdraw(casino, entry)
    assert registered(casino)


def test_a_book_that_selects_again_whoever_signed(casinos: Casinos) -> None:
    book = book_toml().replace(b'no_show_registered = "hold"', b'no_show_registered = "reselect"')
    casino = desk_casino(casinos, now="13:55", book=book)
    sign(casino, LERATO)
    select_alone(casino)
    assert not registered(casino)


def test_a_change_of_the_staff_list_takes_effect_at_once(casino: Casino) -> None:
    casino.engine.settings = replace(casino.engine.settings, staff={"bheki": "crew"})
    assert code_of(sign, casino, THANDI) == "X_NO_PERMISSION"
