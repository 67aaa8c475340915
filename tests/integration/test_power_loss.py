"""The power goes in the middle of a write (R11): no acknowledged row is lost, a torn end is cut, the day goes on.

The day of two draws is played on a core whose every write is watched; at a sync, a rename, a removal or a cut of a file
its machine loses its power. Of what was not synced the disk keeps nothing, everything, all but half the last write, any
sectors in any order, lengths without bytes, or rubbish (`crash/disk.py`): each is looked at, then the day goes on with
one of them, and must end with the very records of the undisturbed day. With FLOORDRAW_TEST_ALL at every one of them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from conftest import ALL
from crash import core_process
from crash.disk import LOSSES, SECTOR, Disk
from crash.power import PowerCut, PowerCuts, count_of
from crash.runs import Undisturbed, quick_folder
from crash.traced import why_not
from sqlalchemy import Engine

from draw_engine.store.database import open_database

SAMPLE = 11
SHARES = 4
_SEED = "power"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    if (reason := why_not()) is not None:
        pytest.skip(reason)
    made = quick_folder(tmp_path_factory.mktemp("power"))
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def day(folder: Path) -> Undisturbed:
    return Undisturbed(folder / "undisturbed", _SEED)


@pytest.fixture(scope="module")
def every_cut(folder: Path) -> list[PowerCut]:
    """Each call of the day at which the power may go; what the disk keeps comes in turn."""
    loss = cycle(LOSSES)
    counts = count_of(folder / "counted", _SEED)
    return [PowerCut(call, n, next(loss)) for call, count in counts.items() for n in range(1, count + 1)]


def test_the_day_syncs_as_often_as_it_must(every_cut: list[PowerCut]) -> None:
    """What the runs below are worth: the database moves its log home, segments turn, the floor is kept."""
    counts = {call: sum(cut.call == call for cut in every_cut) for call in {cut.call for cut in every_cut}}
    assert counts["fdatasync"] > 200
    assert min(counts["fsync"], counts["rename"], counts["ftruncate"]) >= 6


@pytest.mark.parametrize("share", range(SHARES))
def test_the_power_goes_and_comes_back(day: Undisturbed, folder: Path, every_cut: list[PowerCut], share: int) -> None:
    apart = 1 if os.environ.get(ALL) else len(every_cut) // SAMPLE
    for cut in every_cut[apart // 2 :: apart][share::SHARES]:
        cuts = PowerCuts(folder / f"share-{share}", _SEED, [cut])
        outcome = cuts.run(day)
        assert (outcome.deaths, outcome.faults) == (1, []), cut
        assert cuts.looked_at == len(LOSSES)


@pytest.mark.parametrize("again", [2, 7])
def test_it_goes_again_while_the_core_starts(day: Undisturbed, folder: Path, again: int) -> None:
    cuts = [PowerCut("fdatasync", 120, "scattered"), PowerCut("fdatasync", again, "rubbish")]
    outcome = PowerCuts(folder / "again", _SEED, cuts).run(day)
    assert (outcome.deaths, outcome.faults) == (2, []), cuts


# -- that it would be noticed ------------------------------------------------------------------------------------


def test_a_journal_that_does_not_wait_for_its_disk_is_found_out(
    day: Undisturbed, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fdatasync", lambda _: None)
    with pytest.raises(AssertionError, match="the core ended by itself"):  # it holds less than was counted
        PowerCuts(folder / "hasty", _SEED, [PowerCut("fdatasync", 60, "nothing")]).run(day)


def test_a_database_that_does_not_wait_for_its_disk_is_found_out(
    day: Undisturbed, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = open_database

    def hasty(url: str) -> Engine:
        database = real(url)
        kept = database.raw_connection()  # the pool's one connection keeps what it is told
        kept.cursor().execute("PRAGMA synchronous=OFF")
        kept.close()
        return database

    monkeypatch.setattr(core_process, "open_database", hasty)
    cuts = PowerCuts(folder / "hasty", _SEED, [PowerCut("fdatasync", 30, "everything")])
    faults = " ".join(cuts.run(day).faults)
    assert "was shown and is lost" in faults


def _traced(name: str, said: str, gave: int, more: str = "") -> str:
    return f"7 {name}({said}) = {gave}{more}"


def _hex(text: Any) -> str:
    data = text if isinstance(text, bytes) else str(text).encode()
    return "".join(f"\\x{byte:02x}" for byte in data)


def test_the_disk_keeps_what_was_synced_and_of_the_rest_what_the_loss_says(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    file, rest = root / "a", b"n" * 2 * SECTOR
    trace = [
        _traced("openat", f'AT_FDCWD</>, "{_hex(file)}", O_RDWR|O_CREAT|O_APPEND, 0640', 3, f"<{_hex(file)}>"),
        _traced("openat", f'AT_FDCWD</>, "{_hex(root)}", O_RDONLY', 4, f"<{_hex(root)}>"),
        _traced("write", f'3<{_hex(file)}>, "{_hex(b"o" * SECTOR)}", {SECTOR}', SECTOR),
        _traced("fdatasync", f"3<{_hex(file)}>", 0),
        _traced("fsync", f"4<{_hex(root)}>", 0),
        _traced("write", f'3<{_hex(file)}>, "{_hex(rest)}", {len(rest)}', len(rest)),
    ]
    disk = Disk(root).replay("\n".join(trace))
    old = b"o" * SECTOR
    kept = {}
    for loss in LOSSES:
        disk.leave(tmp_path / loss, loss, "seed")
        kept[loss] = (tmp_path / loss / "a").read_bytes()
    assert kept["nothing"] == old
    assert kept["everything"] == old + rest
    assert kept["torn"] == old + rest[:SECTOR]
    assert kept["lengths"] == old + bytes(len(rest))
    assert all(data.startswith(old) for data in kept.values())
    unnamed = Disk(root).replay("\n".join(line for line in trace if "fsync" not in line))
    unnamed.leave(tmp_path / "left", "nothing", "seed")
    assert list((tmp_path / "left").iterdir()) == []
