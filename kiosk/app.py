"""The Flask application and its sockets: routes, refusals as JSON or a page, the push after every commit."""

from __future__ import annotations

import errno
import io
import logging
import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import structlog
from flask import Blueprint, Flask, Response, jsonify, redirect, render_template, request, send_from_directory
from flask_socketio import SocketIO, join_room
from sqlalchemy.exc import OperationalError
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

import web_display
from draw_engine.errors import Refused, RuleBroken
from draw_engine.lists import ListFaults
from draw_engine.log import Entry
from draw_engine.records import AUDITOR
from draw_engine.service import house
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.publishing import COPIES, auditor_pack, published_copy
from kiosk.access import from_this_machine, guard, loopback, require_rules
from kiosk.console_view import console_snapshot, open_draw
from kiosk.core import Core, where
from kiosk.intake import intake_routes
from kiosk.screen_view import House, current_book, screen_snapshot
from web_display.catalogue import page_words
from web_display.console_messages import StaffMember
from web_display.push import Pusher, Room

_log = structlog.get_logger(__name__)
CONSOLE = Room("/console", "console")
_STATUS = {
    "X_NO_PERMISSION": 403,
    "X_TOO_LARGE": 413,
    "X_CORE_STOPPED": 503,
    "X_TRY_AGAIN": 503,
    "X_NO_SUCH_DRAW": 404,
    "X_NO_SUCH_SCREEN": 404,
}


_DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

MOST_BYTES = 64_000_000
"""A request may not be larger: the longest list of members is."""


def screen_room(name: str) -> Room:
    """The room of a floor screen."""
    return Room("/screens", name)


