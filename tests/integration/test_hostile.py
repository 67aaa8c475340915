"""A hostile pass over the whole application: a stranger on the floor's Wi-Fi, a page elsewhere, a dishonest colleague.

What came of each is told in docs/security.md.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from casino import FIRST, LERATO
from test_roles import MAY, ask, routes
from whole_house import MARKED, TOKENS, WIFI, WholeHouse

from kiosk.sign_in.access import DEVICE, SESSION
from kiosk.sign_in.tries import Tries

NESTED = b'{"a":' + b"[" * 100_000
RAW = [
    pytest.param(b"", id="nothing"),
    pytest.param(b"null", id="null"),
    pytest.param(b"[]", id="a list"),
    pytest.param(b"{", id="half"),
    pytest.param(b"\xff\xfe\x00", id="no UTF-8"),
    pytest.param(NESTED, id="nested"),
    pytest.param(b'{"draw":' + b"9" * 10_000 + b"}", id="a long number"),
    pytest.param(b'{"draw":NaN,"ordinal":Infinity,"amount":1e999}', id="no numbers"),
    pytest.param(b'{"draw":"\\ud800","reason":"\\u0000","second":"\\udfff","second_secret":"\\ud800"}', id="halves"),
    pytest.param("{}".encode("utf-16"), id="UTF-16"),
    pytest.param(b'{"by":"kabelo","by":"nomvula","reason":"x","reason":["y"]}', id="twice"),
]
POSTS = [route for route in MAY if route.startswith("POST ")]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[WholeHouse]:
    made = WholeHouse(tmp_path_factory.mktemp("hostile"), migrated)
    made.load_lists()
    made.at("13:56")
    made.seat(S_0412=LERATO)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _nobody_has_tried(place: WholeHouse) -> None:
    place.whole.door.tries = Tries()


def head(place: WholeHouse) -> Any:
    return place.ask(lambda engine: engine.store.head())


# -- what is sent ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("raw", RAW)
def test_whatever_is_sent_is_answered_and_no_fault(place: WholeHouse, raw: bytes) -> None:
    for role in ("manager", "crew"):
        for route in POSTS:
            client = place.as_role(role)
            _, told = _sent(client, route, raw)
            assert told != "X_FAULT", (role, route)
            assert place.core.broken is None, (role, route)


def _sent(client: Any, route: str, raw: bytes, **headers: str) -> tuple[int, str]:
    path = route.removeprefix("POST ").replace("<int(max=2147483647):job>", "1")
    said = {"data": raw, "content_type": "application/json", "headers": {**MARKED, **headers}}
    answer = client.post(path.replace("<", "").replace(">", ""), **said, **WIFI)
    assert answer.status_code < 500, (route, answer.text)
    return answer.status_code, str((answer.get_json(silent=True) or {}).get("code"))


@pytest.mark.parametrize("role", ["", "crew", "manager"])
def test_nothing_large_is_read_whether_it_says_how_large_or_not(place: WholeHouse, role: str) -> None:
    """64 MB of JSON, unannounced in chunks, held the interpreter (and every press) for seconds."""
    for route in POSTS:
        if route in {"POST /lists/<kind>", "POST /floor-events"}:
            continue
        stream = _Endless()
        answer = place.as_role(role).post(
            route.removeprefix("POST ").replace("<int(max=2147483647):job>", "1").replace("<", "").replace(">", ""),
            input_stream=stream,
            content_type="application/json",
            headers=MARKED,
            environ_overrides={"wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"},
            **WIFI,
        )
        assert answer.status_code < 500, route
        assert stream.given <= 1_000_000, route


class _Endless(io.BytesIO):
    """A body that goes on, as one in chunks may."""

    def __init__(self) -> None:
        super().__init__(b"[" * 2_000_000)

    @property
    def given(self) -> int:
        return self.tell()


@pytest.mark.parametrize(
    "cookie", ["floordraw=\xff", "\xff\xfe=\xff", "floordraw=" + "x" * 60_000, ";=;=;", "\xc3\xa9=1"]
)
def test_a_cookie_of_any_bytes_is_nobody_s(place: WholeHouse, cookie: str) -> None:
    client = place.whole.app.test_client(use_cookies=False)
    for route in (
        "GET /",
        "GET /sign-in",
        "GET /me",
        "POST /sign-out",
        "POST /sign-in",
        "POST /enrol",
        "POST /presses",
    ):
        status, told = ask(route, client, environ_overrides={"HTTP_COOKIE": cookie})
        assert status in {200, 302, 401, 403, 409}, (route, told)


WAYS = [
    "../../etc/passwd",
    "%2e%2e%2f%2e%2e",
    "silverstar%00",
    "%ff%fe",
    "a" * 5_000,
    "<script>",
    "..%5c..",
    "%0d%0aX: 1",
]


@pytest.mark.parametrize("way", WAYS)
def test_a_name_in_an_address_is_a_name(place: WholeHouse, way: str) -> None:
    client = place.as_role("manager")
    for start, end in (
        ("/draws/", "/record.zip"),
        ("/console/draws/", ""),
        ("/console/setup/", ".json"),
        ("/screens/", ""),
    ):
        answer = client.get(f"{start}{way}{end}", headers={"Accept": "application/json"}, **WIFI)
        assert answer.status_code in {301, 302, 308, 400, 403, 404, 409}, answer.text
        assert "<script>" not in answer.text or "json" in answer.headers["Content-Type"]
        assert "X" not in answer.headers


NONSENSE = [b"2" * 100, b"9", b"\xff", b"6x" * 1_000, b"4" * 2_000_000, b"", b"b" * 10, b"45999999999-/console,[]"]


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_nonsense_on_a_socket_s_line_keeps_no_thread(place: WholeHouse, nonsense: bytes) -> None:
    """Who sends it and then fetches nothing kept a thread of the core for ever."""
    client = place.as_role("")
    line = "/socket.io/?EIO=4&transport=polling"
    sid = json.loads(client.get(line, **WIFI).text[1:])["sid"]
    answers: list[int] = []

    def send() -> None:
        answers.append(client.post(f"{line}&sid={sid}", data=nonsense, content_type="text/plain", **WIFI).status_code)

    sends = Thread(target=send, daemon=True)
    sends.start()
    sends.join(5)
    assert not sends.is_alive()
    assert answers[0] in {200, 400}


# -- a page elsewhere -----------------------------------------------------------------------------------------------

FOREIGN = [
    pytest.param({"Origin": "https://casino.example", **MARKED}, id="another origin"),
    pytest.param({"Origin": "null", **MARKED}, id="a sandboxed frame"),
    pytest.param({"Origin": "http://floordraw.test.casino.example", **MARKED}, id="a name that begins as ours"),
    pytest.param({"Origin": "http://casino.example@floordraw.test:80", **MARKED}, id="a user before the host"),
    pytest.param({}, id="no mark"),
    pytest.param({"Sec-Fetch-Site": "cross-site", **MARKED}, id="said by the browser to be cross-site"),
    pytest.param({"Sec-Fetch-Site": "same-site", **MARKED}, id="from a name beside ours"),
]


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("kind", ["application/json", "text/plain", "application/x-www-form-urlencoded"])
def test_a_page_elsewhere_can_send_nothing_anywhere(place: WholeHouse, headers: dict[str, str], kind: str) -> None:
    client, before = place.as_role("manager"), head(place)
    for route in POSTS:
        if MAY[route].__class__ is str and "token" in MAY[route] and headers.get("Origin") is None:
            continue  # a feed's or a printer's: no browser has that token
        path = route.removeprefix("POST ").replace("<int(max=2147483647):job>", "1")
        answer = client.post(path, data='{"person":"mpho"}', content_type=kind, headers=headers, **WIFI)
        assert answer.status_code in {401, 403}, route
    assert head(place) == before


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "127.0.0.1"},
        {"X-Forwarded-Host": "localhost"},
        {"Forwarded": "for=127.0.0.1;host=localhost"},
        {"X-Real-IP": "127.0.0.1"},
        {"X-Original-URL": "/metrics", "X-Rewrite-URL": "/metrics"},
        {"X-HTTP-Method-Override": "GET"},
    ],
)
def test_no_header_makes_a_stranger_the_machine(place: WholeHouse, headers: dict[str, str]) -> None:
    client = place.as_role("")
    assert ask("GET /metrics", client, headers=headers) == (403, "X_NO_PERMISSION")
    assert ask("GET /screens/<name>", client, headers=headers) == (401, "X_NOT_SIGNED_IN")
    assert ask("POST /console/people/end", client, headers=headers) == (401, "X_NOT_SIGNED_IN")


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "evil.example", "floordraw.test.evil.example", "[::1]", "10.20.30.1"]
)
def test_a_name_that_is_not_ours_is_refused_from_the_wi_fi(place: WholeHouse, host: str) -> None:
    client = place.as_role("")
    for route in routes(place.whole.app):
        status, told = ask(route, client, base_url=f"http://{host}")
        assert (status in {401, 403}, told) == (True, "X_NO_PERMISSION"), route


# -- tokens ---------------------------------------------------------------------------------------------------------


def test_a_token_chosen_by_somebody_else_never_becomes_a_sign_in(place: WholeHouse) -> None:
    client = place.whole.app.test_client()
    client.set_cookie(SESSION, "chosen-by-a-thief", domain="floordraw.test")
    said = {"number": "kabelo", "secret": "583920"}
    tablet = place.with_device("crew", "Crew tablet 9")
    client.set_cookie(DEVICE, tablet.get_cookie(DEVICE, domain="floordraw.test").value, domain="floordraw.test")  # type: ignore[union-attr]
    assert client.post("/sign-in", json=said, headers=MARKED, **WIFI).status_code == 200
    thief = place.whole.app.test_client()
    thief.set_cookie(SESSION, "chosen-by-a-thief", domain="floordraw.test")
    assert thief.get("/me", **WIFI).status_code == 401


def test_whoever_signs_in_ends_who_was_there_and_a_stolen_cookie_with_it(place: WholeHouse) -> None:
    tablet = place.with_device("crew", "Crew tablet 8", "crew")
    stolen = place.whole.app.test_client()
    stolen.set_cookie(SESSION, place.token("kabelo"), domain="floordraw.test")
    assert stolen.get("/me", **WIFI).status_code == 200
    assert tablet.post("/sign-out", json={}, headers=MARKED, **WIFI).status_code == 200
    assert stolen.get("/me", **WIFI).status_code == 401


def test_a_device_s_token_is_no_sign_in_and_a_sign_in_no_device(place: WholeHouse) -> None:
    tablet = place.with_device("stage", "Stage tablet 9")
    token = tablet.get_cookie(DEVICE, domain="floordraw.test")
    assert token is not None
    other = place.whole.app.test_client()
    other.set_cookie(SESSION, token.value, domain="floordraw.test")
    assert other.get("/me", **WIFI).status_code == 401
    other.set_cookie(DEVICE, place.token("zodwa"), domain="floordraw.test")
    assert (
        other.post("/sign-in", json={"number": "zodwa", "secret": "583920"}, headers=MARKED, **WIFI).status_code == 403
    )


def test_codes_are_not_guessed(place: WholeHouse) -> None:
    """30 letters, eight of them: 6.6e11 codes; an offer lasts 15 minutes, an address has 30 tries a minute."""
    place.whole.door.offer("crew", "Crew tablet 7", "manager:nomvula")
    client, told = place.whole.app.test_client(), []
    for n in range(32):
        answer = client.post("/enrol", json={"code": f"AAAAAA{n:02}"}, headers=MARKED, **WIFI)
        told.append(answer.get_json()["code"])
    assert set(told) == {"X_CODE_WRONG", "X_TOO_MANY_TRIES"}
    assert told.count("X_CODE_WRONG") <= 30
    assert 256 * 30 * 15 / 30**8 < 1e-6  # every address of the floor's network, as long as the offer lasts


# -- a dishonest colleague ------------------------------------------------------------------------------------------


def test_nobody_acts_as_somebody_else(place: WholeHouse) -> None:
    """Wherever an act has a `by` of the body, another's is refused, and nothing of it is done."""
    client, before = place.as_role("crew"), head(place)
    for route in ("/presses", "/claims/review", "/claims/void", "/claims/exchange", "/desk/envelopes/batch"):
        said = {"id": "press-00001", "verb": "take", "draw": FIRST, "ordinal": 0, "by": "nomvula", "reason": "x"}
        answer = client.post(route, json=said, headers=MARKED, **WIFI)
        assert (answer.status_code, answer.get_json()["code"]) == (401, "X_OTHER_PERSON"), route
    assert head(place) == before


