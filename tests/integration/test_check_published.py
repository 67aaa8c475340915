"""What the house gives to anybody of a published draw, and what not: an open one, a leaf for a made-up guest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from check_core import AWAY, OUTSIDE, SEATS, CheckCore, number
from loopback import FIRST

from draw_engine import proofs
from draw_engine.errors import Refused
from draw_engine.pool import Pool
from draw_engine.references import reference
from draw_engine.verify import verify
from draw_engine.verify.report import HOLDS
from kiosk.check.published import Kept, Published

OPEN = {
    "a draw": f"/check/draw/{FIRST}",
    "a record": f"/check/record/{FIRST}",
    "proofs": f"/check/proofs/{'0' * 32}/{FIRST}",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[CheckCore]:
    made = CheckCore(tmp_path_factory.mktemp("check"), migrated)
    made.play()
    yield made
    made.close()


def ref_of(place: CheckCore, member: str) -> str:
    return reference(bytes.fromhex(place.secret(member)), member).hex()


def get(place: CheckCore, path: str) -> Any:
    answer = place.served.app.test_client().get(path)
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def record(place: CheckCore) -> Any:
    return json.loads(get(place, f"/check/draw/{FIRST}")["record"])


def given(place: CheckCore, ref: str) -> Any:
    return get(place, f"/check/proofs/{ref}/{FIRST}")


# -- a published draw -----------------------------------------------------------------------------------------------


def test_what_is_sent_of_a_draw_is_the_text_whose_digest_was_logged(place: CheckCore) -> None:
    said = get(place, f"/check/draw/{FIRST}")
    (closed,) = place.said("draw.closed")
    assert hashlib.sha256(said["record"].encode()).hexdigest() == closed.data["record"] == said["digest"]
    assert said["seq"] == closed.seq
    assert json.loads(said["record"])["terms"]["draw"] == FIRST


def test_the_public_copy_verifies_with_the_verifier_that_is_given_beside_it(place: CheckCore, tmp_path: Path) -> None:
    client = place.served.app.test_client()
    (tmp_path / "record.json").write_bytes(client.get(f"/check/record/{FIRST}").data)
    said = get(place, f"/check/draw/{FIRST}")
    assert verify(tmp_path / "record.json", said["checkpoints"][0]["public_key"]).exit_code == HOLDS
    assert f"--key {said['checkpoints'][0]['public_key']}" in client.get("/check").text
    pools = json.loads((tmp_path / "record.json").read_bytes())["pools"]
    assert [pool["file"] for pool in pools] == [None] * len(pools)
    assert client.get("/check/verify.pyz").data[:2] == b"#!"


def test_a_winner_gets_a_proof_of_every_pool(place: CheckCore) -> None:
    told, published = given(place, ref_of(place, place.winners[0])), record(place)
    assert told["known"] is True
    assert [one["id"] for one in told["pools"]] == [pool["id"] for pool in published["pools"]]
    mine = bytes.fromhex(ref_of(place, place.winners[0]))
    tickets = []
    for one, pool in zip(told["pools"], published["pools"], strict=True):
        (text,) = one["proofs"]
        tickets.append(proofs.check(text, root=pool["root"], size=pool["size"], total=int(pool["total"]))[mine][0])
    assert tickets[0] == int(published["selections"][0]["ticket"])
    assert published["pools"][0]["size"] == SEATS


@pytest.mark.parametrize("who", ["leaver", "outside"])
def test_who_was_not_in_a_pool_gets_the_place_where_they_would_stand(place: CheckCore, who: str) -> None:
    member = place.leaver if who == "leaver" else OUTSIDE
    told, published = given(place, ref_of(place, member)), record(place)
    assert told["known"] is True
    absent = bytes.fromhex(told["ref"])
    inside = []
    for one, pool in zip(told["pools"], published["pools"], strict=True):
        refs: list[bytes] = []
        for text in one["proofs"]:
            refs += proofs.check(text, root=pool["root"], size=pool["size"], total=int(pool["total"]))
        inside.append(absent in refs)
        if not inside[-1]:
            whole = list(Pool(place.store.pool(FIRST, pool["id"])).refs())
            above = [ref for ref in whole if ref > absent][:1]
            below = [ref for ref in whole if ref < absent][-1:]
            assert set(above + below) <= set(refs)
    assert inside == ([True] + [False] * (len(inside) - 1) if who == "leaver" else [False] * len(inside))


def test_nobody_leafs_through_a_pool_with_made_up_references(place: CheckCore) -> None:
    """Neighbours of references that a public proof shows are nobody's; who was judged nowhere gets no leaf either."""
    real = [ref.hex() for ref in Pool(place.store.pool(FIRST, "p0")).refs()]
    for ref in real[:20]:
        near = f"{int(ref, 16) ^ 1:032x}"
        assert given(place, near) == {"draw": FIRST, "ref": near, "known": False, "pools": []}
    assert given(place, ref_of(place, AWAY))["known"] is False


def test_a_root_is_found_where_it_was_published(place: CheckCore) -> None:
    pool = record(place)["pools"][0]
    (found,) = get(place, f"/check/root/{pool['root']}")["found"]
    assert (found["draw"], found["size"], found["total"]) == (FIRST, pool["size"], pool["total"])
    assert get(place, f"/check/root/{'ab' * 32}")["found"] == []


def test_nothing_of_a_guest_stands_in_what_anybody_gets(place: CheckCore) -> None:
    client = place.served.app.test_client()
    told = [client.get(path).text for path in ("/check", *OPEN.values())]
    told.append(client.get(f"/check/proofs/{ref_of(place, place.winners[0])}/{FIRST}").text)
    for text in told:
        for n in range(SEATS):
            assert number(n) not in text
        assert place.secret(place.winners[0]) not in text


