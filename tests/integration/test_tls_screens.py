"""Floor screens and pages' sockets over HTTPS: the screen server's second door, and Socket.IO on the core's own."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator

import pytest
import requests
import socketio
from flask import Flask
from flask_socketio import SocketIO
from screen_floor import StandIn, free_port, until
from screens_core import SCREEN_TOKEN, picture
from tls_house import NAME, Served, made_in, trusting

from draw_engine.clock import SteadyClock
from kiosk.https.files import TlsFiles
from kiosk.screens.process import ScreenProcess
from kiosk.screens.tls import SecureScreens

HOSTS = ("127.0.0.1", "::1", "localhost", NAME)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TlsFiles:
    return made_in(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def core() -> Iterator[StandIn]:
    made = StandIn()
    made.begin()
    yield made
    made.end()


@pytest.fixture(scope="module")
def hall(core: StandIn, files: TlsFiles) -> Iterator[SecureScreens]:
    where = SecureScreens("127.0.0.1", free_port(), str(files.web.certificate), str(files.web.key), HOSTS)
    made = ScreenProcess(core.url, secure=where)
    made.start()
    until(lambda: "<title>first: " in asked(where, files, "/screens/main").text)
    yield where
    made.stop()


def asked(
    where: SecureScreens, files: TlsFiles, path: str, token: str = SCREEN_TOKEN, **headers: str
) -> requests.Response:
    return requests.get(
        f"https://127.0.0.1:{where.port}{path}",
        verify=str(files.authority),
        headers=headers,
        cookies={"floordraw_device": token},
        timeout=5,
    )


@pytest.mark.parametrize("token", ["", "x", "token-of-a-crew-tablet"])
def test_in_the_network_a_screen_shows_itself_to_enrolled_screens_alone(
    hall: SecureScreens, files: TlsFiles, token: str
) -> None:
    for path in ("/screens/main", "/socket.io/?EIO=4&transport=websocket"):
        answer = asked(hall, files, path, token)
        assert (answer.status_code, answer.json()["code"]) == (401, "X_NOT_SIGNED_IN")
    assert asked(hall, files, "/static/screens/mark.svg", token).status_code == 200


def test_a_screen_is_served_over_tls_by_the_house_s_names(hall: SecureScreens, files: TlsFiles) -> None:
    answer = asked(hall, files, "/screens/main", Host=f"{NAME}:{hall.port}")
    assert answer.status_code == 200
    assert answer.headers["Strict-Transport-Security"].startswith("max-age=")
    refused = asked(hall, files, "/screens/main", Host="evil.example")
    assert (refused.status_code, refused.json()["code"]) == (403, "X_NO_PERMISSION")


def test_a_screen_has_its_picture_over_tls_while_fifty_are_silent(hall: SecureScreens, files: TlsFiles) -> None:
    silent = [socket.create_connection(("127.0.0.1", hall.port)) for _ in range(50)]
    for line in silent[::2]:
        line.sendall(bytes.fromhex("160301"))
    heard: list[dict[str, object]] = []
    session = requests.Session()
    session.verify = str(files.authority)
    session.cookies.set("floordraw_device", SCREEN_TOKEN)
    screen = socketio.Client(http_session=session, reconnection=False)
    screen.on("snapshot", heard.append, namespace="/screens")
    began = time.monotonic()
    screen.connect(
        f"https://127.0.0.1:{hall.port}", auth={"screen": "main"}, transports=["websocket"], namespaces=["/screens"]
    )
    until(lambda: heard)
    assert time.monotonic() - began < 5.0
    assert {**heard[0], "server_now": 0} == {**picture("first"), "server_now": 0}
    screen.disconnect()
    for line in silent:
        line.close()


def test_plain_http_at_the_screens_port_is_led_to_https(hall: SecureScreens) -> None:
    url = f"http://127.0.0.1:{hall.port}/screens/main"
    answer = requests.get(url, allow_redirects=False, timeout=5)
    assert (answer.status_code, answer.headers["Location"]) == (307, url.replace("http:", "https:"))
    foreign = requests.get(url, allow_redirects=False, headers={"Host": "evil.example"}, timeout=5)
    assert foreign.status_code == 403


def test_the_screen_server_takes_a_renewed_certificate(hall: SecureScreens, files: TlsFiles) -> None:
    def shown() -> bytes | None:
        raw = socket.create_connection(("127.0.0.1", hall.port), timeout=5)
        with trusting(files).wrap_socket(raw, server_hostname=NAME) as line:
            return line.getpeercert(binary_form=True)

    before = shown()
    files.renew(None, now=SteadyClock().now())
    until(lambda: shown() != before, 10)
    with pytest.raises(ssl.SSLCertVerificationError):
        requests_by_name(hall, files, "casino.example")


def requests_by_name(hall: SecureScreens, files: TlsFiles, name: str) -> None:
    with socket.create_connection(("127.0.0.1", hall.port), timeout=5) as raw:
        trusting(files).wrap_socket(raw, server_hostname=name)


# -- Socket.IO on the core ---------------------------------------------------------------------------------------


@pytest.fixture
def talking(files: TlsFiles) -> Iterator[tuple[Served, SocketIO]]:
    app = Flask("talking", static_folder=None)
    # As the core's pages have it.
    sockets = SocketIO(app, async_mode="threading", cors_allowed_origins=None, ping_interval=3, ping_timeout=3)
    sockets.on_event("echo", lambda said: said)
    made = Served(files, app=app)
    yield made, sockets
    made.end()


def test_a_page_s_socket_talks_both_ways_at_once_over_tls(talking: tuple[Served, SocketIO], files: TlsFiles) -> None:
    """One thread reads while another writes: what Python's own TLS sockets are not made for."""
    served, sockets = talking
    session = requests.Session()
    session.verify = str(files.authority)
    page = socketio.Client(http_session=session, reconnection=False)
    heard: list[str] = []
    page.on("news", heard.append)
    url = f"https://127.0.0.1:{served.port}"
    page.connect(url, transports=["websocket"])  # with the page's own Origin
    until(lambda: served.lines)
    large = "x" * 100_000  # several TLS records, and several reads of simple-websocket's

    def tell() -> None:
        for number in range(15):
            sockets.emit("news", f"{number}:{large}")

    telling = sockets.start_background_task(tell)
    for number in range(15):
        assert page.call("echo", f"{number}!{large}", timeout=10) == f"{number}!{large}"
    telling.join(20)
    until(lambda: len(heard) == 15, 20)
    assert heard == [f"{number}:{large}" for number in range(15)]
    page.disconnect()
    until(lambda: not len(served.lines), 10)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_socket_from_another_page_is_refused(talking: tuple[Served, SocketIO], scheme: str) -> None:
    """Another site's, and this one's own in the open: http there could be anybody's."""
    served, _ = talking
    host = "evil.example" if scheme == "https" else f"{NAME}:{served.port}"
    headers = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
        "Origin": f"{scheme}://{host}",
        "Host": f"{NAME}:{served.port}",
    }
    assert served.ask("/socket.io/?EIO=4&transport=websocket", headers=headers).status == 400
    own = headers | {"Origin": f"https://{NAME}:{served.port}"}
    assert served.ask("/socket.io/?EIO=4&transport=websocket", headers=own).status == 101
