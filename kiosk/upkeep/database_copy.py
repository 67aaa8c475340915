"""A consistent copy of the property's database while the core writes, and back: SQLite's own way, or PostgreSQL's.

The copy is taken in one reading: in WAL, and on a server, nobody waits for it.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, inspect, make_url, select, text

from draw_engine.errors import Refused
from draw_engine.store import tables
from kiosk.upkeep.log_rows import snapshot

SQLITE_FILE, SERVER_FILE = "database.db", "database.dump"


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a database is. `head`: (seq, hash) of the log's last entry; `journal`: (segment, bytes counted).

    `open_draws`: their ids; `started_by`: the program's version at the core's last start, None before the first.
    """

    schema: str | None
    head: tuple[int, str] | None
    journal: tuple[str, int] | None
    open_draws: tuple[str, ...] = ()
    started_by: str | None = None


def standing_of(connection: Connection) -> Standing:
    """Where the database stands, whatever version of the program made it."""
    there = set(inspect(connection).get_table_names())
    if not {"alembic_version", "log_head"} <= there:
        return Standing(None, None, None)
    schema = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    head = connection.execute(select(tables.log_head.c.seq, tables.log_head.c.hash)).first()
    journal = connection.execute(select(tables.journal_head.c.segment, tables.journal_head.c.length)).first()
    draws, log = tables.draws, tables.log_entries
    still_open = connection.execute(select(draws.c.id).where(draws.c.closed_at.is_(None)).order_by(draws.c.id))
    started = select(log.c.data).where(log.c.kind == "core.started").order_by(log.c.seq.desc()).limit(1)
    return Standing(
        schema,
        None if head is None else (head.seq, head.hash),
        None if journal is None else (journal.segment, journal.length),
        tuple(still_open.scalars()),
        _version_in(connection.execute(started).scalar()),
    )


def _version_in(data: str | None) -> str | None:
    from draw_engine.canonical import read_jcs  # noqa: PLC0415 - one use

    value = None if data is None else read_jcs(data.encode())
    return value.get("version") if isinstance(value, dict) else None


def copy_database(url: str, into: Path) -> Standing:
    """Put a copy into the folder, synced. Raises Refused: X_NO_DATABASE, X_NO_PG_DUMP, X_NOT_COPIED."""
    if make_url(url).get_backend_name() == "sqlite":
        return _copy_file(url, into / SQLITE_FILE)
    return _dump(url, into / SERVER_FILE)


# -- SQLite -----------------------------------------------------------------------------------------------------


def _copy_file(url: str, to: Path) -> Standing:
    source = Path(str(make_url(url).database)).absolute()
    if not source.is_file():
        raise Refused("X_NO_DATABASE", f"There is no database {source}. Name the right site.toml with --site.")
    with (
        closing(sqlite3.connect(f"file:{quote(str(source))}?mode=ro", uri=True)) as live,
        closing(sqlite3.connect(to)) as copy,
    ):
        live.backup(copy)
        # One file that stands alone: a start puts it into WAL again.
        copy.execute("PRAGMA journal_mode=DELETE")
    sync_file(to)
    with snapshot(f"sqlite:///{to}") as connection:
        return standing_of(connection)


def faults_of_file(file: Path) -> list[str]:
    """What SQLite itself finds wrong with a copy."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(file.absolute()))}?mode=ro", uri=True)) as copy:
            found = [row[0] for row in copy.execute("PRAGMA integrity_check")]
            loose = copy.execute("PRAGMA foreign_key_check").fetchall()
    except sqlite3.DatabaseError as damage:
        return [f"the database cannot be read: {damage}"]
    faults = [] if found == ["ok"] else [f"the database is damaged: {'; '.join(map(str, found[:3]))}"]
    return faults + ([f"{len(loose)} rows of the database point nowhere"] if loose else [])


# -- PostgreSQL -------------------------------------------------------------------------------------------------


def _dump(url: str, to: Path) -> Standing:
    _needs("pg_dump")
    with snapshot(url) as connection:
        standing = standing_of(connection)
        taken = connection.execute(text("SELECT pg_export_snapshot()")).scalar_one()
        said = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={taken}", f"--file={to}"]
        _run(url, ["pg_dump", *said, *_schema(connection)])
    sync_file(to)
    return standing


def load_dump(url: str, dump: Path) -> None:
    """Fill an empty database of a server from a dump, whole or not at all. Raises Refused as `copy_database`."""
    _needs("pg_restore")
    with snapshot(url) as connection:
        schema = _schema(connection)
    said = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction", *schema]
    _run(url, ["pg_restore", *said, f"--dbname={make_url(url).database}", str(dump)])


def faults_of_dump(dump: Path) -> list[str]:
    """Whether PostgreSQL can read the dump at all; what it holds shows when it is put back."""
    if shutil.which("pg_restore") is None:
        return []
    command = ["pg_restore", "--list", str(dump)]
    listed = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - the machine's own
    return [] if listed.returncode == 0 else ["the dump of the database cannot be read"]


def _schema(connection: Connection) -> list[str]:
    name = connection.execute(text("SELECT current_schema()")).scalar_one()
    return [] if name == "public" else [f"--schema={name}"]


def _needs(command: str) -> None:
    if shutil.which(command) is None:
        raise Refused(
            "X_NO_PG_DUMP",
            f"The database is on a server, and this machine has no {command}: apt-get install postgresql-client.",
        )


def _run(url: str, command: list[str]) -> None:
    parts = make_url(url)
    given = {
        "PGHOST": parts.host,
        "PGPORT": parts.port,
        "PGUSER": parts.username,
        "PGPASSWORD": parts.password,  # not among the arguments, which every user of the machine can see
        "PGDATABASE": parts.database,
        "PGOPTIONS": parts.query.get("options"),
    }
    said = os.environ | {name: str(value) for name, value in given.items() if value is not None}
    done = subprocess.run(command, env=said, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    if done.returncode:
        why = done.stderr.strip().splitlines()[-1:] or ["it says nothing"]
        raise Refused("X_NOT_COPIED", f"{command[0]} could not do it: {why[0]}")


# -- files ------------------------------------------------------------------------------------------------------


def sync_file(path: Path) -> None:
    """Wait until the disk has a file, or a folder's names."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def private_files() -> Iterator[None]:
    """What is written meanwhile is for this user alone: a copy of the database names guests."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
