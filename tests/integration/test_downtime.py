"""Downtime: what is overdue afterwards, and that a core started again at any point goes on as if it had not stopped."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pytest
from casino import Casino, seat_everybody
from hypothesis import given, settings
from hypothesis import strategies as st
from people_words import jhb
from small_book import book_toml

from draw_engine.log import Entry
from draw_engine.scripted_crew import CrewPlan, ScriptedCrew
from draw_engine.service import house

Casinos = Callable[..., Casino]
RETRY = 30_000


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    """Everybody plays; the first session opens at 13:55 and runs from 14:00 to 14:10 with three awards."""
    made = casinos()
    made.load_lists()
    seat_everybody(made)
    made.at("13:59")
    return made


def tries(casino: Casino, plan: str = "first") -> list[tuple[int, str]]:
    said = casino.said("selection.made", "selection.postponed", "selection.lapsed", plan=plan)
    return [(entry.at, entry.data.get("reason", "made")) for entry in said]


def stopped(casino: Casino, since: int, until: int) -> None:
    """The core is down: the clock goes on, nothing ticks; then it starts again and hears the floor."""
    casino.go(since)
    casino.clock.set(until)
    casino.restart()
    casino.tick()
    casino.send()


def test_overdue_moments_are_postponed_as_an_outage_and_made_one_every_thirty_seconds(casino: Casino) -> None:
    first, second, third = casino.moments()
    back = second + 60_000
    assert back + 2_000 < third
    stopped(casino, first - 5_000, back)
    assert tries(casino) == [(back, "outage"), (back, "outage")]
    casino.go(back + 2 * RETRY)
    made = [entry for entry in casino.said("selection.made") if entry.data["moment"] in {0, 1}]
    assert tries(casino)[2:4] == [(back + RETRY, "made"), (back + RETRY, "queue")]
    assert [(entry.at, entry.data["moment"]) for entry in made] == [(back + RETRY, 0), (back + 2 * RETRY, 1)]
    casino.finish("14:15")


@pytest.mark.parametrize(("late", "expected"), [(2_000, "made"), (2_001, "outage")])
def test_an_outage_is_what_goes_beyond_the_lateness(casino: Casino, late: int, expected: str) -> None:
    first = casino.moments()[0]
    casino.go(first - 10_000)
    casino.clock.set(first + late)
    casino.tick()
    assert tries(casino) == [(first + late, expected)]
    casino.finish("14:15")


def test_after_an_outage_re_selections_go_first(casino: Casino) -> None:
    first, second, _ = casino.moments()
    casino.go(first)
    deadline = casino.announce()
    assert deadline + 250 < second
    back = second + 20_000
    stopped(casino, deadline, back)
    # What is overdue is logged first. The claim expires now, so its re-selection is due now; no feed has spoken yet.
    assert tries(casino)[1:] == [(back, "outage"), (back, "stale_feed")]
    casino.go(back + 2 * RETRY)
    made = [(entry.at, entry.data["after"], entry.data["moment"]) for entry in casino.said("selection.made")]
    assert made[1:3] == [(back + RETRY, 0, None), (back + 2 * RETRY, None, 1)]
    assert tries(casino)[4] == (back + RETRY, "queue")
    casino.finish("14:15")


def test_down_over_the_end_the_moments_lapse_after_their_retry(casino: Casino) -> None:
    stopped(casino, casino.moments()[0] - 1, jhb("14:12"))
    assert tries(casino) == [(jhb("14:12"), "outage")] * 3
    casino.go(jhb("14:12") + RETRY)
    assert tries(casino)[3:] == [(jhb("14:12") + RETRY, "carried")] * 3
    assert casino.draw().state.closed_at == jhb("14:12") + RETRY
    casino.finish("14:41")


# -- starting again --------------------------------------------------------------------------------------------

BUSY_CREW = CrewPlan(seed="e", walk_seconds=(5, 40), found=0.3, other_person=0.2, presents=0.5)


def played(restarts: Callable[[Casino], bool], until: str = "14:50") -> list[Entry]:
    """Two sessions with a crew that finds few: failures, no-shows, carries. `restarts` says when to start again."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        casino = Casino(f"sqlite:///{folder / 'state.db'}", folder, book=book_toml(), seed="restarts")
        casino.crew = ScriptedCrew(BUSY_CREW)
        casino.load_lists()
        seat_everybody(casino)
        casino.restart_before = lambda: restarts(casino)
        casino.at("14:05")
        casino.silent.add("tables-1")
        casino.at("14:07")
        casino.silent.clear()
        casino.at(until)
        casino.verify_closed()
        log = casino.log()
        casino.close()
    return log


@cache
def undisturbed(until: str = "14:50") -> tuple[Entry, ...]:
    return tuple(played(lambda _: False, until))


def told(log: Iterable[Entry]) -> list[tuple[int, int, str, str]]:
    """Short, and all the same: an entry's hash is over everything in it."""
    return [(entry.seq, entry.at, entry.kind, entry.hash) for entry in log]


def test_the_undisturbed_day_has_what_a_restart_could_spoil() -> None:
    kinds = {entry.kind for entry in undisturbed()}
    assert kinds >= {
        "selection.made",
        "selection.postponed",
        "claim.found",
        "claim.announced",
        "claim.presented",
        "claim.confirmed",
        "claim.expired",
        "claim.not_rightful_card",
    }
    assert any(entry.kind == "pool.frozen" and entry.data["basis"] for entry in undisturbed())
    assert kinds >= {"draw.closed", "feed.up", "feed.stale"}


@settings(max_examples=6, deadline=None)
@given(points=st.sets(st.integers(0, 250), max_size=40))
def test_a_core_started_again_at_any_points_writes_the_same_log(points: set[int]) -> None:
    steps = itertools.count()
    assert told(played(lambda _: next(steps) in points)) == told(undisturbed())


def test_started_again_before_every_single_tick_the_log_is_the_same() -> None:
    assert told(played(lambda _: True, "14:13")) == told(undisturbed("14:13"))


def test_core_started_is_all_that_a_start_adds(casino: Casino) -> None:
    before = casino.log()
    casino.restart()
    house.start_log(casino.engine, "test")
    casino.tick()
    added = casino.log()[len(before) :]
    assert [(entry.kind, entry.draw, entry.data) for entry in added] == [("core.started", None, {"version": "test"})]
    casino.finish("14:11")


def test_what_is_overdue_is_logged_with_the_start(casino: Casino) -> None:
    """The verifier allows no entry within an outage: the start's own and the postponements are one transaction."""
    first = casino.moments()[0]
    casino.go(first - 1)
    casino.clock.set(first + 60_000)
    casino.restart()
    house.start_log(casino.engine, "test")
    casino.clock.set(first + 64_500)  # a slow start
    casino.tick()
    assert tries(casino) == [(first + 60_000, "outage")]
    casino.send()
    casino.finish("14:15")
