"""The one door of the crew's and the stage's presses, and of what two people decide about a claim.

A press is stamped when it enters here, before anything else is asked: that stamp decides whether it came in time.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, jsonify, request

from draw_engine.claim_moves import stage_of
from draw_engine.errors import Refused
from draw_engine.service import pressing, reviews
from draw_engine.service.engine import Engine
from draw_engine.service.pressing import StaffPress
from kiosk.core import Core
from kiosk.hearing_people import Presented
from kiosk.sign_in.access import staff, the_gate
from kiosk.sign_in.socket_doors import is_at_the_stage
from kiosk.sign_in.whom import acting

MOST_BYTES = 500_000
"""A press carries a signature at most."""
_OWN = frozenset({"id", "verb", "draw", "ordinal", "by", "made_at"})
_HIGHEST = 2**31 - 1


def press_routes(core: Core) -> Blueprint:
    """`POST /presses`, `/claims/review`, `/claims/void` and `/claims/exchange`."""
    routes = Blueprint("presses", __name__)

    @routes.post("/presses")
    @staff("crew", "stage", "manager")
    def press() -> Response:
        stamped_at = core.stamp()
        with ExitStack() as waits:
            with core.waiting.entering(stamped_at):  # its body may be on the way still, and its claim unknown
                asked = _press_of(_body(), stamped_at)
                if asked.verb == "present":
                    _must_be_at_the_stage()
                    presented = core.waiting.first(Presented(asked.id, asked.draw, asked.ordinal, stamped_at))
                    asked = replace(asked, stamped_at=presented.stamped_at)
                    waits.enter_context(core.waiting.held(presented, core.stamp))
            return jsonify(core.ask(lambda engine: pressing.press(engine, asked)))

    @routes.post("/claims/review")
    @staff("crew", "stage", "manager")
    def review() -> Response:
        said = _body()
        decision, who = _text(said, "decision"), _two(said)
        draw, ordinal = _claim_of(said)

        def decide(engine: Engine) -> str:
            return reviews.decide(engine, engine.draw(draw), ordinal, decision, now=engine.now(), **who)

        return jsonify({"ok": True, "stage": core.ask(decide)})

    @routes.post("/claims/void")
    @staff("crew", "stage", "manager")
    def void() -> Response:
        said = _body()
        reselect, who = said.get("reselect"), _two(said)
        draw, ordinal = _claim_of(said)
        if not isinstance(reselect, bool):
            raise Refused("X_VALUE_WRONG", "Say whether the award is selected again.")

        def act(engine: Engine) -> str:
            of = engine.draw(draw)
            reviews.void(engine, of, ordinal, reselect=reselect, now=engine.now(), **who)
            return stage_of(of.state.claims[ordinal])

        return jsonify({"ok": True, "stage": core.ask(act)})

    @routes.post("/claims/exchange")
    @staff("crew", "stage", "manager")
    def exchange() -> Response:
        said = _body()
        who = _two(said)
        draw, ordinal = _claim_of(said)

        def act(engine: Engine) -> str:
            of = engine.draw(draw)
            reviews.exchange(engine, of, ordinal, now=engine.now(), **who)
            return stage_of(of.state.claims[ordinal])

        return jsonify({"ok": True, "stage": core.ask(act)})

    return routes


def _must_be_at_the_stage() -> None:
    """Who presented is seen at the place of drawing (rule 12): its own tablet says so, no other."""
    if not is_at_the_stage(the_gate()):
        raise Refused("X_NOT_AT_STAGE", "Presented is pressed on the stage's own tablet. Send the guest there.")


def _body() -> Mapping[str, Any]:
    if (request.content_length or 0) > MOST_BYTES:
        raise Refused("X_TOO_LARGE", "This is more than a press can hold. Clear the signature and sign again.")
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise Refused("X_VALUE_WRONG", "A press is sent as JSON. Load the page again.")
    return acting(body)


def _press_of(body: Mapping[str, Any], stamped_at: int) -> StaffPress:
    draw, ordinal = _claim_of(body)
    said = {name: value for name, value in body.items() if name not in _OWN}
    return StaffPress(
        id=_text(body, "id"),
        verb=_text(body, "verb"),
        draw=draw,
        ordinal=ordinal,
        by=_text(body, "by"),
        stamped_at=stamped_at,
        said=said,
    )


def _claim_of(body: Mapping[str, Any]) -> tuple[str, int]:
    ordinal = body.get("ordinal")
    if type(ordinal) is not int or not 0 <= ordinal <= _HIGHEST:
        raise Refused("X_NO_SUCH_CLAIM", "It does not say which claim it is about. Load the page again.")
    return _text(body, "draw"), ordinal


def _two(body: Mapping[str, Any]) -> dict[str, str]:
    return {name: _text(body, name, most=2_000) for name in ("by", "second", "reason")}


def _text(body: Mapping[str, Any], name: str, *, most: int = 200) -> str:
    value = body.get(name, "")
    if not isinstance(value, str) or len(value) > most or not value.isprintable():
        raise Refused("X_VALUE_WRONG", f"What was sent as {name} cannot be read. Load the page again.")
    return value
