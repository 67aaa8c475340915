"""The facts of a draw as JSON: so that a closed draw is read once, and not again at every start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from draw_engine.reports_facts import Decision, DrawFacts, Happening, PoolFact, SelectionFact


def to_json(facts: DrawFacts) -> dict[str, Any]:
    """The facts as JSON takes them; `from_json` gives the same back."""
    made = asdict(facts)
    for pool in made["pools"]:
        pool["members"] = f"{pool['members']:x}"
    return made


def from_json(value: Mapping[str, Any], same: Callable[[str], str] = str) -> DrawFacts:
    """The facts of `to_json`. `same`: gives one object for equal texts, so that many draws share their persons'."""
    made = dict(value)
    made["groups"] = tuple(tuple(names) for names in value["groups"])
    made["persons"] = tuple(same(person) for person in value["persons"])
    made["pools"] = tuple(_pool_from(pool) for pool in value["pools"])
    made["selections"] = tuple(
        SelectionFact(**{**one, "person": same(one["person"]), "groups": tuple(one["groups"])})
        for one in value["selections"]
    )
    made["decisions"] = tuple(Decision(**{**one, "by": tuple(one["by"])}) for one in value["decisions"])
    made["happenings"] = tuple(Happening(**one) for one in value["happenings"])
    return DrawFacts(**made)


def _pool_from(value: Mapping[str, Any]) -> PoolFact:
    return PoolFact(
        total=value["total"],
        shares=tuple(tuple(shares) for shares in value["shares"]),
        members=int(value["members"], 16),
        weights=None if value["weights"] is None else tuple(value["weights"]),
    )
