"""Register entries, envelopes and held prizes in their tables: mixed into the transaction and into the store.

The day's count of the trays is a row of `settings`: one a day, in the transaction that logs it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, Select, delete, func, insert, or_, select, update

from draw_engine.canonical import jcs
from draw_engine.service.prize_ports import (
    AttemptRow,
    BatchRow,
    CashCountRow,
    DayCountRow,
    EntryRow,
    EnvelopeRow,
    HeldRow,
    MoveRow,
    Numbered,
)
from draw_engine.store import prize_tables as kept
from draw_engine.store.tables import millis, settings, utc

_NUMBERED = {
    "register_entries": kept.register_entries,
    "custody_moves": kept.custody_moves,
    "contact_attempts": kept.contact_attempts,
    "signatures": kept.signatures,
}
_WAITING = ("to_draw", "held")
_DAY_COUNT = "envelopes.day."


class PrizeWrites:
    """`PrizeWork` of `service.prize_ports`, on the transaction's connection."""

    _connection: Connection

    def next_id(self, table: Numbered) -> int:
        last = self._connection.execute(select(func.max(_NUMBERED[table].c.id))).scalar_one_or_none()
        return (last or 0) + 1

    def batch_count(self) -> int:
        return self._connection.execute(select(func.count()).select_from(kept.envelope_batches)).scalar_one()

    def envelope_count(self) -> int:
        return self._connection.execute(select(func.count()).select_from(kept.envelopes)).scalar_one()

    def add_batch(self, row: BatchRow, pockets: Sequence[str]) -> None:
        self._connection.execute(
            insert(kept.envelope_batches).values(
                id=row.id,
                counted_at=utc(row.counted_at),
                envelopes=row.envelopes,
                total=row.total,
                amounts=row.amounts,
                counted_by=row.counted_by,
            )
        )
        made = {"batch": row.id, "state": "tray", "changed_at": utc(row.counted_at)}
        self._connection.execute(insert(kept.envelopes), [{"pocket": pocket, **made} for pocket in pockets])

    def envelope(self, pocket: str) -> EnvelopeRow | None:
        return _envelope(self._connection.execute(_at_pocket(pocket)).one_or_none())

    def envelope_of(self, draw: str, ordinal: int) -> EnvelopeRow | None:
        return _envelope(self._connection.execute(_of_claim(draw, ordinal)).one_or_none())

    def draw_envelope(self, pocket: str, state: str, *, draw: str, ordinal: int, at: int) -> None:
        table = kept.envelopes
        self._connection.execute(
            update(table)
            .where(table.c.pocket == pocket)
            .values(state=state, draw=draw, ordinal=ordinal, changed_at=utc(at))
        )

    def take_out_envelope(self, pocket: str, *, at: int) -> None:
        table = kept.envelopes
        values = {"state": "withdrawn", "draw": None, "ordinal": None, "amount": None, "changed_at": utc(at)}
        self._connection.execute(update(table).where(table.c.pocket == pocket).values(**values))

    def put_envelope(self, pocket: str, state: str, *, at: int, amount: int | None = None) -> None:
        table = kept.envelopes
        values: dict[str, Any] = {"state": state, "changed_at": utc(at)}
        if amount is not None:
            values["amount"] = amount
        self._connection.execute(update(table).where(table.c.pocket == pocket).values(**values))

    def add_register_entry(self, row: EntryRow) -> None:
        self._connection.execute(
            insert(kept.register_entries).values(
                id=row.id,
                day=row.day,
                signed_at=utc(row.signed_at),
                member=row.member,
                person=row.person,
                clerk=row.clerk,
                sealed=row.sealed,
            )
        )

    def withdraw_register_entry(self, entry: int, *, at: int) -> None:
        table = kept.register_entries
        self._connection.execute(update(table).where(table.c.id == entry).values(withdrawn_at=utc(at)))

    def add_held(self, row: HeldRow) -> None:
        self._connection.execute(
            insert(kept.held_prizes).values(
                draw=row.draw,
                ordinal=row.ordinal,
                held_at=utc(row.held_at),
                claim_by=row.claim_by,
                state=row.state,
                custody=row.custody,
            )
        )

    def held_prize(self, draw: str, ordinal: int) -> HeldRow | None:
        return _held(self._connection.execute(_held_at(draw, ordinal)).one_or_none())

    def put_held(self, draw: str, ordinal: int, **values: int | str | None) -> None:
        table = kept.held_prizes
        written = {
            name: utc(value) if name.endswith("_at") and isinstance(value, int) else value
            for name, value in values.items()
        }
        self._connection.execute(
            update(table).where(table.c.draw == draw, table.c.ordinal == ordinal).values(**written)
        )

    def add_move(self, row: MoveRow) -> None:
        self._connection.execute(
            insert(kept.custody_moves).values(
                id=row.id,
                draw=row.draw,
                ordinal=row.ordinal,
                moved_at=utc(row.moved_at),
                from_place=row.from_place,
                to_place=row.to_place,
                given_by=row.given_by,
                received_by=row.received_by,
            )
        )

    def add_attempt(self, row: AttemptRow) -> None:
        self._connection.execute(
            insert(kept.contact_attempts).values(
                id=row.id,
                draw=row.draw,
                ordinal=row.ordinal,
                attempted_at=utc(row.attempted_at),
                channel=row.channel,
                outcome=row.outcome,
                by=row.by,
                sealed=row.sealed,
            )
        )

    def add_signature(self, number: int, *, under: str, sealed: bytes, at: int) -> None:
        self._connection.execute(
            insert(kept.signatures).values(id=number, signed_at=utc(at), under=under, sealed=sealed)
        )

    def put_day_count(self, row: DayCountRow) -> None:
        name = _DAY_COUNT + row.day
        value = jcs({"at": row.counted_at, "by": row.by, "expected": row.expected, "left": row.left}).decode()
        self._connection.execute(delete(settings).where(settings.c.name == name))
        self._connection.execute(insert(settings).values(name=name, value=value))

    def put_cash_count(self, row: CashCountRow) -> None:
        table = kept.cash_counts
        self._connection.execute(delete(table).where(table.c.day == row.day))
        self._connection.execute(
            insert(table).values(
                day=row.day,
                counted_at=utc(row.counted_at),
                envelopes=row.envelopes,
                cents=row.cents,
                least=row.least,
                most=row.most,
                agree=int(row.agree),
                counted_by=row.by,
            )
        )