# -- an open draw ---------------------------------------------------------------------------------------------------


def test_of_an_open_draw_is_said_when_it_will_be_published_and_nothing_else(tmp_path: Path, migrated: Path) -> None:
    core = CheckCore(tmp_path, migrated)
    try:
        core.open_up()
        while not core.said("selection.made"):
            core.play_on()
        client = core.served.app.test_client()
        for name, path in OPEN.items():
            answer = client.get(path)
            assert (answer.status_code, answer.get_json()["code"]) == (409, "X_DRAW_OPEN"), name
            assert "at 14:10 at the earliest" in answer.get_json()["sentence"], name
        (frozen,) = core.said("pool.frozen")
        assert get(core, f"/check/root/{frozen.data['root']}")["found"] == []
        page = client.get("/check").text
        assert "at 14:10 at the earliest" in page
        assert "No draw has been published yet." in page
        assert frozen.data["root"] not in page
        state = core.ask(lambda engine: engine.draw(FIRST).state)
        for text in (page, *(client.get(path).text for path in OPEN.values())):
            assert state.terms["commitment"] not in text
            assert "14:02" not in text
    finally:
        core.close()


# -- so many at once ------------------------------------------------------------------------------------------------


def test_a_thousand_guests_take_one_glance_of_the_engine(place: CheckCore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of this core stands still: all of them ask within the same second."""
    asked = []
    ask = place.core.ask
    monkeypatch.setattr(place.core, "ask", lambda command, **said: asked.append(command) or ask(command, **said))
    published = Published(place.core)
    refs = [ref_of(place, number(n)) for n in range(10)]
    asked.clear()
    for n in range(1000):
        assert published.proofs(FIRST, refs[n % 10])["known"] is True
    assert len(asked) == 2  # the glance, and once the key of the references


def test_answers_may_be_kept_but_for_those_about_a_guest(place: CheckCore) -> None:
    client = place.served.app.test_client()
    kept = {path: client.get(path).headers["Cache-Control"] for path in ("/check", *OPEN.values())}
    assert kept[OPEN["proofs"]] == "no-store"
    assert all(value.startswith("public, max-age=") for path, value in kept.items() if path != OPEN["proofs"])
    first = client.get(OPEN["a record"])
    again = client.get(OPEN["a record"], headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    for path in ("/check", *OPEN.values(), f"/check/root/{'ab' * 32}", "/check/verify.pyz"):
        assert "Set-Cookie" not in client.get(path).headers


@pytest.mark.parametrize("ref", ["x", "0" * 31, "0" * 33, "G" * 32, "0" * 31 + "F", "٣" * 32, "%00" * 32])
def test_what_is_no_reference_is_refused(place: CheckCore, ref: str) -> None:
    answer = place.served.app.test_client().get(f"/check/proofs/{ref}/{FIRST}")
    assert (answer.status_code, answer.get_json()["code"]) == (409, "X_VALUE_WRONG")


@pytest.mark.parametrize("draw", ["x", "../../etc/passwd", "silverstar/playtime/2023-10-07/second", "%ff", "a" * 4000])
def test_what_is_no_draw_is_refused(place: CheckCore, draw: str) -> None:
    for path in (f"/check/draw/{draw}", f"/check/record/{draw}", f"/check/proofs/{'0' * 32}/{draw}"):
        answer = place.served.app.test_client().get(path)
        assert answer.status_code == 404, path


def test_while_one_is_made_the_others_wait_and_are_told_to_try_again() -> None:
    kept: Kept[str] = Kept(patience=0.05)
    begun, go_on = Event(), Event()

    def slow() -> str:
        begun.set()
        go_on.wait(10)
        return "made"

    other = Thread(target=lambda: kept.get("a", (), slow))
    other.start()
    begun.wait(10)
    with pytest.raises(Refused) as told:
        kept.get("b", (), lambda: "quick")
    assert told.value.code == "X_TRY_AGAIN"
    go_on.set()
    other.join(10)
    assert kept.get("a", (), lambda: "again") == "made"


def test_questions_about_old_draws_push_no_new_one_out() -> None:
    kept: Kept[str] = Kept(patience=1)
    newest = ("n1", "n2")
    made: list[str] = []

    def ask(name: str) -> None:
        kept.get(name, newest, lambda: made.append(name) or name)  # type: ignore[func-returns-value]

    for name in ("n1", "n2", *(f"o{n}" for n in range(20)), "n1", "n2", "o19", "o18"):
        ask(name)
    assert made == ["n1", "n2", *(f"o{n}" for n in range(20))]
    ask("o0")
    assert made[-1] == "o0"
    assert len(kept._made) == 4
    # New Saturdays come: what was new is old then, and goes.
    for n in range(10):
        newest = (f"m{n}", f"k{n}")
        for name in newest:
            ask(name)
    assert set(newest) <= set(kept._made)
    assert len(kept._made) == 4


def test_while_the_core_is_busy_what_was_published_is_still_told(
    place: CheckCore, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = Published(place.core)
    busy = Refused("X_TRY_AGAIN", "The core was busy.")

    def refuses(_command: Any, **_said: Any) -> Any:
        raise busy

    monkeypatch.setattr(place.core, "ask", refuses)
    with pytest.raises(Refused) as told:
        published.draw(FIRST)
    assert told.value.code == "X_TRY_AGAIN"
    monkeypatch.undo()
    assert published.draw(FIRST)["id"] == FIRST
    monkeypatch.setattr(place.core, "ask", refuses)
    later = place.clock.now() + 5_000
    monkeypatch.setattr(place.core, "stamp", lambda: later)
    assert published.draw(FIRST)["id"] == FIRST
