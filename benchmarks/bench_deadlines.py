"""A hundred claims whose time is up at once, with two busy threads: the core against APScheduler's memory store with
`misfire_grace_time=None`, in the same run, alternating: `python benchmarks/bench_deadlines.py [ROUNDS]`.

Lateness is from the deadline's grace (ours) or the run date (the peer's) to the moment it is done: ours is in the
database by then, the peer's job has merely begun. Goal: p99 at most 0.10 of the peer's, and every one of them fired.

And once more of ours with every worker of its APScheduler held up and thirty other commands that come in just before
the deadlines (R5): at most 250 ms after the grace. The peer's own jobs would not run at all then.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from apscheduler.schedulers.background import BackgroundScheduler

from draw_engine.clock import SteadyClock
from draw_engine.service import envelopes, expiry
from draw_engine.store.tables import utc
from kiosk.core import Core

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "integration"))

from casino import Casino, Session, book_toml, jhb, seat_everybody  # found through the path above

CLAIMS, BUSY, AHEAD_SECONDS = 100, 2, 2.0
OTHERS = 30


@contextmanager
def busy_threads() -> Iterator[None]:
    """Two threads that compute in Python for as long as it takes: the load is the interpreter's lock."""
    stop = threading.Event()

    def compute() -> None:
        n = 0
        while not stop.is_set():
            n = (n * 31 + 7) % 1_000_003

    threads = [threading.Thread(target=compute, daemon=True) for _ in range(BUSY)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()


@contextmanager
def held_up(core: Core) -> Iterator[None]:
    """Every worker of the core's APScheduler waits, and other commands queue up just before the deadlines."""
    stop = threading.Event()
    scheduler = core._alarms._scheduler  # noqa: SLF001 - nothing of the product's holds it up
    for n in range(4):  # it has one worker
        scheduler.add_job(stop.wait, id=f"held-{n}")

    def comes_in() -> None:
        stop.wait(AHEAD_SECONDS - 0.02)
        counted = {"amounts": {75_000: 1}, "by": "nomvula", "second": "themba"}
        core.ask(lambda engine: envelopes.count_batch(engine, now=engine.now(), **counted))

    others = [threading.Thread(target=comes_in, daemon=True) for _ in range(OTHERS)]
    for other in others:
        other.start()
    try:
        yield
    finally:
        stop.set()


def ours(*, held: bool = False) -> list[float]:
    """Lateness of each expiry in ms."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        book = book_toml(Session("first", "14:00", "14:10", awards=CLAIMS), quota=CLAIMS)
        casino = Casino(f"sqlite:///{folder / 'state.db'}", folder, book=book, now="13:59")
        casino.load_lists()
        seat_everybody(casino)
        casino.at("14:10")
        for claim in casino.draw().state.claims:
            casino.announce(ordinal=claim.ordinal)
        due = max(claim.deadline_at or 0 for claim in casino.draw().state.claims) + expiry.GRACE_MS
        assert due == min(claim.deadline_at or 0 for claim in casino.draw().state.claims) + expiry.GRACE_MS
        assert casino.clock.now() == jhb("14:10")
        clock = SteadyClock(due - round(1000 * AHEAD_SECONDS) - SteadyClock().now())
        casino.engine.clock = clock
        late: list[float] = []
        done = threading.Event()

        def saw(entries: object) -> None:
            late.extend([clock.now() - due for e in entries if e.kind == "claim.expired"])  # type: ignore[attr-defined]
            if len(late) >= CLAIMS:
                done.set()

        core = Core(lambda: casino.engine, clock=clock, version="bench", on_broken=done.set)
        core.stage.always = True
        core.start()
        casino.engine.listeners.append(saw)
        with busy_threads(), held_up(core) if held else nullcontext():
            done.wait(30)
        core.stop()
        casino.close()
    return late


def peer() -> list[float]:
    """Lateness of each APScheduler job in ms."""
    scheduler = BackgroundScheduler(timezone="UTC", job_defaults={"misfire_grace_time": None})
    due = SteadyClock().now() + round(1000 * AHEAD_SECONDS)
    clock = SteadyClock()
    late: list[float] = []
    for n in range(CLAIMS):
        scheduler.add_job(lambda: late.append(float(clock.now() - due)), "date", run_date=utc(due), id=str(n))
    scheduler.start()
    with busy_threads():
        until = time.monotonic() + 30
        while len(late) < CLAIMS and time.monotonic() < until:
            time.sleep(0.05)
    scheduler.shutdown(wait=False)
    return late


def p99(late: list[float]) -> float:
    return sorted(late)[max(0, round(0.99 * len(late)) - 1)]


def measured(which: str) -> float:
    """The p99 of one round in a process of its own; says so when some never fired."""
    run = subprocess.run([sys.executable, __file__, which], capture_output=True, text=True, check=True)
    fired, value = run.stdout.split()
    if int(fired) != CLAIMS:
        print(f"{which}: only {fired} of {CLAIMS} fired")
    return float(value)


def main(rounds: int) -> None:
    mine, peers, held = [], [], []
    for n in range(rounds):
        mine.append(measured("ours"))
        peers.append(measured("peer"))
        held.append(measured("held"))
        print(
            f"round {n + 1}: ours p99 {mine[-1]:.0f} ms, APScheduler p99 {peers[-1]:.0f} ms, "
            f"ours held up p99 {held[-1]:.0f} ms",
            flush=True,
        )
    ours_median, peer_median = statistics.median(mine), statistics.median(peers)
    print(f"ours  median {ours_median:.0f} ms ({min(mine):.0f} to {max(mine):.0f})")
    print(f"peer  median {peer_median:.0f} ms ({min(peers):.0f} to {max(peers):.0f})")
    print(f"held  median {statistics.median(held):.0f} ms ({min(held):.0f} to {max(held):.0f}; goal 250)")
    print(f"load  {os.getloadavg()[0]:.1f} in the last minute, {os.cpu_count()} cores")
    print(f"ratio {ours_median / peer_median:.3f} (goal 0.10)")


if __name__ == "__main__":
    if sys.argv[1:] in (["ours"], ["peer"], ["held"]):
        found = peer() if sys.argv[1] == "peer" else ours(held=sys.argv[1] == "held")
        print(len(found), p99(found))
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 5)
