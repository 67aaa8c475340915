"""The demo's house: a simulated crew, announcer and rep who take what nobody took within fifteen seconds.

A person can take any of it by hand: what somebody has pressed stays theirs, and the simulated people leave it alone.
They press the same verbs as everybody, under names of their own from the staff list.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from draw_engine import held
from draw_engine.claim_moves import stage_of
from draw_engine.draw_state import Claim
from draw_engine.errors import Refused
from draw_engine.log import Entry
from draw_engine.service import claims, envelopes, prizes, register, reviews
from draw_engine.service.engine import Engine, OpenDraw

PATIENCE_MS = 15_000
"""What nobody took for so long is taken by the simulated crew."""
REVIEW_PATIENCE_MS = 120_000
LEFT_MS = 300_000
"""A claim a visitor took and did not go on with for so long is a colleague's: its draw could never be closed else."""
CREWS = tuple(f"demo-crew-{n}" for n in range(1, 9))
ANNOUNCER, DESK = "demo-stage", "demo-desk"
MANAGERS = ("demo-manager-1", "demo-manager-2")
SIGNED = {"width": 300, "height": 100, "strokes": [[[20, 60], [80, 30], [140, 70], [260, 40]]]}
_ENVELOPES = {50_000: 20, 60_000: 20, 70_000: 15, 75_000: 15, 80_000: 10, 85_000: 10, 100_000: 10}
_SIGNERS = 60
_HELD_EVERY_MS = 5_000


@dataclass(frozen=True, slots=True)
class DemoPlan:
    """How the simulated people act: seconds and probabilities. Half are not at the machine, so that clocks are seen."""

    seed: str = "demo"
    walk: tuple[int, int] = (8, 30)
    check: int = 6
    envelope: int = 5
    sign: int = 10
    found: float = 0.5
    other_person: float = 0.04
    presents: float = 0.7
    refuses: float = 0.02
    playing: int = 200
    """So many guests play before some of them sign the register."""