class Pages:
    """The application of one core. `screens`: names of the floor screens; `staff`: who may be picked."""

    def __init__(
        self,
        core: Core,
        *,
        house: House,
        tokens: Mapping[str, str],
        screens: Mapping[str, str],
        staff: Sequence[StaffMember],
        read_segment: Callable[[str], bytes],
        site_toml: bytes,
        state_dir: Path | None = None,
    ) -> None:
        self.core = core
        self.house = house
        self.screens = dict(screens)
        self.staff = tuple(staff)
        self.read_segment = read_segment
        self.site_toml = site_toml
        self.state_dir = state_dir
        self.app = Flask(__name__, static_folder="static", static_url_path="/static/console")
        self.app.config["MAX_CONTENT_LENGTH"] = MOST_BYTES
        loopback(self.app.view_functions["static"])
        self.sockets = SocketIO(
            self.app,
            async_mode="threading",
            cors_allowed_origins=None,
            serve_client=False,
            engineio_logger=logging.getLogger("engineio"),
            namespaces=["/screens", "/console"],  # without them anybody is let into the usual one
            # A cut network is noticed, and marked on the screen, within six seconds.
            ping_interval=3,
            ping_timeout=3,
        )
        self.pusher = Pusher(self._emit, self._producers())
        self._phase: object = None
        self.app.register_blueprint(intake_routes(core, tokens))
        self.app.register_blueprint(self._screen_routes())
        self.app.register_blueprint(self._console_routes())
        self.app.register_blueprint(self._draw_routes())
        self._refusals()
        self._connections()
        guard(self.app)
        require_rules(self.app)

    # -- the push ----------------------------------------------------------------------------------------------

    def _emit(self, event: str, data: Mapping[str, Any], *, namespace: str, room: str) -> None:
        self.sockets.emit(event, data, namespace=namespace, to=room)

    def _producers(self) -> dict[Room, Callable[[], Mapping[str, Any]]]:
        def for_screen() -> Mapping[str, Any]:
            return self.core.ask(lambda engine: screen_snapshot(engine, self.house)).as_json()

        def for_console() -> Mapping[str, Any]:
            return self.core.ask(lambda engine: console_snapshot(engine, self.house, self.staff)).as_json()

        return {CONSOLE: for_console, **{screen_room(name): for_screen for name in self.screens}}

    def follow(self, engine: Engine) -> None:
        """Be told of every commit of this engine."""
        engine.listeners.append(self._committed)

    def _committed(self, _entries: Sequence[Entry]) -> None:
        self.pusher.changed()

    def mind_phase(self, engine: Engine) -> None:
        """Push when time alone has changed what is shown: a session begins, a part is over, a feed falls silent."""
        now = engine.now()
        phase: list[object] = [engine.feed_states.copy(), engine.gaming_day(now)]
        for draw in engine.draws.values():
            state = draw.state
            if state.closed_at is None:
                part = (now - state.start) * len(state.places) // max(1, state.end - state.start)
                phase.append((state.id, now >= state.start, now >= state.end, part))
        if phase != self._phase:
            self._phase = phase
            self.pusher.changed()

    def _connections(self) -> None:
        def screen_connects(auth: Any = None) -> bool:
            name = auth.get("screen") if isinstance(auth, dict) else None
            if name not in self.screens or not from_this_machine():
                return False
            join_room(name)
            return self.pusher.greet(screen_room(name), request.sid)  # type: ignore[attr-defined]

        def console_connects(_auth: Any = None) -> bool:
            if not from_this_machine():
                return False
            join_room(CONSOLE.name)
            return self.pusher.greet(CONSOLE, request.sid)  # type: ignore[attr-defined]

        self.sockets.on_event("connect", screen_connects, namespace="/screens")
        self.sockets.on_event("connect", console_connects, namespace="/console")

    # -- pages -------------------------------------------------------------------------------------------------

    def _screen_routes(self) -> Blueprint:
        here = Path(web_display.__file__).parent
        routes = Blueprint("screens", "web_display", template_folder=str(here / "templates"))

        @routes.get("/screens/<name>")
        @loopback
        def screen(name: str) -> str:
            if name not in self.screens:
                raise Refused("X_NO_SUCH_SCREEN", f"There is no screen {name}. Name it in site.toml under [[screen]].")
            return render_template(
                "screen.html",
                assets="/static/screens",
                screen=name,
                property_name=self.house.property_name,
                promotion_title=self.core.ask(lambda engine: current_book(engine, engine.now()).title),
                words=page_words("screen"),
            )

        @routes.get("/static/screens/<path:file>")
        @loopback
        def screen_static(file: str) -> Response:
            return send_from_directory(here / "static", file)

        return routes

    def _console_routes(self) -> Blueprint:
        routes = Blueprint("console", __name__)

        @routes.get("/")
        @loopback
        def start() -> BaseResponse:
            return redirect("/console")

        @routes.get("/console")
        @loopback
        def console() -> str:
            return render_template(
                "console.html",
                assets="/static/console",
                property_name=self.house.property_name,
                promotion_title=self.core.ask(lambda engine: current_book(engine, engine.now()).title),
                words=page_words("console"),
                actions="/console",
            )

        @routes.post("/console/feeds/<feed>/exclude")
        @loopback
        def exclude(feed: str) -> Response:
            said = _said()
            self.core.ask(lambda engine: house.exclude_feed(engine, _open_draw(engine), feed, **said))
            return jsonify({"ok": True})

        @routes.post("/console/session/suspend")
        @loopback
        def suspend() -> Response:
            said = _said()
            self.core.ask(lambda engine: house.suspend(engine, _open_draw(engine), **said))
            return jsonify({"ok": True})

        @routes.post("/console/session/resume")
        @loopback
        def resume() -> Response:
            said = _said()
            self.core.ask(lambda engine: house.resume(engine, _open_draw(engine), **said))
            return jsonify({"ok": True})

        @routes.post("/lists/<kind>")
        @loopback
        def load_list(kind: str) -> Response:
            content = request.get_data(cache=False)
            by = request.args.get("by", "")
            self._must_be(request.args.get("core", ""))
            rows = self.core.ask(lambda engine: house.load_list_by(engine, kind, content, by=by))
            return jsonify({"ok": True, "rows": rows})

        @routes.post("/exclusions")
        @loopback
        def exclude_guest() -> Response:
            said = request.get_json(silent=True)
            if not isinstance(said, dict):
                raise Refused("X_VALUE_WRONG", "Send JSON with member, category, from, to and by.")
            first, last = _day_of(said, "from"), _day_of(said, "to") if said.get("to") else None
            if first is None:
                raise Refused("X_VALUE_WRONG", "Say from which day it holds, as 2023-10-13.")
            member, category, by = (str(said.get(name) or "") for name in ("member", "category", "by"))
            rows = self.core.ask(
                lambda engine: house.exclude_guest(engine, member, category, first=first, last=last, by=by)
            )
            return jsonify({"ok": True, "rows": rows})

        return routes

    def _must_be(self, state_dir: str) -> None:
        """Refuse what was meant for another site's core: two may run on one machine, the demo's among them."""
        if state_dir and self.state_dir is not None and state_dir != str(self.state_dir.resolve()):
            raise Refused(
                "X_OTHER_CORE",
                "The core that answers here is another site's; nothing was changed. "
                "Give --core with the address of your own, or --site with this one's settings.",
            )

    def _draw_routes(self) -> Blueprint:
        routes = Blueprint("draws", __name__)

        @routes.get("/draws/<path:draw_id>/record.zip")
        @loopback
        def record(draw_id: str) -> Response:
            copy = request.args.get("copy", "public")
            if copy not in COPIES:
                raise Refused("X_NO_SUCH_COPY", "Ask for copy=public or copy=auditor.")
            # Off the engine's thread: a closed draw changes no more, and packing it must not hold up a selection.
            engine, draw = self.core.ask(lambda engine: (engine, engine.draw(draw_id)))
            files = self._copy(engine, draw, copy)
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, data in files.items():
                    archive.writestr(name, data)
            name = f"{draw_id.replace('/', '_')}-{copy}.zip"
            return Response(
                packed.getvalue(),
                mimetype="application/zip",
                headers={"Content-Disposition": f'attachment; filename="{name}"'},
            )

        return routes

    def _copy(self, engine: Engine, draw: OpenDraw, copy: str) -> dict[str, bytes]:
        files = published_copy(engine, draw, copy)
        if copy == AUDITOR:
            try:
                files |= auditor_pack(engine, draw, read_segment=self.read_segment, site_toml=self.site_toml)
            except FileNotFoundError:
                sentence = "The floor journal of this draw is gone: put its file back. The public copy does without."
                raise Refused("X_NO_JOURNAL", sentence) from None
        return files

    def _refusals(self) -> None:
        def refused(refusal: Refused) -> tuple[Response, int]:
            status = _STATUS.get(refusal.code, 409)
            if refusal.code == "X_NO_PERMISSION" and request.path.startswith("/floor-"):
                status = 401
            return jsonify({"code": refusal.code, "sentence": refusal.sentence}), status

        def faulty(found: ListFaults) -> tuple[Response, int]:
            lines = [f"line {fault.line}, {fault.column or 'file'}: {fault.sentence}" for fault in found.faults]
            return jsonify({"code": "X_LIST_FAULTS", "sentence": "\n".join([str(found), *lines])}), 422

        def busy(_trouble: OperationalError) -> tuple[Response, int]:
            sentence = "The database cannot be written just now; nothing was changed. Try again in a moment."
            return jsonify({"code": "X_TRY_AGAIN", "sentence": sentence}), 503

        def full(trouble: OSError) -> BaseResponse | tuple[Response, int]:
            if trouble.errno not in _DISK_FULL:
                return broken(trouble)
            sentence = "The disk of the core cannot take more; nothing was kept. Free some space, then send again."
            return jsonify({"code": "X_DISK_FULL", "sentence": sentence}), 503

        def broken(fault: Exception) -> BaseResponse | tuple[Response, int]:
            if isinstance(fault, HTTPException):
                sentence = fault.description or fault.name
                return jsonify({"code": f"X_HTTP_{fault.code}", "sentence": sentence}), fault.code or 500
            # The kind and the place only: a fault's text may hold a guest's number.
            _log.error("request.failed", kind=type(fault).__name__, where=where(fault))
            sentence = "Something went wrong here; nothing was changed. Tell the technician the time."
            return jsonify({"code": "X_FAULT", "sentence": sentence}), 500

        self.app.register_error_handler(Exception, broken)
        self.app.register_error_handler(Refused, refused)
        self.app.register_error_handler(ListFaults, faulty)
        self.app.register_error_handler(OperationalError, busy)

        def late(_trouble: TimeoutError) -> tuple[Response, int]:
            sentence = "The core has not finished this yet. Look whether it was done before you try again."
            return jsonify({"code": "X_TRY_AGAIN", "sentence": sentence}), 503

        def stopped(_fault: RuleBroken) -> tuple[Response, int]:
            sentence = self.core.broken or "The core could not do this; nothing was changed. Tell who looks after it."
            return jsonify({"code": "X_CORE_STOPPED", "sentence": sentence}), 503

        self.app.register_error_handler(OSError, full)
        self.app.register_error_handler(TimeoutError, late)
        self.app.register_error_handler(RuleBroken, stopped)


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
        raise Refused("X_REASON_REQUIRED", "Send JSON with by, second and reason.")
    return {name: str(body.get(name) or "") for name in ("by", "second", "reason")}


def _open_draw(engine: Engine) -> OpenDraw:
    found = open_draw(engine.draws.values(), engine.now())
    if found is None:
        raise Refused("SS_OUTSIDE_SESSION", "No session is open now; there is nothing to change.")
    return found
