"""Which days and instants a book means: worked cases SS-C08, C09, C12 to C14, midnight and clock changes."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.calendar import (
    audience_on,
    award_numbers,
    draw_id,
    gaming_day,
    is_promotion_day,
    local,
    opens_at,
    promotion_days,
    session_bounds,
)
from draw_engine.rule_book import Audience, CalendarSpan, RuleBook
from draw_engine.rule_book_toml import read

BOOKS = Path(__file__).parents[2] / "config" / "rule_books"
PLAYTIME = read((BOOKS / "silverstar-playtime.toml").read_bytes())
SATURDAY = date(2023, 10, 7)
SATURDAYS = [
    *(date(2023, 10, day) for day in (7, 14, 21, 28)),
    *(date(2023, 11, day) for day in (4, 11, 18, 25)),
    *(date(2023, 12, day) for day in (2, 9)),
]


def ms(text):
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def moved(*, zone=PLAYTIME.zone, starts="06:00", frm="14:00", to="16:00", awards=35) -> RuleBook:
    plan = replace(PLAYTIME.draws[0], starts=time.fromisoformat(frm), ends=time.fromisoformat(to), awards=awards)
    return replace(PLAYTIME, zone=zone, day_starts_at=time.fromisoformat(starts), draws=(plan,))


def in_session(book, at):
    day = gaming_day(book, at)
    bounds = [session_bounds(book, plan, day) for plan in book.draws]
    return is_promotion_day(book, day) and any(start <= at < end for start, end in bounds)


def test_ss_c08_ten_saturdays_with_two_sessions_each():
    assert promotion_days(PLAYTIME) == SATURDAYS
    for day in SATURDAYS:
        assert [session_bounds(PLAYTIME, plan, day) for plan in PLAYTIME.draws] == [
            (ms(f"{day}T14:00:00+02:00"), ms(f"{day}T16:00:00+02:00")),
            (ms(f"{day}T18:00:00+02:00"), ms(f"{day}T20:00:00+02:00")),
        ]


@pytest.mark.parametrize("day", ["2023-09-30", "2023-10-13", "2023-12-16"], ids="SS-C09 {}".format)
def test_other_days_are_no_promotion_days(day):
    at = ms(f"{day}T14:30:00+02:00")
    assert gaming_day(PLAYTIME, at) == date.fromisoformat(day)
    assert not is_promotion_day(PLAYTIME, gaming_day(PLAYTIME, at))


@pytest.mark.parametrize(
    ("wall", "runs"),
    [
        pytest.param("13:59:59.999", False, id="before SS-C12"),
        pytest.param("14:00:00.000", True, id="SS-C12"),
        pytest.param("15:59:59.999", True, id="SS-C13 last"),
        pytest.param("16:00:00.000", False, id="SS-C13 end"),
        pytest.param("17:59:59.999", False, id="SS-C14 before"),
        pytest.param("18:00:00.000", True, id="SS-C14 first"),
        pytest.param("19:59:59.999", True, id="SS-C14 last"),
        pytest.param("20:00:00.000", False, id="SS-C14 end"),
    ],
)
def test_sessions_are_half_open(wall, runs):
    assert in_session(PLAYTIME, ms(f"2023-10-07T{wall}+02:00")) is runs


def test_a_draw_opens_before_its_start_and_has_the_days_id():
    plan = PLAYTIME.draws[1]
    assert opens_at(PLAYTIME, plan, SATURDAY) == ms("2023-10-07T17:45:00+02:00")
    assert draw_id(PLAYTIME, plan, SATURDAY) == "silverstar/playtime/2023-10-07/bonus-jackpot-2"


def test_awards_are_numbered_over_the_day_by_group():
    first, second = PLAYTIME.draws
    other = replace(first, id="other", group="other-awards", awards=3)
    book = replace(PLAYTIME, draws=(first, other, second))
    assert award_numbers(book, first) == tuple(range(1, 36))
    assert award_numbers(book, other) == (1, 2, 3)
    assert award_numbers(book, second) == tuple(range(36, 71))


def test_times_before_the_gaming_day_begins_belong_to_the_date_before():
    assert gaming_day(PLAYTIME, ms("2023-10-07T05:59:59.999+02:00")) == date(2023, 10, 6)
    assert gaming_day(PLAYTIME, ms("2023-10-07T06:00:00.000+02:00")) == SATURDAY
    assert gaming_day(PLAYTIME, ms("2023-10-08T05:59:59.999+02:00")) == SATURDAY


def test_a_window_over_midnight():
    book = moved(frm="23:00", to="02:00")
    bounds = session_bounds(book, book.draws[0], SATURDAY)
    assert bounds == (ms("2023-10-07T23:00:00+02:00"), ms("2023-10-08T02:00:00+02:00"))
    assert in_session(book, ms("2023-10-08T01:59:59.999+02:00"))
    assert not in_session(book, ms("2023-10-07T01:30:00+02:00"))


def test_a_window_wholly_after_midnight_is_the_next_civil_date():
    book = moved(frm="00:30", to="02:00")
    bounds = session_bounds(book, book.draws[0], SATURDAY)
    assert bounds == (ms("2023-10-08T00:30:00+02:00"), ms("2023-10-08T02:00:00+02:00"))
    assert opens_at(book, book.draws[0], SATURDAY) == ms("2023-10-08T00:15:00+02:00")


def test_a_window_may_fill_the_gaming_day():
    book = moved(frm="06:00", to="06:00")
    bounds = session_bounds(book, book.draws[0], SATURDAY)
    assert bounds == (ms("2023-10-07T06:00:00+02:00"), ms("2023-10-08T06:00:00+02:00"))


def test_midnight_can_be_the_days_beginning():
    book = moved(starts="00:00", frm="22:00", to="00:00")
    bounds = session_bounds(book, book.draws[0], SATURDAY)
    assert bounds == (ms("2023-10-07T22:00:00+02:00"), ms("2023-10-08T00:00:00+02:00"))


@pytest.mark.parametrize(
    ("day", "offset", "hours"),
    [
        pytest.param("2024-03-09", ("-05:00", "-04:00"), 3, id="New York, the clocks go forward"),
        pytest.param("2024-11-02", ("-04:00", "-05:00"), 5, id="New York, the clocks go back"),
        pytest.param("2024-06-01", ("-04:00", "-04:00"), 4, id="New York, no change"),
    ],
)
def test_a_night_in_which_the_clocks_change(day, offset, hours):
    book = moved(zone="America/New_York", frm="23:00", to="03:00")
    start, end = session_bounds(book, book.draws[0], date.fromisoformat(day))
    morrow = date.fromisoformat(day) + timedelta(days=1)
    assert start == ms(f"{day}T23:00:00{offset[0]}")
    assert end == ms(f"{morrow}T03:00:00{offset[1]}")
    assert end - start == hours * 3_600_000


def test_local_is_exact_to_the_millisecond():
    at = ms("2023-10-07T14:18:05.000+02:00") + 1
    shown = local("Africa/Johannesburg", at)
    assert shown.isoformat(timespec="milliseconds") == "2023-10-07T14:18:05.001+02:00"


def test_spans_with_dated_exceptions():
    span = CalendarSpan(weekdays=(2, 5), first=date(2023, 10, 4), last=date(2023, 10, 21), never=(date(2023, 10, 14),))
    extra = CalendarSpan(weekdays=(4,), first=date(2023, 12, 1), last=date(2023, 12, 29), only=(date(2023, 12, 15),))
    book = replace(PLAYTIME, calendar=(extra, span, span))
    days = ["2023-10-04", "2023-10-07", "2023-10-11", "2023-10-18", "2023-10-21", "2023-12-15"]
    assert [day.isoformat() for day in promotion_days(book)] == days
    every = [date(2023, 9, 1) + timedelta(days=n) for n in range(150)]
    assert [day for day in every if is_promotion_day(book, day)] == promotion_days(book)


def test_the_first_row_that_holds_the_day_is_the_audience():
    dated = Audience(tiers=("Gold",), zones=("MAIN",), dates=(date(2023, 10, 14),))
    always = PLAYTIME.audiences[0]
    book = replace(PLAYTIME, audiences=(dated, always))
    assert audience_on(book, date(2023, 10, 14)) == dated
    assert audience_on(book, SATURDAY) == always
    assert audience_on(replace(book, audiences=(dated,)), SATURDAY) is None


@settings(max_examples=60, deadline=None)
@given(
    zone=st.sampled_from(["Africa/Johannesburg", "America/New_York", "Australia/Sydney", "Asia/Kolkata", "UTC"]),
    starts=st.times(max_value=time(11, 59)).map(lambda t: t.replace(second=0, microsecond=0)),
    at=st.datetimes(datetime(2023, 1, 1), datetime(2025, 12, 31), timezones=st.just(UTC)),  # noqa: DTZ001 - hypothesis adds the zone
)
def test_every_instant_lies_in_its_gaming_day(zone, starts, at):
    wall = starts.isoformat("minutes")
    book = moved(zone=zone, starts=wall, frm=wall, to=wall)
    instant = (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    day = gaming_day(book, instant)
    shown = at.astimezone(local(zone, 0).tzinfo).replace(microsecond=at.microsecond // 1000 * 1000)
    assert day in {shown.date(), shown.date() - timedelta(days=1)}
    assert (day == shown.date()) is (shown.time() >= starts)
    assert local(zone, instant) == shown
