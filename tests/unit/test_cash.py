"""Cash at day's end: the bounds of what is in opened envelopes, against every way they could have been taken."""

from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from draw_engine.cash import Bounds, Verdict, bounds, planned, still_closed, verdict
from draw_engine.rule_book import AwardGroup, EnvelopePrize
from draw_engine.rule_book_toml import read

SPAN = (50_000, 100_000)
TEN = {50_000: 3, 75_000: 4, 100_000: 3}

batch = st.dictionaries(st.integers(1, 9), st.integers(1, 3), min_size=1, max_size=3)


def spread(amounts):
    return [amount for amount, many in amounts.items() for _ in range(many)]


def test_by_hand_ten_envelopes_of_which_two_were_opened():
    """R 500 x3, R 750 x4, R 1 000 x3; R 500 and R 1 000 were given: R 500 x2, R 750 x4, R 1 000 x2 are closed."""
    typed = [50_000, 100_000]
    assert still_closed(TEN, typed) == {50_000: 2, 75_000: 4, 100_000: 2}
    assert bounds(TEN, typed, 0, SPAN) == Bounds(0, 0, agree=True)
    assert bounds(TEN, typed, 1, SPAN) == Bounds(50_000, 100_000, agree=True)
    assert bounds(TEN, typed, 3, SPAN) == Bounds(175_000, 275_000, agree=True)
    assert bounds(TEN, typed, 7, SPAN) == Bounds(500_000, 550_000, agree=True)
    assert bounds(TEN, typed, 8, SPAN) == Bounds(600_000, 600_000, agree=True)


@given(counted=batch, data=st.data())
@settings(max_examples=60)
def test_the_bounds_are_those_of_every_sub_multiset(counted, data):
    every = spread(counted)
    typed = data.draw(st.lists(st.sampled_from(range(len(every))), unique=True, max_size=len(every)))
    left = [amount for n, amount in enumerate(every) if n not in typed]
    opened = data.draw(st.integers(0, len(left)))
    sums = [sum(some) for some in combinations(left, opened)]
    found = bounds(counted, [every[n] for n in typed], opened, (1, 9))
    assert found == Bounds(min(sums), max(sums), agree=True)


@given(counted=batch, data=st.data())
@settings(max_examples=60)
def test_where_they_cannot_both_be_right_the_total_and_the_span_bound_it(counted, data):
    """The amounts of the closed ones are then unknown: any that an envelope may hold, whose sum is the total left."""
    low, high = 1, 9
    counted = dict(list(counted.items())[:2])
    many = sum(counted.values())
    typed = data.draw(st.lists(st.integers(low, high), min_size=max(1, many - 3), max_size=many))
    assume(still_closed(counted, typed) is None)
    closed, total = many - len(typed), sum(spread(counted)) - sum(typed)
    opened = data.draw(st.integers(0, closed))
    every = [some for some in product(range(low, high + 1), repeat=closed) if sum(some) == total]
    sums = [sum(some[:opened]) for some in every] or [opened * low, opened * high]
    assert bounds(counted, typed, opened, (low, high)) == Bounds(min(sums), max(sums), agree=False)


def test_an_amount_typed_more_often_than_counted_in():
    """Four of R 1 000 were typed, three were counted in: six are closed, R 3 500 by the total."""
    typed = [100_000] * 4
    assert still_closed(TEN, typed) is None
    assert bounds(TEN, typed, 6, SPAN) == Bounds(350_000, 350_000, agree=False)
    # Five of them: the sixth holds R 500 to R 1 000, and none of the five less than R 500.
    assert bounds(TEN, typed, 5, SPAN) == Bounds(250_000, 300_000, agree=False)
    assert bounds(TEN, typed, 1, SPAN) == Bounds(50_000, 100_000, agree=False)


def test_a_total_that_no_envelopes_have_leaves_the_span_alone():
    assert bounds({50_000: 2}, [100_000], 1, SPAN) == Bounds(50_000, 100_000, agree=False)


def test_an_amount_that_was_never_counted_in_is_a_disagreement():
    assert not bounds(TEN, [60_000], 1, SPAN).agree


PLAYTIME = read((Path(__file__).parents[2] / "config" / "rule_books" / "silverstar-playtime.toml").read_bytes())


def with_group(per, quota, *prizes):
    first, second = PLAYTIME.draws
    plans = tuple(
        replace(plan, prize=EnvelopePrize(*prize)) for plan, prize in zip((first, second), prizes, strict=True)
    )
    return replace(PLAYTIME, award_groups=(AwardGroup("bonus-jackpot", quota, per, carry=False),), draws=plans)


def test_ss_045_ten_days_of_seventy_envelopes_come_to_350_000_to_700_000_rand():
    assert planned(PLAYTIME, 10) == (350_000_00, 700_000_00)


def test_a_quota_of_the_whole_promotion_bounds_the_plan_by_its_smallest_and_its_largest_prizes():
    """Two sessions of 35 on ten days, but 400 envelopes in all: 350 of each session at most."""
    prizes = ((500_00, 600_00), (800_00, 1000_00))
    assert planned(with_group("day", 70, *prizes), 10) == (350 * 1300_00, 350 * 1600_00)
    assert planned(with_group("promotion", 400, *prizes), 10) == (
        350 * 500_00 + 50 * 800_00,
        350 * 1000_00 + 50 * 600_00,
    )


@pytest.mark.parametrize("opened", [-1, 9])
def test_no_more_are_opened_than_are_closed(opened):
    with pytest.raises(ValueError, match="more are opened"):
        bounds(TEN, [50_000, 50_000], opened, SPAN)


@pytest.mark.parametrize(
    ("found", "least", "most", "expected"),
    [
        (600, 600, 600, Verdict("agrees", 0, exact=True)),
        (599, 600, 600, Verdict("missing", 1, exact=True)),
        (601, 600, 600, Verdict("too_much", 1, exact=True)),
        (500, 500, 700, Verdict("possible", 0, exact=False)),
        (700, 500, 700, Verdict("possible", 0, exact=False)),
        (480, 500, 700, Verdict("missing", 20, exact=False)),
        (701, 500, 700, Verdict("too_much", 1, exact=False)),
    ],
)
def test_what_the_money_says(found, least, most, expected):
    assert verdict(found, least, most) == expected
