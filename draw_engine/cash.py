"""Cash of opened envelopes: what the money found in some of the closed ones must come to (rules 14, 31, 32).

No amount belongs to a closed envelope, but together the closed ones are known: what was counted in, less what was typed
for those a guest has opened. Of k of N of them the sum lies between that of the k smallest and that of the k largest.
Money is in cents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from draw_engine.rule_book import RuleBook

Finding = Literal["agrees", "possible", "missing", "too_much"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The money lies between `least` and `most`, both included.

    `agree` is False where amounts typed and batches cannot both be right: the bounds are then the wider ones.
    """

    least: int
    most: int
    agree: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """`agrees` = exactly that; `possible` = between the bounds; else at least `by` cents missing or too much.

    `exact`: only one sum is right, so `by` is what is missing or too much, not only the least of it.
    """

    finding: Finding
    by: int
    exact: bool


def still_closed(counted: Mapping[int, int], typed: Iterable[int]) -> dict[int, int] | None:
    """The closed envelopes, cents -> how many hold them; None where an amount was typed more often than counted in."""
    left = Counter(counted)
    left.subtract(typed)
    if any(many < 0 for many in left.values()):
        return None
    return {amount: many for amount, many in left.items() if many}


def bounds(counted: Mapping[int, int], typed: Iterable[int], opened: int, span: tuple[int, int]) -> Bounds:
    """What `opened` of the closed envelopes hold together.

    `counted`: cents -> how many were counted in; `typed`: the amounts of those that guests have opened; `span`: the
    least and the most that an envelope may hold. Raises ValueError for more than are closed, or fewer than none.
    """
    typed = list(typed)
    closed = sum(counted.values()) - len(typed)
    if not 0 <= opened <= closed:
        raise ValueError("more are opened than are closed, or fewer than none")
    left = still_closed(counted, typed)
    if left is not None:
        return Bounds(_first(left, opened, descending=False), _first(left, opened, descending=True), agree=True)
    total = sum(amount * many for amount, many in counted.items()) - sum(typed)
    least, most = _by_the_total(total, opened, closed, span)
    return Bounds(least, most, agree=False)


def verdict(found: int, least: int, most: int) -> Verdict:
    """What the money that was found says against its bounds."""
    exact = least == most
    if found < least:
        return Verdict("missing", least - found, exact)
    if found > most:
        return Verdict("too_much", found - most, exact)
    return Verdict("agrees" if exact else "possible", 0, exact)


def planned(book: RuleBook, days: int) -> tuple[int, int]:
    """What the envelopes of every award of a book of so many days hold at least and at most (rule 32).

    A group with a quota for the whole promotion gives no more than that, be it its smallest prizes or its largest.
    """
    least = most = 0
    for group in book.award_groups:
        plans = [plan for plan in book.draws if plan.group == group.id]
        lows, highs = Counter[int](), Counter[int]()
        for plan in plans:
            lows[plan.prize.min] += plan.awards * days
            highs[plan.prize.max] += plan.awards * days
        awards = sum(lows.values())
        given = min(awards, group.quota) if group.per == "promotion" else awards
        least += _first(lows, given, descending=False)
        most += _first(highs, given, descending=True)
    return least, most


def _first(amounts: Mapping[int, int], opened: int, *, descending: bool) -> int:
    """The sum of the `opened` smallest amounts, or of the largest ones."""
    total = 0
    for amount in sorted(amounts, reverse=descending):
        taken = min(opened, amounts[amount])
        total += taken * amount
        opened -= taken
    return total


def _by_the_total(total: int, opened: int, closed: int, span: tuple[int, int]) -> tuple[int, int]:
    """What the closed ones' total leaves to `opened` of them; the span alone where none could have that total."""
    low, high = span
    others = closed - opened
    least, most = max(opened * low, total - others * high), min(opened * high, total - others * low)
    return (least, most) if least <= most else (opened * low, opened * high)
