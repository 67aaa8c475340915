"""A promotions crew that follows a script: for rehearsals, and for the demo until a person takes over.

Each thing drawn is HMAC(crew seed, "award/attempt/what"): it never touches the house seed, and two rehearsals with the
same file press the same. Source: floor-events, "A floor for rehearsal" (CREW.toml).
"""

from __future__ import annotations

import hashlib
import heapq
import hmac
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from draw_engine.errors import Refused

GRACE_MS = 250
"""A claim ends this long after its deadline (draw record, "A rehearsal")."""
_STEP = 5_000
"""Envelopes are packed in steps of R50 (cents)."""
_OUTCOMES = frozenset({"confirmed", "expired", "held", "not_rightful_card", "ineligible", "refused"})


@dataclass(frozen=True, slots=True)
class Scripted:
    """One fixed attempt of an award: what becomes of it, and after how many seconds."""

    outcome: str
    after_seconds: int


@dataclass(frozen=True, slots=True)
class CrewPlan:
    """The file CREW.toml. Probabilities from 0 to 1; times in seconds."""

    seed: str = "crew"
    crews: int = 2
    walk_seconds: tuple[int, int] = (20, 90)
    announce_seconds: int = 10
    verify_seconds: int = 20
    envelope_seconds: int = 40
    found: float = 0.8
    other_person: float = 0.03
    presents: float = 0.75
    script: Mapping[tuple[int, int], Scripted] = field(default_factory=dict)


def read_crew(data: bytes) -> CrewPlan:
    """The plan of a CREW.toml. Raises Refused (X_CREW_FILE) naming what is wrong."""
    try:
        return _plan(tomllib.loads(data.decode()))
    except (ValueError, TypeError, KeyError) as fault:
        raise Refused("X_CREW_FILE", f"The crew file cannot be used: {fault}. Mend it and start again.") from None


def _plan(table: dict[str, Any]) -> CrewPlan:
    known = set(CrewPlan.__dataclass_fields__)
    if unknown := set(table) - known:
        raise ValueError(f"unknown key {min(unknown)}")
    script = {
        (int(row["award"]), int(row["attempt"])): Scripted(_outcome(row["outcome"]), int(row.get("after_seconds", 60)))
        for row in table.pop("script", [])
    }
    if "walk_seconds" in table:
        first, last = table["walk_seconds"]
        if not 0 <= first <= last:
            raise ValueError("walk_seconds needs [min, max] with 0 <= min <= max")
        table["walk_seconds"] = (int(first), int(last))
    if int(table.get("crews", 1)) < 1:
        raise ValueError("crews must be at least 1")
    table["seed"] = str(table.get("seed", "crew"))
    return CrewPlan(**table, script=script)


def _outcome(text: str) -> str:
    if text not in _OUTCOMES:
        raise ValueError(f"outcome {text!r} is none of {', '.join(sorted(_OUTCOMES))}")
    return text


@dataclass(frozen=True, slots=True, order=True)
class Press:
    """What the crew does at an instant: `verb` is found, announce, present, or an outcome; `prize` in cents."""

    at: int
    order: int
    draw: str
    ordinal: int
    verb: str
    prize: int | None = None


class ScriptedCrew:
    """Decides what happens to each selection, as its crews come free; `next_at` and `due` give the presses."""

    def __init__(self, plan: CrewPlan, *, prize: tuple[int, int] = (50_000, 100_000), window_ms: int = 90_000) -> None:
        self.plan = plan
        self._prize = prize
        self._window_ms = window_ms
        self._free = [0] * plan.crews
        heapq.heapify(self._free)
        self._presses: list[Press] = []
        self._made = 0
        self.longest_queue = 0
        self._waiting_until: list[int] = []

    def next_at(self) -> int | None:
        return self._presses[0].at if self._presses else None

    def due(self, now: int) -> list[Press]:
        """The presses up to `now`, in order."""
        pressed = []
        while self._presses and self._presses[0].at <= now:
            pressed.append(heapq.heappop(self._presses))
        return pressed

    def selected(self, draw: str, *, ordinal: int, award: int, attempt: int, at: int) -> None:
        """A selection was made: the next free crew walks to it."""
        start = max(at, heapq.heappop(self._free))
        self._waiting_until = [until for until in self._waiting_until if until > at]
        if start > at:
            self._waiting_until.append(start)
            self.longest_queue = max(self.longest_queue, len(self._waiting_until))
        fixed = self.plan.script.get((award, attempt))
        key = f"{award}/{attempt}"
        if fixed is not None:
            free = self._by_script(draw, ordinal, key, start, fixed)
        else:
            free = self._by_chance(draw, ordinal, key, start)
        heapq.heappush(self._free, free)

    def goes_on(self, draw: str, *, ordinal: int, award: int, attempt: int, at: int) -> None:
        """A claim that was found or presented before this crew was made anew: what is left of it."""
        done = at + 1000 * (self.plan.verify_seconds + self.plan.envelope_seconds)
        self._press(done, draw, ordinal, "confirmed", self._amount(f"{award}/{attempt}"))

    def _by_chance(self, draw: str, ordinal: int, key: str, start: int) -> int:
        """Returns when this crew is free again."""
        plan = self.plan
        first, last = plan.walk_seconds
        there = start + 1000 * first + self._below(key, "walk", 1000 * (last - first) + 1)
        done = there + 1000 * (plan.verify_seconds + plan.envelope_seconds)
        chance = self._chance(key, "found")
        if chance < plan.other_person:
            self._press(there, draw, ordinal, "not_rightful_card")
            return there
        if chance < plan.other_person + plan.found * (1 - plan.other_person):
            self._press(there, draw, ordinal, "found")
            self._press(done, draw, ordinal, "confirmed", self._amount(key))
            return done
        announced = there + 1000 * plan.announce_seconds
        self._press(announced, draw, ordinal, "announce")
        if self._chance(key, "presents") < plan.presents:
            presented = announced + self._below(key, "presents after", self._window_ms + 1)
            done = presented + 1000 * (plan.verify_seconds + plan.envelope_seconds)
            self._press(presented, draw, ordinal, "present")
            self._press(done, draw, ordinal, "confirmed", self._amount(key))
        return announced

    def _by_script(self, draw: str, ordinal: int, key: str, start: int, fixed: Scripted) -> int:
        end = start + 1000 * fixed.after_seconds
        if fixed.outcome in {"confirmed", "refused"}:
            self._press(end, draw, ordinal, "found")
            self._press(end, draw, ordinal, fixed.outcome, self._amount(key) if fixed.outcome == "confirmed" else None)
        elif fixed.outcome in {"expired", "held"}:
            self._press(end, draw, ordinal, "announce")
            self._press(end + self._window_ms + GRACE_MS, draw, ordinal, fixed.outcome)
        else:
            self._press(end, draw, ordinal, fixed.outcome)
        return end

    def _press(self, at: int, draw: str, ordinal: int, verb: str, prize: int | None = None) -> None:
        heapq.heappush(self._presses, Press(at, self._made, draw, ordinal, verb, prize))
        self._made += 1

    def _draw(self, key: str, what: str) -> int:
        digest = hmac.digest(self.plan.seed.encode(), f"{key}/{what}".encode(), hashlib.sha256)
        return int.from_bytes(digest[:8], "big")

    def _chance(self, key: str, what: str) -> float:
        return self._draw(key, what) / 2**64

    def _below(self, key: str, what: str, bound: int) -> int:
        return self._draw(key, what) * bound >> 64

    def _amount(self, key: str) -> int:
        low, high = self._prize
        return low + _STEP * self._below(key, "envelope", (high - low) // _STEP + 1)
