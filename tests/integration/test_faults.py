"""A locked database, a failed sync, a commit whose answer is lost (R7): nothing accepted is lost, nothing is half made,
and what was overdue is told as an outage; a failed sync ends the core and is never tried again.
"""

from __future__ import annotations

import errno
import functools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from casino import HOUR, Casino, iso, jhb
from crash.playing import BY, FIRST, beat, ends_well, in_play, journalled, key, suspend, take
from crash.trouble import Quiet, Running, answer_lost, fails, locked, not_begun, running
from sqlalchemy.exc import OperationalError

from draw_engine.clock import SetClock, SteadyClock
from draw_engine.errors import Refused, RuleBroken
from draw_engine.log import Entry
from draw_engine.service import house, intake
from draw_engine.service.engine import Engine
from draw_engine.store.database import open_database
from draw_engine.store.journal import FileJournal, JournalBroken


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kiosk.core.Alarms", Quiet)
    monkeypatch.setattr("casino.open_database", functools.partial(open_database, busy_ms=100))


@pytest.fixture
def casino(tmp_path: Path) -> Iterator[Casino]:
    made = in_play(tmp_path)
    yield made
    made.close()


# -- a database that another process holds -----------------------------------------------------------------------


def test_locked_over_a_moment_events_are_kept_and_the_selection_follows_after_its_outage(casino: Casino) -> None:
    moment = casino.moments()[0]
    casino.go(moment - 1)
    before = casino.log()
    with running(casino) as core:
        with locked(casino.folder / "core.db"):
            casino.clock.set(moment)
            body = beat(casino)
            with pytest.raises(OperationalError, match="locked"):
                take(core, body)
            assert journalled(casino).count(key(body)) == 1
            casino.clock.set(moment + 30_000)
            with pytest.raises(OperationalError, match="locked"):
                core.core.ask(suspend)
        assert core.breaks == 0
        assert [entry.kind for entry in casino.log()[len(before) :]] == ["core.started"]
        answer = take(core, body)
        assert (answer.accepted, answer.repeated) == (0, 1)
    (postponed,) = casino.said("selection.postponed", "selection.made")
    assert (iso(postponed.at), postponed.data["reason"]) == (iso(moment + 30_000), "outage")
    ends_well(casino)


