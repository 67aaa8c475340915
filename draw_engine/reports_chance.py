"""What chance gives: how often something should have happened, how far chance alone may carry it, and how rare it is.

A count of independent happenings, each with its own chance p = w/T, is Poisson-binomial: mean = sum of p, variance =
sum of p (1 - p) (Wang 1993, Statistica Sinica 3, 295-312). Mean and variance are exact here: whole numbers over one
common denominator. Its distribution is the exact convolution for up to `EXACT_UP_TO` chances that are neither 0 nor 1;
beyond that the normal curve with the correction for skewness (Volkova 1996, Theory Probab. Appl. 40, 791-794), or the
Poisson distribution where the variance is small (Barbour and Hall 1984: wrong by at most the mean of p). An end of the
band may then be one off.

"n of N cases are one person's, K of N went a certain way: how many of theirs should have?" is hypergeometric (Fisher's
exact test): mean = nK/N, variance = nK(N-K)(N-n) / (N^2 (N-1)).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

Chance = tuple[int, int]
"""(w, T): the chance w/T, with 0 <= w <= T."""

EXACT_UP_TO = 400
_LITTLE = 9.0
"""A variance below this is not a normal curve's."""
TAIL = 0.005
"""On either side of the 99 % band."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """The chance of each count: `chances[i]` is that of `first + i`; mean and variance exact."""

    mean: Fraction
    variance: Fraction
    first: int
    chances: Sequence[float]


@dataclass(frozen=True, slots=True)
class Judged:
    """A count held against chance.

    `of`: how many could have been; `low`, `high`: the 99 % band, both ends in it: less than `low`, and more than
    `high`, comes with a chance of at most 1 in 200 each. `rarity`: the chance of a count at least as far out on its
    side, doubled (1: nothing is less surprising); it is below 0.01 exactly when the count lies outside the band.
    """

    observed: int
    of: int
    mean: Fraction
    variance: Fraction
    low: int
    high: int
    rarity: float

    @property
    def inside(self) -> bool:
        return self.low <= self.observed <= self.high


def moments(chances: Iterable[Chance]) -> tuple[Fraction, Fraction]:
    """(mean, variance) of the count: sum of w/T and sum of w(T-w)/T^2, exact."""
    first: dict[int, int] = {}
    second: dict[int, int] = {}
    for w, total in chances:
        first[total] = first.get(total, 0) + w
        second[total] = second.get(total, 0) + w * (total - w)
    common = math.lcm(*first) if first else 1
    mean = sum(w * (common // total) for total, w in first.items())
    variance = sum(w * (common // total) ** 2 for total, w in second.items())
    return Fraction(mean, common), Fraction(variance, common * common)


def poisson_binomial(chances: Sequence[Chance]) -> Distribution:
    """The count of happenings whose chances these are."""
    mean, variance = moments(chances)
    certain = sum(1 for w, total in chances if w == total)
    open_ones = [w / total for w, total in chances if 0 < w < total]
    if len(open_ones) <= EXACT_UP_TO:
        return Distribution(mean, variance, certain, _convolved(open_ones))
    around = float(mean) - certain
    if float(variance) < _LITTLE and around < len(open_ones) / 2:
        return Distribution(mean, variance, certain, _poisson(around))
    if float(variance) < _LITTLE:
        few = _poisson(len(open_ones) - around)
        return Distribution(mean, variance, certain + len(open_ones) - len(few) + 1, few[::-1])
    first, made = _curved(around, open_ones)
    return Distribution(mean, variance, certain + first, made)


def _convolved(chances: Sequence[float]) -> list[float]:
    """The exact distribution, one happening after the other: f(k) becomes f(k) (1-p) + f(k-1) p."""
    made = [1.0]
    for p in chances:
        q = 1.0 - p
        made = [stays * q + comes * p for stays, comes in zip([*made, 0.0], [0.0, *made], strict=True)]
    return made


def _poisson(mean: float) -> list[float]:
    made = [math.exp(-mean)]
    while len(made) < mean + 12 * math.sqrt(mean) + 40:
        made.append(made[-1] * mean / len(made))
    return made


def _curved(mean: float, chances: Sequence[float]) -> tuple[int, list[float]]:
    """(first count, chances) by the normal curve with Volkova's correction, twelve deviations to each side."""
    variance = math.fsum(p * (1 - p) for p in chances)
    skew: float = math.fsum(p * (1 - p) * (1 - 2 * p) for p in chances) / variance**1.5
    deviation = math.sqrt(variance)
    first = max(0, math.floor(mean - 12 * deviation))
    last = min(len(chances), math.ceil(mean + 12 * deviation))

    def up_to(count: int) -> float:
        z = (count + 0.5 - mean) / deviation
        curve = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        below: float = math.erfc(-z / math.sqrt(2)) / 2 + skew * (1 - z * z) * curve / 6
        return min(1.0, max(0.0, below))

    below = list(accumulate((up_to(count) for count in range(first, last)), max))
    return first, [b - a for a, b in zip([0.0, *below], [*below, 1.0], strict=True)]


