"""The bridges' routes: what is taken, what is refused and how it is said; by Flask's client and over a real socket."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from casino import iso, jhb
from loopback import SLOTS, TABLES, TOKENS, Loopback
from werkzeug.serving import make_server

from draw_engine.service import intake
from kiosk.serving import LOOPBACK, QuietRequests


@pytest.fixture
def place(tmp_path: Path, migrated: Path) -> Iterator[Loopback]:
    made = Loopback(tmp_path, migrated)
    yield made
    made.close()


@pytest.fixture
def url(place: Loopback) -> Iterator[str]:
    """The same on a real socket, served as `floordraw serve` does."""
    server = make_server(LOOPBACK, 0, place.pages.app, threaded=True, request_handler=QuietRequests)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    yield f"http://{LOOPBACK}:{server.port}"
    server.shutdown()
    server.server_close()
    serving.join()


def refusals(answer: dict[str, Any]) -> list[tuple[int, str]]:
    assert all(set(line) == {"line", "code", "sentence"} for line in answer["refused"])
    assert all(line["sentence"].endswith(".") for line in answer["refused"])
    return [(line["line"], line["code"]) for line in answer["refused"]]


# -- what is taken ----------------------------------------------------------------------------------------------


def test_the_answer_says_what_became_of_every_line(place: Loopback) -> None:
    told = [place.line("card_in", position="S-0412", member="100001"), place.line("heartbeat")]
    answer = place.post(told)
    assert answer.status_code == 200
    assert answer.get_json() == {
        "accepted": 2,
        "repeated": 0,
        "refused": [],
        "last_seq": 2,
        "missing": [],
        "want_snapshot": False,
    }
    assert place.post([*told, place.line("heartbeat")]).get_json()["repeated"] == 2
    assert place.post(told[:1] * 3).get_json() | {"missing": 0} == {
        "accepted": 0,
        "repeated": 3,
        "refused": [],
        "last_seq": 3,
        "missing": 0,
        "want_snapshot": False,
    }


def test_what_is_taken_is_in_the_journal_before_the_answer(place: Loopback) -> None:
    told = place.line("card_in", position="S-0412", member="100001")
    place.post([told])
    (kept,) = (place.folder / "journal" / "2023-10-07-1.jsonl").read_bytes().splitlines()
    assert json.loads(kept) == {"event": json.loads(told), "received_at": iso(jhb("13:45"))}


@pytest.mark.parametrize("name", ["gzip", "GZIP", " gzip "])
def test_lines_may_be_packed(place: Loopback, name: str) -> None:
    body = gzip.compress(b"\n".join([place.line("heartbeat"), place.line("heartbeat")]))
    assert place.post(body, headers={"Content-Encoding": name}).get_json()["accepted"] == 2


@pytest.mark.parametrize("body", [b"", b"\n\n", b"  \n"])
def test_nothing_is_taken_of_nothing(place: Loopback, body: bytes) -> None:
    answer = place.post(body)
    assert (answer.status_code, answer.get_json()["accepted"]) == (200, 0)
    assert answer.get_json()["last_seq"] in {0, None}


def test_blank_lines_and_other_line_ends_do_no_harm(place: Loopback) -> None:
    body = b"\r\n".join([place.line("heartbeat"), b"", place.line("heartbeat"), b""])
    assert place.post(body).get_json()["accepted"] == 2


def test_a_hole_is_named_and_asks_for_a_snapshot_once_it_was_waited_for(place: Loopback) -> None:
    place.post([place.line("heartbeat", seq=1)])
    answer = place.post([place.line("heartbeat", seq=4)]).get_json()
    assert (answer["last_seq"], answer["missing"], answer["want_snapshot"]) == (4, [2, 3], False)
    place.at("13:45:03")
    answer = place.post([place.line("heartbeat", seq=5)]).get_json()
    assert (answer["missing"], answer["want_snapshot"]) == ([2, 3], True)
    answer = place.post([place.line("snapshot", seq=6, sessions=[])]).get_json()
    assert not answer["want_snapshot"]


def test_a_link_that_was_lost_wants_a_snapshot(place: Loopback) -> None:
    place.post([place.line("heartbeat"), place.line("feed_down", reason="no link")])
    assert place.get(f"/floor-feeds/{SLOTS}").get_json()["state"] == "down"
    assert place.post([place.line("feed_up", reason="link")]).get_json()["want_snapshot"]
    assert not place.post([place.line("snapshot", sessions=[])]).get_json()["want_snapshot"]


# -- what is refused --------------------------------------------------------------------------------------------


def test_a_refused_line_blocks_nothing_and_is_a_hole(place: Loopback) -> None:
    body = [
        place.line("heartbeat", seq=1),
        b"{",
        place.line("card_in", seq=3, position="S-0412"),
        b'["card_in"]',
        place.line("heartbeat", seq=5),
        b"\xff",
        place.line("heartbeat", seq=6) + b"}",
    ]
    answer = place.post(body).get_json()
    assert refusals(answer) == [
        (2, "X_EVENT_UNREADABLE"),
        (3, "X_EVENT_INVALID"),
        (4, "X_EVENT_INVALID"),
        (6, "X_EVENT_UNREADABLE"),
        (7, "X_EVENT_UNREADABLE"),
    ]
    assert (answer["accepted"], answer["last_seq"], answer["missing"]) == (2, 5, [2, 3, 4])


def test_the_same_number_with_other_content_is_refused(place: Loopback) -> None:
    place.post([place.line("heartbeat", seq=1)])
    answer = place.post([place.line("feed_down", seq=1, reason="no link"), place.line("heartbeat", seq=1)]).get_json()
    assert refusals(answer) == [(1, "X_SEQ_REUSED")]
    assert (answer["repeated"], answer["accepted"]) == (1, 0)
    both = [place.line("heartbeat", seq=2), place.line("feed_down", seq=2, reason="no link")]
    assert refusals(place.post(both).get_json()) == [(2, "X_SEQ_REUSED")]


def test_a_clock_may_be_two_seconds_ahead(place: Loopback) -> None:
    body = [
        place.line("heartbeat", seq=1, at=jhb("13:45:02.000")),
        place.line("heartbeat", seq=2, at=jhb("13:45:02.001")),
    ]
    answer = place.post(body).get_json()
    assert (answer["accepted"], refusals(answer)) == (1, [(2, "X_CLOCK_AHEAD")])


def test_a_position_belongs_to_one_feed(place: Loopback) -> None:
    place.load_lists()
    answer = place.post([place.line("card_in", feed=TABLES, position="S-0412", member="100001")], feed=TABLES)
    assert refusals(answer.get_json()) == [(1, "X_POSITION_OTHER_FEED")]


def test_a_refusal_repeats_nothing_of_a_guest(place: Loopback) -> None:
    body = [
        place.line("card_in", position="S-0412", member=100001),
        place.line("card_in", position="S-0412", member="100001", card="70100001", name="Mokoena"),
        b'{"member": "100001", "card": "70100001"',
    ]
    answer = place.post(body)
    assert len(answer.get_json()["refused"]) == 3
    assert not any(word in answer.text for word in ("100001", "Mokoena"))


def test_a_thousand_lines_are_taken_and_one_more_is_not(place: Loopback) -> None:
    lines = [place.line("heartbeat") for _ in range(1_001)]
    answer = place.post(lines)
    assert (answer.status_code, answer.get_json()["code"]) == (413, "X_TOO_LARGE")
    assert place.get(f"/floor-feeds/{SLOTS}").get_json()["last_seq"] in {0, None}
    assert place.post(lines[:1_000]).get_json()["accepted"] == 1_000


@pytest.mark.parametrize("packed", [False, True])
def test_a_megabyte_is_taken_and_one_byte_more_is_not(place: Loopback, packed: bool) -> None:  # noqa: FBT001 - two cases
    line = place.line("heartbeat")
    whole = line + b"\n" * (intake.MAX_BYTES - len(line))
    for body, status in ((whole + b"\n", 413), (whole, 200)):
        data = gzip.compress(body, 1) if packed else body
        answer = place.post(data, headers={"Content-Encoding": "gzip"} if packed else {})
        assert answer.status_code == status


def test_little_that_unpacks_to_very_much_is_not_unpacked(place: Loopback) -> None:
    bomb = gzip.compress(b"\n" * 20_000_000, 9)
    assert len(bomb) < 25_000
    answer = place.post(bomb, headers={"Content-Encoding": "gzip"})
    assert (answer.status_code, answer.get_json()["code"]) == (413, "X_TOO_LARGE")


@pytest.mark.parametrize(
    ("spoil", "encoding"),
    [
        pytest.param(lambda packed: packed[:-1], "gzip", id="cut"),
        pytest.param(lambda packed: packed[:12], "gzip", id="cut-early"),
        pytest.param(lambda _packed: b"", "gzip", id="empty"),
        pytest.param(lambda packed: b"no" + packed, "gzip", id="not-gzip"),
        pytest.param(lambda packed: packed[:-5] + b"\0" * 5, "gzip", id="other-sum"),
        pytest.param(lambda packed: packed + packed, "gzip", id="two-behind-one-another"),
        pytest.param(lambda packed: packed, "br", id="another-packing"),
        pytest.param(lambda packed: packed, "gzip, gzip", id="packed-twice"),
    ],
)
def test_a_packing_that_cannot_be_undone_whole_is_refused_whole(place: Loopback, spoil: Any, encoding: str) -> None:
    body = spoil(gzip.compress(place.line("heartbeat")))
    answer = place.post(body, headers={"Content-Encoding": encoding})
    assert (answer.status_code, answer.get_json()["code"]) == (409, "X_EVENT_UNREADABLE")
    assert place.get(f"/floor-feeds/{SLOTS}").get_json()["last_seq"] in {0, None}


# -- what is asked ----------------------------------------------------------------------------------------------


def test_a_bridge_asks_where_to_go_on(place: Loopback) -> None:
    unheard = place.get(f"/floor-feeds/{SLOTS}").get_json()
    assert unheard == {"feed": SLOTS, "last_seq": None, "missing": [], "state": "unheard", "want_snapshot": True}
    place.post([place.line("heartbeat", seq=1), place.line("heartbeat", seq=3)])
    heard = place.get(f"/floor-feeds/{SLOTS}").get_json()
    assert heard == {"feed": SLOTS, "last_seq": 3, "missing": [2], "state": "up", "want_snapshot": False}
    place.at("13:45:31")
    assert place.get(f"/floor-feeds/{SLOTS}").get_json()["state"] in {"stale", "unsure"}


def test_a_bridge_asks_what_time_it_is(place: Loopback) -> None:
    assert place.get("/floor-clock").get_json() == {"now": "2023-10-07T11:45:00.000Z"}
    place.at("13:45:07.250")
    assert place.get("/floor-clock").get_json() == {"now": "2023-10-07T11:45:07.250Z"}


# -- over a real socket -----------------------------------------------------------------------------------------


def test_over_a_socket_it_is_the_same(place: Loopback, url: str) -> None:
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {TOKENS[SLOTS]}"
        lines = b"\n".join([place.line("heartbeat"), b"{", place.line("heartbeat")])
        answer = session.post(
            f"{url}/floor-events", data=gzip.compress(lines), headers={"Content-Encoding": "gzip"}, timeout=10
        )
        assert (answer.status_code, answer.json()["accepted"], refusals(answer.json())) == (
            200,
            2,
            [(2, "X_EVENT_UNREADABLE")],
        )
        assert session.get(f"{url}/floor-feeds/{SLOTS}", timeout=10).json()["last_seq"] == 2
        assert session.get(f"{url}/floor-clock", timeout=10).json() == {"now": "2023-10-07T11:45:00.000Z"}
        too_much = session.post(f"{url}/floor-events", data=b"\n" * 1_000_001, timeout=10)
        assert (too_much.status_code, too_much.json()["code"]) == (413, "X_TOO_LARGE")
        in_parts = session.post(f"{url}/floor-events", data=(b"\n" * 100_000 for _ in range(11)), timeout=10)
        assert in_parts.status_code in {411, 413}
    answer = requests.post(f"{url}/floor-events", data=b"", headers={"Authorization": "Bearer no"}, timeout=10)
    assert answer.status_code == 401


def test_a_list_that_is_cut_off_is_not_taken_for_the_whole_one(
    place: Loopback, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In pieces without a length: what is over the limit would fall away, and the last members with it."""
    monkeypatch.setattr("kiosk.console.routes.MOST_LIST_BYTES", 1_000)
    lines = [b"member,category,from,to,source\n", *(b"10%04d,self_excluded,2023-10-07,,\n" % n for n in range(100))]
    headers = {"X-Floordraw": "1", "Cookie": place.client.keys.cookie("nomvula", place.clock.now())}
    before = len(place.said("list.loaded"))
    answer = requests.post(f"{url}/lists/exclusions", data=iter(lines), headers=headers, timeout=10)
    assert (answer.status_code, answer.json()["code"]) == (413, "X_TOO_LARGE")
    assert len(place.said("list.loaded")) == before


def test_over_a_socket_an_unfinished_request_takes_nothing(place: Loopback, url: str) -> None:
    line = place.line("heartbeat")
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
    connection.putrequest("POST", "/floor-events")
    connection.putheader("Authorization", f"Bearer {TOKENS[SLOTS]}")
    connection.putheader("Content-Length", str(len(line) + 50))
    connection.endheaders(line)
    connection.sock.shutdown(socket.SHUT_WR)
    with connection.getresponse() as answer:
        assert answer.status == 400
    connection.close()
    assert place.get(f"/floor-feeds/{SLOTS}").get_json()["last_seq"] is None
