"""The migrations: from nothing to what the tables say, once, on both databases; every constraint has a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, inspect, text

import draw_engine.store
from draw_engine.store.database import migrate, open_database
from draw_engine.store.people_tables import metadata

BOTH = [pytest.param("sqlite"), pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(params=BOTH)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database with nothing in it at all."""
    if request.param == "postgres":
        new: Callable[[], str] = request.getfixturevalue("new_postgres")
        return new()
    return f"sqlite:///{tmp_path / 'state.db'}"


@pytest.fixture
def database(url: str) -> Iterator[Engine]:
    made = open_database(url)
    yield made
    made.dispose()


def differences(connection: Connection) -> list[object]:
    context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
    return list(compare_metadata(context, metadata))


def test_all_migrations_together_make_what_the_tables_say(database: Engine) -> None:
    with database.connect() as connection:
        assert differences(connection) == []


def test_a_table_that_no_migration_makes_would_be_noticed(database: Engine) -> None:
    with database.begin() as connection:
        connection.execute(text("ALTER TABLE settings ADD COLUMN forgotten TEXT"))
    with database.connect() as connection:
        assert "forgotten" in str(differences(connection))


def test_every_table_is_made_and_none_else(database: Engine) -> None:
    assert set(inspect(database).get_table_names()) == set(metadata.tables) | {"alembic_version"}


def test_migrating_again_changes_nothing(database: Engine) -> None:
    with database.connect() as connection:
        before = connection.execute(text("SELECT version_num FROM alembic_version")).all()
    migrate(database)
    with database.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).all() == before
        assert differences(connection) == []


def test_opening_a_second_time_keeps_what_is_there(url: str) -> None:
    first = open_database(url)
    with first.begin() as connection:
        connection.execute(text("INSERT INTO settings (name, value) VALUES ('a', 'b')"))
    first.dispose()
    second = open_database(url)
    with second.connect() as connection:
        assert connection.execute(text("SELECT value FROM settings")).scalar_one() == "b"
    second.dispose()


def test_every_constraint_and_index_has_its_name_in_the_database(database: Engine) -> None:
    found = inspect(database)
    for table in metadata.sorted_tables:
        assert found.get_pk_constraint(table.name)["name"] == f"pk_{table.name}"
        named: set[object] = {constraint["name"] for constraint in found.get_foreign_keys(table.name)}
        named |= {constraint["name"] for constraint in found.get_unique_constraints(table.name)}
        named |= {constraint["name"] for constraint in found.get_check_constraints(table.name)}
        named |= {index["name"] for index in found.get_indexes(table.name)}
        said = {constraint.name for constraint in table.constraints if constraint.name != f"pk_{table.name}"}
        said |= {index.name for index in table.indexes}
        assert None not in named
        assert {str(name) for name in said} <= named


def test_every_version_says_why_and_there_is_one_line_of_them() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(draw_engine.store.__file__).parent / "migrations"))
    scripts = ScriptDirectory.from_config(config)
    assert len(scripts.get_heads()) == 1
    assert len(scripts.get_bases()) == 1
    assert all(version.doc for version in scripts.walk_revisions())


def test_a_database_of_a_later_version_is_not_opened_silently(url: str) -> None:
    first = open_database(url)
    with first.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'later'"))
    first.dispose()
    with pytest.raises(Exception, match="later"):
        open_database(url)


def test_an_empty_file_is_brought_up_to_date(tmp_path: Path) -> None:
    """An empty file is what a first start finds where an administrator made one."""
    file = tmp_path / "state.db"
    file.touch()
    database = open_database(f"sqlite:///{file}")
    with database.connect() as connection:
        assert differences(connection) == []
    database.dispose()
