"""Dispute notes in their table: mixed into the transaction and the store."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from sqlalchemy import Connection, func, insert, select

from draw_engine.service.note_ports import NoteRow
from draw_engine.store.people_tables import dispute_notes as notes
from draw_engine.store.tables import millis, utc


class NoteWrites:
    """The `NoteWork` of a transaction over the tables."""

    _connection: Connection

    def next_note(self) -> int:
        return (self._connection.execute(select(func.max(notes.c.n))).scalar_one_or_none() or 0) + 1

    def add_note(self, row: NoteRow) -> None:
        self._connection.execute(
            insert(notes).values(
                n=row.n,
                at=utc(row.at),
                by=row.by,
                draw=row.draw,
                ordinal=row.ordinal,
                sealed=row.sealed,
                sha256=row.sha256,
            )
        )


class NoteReads:
    """The `NoteStore` of the store over the tables."""

    def _reading(self) -> AbstractContextManager[Connection]:
        raise NotImplementedError

    def notes_of(self, draw: str, ordinal: int) -> list[NoteRow]:
        asked = select(notes).where(notes.c.draw == draw, notes.c.ordinal == ordinal).order_by(notes.c.n)
        with self._reading() as connection:
            rows = connection.execute(asked).all()
        return [
            NoteRow(
                n=row.n,
                at=millis(row.at),
                by=row.by,
                draw=row.draw,
                ordinal=row.ordinal,
                sha256=row.sha256,
                sealed=bytes(row.sealed),
            )
            for row in rows
        ]

    def note_counts(self, draws: Sequence[str]) -> dict[tuple[str, int], int]:
        counted = select(notes.c.draw, notes.c.ordinal, func.count()).where(notes.c.draw.in_(list(draws)))
        with self._reading() as connection:
            rows = connection.execute(counted.group_by(notes.c.draw, notes.c.ordinal)).all()
        return {(row[0], row[1]): row[2] for row in rows}
