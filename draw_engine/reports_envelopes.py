"""Envelopes opened against the batch they were counted in: what was paid, what is held, and what does not agree.

Nobody knows what an envelope holds until it is opened. So the opened ones should be a sample without return of the
batch: of an amount that K of N envelopes hold, n opened ones have nK/N (hypergeometric); their sum has n times the
batch's mean m, with the variance n s^2 (N-n) / (N-1), s^2 = the batch's own (Cochran, Sampling Techniques, 2.6).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from draw_engine.envelopes import Tally, tally
from draw_engine.reports_chance import Judged, hypergeometric, judge


@dataclass(frozen=True, slots=True)
class AmountRow:
    """An amount (cents): how many the batch holds, how many opened envelopes had it. `opened` is None where the count
    of the batch and what was typed cannot both be right: nothing is compared then.
    """

    amount: int
    counted: int
    typed: int
    opened: Judged | None


@dataclass(frozen=True, slots=True)
class BatchReport:
    """One batch. `mean`, `variance`: of the sum (cents) of as many envelopes as were opened; `faults`: amounts typed
    more often than the batch holds them.
    """

    batch: str
    counted_at: int
    now: Tally
    opened: int
    mean: Fraction
    variance: Fraction
    amounts: tuple[AmountRow, ...]
    faults: tuple[int, ...]

    @property
    def difference(self) -> Fraction:
        """What was paid less what as many envelopes hold on average."""
        return self.now.opened_total - self.mean


def batch_report(
    batch: str, counted_at: int, amounts: Mapping[int, int], envelopes: Sequence[tuple[str, int | None]]
) -> BatchReport:
    """The report of a batch counted in as `amounts` (cents -> how many). `envelopes`: (state, amount typed or None)."""
    whole, total = sum(amounts.values()), sum(amount * n for amount, n in amounts.items())
    typed = Counter(amount for state, amount in envelopes if amount is not None and state in {"given", "handed_over"})
    opened = sum(typed.values())
    faults = tuple(sorted(amount for amount, n in typed.items() if n > amounts.get(amount, 0)))
    mean, variance = _sum_of(amounts.items(), opened, whole, total)
    rows = [
        AmountRow(
            amount,
            amounts.get(amount, 0),
            typed[amount],
            None
            if faults or opened > whole
            else judge(typed[amount], opened, hypergeometric(opened, amounts.get(amount, 0), whole)),
        )
        for amount in sorted({*amounts, *typed})
    ]
    return BatchReport(batch, counted_at, tally(envelopes, total), opened, mean, variance, tuple(rows), faults)


def _sum_of(amounts: Iterable[tuple[int, int]], opened: int, whole: int, total: int) -> tuple[Fraction, Fraction]:
    """(mean, variance) of the sum of `opened` envelopes of the batch."""
    if not whole:
        return Fraction(0), Fraction(0)
    mean = Fraction(total, whole)
    spread = Fraction(sum(n * amount * amount for amount, n in amounts), whole) - mean * mean
    left = Fraction(max(0, whole - opened), whole - 1) if whole > 1 else Fraction(0)
    return opened * mean, opened * spread * left
