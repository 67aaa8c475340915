"""A locked database, a full disk, a failed sync, a commit whose answer is lost (R7): nothing accepted is lost, nothing
is half made, and what was overdue is told as an outage; a failed sync ends the core and is never tried again.
"""

from __future__ import annotations

import errno
import functools
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from casino import HOUR, Casino, iso, jhb, seat_everybody
from click.testing import CliRunner
from crash.served import HEARTBEAT, Property, serving_of, utc_now
from crash.trouble import Quiet, Running, answer_lost, fails, fill, locked, not_begun, running, small_disk
from sqlalchemy.exc import OperationalError

from draw_engine.clock import SetClock, SteadyClock
from draw_engine.errors import Refused, RuleBroken
from draw_engine.log import Entry
from draw_engine.service import house, intake
from draw_engine.service.engine import Engine
from draw_engine.store.database import open_database
from draw_engine.store.journal import FileJournal, JournalBroken, read_segment
from draw_engine.store.sealing import make_master_key
from kiosk.assembly import MASTER_KEY
from kiosk.cli import floordraw

BY = {"by": "nomvula", "second": "themba", "reason": "an alarm"}
FIRST = "silverstar/playtime/2023-10-07/first"


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kiosk.core.Alarms", Quiet)
    monkeypatch.setattr("casino.open_database", functools.partial(open_database, busy_ms=100))


@pytest.fixture
def new_casino(tmp_path: Path) -> Iterator[Callable[..., Casino]]:
    made: list[Casino] = []

    def new(database: Path | None = None, folder: Path | None = None, until: str = "13:59") -> Casino:
        casino = Casino(f"sqlite:///{(database or tmp_path) / 'core.db'}", folder or tmp_path)
        made.append(casino)
        casino.load_lists()
        seat_everybody(casino)
        casino.at(until)
        return casino

    yield new
    for casino in made:
        casino.close()


@pytest.fixture
def casino(new_casino: Callable[..., Casino]) -> Casino:
    """Everybody plays; the first session is open and its first moment is yet to come."""
    return new_casino()


def beat(casino: Casino, feed: str = "slots-1") -> bytes:
    """One heartbeat, as a bridge sends it; the caller may send it again."""
    casino.tell("heartbeat", feed=feed)
    return b"\n".join(casino._waiting.pop(feed))


def take(running: Running, body: bytes, feed: str = "slots-1") -> intake.Answer:
    return running.core.ask(lambda engine: intake.take(engine, feed, body))


def suspend(engine: Engine) -> None:
    house.suspend(engine, engine.draw(FIRST), **BY)


def journalled(casino: Casino) -> list[tuple[str, int]]:
    lines = read_segment(casino.folder / "journal", casino.journal.segment).splitlines()
    events = [json.loads(line)["event"] for line in lines]
    return [(event["feed"], event["seq"]) for event in events]


def key(body: bytes) -> tuple[str, int]:
    event = json.loads(body)
    return event["feed"], event["seq"]


def ends_well(casino: Casino) -> None:
    """The session goes on to its end, and its record verifies."""
    assert len(set(journalled(casino))) == len(journalled(casino))
    casino.finish("14:15")
    assert casino.draw().state.closed_at is not None
    casino.verify_closed()


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


def test_a_listener_in_trouble_after_the_commit_loses_nothing_of_it(new_casino: Callable[..., Casino]) -> None:
    """It has read the database to write a slip, say: what was committed is read again, and not made twice."""
    casino = new_casino(until="13:54:59")
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


# -- a full disk --------------------------------------------------------------------------------------------------


def test_no_room_for_the_journal_takes_nothing_and_goes_on_when_there_is(
    casino: Casino, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = journalled(casino)
    real = os.write

    def half(handle: int, data: Any) -> int:
        if len(data) < 60:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, bytes(data)[:50])

    with running(casino) as core:
        body = beat(casino)
        monkeypatch.setattr(os, "write", half)
        with pytest.raises(OSError, match="No space"):
            take(core, body)
        monkeypatch.setattr(os, "write", real)
        assert (core.breaks, journalled(casino)) == (0, before)
        assert take(core, body).accepted == 1
    ends_well(casino)


