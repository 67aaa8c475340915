"""Which days and instants a rule book means (rules 4, 5; requirements 0.1 C2, C7).

A gaming day has its property's name for a day: it begins at `day_starts_at` and runs into the next civil date, so a
time before `day_starts_at` belongs to the date before. Local times become instants through the zone's own rules, never
by adding fixed hours. Where the clocks go back, a time that happens twice is its first happening; where they go
forward, a time that does not exist is read with the offset before the change (`config` refuses a book that needs it).
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from draw_engine.clock import Millis
from draw_engine.rule_book import Audience, CalendarSpan, DrawPlan, RuleBook

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_DAY = timedelta(days=1)


def local(zone: str, at: Millis) -> datetime:
    """The instant as the zone's clocks show it (an aware datetime)."""
    return (_EPOCH + timedelta(milliseconds=at)).astimezone(ZoneInfo(zone))


def instant(zone: str, day: date, wall: time) -> Millis:
    """The instant at which the zone's clocks show `wall` on the civil date `day`."""
    return (datetime.combine(day, wall, tzinfo=ZoneInfo(zone)) - _EPOCH) // _MILLISECOND


def gaming_day(book: RuleBook, at: Millis) -> date:
    """The property's day that holds the instant."""
    shown = local(book.zone, at)
    return shown.date() if shown.time() >= book.day_starts_at else shown.date() - _DAY


def span_days(span: CalendarSpan) -> list[date]:
    """The days of one span, ascending, its dated exceptions applied."""
    length = (span.last - span.first).days + 1
    days = (span.first + timedelta(days=n) for n in range(length))
    return [
        day
        for day in days
        if day.weekday() in span.weekdays and day not in span.never and (not span.only or day in span.only)
    ]


def promotion_days(book: RuleBook) -> list[date]:
    """Every gaming day of the promotion, ascending, each once."""
    return sorted({day for span in book.calendar for day in span_days(span)})


def is_promotion_day(book: RuleBook, day: date) -> bool:
    """Whether the promotion runs on this gaming day (else `SS_NOT_PROMO_DAY`)."""
    return any(_holds(span, day) for span in book.calendar)


def _holds(span: CalendarSpan, day: date) -> bool:
    if not span.first <= day <= span.last or day.weekday() not in span.weekdays or day in span.never:
        return False
    return not span.only or day in span.only


def audience_on(book: RuleBook, day: date) -> Audience | None:
    """The first row of `[who]` for this gaming day; None where no row speaks of it (nobody is targeted)."""
    return next((row for row in book.audiences if not row.dates or day in row.dates), None)


def civil_dates(day_starts_at: time, day: date, starts: time, ends: time) -> tuple[date, date]:
    """The dates on which a window of the gaming day starts and ends; an end at `day_starts_at` is the day's own end."""
    return (
        day if starts >= day_starts_at else day + _DAY,
        day if ends > day_starts_at else day + _DAY,
    )


def session_bounds(book: RuleBook, plan: DrawPlan, day: date) -> tuple[Millis, Millis]:
    """The session's start and end on that gaming day; the end is not part of it (`SS_OUTSIDE_SESSION`)."""
    return window_bounds(book, day, plan.starts, plan.ends)


def window_bounds(book: RuleBook, day: date, starts: time, ends: time) -> tuple[Millis, Millis]:
    """The instants of a half-open window [starts, ends) of a gaming day: a session's, or one of the register's."""
    opens_on, closes_on = civil_dates(book.day_starts_at, day, starts, ends)
    return instant(book.zone, opens_on, starts), instant(book.zone, closes_on, ends)


def opens_at(book: RuleBook, plan: DrawPlan, day: date) -> Millis:
    """When the draw is due to open: its seed is made and its opening slip printed."""
    return session_bounds(book, plan, day)[0] - plan.opens_before_minutes * 60_000


def draw_id(book: RuleBook, plan: DrawPlan, day: date) -> str:
    """The draw's id everywhere: property/promotion/gaming day/draw."""
    return f"{book.property}/{book.id}/{day.isoformat()}/{plan.id}"


def award_numbers(book: RuleBook, plan: DrawPlan) -> tuple[int, ...]:
    """The draw's own awards: its group's are numbered from 1 over the day, by draws in the book's order."""
    before = 0
    for other in book.draws:
        if other.id == plan.id:
            break
        if other.group == plan.group:
            before += other.awards
    return tuple(range(before + 1, before + plan.awards + 1))
