"""`kill -9` at every point from an event's arrival to the published record, and again in the recovery (R1).

A day of two sessions is played through once undisturbed. Then it is played again and again, and each time the core is
killed: nothing may be lost, doubled or changed. Started again at the same instant it must write the very record of
the undisturbed day; started later, a record that a stranger verifies, with its outage told.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from casino import iso, jhb
from crash.bridges import SEATED
from crash.runs import Deaths, Undisturbed, quick_folder
from crash.served import LiveFeed, Property, free_port, killed, load_lists, url_of, utc_now
from crash.traced import FAILS, KILLS, count_of_calls, traced_lives, why_not
from crash.verdict import Kept
from crash.world import World, lives

ALL = bool(os.environ.get("FLOORDRAW_TEST_ALL"))
SHARES = 6
DOWNTIMES = (0, 0, 0, 1_900, 180_000, 720_000)
"""Back at once; within `lateness_ms`; minutes later, in the session or after it."""
RECOVERY_POINTS = 60
PAYING = "claim.checked envelope.drawn claim.confirmed"
"""More than a start has, so that the second death falls on each of its points and sometimes after it."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = quick_folder(tmp_path_factory.mktemp("kill"))
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def day(folder: Path) -> Undisturbed:
    return Undisturbed(folder / "undisturbed", "seed-1")


def test_the_day_has_every_point_that_matters(day: Undisturbed) -> None:
    """What the runs below are worth: they cannot kill where nothing is reached."""
    wanted = {
        "take: half of journal write",
        "take: before fdatasync",
        "take: after fdatasync",
        "take: after commit of the journal's count",
        "take: before rename",
        "take: after unlink",
        "load: before insert list_versions",
        "tick: before insert draws",
        "tick: before begin",
        "tick: before insert pools",
        "tick: before insert selections",
        "tick: after insert claims",
        "tick: after insert log_entries claim.expired",
        "tick: after commit of selection.postponed",
        "count: after insert envelopes",
        "press announce: before update claims",
        f"press confirmed: before commit of {PAYING}",
        "press confirmed: after insert print_jobs",
        f"press confirmed: after commit of {PAYING}",
        f"press confirmed: push of {PAYING}",
        "tick: after insert log_entries draw.closed",
        "publish: half of a published file",
    }
    assert wanted <= set(day.points)
    made = "pool.judged pool.frozen selection.made claim.opened"
    assert {f"tick: {when} commit of {made}" for when in ("before", "after")} <= set(day.points)


