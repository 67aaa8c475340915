"""The door of the presses over HTTP: the stamp at the entrance decides, and nothing that cannot be read gets in."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from casino import THANDI, Session, book_toml, jhb
from loopback import FIRST, Loopback
from werkzeug.test import TestResponse

from draw_engine.claim_moves import stage_of
from draw_engine.draw_state import Claim
from draw_engine.service import envelopes
from draw_engine.service.engine import Engine

SIGNED = {"width": 400, "height": 150, "strokes": [[[10, 70], [120, 30], [300, 90]]]}
WINDOW, GRACE = 90_000, 250


@pytest.fixture
def place(tmp_path: Path, migrated: Path) -> Iterator[Loopback]:
    """Thandi plays alone and has been selected; there are envelopes in the tray."""
    made = selected(tmp_path, migrated)
    yield made
    made.close()


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[Loopback]:
    """The same, for all that changes nothing."""
    made = selected(tmp_path_factory.mktemp("untouched"), migrated)
    yield made
    made.close()


def selected(folder: Path, migrated: Path) -> Loopback:
    made = Loopback(folder, migrated, now="13:59:50", book=book_toml(Session("first", "14:00", "14:10", awards=20)))
    made.load_lists()
    made.seat(S_0412=THANDI)
    counted = {"amounts": {75_000: 10}, "by": "nomvula", "second": "themba"}
    made.ask(lambda engine: envelopes.count_batch(engine, now=engine.now(), **counted))
    while not made.ask(lambda engine: engine.draw(FIRST).state.claims):
        made.play_on()
    return made


def claim_of(place: Loopback) -> Claim:
    return place.ask(lambda engine: engine.draw(FIRST).state.claims[0])


def stage(place: Loopback) -> str:
    return stage_of(claim_of(place))


def press(place: Loopback, verb: str, *, by: str = "kabelo", number: str = "", **said: Any) -> TestResponse:
    body = {"id": number or f"press-{verb}-1", "verb": verb, "draw": FIRST, "ordinal": 0, "by": by, **said}
    return place.client.post("/presses", json=body)


def done(place: Loopback, verb: str, **said: Any) -> dict[str, Any]:
    answer = press(place, verb, **said)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.get_json()
    return told


def announced(place: Loopback) -> int:
    done(place, "take")
    done(place, "not_there")
    deadline: int = done(place, "announce")["deadline_at"]
    return deadline


def pass_to(place: Loopback, until: int) -> None:
    """Time passes; the core beats all along."""
    while place.clock.now() < until:
        place.clock.set(min(until, place.clock.now() + 1_000))
        place.core.beats.note(place.clock.now())
        place.ask(_nothing)


def _nothing(_engine: Engine) -> None:
    return None


def test_a_claim_from_the_queue_to_the_slip(place: Loopback) -> None:
    assert done(place, "take")["stage"] == "taken"
    assert done(place, "found")["stage"] == "found"
    checks = ["name", "card", "owner", "device"]
    assert done(place, "check", checks=checks, identification="sa_id")["stage"] == "checked"
    assert done(place, "envelope", pocket="e-0003")["stage"] == "envelope"
    assert done(place, "pay", amount=75_000, signature=SIGNED)["stage"] == "confirmed"
    assert (claim_of(place).prize, claim_of(place).pocket) == (75_000, "E-0003")
    (slip,) = place.ask(lambda engine: engine.store.print_jobs_of(FIRST, 0))
    assert (slip.kind, slip.data["amount"], slip.data["pocket"]) == ("winner_receipt", 75_000, "E-0003")


@pytest.mark.parametrize("late", [1, 249])
def test_late_by_a_millisecond_is_late_and_says_by_how_much(place: Loopback, late: int) -> None:
    pass_to(place, announced(place) + late)
    answer = press(place, "present")
    assert answer.status_code == 409
    assert answer.get_json()["code"] == "SS_LATE_AFTER_90S"
    assert answer.get_json()["late_ms"] == late
    assert f"{late / 1000:.3f} s" in answer.get_json()["sentence"]


def test_at_ninety_seconds_it_is_in_time(place: Loopback) -> None:
    pass_to(place, announced(place))
    assert done(place, "present")["stage"] == "presented"


def test_a_press_that_came_in_time_wins_though_the_engine_was_busy_past_the_deadline(place: Loopback) -> None:
    deadline = announced(place)
    pass_to(place, deadline)
    busy, go_on = threading.Event(), threading.Event()

    def hold(_engine: Engine) -> None:
        busy.set()
        go_on.wait(10)

    answers: list[TestResponse] = []
    holds = threading.Thread(target=lambda: place.core.ask(hold))
    holds.start()
    assert busy.wait(10)
    presses = threading.Thread(target=lambda: answers.append(press(place, "present")))
    presses.start()
    while not place.core.waiting.waits(FIRST, 0, deadline, deadline):
        presses.join(0.01)
    place.clock.set(deadline + 5_000)  # past the grace, too
    place.core.beats.note(deadline + 100)
    go_on.set()
    holds.join()
    presses.join()
    assert answers[0].status_code == 200, answers[0].text
    assert stage(place) == "presented"
    assert claim_of(place).presented_at == deadline
    assert not place.said("claim.expired")


def test_a_stage_that_was_not_heard_puts_the_claim_to_two_people(place: Loopback) -> None:
    place.core.stage.always = False
    pass_to(place, announced(place) + GRACE)
    assert (stage(place), claim_of(place).review) == ("review", "SS_STAGE_UNHEARD")
    two = {"draw": FIRST, "ordinal": 0, "by": "nomvula", "second": "kabelo", "reason": "The tablet's battery."}
    assert place.client.post("/claims/review", json={**two, "decision": "again"}).get_json()["stage"] == "not_there"
    deadline = done(place, "announce", number="announced-again")["deadline_at"]
    place.core.stage.heard(deadline - 1_000)
    pass_to(place, deadline + GRACE)
    assert stage(place) == "expired"


def test_a_core_that_stood_still_at_the_deadline_puts_the_claim_to_two_people(place: Loopback) -> None:
    deadline = announced(place)
    pass_to(place, deadline - 1_500)
    place.clock.set(deadline + 3_000)  # as after SIGSTOP and SIGCONT: no beat in between
    place.ask(_nothing)
    assert claim_of(place).review == "SS_TIMER_INTERRUPTED"


def test_two_people_void_a_winner_and_another_is_selected(place: Loopback) -> None:
    done(place, "take")
    done(place, "found")
    said = {"draw": FIRST, "ordinal": 0, "by": "nomvula", "second": "kabelo", "reason": "Wrong list loaded."}
    refused = place.client.post("/claims/void", json=said)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "X_VALUE_WRONG")
    same = place.client.post("/claims/void", json={**said, "second": "nomvula", "reselect": True})
    assert same.get_json()["code"] == "X_SAME_PERSON"
    assert place.client.post("/claims/void", json={**said, "reselect": True}).get_json()["stage"] == "voided"
    (entry,) = place.said("claim.voided")
    assert entry.data["by"] == ["crew:kabelo", "manager:nomvula"]


@pytest.mark.parametrize(
    ("said", "code"),
    [
        pytest.param({"ordinal": None}, "X_NO_SUCH_CLAIM", id="no claim"),
        pytest.param({"ordinal": -1}, "X_NO_SUCH_CLAIM", id="a negative one"),
        pytest.param({"ordinal": True}, "X_NO_SUCH_CLAIM", id="a truth"),
        pytest.param({"ordinal": 1 << 40}, "X_NO_SUCH_CLAIM", id="one too high"),
        pytest.param({"ordinal": 7}, "X_NO_SUCH_CLAIM", id="one there is not"),
        pytest.param({"verb": "win"}, "X_VALUE_WRONG", id="no such press"),
        pytest.param({"verb": 3}, "X_VALUE_WRONG", id="no text"),
        pytest.param({"id": "short"}, "X_VALUE_WRONG", id="a number too short"),
        pytest.param({"id": "x" * 65}, "X_VALUE_WRONG", id="a number too long"),
        pytest.param({"id": "a b c d e f g"}, "X_VALUE_WRONG", id="a number with blanks"),
        pytest.param({"by": "mallory"}, "X_OTHER_PERSON", id="a stranger"),
        pytest.param({"by": "mpho"}, "X_NO_PERMISSION", id="of the desk"),
        pytest.param({"by": "k" * 201}, "X_OTHER_PERSON", id="a name too long"),
        pytest.param({"draw": "no/such/draw"}, "X_NO_SUCH_DRAW", id="no such draw"),
        pytest.param({"verb": "hand_over", "to": 3}, "X_VALUE_WRONG", id="handed to a number"),
        pytest.param({"verb": "hand_over", "to": "mpho"}, "X_NO_PERMISSION", id="handed to the desk"),
    ],
)
def test_what_cannot_be_read_or_is_not_theirs_is_refused_and_changes_nothing(
    untouched: Loopback, said: dict[str, Any], code: str
) -> None:
    number = f"press-{zlib.crc32(repr(said).encode())}"
    body = {"id": number, "verb": "take", "draw": FIRST, "ordinal": 0, "by": "kabelo"} | said
    answer = untouched.client.post("/presses", json=body)
    assert answer.get_json()["code"] == code
    assert answer.status_code in {401, 403, 404, 409}
    assert answer.get_json()["sentence"].endswith(".")
    assert stage(untouched) == "selected"


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"take it", b"\xff\xfe"])
def test_what_is_no_json_object_is_refused(untouched: Loopback, body: bytes) -> None:
    for route in ("/presses", "/claims/review", "/claims/void"):
        answer = untouched.client.post(route, data=body, content_type="application/json")
        assert answer.get_json()["code"] == "X_VALUE_WRONG"


def test_a_body_that_is_too_large_is_not_read(untouched: Loopback) -> None:
    answer = press(untouched, "pay", amount=1, signature={"strokes": ["x" * 600_000]})
    assert (answer.status_code, answer.get_json()["code"]) == (413, "X_TOO_LARGE")


def test_a_signature_that_cannot_be_read_is_refused(place: Loopback) -> None:
    done(place, "take")
    done(place, "found")
    done(place, "check", checks=["name", "card", "owner", "device"])
    done(place, "envelope", pocket="E-0001")
    unreadable: list[Any] = [
        None,
        {},
        {"width": 1, "height": 1, "strokes": []},
        {"width": 1, "height": 1, "strokes": [[[1, 1]]]},
        {"width": 1, "height": 1, "strokes": [[["a", 1], [2, 2]]]},
        {"width": 1, "height": 1, "strokes": [[[1e300, 1], [2, 2]]]},
        {"width": 0, "height": 1, "strokes": [[[1, 1], [2, 2]]]},
        {"width": 1, "height": 1, "strokes": 7},
        "Thandi",
    ]
    for n, signature in enumerate(unreadable):
        answer = press(place, "pay", number=f"unreadable-{n}", amount=75_000, signature=signature)
        assert answer.get_json()["code"] in {"SS_SIGNATURE_REQUIRED", "X_VALUE_WRONG"}
    assert stage(place) == "envelope"


def test_the_pages_of_the_floor_are_for_this_machine(untouched: Loopback) -> None:
    for route in ("/presses", "/claims/review", "/claims/void"):
        answer = untouched.client.post(route, json={}, headers={"Host": "floor.example"})
        assert (answer.status_code, answer.get_json()["code"]) == (403, "X_NO_PERMISSION")
        answer = untouched.client.post(route, json={}, headers={"Origin": "http://floor.example"})
        assert (answer.status_code, answer.get_json()["code"]) == (403, "X_NO_PERMISSION")


def test_the_clock_of_this_test_is_the_property_s(untouched: Loopback) -> None:
    assert jhb("14:00") <= untouched.clock.now() < jhb("14:10")
