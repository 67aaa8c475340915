"""The journal on disk: whole lines or nothing, synced before they count, one file a segment."""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.event_lines import journal_line
from draw_engine.store.journal import FileJournal, JournalBroken, read_segment

SEGMENT = "2023-10-07-1"
ONE, TWO = b'{"event":1}\n', b'{"event":2}\n'


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[FileJournal]:
    made = FileJournal(tmp_path, SEGMENT)
    yield made
    made.close()


def on_disk(folder: Path) -> bytes:
    return (folder / f"{SEGMENT}.jsonl").read_bytes()


def test_lines_are_appended_in_order_and_counted(journal: FileJournal, tmp_path: Path) -> None:
    assert (journal.segment, journal.length, journal.lines()) == (SEGMENT, 0, b"")
    journal.append(ONE)
    journal.append(TWO)
    assert journal.lines() == on_disk(tmp_path) == ONE + TWO
    assert journal.prefix() == {
        "segment": SEGMENT,
        "length": len(ONE + TWO),
        "sha256": hashlib.sha256(ONE + TWO).hexdigest(),
    }


def test_the_sync_comes_after_the_write_and_before_the_count(
    journal: FileJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[bytes, int]] = []
    monkeypatch.setattr(os, "fdatasync", lambda _: seen.append((on_disk(tmp_path), journal.length)))
    journal.append(ONE)
    assert seen == [(ONE, 0)]
    assert journal.length == len(ONE)


@settings(max_examples=25, deadline=None)
@given(torn=st.binary(max_size=40).filter(lambda tail: b"\n" not in tail))
def test_a_torn_last_line_is_cut_off_at_a_start(tmp_path_factory: pytest.TempPathFactory, torn: bytes) -> None:
    folder = tmp_path_factory.mktemp("torn")
    (folder / f"{SEGMENT}.jsonl").write_bytes(ONE + TWO + torn)
    journal = FileJournal(folder, SEGMENT)
    assert (journal.lines(), on_disk(folder)) == (ONE + TWO, ONE + TWO)
    journal.append(ONE)
    assert on_disk(folder) == ONE + TWO + ONE
    assert journal.prefix()["sha256"] == hashlib.sha256(ONE + TWO + ONE).hexdigest()
    journal.close()


HEARD = journal_line({"feed": "slots-1", "kind": "heartbeat", "seq": 1}, 1_696_672_800_000)


@pytest.mark.parametrize(
    "rubbish",
    [
        pytest.param(bytes(30) + HEARD[30:], id="a-hole-before-a-line's-end"),
        pytest.param(HEARD[:20] + bytes(512) + HEARD, id="a-hole-in-a-line"),
        pytest.param(b'{"line":1}\n', id="a-line-of-something-else"),
        pytest.param(HEARD[:-1] + b"\r" + HEARD, id="another-line-end"),
        pytest.param(HEARD.replace(b'"seq":1', b'"seq": 1'), id="not-canonical"),
        pytest.param(b"\xff\n", id="no-text"),
        pytest.param(bytes(4096), id="nothing-but-its-length"),
    ],
)
def test_what_a_power_cut_left_of_lines_that_were_not_counted_is_cut(tmp_path: Path, rubbish: bytes) -> None:
    """Sectors of a write that was not synced may be missing before others: a line's end proves nothing."""
    file = tmp_path / f"{SEGMENT}.jsonl"
    file.write_bytes(ONE + HEARD + rubbish + HEARD)
    journal = FileJournal(tmp_path, SEGMENT, counted=len(ONE))
    assert file.read_bytes() == ONE + HEARD
    assert journal.prefix() == {
        "segment": SEGMENT,
        "length": len(ONE + HEARD),
        "sha256": hashlib.sha256(ONE + HEARD).hexdigest(),
    }
    journal.close()


def test_what_was_counted_is_never_cut(tmp_path: Path) -> None:
    """A damage in it is a disk's fault, not a power cut's: the reader says so, and nothing is taken away."""
    file = tmp_path / f"{SEGMENT}.jsonl"
    file.write_bytes(ONE + b"\0\0\n" + HEARD)
    FileJournal(tmp_path, SEGMENT, counted=len(ONE) + 3).close()
    assert file.read_bytes() == ONE + b"\0\0\n" + HEARD


