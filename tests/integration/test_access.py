"""Who may reach a route: this machine alone, by its own names, from its own pages; and a bridge by its token."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask_socketio import SocketIOTestClient
from loopback import SLOTS, STAFF, TABLES, TOKENS, Loopback
from signing import PIN, employ, quick_secrets, signed_client

from draw_engine.errors import RuleBroken
from kiosk.app import Pages
from kiosk.screens.view import House
from kiosk.sign_in.access import bridge, public, require_rules

ORIGIN = "http://127.0.0.1"
TALKS = [
    ("GET", "/"),
    ("GET", "/console"),
    ("GET", "/screens/main"),
    ("GET", "/static/screens/screen.js"),
    ("GET", "/static/console/console.js"),
    ("GET", "/draws/x/record.zip"),
    ("GET", "/floor-clock"),
    ("GET", f"/floor-feeds/{SLOTS}"),
    ("GET", "/no-such-page"),
    ("POST", "/floor-events"),
    ("POST", "/lists/members"),
    ("POST", "/exclusions"),
    ("POST", "/console/session/suspend"),
    ("POST", "/console/session/resume"),
    ("POST", f"/console/feeds/{SLOTS}/exclude"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[Loopback]:
    made = Loopback(tmp_path_factory.mktemp("access"), migrated)
    yield made
    made.close()


def entries(place: Loopback) -> int:
    head = place.ask(lambda engine: engine.store.head())
    assert head is not None
    return head.seq


# -- rules ------------------------------------------------------------------------------------------------------


def test_an_app_with_an_open_route_does_not_start() -> None:
    app = Flask("app", static_folder=None)
    app.add_url_rule("/said", view_func=public(lambda: ""), endpoint="said")
    app.add_url_rule("/taken", view_func=bridge(lambda: ""), endpoint="taken")
    require_rules(app)
    app.add_url_rule("/open", view_func=lambda: "", endpoint="open")
    with pytest.raises(RuleBroken, match="/open"):
        require_rules(app)


def test_files_need_a_rule_like_anything_else() -> None:
    """A view is not let through because its name ends as Flask's own for files does."""
    with pytest.raises(RuleBroken, match="/static/"):
        require_rules(Flask("app"))
    app = Flask("app", static_folder=None)
    app.add_url_rule("/secret", view_func=lambda: "", endpoint="mine.static")
    with pytest.raises(RuleBroken, match="/secret"):
        require_rules(app)


# -- hosts and origins ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "path"), TALKS)
@pytest.mark.parametrize("host", ["casino.example", "127.0.0.1.example.com:8080", "10.0.0.5", "0.0.0.0:8080", "[::2]"])
def test_another_host_s_name_is_refused_everywhere(place: Loopback, method: str, path: str, host: str) -> None:
    """A name that somebody's DNS points here would make a foreign page one of ours."""
    before = entries(place)
    answer = place.client.open(path, method=method, base_url=f"http://{host}", data=b"{}")
    assert answer.status_code in {401, 403}
    assert answer.get_json()["code"] == "X_NO_PERMISSION"
    assert entries(place) == before


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "localhost", "[::1]:8080", "LOCALHOST:8080"])
def test_this_machine_s_own_names_are_let_in(place: Loopback, host: str) -> None:
    assert place.client.get("/console", base_url=f"http://{host}").status_code == 200


@pytest.mark.parametrize("host", ["", "[::1", "a b", "localhost.", "localhost@casino.example"])
def test_a_host_that_is_none_is_refused_not_a_fault(place: Loopback, host: str) -> None:
    answer = place.client.get("/console", environ_overrides={"HTTP_HOST": host})
    assert answer.status_code in {400, 403}


@pytest.mark.parametrize(("method", "path"), TALKS)
@pytest.mark.parametrize(
    "origin", ["http://casino.example", "null", "http://127.0.0.1:81", "http://127.0.0.1.evil", "", "http://["]
)
def test_a_foreign_page_can_press_nothing(place: Loopback, method: str, path: str, origin: str) -> None:
    before = entries(place)
    answer = place.client.open(path, method=method, base_url=ORIGIN, headers={"Origin": origin}, data=b"{}")
    assert answer.status_code in {401, 403}
    assert entries(place) == before


def test_an_own_page_can(place: Loopback) -> None:
    answer = place.client.post("/lists/exclusions", base_url=ORIGIN, headers={"Origin": ORIGIN}, data=b"member\n")
    assert answer.status_code == 422


# -- sockets ----------------------------------------------------------------------------------------------------


