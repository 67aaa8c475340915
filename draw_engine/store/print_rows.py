"""Print jobs and printers in the tables: mixed into the transaction and the store.

What was last heard of a printer is a row of `settings`, so that it changes in the transaction that logs it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from draw_engine.canonical import jcs
from draw_engine.service.print_ports import QUEUED, PrinterRow, PrintJob
from draw_engine.store.prize_tables import print_jobs
from draw_engine.store.tables import millis, settings, utc

_PRINTER = "printer."


class PrintWrites:
    """The `PrintWork` of a transaction over the tables."""

    _connection: Connection

    def add_print_job(
        self, *, kind: str, use: str, data: Mapping[str, Any], at: int, draw: str | None, ordinal: int | None
    ) -> int:
        last = self._connection.execute(select(func.max(print_jobs.c.id))).scalar_one_or_none()
        job = (last or 0) + 1
        self._connection.execute(
            insert(print_jobs).values(
                id=job,
                kind=kind,
                use=use,
                made_at=utc(at),
                draw=draw,
                ordinal=ordinal,
                data=jcs(dict(data)).decode(),
                state=QUEUED,
                attempt=0,
                reprints=0,
                changed_at=utc(at),
                detail="",
            )
        )
        return job

    def put_print_job(self, job: PrintJob) -> None:
        self._connection.execute(
            update(print_jobs)
            .where(print_jobs.c.id == job.id)
            .values(
                state=job.state,
                printer=job.printer,
                attempt=job.attempt,
                reprints=job.reprints,
                first_printed_at=None if job.first_printed_at is None else utc(job.first_printed_at),
                changed_at=utc(job.changed_at),
                detail=job.detail,
            )
        )

    def put_printer(self, row: PrinterRow) -> None:
        name = _PRINTER + row.printer
        value = jcs({"since": row.since, "state": row.state}).decode()
        self._connection.execute(delete(settings).where(settings.c.name == name))
        self._connection.execute(insert(settings).values(name=name, value=value))


class PrintReads:
    """The `PrintStore` of the store over the tables."""

    def _reading(self) -> AbstractContextManager[Connection]:
        raise NotImplementedError

    def print_job(self, job: int) -> PrintJob | None:
        found = self._print_jobs(select(print_jobs).where(print_jobs.c.id == job))
        return found[0] if found else None

    def print_jobs(self, states: Collection[str], *, uses: Collection[str] | None = None) -> list[PrintJob]:
        asked = select(print_jobs).where(print_jobs.c.state.in_(sorted(states)))
        if uses is not None:
            asked = asked.where(print_jobs.c.use.in_(sorted(uses)))
        return self._print_jobs(asked.order_by(print_jobs.c.id))

    def recent_print_jobs(self, limit: int) -> list[PrintJob]:
        return self._print_jobs(select(print_jobs).order_by(print_jobs.c.id.desc()).limit(limit))

    def print_jobs_of(self, draw: str, ordinal: int) -> list[PrintJob]:
        of_claim = select(print_jobs).where(print_jobs.c.draw == draw, print_jobs.c.ordinal == ordinal)
        return self._print_jobs(of_claim.order_by(print_jobs.c.id))

    def printer_rows(self) -> list[PrinterRow]:
        told = select(settings).where(settings.c.name.startswith(_PRINTER, autoescape=True)).order_by(settings.c.name)
        with self._reading() as connection:
            rows = connection.execute(told).all()
        heard = [(row.name.removeprefix(_PRINTER), json.loads(row.value)) for row in rows]
        return [PrinterRow(name, value["state"], value["since"]) for name, value in heard]

    def _print_jobs(self, asked: Any) -> list[PrintJob]:
        with self._reading() as connection:
            return [_job(row) for row in connection.execute(asked).all()]


def _job(row: Row[Any]) -> PrintJob:
    return PrintJob(
        id=row.id,
        kind=row.kind,
        use=row.use,
        made_at=millis(row.made_at),
        draw=row.draw,
        ordinal=row.ordinal,
        data=json.loads(row.data),
        state=row.state,
        printer=row.printer,
        attempt=row.attempt,
        reprints=row.reprints,
        first_printed_at=None if row.first_printed_at is None else millis(row.first_printed_at),
        changed_at=millis(row.changed_at),
        detail=row.detail,
    )
