"""What the tablets are told of the engine's state: names from the take on, whom to call, what came of it; no moment."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from casino import LERATO, NALEDI, PIETER, THANDI, Casino, jhb, seat_everybody
from flask import Flask
from people_words import MEMBERS

import kiosk
from draw_engine.service import claims, house, reviews
from draw_engine.service.pressing import StaffPress, press
from kiosk.crew import words as crew_words
from kiosk.crew.floor import floor_map
from kiosk.crew.routes import tablet_routes
from kiosk.crew.view import crew_snapshot, stage_snapshot
from kiosk.screens.view import House
from kiosk.sign_in.words import for_every_page
from web_display import catalogue
from web_display.console_messages import StaffMember

Casinos = Callable[..., Casino]
HOUSE = House("Silverstar", "No persons under 18.", demo=False)
STAFF = (
    StaffMember("nomvula", "Nomvula Maseko", "manager"),
    StaffMember("kabelo", "Kabelo van der Dube", "crew"),
    StaffMember("zanele", "Zanele Ngcobo", "auditor"),
    StaffMember("anita", "Anita Botes", "stage"),
)
POSITIONS = """\
position,kind,zone,bank,seats,feed,x,y
S-0412,slot,MAIN,MA01,,slots-1,0,120
S-0413,slot,MAIN,MA01,,slots-1,30,135
S-0088,slot,SMOKING,,,slots-1,160,120
S-0500,slot,MAIN,MA02,,slots-1,0,170
S-0501,slot,MAIN,MA02,,slots-1,10.5,170
S-0502,slot,MAIN,MA02,,slots-1,20,170
S-0503,slot,MAIN,MA02,,slots-1,30,185
BJ-03,table,MAIN,MA-PIT1,7,tables-1,40,10
"""
NAMES = {row.split(",")[0]: tuple(row.split(",")[1:3]) for row in MEMBERS.splitlines()[1:]}
MOMENT = re.compile(r"due|moment|next|coming|turn")


def crew(casino: Casino) -> dict[str, Any]:
    return dict(crew_snapshot(casino.engine, HOUSE, STAFF))


def stage(casino: Casino) -> dict[str, Any]:
    return dict(stage_snapshot(casino.engine, HOUSE, STAFF))


def only(told: dict[str, Any], name: str) -> dict[str, Any]:
    (one,) = told[name]
    found: dict[str, Any] = one
    return found


@pytest.fixture
def selected(casinos: Casinos) -> Casino:
    """The first selection of the first session was made just now."""
    casino = casinos(positions=POSITIONS)
    casino.load_lists()
    seat_everybody(casino)
    casino.tray()
    casino.at("14:00")
    casino.go(casino.moments()[0])
    return casino


def winner(casino: Casino) -> tuple[str, str, str]:
    row = casino.draw().rows[0]
    return (*NAMES[row.member], (row.card or row.member)[-4:])


def pressed(casino: Casino, verb: str, n: int = 0, **said: Any) -> dict[str, Any]:
    now = casino.clock.now()
    asked = StaffPress(f"press-{verb}-{now}", verb, casino.draw().state.id, n, "kabelo", now, said)
    return press(casino.engine, asked)


# -- crew -------------------------------------------------------------------------------------------------------


def test_before_it_is_taken_nobody_learns_the_name(selected: Casino) -> None:
    told = crew(selected)
    claim = only(told, "claims")
    first, last, last4 = winner(selected)
    assert claim["stage"] == "selected"
    assert (claim["guest"], claim["taken_by"], claim["taken_at"]) == (None, "", None)
    assert claim["position"] == selected.draw().rows[0].position
    assert claim["opened_at"] == selected.draw().state.claims[0].opened_at
    text = json.dumps(told["claims"])
    assert not any(word in text for word in (first, last, f'"{last4}"', selected.draw().rows[0].member))


def test_whoever_took_it_knows_the_guest(selected: Casino) -> None:
    pressed(selected, "take")
    claim = only(crew(selected), "claims")
    first, last, last4 = winner(selected)
    assert (claim["guest"]["name"], claim["guest"]["last4"]) == (f"{first} {last}", last4)
    assert claim["guest"]["called"].startswith(f"{first} ")
    assert (claim["stage"], claim["taken_by"], claim["taken_name"]) == ("taken", "kabelo", "Kabelo van der D.")
    pressed(selected, "release")
    released = only(crew(selected), "claims")
    assert (released["stage"], released["guest"], released["taken_by"]) == ("selected", None, "")


def test_where_it_is_and_where_on_the_map(selected: Casino) -> None:
    said = {
        "S-0412": ("Main floor, bank MA01", "MA01", 0, 120),
        "S-0088": ("Smoking floor", "", 160, 120),
        "S-0500": ("Main floor, bank MA02", "MA02", 0, 170),
        "S-0501": ("Main floor, bank MA02", "MA02", 10.5, 170),
        "S-0502": ("Main floor, bank MA02", "MA02", 20, 170),
        "BJ-03/4": ("Main floor, MA-PIT1", "MA-PIT1", 40, 10),
    }
    seen = set()
    while len(seen) < 3:
        for claim in crew(selected)["claims"]:
            assert (claim["where"], claim["bank"], claim["x"], claim["y"]) == said[claim["position"]]
            seen.add(claim["ordinal"])
        selected.go(selected.moments()[0] if selected.moments() else jhb("14:10"))


def test_the_map_draws_each_bank_around_its_positions(selected: Casino) -> None:
    told = floor_map(selected.engine)
    assert told["zones"] == {"MAIN": "Main floor", "SMOKING": "Smoking floor"}
    banks = {
        (bank["zone"], bank["name"]): tuple(bank[side] for side in ("west", "south", "east", "north"))
        for bank in told["banks"]
    }
    assert banks == {
        ("MAIN", "MA01"): (0, 120, 30, 135),
        ("MAIN", "MA02"): (0, 170, 30, 185),
        ("MAIN", "MA-PIT1"): (40, 10, 40, 10),
        ("SMOKING", ""): (160, 120, 160, 120),
    }
    assert told["version"] == crew(selected)["floor"] != ""
    json.dumps(told)


def test_a_list_without_coordinates_draws_none(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    assert crew(casino)["floor"] == ""
    assert floor_map(casino.engine)["banks"] == []


def test_a_position_that_left_the_list_is_still_named(selected: Casino) -> None:
    selected.load_lists(positions="position,kind,zone,bank,seats,feed\nS-9999,slot,MAIN,,,slots-1\n")
    claim = only(crew(selected), "claims")
    assert (claim["where"], claim["x"]) == ("Not in the positions list", None)
    assert claim["position"] == selected.draw().rows[0].position


def test_the_way_to_the_prize(selected: Casino) -> None:
    for verb, said, stage_then in (
        ("take", {}, "taken"),
        ("found", {}, "found"),
        ("check", {"checks": ["name", "card", "device", "owner"], "identification": "passport"}, "checked"),
        ("envelope", {"pocket": "E-0001"}, "envelope"),
    ):
        selected.go(selected.clock.now() + 1_000)
        pressed(selected, verb, **said)
        claim = only(crew(selected), "claims")
        assert claim["stage"] == stage_then
    assert (claim["pocket"], claim["low"], claim["high"]) == ("E-0001", 50_000, 100_000)
    assert "E-0001" not in crew(selected)["tray"]
    assert len(crew(selected)["tray"]) == 99
    signature = {"width": 400, "height": 150, "strokes": [[[10, 70], [120, 30], [300, 90]]]}
    pressed(selected, "pay", amount=85_000, signature=signature)
    told = crew(selected)
    assert told["claims"] == []
    end = only(told, "ended")
    assert (end["outcome"], end["key"]) == ("confirmed", claim["key"])
    assert re.fullmatch(r"Confirmed at 14:\d\d:\d\d: R\u00a0850\.", end["sentence"])
    selected.clock.set(selected.clock.now() + 300_000)
    assert crew(selected)["ended"] == []


def test_every_ending_has_its_sentence() -> None:
    from draw_engine.claim_moves import ENDED, RUNNING  # noqa: PLC0415 - of this test alone

    assert {f"crew.ended.{outcome}" for outcome in ENDED} <= set(crew_words.ENGLISH)
    assert {f"page.crew.state_{one}" for one in RUNNING} <= set(crew_words.ENGLISH)


def test_staff_and_the_day_go_with_it(selected: Casino) -> None:
    told = crew(selected)
    assert [person["id"] for person in told["staff"]] == ["nomvula", "kabelo", "anita"]
    assert (told["day_text"], told["money_prefix"], told["utc_offset_minutes"]) == ("7 October 2023", "R\u00a0", 120)
    assert not told["suspended"]
    by = {"by": "nomvula", "second": "kabelo", "reason": "a burst pipe"}
    house.suspend(selected.engine, selected.draw(), **by)
    assert crew(selected)["suspended"]
    assert stage(selected)["suspended"]


def test_where_the_book_announces_the_tablet_says_so(selected: Casino) -> None:
    assert only(crew(selected), "claims")["other_loses"] is True


# -- stage ------------------------------------------------------------------------------------------------------


def test_the_stage_hears_a_name_when_it_is_to_be_called(selected: Casino) -> None:
    first, last, last4 = winner(selected)
    pressed(selected, "take")
    told = stage(selected)
    assert (told["calls"], told["clocks"], told["place"]) == ([], [], "Promotions Stage")
    assert first not in json.dumps(told["calls"])
    assert last not in json.dumps({name: told[name] for name in ("calls", "clocks", "reviews", "late")})
    pressed(selected, "not_there")
    call = only(stage(selected), "calls")
    assert call["called"].startswith(f"{first} ")
    assert (call["last4"], call["seconds"], call["place"], call["again"]) == (last4, 90, "Promotions Stage", False)
    assert call["crew"] == "Kabelo van der D."


def test_a_call_becomes_a_clock_and_then_late(selected: Casino) -> None:
    deadline = selected.announce()
    told = stage(selected)
    clock = only(told, "clocks")
    assert told["calls"] == []
    assert (clock["deadline_at"], clock["deadline_at"] - clock["announced_at"]) == (deadline, 90_000)
    member = selected.draw().rows[0].member
    assert clock["tier"] == {THANDI: "Gold", PIETER: "Platinum", LERATO: "Black"}.get(member, "Gold")
    assert only(crew(selected), "claims")["deadline_at"] == deadline
    selected.go(deadline + 250)
    told = stage(selected)
    late = only(told, "late")
    assert (late["deadline_at"], late["held"]) == (deadline, False)
    assert deadline not in [one["deadline_at"] for one in told["clocks"]]
    selected.clock.set(deadline + 250 + 300_000)
    assert stage(selected)["late"] == []


def test_a_guest_who_presented_leaves_the_stage_for_the_crew(selected: Casino) -> None:
    selected.announce()
    selected.present()
    told = stage(selected)
    assert (told["calls"], told["clocks"], told["late"]) == ([], [], [])
    claim = only(crew(selected), "claims")
    assert claim["stage"] == "presented"
    assert claim["presented_at"] == selected.clock.now()


def test_the_oldest_is_called_first(selected: Casino) -> None:
    while len(selected.draw().state.claims) < 3:
        selected.go(selected.moments()[0])
    for n in (2, 0, 1):
        pressed(selected, "take", n)
        pressed(selected, "not_there", n)
        selected.clock.set(selected.clock.now() + 1_000)
    assert [call["ordinal"] for call in stage(selected)["calls"]] == [2, 0, 1]
    selected.announce(ordinal=0)
    selected.clock.set(selected.clock.now() + 1_000)
    selected.announce(ordinal=2)
    assert [clock["ordinal"] for clock in stage(selected)["clocks"]] == [0, 2]


def test_a_twin_in_the_pool_is_known_before_the_call(casinos: Casinos) -> None:
    """Naledi Khumalo's namesake on the floor is called the same to ten metres."""
    members = MEMBERS.replace("Lerato,Dlamini", "Naledi,Kekana")
    casino = casinos(members=members)
    casino.load_lists()
    casino.sits(NALEDI, "S-0501", card=f"70{NALEDI}")
    casino.sits(LERATO, "S-0502", card=f"70{LERATO}")
    casino.at("14:00")
    casino.go(casino.moments()[0])
    pressed(casino, "take")
    pressed(casino, "not_there")
    assert only(stage(casino), "calls")["twin"]
    casino.announce()
    assert only(stage(casino), "clocks")["twin"]


