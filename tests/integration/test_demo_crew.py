"""The demo's people: they take what nobody took within fifteen seconds, and leave alone what somebody has pressed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from casino import Casino
from claim_steps import CHECKED, Casinos
from people_words import LERATO, PIETER

from draw_engine.claim_moves import stage_of
from draw_engine.service import claims, register
from kiosk.demo.crew import LEFT_MS, PATIENCE_MS, DemoCrew, DemoPlan, staff

FOUND = DemoPlan(found=1.0, other_person=0.0, refuses=0.0, walk=(8, 9))
AWAY = DemoPlan(found=0.0, other_person=0.0, presents=1.0)


def at_work(casinos: Casinos, plan: DemoPlan) -> tuple[Casino, DemoCrew]:
    """Lerato has just been selected."""
    casino = casinos(now="13:59:40")
    simulated = {str(person["id"]): str(person["role"]) for person in staff()}
    casino.settings = replace(casino.settings, staff={"kabelo": "crew", "nomvula": "manager"} | simulated)
    casino.restart()
    casino.load_lists()
    casino.rated(LERATO)
    casino.rated(PIETER, seat="5")
    casino.send()
    casino.tick()
    crew = DemoCrew(casino.engine, plan)
    casino.go(casino.moments()[0])
    crew.work(casino.engine)
    return casino, crew


def passes(casino: Casino, crew: DemoCrew, seconds: int) -> None:
    for _ in range(seconds):
        casino.go(casino.clock.now() + 1_000)
        crew.work(casino.engine)


def stage(casino: Casino) -> str:
    return stage_of(casino.draw().state.claims[0])


def test_what_nobody_takes_is_taken_after_fifteen_seconds_and_brought_to_its_end(casinos: Casinos) -> None:
    casino, crew = at_work(casinos, FOUND)
    passes(casino, crew, PATIENCE_MS // 1_000 - 1)
    assert stage(casino) == "selected"
    passes(casino, crew, 2)
    assert stage(casino) == "taken"
    passes(casino, crew, 60)
    assert stage(casino) == "confirmed"
    assert len(casino.engine.store.print_jobs_of(casino.draw().state.id, 0)) == 1


def test_what_a_person_took_stays_theirs(casinos: Casinos) -> None:
    casino, crew = at_work(casinos, FOUND)
    claims.take(casino.engine, casino.draw(), 0, actor="crew:kabelo", now=casino.clock.now())
    passes(casino, crew, 90)
    assert stage(casino) == "taken"
    claims.release(casino.engine, casino.draw(), 0, actor="crew:kabelo", now=casino.clock.now())
    passes(casino, crew, PATIENCE_MS // 1_000 - 1)
    assert stage(casino) == "selected"
    passes(casino, crew, 90)
    assert stage(casino) == "confirmed"


@pytest.mark.parametrize("pressed", ["taken", "checked"])
def test_what_a_person_left_lying_is_taken_over_by_a_colleague(casinos: Casinos, pressed: str) -> None:
    """A visitor closes the tablet in the middle: the session could not be closed for ever."""
    casino, crew = at_work(casinos, FOUND)
    draw, now = casino.draw(), casino.clock.now()
    claims.take(casino.engine, draw, 0, actor="crew:kabelo", now=now)
    if pressed == "checked":
        claims.found(casino.engine, draw, 0, actor="crew:kabelo", now=now)
        checked = {"checks": CHECKED["device"], "identification": "sa_id"}
        claims.check(casino.engine, draw, 0, actor="crew:kabelo", now=now, **checked)
    passes(casino, crew, LEFT_MS // 1_000 - 1)
    assert stage(casino) == pressed
    passes(casino, crew, 120)
    assert stage(casino) == "confirmed"
    (entry,) = [one for one in casino.log() if one.kind == "claim.handed_over"]
    assert entry.data["to"] == entry.actor
    assert entry.actor.startswith("crew:demo-crew-")


def test_a_guest_whom_a_person_checks_is_theirs_from_then_on(casinos: Casinos) -> None:
    casino, crew = at_work(casinos, FOUND)
    while stage(casino) != "found":
        passes(casino, crew, 1)
    checked = {"checks": CHECKED["device"], "identification": "sa_id"}
    claims.check(casino.engine, casino.draw(), 0, actor="crew:kabelo", now=casino.clock.now(), **checked)
    passes(casino, crew, 120)
    assert stage(casino) == "checked"


@pytest.mark.parametrize("called_by", ["stage:demo-stage", "crew:kabelo"])
def test_a_call_that_a_person_made_is_not_presented_by_the_simulated_announcer(
    casinos: Casinos, called_by: str
) -> None:
    casino, crew = at_work(casinos, AWAY)
    while stage(casino) != "not_there":
        passes(casino, crew, 1)
    if called_by == "crew:kabelo":
        claims.announce(casino.engine, casino.draw(), 0, actor=called_by, now=casino.clock.now())
    passes(casino, crew, 200)
    assert stage(casino) == ("expired" if called_by == "crew:kabelo" else "confirmed")


def test_some_who_play_sign_the_register_and_have_gone_when_they_are_called(casinos: Casinos) -> None:
    """Without them no prize would be held in the demo, and the desks had nothing to do."""
    casino = casinos(now="13:59:40")
    simulated = {str(person["id"]): str(person["role"]) for person in staff()}
    casino.settings = replace(casino.settings, staff=simulated)
    casino.restart()
    casino.load_lists()
    casino.rated(LERATO)
    casino.send()
    casino.tick()
    crew = DemoCrew(casino.engine, replace(FOUND, presents=1.0, playing=1))
    crew.work(casino.engine)
    crew.work(casino.engine)
    (entry,) = register.entries(casino.engine, casino.engine.gaming_day(casino.clock.now()))
    assert entry.member == LERATO
    casino.go(casino.moments()[0])
    passes(casino, crew, 150)  # nobody takes it, a walk, nobody announces it, the ninety seconds
    assert stage(casino) == "held"