def test_a_second_person_is_not_guessed_for_long(place: WholeHouse) -> None:
    tablet = place.with_device("crew", "Crew tablet 6", "crew")
    said = {"draw": FIRST, "ordinal": 0, "decision": "absent", "reason": "x", "second": "nomvula"}
    told = [
        tablet.post(
            "/claims/review",
            json={**said, "second_secret": f"{n:06}"},
            headers=MARKED,
            **{**WIFI, "environ_base": {"REMOTE_ADDR": "10.20.30.77"}},
        ).get_json()["code"]
        for n in range(7)
    ]
    assert told == ["X_WRONG_SECRET"] * 4 + ["X_LOCKED_OUT"] * 3
    assert (
        place.whole.door.second("nomvula", "583920", beside="kabelo", device=None, address="here", here=True).id
        == "nomvula"
    )


def test_what_is_typed_is_shown_as_text_and_opens_no_spreadsheet_s_formula(place: WholeHouse) -> None:
    client = place.as_role("manager")
    name = '=HYPERLINK("http://x")<img src=x onerror=alert(1)>'
    entered = {"person": "sneaky", "name": name, "role": "crew"}
    assert client.post("/console/people/enter", json=entered, headers=MARKED, **WIFI).status_code == 200
    for page in ("/console/people", "/console", "/console/draws", "/console/reports", "/sign-in"):
        assert "<img src=x" not in client.get(page, headers={"Accept": "text/html"}, **WIFI).text, page
    csv = client.get("/console/draws.csv", **WIFI).text
    assert '"=' not in csv
    assert ",=" not in csv