def socket(
    place: Loopback, namespace: str, *, host: str = "127.0.0.1", auth: Any = None, by: str = "nomvula", **headers: str
) -> bool:
    """Whether Socket.IO lets somebody in who asks with this Host and is signed in as `by`; "" = nobody."""
    client = place.pages.app.test_client()
    if by:
        _, token = place.client.keys.cookie(by, place.clock.now()).split("=")
        client.set_cookie("floordraw", token, domain=host.partition(":")[0])
    made: SocketIOTestClient = place.pages.sockets.test_client(
        place.pages.app, namespace=namespace, auth=auth, flask_test_client=client, headers={"Host": host, **headers}
    )
    let_in = bool(made.is_connected(namespace))
    if let_in:
        made.disconnect(namespace)
    return let_in


def test_sockets_are_for_this_machine_s_own_names(place: Loopback) -> None:
    screen = {"screen": "main"}
    assert socket(place, "/screens", auth=screen)
    assert socket(place, "/console", host="localhost:8080")
    assert not socket(place, "/screens", auth=screen, host="casino.example")
    assert not socket(place, "/console", host="casino.example")


def test_a_socket_is_for_who_may_see_its_page(place: Loopback) -> None:
    assert socket(place, "/console", by="zanele")
    assert not socket(place, "/console", by="kabelo")
    assert not socket(place, "/console", by="")
    assert socket(place, "/screens", auth={"screen": "main"}, by="")  # this machine's own


def test_a_socket_is_cut_when_its_sign_in_ends(place: Loopback) -> None:
    door, client = place.pages.door, place.pages.app.test_client()
    token = door.sign_in("themba", PIN, device=None, address="here", here=True)
    client.set_cookie("floordraw", token, domain="127.0.0.1")
    made: SocketIOTestClient = place.pages.sockets.test_client(
        place.pages.app,
        namespace="/console",
        flask_test_client=client,
        headers={"Host": "127.0.0.1"},
    )
    assert made.is_connected("/console")
    door.sign_out(token)
    assert not made.is_connected("/console")


def test_a_screen_s_socket_is_cut_when_the_device_is_taken_away(place: Loopback) -> None:
    """A screen has no sign-in whose end would cut it."""
    door, client = place.pages.door, place.pages.app.test_client()
    given, _ = door.offer("screen", "main", "manager:nomvula")
    token, row = door.enrol(given, address="here")
    client.set_cookie("floordraw_device", token, domain="127.0.0.1")
    made: SocketIOTestClient = place.pages.sockets.test_client(
        place.pages.app,
        namespace="/screens",
        auth={"screen": "main"},
        flask_test_client=client,
        headers={"Host": "127.0.0.1"},
    )
    assert made.is_connected("/screens")
    assert place.client.post("/console/devices/revoke", json={"device": row.id}).status_code == 200
    assert not made.is_connected("/screens")


@pytest.mark.parametrize("auth", [None, {}, {"screen": "other"}, {"screen": None}, {"screen": ["main"]}, "main", 7])
def test_a_socket_of_no_screen_is_refused(place: Loopback, auth: Any) -> None:
    assert not socket(place, "/screens", auth=auth)


@pytest.mark.parametrize("namespace", ["/", "/other", "/floor"])
def test_there_are_no_other_namespaces(place: Loopback, namespace: str) -> None:
    assert not socket(place, namespace)


@pytest.mark.parametrize("transport", ["polling", "websocket"])
def test_a_foreign_origin_gets_no_socket(place: Loopback, transport: str) -> None:
    """Over the WSGI entry, where Socket.IO itself answers before Flask does."""
    told: list[str] = []
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": "/socket.io/",
        "QUERY_STRING": f"EIO=4&transport={transport}",
        "HTTP_HOST": "127.0.0.1:8080",
        "HTTP_ORIGIN": "http://casino.example",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8080",
        "wsgi.url_scheme": "http",
    }
    list(place.pages.app.wsgi_app(environ, lambda status, _headers, _more=None: told.append(status)))
    assert told[0].startswith("400")


# -- bridges ----------------------------------------------------------------------------------------------------

WRONG = [
    pytest.param({}, id="none"),
    pytest.param({"Authorization": ""}, id="empty"),
    pytest.param({"Authorization": "Bearer"}, id="no-token"),
    pytest.param({"Authorization": "Bearer  "}, id="blank"),
    pytest.param({"Authorization": "Bearer token-of-nobody"}, id="wrong"),
    pytest.param({"Authorization": f"Basic {TOKENS[SLOTS]}"}, id="another-scheme"),
    pytest.param({"Authorization": TOKENS[SLOTS]}, id="no-scheme"),
    pytest.param({"Authorization": f"Bearer {TOKENS[SLOTS]}x"}, id="a-letter-more"),
    pytest.param({"Authorization": f"Bearer {TOKENS[SLOTS]} {TOKENS[TABLES]}"}, id="two"),
    pytest.param({"Authorization": "Bearer t\u00f6ken"}, id="not-ascii"),
]


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/floor-events"), ("GET", f"/floor-feeds/{SLOTS}"), ("GET", "/floor-clock")]
)
@pytest.mark.parametrize("headers", WRONG)
def test_a_bridge_needs_its_token(place: Loopback, method: str, path: str, headers: dict[str, str]) -> None:
    answer = place.client.open(path, method=method, headers=headers, data=place.line("heartbeat", seq=1))
    assert answer.status_code == 401
    assert answer.get_json() == {
        "code": "X_NO_PERMISSION",
        "sentence": "Send this feed's token: `floordraw feeds add ID` prints a new one.",
    }
    assert place.ask(lambda engine: engine.sequences) == {}


