"""The crew on the console: who is on the floor, who has how many claims and for how long, what nobody has taken."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from draw_engine.clock import Millis
from draw_engine.draw_state import Claim
from draw_engine.service.engine import OpenDraw
from web_display import screens
from web_display.catalogue import say
from web_display.console_messages import HouseLine

_WAITS_LONG_MS = 60_000
"""A claim nobody has taken for so long is marked: 68 awards in four hours leave three and a half minutes for each."""


def crew_lines(
    draw: OpenDraw | None, names: Mapping[str, str], on_floor: Collection[str], now: Millis
) -> list[HouseLine]:
    """The lines, the most pressing first. `names`: id -> name of the staff; `on_floor`: who is signed in as crew."""
    if draw is None:
        return []
    running = draw.state.running()
    lines = [] if (found := _untaken(running, draw, now)) is None else [found]
    has: dict[str, list[Claim]] = {}
    for claim in running:
        if claim.taken_by is not None:
            has.setdefault(claim.taken_by.partition(":")[2], []).append(claim)
    for person in sorted(has, key=lambda one: (-len(has[one]), names.get(one, one))):
        since = min(claim.taken_at or claim.opened_at for claim in has[person])
        said = say("console.crew_has", n=len(has[person]), name=names.get(person, person), time=_time(since, draw))
        lines.append(HouseLine(f"crew-{person}", "fine", said))
    free = sorted(names.get(person, person) for person in on_floor if person not in has)
    if free:
        lines.append(HouseLine("crew-free", "fine", say("console.crew_free", names=", ".join(free))))
    if not has and not free:
        lines.append(HouseLine("crew-none", "warn", say("console.crew_none")))
    return lines


def _untaken(running: Collection[Claim], draw: OpenDraw, now: Millis) -> HouseLine | None:
    waiting = [claim.opened_at for claim in running if claim.taken_by is None]
    if not waiting:
        return None
    said = say("console.crew_untaken", n=len(waiting), time=_time(min(waiting), draw))
    return HouseLine("crew-untaken", "warn" if now - min(waiting) >= _WAITS_LONG_MS else "fine", said)


def _time(at: Millis, draw: OpenDraw) -> str:
    return screens.time_text(at, draw.book.zone)
