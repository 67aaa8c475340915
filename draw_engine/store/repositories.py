"""The store: its transactions, and what is read from it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, Row, bindparam, delete, func, insert, select, update

from draw_engine.log import Entry, Head
from draw_engine.service.list_ports import LoadedList
from draw_engine.service.ports import Checkpoint, DrawRow, SelectionRow
from draw_engine.store import tables
from draw_engine.store.copy_rows import CopyReads
from draw_engine.store.lock_rows import LockReads
from draw_engine.store.note_rows import NoteReads
from draw_engine.store.people_rows import PeopleReads
from draw_engine.store.print_rows import PrintReads
from draw_engine.store.prize_rows import PrizeReads
from draw_engine.store.prize_tables import presses
from draw_engine.store.report_rows import ReportReads
from draw_engine.store.roster_rows import RosterReads
from draw_engine.store.tables import millis
from draw_engine.store.unit_of_work import TransactionOfTables

_FEED_KINDS = tuple(f"feed.{state}" for state in ("up", "stale", "down", "unsure", "unheard"))


class TableStore(PrizeReads, PrintReads, PeopleReads, CopyReads, LockReads, NoteReads, RosterReads, ReportReads):
    """The `Store` of `service.ports` over one database. `salt(seq)` gives each log entry its salt.

    `property` stands in every checkpoint read back.
    """

    def __init__(self, database: Engine, *, salt: Callable[[int], bytes], property_id: str) -> None:
        self.database = database
        self._reads = database.execution_options(floordraw_reads=True)
        self._salt = salt
        self._property = property_id
        head = tables.journal_head
        self._move_journal = (
            update(head).where(head.c.id == 1).values(segment=bindparam("to_segment"), length=bindparam("to_length"))
        )

    @contextmanager
    def transaction(self) -> Iterator[TransactionOfTables]:
        """A transaction that is kept when the block ends and leaves no trace when it raises."""
        with self.database.begin() as connection:
            work = TransactionOfTables(connection, self._salt)
            yield work
            work.write_log()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._reads.connect() as connection:
            yield connection

    def head(self) -> Head | None:
        head = tables.log_head
        with self._reading() as connection:
            row = connection.execute(select(head.c.seq, head.c.at, head.c.hash)).one_or_none()
        return None if row is None else Head(row.seq, millis(row.at), row.hash)

    def entries(self, first: int, last: int) -> Iterator[Entry]:
        log = tables.log_entries
        with self._reading() as connection:
            rows = connection.execute(select(log).where(log.c.seq.between(first, last)).order_by(log.c.seq)).all()
        return map(_entry, rows)

    def entries_of(self, draw: str) -> list[Entry]:
        log = tables.log_entries
        with self._reading() as connection:
            rows = connection.execute(select(log).where(log.c.draw == draw).order_by(log.c.seq)).all()
        return [_entry(row) for row in rows]

    def feed_states(self) -> dict[str, str]:
        log = tables.log_entries
        told = select(log.c.kind, log.c.data).where(log.c.draw.is_(None), log.c.kind.in_(_FEED_KINDS))
        with self._reading() as connection:
            rows = connection.execute(told.order_by(log.c.seq)).all()
        return {json.loads(row.data)["feed"]: row.kind.removeprefix("feed.") for row in rows}

    def draws(self) -> list[DrawRow]:
        with self._reading() as connection:
            rows = connection.execute(select(tables.draws).order_by(tables.draws.c.opened_seq)).all()
        return [
            DrawRow(
                id=row.id,
                promotion=row.promotion,
                gaming_day=row.gaming_day,
                plan=row.plan,
                opened_at=millis(row.opened_at),
                opened_seq=row.opened_seq,
                rules_sha256=row.rules_sha256,
                sealed_seed=row.sealed_seed,
                closed_at=None if row.closed_at is None else millis(row.closed_at),
                closed_seq=row.closed_seq,
            )
            for row in rows
        ]

    def pool(self, draw: str, pool_id: str) -> bytes:
        pools = tables.pools
        with self._reading() as connection:
            data = connection.execute(
                select(pools.c.data).where(pools.c.draw == draw, pools.c.id == pool_id)
            ).scalar_one()
        return bytes(data)

    def verdicts(self, draw: str, pool_id: str | None = None) -> list[tuple[int, str | None, bytes]]:
        judged = tables.judgements
        asked = select(judged).where(judged.c.draw == draw).order_by(judged.c.seq)
        if pool_id is not None:
            asked = asked.where(judged.c.pool == pool_id)
        with self._reading() as connection:
            rows = connection.execute(asked).all()
        return [(millis(row.judged_at), row.pool, zlib.decompress(row.verdicts)) for row in rows]

    def selections(self, draw: str) -> list[SelectionRow]:
        made = tables.selections
        with self._reading() as connection:
            rows = connection.execute(select(made).where(made.c.draw == draw).order_by(made.c.ordinal)).all()
        return [
            SelectionRow(
                draw=row.draw,
                ordinal=row.ordinal,
                made_at=millis(row.made_at),
                place=row.place,
                pool=row.pool,
                ref=row.ref,
                position=row.position,
                person=row.person,
                member=row.member,
                card=row.card,
            )
            for row in rows
        ]

    def checkpoints(self, first: int, last: int) -> list[Checkpoint]:
        made = tables.checkpoints
        with self._reading() as connection:
            rows = connection.execute(select(made).where(made.c.seq.between(first, last)).order_by(made.c.seq)).all()
        return [
            Checkpoint(self._property, row.seq, row.hash, millis(row.at), row.public_key, row.signature) for row in rows
        ]

    def last_of_kind(self, kind: str) -> Entry | None:
        log = tables.log_entries
        with self._reading() as connection:
            asked = select(log).where(log.c.draw.is_(None), log.c.kind == kind).order_by(log.c.seq.desc()).limit(1)
            row = connection.execute(asked).one_or_none()
        return None if row is None else _entry(row)

    def last_checkpoint_at(self) -> int | None:
        with self._reading() as connection:
            at = connection.execute(select(func.max(tables.checkpoints.c.at))).scalar_one_or_none()
        return None if at is None else millis(at)

    def lists(self) -> list[LoadedList]:
        versions = tables.list_versions
        with self._reading() as connection:
            rows = connection.execute(select(versions).order_by(versions.c.id)).all()
        return [
            LoadedList(
                row.id,
                row.kind,
                row.sha256,
                row.row_count,
                millis(row.loaded_at),
                zlib.decompress(row.content),
                millis(row.fresh_at),
            )
            for row in rows
        ]

    def rule_book(self, sha256: str) -> bytes | None:
        books = tables.rule_books
        return self._scalar(select(books.c.content).where(books.c.sha256 == sha256))

    def sealed(self, name: str) -> bytes | None:
        keys = tables.sealed_keys
        return self._scalar(select(keys.c.sealed).where(keys.c.name == name))

    def journal(self) -> tuple[str, int] | None:
        head = tables.journal_head
        with self._reading() as connection:
            row = connection.execute(select(head.c.segment, head.c.length)).one_or_none()
        return None if row is None else (row.segment, row.length)

    def press(self, press_id: str) -> tuple[str, str] | None:
        kept = presses
        with self._reading() as connection:
            row = connection.execute(select(kept.c.digest, kept.c.answer).where(kept.c.id == press_id)).one_or_none()
        return None if row is None else (row.digest, row.answer)

    def setting(self, name: str) -> str | None:
        kept = tables.settings
        with self._reading() as connection:
            return connection.execute(select(kept.c.value).where(kept.c.name == name)).scalar_one_or_none()

    def put_setting(self, name: str, value: str) -> None:
        with self.database.begin() as connection:
            connection.execute(delete(tables.settings).where(tables.settings.c.name == name))
            connection.execute(insert(tables.settings).values(name=name, value=value))

    def count_journal(self, segment: str, length: int) -> None:
        with self.database.begin() as connection:
            done = connection.execute(self._move_journal, {"to_segment": segment, "to_length": length})
            if done.rowcount == 0:
                connection.execute(insert(tables.journal_head).values(id=1, segment=segment, length=length))

    def _scalar(self, statement: Any) -> bytes | None:
        with self._reading() as connection:
            found = connection.execute(statement).scalar_one_or_none()
        return None if found is None else bytes(found)


def _entry(row: Row[Any]) -> Entry:
    return Entry(
        seq=row.seq,
        at=millis(row.at),
        kind=row.kind,
        draw=row.draw,
        actor=row.actor,
        data=json.loads(row.data),
        salt=row.salt,
        prev=row.prev,
        body=row.body,
        hash=row.hash,
    )
