"""Another version over the same database: a copy first, never in an open draw, never back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from casino import NALEDI, THANDI, Session, book_toml
from command_line import failed, run
from loopback import FIRST, Loopback

from draw_engine.errors import Refused
from draw_engine.seeds import SystemSeeds
from draw_engine.store.database import newest_schema, open_database
from kiosk.assembly import VERSION, open_store
from kiosk.upkeep.upgrade import check_upgrade, refuse_while_open

BOOK = book_toml(Session("first", "14:00", "14:03", awards=1))


@pytest.fixture
def place(tmp_path: Path, migrated: Path) -> Iterator[Loopback]:
    made = Loopback(tmp_path, migrated, now="13:49:30", book=BOOK)
    yield made
    made.close()


def opened(place: Loopback) -> Loopback:
    """A draw is open when the core stops."""
    place.load_lists()
    place.seat(S_0412=THANDI, S_0501=NALEDI)
    place.play("13:57")
    assert place.said("draw.opened")
    return stopped(place)


def stopped(place: Loopback) -> Loopback:
    place.core.stop()
    place.store.database.dispose()
    return place


def of_schema(place: Loopback, schema: str) -> None:
    """As a program of that schema left it: what the newest migration adds is not looked at before it runs."""
    with sqlite3.connect(place.folder / "floordraw.db") as base:
        base.execute("UPDATE alembic_version SET version_num = ?", (schema,))
    base.close()


def without_the_newest(place: Loopback) -> None:
    """As the schema before the newest left it."""
    with sqlite3.connect(place.folder / "floordraw.db") as base:
        tables = [name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in NEWEST:
            assert table in tables
            base.execute(f"DROP TABLE {table}")
    base.close()
    of_schema(place, "0002")


NEWEST = (
    "access_entries",
    "devices",
    "paper_copies",
    "rule_book_locks",
    "sign_ins",
    "dispute_notes",
    "shifts",
    "staff",
    "cash_counts",
)


def test_the_schema_is_never_changed_while_a_draw_is_open(place: Loopback) -> None:
    without_the_newest(opened(place))
    with pytest.raises(Refused, match=f"X_DRAW_OPEN: The draw {FIRST} is open"):
        open_store(place.site, SystemSeeds())
    with sqlite3.connect(place.folder / "floordraw.db") as base:
        assert base.execute("SELECT version_num FROM alembic_version").fetchone() == ("0002",)
    base.close()
    assert not (place.folder / "state" / "before-upgrade").exists()
    report = check_upgrade(place.site, VERSION)
    assert not report.now
    assert f"from schema 0002 to {newest_schema()}" in report.lines[1]
    assert report.lines[-1] == f"The draw {FIRST} is open: not before its close."


def test_a_copy_is_kept_before_the_schema_changes(place: Loopback) -> None:
    without_the_newest(stopped(place))
    assert check_upgrade(place.site, VERSION).now
    store = open_store(place.site, SystemSeeds())
    store.database.dispose()
    (kept,) = (place.folder / "state" / "before-upgrade").iterdir()
    assert kept.name == f"0002-to-{newest_schema()}"
    with sqlite3.connect(kept / "database.db") as base:
        assert base.execute("SELECT version_num FROM alembic_version").fetchone() == ("0002",)
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert base.execute("SELECT count(*) FROM log_entries").fetchone()[0] > 0
    base.close()
    assert (kept / "database.db").stat().st_mode & 0o077 == 0


def test_without_a_copy_nothing_is_changed(place: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    without_the_newest(stopped(place))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kiosk.upkeep.upgrade.copy_database", full)
    with pytest.raises(OSError, match="No space left"):
        open_store(place.site, SystemSeeds())
    with sqlite3.connect(place.folder / "floordraw.db") as base:
        assert base.execute("SELECT version_num FROM alembic_version").fetchone() == ("0002",)
    base.close()


def test_a_later_program_s_database_is_never_taken_back(place: Loopback) -> None:
    of_schema(stopped(place), "9999")
    with pytest.raises(Refused, match=r"X_DATABASE_NEWER.*9999"):
        open_database(place.site.database)
    report = check_upgrade(place.site, VERSION)
    assert (report.now, "Nothing goes back" in " ".join(report.lines)) == (False, True)


def test_another_version_does_not_take_an_open_draw_over_though_the_schema_stays(place: Loopback) -> None:
    """The log says which version the core was last started by; here it is called "test"."""
    opened(place)
    refuse_while_open(place.site, "test")
    with pytest.raises(Refused, match=r"X_DRAW_OPEN.*version test"):
        refuse_while_open(place.site, VERSION)
    said = failed("serve", "--site", place.folder / "site.toml", "--rules", _book(place), "--no-screens")
    assert said.endswith("(X_DRAW_OPEN)")


def _book(place: Loopback) -> Path:
    file = place.folder / "book.toml"
    file.write_bytes(BOOK)
    return file


def test_the_command_says_whether_it_may_be_put_in_now(place: Loopback, tmp_path: Path) -> None:
    site = place.folder / "site.toml"
    told = run("upgrade", "check", "--site", site)
    assert (told.exit_code, told.output.splitlines()[-1]) == (0, "It may be put in now.")
    opened(place)
    told = run("upgrade", "check", "--site", site)
    assert (told.exit_code, told.output.splitlines()[-1]) == (1, "Not now: nothing was changed.")
    empty = tmp_path / "new"
    empty.mkdir()
    (empty / "site.toml").write_bytes(site.read_bytes())
    assert "There is no database yet" in run("upgrade", "check", "--site", empty / "site.toml").output
