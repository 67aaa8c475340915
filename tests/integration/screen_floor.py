"""A core's stand-in, a screen server and screens, each a process or a socket that can be stopped, held and killed."""

from __future__ import annotations

import os
import queue
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import requests
import socketio
import websocket
from screens_core import picture

HERE = Path(__file__).parent
AT_ONCE = 2.0 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
"""Seconds after a restart or a new connection in which a screen must be right (reliability goal R9); more where this
machine is busy with other things."""
SERVER = (
    "import sys; from kiosk.screens.server import run; "
    "run(sys.argv[1], port=int(sys.argv[2]), ping_every=0.3, silent_after=0.5, "
    "ready=lambda url: print(url, flush=True))"
)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return int(door.getsockname()[1])


def until(holds: Callable[[], Any], seconds: float = 60.0) -> float:
    """Wait until it holds; how long that took."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < seconds, "it did not come to hold"
        time.sleep(0.01)
    return time.monotonic() - began


class Process:
    """A process that can be killed, held and started again on its port."""

    def __init__(self, *command: str) -> None:
        self._command = [sys.executable, *command]
        self.start()

    def start(self) -> None:
        self.child = subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
        )

    def kill(self) -> None:
        self.child.kill()
        self.child.wait()

    def hold(self) -> None:
        self.child.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.child.send_signal(signal.SIGCONT)

    def end(self) -> None:
        with suppress(ProcessLookupError):
            self.go_on()
        self.kill()


class StandIn(Process):
    """The core's stand-in."""

    def __init__(self, *, ahead_ms: int = 0) -> None:
        self.port = free_port()
        super().__init__(str(HERE / "screens_core.py"), str(self.port), str(ahead_ms))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answers(self) -> bool:
        with suppress(requests.ConnectionError):
            return requests.get(f"{self.url}/now", timeout=5).ok
        return False

    def now(self) -> int:
        return int(requests.get(f"{self.url}/now", timeout=5).json()["now"])

    def show(self, **shown: Any) -> None:
        assert requests.post(f"{self.url}/show", json=shown, timeout=5).ok

    def begin(self) -> None:
        """Show what every test begins with."""
        until(self.answers)
        self.show(pictures=[picture("first")], of={"main": 0, "smoking-floor": 0})

    def start_again(self, *, ahead_ms: int) -> None:
        self._command[-1] = str(ahead_ms)
        self.start()


class Server(Process):
    """The screen server."""

    def __init__(self, core: StandIn) -> None:
        self.port = free_port()
        super().__init__("-c", SERVER, core.url, str(self.port))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answers(self) -> bool:
        with suppress(requests.ConnectionError):
            return requests.get(f"{self.url}/static/screens/mark.svg", timeout=5).ok
        return False

    def memory(self) -> int:
        """Its resident memory, in bytes."""
        pages = int(Path(f"/proc/{self.child.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE")


class DroppedLine(websocket.WebSocket):
    """Closes its socket when it is dropped: the client forgets that where a server dies before its first word."""

    def __del__(self) -> None:
        self.shutdown()


class Screen:
    """A screen by Socket.IO's own client for Python, connected as the page is."""

    def __init__(self, server: Server, name: str = "main") -> None:
        self.heard: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self.last: dict[str, Any] = {}
        self.away = False
        self.client = socketio.Client(
            reconnection_delay=0.25,
            reconnection_delay_max=1,
            randomization_factor=0,
            websocket_extra_options={"class_": DroppedLine},
        )
        self.client.on("snapshot", self._snapshot, namespace="/screens")
        self.client.on("away", self._away, namespace="/screens")
        self.client.connect(
            server.url, auth={"screen": name}, transports=["websocket"], namespaces=["/screens"], wait_timeout=5
        )

    def _snapshot(self, message: dict[str, Any]) -> None:
        self.last, self.away = message, False
        self.heard.put(("snapshot", message))

    def _away(self) -> None:
        self.away = True
        self.heard.put(("away", None))

    @property
    def title(self) -> str:
        return str(self.last.get("promotion_title"))

    def time(self) -> int | None:
        answer: int | None = self.client.call("time", namespace="/screens", timeout=5)
        return answer

    def close(self) -> None:
        self.client.disconnect()


def client_frame(text: str) -> bytes:
    """A WebSocket text frame as a client sends it, its mask all zeros."""
    said = text.encode()
    length = bytes([0x80 | len(said)]) if len(said) < 126 else bytes([0x80 | 126]) + len(said).to_bytes(2, "big")
    return b"\x81" + length + bytes(4) + said


def upgraded(server: Server, **changed: str) -> socket.socket:
    """A socket that has been upgraded and has said nothing yet."""
    line = socket.create_connection(("127.0.0.1", server.port), timeout=5)
    headers = {
        "Host": f"127.0.0.1:{server.port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    } | changed
    told = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    line.sendall(f"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n{told}\r\n".encode())
    answer = line.recv(4096)
    if b" 101 " not in answer.partition(b"\r\n")[0]:
        line.close()
        raise ConnectionRefusedError(answer)
    return line