class PrizeReads:
    """`PrizeStore` of `service.prize_ports`, through the store's reading connections."""

    if TYPE_CHECKING:

        def _reading(self) -> AbstractContextManager[Connection]: ...

    def _all(self, asked: Select[Any]) -> Sequence[Row[Any]]:
        with self._reading() as connection:
            return connection.execute(asked).all()

    def _one(self, asked: Select[Any]) -> Row[Any] | None:
        with self._reading() as connection:
            return connection.execute(asked).one_or_none()

    def batches(self) -> list[BatchRow]:
        table = kept.envelope_batches
        return [
            BatchRow(row.id, millis(row.counted_at), row.envelopes, row.total, row.amounts, row.counted_by)
            for row in self._all(select(table).order_by(table.c.counted_at, table.c.id))
        ]

    def envelopes(self, *, state: str | None = None, batch: str | None = None) -> list[EnvelopeRow]:
        table = kept.envelopes
        # Pockets are numbered with at least four digits: the longer one is the later one.
        asked = select(table).order_by(func.length(table.c.pocket), table.c.pocket)
        if state is not None:
            asked = asked.where(table.c.state == state)
        if batch is not None:
            asked = asked.where(table.c.batch == batch)
        return [found for row in self._all(asked) if (found := _envelope(row)) is not None]

    def envelope(self, pocket: str) -> EnvelopeRow | None:
        return _envelope(self._one(_at_pocket(pocket)))

    def envelope_of(self, draw: str, ordinal: int) -> EnvelopeRow | None:
        return _envelope(self._one(_of_claim(draw, ordinal)))

    def day_count(self, day: str) -> DayCountRow | None:
        row = self._one(select(settings.c.value).where(settings.c.name == _DAY_COUNT + day))
        if row is None:
            return None
        told = json.loads(row.value)
        return DayCountRow(day, told["at"], told["left"], told["expected"], told["by"])

    def cash_count(self, day: str) -> CashCountRow | None:
        row = self._one(select(kept.cash_counts).where(kept.cash_counts.c.day == day))
        if row is None:
            return None
        return CashCountRow(
            day=row.day,
            counted_at=millis(row.counted_at),
            envelopes=row.envelopes,
            cents=row.cents,
            least=row.least,
            most=row.most,
            agree=bool(row.agree),
            by=row.counted_by,
        )

    def register_entries(self, day: str, *, of: Collection[str] | None = None) -> list[EntryRow]:
        table = kept.register_entries
        asked = select(table).where(table.c.day == day).order_by(table.c.id)
        if of is not None:
            numbers = sorted(of)
            asked = asked.where(or_(table.c.member.in_(numbers), table.c.person.in_(numbers)))
        return [_entry(row) for row in self._all(asked)]

    def register_entry(self, entry: int) -> EntryRow | None:
        table = kept.register_entries
        row = self._one(select(table).where(table.c.id == entry))
        return None if row is None else _entry(row)

    def held_prizes(self) -> list[HeldRow]:
        table = kept.held_prizes
        rows = self._all(select(table).order_by(table.c.held_at, table.c.draw, table.c.ordinal))
        return [found for row in rows if (found := _held(row)) is not None]

    def held_prize(self, draw: str, ordinal: int) -> HeldRow | None:
        return _held(self._one(_held_at(draw, ordinal)))

    def held_overdue(self, today: str) -> list[HeldRow]:
        table = kept.held_prizes
        asked = select(table).where(table.c.state.in_(_WAITING), table.c.claim_by < today)
        rows = self._all(asked.order_by(table.c.held_at, table.c.draw, table.c.ordinal))
        return [found for row in rows if (found := _held(row)) is not None]

    def moves(self) -> list[MoveRow]:
        table = kept.custody_moves
        asked = select(table).order_by(table.c.id)
        return [
            MoveRow(
                row.id,
                row.draw,
                row.ordinal,
                millis(row.moved_at),
                row.from_place,
                row.to_place,
                row.given_by,
                row.received_by,
            )
            for row in self._all(asked)
        ]

    def attempts(self) -> list[AttemptRow]:
        table = kept.contact_attempts
        asked = select(table).order_by(table.c.id)
        return [
            AttemptRow(
                row.id,
                row.draw,
                row.ordinal,
                millis(row.attempted_at),
                row.channel,
                row.outcome,
                row.by,
                bytes(row.sealed),
            )
            for row in self._all(asked)
        ]

    def signature(self, under: str) -> tuple[int, bytes] | None:
        table = kept.signatures
        asked = select(table.c.id, table.c.sealed).where(table.c.under == under)
        row = self._one(asked.order_by(table.c.id.desc()).limit(1))
        return None if row is None else (row.id, bytes(row.sealed))


