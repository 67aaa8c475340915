"""What systemd hears on its socket: ready once the pages answer, alive while the engine turns, and words."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from crash.served import Property, utc_now
from loopback import Loopback

from kiosk.watchdog import Vigil, Watchdog, notify

WITHIN = 15.0


class Systemd:
    """The other end of NOTIFY_SOCKET."""

    def __init__(self, address: str) -> None:
        self.heard: list[str] = []
        self._line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._line.bind(address)
        self._line.settimeout(0.05)

    def hear(self, seconds: float = 0.0) -> list[str]:
        """What comes within so many seconds, line by line."""
        until, came = time.monotonic() + seconds, []
        while True:
            try:
                came += self._line.recv(4096).decode().split("\n")
            except TimeoutError:
                if time.monotonic() >= until:
                    self.heard += came
                    return came

    def hear_until(self, said: Callable[[str], bool]) -> str:
        until = time.monotonic() + WITHIN
        while time.monotonic() < until:
            for line in self.hear():
                if said(line):
                    return line
        raise AssertionError(f"never said; heard {self.heard}")

    def close(self) -> None:
        self._line.close()


@pytest.fixture(params=["file", "abstract"])
def systemd(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Systemd]:
    name = str(tmp_path / "notify") if request.param == "file" else f"@floordraw-{os.getpid()}"
    there = Systemd(name if request.param == "file" else "\0" + name[1:])
    monkeypatch.setenv("NOTIFY_SOCKET", name)
    monkeypatch.setenv("WATCHDOG_USEC", "200000")
    yield there
    there.close()


@pytest.fixture
def home(tmp_path: Path, migrated: Path) -> Iterator[Loopback]:
    made = Loopback(tmp_path, migrated)
    yield made
    made.close()


def test_it_lives_while_the_engine_turns_and_not_while_it_stands(home: Loopback, systemd: Systemd) -> None:
    watchdog = Watchdog(home.core.pulse, vigil=Vigil(home.core.pulse, patience=0.4), look=0.05)
    watchdog.start()
    assert systemd.hear_until(bool) == "READY=1"
    assert systemd.hear(0.5).count("WATCHDOG=1") >= 3

    let_go = threading.Event()
    stuck = threading.Thread(target=lambda: home.ask(lambda _engine: let_go.wait(WITHIN)))
    stuck.start()
    systemd.hear_until(lambda line: line == "STATUS=The engine has stood for 0 s.")
    assert "WATCHDOG=1" not in systemd.hear(0.5)

    let_go.set()
    stuck.join()
    systemd.hear_until(lambda line: line == "WATCHDOG=1")
    watchdog.stop()
    assert "STOPPING=1" in systemd.hear(0.2)
    assert systemd.hear(0.3) == []


@pytest.mark.parametrize("systemd", ["file"], indirect=True)
def test_the_words_say_how_it_is_going(home: Loopback, systemd: Systemd) -> None:
    watchdog = Watchdog(home.core.pulse, look=0.05)
    watchdog.start()
    home.ask(watchdog.note)
    heard = systemd.hear_until(lambda line: line.startswith("STATUS=No session"))
    assert heard == "STATUS=No session is open; next: 14:00; feeds not up: slots-1, tables-1."
    watchdog.stop()


def test_without_systemd_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify("READY=1")
    monkeypatch.setenv("NOTIFY_SOCKET", "/nowhere/to/be/found")
    notify("READY=1")


@pytest.mark.parametrize("systemd", ["file"], indirect=True)
def test_a_served_core_says_that_it_is_ready_lives_and_stops(tmp_path: Path, systemd: Systemd) -> None:
    place = Property.made(tmp_path / "property", utc_now())
    served = place.serve()
    try:
        systemd.hear_until(lambda line: line == "READY=1")
        systemd.hear_until(lambda line: line == "WATCHDOG=1")
        served.send_signal(signal.SIGTERM)
        systemd.hear_until(lambda line: line == "STOPPING=1")
        assert served.wait(WITHIN) == 0
    finally:
        _end(served)


def _end(child: subprocess.Popen[str]) -> None:
    child.kill()
    child.communicate()
