"""The screens' own server on real sockets, its core and itself stopped, killed and started again."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
import requests
import socketio
from flask import Flask
from screen_floor import AT_ONCE, Screen, Server, StandIn, client_frame, until, upgraded
from screens_core import picture

from draw_engine.errors import Refused
from kiosk.screens.process import ScreenProcess
from kiosk.sign_in import access


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[StandIn, Server]]:
    """A core and a screen server for all tests here: each test leaves them running."""
    core = StandIn()
    server = Server(core)
    yield core, server
    server.end()
    core.end()


@pytest.fixture
def core(both: tuple[StandIn, Server]) -> StandIn:
    core = both[0]
    core.begin()
    return core


@pytest.fixture
def server(core: StandIn, both: tuple[StandIn, Server]) -> Server:
    server = both[1]
    core.begin()
    until(server.answers)
    until(lambda: "<title>first: " in requests.get(f"{server.url}/screens/main", timeout=5).text)  # it heard the core
    return server


@pytest.fixture
def screens(server: Server) -> Iterator[Callable[..., Screen]]:
    made: list[Screen] = []

    def new(name: str = "main") -> Screen:
        made.append(Screen(server, name))
        return made[-1]

    yield new
    for screen in made:
        screen.close()


# -- what it shows ----------------------------------------------------------------------------------------------


def test_a_screen_has_its_picture_at_once_and_the_cores_time_as_it_is_then(
    core: StandIn, screens: Callable[..., Screen]
) -> None:
    first = screens()
    until(lambda: first.last)
    time.sleep(1.0)  # nothing is said meanwhile: the server itself must know what time it is
    late = screens()
    until(lambda: late.last)
    assert {**late.last, "server_now": 0} == {**picture("first"), "server_now": 0}
    assert abs(late.last["server_now"] - core.now()) < 150
    told = late.time()
    assert told is not None
    assert abs(told - core.now()) < 150


def test_news_goes_to_the_screens_that_it_is_of(core: StandIn, screens: Callable[..., Screen]) -> None:
    main, smoking, other = screens("main"), screens("smoking-floor"), screens("main")
    until(lambda: main.last and smoking.last and other.last)
    core.show(pictures=[picture("first"), picture("second")], of={"main": 0, "smoking-floor": 1})
    until(lambda: smoking.title == "second")
    core.show(pictures=[picture("third"), picture("second")], of={"main": 0, "smoking-floor": 1})
    until(lambda: (main.title, other.title) == ("third", "third"))
    assert (main.heard.qsize(), smoking.heard.qsize()) == (2, 2), "nobody is sent what it has"


def test_a_screen_that_the_site_no_longer_has_is_sent_out(core: StandIn, screens: Callable[..., Screen]) -> None:
    main, smoking = screens("main"), screens("smoking-floor")
    until(lambda: main.last and smoking.last)
    core.show(pictures=[picture("first")], of={"main": 0})
    until(lambda: "/screens" not in smoking.client.namespaces)
    assert "/screens" in main.client.namespaces
    with pytest.raises(socketio.exceptions.ConnectionError):
        screens("smoking-floor")


# -- when something ends ----------------------------------------------------------------------------------------


def test_screens_are_right_again_when_the_core_is(core: StandIn, screens: Callable[..., Screen]) -> None:
    before = screens()
    until(lambda: before.last)
    core.kill()
    assert until(lambda: before.away) < AT_ONCE
    meanwhile = screens()
    until(lambda: meanwhile.last and meanwhile.away)
    assert meanwhile.title == "first", "what ran goes on from its deadlines"
    core.start_again(ahead_ms=600_000)
    until(core.answers)
    core.show(pictures=[picture("second")])
    assert until(lambda: before.title == meanwhile.title == "second") < AT_ONCE
    assert not before.away
    # The core that came back has another clock; it is the one that counts.
    for screen in (before, meanwhile, screens()):
        until(lambda screen=screen: screen.last)
        told = screen.time()
        assert told is not None
        assert abs(told - core.now()) < 150


def test_a_core_that_hangs_is_noticed_and_heard_again(core: StandIn, screens: Callable[..., Screen]) -> None:
    screen = screens()
    until(lambda: screen.last)
    core.hold()
    assert until(lambda: screen.away) < 2 * AT_ONCE
    core.go_on()
    assert until(lambda: not screen.away) < AT_ONCE


def test_screens_come_back_to_a_server_that_was_killed(
    core: StandIn, server: Server, screens: Callable[..., Screen]
) -> None:
    all_of_them = [screens() for _ in range(10)]
    until(lambda: all(screen.last for screen in all_of_them))
    server.kill()
    core.show(pictures=[picture("second")])
    server.start()
    until(server.answers)
    assert until(lambda: all(screen.title == "second" for screen in all_of_them)) < AT_ONCE


def test_it_may_be_started_before_its_core() -> None:
    core = StandIn()
    core.kill()
    server = Server(core)
    try:
        until(server.answers)
        page = requests.get(f"{server.url}/screens/main", timeout=5)
        assert page.status_code == 200, "a screen that is switched on first waits on its own page"
        screen = Screen(server)
        assert until(lambda: screen.away) < AT_ONCE
        assert screen.time() is None
        core.start()
        until(core.answers)
        assert until(lambda: screen.title == "first") < AT_ONCE
        screen.close()
    finally:
        server.end()
        core.end()


def test_a_stalled_screen_holds_up_nobody_and_is_cut(
    core: StandIn, server: Server, screens: Callable[..., Screen], request: pytest.FixtureRequest
) -> None:
    screen = screens()
    until(lambda: screen.last)
    stalled = [upgraded(server) for _ in range(20)]
    for line in stalled:
        request.addfinalizer(line.close)
        line.sendall(client_frame('40/screens,{"screen":"main"}'))
    before = server.memory()
    law = "No persons under 18. " * 5_000
    for n in range(40):
        core.show(pictures=[picture(f"n{n}", suspended_sentence=law)])
        assert until(lambda n=n: screen.title == f"n{n}") < AT_ONCE
    # 40 pictures of 100 KB for each of 20 would be 80 MB; at most a little more than one each may wait.
    assert server.memory() - before < 20_000_000
    # A dead line ends for whoever reads on: what was under way comes, then the end.
    for line in stalled:
        line.settimeout(10)
        with suppress(ConnectionResetError):
            while line.recv(1 << 20):
                pass
    assert screen.client.connected


# -- what it lets in --------------------------------------------------------------------------------------------


def test_the_page_and_its_files_are_the_cores(server: Server) -> None:
    page = requests.get(f"{server.url}/screens/main", timeout=5)
    assert page.status_code == 200
    assert "<title>first: main</title>" in page.text
    assert "Silverstar" in page.text
    mark = requests.get(f"{server.url}/static/screens/mark.svg", timeout=5)
    assert mark.headers["Content-Type"] == "image/svg+xml"
    known = {"If-None-Match": mark.headers["ETag"]}
    assert requests.get(f"{server.url}/static/screens/mark.svg", headers=known, timeout=5).status_code == 304
    for missing in (
        "/",
        "/console",
        "/screens/elsewhere",
        "/static/screens/none.js",
        "/static/screens/../catalogue.py",
    ):
        prepared = requests.Request("GET", server.url).prepare()
        prepared.url = server.url + missing
        assert requests.Session().send(prepared, timeout=5).status_code == 404, missing


def test_its_headers_are_as_strict_as_the_cores_guard(server: Server) -> None:
    app = Flask(__name__)
    app.add_url_rule("/", view_func=access.public(lambda: ""))
    access.guard(app, access.Gate(None, lambda: 0))
    core = app.test_client().get("/", base_url="http://127.0.0.1")
    page = requests.get(f"{server.url}/screens/main", timeout=5)
    for name in {name for name, _ in core.headers} - {"Content-Type", "Content-Length", "Content-Security-Policy"}:
        assert page.headers[name] == core.headers[name], name
    ours, theirs = (set(each.headers["Content-Security-Policy"].split("; ")) for each in (page, core))
    assert ours <= theirs, "a screen's page may do nothing that the core's pages may not"
    assert "default-src 'none'" in ours


@pytest.mark.parametrize(
    "headers", [{"Host": "casino.example"}, {"Origin": "http://casino.example"}, {"Origin": "null"}]
)
def test_foreign_names_and_pages_are_refused(server: Server, headers: dict[str, str]) -> None:
    assert requests.get(f"{server.url}/screens/main", headers=headers, timeout=5).status_code == 403
    with pytest.raises(ConnectionRefusedError):
        upgraded(server, **headers)


def test_nothing_can_be_changed_through_it(server: Server) -> None:
    assert requests.post(f"{server.url}/screens/main", data="x", timeout=5).status_code == 405
    assert requests.get(f"{server.url}/socket.io/?EIO=4&transport=polling", timeout=5).status_code == 400


@pytest.mark.parametrize(
    "said",
    [
        client_frame("4"),
        client_frame('40/screens,{"screen":'),
        client_frame("42/screens,1" + "[" * 4000),
        client_frame("4" * 5000),
        b"\x82\x80" + bytes(4),  # bytes instead of text
        b"\x81\x05hello",  # without a mask
    ],
)
def test_a_screen_that_talks_nonsense_is_cut_and_the_others_stay(
    server: Server, screens: Callable[..., Screen], said: bytes
) -> None:
    screen = screens()
    line = upgraded(server)
    line.sendall(said)
    line.sendall(client_frame("41/screens,"))
    with suppress(ConnectionResetError):
        while line.recv(4096):
            pass
    line.close()
    assert screen.time() is not None


def test_an_unknown_screen_is_told_so(server: Server) -> None:
    line = upgraded(server)
    line.sendall(client_frame('40/screens,{"screen":"elsewhere"}'))
    heard = b""
    while b"44/screens," not in heard:
        heard += line.recv(4096)
    assert b"There is no such screen." in heard
    line.close()


# -- as a child -------------------------------------------------------------------------------------------------


@pytest.fixture
def child(core: StandIn) -> Iterator[ScreenProcess]:
    made = ScreenProcess(core.url)
    made.start()
    yield made
    made.stop()


def test_a_child_that_dies_is_started_again_on_its_port(child: ScreenProcess) -> None:
    url, pid = child.url, child.pid
    assert requests.get(f"{url}/screens/main", timeout=5).status_code == 200
    os.kill(pid, signal.SIGKILL)

    def is_back() -> bool:
        with suppress(requests.ConnectionError):
            return requests.get(f"{url}/screens/main", timeout=5).status_code == 200
        return False

    assert until(is_back) < AT_ONCE
    assert child.pid != pid


def test_a_child_ends_with_its_parent(child: ScreenProcess) -> None:
    os.kill(child.pid, 0)
    assert child._child is not None
    pid, kept = child.pid, child._child.stdin
    assert kept is not None
    ended = threading.Thread(target=child._child.wait)
    child._stopping.set()
    ended.start()
    kept.close()  # as the system does when the parent is killed
    ended.join(5)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_port_that_is_taken_is_said(core: StandIn) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        made = ScreenProcess(core.url, port=door.getsockname()[1])
        with pytest.raises(Refused, match="another program has the port"):
            made.start()