def test_no_entry_comes_before_the_try_of_what_is_due(casino: Casino, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tick could not write; a press that now could would stand within the outage, and no verifier would have it."""
    moment = casino.moments()[0]
    casino.go(moment - 1)
    with running(casino) as core:
        casino.clock.set(moment + 10_000)
        not_begun(casino.engine, monkeypatch)
        with pytest.raises(OperationalError, match="locked"):
            core.core.ask(suspend)
        assert not casino.said("session.suspended")
        casino.clock.set(moment + 20_000)
        core.core.ask(suspend)
    told = [entry.kind for entry in casino.said("selection.postponed", "session.suspended")]
    assert told == ["selection.postponed", "session.suspended"]
    house.resume(casino.engine, casino.draw(), **BY)
    ends_well(casino)


def test_a_commit_whose_answer_was_lost_is_found_and_not_made_twice(
    casino: Casino, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = casino.moments()[0]
    casino.go(moment - 1)
    with running(casino) as core:
        answer_lost(casino.engine, monkeypatch)
        with pytest.raises(OperationalError):
            core.core.ask(suspend)
        with pytest.raises(Refused, match="X_ALREADY_DONE"):
            core.core.ask(suspend)
        core.core.ask(lambda engine: house.resume(engine, engine.draw(FIRST), **BY))
        casino.clock.set(moment)
        answer_lost(casino.engine, monkeypatch)
        core.see_to_it()
        core.see_to_it()
    assert len(casino.said("session.suspended")) == len(casino.said("selection.made")) == 1
    ends_well(casino)


def test_a_listener_in_trouble_after_the_commit_loses_nothing_of_it(tmp_path: Path) -> None:
    """It has read the database to write a slip, say: what was committed is read again, and not made twice."""
    casino = in_play(tmp_path, until="13:54:59")
    trouble = [OperationalError("SELECT", None, Exception("database is locked"))]

    def listens(entries: Sequence[Entry]) -> None:
        if trouble and any(entry.kind == "draw.opened" for entry in entries):
            raise trouble.pop()

    casino.engine.listeners.append(listens)
    casino.clock.set(jhb("13:55"))
    with running(casino) as core:
        core.see_to_it()
        core.see_to_it()
        assert (core.breaks, trouble) == (0, [])
    assert len(casino.said("draw.opened")) == 1
    ends_well(casino)
    casino.close()


def test_a_step_of_the_clock_that_could_not_be_logged_is_met_again(
    casino: Casino, monkeypatch: pytest.MonkeyPatch
) -> None:
    casino.clock.off = 5_000
    not_begun(casino.engine, monkeypatch)
    with pytest.raises(OperationalError):
        casino.tick()
    casino.tick()
    (stepped,) = casino.said("clock.stepped")
    assert stepped.data == {"by_ms": 5_000}


def test_a_clock_put_back_while_no_core_ran_does_not_lengthen_a_claim(casino: Casino) -> None:
    casino.go(casino.moments()[0])
    casino.announce()
    casino.clock = SetClock(casino.clock.now() - HOUR)
    casino.restart()
    for passes, outcome in ((90_249, None), (1, "expired")):
        casino.clock.set(casino.clock.now() + passes)
        casino.tick()
        assert casino.draw().state.claims[0].outcome == outcome


def test_the_live_clock_goes_on_from_what_was_written_down() -> None:
    hour_behind = SteadyClock(-HOUR)
    written = SteadyClock().now()
    hour_behind.go_on_from(written)
    first = hour_behind.now()
    assert 0 <= first - written < 5_000
    threading.Event().wait(0.02)
    assert hour_behind.now() >= first + 19
    assert abs(hour_behind.disagreement() + HOUR) < 5_000
    hour_behind.go_on_from(written)
    assert hour_behind.now() - first < 5_000


# -- a failed sync ------------------------------------------------------------------------------------------------


def test_a_failed_sync_of_the_journal_ends_the_core_and_is_never_tried_again(
    casino: Casino, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = casino.send()
    assert answered["slots-1"].accepted
    before = journalled(casino)
    real = os.fdatasync
    with running(casino) as core:
        body = beat(casino)
        monkeypatch.setattr(os, "fdatasync", fails(errno.EIO))
        with pytest.raises(JournalBroken):
            take(core, body)
        monkeypatch.setattr(os, "fdatasync", real)
        assert core.breaks == 1
        for _ in range(2):
            with pytest.raises(Refused, match="X_CORE_STOPPED"):
                take(core, body)
    casino.restart()
    assert journalled(casino)[: len(before)] == before
    answer = intake.take(casino.engine, "slots-1", body)
    assert answer.accepted + answer.repeated == 1
    assert journalled(casino).count(key(body)) == 1
    ends_well(casino)


def test_a_failed_sync_of_the_database_ends_the_core(casino: Casino, monkeypatch: pytest.MonkeyPatch) -> None:
    def around(*_: Any) -> Any:
        raise OperationalError("COMMIT", None, Exception("disk I/O error"))

    casino.clock.set(casino.moments()[0])
    core = Running(casino)
    core.core.start()
    monkeypatch.setattr(casino.engine.store, "transaction", around)
    with pytest.raises(OperationalError):
        core.core.ask(suspend)
    assert core.breaks == 1
    with pytest.raises(Refused, match="X_CORE_STOPPED"):
        core.core.ask(suspend)
    core.core.stop()
    monkeypatch.undo()
    casino.restart()
    ends_well(casino)


def test_what_waits_behind_the_command_that_broke_the_core_is_not_done(casino: Casino) -> None:
    done: list[str] = []
    at_it, go_on = threading.Event(), threading.Event()

    def breaks(_engine: Engine) -> None:
        at_it.set()
        assert go_on.wait(10)
        raise JournalBroken("the sync failed")

    with running(casino) as core:
        answers: list[Future[None]] = [Future(), Future()]

        def asks(number: int, command: Callable[[Engine], None]) -> None:
            try:
                core.core.ask(command)
                answers[number].set_result(None)
            except (Refused, RuleBroken) as said:
                answers[number].set_exception(said)

        first = threading.Thread(target=asks, args=(0, breaks))
        first.start()
        assert at_it.wait(10)
        second = threading.Thread(target=asks, args=(1, lambda _: done.append("done")))
        second.start()
        while core.core._todo.empty():
            threading.Event().wait(0.001)
        go_on.set()
        first.join(10)
        second.join(10)
        assert isinstance(answers[0].exception(), JournalBroken)
        said = answers[1].exception()
        assert isinstance(said, Refused)
        assert (said.code, done, core.breaks) == ("X_CORE_STOPPED", [], 1)


def test_a_command_whose_turn_did_not_come_in_time_is_not_done_later(casino: Casino) -> None:
    at_it, go_on = threading.Event(), threading.Event()

    def slow(_engine: Engine) -> None:
        at_it.set()
        assert go_on.wait(10)

    with running(casino) as core:
        other = threading.Thread(target=core.core.ask, args=(slow,))
        other.start()
        assert at_it.wait(10)
        with pytest.raises(Refused, match="X_TRY_AGAIN"):
            core.core.ask(suspend, timeout=0.05)
        go_on.set()
        other.join(10)
        core.see_to_it()
    assert not casino.said("session.suspended")


def test_lines_of_a_dead_core_are_synced_before_anything_is_judged_from_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "2023-10-07-1.jsonl").write_bytes(b'{"written": "and not synced"}\n')
    synced: list[str] = []
    real = os.fsync

    def noted(handle: int) -> None:
        synced.append(Path(f"/proc/self/fd/{handle}").readlink().name)
        real(handle)

    monkeypatch.setattr(os, "fsync", noted)
    FileJournal(tmp_path, "2023-10-07-1").close()
    assert "2023-10-07-1.jsonl" in synced
