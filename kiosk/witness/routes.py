"""The witness's page and acts: `/witness`. A manager and an auditor see the same; acts are the witness's alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from draw_engine.errors import Refused
from draw_engine.service import access_notes, entropy, witnessing
from draw_engine.service.engine import Engine, OpenDraw
from kiosk.console.pages import nav
from kiosk.core import Core
from kiosk.screens.view import House
from kiosk.sign_in.access import staff as for_staff
from kiosk.sign_in.whom import me, me_for_page
from kiosk.witness.view import statement, witness_snapshot
from web_display.catalogue import page_words

_LOOK = ("witness", "manager", "auditor")
_MOST_BYTES = 20_000
_MOST_SLIPS = 100
_HIGHEST = 2**53 - 1
_SPACES = re.compile(r"\s+")


def witness_routes(core: Core, house: House) -> Blueprint:
    """`/witness`, its last message, and what the witness does there."""
    routes = Blueprint("witness", __name__)

    @routes.get("/witness")
    @for_staff(*_LOOK)
    def page() -> str:
        person = me_for_page()
        return render_template(
            "witness.html",
            assets="/static/console",
            bundle="witness",
            property_name=house.property_name,
            words=page_words("witness"),
            pages=nav("witness", person.get("role", "")),
            me=person,
        )

    @routes.get("/witness/snapshot.json")
    @for_staff(*_LOOK)
    def snapshot() -> Response:
        return _unkept(core.ask(lambda engine: witness_snapshot(engine, house)))

    @routes.post("/witness/watch")
    @for_staff("witness")
    def watch() -> Response:
        by, said = me().id, _said("draw")
        core.ask(lambda engine: witnessing.watch(engine, engine.draw(said["draw"]), by=by))
        return jsonify({"ok": True})

    _dice_route(routes, core)
    _certificate_routes(routes, core, house)
    return routes


def _dice_route(routes: Blueprint, core: Core) -> None:
    @routes.post("/witness/dice")
    @for_staff("witness")
    def dice() -> Response | tuple[Response, int]:
        by, said = me().id, _said("draw", "source", "text")
        text = _SPACES.sub("", said["text"])  # typed in fives, a beacon's line folded: spaces say nothing

        def give(engine: Engine) -> str | None:
            draw = engine.draw(said["draw"])
            asked = entropy.require_open(draw.state, said["source"])
            fault = entropy.fault_of_text(asked, text)
            if fault is None:
                witnessing.give(engine, draw, source=said["source"], text=text, by=by)
            return fault

        fault = core.ask(give)
        return _faulty({"text": fault}) if fault else jsonify({"ok": True})


def _certificate_routes(routes: Blueprint, core: Core, house: House) -> None:
    @routes.post("/witness/statement")
    @for_staff("witness")
    def read_through() -> Response | tuple[Response, int]:
        """The sentences as they would be certified; nothing is kept."""
        said, own, slips = _certificate_said()
        faults = witnessing.faults_of_certificate(**own)
        if faults:
            return _faulty(faults)
        sentences = core.ask(lambda e: statement(e, e.draw(said["draw"]), house, **own, slips=_known(e, said, slips)))
        return _unkept({"ok": True, "statement": sentences})

    @routes.post("/witness/certify")
    @for_staff("witness")
    def certify() -> Response | tuple[Response, int]:
        by = me().id
        said, own, slips = _certificate_said()
        faults = witnessing.faults_of_certificate(**own)
        if faults:
            return _faulty(faults)

        def act(engine: Engine) -> Mapping[str, Any]:
            draw, compared = engine.draw(said["draw"]), _known(engine, said, slips)
            text = "\n".join(statement(engine, draw, house, **own, slips=compared))
            made = witnessing.certify(engine, draw, **own, statement=text, slips=compared, by=by)
            return _shown(made)

        return _unkept({"ok": True, "certificate": core.ask(act)})

    @routes.post("/witness/certificate")
    @for_staff(*_LOOK)
    def certificate() -> Response:
        """The certificate, opened. It names a person: every reading is kept in the table of look-ups."""
        who, said = me().actor, _said("draw")
        return _unkept({"ok": True, "certificate": core.ask(lambda engine: _read(engine, said["draw"], who))})


def _read(engine: Engine, draw_id: str, who: str) -> Mapping[str, Any]:
    draw = engine.draw(draw_id)
    kept = witnessing.certificate_of(engine, draw)
    if kept is None:
        raise Refused("X_NO_CERTIFICATE", "This draw has no certificate.")
    access_notes.note(engine, who=who, act="paper.read", about=access_notes.about_of(engine, f"certificate:{draw_id}"))
    return _shown(kept)


def _shown(made: witnessing.Certificate) -> dict[str, Any]:
    facts = {name: made.facts[name] for name in ("name", "profession", "number", "draw", "title")}
    return {**facts, "at": made.at, "statement": made.facts["statement"].split("\n"), "sha256": made.sha256}


def _certificate_said() -> tuple[dict[str, str], dict[str, str], list[int]]:
    said = _said("draw", "name", "profession", "number")
    return said, {name: said[name] for name in ("name", "profession", "number")}, _slips()


def _known(engine: Engine, said: Mapping[str, str], slips: list[int]) -> list[int]:
    """Of the checkpoints said to be compared, those of this draw."""
    draw: OpenDraw = engine.draw(said["draw"])
    head = engine.store.head()
    last = draw.state.closed_seq or (head.seq if head else 0)
    return sorted({one.seq for one in engine.store.checkpoints(draw.state.opened_seq, last)} & set(slips))


def _slips() -> list[int]:
    slips: Any = _body().get("slips", [])
    sound = isinstance(slips, list) and len(slips) <= _MOST_SLIPS
    if not sound or any(type(seq) is not int or not 0 < seq <= _HIGHEST for seq in slips):
        raise Refused("X_VALUE_WRONG", "Which slips were compared cannot be read. Load the page again.")
    return list(slips)


def _body() -> Mapping[str, Any]:
    if (request.content_length or 0) > _MOST_BYTES:
        raise Refused("X_TOO_LARGE", "This is more than a witness can have typed. Load the page again.")
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise Refused("X_VALUE_WRONG", "What was sent cannot be read. Load the page again.")
    return body


def _said(*names: str) -> dict[str, str]:
    body = _body()
    said = {name: body.get(name, "") for name in names}
    if any(not isinstance(value, str) or len(value) > 500 for value in said.values()):
        raise Refused("X_VALUE_WRONG", "What was sent cannot be read. Load the page again.")
    return said


def _faulty(faults: Mapping[str, str]) -> tuple[Response, int]:
    """What is wrong, by field: the page says each beside its own."""
    return jsonify({"code": "X_VALUE_WRONG", "sentence": next(iter(faults.values())), "faults": dict(faults)}), 409


def _unkept(said: Mapping[str, Any]) -> Response:
    answer = jsonify(said)
    answer.headers["Cache-Control"] = "no-store"
    return answer
