"""The demo's roster: whom a visitor may be is planned for the first day, so that the console has somebody to miss."""

from __future__ import annotations

from datetime import time

from draw_engine.service import roster
from draw_engine.service.engine import Engine

_LINES = (("kabelo", "crew"), ("anita", "stage"))
_FROM, _UNTIL = time(13, 30), time(18)
_BY = "manager:naledi"


def plan_day(engine: Engine) -> None:
    """Enter the lines, once."""
    if engine.store.roster_days():
        return
    day = engine.gaming_day(engine.now())
    for person, duty in _LINES:
        roster.enter(engine, day, roster.Line(person, duty, None, _FROM, _UNTIL), actor=_BY)
