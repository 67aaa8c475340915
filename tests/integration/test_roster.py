"""The roster over HTTP: entered, changed, taken off and taken over; what the console says of it; what is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, time
from pathlib import Path
from typing import Any

import pytest
from casino import Casino
from flask.testing import FlaskClient
from loopback import Loopback

from draw_engine.errors import Refused
from draw_engine.service import roster, staffing
from kiosk.console.roster_view import roster_lines

TODAY, NEXT = "2023-10-07", "2023-10-14"


@pytest.fixture
def place(tmp_path: Path, migrated: Path) -> Iterator[Loopback]:
    made = Loopback(tmp_path, migrated)
    made.load_lists()
    yield made
    made.close()


def enter(client: FlaskClient, **other: Any) -> Mapping[str, Any]:
    said = {"day": TODAY, "person": "kabelo", "duty": "crew", "zone": "", "from": "13:30", "until": "18:00", **other}
    answer: Mapping[str, Any] = client.post("/console/roster/enter", json=said).get_json()
    return answer


def lines(client: FlaskClient, day: str = TODAY) -> list[tuple[str, str, str | None, str, str, str]]:
    shown = client.get(f"/console/roster.json?day={day}").get_json()["lines"]
    return [(one["duty"], one["name"], one["zone"], one["from"], one["until"], one["state"]) for one in shown]


def test_a_line_is_entered_changed_and_taken_off_and_the_log_has_it_all(place: Loopback) -> None:
    zone = place.ask(roster.zones)[0]
    first = enter(place.client)
    assert first["ok"]
    assert lines(place.client) == [("crew", "Kabelo", None, "13:30", "18:00", "missing")]
    second = enter(place.client, zone=zone, until="17:00", instead_of=first["id"])
    assert lines(place.client) == [("crew", "Kabelo", zone, "13:30", "17:00", "missing")]
    gone = place.client.post("/console/roster/remove", json={"day": TODAY, "shift": second["id"]})
    assert gone.get_json()["ok"]
    assert lines(place.client) == []
    kept = [(entry.kind, entry.actor, dict(entry.data)) for entry in place.said("roster.entered", "roster.removed")]
    # 13:30 in Johannesburg is 11:30 UTC.
    at = {"day": TODAY, "person": "kabelo", "duty": "crew", "from": "2023-10-07T11:30:00.000Z"}
    assert kept == [
        ("roster.entered", "manager:nomvula", {**at, "shift": 1, "to": "2023-10-07T16:00:00.000Z"}),
        ("roster.removed", "manager:nomvula", {"shift": 1}),
        ("roster.entered", "manager:nomvula", {**at, "shift": 2, "to": "2023-10-07T15:00:00.000Z", "zone": zone}),
        ("roster.removed", "manager:nomvula", {"shift": 2}),
    ]


@pytest.mark.parametrize(
    ("other", "code"),
    [
        ({"person": "nobody"}, "X_NO_SUCH_PERSON"),
        ({"duty": "stage"}, "X_DUTY_NOT_FIT"),
        ({"duty": ""}, "X_DUTY_NOT_FIT"),
        ({"zone": "The moon"}, "X_NO_SUCH_ZONE"),
        ({"from": "18:00", "until": "13:30"}, "X_SHIFT_EMPTY"),
        ({"from": "09:00", "until": "13:40"}, "X_SHIFT_OVER"),
        ({"day": "2023-10-06"}, "X_DAY_NOT_PLANNED"),
        ({"day": "2024-03-01"}, "X_DAY_NOT_PLANNED"),
        ({"day": "tomorrow"}, "X_VALUE_WRONG"),
        ({"from": "25:00"}, "X_VALUE_WRONG"),
        ({"from": "13:30:20"}, "X_VALUE_WRONG"),
        ({"from": "13:30+02:00"}, "X_VALUE_WRONG"),
        ({"person": 7}, "X_VALUE_WRONG"),
        ({"instead_of": 99}, "X_NO_SUCH_SHIFT"),
        ({"instead_of": True}, "X_NO_SUCH_SHIFT"),
    ],
)
def test_what_cannot_be_planned_is_said_and_nothing_is_kept(place: Loopback, other: dict[str, Any], code: str) -> None:
    assert enter(place.client, **other)["code"] == code
    assert lines(place.client) == []
    assert place.said("roster.entered") == []


def test_a_line_that_is_changed_to_nonsense_stays_as_it_was(place: Loopback) -> None:
    first = enter(place.client)
    assert enter(place.client, instead_of=first["id"], until="13:00")["code"] == "X_SHIFT_EMPTY"
    assert enter(place.client)["code"] == "X_SHIFT_OVERLAPS"
    assert lines(place.client) == [("crew", "Kabelo", None, "13:30", "18:00", "missing")]


def test_an_auditor_reads_and_cannot_change(place: Loopback) -> None:
    enter(place.client)
    auditor = {"Cookie": place.client.keys.cookie("zanele", place.clock.now())}
    shown = place.client.get("/console/roster.json", headers=auditor).get_json()
    assert [one["name"] for one in shown["lines"]] == ["Kabelo"]
    said = {"day": TODAY, "person": "mpho", "duty": "desk", "from": "13:30", "until": "18:00"}
    for act in ("enter", "remove", "copy"):
        answer = place.client.post(f"/console/roster/{act}", json={**said, "shift": 1}, headers=auditor)
        assert (answer.status_code, answer.get_json()["code"]) == (403, "X_NO_PERMISSION")
    assert len(lines(place.client)) == 1


def test_the_last_day_is_taken_over_without_what_does_not_fit_any_more(place: Loopback) -> None:
    enter(place.client)
    enter(place.client, person="mpho", duty="desk", until="20:00")
    enter(place.client, person="nomvula", duty="manager", until="20:00")
    place.ask(lambda engine: staffing.end(engine, "mpho", actor="manager:nomvula"))
    shown = place.client.get(f"/console/roster.json?day={NEXT}").get_json()
    assert (shown["lines"], shown["copy_from"]) == ([], "Saturday 7 October 2023")
    assert enter(place.client, day=NEXT, person="nomvula", duty="manager", until="15:00")["ok"]
    done = place.client.post("/console/roster/copy", json={"day": NEXT}).get_json()
    assert (done["lines"], sorted(done["left_out"])) == (1, ["mpho", "nomvula"])
    assert [(one[1], one[3], one[4], one[5]) for one in lines(place.client, NEXT)] == [
        ("Kabelo", "13:30", "18:00", "later"),
        ("Nomvula", "13:30", "15:00", "later"),
    ]


def test_without_an_earlier_day_nothing_is_taken_over(place: Loopback) -> None:
    answer = place.client.post("/console/roster/copy", json={"day": TODAY}).get_json()
    assert answer["code"] == "X_NOTHING_TO_COPY"


def told(casino: Casino, **signed_in: str) -> list[str]:
    names = {"kabelo": "Kabelo Dube", "zanele": "Zanele Ngcobo", "anita": "Anita Botes"}
    return [line.sentence for line in roster_lines(casino.engine, names, signed_in, casino.clock.now())]


def test_the_console_misses_who_is_planned_and_not_there(casinos: Callable[..., Casino]) -> None:
    casino = casinos()
    casino.load_lists()
    day = date.fromisoformat(TODAY)
    for person, role in (("kabelo", "crew"), ("zanele", "crew"), ("anita", "stage")):
        staffing.enter(casino.engine, person, person.title(), role, actor="manager:nomvula")
    casino.at("13:40")
    assert told(casino) == []  # a house that keeps no roster hears nothing of one

    def plan(person: str, duty: str, starts: str, ends: str) -> None:
        line = roster.Line(person, duty, None, time.fromisoformat(starts), time.fromisoformat(ends))
        roster.enter(casino.engine, day, line, actor="manager:nomvula")

    plan("anita", "stage", "13:30", "18:00")
    uncovered = told(casino)[0]
    assert uncovered.startswith("Nobody is on the roster for ")
    assert uncovered.endswith(" at 14:00.")
    plan("kabelo", "crew", "13:50", "18:00")
    assert told(casino) == [
        "Anita Botes should be here (stage) since 13:30 and is not signed in.",
        "Kabelo Dube begins at 13:50 (crew) and is not signed in.",
    ]
    assert told(casino, anita="stage", zanele="crew") == [
        "Kabelo Dube begins at 13:50 (crew) and is not signed in.",
        "Signed in without being on the roster: Zanele Ngcobo.",
    ]
    assert told(casino, anita="stage", kabelo="crew") == []
    with pytest.raises(Refused, match="X_SHIFT_OVERLAPS"):
        plan("kabelo", "crew", "17:00", "19:00")
