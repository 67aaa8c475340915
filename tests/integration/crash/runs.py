"""One run with its deaths, judged; and the undisturbed run it is compared with."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from crash.core_process import seeds_of
from crash.leavings import kept_on_server
from crash.verdict import Kept, faults_of
from crash.world import StartCore, Told, World, lives

from draw_engine.service.engine import moments_of


@dataclass(frozen=True)
class Deaths:
    """When a core dies: at which point of its first, second … life, and how many ms it stays dead each time."""

    points: tuple[int, ...]
    downtime: int = 0


@dataclass
class Outcome:
    """What became of a run. `faults` empty = all holds; `deaths` how many there were."""

    faults: list[str]
    deaths: int
    at_points: list[str] = field(default_factory=list)
    restart_seconds: list[float] = field(default_factory=list)
    outages: int = 0


class Undisturbed:
    """The run of a seed in which nothing happens: what every disturbed run of that seed is compared with."""

    def __init__(self, folder: Path, seed: str) -> None:
        self.seed = seed
        self.told = World(_new(folder), lives(folder, seed, [])).run()
        self.kept = Kept(folder, seed)
        self.points = self.told.reached
        self.kept_persons, self.kept_digests = self.kept.persons(), self.kept.digests()
        self.moments = {draw.plan: self._moments(draw.id) for draw in self.kept.draws}
        faults = faults_of(self.kept, self.told)
        self.kept.close()
        assert not faults, faults

    def _moments(self, draw: str) -> list[int]:
        opened = next(entry for entry in self.kept.said("draw.opened") if entry.draw == draw)
        return moments_of(opened.data, seeds_of(self.seed).house_seed(draw))

    def disturb(
        self, folder: Path, deaths: Deaths, start: StartCore | None = None, *, judge_again: bool = True
    ) -> Outcome:
        """The same seed with these deaths."""
        told = World(_new(folder), start or lives(folder, self.seed, deaths.points), downtime=deaths.downtime).run()
        return judged(folder, self.seed, told, self, judge_again=judge_again)

    def disturb_on_server(self, folder: Path, deaths: Deaths, url: str) -> Outcome:
        """The same on a database server: the record must be the same to the byte there, too."""
        core = lives(_new(folder), self.seed, deaths.points, url=url)
        left = partial(kept_on_server, url)
        told = World(folder, core, downtime=deaths.downtime, look_at_what_is_left=left).run()
        return judged(folder, self.seed, told, self, url=url, judge_again=True)

    def first_of_each(self) -> list[int]:
        """The number of the first point of every name."""
        first: dict[str, int] = {}
        for number, name in enumerate(self.points, 1):
            first.setdefault(name, number)
        return list(first.values())


def judged(
    folder: Path, seed: str, told: Told, undisturbed: Undisturbed, *, judge_again: bool, url: str | None = None
) -> Outcome:
    """The verdict on a run."""
    kept = Kept(folder, seed, url)
    try:
        faults = faults_of(kept, told, undisturbed.kept_digests, undisturbed.kept_persons, judge_again=judge_again)
        outages = sum(1 for entry in kept.said("selection.postponed") if entry.data["reason"] == "outage")
    finally:
        kept.close()
    return Outcome(faults, len(told.deaths), told.deaths, told.restart_seconds, outages)


def quick_folder(otherwise: Path) -> Path:
    """A folder in memory where there is one: a killed process leaves the same files behind there, sooner."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        return otherwise
    return Path(tempfile.mkdtemp(prefix="floordraw-kill-", dir=memory))


def _new(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
