"""A made casino floor: positions with their places, members, exclusions and staff, all from one seed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from floor_bridge.dice import Dice
from floor_bridge.floor_spec import SLOTS_FEED, TABLES_FEED, FloorSpec, ZoneSpec
from floor_bridge.made_people import MadeExclusion, MadeMember, make_exclusions, make_members

DAY = date(2023, 10, 7)
"""The gaming day a made floor is for unless told otherwise: the first of the published promotion."""

_BANK = 8
_TABLE_GAMES = (("BJ", 7), ("RL", 8), ("BC", 7), ("PK", 6))
_ZONE_GAP = 60


@dataclass(frozen=True, slots=True)
class MadePosition:
    """One row of positions.csv; `x`, `y` in tenths of a metre from the floor's south-west corner."""

    position: str
    kind: Literal["slot", "table"]
    zone: str
    bank: str
    seats: int
    feed: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class MadeFloor:
    """Everything a made floor is before the first guest comes in."""

    spec: FloorSpec
    positions: tuple[MadePosition, ...]
    members: tuple[MadeMember, ...]
    unlisted: tuple[MadeMember, ...]
    exclusions: tuple[MadeExclusion, ...]
    staff: tuple[MadeExclusion, ...]


def make_floor(spec: FloorSpec, seed: int | str, day: date = DAY) -> MadeFloor:
    """The floor of `spec` for `seed`: the same every time. `day` is what ages and exclusions refer to."""
    dice = Dice(seed, "people")
    members, unlisted = make_members(spec, dice, day)
    exclusions, staff = make_exclusions(spec, dice, members, day)
    return MadeFloor(spec, _positions(spec), tuple(members), tuple(unlisted), tuple(exclusions), tuple(staff))


def _positions(spec: FloorSpec) -> tuple[MadePosition, ...]:
    made: list[MadePosition] = []
    games = dict.fromkeys((game for game, _ in _TABLE_GAMES), 0)
    slot, west = 0, 0
    for zone in spec.zones:
        made += _slots(zone, slot, west)
        slot += zone.slots
        made += _tables(zone, games, west)
        west += _width(zone) + _ZONE_GAP
    return tuple(made)


def _slots(zone: ZoneSpec, before: int, west: int) -> list[MadePosition]:
    """Banks of eight, four back to back, ten banks to a column."""
    made = []
    for n in range(zone.slots):
        bank, seat = divmod(n, _BANK)
        column, row = divmod(bank, 10)
        x, y = west + column * 70 + seat % 4 * 10, 120 + row * 50 + seat // 4 * 15
        name = f"{zone.name[:2]}{bank + 1:02d}"
        made.append(MadePosition(f"S-{before + n + 1:04d}", "slot", zone.name, name, 1, SLOTS_FEED, x, y))
    return made


def _tables(zone: ZoneSpec, games: dict[str, int], west: int) -> list[MadePosition]:
    """Pits of at most eight tables along the zone's south side; the games take turns."""
    made = []
    for n in range(zone.tables):
        game, seats = _TABLE_GAMES[3 if zone.name == "POKER" else n % 3]
        games[game] += 1
        x, y = west + n // 2 * 40, 10 + n % 2 * 45
        pit = f"{zone.name[:2]}-PIT{n // 8 + 1}"
        made.append(MadePosition(f"{game}-{games[game]:02d}", "table", zone.name, pit, seats, TABLES_FEED, x, y))
    return made


def _width(zone: ZoneSpec) -> int:
    columns = -(-zone.slots // (_BANK * 10))
    return max(columns * 70, (zone.tables + 1) // 2 * 40)
