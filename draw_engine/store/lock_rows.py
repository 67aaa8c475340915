"""Kept rule books in the tables: mixed into the transaction and the store."""

from __future__ import annotations

import hashlib
import json
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from draw_engine.canonical import jcs
from draw_engine.errors import RuleBroken
from draw_engine.locked_books import KeptBook
from draw_engine.store.people_tables import rule_book_locks as kept
from draw_engine.store.tables import millis, utc


class LockWrites:
    """`LockWork` of `service.lock_ports`, on the transaction's connection."""

    _connection: Connection

    def add_kept_book(self, book: KeptBook) -> None:
        self._connection.execute(
            insert(kept).values(
                rules_sha256=book.sha256,
                promotion=book.promotion,
                version=book.version,
                title=book.title,
                toml=book.toml,
                loaded_at=utc(book.loaded_at),
                loaded_by=book.loaded_by,
                **_fate(book),
            )
        )

    def put_kept_book(self, book: KeptBook) -> None:
        self._connection.execute(update(kept).where(kept.c.rules_sha256 == book.sha256).values(**_fate(book)))


class LockReads:
    """`LockStore` of `service.lock_ports` over the tables."""

    def _reading(self) -> AbstractContextManager[Connection]:
        raise NotImplementedError

    def kept_books(self) -> list[KeptBook]:
        with self._reading() as connection:
            rows = connection.execute(select(kept).order_by(kept.c.loaded_at, kept.c.rules_sha256)).all()
        return [_book(row) for row in rows]


def _fate(book: KeptBook) -> dict[str, Any]:
    """What may change of a row."""
    return {
        "rehearsal": None if book.rehearsal is None else jcs(dict(book.rehearsal)).decode(),
        "locked_at": None if book.locked_at is None else utc(book.locked_at),
        "locked_by": jcs(list(book.locked_by)).decode() if book.locked_by else None,
        "retired_at": None if book.retired_at is None else utc(book.retired_at),
    }


def _book(row: Row[Any]) -> KeptBook:
    toml = bytes(row.toml)
    if hashlib.sha256(toml).hexdigest() != row.rules_sha256:
        raise RuleBroken(f"the rule book {row.rules_sha256[:12]} is not what was loaded: its bytes were changed")
    return KeptBook(
        sha256=row.rules_sha256,
        promotion=row.promotion,
        version=row.version,
        title=row.title,
        toml=toml,
        loaded_at=millis(row.loaded_at),
        loaded_by=row.loaded_by,
        rehearsal=None if row.rehearsal is None else json.loads(row.rehearsal),
        locked_at=None if row.locked_at is None else millis(row.locked_at),
        locked_by=() if row.locked_by is None else tuple(json.loads(row.locked_by)),
        retired_at=None if row.retired_at is None else millis(row.retired_at),
    )
