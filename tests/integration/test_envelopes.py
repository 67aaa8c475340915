"""Envelopes: counted by two, drawn once, back into custody when nobody has them, counted again at the day's end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from casino import Casino
from desk_words import (
    checked,
    code_of,
    count,
    desk_casino,
    held_prize,
    kinds,
    pay,
    pocket_state,
    refusal,
    scan,
    select_alone,
)
from people_words import jhb
from small_book import FIRST, Session, book_toml
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from draw_engine.canonical import read_json
from draw_engine.errors import Refused
from draw_engine.service import claims, envelopes, reviews

Casinos = Callable[..., Casino]

SATURDAY = date(2023, 10, 7)
TEN = {50_000: 3, 75_000: 4, 100_000: 3}
TOTAL = 3 * 50_000 + 4 * 75_000 + 3 * 100_000


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    """Before the session; nothing has been counted in yet."""
    return desk_casino(casinos, now="13:59:40")


@pytest.fixture
def with_envelope(casino: Casino) -> Casino:
    """Ten envelopes; Lerato was found and checked, and has the envelope of E-0004 in her hand."""
    count(casino)
    select_alone(casino)
    checked(casino, 0)
    scan(casino, 0, "E-0004")
    return casino


def count_day(casino: Casino, left: Any, **changed: Any) -> envelopes.Variance:
    said: dict[str, Any] = {"by": "sibusiso", "second": "kabelo", "now": casino.engine.now()}
    return envelopes.count_day(casino.engine, left=left, **(said | changed))


def variance(casino: Casino, **asked: Any) -> envelopes.Variance:
    return envelopes.variance(casino.engine, casino.engine.now(), **asked)


# -- counting in ------------------------------------------------------------------------------------------------


def test_a_batch_is_counted_and_its_pockets_are_named(casino: Casino) -> None:
    assert count(casino) == "B-001"
    assert envelopes.tray(casino.engine) == [f"E-{n:04d}" for n in range(1, 11)]
    (said,) = casino.said("envelopes.counted")
    assert (said.draw, said.actor) == (None, "manager:nomvula")
    assert said.data == {
        "batch": "B-001",
        "envelopes": 10,
        "total": TOTAL,
        "by": ["crew:kabelo", "manager:nomvula"],
    }


def test_pockets_go_on_over_the_batches_and_a_restart(casino: Casino) -> None:
    count(casino)
    casino.restart()
    assert count(casino, {60_000: 2}) == "B-002"
    first, second = envelopes.batches(casino.engine)
    assert (first.first, first.last, first.left, first.total) == ("E-0001", "E-0010", 10, TOTAL)
    assert (second.first, second.last, second.left, second.total) == ("E-0011", "E-0012", 2, 120_000)
    assert second.by == ("crew:kabelo", "manager:nomvula")
    casino.restart()
    assert envelopes.tray(casino.engine)[-1] == "E-0012"


def test_ten_thousand_pockets_stay_in_order(casino: Casino) -> None:
    count(casino, {50_000: 9_999})
    count(casino, {50_000: 2})
    assert envelopes.tray(casino.engine)[-3:] == ["E-9999", "E-10000", "E-10001"]


def test_no_amount_belongs_to_a_pocket_before_it_is_opened(casino: Casino) -> None:
    count(casino)
    with casino.database.connect() as connection:
        rows = connection.execute(text("SELECT pocket, amount FROM envelopes")).all()
    assert {row.amount for row in rows} == {None}
    (batch,) = casino.engine.store.batches()
    assert read_json(batch.amounts.encode()) == {"50000": 3, "75000": 4, "100000": 3}


def test_two_people_count_and_one_is_from_marketing_or_a_manager(casino: Casino) -> None:
    for by, second, code in (
        ("nomvula", "nomvula", "X_SAME_PERSON"),
        ("nomvula", "", "X_SECOND_PERSON_REQUIRED"),
        ("", "nomvula", "X_SECOND_PERSON_REQUIRED"),
        ("kabelo", "ayanda", "X_NO_PERMISSION"),
        ("bheki", "lindiwe", "X_NO_PERMISSION"),
        ("nomvula", "nobody", "X_NO_PERMISSION"),
    ):
        assert code_of(count, casino, by=by, second=second) == code, (by, second)


def test_either_of_the_two_may_be_that_one(casino: Casino) -> None:
    assert count(casino, by="kabelo", second="sibusiso") == "B-001"
    assert count(casino, by="sibusiso", second="kabelo") == "B-002"
    assert count(casino, by="themba", second="nomvula") == "B-003"


IMPOSSIBLE: tuple[tuple[Any, str], ...] = (
    ({50_050: 1}, "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE"),
    ({}, "X_VALUE_WRONG"),
    ({50_000: 0}, "X_VALUE_WRONG"),
    ({50_000: True}, "X_VALUE_WRONG"),
    ({50_000: 1.0}, "X_VALUE_WRONG"),
    ({"50000": 1}, "X_VALUE_WRONG"),
)


def test_a_batch_that_cannot_be_is_not_counted(casino: Casino) -> None:
    for amounts, code in IMPOSSIBLE:
        assert code_of(count, casino, amounts) == code, amounts
    assert envelopes.batches(casino.engine) == []


def test_the_range_is_that_of_the_book(casinos: Casinos) -> None:
    book = book_toml(Session("first", "14:00", "14:10", prize=(100_000, 500_000)))
    casino = desk_casino(casinos, book=book)
    assert code_of(count, casino, {50_000: 1}) == "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE"
    assert count(casino, {500_000: 1}) == "B-001"


# -- drawn for a claim ------------------------------------------------------------------------------------------


def test_from_the_tray_to_the_guest(with_envelope: Casino) -> None:
    casino = with_envelope
    assert pocket_state(casino, "E-0004") == "presented"
    assert len(envelopes.tray(casino.engine)) == 9
    pay(casino, 75_000)
    row = casino.engine.store.envelope("E-0004")
    assert row is not None
    assert (row.state, row.amount, row.draw, row.ordinal) == ("given", 75_000, casino.draw().state.id, 0)


def test_an_amount_that_cannot_be_in_it(with_envelope: Casino) -> None:
    for amount in (49_900, 100_100, 75_050, 0, -50_000):
        assert code_of(pay, with_envelope, amount) == "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE", amount
    assert pocket_state(with_envelope, "E-0004") == "presented"


def test_a_winner_who_will_not_sign_has_not_been_paid(with_envelope: Casino) -> None:
    now, draw = with_envelope.engine.now(), with_envelope.draw()
    claims.refuse(with_envelope.engine, draw, 0, actor="crew:kabelo", now=now)
    assert pocket_state(with_envelope, "E-0004") == "to_return"
    assert "E-0004" not in envelopes.tray(with_envelope.engine)


def test_the_envelope_of_a_voided_claim_never_goes_into_the_tray_again(with_envelope: Casino) -> None:
    void(with_envelope, reselect=True)
    assert pocket_state(with_envelope, "E-0004") == "to_return"


def test_what_a_guest_was_paid_stays_given_when_the_claim_is_voided(with_envelope: Casino) -> None:
    pay(with_envelope, 75_000)
    void(with_envelope, reselect=False)
    assert pocket_state(with_envelope, "E-0004") == "given"


def void(casino: Casino, *, reselect: bool) -> None:
    engine, draw, now = casino.engine, casino.draw(), casino.engine.now()
    reviews.void(engine, draw, 0, by="nomvula", second="kabelo", reason="wrong guest", reselect=reselect, now=now)


def test_one_claim_has_one_envelope(with_envelope: Casino) -> None:
    engine, draw = with_envelope.engine, with_envelope.draw()

    def another(_: Casino) -> None:
        with engine.change() as work:
            envelopes.present(engine, work, draw, 0, "E-0005", engine.now())

    said = refusal(another, with_envelope)
    assert said.code == "SS_ENVELOPE_USED"
    assert "E-0004" in said.sentence


def test_the_database_itself_refuses_a_second_envelope_for_a_claim(with_envelope: Casino) -> None:
    draw = with_envelope.draw().state.id
    with pytest.raises(IntegrityError), with_envelope.database.begin() as connection:
        connection.execute(
            text("UPDATE envelopes SET state = 'presented', draw = :draw, ordinal = 0 WHERE pocket = 'E-0005'"),
            {"draw": draw},
        )


def test_an_envelope_that_is_not_presented_is_not_given(with_envelope: Casino) -> None:
    engine = with_envelope.engine

    def give(_: Casino) -> None:
        with engine.change() as work:
            envelopes.give(engine, work, "E-0005", 75_000, engine.now())

    assert code_of(give, with_envelope) == "SS_ENVELOPE_USED"


# -- taken out --------------------------------------------------------------------------------------------------


def withdraw(casino: Casino, pocket: str, **changed: Any) -> None:
    said: dict[str, Any] = {"by": "sibusiso", "second": "kabelo", "now": casino.engine.now()}
    envelopes.withdraw(casino.engine, pocket=pocket, **(said | changed))


def test_a_damaged_envelope_is_taken_out_by_two(casino: Casino) -> None:
    count(casino)
    withdraw(casino, "E-0002")
    assert pocket_state(casino, "E-0002") == "withdrawn"
    (said,) = casino.said("envelope.withdrawn")
    assert (said.draw, said.data) == (None, {"pocket": "E-0002", "by": ["crew:kabelo", "marketing:sibusiso"]})
    assert code_of(withdraw, casino, "E-0002") == "SS_ENVELOPE_USED"
    assert code_of(withdraw, casino, "E-0099") == "X_NO_SUCH_POCKET"
    assert code_of(withdraw, casino, "E-0003", second="sibusiso") == "X_SAME_PERSON"


# -- the day's count --------------------------------------------------------------------------------------------


def test_the_trays_are_counted_against_what_should_lie_in_them(with_envelope: Casino) -> None:
    found = count_day(with_envelope, 8)
    assert (found.expected, found.left, found.difference) == (9, 8, -1)
    (said,) = with_envelope.said("envelopes.day_counted")
    assert (said.draw, said.actor) == (None, "marketing:sibusiso")
    assert said.data == {
        "day": "2023-10-07",
        "left": 8,
        "expected": 9,
        "difference": -1,
        "by": ["crew:kabelo", "marketing:sibusiso"],
    }


def test_a_later_count_of_the_day_stands(with_envelope: Casino) -> None:
    count_day(with_envelope, 8)
    assert count_day(with_envelope, 9).difference == 0
    with_envelope.restart()
    assert variance(with_envelope).left == 9
    assert kinds(with_envelope).count("envelopes.day_counted") == 2


def test_a_count_that_cannot_be(casino: Casino) -> None:
    for left in (-1, 1.5, "9", None, True, 100_001):
        assert code_of(count_day, casino, left) == "X_VALUE_WRONG", left


def test_the_day_is_counted_by_two(casino: Casino) -> None:
    assert code_of(count_day, casino, 0, second="sibusiso") == "X_SAME_PERSON"
    assert code_of(count_day, casino, 0, by="kabelo", second="ayanda") == "X_NO_PERMISSION"


def test_no_sums_are_shown_before_the_day_is_closed(with_envelope: Casino) -> None:
    pay(with_envelope, 75_000)
    for found in (variance(with_envelope), variance(with_envelope, batch="B-001"), count_day(with_envelope, 9)):
        assert not found.closed
        assert found.given == 1
        assert {found.total, found.given_total, found.handed_over_total, found.sealed_total} == {None}
        assert "75000" not in repr(found)


def test_between_two_sessions_the_day_is_not_closed(with_envelope: Casino) -> None:
    pay(with_envelope, 75_000)
    with_envelope.finish("14:20")
    assert with_envelope.draw().state.closed_at is not None
    assert not variance(with_envelope).closed


def test_the_closed_day_adds_up(with_envelope: Casino) -> None:
    casino = with_envelope
    pay(casino, 75_000)
    casino.finish("14:50")
    assert {draw.state.closed_at is None for draw in casino.engine.draws.values()} == {False}
    found = variance(casino)
    assert found.closed
    paid = [claim.prize or 0 for draw in casino.engine.draws.values() for claim in draw.state.claims]
    assert (found.given, found.given_total) == (len(paid), sum(paid))
    assert found.counted == found.given + found.tray
    assert (found.total, found.sealed_total) == (TOTAL, TOTAL - sum(paid))
    assert variance(casino, day=SATURDAY).given == len(paid)
    assert variance(casino, day=date(2023, 10, 14)).given == 0


def test_each_batch_by_itself(with_envelope: Casino) -> None:
    casino = with_envelope
    pay(casino, 75_000)
    count(casino, {60_000: 2})
    first, second = variance(casino, batch="B-001"), variance(casino, batch="B-002")
    assert (first.counted, first.given, first.tray) == (10, 1, 9)
    assert (second.counted, second.given, second.tray) == (2, 0, 2)
    assert first.left is None, "the trays are counted together"
    with pytest.raises(Refused):
        variance(casino, batch="B-003")


def test_a_day_has_its_own_batches_and_its_own_draws(casinos: Casinos) -> None:
    casino = held_prize(casinos, book=book_toml(FIRST))
    casino.finish("14:20")
    later = jhb("2023-10-14 09:00")
    casino.clock.set(later)
    count(casino, {60_000: 2})
    first, second = variance(casino, day=SATURDAY), variance(casino, day=date(2023, 10, 14))
    assert (first.counted, first.held, second.counted, second.held) == (10, 1, 2, 0)
    assert not first.closed, "today's session is still to come: yesterday's sums say what is left for it"
    casino.clock.set(jhb("2023-10-15 09:00"))
    assert variance(casino, day=SATURDAY).closed
    assert variance(casino, day=SATURDAY).total == TOTAL


def test_a_count_is_of_its_own_day(casino: Casino) -> None:
    count(casino)
    count_day(casino, 10)
    casino.clock.set(jhb("2023-10-08 09:00"))
    assert variance(casino).left is None
    assert variance(casino, day=SATURDAY).left == 10
