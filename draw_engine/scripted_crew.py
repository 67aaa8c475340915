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
from typing import Any, NamedTuple

from draw_engine.errors import Refused

GRACE_MS = 250
"""A claim ends this long after its deadline (draw record, "A rehearsal")."""
_STEP = 5_000
"""Envelopes are packed in steps of R50 (cents)."""
_REVIEWS = frozenset({"review_present", "review_absent", "review_again"})
"""Announced, nobody could press at the deadline, and two people decide `review_seconds` later (A22, A23)."""
_OUTCOMES = frozenset(
    {"confirmed", "expired", "held", "not_rightful_card", "ineligible", "refused", "voided", "reselected", *_REVIEWS}
)
"""What a script may fix. `voided` and `reselected`: two people void it; the award is given up, or selected again."""


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
    review_seconds: int = 60


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
    script = _script(table.pop("script", []))
    if "walk_seconds" in table:
        table["walk_seconds"] = _span("walk_seconds", table["walk_seconds"])
    for name in ("announce_seconds", "verify_seconds", "envelope_seconds", "review_seconds"):
        if name in table:
            _whole(name, table[name])
    if "crews" in table:
        _whole("crews", table["crews"], least=1)
    for name in ("found", "other_person", "presents"):
        if name in table and (type(table[name]) not in {int, float} or not 0 <= table[name] <= 1):
            raise ValueError(f"{name} must be a number from 0 to 1")
    if type(table.get("seed", "")) not in {str, int}:
        raise ValueError("seed must be a text")
    table["seed"] = str(table.get("seed", "crew"))
    return CrewPlan(**table, script=script)


def _script(rows: Any) -> dict[tuple[int, int], Scripted]:
    if type(rows) is not list or not all(type(row) is dict for row in rows):
        raise ValueError("script must be tables headed [[script]]")
    script: dict[tuple[int, int], Scripted] = {}
    for row in rows:
        attempt, fixed = _scripted(row)
        if attempt in script:
            raise ValueError(f"award {attempt[0]}, attempt {attempt[1]} stands in two [[script]] tables")
        script[attempt] = fixed
    return script


def _scripted(row: dict[str, Any]) -> tuple[tuple[int, int], Scripted]:
    if unknown := set(row) - {"award", "attempt", "outcome", "after_seconds"}:
        raise ValueError(f"unknown key {min(unknown)} in a [[script]]")
    if missing := {"award", "attempt", "outcome"} - set(row):
        raise ValueError(f"a [[script]] needs {min(missing)}")
    fixed = Scripted(_outcome(row["outcome"]), _whole("after_seconds", row.get("after_seconds", 60)))
    return (_whole("award", row["award"], least=1), _whole("attempt", row["attempt"], least=1)), fixed


def _whole(name: str, value: Any, *, least: int = 0) -> int:
    if type(value) is not int or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}")
    return value


def _span(name: str, value: Any) -> tuple[int, int]:
    if type(value) is not list or len(value) != 2:
        raise ValueError(f"{name} needs [min, max]")
    first, last = (_whole(name, one) for one in value)
    if first > last:
        raise ValueError(f"{name} needs [min, max] with 0 <= min <= max")
    return first, last


def _outcome(text: str) -> str:
    if text not in _OUTCOMES:
        raise ValueError(f"outcome {text!r} is none of {', '.join(sorted(_OUTCOMES))}")
    return text


@dataclass(frozen=True, slots=True, order=True)
class Press:
    """What people do at an instant: `verb` is found, announce, present, interrupted or an outcome; `prize` in cents."""

    at: int
    order: int
    draw: str
    ordinal: int
    verb: str
    prize: int | None = None


class _Walk(NamedTuple):
    """One selection a crew sees to: whose, what is drawn for it, when the crew sets out, and its draw's own terms."""

    draw: str
    ordinal: int
    key: str
    start: int
    prize: tuple[int, int]
    window_ms: int


