"""One transaction over the tables, with the log's head locked before its first entry."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, insert, select, update

from draw_engine.canonical import jcs
from draw_engine.log import Entry, Head, next_entry
from draw_engine.pool import Pool
from draw_engine.service.ports import Checkpoint, DrawRow, SelectionRow
from draw_engine.store import tables
from draw_engine.store.copy_rows import CopyWrites
from draw_engine.store.lock_rows import LockWrites
from draw_engine.store.note_rows import NoteWrites
from draw_engine.store.people_rows import PeopleWrites
from draw_engine.store.print_rows import PrintWrites
from draw_engine.store.prize_rows import PrizeWrites
from draw_engine.store.prize_tables import presses
from draw_engine.store.roster_rows import RosterWrites
from draw_engine.store.tables import millis, utc

_MANY = 16
_ROWS_AT_ONCE = 500
"""Rows of one INSERT: SQLite takes at most 32,766 values a statement, an entry has ten."""


class TransactionOfTables(PrizeWrites, PrintWrites, PeopleWrites, CopyWrites, LockWrites, NoteWrites, RosterWrites):
    """The `UnitOfWork` of `service.ports`, on one connection."""

    def __init__(self, connection: Connection, salt: Callable[[int], bytes]) -> None:
        self._connection = connection
        self._salt = salt
        self._head: Head | None = None
        self._head_read = False
        self._log_was_empty = False
        self.entries: list[Entry] = []
        self._written = 0

    def _locked_head(self) -> Head | None:
        if not self._head_read:
            head = tables.log_head
            row = self._connection.execute(
                select(head.c.seq, head.c.at, head.c.hash).where(head.c.id == 1).with_for_update()
            ).one_or_none()
            self._head = None if row is None else Head(row.seq, millis(row.at), row.hash)
            self._head_read, self._log_was_empty = True, row is None
        return self._head

    def instant(self, now: int) -> int:
        head = self._locked_head()
        return now if head is None else max(now, head.at)

    def append(self, *, at: int, kind: str, draw: str | None, actor: str, data: Mapping[str, Any]) -> Entry:
        head = self._locked_head()
        seq = 1 if head is None else head.seq + 1
        entry = next_entry(head, at=at, kind=kind, draw=draw, actor=actor, data=dict(data), salt=self._salt(seq))
        self._head = Head(entry.seq, entry.at, entry.hash)
        self.entries.append(entry)
        return entry

    def write_log(self) -> None:
        """Write what was appended; much of it in one statement, so that a hundred endings cost about what one does."""
        new = self.entries[self._written :]
        if not new:
            return
        if len(new) < _MANY:
            self._connection.execute(insert(tables.log_entries), [_row(entry) for entry in new])
        else:
            for first in range(0, len(new), _ROWS_AT_ONCE):
                self._write_many(new[first : first + _ROWS_AT_ONCE])
        last = new[-1]
        values = {"seq": last.seq, "at": utc(last.at), "hash": last.hash}
        head = tables.log_head
        if self._log_was_empty:
            self._connection.execute(insert(head).values(id=1, **values))
        else:
            self._connection.execute(update(head).where(head.c.id == 1).values(**values))
        self._written, self._log_was_empty = len(self.entries), False

    def _write_many(self, entries: Sequence[Entry]) -> None:
        """One INSERT of many rows in the driver's own words: SQLAlchemy composes such a one anew each time."""
        names = [column.name for column in tables.log_entries.columns]
        mark = "?" if self._connection.dialect.paramstyle == "qmark" else "%s"
        row = f"({', '.join([mark] * len(names))})"
        values = [_row(entry) | {"at": entry.at} for entry in entries]
        rows = ", ".join([row] * len(values))
        statement = f"INSERT INTO log_entries ({', '.join(names)}) VALUES {rows}"  # noqa: S608 - our own column names
        self._connection.exec_driver_sql(statement, tuple(value[name] for value in values for name in names))

    def add_draw(self, row: DrawRow) -> None:
        self.write_log()
        self._connection.execute(
            insert(tables.draws).values(
                id=row.id,
                promotion=row.promotion,
                gaming_day=row.gaming_day,
                plan=row.plan,
                opened_at=utc(row.opened_at),
                opened_seq=row.opened_seq,
                rules_sha256=row.rules_sha256,
                sealed_seed=row.sealed_seed,
            )
        )

    def close_draw(self, draw: str, *, at: int, seq: int) -> None:
        self._connection.execute(
            update(tables.draws).where(tables.draws.c.id == draw).values(closed_at=utc(at), closed_seq=seq)
        )

    def add_pool(self, draw: str, pool_id: str, *, frozen_at: int, pool: Pool) -> None:
        self._connection.execute(
            insert(tables.pools).values(
                draw=draw, id=pool_id, frozen_at=utc(frozen_at), size=pool.size, root=pool.root, data=pool.data
            )
        )

    def add_judgement(self, *, seq: int, draw: str, at: int, pool_id: str | None, verdicts: bytes) -> None:
        self.write_log()
        self._connection.execute(
            insert(tables.judgements).values(
                seq=seq,
                draw=draw,
                judged_at=utc(at),
                pool=pool_id,
                sha256=hashlib.sha256(verdicts).hexdigest(),
                verdicts=zlib.compress(verdicts, 1),
            )
        )

    def add_selection(self, row: SelectionRow) -> None:
        self._connection.execute(
            insert(tables.selections).values(
                draw=row.draw,
                ordinal=row.ordinal,
                made_at=utc(row.made_at),
                place=row.place,
                pool=row.pool,
                ref=row.ref,
                position=row.position,
                person=row.person,
                member=row.member,
                card=row.card,
            )
        )

    def open_claim(self, draw: str, ordinal: int, *, at: int) -> None:
        self._connection.execute(insert(tables.claims).values(draw=draw, ordinal=ordinal, opened_at=utc(at)))

    def put_claim(self, draw: str, *ordinals: int, **values: int | str | None) -> None:
        claims = tables.claims
        kept = {
            name: utc(value) if name.endswith("_at") and isinstance(value, int) else value
            for name, value in values.items()
        }
        for first in range(0, len(ordinals), _ROWS_AT_ONCE):
            chosen = claims.c.ordinal.in_(ordinals[first : first + _ROWS_AT_ONCE])
            self._connection.execute(update(claims).where(claims.c.draw == draw, chosen).values(**kept))

    def add_press(self, press_id: str, *, stamped_at: int, digest: str, answer: str) -> None:
        self._connection.execute(
            insert(presses).values(id=press_id, stamped_at=utc(stamped_at), digest=digest, answer=answer)
        )

    def add_checkpoint(self, checkpoint: Checkpoint) -> None:
        self.write_log()
        self._connection.execute(
            insert(tables.checkpoints).values(
                seq=checkpoint.seq,
                at=utc(checkpoint.at),
                hash=checkpoint.hash,
                public_key=checkpoint.public_key,
                signature=checkpoint.signature,
            )
        )

    def add_list(
        self, kind: str, *, sha256: str, row_count: int, loaded_at: int, fresh_at: int, content: bytes
    ) -> None:
        self._connection.execute(
            insert(tables.list_versions).values(
                kind=kind,
                sha256=sha256,
                row_count=row_count,
                loaded_at=utc(loaded_at),
                fresh_at=utc(fresh_at),
                content=zlib.compress(content),
            )
        )

    def add_rule_book(self, sha256: str, content: bytes, *, at: int) -> None:
        books = tables.rule_books
        known = self._connection.execute(select(books.c.sha256).where(books.c.sha256 == sha256)).one_or_none()
        if known is None:
            self._connection.execute(insert(books).values(sha256=sha256, content=content, first_used_at=utc(at)))

    def put_sealed(self, name: str, sealed: bytes, *, at: int) -> None:
        self._connection.execute(insert(tables.sealed_keys).values(name=name, made_at=utc(at), sealed=sealed))


def _row(entry: Entry) -> dict[str, Any]:
    return {
        "seq": entry.seq,
        "at": utc(entry.at),
        "kind": entry.kind,
        "draw": entry.draw,
        "actor": entry.actor,
        "data": jcs(entry.data).decode(),
        "salt": entry.salt,
        "prev": entry.prev,
        "body": entry.body,
        "hash": entry.hash,
    }
