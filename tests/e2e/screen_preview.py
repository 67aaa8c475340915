"""Floor screens with canned pictures, served as live ones are: by the screen server, from a core that has scenes only.

`python tests/e2e/screen_preview.py` prints the address of every scene.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flask import Flask, request
from flask_socketio import SocketIO, join_room
from werkzeug.serving import make_server

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP), str(TOP / "tests" / "e2e")]

import scenes  # noqa: E402 - found through the path above
from wire import Wire  # noqa: E402 - found through the path above

from draw_engine.clock import SteadyClock  # noqa: E402
from kiosk.screens.process import ScreenProcess  # noqa: E402
from web_display.messages import ScreenSnapshot  # noqa: E402
from web_display.push import Pusher, Room  # noqa: E402

ALL = Room("/screen-server", "all")
Scene = Callable[[int], ScreenSnapshot]


class ScreenPreview:
    """The core's stand-in and the screen server before it. `show` gives a screen another scene."""

    def __init__(self) -> None:
        self.clock = SteadyClock(scenes.PREVIEW_START - SteadyClock().now())
        self.screens: dict[str, Scene] = {**scenes.SCREENS, "hall": scenes.idle}
        self._line: Wire | None = None
        self._line = Wire(self.start_core())
        self.process = ScreenProcess(f"http://127.0.0.1:{self._line.port}")
        self.process.start()

    @property
    def port(self) -> int:
        """Where screens connect."""
        return int(self.process.url.rpartition(":")[2])

    def show(self, name: str, scene: Scene) -> None:
        self.screens[name] = scene
        self._pusher.changed()

    def start_core(self) -> int:
        """Start the core's stand-in, or another one where one was stopped; its port."""
        app = Flask(__name__, static_folder=None)
        sockets = SocketIO(app, async_mode="threading", ping_interval=1, ping_timeout=1, namespaces=[ALL.namespace])
        self._pusher = Pusher(
            lambda event, data, *, namespace, room: sockets.emit(event, data, namespace=namespace, to=room),
            {ALL: self._pictures},
        )

        def connects(_auth: Any = None) -> bool:
            join_room(ALL.name)
            return self._pusher.greet(ALL, request.sid)  # type: ignore[attr-defined]

        sockets.on_event("connect", connects, namespace=ALL.namespace)
        sockets.on_event("time", self.clock.now, namespace=ALL.namespace)
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._server = make_server("127.0.0.1", 0, app, threaded=True)
        self._server.daemon_threads = True  # type: ignore[attr-defined]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._pusher.start()
        if self._line is not None:
            self._line._to = self._server.server_port
            self._line.mend()
        return int(self._server.server_port)

    def stop_core(self) -> None:
        """As when its process ends: its connections with it."""
        assert self._line is not None
        self._line.cut()
        self._pusher.stop()
        self._server.shutdown()
        self._server.server_close()

    def _pictures(self) -> dict[str, Any]:
        now = self.clock.now()
        made = [scene(now).as_json() for scene in self.screens.values()]
        for picture in made:
            del picture["server_now"]
        return {"server_now": now, "pictures": made, "of": {name: n for n, name in enumerate(self.screens)}}

    def close(self) -> None:
        self.process.stop()
        self.stop_core()
        self._line.close()


if __name__ == "__main__":
    preview = ScreenPreview()
    print("\n".join(f"http://127.0.0.1:{preview.port}/screens/{name}" for name in preview.screens))
    threading.Event().wait()
