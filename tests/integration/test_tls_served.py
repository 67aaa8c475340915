"""`floordraw serve` with [web]: people over HTTPS by the house's names, commands on the loopback address alone."""

from __future__ import annotations

import json
import queue
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest
import requests
from casino import book_toml
from loopback import site_toml
from screen_floor import free_port, until
from signing import MARKED, SignedCore
from tls_house import NAME, trusting

from config.site import load_site
from draw_engine.clock import SteadyClock
from draw_engine.store.sealing import make_master_key
from kiosk.assembly import MASTER_KEY
from kiosk.https.files import TlsFiles
from kiosk.sign_in.access import DEVICE

READY_SECONDS = 60.0


class Property:
    """A served one."""

    def __init__(self, folder: Path, empty: Path) -> None:
        self.port, self.plain_port, self.screens_port = free_port(), free_port(), free_port()
        self.state_dir = folder / "state"
        self.state_dir.mkdir()
        make_master_key(folder / "state" / MASTER_KEY)
        web = f'[web]\nlisten = "127.0.0.1"\nport = {self.port}\nscreens_port = {self.screens_port}\n'
        site = folder / "site.toml"
        site.write_text(f'{site_toml()}{web}names = ["{NAME}", "127.0.0.1"]\n', encoding="utf-8")
        (folder / "rules.toml").write_bytes(book_toml())
        shutil.copy(empty, folder / "floordraw.db")
        self.files = TlsFiles(load_site(site))
        self.files.init([], anew=False, now=SteadyClock().now())
        command = ["serve", "--site", site, "--rules", folder / "rules.toml", "--port", self.plain_port]
        self.child = subprocess.Popen(
            [sys.executable, "-m", "kiosk.cli", *map(str, command), "--screens-port", str(free_port())],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.child.stdout is not None
        said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.reader = threading.Thread(target=lambda: [said.put(line) for line in self.child.stdout or ()], daemon=True)
        self.reader.start()
        self.said = [said.get(timeout=READY_SECONDS), said.get(timeout=READY_SECONDS)]

    def end(self) -> int:
        self.child.send_signal(signal.SIGTERM)
        code = self.child.wait(30)
        self.reader.join(10)
        assert self.child.stdout is not None
        self.child.stdout.close()
        return code

    def secure(self, port: int | None = None) -> ssl.SSLSocket:
        raw = socket.create_connection(("127.0.0.1", port or self.port), timeout=10)
        return trusting(self.files).wrap_socket(raw, server_hostname=NAME)

    def ask(
        self, path: str, *, host: str = NAME, method: str = "GET", port: int | None = None, **said: str
    ) -> tuple[HTTPResponse, bytes]:
        line = HTTPConnection(NAME, port or self.port)
        line.sock = self.secure(port)
        headers = {"Host": f"{host}:{port or self.port}", **said}
        line.request(method, path, headers=headers)
        answer = line.getresponse()
        body = answer.read()
        line.close()
        return answer, body


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[Property]:
    made = Property(tmp_path_factory.mktemp("served"), migrated)
    yield made
    assert made.end() == 0, "open lines do not hold up its end"


def test_it_says_where_people_reach_it(place: Property) -> None:
    assert place.said[0] == f"Floordraw runs. Console: https://{NAME}:{place.port}/console\n"


def test_a_page_needs_a_sign_in_and_its_cookie_is_for_tls_alone(place: Property) -> None:
    answer, _ = place.ask("/console", Accept="text/html")
    assert (answer.status, answer.headers["Location"]) == (302, "/sign-in?to=%2Fconsole")
    assert answer.headers["Strict-Transport-Security"]
    answer, _ = place.ask("/sign-out", method="POST", **{"X-Floordraw": "1", "Origin": f"https://{NAME}:{place.port}"})
    assert answer.status == 200
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("__Host-")
    assert "Secure" in cookie


@pytest.mark.parametrize("host", ["evil.example", "casino.example", "10.0.0.7", f"{NAME}.evil.example"])
def test_another_name_is_refused(place: Property, host: str) -> None:
    """What somebody's DNS points here (rebinding), on both doors."""
    answer, body = place.ask("/trust", host=host)
    assert (answer.status, json.loads(body)["code"]) == (403, "X_NO_PERMISSION")
    answer, body = place.ask("/screens/main", host=host, port=place.screens_port)
    assert (answer.status, json.loads(body)["code"]) == (403, "X_NO_PERMISSION")


def test_a_foreign_page_is_refused(place: Property) -> None:
    answer, body = place.ask("/sign-in", method="POST", Origin="https://evil.example", **{"X-Floordraw": "1"})
    assert (answer.status, json.loads(body)["code"]) == (403, "X_NO_PERMISSION")


def test_commands_reach_it_on_the_loopback_address_and_nobody_reaches_that_from_elsewhere(place: Property) -> None:
    """127.0.0.2 is another address of this machine, as its address in the house's network is."""
    assert requests.get(f"http://127.0.0.1:{place.plain_port}/floor-clock", timeout=5).status_code == 401
    for elsewhere in {"127.0.0.2", *_addresses()}:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((elsewhere, place.plain_port), timeout=5).close()


def _addresses() -> set[str]:
    """This machine's own, as far as its name tells."""
    try:
        found = {str(told[4][0]) for told in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    except OSError:
        return set()
    return {address for address in found if address != "127.0.0.1"}


def test_the_house_is_answered_while_fifty_callers_are_silent(place: Property) -> None:
    silent = [socket.create_connection(("127.0.0.1", place.port)) for _ in range(50)]
    for line in silent[::2]:
        line.sendall(bytes.fromhex("160301"))
    began = time.monotonic()
    answer, _ = place.ask("/sign-in", method="POST", **{"X-Floordraw": "1"})
    assert answer.status >= 400  # nobody said who: but it was asked and answered
    assert time.monotonic() - began < 5.0
    for line in silent:
        line.close()


def test_screens_are_shown_over_tls_to_an_enrolled_screen(place: Property) -> None:
    until(lambda: place.ask("/screens/main", port=place.screens_port)[0].status == 401)
    core = SignedCore(f"http://127.0.0.1:{place.plain_port}", place.state_dir)
    code = core.post("/console/devices/offer", kind="screen", title="main").json()["code"]
    enrolled = requests.post(f"{core.url}/enrol", json={"code": code}, headers=MARKED, timeout=10)
    mine = {"Cookie": f"{DEVICE}={enrolled.cookies[DEVICE]}"}
    until(lambda: place.ask("/screens/main", port=place.screens_port, **mine)[0].status == 200)
