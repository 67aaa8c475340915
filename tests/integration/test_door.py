"""Signing in: numbers, PINs and passwords, where each does, lock-outs, ends, devices, the second person on the spot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from argon2 import PasswordHasher
from flask.testing import FlaskClient
from loopback import FIRST, Loopback
from signing import MARKED, PIN
from werkzeug.test import TestResponse

from draw_engine.service import access_notes, staffing
from kiosk.sign_in.secret_hash import Secrets

WIFI = {"REMOTE_ADDR": "10.20.30.40"}
HOUR = 3_600_000
PASSWORD = "the brown mug is mine"
HOST = "http://floordraw.test"


@pytest.fixture
def place(tmp_path: Path, migrated: Path) -> Iterator[Loopback]:
    made = Loopback(tmp_path, migrated)
    made.pages.gate._hosts |= {"floordraw.test"}
    yield made
    made.close()


def post(client: FlaskClient, path: str, *, wifi: bool = False, **said: Any) -> TestResponse:
    more: dict[str, Any] = {"environ_base": WIFI, "base_url": HOST} if wifi else {}
    return client.post(path, json=said, headers=MARKED, **more)


def sign_in(client: FlaskClient, number: str, secret: str = PIN, *, wifi: bool = False) -> TestResponse:
    return post(client, "/sign-in", wifi=wifi, number=number, secret=secret)


def code(answer: TestResponse) -> str:
    return str(answer.get_json().get("code", "ok"))


def notes(place: Loopback) -> list[tuple[str, str]]:
    rows = place.ask(lambda engine: list(engine.store.access_entries(1, 1 << 40)))
    return [(row.who, row.act) for row in rows]


@pytest.mark.parametrize(
    ("person", "home"),
    [("nomvula", "/console"), ("kabelo", "/crew"), ("mpho", "/desk"), ("zanele", "/console")],
)
def test_everybody_begins_where_they_work(place: Loopback, person: str, home: str) -> None:
    client = place.pages.app.test_client()
    answer = sign_in(client, f" {person.upper()} ")
    assert answer.get_json() == {"ok": True, "to": home, "must_change": False}
    assert client.get("/me").get_json()["id"] == person


def test_the_cookie_is_for_the_server_alone(place: Loopback) -> None:
    said = sign_in(place.bare, "kabelo").headers["Set-Cookie"]
    assert {"HttpOnly", "Path=/", "SameSite=Strict"} <= {part.strip() for part in said.split(";")}
    secure = place.bare.post(
        "/sign-in", json={"number": "kabelo", "secret": PIN}, headers=MARKED, base_url="https://127.0.0.1"
    ).headers["Set-Cookie"]
    assert secure.startswith("__Host-floordraw=")
    assert "Secure" in secure


@pytest.mark.parametrize(
    "to", ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:x", "/sign-in"]
)
def test_nobody_is_sent_elsewhere_after_signing_in(place: Loopback, to: str) -> None:
    assert post(place.bare, "/sign-in", number="kabelo", secret=PIN, to=to).get_json()["to"] == "/crew"
    assert "evil" not in place.pages.app.test_client().get("/sign-in", query_string={"to": to}).text


def test_every_wrong_one_reads_the_same(place: Loopback) -> None:
    wrongs = [sign_in(place.bare, "kabelo", "000000"), sign_in(place.bare, "nobody"), sign_in(place.bare, "", "")]
    assert {(answer.status_code, answer.get_json()["code"]) for answer in wrongs} == {(403, "X_WRONG_SECRET")}
    assert len({answer.get_json()["sentence"] for answer in wrongs}) == 1
    assert [act for _, act in notes(place)][-3:] == ["sign_in.refused"] * 3


def test_five_wrong_ones_lock_even_the_right_one_out_until_a_manager_unlocks(place: Loopback) -> None:
    for _ in range(4):
        assert code(sign_in(place.bare, "kabelo", "000000")) == "X_WRONG_SECRET"
    assert code(sign_in(place.bare, "kabelo", "000000")) == "X_LOCKED_OUT"
    assert code(sign_in(place.bare, "kabelo")) == "X_LOCKED_OUT"
    assert sign_in(place.bare, "kabelo").status_code == 429
    assert place.client.post("/console/people/unlock", json={"person": "kabelo"}).status_code == 200
    assert code(sign_in(place.bare, "kabelo")) == "ok"


def test_a_pin_does_on_the_house_s_devices_alone(place: Loopback) -> None:
    stranger = place.pages.app.test_client()
    assert code(sign_in(stranger, "kabelo", wifi=True)) == "X_WRONG_SECRET"
    offered = place.client.post("/console/devices/offer", json={"kind": "crew", "title": "Crew tablet 2"}).get_json()
    enrolled = post(stranger, "/enrol", wifi=True, code=f"{offered['code'][:4]}-{offered['code'][4:].lower()}")
    assert enrolled.get_json()["device"]["title"] == "Crew tablet 2"
    assert code(sign_in(stranger, "kabelo", wifi=True)) == "ok"
    assert code(post(place.pages.app.test_client(), "/enrol", code=offered["code"])) == "X_CODE_WRONG"  # once
    (entry,) = place.said("device.enrolled")
    assert (entry.actor, entry.data["device_kind"]) == ("manager:nomvula", "crew")


def test_a_device_that_is_taken_away_signs_out_who_is_on_it(place: Loopback) -> None:
    tablet = place.pages.app.test_client()
    offered = place.client.post("/console/devices/offer", json={"kind": "crew", "title": "Crew tablet 2"}).get_json()
    device = post(tablet, "/enrol", wifi=True, code=offered["code"]).get_json()["device"]["id"]
    assert code(sign_in(tablet, "kabelo", wifi=True)) == "ok"
    assert tablet.get("/me", environ_base=WIFI, base_url=HOST).status_code == 200
    assert place.client.post("/console/devices/revoke", json={"device": device}).status_code == 200
    assert tablet.get("/me", environ_base=WIFI, base_url=HOST).status_code == 401
    assert code(sign_in(tablet, "kabelo", wifi=True)) == "X_WRONG_SECRET"


def test_a_password_does_elsewhere_and_guesses_there_lock_nobody_in_here(place: Loopback) -> None:
    place.pages.door.put_secret("themba", PASSWORD, "password")
    laptop = place.pages.app.test_client()
    assert code(sign_in(laptop, "themba", PASSWORD, wifi=True)) == "ok"
    for _ in range(6):
        sign_in(laptop, "themba", "a guess of somebody", wifi=True)
    assert code(sign_in(laptop, "themba", PASSWORD, wifi=True)) == "X_LOCKED_OUT"
    assert code(sign_in(place.bare, "themba", PASSWORD)) == "ok"


def test_a_flood_from_one_address_is_told_to_wait(place: Loopback) -> None:
    told = [code(sign_in(place.bare, f"nobody-{n}", wifi=True)) for n in range(31)]
    assert told == ["X_WRONG_SECRET"] * 30 + ["X_TOO_MANY_TRIES"]
    assert code(sign_in(place.bare, "kabelo")) == "ok"


def test_a_first_sign_in_is_by_a_code_and_chooses_a_secret(place: Loopback) -> None:
    new = {"person": "ayanda", "name": "Ayanda Zulu", "role": "crew"}
    assert place.client.post("/console/people/enter", json=new).status_code == 200
    given = place.client.post("/console/people/code", json={"person": "ayanda"}).get_json()["code"]
    client = place.pages.app.test_client()
    assert sign_in(client, "ayanda", given.lower()).get_json()["must_change"] is True
    assert code(client.get("/crew/floor.json")) == "X_SECRET_TO_CHOOSE" or client.get("/crew").status_code == 404
    assert code(post(client, "/sign-in/secret", old=given, new="123456")) == "X_SECRET_WEAK"
    assert code(post(client, "/sign-in/secret", old=given, new="740263")) == "ok"
    assert code(sign_in(place.pages.app.test_client(), "ayanda", given)) == "X_WRONG_SECRET"
    assert code(sign_in(place.pages.app.test_client(), "ayanda", "740263")) == "ok"
    (entry,) = [one for one in place.said("staff.entered") if one.data["person"] == "ayanda"]
    assert (entry.actor, entry.data["role"]) == ("manager:nomvula", "crew")


def test_a_code_ends_after_a_day(place: Loopback) -> None:
    given = place.client.post("/console/people/code", json={"person": "kabelo"}).get_json()["code"]
    assert code(sign_in(place.bare, "kabelo")) == "X_WRONG_SECRET"  # the old PIN opens nothing any more
    place.clock.set(place.clock.now() + 24 * HOUR)
    assert code(sign_in(place.bare, "kabelo", given)) == "X_WRONG_SECRET"


@pytest.mark.parametrize("role", ["manager", "auditor", "witness"])
def test_those_who_watch_or_decide_are_made_by_two(place: Loopback, role: str) -> None:
    new = {"person": "ayanda", "name": "Ayanda Zulu", "role": role}
    alone = place.client.post("/console/people/enter", json=new)
    assert code(alone) == "X_SECOND_PERSON_REQUIRED"
    assert code(place.client.post("/console/people/enter", json={**new, "second": "nomvula"})) == "X_SAME_PERSON"
    wrong = {**new, "second": "themba", "second_secret": "000000"}
    assert code(place.client.post("/console/people/enter", json=wrong)) == "X_WRONG_SECRET"
    assert place.client.post("/console/people/enter", json={**new, "second": "themba"}).status_code == 200


def test_an_auditor_s_sign_in_is_dated(place: Loopback) -> None:
    """The clock stands at Saturday 7 October 2023, 13:45 in the property's zone."""
    new = {"person": "visitor", "name": "V. Isitor", "role": "auditor", "from": "2023-10-08", "until": "2023-10-09"}
    assert place.client.post("/console/people/enter", json={**new, "second": "themba"}).status_code == 200
    place.pages.door.put_secret("visitor", PIN, "pin")
    assert code(sign_in(place.bare, "visitor")) == "X_WRONG_SECRET"
    place.at("23:59")
    assert code(sign_in(place.bare, "visitor")) == "X_WRONG_SECRET"
    place.clock.set(place.clock.now() + 60_000)  # Sunday 00:00
    assert code(sign_in(place.bare, "visitor")) == "ok"
    place.clock.set(place.clock.now() + 48 * HOUR - 1)
    assert code(sign_in(place.bare, "visitor")) == "ok"
    place.clock.set(place.clock.now() + 1)  # Tuesday 00:00
    assert place.bare.get("/me").status_code == 401
    assert code(sign_in(place.bare, "visitor")) == "X_WRONG_SECRET"


