"""A small recorded floor for rehearsals, written by code, and what a rehearsal over it leaves."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from people_words import MEMBERS, NOBODY, POSITIONS, SIGNED_HEADER, iso, jhb
from small_book import book_toml

from draw_engine.verify import verify
from draw_engine.verify.report import HOLDS
from kiosk.rehearsal.rehearse import RehearsalOrder, rehearse

Event = dict[str, Any]

DAY = date(2023, 10, 7)
SEED = b"s" * 32
EXTRA = 24
"""Further guests, each at a machine of their own: M-00 to M-23."""


def members() -> str:
    tiers = ("Black", "Platinum", "Gold", "Silver")
    rows = (f"5{n:05d},Guest{n},Nobody{n},{tiers[n % 4]},1980-01-01,,,\n" for n in range(EXTRA))
    return MEMBERS + "".join(rows)


def positions(*, feeds: bool = True) -> str:
    """positions.csv; without `feeds` it does not say which feed a position belongs to."""
    rows = POSITIONS + "".join(f"M-{n:02d},slot,{'SMOKING' if n % 3 else 'MAIN'},,,slots-1\n" for n in range(EXTRA))
    return rows if feeds else rows.replace(",slots-1\n", ",\n").replace(",tables-1\n", ",\n")


def events(start: str = "13:40", end: str = "14:45", third_feed_until: str | None = None) -> list[Event]:
    """Everybody sits down at `start` and plays every 20 s; the table's guest stays. Numbered by feed."""
    told: list[Event] = []
    seq: dict[str, int] = {}

    def tell(at: int, feed: str, kind: str, **more: Any) -> None:
        seq[feed] = seq.get(feed, 0) + 1
        told.append({"feed": feed, "seq": seq[feed], "at": iso(at), "kind": kind, **more})

    first, last = jhb(start), jhb(end)
    guests = [(f"5{n:05d}", f"M-{n:02d}") for n in range(EXTRA)]
    guests += [("100001", "S-0412"), ("200001", "S-0500"), ("100002", "S-0088")]
    for n, (member, position) in enumerate(guests):
        tell(first + n * 700, "slots-1", "card_in", position=position, member=member, card=f"70{member}")
    tell(first, "tables-1", "rating_opened", position="BJ-03", seat="4", member="100003", average_bet=10_000)
    for at in range(first + 20_000, last, 20_000):
        for n, (_, position) in enumerate(guests):
            tell(at + n * 613, "slots-1", "played", position=position, games=2, coin_in=1_000)
        tell(at, "tables-1", "heartbeat")
        if third_feed_until is not None and at <= jhb(third_feed_until):
            tell(at, "bingo-1", "heartbeat")
    return told


def write(
    folder: Path,
    told: Iterable[Event],
    *,
    feeds: bool = True,
    gzipped: bool = False,
    name: str = "events.jsonl",
    lists: Mapping[str, str | None] | None = None,
) -> Path:
    """The folder of a floor; `lists` replaces some (None: no such file)."""
    folder.mkdir(parents=True, exist_ok=True)
    usual: dict[str, str | None] = {
        "members": members(),
        "positions": positions(feeds=feeds),
        "exclusions": NOBODY,
        "staff": NOBODY,
        "register": SIGNED_HEADER,
    }
    for kind, content in (usual | dict(lists or {})).items():
        if content is not None:
            (folder / f"{kind}.csv").write_text(content, encoding="utf-8")
    data = b"".join(json.dumps(event).encode() + b"\n" for event in told)
    (folder / name).write_bytes(gzip.compress(data) if gzipped else data)
    return folder


class Played:
    """What a rehearsal left: its folders' bytes, records and summary."""

    def __init__(self, out: Path) -> None:
        self.bytes = {
            str(file.relative_to(out)): file.read_bytes() for file in sorted(out.rglob("*")) if file.is_file()
        }
        self.records = {file.parent.name: json.loads(file.read_bytes()) for file in sorted(out.glob("*/record.json"))}
        self.summary = json.loads((out / "summary.json").read_bytes())
        for folder in self.records:
            report = verify(out / folder)
            assert report.exit_code == HOLDS, "\n".join(report.lines())

    def log(self, plan: str, *kinds: str) -> list[dict[str, Any]]:
        record = self.records[plan]
        return [e for e in record["log"] if e["draw"] == record["terms"]["draw"] and e["kind"] in kinds]


def rehearsed(floor: Path, out: Path, **changed: Any) -> Played:
    """Rehearses the small book over a floor, or what is named instead; everything written is verified."""
    order: dict[str, Any] = {"rules": book_toml(), "day": DAY, "floor": floor, "seed": SEED} | changed
    rehearse(RehearsalOrder(**order), out)
    return Played(out)
