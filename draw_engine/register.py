"""The decline register: when it is open, and what an entry covers (rules 10, 11; SS-050 to SS-060).

Windows are half-open, [from, to), on the promotion's gaming days: the instant a session starts is not in one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from draw_engine import calendar
from draw_engine.clock import Millis
from draw_engine.rule_book import RuleBook


@dataclass(frozen=True, slots=True)
class RegisterHours:
    """Whether the register is open, until when (ms), and else when it opens next; None where it does not any more."""

    open: bool
    until: Millis | None
    opens_at: Millis | None


def windows_on(book: RuleBook, day: date) -> list[tuple[Millis, Millis]]:
    """The windows of one gaming day, ascending; none where the promotion does not run or has no register."""
    if book.register is None or not calendar.is_promotion_day(book, day):
        return []
    return sorted(calendar.window_bounds(book, day, opens, closes) for opens, closes in book.register.windows)


def open_books(books: Iterable[RuleBook], now: Millis) -> list[RuleBook]:
    """The books whose register is open at `now`."""
    return [
        book
        for book in books
        if any(opens <= now < closes for opens, closes in windows_on(book, calendar.gaming_day(book, now)))
    ]


def hours(books: Iterable[RuleBook], now: Millis) -> RegisterHours:
    """The register's hours at `now`, over every promotion of the property."""
    asked = [book for book in books if book.register is not None]
    until = [closes for book in asked for opens, closes in _from_today(book, now) if opens <= now < closes]
    if until:
        return RegisterHours(open=True, until=max(until), opens_at=None)
    nexts = [next((opens for opens, _ in _from_today(book, now) if opens > now), None) for book in asked]
    return RegisterHours(open=False, until=None, opens_at=min((at for at in nexts if at is not None), default=None))


def _from_today(book: RuleBook, now: Millis) -> Iterator[tuple[Millis, Millis]]:
    today = calendar.gaming_day(book, now)
    for day in calendar.promotion_days(book):
        if day >= today:
            yield from windows_on(book, day)


def covered_by(book: RuleBook, day: date, at: Millis) -> list[str]:
    """The titles of the day's draws that an entry signed at `at` covers: those that have not ended, in order."""
    plans = [(calendar.session_bounds(book, plan, day), plan) for plan in book.draws]
    return [plan.title for (_, ends), plan in sorted(plans, key=lambda pair: pair[0]) if ends > at]
