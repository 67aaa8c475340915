"""Held prizes: the fifteenth day, the claim desk, the search for a winner (SS-074 to SS-076; A-SS-19, 31, 35)."""

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from draw_engine.held import CUSTODY, Attempt, claim_by, is_claim_desk, is_over, search
from draw_engine.rule_book_toml import read

BOOK = read((Path(__file__).parents[2] / "config" / "rule_books" / "silverstar-playtime.toml").read_bytes())
HELD = BOOK.held
SATURDAY = date(2023, 10, 7)
ROLLS = replace(HELD, roll_if_closed=True)


def test_day_fifteen_is_sunday_the_twenty_second():
    assert claim_by(SATURDAY, HELD) == date(2023, 10, 22)


@pytest.mark.parametrize(
    ("today", "over"),
    [
        (date(2023, 10, 7), False),
        (date(2023, 10, 21), False),
        pytest.param(date(2023, 10, 22), False, id="SS-C62 day 15"),
        pytest.param(date(2023, 10, 23), True, id="SS-C63 day 16"),
        (date(2023, 11, 22), True),
    ],
)
def test_the_last_day_counts_to_its_end(today, over):
    assert is_over(today, claim_by(SATURDAY, HELD)) is over


def test_ss_c65_a_closed_sunday_rolls_on_to_monday_where_the_book_says_so():
    assert claim_by(SATURDAY, ROLLS) == date(2023, 10, 23)
    assert not is_over(date(2023, 10, 23), claim_by(SATURDAY, ROLLS))
    assert is_over(date(2023, 10, 24), claim_by(SATURDAY, ROLLS))


@pytest.mark.parametrize("back", range(7))
def test_only_a_sunday_rolls(back):
    drawn = SATURDAY - timedelta(days=back)
    rolled = claim_by(drawn, ROLLS) - claim_by(drawn, HELD)
    assert rolled == timedelta(days=1 if (drawn + timedelta(days=15)).strftime("%a") == "Sun" else 0)


def test_the_days_are_the_books_own():
    assert claim_by(SATURDAY, replace(HELD, days=1)) == date(2023, 10, 8)
    assert claim_by(date(2024, 2, 28), replace(HELD, days=2)) == date(2024, 3, 1)
    assert claim_by(date(2023, 12, 9), HELD) == date(2023, 12, 24)


@pytest.mark.parametrize(
    ("desk", "ok"),
    [
        ("Customer Services Desk", True),
        ("Customer Service Desk", True),
        ("customer  services desk", True),
        ("Rewards Guest Relations Desk", False),
        ("Guest Relations Desk", False),
        ("Customer", False),
        ("", False),
    ],
    ids=lambda value: str(value) or "none",
)
def test_the_claim_desk_and_its_alias(desk, ok):
    assert is_claim_desk(desk, HELD) is ok


def test_another_books_desk_has_no_alias():
    cage = replace(HELD, desk="Cash Desk 2")
    assert is_claim_desk("Cash Desk 2", cage)
    assert not is_claim_desk("Customer Services Desk", cage)


def tries(*said):
    """(days after Saturday, channel, outcome) of each attempt."""
    return [Attempt(SATURDAY + timedelta(days=day), channel, outcome) for day, channel, outcome in said]


def test_three_attempts_over_two_days_and_two_channels_are_enough():
    found = search(tries((0, "phone", "no_answer"), (1, "sms", "message_left"), (1, "phone", "no_answer")), HELD)
    assert found.enough
    assert (found.attempts, found.reached) == (3, False)


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ([], (3, 2, 2)),
        ([(0, "phone", "no_answer")], (2, 1, 1)),
        ([(0, "phone", "no_answer"), (1, "sms", "no_answer")], (1, 0, 0)),
        ([(0, "phone", "no_answer"), (0, "sms", "no_answer"), (0, "email", "message_left")], (0, 0, 1)),
        ([(0, "phone", "no_answer"), (1, "phone", "no_answer"), (2, "phone", "no_answer")], (0, 1, 0)),
    ],
)
def test_what_is_missing_is_said(said, missing):
    found = search(tries(*said), HELD)
    assert not found.enough
    assert (found.missing_attempts, found.missing_channels, found.missing_days) == missing


def test_a_winner_who_was_reached_is_not_looked_for_any_more():
    assert search(tries((0, "phone", "reached")), HELD).enough


def test_the_least_number_is_the_books_own():
    once = replace(HELD, min_contact_attempts=1)
    assert search(tries((0, "phone", "no_answer")), once).enough
    assert not search([], once).enough
    assert search([], replace(HELD, min_contact_attempts=0)).enough


def test_marketing_lies_between_the_promotions_tray_and_the_claim_desk():
    assert CUSTODY["promotions"] == ("marketing",)
    assert "customer_services" in CUSTODY["marketing"]
    assert CUSTODY["customer_services"] == ("marketing",)
