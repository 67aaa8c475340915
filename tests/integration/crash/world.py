"""The world around a core that may die: bridges that keep what is not acknowledged, a crew that looks and presses.

The world outlives every core. What it does follows from the time and from what the core shows, so a core that was
killed and started again at the same instant is asked for exactly what an undisturbed one is asked for.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from casino import MEMBERS, NOBODY, POSITIONS, iso, jhb
from crash.bridges import FLOOR_FROM, Bridge
from crash.core_process import FEEDS, CoreDied, CoreLine, database_url, fork_core
from crash.leavings import kept_now

PULSE_MS = 60_000
KEEP_MS = 300_000
BEGINS, ENDS, NEVER = jhb("05:50"), jhb("14:30"), jhb("16:00")
LISTS = {"positions": POSITIONS, "members": MEMBERS, "exclusions": NOBODY, "staff": NOBODY}

Presses = tuple[tuple[str, int], ...]
PAID: Presses = (("found", 15_000), ("confirmed", 40_000))
AT_STAGE: Presses = (("announce", 20_000), ("present", 50_000), ("confirmed", 80_000))
NO_SHOW: Presses = (("announce", 30_000),)
SCRIPT: dict[tuple[int, int], Presses] = {
    (1, 1): NO_SHOW,
    (2, 1): AT_STAGE,
    (3, 1): (("not_rightful_card", 10_000),),
    (3, 2): (("found", 12_000), ("refused", 30_000)),
    (5, 1): (("ineligible", 10_000),),
    (5, 2): NO_SHOW,
}
"""(award, attempt) -> what the crew does, and how many ms after the claim opened; anything else is found and paid."""

REVIEW = "review "
DECIDED = {(1, 1): "absent", (2, 1): "present"}
"""(award, attempt) -> what two people decide where the core was down at the deadline; else announced again."""

AFTER = {"announce": "announced", "present": "presented", "found": "found"}


@dataclass
class Told:
    """What the world saw of one run, for the verdict."""

    deaths: list[str] = field(default_factory=list)
    downtime: int = 0
    reached: list[str] = field(default_factory=list)
    kept: list[dict[str, Any]] = field(default_factory=list)
    acknowledged: dict[tuple[str, int], bytes] = field(default_factory=dict)
    sent: dict[tuple[str, int], bytes] = field(default_factory=dict)
    restart_seconds: list[float] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    repeated: int = 0
    sent_again: set[tuple[str, int]] = field(default_factory=set)


StartCore = Callable[[int, int], CoreLine]
"""(now, number of this life from 0) -> the line to a new core."""


class World:
    """One afternoon. `start_core` makes each life of the core; `downtime` ms pass after each death.

    `look_at_what_is_left` reads what a dead core has committed.
    """

    def __init__(
        self,
        folder: Path,
        start_core: StartCore,
        *,
        downtime: int = 0,
        look_at_what_is_left: Callable[[], dict[str, Any]] | None = None,
    ) -> None:
        self.folder = folder
        self._left = look_at_what_is_left or partial(kept_now, folder)
        self.told = Told()
        self.now = BEGINS
        self._start_core = start_core
        self._downtime = downtime
        self._life = 0
        self._core: CoreLine | None = None
        self._bridges = {feed: Bridge(feed) for feed in FEEDS}
        self._pulse = BEGINS
        self._keep_at = FLOOR_FROM + PULSE_MS
        self._published: set[tuple[str, str]] = set()
        for bridge in self._bridges.values():
            bridge.tell("feed_up", BEGINS, reason="bridge started")
            bridge.snapshot(BEGINS)

    def run(self) -> Told:
        """Until every draw is closed and published; the core dies as often as it is made to."""
        while True:
            try:
                if self._core is None:
                    self._start()
                elif self._step():
                    break
            except CoreDied:
                self._died()
        assert self._core is not None
        self._core.stop()
        return self.told

    # -- life and death ----------------------------------------------------------------------------------------

    def _start(self) -> None:
        begun = time.perf_counter()
        self._core = self._start_core(self.now, self._life)
        self._life += 1
        self._core.started()
        if self._life > 1:
            self.told.restart_seconds.append(time.perf_counter() - begun)

    def _died(self) -> None:
        assert self._core is not None
        self.told.deaths.append(f"{iso(self.now)} life {self._life}")
        self.told.reached += self._core.reached
        self._core = None
        self.told.kept.append(self._left())
        self.now += self._downtime
        self.told.downtime += self._downtime

    def _ask(self, do: str, **more: Any) -> dict[str, Any]:
        assert self._core is not None
        return self._core.ask(do, self.now, **more)

    # -- one instant after the other ---------------------------------------------------------------------------

    def _step(self) -> bool:
        """Go to the next instant at which anything happens and do all of it. True when the day is over."""
        seen = self._look()
        if self.now >= ENDS and all(draw["closed"] for draw in seen["draws"]):
            self._publish(seen)
            return True
        assert self.now < NEVER, "the draws never closed"
        self.now = max(self.now, min(self._instants(seen)))
        self._pulses()
        self._load_lists(seen)
        self._send()
        if self._keep_at <= self.now:
            self._ask("keep")
            self._keep_at = self.now + KEEP_MS
        self._suspend(seen)
        self._press(seen)
        self._ask("tick")
        return False

    def _look(self) -> dict[str, Any]:
        seen: dict[str, Any] = self._ask("look")["ok"]
        return seen

    def _instants(self, seen: Mapping[str, Any]) -> list[int]:
        presses = [at for draw in seen["draws"] for at, *_ in _presses(draw)]
        suspensions = [at for at, _ in self._suspensions(seen)]
        waiting = [self.now for bridge in self._bridges.values() if bridge.waiting]
        waiting += [bridge.snapshot_at for bridge in self._bridges.values() if bridge.snapshot_at is not None]
        return [self._pulse, *presses, *suspensions, *waiting, *([seen["next"]] if seen["next"] else [])]

    def _pulses(self) -> None:
        """A pulse that fell into a downtime was told by the floor all the same: the bridges kept it."""
        while self._pulse <= self.now:
            for bridge in self._bridges.values():
                bridge.pulse(self._pulse)
            self._pulse += PULSE_MS
            if BEGINS + 2 * PULSE_MS < self._pulse < FLOOR_FROM:
                self._pulse = FLOOR_FROM  # nobody plays between the two; the gaming day turns at six
        for bridge in self._bridges.values():
            if bridge.snapshot_at is not None and bridge.snapshot_at <= self.now:
                bridge.snapshot(self.now)

    def _load_lists(self, seen: Mapping[str, Any]) -> None:
        for kind, content in LISTS.items():
            if seen["lists"].get(kind) != hashlib.sha256(content.encode()).hexdigest():
                self._ask("load", kind=kind, content=content)
        if not seen["tray"]:
            self._ask("count")

    def _send(self) -> None:
        for feed, bridge in self._bridges.items():
            if not bridge.waiting:
                continue
            lines = list(bridge.waiting)
            keys = {_key(line): line for line in lines}
            self.told.sent_again |= keys.keys() & self.told.sent.keys()
            self.told.sent.update(keys)
            answer = self._ask("take", feed=feed, body=b"\n".join(lines).decode())["ok"]
            assert not answer["refused"], answer["refused"]
            assert answer["accepted"] + answer["repeated"] == len(lines)
            self.told.repeated += answer["repeated"]
            assert not answer["missing"] or answer["want_snapshot"], answer
            self.told.acknowledged.update(keys)
            bridge.waiting.clear()
            if answer["want_snapshot"]:
                bridge.asked_for_snapshot(self.now)

    def _suspensions(self, seen: Mapping[str, Any]) -> list[tuple[int, str]]:
        """The first session is suspended from 14:03:10 to 14:04:30."""
        first = next((draw for draw in seen["draws"] if draw["plan"] == "first"), None)
        if first is None or first["closed"]:
            return []
        if first["suspended"]:
            return [(jhb("14:04:30"), "resume")]
        return [(jhb("14:03:10"), "suspend")] if self.now <= jhb("14:03:10") else []

    def _suspend(self, seen: Mapping[str, Any]) -> None:
        for at, act in self._suspensions(seen):
            if at <= self.now:
                self._ask(act, draw=next(draw["id"] for draw in seen["draws"] if draw["plan"] == "first"))

    def _press(self, seen: Mapping[str, Any]) -> None:
        for draw in seen["draws"]:
            for at, ordinal, verb, prize in _presses(draw):
                if at > self.now:
                    continue
                if verb.startswith(REVIEW):
                    answer = self._ask("review", draw=draw["id"], ordinal=ordinal, decision=verb.removeprefix(REVIEW))
                else:
                    answer = self._ask("press", draw=draw["id"], ordinal=ordinal, verb=verb, prize=prize)
                assert "refused" not in answer, (verb, answer)

    def _publish(self, seen: Mapping[str, Any]) -> None:
        self.told.closed = [draw["id"] for draw in seen["draws"]]
        for draw in self.told.closed:
            for copy in ("public", "auditor"):
                if (draw, copy) not in self._published:
                    self._ask("publish", draw=draw, copy=copy)
                    self._published.add((draw, copy))
        assert self._core is not None
        self.told.reached += self._core.reached


def _presses(draw: Mapping[str, Any]) -> Iterable[tuple[int, int, str, int | None]]:
    """(instant, ordinal, verb, prize): the next press of each running claim of a draw."""
    for claim in draw["running"]:
        attempt = (claim["award"], claim["attempt"])
        if claim["stage"] == "review":
            yield claim["deadline_at"] + 60_000, claim["ordinal"], REVIEW + DECIDED.get(attempt, "again"), None
            continue
        script = SCRIPT.get(attempt, PAID)
        done = [AFTER.get(verb) for verb, _ in script]
        following = 0 if claim["stage"] in {"selected", "not_there"} else done.index(claim["stage"]) + 1
        if following < len(script):
            verb, after = script[following]
            prize = 50_000 + 5_000 * claim["ordinal"] if verb == "confirmed" else None
            yield claim["opened_at"] + after, claim["ordinal"], verb, prize


def _key(line: bytes) -> tuple[str, int]:
    event = json.loads(line)
    return str(event["feed"]), int(event["seq"])


def lives(folder: Path, seed: str, die_at: Iterable[int | None], *, url: str | None = None) -> StartCore:
    """Cores by fork: the n-th dies at its n-th point of `die_at`; those after live on."""
    points = list(die_at)

    def start(now: int, life: int) -> CoreLine:
        point = points[life] if life < len(points) else None
        return fork_core(folder, url=url or database_url(folder), seed=seed, now=now, die_at=point)

    return start