class DemoCrew:
    """Looks at every running claim after each tick, on the engine's thread, and does what is due."""

    def __init__(self, engine: Engine, plan: DemoPlan | None = None) -> None:
        self.plan = plan or DemoPlan()
        self._since: dict[tuple[str, int, str], int] = {}
        self._by_hand: dict[str, set[tuple[str, int]]] = {"crew": set(), "stage": set()}
        engine.listeners.append(self._saw)
        self._next_look = 0
        self._signed = False
        self._prepare(engine)

    def _prepare(self, engine: Engine) -> None:
        """Envelopes in the tray."""
        if len(engine.store.envelopes(state="tray")) < 60:
            envelopes.count_batch(engine, amounts=_ENVELOPES, by=MANAGERS[0], second=MANAGERS[1], now=engine.now())

    def _sign(self, engine: Engine, now: int) -> None:
        """Some of those who play will not come when called: their held prizes are then to be seen at the desk."""
        if self._signed or not register.hours(engine, now).open:
            return
        playing = {one.member for one in engine.floor.at(now).open_sessions() if one.member}
        if len(playing) < self.plan.playing:
            return
        self._signed = True
        if register.entries(engine, engine.gaming_day(now)):
            return
        for member in sorted(playing, key=lambda member: self._draw(member, "signs"))[:_SIGNERS]:
            try:
                register.sign(
                    engine,
                    member=member,
                    by=DESK,
                    in_person=True,
                    id_type="passport",
                    id_number="DEMO0000",
                    phone="000 000 0000",
                    email="",
                    signature=SIGNED,
                    now=now,
                )
            except Refused:
                continue  # under age, excluded: the desk turns them away, as it would

    def _saw(self, entries: Sequence[Entry]) -> None:
        """A person has pressed something of a claim: that part of it is theirs until they release it."""
        for entry in entries:
            part = _PARTS.get(entry.kind)
            if part is None or entry.draw is None or entry.actor.partition(":")[2].startswith("demo-"):
                continue
            claim = (entry.draw, entry.data["ordinal"])
            if entry.kind == "claim.released" or (entry.kind == "claim.handed_over" and "demo-" in entry.data["to"]):
                self._by_hand[part].discard(claim)
                self._since = {key: at for key, at in self._since.items() if key[:2] != claim}  # patience begins anew
            else:
                self._by_hand[part].add(claim)

    def work(self, engine: Engine) -> None:
        """See to every claim that runs and every prize to be drawn on behalf."""
        now = engine.now()
        seen: set[tuple[str, int, str]] = set()
        for draw in engine.draws.values():
            if draw.state.closed_at is None:
                for claim in draw.state.running():
                    key = (draw.state.id, claim.ordinal, stage_of(claim))
                    seen.add(key)
                    self._see_to(engine, draw, claim, now, now - self._since.setdefault(key, now))
        self._since = {key: at for key, at in self._since.items() if key in seen or key[2] == "held"}
        self._draw_on_behalf(engine, now)
        self._sign(engine, now)

    def _see_to(self, engine: Engine, draw: OpenDraw, claim: Claim, now: int, waited: int) -> None:
        stage = stage_of(claim)
        step = _STEPS.get(stage)
        part = "stage" if stage in {"not_there", "announced"} else "crew"
        if step is None:
            return
        try:
            if (draw.state.id, claim.ordinal) in self._by_hand[part]:
                if part == "crew" and waited >= LEFT_MS:
                    self._take_over(engine, draw, claim, now)
                return
            step(self, engine, draw, claim, now, waited)
        except Refused:
            return  # somebody was quicker, or the tray is empty: the next look finds it as it is then

    # -- one stage each ----------------------------------------------------------------------------------------

    def _ours(self, claim: Claim) -> str | None:
        """Which of the simulated crew has the claim."""
        by = (claim.taken_by or "").partition(":")[2]
        return by if by in CREWS else None

    def _take(self, engine: Engine, draw: OpenDraw, claim: Claim, now: int, waited: int) -> None:
        if waited >= PATIENCE_MS and (free := self._free(engine)) is not None:
            claims.take(engine, draw, claim.ordinal, actor=f"crew:{free}", now=now)

    def _take_over(self, engine: Engine, draw: OpenDraw, claim: Claim, now: int) -> None:
        """What a visitor left lying is handed over, as among colleagues."""
        if self._ours(claim) is None:
            if (free := self._free(engine)) is None:
                return
            to = f"crew:{free}"
            claims.hand_over(engine, draw, claim.ordinal, to=to, actor=to, now=now)
        left = (draw.state.id, claim.ordinal)
        self._by_hand["crew"].discard(left)
        self._since = {key: at for key, at in self._since.items() if key[:2] != left}

    def _free(self, engine: Engine) -> str | None:
        busy = {self._ours(claim) for draw in engine.draws.values() for claim in draw.state.running()}
        return next((crew for crew in CREWS if crew not in busy), None)

    def _arrive(self, engine: Engine, draw: OpenDraw, claim: Claim, now: int, waited: int) -> None:
        crew = self._ours(claim)
        key = self._key(draw, claim)
        first, last = self.plan.walk
        if crew is None or waited < 1000 * first + self._below(key, "walk", 1000 * (last - first)):
            return
        chance = self._chance(key, "found")
        answer = claims.not_there
        if chance < self.plan.other_person:
            answer = claims.other_person
        elif chance < self.plan.other_person + self.plan.found and not _declined(engine, draw, claim):
            answer = claims.found
        answer(engine, draw, claim.ordinal, actor=f"crew:{crew}", now=now)

    def _announce(self, engine: Engine, draw: OpenDraw, claim: Claim, now: int, waited: int) -> None:
        if waited >= PATIENCE_MS:
            claims.announce(engine, draw, claim.ordinal, actor=f"stage:{ANNOUNCER}", now=now)

    def _present(self, engine: Engine, draw: OpenDraw, claim: Claim, now: int, waited: int) -> None:
        key = self._key(draw, claim)
        comes = self._chance(key, "presents") < self.plan.presents and not _declined(engine, draw, claim)
        ours = claim.announced_by == f"stage:{ANNOUNCER}"
        window = int(draw.state.terms["claim_window_ms"])
        if ours and comes and waited >= 5_000 + self._below(key, "presents after", window - 10_000):
            claims.present(engine, draw, claim.ordinal, actor=f"stage:{ANNOUNCER}", stamped_at=now, now=now)

    def _helper(self, engine: Engine, draw: OpenDraw, claim: Claim, now: int, waited: int) -> str | None:
        """Whoever of the simulated crew goes on with it; one that nobody has is taken after a while."""
        if claim.taken_by is None and waited >= PATIENCE_MS and (free := self._free(engine)) is not None:
            claims.take(engine, draw, claim.ordinal, actor=f"crew:{free}", now=now)
        return self._ours(claim)

    def _check(self, engine: Engine, draw: OpenDraw, claim: Claim, now: int, waited: int) -> None:
        crew = self._helper(engine, draw, claim, now, waited)
        if crew is not None and waited >= 1000 * self.plan.check:
            checks = [*claims.CHECKS, "device" if claim.found_at is not None else "stage"]
            actor = f"crew:{crew}"
            claims.check(engine, draw, claim.ordinal, checks=checks, identification="sa_id", actor=actor, now=now)

    def _envelope(self, engine: Engine, draw: OpenDraw, claim: Claim, now: int, waited: int) -> None:
        crew = self._helper(engine, draw, claim, now, waited)
        tray = envelopes.tray(engine) if crew is not None and waited >= 1000 * self.plan.envelope else []
        if tray:
            claims.envelope(engine, draw, claim.ordinal, pocket=tray[0], actor=f"crew:{crew}", now=now)

    def _pay(self, engine: Engine, draw: OpenDraw, claim: Claim, now: int, waited: int) -> None:
        crew = self._helper(engine, draw, claim, now, waited)
        if crew is None or waited < 1000 * self.plan.sign:
            return
        key, actor = self._key(draw, claim), f"crew:{crew}"
        if self._chance(key, "refuses") < self.plan.refuses:
            claims.refuse(engine, draw, claim.ordinal, actor=actor, now=now)
            return
        amount = sorted(_ENVELOPES)[self._below(key, "amount", len(_ENVELOPES))]
        claims.pay(engine, draw, claim.ordinal, amount=amount, signature=SIGNED, actor=actor, now=now)

    def _review(self, engine: Engine, draw: OpenDraw, claim: Claim, now: int, waited: int) -> None:
        if waited >= REVIEW_PATIENCE_MS:
            people = dict(zip(("by", "second"), MANAGERS, strict=True))
            reviews.decide(engine, draw, claim.ordinal, "again", reason="Nobody could press then.", now=now, **people)

    def _draw_on_behalf(self, engine: Engine, now: int) -> None:
        if now < self._next_look:
            return
        self._next_look = now + _HELD_EVERY_MS
        for row in engine.store.held_prizes():
            key = (row.draw, row.ordinal, "held")
            if row.state != held.TO_DRAW or now - self._since.setdefault(key, now) < PATIENCE_MS:
                continue
            for pocket in envelopes.tray(engine)[:1]:
                draw, people = engine.draw(row.draw), {"by": CREWS[0], "second": ANNOUNCER}
                prizes.draw_on_behalf(engine, draw, row.ordinal, pocket=pocket, now=now, **people)

    # -- chance ------------------------------------------------------------------------------------------------

    def _key(self, draw: OpenDraw, claim: Claim) -> str:
        return f"{draw.state.id}/{claim.ordinal}"

    def _draw(self, key: str, what: str) -> int:
        digest = hmac.digest(self.plan.seed.encode(), f"{key}/{what}".encode(), hashlib.sha256)
        return int.from_bytes(digest[:8], "big")

    def _chance(self, key: str, what: str) -> float:
        return self._draw(key, what) / 2**64

    def _below(self, key: str, what: str, bound: int) -> int:
        return self._draw(key, what) * bound >> 64