def _at_pocket(pocket: str) -> Select[Any]:
    return select(kept.envelopes).where(kept.envelopes.c.pocket == pocket)


def _of_claim(draw: str, ordinal: int) -> Select[Any]:
    return select(kept.envelopes).where(kept.envelopes.c.draw == draw, kept.envelopes.c.ordinal == ordinal)


def _held_at(draw: str, ordinal: int) -> Select[Any]:
    return select(kept.held_prizes).where(kept.held_prizes.c.draw == draw, kept.held_prizes.c.ordinal == ordinal)


def _envelope(row: Row[Any] | None) -> EnvelopeRow | None:
    if row is None:
        return None
    return EnvelopeRow(row.pocket, row.batch, row.state, row.draw, row.ordinal, row.amount, millis(row.changed_at))


def _entry(row: Row[Any]) -> EntryRow:
    withdrawn = None if row.withdrawn_at is None else millis(row.withdrawn_at)
    return EntryRow(
        row.id, row.day, millis(row.signed_at), row.member, row.person, row.clerk, bytes(row.sealed), withdrawn
    )


def _held(row: Row[Any] | None) -> HeldRow | None:
    if row is None:
        return None
    return HeldRow(
        draw=row.draw,
        ordinal=row.ordinal,
        held_at=millis(row.held_at),
        claim_by=row.claim_by,
        state=row.state,
        custody=row.custody,
        pocket=row.pocket,
        amount=row.amount,
        settled_at=None if row.settled_at is None else millis(row.settled_at),
    )
