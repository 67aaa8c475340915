"""The tablets' pages on their own, on loopback, with canned floors: `python tests/e2e/crew_preview.py [PORT]`.

Their real routes, worker and push; what stands behind them is made up (crew_scenes.py). `/scene/NAME` sets a scene.
"""

from __future__ import annotations

import logging
import sys
import threading
from pathlib import Path
from typing import Any

from flask import Flask, Response, jsonify, request, send_from_directory
from flask_socketio import SocketIO, join_room
from jinja2 import FileSystemLoader
from werkzeug.serving import make_server

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP), str(TOP / "tests" / "e2e")]

import crew_scenes  # noqa: E402 - found through the path above
import scenes  # noqa: E402 - found through the path above
from page_signing import acted, let_in  # noqa: E402 - found through the path above

from draw_engine.clock import SteadyClock  # noqa: E402
from kiosk.crew.routes import tablet_routes  # noqa: E402
from web_display.push import Pusher, Room  # noqa: E402

CREW, STAGE = Room("/crew", "crew"), Room("/stage", "stage")


def _guarded(response: Response) -> Response:
    """As `kiosk.sign_in.access.guard` sends it."""
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; "
        "connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
    return response


class CrewPreview:
    """The app over a `Floor`; `show` sets another scene and tells both rooms."""

    def __init__(self) -> None:
        self.clock = SteadyClock(scenes.PREVIEW_START - SteadyClock().now())
        self.floor = crew_scenes.Floor(self.clock)
        self.app = Flask(__name__, static_folder=None)
        self.app.jinja_loader = FileSystemLoader(TOP / "kiosk" / "templates")
        self.socketio = SocketIO(
            self.app, async_mode="threading", ping_interval=1, ping_timeout=1, namespaces=["/crew", "/stage"]
        )
        self.pusher = Pusher(self.socketio.emit, {CREW: self._crew, STAGE: self._stage})
        self.app.register_blueprint(
            tablet_routes(messages={"crew": self._crew, "stage": self._stage}, floor=crew_scenes.floor_map)
        )
        let_in(self.app, crew_scenes.STAFF, "lerato")
        self.app.after_request(_guarded)
        self._doors()
        self._sockets()

    def _crew(self) -> dict[str, Any]:
        return self.floor.crew()

    def _stage(self) -> dict[str, Any]:
        return self.floor.stage()

    def show(self, scene: str) -> crew_scenes.Floor:
        """A new floor with this scene on it."""
        self.floor = crew_scenes.Floor(self.clock)
        crew_scenes.SCENES[scene](self.floor)
        self.floor.changed = self.pusher.changed
        self.pusher.changed()
        return self.floor

    def _doors(self) -> None:
        @self.app.post("/presses")
        def press() -> tuple[Response, int]:
            status, answer = self.floor.press(acted())
            return jsonify(answer), status

        @self.app.post("/claims/review")
        def review() -> tuple[Response, int]:
            status, answer = self.floor.review(acted())
            return jsonify(answer), status

        @self.app.get("/scene/<name>")
        def scene(name: str) -> str:
            self.show(name)
            return name

        @self.app.get("/static/console/<path:file>")
        def static(file: str) -> Response:
            return send_from_directory(TOP / "kiosk" / "static", file)

        @self.app.get("/favicon.ico")
        def icon() -> Response:
            return Response(status=204)

    def _sockets(self) -> None:
        def joins(room: Room) -> Any:
            def connect(_auth: Any = None) -> bool:
                join_room(room.name)
                return self.pusher.greet(room, request.sid)  # type: ignore[attr-defined]

            return connect

        def heard(_data: Any = None) -> None:
            self.floor.heard += 1

        self.socketio.on_event("connect", joins(CREW), namespace="/crew")
        self.socketio.on_event("connect", joins(STAGE), namespace="/stage")
        for namespace in ("/crew", "/stage"):
            self.socketio.on_event("time", self.clock.now, namespace=namespace)
        self.socketio.on_event("heard", heard, namespace="/stage")

    def serve(self, port: int = 0) -> int:
        """Serve on loopback from threads of its own; the port."""
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self.server = make_server("127.0.0.1", port, self.app, threaded=True)
        self.server.daemon_threads = True  # type: ignore[attr-defined]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.pusher.start()
        return self.server.server_port

    def close(self) -> None:
        self.pusher.stop()
        self.server.shutdown()
        self.server.server_close()


if __name__ == "__main__":
    preview = CrewPreview()
    served = preview.serve(int(sys.argv[1]) if len(sys.argv) > 1 else 5051)
    preview.show("queue")
    print(f"http://127.0.0.1:{served}/crew  http://127.0.0.1:{served}/stage")
    threading.Event().wait()
