"""Selections are uniform, at every place, and follow the weights: chi-square at 99 % over a million of them.

Seeds are fixed, so the result is; they were chosen once, with the tests, and not until a test passed.
"""

import hashlib
import math
from collections import Counter
from functools import cache

import pytest

from draw_engine.pool import Pool
from draw_engine.selection import public_digest, ticket

PUBLIC = public_digest([])
STREAM = 300_000  # ordinals of one draw
DRAWS = 57_000  # draws of five places each, about 7.65 selections a draw
WEIGHED = 265_000


def seed_of(name):
    return hashlib.sha256(b"floordraw selection quality " + name.encode()).digest()


def pool_of(weights):
    return Pool.of((hashlib.sha256(b"quality %d" % i).digest()[:16], weight) for i, weight in enumerate(weights))


def selections(pool, seed, count):
    return [
        ticket(seed, draw="quality/1", ordinal=n, root=pool.root, size=pool.size, total=pool.total, public=PUBLIC)
        for n in range(count)
    ]


def chi_square(observed, expected):
    """`observed` counts by outcome against `expected` chances by outcome; every outcome expected is counted."""
    whole = sum(observed.values())
    assert set(observed) <= set(expected)
    assert sum(expected.values()) == pytest.approx(1)
    return sum((observed[key] - whole * p) ** 2 / (whole * p) for key, p in expected.items())


def tail(x, df):
    """How likely a chi-square value of x or more is by chance: the closed sums for whole degrees of freedom."""
    half = x / 2
    if df % 2:
        terms = (half ** (k - 0.5) / math.gamma(k + 0.5) for k in range(1, (df + 1) // 2))
        return math.erfc(math.sqrt(half)) + math.exp(-half) * sum(terms)
    return math.exp(-half) * sum(half**k / math.factorial(k) for k in range(df // 2))


@pytest.mark.parametrize(("df", "critical"), [(1, 6.635), (5, 15.086), (6, 16.812), (9, 21.666), (99, 134.642)])
def test_the_measure_has_the_published_critical_values(df, critical):
    """NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4, upper tail, 0.99."""
    assert tail(critical, df) == pytest.approx(0.01, rel=1e-3)


def uniform(outcomes):
    return dict.fromkeys(outcomes, 1 / len(outcomes))


@cache
def stream():
    return selections(pool_of([1] * 10), seed_of("stream"), STREAM)


def test_over_the_ordinals_of_a_draw_every_entrant_is_as_likely():
    assert tail(chi_square(Counter(stream()), uniform(range(10))), 9) > 0.01


def test_a_selection_says_nothing_of_the_next():
    made = stream()
    pairs = Counter(zip(made[0::2], made[1::2], strict=True))
    assert tail(chi_square(pairs, uniform([(a, b) for a in range(10) for b in range(10)])), 99) > 0.01


def walk(pool, seed, places):
    """The refs of an electronic draw in order of place: a ref selected before is a duplicate, the next is taken."""
    found = []
    ordinal = 0
    while len(found) < places:
        at = ticket(
            seed,
            draw="quality/2",
            ordinal=ordinal,
            root=pool.root,
            size=pool.size,
            total=pool.total,
            public=PUBLIC,
        )
        ref, _ = pool.entry_at(at)
        if ref not in found:
            found.append(ref)
        ordinal += 1
    return found


def test_at_every_place_every_entrant_is_as_likely():
    pool = pool_of([1] * 7)
    by_place = [Counter() for _ in range(5)]
    for n in range(DRAWS):
        for place, ref in enumerate(walk(pool, seed_of(f"places {n}"), 5)):
            by_place[place][ref] += 1
    for observed in by_place:
        assert sum(observed.values()) == DRAWS
        assert tail(chi_square(observed, uniform(list(pool.refs()))), 6) > 0.01


def test_chances_are_as_the_weights():
    weights = [1, 2, 3, 5, 8, 13]
    pool = pool_of(weights)
    observed = Counter(pool.entry_at(at) for at in selections(pool, seed_of("weights"), WEIGHED))
    chances = {entry: entry[1] / 32 for entry in map(pool.entry_at, range(32))}
    assert len(chances) == 6
    assert tail(chi_square(observed, chances), 5) > 0.01
    for entry, p in chances.items():  # each within its own 99 % bounds (2.576 standard deviations)
        assert abs(observed[entry] - WEIGHED * p) < 2.576 * (WEIGHED * p * (1 - p)) ** 0.5


def test_the_measure_finds_a_chooser_that_takes_the_remainder_of_too_small_a_number():
    """A byte modulo 10 favours 0 to 5 by one part in 26: the same measure over as many selections must say so."""
    biased = Counter(hashlib.sha256(b"biased %d" % n).digest()[0] % 10 for n in range(STREAM))
    assert tail(chi_square(biased, uniform(range(10))), 9) < 1e-6
