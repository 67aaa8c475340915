"""Casinos on SQLite and on PostgreSQL; whatever a test closes is verified when it ends."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from casino import Casino
from recording import Played, events, rehearsed, write
from sqlalchemy import create_engine, make_url, text

from draw_engine.store.database import open_database

POSTGRES = "FLOORDRAW_TEST_POSTGRES"

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
