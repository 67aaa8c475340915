"""The decline register, by the ids of the worked cases (1.4): SS-C51 to SS-C61, and their flips."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from casino import Casino
from desk_words import code_of, desk_casino, refusal, sign, slips
from people_words import LERATO, PIETER, jhb
from small_book import Session, book_toml

from draw_engine.service import register

Casinos = Callable[..., Casino]

PROMOTION = (Session("first", "14:00", "16:00"), Session("second", "18:00", "20:00"))
WINDOWS = b'windows = [["08:00", "14:00"], ["14:10", "14:30"]]'
SATURDAY = date(2023, 10, 7)


def the_book(windows: bytes = b'windows = [["08:00", "14:00"], ["16:00", "18:00"]]') -> bytes:
    """The sessions and the register of the promotion's printed rules."""
    return book_toml(*PROMOTION).replace(WINDOWS, windows)


def at(casinos: Casinos, time: str, book: bytes | None = None) -> Casino:
    return desk_casino(casinos, book=the_book() if book is None else book, now=time)


def test_ss_c51_signed_a_second_before_the_session(casinos: Casinos) -> None:
    casino = at(casinos, "13:59:59")
    entry = sign(casino, PIETER)
    (kept,) = register.entries(casino.engine, SATURDAY)
    assert (kept.id, kept.member, kept.guest) == (entry, PIETER, "Pieter van der Merwe")
    (slip,) = slips(casino, "decline_slip")
    assert slip.data["covers"] == ["Playtime, first", "Playtime, second"]


@pytest.mark.parametrize("time", ["16:00:00.000", "17:59:59"])
def test_ss_c53_accepted(casinos: Casinos, time: str) -> None:
    casino = at(casinos, time)
    sign(casino, PIETER)
    (slip,) = slips(casino, "decline_slip")
    assert slip.data["covers"] == ["Playtime, second"]


@pytest.mark.parametrize("time", ["14:00:00.000", "15:59:59.999", "18:00:00.000", "19:00"])
def test_ss_c53_closed(casinos: Casinos, time: str) -> None:
    said = refusal(sign, at(casinos, time), PIETER)
    assert said.code == "SS_REGISTER_CLOSED"
    opens = "16:00" if time.startswith(("14", "15")) else "Saturday 14 October at 08:00"
    assert opens in said.sentence


def test_ss_c54_closed_between_session_two_and_the_draw(casinos: Casinos) -> None:
    assert code_of(sign, at(casinos, "20:30"), PIETER) == "SS_REGISTER_CLOSED"


def test_ss_c54_flip_a_window_before_the_draw(casinos: Casinos) -> None:
    windows = b'windows = [["08:00", "14:00"], ["16:00", "18:00"], ["20:00", "21:00"]]'
    assert sign(at(casinos, "20:30", the_book(windows)), PIETER) == 1


def test_ss_c55_with_the_strict_windows_it_is_closed_in_the_morning(casinos: Casinos) -> None:
    strict = the_book(b'windows = [["16:00", "18:00"]]')
    said = refusal(sign, at(casinos, "11:00", strict), PIETER)
    assert (said.code, "16:00" in said.sentence) == ("SS_REGISTER_CLOSED", True)


def test_ss_c55_flip_the_usual_windows_are_open_then(casinos: Casinos) -> None:
    assert sign(at(casinos, "11:00"), PIETER) == 1


def test_ss_c57_a_nominee_with_a_form_cannot_sign_for_another(casinos: Casinos) -> None:
    said = refusal(sign, at(casinos, "13:00"), PIETER, in_person=False)
    assert said.code == "SS_REGISTER_IN_PERSON_ONLY"
    assert "comes to the desk" in said.sentence


@pytest.mark.parametrize("shown", [("", ""), ("sa_id", ""), ("patron_manager", "4711")])
def test_ss_c58_no_identification(casinos: Casinos, shown: tuple[str, str]) -> None:
    casino = at(casinos, "13:00")
    assert code_of(sign, casino, PIETER, id_type=shown[0], id_number=shown[1]) == "SS_REGISTER_ID_REQUIRED"


def test_ss_c59_no_telephone_and_no_address(casinos: Casinos) -> None:
    assert code_of(sign, at(casinos, "13:00"), PIETER, phone="", email="") == "SS_REGISTER_CONTACT_REQUIRED"


def test_ss_c59_flip_a_book_that_asks_for_no_contact(casinos: Casinos) -> None:
    book = the_book().replace(b"contact_required = true", b"contact_required = false")
    assert sign(at(casinos, "13:00", book), PIETER, phone="", email="") == 1


def test_ss_c61_the_register_does_not_replace_play(casinos: Casinos) -> None:
    casino = at(casinos, "13:55")
    sign(casino, PIETER)
    casino.rated(LERATO)
    casino.send()
    casino.tick()
    casino.go(jhb("15:59"))
    chosen = {row.person for row in casino.draw().rows.values()}
    assert chosen == {LERATO}, "Pieter is at home: no card of his is in a machine"
