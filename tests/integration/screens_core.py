"""A core as far as the screen server sees one: `python screens_core.py PORT AHEAD_MS`, told what to show by HTTP.

It sends through the real push, over Flask-SocketIO as the core does. Its clock is this machine's, AHEAD_MS ahead.
"""

from __future__ import annotations

import hashlib
import logging
import sys
from typing import Any

from flask import Flask, request
from flask_socketio import SocketIO, join_room
from werkzeug.serving import make_server

from draw_engine.clock import SteadyClock
from web_display.messages import ScreenSnapshot
from web_display.push import Pusher, Room

ALL = Room("/screen-server", "all")
NAMES = ("main", "smoking-floor")
SCREEN_TOKEN = "token-of-an-enrolled-screen"
ENROLLED = hashlib.sha256(SCREEN_TOKEN.encode()).hexdigest()


def picture(title: str, **changed: Any) -> dict[str, Any]:
    """A screen's picture, told apart by its promotion's title."""
    shown = ScreenSnapshot(0, 120, "Silverstar", title, "No persons under 18.", **changed).as_json()
    del shown["server_now"]
    return shown


def serve(port: int, ahead_ms: int) -> None:
    app = Flask(__name__)
    # Whole seconds: python-engineio tells its clients that half a second is none.
    sockets = SocketIO(
        app, async_mode="threading", serve_client=False, namespaces=[ALL.namespace], ping_interval=1, ping_timeout=1
    )
    clock = SteadyClock(ahead_ms)
    shown: dict[str, Any] = {"pictures": [picture("first")], "of": dict.fromkeys(NAMES, 0), "enrolled": [ENROLLED]}
    pusher = Pusher(
        lambda event, data, *, namespace, room: sockets.emit(event, data, namespace=namespace, to=room),
        {ALL: lambda: {"server_now": clock.now(), **shown}},
    )

    @app.post("/show")
    def show() -> dict[str, bool]:
        shown.update(request.get_json())
        pusher.changed(ALL)
        return {"ok": True}

    @app.get("/now")
    def now() -> dict[str, int]:
        return {"now": clock.now()}

    def connects(_auth: Any = None) -> bool:
        join_room(ALL.name)
        return pusher.greet(ALL, request.sid)  # type: ignore[attr-defined]

    sockets.on_event("connect", connects, namespace=ALL.namespace)
    sockets.on_event("time", clock.now, namespace=ALL.namespace)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    pusher.start()
    make_server("127.0.0.1", port, app, threaded=True).serve_forever()


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
