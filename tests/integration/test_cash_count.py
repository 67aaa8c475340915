"""Cash at day's end: two people, once the day is closed, against what the closed envelopes must hold (rule 14)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from casino import Casino
from desk_words import code_of, count, desk_casino, held_prize, later, refusal
from small_book import FIRST, SECOND, book_toml

from draw_engine.service import cash, envelopes
from draw_engine.service.prize_ports import CashCountRow

Casinos = Callable[..., Casino]

TEN = (50_000, 50_000, 50_000, 75_000, 75_000, 75_000, 75_000, 100_000, 100_000, 100_000)
"""The batch that `count` counts in."""


@pytest.fixture
def closed(casinos: Casinos) -> Casino:
    """The only session is over: Lerato's envelope is held, others were paid R 750 each, the rest lie in the tray."""
    casino = held_prize(casinos, book=book_toml(FIRST))
    casino.finish("14:20")
    return casino


def count_cash(casino: Casino, opened: Any, cents: Any, **changed: Any) -> CashCountRow:
    said: dict[str, Any] = {"by": "sibusiso", "second": "kabelo", "now": casino.engine.now()}
    return cash.count_cash(casino.engine, opened=opened, cents=cents, **(said | changed))


def amounts_closed(casino: Casino) -> list[int]:
    """By hand: the ten, without one of each amount that was typed."""
    left = list(TEN)
    for row in casino.engine.store.envelopes():
        if row.amount is not None:
            left.remove(row.amount)
    return left


def in_tray(casino: Casino) -> int:
    return len(envelopes.tray(casino.engine))


def test_the_sum_lies_between_that_of_the_smallest_and_of_the_largest(closed: Casino) -> None:
    """One of the closed ones is held, and nobody knows which amount is in it."""
    opened, left = in_tray(closed), amounts_closed(closed)
    assert len(left) == opened + 1
    sums = [sum(some) for some in combinations(left, opened)]
    found = count_cash(closed, opened, max(sums))
    assert (found.least, found.most, found.agree) == (min(sums), max(sums), True)
    (said,) = closed.said("cash.counted")
    assert (said.draw, said.actor) == (None, "marketing:sibusiso")
    assert said.data == {
        "day": "2023-10-07",
        "envelopes": opened,
        "cents": max(sums),
        "least": min(sums),
        "most": max(sums),
        "by": ["crew:kabelo", "marketing:sibusiso"],
    }


def test_all_closed_ones_come_to_exactly_the_rest(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:55", book=book_toml(FIRST))
    count(casino)
    casino.finish("14:20")
    found = count_cash(casino, 10, 700_000)
    assert (found.least, found.most) == (sum(TEN), sum(TEN))
    assert casino.engine.store.cash_count("2023-10-07") == found


def test_those_taken_out_and_given_back_count_with_the_tray_and_held_ones_never(closed: Casino) -> None:
    envelopes.withdraw(closed.engine, pocket="E-0010", by="nomvula", second="kabelo", now=closed.engine.now())
    nobodys = in_tray(closed) + 1
    assert code_of(count_cash, closed, nobodys + 1, 500_000) == "X_VALUE_WRONG"
    assert "held" in refusal(count_cash, closed, nobodys + 1, 500_000).sentence
    later(closed, "2023-10-24 12:00")
    closed.tick()  # the held prize's last day is over: its envelope is to be given back
    left = amounts_closed(closed)
    found = count_cash(closed, nobodys + 1, sum(left))
    assert (found.least, found.most) == (sum(left), sum(left))


def test_what_was_typed_more_often_than_counted_in_is_said(casinos: Casinos) -> None:
    """R 650 was typed and never counted in: the total and the range alone bound what the others hold."""
    casino = held_prize(casinos, book=book_toml(FIRST))
    count(casino, {60_000: 2})
    casino.finish("14:20")
    typed = [row.amount for row in casino.engine.store.envelopes() if row.amount is not None]
    assert typed
    with casino.engine.change() as work:
        given = next(row for row in casino.engine.store.envelopes() if row.amount is not None)
        work.put_envelope(given.pocket, "given", at=casino.engine.now(), amount=65_000)
    total = sum(TEN) + 120_000 - (sum(typed) - typed[0] + 65_000)
    opened = in_tray(casino)
    found = count_cash(casino, opened, total - 100_000)
    # One more than they is closed, the held one: it holds R 500 to R 1 000.
    assert (found.least, found.most, found.agree) == (total - 100_000, total - 50_000, False)


def test_a_later_count_of_the_day_stands_also_over_a_restart(closed: Casino) -> None:
    count_cash(closed, 1, 50_000)
    second = count_cash(closed, 1, 75_000)
    closed.restart()
    assert closed.engine.store.cash_count("2023-10-07") == second
    assert closed.engine.store.cash_count("2023-10-08") is None
    assert len(closed.said("cash.counted")) == 2


@pytest.mark.parametrize(
    ("opened", "cents", "code"),
    [
        (0, 0, "X_VALUE_WRONG"),
        (-1, 50_000, "X_VALUE_WRONG"),
        (True, 50_000, "X_VALUE_WRONG"),
        ("1", 50_000, "X_VALUE_WRONG"),
        (1, -100, "X_VALUE_WRONG"),
        (1, 500.0, "X_VALUE_WRONG"),
        (1, 50_050, "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE"),
        (1_000, 50_000, "X_VALUE_WRONG"),
    ],
)
def test_what_cannot_have_been_opened_or_found(closed: Casino, opened: Any, cents: Any, code: str) -> None:
    assert code_of(count_cash, closed, opened, cents) == code


def test_two_people_count_it_and_one_is_from_marketing_or_a_manager(closed: Casino) -> None:
    assert code_of(count_cash, closed, 1, 50_000, second="sibusiso") == "X_SAME_PERSON"
    assert code_of(count_cash, closed, 1, 50_000, second="") == "X_SECOND_PERSON_REQUIRED"
    assert code_of(count_cash, closed, 1, 50_000, by="kabelo", second="ayanda") == "X_NO_PERMISSION"


def test_before_the_day_is_closed_nothing_is_counted_and_it_says_when(casinos: Casinos) -> None:
    casino = held_prize(casinos, book=book_toml(FIRST, SECOND))
    for shown in (1, 5):
        said = refusal(count_cash, casino, shown, 50_000)
        assert said.code == "X_DAY_NOT_CLOSED"
        assert "after 14:40" in said.sentence, "the second session's end"
    casino.finish("14:20")
    assert casino.draw().state.closed_at is not None
    assert code_of(count_cash, casino, 1, 50_000) == "X_DAY_NOT_CLOSED", "between two sessions"


def test_a_draw_that_is_still_open_after_its_end_keeps_the_cash_closed(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:55", book=book_toml(FIRST))
    count(casino)
    casino.rated("100003")
    casino.send()
    casino.tick()
    casino.go(casino.moments()[-1])
    casino.at("14:10")
    assert casino.draw().state.closed_at is None
    said = refusal(count_cash, casino, 1, 50_000)
    assert said.code == "X_DAY_NOT_CLOSED"
    assert "last claims" in said.sentence
