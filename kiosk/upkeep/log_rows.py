"""The log's rows as they lie in the database, for whoever trusts none of them: nothing is repaired, nothing written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, BigInteger, Connection, create_engine, make_url, select, type_coerce

from draw_engine.canonical import format_time, read_jcs
from draw_engine.errors import Refused
from draw_engine.log import body_hash
from draw_engine.store import tables

_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class Signed:
    """A checkpoint's row; `at` in its written form, "" where it has none."""

    seq: Any
    hash: Any
    at: str
    public_key: Any
    signature: Any


@contextmanager
def snapshot(url: str) -> Iterator[Connection]:
    """One unchanging view of the database, opened for reading alone. Raises Refused X_NO_DATABASE."""
    database = create_engine(_to_read(make_url(url)))
    try:
        with database.connect() as connection:
            if database.dialect.name == "sqlite":
                raw: Any = connection.connection.dbapi_connection
                raw.isolation_level = None
                # A byte that is no UTF-8 is a fault of its entry, not of the whole reading.
                raw.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
                connection.exec_driver_sql("BEGIN")
            else:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")  # noqa: PLW2901 - the same connection
            yield connection
    finally:
        database.dispose()


def _to_read(url: URL) -> URL:
    if url.get_backend_name() != "sqlite":
        return url.set(drivername="postgresql+psycopg")
    file = Path(str(url.database)).absolute()
    if not file.is_file():
        raise Refused("X_NO_DATABASE", f"There is no database {file}. Name the right site.toml with --site.")
    return URL.create("sqlite", database=f"file:{quote(str(file))}", query={"mode": "ro", "uri": "true"})


class Entries:
    """Every entry in order, as a record shows it. `fault` is (seq, sentence) once a row ended the reading."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.fault: tuple[int, str] | None = None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        log = tables.log_entries
        columns = [column for column in log.c if column.name != "at"]
        query = select(*columns, type_coerce(log.c.at, BigInteger).label("at")).order_by(log.c.seq)
        before = 0
        with self._connection.execution_options(yield_per=_AT_ONCE).execute(query) as rows:
            for row in rows:
                entry = _shown(row)
                if before == 0 and row.seq != 1:
                    self.fault = (1, f"it is missing or another one: the log begins with an entry {row.seq}.")
                    return
                if fault := _fault(row, entry):
                    self.fault = (row.seq if type(row.seq) is int else before + 1, fault)
                    return
                yield entry
                before = row.seq


def _shown(row: Any) -> dict[str, Any]:
    return {
        "seq": row.seq,
        "at": written(row.at),
        "kind": row.kind,
        "draw": row.draw,
        "actor": row.actor,
        "data": _data(row.data),
        "salt": row.salt,
        "prev": row.prev,
        "hash": row.hash,
    }


def _data(text: Any) -> Any:
    try:
        return read_jcs(text.encode())
    except (ValueError, AttributeError):
        return None


def _fault(row: Any, entry: Mapping[str, Any]) -> str | None:
    """What the entry as shown does not tell: the text of its data, and the hash that stands for it where withheld."""
    if not isinstance(entry["data"], dict):
        return "its data is not canonical JSON: it was changed"
    try:
        holds = row.body == body_hash(row.actor, entry["data"], row.salt)
    except ValueError:
        holds = False
    return None if holds else "its body is not the hash of what it says: one of the two was changed"


def written(at: Any) -> str:
    """The written form of milliseconds since 1970; "" for what is none."""
    try:
        return format_time(at) if type(at) is int else ""
    except (OverflowError, ValueError):
        return ""


def end_of(connection: Connection) -> tuple[Any, str, Any] | None:
    """(seq, at, hash) of the entry that the log's end is said to be; None when nothing is said."""
    head = tables.log_head
    columns = (head.c.seq, type_coerce(head.c.at, BigInteger).label("at"), head.c.hash)
    row = connection.execute(select(*columns)).first()
    return None if row is None else (row.seq, written(row.at), row.hash)


def signed(connection: Connection) -> list[Signed]:
    """Every checkpoint's row, in order."""
    made = tables.checkpoints
    columns = (made.c.seq, made.c.hash, type_coerce(made.c.at, BigInteger).label("at"))
    rows = connection.execute(select(*columns, made.c.public_key, made.c.signature).order_by(made.c.seq))
    return [Signed(row.seq, row.hash, written(row.at), row.public_key, row.signature) for row in rows]
