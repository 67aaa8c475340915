"""Taking events in so that they last: batches of 50 against batches of one, and against JSON lines with one fsync per
50, in the same run, alternating: `python benchmarks/bench_intake.py [ROUNDS] [--profile] [--folder DIR]`.

Measured below HTTP: `intake.take` reads, checks, journals, syncs, hears and counts. 3,000 positions on one feed.
Goals: at least 10 times the batches of one, at least 0.3 of the JSON lines. The folder's disk decides: name one on it.
"""

from __future__ import annotations

import argparse
import cProfile
import itertools
import json
import os
import pstats
import statistics
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from draw_engine.canonical import format_time
from draw_engine.clock import SetClock
from draw_engine.rule_book_toml import read
from draw_engine.seeds import SystemSeeds
from draw_engine.service import house, intake
from draw_engine.service.engine import Book, Engine, PropertySettings
from draw_engine.store.database import open_database
from draw_engine.store.journal import FileJournal
from draw_engine.store.repositories import TableStore
from draw_engine.store.sealing import MasterKey, Signer

BOOK = Path(__file__).parent.parent / "config" / "rule_books" / "silverstar-playtime.toml"
POSITIONS = 3_000
START = 1_696_658_400_000  # 7 October 2023, 08:00 in Johannesburg
IN_FIFTIES, ONE_BY_ONE, LINES = 20_000, 1_000, 20_000


def new_engine(folder: Path) -> Engine:
    seeds, toml = SystemSeeds(), BOOK.read_bytes()
    engine = Engine(
        settings=PropertySettings("silverstar", 30_000, {}, {"slots-1": ("slots",)}),
        books=[Book(read(toml), toml)],
        store=TableStore(open_database(f"sqlite:///{folder / 'state.db'}"), salt=seeds.salt, property_id="silverstar"),
        journal=FileJournal(folder / "journal", "2023-10-07-1"),
        vault=MasterKey(b"k" * 32),
        seeds=seeds,
        clock=SetClock(START),
        make_signer=Signer,
    )
    rows = "".join(f"S-{n:04d},slot,MAIN,,,slots-1\n" for n in range(POSITIONS))
    house.load_list(engine, "positions", f"position,kind,zone,bank,seats,feed\n{rows}".encode())
    return engine


Sent = list[tuple[int, bytes]]
"""Requests: when each arrives (ms), and its lines."""


def numbered() -> Iterator[dict[str, Any]]:
    """A card in at every position, then games without end; a thousand events a second by the feed's own clock."""
    for seq in itertools.count(1):
        head = {"feed": "slots-1", "seq": seq, "at": format_time(START + seq), "position": f"S-{seq % POSITIONS:04d}"}
        if seq <= POSITIONS:
            yield {**head, "kind": "card_in", "member": f"{100_000 + seq}"}
        else:
            yield {**head, "kind": "played", "games": 3, "coin_in": 1_500}


def requests(events: Iterator[dict[str, Any]], count: int, size: int) -> Sent:
    taken = list(itertools.islice(events, count))
    parts = [taken[n : n + size] for n in range(0, count, size)]
    return [(START + part[-1]["seq"], b"\n".join(json.dumps(event).encode() for event in part)) for part in parts]


def take_all(engine: Engine, sent: Sent) -> None:
    clock = engine.clock
    assert isinstance(clock, SetClock)
    for arrives, body in sent:
        clock.set(arrives)
        answer = intake.take(engine, "slots-1", body)
        assert not answer.refused
        assert not answer.repeated


def append_lines(file: Path, events: list[dict[str, Any]]) -> None:
    """The peer: each event as a JSON line, written and synced 50 at a time."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for n in range(0, len(events), 50):
        os.write(handle, b"".join(json.dumps(event).encode() + b"\n" for event in events[n : n + 50]))
        os.fsync(handle)
    os.close(handle)


def rate(work: Callable[[], None], count: int) -> float:
    begun = perf_counter()
    work()
    return count / (perf_counter() - begun)


def measure(folder: Path, rounds: int) -> None:
    engine, events = new_engine(folder), numbered()
    take_all(engine, requests(events, POSITIONS, 50))
    peer_events = list(itertools.islice(numbered(), POSITIONS + LINES))[POSITIONS:]
    rates: dict[str, list[float]] = {"in fifties": [], "one by one": [], "JSON lines": []}
    for n in range(rounds):
        ones, fifties = requests(events, ONE_BY_ONE, 1), requests(events, IN_FIFTIES, 50)
        rates["one by one"].append(rate(partial(take_all, engine, ones), ONE_BY_ONE))
        rates["in fifties"].append(rate(partial(take_all, engine, fifties), IN_FIFTIES))
        rates["JSON lines"].append(rate(partial(append_lines, folder / f"lines-{n}", peer_events), LINES))
    for name, found in rates.items():
        print(f"{name:11} median {statistics.median(found):8,.0f} events/s  ({min(found):,.0f} to {max(found):,.0f})")
    for against, goal in (("one by one", 10), ("JSON lines", 0.3)):
        ratio = statistics.median(a / b for a, b in zip(rates["in fifties"], rates[against], strict=True))
        print(f"in fifties / {against}: {ratio:.2f}  (goal: {goal} or more)")


def profile(folder: Path) -> None:
    engine, events = new_engine(folder), numbered()
    take_all(engine, requests(events, POSITIONS, 50))
    sent = requests(events, IN_FIFTIES, 50)
    profiler = cProfile.Profile()
    profiler.runcall(take_all, engine, sent)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(22)


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("rounds", nargs="?", type=int, default=5)
    asked.add_argument("--profile", action="store_true")
    asked.add_argument("--folder", type=Path, default=None)
    said = asked.parse_args()
    with tempfile.TemporaryDirectory(dir=said.folder) as name:
        folder = Path(name)
        measure(folder, said.rounds)
    if said.profile:
        with tempfile.TemporaryDirectory(dir=said.folder) as name:
            profile(Path(name))


if __name__ == "__main__":
    main()
