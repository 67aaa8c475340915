"""The console's routes: the page, what two people decide of a session, and the lists the floor is judged by."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, jsonify, redirect, render_template, request
from werkzeug.wrappers import Response as BaseResponse

from draw_engine.errors import Refused
from draw_engine.service import clock_override, house
from draw_engine.service.engine import Engine, OpenDraw
from kiosk.console.pages import HOME, nav
from kiosk.console.view import open_draw
from kiosk.core import Core
from kiosk.screens.view import current_book
from kiosk.sign_in.access import public, staff, the_gate
from kiosk.sign_in.whom import acting, me, me_for_page
from kiosk.web_requests import whole_body
from web_display.catalogue import page_words

MOST_LIST_BYTES = 64_000_000
"""The longest list of members."""


def console_routes(core: Core, *, property_name: str, state_dir: Path | None) -> Blueprint:
    """`/console` and what is done there; lists and exclusions. `state_dir`: whose core this is."""
    routes = Blueprint("console", __name__)

    @routes.get("/")
    @public
    def start() -> BaseResponse:
        me = me_for_page()
        return redirect(HOME[me["role"]] if me else "/sign-in")

    @routes.get("/console")
    @staff("manager", "auditor")
    def console() -> str:
        return render_template(
            "console.html",
            assets="/static/console",
            property_name=property_name,
            promotion_title=core.ask(lambda engine: current_book(engine, engine.now()).title),
            words=page_words("console"),
            actions="/console",
            pages=nav("console", me_for_page().get("role", "")),
            me=me_for_page(),
        )

    @routes.post("/console/feeds/<feed>/exclude")
    @staff("manager")
    def exclude(feed: str) -> Response:
        said = _said()
        core.ask(lambda engine: house.exclude_feed(engine, _open_draw(engine), feed, **said))
        return jsonify({"ok": True})

    @routes.post("/console/session/suspend")
    @staff("manager")
    def suspend() -> Response:
        said = _said()
        core.ask(lambda engine: house.suspend(engine, _open_draw(engine), **said))
        return jsonify({"ok": True})

    @routes.post("/console/session/end")
    @staff("manager")
    def end() -> Response:
        said = _said()
        core.ask(lambda engine: house.end_early(engine, _open_draw(engine), **said))
        return jsonify({"ok": True})

    @routes.post("/console/session/open")
    @staff("manager")
    def open_all_the_same() -> Response:
        """Open a session that the machine's clock alone keeps from opening (X-02)."""
        said = request.get_json(silent=True)
        draw, reason = (str(said.get(key) or "") if isinstance(said, dict) else "" for key in ("draw", "reason"))
        by = me().id
        core.ask(lambda engine: clock_override.open_all_the_same(engine, draw, by=by, reason=reason, now=engine.now()))
        return jsonify({"ok": True})

    @routes.post("/console/session/resume")
    @staff("manager")
    def resume() -> Response:
        said = _said()
        core.ask(lambda engine: house.resume(engine, _open_draw(engine), **said))
        return jsonify({"ok": True})

    _list_routes(routes, core, state_dir)
    return routes


def _list_routes(routes: Blueprint, core: Core, state_dir: Path | None) -> None:
    @routes.post("/lists/<kind>")
    @staff("manager", machine=True)
    def load_list(kind: str) -> Response:
        content = whole_body(MOST_LIST_BYTES, "A list may have 64 MB at most. See whether it is the right file.")
        by = request.args.get("by", "") if the_gate().is_command() else me().id
        _must_be(request.args.get("core", ""), state_dir)
        rows = core.ask(lambda engine: house.load_list_by(engine, kind, content, by=by))
        return jsonify({"ok": True, "rows": rows})

    @routes.post("/exclusions")
    @staff("manager", "desk", "customer_services")
    def exclude_guest() -> Response:
        said = request.get_json(silent=True)
        if not isinstance(said, dict):
            raise Refused("X_VALUE_WRONG", "Send JSON with member, category, from and to.")
        said = acting(said)
        first, last = _day_of(said, "from"), _day_of(said, "to") if said.get("to") else None
        if first is None:
            raise Refused("X_VALUE_WRONG", "Say from which day it holds, as 2023-10-13.")
        member, category, by = (str(said.get(name) or "") for name in ("member", "category", "by"))
        rows = core.ask(lambda engine: house.exclude_guest(engine, member, category, first=first, last=last, by=by))
        return jsonify({"ok": True, "rows": rows})


def _must_be(asked: str, state_dir: Path | None) -> None:
    """Refuse what was meant for another site's core: two may run on one machine, the demo's among them."""
    if asked and state_dir is not None and asked != str(state_dir.resolve()):
        raise Refused(
            "X_OTHER_CORE",
            "The core that answers here is another site's; nothing was changed. "
            "Give --core with the address of your own, or --site with this one's settings.",
        )


def _day_of(said: Mapping[str, Any], name: str) -> date | None:
    text = said.get(name)
    if not text:
        return None
    try:
        return date.fromisoformat(str(text))
    except ValueError:
        raise Refused("X_VALUE_WRONG", f"Write the day {name} as 2023-10-13.") from None


def _said() -> dict[str, str]:
    """{by, second, reason} of a JSON body. Refused when it is no such thing."""
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise Refused("X_REASON_REQUIRED", "Send JSON with second, second_secret and reason.")
    body = acting(body)
    return {name: str(body.get(name) or "") for name in ("by", "second", "reason")}


def _open_draw(engine: Engine) -> OpenDraw:
    found = open_draw(engine.draws.values(), engine.now())
    if found is None:
        raise Refused("SS_OUTSIDE_SESSION", "No session is open now; there is nothing to change.")
    return found