def test_a_token_is_for_its_own_feed(place: Loopback) -> None:
    answer = place.get(f"/floor-feeds/{SLOTS}", feed=TABLES)
    assert (answer.status_code, answer.get_json()["code"]) == (409, "X_WRONG_FEED")
    answer = place.post([place.line("heartbeat", feed=SLOTS, seq=1)], feed=TABLES)
    (refused,) = answer.get_json()["refused"]
    assert (answer.get_json()["accepted"], refused["line"], refused["code"]) == (0, 1, "X_WRONG_FEED")


# -- what pages say of themselves -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/console", "/screens/main", "/static/screens/screen.js", "/no-such-page", "/lists/x"]
)
def test_every_answer_forbids_what_it_does_not_need(place: Loopback, path: str) -> None:
    with place.client.get(path) as answer:
        headers = answer.headers
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("path", ["/console", "/screens/main"])
def test_no_page_has_a_script_or_style_of_its_own(place: Loopback, path: str) -> None:
    page = place.client.get(path).text
    assert "<style" not in page
    assert " style=" not in page
    assert " onclick=" not in page
    assert all(" src=" in tag for tag in page.split("<script")[1:])


def test_the_start_page_leads_whoever_is_not_signed_in_there(place: Loopback) -> None:
    assert place.bare.get("/").headers["Location"] == "/sign-in"
    answer = place.bare.get("/console", headers={"Accept": "text/html"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/sign-in?to=%2Fconsole")


def test_the_start_page_leads_to_the_console(place: Loopback) -> None:
    answer = place.client.get("/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/console")


# -- ways out of the folders ------------------------------------------------------------------------------------

WAYS_UP = [
    "..", "../../pyproject.toml", "../__init__.py", "%2e%2e/%2e%2e/pyproject.toml", "..%2f..%2fpyproject.toml",
    "....//pyproject.toml", "%2fetc%2fpasswd", "//etc/passwd", "..\\..\\pyproject.toml", "%00",
    "vendor/../../../pyproject.toml",
]  # fmt: skip


@pytest.mark.parametrize("start", ["/static/screens/", "/static/console/", "/draws/", "/screens/"])
@pytest.mark.parametrize("way", WAYS_UP)
def test_no_address_leads_out_of_its_folder(place: Loopback, start: str, way: str) -> None:
    for path in (start + way, f"{start}{way}/record.zip"):
        answer = place.client.get(path)
        assert answer.status_code in {301, 302, 308, 404, 400, 409}
        assert "floordraw" not in answer.text
        assert "root:" not in answer.text


@pytest.mark.parametrize("path", ["/static/screens/screen.js", "/static/console/console.js"])
def test_what_the_pages_need_is_there(place: Loopback, path: str) -> None:
    with place.client.get(path) as answer:
        assert answer.status_code == 200
        assert "javascript" in answer.headers["Content-Type"]


def test_a_person_at_an_address_that_is_not_theirs_is_led_on_and_a_script_gets_its_code(place: Loopback) -> None:
    by_hand = {"Accept": "text/html,application/xhtml+xml", "Cookie": place.client.keys.cookie("kabelo", 0)}
    for path, status, code in (("/console", 403, "X_NO_PERMISSION"), ("/help", 404, "X_HTTP_404")):
        shown = place.client.get(path, headers=by_hand)
        assert (shown.status_code, shown.mimetype) == (status, "text/html")
        assert code in shown.text
        assert 'href="/"' in shown.text
        assert 'href="/sign-in"' in shown.text
        told = place.client.get(path, headers={"Cookie": by_hand["Cookie"]})
        assert (told.status_code, told.get_json()["code"]) == (status, code)


def test_a_demo_says_so_on_every_page_of_the_console(place: Loopback) -> None:
    manager = {"Cookie": place.client.keys.cookie("nomvula", place.clock.now())}
    assert "DEMO, no prizes" not in place.client.get("/console/people", headers=manager).text
    house = House("Silverstar", "", demo=True)
    given: dict[str, Any] = {"tokens": {}, "screens": {}, "staff": [], "read_segment": lambda _: b"", "site_toml": b""}
    demo = Pages(place.core, house=house, secrets_kept=quick_secrets(), **given)
    employ(demo, [(person, person.title(), role) for person, role in STAFF])
    shown = signed_client(demo).get("/console/people")
    assert shown.status_code == 200
    assert "DEMO, no prizes" in shown.text
