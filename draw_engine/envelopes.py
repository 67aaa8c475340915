"""Envelopes: what one may hold, how pockets are named, and what a day's count must come to (rules 14, 16, 31, 32).

Envelopes are unmarked: a pocket names a place in the tray, and no amount belongs to one before it is opened. Money is
in cents; an envelope holds whole units of the currency (ambiguity A-SS-17).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from draw_engine.errors import Refused
from draw_engine.rule_book import EnvelopePrize

UNIT = 100
"""Cents in one whole rand: coins do not go into an envelope."""

TRAY, PRESENTED, GIVEN, HELD = "tray", "presented", "given", "held"
HANDED_OVER, TO_RETURN, RETURNED, WITHDRAWN = "handed_over", "to_return", "returned", "withdrawn"
STATES = (TRAY, PRESENTED, GIVEN, HELD, HANDED_OVER, TO_RETURN, RETURNED, WITHDRAWN)
"""Where an envelope can be: every one that was counted is in exactly one of them."""

MOVES = {
    PRESENTED: TRAY,
    GIVEN: PRESENTED,
    HELD: TRAY,
    HANDED_OVER: HELD,
    WITHDRAWN: TRAY,
    RETURNED: TO_RETURN,
}
"""state -> the one state it is reached from; `to_return` is reached from `presented` and `held`."""

MOST_IN_A_BATCH = 100_000


def fits(amount: int, prizes: Iterable[EnvelopePrize]) -> bool:
    """Whether an envelope of one of these prizes may hold the amount (cents): in range, both ends in, and whole."""
    return amount % UNIT == 0 and any(prize.min <= amount <= prize.max for prize in prizes)


def require_fit(amount: int, prizes: Iterable[EnvelopePrize], currency: str) -> None:
    """Raise Refused (SS_ENVELOPE_AMOUNT_OUT_OF_RANGE) for an amount that no envelope may hold."""
    allowed = list(prizes)
    if not fits(amount, allowed):
        spans = " or ".join(f"{prize.min // UNIT} to {prize.max // UNIT}" for prize in allowed)
        raise Refused(
            "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE",
            f"An envelope holds {spans} whole {currency}; count it again and type what is in it.",
        )


def require_batch(amounts: Mapping[int, int], prizes: Iterable[EnvelopePrize], currency: str) -> None:
    """Raise Refused for a batch that cannot be: an amount out of range, a count below one, nothing at all."""
    allowed = list(prizes)
    for amount in amounts:
        require_fit(amount, allowed, currency)
    if not amounts or any(count < 1 for count in amounts.values()):
        raise Refused("X_VALUE_WRONG", "Say of each amount how many envelopes hold it: at least one.")
    if sum(amounts.values()) > MOST_IN_A_BATCH:
        raise Refused("X_VALUE_WRONG", f"A batch has at most {MOST_IN_A_BATCH} envelopes. Count them in parts.")


def pocket_name(number: int) -> str:
    """The tray's pocket of the envelope counted as `number` (from 1): E-0001, E-0002, ... E-10000."""
    return f"E-{number:04d}"


def batch_name(number: int) -> str:
    """B-001, B-002, ..."""
    return f"B-{number:03d}"


def programme_gap(total: int, stated: int) -> int | None:
    """More than how many cents are still missing for `total` to be "over `stated`" (rule 32); None where it is over.

    Exactly the stated sum is not over it: more than 0 cents are missing then.
    """
    return None if total > stated else stated - total


@dataclass(frozen=True, slots=True)
class Tally:
    """How many envelopes are in each state, and in cents what was typed of those that were opened."""

    counted: int
    total: int
    tray: int
    presented: int
    given: int
    given_total: int
    held: int
    handed_over: int
    handed_over_total: int
    to_return: int
    returned: int
    withdrawn: int

    @property
    def opened_total(self) -> int:
        """What guests have: given at the device or the stage, and handed over at the desk."""
        return self.given_total + self.handed_over_total

    @property
    def sealed_total(self) -> int:
        """What the envelopes nobody has opened must hold together, wherever they are."""
        return self.total - self.opened_total

    @property
    def adds_up(self) -> bool:
        """Every counted envelope is in exactly one state."""
        return self.counted == (
            self.tray
            + self.presented
            + self.given
            + self.held
            + self.handed_over
            + self.to_return
            + self.returned
            + self.withdrawn
        )


def tally(states: Iterable[tuple[str, int | None]], total: int) -> Tally:
    """The tally of some envelopes, each (state, amount or None), that were counted in as `total` cents."""
    many = dict.fromkeys(STATES, 0)
    opened = dict.fromkeys(STATES, 0)
    for state, amount in states:
        many[state] += 1
        opened[state] += amount or 0
    return Tally(
        counted=sum(many.values()),
        total=total,
        given_total=opened[GIVEN],
        handed_over_total=opened[HANDED_OVER],
        **many,
    )
