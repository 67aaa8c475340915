"""Held prizes: until when one waits, where it may be claimed, and whether its winner was looked for (rules 15, 16, 33).

Days are the property's civil dates: the day of the selection does not count, the last one counts to its end
(convention C6, ambiguity A-SS-19).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from draw_engine.rule_book import Held

TO_DRAW, HELD, HANDED_OVER = "to_draw", "held", "handed_over"
TO_RETURN, RETURNED, VOID = "to_return", "returned", "void"

PROMOTIONS, MARKETING, CUSTOMER_SERVICES, WINNER = "promotions", "marketing", "customer_services", "winner"
CUSTODY = {PROMOTIONS: (MARKETING,), MARKETING: (CUSTOMER_SERVICES,), CUSTOMER_SERVICES: (MARKETING,)}
"""place -> where a marked envelope may go from there: Marketing retains it (rule 16) until the desk takes it over."""

CHANNELS = ("phone", "sms", "email", "whatsapp")
OUTCOMES = ("reached", "no_answer", "message_left", "wrong_number")

_SUNDAY = 6
_CHANNELS_WANTED = 2
_DAYS_WANTED = 2
_DESK_ALIASES = frozenset({"customer services desk", "customer service desk"})
"""Two of the printed rules' names for one desk."""


def claim_by(drawn_on: date, terms: Held) -> date:
    """The last day on which a prize drawn on that civil date may be claimed.

    Where the book lets a closed day roll on, the desk is taken to be closed on Sundays.
    """
    last = drawn_on + timedelta(days=terms.days)
    if terms.roll_if_closed and last.weekday() == _SUNDAY:
        last += timedelta(days=1)
    return last


def is_over(today: date, last: date) -> bool:
    """Whether the claim has run out (`SS_CLAIM_EXPIRED`): the last day itself is in time, to its end."""
    return today > last


def is_claim_desk(desk: str, terms: Held) -> bool:
    """Whether a desk is the one held prizes are claimed at (else `SS_CLAIM_WRONG_DESK`)."""
    said, wanted = _plain(desk), _plain(terms.desk)
    return said == wanted or (said in _DESK_ALIASES and wanted in _DESK_ALIASES)


def _plain(desk: str) -> str:
    return " ".join(desk.split()).casefold()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to reach a winner, on a civil date of the property."""

    day: date
    channel: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Search:
    """How a winner was looked for. `reached` ends the search; else `missing` says what is still to be done."""

    attempts: int
    reached: bool
    missing_attempts: int
    missing_channels: int
    missing_days: int

    @property
    def enough(self) -> bool:
        """Whether "all reasonable steps" were taken (ambiguity A-SS-31); an alarm where not, never a refusal."""
        return self.reached or not (self.missing_attempts or self.missing_channels or self.missing_days)


def search(attempts: Iterable[Attempt], terms: Held) -> Search:
    """What the attempts so far come to: the book's own least number, over two channels and two days."""
    made = list(attempts)
    wanted = terms.min_contact_attempts
    channels, days = (min(wanted, least) for least in (_CHANNELS_WANTED, _DAYS_WANTED))
    return Search(
        attempts=len(made),
        reached=any(attempt.outcome == "reached" for attempt in made),
        missing_attempts=max(0, wanted - len(made)),
        missing_channels=max(0, channels - len({attempt.channel for attempt in made})),
        missing_days=max(0, days - len({attempt.day for attempt in made})),
    )
