"""Known answers, by hand or from a table: what chance gives, the band, how rare, and many comparisons."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp

import pytest

from draw_engine.reports_chance import (
    AS_CHANCE,
    EXACT_UP_TO,
    OUTSIDE,
    RARE,
    Distribution,
    Judged,
    against,
    hypergeometric,
    judge,
    moments,
    overall,
    poisson_binomial,
    surprise,
)


def test_two_coins_and_a_die() -> None:
    """1/2, 1/2, 1/6: none 5/24, one 11/24, two 7/24, three 1/24; mean 7/6, variance 23/36."""
    made = poisson_binomial([(1, 2), (3, 6), (1, 6)])
    assert (made.mean, made.variance, made.first) == (Fraction(7, 6), Fraction(23, 36), 0)
    assert made.chances == pytest.approx([5 / 24, 11 / 24, 7 / 24, 1 / 24])


def test_what_is_certain_or_impossible_has_no_spread() -> None:
    made = poisson_binomial([(7, 7), (0, 5), (1, 4)])
    assert (made.mean, made.variance, made.first) == (Fraction(5, 4), Fraction(3, 16), 1)
    assert made.chances == pytest.approx([3 / 4, 1 / 4])


def test_nothing_at_all() -> None:
    assert against(0, []) == Judged(0, 0, Fraction(0), Fraction(0), 0, 0, 1.0)


def test_the_sum_is_exact_over_any_denominators() -> None:
    mean, variance = moments([(1, 3), (1, 7), (5, 11), (1, 7)])
    assert mean == Fraction(1, 3) + Fraction(2, 7) + Fraction(5, 11)
    assert variance == Fraction(2, 9) + 2 * Fraction(6, 49) + Fraction(30, 121)


def test_ten_coins() -> None:
    """Of 1024: 1, 10, 45 ...: P(0) + P(10) = 2/1024, P(<=1) = 11/1024 > 1/200 >= P(0): the band is 1 to 9."""
    judged = against(0, [(1, 2)] * 10)
    assert (judged.low, judged.high, judged.inside) == (1, 9, False)
    assert judged.rarity == pytest.approx(2 / 1024)
    assert against(5, [(1, 2)] * 10).rarity == 1.0
    assert against(8, [(1, 2)] * 10).rarity == pytest.approx(2 * 56 / 1024)


def test_a_hand_of_cards() -> None:
    """Aces in 5 of 52 cards: C(4,k) C(48,5-k) / C(52,5); mean 5/13, variance 5/13 * 12/13 * 47/51."""
    made = hypergeometric(5, 4, 52)
    assert made.mean == Fraction(5, 13)
    assert made.variance == Fraction(5, 13) * Fraction(12, 13) * Fraction(47, 51)
    assert made.chances == pytest.approx([comb(4, k) * comb(48, 5 - k) / comb(52, 5) for k in range(5)])


def test_everything_drawn_leaves_nothing_to_chance() -> None:
    made = hypergeometric(9, 4, 9)
    assert (made.mean, made.variance, made.first, list(made.chances)) == (4, 0, 4, [1.0])
    assert hypergeometric(0, 0, 0).mean == 0
    with pytest.raises(ValueError, match="parts of the whole"):
        hypergeometric(5, 1, 4)


def test_fisher_s_tea() -> None:
    """Fisher 1935: 8 cups, 4 with milk first, 4 named: all four right is 1 in 70."""
    judged = judge(4, 4, hypergeometric(4, 4, 8))
    assert judged.rarity == pytest.approx(2 / 70)
    assert judged.inside


@pytest.mark.parametrize("p", [(1, 2), (1, 10), (9, 10)])
def test_beyond_the_exact_ones_the_curve_is_close(p: tuple[int, int]) -> None:
    many = EXACT_UP_TO + 100
    curve = poisson_binomial([p] * many)
    part = p[0] / p[1]
    exact = [comb(many, k) * part**k * (1 - part) ** (many - k) for k in range(many + 1)]
    for k, chance in enumerate(curve.chances, curve.first):
        assert chance == pytest.approx(exact[k], abs=3e-4)
    assert sum(curve.chances) == pytest.approx(1)
    mean = many * part
    for seen in (round(mean * 0.9), round(mean), round(mean) + 20):
        judged = judge(seen, many, curve)
        exactly = judge(seen, many, Distribution(curve.mean, curve.variance, 0, exact))
        assert abs(judged.low - exactly.low) <= 1
        assert abs(judged.high - exactly.high) <= 1
        assert judged.rarity == pytest.approx(exactly.rarity, rel=0.05, abs=1e-6)


def test_rare_things_are_poisson() -> None:
    """2 000 chances of 1 in 1 000: P(0) = e^-2 but for a thousandth; and the same for what nearly always happens."""
    few = poisson_binomial([(1, 1000)] * 2000)
    assert few.chances[0] == pytest.approx(exp(-2), rel=2e-3)
    nearly = poisson_binomial([(999, 1000)] * 2000)
    last = nearly.first + len(nearly.chances) - 1
    assert last == 2000
    assert nearly.chances[-1] == pytest.approx(exp(-2), rel=2e-3)


def test_many_comparisons() -> None:
    assert [surprise(rarity, 100) for rarity in (0.5, 0.01, 0.009, 0.0001, 0.00009)] == [
        AS_CHANCE,
        AS_CHANCE,
        OUTSIDE,
        OUTSIDE,
        RARE,
    ]
    assert surprise(0.009, 0) == RARE, "one figure alone is its own report"


def test_overall_counts_only_what_could_have_been_otherwise() -> None:
    certain = against(3, [(1, 1)] * 3)
    rare = against(40, [(1, 2)] * 40)
    usual = against(20, [(1, 2)] * 40)
    outside = against(0, [(1, 2)] * 8)
    told = overall([certain, usual, usual, outside, rare])
    assert (told.comparisons, told.outside, told.rare) == (4, 2, 1)
