"""Signing in and out, choosing a secret, enrolling a device: the pages and what they send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from draw_engine.errors import Refused
from kiosk.console.pages import HOME
from kiosk.screens.view import House
from kiosk.sign_in.access import ROLES, public, staff, the_gate
from kiosk.sign_in.door import ELSEWHERE, HERE, ends_at
from kiosk.sign_in.whom import me, me_for_page
from kiosk.sign_in.words import for_every_page, page_words
from web_display.catalogue import say

MOST_BYTES = 4_000


def sign_in_routes(house: House) -> Blueprint:
    """`/sign-in`, `/sign-out`, `/me`, `/enrol`."""
    routes = Blueprint("sign_in", __name__)
    routes.app_context_processor(for_every_page)
    routes.app_context_processor(lambda: {"demo_sign": say("page.console.demo") if house.demo else ""})

    @routes.after_request
    def keep_nothing(answer: Response) -> Response:
        answer.headers["Cache-Control"] = "no-store"
        return answer

    @routes.get("/sign-in")
    @public
    def page() -> str:
        gate, known = the_gate(), me_for_page()
        known_here = sorted((row for row in gate.door.people() if row.secret), key=lambda row: ROLES.index(row.role))
        people = [{"id": row.id, "name": row.name, "role": row.role} for row in known_here]
        return render_template(
            "sign_in.html",
            assets="/static/console",
            property_name=house.property_name,
            words=page_words("sign_in"),
            to=_own_path(request.args.get("to", "")),
            me=known,
            must_change=bool(known) and gate.door.must_change(known["id"]),
            # Where nothing is at stake a newcomer is told whom to sign in as.
            demo={"people": people, "secret": house.demo_secret} if house.demo_secret else None,
        )

    @routes.post("/sign-in")
    @public
    def sign_in() -> Response:
        said, gate = _said(), the_gate()
        gate.door.sign_out(gate.token())  # who comes in on this machine sends the last one out
        token = gate.door.sign_in(_text(said, "number"), _text(said, "secret"), **gate.place())
        row = gate.door.sign_in_of(token, gate.now())
        if row is None:
            raise Refused("X_NOT_SIGNED_IN", "The sign-in has ended already. Sign in again.")
        person = gate.door.person(row)
        told = {"ok": True, "to": _goes_to(_text(said, "to"), person.role)}
        answer = jsonify({**told, "must_change": gate.door.must_change(person.id)})
        return gate.give(answer, token)

    @routes.post("/sign-out")
    @public
    def sign_out() -> Response:
        gate = the_gate()
        gate.door.sign_out(gate.token())
        return gate.give(jsonify({"ok": True}), "")

    @routes.post("/sign-in/secret")
    @public
    def secret() -> Response:
        said, gate, person = _said(), the_gate(), me()
        place = gate.place()
        where = HERE if place["here"] else ELSEWHERE if place["device"] is None else place["device"].id
        gate.door.change_secret(
            person.id,
            _text(said, "old"),
            _text(said, "new"),
            address=place["address"],
            place=where,
            token=gate.token(),
        )
        return jsonify({"ok": True, "to": _goes_to(_text(said, "to"), person.role)})

    @routes.get("/me")
    @staff(*ROLES)
    def who() -> Response:
        return jsonify(_me(used=False))

    @routes.post("/sign-in/stay")
    @staff(*ROLES)
    def stay() -> Response:
        return jsonify({"ok": True, **_me(used=True)})

    _enrol_routes(routes, house)
    return routes


def _enrol_routes(routes: Blueprint, house: House) -> None:
    @routes.get("/enrol")
    @public
    def enrol_page() -> str:
        device = the_gate().device()
        return render_template(
            "enrol.html",
            assets="/static/console",
            property_name=house.property_name,
            words=page_words("enrol"),
            device=None if device is None else {"kind": device.kind, "title": device.title},
        )

    @routes.post("/enrol")
    @public
    def enrol() -> Response:
        gate = the_gate()
        token, row = gate.door.enrol(_text(_said(), "code"), address=request.remote_addr or "")
        to = f"/screens/{row.title}" if row.kind == "screen" else "/sign-in"
        answer = jsonify({"ok": True, "device": {"id": row.id, "kind": row.kind, "title": row.title}, "to": to})
        return gate.give_device(answer, token)


def _me(*, used: bool) -> dict[str, Any]:
    gate = the_gate()
    row = gate.sign_in(used=used)
    if row is None:
        raise Refused("X_NOT_SIGNED_IN", "Sign in first; what you did is not lost.")
    person, device = gate.door.person(row), gate.device()
    return {
        "id": person.id,
        "name": person.name,
        "role": person.role,
        "device": None if device is None else {"id": device.id, "kind": device.kind, "title": device.title},
        "ends_at": ends_at(row, person.role),
        "server_now": gate.now(),
        "this_machine": gate.place()["here"],
    }


def _goes_to(to: str, role: str) -> str:
    return _own_path(to) or HOME[role]


def _own_path(to: str) -> str:
    """A path of this server, or "": an address of another one would send people, just signed in, elsewhere."""
    is_ours = to.startswith("/") and not to.startswith(("//", "/\\")) and to.isprintable() and len(to) <= 300
    return to if is_ours and "\\" not in to and not to.startswith("/sign-in") and to != "/" else ""


def _said() -> Mapping[str, Any]:
    if (request.content_length or 0) > MOST_BYTES:
        raise Refused("X_TOO_LARGE", "This is more than a sign-in can hold.")
    try:
        body = request.get_json(silent=True)
    except RecursionError:
        body = None
    if not isinstance(body, dict):
        raise Refused("X_VALUE_WRONG", "A sign-in is sent as JSON. Load the page again.")
    return body


def _text(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name, "")
    if not isinstance(value, str) or len(value) > 300 or any("\ud800" <= sign <= "\udfff" for sign in value):
        raise Refused("X_VALUE_WRONG", f"What was sent as {name} cannot be read. Load the page again.")
    return value
