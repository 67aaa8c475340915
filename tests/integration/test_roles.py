"""All routes x all roles. The table is written from the documents (architecture, "Who may"; the pages' own audiences;
requirements X-11), never from the routes' rules: a route that is not in it fails, and so does one that is gone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from whole_house import HOST, MACHINE_TOKEN, MARKED, PEOPLE, TOKENS, WIFI, WholeHouse

from draw_engine.service.people_ports import CODE
from kiosk.sign_in.socket_doors import SOCKET_RULES

EVERYBODY = "everybody"
SCREEN = "an enrolled screen, anybody signed in"
BRIDGE = "the view asks for a feed's or a printer's own token"
MACHINE = "a command on the machine, with the core's token"
HERE = "whatever runs on the machine"

ALL = frozenset(PEOPLE)
MANAGER = frozenset({"manager"})
CONSOLE = frozenset({"manager", "auditor"})  # an auditor reads
DRAWS = CONSOLE | {"witness"}  # what the public copy holds
CREW = frozenset({"crew", "manager"})
STAGE = CREW | {"stage"}
COUNTER = frozenset({"desk", "customer_services", "marketing", "manager"})
DESK = COUNTER | {"crew"}  # a representative of the crew draws and carries envelopes (rules 16, SS-043)
SLIPS = frozenset({"crew", "desk", "customer_services", "manager"})
WITNESS = frozenset({"witness"})
OR_MACHINE = "or a command"

MAY: dict[str, Any] = {
    # signing in, and what a device needs before it trusts the house
    **dict.fromkeys(
        (
            *("GET /", "GET /sign-in", "POST /sign-in", "POST /sign-out", "POST /sign-in/secret"),
            *("GET /enrol", "POST /enrol", "GET /trust", "GET /trust/ca.crt", "GET /trust/qr.svg"),
            *("GET /static/console/<path:filename>", "GET /static/screens/<path:file>"),
            # what a guest checks: of published draws alone
            *("GET /check", "GET /check/draw/<path:draw_id>", "GET /check/proofs/<ref>/<path:draw_id>"),
            *("GET /check/root/<root>", "GET /check/record/<path:draw_id>", "GET /check/verify.pyz"),
        ),
        EVERYBODY,
    ),
    "GET /me": ALL,
    "POST /sign-in/stay": ALL,
    "GET /screens/<name>": SCREEN,
    # feeds, printers, commands
    "POST /floor-events": BRIDGE,
    "GET /floor-feeds/<feed>": BRIDGE,
    "GET /floor-clock": BRIDGE,
    "POST /print-jobs/next": BRIDGE,
    "POST /print-jobs/<int(max=2147483647):job>/report": BRIDGE,
    "GET /machine/staff": MACHINE,
    "POST /machine/staff/<act>": MACHINE,
    "GET /metrics": HERE,
    # the floor
    **dict.fromkeys(("GET /crew", "GET /crew/snapshot.json", "GET /crew/worker.js", "GET /crew/training"), CREW),
    **dict.fromkeys(("GET /stage", "GET /stage/snapshot.json", "GET /stage/worker.js", "GET /crew/floor.json"), STAGE),
    **dict.fromkeys(("POST /presses", "POST /claims/review", "POST /claims/void", "POST /claims/exchange"), STAGE),
    # the desks
    "GET /desk": DESK,
    **dict.fromkeys(("POST /desk/guest", "POST /desk/held/reach"), COUNTER),
    **dict.fromkeys(
        ("POST /desk/papers", "POST /desk/papers/keep/<path:under>", "POST /desk/papers/read"),
        COUNTER - {"marketing"},  # who has a guest's paper before them (SS-052, SS-076), and who answers for it
    ),
    **{
        f"POST /desk/{act}": DESK
        for act in (
            *("register", "register/withdraw", "held/find", "held/see", "held/draw", "held/move", "held/contact"),
            *("held/hand_over", "held/give_back", "envelopes/batch", "envelopes/day", "envelopes/cash"),
            *("envelopes/withdraw", "slips/settle", "slips/again"),
        )
    },
    "GET /print-jobs": SLIPS,
    "POST /print-jobs/<int(max=2147483647):job>/settle": SLIPS,
    "POST /print-jobs/<int(max=2147483647):job>/reprint": SLIPS,
    "POST /printers/<printer>/state": (MANAGER, OR_MACHINE),
    # the console
    **dict.fromkeys(("GET /console", "GET /console/people", "GET /console/people.json"), CONSOLE),
    **dict.fromkeys(("GET /console/roster", "GET /console/roster.json"), CONSOLE),
    **{
        f"POST /console/{act}": MANAGER
        for act in (
            *("people/enter", "people/role", "people/end", "people/code", "people/unlock"),
            *("devices/offer", "devices/revoke", "session/suspend", "session/resume", "session/end", "session/open"),
            *("feeds/<feed>/exclude", "draws/note", "roster/enter", "roster/remove", "roster/copy"),
            *("setup/load", "setup/<digest>/load", "setup/<digest>/rehearse"),
            *("setup/<digest>/lock", "setup/<digest>/retire"),
        )
    },
    "POST /lists/<kind>": (MANAGER, OR_MACHINE),
    "POST /exclusions": frozenset({"manager", "desk", "customer_services"}),
    "GET /console/draws": DRAWS,
    "GET /console/draws/<path:draw_id>": DRAWS,
    "GET /console/draws/<path:draw_id>/selections/<int:ordinal>": DRAWS,
    "POST /console/draws/verify": DRAWS,
    "GET /draws/<path:draw_id>/record.zip": DRAWS,  # the auditor's copy: test_draw_log_acts
    **dict.fromkeys(("GET /console/draws.csv", "POST /console/draws/why"), CONSOLE),
    **dict.fromkeys(("GET /console/reports", "GET /console/reports/<table>.csv"), CONSOLE),
    **dict.fromkeys(("GET /console/setup", "GET /console/setup.json", "GET /console/setup/<digest>.json"), CONSOLE),
    "GET /console/setup/<digest>/rules.toml": CONSOLE,
    "GET /console/setup/<digest>/rehearsal.zip": CONSOLE,
    "POST /console/setup/check": CONSOLE,
    "GET /api.json": CONSOLE,
    # the witness
    **dict.fromkeys(("GET /witness", "GET /witness/snapshot.json", "POST /witness/certificate"), DRAWS),
    **{f"POST /witness/{act}": WITNESS for act in ("watch", "dice", "statement", "certify")},
}
READS = frozenset({"draws/verify", "draws/why", "setup/check"})
"""Of the console's POSTs: a long question that changes nothing."""
THEIR_OWN = frozenset({"POST /sign-in/stay"}) | {f"POST /witness/{act}" for act in ("watch", "dice", "statement")}
THEIR_OWN |= {"POST /witness/certify", "POST /witness/certificate"} | {f"POST /console/{act}" for act in READS}

