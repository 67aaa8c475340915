"""The desks' page on its own, on loopback, with canned snapshots: `python tests/e2e/desk_preview.py [PORT]`.

`answers` holds what each POST is answered with; by default everything succeeds. As strict a policy as the core's.
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
from werkzeug.serving import make_server

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP), str(TOP / "tests" / "e2e")]

import desk_scenes  # noqa: E402 - found through the path above
import scenes  # noqa: E402 - found through the path above
from page_signing import acted, let_in  # noqa: E402 - found through the path above

from draw_engine.clock import SteadyClock  # noqa: E402
from kiosk.desk.words import ENGLISH  # noqa: E402
from kiosk.sign_in.whom import me_for_page  # noqa: E402
from web_display.push import Pusher, Room  # noqa: E402

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
DESK = Room("/desk", "desk")
WORDS = {key.removeprefix("page.desk."): text for key, text in ENGLISH.items() if key.startswith("page.desk.")}
GUEST = {"member": "100045577302", "name": "Fatima Adams", "tier": "Gold", "last4": "7302", "signed_text": ""}
HAPPENED = [
    {"key": "1", "at": "7 October, 14:44", "sentence": "Envelope E-0031 drawn for the guest", "by": "Riaan Fourie"},
    {"key": "2", "at": "9 October, 10:05", "sentence": "Telephone: no answer", "by": "Refilwe Molefe"},
]
LOOK_UPS = frozenset({"guest", "held/find", "held/see", "held/reach"})
USUAL: dict[str, dict[str, Any]] = {
    "guest": {"ok": True, "guest": GUEST},
    "register": {"ok": True, "entry": 4},
    "held/find": {"ok": True, "found": [{"draw": desk_scenes.DRAW, "ordinal": 5}]},
    "held/see": {"ok": True, "happened": HAPPENED},
    "held/reach": {"ok": True, "phone": "082 555 0188", "email": "fatima@example.org"},
    "held/draw": {"ok": True, "pocket": "E-0031"},
    "envelopes/batch": {"ok": True, "batch": "B-3"},
    "envelopes/withdraw": {"ok": True, "pocket": "E-0009"},
    "envelopes/cash": {"ok": True, "sentence": "Counted at 20:48: 11 opened, R\u00a08\u00a0300 in them. It agrees."},
    "envelopes/day": {"ok": True, "sentence": "Counted at 20:41: 41 left, as it should be."},
}


class DeskPreview:
    """The app, its pusher, its scene, and what was posted."""

    def __init__(self) -> None:
        self.clock = SteadyClock(scenes.PREVIEW_START - SteadyClock().now())
        self.scene: Callable[[int], Any] = desk_scenes.desk
        self.answers: dict[str, dict[str, Any]] = {}
        self.posted: list[tuple[str, dict[str, Any]]] = []
        self.app = Flask(__name__, static_folder=None, template_folder=str(TOP / "kiosk" / "templates"))
        self.socketio = SocketIO(self.app, async_mode="threading", ping_interval=2, ping_timeout=2)
        self.pusher = Pusher(self.socketio.emit, {DESK: lambda: self.scene(self.clock.now()).as_json()})
        self._pages()

    def show(self, scene: Callable[[int], Any]) -> None:
        self.scene = scene
        self.pusher.changed(DESK)

    def _pages(self) -> None:
        @self.app.after_request
        def guard(response: Response) -> Response:
            response.headers["Content-Security-Policy"] = CSP
            return response

        let_in(self.app, desk_scenes.PEOPLE, "refilwe")

        @self.app.get("/desk")
        def page() -> str:
            if request.args.get("scene") in desk_scenes.DESKS_SHOWN:
                self.scene = desk_scenes.DESKS_SHOWN[request.args["scene"]]
            return render_template(
                "desk.html",
                assets="/static/console",
                words=WORDS,
                property_name="Silverstar",
                promotion_title="Playtime",
                me=me_for_page(),
            )

        @self.app.post("/desk/<path:act>")
        def done(act: str) -> dict[str, Any]:
            said = request.get_json() if act in LOOK_UPS else acted()
            self.posted.append((act, said))
            return self.answers.get(act) or USUAL.get(act) or {"ok": True}

        @self.app.get("/static/console/<path:file>")
        def static(file: str) -> Response:
            return send_from_directory(TOP / "kiosk" / "static", file)

        @self.socketio.on("connect", namespace="/desk")
        def connect(_auth: Any = None) -> bool:
            join_room(DESK.name)
            return self.pusher.greet(DESK, request.sid)  # type: ignore[attr-defined]

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
    preview = DeskPreview()
    port = preview.serve(int(sys.argv[1]) if len(sys.argv) > 1 else 5060)
    print("\n".join(f"http://127.0.0.1:{port}/desk?scene={name}" for name in desk_scenes.DESKS_SHOWN))
    threading.Event().wait()
