"""What a made casino floor is like: sizes, shares and habits. Times in milliseconds, money in cents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE

SLOTS_FEED, TABLES_FEED = "slots-1", "tables-1"
FEEDS = (SLOTS_FEED, TABLES_FEED)


@dataclass(frozen=True, slots=True)
class ZoneSpec:
    """One zone: its machines and tables, how many times the usual stake is played there, who is let in (all = ())."""

    name: str
    slots: int
    tables: int
    stake: int = 1
    tiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TierSpec:
    """One tier: its share of the members, and how much more often than others they are on the floor."""

    name: str
    share: float
    comes: float


@dataclass(frozen=True, slots=True)
class Habits:
    """How guests behave. Means are of times without memory; probabilities are for each occasion."""

    play_every: tuple[int, int] = (5 * SECOND, 9 * SECOND)
    stint_least: int = 6 * MINUTE
    stint_mean: int = 36 * MINUTE
    visit_least: int = 40 * MINUTE
    visit_mean: int = 70 * MINUTE
    between_stints: int = 150 * SECOND
    pause: float = 0.012
    pause_mean: int = 100 * SECOND
    forgets_card: float = 0.06
    card_out_after: tuple[int, int] = (12 * MINUTE, 25 * MINUTE)
    second_machine: float = 0.05
    plays_tables: float = 0.18
    rating_look_every: tuple[int, int] = (4 * MINUTE, 12 * MINUTE)
    rating_paused: float = 0.15
    rating_pause_mean: int = 4 * MINUTE
    forgets_rating: float = 0.04


@dataclass(frozen=True, slots=True)
class FloorSpec:
    """A floor's sizes: `guests` is how many places on it are kept filled; `unlisted` cards stand in no list."""

    name: str
    zones: tuple[ZoneSpec, ...]
    tiers: tuple[TierSpec, ...]
    members: int
    guests: int
    two_cards: int
    excluded: int
    staff: int
    unlisted: int
    registered: int
    habits: Habits = Habits()


_BIG_SPENDERS = ("Black", "Platinum")

CASINO = FloorSpec(
    name="casino",
    zones=(
        ZoneSpec("MAIN", slots=700, tables=32),
        ZoneSpec("SMOKING", slots=330, tables=14),
        ZoneSpec("PRIVE", slots=80, tables=8, stake=10, tiers=_BIG_SPENDERS),
        ZoneSpec("ATRIUM", slots=60, tables=0),
        ZoneSpec("POKER", slots=0, tables=6),
        ZoneSpec("TERRACE", slots=30, tables=0),
    ),
    tiers=(
        TierSpec("Black", 0.04, 6.0),
        TierSpec("Platinum", 0.12, 4.0),
        TierSpec("Gold", 0.28, 3.0),
        TierSpec("Silver", 0.30, 1.0),
        TierSpec("Basic", 0.26, 0.5),
    ),
    members=4_000,
    guests=940,
    two_cards=160,
    excluded=48,
    staff=60,
    unlisted=25,
    registered=90,
)

REHEARSAL = FloorSpec(
    name="rehearsal",
    zones=(
        ZoneSpec("MAIN", slots=92, tables=10),
        ZoneSpec("SMOKING", slots=42, tables=5),
        ZoneSpec("PRIVE", slots=12, tables=3, stake=10, tiers=_BIG_SPENDERS),
        ZoneSpec("TERRACE", slots=4, tables=0),
    ),
    tiers=(
        TierSpec("Black", 0.10, 4.0),
        TierSpec("Platinum", 0.22, 3.0),
        TierSpec("Gold", 0.42, 2.5),
        TierSpec("Silver", 0.16, 1.0),
        TierSpec("Basic", 0.10, 0.5),
    ),
    members=400,
    guests=160,
    two_cards=16,
    excluded=8,
    staff=8,
    unlisted=3,
    registered=14,
    habits=Habits(play_every=(15 * SECOND, 38 * SECOND)),
)

SPECS: Mapping[str, FloorSpec] = {spec.name: spec for spec in (CASINO, REHEARSAL)}
"""The made floors by name: `casino` (1,200 machines, 60 tables) and `rehearsal` (150 and 18)."""
