"""The floors a book can be rehearsed on: days the core has recorded, folders put there by hand, made floors.

A recorded day may be played on another day of the book: every time is moved by whole days, lists and numbers stay.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from draw_engine import calendar
from draw_engine.canonical import format_time, parse_time
from draw_engine.errors import Refused
from draw_engine.event_lines import read_journal
from draw_engine.rule_book import RuleBook
from floor_bridge.floor_files import write_floor
from floor_bridge.floor_spec import SPECS

_SEGMENT = re.compile(r"(\d{4}-\d{2}-\d{2})-\d+")
_FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}")
_BEFORE, _AFTER = 2 * 60_000, 3 * 60_000
"""A made floor is open from this long before the first draw opens until this long after the last one ends."""
_TIMES = ("opened_at", "last_play_at")


@dataclass(frozen=True, slots=True)
class OfferedFloor:
    """A floor to rehearse on. `id` as it is asked for: `day:2023-10-07-1`, `folder:NAME`, `made:rehearsal`."""

    id: str
    day: date | None = None
    bytes: int = 0

    @property
    def kind(self) -> str:
        return self.id.partition(":")[0]

    @property
    def name(self) -> str:
        return self.id.partition(":")[2]


def offered(journal_dir: Path, floors_dir: Path) -> list[OfferedFloor]:
    """Every floor there is: recorded days, newest first; folders with events; made floors, the small one first."""
    days = [OfferedFloor(f"day:{name}", date.fromisoformat(name[:10]), size) for name, size in _segments(journal_dir)]
    folders = [
        OfferedFloor(f"folder:{folder.name}")
        for folder in (sorted(floors_dir.iterdir()) if floors_dir.is_dir() else [])
        if _FOLDER.fullmatch(folder.name) and any(folder.glob("events.jsonl*"))
    ]
    made = [OfferedFloor(f"made:{name}") for name in sorted(SPECS, key=lambda name: SPECS[name].guests)]
    return [*days, *folders, *made]


def _segments(journal_dir: Path) -> list[tuple[str, int]]:
    found = {}
    for file in journal_dir.glob("*.jsonl*") if journal_dir.is_dir() else []:
        name = file.name.partition(".jsonl")[0]
        if file.name in {f"{name}.jsonl", f"{name}.jsonl.gz"} and _SEGMENT.fullmatch(name) and file.stat().st_size:
            found[name] = file.stat().st_size
    return sorted(found.items(), reverse=True)


def asked_floor(floors: list[OfferedFloor], asked: str) -> OfferedFloor:
    """The floor of that id among those offered. Raises Refused X_NO_SUCH_FLOOR."""
    for floor in floors:
        if floor.id == asked:
            return floor
    raise Refused("X_NO_SUCH_FLOOR", "That floor is not there any more. Pick one from the list.")


def prepare(book: RuleBook, day: date, asked: Mapping[str, Any], folder: Path) -> Path:
    """Make the asked floor ready in `folder` and say where it lies. Raises Refused.

    `asked`: {kind, name, path, lists}; `path` of a recorded day's journal file or of a floor's folder, `lists` the
    lists' CSV by kind for a recorded day.
    """
    if asked["kind"] == "folder":
        return Path(asked["path"])
    if asked["kind"] == "made":
        opens = min(calendar.opens_at(book, plan, day) for plan in book.draws)
        ends = max(calendar.session_bounds(book, plan, day)[1] for plan in book.draws)
        write_floor(folder, SPECS[asked["name"]], "rehearsal", opens - _BEFORE, ends + _AFTER)
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    for kind, content in asked["lists"].items():
        (folder / f"{kind}.csv").write_text(content, encoding="utf-8")
    recorded = date.fromisoformat(asked["name"][:10])
    began, begins = (calendar.instant(book.zone, each, book.day_starts_at) for each in (recorded, day))
    with (folder / "events.jsonl").open("w", encoding="utf-8") as file:
        for event in moved(_recorded(Path(asked["path"])), begins - began):
            file.write(json.dumps(event, separators=(",", ":")) + "\n")
    return folder


def _recorded(file: Path) -> Iterator[dict[str, Any]]:
    """The events of a journal segment, up to its last whole line: the core may be writing on."""
    data = file.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    for event, _ in read_journal(data[: data.rfind(b"\n") + 1]):
        yield event


def moved(events: Iterator[dict[str, Any]], by_ms: int) -> Iterator[dict[str, Any]]:
    """The events with every time moved; their numbers stay."""
    for event in events:
        told = {**event, "at": _moved(event["at"], by_ms)}
        if event["kind"] == "snapshot":
            told["sessions"] = [
                {**one, **{name: _moved(one[name], by_ms) for name in _TIMES if one.get(name) is not None}}
                for one in event["sessions"]
            ]
        yield told


def _moved(text: str, by_ms: int) -> str:
    return format_time(parse_time(text) + by_ms)