def test_no_secret_and_no_name_stands_in_metrics_refusals_or_faults(
    place: WholeHouse, capsys: pytest.CaptureFixture[str]
) -> None:
    client = place.as_role("crew")
    secret = "a secret that nobody may read"
    for route in POSTS:
        said = {"number": secret, "secret": secret, "second": "zodwa", "second_secret": secret, "verb": secret}
        _, told = _sent(client, route, json.dumps(said).encode())
        assert secret not in told
    here = {"environ_base": {"REMOTE_ADDR": "127.0.0.1"}, "base_url": "http://127.0.0.1"}
    figures = place.whole.app.test_client().get("/metrics", **here).text
    for word in (secret, "kabelo", "Kabelo", LERATO, *TOKENS.values()):
        assert word not in figures
    said_aloud = "".join(capsys.readouterr())
    assert secret not in said_aloud


def test_a_sign_in_that_was_ended_opens_nothing_anywhere(place: WholeHouse) -> None:
    client = place.as_role("marketing")
    assert client.get("/me", **WIFI).status_code == 200
    changed = place.signed().post("/console/people/role", json={"person": "sizwe", "role": "desk"})
    assert changed.status_code == 200
    for route in routes(place.whole.app):
        if isinstance(MAY.get(route), frozenset):
            assert ask(route, client)[0] == 401, route


def test_whose_lines_do_not_make_way_is_who_is_signed_in_or_an_enrolled_device(place: WholeHouse) -> None:
    tablet = place.with_device("crew", "Crew tablet 5").get_cookie(DEVICE, domain="floordraw.test")
    assert tablet is not None
    knows = place.whole.gate.knows
    assert knows(f"x=1; {DEVICE}={tablet.value}")
    assert knows(f"__Host-{SESSION}={place.token('kabelo')}")
    for stranger in ("", "x", f"{DEVICE}=", f"{DEVICE}=x", f"__Host-{SESSION}={tablet.value}", "\udcff=\udcff;;;="):
        assert not knows(stranger)
