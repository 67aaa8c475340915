"""Copies of identification papers at the desks: kept, listed, shown one at a time. Every showing is noted first.

A picture comes as the request's whole body and goes out as the answer's; no browser stores it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, Response, jsonify, request

from draw_engine.errors import Refused
from draw_engine.service import access_notes, paper_copies
from draw_engine.service.copy_ports import PaperCopy
from draw_engine.service.engine import Engine
from draw_engine.service.paper_copies import KEEPERS, MOST_BYTES, Under
from kiosk.core import Core
from kiosk.desk.tray_view import name_of
from kiosk.screens.view import current_book
from kiosk.sign_in.access import staff as for_staff
from kiosk.sign_in.access import the_gate
from kiosk.sign_in.whom import me
from kiosk.web_requests import whole_body
from web_display import screens
from web_display.console_messages import StaffMember

_WORKS = tuple(sorted(KEEPERS))
_MOST_SAID = 2_000


def desk_paper_routes(core: Core, staff: Sequence[StaffMember]) -> Blueprint:
    """`/desk/papers`: what is kept under an entry or a held prize, one more of it, and a look at one."""
    routes = Blueprint("desk_papers", __name__)

    @routes.after_request
    def keep_nothing(response: Response) -> Response:
        response.headers["Cache-Control"] = "no-store"
        return response

    @routes.post("/desk/papers")
    @for_staff(*_WORKS)
    def listed() -> Response:
        under, names = Under.read(_text("under")), {person.id: person.name for person in staff}
        return jsonify({"ok": True, "papers": core.ask(lambda engine: _lines(engine, under, names))})

    @routes.post("/desk/papers/keep/<path:under>")
    @for_staff(*_WORKS)
    def keep(under: str) -> Response:
        by, device, to = me(), _device(), Under.read(under)
        picture = whole_body(MOST_BYTES, "The picture is larger than 2 MB. Take it again with fewer pixels.")

        def kept(engine: Engine) -> int:
            number = paper_copies.keep(engine, to, picture, by=by.id, now=engine.now())
            _note(engine, "paper.kept", to, by.actor, device)
            return number

        return jsonify({"ok": True, "n": core.ask(kept)})

    @routes.post("/desk/papers/read")
    @for_staff(*_WORKS)
    def read() -> Response:
        under, number, who, device = Under.read(_text("under")), _number(), me().actor, _device()

        def shown(engine: Engine) -> tuple[bytes, str]:
            kept = paper_copies.copy(engine, under, number)
            _note(engine, "paper.read", under, who, device)
            return paper_copies.opened(engine, kept), kept.media

        picture, media = core.ask(shown)
        answer = Response(picture, mimetype=media)
        answer.headers["Content-Disposition"] = "attachment"  # opened by itself it is no page of ours
        return answer

    return routes


def _lines(engine: Engine, under: Under, names: dict[str, str]) -> list[dict[str, Any]]:
    zone = current_book(engine, engine.now()).zone
    return [_line(one, zone, names) for one in paper_copies.copies(engine, under)]


def _line(kept: PaperCopy, zone: str, names: dict[str, str]) -> dict[str, Any]:
    there = screens.local(kept.at, zone)
    at_text = f"{there.day} {there:%B}, {there:%H:%M}"
    return {"n": kept.id, "at_text": at_text, "by": name_of(kept.by, names), "media": kept.media}


def _note(engine: Engine, act: str, under: Under, who: str, device: str) -> None:
    access_notes.note(engine, who=who, act=act, device=device, about=access_notes.about_of(engine, str(under)))


def _device() -> str:
    device = the_gate().device()
    return "" if device is None else device.id


def _said() -> dict[str, Any]:
    if (request.content_length or 0) > _MOST_SAID:
        raise Refused("X_TOO_LARGE", "This is more than can be asked here. Load the page again.")
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise _unreadable()
    return body


def _text(name: str) -> str:
    value = _said().get(name)
    if not isinstance(value, str):
        raise _unreadable()
    return value


def _number() -> int:
    value = _said().get("n")
    if type(value) is not int or not 0 < value < 2**31:
        raise _unreadable()
    return value


def _unreadable() -> Refused:
    return Refused("X_VALUE_WRONG", "What was sent cannot be read. Load the page again.")
