"""A made floor as files: the lists as CSV, and a floor for rehearsal with its recording of events."""

from __future__ import annotations

import csv
import gzip
import heapq
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import IO, Any

from floor_bridge.dice import Dice
from floor_bridge.event_form import Event, Millis, format_time, line_of, parse_time
from floor_bridge.floor_spec import FEEDS, HOUR, MINUTE, FloorSpec
from floor_bridge.made_floor import DAY, MadeFloor, make_floor
from floor_bridge.made_people import MadeExclusion
from floor_bridge.simulator import Simulator

WARM_UP = 45 * MINUTE
"""How long before it is first listened to a made floor has been open."""

_HEARTBEAT_EVERY = 10_000
_EAST = 2
"""A made floor stands in South Africa: UTC+2, the whole year."""

_REGISTER_WINDOWS = ((8, 14), (16, 18))
_EXCLUSION_COLUMNS = ("member", "category", "from", "to", "source")


def write_lists(folder: Path, spec: FloorSpec, seed: int | str, day: date = DAY) -> MadeFloor:
    """Writes members.csv, exclusions.csv, staff.csv, positions.csv and register.csv of the floor; gives the floor."""
    floor = make_floor(spec, seed, day)
    folder.mkdir(parents=True, exist_ok=True)
    _write(
        folder / "members.csv",
        ("member", "first_name", "last_name", "tier", "born", "phone", "email", "person"),
        ((m.member, m.first_name, m.last_name, m.tier, m.born, m.phone, m.email, m.person) for m in floor.members),
    )
    _write(folder / "exclusions.csv", _EXCLUSION_COLUMNS, map(_exclusion_row, floor.exclusions))
    _write(folder / "staff.csv", _EXCLUSION_COLUMNS, map(_exclusion_row, floor.staff))
    _write(
        folder / "positions.csv",
        ("position", "kind", "zone", "bank", "seats", "feed", "x", "y"),
        ((p.position, p.kind, p.zone, p.bank, p.seats, p.feed, p.x, p.y) for p in floor.positions),
    )
    _write(folder / "register.csv", ("member", "at", "phone"), _register(floor, Dice(seed, "register"), day))
    return floor


def write_floor(
    folder: Path, spec: FloorSpec, seed: int | str, start: Millis, end: Millis, *, gzipped: bool = False
) -> int:
    """Writes a floor for rehearsal: the lists, and events.jsonl(.gz) from `start` to `end`. Gives the events' number.

    Each feed's numbers start at 1, with a snapshot of what is open at `start`; a feed that has nothing to say gives
    a heartbeat every ten seconds.
    """
    if end <= start:
        raise ValueError("a floor's end must be after its start")
    floor = write_lists(folder, spec, seed, _local_day(start))
    name = "events.jsonl.gz" if gzipped else "events.jsonl"
    for old in ("events.jsonl", "events.jsonl.gz"):
        (folder / old).unlink(missing_ok=True)
    events = recorded_events(spec, seed, start, end, floor)
    with (folder / name).open("wb") as file:
        if not gzipped:
            return _write_events(file, events)
        # No name and no time in the gzip header: the same floor is the same file.
        with gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6, mtime=0) as packed:
            return _write_events(packed, events)


def recorded_events(
    spec: FloorSpec, seed: int | str, start: Millis, end: Millis, floor: MadeFloor | None = None
) -> Iterator[Event]:
    """The numbered events of a made floor from `start` to `end`, in the order of time."""
    simulator = Simulator(spec, seed, start - WARM_UP, floor)
    simulator.advance(start)
    next_seq, spoke_at = dict.fromkeys(FEEDS, 1), dict.fromkeys(FEEDS, start)

    def numbered(event: Event) -> Event:
        feed = event["feed"]
        seq, next_seq[feed] = next_seq[feed], next_seq[feed] + 1
        return {**event, "seq": seq}

    for feed in FEEDS:
        yield numbered(simulator.snapshot(feed, start))
    while simulator.now < end:
        said = simulator.advance(min(end, simulator.now + MINUTE))
        beats = [beat for feed in FEEDS for beat in _heartbeats(feed, said, spoke_at, simulator.now)]
        for event in heapq.merge(said, beats, key=lambda event: str(event["at"])):
            yield numbered(event)


def _write_events(file: IO[bytes] | gzip.GzipFile, events: Iterable[Event]) -> int:
    count = 0
    for event in events:
        file.write(line_of(event) + b"\n")
        count += 1
    return count


def _heartbeats(feed: str, said: Sequence[Event], spoke_at: dict[str, Millis], until: Millis) -> list[Event]:
    """Heartbeats for the gaps of more than ten seconds in what the feed said since it last spoke."""
    beats: list[Event] = []
    last = spoke_at[feed]
    for at in [*(parse_time(event["at"]) for event in said if event["feed"] == feed), until]:
        while at - last > _HEARTBEAT_EVERY:
            last += _HEARTBEAT_EVERY
            beats.append({"feed": feed, "at": format_time(last), "kind": "heartbeat"})
        if at < until:
            last = at
    spoke_at[feed] = last
    return beats


def _register(floor: MadeFloor, dice: Dice, day: date) -> list[tuple[str, str, str]]:
    """Members who sign the decline register on the day, in its two windows."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=_EAST)
    since = int(midnight.timestamp()) * 1_000
    rows = []
    for member in dice.sample([one for one in floor.members if not one.person], floor.spec.registered):
        first, last = dice.pick(_REGISTER_WINDOWS)
        at = since + dice.whole(first * HOUR, last * HOUR - 1) // 1_000 * 1_000
        rows.append((member.member, format_time(at), member.phone))
    return sorted(rows, key=lambda row: (row[1], row[0]))


def _local_day(at: Millis) -> date:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at, hours=_EAST)).date()


def _exclusion_row(one: MadeExclusion) -> tuple[Any, ...]:
    return (one.member, one.category, one.since, "" if one.until is None else one.until, one.source)


def _write(file: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