def test_nobody_is_a_twin_of_themselves(selected: Casino) -> None:
    pressed(selected, "take")
    pressed(selected, "not_there")
    assert not only(stage(selected), "calls")["twin"]


def test_an_interrupted_clock_waits_for_two_people(selected: Casino) -> None:
    deadline = selected.announce()
    claims.note(
        selected.engine,
        selected.draw(),
        selected.draw().state.claims[0],
        "claim.review",
        actor="engine",
        now=deadline,
        data={"reason": "SS_TIMER_INTERRUPTED"},
        review="SS_TIMER_INTERRUPTED",
    )
    told = stage(selected)
    review = only(told, "reviews")
    assert (review["code"], review["deadline_at"], told["clocks"]) == ("SS_TIMER_INTERRUPTED", deadline, [])
    assert review["sentence"] == "The system was down when the time ran out."
    assert [person["id"] for person in told["deciders"]] == [person.id for person in STAFF]
    decided = {"by": "nomvula", "second": "kabelo", "reason": "the lights went out", "now": selected.clock.now()}
    reviews.decide(selected.engine, selected.draw(), 0, "again", **decided)
    told = stage(selected)
    assert told["reviews"] == []
    assert only(told, "calls")["again"]


def test_a_guest_of_no_list_is_called_by_the_card(selected: Casino) -> None:
    selected.load_lists(members=MEMBERS.splitlines()[0] + "\n199999,Zinhle,Zulu,Gold,1980-01-01,,,\n")
    pressed(selected, "take")
    pressed(selected, "not_there")
    call = only(stage(selected), "calls")
    assert (call["called"], call["last4"]) == ("", winner(selected)[2])


