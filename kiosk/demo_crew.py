"""The demo's crew: it follows a script in real time, so that every screen lives by itself."""

from __future__ import annotations

from collections.abc import Sequence

from draw_engine.errors import Refused
from draw_engine.log import Entry
from draw_engine.scripted_crew import CrewPlan, ScriptedCrew
from draw_engine.service import pressing
from draw_engine.service.engine import Engine, OpenDraw

ACTOR = "crew:demo"
DEMO_CREW = CrewPlan(
    seed="demo",
    crews=8,
    walk_seconds=(8, 35),
    announce_seconds=4,
    verify_seconds=6,
    envelope_seconds=12,
    found=0.5,
    other_person=0.04,
    presents=0.7,
)
"""Half are not at the machine, so that the ninety seconds are seen; enough crews that 35 claims fit twenty minutes."""


class DemoCrew:
    """Hears of every selection and presses what a crew would; runs on the engine's thread."""

    def __init__(self, engine: Engine, plan: CrewPlan = DEMO_CREW) -> None:
        self._engine = engine
        self._crew = ScriptedCrew(plan)
        self._new: list[tuple[str, int, int]] = []
        engine.listeners.append(self._saw)
        for draw in engine.draws.values():
            for claim in draw.state.running():
                self._take_on(draw, claim.ordinal, engine.now())

    def _saw(self, entries: Sequence[Entry]) -> None:
        self._new += [
            (entry.draw, entry.data["ordinal"], entry.at)
            for entry in entries
            if entry.kind == "claim.opened" and entry.draw is not None
        ]

    def _take_on(self, draw: OpenDraw, ordinal: int, at: int) -> None:
        place = draw.state.places[draw.state.selections[ordinal].place]
        attempt = place.ordinals.index(ordinal) + 1
        claim = draw.state.claims[ordinal]
        if claim.found_at is None and claim.announced_at is None:
            self._crew.selected(draw.state.id, ordinal=ordinal, award=place.number, attempt=attempt, at=at)
        elif claim.found_at is not None or claim.presented_at is not None:
            self._crew.goes_on(draw.state.id, ordinal=ordinal, award=place.number, attempt=attempt, at=at)

    def work(self, engine: Engine) -> None:
        """Take on what is new and press what is due."""
        taken, self._new = self._new, []
        for draw_id, ordinal, at in taken:
            self._take_on(engine.draw(draw_id), ordinal, at)
        now = engine.now()
        for press in self._crew.due(now):
            try:
                pressing.carry_out(engine, press, actor=ACTOR, now=engine.now())
            except Refused:
                continue  # somebody else was quicker, or the clock was: the script simply does not apply any more
