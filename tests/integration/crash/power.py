"""Cores whose machine loses its power at a sync: what was not synced is taken from them before they start again."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crash.core_process import CoreLine, database_url, fork_core
from crash.disk import LOSSES, Disk
from crash.leavings import kept_now
from crash.runs import Outcome, Undisturbed, judged
from crash.traced import tracing
from crash.world import World

SYNCS = ("fdatasync", "fsync")
NAMES = ("rename", "unlink", "ftruncate")
CHECKPOINT_PAGES = 40
"""So that SQLite moves its log into the database several times in a draw, and not once in a day."""
_CALLS = "openat,close,lseek,write,pwrite64,ftruncate,fsync,fdatasync,rename,unlink,mkdir"


@dataclass(frozen=True)
class PowerCut:
    """The power goes when the core makes its `number`-th `call`; `loss`: what the disk kept of what was not synced."""

    call: str
    number: int
    loss: str


@dataclass
class PowerCuts:
    """One run of the world in which the n-th life of the core ends with the n-th cut. `faults`: what did not hold."""

    folder: Path
    seed: str
    cuts: Sequence[PowerCut]
    faults: list[str] = field(default_factory=list)
    looked_at: int = 0
    _life: int = -1
    _before: Disk | None = None

    def start(self, now: int, life: int) -> CoreLine:
        self._life = life
        watch = None
        if life < len(self.cuts):
            cut = self.cuts[life]
            self._before = Disk(self.folder)
            watch = tracing(
                [
                    *_everything_written(self._trace()),
                    "-e",
                    f"inject={cut.call}:signal=SIGKILL:when={cut.number}",
                ]
            )
        return fork_core(
            self.folder,
            url=database_url(self.folder),
            seed=self.seed,
            now=now,
            die_at=None,
            wrap_os=False,
            watch=watch,
            checkpoint_pages=CHECKPOINT_PAGES,
        )

    def _trace(self) -> Path:
        return self.folder.with_suffix(f".trace-{self._life}")

    def power_is_back(self) -> dict[str, Any]:
        """Look at what each loss would have left, then leave what this cut's did. Gives what is committed there."""
        cut = self.cuts[self._life]
        assert self._before is not None
        disk = self._before.replay(self._trace().read_text(encoding="ascii"))
        self._trace().unlink()
        name = f"{cut.call} {cut.number}"
        for loss in LOSSES:
            tried = self.folder.with_suffix(".tried")
            disk.leave(tried, loss, name)
            self.faults += [f"{name}, {loss}: {fault}" for fault in _faults_of(tried, disk)]
            self.looked_at += 1
            shutil.rmtree(tried)
        disk.leave(self.folder, cut.loss, name)
        return kept_now(self.folder)

    def run(self, undisturbed: Undisturbed) -> Outcome:
        """The day with its cuts, judged: every fault of every disk that a cut could have left, and of the day's end."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        told = World(self.folder, self.start, look_at_what_is_left=self.power_is_back).run()
        outcome = judged(self.folder, self.seed, told, undisturbed, judge_again=False)
        outcome.faults[:0] = self.faults
        return outcome


def _faults_of(folder: Path, disk: Disk) -> list[str]:
    """What was shown is there, and the database is whole. What the bridges were told is looked at when it goes on."""
    try:
        left = kept_now(folder)
    except sqlite3.DatabaseError as damage:
        return [f"the database cannot be read: {damage}"]
    found = [] if left["sound"] == ["ok"] else [f"the database was damaged: {left['sound'][:3]}"]
    if disk.shown:
        seq, digest = disk.shown[-1]
        if left["head"] is None or left["head"][0] < seq:
            found.append(f"entry {seq} was shown and is lost: the log ends at {left['head']}")
        elif _hash_at(folder, seq) != digest:
            found.append(f"entry {seq} was shown and is another one now")
    return found


def _hash_at(folder: Path, seq: int) -> str | None:
    base = sqlite3.connect(folder / "core.db")
    try:
        row = base.execute("SELECT hash FROM log_entries WHERE seq = ?", (seq,)).fetchone()
    finally:
        base.close()
    return None if row is None else str(row[0])


def _everything_written(into: Path) -> list[str]:
    return ["-y", "-xx", "-s", str(1 << 24), "-e", f"trace={_CALLS}", "-o", str(into)]


def count_of(folder: Path, seed: str) -> dict[str, int]:
    """How many calls of each kind an undisturbed day makes on this core's own files."""
    counted = folder.with_suffix(".counted")

    def start(now: int, _life: int) -> CoreLine:
        watch = tracing(["-e", f"trace={','.join(SYNCS + NAMES)}", "-o", str(counted)])
        said: dict[str, Any] = {"die_at": None, "wrap_os": False, "checkpoint_pages": CHECKPOINT_PAGES}
        return fork_core(folder, url=database_url(folder), seed=seed, now=now, watch=watch, **said)

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    World(folder, start).run()
    text = counted.read_text(encoding="utf-8")
    return {call: len(re.findall(rf"^\d+ +{call}\(", text, re.MULTILINE)) for call in SYNCS + NAMES}
