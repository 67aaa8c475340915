"""Copies of identification papers: sealed in the database, shown to those who have the guest before them, every look
kept (SS-052, SS-076; POPIA s 19: the reads of a protected field are logged)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from casino import LERATO, Casino
from desk_words import hand_over, held_prize
from loopback import FIRST, Loopback
from sqlalchemy import text
from test_desk_http import HOUSE, PEOPLE, SIGN
from werkzeug.test import TestResponse

from draw_engine.errors import Refused
from draw_engine.service import paper_copies
from draw_engine.service.paper_copies import MOST_BYTES, MOST_COPIES, Under
from kiosk.desk.papers import desk_paper_routes
from kiosk.desk.routes import desk_routes

FRONT = b"\xff\xd8\xff\xe0" + b"the front of a paper" * 40 + b"\xff\xd9"
BACK = b"\x89PNG\r\n\x1a\n" + b"its back" * 40 + b"\0\0\0\0IEND\xaeB`\x82"
ENTRY = "register:1"


@pytest.fixture
def place(tmp_path: Path, migrated: Path) -> Iterator[Loopback]:
    """Lerato has signed the register."""
    made = Loopback(tmp_path, migrated, now="12:30")
    made.pages.app.register_blueprint(desk_routes(made.core, HOUSE, PEOPLE))
    made.pages.app.register_blueprint(desk_paper_routes(made.core, PEOPLE))
    made.load_lists()
    assert made.client.post("/desk/register", json=SIGN).get_json()["entry"] == 1
    yield made
    made.close()


def as_person(place: Loopback, person: str) -> dict[str, str]:
    return {"Cookie": place.client.keys.cookie(person, place.clock.now())}


def keep(place: Loopback, picture: bytes, under: str = ENTRY, by: str = "mpho") -> TestResponse:
    answer: TestResponse = place.client.post(
        f"/desk/papers/keep/{under}", data=picture, content_type="image/jpeg", headers=as_person(place, by)
    )
    return answer


def look(place: Loopback, number: object, under: str = ENTRY, by: str = "mpho") -> TestResponse:
    answer: TestResponse = place.client.post(
        "/desk/papers/read", json={"under": under, "n": number}, headers=as_person(place, by)
    )
    return answer


def looks(place: Loopback) -> list[tuple[str, str]]:
    rows = place.ask(lambda engine: engine.store.access_entries(1, 10_000))
    return [(row.who, row.act) for row in rows if row.act.startswith("paper.")]


def rows_of(place: Loopback) -> list[bytes]:
    with place.store.database.connect() as connection:
        return [bytes(row.sealed) for row in connection.execute(text("SELECT sealed FROM paper_copies ORDER BY id"))]


def test_a_copy_is_kept_sealed_and_comes_back_as_it_was(place: Loopback) -> None:
    for number, picture in enumerate((FRONT, BACK), 1):
        assert keep(place, picture).get_json() == {"ok": True, "n": number}
    for number, picture, media in ((1, FRONT, "image/jpeg"), (2, BACK, "image/png")):
        shown = look(place, number)
        assert (shown.data, shown.mimetype) == (picture, media)
        assert shown.headers["Cache-Control"] == "no-store"
        assert shown.headers["Content-Disposition"] == "attachment"
    listed = place.client.post("/desk/papers", json={"under": ENTRY}, headers=as_person(place, "mpho"))
    assert [(one["n"], one["by"], one["at_text"]) for one in listed.get_json()["papers"]] == [
        (1, "Mpho", "7 October, 12:30"),
        (2, "Mpho", "7 October, 12:30"),
    ]
    sealed = rows_of(place)
    assert len(sealed) == 2
    assert not any(b"paper" in row or b"back" in row for row in sealed)


def test_the_log_has_the_digest_of_what_is_kept_and_no_more(place: Loopback) -> None:
    keep(place, FRONT)
    (entry,) = place.said("paper.kept")
    digest = hashlib.sha256(rows_of(place)[0]).hexdigest()
    assert (entry.actor, entry.data) == ("desk:mpho", {"under": ENTRY, "n": 1, "sha256": digest})


def test_every_look_is_kept_before_the_picture_is_shown(place: Loopback) -> None:
    keep(place, FRONT)
    look(place, 1)
    look(place, 1, by="nomvula")
    assert look(place, 7).status_code == 409
    assert looks(place) == [("desk:mpho", "paper.kept"), ("desk:mpho", "paper.read"), ("manager:nomvula", "paper.read")]


def test_a_picture_sent_again_is_kept_once(place: Loopback) -> None:
    assert [keep(place, FRONT).get_json()["n"] for _ in range(3)] == [1, 1, 1]
    assert len(place.said("paper.kept")) == 1


@pytest.mark.parametrize("person", ["kabelo", "zanele"])
def test_who_has_no_guest_before_them_sees_and_keeps_none(place: Loopback, person: str) -> None:
    keep(place, FRONT)
    for answer in (keep(place, BACK, by=person), look(place, 1, by=person)):
        assert (answer.status_code, answer.get_json()["code"]) == (403, "X_NO_PERMISSION")
    assert len(rows_of(place)) == 1


@pytest.mark.parametrize(
    ("picture", "code"),
    [
        pytest.param(b"", "X_VALUE_WRONG", id="nothing"),
        pytest.param(b"%PDF-1.7 " + b"x" * 100, "X_VALUE_WRONG", id="no picture"),
        pytest.param(b"<svg onload='x'></svg>", "X_VALUE_WRONG", id="a page in disguise"),
        pytest.param(FRONT[:-1], "X_VALUE_WRONG", id="its end is missing"),
        pytest.param(BACK[:-9], "X_VALUE_WRONG", id="the other's end is missing"),
        pytest.param(FRONT[:-2] + b"\0" * MOST_BYTES + FRONT[-2:], "X_TOO_LARGE", id="too large"),
    ],
)
def test_what_is_no_whole_picture_is_refused(place: Loopback, picture: bytes, code: str) -> None:
    answer = keep(place, picture)
    assert answer.get_json()["code"] == code
    assert answer.get_json()["sentence"].endswith(".")
    assert rows_of(place) == []


@pytest.mark.parametrize(
    ("under", "code"),
    [
        ("register:2", "X_NO_SUCH_ENTRY"),
        ("register:0", "X_VALUE_WRONG"),
        ("register:1:2", "X_VALUE_WRONG"),
        ("certificate:1", "X_VALUE_WRONG"),
        (f"prize:{FIRST}:c0", "X_NO_SUCH_DRAW"),
        ("prize:../../etc:c1", "X_VALUE_WRONG"),
    ],
)
def test_a_copy_belongs_to_something_that_is_there(place: Loopback, under: str, code: str) -> None:
    assert keep(place, FRONT, under).get_json()["code"] == code
    assert look(place, 1, under).get_json()["code"] == code
    assert rows_of(place) == []


def test_one_entry_has_so_many_and_no_more(place: Loopback) -> None:
    for n in range(MOST_COPIES):
        assert keep(place, FRONT[:-2] + bytes([n]) + FRONT[-2:]).status_code == 200
    full = keep(place, BACK)
    assert (full.status_code, full.get_json()["code"]) == (409, "X_VALUE_WRONG")


@pytest.mark.parametrize("number", [None, "1", 1.0, True, 0, -1, 1 << 40])
def test_a_number_that_is_none_is_refused(place: Loopback, number: object) -> None:
    assert look(place, number).get_json()["code"] == "X_VALUE_WRONG"


def test_a_copy_of_another_guest_does_not_open_under_this_one(place: Loopback) -> None:
    keep(place, FRONT)
    other = {**SIGN, "id": "press-0002", "member": "100001", "id_number": "9001010001088"}
    assert place.client.post("/desk/register", json=other).status_code == 200, LERATO
    assert look(place, 1, "register:2").get_json()["code"] == "X_NO_SUCH_PAPER"


def test_a_held_prize_has_copies_of_its_own(casinos: Callable[..., Casino]) -> None:
    casino = held_prize(casinos)
    engine, under = casino.engine, Under(draw=casino.draw().state.id, ordinal=0)
    number = paper_copies.keep(engine, under, FRONT, by="lindiwe", now=engine.now())
    assert Under.read(str(under)) == under
    assert paper_copies.opened(engine, paper_copies.copy(engine, under, number)) == FRONT
    hand_over(casino)
    assert paper_copies.keep(engine, under, BACK, by="lindiwe", now=engine.now()) == number + 1
    with pytest.raises(Refused, match="X_CLAIM_STATE"):
        paper_copies.copies(engine, Under(draw=casino.draw().state.id, ordinal=7))
