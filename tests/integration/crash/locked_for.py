"""A core on its own clocks while another process holds its database for some real seconds (R7)."""

from __future__ import annotations

import json
import threading
import time
from functools import partial
from pathlib import Path

from casino import Casino, seat_everybody
from crash.runs import Outcome
from crash.trouble import Running, locked
from sqlalchemy.exc import OperationalError

from draw_engine.service import intake
from draw_engine.store.journal import read_segment

EVERY_SECONDS = 1.0


def locked_for(folder: Path, seconds: float) -> Outcome:
    """Hold the database over a selection's moment; meanwhile the floor goes on. Faults as sentences."""
    folder.mkdir(parents=True)
    casino = Casino(f"sqlite:///{folder / 'core.db'}", folder)
    casino.load_lists()
    seat_everybody(casino)
    casino.at("13:59")
    moment = casino.moments()[0]
    casino.go(moment - 1)
    bodies: list[bytes] = []
    core = Running(casino)
    core.core.start()
    with locked(folder / "core.db"):
        refused = _floor_goes_on(core, casino, bodies, moment, seconds)
    core.see_to_it()
    repeated = [core.core.ask(partial(intake.take, feed="slots-1", body=body)) for body in bodies]
    core.core.stop()
    faults = [] if core.breaks == 0 else ["the core broke"]
    if not refused:
        faults.append("nothing was refused: the database was not held")
    if any(answer.accepted + answer.repeated != 1 for answer in repeated):
        faults.append("an event that was sent again was not taken")
    faults += _kept(casino, bodies)
    first = casino.said("selection.made", "selection.postponed")[0]
    if first.data.get("reason") != "outage":
        faults.append(f"the selection that was overdue was not put off by an outage: {first.kind}")
    casino.finish("14:15")
    casino.verify_closed()
    outages = sum(1 for entry in casino.said("selection.postponed") if entry.data["reason"] == "outage")
    casino.close()
    return Outcome(faults, 0, outages=outages)


def _floor_goes_on(core: Running, casino: Casino, bodies: list[bytes], moment: int, seconds: float) -> int:
    begun = time.monotonic()
    refused = 0
    while (passed := time.monotonic() - begun) < seconds:
        casino.clock.set(moment + int(passed * 1000))
        casino.tell("heartbeat")
        bodies.append(b"\n".join(casino._waiting.pop("slots-1")))
        try:
            core.core.ask(partial(intake.take, feed="slots-1", body=bodies[-1]))
        except OperationalError:
            refused += 1
        threading.Event().wait(EVERY_SECONDS)
    return refused


def _kept(casino: Casino, bodies: list[bytes]) -> list[str]:
    lines = read_segment(casino.folder / "journal", casino.journal.segment).splitlines()
    events = [json.loads(line)["event"] for line in lines]
    told = [event["seq"] for event in events if event["feed"] == "slots-1"]
    missing = [seq for body in bodies if (seq := json.loads(body)["seq"]) not in told]
    return [f"events are missing from the journal: {missing}"] if missing else []
