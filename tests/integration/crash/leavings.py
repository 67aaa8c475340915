"""What a dead core has committed, read without touching what the next one will find."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text


def kept_now(folder: Path) -> dict[str, Any]:
    """What a dead core left committed, read from a copy so that the next core finds the files as they were left."""
    if not (folder / "core.db").exists():
        return {"selections": [], "claims": [], "head": None, "sound": ["ok"]}
    copied = folder / "as-left"
    shutil.rmtree(copied, ignore_errors=True)
    copied.mkdir()
    for name in ("core.db", "core.db-wal", "core.db-journal"):
        if (folder / name).exists():
            shutil.copy(folder / name, copied / name)
    base = sqlite3.connect(copied / "core.db")
    try:
        return _read(base)
    finally:
        base.close()


def _read(base: sqlite3.Connection) -> dict[str, Any]:
    tables = {name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    sound = [row[0] for row in base.execute("PRAGMA integrity_check")]
    if "log_head" not in tables:
        return {"selections": [], "claims": [], "head": None, "sound": sound}
    return {
        "selections": base.execute("SELECT * FROM selections ORDER BY draw, ordinal").fetchall(),
        "claims": base.execute("SELECT draw, ordinal, outcome, prize FROM claims WHERE outcome IS NOT NULL").fetchall(),
        "head": base.execute("SELECT seq, hash FROM log_head").fetchone(),
        "sound": sound,
    }


def kept_on_server(url: str) -> dict[str, Any]:
    """What a dead core left committed on a database server."""
    server = create_engine(url)
    with server.connect() as connection:

        def asked(query: str) -> list[list[Any]]:
            return [list(row) for row in connection.execute(text(query))]

        heads = asked("SELECT seq, hash FROM log_head")
        left = {
            "selections": asked("SELECT * FROM selections ORDER BY draw, ordinal"),
            "claims": asked("SELECT draw, ordinal, outcome, prize FROM claims WHERE outcome IS NOT NULL"),
            "head": heads[0] if heads else None,
            "sound": ["ok"],
        }
    server.dispose()
    return left
