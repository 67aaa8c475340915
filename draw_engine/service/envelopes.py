"""Envelopes: counted in by two people, drawn for a claim, given with their amount typed, counted again at day's end.

    tray -> presented -> given            at the device or the stage (rule 14)
                      -> to_return        the winner would not take or sign, or the claim was voided
    tray -> held -> handed_over           drawn on behalf, claimed at the desk (rules 15, 16; `prizes`)
                 -> to_return -> returned
    tray -> withdrawn                     taken out unopened

`present`, `give` and `take_back` run inside the transaction of the claim's own move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from draw_engine import calendar, envelopes
from draw_engine.canonical import jcs
from draw_engine.envelopes import GIVEN, HELD, PRESENTED, TO_RETURN, TRAY, WITHDRAWN
from draw_engine.errors import Refused
from draw_engine.rule_book import EnvelopePrize, RuleBook
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.ports import UnitOfWork
from draw_engine.service.prize_ports import BatchRow, DayCountRow, EnvelopeRow
from draw_engine.service.roles import actor_of, two_actors

COUNTERS = frozenset({"manager", "marketing"})
"""One of the two who count envelopes is one of these."""


# -- in the transaction of a claim ------------------------------------------------------------------------------


def present(
    engine: Engine,  # noqa: ARG001 - as every verb of a claim
    work: UnitOfWork,
    draw: OpenDraw,
    ordinal: int,
    pocket: str,
    at: int,
) -> str:
    """The pocket (its name is returned) leaves the tray for this claim, for ever.

    Refused X_NO_SUCH_POCKET, SS_ENVELOPE_USED.
    """
    return take_from_tray(work, draw, ordinal, pocket, PRESENTED, at)


def take_from_tray(work: UnitOfWork, draw: OpenDraw, ordinal: int, pocket: str, state: str, at: int) -> str:
    """The pocket leaves the tray for a claim: `presented` to its winner, or `held` on the winner's behalf."""
    row = _pocket(work, pocket)
    if row.state != TRAY:
        raise Refused("SS_ENVELOPE_USED", f"The envelope of pocket {row.pocket} was drawn before. Take another one.")
    taken = work.envelope_of(draw.state.id, ordinal)
    if taken is not None:
        raise Refused(
            "SS_ENVELOPE_USED", f"Claim c{ordinal} has its envelope already: pocket {taken.pocket}. Go on with that."
        )
    work.draw_envelope(row.pocket, state, draw=draw.state.id, ordinal=ordinal, at=at)
    return row.pocket


def give(engine: Engine, work: UnitOfWork, pocket: str, amount: int, at: int) -> None:
    """The winner opened the presented envelope and signed: `amount` (cents) was in it.

    Refused X_NO_SUCH_POCKET, SS_ENVELOPE_USED (it is not the presented one), SS_ENVELOPE_AMOUNT_OUT_OF_RANGE.
    """
    row = _pocket(work, pocket)
    if row.state != PRESENTED:
        raise Refused("SS_ENVELOPE_USED", f"Pocket {row.pocket} is not open for an amount. Scan the envelope again.")
    open_envelope(engine, work, row, amount, GIVEN, at)


def open_envelope(engine: Engine, work: UnitOfWork, row: EnvelopeRow, amount: int, state: str, at: int) -> None:
    """The envelope's amount is typed once, as it is opened before its winner. Refused as `give`."""
    assert row.draw is not None
    require_amount(engine.draw(row.draw), amount)
    work.put_envelope(row.pocket, state, at=at, amount=amount)


def require_amount(draw: OpenDraw, amount: int) -> None:
    """Raise Refused (SS_ENVELOPE_AMOUNT_OUT_OF_RANGE) for what an envelope of this draw cannot hold."""
    if type(amount) is not int:
        raise Refused("X_VALUE_WRONG", "Type the amount in whole cents.")
    envelopes.require_fit(amount, [draw.plan.prize], draw.book.currency)


def take_back(
    engine: Engine,  # noqa: ARG001 - as every verb of a claim
    work: UnitOfWork,
    pocket: str,
    at: int,
) -> None:
    """A drawn envelope that nobody is to have goes back to custody: refused by its winner, or its claim voided.

    It never goes into the tray again. One whose money the winner has stays given.
    """
    row = _pocket(work, pocket)
    if row.state in {PRESENTED, HELD}:
        work.put_envelope(row.pocket, TO_RETURN, at=at)


