"""`/console/people`: who works here and on which devices; `/machine/...`: the same for commands on the machine."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from draw_engine import calendar
from draw_engine.errors import Refused
from draw_engine.service import staffing
from draw_engine.service.engine import Engine
from draw_engine.service.people_ports import DEVICE_KINDS
from draw_engine.service.staffing import ROLES, TECHNICIAN, TWO_FOR
from kiosk.console.pages import nav
from kiosk.core import Core
from kiosk.qr_code import qr_svg
from kiosk.screens.view import House
from kiosk.sign_in.access import from_this_machine, machine, staff, the_gate
from kiosk.sign_in.door import ends_at
from kiosk.sign_in.whom import acting, me, me_for_page
from kiosk.sign_in.words import page_words
from web_display.screens import utc_offset_minutes


def people_routes(core: Core, house: House, screens: Mapping[str, str]) -> Blueprint:
    """The routes. `screens`: name -> title of the floor screens a device may be enrolled as."""
    routes = Blueprint("people", __name__)

    @routes.get("/console/people")
    @staff("manager", "auditor")
    def page() -> str:
        who = me_for_page()
        return render_template(
            "people.html",
            assets="/static/console",
            bundle="people",
            property_name=house.property_name,
            words=page_words("people"),
            pages=nav("people", who.get("role", "")),
            me=who,
            roles=list(ROLES),
            device_kinds=list(DEVICE_KINDS),
            screens=dict(screens),
        )

    @routes.get("/console/people.json")
    @staff("manager", "auditor")
    def people() -> Response:
        now = core.stamp()
        offset = core.ask(lambda engine: utc_offset_minutes(now, engine.zone))
        answer = jsonify({**_everybody(now), "utc_offset_minutes": offset})
        answer.headers["Cache-Control"] = "no-store"
        return answer

    _staff_routes(routes)
    _device_routes(routes, screens)
    _machine_routes(routes, core)
    return routes


def _everybody(now: int) -> dict[str, Any]:
    """{people, devices, server_now}: everything the page shows. Secrets and tokens stay inside."""
    door = the_gate().door
    locked = door.tries.locked(now)
    signed_in: dict[str, list[dict[str, Any]]] = {}
    for row in door.signed_in():
        role = door.person(row).role
        signed_in.setdefault(row.staff, []).append({"device": row.device, "ends_at": ends_at(row, role)})
    return {
        "people": [
            {
                "id": row.id,
                "name": row.name,
                "role": row.role,
                "secret": row.secret_kind,
                "code_until": row.secret_until,
                "valid_from": row.valid_from,
                "valid_until": row.valid_until,
                "locked_until": locked.get(row.id),
                "signed_in": signed_in.get(row.id, []),
            }
            for row in door.people()
        ],
        "devices": [
            {"id": row.id, "kind": row.kind, "title": row.title, "enrolled_at": row.enrolled_at, "by": row.enrolled_by}
            for row in door.devices()
        ],
        "server_now": now,
    }


def _staff_routes(routes: Blueprint) -> None:
    @routes.post("/console/people/enter")
    @staff("manager")
    def enter() -> Response:
        said = acting(_said())
        _must_be_two(said, _text(said, "role"))
        _enter(said, actor=me().actor)
        return jsonify({"ok": True})

    @routes.post("/console/people/role")
    @staff("manager")
    def role() -> Response:
        said = acting(_said())
        to, person = _text(said, "role"), _text(said, "person")
        _must_be_two(said, to)
        by = sorted({me().actor, *([_actor(said["second"])] if said.get("second") else [])})
        actor = me().actor
        the_gate().door.change(lambda engine: staffing.change_role(engine, person, to, actor=actor, by=by))
        return jsonify({"ok": True})

    @routes.post("/console/people/end")
    @staff("manager")
    def end() -> Response:
        person, actor = _text(_said(), "person"), me().actor
        if person == me().id:
            raise Refused("X_SAME_PERSON", "You cannot end your own work here. Another manager does it.")
        the_gate().door.change(lambda engine: staffing.end(engine, person, actor=actor))
        return jsonify({"ok": True})

    @routes.post("/console/people/code")
    @staff("manager")
    def code() -> Response:
        person = _text(_said(), "person")
        if person == me().id:
            raise Refused("X_SAME_PERSON", "Choose another secret of your own under your name, at the top.")
        given, until = the_gate().door.give_code(person, by=me().actor)
        return jsonify({"ok": True, "code": given, "until": until})

    @routes.post("/console/people/unlock")
    @staff("manager")
    def unlock() -> Response:
        the_gate().door.unlock(_text(_said(), "person"), by=me().actor)
        return jsonify({"ok": True})


def _device_routes(routes: Blueprint, screens: Mapping[str, str]) -> None:
    @routes.post("/console/devices/offer")
    @staff("manager")
    def offer() -> Response:
        said = _said()
        kind, title = _text(said, "kind"), " ".join(_text(said, "title").split())
        if kind not in DEVICE_KINDS:
            raise Refused("X_VALUE_WRONG", "Choose what kind of device it is.")
        if kind == "screen" and title not in screens:
            raise Refused("X_NO_SUCH_SCREEN", "Choose one of the floor screens of site.toml.")
        if not 0 < len(title) <= 40 or not title.isprintable():
            raise Refused("X_VALUE_WRONG", "Give the device a name of at most 40 letters, such as Crew tablet 2.")
        code, until = the_gate().door.offer(kind, title, me().actor)
        address = f"{request.host_url}enrol"
        # The code stands behind the #, which a browser keeps to itself; this machine's own name leads nobody here.
        qr = "" if from_this_machine() else qr_svg(f"{address}#code={code}").decode()
        return jsonify({"ok": True, "code": code, "until": until, "address": address, "qr": qr})

    @routes.post("/console/devices/revoke")
    @staff("manager")
    def revoke() -> Response:
        device, actor = _text(_said(), "device"), me().actor
        the_gate().door.change(lambda engine: staffing.revoke(engine, device, actor=actor))
        return jsonify({"ok": True})


def _machine_routes(routes: Blueprint, core: Core) -> None:
    """For whoever runs the core: the first manager's code comes from here, and the way back in when all is locked."""

    @routes.get("/machine/staff")
    @machine
    def listed() -> Response:
        return jsonify({"ok": True, **_everybody(core.stamp())})

    @routes.post("/machine/staff/<act>")
    @machine
    def act(act: str) -> Response:
        said, door = _said(), the_gate().door
        person = _text(said, "person")
        if act == "enter":
            _enter(said, actor=TECHNICIAN)
        elif act == "role":
            to = _text(said, "role")
            door.change(lambda engine: staffing.change_role(engine, person, to, actor=TECHNICIAN, by=[TECHNICIAN]))
        elif act == "end":
            door.change(lambda engine: staffing.end(engine, person, actor=TECHNICIAN))
        elif act == "unlock":
            door.unlock(person, by=TECHNICIAN)
        elif act == "code":
            code, until = door.give_code(person)
            return jsonify({"ok": True, "code": code, "until": until})
        else:
            raise Refused("X_VALUE_WRONG", "This version knows no such command. Update both.")
        return jsonify({"ok": True})


