"""The store on both databases: whole transactions or none, what is read back, and what the database holds to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from casino import FixedSeeds
from people_words import MEMBERS, jhb
from sqlalchemy import insert, inspect, text
from sqlalchemy.exc import IntegrityError, OperationalError, StatementError

from draw_engine.log import first_break
from draw_engine.pool import Pool
from draw_engine.service.ports import DrawRow, SelectionRow
from draw_engine.store import tables
from draw_engine.store.database import open_database
from draw_engine.store.repositories import TableStore

AT = jhb("14:00")


@pytest.fixture
def store(new_database: Callable[[], str]) -> Iterator[TableStore]:
    database = open_database(new_database())
    yield TableStore(database, salt=FixedSeeds("salts").salt, property_id="silverstar")
    database.dispose()


def note(store: TableStore, at: int = AT, **data: object) -> None:
    with store.transaction() as work:
        work.append(at=work.instant(at), kind="note.made", draw=None, actor="engine", data=data)


# -- the log ---------------------------------------------------------------------------------------------------


def test_an_empty_store_has_nothing(store: TableStore) -> None:
    assert (store.head(), store.draws(), store.lists(), store.last_checkpoint_at()) == (None, [], [], None)
    assert (store.journal(), store.setting("a"), store.sealed("a"), store.rule_book("a")) == (None, None, None, None)


def test_what_is_appended_is_read_back_and_holds_together(store: TableStore) -> None:
    texts = ["", "Zoë Nkosi", "\u2028 and \u0000 and \x1f", "emoji \U0001f3b0", "R 1,000.00", "\\u0041"]
    for n, said in enumerate(texts):
        note(store, AT + n, text=said, number=2**53 - 1, nested={"b": [1, None, True], "a": {}})
    entries = list(store.entries(1, 100))
    assert [entry.data["text"] for entry in entries] == texts
    assert [entry.seq for entry in entries] == [1, 2, 3, 4, 5, 6]
    assert first_break([entry.shown() for entry in entries]) is None
    assert store.head() is not None
    head = store.head()
    assert head is not None
    assert (head.seq, head.at, head.hash) == (6, AT + 5, entries[-1].hash)


def test_time_never_goes_back_in_the_log(store: TableStore) -> None:
    note(store, AT)
    note(store, AT - 60_000)
    note(store, AT + 1)
    assert [entry.at for entry in store.entries(1, 9)] == [AT, AT, AT + 1]


def test_a_transaction_that_fails_leaves_no_trace(store: TableStore) -> None:
    note(store, AT)

    def half_way() -> None:
        with store.transaction() as work:
            work.append(at=AT + 1, kind="note.made", draw=None, actor="engine", data={})
            work.put_sealed("a", b"x", at=AT)
            work.add_list("members", sha256="0" * 64, row_count=1, loaded_at=AT, fresh_at=AT, content=b"x")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half_way()
    assert [entry.seq for entry in store.entries(1, 9)] == [1]
    assert (store.sealed("a"), store.lists()) == (None, [])
    note(store, AT + 2)
    assert [(entry.seq, entry.at) for entry in store.entries(1, 9)] == [(1, AT), (2, AT + 2)]
    assert first_break([entry.shown() for entry in store.entries(1, 9)]) is None


def test_data_without_a_canonical_form_is_not_kept(store: TableStore) -> None:
    with pytest.raises(ValueError, match=r"half|float|number|whole"):
        note(store, AT, half=0.5)
    assert store.head() is None


def test_two_writers_never_share_a_number(new_database: Callable[[], str]) -> None:
    url = new_database()
    stores = [
        TableStore(open_database(url), salt=FixedSeeds(name).salt, property_id="silverstar") for name in ("one", "two")
    ]
    note(stores[0])

    def write(store: TableStore) -> None:
        for n in range(20):
            note(store, AT + n)

    threads = [threading.Thread(target=write, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    entries = list(stores[0].entries(1, 100))
    assert [entry.seq for entry in entries] == list(range(1, 42))
    assert first_break([entry.shown() for entry in entries]) is None
    for store in stores:
        store.database.dispose()


# -- constraints -----------------------------------------------------------------------------------------------


def a_draw(store: TableStore, draw: str = "silverstar/playtime/2023-10-07/first") -> str:
    with store.transaction() as work:
        opened = work.append(at=AT, kind="draw.opened", draw=draw, actor="engine", data={})
        work.add_rule_book("5" * 64, b"toml", at=AT)
        work.add_draw(DrawRow(draw, "playtime", "2023-10-07", "first", AT, opened.seq, "5" * 64, b"sealed"))
    return draw


def a_selection(draw: str, ordinal: int = 0, pool: str = "p0") -> SelectionRow:
    return SelectionRow(draw, ordinal, AT, 1, pool, "00" * 16, "S-0412", "1", "1", None)


def test_a_session_is_kept_once(store: TableStore) -> None:
    a_draw(store)
    with pytest.raises(IntegrityError):
        a_draw(store)
    with pytest.raises(IntegrityError, match=r"promotion|uq_draws"):
        a_draw(store, "another/id")
    assert len(store.draws()) == 1


def test_a_selection_needs_its_pool_and_a_claim_its_selection(store: TableStore) -> None:
    draw = a_draw(store)
    with pytest.raises(IntegrityError), store.transaction() as work:
        work.add_selection(a_selection(draw))
    with pytest.raises(IntegrityError), store.transaction() as work:
        work.open_claim(draw, 0, at=AT)
    with store.transaction() as work:
        work.add_pool(draw, "p0", frozen_at=AT, pool=Pool.equal([b"r" * 16]))
        work.add_selection(a_selection(draw))
        work.open_claim(draw, 0, at=AT)
    assert store.selections(draw) == [a_selection(draw)]
    assert store.pool(draw, "p0") == Pool.equal([b"r" * 16]).data
    with pytest.raises(IntegrityError), store.transaction() as work:
        work.add_selection(a_selection(draw))


def test_a_claim_has_a_deadline_with_its_announcement_and_an_outcome_with_its_end(store: TableStore) -> None:
    draw = a_draw(store)
    with store.transaction() as work:
        work.add_pool(draw, "p0", frozen_at=AT, pool=Pool.equal([b"r" * 16]))
        work.add_selection(a_selection(draw))
        work.open_claim(draw, 0, at=AT)
    for half in ({"announced_at": AT}, {"deadline_at": AT}, {"ended_at": AT}, {"outcome": "expired"}):
        with pytest.raises(IntegrityError), store.transaction() as work:
            work.put_claim(draw, 0, **half)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO log_head (id, seq, at, hash) VALUES (2, 1, 1, 'x')",
        "INSERT INTO journal_head (id, segment, length) VALUES (2, 'x', 1)",
        "INSERT INTO journal_head (id, segment, length) VALUES (1, 'x', -1)",
        "INSERT INTO log_entries VALUES (0, 1, 'k', NULL, 'a', '{}', 's', 'p', 'b', 'h')",
    ],
)
def test_the_single_rows_and_the_first_number_are_held_by_the_database(store: TableStore, statement: str) -> None:
    with pytest.raises(IntegrityError), store.database.begin() as connection:
        connection.execute(text(statement))


def test_a_list_of_an_unknown_kind_is_not_kept(store: TableStore) -> None:
    with pytest.raises(IntegrityError), store.transaction() as work:
        work.add_list("nonsense", sha256="0" * 64, row_count=0, loaded_at=AT, fresh_at=AT, content=b"")


def test_only_utc_times_are_stored(store: TableStore) -> None:
    naive = datetime(2023, 10, 7, 12)  # noqa: DTZ001 - a time without a zone is what must be refused
    for moment in (naive, datetime(2023, 10, 7, 14, tzinfo=timezone(timedelta(hours=2)))):
        with pytest.raises((StatementError, ValueError)), store.database.begin() as connection:
            connection.execute(insert(tables.sealed_keys).values(name="a", made_at=moment, sealed=b"x"))


@pytest.mark.parametrize("at", [0, 1, 999, 1_000, AT, AT + 1, 253_402_300_799_999])
def test_every_instant_comes_back_to_the_millisecond(at: int) -> None:
    assert tables.millis(tables.utc(at)) == at


# -- small things ----------------------------------------------------------------------------------------------


def test_settings_and_the_journal_s_offset_are_replaced(store: TableStore) -> None:
    for value in ("1", "2"):
        store.put_setting("offset", value)
    assert store.setting("offset") == "2"
    for segment, length in (("a", 0), ("a", 10), ("b", 5)):
        store.count_journal(segment, length)
    assert store.journal() == ("b", 5)


def test_lists_come_back_oldest_first_as_they_came(store: TableStore) -> None:
    with store.transaction() as work:
        for n, content in enumerate((MEMBERS.encode(), b"\xef\xbb\xbf" + MEMBERS.encode())):
            work.add_list("members", sha256=str(n) * 64, row_count=9, loaded_at=AT + n, fresh_at=AT, content=content)
    assert [(row.kind, row.loaded_at, row.content) for row in store.lists()] == [
        ("members", AT, MEMBERS.encode()),
        ("members", AT + 1, b"\xef\xbb\xbf" + MEMBERS.encode()),
    ]


def test_a_rule_book_is_kept_once_under_its_digest(store: TableStore) -> None:
    with store.transaction() as work:
        work.add_rule_book("a" * 64, b"first", at=AT)
        work.add_rule_book("a" * 64, b"first", at=AT + 1)
    assert store.rule_book("a" * 64) == b"first"


# -- SQLite's own settings -------------------------------------------------------------------------------------


def test_sqlite_waits_for_the_disk_and_for_others(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'deep' / 'state.db'}")
    with database.connect() as connection:
        found = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 5_000}
    database.dispose()


def test_a_locked_database_says_so_and_keeps_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'state.db'}"
    one, two = (open_database(url, busy_ms=50) for _ in range(2))
    store = TableStore(two, salt=FixedSeeds("salts").salt, property_id="silverstar")
    with one.begin() as holds:
        holds.execute(text("SELECT 1"))
        with pytest.raises(OperationalError, match="locked"):
            note(store)
        assert store.head() is None  # reading goes on
    note(store)
    assert store.head() is not None
    one.dispose()
    two.dispose()


def test_a_database_in_memory_is_one_for_every_connection() -> None:
    database = open_database("sqlite://")
    store = TableStore(database, salt=FixedSeeds("salts").salt, property_id="silverstar")
    note(store)
    assert store.head() is not None
    assert "log_entries" in inspect(database).get_table_names()
    database.dispose()
