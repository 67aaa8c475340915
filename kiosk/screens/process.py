"""The screen server as a child of the process that started it: started again when it dies, ended with its parent."""

from __future__ import annotations

import selectors
import subprocess
import sys
import threading

import structlog

from draw_engine.errors import Refused
from kiosk.screens.server import LOOPBACK
from kiosk.screens.tls import SecureScreens

_log = structlog.get_logger(__name__)
_START_SECONDS = 20.0
_STOP_SECONDS = 5.0
_FIRST_WAIT, _LONGEST_WAIT = 0.2, 5.0


class ScreenProcess:
    """`start` returns when screens can connect; `url` is where. `port` 0 takes a free one and keeps it.

    `secure`: over HTTPS, too.
    """

    def __init__(
        self, core_url: str, *, host: str = LOOPBACK, port: int = 0, secure: SecureScreens | None = None
    ) -> None:
        self._core_url, self._host, self._port = core_url, host, port
        self._secure = [] if secure is None else ["--secure", secure.text()]
        self._ports = str(port) if secure is None else f"{port} or {secure.port}"
        self._stopping = threading.Event()
        self._child: subprocess.Popen[str] | None = None
        self._keeper = threading.Thread(target=self._keep, name="screen server", daemon=True)

    def start(self) -> None:
        """Raises Refused (X_SCREENS_DID_NOT_START), for instance when something else has the port."""
        self._spawn()
        self._keeper.start()

    @property
    def url(self) -> str:
        return f"http://{self._host}:{self._port}"

    @property
    def pid(self) -> int:
        assert self._child is not None
        return self._child.pid

    def stop(self) -> None:
        """End it, and do not start it again."""
        self._stopping.set()
        if self._child is not None:
            self._end(self._child)
        if self._keeper.ident is not None:
            self._keeper.join(_STOP_SECONDS)

    def _keep(self) -> None:
        wait = _FIRST_WAIT
        while not self._stopping.is_set():
            if self._child is not None:
                self._child.wait()
                self._close(self._child)
            if self._stopping.wait(wait):
                return
            try:
                self._spawn()
                wait = _FIRST_WAIT
            except (OSError, Refused):
                wait = min(_LONGEST_WAIT, wait * 2)
            _log.warning("screen_server.started_again")

    def _spawn(self) -> None:
        command = [
            sys.executable,
            "-m",
            "kiosk.screens.server",
            self._core_url,
            self._host,
            str(self._port),
            *self._secure,
        ]
        # A session of its own: Ctrl-C goes to the parent, which ends it in order. Its input ends with the parent,
        # however that ends, so that a new one never finds its port taken by an orphan.
        child = subprocess.Popen(  # noqa: S603 - our own command
            [*command, "--until-input-ends"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )
        self._child = child
        said = self._first_line(child)
        if not said:
            self._end(child)
            raise Refused(
                "X_SCREENS_DID_NOT_START",
                f"The screens' server did not start on port {self._ports}. See whether another program has the port.",
            )
        self._port = int(said.rpartition(":")[2])
        if self._stopping.is_set():
            self._end(child)

    def _first_line(self, child: subprocess.Popen[str]) -> str:
        assert child.stdout is not None
        with selectors.DefaultSelector() as waiting:
            waiting.register(child.stdout, selectors.EVENT_READ)
            return child.stdout.readline().strip() if waiting.select(_START_SECONDS) else ""

    def _end(self, child: subprocess.Popen[str]) -> None:
        child.terminate()
        try:
            child.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        self._close(child)

    def _close(self, child: subprocess.Popen[str]) -> None:
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                pipe.close()
