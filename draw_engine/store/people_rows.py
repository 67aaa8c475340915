"""Staff, devices, sign-ins and look-ups in the tables: mixed into the transaction and the store."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import Connection, Row, Table, func, insert, select, update

from draw_engine.service.people_ports import AccessEntry, DeviceRow, SignInRow, StaffRow
from draw_engine.store import people_tables as tables
from draw_engine.store.tables import millis, utc


class PeopleWrites:
    """The `PeopleWork` of a transaction over the tables."""

    _connection: Connection

    def put_staff(self, row: StaffRow) -> None:
        self._put(
            tables.staff,
            "id",
            row.id,
            name=row.name,
            role=row.role,
            secret=row.secret,
            secret_kind=row.secret_kind,
            secret_until=_utc(row.secret_until),
            entered_at=utc(row.entered_at),
            changed_at=utc(row.changed_at),
            valid_from=_utc(row.valid_from),
            valid_until=_utc(row.valid_until),
            ended_at=_utc(row.ended_at),
            code_by=row.code_by,
            code_at=_utc(row.code_at),
        )

    def put_device(self, row: DeviceRow) -> None:
        self._put(
            tables.devices,
            "id",
            row.id,
            kind=row.kind,
            title=row.title,
            token_sha256=row.token_sha256,
            enrolled_at=utc(row.enrolled_at),
            enrolled_by=row.enrolled_by,
            revoked_at=_utc(row.revoked_at),
        )

    def put_sign_in(self, row: SignInRow) -> None:
        self._put(
            tables.sign_ins,
            "token_sha256",
            row.token_sha256,
            staff=row.staff,
            device=row.device,
            began_at=utc(row.began_at),
            seen_at=utc(row.seen_at),
            ends_at=utc(row.ends_at),
            ended_at=_utc(row.ended_at),
        )

    def note_access(self, *, at: int, who: str, device: str, act: str, about: str, code: str) -> int:
        notes = tables.access_entries
        last = self._connection.execute(select(func.max(notes.c.n))).scalar_one_or_none()
        n = (last or 0) + 1
        values = {"n": n, "at": utc(at), "who": who, "device": device, "act": act, "about": about, "code": code}
        self._connection.execute(insert(notes).values(**values))
        return n

    def _put(self, table: Table, key: str, value: str, **values: Any) -> None:
        """Change the row of that key, or make it."""
        changed = self._connection.execute(update(table).where(table.c[key] == value).values(**values))
        if changed.rowcount == 0:
            self._connection.execute(insert(table).values(**{key: value}, **values))


class PeopleReads:
    """The `PeopleStore` over the tables."""

    def _reading(self) -> AbstractContextManager[Connection]:
        raise NotImplementedError

    def staff(self) -> list[StaffRow]:
        with self._reading() as connection:
            rows = connection.execute(select(tables.staff).order_by(tables.staff.c.id)).all()
        return [_staff(row) for row in rows]

    def devices(self) -> list[DeviceRow]:
        with self._reading() as connection:
            rows = connection.execute(select(tables.devices).order_by(tables.devices.c.enrolled_at)).all()
        return [_device(row) for row in rows]

    def sign_ins(self, *, after: int) -> list[SignInRow]:
        table = tables.sign_ins
        asked = select(table).where(table.c.ended_at.is_(None), table.c.ends_at > utc(after))
        with self._reading() as connection:
            rows = connection.execute(asked).all()
        return [_sign_in(row) for row in rows]

    def access_entries(self, first: int, last: int) -> list[AccessEntry]:
        table = tables.access_entries
        asked = select(table).where(table.c.n >= first, table.c.n <= last).order_by(table.c.n)
        with self._reading() as connection:
            rows = connection.execute(asked).all()
        return [AccessEntry(row.n, millis(row.at), row.who, row.device, row.act, row.about, row.code) for row in rows]

    def last_access(self) -> int:
        with self._reading() as connection:
            return connection.execute(select(func.max(tables.access_entries.c.n))).scalar_one_or_none() or 0


def _utc(at: int | None) -> Any:
    return None if at is None else utc(at)


def _millis(moment: Any) -> int | None:
    return None if moment is None else millis(moment)


def _staff(row: Row[Any]) -> StaffRow:
    return StaffRow(
        id=row.id,
        name=row.name,
        role=row.role,
        entered_at=millis(row.entered_at),
        changed_at=millis(row.changed_at),
        secret=row.secret,
        secret_kind=row.secret_kind,
        secret_until=_millis(row.secret_until),
        valid_from=_millis(row.valid_from),
        valid_until=_millis(row.valid_until),
        ended_at=_millis(row.ended_at),
        code_by=row.code_by,
        code_at=_millis(row.code_at),
    )


def _device(row: Row[Any]) -> DeviceRow:
    return DeviceRow(
        row.id, row.kind, row.title, row.token_sha256, millis(row.enrolled_at), row.enrolled_by, _millis(row.revoked_at)
    )


def _sign_in(row: Row[Any]) -> SignInRow:
    return SignInRow(
        row.token_sha256,
        row.staff,
        row.device,
        millis(row.began_at),
        millis(row.seen_at),
        millis(row.ends_at),
        _millis(row.ended_at),
    )
