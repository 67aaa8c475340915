"""The pages on their own, on loopback, with canned snapshots: `python tests/e2e/preview_app.py [PORT]`.

`/screens/NAME` for each scene, `/console/NAME` for the console's. It wires pages, push and Socket.IO as the core does,
under the strictest Content Security Policy the pages are meant for.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flask import Flask, Response, render_template, request, send_from_directory
from flask_socketio import SocketIO, join_room
from jinja2 import ChoiceLoader, FileSystemLoader
from werkzeug.serving import make_server

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP), str(TOP / "tests" / "e2e")]

import console_scenes  # noqa: E402 - found through the path above
import scenes  # noqa: E402 - found through the path above
from page_signing import acted, let_in  # noqa: E402 - found through the path above

from draw_engine.clock import SteadyClock  # noqa: E402
from kiosk.sign_in.whom import me_for_page  # noqa: E402
from web_display.catalogue import page_words  # noqa: E402
from web_display.push import Pusher, Room  # noqa: E402

CSP = "default-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self' ws:"
CONSOLE = Room("/console", "console")


class Preview:
    """The app, its pusher and what its scenes are; `show` changes a room's scene and pushes it."""

    def __init__(self) -> None:
        start = SteadyClock().now()
        self.clock = SteadyClock(scenes.PREVIEW_START - start)
        self.screens: dict[str, Callable[[int], Any]] = dict(scenes.SCREENS)
        self.screens["hall"] = scenes.idle
        self.console: Callable[[int], Any] = console_scenes.console
        self.posted: list[tuple[str, dict[str, str]]] = []
        self.app = Flask(__name__, static_folder=None)
        self.app.jinja_loader = ChoiceLoader(
            [FileSystemLoader(TOP / room / "templates") for room in ("web_display", "kiosk")]
        )
        # A page notices a dead network within two pings.
        self.socketio = SocketIO(self.app, async_mode="threading", ping_interval=2, ping_timeout=2)
        rooms = {Room("/screens", name): self._screen(name) for name in self.screens}
        self.pusher = Pusher(self.socketio.emit, rooms | {CONSOLE: lambda: self.console(self.clock.now()).as_json()})
        self._pages()
        self._sockets()

    def _screen(self, name: str) -> Callable[[], dict[str, Any]]:
        return lambda: self.screens[name](self.clock.now()).as_json()

    def show(self, name: str, scene: Callable[[int], Any]) -> None:
        self.screens[name] = scene
        self.pusher.changed(Room("/screens", name))

    def show_console(self, scene: Callable[[int], Any]) -> None:
        self.console = scene
        self.pusher.changed(CONSOLE)

    def _pages(self) -> None:
        app = self.app
        titles = {"property_name": "Silverstar", "promotion_title": scenes.PROMOTION}

        @app.after_request
        def guard(response: Response) -> Response:
            response.headers["Content-Security-Policy"] = CSP
            return response

        @app.get("/screens/<name>")
        def screen(name: str) -> str:
            words = page_words("screen")
            return render_template("screen.html", assets="/screens/static", screen=name, words=words, **titles)

        let_in(app, console_scenes.SIGNED_IN, "naledi")

        @app.get("/console/<name>")
        def console(name: str) -> str:
            if name in console_scenes.CONSOLES:
                self.show_console(console_scenes.CONSOLES[name])
            return render_template(
                "console.html", assets="/console/static", words=page_words("console"), me=me_for_page(), **titles
            )

        @app.post("/console/<path:act>")
        def decide(act: str) -> dict[str, Any]:
            self.posted.append((act, acted()))
            return {"ok": True}

        @app.get("/screens/static/<path:file>")
        def screen_file(file: str) -> Response:
            return send_from_directory(TOP / "web_display" / "static", file)

        @app.get("/console/static/<path:file>")
        def console_file(file: str) -> Response:
            return send_from_directory(TOP / "kiosk" / "static", file)

        @app.get("/favicon.ico")
        def icon() -> Response:
            return Response(status=204)

    def _sockets(self) -> None:
        @self.socketio.on("connect", namespace="/screens")
        def screen(auth: dict[str, str] | None = None) -> bool:
            room = Room("/screens", (auth or {}).get("screen", ""))
            join_room(room.name)
            return self.pusher.greet(room, request.sid)  # type: ignore[attr-defined]

        @self.socketio.on("connect", namespace="/console")
        def console(_auth: Any = None) -> bool:
            join_room(CONSOLE.name)
            return self.pusher.greet(CONSOLE, request.sid)  # type: ignore[attr-defined]

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
    preview = Preview()
    port = preview.serve(int(sys.argv[1]) if len(sys.argv) > 1 else 5050)
    print("\n".join(f"http://127.0.0.1:{port}/screens/{name}" for name in preview.screens))
    print("\n".join(f"http://127.0.0.1:{port}/console/{name}" for name in console_scenes.CONSOLES))
    threading.Event().wait()
