"""Playing a day's sessions on a virtual clock, as fast as it can, through the same verbs as the live floor.

Source: floor-events "A floor for rehearsal"; draw record "A rehearsal". With the same inputs the output is the same to
the byte: every time is exact, nothing is drawn but from the one seed and the crew's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from draw_engine import calendar
from draw_engine.canonical import parse_time
from draw_engine.clock import SetClock
from draw_engine.errors import Refused
from draw_engine.log import Entry
from draw_engine.rule_book import DrawPlan
from draw_engine.scripted_crew import ScriptedCrew
from draw_engine.service import house, intake, opening, scripted, witnessing
from draw_engine.service.engine import Book, Engine, OpenDraw

HOUSE_LISTS = ("positions", "members", "exclusions", "staff", "register")
CREW = "crew:rehearsal"


@dataclass(slots=True)
class Told:
    """What a rehearsal has to say beside the records: events that could not be read, and how many there were."""

    events: int = 0
    repeats: int = 0
    refused: Counter[str] = field(default_factory=Counter)


class Rehearsal:
    """One day of one book over a recorded floor. The engine was made with `journal=None` and rehearsal seeds."""

    def __init__(self, engine: Engine, clock: SetClock, crew: ScriptedCrew, plans: Sequence[DrawPlan]) -> None:
        self.engine = engine
        self.clock = clock
        self.crew = crew
        self.plans = plans
        self.told = Told()
        engine.listeners.append(self._saw)

    def _saw(self, entries: Sequence[Entry]) -> None:
        """A claim that opens calls the crew."""
        for entry in entries:
            if entry.kind == "claim.opened" and entry.draw is not None:
                ordinal = entry.data["ordinal"]
                draw = self.engine.draw(entry.draw)
                place = draw.state.places[draw.state.selections[ordinal].place]
                self.crew.selected(
                    entry.draw,
                    ordinal=ordinal,
                    award=place.number,
                    attempt=place.ordinals.index(ordinal) + 1,
                    at=entry.at,
                    prize=(draw.plan.prize.min, draw.plan.prize.max),
                    window_ms=int(draw.state.terms["claim_window_ms"]),
                )

    def load_lists(self, lists: Iterable[tuple[str, bytes]]) -> None:
        """Load the floor's lists, known from the gaming day's start: the clock stands there."""
        for kind, content in lists:
            house.load_list(self.engine, kind, content)

    def run(self, book: Book, day: date, events: Sequence[tuple[int, dict[str, Any]]]) -> list[OpenDraw]:
        """Play the events (ascending by time) and every plan of the day; returns the draws, all closed."""
        todo = sorted(self.plans, key=lambda plan: calendar.opens_at(book.rules, plan, day))
        opens = [(calendar.opens_at(book.rules, plan, day), plan) for plan in todo]
        played = 0
        while True:
            instant = self._next_instant(opens)
            if instant is None:
                break
            played = self._hear(events, played, instant)
            self.clock.set(max(instant, self.clock.now()))
            self._press()
            while opens and opens[0][0] <= self.clock.now():  # two may open at the same instant
                self._open(book, opens.pop(0)[1], day)
            house.tick(self.engine)
        return [self.engine.draw(calendar.draw_id(book.rules, plan, day)) for plan in todo]

    def _next_instant(self, opens: Sequence[tuple[int, DrawPlan]]) -> int | None:
        due = [at for at, _ in opens[:1]]
        due += [at for at in (house.next_instant(self.engine), self.crew.next_at()) if at is not None]
        return min(due, default=None)

    def _hear(self, events: Sequence[tuple[int, dict[str, Any]]], start: int, until: int) -> int:
        """Events with the same time as a selection come first."""
        n = start
        while n < len(events) and events[n][0] <= until:
            self.told.events += 1
            try:
                if not intake.hear(self.engine, events[n][1]):
                    self.told.repeats += 1
            except Refused as refusal:
                self.told.refused[refusal.code] += 1
            n += 1
        return n

    def _press(self) -> None:
        for press in self.crew.due(self.clock.now()):
            actor = "engine" if press.verb in {"expired", "held"} else CREW
            scripted.carry_out(self.engine, press, actor=actor, now=self.clock.now())

    def _open(self, book: Book, plan: DrawPlan, day: date) -> None:
        now = self.clock.now()
        reasons = opening.reasons_not_to_start(self.engine, book.rules, plan, day, now)
        if reasons:
            said = " ".join(f"{reason.sentence} {reason.todo}" for reason in reasons)
            raise Refused(reasons[0].code, f"{plan.title} cannot be rehearsed: {said}")
        witnessing.rehearse(self.engine, opening.open_draw(self.engine, book, plan, day, now))


def events_in_order(values: Iterable[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """(time, event) by the events' own times: in a recording an event arrives when it happens.

    Raises Refused (X_RECORDING) for a line whose time cannot be read.
    """
    timed = []
    for number, value in enumerate(values, 1):
        try:
            timed.append((parse_time(value["at"]), value))
        except (KeyError, TypeError, ValueError):
            raise Refused("X_RECORDING", f"Line {number} of events.jsonl has no readable time `at`. Mend it.") from None
    timed.sort(key=lambda pair: pair[0])
    return timed