def test_the_name_of_a_new_folder_is_synced_in_each_that_is_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def fsync(handle: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{handle}").readlink()))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    FileJournal(tmp_path / "data" / "journal", SEGMENT).close()
    assert {str(tmp_path), str(tmp_path / "data"), str(tmp_path / "data" / "journal")} <= set(synced)


def test_a_full_disk_keeps_nothing_and_can_be_tried_again(
    journal: FileJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal.append(ONE)
    real = os.write
    left = [5]

    def full(handle: int, data: Any) -> int:
        if not left[0]:
            raise OSError(28, "No space left on device")
        written = real(handle, bytes(data)[: left[0]])
        left[0] -= written
        return written

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        journal.append(TWO)
    assert (on_disk(tmp_path), journal.length) == (ONE, len(ONE))
    monkeypatch.setattr(os, "write", real)
    journal.append(TWO)
    assert on_disk(tmp_path) == ONE + TWO
    assert journal.prefix()["sha256"] == hashlib.sha256(ONE + TWO).hexdigest()


def test_a_short_write_is_gone_on_with(journal: FileJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, bytes(data)[:3]))
    journal.append(ONE + TWO)
    assert on_disk(tmp_path) == ONE + TWO


def test_a_failed_sync_is_final(journal: FileJournal, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: int) -> None:
        raise OSError(5, "Input/output error")

    real = os.fdatasync
    monkeypatch.setattr(os, "fdatasync", fails)
    with pytest.raises(JournalBroken):
        journal.append(ONE)
    monkeypatch.setattr(os, "fdatasync", real)
    with pytest.raises(JournalBroken):
        journal.append(TWO)
    assert journal.length == 0
    assert journal.lines() == b""


def test_a_turned_segment_is_packed_whole_and_can_still_be_read(journal: FileJournal, tmp_path: Path) -> None:
    journal.append(ONE)
    journal.turn_to("2023-10-14-1")
    assert (journal.segment, journal.length, journal.lines()) == ("2023-10-14-1", 0, b"")
    journal.append(TWO)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["2023-10-07-1.jsonl.gz", "2023-10-14-1.jsonl"]
    assert gzip.decompress((tmp_path / f"{SEGMENT}.jsonl.gz").read_bytes()) == ONE
    assert read_segment(tmp_path, SEGMENT) == ONE
    assert read_segment(tmp_path, "2023-10-14-1") == TWO
    assert journal.prefix()["sha256"] == hashlib.sha256(TWO).hexdigest()


def test_turning_to_the_running_segment_changes_nothing(journal: FileJournal, tmp_path: Path) -> None:
    journal.append(ONE)
    journal.turn_to(SEGMENT)
    assert on_disk(tmp_path) == ONE


def test_a_segment_that_is_gone_is_missed(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_segment(tmp_path, SEGMENT)


def test_a_segment_already_packed_is_never_begun_again(tmp_path: Path) -> None:
    """It would hide what was packed: the prefix in the log's pools could not be read any more."""
    first = FileJournal(tmp_path, SEGMENT)
    first.append(ONE)
    first.turn_to("2023-10-14-1")
    first.close()
    with pytest.raises(JournalBroken):
        FileJournal(tmp_path, SEGMENT)
    assert read_segment(tmp_path, SEGMENT) == ONE


def test_others_cannot_read_the_journal(journal: FileJournal, tmp_path: Path) -> None:
    journal.append(ONE)
    assert (tmp_path / f"{SEGMENT}.jsonl").stat().st_mode & 0o007 == 0


def test_old_segments_go_unless_a_record_needs_them(tmp_path):
    journal = FileJournal(tmp_path, "2023-10-07-1")
    for day in ("2023-10-08-1", "2023-10-09-1", "2023-10-10-1"):
        journal.append(b'{"line":1}\n')
        journal.turn_to(day)
    journal.drop_before("2023-10-09-1", keep={"2023-10-07-1"})
    left = sorted(file.name for file in tmp_path.iterdir())
    assert left == ["2023-10-07-1.jsonl.gz", "2023-10-09-1.jsonl.gz", "2023-10-10-1.jsonl"]
    journal.close()
