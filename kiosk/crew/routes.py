"""The tablets' pages: `/crew` and `/stage`, their last message, the floor's map and the worker that keeps them.

A press does not come here: it goes through the one door, `POST /presses` (kiosk/crew/presses.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, jsonify, render_template

from kiosk.core import Core
from kiosk.crew.floor import floor_map
from kiosk.crew.view import crew_snapshot, stage_snapshot
from kiosk.crew.words import page_words
from kiosk.screens.view import House
from kiosk.sign_in.access import staff as for_staff
from kiosk.sign_in.whom import me_for_page
from web_display.console_messages import StaffMember

Message = Mapping[str, Any]
_WORKER = Path(__file__).parents[1] / "static" / "press_worker.js"


def crew_routes(core: Core, house: House, staff: Sequence[StaffMember]) -> Blueprint:
    """The routes of the tablets of a core."""
    return tablet_routes(
        messages={
            "crew": lambda: core.ask(lambda engine: crew_snapshot(engine, house, staff)),
            "stage": lambda: core.ask(lambda engine: stage_snapshot(engine, house, staff)),
        },
        floor=lambda: core.ask(floor_map),
    )


def tablet_routes(
    *,
    messages: Mapping[str, Callable[[], Message]],
    floor: Callable[[], Message],
    assets: str = "/static/console",
) -> Blueprint:
    """The same over any source: a page's whole message by its name, and the map."""
    routes = Blueprint("tablets", __name__)
    for name, message in messages.items():
        _page_routes(routes, name, message, assets)

    @routes.get("/crew/floor.json")
    @for_staff("crew", "stage", "manager")
    def floor_json() -> Response:
        return jsonify(floor())

    return routes


_MAY = {"crew": ("crew", "manager"), "stage": ("stage", "crew", "manager")}
"""Whose each page is; a page of another name is nobody's."""


def _page_routes(routes: Blueprint, name: str, message: Callable[[], Message], assets: str) -> None:
    may = for_staff(*_MAY[name])

    @routes.get(f"/{name}", endpoint=name)
    @may
    def page() -> str:
        return render_template(f"{name}.html", assets=assets, words=page_words(name), me=me_for_page())

    @routes.get(f"/{name}/snapshot.json", endpoint=f"{name}_snapshot")
    @may
    def snapshot() -> Response:
        answer = jsonify(message())
        answer.headers["Cache-Control"] = "no-store"
        return answer

    @routes.get(f"/{name}/worker.js", endpoint=f"{name}_worker")
    @may
    def worker() -> Response:
        """The page's own worker: it may see to this page's address and no other."""
        answer = Response(_WORKER.read_text(encoding="utf-8"), mimetype="text/javascript")
        answer.headers["Service-Worker-Allowed"] = f"/{name}"
        answer.headers["Cache-Control"] = "no-cache"
        return answer
