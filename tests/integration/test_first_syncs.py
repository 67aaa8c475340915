"""The very first syncs of a new database fail (R7): the core says so and stops, or it works; it never half works.

SQLite answers a failed change to WAL with another mode, not with an error; in that one, reading waits for writing.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from crash.runs import Deaths, Undisturbed, quick_folder
from crash.traced import FAILS, traced_lives, why_not
from sqlalchemy.exc import OperationalError

from draw_engine.store.database import open_database


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = quick_folder(tmp_path_factory.mktemp("syncs"))
    yield made
    shutil.rmtree(made)


def test_each_of_them(folder: Path) -> None:
    if (reason := why_not()) is not None:
        pytest.skip(reason)
    day = Undisturbed(folder / "undisturbed", "first-syncs")
    stopped = 0
    for number in range(1, 7):
        start = traced_lives(folder / "traced", day.seed, "fdatasync", FAILS, number)
        outcome = day.disturb(folder / "traced", Deaths(()), start, judge_again=False)
        assert not outcome.faults, number
        stopped += outcome.deaths
    assert stopped >= 3


def test_a_database_that_is_not_put_into_wal_mode_is_not_worked_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stays(sqlite3.Connection):
        def cursor(self, _factory=None):  # type: ignore[no-untyped-def]
            return super().cursor(StaysCursor)

    class StaysCursor(sqlite3.Cursor):
        def execute(self, statement, *values):  # type: ignore[no-untyped-def]
            return super().execute("SELECT 'delete'" if "journal_mode=WAL" in statement else statement, *values)

    real = sqlite3.connect
    monkeypatch.setattr(sqlite3.dbapi2, "connect", lambda *said, **more: real(*said, factory=Stays, **more))
    with pytest.raises(OperationalError, match="disk I/O error"):
        open_database(f"sqlite:///{tmp_path / 'new.db'}")