# -- both -------------------------------------------------------------------------------------------------------


def test_no_moment_to_come_is_in_it(selected: Casino) -> None:
    """Whatever is an instant has passed, but for the end of a clock that runs."""
    selected.announce()
    now = selected.clock.now()
    coming = {str(at) for at in selected.moments()}
    assert coming
    for told in (crew(selected), stage(selected)):
        text = json.dumps(told)
        assert not any(at in text for at in coming)
        for name, value in walked(told):
            if isinstance(value, int) and value > jhb("13:00"):
                assert value <= now or name == "deadline_at", name
            assert not MOMENT.search(name), name


def walked(value: Any, name: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [pair for key, one in value.items() for pair in walked(one, key)]
    if isinstance(value, list):
        return [pair for one in value for pair in walked(one, name)]
    return [(name, value)]


def test_it_is_the_same_after_a_restart(selected: Casino) -> None:
    selected.announce()
    before = crew(selected), stage(selected)
    selected.restart()
    assert (crew(selected), stage(selected)) == before


def test_the_words_are_the_catalogues_too() -> None:
    catalogue.add_words(crew_words.ENGLISH)
    assert catalogue.page_words("crew") == crew_words.page_words("crew")
    assert catalogue.page_words("stage")["announce"] == "Announced"


@pytest.fixture
def pages() -> Flask:
    app = Flask("tablets", root_path=str(Path(kiosk.__file__).parent))
    messages = {"crew": lambda: {"server_now": 1}, "stage": lambda: {"server_now": 2}}
    app.context_processor(for_every_page)
    app.register_blueprint(tablet_routes(messages=messages, floor=lambda: {"version": "7"}))
    return app


@pytest.mark.parametrize("name", ["crew", "stage"])
def test_a_page_can_be_kept_and_its_message_cannot(pages: Flask, name: str) -> None:
    client = pages.test_client()
    page = client.get(f"/{name}")
    assert page.status_code == 200
    assert f"/static/console/vendor/{name}.js" in page.text
    worker = client.get(f"/{name}/worker.js?assets=/static/console")
    assert worker.headers["Service-Worker-Allowed"] == f"/{name}"
    assert worker.mimetype == "text/javascript"
    message = client.get(f"/{name}/snapshot.json")
    assert message.headers["Cache-Control"] == "no-store"
    assert message.get_json() == {"server_now": 1 if name == "crew" else 2}


def test_a_page_holds_nothing_that_changes(pages: Flask) -> None:
    """It is kept by the tablet: a guest's name or a claim in it would stay there."""
    client = pages.test_client()
    first = client.get("/crew")
    assert (first.status_code, first.data) == (200, client.get("/crew").data)
