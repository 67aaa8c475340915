"""What a rehearsal's records say to whoever has to lock the book: winners, empty pools, prizes, the crew's load.

Read from the records alone, so that the figures are what anybody would find who opens them. Whole numbers and texts
only: their SHA-256 goes into the log.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from draw_engine.canonical import parse_time
from draw_engine.verify import verify
from draw_engine.verify.report import HOLDS

_MINUTE = 60_000
_EMPTY = "empty_pool"


def figures(out: Path, told: Mapping[str, Any], *, day: str, floor: str, crews: int) -> dict[str, Any]:
    """The figures of the rehearsal in the folder `out`; `told` is its summary. Each record is verified.

    `draws` by id: awards, filled, attempts, no_shows, lapsed and postponed [[reason, n]], `empty_moments` (tries that
    found nobody), `pool` {least, least_at, most}, prizes in cents, `load`: the most claims that ran at once in each
    minute from the session's start, `over`: the minutes with more of them than crews.
    """
    winners = told["winners"]
    return {
        "day": day,
        "floor": floor,
        "crews": crews,
        "draws": {name: _of_draw(out / name, draw, crews) for name, draw in told["draws"].items()},
        "winners": {kind: [[name, count] for name, count in sorted(winners[kind].items())] for kind in winners},
        "repeat_wins": told["repeat_wins"],
        "longest_crew_queue": told["longest_crew_queue"],
        "events": told["events"]["heard"],
        "events_refused": sum(told["events"]["refused"].values()),
    }


def _of_draw(folder: Path, told: Mapping[str, Any], crews: int) -> dict[str, Any]:
    record = json.loads((folder / "record.json").read_bytes())
    start = parse_time(record["terms"]["moments"]["start"])
    load = crew_load([_span(claim) for claim in record["claims"]], start)
    report = verify(folder)
    return {
        "title": record["terms"]["title"],
        "start": start,
        "awards": told["awards"],
        "filled": told["filled"],
        "attempts": told["attempts"],
        "no_shows": told["no_shows"],
        "lapsed": [[reason, count] for reason, count in sorted(told["lapsed"].items())],
        "postponed": [[reason, count] for reason, count in sorted(told["postponed"].items())],
        "empty_moments": _empty_moments(record["log"]),
        "pool": _pool(record["pools"]),
        "prizes": dict(told["prizes"]),
        "load": load,
        "over": sum(1 for claims in load if claims > crews),
        "verified": report.exit_code == HOLDS,
        "verdict": report.verdict,
    }


def _span(claim: Mapping[str, Any]) -> tuple[int, int]:
    return parse_time(claim["opened_at"]), parse_time(claim["ended_at"])


def crew_load(spans: Sequence[tuple[int, int]], start: int) -> list[int]:
    """The most claims that ran at once in each minute from `start`; a claim runs from its opening to before its end.

    A claim without a length counts in none. The list ends with the last claim.
    """
    most: Counter[int] = Counter()
    running = 0
    steps = sorted([*((first, 1) for first, last in spans), *((last, -1) for first, last in spans)])
    for n, (at, step) in enumerate(steps):
        running += step
        until = steps[n + 1][0] if n + 1 < len(steps) else at
        if until > at:
            for minute in range((at - start) // _MINUTE, (until - 1 - start) // _MINUTE + 1):
                most[minute] = max(most[minute], running)
    last = max((minute for minute, claims in most.items() if claims), default=-1)
    return [most[minute] for minute in range(last + 1)]


def _empty_moments(log: Iterable[Mapping[str, Any]]) -> int:
    """How many selections found nobody at least once: each place's moment, or the failure it follows, counts once."""
    found = {
        (entry["data"]["place"], entry["data"]["moment"], entry["data"]["after"])
        for entry in log
        if entry["kind"] == "selection.postponed" and entry["data"]["reason"] == _EMPTY
    }
    return len(found)


def _pool(pools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if not pools:
        return {"least": 0, "least_at": None, "most": 0}
    least = min(pools, key=lambda pool: int(pool["size"]))
    return {
        "least": least["size"],
        "least_at": parse_time(least["frozen_at"]),
        "most": max(int(pool["size"]) for pool in pools),
    }
