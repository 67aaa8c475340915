"""What an envelope holds and what a tally says: SS-040, SS-045, worked cases SS-C69 and SS-C71."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.envelopes import (
    MOST_IN_A_BATCH,
    STATES,
    batch_name,
    fits,
    pocket_name,
    programme_gap,
    require_batch,
    require_fit,
    tally,
)
from draw_engine.errors import Refused
from draw_engine.rule_book import EnvelopePrize

PRIZE = EnvelopePrize(50_000, 100_000)
RANDS = 100


def refusal(call, *args):
    with pytest.raises(Refused) as refused:
        call(*args)
    return refused.value


@pytest.mark.parametrize(
    ("rands", "ok"),
    [(499, False), (500, True), (501, True), (1000, True), (1001, False), (0, False), (-500, False)],
    ids="SS-C69 R{}".format,
)
def test_ss_c69_five_hundred_to_a_thousand_rand_both_in(rands, ok):
    assert fits(rands * RANDS, [PRIZE]) is ok
    if not ok:
        assert refusal(require_fit, rands * RANDS, [PRIZE], "ZAR").code == "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE"


@pytest.mark.parametrize("cents", [50_001, 74_999, 99_950])
def test_whole_rands_only(cents):
    said = refusal(require_fit, cents, [PRIZE], "ZAR")
    assert said.code == "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE"
    assert "500 to 1000 whole ZAR" in said.sentence


def test_with_two_promotions_an_envelope_may_be_meant_for_either():
    other = EnvelopePrize(200_000, 200_000)
    assert fits(200_000, [PRIZE, other])
    assert not fits(150_000, [PRIZE, other])
    assert "500 to 1000 or 2000 to 2000" in refusal(require_fit, 150_000, [PRIZE, other], "ZAR").sentence


@pytest.mark.parametrize(
    ("amounts", "code"),
    [
        ({50_000: 1, 49_900: 1}, "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE"),
        ({50_000: 0}, "X_VALUE_WRONG"),
        ({50_000: 5, 60_000: -1}, "X_VALUE_WRONG"),
        ({}, "X_VALUE_WRONG"),
        ({50_000: MOST_IN_A_BATCH + 1}, "X_VALUE_WRONG"),
    ],
)
def test_a_batch_that_cannot_be(amounts, code):
    assert refusal(require_batch, amounts, [PRIZE], "ZAR").code == code


def test_a_batch_may_hold_one_envelope_or_the_most():
    require_batch({75_000: 1}, [PRIZE], "ZAR")
    require_batch({50_000: MOST_IN_A_BATCH - 1, 100_000: 1}, [PRIZE], "ZAR")


def test_names_of_pockets_and_batches():
    assert [pocket_name(number) for number in (1, 31, 9999, 10_000)] == ["E-0001", "E-0031", "E-9999", "E-10000"]
    assert [batch_name(number) for number in (1, 42)] == ["B-001", "B-042"]


def test_ss_c71_exactly_eight_hundred_thousand_is_not_over_it():
    stated = 800_000 * RANDS
    plan = 700 * 500 * RANDS + 450_000 * RANDS
    assert plan == stated
    assert programme_gap(plan, stated) == 0
    assert programme_gap(plan + 1 * RANDS, stated) is None
    assert programme_gap(plan + 1, stated) is None
    assert programme_gap(plan - 1, stated) == 1


def test_ss_045_with_seventy_envelopes_a_day_the_draws_must_carry_more_than_one_hundred_thousand():
    most = 10 * 70 * 1000 * RANDS
    assert programme_gap(most, 800_000 * RANDS) == 100_000 * RANDS
    assert programme_gap(most + 100_000 * RANDS, 800_000 * RANDS) == 0
    assert programme_gap(most + 100_000 * RANDS + 1, 800_000 * RANDS) is None


def test_a_tally_by_hand():
    states = [
        ("given", 75_000),
        ("given", 50_000),
        ("handed_over", 100_000),
        ("tray", None),
        ("held", None),
        ("to_return", None),
        ("withdrawn", None),
    ]
    found = tally(states, 500_000)
    assert (found.counted, found.given, found.handed_over, found.tray) == (7, 2, 1, 1)
    assert (found.held, found.to_return, found.withdrawn, found.presented, found.returned) == (1, 1, 1, 0, 0)
    assert found.given_total == 125_000
    assert found.opened_total == 225_000
    assert found.sealed_total == 275_000
    assert found.adds_up


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STATES), st.none() | st.integers(1, 10).map(lambda n: n * 10_000))))
def test_every_envelope_is_in_one_state(states):
    found = tally(states, 0)
    assert found.adds_up
    assert found.counted == len(states)


def test_nothing_else_is_a_state():
    with pytest.raises(KeyError):
        tally([("lost", None)], 0)
