"""The Flask application and its sockets: which pages there are, who is in which room, the push after every commit."""

from __future__ import annotations

import io
import logging
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, Response, render_template, request, send_from_directory
from flask_socketio import SocketIO

import web_display
from draw_engine.errors import Refused
from draw_engine.log import Entry
from draw_engine.records import AUDITOR
from draw_engine.service import access_notes
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.publishing import COPIES, auditor_pack, published_copy
from kiosk.console.roster import roster_routes
from kiosk.console.routes import console_routes
from kiosk.console.view import console_snapshot
from kiosk.core import Core
from kiosk.crew.presses import press_routes
from kiosk.desk.view import desk_phase
from kiosk.draw_log.verify import RECORD_FILES
from kiosk.intake import intake_routes
from kiosk.printing.view import Printers
from kiosk.refusals import refusals
from kiosk.screens.view import House, current_book, screen_pictures, screen_snapshot
from kiosk.sign_in.access import Gate, guard, public, require_rules
from kiosk.sign_in.access import screen as for_screen
from kiosk.sign_in.access import staff as for_staff
from kiosk.sign_in.door import Door
from kiosk.sign_in.pages import sign_in_routes
from kiosk.sign_in.people_pages import people_routes
from kiosk.sign_in.secret_hash import Secrets
from kiosk.sign_in.socket_doors import SocketDoors, is_at_the_stage
from kiosk.sign_in.whom import me
from web_display.catalogue import page_words
from web_display.console_messages import StaffMember
from web_display.push import Pusher, Room

CONSOLE = Room("/console", "console")
STAGE = Room("/stage", "stage")
CREW = Room("/crew", "crew")
DESK = Room("/desk", "desk")
ALL_SCREENS = Room("/screen-server", "all")
"""The screen server: one connection, every screen's picture (`web_display.core_link`)."""
_PACED = (CONSOLE, DESK)
"""Whole pages of figures that nobody reads by the second: made twice a second at most."""
Producer = Callable[[Engine], Mapping[str, Any]]
"""What a room is shown, made on the engine's thread."""

MOST_BYTES = 500_000
"""A request may not be larger, whether it says how long it is or not: a signature or a rule book. What takes more says
so itself once it knows who asks: reading a large text as JSON holds up the engine, and anybody may send one."""


def _always(room: Room, _auth: Any) -> Room:
    return room


def screen_room(name: str) -> Room:
    """The room of a floor screen."""
    return Room("/screens", name)


