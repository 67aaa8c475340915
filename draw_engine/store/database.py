"""Opening the database: SQLite in WAL with FULL sync and BEGIN IMMEDIATE, or PostgreSQL by URL."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.pool import StaticPool

from draw_engine.errors import Refused

BUSY_MS = 5_000
"""How long one try waits for another process's lock before it says so; the caller tries again."""


BeforeMigrating = Callable[[str, str], None]
"""Told (the schema that is, the newest) before a database that is in use is changed."""


def open_database(url: str, *, busy_ms: int = BUSY_MS, before_migrating: BeforeMigrating | None = None) -> Engine:
    """An engine for `url`, its schema brought up to date. `sqlite://` alone is a database in memory (rehearsals).

    Raises Refused as `migrate`.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        if parsed.drivername == "postgresql":
            parsed = parsed.set(drivername="postgresql+psycopg")
        database = create_engine(parsed, pool_pre_ping=True)
    elif parsed.database in {None, "", ":memory:"}:
        database = create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})
        _as_sqlite(database, busy_ms)
    else:
        Path(str(parsed.database)).parent.mkdir(parents=True, exist_ok=True)
        database = create_engine(url, connect_args={"check_same_thread": False})
        _as_sqlite(database, busy_ms)
    try:
        migrate(database, before_migrating)
    except Exception:
        database.dispose()
        raise
    return database


def _as_sqlite(database: Engine, busy_ms: int) -> None:
    @event.listens_for(database, "connect")
    def _settings(connection: sqlite3.Connection, _record: Any) -> None:
        connection.isolation_level = None  # the driver's own BEGIN is lazy; ours below is not
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout={busy_ms:d}")
        # When its sync fails, SQLite raises nothing here and stays in another mode, in which reading waits for writing.
        if cursor.execute("PRAGMA journal_mode=WAL").fetchone()[0] not in {"wal", "memory"}:
            raise sqlite3.OperationalError("disk I/O error: the database cannot be put into WAL mode")
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @event.listens_for(database, "begin")
    def _begin(connection: Connection) -> None:
        # A write lock from the first statement: a transaction that reads first and writes later can fail half way.
        reading = connection.get_execution_options().get("floordraw_reads", False)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def migrate(database: Engine, before: BeforeMigrating | None = None) -> None:
    """Bring the schema to the newest version. Forward only; `before` is called when one that is in use will change.

    Raises Refused: X_DATABASE_NEWER when a later program made it, X_DRAW_OPEN when it would change in an open draw.
    """
    config = _config()
    newest = _newest(config)
    with database.connect().execution_options(floordraw_reads=True) as connection:
        current = MigrationContext.configure(connection).get_current_revision()
        if current == newest:
            return
        if current is not None:
            _refuse(connection, current)
    if current is not None and before is not None:
        before(current, newest)
    config.attributes["engine"] = database
    command.upgrade(config, "head")


def _refuse(connection: Connection, current: str) -> None:
    if current not in schemas():
        raise Refused(
            "X_DATABASE_NEWER",
            f"The database is of schema {current}, which a later version of Floordraw made: it is never taken back. "
            "Install that version again, or restore a backup of before.",
        )
    still_open = connection.execute(text("SELECT id FROM draws WHERE closed_at IS NULL")).scalars().first()
    if still_open is not None:
        raise Refused(
            "X_DRAW_OPEN",
            f"The draw {still_open} is open and this version would change the database. Start the version that opened "
            "it, and put this one in after the close.",
        )


@cache
def schemas() -> frozenset[str]:
    """Every schema that this program knows: the newest, and those that it brings up to date."""
    return frozenset(one.revision for one in ScriptDirectory.from_config(_config()).walk_revisions())


def newest_schema() -> str:
    """The schema that this program works with."""
    return _newest(_config())


def _newest(config: Config) -> str:
    return str(ScriptDirectory.from_config(config).get_current_head())


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config
