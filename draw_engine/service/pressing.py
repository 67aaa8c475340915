"""One press of a crew, whoever made it, carried out."""

from __future__ import annotations

from draw_engine.scripted_crew import Press
from draw_engine.service import claims
from draw_engine.service.engine import Engine


def carry_out(engine: Engine, press: Press, *, actor: str, now: int) -> None:
    """Do what was pressed. Raises Refused when the claim does not allow it."""
    draw = engine.draw(press.draw)
    if press.verb == "found":
        claims.found(engine, draw, press.ordinal, actor=actor, now=now)
    elif press.verb == "announce":
        claims.announce(engine, draw, press.ordinal, actor=actor, now=now)
    elif press.verb == "present":
        claims.present(engine, draw, press.ordinal, actor=actor, stamped_at=now, now=now)
    elif press.verb == "confirmed" and claims.exclusion_now(engine, draw, press.ordinal, now):
        claims.end(engine, draw, press.ordinal, "ineligible", actor=actor, now=now)  # what a crew is told to do then
    else:
        claims.end(engine, draw, press.ordinal, press.verb, actor=actor, now=now, prize=press.prize)
