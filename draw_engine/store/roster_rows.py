"""The roster in its table: mixed into the transaction and the store."""

from __future__ import annotations

from contextlib import AbstractContextManager

from sqlalchemy import Connection, func, insert, select, update

from draw_engine.roster import Shift
from draw_engine.service.roster_ports import ShiftRow
from draw_engine.store.people_tables import shifts
from draw_engine.store.tables import millis, utc


class RosterWrites:
    """The `RosterWork` of a transaction over the tables."""

    _connection: Connection

    def next_shift(self) -> int:
        return (self._connection.execute(select(func.max(shifts.c.id))).scalar_one_or_none() or 0) + 1

    def add_shift(self, row: ShiftRow) -> None:
        shift = row.shift
        self._connection.execute(
            insert(shifts).values(
                id=shift.id,
                day=shift.day,
                person=shift.person,
                duty=shift.duty,
                zone=shift.zone,
                starts_at=utc(shift.starts_at),
                ends_at=utc(shift.ends_at),
                entered_at=utc(row.entered_at),
                entered_by=row.entered_by,
            )
        )

    def remove_shift(self, shift: int, *, at: int, by: str) -> None:
        self._connection.execute(
            update(shifts).where(shifts.c.id == shift).values(removed_at=utc(at), removed_by=by),
        )


class RosterReads:
    """The `RosterStore` of the store over the tables."""

    def _reading(self) -> AbstractContextManager[Connection]:
        raise NotImplementedError

    def shifts(self, day: str) -> list[ShiftRow]:
        asked = select(shifts).where(shifts.c.day == day, shifts.c.removed_at.is_(None))
        with self._reading() as connection:
            rows = connection.execute(asked.order_by(shifts.c.starts_at, shifts.c.duty, shifts.c.id)).all()
        return [
            ShiftRow(
                Shift(row.id, row.day, row.person, row.duty, row.zone, millis(row.starts_at), millis(row.ends_at)),
                entered_at=millis(row.entered_at),
                entered_by=row.entered_by,
            )
            for row in rows
        ]

    def roster_days(self) -> list[str]:
        asked = select(shifts.c.day).where(shifts.c.removed_at.is_(None)).distinct().order_by(shifts.c.day)
        with self._reading() as connection:
            return [row.day for row in connection.execute(asked).all()]
