"""Cash at day's end: two people open closed envelopes that nobody is to have any more, and count the money in them.

Only when the gaming day is closed: before, what is left in the trays is nobody's to know (rule 14). An envelope that is
held for a guest, or in a guest's hands, is never opened for it. Where the envelopes are is not changed by it.
"""

from __future__ import annotations

from datetime import date

from draw_engine import calendar, cash
from draw_engine.canonical import read_json
from draw_engine.envelopes import GIVEN, HANDED_OVER, RETURNED, TO_RETURN, TRAY, UNIT, WITHDRAWN
from draw_engine.errors import Refused
from draw_engine.service.engine import Engine
from draw_engine.service.envelopes import counters, day_closed
from draw_engine.service.prize_ports import BatchRow, CashCountRow, EnvelopeRow
from draw_engine.service.roles import actor_of

NOBODYS = frozenset({TRAY, TO_RETURN, RETURNED, WITHDRAWN})
"""Closed envelopes that nobody is to have any more, once the day is closed."""
_OPENED = frozenset({GIVEN, HANDED_OVER})


def count_cash(engine: Engine, *, opened: int, cents: int, by: str, second: str, now: int) -> CashCountRow:
    """Two people opened so many envelopes and found so many cents in them: kept and logged with what it had to come to.

    Counted again, the later count of the day stands. One of the two is from marketing or a manager. Raises Refused
    X_DAY_NOT_CLOSED, X_SECOND_PERSON_REQUIRED, X_SAME_PERSON, X_NO_PERMISSION, X_VALUE_WRONG (how many),
    SS_ENVELOPE_AMOUNT_OUT_OF_RANGE (coins).
    """
    people = counters(engine, by, second)
    day = engine.gaming_day(now)
    if not day_closed(engine, day, now):
        raise Refused("X_DAY_NOT_CLOSED", _when(engine, day, now))
    rows = engine.store.envelopes()
    _require_sound(opened, cents, sum(1 for row in rows if row.state in NOBODYS))
    must = _bounds(engine, engine.store.batches(), rows, opened)
    with engine.change() as work:
        at = work.instant(now)
        row = CashCountRow(day.isoformat(), at, opened, cents, must.least, must.most, must.agree, " ".join(people))
        work.put_cash_count(row)
        data = {
            "day": row.day,
            "envelopes": opened,
            "cents": cents,
            "least": must.least,
            "most": must.most,
            "by": people,
        }
        work.append(at=at, kind="cash.counted", draw=None, actor=actor_of(engine, by), data=data)
    return row


def _require_sound(opened: int, cents: int, most: int) -> None:
    """Raise Refused for what cannot have been opened or found."""
    if any(type(number) is not int for number in (opened, cents)) or cents < 0 or opened < 1:
        raise Refused("X_VALUE_WRONG", "Type how many envelopes were opened, at least one, and the money in cents.")
    if opened > most:
        raise Refused(
            "X_VALUE_WRONG",
            f"Only {most} closed envelopes are nobody's any more: those in the trays, taken out and given back. Count "
            "again how many were opened; one that is held for a guest stays closed.",
        )
    if cents % UNIT:
        raise Refused(
            "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE", "No envelope holds coins. Count the notes again and type what is there."
        )


def _bounds(engine: Engine, batches: list[BatchRow], rows: list[EnvelopeRow], opened: int) -> cash.Bounds:
    """What the opened ones hold by the batches' counts and what was typed for those guests have opened."""
    counted: dict[int, int] = {}
    for batch in batches:
        for amount, many in read_json(batch.amounts.encode()).items():
            counted[int(amount)] = counted.get(int(amount), 0) + many
    prizes = [plan.prize for book in engine.books.values() for plan in book.rules.draws]
    span = min([*counted, *(prize.min for prize in prizes)]), max([*counted, *(prize.max for prize in prizes)])
    typed = [row.amount for row in rows if row.state in _OPENED and row.amount is not None]
    return cash.bounds(counted, typed, opened, span)


def _when(engine: Engine, day: date, now: int) -> str:
    """When the cash can be counted: after the day's last session, and when nothing of its draws is open any more."""
    books = [book.rules for book in engine.books.values() if calendar.is_promotion_day(book.rules, day)]
    ends = [(calendar.session_bounds(book, plan, day)[1], book.zone) for book in books for plan in book.draws]
    last, zone = max(ends, default=(now, engine.zone))
    if now < last:
        shown = calendar.local(zone, last)
        return (
            f"What is left is nobody's to know yet. Count the cash after {shown:%H:%M}, when the day's last session "
            "has ended and its draw is closed."
        )
    return "A draw of today is not closed yet. Count the cash when its last claims are ended and it is closed."
