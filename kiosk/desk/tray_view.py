"""The trays as the desks' message: batches, where every envelope is, the day's count, what the promotion comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from draw_engine import cash
from draw_engine.envelopes import programme_gap
from draw_engine.rule_book import RuleBook
from draw_engine.service import envelopes
from draw_engine.service.engine import Engine
from draw_engine.service.prize_ports import CashCountRow
from kiosk.desk import messages as told
from kiosk.desk.words import say
from web_display import screens

_STEP_CENTS = 10_000
"""The amounts that the batch's form offers by itself; any other can be added."""
_MOST_AMOUNTS = 12


def name_of(actor: str, names: Mapping[str, str]) -> str:
    """The person of an actor ("crew:kabelo"), by name where the staff list still has them."""
    _, _, person = actor.partition(":")
    return names.get(person, person or actor)


def tray_of(engine: Engine, book: RuleBook, names: Mapping[str, str], now: int) -> told.Tray:
    """The trays as the page shows them. No sum is told before the day is closed: what is left is nobody's to know."""
    pockets = envelopes.tray(engine)
    prizes_of = [plan.prize for each in engine.books.values() for plan in each.rules.draws]
    least, most = min(prize.min for prize in prizes_of), max(prize.max for prize in prizes_of)
    step = max(_STEP_CENTS, -(-(most - least) // (_MOST_AMOUNTS - 1)))
    found = envelopes.variance(engine, now)
    tray = told.Tray(
        left=len(pockets),
        pockets_text=say("desk.tray", n=len(pockets)) if pockets else say("desk.tray_none"),
        range_text=ranges(pockets),
        least_cents=least,
        most_cents=most,
        step_cents=step,
        batches=tuple(_batches(engine, book, names, now, closed=found.closed)),
        where=tuple(_where(found, book.currency)),
    )
    tray = _with_day(engine, book, now, tray)
    return _with_sums(engine, book, now, tray, found) if found.closed else tray


def _with_day(engine: Engine, book: RuleBook, now: int, tray: told.Tray) -> told.Tray:
    counted = engine.store.day_count(engine.gaming_day(now).isoformat())
    if counted is None:
        return tray
    text = counted_text(counted.left, counted.expected, screens.time_text_seconds(counted.counted_at, book.zone))
    return replace(tray, day_text=text, day_short=counted.left != counted.expected)


def _with_sums(engine: Engine, book: RuleBook, now: int, tray: told.Tray, found: envelopes.Variance) -> told.Tray:
    """What may be known of a closed day alone (rule 14): the running totals, and the cash."""
    counted = engine.store.cash_count(engine.gaming_day(now).isoformat())
    tray = replace(
        tray,
        programme=tuple(_programme(found, book.currency)),
        stated_text=_stated(found, book),
        cash_open=True,
        cash_most=found.tray + found.to_return + found.returned + found.withdrawn,
    )
    if counted is None:
        return tray
    text = cash_text(counted, book.currency, screens.time_text_seconds(counted.counted_at, book.zone))
    return replace(tray, cash_text=text, cash_short=_is_short(counted))


def _batches(
    engine: Engine, book: RuleBook, names: Mapping[str, str], now: int, *, closed: bool
) -> list[told.BatchLine]:
    """The counted batches; the sum of one only once the day is closed: beside what is given it tells what is left."""
    return [
        told.BatchLine(
            id=batch.id,
            counted_text=screens.starts_text(batch.counted_at, now, book.zone),
            envelopes=batch.envelopes,
            total_text=screens.money(batch.total, book.currency) if closed else "",
            pockets_text=say("desk.span", first=batch.first, last=batch.last),
            by=", ".join(name_of(actor, names) for actor in batch.by),
            left=batch.left,
        )
        for batch in envelopes.batches(engine)
    ]


def counted_text(left: int, expected: int, time: str) -> str:
    """A count of the trays in words, against what should be there."""
    key = "desk.day_even" if left == expected else "desk.day_short" if left < expected else "desk.day_over"
    return say(key, time=time, left=left, expected=expected, missing=abs(left - expected))


def cash_text(counted: CashCountRow, currency: str, time: str) -> str:
    """A count of the cash in words, against what it had to come to."""
    said = cash.verdict(counted.cents, counted.least, counted.most)
    amounts = {"found": counted.cents, "least": counted.least, "most": counted.most, "by": said.by}
    words = {name: screens.money(amount, currency) for name, amount in amounts.items()}
    at_least = "" if said.exact or not said.by else "_least"
    sentences = [
        say("desk.cash.counted", time=time, n=counted.envelopes, **words),
        say(f"desk.cash.{said.finding}{at_least}", **words),
        "" if counted.agree else say("desk.cash.doubt"),
    ]
    return " ".join(filter(None, sentences))


def _is_short(counted: CashCountRow) -> bool:
    """Whether somebody has to look into it: money missing or too much, or figures that cannot all be right."""
    said = cash.verdict(counted.cents, counted.least, counted.most)
    return said.by > 0 or not counted.agree


def _stated(found: envelopes.Variance, book: RuleBook) -> str:
    """What the printed rules state in all, and what of it is still to be given (rule 32)."""
    if book.stated_total is None:
        return ""
    given = (found.given_total or 0) + (found.handed_over_total or 0)
    gap = programme_gap(given, book.stated_total)
    stated = screens.money(book.stated_total, book.currency)
    if gap is None:
        return say("desk.stated_reached", stated=stated)
    return say("desk.stated", stated=stated, more=screens.money(gap, book.currency))


def _where(found: envelopes.Variance, currency: str) -> list[told.WhereLine]:
    """Where every envelope is; sums only once the day is closed (rule 14)."""
    rows = (
        ("given", found.given, found.given_total),
        ("presented", found.presented, None),
        ("held", found.held, None),
        ("handed_over", found.handed_over, found.handed_over_total),
        ("to_return", found.to_return, None),
        ("returned", found.returned, None),
        ("withdrawn", found.withdrawn, None),
        ("tray", found.tray, None),
        ("counted", found.counted, found.total),
    )
    return [
        told.WhereLine(say(f"desk.where.{name}"), many, "" if total is None else screens.money(total, currency))
        for name, many, total in rows
        if many or name in {"given", "tray", "counted"}
    ]


def _programme(found: envelopes.Variance, currency: str) -> list[told.WhereLine]:
    """The running totals over the promotion (rule 32), of a closed day.

    What closed envelopes hold is known of all of them together, never of the held or the expired ones alone (rule 14).
    """
    assert found.given_total is not None
    assert found.handed_over_total is not None
    sealed = found.counted - found.given - found.handed_over
    rows = (
        ("given", found.given + found.handed_over, found.given_total + found.handed_over_total),
        ("held", found.held, None),
        ("expired", found.to_return + found.returned, None),
        ("withdrawn", found.withdrawn, None),
        ("tray", found.tray, None),
        ("sealed", sealed, found.sealed_total),
        ("counted", found.counted, found.total),
    )
    return [
        told.WhereLine(say(f"desk.programme.{name}"), many, "" if total is None else screens.money(total, currency))
        for name, many, total in rows
        if many or name != "withdrawn"
    ]


def ranges(pockets: Sequence[str]) -> str:
    """Pockets in order as spans: "E-0004 to E-0030, E-0032"."""
    spans: list[list[str]] = []
    for pocket in pockets:
        if spans and _follows(spans[-1][-1], pocket):
            spans[-1][1:] = [pocket]
        else:
            spans.append([pocket])
    return ", ".join(say("desk.span", first=span[0], last=span[-1]) if len(span) > 1 else span[0] for span in spans)


def _follows(before: str, after: str) -> bool:
    head, _, number = before.rpartition("-")
    return after.startswith(f"{head}-") and number.isdecimal() and after[len(head) + 1 :] == f"{int(number) + 1:04d}"
