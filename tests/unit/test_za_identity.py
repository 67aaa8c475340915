"""South African ID numbers: thirteen digits, a birth date, a check digit (Luhn); the age by the property's day."""

from __future__ import annotations

from datetime import date

import pytest

from draw_engine.errors import Refused
from kiosk.desk.za_identity import require_sound

DAY = date(2023, 10, 7)


def luhn(first: str) -> str:
    """The number with its check digit, worked out by hand's rule: every second digit doubled, from the right."""
    total = 0
    for at, digit in enumerate(reversed(first)):
        value = int(digit) * (2 if at % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return f"{first}{-total % 10}"


def code_of(number: str, *, kind: str = "sa_id") -> str:
    try:
        require_sound(kind, number, "SS_REGISTER_ID_REQUIRED", DAY)
    except Refused as refusal:
        return refusal.code
    return "sound"


@pytest.mark.parametrize("typed", [luhn("850312000108"), "850312 0001 081", "850312-0001-081"])
def test_a_sound_number_however_it_is_typed(typed: str) -> None:
    assert code_of(typed) == "sound"


@pytest.mark.parametrize("at", range(13))
def test_one_wrong_digit_is_found(at: int) -> None:
    number = luhn("850312000108")
    wrong = f"{number[:at]}{(int(number[at]) + 1) % 10}{number[at + 1 :]}"
    assert code_of(wrong) == "SS_REGISTER_ID_REQUIRED"


@pytest.mark.parametrize(
    "number", ["850312000108", luhn("851332000108"), luhn("850230000108"), "85031200O1081", "x" * 13]
)
def test_what_is_no_number_or_no_day_is_refused(number: str) -> None:
    assert code_of(number) == "SS_REGISTER_ID_REQUIRED"


@pytest.mark.parametrize(
    ("born", "code"),
    [
        pytest.param("051007", "sound", id="eighteen today"),
        pytest.param("051008", "SS_UNDER_AGE", id="eighteen tomorrow"),
        pytest.param("231007", "SS_UNDER_AGE", id="born today"),
        pytest.param("231008", "sound", id="born tomorrow is a hundred years ago"),
        pytest.param("000229", "sound", id="a leap day"),
    ],
)
def test_whoever_is_under_eighteen_by_the_paper(born: str, code: str) -> None:
    assert code_of(luhn(f"{born}000108")) == code


@pytest.mark.parametrize("kind", ["passport", "drivers_licence", ""])
def test_other_papers_are_not_judged(kind: str) -> None:
    assert code_of("A01234567", kind=kind) == "sound"