@pytest.mark.parametrize("full", ["journal", "database", "both"])
def test_a_full_disk_takes_nothing_half_and_goes_on_when_space_is_freed(
    new_casino: Callable[..., Casino], tmp_path: Path, full: str
) -> None:
    with small_disk(tmp_path / "small") as small:
        other = tmp_path / "other"
        other.mkdir()
        casino = new_casino(
            database=other if full == "journal" else small, folder=other if full == "database" else small
        )
        moment = casino.moments()[0]
        casino.go(moment - 1)
        with running(casino) as core:
            filler = fill(small)
            casino.clock.set(moment)
            refused = _until_refused(core, casino)
            assert core.breaks == 0
            casino.clock.set(moment + 60_000)
            filler.unlink()
            answer = take(core, refused)
            assert answer.accepted + answer.repeated == len(refused.splitlines())
            core.see_to_it()
        first = casino.said("selection.made", "selection.postponed")[0]
        # Where the database had room the moment was met; else the first to be written is the outage, a minute later.
        expected = (moment, None) if full == "journal" else (moment + 60_000, "outage")
        assert (first.at, first.data.get("reason")) == expected
        ends_well(casino)


def _until_refused(core: Running, casino: Casino) -> bytes:
    """Events, until one request is refused for want of space; what was answered is in the journal."""
    for _ in range(200):
        for _ in range(20):
            casino.tell("played", position="S-0412", games=1, coin_in=500)
        body = beat(casino)
        try:
            answer = take(core, body)
        except (OSError, OperationalError) as trouble:
            if "No space" in str(trouble) or "full" in str(trouble):
                return body
            raise
        assert answer.accepted == 21
    raise AssertionError("the disk never was full")


def test_a_disk_too_full_to_pack_the_old_segment_does_not_hold_up_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = FileJournal(tmp_path, "2023-10-07-1")
    journal.append(b'{"n":1}\n')
    monkeypatch.setattr("draw_engine.store.journal.gzip.GzipFile", fails(errno.ENOSPC))
    journal.turn_to("2023-10-14-1")
    journal.append(b'{"n":2}\n')
    assert read_segment(tmp_path, "2023-10-07-1") == b'{"n":1}\n'
    assert sorted(file.name for file in tmp_path.iterdir()) == ["2023-10-07-1.jsonl", "2023-10-14-1.jsonl"]
    monkeypatch.undo()
    journal.turn_to("2023-10-21-1")
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["2023-10-07-1.jsonl.gz", "2023-10-14-1.jsonl.gz", "2023-10-21-1.jsonl"]
    assert read_segment(tmp_path, "2023-10-07-1") + read_segment(tmp_path, "2023-10-14-1") == b'{"n":1}\n{"n":2}\n'
    journal.close()


def test_a_segment_that_cannot_be_begun_leaves_the_old_one_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = FileJournal(tmp_path, "2023-10-07-1")
    real = os.open
    monkeypatch.setattr(os, "open", fails(errno.ENOSPC))
    with pytest.raises(OSError, match="No space"):
        journal.turn_to("2023-10-14-1")
    monkeypatch.setattr(os, "open", real)
    journal.append(b'{"n":1}\n')
    assert (journal.segment, journal.lines()) == ("2023-10-07-1", b'{"n":1}\n')
    journal.close()


def test_a_watched_folder_that_cannot_be_written_does_not_stop_the_core(casino: Casino) -> None:
    with running(casino) as core:
        core.core.after_tick.append(fails(errno.ENOSPC))
        core.see_to_it()
        core.core.ask(suspend)
        assert core.breaks == 0
    assert casino.said("session.suspended")


# -- a start that cannot be ----------------------------------------------------------------------------------------


def _starts(place: Property) -> tuple[int, str]:
    """Exit code and output of `floordraw serve` in this process; it must end by itself."""
    said = ["serve", "--site", str(place.folder / "site.toml"), "--rules", str(place.folder / "book.toml")]
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        answer = CliRunner().invoke(floordraw, [*said, "--port", "0"])
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return answer.exit_code, answer.output


@pytest.fixture
def place(tmp_path: Path) -> Property:
    """A property that has run once."""
    made = Property.made(tmp_path / "property", utc_now())
    serving = serving_of(made)
    serving.start()
    serving.core.ask(lambda engine: intake.take(engine, "slots-1", HEARTBEAT))
    serving.stop()
    return made


def test_a_start_on_a_locked_database_says_so_and_ends(place: Property, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kiosk.assembly.open_database", functools.partial(open_database, busy_ms=100))
    with locked(place.folder / "core.db"):
        code, output = _starts(place)
    assert (code, "X_TRY_AGAIN" in output, "another process holds it" in output) == (1, True, True)


def test_a_start_with_another_master_key_says_so_and_ends(place: Property) -> None:
    key = place.folder / "state" / MASTER_KEY
    key.unlink()
    make_master_key(key)
    code, output = _starts(place)
    assert (code, "put back the key file" in output) == (1, True)


def test_a_start_without_the_journal_that_was_counted_says_so_and_ends(place: Property) -> None:
    (segment,) = place.journal()
    segment.write_bytes(b"")
    code, output = _starts(place)
    assert (code, "put back the folder" in output) == (1, True)
