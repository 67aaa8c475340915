"""Kill the core of a day of two sessions, over and over, and count what was lost, doubled or changed (R1, R2, R7).

    python benchmarks/kill_runs.py --runs 1000 --seed 1

Named points: each run dies at a random point of the day, mostly again in the recovery, and stays dead for nothing,
within the lateness, or for minutes. Calls: `strace` kills the core at every pwrite64 and fdatasync of the day, and
fails every fdatasync once. Lock: another process holds the database for 30 s of real time. Paying: core and printer's
spool are killed while six guests are paid, the core at points of its transactions. Exit 1 when any run is bad.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random  # noqa: TID251 - a seeded choice of where to kill; nothing of the engine's is drawn from it

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "integration"))

from crash.locked_for import locked_for
from crash.runs import Deaths, Outcome, Undisturbed, quick_folder
from crash.traced import CALLS, FAILS, KILLS, count_of_calls, traced_lives, why_not
from paying_runs import disturbed, prepare

DOWNTIMES = (0, 0, 0, 700, 1_900, 180_000, 720_000)
DAYS = 10
RESTART_SECONDS = 2.0


class Tally:
    """Counts runs, deaths and faults, and says each bad run as it comes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.runs = self.deaths = self.outages = 0
        self.bad: list[str] = []
        self.restarts: list[float] = []
        self._begun = time.perf_counter()

    def note(self, what: str, run: Callable[[], Outcome]) -> None:
        self.runs += 1
        if self.runs % 100 == 0:
            print(f"  {self.name}: {self.runs} runs, {len(self.bad)} bad", file=sys.stderr, flush=True)
        try:
            outcome = run()
        except Exception as fault:  # noqa: BLE001 - one bad run must not hide the others
            outcome = Outcome([f"{type(fault).__name__}: {fault}"], 0)
        self.deaths += outcome.deaths
        self.outages += outcome.outages
        self.restarts += outcome.restart_seconds
        if outcome.faults:
            self.bad.append(what)
            print(f"BAD {self.name}: {what}: {outcome.faults[:3]}", flush=True)

    def say(self) -> None:
        took = time.perf_counter() - self._begun
        slowest = f", slowest start again {max(self.restarts):.2f} s" if self.restarts else ""
        print(
            f"{self.name}: {self.runs} runs, {self.deaths} deaths, {self.outages} selections put off by an outage, "
            f"{len(self.bad)} bad{slowest} ({took:.0f} s)",
            flush=True,
        )


def named_points(folder: Path, runs: int, seed: int) -> Tally:
    """`runs` runs over ten days of different seeds; every name at least once where there are enough runs."""
    tally = Tally("named points")
    chance = Random(seed)
    names: Counter[str] = Counter()
    for day in range(DAYS):
        undisturbed = Undisturbed(folder / "undisturbed", f"{seed}-{day}")
        for point in _points(undisturbed, -(-runs // DAYS), day, chance):
            names[undisturbed.points[point - 1]] += 1
            again = [chance.randrange(1, 60) for _ in range(chance.choice((0, 1, 1, 1, 2)))]
            deaths = Deaths((point, *again), chance.choice(DOWNTIMES))
            what = f"seed {undisturbed.seed}, {deaths}, first at {undisturbed.points[point - 1]}"
            tally.note(what, partial(undisturbed.disturb, folder / "disturbed", deaths))
    tally.say()
    print(f"  first deaths at {len(names)} different points, the rarest {min(names.values())} times")
    return tally


def _points(day: Undisturbed, count: int, number: int, chance: Random) -> Iterator[int]:
    """Points of one day: its share of the distinct ones, then any."""
    distinct = day.first_of_each()
    share = distinct[number::DAYS]
    for n in range(count):
        yield share[n] if n < len(share) else chance.randrange(1, len(day.points) + 1)


def syscalls(folder: Path, seed: int, step: int) -> list[Tally]:
    """Every `step`-th call of each kind kills the core; every `step`-th fdatasync fails."""
    day = Undisturbed(folder / "undisturbed", f"{seed}-calls")
    found = []
    for call, what in [*((call, KILLS) for call in CALLS), ("fdatasync", FAILS)]:
        tally = Tally(f"{call}, {what}")
        count = count_of_calls(folder / "counted", day.seed, call)
        for number in range(1, count + 1, step):
            start = traced_lives(folder / "disturbed", day.seed, call, what, number)
            tally.note(f"{call} number {number}", partial(day.disturb, folder / "disturbed", Deaths(()), start))
        tally.say()
        found.append(tally)
    return found


def paying(folder: Path, runs: int, seed: int) -> Tally:
    """Core and spool die while guests are paid: each paid once, each receipt once or a REPRINT that somebody chose."""
    tally = Tally("paying")
    prepared = prepare(folder / "prepared")
    spools = decided = 0

    def run(number: int) -> Outcome:
        nonlocal spools, decided
        paid = disturbed(prepared, folder / "paying", f"{seed}-{number}")
        spools, decided = spools + paid.spool_deaths, decided + paid.decided
        return Outcome(paid.faults, paid.core_deaths)

    for number in range(runs):
        tally.note(f"seed {seed}-{number}", partial(run, number))
    tally.say()
    print(f"  {spools} deaths of the spool, {decided} slips in doubt that people decided")
    return tally


def locked(folder: Path, seconds: float) -> Tally:
    """The database held by another process for so many real seconds, over a selection's moment."""
    tally = Tally(f"database locked {seconds:.0f} s")
    tally.note("the lock", partial(locked_for, folder / "locked", seconds))
    tally.say()
    return tally


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sweep-step", type=int, default=1, help="every how manieth call; 0 leaves the calls out")
    parser.add_argument("--locked-seconds", type=float, default=30.0, help="0 leaves the lock out")
    parser.add_argument("--paying-runs", type=int, default=200)
    asked = parser.parse_args(arguments)
    folder = quick_folder(Path(tempfile.mkdtemp(prefix="floordraw-kill-")))
    try:
        tallies = [named_points(folder, asked.runs, asked.seed)] if asked.runs else []
        reason = why_not()
        if asked.sweep_step and reason is None:
            tallies += syscalls(folder, asked.seed, asked.sweep_step)
        elif reason is not None:
            print(f"calls: left out, {reason}")
        if asked.locked_seconds:
            tallies.append(locked(folder, asked.locked_seconds))
        if asked.paying_runs:
            tallies.append(paying(folder, asked.paying_runs, asked.seed))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    slow = [took for tally in tallies for took in tally.restarts if took > RESTART_SECONDS]
    bad = sum(len(tally.bad) for tally in tallies)
    print(f"{sum(tally.runs for tally in tallies)} runs, {bad} bad, {len(slow)} starts over {RESTART_SECONDS:.0f} s")
    return 1 if bad or slow else 0


if __name__ == "__main__":
    sys.exit(main())