SOCKETS = {
    "/screens": SCREEN,
    "/screen-server": HERE,
    "/console": CONSOLE,
    "/crew": CREW,
    "/stage": STAGE,
    "/desk": DESK,
    "/witness": DRAWS,
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[WholeHouse]:
    made = WholeHouse(tmp_path_factory.mktemp("roles"), migrated)
    yield made
    made.close()


@pytest.fixture
def gates(place: WholeHouse) -> Iterator[None]:
    """Every view says only that it was reached; the gate in front of it is the real one."""
    views = place.whole.app.view_functions
    kept = dict(views)
    for name, view in kept.items():
        views[name] = _reached(view)
    yield
    views.update(kept)


def _reached(view: Any) -> Callable[..., str]:
    def reached(**_said: Any) -> str:
        return "reached"

    reached.access_rule = view.access_rule  # type: ignore[attr-defined]
    return reached


def routes(app: Flask) -> list[str]:
    return sorted(
        f"{method} {rule.rule}"
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    )


def ask(route: str, client: Any, **said: Any) -> tuple[int, str]:
    """(status, code or text) of a route asked from the floor's Wi-Fi."""
    method, _, rule = route.partition(" ")
    path = re.sub(r"<int[^>]*>", "1", re.sub(r"<(path:)?[a-z_]+>", "x", rule))
    headers = {**MARKED, **said.pop("headers", {})}
    answer = client.open(
        path, method=method, json={} if method == "POST" else None, headers=headers, **{**WIFI, **said}
    )
    told = answer.get_json(silent=True)
    text = answer.data.decode(errors="replace")  # the verifier's file is no text
    return answer.status_code, told["code"] if isinstance(told, dict) and "code" in told else text


def test_every_route_is_in_the_table_and_nothing_else(place: WholeHouse) -> None:
    assert routes(place.whole.app) == sorted(MAY)


def roles_of(route: str) -> frozenset[str]:
    who = MAY[route]
    if who == SCREEN:
        return ALL
    if isinstance(who, tuple):
        who = who[0]
    return who if isinstance(who, frozenset) else frozenset()


@pytest.mark.usefixtures("gates")
@pytest.mark.parametrize("role", ["", *sorted(ALL)])
def test_a_role_is_let_in_where_it_is_named_and_nowhere_else(place: WholeHouse, role: str) -> None:
    client = place.as_role(role)
    for route, who in MAY.items():
        status, told = ask(route, client)
        if who in (EVERYBODY, BRIDGE) or role in roles_of(route):
            assert (status, told) == (200, "reached"), route
        elif who in (MACHINE, HERE) or role:
            assert (status, told) == (403, "X_NO_PERMISSION"), route
        else:
            assert (status, told) == (401, "X_NOT_SIGNED_IN"), route


@pytest.mark.usefixtures("gates")
def test_nobody_who_asks_for_a_page_is_led_to_the_sign_in(place: WholeHouse) -> None:
    client = place.as_role("")
    for route, who in MAY.items():
        if route.startswith("GET ") and (roles_of(route) or who == SCREEN):
            status, _ = ask(route, client, headers={"Accept": "text/html"})
            assert status == 302, route


@pytest.mark.usefixtures("gates")
def test_who_has_not_chosen_a_secret_is_let_in_nowhere(place: WholeHouse) -> None:
    place.whole.door.put_secret("themba", "K7Q2MXPR", CODE, until=place.clock.now() + 3_600_000)
    token = place.whole.door.sign_in("themba", "K7Q2MXPR", device=None, address="test", here=True)
    client = place.whole.app.test_client()
    client.set_cookie("floordraw", token, domain="floordraw.test")
    for route, who in MAY.items():
        if roles_of(route) and who != SCREEN:
            assert ask(route, client) == (401, "X_SECRET_TO_CHOOSE"), route


@pytest.mark.usefixtures("gates")
@pytest.mark.parametrize("kind", ["crew", "stage", "desk", "screen"])
def test_a_device_alone_opens_nothing_but_its_screen(place: WholeHouse, kind: str) -> None:
    client = place.with_device(kind, "main" if kind == "screen" else f"Tablet {kind}")
    for route, who in MAY.items():
        status, told = ask(route, client)
        if who in (EVERYBODY, BRIDGE) or (who == SCREEN and kind == "screen"):
            assert (status, told) == (200, "reached"), route
        else:
            assert status in {401, 403}, route


@pytest.mark.usefixtures("gates")
def test_a_command_of_the_machine_reaches_what_is_its_own(place: WholeHouse) -> None:
    client = place.whole.app.test_client()
    here = {"environ_base": {"REMOTE_ADDR": "127.0.0.1"}, "base_url": "http://127.0.0.1"}
    token = {"Authorization": f"Bearer {MACHINE_TOKEN}"}
    for route, who in MAY.items():
        with_token = ask(route, client, headers=token, **here)[0] == 200
        assert with_token is (who in (EVERYBODY, BRIDGE, SCREEN, MACHINE, HERE) or isinstance(who, tuple)), route
        without = ask(route, client, **here)[0] == 200
        assert without is (who in (EVERYBODY, BRIDGE, SCREEN, HERE)), route
        assert (ask(route, client, headers=token)[0] == 200) is (who in (EVERYBODY, BRIDGE)), route


@pytest.mark.parametrize("role", ["auditor", "witness"])
def test_who_watches_changes_nothing(place: WholeHouse, role: str) -> None:
    """Of all that is sent by POST they have questions and, the witness, what the witness says; each POST is tried."""
    client = place.as_role(role)
    theirs = {route for route in MAY if route.startswith("POST") and role in roles_of(route)}
    assert theirs <= THEIR_OWN
    before = place.ask(lambda engine: engine.store.head())
    for route, who in MAY.items():
        if route.startswith("POST ") and who != EVERYBODY:
            status, _ = ask(route, client)
            assert status in {401, 403} or route in theirs, route
    assert place.ask(lambda engine: engine.store.head()) == before


@pytest.mark.parametrize("token", ["", "wrong", *TOKENS.values()])
def test_a_feed_s_token_opens_its_own_routes_alone(place: WholeHouse, token: str) -> None:
    client = place.whole.app.test_client()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    for route, who in MAY.items():
        status, told = ask(route, client, headers=headers)
        if who == BRIDGE and (token not in TOKENS.values() or "print-jobs" in route):
            assert (status in {401, 403}, told) == (True, "X_NO_PERMISSION"), route
        elif who not in (BRIDGE, EVERYBODY):
            assert status in {401, 403}, route


# -- sockets --------------------------------------------------------------------------------------------------------


def test_every_socket_is_in_the_table() -> None:
    assert set(SOCKETS) == set(SOCKET_RULES)


@pytest.mark.parametrize("role", ["", *sorted(ALL)])
def test_a_socket_opens_for_whom_its_page_is(place: WholeHouse, role: str) -> None:
    for namespace, who in SOCKETS.items():
        browser = place.as_role(role)
        browser.environ_base["REMOTE_ADDR"] = "10.20.30.40"
        made = place.whole.sockets.test_client(
            place.whole.app,
            namespace=namespace,
            auth={"screen": "main"},
            flask_test_client=browser,
            headers={"Host": HOST.removeprefix("http://")},
        )
        let_in = bool(made.is_connected(namespace))
        if let_in:
            made.disconnect(namespace)
        may = role in who if isinstance(who, frozenset) else bool(role) and who == SCREEN
        assert let_in is may, namespace
