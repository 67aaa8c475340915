"""The servers of the fan-out, each in a process of its own: `python benchmarks/fanout_servers.py ROLE`.

`stock`: what Flask-SocketIO gives by itself in threading mode; screens connect to it. `feeding`: the same application
as a core of the screen server; one socket connects to it. Both say their port, then announce on `POST /announce`:
their answer is when they did (steady clock, seconds). `core` (fanout_core.py) is the product's own.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from typing import Any

from flask import Flask, request
from flask_socketio import SocketIO, join_room
from werkzeug.serving import WSGIRequestHandler, make_server

from web_display.messages import RecentWinner, RunningSession, ScreenClaim, ScreenSnapshot
from web_display.push import Pusher, Room
from web_display.screens import day_part, prize_text, session_sentence

FEED = Room("/screen-server", "all")
NOW = 1_696_682_530_000


def picture(number: int) -> dict[str, Any]:
    """A screen in the middle of a session, with four clocks running; told apart by its session's awards."""
    claims = tuple(
        ScreenClaim(f"c{number + n}", "Thandi M. \u00b7\u00b7\u00b71001", "Promotions Stage", NOW, NOW + 90_000)
        for n in range(4)
    )
    session = RunningSession(
        "Session 1",
        NOW,
        "16:00",
        number,
        22,
        session_sentence(22, "16:00"),
        prize_text(35, 50_000, 100_000),
        "For all.",
    )
    shown = ScreenSnapshot(
        NOW,
        120,
        "Silverstar",
        "Playtime Bonus Jackpots",
        "No persons under 18. Winners know when to stop.",
        session=session,
        claims=claims,
        recent=(RecentWinner("Fatima A. \u00b7\u00b7\u00b77302", "R\u00a0700"),) * 3,
        day=(day_part("Session 1", "14:00", won=8, held=1, running=4, to_come=22),),
    )
    return shown.as_json()


class AtOnce(WSGIRequestHandler):
    """As the product's core serves: what is small is sent at once."""

    disable_nagle_algorithm = True


def serve(role: str) -> None:
    app = Flask(__name__)
    namespace, room = (FEED.namespace, FEED.name) if role == "feeding" else ("/screens", "main")
    sockets = SocketIO(app, async_mode="threading", serve_client=False, namespaces=[namespace])
    made = {"number": 0}

    def message() -> dict[str, Any]:
        shown = picture(made["number"])
        if role == "stock":
            return shown
        return {"server_now": shown.pop("server_now"), "pictures": [shown], "of": {"main": 0}}

    pusher = Pusher(
        lambda event, data, *, namespace, room: sockets.emit(event, data, namespace=namespace, to=room),
        {FEED: message},
    )

    @sockets.on("connect", namespace=namespace)
    def connects(_auth: Any = None) -> None:
        join_room(room)
        if role == "stock":
            sockets.emit("snapshot", message(), namespace=namespace, to=request.sid)  # type: ignore[attr-defined]
        else:
            pusher.greet(FEED, request.sid)  # type: ignore[attr-defined]

    @app.post("/announce")
    def announce() -> dict[str, Any]:
        at = time.monotonic()
        made["number"] += 1
        if role == "stock":
            sockets.emit("snapshot", message(), namespace=namespace, to=room)
        else:
            pusher.changed(FEED)
        return {"at": at, "number": made["number"]}

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    pusher.start()
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=AtOnce if role == "feeding" else None)
    server.daemon_threads = True  # type: ignore[attr-defined]
    print(server.server_port, flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()  # until whoever measures has gone


if __name__ == "__main__":
    serve(sys.argv[1])