def take_out(work: UnitOfWork, pocket: str, at: int) -> None:
    """A presented envelope leaves its claim and the tray: it is counted as withdrawn."""
    row = _pocket(work, pocket)
    if row.state != PRESENTED:
        raise Refused("SS_ENVELOPE_USED", f"Pocket {row.pocket} is not in a guest's hands any more.")
    work.take_out_envelope(row.pocket, at=at)


def _pocket(work: UnitOfWork, pocket: str) -> EnvelopeRow:
    row = work.envelope(str(pocket).strip().upper())
    if row is None:
        raise Refused("X_NO_SUCH_POCKET", "No counted envelope has this pocket. Scan the tray's slip again.")
    return row


# -- people with the trays --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Batch:
    """A counted batch: its pockets run from `first` to `last` (numbers), `left` of them are in the tray."""

    id: str
    counted_at: int
    envelopes: int
    total: int
    first: str
    last: str
    left: int
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Variance:
    """What was counted in against where it is, of a batch, of a gaming day, or of everything.

    Sums are in cents, and None until the day is closed: what is left in the trays is nobody's to know before (rule 14).
    Of a day, `counted` and `total` are what was counted in on it, the rest the awards of its draws. `left` is what two
    people counted in the trays that day (None: not yet), `expected` what should have lain there then (now, before).
    """

    batch: str | None
    day: date | None
    closed: bool
    counted: int
    presented: int
    given: int
    held: int
    handed_over: int
    to_return: int
    returned: int
    withdrawn: int
    tray: int
    total: int | None
    given_total: int | None
    handed_over_total: int | None
    sealed_total: int | None
    expected: int
    left: int | None

    @property
    def difference(self) -> int | None:
        """Envelopes found less envelopes expected: below 0, some are missing."""
        return None if self.left is None else self.left - self.expected


def count_batch(engine: Engine, *, amounts: Mapping[int, int], by: str, second: str, now: int) -> str:
    """Two people count envelopes in: cents -> how many hold it. Returns the batch; its pockets go on from the last.

    One of the two is from marketing or a manager. Raises Refused X_SECOND_PERSON_REQUIRED, X_SAME_PERSON,
    X_NO_PERMISSION, SS_ENVELOPE_AMOUNT_OUT_OF_RANGE, X_VALUE_WRONG.
    """
    people = counters(engine, by, second)
    counted = _whole(amounts)
    envelopes.require_batch(counted, _prizes(engine), _currency(engine))
    many, total = sum(counted.values()), sum(amount * count for amount, count in counted.items())
    with engine.change() as work:
        at = work.instant(now)
        batch, before = envelopes.batch_name(work.batch_count() + 1), work.envelope_count()
        amounts_text = jcs({str(amount): count for amount, count in counted.items()}).decode()
        work.add_batch(
            BatchRow(batch, at, many, total, amounts_text, " ".join(people)),
            [envelopes.pocket_name(before + n) for n in range(1, many + 1)],
        )
        data = {"batch": batch, "envelopes": many, "total": total, "by": people}
        work.append(at=at, kind="envelopes.counted", draw=None, actor=actor_of(engine, by), data=data)
    return batch


def withdraw(engine: Engine, *, pocket: str, by: str, second: str, now: int) -> None:
    """Two people take an envelope out of the tray unopened: damaged, or left when the promotion is over."""
    people = counters(engine, by, second)
    with engine.change() as work:
        at = work.instant(now)
        row = _pocket(work, pocket)
        if row.state != TRAY:
            raise Refused("SS_ENVELOPE_USED", f"Pocket {row.pocket} is not in the tray any more. Look at its claim.")
        work.put_envelope(row.pocket, WITHDRAWN, at=at)
        data = {"pocket": row.pocket, "by": people}
        work.append(at=at, kind="envelope.withdrawn", draw=None, actor=actor_of(engine, by), data=data)


def tray(engine: Engine) -> list[str]:
    """The pockets left in the trays, in order."""
    return [row.pocket for row in engine.store.envelopes(state=TRAY)]


def batches(engine: Engine) -> list[Batch]:
    """Every counted batch, oldest first, with its pockets and how many of them are left."""
    found = []
    for row in engine.store.batches():
        pockets = engine.store.envelopes(batch=row.id)
        left = sum(1 for pocket in pockets if pocket.state == TRAY)
        found.append(
            Batch(
                id=row.id,
                counted_at=row.counted_at,
                envelopes=row.envelopes,
                total=row.total,
                first=pockets[0].pocket,
                last=pockets[-1].pocket,
                left=left,
                by=tuple(row.counted_by.split(" ")),
            )
        )
    return found


