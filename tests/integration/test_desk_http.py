"""What is done at the desk over its routes: every act once however often sent, every refusal with its sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from casino import LERATO, PIETER, THANDI, jhb
from loopback import FIRST, STAFF, Loopback

from draw_engine.service import claims, prizes
from draw_engine.service.engine import Engine
from kiosk.desk.routes import MOST_BYTES, desk_routes
from kiosk.desk.view import desk_snapshot
from kiosk.screens.view import House
from web_display.console_messages import StaffMember

DRAWN = {"width": 600, "height": 200, "strokes": [[[10, 20], [40, 60], [80, 20]]]}
PAPER = {"id_type": "sa_id", "id_number": "850312 0001 081"}
SIGN = {
    "id": "press-0001",
    "by": "mpho",
    "member": LERATO,
    "in_person": True,
    **PAPER,
    "phone": "082 000 0003",
    "email": "",
    "signature": DRAWN,
}
OF = {"draw": FIRST, "ordinal": 0}
BATCH = {"id": "batch-0001", "by": "nomvula", "second": "kabelo", "amounts": {"50000": 2, "75000": 3}}
HOUSE = House("Silverstar", "No persons under 18.", demo=False)
PEOPLE = tuple(StaffMember(person, person.title(), role) for person, role in STAFF)
ACTS = (
    "register",
    "register/withdraw",
    "held/draw",
    "held/move",
    "held/contact",
    "held/hand_over",
    "held/give_back",
    "envelopes/batch",
    "envelopes/day",
    "envelopes/cash",
    "envelopes/withdraw",
    "slips/settle",
    "slips/again",
)
LOOK_UPS = ("guest", "held/find", "held/see", "held/reach")


@pytest.fixture
def place(tmp_path: Path, migrated: Path) -> Iterator[Loopback]:
    """The register is open, an hour and a half before the first session."""
    made = Loopback(tmp_path, migrated, now="12:30")
    if "desk" not in made.pages.app.blueprints:
        made.pages.app.register_blueprint(desk_routes(made.core, HOUSE, PEOPLE))
    made.load_lists()
    yield made
    made.close()


def told(place: Loopback, act: str, said: Any) -> dict[str, Any]:
    """What a route of the desk answers, with its status."""
    answer = place.client.post(f"/desk/{act}", json=said)
    assert answer.headers["Cache-Control"] == "no-store"
    body = answer.get_json()
    if answer.status_code != 200:
        assert set(body) == {"code", "sentence"}
    return {"status": answer.status_code, **body}


def code(place: Loopback, act: str, said: Any) -> str:
    answer = told(place, act, said)
    assert answer["status"] in {403, 404, 409, 413}
    return str(answer["code"])


def shown(place: Loopback) -> dict[str, Any]:
    return dict(place.ask(lambda engine: desk_snapshot(engine, HOUSE, PEOPLE)))


# -- the page ---------------------------------------------------------------------------------------------------


def test_the_page_comes_with_its_words_and_names_nobody(place: Loopback) -> None:
    answer = place.client.get("/desk")
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Sign the decline register" in answer.text
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert not any(word in answer.text for word in ("Mokoena", THANDI, "style="))


@pytest.mark.parametrize("path", [f"/desk/{name}" for name in (*ACTS, *LOOK_UPS)])
def test_nothing_is_asked_or_done_by_an_address(place: Loopback, path: str) -> None:
    assert place.client.get(path, query_string={"number": THANDI}).status_code == 405


@pytest.mark.parametrize("act", [*ACTS, *LOOK_UPS])
@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[]", b'"x"', b"null", b"\xff"),
        pytest.param(b"[" * 200_000, id="nested"),
        pytest.param(b'{"id":"press-0001","signature":' + b"[" * 900 + b"]" * 900 + b"}", id="nested-and-closed"),
    ],
)
def test_a_body_that_is_no_form_is_refused(place: Loopback, act: str, body: bytes) -> None:
    answer = place.client.post(f"/desk/{act}", data=body, content_type="application/json")
    assert (answer.status_code, answer.get_json()["code"]) == (409, "X_VALUE_WRONG")


@pytest.mark.parametrize("act", ACTS)
def test_what_changes_something_needs_a_number_of_its_own(place: Loopback, act: str) -> None:
    for number in ("", "short", "x" * 65, "with spaces in it", "\u0661" * 9):
        assert code(place, act, {"id": number}) == "X_VALUE_WRONG"


def test_a_form_of_another_page_does_nothing(place: Loopback) -> None:
    answer = place.client.post("/desk/register", data={"member": LERATO, "id": "press-0001"})
    assert answer.status_code == 409
    answer = place.client.post("/desk/register", json=SIGN, headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403
    assert place.said("register.signed") == []


def test_too_much_is_not_read(place: Loopback) -> None:
    assert code(place, "register", {**SIGN, "phone": "0" * MOST_BYTES}) == "X_TOO_LARGE"


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("register", {**SIGN, "member": 100003}),
        ("register", {**SIGN, "member": ["100003"]}),
        ("register", {**SIGN, "phone": "0" * 301}),
        ("register", {**SIGN, "signature": "drawn"}),
        ("register", {**SIGN, "signature": [1]}),
        ("envelopes/batch", {**BATCH, "amounts": [50000]}),
        ("envelopes/batch", {**BATCH, "amounts": {"50000": "2"}}),
        ("envelopes/batch", {**BATCH, "amounts": {"50000": 2.0}}),
        ("envelopes/batch", {**BATCH, "amounts": {"50000": True}}),
        ("envelopes/batch", {**BATCH, "amounts": {"-50000": 2}}),
        ("envelopes/batch", {**BATCH, "amounts": {"\u0661": 2}}),
        ("envelopes/batch", {**BATCH, "amounts": {"50000": 1, "050000": 2}}),
        ("envelopes/batch", {**BATCH, "amounts": {"50000\n": 1}}),
        ("envelopes/batch", {**BATCH, "amounts": {" 50000": 1}}),
        ("envelopes/batch", {**BATCH, "amounts": {"5_0000": 1}}),
        ("register", {**SIGN, "email": "a\ud800@b.co"}),
        ("register", {**SIGN, "id_number": "850312\udfff"}),
        ("register", {**SIGN, "member": "\0"}),
        ("envelopes/batch", {**BATCH, "amounts": {str(n): 1 for n in range(201)}}),
        ("envelopes/day", {**BATCH, "left": "9"}),
        ("envelopes/day", {**BATCH, "left": -1}),
        ("envelopes/day", {**BATCH, "left": True}),
        ("envelopes/cash", {**BATCH, "opened": "3", "cents": 150_000}),
        ("envelopes/cash", {**BATCH, "opened": 3, "cents": 1500.5}),
        ("envelopes/cash", {**BATCH, "opened": 3}),
        ("held/draw", {**BATCH, "draw": FIRST, "ordinal": "0"}),
        ("held/draw", {**BATCH, "draw": FIRST, "ordinal": 1 << 40}),
        ("slips/settle", {"id": "settle-01", "by": "mpho", "job": None}),
    ],
)
def test_what_cannot_be_read_is_refused_and_nothing_is_done(place: Loopback, act: str, said: dict[str, Any]) -> None:
    before = len(place.said(*_KINDS))
    assert code(place, act, said) == "X_VALUE_WRONG"
    assert len(place.said(*_KINDS)) == before


_KINDS = (
    *("register.signed", "envelopes.counted", "envelopes.day_counted", "cash.counted", "envelope.on_behalf"),
    "slip.settled",
)


# -- the guest --------------------------------------------------------------------------------------------------


def test_a_guest_is_shown_by_name_and_tier_and_nothing_more(place: Loopback) -> None:
    answer = told(place, "guest", {"number": f" {THANDI} "})
    assert answer == {
        "status": 200,
        "ok": True,
        "guest": {
            "member": THANDI,
            "name": "Thandi Mokoena",
            "tier": "Gold",
            "last4": "0001",
            "signed_text": "",
        },
    }
    assert code(place, "guest", {"number": "999999"}) == "SS_REGISTER_NOT_PARTICIPANT"


# -- the register -----------------------------------------------------------------------------------------------


def test_sent_twice_a_guest_signs_once(place: Loopback) -> None:
    first, again = told(place, "register", SIGN), told(place, "register", SIGN)
    assert (first["ok"], first["entry"], first["repeated"]) == (True, 1, False)
    assert (again["ok"], again["entry"], again["repeated"]) == (True, 1, True)
    assert len(place.said("register.signed")) == 1
    (line,) = shown(place)["entries"]
    assert (line["guest"], line["clerk"]) == ("Lerato Dlamini", "Mpho")
    assert [slip["title"] for slip in shown(place)["slips"]] == ["Register slip"]


def test_an_answer_outlives_a_restart(place: Loopback) -> None:
    told(place, "register", SIGN)
    place.ask(lambda engine: engine.load())
    assert told(place, "register", SIGN)["repeated"] is True
    assert len(place.said("register.signed")) == 1


def test_the_number_of_something_else_is_refused(place: Loopback) -> None:
    told(place, "register", SIGN)
    assert code(place, "register", SIGN | {"member": PIETER}) == "X_IDEMPOTENT_REPLAY"
    assert code(place, "envelopes/batch", BATCH | {"id": SIGN["id"]}) == "X_IDEMPOTENT_REPLAY"
    assert place.said("envelopes.counted") == []


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        pytest.param({"in_person": False}, "SS_REGISTER_IN_PERSON_ONLY", id="SS-C57"),
        pytest.param({"in_person": "yes"}, "SS_REGISTER_IN_PERSON_ONLY", id="a-word"),
        pytest.param({"id_number": ""}, "SS_REGISTER_ID_REQUIRED", id="SS-C58"),
        pytest.param({"id_type": "library card"}, "SS_REGISTER_ID_REQUIRED", id="no-such-paper"),
        pytest.param({"phone": "", "email": ""}, "SS_REGISTER_CONTACT_REQUIRED", id="SS-C59"),
        pytest.param({"member": "999999"}, "SS_REGISTER_NOT_PARTICIPANT", id="no-member"),
        pytest.param({"signature": None}, "SS_SIGNATURE_REQUIRED", id="unsigned"),
        pytest.param({"signature": {**DRAWN, "strokes": []}}, "SS_SIGNATURE_REQUIRED", id="an-empty-sheet"),
        pytest.param({"by": "kabelo"}, "X_NO_PERMISSION", id="crew"),
    ],
)
def test_a_refused_guest_may_be_sent_again_under_the_same_number(
    place: Loopback, changed: dict[str, Any], expected: str
) -> None:
    """A refusal keeps nothing, so what is put right goes through: no typed form is lost for it."""
    assert code(place, "register", SIGN | changed) == expected
    assert place.said("register.signed") == []
    assert told(place, "register", SIGN)["repeated"] is False


def test_when_it_is_closed_it_says_when_it_opens(place: Loopback) -> None:
    place.at("14:00")
    answer = told(place, "register", SIGN)
    assert (answer["status"], answer["code"]) == (409, "SS_REGISTER_CLOSED")
    assert "14:10" in answer["sentence"]


def test_an_entry_is_withdrawn_with_the_same_paper(place: Loopback) -> None:
    told(place, "register", SIGN)
    asked = {"id": "withdraw-1", "by": "mpho", "entry": 1, "in_person": True, **PAPER}
    assert code(place, "register/withdraw", asked | {"in_person": False}) == "SS_REGISTER_IN_PERSON_ONLY"
    assert code(place, "register/withdraw", asked | {"id_number": "7203140186084"}) == "SS_REGISTER_ID_REQUIRED"
    assert told(place, "register/withdraw", asked)["ok"] is True
    assert told(place, "register/withdraw", asked)["repeated"] is True
    assert code(place, "register/withdraw", asked | {"id": "withdraw-2"}) == "X_ALREADY_DONE"
    assert shown(place)["entries"][0]["withdrawn_text"] == "Withdrawn at 12:30"


def test_nothing_personal_is_in_the_log(place: Loopback) -> None:
    told(place, "register", SIGN)
    log = json.dumps([entry.data for entry in place.said("register.signed", "press.refused")])
    assert not any(word in log for word in (LERATO, "Dlamini", "850312", "0820000003", "strokes"))


# -- envelopes --------------------------------------------------------------------------------------------------


def test_a_batch_is_counted_once(place: Loopback) -> None:
    assert told(place, "envelopes/batch", BATCH)["batch"] == told(place, "envelopes/batch", BATCH)["batch"]
    assert (shown(place)["tray"]["left"], len(place.said("envelopes.counted"))) == (5, 1)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        pytest.param({"amounts": {"49900": 1}}, "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE", id="SS-C69-499"),
        pytest.param({"amounts": {"100100": 1}}, "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE", id="SS-C69-1001"),
        pytest.param({"second": "nomvula"}, "X_SAME_PERSON", id="the-same"),
        pytest.param({"second": ""}, "X_SECOND_PERSON_REQUIRED", id="alone"),
        pytest.param({"by": "kabelo", "second": "mpho"}, "X_NO_PERMISSION", id="nobody-of-marketing"),
        pytest.param({"amounts": {}}, "X_VALUE_WRONG", id="nothing"),
    ],
)
def test_a_batch_that_is_wrong_is_not_counted(place: Loopback, changed: dict[str, Any], expected: str) -> None:
    assert code(place, "envelopes/batch", BATCH | changed) == expected
    assert shown(place)["tray"]["left"] == 0


def test_the_days_count_says_what_is_missing(place: Loopback) -> None:
    told(place, "envelopes/batch", BATCH)
    counted = {"id": "day-00001", "by": "nomvula", "second": "mpho", "left": 4}
    assert told(place, "envelopes/day", counted)["sentence"] == "Counted at 12:30: 4 left, 5 should be. 1 missing."
    again = told(place, "envelopes/day", counted | {"id": "day-00002", "left": 5})
    assert again["sentence"] == "Counted at 12:30: 5 left, as it should be."
    assert shown(place)["tray"]["day_short"] is False


def test_the_cash_is_counted_once_when_the_day_is_closed(place: Loopback) -> None:
    """Two of R 500 and three of R 750 were counted in, and the day goes by without a selection."""
    told(place, "envelopes/batch", BATCH)
    counted = {"id": "cash-00001", "by": "nomvula", "second": "mpho", "opened": 4, "cents": 240_000}
    refused = told(place, "envelopes/cash", counted)
    assert (refused["status"], refused["code"]) == (409, "X_DAY_NOT_CLOSED")
    assert "Count the cash after" in refused["sentence"]
    assert place.said("cash.counted") == []
    place.clock.set(jhb("2023-10-08 09:00"))
    answer = told(place, "envelopes/cash", counted)
    assert answer["sentence"] == ("Counted at 09:00: 4 opened, R\u00a02\u00a0400 in them. At least R\u00a0100 missing.")
    assert told(place, "envelopes/cash", counted)["repeated"] is True
    assert [said.data["cents"] for said in place.said("cash.counted")] == [240_000]


OUT = {"id": "out-000001", "by": "nomvula", "second": "mpho", "pocket": " e-0002 "}


def test_an_envelope_is_taken_out_by_two_and_once(place: Loopback) -> None:
    told(place, "envelopes/batch", BATCH)
    assert told(place, "envelopes/withdraw", OUT)["pocket"] == "E-0002"
    assert told(place, "envelopes/withdraw", OUT)["repeated"] is True
    assert [said.data["pocket"] for said in place.said("envelope.withdrawn")] == ["E-0002"]
    tray = shown(place)["tray"]
    assert (tray["left"], tray["range_text"]) == (4, "E-0001, E-0003 to E-0005")
    assert code(place, "envelopes/withdraw", OUT | {"id": "out-000002"}) == "SS_ENVELOPE_USED"


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        pytest.param({"pocket": "E-0006"}, "X_NO_SUCH_POCKET", id="never-counted"),
        pytest.param({"second": "nomvula"}, "X_SAME_PERSON", id="the-same"),
        pytest.param({"second": ""}, "X_SECOND_PERSON_REQUIRED", id="alone"),
        pytest.param({"by": "kabelo", "second": "mpho"}, "X_NO_PERMISSION", id="nobody-of-marketing"),
        pytest.param({"pocket": "\ud800"}, "X_VALUE_WRONG", id="half-a-character"),
    ],
)
def test_an_envelope_stays_where_it_cannot_be_taken_out(
    place: Loopback, changed: dict[str, Any], expected: str
) -> None:
    told(place, "envelopes/batch", BATCH)
    assert code(place, "envelopes/withdraw", OUT | changed) == expected
    assert shown(place)["tray"]["left"] == 5


# -- held prizes ------------------------------------------------------------------------------------------------


@pytest.fixture
def held(place: Loopback) -> Loopback:
    """Lerato signed, was selected first, was announced, and did not come."""
    told(place, "envelopes/batch", BATCH)
    told(place, "register", SIGN)
    place.at("13:56")
    place.seat(S_0412=LERATO)
    while not place.ask(lambda engine: engine.draw(FIRST).state.claims):
        place.play(_clock(place, 5))
    place.ask(_no_show)
    place.core.stage.always = False
    place.clock.set(place.clock.now() + 90_250)
    place.ask(_nothing)
    decided = {**OF, "by": "nomvula", "second": "mpho", "decision": "absent", "reason": "nobody came to the stage"}
    assert place.client.post("/claims/review", json=decided).get_json() == {"ok": True, "stage": "held"}
    return place


def _nothing(_engine: Engine) -> None:
    """What is due is done before any command: no tablet of the stage was heard, so two people decide."""


def _clock(place: Loopback, seconds: int) -> str:
    at = (place.clock.now() - jhb("00:00")) // 1000 + seconds
    return f"{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}"


def _no_show(engine: Engine) -> None:
    draw, now = engine.draw(FIRST), engine.now()
    claims.take(engine, draw, 0, actor="crew:kabelo", now=now)
    claims.not_there(engine, draw, 0, actor="crew:kabelo", now=now)
    claims.announce(engine, draw, 0, actor="crew:kabelo", now=now)


DRAW = {"id": "draw-00001", **OF, "by": "kabelo", "second": "mpho", "pocket": " e-0002 "}
HAND = {
    "id": "hand-00001",
    **OF,
    "by": "nomvula",
    "desk": "customer_services",
    "in_person": True,
    **PAPER,
    "amount": 75_000,
    "signature": DRAWN,
}


def _to_the_desk(place: Loopback) -> None:
    told(place, "held/draw", DRAW)
    for n, (to, given, received) in enumerate(
        [("marketing", "kabelo", "nomvula"), ("customer_services", "nomvula", "themba")]
    ):
        hands = {"given_by": given, "received_by": received, "by": given, "second": received}
        moved = {"id": f"move-0000{n}", **OF, "to": to, **hands}
        assert code(place, "held/move", {**moved, "second": ""}) == "X_SECOND_PERSON_REQUIRED"
        assert code(place, "held/move", {**moved, "received_by": "mpho"}) == "X_SECOND_PERSON_REQUIRED"
        assert told(place, "held/move", moved)["ok"] is True


def test_an_envelope_is_drawn_on_behalf_and_its_label_printed(held: Loopback) -> None:
    assert code(held, "held/draw", DRAW | {"pocket": "E-0099"}) == "X_NO_SUCH_POCKET"
    assert code(held, "held/draw", DRAW | {"second": "kabelo"}) == "X_SAME_PERSON"
    assert code(held, "held/draw", DRAW | {"by": "mpho", "second": "kabelo"}) == "X_NO_PERMISSION"
    assert told(held, "held/draw", DRAW)["pocket"] == "E-0002"
    assert told(held, "held/draw", DRAW)["repeated"] is True
    assert code(held, "held/draw", DRAW | {"id": "draw-00002", "pocket": "E-0003"}) == "X_ALREADY_DONE"
    assert [slip["title"] for slip in shown(held)["slips"]].count("Envelope label") == 1


def test_a_prize_is_handed_over_at_the_claim_desk_to_its_winner(held: Loopback) -> None:
    assert code(held, "held/hand_over", HAND) == "X_CLAIM_STATE"  # nothing has been drawn
    _to_the_desk(held)
    assert code(held, "held/hand_over", HAND | {"desk": "rewards"}) == "SS_CLAIM_WRONG_DESK"  # SS-C66
    assert code(held, "held/hand_over", HAND | {"desk": ""}) == "SS_CLAIM_WRONG_DESK"
    assert code(held, "held/hand_over", HAND | {"in_person": False}) == "SS_NOT_TRANSFERABLE"  # SS-C67
    assert code(held, "held/hand_over", HAND | {"id_number": ""}) == "SS_ID_REQUIRED"
    assert code(held, "held/hand_over", HAND | {"amount": 100_100}) == "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE"
    assert code(held, "held/hand_over", HAND | {"signature": None}) == "SS_SIGNATURE_REQUIRED"
    assert code(held, "held/hand_over", HAND | {"by": "mpho"}) == "X_NO_PERMISSION"
    held.clock.set(jhb("2023-10-22 17:00"))
    assert told(held, "held/hand_over", HAND)["ok"] is True  # SS-C62
    assert told(held, "held/hand_over", HAND)["repeated"] is True
    (entry,) = held.said("prize.handed_over")
    assert (entry.data["amount"], entry.data["pocket"]) == (75_000, "E-0002")
    assert shown(held)["held"][0]["state_sentence"] == "Handed over"


def test_on_day_sixteen_it_is_refused_and_given_back_by_two(held: Loopback) -> None:
    _to_the_desk(held)
    held.clock.set(jhb("2023-10-23 08:00"))
    assert code(held, "held/hand_over", HAND) == "SS_CLAIM_EXPIRED"  # SS-C63
    held.ask(lambda engine: prizes.expire_due(engine, engine.now()))
    back = {"id": "back-00001", **OF, "by": "nomvula", "second": "mpho"}
    assert code(held, "held/give_back", back | {"second": "nomvula"}) == "X_SAME_PERSON"
    assert told(held, "held/give_back", back)["ok"] is True
    assert shown(held)["held"][0]["state_sentence"] == "Given back"


def test_attempts_are_noted_and_the_number_told_only_when_asked(held: Loopback) -> None:
    tried = {"id": "tried-0001", **OF, "by": "mpho", "channel": "phone", "outcome": "no_answer"}
    assert told(held, "held/contact", tried)["ok"] is True
    assert code(held, "held/contact", tried | {"id": "tried-0002", "channel": "email"}) == "X_NO_CONTACT"
    assert code(held, "held/contact", tried | {"id": "tried-0003", "channel": "pigeon"}) == "X_VALUE_WRONG"
    seen = told(held, "held/see", OF)
    assert [step["sentence"] for step in seen["happened"]][1:] == ["Telephone: no answer"]
    assert "082" not in json.dumps(seen)
    assert told(held, "held/reach", OF) == {"status": 200, "ok": True, "phone": "0820000003", "email": ""}
    assert told(held, "held/find", {"text": LERATO})["found"] == [OF]


@pytest.mark.parametrize("act", ["held/see", "held/reach"])
def test_what_is_not_held_has_no_history_and_no_number(held: Loopback, act: str) -> None:
    assert code(held, act, {"draw": "silverstar/playtime/2023-10-07/none", "ordinal": 0}) == "X_NO_SUCH_DRAW"
    nothing = {"draw": FIRST, "ordinal": 7}
    if act == "held/see":
        assert told(held, act, nothing)["happened"] == []
    else:
        assert code(held, act, nothing) == "X_CLAIM_STATE"


def test_once_it_is_handed_over_nobody_is_told_the_number(held: Loopback) -> None:
    _to_the_desk(held)
    told(held, "held/hand_over", HAND)
    assert code(held, "held/reach", OF) == "X_ALREADY_DONE"


# -- slips ------------------------------------------------------------------------------------------------------


def test_a_slip_is_dropped_and_printed_again(place: Loopback) -> None:
    told(place, "register", SIGN)
    (slip,) = shown(place)["slips"]
    drop = {"id": "settle-01", "job": slip["job"], "by": "mpho", "decision": "drop"}
    assert code(place, "slips/settle", drop | {"by": "zanele"}) == "X_NO_PERMISSION"
    assert code(place, "slips/settle", drop | {"decision": "came_out"}) == "X_PRINT_STATE"
    assert told(place, "slips/settle", drop)["ok"] is True
    assert told(place, "slips/settle", drop)["repeated"] is True
    again = {"id": "again-0001", "job": slip["job"], "by": "mpho"}
    assert told(place, "slips/again", again)["ok"] is True
    assert told(place, "slips/again", again)["repeated"] is True
    assert len(place.said("slip.reprinted")) == 1
    assert code(place, "slips/again", again | {"id": "again-0002", "job": 99}) == "X_NO_SUCH_JOB"