def hypergeometric(drawn: int, marked: int, whole: int) -> Distribution:
    """How many marked ones are among `drawn` taken without return from `whole`, of which `marked` are marked."""
    if not 0 <= drawn <= whole or not 0 <= marked <= whole:
        raise ValueError("what is drawn and what is marked are parts of the whole")
    if whole == 0:
        return Distribution(Fraction(0), Fraction(0), 0, [1.0])
    mean = Fraction(drawn * marked, whole)
    spread = drawn * marked * (whole - marked) * (whole - drawn)
    variance = Fraction(spread, whole * whole * (whole - 1)) if whole > 1 else Fraction(0)
    least, most = max(0, drawn + marked - whole), min(drawn, marked)
    middle = min(most, max(least, round(mean)))
    up, down = [1.0], [1.0]
    for k in range(middle, most):
        up.append(up[-1] * (marked - k) * (drawn - k) / ((k + 1) * (whole - marked - drawn + k + 1)))
    for k in range(middle, least, -1):
        down.append(down[-1] * k * (whole - marked - drawn + k) / ((marked - k + 1) * (drawn - k + 1)))
    made = [*down[:0:-1], *up]
    everything = math.fsum(made)
    return Distribution(mean, variance, least, [one / everything for one in made])


def judge(observed: int, of: int, chance: Distribution) -> Judged:
    """The count held against its distribution."""
    below = 0.0  # the chance of less than `count`
    low, high = chance.first, chance.first + len(chance.chances) - 1
    for count, p in enumerate(chance.chances, chance.first):
        if below > TAIL:
            break
        low = count
        below += p
    above = 0.0
    for back, p in enumerate(reversed(chance.chances)):
        if above > TAIL:
            break
        high = chance.first + len(chance.chances) - 1 - back
        above += p
    at = observed - chance.first
    at_most = math.fsum(chance.chances[: max(0, at + 1)])
    at_least = math.fsum(chance.chances[max(0, at) :])
    return Judged(observed, of, chance.mean, chance.variance, low, high, min(1.0, 2 * min(at_most, at_least)))


def against(observed: int, chances: Sequence[Chance]) -> Judged:
    """A count of happenings held against their chances."""
    return judge(observed, len(chances), poisson_binomial(chances))


# -- many comparisons ---------------------------------------------------------------------------------------------

AS_CHANCE, OUTSIDE, RARE = "as_chance", "outside", "rare"
"""Within the band; outside, as a few of many comparisons are by chance; so rare that one of them all would be."""


def surprise(rarity: float, comparisons: int) -> str:
    """How surprising a figure is among so many (Bonferroni): RARE is below 0.01 divided by their number."""
    if rarity >= 2 * TAIL:
        return AS_CHANCE
    return OUTSIDE if rarity >= 2 * TAIL / max(1, comparisons) else RARE


@dataclass(frozen=True, slots=True)
class Overall:
    """Many comparisons together: how many could have shown something, how many lie outside, how many are rare."""

    comparisons: int
    outside: int
    rare: int


def overall(judged: Iterable[Judged]) -> Overall:
    """All of a report's figures together; those that could not have been otherwise are no comparison."""
    said = [one for one in judged if one.variance > 0]
    levels = [surprise(one.rarity, len(said)) for one in said]
    return Overall(len(said), sum(level != AS_CHANCE for level in levels), levels.count(RARE))
