"""The one place where something made up is drawn: a made floor's dice, the same for the same seed everywhere.

Built on `Random.random()` alone, the one method whose sequence Python promises to keep from version to version.
Never for anything that selects a winner.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random  # noqa: TID251 - a made floor is repeatable by its seed; nothing is selected with it
from typing import TypeVar

_T = TypeVar("_T")


class Dice:
    """Dice that fall the same way for the same `seed`; `what` keeps two uses of one seed apart."""

    def __init__(self, seed: int | str, what: str) -> None:
        self.share = Random(f"{seed}/{what}").random  # noqa: S311 - see above
        """A number from 0 up to, not with, 1."""

    def chance(self, probability: float) -> bool:
        return self.share() < probability

    def whole(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self.share() * (high - low + 1))

    def around(self, mean: float) -> int:
        """A waiting time of that mean with no memory; at most eight times the mean."""
        return int(min(8.0, -math.log(1.0 - self.share())) * mean)

    def pick(self, choices: Sequence[_T]) -> _T:
        return choices[int(self.share() * len(choices))]

    def pick_by(self, weighted: Sequence[tuple[_T, float]]) -> _T:
        """One of the choices, each as likely as its weight."""
        rest = self.share() * sum(weight for _, weight in weighted)
        for choice, weight in weighted:
            rest -= weight
            if rest < 0:
                return choice
        return weighted[-1][0]

    def sample(self, choices: Sequence[_T], count: int) -> list[_T]:
        """`count` different ones, in the order drawn."""
        left = list(choices)
        return [left.pop(int(self.share() * len(left))) for _ in range(min(count, len(left)))]
