"""Casinos on SQLite and on PostgreSQL; whatever a test closes is verified when it ends."""

from __future__ import annotations

import os
import shutil
import uuid
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from casino import Casino
from recording import Played, events, rehearsed, write
from sqlalchemy import create_engine, make_url, text

from draw_engine.store.database import open_database

POSTGRES = "FLOORDRAW_TEST_POSTGRES"

ALL = "FLOORDRAW_TEST_ALL"
"""Set: every test runs on PostgreSQL, too. Else a fifth of those that run on both: the suite has its 20 minutes."""
_WHOLE = frozenset({"test_store", "test_migrations", "test_postgres", "test_claims_stateful", "test_pressing"})


_AGAIN = frozenset(
    {
        "test_a_served_core_whose_wall_clock_is_set_within_the_window[-6000]",
        "test_a_served_core_whose_wall_clock_is_set_within_the_window[3600000]",
        "test_a_thousand_jumps_move_no_deadline_and_change_no_answer[b]",
        "test_stopped_over_the_deadline_nobody_could_press",
        "test_killed_at_every_point_and_again_when_it_is_sent_again_it_ends_the_same[stage]",
        "test_killed_at_every_point_and_again_when_it_is_sent_again_it_ends_the_same[failed]",
    }
)
"""Half a minute each, and each the second or third of its kind."""

_A_THIRD = frozenset(
    {
        "test_a_step_within_the_ninety_seconds_changes_nothing_about_them",
        "test_a_selection_meanwhile_is_put_off_and_the_step_is_logged_when_no_claim_runs",
    }
)
"""Their steps times their moments on both databases are many of one kind."""

_NO_MATTER_OF_THE_DATABASE = frozenset({"test_views_of_guests", "test_secrets_stay_out", "test_floor_over_restarts"})
"""What a message says, and the floor that the journal keeps."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without those that wait for real seconds a second and third time; of those on both databases a fifth.

    The same fifth each time: chosen by the test's own name. Every one of them runs on SQLite.
    """
    if os.environ.get(ALL):
        return
    left = [
        item
        for item in items
        if item.name in _AGAIN
        or (item.name.partition("[")[0] in _A_THIRD and zlib.crc32(item.nodeid.encode()) % 3)
        or (
            item.get_closest_marker("postgres") is not None
            and "[" in item.name
            and item.path.stem not in _WHOLE
            and (zlib.crc32(item.nodeid.encode()) % 5 or item.path.stem in _NO_MATTER_OF_THE_DATABASE)
        )
    ]
    config.hook.pytest_deselected(items=left)
    dropped = set(left)
    items[:] = [item for item in items if item not in dropped]


BOTH = [pytest.param("sqlite"), pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture
def new_postgres() -> Iterator[Callable[[], str]]:
    """Gives URLs of empty schemas on the server of FLOORDRAW_TEST_POSTGRES; they are dropped afterwards."""
    server = os.environ.get(POSTGRES)
    if not server:
        pytest.skip(f"{POSTGRES} names no PostgreSQL server, such as postgresql+psycopg://postgres@localhost/test")
    made: list[str] = []
    keeper = create_engine(server)

    def new() -> str:
        schema = f"t{uuid.uuid4().hex}"
        with keeper.begin() as connection:
            connection.execute(text(f"CREATE SCHEMA {schema}"))
        made.append(schema)
        url = make_url(server).update_query_dict({"options": f"-csearch_path={schema} -csynchronous_commit=off"})
        return url.render_as_string(hide_password=False)

    yield new
    with keeper.begin() as connection:
        for schema in made:
            connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    keeper.dispose()


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with every table and no row: copied, where running the migrations again would show nothing new."""
    file = tmp_path_factory.mktemp("migrated") / "empty.db"
    database = open_database(f"sqlite:///{file}")
    database.dispose()
    return file


@pytest.fixture(params=BOTH)
def new_database(request: pytest.FixtureRequest, tmp_path: Path, migrated: Path) -> Callable[[], str]:
    """Gives URLs of empty databases, of either kind."""
    if request.param == "postgres":
        new: Callable[[], str] = request.getfixturevalue("new_postgres")
        return new

    def copied() -> str:
        return f"sqlite:///{shutil.copy(migrated, tmp_path / f'{uuid.uuid4().hex}.db')}"

    return copied


@pytest.fixture
def casinos(
    new_database: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Casino]]:
    """Makes casinos. When the test ends, both copies of every draw that was closed are verified."""
    monkeypatch.setattr(os, "fdatasync", lambda _: None)  # the disk is waited for in test_journal_file
    made: list[Casino] = []

    def new(**said: Any) -> Casino:
        folder = tmp_path / f"casino-{len(made)}"
        folder.mkdir()
        made.append(Casino(new_database(), folder, **said))
        return made[-1]

    yield new
    try:
        for casino in made:
            casino.verify_closed()
    finally:
        for casino in made:
            casino.close()


@pytest.fixture(scope="session")
def small_floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small recorded floor, in a folder."""
    return write(tmp_path_factory.mktemp("small-floor"), events())


@pytest.fixture
def play(tmp_path: Path, small_floor: Path) -> Callable[..., Played]:
    """Rehearses the small book over the small floor, or what is named instead; everything written is verified."""
    made = iter(range(100))

    def played(**changed: Any) -> Played:
        return rehearsed(changed.pop("floor", small_floor), tmp_path / f"out-{next(made)}", **changed)

    return played
