"""Sealed copies of papers in the tables: mixed into the transaction and the store.

Identification papers, and the certificates of witnesses: whatever holds a person's name and belongs in no log.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from sqlalchemy import Connection, func, insert, select

from draw_engine.service.copy_ports import PaperCopy
from draw_engine.store.people_tables import paper_copies
from draw_engine.store.tables import millis, utc


class CopyWrites:
    """The `CopyWork` of a transaction over the tables."""

    _connection: Connection

    def add_paper_copy(self, *, at: int, by: str, under: str, media: str, sealed: bytes) -> int:
        last = self._connection.execute(select(func.max(paper_copies.c.id))).scalar_one_or_none()
        number = (last or 0) + 1
        row = {"id": number, "at": utc(at), "by": by, "under": under, "media": media, "sealed": sealed}
        self._connection.execute(insert(paper_copies).values(**row))
        return number


class CopyReads:
    """The `CopyStore` of the store over the tables."""

    def _reading(self) -> AbstractContextManager[Connection]:
        raise NotImplementedError

    def paper_copies(self, under: str) -> list[PaperCopy]:
        asked = select(paper_copies).where(paper_copies.c.under == under).order_by(paper_copies.c.id)
        with self._reading() as connection:
            rows = connection.execute(asked).all()
        return [
            PaperCopy(row.id, at=millis(row.at), by=row.by, under=row.under, media=row.media, sealed=bytes(row.sealed))
            for row in rows
        ]
