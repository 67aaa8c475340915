"""A full disk, under the journal, the database or both (R7): nothing is taken half, and there is a way on."""

from __future__ import annotations

import errno
import functools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from casino import Casino
from crash.playing import beat, ends_well, in_play, journalled, suspend, take
from crash.trouble import Quiet, Running, fails, fill, running, small_disk
from sqlalchemy.exc import OperationalError

from draw_engine.store.database import open_database
from draw_engine.store.journal import FileJournal, read_segment


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kiosk.core.Alarms", Quiet)
    monkeypatch.setattr("casino.open_database", functools.partial(open_database, busy_ms=100))


@pytest.fixture
def casino(tmp_path: Path) -> Iterator[Casino]:
    made = in_play(tmp_path)
    yield made
    made.close()


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
def test_a_full_disk_takes_nothing_half_and_goes_on_when_space_is_freed(tmp_path: Path, full: str) -> None:
    with small_disk(tmp_path / "small") as small:
        other = tmp_path / "other"
        other.mkdir()
        casino = in_play(other if full == "database" else small, other if full == "journal" else small)
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
        casino.close()


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