class ScriptedCrew:
    """Decides what happens to each selection, as its crews come free; `next_at` and `due` give the presses.

    `prize` (bounds in cents) and `window_ms` hold where `selected` does not name those of the draw.
    """

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

    def selected(
        self,
        draw: str,
        *,
        ordinal: int,
        award: int,
        attempt: int,
        at: int,
        prize: tuple[int, int] | None = None,
        window_ms: int | None = None,
    ) -> None:
        """A selection was made: the next free crew walks to it."""
        start = max(at, heapq.heappop(self._free))
        self._waiting_until = [until for until in self._waiting_until if until > at]
        if start > at:
            self._waiting_until.append(start)
            self.longest_queue = max(self.longest_queue, len(self._waiting_until))
        fixed = self.plan.script.get((award, attempt))
        walk = _Walk(draw, ordinal, f"{award}/{attempt}", start, prize or self._prize, window_ms or self._window_ms)
        free = self._by_chance(walk) if fixed is None else self._by_script(walk, fixed)
        heapq.heappush(self._free, free)

    def goes_on(self, draw: str, *, ordinal: int, award: int, attempt: int, at: int) -> None:
        """A claim that was found or presented before this crew was made anew: what is left of it."""
        walk = _Walk(draw, ordinal, f"{award}/{attempt}", at, self._prize, self._window_ms)
        done = at + 1000 * (self.plan.verify_seconds + self.plan.envelope_seconds)
        self._press(done, walk, "confirmed", self._amount(walk))

    def _by_chance(self, walk: _Walk) -> int:
        """Returns when this crew is free again."""
        plan, key = self.plan, walk.key
        first, last = plan.walk_seconds
        there = walk.start + 1000 * first + self._below(key, "walk", 1000 * (last - first) + 1)
        done = there + 1000 * (plan.verify_seconds + plan.envelope_seconds)
        chance = self._chance(key, "found")
        if chance < plan.other_person:
            self._press(there, walk, "not_rightful_card")
            return there
        if chance < plan.other_person + plan.found * (1 - plan.other_person):
            self._press(there, walk, "found")
            self._press(done, walk, "confirmed", self._amount(walk))
            return done
        announced = there + 1000 * plan.announce_seconds
        self._press(announced, walk, "announce")
        if self._chance(key, "presents") < plan.presents:
            presented = announced + self._below(key, "presents after", walk.window_ms + 1)
            done = presented + 1000 * (plan.verify_seconds + plan.envelope_seconds)
            self._press(presented, walk, "present")
            self._press(done, walk, "confirmed", self._amount(walk))
        return announced

    def _by_script(self, walk: _Walk, fixed: Scripted) -> int:
        end = walk.start + 1000 * fixed.after_seconds
        if fixed.outcome in {"confirmed", "refused"}:
            self._press(end, walk, "found")
            self._press(end, walk, fixed.outcome, self._amount(walk) if fixed.outcome == "confirmed" else None)
        elif fixed.outcome in {"expired", "held"}:
            self._press(end, walk, "announce")
            self._press(end + walk.window_ms + GRACE_MS, walk, fixed.outcome)
        elif fixed.outcome in _REVIEWS:
            self._reviewed(end, walk, fixed.outcome)
        else:
            self._press(end, walk, fixed.outcome)
        return end

    def _reviewed(self, announced: int, walk: _Walk, decision: str) -> None:
        """Absent, it is over; present, the guest is paid; announced again, the guest comes half way through."""
        decided = announced + walk.window_ms + GRACE_MS + 1000 * self.plan.review_seconds
        self._press(announced, walk, "announce")
        self._press(announced + walk.window_ms + GRACE_MS, walk, "interrupted")
        self._press(decided, walk, decision)
        there = decided
        if decision == "review_again":
            again = decided + 1000 * self.plan.announce_seconds
            there = again + walk.window_ms // 2
            self._press(again, walk, "announce")
            self._press(there, walk, "present")
        if decision != "review_absent":
            done = there + 1000 * (self.plan.verify_seconds + self.plan.envelope_seconds)
            self._press(done, walk, "confirmed", self._amount(walk))

    def _press(self, at: int, walk: _Walk, verb: str, prize: int | None = None) -> None:
        heapq.heappush(self._presses, Press(at, self._made, walk.draw, walk.ordinal, verb, prize))
        self._made += 1

    def _draw(self, key: str, what: str) -> int:
        digest = hmac.digest(self.plan.seed.encode(), f"{key}/{what}".encode(), hashlib.sha256)
        return int.from_bytes(digest[:8], "big")

    def _chance(self, key: str, what: str) -> float:
        return self._draw(key, what) / 2**64

    def _below(self, key: str, what: str, bound: int) -> int:
        return self._draw(key, what) * bound >> 64

    def _amount(self, walk: _Walk) -> int:
        low, high = walk.prize
        return low + _STEP * self._below(walk.key, "envelope", (high - low) // _STEP + 1)