def _enter(said: Mapping[str, Any], *, actor: str) -> None:
    person, name, role = (_text(said, one) for one in ("person", "name", "role"))
    first, last = (_text(said, one) for one in ("from", "until"))

    def act(engine: Engine) -> None:
        staffing.enter(
            engine,
            person,
            name,
            role,
            actor=actor,
            valid_from=_start_of(engine, first, 0),
            valid_until=_start_of(engine, last, 1),
        )

    the_gate().door.change(act)


def _start_of(engine: Engine, day: str, later: int) -> int | None:
    """The first instant of a day, or of so many days later, in the property's zone; None when no day was named."""
    if not day:
        return None
    try:
        named = date.fromisoformat(day)
        return calendar.instant(engine.zone, date.fromordinal(named.toordinal() + later), time())
    except (ValueError, OverflowError):
        raise Refused("X_VALUE_WRONG", "Write a day as 2023-10-07.") from None


def _must_be_two(said: Mapping[str, Any], role: str) -> None:
    if role in TWO_FOR and not said.get("second"):
        raise Refused("X_SECOND_PERSON_REQUIRED", "To make somebody manager, auditor or witness takes two people.")


def _actor(person: str) -> str:
    found = next(row for row in the_gate().door.people() if row.id == person)
    return found.actor


def _said() -> Mapping[str, Any]:
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise Refused("X_VALUE_WRONG", "A form is sent as JSON. Load the page again.")
    return body


def _text(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name, "")
    if not isinstance(value, str) or len(value) > 300 or not (value.isprintable() or not value):
        raise Refused("X_VALUE_WRONG", f"What was sent as {name} cannot be read. Load the page again.")
    return value
