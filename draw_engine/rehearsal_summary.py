"""What a rehearsal tells the promotions manager: `summary.json` (floor-events, "A floor for rehearsal")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from draw_engine.draw_state import FILLED
from draw_engine.rehearsal import Told
from draw_engine.service.engine import Engine, OpenDraw


def summary(
    engine: Engine, draws: Sequence[OpenDraw], told: Told, *, longest_queue: int, seed: str | None
) -> dict[str, Any]:
    """Winners by tier, zone and kind; attempts; no-shows; prizes against the plan; repeat wins; postponed moments.

    `seed` is given when none was asked for, so that the rehearsal can be repeated. `postponed` counts tries by reason,
    those of re-selections too; `postponed_moments` each moment once, however often it was tried again.
    """
    return {
        "draws": {draw.plan.id: _of_draw(engine, draw) for draw in draws},
        "winners": _winners(engine, draws),
        "repeat_wins": _repeat_wins(draws),
        "longest_crew_queue": longest_queue,
        "events": {"heard": told.events, "repeats": told.repeats, "refused": dict(sorted(told.refused.items()))},
        "house_seed": seed,
    }


def _of_draw(engine: Engine, draw: OpenDraw) -> dict[str, Any]:
    outcomes = Counter(claim.outcome or "" for claim in draw.state.claims)
    paid = sum(claim.prize or 0 for claim in draw.state.claims)
    lapses = Counter(place.lapse for place in draw.state.places.values() if place.lapse)
    put_off = [entry.data for entry in engine.store.entries_of(draw.state.id) if entry.kind == "selection.postponed"]
    prize = draw.plan.prize
    return {
        "draw": draw.state.id,
        "awards": len(draw.state.places),
        "filled": sum(outcomes[outcome] for outcome in FILLED),
        "attempts": len(draw.state.selections),
        "outcomes": dict(sorted(outcomes.items())),
        "no_shows": outcomes["expired"] + outcomes["held"],
        "lapsed": dict(sorted(lapses.items())),
        "postponed_moments": len({data["moment"] for data in put_off if data["moment"] is not None}),
        "postponed": dict(sorted(Counter(data["reason"] for data in put_off).items())),
        "prizes": {
            "paid": paid,
            "planned_least": prize.min * len(draw.state.places),
            "planned_most": prize.max * len(draw.state.places),
        },
        "pool_sizes": {
            "least": min((pool.size for pool in draw.state.pools), default=0),
            "most": max((pool.size for pool in draw.state.pools), default=0),
        },
    }


def _winning_rows(draw: OpenDraw) -> list[Any]:
    return [draw.rows[claim.ordinal] for claim in draw.state.claims if claim.outcome in FILLED]


def _winners(engine: Engine, draws: Sequence[OpenDraw]) -> dict[str, dict[str, int]]:
    tiers: Counter[str] = Counter()
    zones: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for draw in draws:
        for row in _winning_rows(draw):
            lists = engine.lists.at(row.made_at)
            member = lists.members.get(row.member)
            where = lists.positions[row.position.partition("/")[0]]
            tiers[member.tier if member else "none"] += 1
            zones[where.zone] += 1
            kinds[where.kind] += 1
    return {
        name: dict(sorted(counted.items())) for name, counted in (("tier", tiers), ("zone", zones), ("kind", kinds))
    }


def _repeat_wins(draws: Sequence[OpenDraw]) -> int:
    wins = Counter(row.person for draw in draws for row in _winning_rows(draw))
    return sum(1 for count in wins.values() if count > 1)
