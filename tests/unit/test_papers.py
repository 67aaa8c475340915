"""Identification and contact as a guest gives them: SS-052, SS-053, SS-056; ambiguity A-SS-33."""

import pytest

from draw_engine.errors import Refused
from draw_engine.papers import Contact, contact, identification, last_four, masked


def code_of(call, *args, **named):
    with pytest.raises(Refused) as refused:
        call(*args, **named)
    return refused.value.code


@pytest.mark.parametrize(
    ("kind", "typed", "number"),
    [
        ("sa_id", "850312 0001 08 8", "8503120001088"),
        ("passport", "a0123-4567", "A01234567"),
        ("drivers_licence", "60450001xyz7", "60450001XYZ7"),
    ],
)
def test_a_paper_as_it_is_typed(kind, typed, number):
    shown = identification(kind, typed, "SS_ID_REQUIRED")
    assert (shown.type, shown.number) == (kind, number)
    assert number not in repr(shown)


@pytest.mark.parametrize(
    ("kind", "typed"),
    [
        ("sa_id", ""),
        ("sa_id", "850312000108"),
        ("sa_id", "85031200010888"),
        ("sa_id", "85031200O1088"),
        ("passport", "A1"),
        ("passport", "A" * 21),
        ("passport", "A123_567"),
        ("patron_manager", "A1234567"),
        ("", "8503120001088"),
        ("card", "8503120001088"),
    ],
)
def test_no_paper_is_refused_with_the_askers_code(kind, typed):
    assert code_of(identification, kind, typed, "SS_REGISTER_ID_REQUIRED") == "SS_REGISTER_ID_REQUIRED"
    assert code_of(identification, kind, typed, "SS_ID_REQUIRED") == "SS_ID_REQUIRED"


@pytest.mark.parametrize(
    ("phone", "email", "kept"),
    [
        ("082 000 0001", "", ("0820000001", "")),
        ("+27 (82) 000-0001", "", ("+27820000001", "")),
        ("", " thandi@example.com ", ("", "thandi@example.com")),
        ("0820000001", "t@mail.example.co.za", ("0820000001", "t@mail.example.co.za")),
    ],
)
def test_a_telephone_number_or_an_address_is_enough(phone, email, kept):
    left = contact(phone, email, required=True)
    assert (left.phone, left.email) == kept
    assert "0001" not in repr(left)
    assert "example" not in repr(left)


@pytest.mark.parametrize(
    ("phone", "email"),
    [
        ("", ""),
        ("  ", "  "),
        ("12345", ""),
        ("082 000 000x", ""),
        ("0" * 16, ""),
        ("", "thandi"),
        ("", "thandi@example"),
        ("", "thandi@@example.com"),
        ("0820000001", "thandi@"),
        ("", "t@" + "a" * 250 + ".com"),
    ],
)
def test_what_cannot_be_reached_is_refused(phone, email):
    assert code_of(contact, phone, email, required=True) == "SS_REGISTER_CONTACT_REQUIRED"


def test_a_book_that_asks_for_none_takes_none_but_no_wrong_one():
    assert contact("", "", required=False) == Contact("", "")
    assert code_of(contact, "12", "", required=False) == "SS_REGISTER_CONTACT_REQUIRED"


def test_a_slip_shows_the_end_of_a_number_and_the_beginning_of_an_address():
    assert last_four("8503120001088") == "1088"
    assert masked(Contact("0820000001", "thandi@example.com")) == "...0001, t...@example.com"
    assert masked(Contact("", "thandi@example.com")) == "t...@example.com"
    assert masked(Contact("0820000001", "")) == "...0001"