@pytest.mark.parametrize("share", range(SHARES))
def test_killed_once_at_every_point_and_again_in_the_recovery(day: Undisturbed, folder: Path, share: int) -> None:
    """Everything about a commit, and of the rest every twelfth in the ordinary suite (its 20 minutes); all with ALL."""
    points = [
        point
        for number, point in enumerate(day.first_of_each())
        if ALL or number % 12 == 0 or "commit" in day.points[point - 1]
    ]
    for number, point in list(enumerate(points))[share::SHARES]:
        again = 1 + number % RECOVERY_POINTS
        deaths = Deaths((point, again), DOWNTIMES[number // SHARES % len(DOWNTIMES)])
        outcome = day.disturb(folder / f"share-{share}", deaths, judge_again=number % 4 == 0)
        assert outcome.deaths == 2, (day.points[point - 1], outcome)
        assert not outcome.faults, (day.points[point - 1], deaths, outcome.faults)


def test_a_committed_selection_keeps_its_person_and_an_uncommitted_one_left_no_trace(
    day: Undisturbed, folder: Path
) -> None:
    made = "pool.judged pool.frozen selection.made claim.opened"
    for when, kept in (("before", 0), ("after", 1)):
        point = day.points.index(f"tick: {when} commit of {made}") + 1
        told = World(_empty(folder / "one"), lives(folder / "one", day.seed, [point])).run()
        (left,) = told.kept
        assert [row[1] for row in left["selections"]] == list(range(kept))
        after = Kept(folder / "one", day.seed)
        assert after.persons() == day.kept_persons
        assert after.digests() == day.kept_digests
        after.close()


def test_uncommitted_and_down_for_minutes_it_is_judged_afresh_after_the_outage(day: Undisturbed, folder: Path) -> None:
    """The moment had come, the selection was not committed: `outage` at the return, a fresh pool `retry_ms` later."""
    made = "pool.judged pool.frozen selection.made claim.opened"
    point = day.points.index(f"tick: before commit of {made}") + 1
    told = World(_empty(folder / "late"), lives(folder / "late", day.seed, [point]), downtime=180_000).run()
    kept = Kept(folder / "late", day.seed)
    due = day.moments["first"][0]
    back = due + 180_000
    first, *_ = kept.said("selection.postponed", "selection.made")
    assert (iso(first.at), first.data["reason"], first.data["moment"]) == (iso(back), "outage", 0)
    (started,) = kept.said("core.started")[1:]
    assert started.at == back
    assert [entry.kind for entry in kept.entries if started.seq <= entry.seq <= first.seq] == [
        "core.started",
        "selection.postponed",
    ]
    judged = next(entry for entry in kept.said("pool.judged") if entry.at > due)
    assert judged.at >= back + 30_000
    assert told.deaths[0].startswith(iso(due))
    kept.close()


def test_several_overdue_after_an_outage_come_one_every_thirty_seconds(day: Undisturbed, folder: Path) -> None:
    """Dead from 13:59 to 14:09:30: all three moments are overdue, and the crews get them one by one."""
    opened = day.points.index("tick: before insert log_entries pool.judged") + 1
    down = jhb("14:09:30") - day.moments["first"][0]
    World(_empty(folder / "queue"), lives(folder / "queue", day.seed, [opened]), downtime=down).run()
    kept = Kept(folder / "queue", day.seed)
    back = jhb("14:09:30")
    told = [
        (entry.at, entry.data.get("reason", "made"), entry.data["moment"])
        for entry in kept.said("selection.postponed", "selection.made", "selection.lapsed")
        if entry.draw == kept.draws[0].id and entry.data["moment"] is not None
    ]
    overdue = [n for n, moment in enumerate(day.moments["first"]) if moment + 2_000 < back]
    assert told[: len(overdue)] == [(back, "outage", n) for n in overdue]
    made = [(at, n) for at, what, n in told if what == "made" and n in overdue]
    assert all(later[0] - earlier[0] >= 30_000 for earlier, later in itertools.pairwise(made))
    kept.close()


def test_every_acknowledged_event_is_in_the_journal_before_its_acknowledgement(day: Undisturbed, folder: Path) -> None:
    """Killed right after the acknowledged batch was counted, before it was answered: kept, and a repeat when resent."""
    names = ("take: after fdatasync", "take: after commit of the journal's count")
    for name in names:
        point = [n for n, reached in enumerate(day.points, 1) if reached == name][20]
        told = World(_empty(folder / "ack"), lives(folder / "ack", day.seed, [point])).run()
        lines = [
            json.loads(line)["event"]
            for path in sorted((folder / "ack" / "journal").glob("*.jsonl"))
            for line in path.read_bytes().splitlines()
        ]
        assert len({(event["feed"], event["seq"]) for event in lines}) == len(lines)
        assert told.repeated > 0


def test_a_restart_shows_the_same_state_within_two_seconds(day: Undisturbed, folder: Path) -> None:
    points = [
        n
        for n, name in enumerate(day.points, 1)
        if name == "tick: after insert log_entries pool.frozen selection.made claim.opened"
    ]
    outcome = day.disturb(folder / "quick", Deaths((points[-1],)))
    assert not outcome.faults
    assert max(outcome.restart_seconds) <= 2.0


ON_A_SERVER = (
    "take: before begin of the journal's count",
    "tick: before commit of draw.opened checkpoint.made lists.in_force",
    "tick: after insert selections",
    "tick: before commit of pool.judged pool.frozen selection.made claim.opened",
    "tick: after commit of pool.judged pool.frozen selection.made claim.opened",
    "press confirmed: after update claims",
    f"press confirmed: after commit of {PAYING}",
    "tick: before commit of draw.closed checkpoint.made",
)


@pytest.mark.postgres
def test_killed_over_a_database_server(day: Undisturbed, folder: Path, new_postgres: Callable[[], str]) -> None:
    for number, name in enumerate(ON_A_SERVER):
        deaths = Deaths((day.points.index(name) + 1, 5 + 4 * number), (0, 180_000)[number % 2])
        outcome = day.disturb_on_server(folder / "server", deaths, new_postgres())
        assert (outcome.deaths, outcome.faults) == (2, []), (name, outcome.faults)


# -- at the n-th call of the operating system (R2; every single one: benchmarks/kill_runs.py) ------------------------

SAMPLES = 8 if ALL else 4


@pytest.mark.parametrize(("call", "what"), [("pwrite64", KILLS), ("fdatasync", KILLS), ("fdatasync", FAILS)])
def test_killed_or_failed_at_a_call_of_the_operating_system(
    day: Undisturbed, folder: Path, call: str, what: str
) -> None:
    if (reason := why_not()) is not None:
        pytest.skip(reason)
    count = count_of_calls(folder / "counted", day.seed, call)
    assert count > 100
    ended = 0
    for number in range(count // SAMPLES // 2, count, count // SAMPLES):
        start = traced_lives(folder / "traced", day.seed, call, what, number)
        outcome = day.disturb(folder / "traced", Deaths(()), start)
        assert not outcome.faults, (call, number, outcome.faults)
        ended += outcome.deaths
    assert ended >= SAMPLES - 1


# -- the whole core, over HTTP ------------------------------------------------------------------------------------


def test_a_served_core_killed_in_its_session_goes_on_where_it_was(tmp_path: Path) -> None:
    """`floordraw serve` with a real bridge: every event answered is in the journal once, every selection stands."""
    place = Property.made(tmp_path / "property", utc_now())
    port = free_port()
    core = place.serve(port)
    url = url_of(core)
    load_lists(url, place)
    feeds = [LiveFeed("slots-1", url, tmp_path, SEATED), LiveFeed("tables-1", url, tmp_path, {})]
    for feed in feeds:
        feed.start()
    try:
        before = _selections(place, more_than=1)
        killed(core)
        answered_then = {feed.feed: feed.line.outbox.answered for feed in feeds}
        core = place.serve(port)
        url_of(core)
        after = _selections(place, more_than=len(before) + 1)
    finally:
        answered = {feed.feed: feed.stop() for feed in feeds}
        core.terminate()
        core.communicate(timeout=60)
    assert core.returncode == 0
    assert after[: len(before)] == before
    assert [ordinal for ordinal, *_ in after] == list(range(len(after)))
    journal = [json.loads(line)["event"] for path in place.journal() for line in path.read_bytes().splitlines()]
    told = [(event["feed"], event["seq"]) for event in journal]
    assert len(told) == len(set(told))
    for name, last in answered.items():
        assert last > answered_then[name] > 0
        assert {(name, seq) for seq in range(1, last + 1)} <= set(told)
    checked = subprocess.run(place.command("log", "verify"), capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
    assert place.kinds("draw.opened") == 1
    assert place.kinds("core.started") == 2


def _selections(place: Property, more_than: int) -> list[tuple[int, str, str]]:
    """(ordinal, ref, person), once there are enough."""
    for _ in range(900):
        found = place.selections()
        if len(found) > more_than:
            return found
        threading.Event().wait(0.1)
    raise AssertionError(f"only {found} after a minute and a half")


def _empty(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder
