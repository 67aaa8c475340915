"""What a test's casino has instead of chance, and instead of waiting for the disk."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

from sqlalchemy import Engine as Database
from sqlalchemy import event


class FixedSeeds:
    """Everything otherwise random, from one text: a live engine's seeds, and never a rehearsal's."""

    rehearsal = False

    def __init__(self, text: str) -> None:
        self._key = text.encode()

    def _of(self, what: str) -> bytes:
        return hmac.digest(self._key, what.encode(), hashlib.sha256)

    def house_seed(self, draw: str) -> bytes:
        return self._of(f"house {draw}")

    def reference_key(self) -> bytes:
        return self._of("reference")

    def signing_key(self) -> bytes:
        return self._of("signing")

    def salt(self, seq: int) -> bytes:
        return self._of(f"salt {seq}")[:16]


def hurry(database: Database) -> None:
    """Let SQLite not wait for the disk: what is tried here is what is kept, and `test_store` sees to the waiting."""
    if database.dialect.name == "sqlite":
        database.dispose()

        @event.listens_for(database, "connect")
        def _settings(connection: Any, _record: Any) -> None:
            connection.execute("PRAGMA synchronous=OFF")
