"""What people do over the routes: lists, exclusions at a desk, suspend, resume, go on without a feed; every refusal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from casino import GRACE, MEMBERS, NOBODY, THANDI, jhb
from loopback import FIRST, SLOTS, TABLES, Loopback

from draw_engine.service import intake
from kiosk.console.view import console_snapshot
from kiosk.screens.view import House

BY_TWO = {"by": "nomvula", "second": "kabelo", "reason": "a burst pipe"}
SUSPEND, RESUME, EXCLUDE = "/console/session/suspend", "/console/session/resume", f"/console/feeds/{TABLES}/exclude"


@pytest.fixture
def closed(tmp_path: Path, migrated: Path) -> Iterator[Loopback]:
    """Nothing is open yet, no list is loaded."""
    made = Loopback(tmp_path, migrated)
    yield made
    made.close()


@pytest.fixture
def place(closed: Loopback) -> Loopback:
    """The first session is open and has not begun."""
    closed.load_lists()
    closed.at("13:56")
    closed.seat(S_0412=THANDI)
    assert closed.ask(lambda engine: list(engine.draws)) == [FIRST]
    return closed


def told(place: Loopback, path: str, said: Any) -> tuple[int, str]:
    """(status, code) of what a route answers to JSON."""
    answer = place.client.post(path, json=said)
    body = answer.get_json()
    if answer.status_code == 200:
        return 200, "ok" if body["ok"] else ""
    assert set(body) == {"code", "sentence"}
    assert body["sentence"].endswith(".")
    return answer.status_code, body["code"]


# -- two people -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        pytest.param({"second": ""}, 409, "X_SECOND_PERSON_REQUIRED", id="no-second"),
        pytest.param({"second": "nomvula"}, 409, "X_SAME_PERSON", id="the-same"),
        pytest.param({"by": "stranger"}, 401, "X_OTHER_PERSON", id="a-stranger"),
        pytest.param({"second": "stranger"}, 403, "X_WRONG_SECRET", id="a-stranger-second"),
        pytest.param({"by": ["nomvula"]}, 401, "X_OTHER_PERSON", id="a-list"),
        pytest.param({"second": ["themba"]}, 409, "X_VALUE_WRONG", id="a-list-second"),
        pytest.param({"second_secret": "000000"}, 403, "X_WRONG_SECRET", id="a-wrong-secret"),
        pytest.param({"second_secret": ""}, 409, "X_SECOND_PERSON_REQUIRED", id="no-secret"),
        pytest.param({"by": "kabelo", "second": "nomvula"}, 403, "X_NO_PERMISSION", id="no-manager-first"),
        pytest.param({"reason": ""}, 409, "X_REASON_REQUIRED", id="no-reason"),
        pytest.param({"reason": "  \n"}, 409, "X_REASON_REQUIRED", id="a-blank-reason"),
        pytest.param({"reason": None}, 409, "X_REASON_REQUIRED", id="null-reason"),
        pytest.param({"reason": "x" * 501}, 409, "X_REASON_REQUIRED", id="a-long-reason"),
    ],
)
@pytest.mark.parametrize("path", [SUSPEND, EXCLUDE])
def test_what_takes_two_people_is_refused_to_fewer(
    place: Loopback, path: str, said: dict[str, Any], status: int, code: str
) -> None:
    assert told(place, path, BY_TWO | said) == (status, code)
    assert place.said("session.suspended", "feed.excluded") == []


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"nomvula"', b"null", b"\xff"])
@pytest.mark.parametrize("path", [SUSPEND, RESUME, EXCLUDE])
def test_a_body_that_is_no_json_object_is_asked_for_again(place: Loopback, path: str, body: bytes) -> None:
    answer = place.client.post(path, data=body, content_type="application/json")
    assert (answer.status_code, answer.get_json()["code"]) == (409, "X_REASON_REQUIRED")


def test_a_form_of_another_page_presses_nothing(place: Loopback) -> None:
    """A form can be sent from anywhere without a browser asking; only JSON counts."""
    answer = place.client.post(SUSPEND, data=BY_TWO)
    assert answer.status_code == 409
    assert place.said("session.suspended") == []


@pytest.mark.parametrize("path", [SUSPEND, RESUME, EXCLUDE])
def test_without_an_open_session_there_is_nothing_to_change(closed: Loopback, path: str) -> None:
    assert told(closed, path, BY_TWO) == (409, "SS_OUTSIDE_SESSION")


def test_two_people_suspend_and_resume(place: Loopback) -> None:
    assert told(place, RESUME, BY_TWO) == (409, "X_ALREADY_DONE")
    assert told(place, SUSPEND, BY_TWO) == (200, "ok")
    assert told(place, SUSPEND, BY_TWO) == (409, "X_ALREADY_DONE")
    assert told(place, RESUME, BY_TWO | {"by": "themba", "second": "kabelo"}) == (200, "ok")
    suspended, resumed = place.said("session.suspended", "session.resumed")
    assert (suspended.draw, suspended.actor) == (FIRST, "manager:nomvula")
    assert suspended.data == {
        "by": ["crew:kabelo", "manager:nomvula"],
        "reason": "a burst pipe",
        "authenticated": True,
    }
    assert (resumed.kind, resumed.actor) == ("session.resumed", "manager:themba")


def test_two_people_go_on_without_a_feed(place: Loopback) -> None:
    assert told(place, "/console/feeds/bingo-1/exclude", BY_TWO) == (409, "X_NO_SUCH_FEED")
    assert told(place, EXCLUDE, BY_TWO) == (200, "ok")
    assert told(place, EXCLUDE, BY_TWO) == (409, "X_ALREADY_DONE")
    (entry,) = place.said("feed.excluded")
    assert (entry.draw, entry.data["feed"]) == (FIRST, TABLES)


# -- lists ------------------------------------------------------------------------------------------------------


def load(place: Loopback, kind: str, content: bytes | str, by: str = "nomvula") -> tuple[int, dict[str, Any]]:
    headers = {"Cookie": place.client.keys.cookie(by, place.clock.now())}
    answer = place.client.post(f"/lists/{kind}", data=content, headers=headers)
    return answer.status_code, answer.get_json()


def test_a_list_is_loaded_by_somebody_of_the_house(place: Loopback) -> None:
    assert load(place, "members", MEMBERS, by="themba") == (200, {"ok": True, "rows": 9})
    assert place.said("list.loaded")[-1].actor == "manager:themba"
    status, told = load(place, "members", MEMBERS, by="mpho")
    assert (status, told["code"]) == (403, "X_NO_PERMISSION")


def test_a_list_with_faults_is_not_taken_and_all_of_them_are_named(place: Loopback) -> None:
    before = place.ask(lambda engine: engine.list_rows["members"])
    rows = MEMBERS + "100009,Jan,Nel,,1985-13-01,,,\n" + "100001,Twice,Over,Gold,1985-01-01,,,\n"
    status, told = load(place, "members", rows)
    assert (status, told["code"]) == (422, "X_LIST_FAULTS")
    said = told["sentence"].splitlines()
    assert said[0] == "the list of members was not taken: 3 faults"
    assert [line.partition(":")[0] for line in said[1:]] == [
        "line 11, tier",
        "line 11, born",
        "line 12, member",
    ]
    assert not any(word in told["sentence"] for word in ("100009", "Nel", "100001", "Twice"))
    assert place.ask(lambda engine: engine.list_rows["members"]) is before
    assert len(place.said("list.loaded")) == 4


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("members", b""),
        ("members", b"\xff\xfe"),
        ("members", b'member,first_name\n"100001'),
        ("members", b"\x00" * 40),
        ("exclusions", MEMBERS.encode()),
        ("guests", MEMBERS.encode()),
    ],
)
def test_what_is_no_such_list_is_refused_in_a_sentence(place: Loopback, kind: str, content: bytes) -> None:
    status, told = load(place, kind, content)
    assert (status, told["code"]) == (422, "X_LIST_FAULTS")
    assert "line " in told["sentence"]
    assert len(place.said("list.loaded")) == 4


# -- exclusions at a desk ---------------------------------------------------------------------------------------

AT_DESK = {"member": GRACE, "category": "self_excluded", "from": "2023-10-07", "by": "mpho"}


def test_an_exclusion_at_a_desk_holds_at_once(place: Loopback) -> None:
    place.at("13:57")
    assert not place.ask(lambda engine: engine.lists.at(engine.now()).excluded.get(GRACE))
    answer = place.client.post("/exclusions", json=AT_DESK)
    assert (answer.status_code, answer.get_json()) == (200, {"ok": True, "rows": 1})
    assert place.ask(lambda engine: set(engine.lists.at(engine.now()).excluded[GRACE])) == {"self_excluded"}
    entry = place.said("list.loaded")[-1]
    assert (entry.actor, entry.data["list"], entry.at) == ("desk:mpho", "exclusions", jhb("13:57"))
    assert place.client.post("/exclusions", json=AT_DESK | {"member": THANDI, "to": "2023-10-08"}).status_code == 200
    kept = place.ask(lambda engine: engine.versions["exclusions"].rows)
    loaded = place.client.post("/lists/exclusions", data=b"member,category,from,to,source\n")
    assert loaded.get_json() == {"ok": True, "rows": 2}  # a file does not take back what a desk has entered
    (row, other) = place.ask(lambda engine: engine.versions["exclusions"].rows)
    assert [one.member for one in kept] == [row.member, other.member]  # type: ignore[union-attr]
    assert (row.member, row.last, other.member, str(other.last)) == (GRACE, None, THANDI, "2023-10-08")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        pytest.param({"from": ""}, 409, "X_VALUE_WRONG", id="no-day"),
        pytest.param({"from": "7 October"}, 409, "X_VALUE_WRONG", id="a-day-in-words"),
        pytest.param({"from": "2023-02-30"}, 409, "X_VALUE_WRONG", id="no-such-day"),
        pytest.param({"to": "2023-02-30"}, 409, "X_VALUE_WRONG", id="no-such-last-day"),
        pytest.param({"from": 7}, 409, "X_VALUE_WRONG", id="a-number"),
        pytest.param({"by": "kabelo"}, 403, "X_NO_PERMISSION", id="by-the-crew"),
        pytest.param({"by": "stranger"}, 401, "X_OTHER_PERSON", id="by-a-stranger"),
        pytest.param({"member": ""}, 422, "X_LIST_FAULTS", id="no-member"),
        pytest.param({"member": "x" * 129}, 422, "X_LIST_FAULTS", id="a-long-member"),
        pytest.param({"category": "loud"}, 422, "X_LIST_FAULTS", id="no-such-category"),
        pytest.param({"category": ""}, 422, "X_LIST_FAULTS", id="no-category"),
        pytest.param({"to": "2023-10-06"}, 422, "X_LIST_FAULTS", id="it-ends-before-it-begins"),
        pytest.param({"member": "x\n100002,self_excluded,2023-10-07,,"}, 422, "X_LIST_FAULTS", id="a-row-in-a-cell"),
    ],
)
def test_an_exclusion_that_cannot_be_read_is_refused(
    place: Loopback, said: dict[str, Any], status: int, code: str
) -> None:
    assert told(place, "/exclusions", AT_DESK | said) == (status, code)
    assert place.ask(lambda engine: engine.versions["exclusions"].rows) == ()


@pytest.mark.parametrize("body", [b"", b"[]", b"{"])
def test_an_exclusion_is_told_as_json(place: Loopback, body: bytes) -> None:
    answer = place.client.post("/exclusions", data=body, content_type="application/json")
    assert (answer.status_code, answer.get_json()["code"]) == (409, "X_VALUE_WRONG")


def test_an_exclusion_needs_the_list_it_is_added_to(closed: Loopback) -> None:
    assert told(closed, "/exclusions", AT_DESK) == (409, "X_LIST_TOO_OLD")


@pytest.mark.parametrize("header", ["source,to,from,category,member\n", "\ufeffmember,category,from,to,source\r\n"])
def test_it_is_added_in_the_list_s_own_columns(closed: Loopback, header: str) -> None:
    closed.load_lists(exclusions=header.rstrip("\n"))
    assert told(closed, "/exclusions", AT_DESK) == (200, "ok")
    (row,) = closed.ask(lambda engine: engine.versions["exclusions"].rows)
    assert (row.member, row.category, row.source) == (GRACE, "self_excluded", "floordraw:desk")  # type: ignore[union-attr]


def test_it_keeps_what_stood_there(place: Loopback) -> None:
    row = "100002,refusal_of_entry,2023-01-01,,security\n"
    place.load_lists(exclusions=NOBODY + row.rstrip("\n"))
    assert told(place, "/exclusions", AT_DESK) == (200, "ok")
    content = place.ask(lambda engine: engine.list_rows["exclusions"].content.decode())
    assert content == NOBODY + row + f"{GRACE},self_excluded,2023-10-07,,floordraw:desk\n"


def test_the_slots_feed_is_needed_too(place: Loopback) -> None:
    assert told(place, f"/console/feeds/{SLOTS}/exclude", BY_TWO) == (200, "ok")


def test_a_desk_s_entry_does_not_make_an_old_list_young(place: Loopback) -> None:
    loaded = place.ask(lambda engine: engine.list_rows["exclusions"].fresh_at)
    place.at("13:59")
    assert told(place, "/exclusions", AT_DESK) == (200, "ok")
    row = place.ask(lambda engine: engine.list_rows["exclusions"])
    assert row.fresh_at == loaded < row.loaded_at
    assert place.ask(lambda engine: engine.store.lists()[-1].fresh_at) == loaded


def test_a_number_used_twice_is_logged_once_and_said_on_the_console(place: Loopback) -> None:
    place.at("13:57")

    def send(position: str) -> dict[str, Any]:
        event = {"feed": SLOTS, "seq": 900, "at": "2023-10-07T11:57:00.000Z", "kind": "card_out", "position": position}
        return dict(place.ask(lambda engine: intake.take(engine, SLOTS, json.dumps(event).encode()).as_json()))

    assert send("S-0001")["accepted"] == 1
    for position in ("S-0002", "S-0003"):
        assert [one["code"] for one in send(position)["refused"]] == ["X_SEQ_REUSED"]
    (entry,) = place.said("feed.seq_reused")
    assert (entry.data, entry.draw) == ({"feed": SLOTS}, None)
    shown = place.ask(lambda engine: console_snapshot(engine, House("Silverstar", "", demo=False), ()))
    (line,) = [feed for feed in shown.feeds if feed.id == SLOTS]
    assert "number twice" in line.sentence
