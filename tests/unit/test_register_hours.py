"""The decline register's hours: SS-050, worked cases SS-C51, C53 to C55, ambiguity A-SS-05 and its flip."""

from dataclasses import replace
from datetime import date, time
from pathlib import Path

import pytest
from floor_words import jhb

from draw_engine.register import covered_by, hours, open_books, windows_on
from draw_engine.rule_book_toml import read

PLAYTIME = read((Path(__file__).parents[2] / "config" / "rule_books" / "silverstar-playtime.toml").read_bytes())
SATURDAY = date(2023, 10, 7)


def with_windows(*windows, book=PLAYTIME, **changed):
    pairs = tuple((time.fromisoformat(opens), time.fromisoformat(closes)) for opens, closes in windows)
    return replace(book, register=replace(book.register, windows=pairs), **changed)


def is_open(text, *books):
    return hours(books or [PLAYTIME], jhb(f"2023-10-07 {text}")).open


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        pytest.param("07:59:59.999", False, id="before the first window"),
        pytest.param("08:00:00.000", True, id="from the first instant"),
        pytest.param("13:59:59.000", True, id="SS-C51 13:59:59"),
        pytest.param("13:59:59.999", True, id="the last instant before session 1"),
        pytest.param("14:00:00.000", False, id="session 1 starts"),
        pytest.param("15:59:59.999", False, id="the last instant of session 1"),
        pytest.param("16:00:00.000", True, id="SS-C53 16:00:00"),
        pytest.param("17:59:59.000", True, id="SS-C53 17:59:59"),
        pytest.param("18:00:00.000", False, id="SS-C53 18:00:00"),
        pytest.param("20:30:00.000", False, id="SS-C54 20:30"),
    ],
)
def test_the_windows_are_half_open(at, expected):
    assert is_open(at) is expected


def test_ss_c55_the_strict_reading_keeps_the_second_window_alone():
    strict = with_windows(("16:00", "18:00"))
    assert is_open("11:00:00.000")
    assert not is_open("11:00:00.000", strict)
    assert is_open("17:00:00.000", strict)


@pytest.mark.parametrize(
    ("at", "until", "opens_at"),
    [
        ("2023-10-07 07:00", None, "2023-10-07 08:00"),
        ("2023-10-07 09:00", "2023-10-07 14:00", None),
        ("2023-10-07 14:00", None, "2023-10-07 16:00"),
        ("2023-10-07 16:30", "2023-10-07 18:00", None),
        ("2023-10-07 18:00", None, "2023-10-14 08:00"),
        ("2023-10-11 12:00", None, "2023-10-14 08:00"),
        ("2023-10-28 23:00", None, "2023-11-04 08:00"),
        ("2023-12-09 18:00", None, None),
        ("2024-01-06 12:00", None, None),
    ],
    ids=lambda text: text or "never",
)
def test_it_says_until_when_or_when_it_opens_next(at, until, opens_at):
    found = hours([PLAYTIME], jhb(at))
    assert found.open is (until is not None)
    assert found.until == (until and jhb(until))
    assert found.opens_at == (opens_at and jhb(opens_at))


def test_a_day_that_is_no_promotion_day_has_no_window():
    assert windows_on(PLAYTIME, date(2023, 10, 6)) == []
    assert not hours([PLAYTIME], jhb("2023-10-06 09:00")).open


def test_a_book_without_a_register_never_opens_it():
    silent = replace(PLAYTIME, register=None)
    found = hours([silent], jhb("2023-10-07 09:00"))
    assert (found.open, found.until, found.opens_at) == (False, None, None)
    assert hours([], 0).opens_at is None


def test_several_books_are_open_as_long_as_one_of_them_is():
    longer = with_windows(("08:00", "15:00"), ("17:00", "19:00"), id="other")
    both = [PLAYTIME, longer]
    assert hours(both, jhb("2023-10-07 13:00")).until == jhb("2023-10-07 15:00")
    assert hours(both, jhb("2023-10-07 15:00")).opens_at == jhb("2023-10-07 16:00")
    assert [book.id for book in open_books(both, jhb("2023-10-07 14:30"))] == ["other"]
    assert open_books(both, jhb("2023-10-07 20:00")) == []


def test_a_window_after_midnight_belongs_to_the_day_before():
    late = with_windows(("22:00", "23:00"), ("01:00", "02:00"))
    found = hours([late], jhb("2023-10-07 23:30"))
    assert found.opens_at == jhb("2023-10-08 01:00")
    assert hours([late], jhb("2023-10-08 01:30")).open


def test_the_windows_stand_in_order_of_time_whatever_the_books_order():
    turned = with_windows(("16:00", "18:00"), ("08:00", "14:00"))
    assert windows_on(turned, SATURDAY) == windows_on(PLAYTIME, SATURDAY)
    assert hours([turned], jhb("2023-10-07 07:00")).opens_at == jhb("2023-10-07 08:00")


def test_an_entry_covers_every_session_of_the_day_that_has_not_ended():
    first, second = (plan.title for plan in PLAYTIME.draws)
    assert covered_by(PLAYTIME, SATURDAY, jhb("2023-10-07 13:59:59")) == [first, second]
    assert covered_by(PLAYTIME, SATURDAY, jhb("2023-10-07 16:00")) == [second]
    assert covered_by(PLAYTIME, SATURDAY, jhb("2023-10-07 20:00")) == []