class Pages:
    """The application of one core. `screens`: names of the floor screens; `staff`: who may be picked.

    `blueprints` and `rooms`: the further pages, and what each of their rooms is shown. `hosts`: names the house calls
    this server by; `machine_token`: what a command on the machine shows.
    """

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
        blueprints: Sequence[Blueprint] = (),
        rooms: Mapping[Room, Producer] | None = None,
        printers: Printers | None = None,
        hosts: frozenset[str] = frozenset(),
        machine_token: str = "",
        secrets_kept: Secrets | None = None,
    ) -> None:
        self.core = core
        self.door = Door(core, secrets_kept)
        self.gate = Gate(self.door, core.stamp, hosts, machine_token)
        self.house = house
        self.screens = dict(screens)
        self.staff = staff
        self.printers = printers
        self.read_segment = read_segment
        self.site_toml = site_toml
        self._rooms = {CONSOLE: self._for_console, ALL_SCREENS: self._for_all_screens, **(rooms or {})}
        self.app = Flask(__name__, static_folder="static", static_url_path="/static/console")
        self.app.config["MAX_CONTENT_LENGTH"] = MOST_BYTES
        public(self.app.view_functions["static"])
        self.sockets = SocketIO(
            self.app,
            async_mode="threading",
            cors_allowed_origins=None,
            serve_client=False,
            engineio_logger=logging.getLogger("engineio"),
            # Without them anybody is let into the usual one.
            namespaces=["/screens", *(room.namespace for room in self._rooms)],
            # A cut network is noticed, and marked on the screen, within six seconds.
            ping_interval=3,
            ping_timeout=3,
        )
        self.pusher = Pusher(self._emit, self._producers(), is_empty=self._nobody_in, pace=dict.fromkeys(_PACED, 0.5))
        self._phase: object = None
        for blueprint in (
            intake_routes(core, tokens),
            press_routes(core),
            self._screen_routes(),
            console_routes(core, property_name=house.property_name, state_dir=state_dir),
            self._draw_routes(),
            sign_in_routes(house),
            people_routes(core, house, self.screens),
            roster_routes(core, house),
            *blueprints,
        ):
            self.app.register_blueprint(blueprint)
        self.app.extensions[RECORD_FILES] = self._copy
        refusals(self.app, core)
        self._connections()
        guard(self.app, self.gate)
        require_rules(self.app)

    # -- the push ----------------------------------------------------------------------------------------------

    def _emit(self, event: str, data: Mapping[str, Any], *, namespace: str, room: str) -> None:
        self.sockets.emit(event, data, namespace=namespace, to=room)

    def _for_console(self, engine: Engine) -> Mapping[str, Any]:
        return console_snapshot(engine, self.house, tuple(self.staff), self.printers, self._signed_in()).as_json()

    def _signed_in(self) -> dict[str, str]:
        """Number -> role."""
        return {row.staff: self.door.person(row).role for row in self.door.signed_in()}

    def _for_screen(self, engine: Engine) -> Mapping[str, Any]:
        return screen_snapshot(engine, self.house).as_json()

    def _for_all_screens(self, engine: Engine) -> Mapping[str, Any]:
        enrolled = sorted(row.token_sha256 for row in self.door.devices() if row.kind == "screen")
        return {**screen_pictures(engine, self.house, self.screens), "enrolled": enrolled}

    def _producers(self) -> dict[Room, Callable[[], Mapping[str, Any]]]:
        """In the order of what waits least: an announcement's screens, the stage, the crew, then the rest."""
        rooms = {**self._rooms, **{screen_room(name): self._for_screen for name in self.screens}}
        first = {room: rooms[room] for room in (ALL_SCREENS, STAGE, CREW) if room in rooms}
        return {room: self._asked(producer) for room, producer in (first | rooms).items()}

    def _nobody_in(self, room: Room) -> bool:
        """Whether no page is in a room: what nobody sees is not made."""
        manager = self.sockets.server.manager
        return next(iter(manager.get_participants(room.namespace, room.name)), None) is None

    def _asked(self, producer: Producer) -> Callable[[], Mapping[str, Any]]:
        return lambda: self.core.ask(producer)

    def follow(self, engine: Engine) -> None:
        """Be told of every commit of this engine; know its staff, its devices and who is signed in."""
        engine.listeners.append(self._committed)
        self.door.load(engine)

    def _committed(self, _entries: Sequence[Entry]) -> None:
        self.pusher.changed()

    def mind_phase(self, engine: Engine) -> None:
        """Push when time alone has changed what is shown: a session begins, a part is over, a feed falls silent."""
        now = engine.now()
        phase: list[object] = [
            engine.feed_states.copy(),
            engine.gaming_day(now),
            desk_phase(engine, now, self.printers),
        ]
        for draw in engine.draws.values():
            state = draw.state
            if state.closed_at is None:
                part = (now - state.start) * len(state.places) // max(1, state.end - state.start)
                phase.append((state.id, now >= state.start, now >= state.end, part))
        if phase != self._phase:
            self._phase = phase
            self.pusher.changed()

    def _connections(self) -> None:
        doors = SocketDoors(self.sockets, self.gate, self.pusher.greet)

        def screen_of(auth: Any) -> Room | None:
            name = auth.get("screen") if isinstance(auth, dict) else None
            return screen_room(name) if isinstance(name, str) and name in self.screens else None

        doors.watch("/screens", screen_of)
        for namespace in ("/screens", *(room.namespace for room in self._rooms)):
            # Asked there and back a page knows the server's time to half the way.
            self.sockets.on_event("time", self.core.stamp, namespace=namespace)
        for room in self._rooms:
            doors.watch(room.namespace, partial(_always, room))
        if STAGE in self._rooms:
            self.sockets.on_event("heard", self._stage_heard, namespace=STAGE.namespace)

    def _stage_heard(self, _said: Any = None) -> None:
        """A tablet of the stage is there and its page is live (A22); a page of it elsewhere in the house is not it."""
        if is_at_the_stage(self.gate):
            self.core.stage.heard(self.core.stamp())

    # -- pages -------------------------------------------------------------------------------------------------

    def _screen_routes(self) -> Blueprint:
        here = Path(web_display.__file__).parent
        routes = Blueprint("screens", "web_display", template_folder=str(here / "templates"))

        @routes.get("/screens/<name>")
        @for_screen
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
        @public
        def screen_static(file: str) -> Response:
            return send_from_directory(here / "static", file)

        return routes

    def _draw_routes(self) -> Blueprint:
        routes = Blueprint("draws", __name__)

        @routes.get("/draws/<path:draw_id>/record.zip")
        @for_staff("manager", "auditor", "witness")
        def record(draw_id: str) -> Response:
            copy = request.args.get("copy", "public")
            if copy not in COPIES:
                raise Refused("X_NO_SUCH_COPY", "Ask for copy=public or copy=auditor.")
            if copy == AUDITOR:
                self._must_audit(draw_id)
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

    def _must_audit(self, draw_id: str) -> None:
        """The auditor's copy holds what was judged of every guest: who takes it is kept."""
        person = me()
        if person.role not in {"manager", "auditor"}:
            raise Refused("X_NO_PERMISSION", "The auditor's copy is for auditors and managers. Take the public one.")

        def note(engine: Engine) -> None:
            access_notes.note(
                engine, who=person.actor, act="record.auditor", about=access_notes.about_of(engine, draw_id)
            )

        self.core.ask(note)

    def _copy(self, engine: Engine, draw: OpenDraw, copy: str) -> dict[str, bytes]:
        files = published_copy(engine, draw, copy)
        if copy == AUDITOR:
            try:
                files |= auditor_pack(engine, draw, read_segment=self.read_segment, site_toml=self.site_toml)
            except FileNotFoundError:
                sentence = "The floor journal of this draw is gone: put its file back. The public copy does without."
                raise Refused("X_NO_JOURNAL", sentence) from None
        return files
