"""What the reports read of the tables: mixed into the store."""

from __future__ import annotations

import json
import zlib
from contextlib import AbstractContextManager

from sqlalchemy import Connection, select

from draw_engine.log import Entry
from draw_engine.service.list_ports import LoadedList
from draw_engine.store.tables import draws, list_versions, log_entries, millis


class ReportReads:
    """`ReportStore` of `service.report_ports`."""

    def _reading(self) -> AbstractContextManager[Connection]:
        raise NotImplementedError

    def lists_between(self, kinds: tuple[str, ...], first: int, last: int) -> list[LoadedList]:
        kept = list_versions.c
        asked = select(kept.id, kept.kind, kept.loaded_at).where(kept.kind.in_(kinds)).order_by(kept.id)
        with self._reading() as connection:
            wanted: list[int] = []
            before: dict[str, int] = {}
            for row in connection.execute(asked):
                loaded_at = millis(row.loaded_at)
                if loaded_at <= first:
                    before[row.kind] = row.id
                elif loaded_at <= last:
                    wanted.append(row.id)
            ids = sorted({*wanted, *before.values()})
            rows = connection.execute(select(list_versions).where(kept.id.in_(ids)).order_by(kept.id)).all()
        return [
            LoadedList(row.id, row.kind, row.sha256, row.row_count, millis(row.loaded_at), zlib.decompress(row.content))
            for row in rows
        ]

    def voided_after_close(self) -> list[Entry]:
        log = log_entries.c
        asked = (
            select(log_entries)
            .join(draws, (log.draw == draws.c.id) & (log.seq > draws.c.closed_seq))
            .where(log.kind == "award.voided")
            .order_by(log.seq)
        )
        with self._reading() as connection:
            rows = connection.execute(asked).all()
        return [
            Entry(
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
            for row in rows
        ]