def _declined(engine: Engine, draw: OpenDraw, claim: Claim) -> bool:
    """Whoever signed the register has gone home, as they said."""
    return register.entry_of(engine, draw, claim.ordinal) is not None


_PARTS = {
    **dict.fromkeys(("claim.taken", "claim.released", "claim.handed_over", "claim.arrived", "claim.checked"), "crew"),
    "envelope.drawn": "crew",
    "claim.announced": "stage",
    "claim.presented": "stage",
}
"""Kinds of entries -> whose part of a claim they are."""

_Step = Callable[[DemoCrew, Engine, OpenDraw, Claim, int, int], None]
_STEPS: Mapping[str, _Step] = {
    "selected": DemoCrew._take,  # noqa: SLF001 - the table of this module's own class
    "taken": DemoCrew._arrive,  # noqa: SLF001 - as above
    "not_there": DemoCrew._announce,  # noqa: SLF001 - as above
    "announced": DemoCrew._present,  # noqa: SLF001 - as above
    "review": DemoCrew._review,  # noqa: SLF001 - as above
    "found": DemoCrew._check,  # noqa: SLF001 - as above
    "presented": DemoCrew._check,  # noqa: SLF001 - as above
    "checked": DemoCrew._envelope,  # noqa: SLF001 - as above
    "envelope": DemoCrew._pay,  # noqa: SLF001 - as above
}


def staff() -> list[dict[str, Any]]:
    """The simulated people, as rows of [[staff]]."""
    named = [(crew, f"Simulated crew {n}", "crew") for n, crew in enumerate(CREWS, 1)]
    named += [(ANNOUNCER, "Simulated announcer", "stage"), (DESK, "Simulated desk", "desk")]
    named += [(manager, f"Simulated manager {n}", "manager") for n, manager in enumerate(MANAGERS, 1)]
    return [{"id": by, "name": name, "role": role} for by, name, role in named]