def count_day(engine: Engine, *, left: int, by: str, second: str, now: int) -> Variance:
    """Two people counted the envelopes left in the trays: kept and logged against what should be there.

    Counted again, the later count of the day stands. Raises Refused as `count_batch`.
    """
    people = counters(engine, by, second)
    if type(left) is not int or not 0 <= left <= envelopes.MOST_IN_A_BATCH:
        raise Refused("X_VALUE_WRONG", "Type how many envelopes are left in the trays, as a whole number.")
    day = engine.gaming_day(now)
    expected = len(tray(engine))
    with engine.change() as work:
        at = work.instant(now)
        work.put_day_count(DayCountRow(day.isoformat(), at, left, expected, " ".join(people)))
        data = {
            "day": day.isoformat(),
            "left": left,
            "expected": expected,
            "difference": left - expected,
            "by": people,
        }
        work.append(at=at, kind="envelopes.day_counted", draw=None, actor=actor_of(engine, by), data=data)
    return variance(engine, now, day=day)


def variance(engine: Engine, now: int, *, batch: str | None = None, day: date | None = None) -> Variance:
    """Where the envelopes of a batch, of a gaming day, or all of them are. Raises Refused X_NO_SUCH_BATCH."""
    counted_in = engine.store.batches()
    rows = engine.store.envelopes(batch=batch)
    left_in_tray = sum(1 for row in rows if row.state == TRAY)
    if batch is not None:
        counted_in = [row for row in counted_in if row.id == batch]
        if not counted_in:
            raise Refused("X_NO_SUCH_BATCH", "No such batch was counted in. Look at the list of batches again.")
    if day is not None:
        counted_in = [row for row in counted_in if engine.gaming_day(row.counted_at) == day]
        rows = [row for row in rows if row.draw is not None and engine.draw(row.draw).day == day]
    today = engine.gaming_day(now)
    kept = engine.store.day_count((day or today).isoformat()) if batch is None else None
    found = envelopes.tally(((row.state, row.amount) for row in rows), sum(row.total for row in counted_in))
    closed = day_closed(engine, day or today, now) and day_closed(engine, today, now)
    return Variance(
        batch=batch,
        day=day,
        closed=closed,
        counted=sum(row.envelopes for row in counted_in),
        presented=found.presented,
        given=found.given,
        held=found.held,
        handed_over=found.handed_over,
        to_return=found.to_return,
        returned=found.returned,
        withdrawn=found.withdrawn,
        tray=left_in_tray,
        total=found.total if closed else None,
        given_total=found.given_total if closed else None,
        handed_over_total=found.handed_over_total if closed else None,
        sealed_total=found.sealed_total if closed and day is None else None,
        expected=left_in_tray if kept is None else kept.expected,
        left=None if kept is None else kept.left,
    )


def day_closed(engine: Engine, day: date, now: int) -> bool:
    """Whether nothing more can be drawn on that gaming day: every session's end has come and every draw is closed."""
    for book in _books(engine):
        if calendar.is_promotion_day(book, day):
            ends = [calendar.session_bounds(book, plan, day)[1] for plan in book.draws]
            if any(now < end for end in ends):
                return False
    return all(draw.state.closed_at is not None for draw in engine.draws.values() if draw.day == day)


def counters(engine: Engine, by: str, second: str) -> list[str]:
    """The two actors, ascending, of whom one is from marketing or a manager. Raises Refused as `two_actors`."""
    people = two_actors(engine, by, second)
    if not any(actor.partition(":")[0] in COUNTERS for actor in people):
        raise Refused("X_NO_PERMISSION", "One of the two is from marketing or a manager. Ask one of them to come.")
    return sorted(people)


def _whole(amounts: Mapping[int, int]) -> dict[int, int]:
    """The counts in ascending order of the amounts, whole numbers all. Raises Refused X_VALUE_WRONG."""
    if any(type(number) is not int for pair in amounts.items() for number in pair):
        raise Refused("X_VALUE_WRONG", "Type amounts in cents and how many envelopes hold each, as whole numbers.")
    return dict(sorted(amounts.items()))


def _books(engine: Engine) -> list[RuleBook]:
    return [book.rules for book in engine.books.values()]


def _prizes(engine: Engine) -> list[EnvelopePrize]:
    """What an envelope may hold in one promotion or another; each award asks for its own when it is given."""
    found: dict[EnvelopePrize, None] = {}
    for book in _books(engine):
        found |= dict.fromkeys(plan.prize for plan in book.draws)
    return list(found)


def _currency(engine: Engine) -> str:
    return next((book.currency for book in _books(engine)), "")
