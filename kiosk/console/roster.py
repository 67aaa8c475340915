"""`/console/roster`: who works which duty when, planned by managers, read by auditors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, time
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from draw_engine.errors import Refused
from draw_engine.service import roster
from draw_engine.service.engine import Engine
from kiosk.console import roster_words
from kiosk.console.pages import nav
from kiosk.console.roster_view import roster_message
from kiosk.core import Core
from kiosk.screens.view import House
from kiosk.sign_in.access import staff, the_gate
from kiosk.sign_in.whom import me, me_for_page
from web_display.catalogue import add_words, page_words

add_words(roster_words.ENGLISH)


def roster_routes(core: Core, house: House) -> Blueprint:
    """The routes. Everything is one person's act: a roster decides nothing about a prize."""
    routes = Blueprint("roster", __name__)

    @routes.get("/console/roster")
    @staff("manager", "auditor")
    def page() -> str:
        who = me_for_page()
        return render_template(
            "roster.html",
            assets="/static/console",
            bundle="roster",
            property_name=house.property_name,
            words=page_words("roster"),
            pages=nav("roster", who.get("role", "")),
            me=who,
        )

    @routes.get("/console/roster.json")
    @staff("manager", "auditor")
    def of_day() -> Response:
        asked = request.args.get("day", "")
        door, now = the_gate().door, core.stamp()
        people = {row.id: row for row in door.people()}
        signed_in = {row.staff: door.person(row).role for row in door.signed_in()}

        def read(engine: Engine) -> dict[str, Any]:
            day = _day(asked) if asked else engine.gaming_day(now)
            return roster_message(engine, people, signed_in, day, now)

        answer = jsonify(core.ask(read))
        answer.headers["Cache-Control"] = "no-store"
        return answer

    def act(do: Callable[[Engine, Mapping[str, Any], str], dict[str, Any]]) -> Response:
        said, actor = _said(), me().actor
        return jsonify({"ok": True, **core.ask(lambda engine: do(engine, said, actor))})

    @routes.post("/console/roster/enter")
    @staff("manager")
    def enter() -> Response:
        return act(_enter)

    @routes.post("/console/roster/remove")
    @staff("manager")
    def remove() -> Response:
        return act(_remove)

    @routes.post("/console/roster/copy")
    @staff("manager")
    def copy() -> Response:
        return act(_copy)

    return routes


def _enter(engine: Engine, said: Mapping[str, Any], actor: str) -> dict[str, Any]:
    line = roster.Line(
        person=_text(said, "person"),
        duty=_text(said, "duty"),
        zone=_text(said, "zone") or None,
        starts=_wall(said, "from"),
        ends=_wall(said, "until"),
    )
    before = _number(said, "instead_of") if said.get("instead_of") is not None else None
    made = roster.enter(engine, _day(_text(said, "day")), line, actor=actor, instead_of=before)
    return {"id": made.id}


def _remove(engine: Engine, said: Mapping[str, Any], actor: str) -> dict[str, Any]:
    gone = roster.remove(engine, _day(_text(said, "day")), _number(said, "shift"), actor=actor)
    return {"id": gone.id}


def _copy(engine: Engine, said: Mapping[str, Any], actor: str) -> dict[str, Any]:
    done = roster.copy_last(engine, _day(_text(said, "day")), actor=actor)
    return {"lines": done.lines, "left_out": list(done.left_out)}


def _said() -> Mapping[str, Any]:
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise Refused("X_VALUE_WRONG", "A form is sent as JSON. Load the page again.")
    return body


def _text(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name) or ""
    if not isinstance(value, str) or len(value) > 100 or not (value.isprintable() or not value):
        raise Refused("X_VALUE_WRONG", f"What was sent as {name} cannot be read. Load the page again.")
    return value


def _number(said: Mapping[str, Any], name: str) -> int:
    value = said.get(name)
    if type(value) is not int or not 0 < value < 2**31:
        raise Refused("X_NO_SUCH_SHIFT", "That line is not on the roster any more. Load the page again.")
    return value


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Refused("X_VALUE_WRONG", "Write a day as 2023-10-07.") from None


def _wall(said: Mapping[str, Any], name: str) -> time:
    try:
        found = time.fromisoformat(_text(said, name))
    except ValueError:
        raise Refused("X_VALUE_WRONG", "Write a time as 13:45.") from None
    if found.tzinfo is not None or found.second or found.microsecond:
        raise Refused("X_VALUE_WRONG", "Write a time as 13:45.")
    return found
