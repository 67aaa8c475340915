"""Both databases agree to the byte, and PostgreSQL keeps what a casino needs kept."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from casino import Casino, seat_everybody
from small_book import book_toml
from sqlalchemy import text

from draw_engine.scripted_crew import CrewPlan, ScriptedCrew
from draw_engine.service.publishing import published_copy

pytestmark = pytest.mark.postgres

CREW = CrewPlan(seed="e", walk_seconds=(5, 40), found=0.3, other_person=0.2, presents=0.5)


def day(url: str, folder: Path) -> Casino:
    """Two sessions with no-shows, a silent feed, a carry and a start in between."""
    folder.mkdir()
    casino = Casino(url, folder, book=book_toml())
    casino.crew = ScriptedCrew(CREW)
    casino.load_lists()
    seat_everybody(casino)
    casino.at("14:03")
    casino.restart()
    casino.silent.add("tables-1")
    casino.at("14:08")
    casino.silent.clear()
    casino.at("14:50")
    casino.verify_closed()
    return casino


def test_the_same_day_gives_the_same_bytes_on_both(new_postgres: Callable[[], str], tmp_path: Path) -> None:
    one = day(f"sqlite:///{tmp_path / 'state.db'}", tmp_path / "sqlite")
    other = day(new_postgres(), tmp_path / "postgres")
    assert one.log() == other.log()
    assert len(one.draws_closed()) == 2
    for plan in ("first", "second"):
        for copy in ("public", "auditor"):
            assert published_copy(one.engine, one.draw(plan), copy) == published_copy(
                other.engine, other.draw(plan), copy
            )
        draw = one.draw(plan).state.id
        assert one.claim_rows(draw) == other.claim_rows(draw)
        assert one.engine.store.selections(draw) == other.engine.store.selections(draw)
        assert one.engine.store.verdicts(draw) == other.engine.store.verdicts(draw)
    rows = [
        [(row.id, row.opened_seq, row.opened_at, row.closed_seq, row.closed_at) for row in casino.engine.store.draws()]
        for casino in (one, other)
    ]
    assert rows[0] == rows[1]
    one.close()
    other.close()


def test_the_text_of_the_log_is_the_canonical_text_on_both(new_postgres: Callable[[], str], tmp_path: Path) -> None:
    """Not JSON columns, which would reorder or rewrite: what was hashed is what is kept."""
    kept = []
    for n, url in enumerate((f"sqlite:///{tmp_path / 'state.db'}", new_postgres())):
        (tmp_path / str(n)).mkdir()
        casino = Casino(url, tmp_path / str(n))
        casino.load_lists()
        with casino.engine.store.transaction() as work:
            data = {"z": "Zo\u00eb \U0001f3b0 \u2028", "a": [1, None], "number": 2**53 - 1}
            work.append(at=work.instant(0), kind="note.made", draw=None, actor="engine", data=data)
        with casino.database.connect() as connection:
            kept.append(connection.execute(text("SELECT seq, at, data, hash FROM log_entries ORDER BY seq")).all())
        casino.close()
    assert [tuple(row) for row in kept[0]] == [tuple(row) for row in kept[1]]
    assert kept[0][-1].data == '{"a":[1,null],"number":9007199254740991,"z":"Zo\u00eb \U0001f3b0 \u2028"}'


def test_a_second_writer_waits_for_the_first_one_s_entry(new_postgres: Callable[[], str], tmp_path: Path) -> None:
    casino = Casino(new_postgres(), tmp_path)
    casino.load_lists()
    store = casino.engine.store
    reached, order = threading.Event(), []

    def second() -> None:
        reached.wait(5)
        with store.transaction() as work:
            order.append(work.append(at=work.instant(0), kind="note.made", draw=None, actor="two", data={}).seq)

    thread = threading.Thread(target=second)
    thread.start()
    with store.transaction() as work:
        order.append(work.append(at=work.instant(0), kind="note.made", draw=None, actor="one", data={}).seq)
        reached.set()
        thread.join(0.3)
        assert thread.is_alive()
    thread.join(5)
    assert order == [order[0], order[0] + 1]
    casino.close()
