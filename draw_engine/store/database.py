"""Opening the database: SQLite in WAL with FULL sync and BEGIN IMMEDIATE, or PostgreSQL by URL."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.pool import StaticPool

BUSY_MS = 5_000
"""How long one try waits for another process's lock before it says so; the caller tries again."""


def open_database(url: str, *, busy_ms: int = BUSY_MS) -> Engine:
    """An engine for `url`, its schema brought up to date. `sqlite://` alone is a database in memory (rehearsals)."""
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
        migrate(database)
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
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @event.listens_for(database, "begin")
    def _begin(connection: Connection) -> None:
        # A write lock from the first statement: a transaction that reads first and writes later can fail half way.
        reading = connection.get_execution_options().get("floordraw_reads", False)
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def migrate(database: Engine) -> None:
    """Bring the schema to the newest version. Forward only."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["engine"] = database
    command.upgrade(config, "head")