def test_a_sign_in_that_is_not_used_ends_and_one_that_is_goes_on(place: Loopback) -> None:
    client = place.pages.app.test_client()
    sign_in(client, "themba")
    for _ in range(3):
        place.clock.set(place.clock.now() + HOUR // 2 - 1)
        assert post(client, "/sign-in/stay").status_code == 200
    place.clock.set(place.clock.now() + HOUR // 2 - 1)
    assert client.get("/me").status_code == 200  # looking does not count as doing
    place.clock.set(place.clock.now() + 1)
    assert client.get("/me").status_code == 401


def test_it_ends_after_twelve_hours_however_busy(place: Loopback) -> None:
    client = place.pages.app.test_client()
    sign_in(client, "kabelo")
    for _ in range(11):
        place.clock.set(place.clock.now() + HOUR)
        assert post(client, "/sign-in/stay").status_code == 200
    place.clock.set(place.clock.now() + HOUR)
    assert client.get("/me").status_code == 401


def test_another_role_or_an_end_signs_them_out_everywhere(place: Loopback) -> None:
    crew, desk = place.pages.app.test_client(), place.pages.app.test_client()
    sign_in(crew, "kabelo")
    sign_in(desk, "mpho")
    assert place.client.post("/console/people/role", json={"person": "kabelo", "role": "desk"}).status_code == 200
    assert crew.get("/me").status_code == 401
    assert sign_in(crew, "kabelo").get_json()["to"] == "/desk"
    assert place.client.post("/console/people/end", json={"person": "mpho"}).status_code == 200
    assert desk.get("/me").status_code == 401
    assert code(sign_in(desk, "mpho")) == "X_WRONG_SECRET"
    assert place.ask(lambda engine: "mpho" in engine.settings.staff) is False
    again = {"person": "mpho", "name": "Another Mpho", "role": "manager", "second": "themba"}
    assert code(place.client.post("/console/people/enter", json=again)) == "X_PERSON_KNOWN"


def test_the_last_manager_stays(place: Loopback) -> None:
    assert code(place.client.post("/console/people/end", json={"person": "nomvula"})) == "X_SAME_PERSON"
    assert place.client.post("/console/people/end", json={"person": "themba"}).status_code == 200
    with pytest.raises(Exception, match="only manager"):
        place.ask(lambda engine: staffing.end(engine, "nomvula", actor="manager:themba"))


def test_who_was_ended_stays_ended_though_the_settings_name_them(place: Loopback) -> None:
    place.client.post("/console/people/end", json={"person": "mpho"})
    place.ask(lambda engine: staffing.begin(engine, [("mpho", "Mpho", "desk")]))
    assert "mpho" not in place.ask(lambda engine: dict(engine.settings.staff))


def test_a_press_of_somebody_else_waits_for_them(place: Loopback) -> None:
    """A tablet that changed hands sends what was pressed before: it is theirs who pressed it, or it is not sent."""
    client = place.pages.app.test_client()
    sign_in(client, "kabelo")
    press = {"id": "press-0001", "verb": "take", "draw": FIRST, "ordinal": 0, "by": "nomvula"}
    answer = post(client, "/presses", **press)
    assert (answer.status_code, code(answer)) == (401, "X_OTHER_PERSON")


def test_a_second_person_who_has_not_chosen_a_secret_proves_nothing(place: Loopback) -> None:
    given = place.client.post("/console/people/code", json={"person": "themba"}).get_json()["code"]
    said = {"second": "themba", "second_secret": given, "reason": "a burst pipe"}
    assert code(place.client.post("/console/session/suspend", json=said)) == "X_WRONG_SECRET"


def test_presented_is_pressed_at_the_stage(place: Loopback) -> None:
    tablet = place.pages.app.test_client()
    offered = place.client.post("/console/devices/offer", json={"kind": "crew", "title": "Crew tablet 2"}).get_json()
    post(tablet, "/enrol", wifi=True, code=offered["code"])
    sign_in(tablet, "kabelo", wifi=True)
    press = {"id": "press-0001", "verb": "present", "draw": FIRST, "ordinal": 0}
    assert code(post(tablet, "/presses", wifi=True, **press)) == "X_NOT_AT_STAGE"
    assert code(post(place.client, "/presses", **press, by="kabelo")) != "X_NOT_AT_STAGE"


def test_this_machine_s_name_from_elsewhere_opens_nothing(place: Loopback) -> None:
    answer = place.bare.get("/sign-in", environ_base=WIFI, base_url="http://localhost")
    assert answer.status_code == 403


def test_a_page_elsewhere_cannot_press_by_a_form(place: Loopback) -> None:
    """A form can carry the cookie of a browser that minds SameSite not; it cannot carry the mark."""
    client = place.pages.app.test_client()
    sign_in(client, "nomvula")
    answer = client.post("/console/people/end", json={"person": "mpho"})
    assert (answer.status_code, code(answer)) == (403, "X_NO_PERMISSION")


def test_the_machine_s_commands_need_the_core_s_own_token(place: Loopback) -> None:
    place.pages.gate._machine_token = "the token of the core"
    right = {"Authorization": "Bearer the token of the core", **MARKED}
    assert place.bare.get("/machine/staff", headers=right).status_code == 200
    assert place.bare.get("/machine/staff", headers={**right, "Authorization": "Bearer no"}).status_code == 403
    assert place.bare.get("/machine/staff", headers=right, environ_base=WIFI, base_url=HOST).status_code == 403
    assert place.client.get("/machine/staff").status_code == 403


def test_the_table_of_look_ups_has_its_digest_in_the_log(place: Loopback) -> None:
    sign_in(place.bare, "kabelo")
    sign_in(place.bare, "kabelo", "000000")
    last = place.ask(lambda engine: access_notes.digest_due(engine, 0))
    (entry,) = place.said("access.digest")
    assert (entry.data["from"], entry.data["to"]) == (1, last)
    assert place.ask(lambda engine: access_notes.digest_of(engine, 1, last)) == entry.data["sha256"]
    assert place.ask(lambda engine: access_notes.digest_due(engine, last)) == last
    assert len(place.said("access.digest")) == 1
    assert place.ask(access_notes.digested_to) == (last, entry.at)


def test_no_secret_and_no_token_lies_in_the_database_or_the_log(place: Loopback) -> None:
    client = place.pages.app.test_client()
    sign_in(client, "kabelo")
    cookie = client.get_cookie("floordraw", domain="localhost")
    assert cookie is not None
    kept = (place.folder / "floordraw.db").read_bytes()
    wal = place.folder / "floordraw.db-wal"
    kept += wal.read_bytes() if wal.exists() else b""
    assert cookie.value.encode() not in kept
    assert PIN.encode() not in kept


# -- found by a hostile tester --------------------------------------------------------------------------------------


def tablet_of(place: Loopback, title: str = "Crew tablet 2") -> FlaskClient:
    """A browser on a device of the house, out on the floor."""
    tablet = place.pages.app.test_client()
    offered = place.client.post("/console/devices/offer", json={"kind": "crew", "title": title}).get_json()
    assert code(post(tablet, "/enrol", wifi=True, code=offered["code"])) == "ok"
    return tablet


def test_of_many_guesses_at_once_five_alone_are_told_whether_they_are_right(place: Loopback) -> None:
    """They wait for their turn at the hash: all had been let in before the first was found wrong."""
    place.pages.door._secrets = Secrets(PasswordHasher(time_cost=1, memory_cost=8_192, parallelism=1))
    told: list[str] = []

    def guess(secret: str) -> None:
        told.append(code(sign_in(place.pages.app.test_client(), "kabelo", secret)))

    threads = [Thread(target=guess, args=(f"{number:06}",)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "ok" not in told
    assert told.count("X_WRONG_SECRET") <= 5  # the fifth locks; one more may be in the other turn
    assert len(told) == 24


def test_a_stranger_of_the_same_network_keeps_no_tablet_from_signing_in(place: Loopback) -> None:
    """Of IPv6 a whole network shares one count; behind one address translation, too."""
    tablet, stranger = tablet_of(place), place.pages.app.test_client()
    for number in range(31):
        last = sign_in(stranger, f"nobody-{number}", wifi=True)
    assert code(last) == "X_TOO_MANY_TRIES"
    assert code(sign_in(tablet, "kabelo", wifi=True)) == "ok"
    told = [code(sign_in(tablet, f"nobody-{number}", wifi=True)) for number in range(30)]
    assert told == ["X_WRONG_SECRET"] * 29 + ["X_TOO_MANY_TRIES"]  # it has a count of its own


def test_another_secret_ends_the_sign_ins_that_the_old_one_made(place: Loopback) -> None:
    own, other = place.pages.app.test_client(), place.pages.app.test_client()
    assert [code(sign_in(client, "kabelo")) for client in (own, other)] == ["ok", "ok"]
    assert code(post(own, "/sign-in/secret", old=PIN, new="740263")) == "ok"
    assert [client.get("/me").status_code for client in (own, other)] == [200, 401]


def test_a_code_ends_every_sign_in_for_good_and_it_is_kept_who_gave_it(place: Loopback) -> None:
    lost, own = place.pages.app.test_client(), place.pages.app.test_client()
    sign_in(lost, "kabelo")
    given = place.client.post("/console/people/code", json={"person": "kabelo"}).get_json()["code"]
    assert ("manager:nomvula", "secret.code") in notes(place)
    sign_in(own, "kabelo", given)
    assert code(post(own, "/sign-in/secret", old=given, new="740263")) == "ok"
    assert lost.get("/me").status_code == 401
    assert own.get("/me").status_code == 200


def test_it_is_kept_who_unlocked_somebody(place: Loopback) -> None:
    assert place.client.post("/console/people/unlock", json={"person": "kabelo"}).status_code == 200
    (row,) = place.ask(lambda e: [one for one in e.store.access_entries(1, 1 << 40) if one.act == "unlocked"])
    assert (row.who, row.about) == ("manager:nomvula", place.ask(lambda e: access_notes.about_of(e, "kabelo")))


def test_the_last_manager_stays_one(place: Loopback) -> None:
    assert place.client.post("/console/people/end", json={"person": "themba"}).status_code == 200
    told = place.client.post("/console/people/role", json={"person": "nomvula", "role": "crew"})
    assert code(told) == "X_LAST_MANAGER"
    assert place.client.get("/me").get_json()["role"] == "manager"


def test_who_gave_a_code_and_who_has_it_are_not_two_that_day(place: Loopback) -> None:
    """A manager who takes on somebody that does not exist would be two people (two names: SS-040, X-06)."""
    new = {"person": "ghost", "name": "G. Host", "role": "crew"}
    assert place.client.post("/console/people/enter", json=new).status_code == 200
    given = place.client.post("/console/people/code", json={"person": "ghost"}).get_json()["code"]
    ghost = place.pages.app.test_client()
    sign_in(ghost, "ghost", given)
    assert post(ghost, "/sign-in/secret", old=given, new=PIN).status_code == 200
    void = {"draw": "no/such/draw", "ordinal": 0, "reselect": True, "reason": "Wrong list loaded."}
    assert code(place.client.post("/claims/void", json={**void, "second": "ghost"})) == "X_GAVE_THE_CODE"
    assert code(post(ghost, "/claims/void", **void, second="nomvula", second_secret=PIN)) == "X_GAVE_THE_CODE"
    assert code(post(ghost, "/claims/void", **void, second="themba", second_secret=PIN)) == "X_NO_SUCH_DRAW"
    place.clock.set(place.clock.now() + 24 * HOUR)
    sign_in(ghost, "ghost")
    assert code(post(ghost, "/claims/void", **void, second="nomvula", second_secret=PIN)) == "X_NO_SUCH_DRAW"
