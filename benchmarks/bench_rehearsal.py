"""Rehearsing a whole Saturday: 400 members, 168 positions, some 120,000 events, both sessions of the published rule
book; then verifying both records: `python benchmarks/bench_rehearsal.py [ROUNDS]`. Goal: under 10 s on two cores.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from datetime import date
from pathlib import Path
from time import perf_counter

from draw_engine.verify import verify
from draw_engine.verify.report import HOLDS
from floor_bridge.event_form import parse_time
from floor_bridge.floor_files import write_floor
from floor_bridge.floor_spec import REHEARSAL
from kiosk.rehearsal.rehearse import RehearsalOrder, rehearse

BOOK = Path(__file__).parent.parent / "config" / "rule_books" / "silverstar-playtime.toml"
START, END = parse_time("2023-10-07T11:30:00.000Z"), parse_time("2023-10-07T18:30:00.000Z")
GOAL_SECONDS = 10


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = write_floor(folder / "floor", REHEARSAL, 20231007, START, END)
        order = RehearsalOrder(rules=BOOK.read_bytes(), day=date(2023, 10, 7), floor=folder / "floor", seed=b"s" * 32)
        rehearsing, verifying = [], []
        for n in range(rounds):
            out = folder / f"out-{n}"
            begun = perf_counter()
            summary = rehearse(order, out)
            rehearsing.append(perf_counter() - begun)
            begun = perf_counter()
            assert all(verify(out / plan).exit_code == HOLDS for plan in summary["draws"])
            verifying.append(perf_counter() - begun)
    filled = {plan: f"{told['filled']} of {told['awards']}" for plan, told in summary["draws"].items()}
    print(f"{count:,} events recorded, {summary['events']['heard']:,} heard; filled: {filled}")
    median = statistics.median(rehearsing)
    span = f"({min(rehearsing):.2f} to {max(rehearsing):.2f})"
    print(f"rehearsing: median {median:.2f} s {span}; goal: under {GOAL_SECONDS}")
    print(f"            {summary['events']['heard'] / median:,.0f} events/s")
    print(f"verifying both records: median {statistics.median(verifying):.2f} s")


if __name__ == "__main__":
    main()
