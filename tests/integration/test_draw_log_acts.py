"""What is done at the draw log: a draw verified in place, a guest looked up, a dispute noted; and who may do it."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from casino import AISHA, JOHAN, LERATO, PIETER, THANDI
from draw_log_core import PLAYING, DrawLogCore
from draw_log_read import DRAW, Midway, asked, changed, log_of, post, selections, text_of
from loopback import FIRST

from draw_engine import proofs
from draw_engine.errors import Refused
from draw_engine.verdicts import Verdict
from draw_engine.verify import verify
from kiosk.draw_log import why as draw_log_why
from kiosk.draw_log.verify import Verifier
from kiosk.draw_log.view import glance


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[DrawLogCore]:
    made = DrawLogCore(tmp_path_factory.mktemp("draw-log"), migrated)
    seen: list[Midway] = []
    made.midway = lambda: seen.append(Midway(made))
    made.play_day()
    made.midway_seen = seen  # type: ignore[attr-defined]
    yield made
    made.close()


@pytest.fixture(scope="module")
def midway(place: DrawLogCore) -> Midway:
    (seen,) = place.midway_seen  # type: ignore[attr-defined]
    return seen


# -- verified in place ----------------------------------------------------------------------------------------------


def test_verified_in_place_it_is_what_the_verifier_says_of_the_copy(place: DrawLogCore, tmp_path: Path) -> None:
    answer = post(place, "verify", who="wim", draw=FIRST).get_json()
    copy = place.client_of("zanele").get(f"/draws/{FIRST}/record.zip?copy=auditor")
    zipfile.ZipFile(io.BytesIO(copy.data)).extractall(tmp_path)
    key = json.loads((tmp_path / "record.json").read_bytes())["checkpoints"][0]["public_key"]
    report = verify(tmp_path, key)
    assert answer["verdict"] == report.verdict
    assert [(one["name"], one["ok"], one["sentence"]) for one in answer["checks"]] == [
        (check.name, check.ok, check.sentence) for check in report.checks
    ]
    assert answer["notices"] == report.notices
    assert (answer["ok"], answer["whole"]) == (True, True)
    assert key in answer["key"]
    page = text_of(place.client_of("wim").get(f"{DRAW}/selections/0").text)
    assert report.verdict in page  # the last verdict stays to be read


def test_every_pool_is_judged_again_when_asked(place: DrawLogCore) -> None:
    answer = post(place, "verify", draw=FIRST, journal=True).get_json()
    names = {one["name"] for one in answer["checks"]} - {
        one["name"] for one in post(place, "verify", draw=FIRST).get_json()["checks"]
    }
    assert names
    assert answer["ok"]


def test_a_changed_entry_is_found_in_place(place: DrawLogCore) -> None:
    ((seq, data),) = asked(place, "SELECT seq, data FROM log_entries WHERE kind = 'claim.mismatch'")
    changed(place, "UPDATE log_entries SET data = ? WHERE seq = ?", data.replace("SS_CARD_MISMATCH", "SS_OTHER"), seq)
    try:
        answer = post(place, "verify", draw=FIRST).get_json()
    finally:
        changed(place, "UPDATE log_entries SET data = ? WHERE seq = ?", data, seq)
    assert not answer["ok"]
    assert [one["name"] for one in answer["checks"] if not one["ok"]] == ["chain"]
    assert f"{seq}" in next(one["sentence"] for one in answer["checks"] if not one["ok"])
    assert post(place, "verify", draw=FIRST).get_json()["ok"]


def test_an_open_draw_is_checked_as_far_as_it_can_be(midway: Midway) -> None:
    said = midway.verified
    assert (said["ok"], said["whole"]) == (True, False)
    assert [one["name"] for one in said["checks"]] == ["chain", "checkpoints", "pools", "tickets", "judgements"]
    assert "The seed is opened when the draw closes." in said["rest"]
    assert said["verdict"].startswith("This draw is open.")


def test_while_one_draw_is_verified_the_next_one_waits_its_turn(place: DrawLogCore) -> None:
    verifier = Verifier(patience=0.01)
    seen = place.ask(glance)
    with verifier._busy, pytest.raises(Refused, match="X_TRY_AGAIN"):
        verifier.verify(seen, FIRST)
    assert verifier.verify(seen, FIRST).ok


# -- why was a guest not in it? ---------------------------------------------------------------------------------------


def judged(place: DrawLogCore, pool: str) -> dict[str, str]:
    """Who was found how, from the kept judging itself: number -> code."""
    ((blob,),) = asked(place, "SELECT verdicts FROM judgements WHERE pool = ?", pool)
    lines = zlib.decompress(blob).decode().splitlines()[1:]
    return {cells[0]: cells[1] for cells in (line.split("\t") for line in lines)}


def test_the_answer_is_what_the_judging_found(place: DrawLogCore) -> None:
    codes = Counter[str]()
    for n, one in selections(place).items():
        found = judged(place, one["pool"])
        for member in PLAYING.values():
            answer = post(place, "why", draw=FIRST, ordinal=n, number=member).get_json()
            assert answer["code"] == found[member]
            by_card = post(place, "why", draw=FIRST, ordinal=n, number=f"70{member}").get_json()
            assert by_card["asked"] == answer["asked"].replace(member, f"70{member}")
            assert {**by_card, "asked": ""} == {**answer, "asked": ""}
            codes[answer["code"]] += 1
    assert set(codes) == {"IN", "SS_ZONE_NOT_QUALIFYING", "SS_FAILED_THIS_AWARD"}


def test_whoever_was_in_gets_a_proof_that_holds(place: DrawLogCore) -> None:
    made = selections(place)[1]
    frozen = next(entry for entry in log_of(place, "pool.frozen") if entry["data"]["id"] == made["pool"])["data"]
    tickets = set()
    for member in (PIETER, AISHA, THANDI):
        answer = post(place, "why", draw=FIRST, ordinal=1, number=member).get_json()
        ranges = proofs.check(answer["proof"], root=frozen["root"], size=frozen["size"], total=int(frozen["total"]))
        assert frozen["root"] in answer["proof_of"]
        if member == made["member"]:
            assert answer["sentence"] == "This guest was the one selected."
            assert ranges[bytes.fromhex(made["ref"])][0] == int(made["ticket"])
            continue
        ticket = int(re.findall(r"was (\d+);", answer["tickets"])[0])
        assert (ticket, ticket) in ranges.values()
        tickets.add(ticket)
    assert int(made["ticket"]) not in tickets
    assert len(tickets) == 2


def test_who_was_nowhere_and_who_is_nobody(place: DrawLogCore) -> None:
    away = post(place, "why", draw=FIRST, ordinal=0, number=JOHAN).get_json()
    assert (away["code"], away["to_guest"]) == ("SS_NO_CARD_IN", True)
    assert away["sentence"].startswith("No card of yours was in a machine")
    nobody = post(place, "why", draw=FIRST, ordinal=0, number="999999").get_json()
    assert (nobody["code"], nobody["to_guest"]) == ("SS_NOT_MEMBER", False)
    refused = post(place, "why", draw=FIRST, ordinal=0, number="  ")
    assert (refused.status_code, refused.get_json()["code"]) == (409, "X_VALUE_WRONG")


def test_a_look_up_is_kept_with_who_and_never_with_the_number(place: DrawLogCore) -> None:
    before = asked(place, "SELECT count(*) FROM access_entries WHERE act = 'why_not'")[0][0]
    post(place, "why", who="zanele", draw=FIRST, ordinal=0, number=LERATO)
    rows = asked(place, "SELECT who, about, code FROM access_entries WHERE act = 'why_not' ORDER BY n")
    assert len(rows) == before + 1
    who, about, code = rows[-1]
    assert (who, code) == ("auditor:zanele", "SS_ZONE_NOT_QUALIFYING")
    assert re.fullmatch(r"[0-9a-f]{16}", about)
    assert about not in {hashlib.sha256(LERATO.encode()).hexdigest()[:16], LERATO}
    assert not any(LERATO in str(entry["data"]) for entry in log_of(place))


# -- notes ----------------------------------------------------------------------------------------------------------

NOTE = "Thandi Mokoena says she stood at the bar.\n\n  Told her the rule twice. "


def test_a_note_is_sealed_its_hash_logged_and_read_by_who_may(place: DrawLogCore) -> None:
    written = post(place, "note", who="nomvula", draw=FIRST, ordinal=1, text=NOTE)
    assert written.get_json() == {"ok": True, "note": 1}
    entry = log_of(place, "dispute.noted")[-1]
    ((digest, sealed),) = asked(place, "SELECT sha256, sealed FROM dispute_notes WHERE n = 1")
    assert (entry["actor"], entry["draw"]) == ("manager:nomvula", None)
    assert entry["data"] == {"of": FIRST, "claim": "c1", "sha256": digest}
    assert b"Mokoena" not in sealed
    plain = hashlib.sha256(NOTE.encode()).hexdigest()
    assert plain != digest  # a short note must not be guessed from the log
    for who, sees in (("nomvula", True), ("zanele", True), ("wim", False)):
        page = place.client_of(who).get(f"{DRAW}/selections/1").text
        assert ("stood at the bar" in page) == sees
        assert "A note of dispute was written." in page
    assert "Nomvula, manager" in text_of(place.client_of("zanele").get(f"{DRAW}/selections/1").text)
    readers = {who for (who,) in asked(place, "SELECT who FROM access_entries WHERE act = 'notes.read'")}
    assert readers == {"manager:nomvula", "auditor:zanele"}


def test_notes_are_added_and_a_changed_one_shows(place: DrawLogCore) -> None:
    for text in ("First.", "Second."):
        assert post(place, "note", draw=FIRST, ordinal=3, text=text).status_code == 200
    page = place.client_of("zanele").get(f"{DRAW}/selections/3").text
    notes = page.partition('id="notes"')[2]
    assert notes.index("First.") < notes.index("Second.")
    assert "was changed" not in notes.partition("</section>")[0]
    ((n, digest, sealed),) = asked(place, "SELECT max(n), sha256, sealed FROM dispute_notes")
    for column, other in (("sha256", "0" * 64), ("sealed", sealed[:-1] + bytes([sealed[-1] ^ 1])), ("ordinal", 2)):
        was = {"sha256": digest, "sealed": sealed, "ordinal": 3}[column]
        changed(place, f"UPDATE dispute_notes SET {column} = ? WHERE n = ?", other, n)
        try:
            page = place.client_of("zanele").get(f"{DRAW}/selections/3").text
        finally:
            changed(place, f"UPDATE dispute_notes SET {column} = ? WHERE n = ?", was, n)
        said = text_of(page.partition('id="notes"')[2].partition("</section>")[0].join(("<main", "")))
        assert said.count("its text was changed") == (column != "ordinal"), column
        assert said.count("it was taken out") == (column == "ordinal"), column


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"text": " \n "}, "X_REASON_REQUIRED"),
        ({"text": "a" * 4_001}, "X_REASON_REQUIRED"),
        ({"text": "a\u202eb"}, "X_REASON_REQUIRED"),
        ({"text": 7}, "X_VALUE_WRONG"),
        ({"text": "\ud800"}, "X_VALUE_WRONG"),
        ({"text": "a", "ordinal": 9}, "X_NO_SUCH_CLAIM"),
        ({"text": "a", "ordinal": -1}, "X_VALUE_WRONG"),
        ({"text": "a", "ordinal": True}, "X_VALUE_WRONG"),
        ({"text": "a", "draw": "no/such"}, "X_NO_SUCH_DRAW"),
        ({"text": "a", "draw": None}, "X_VALUE_WRONG"),
    ],
)
def test_a_note_that_cannot_be_kept_is_refused(place: DrawLogCore, said: dict[str, Any], code: str) -> None:
    before = asked(place, "SELECT count(*) FROM dispute_notes")
    answer = post(place, "note", **{"draw": FIRST, "ordinal": 0, **said})
    assert answer.get_json()["code"] == code
    assert asked(place, "SELECT count(*) FROM dispute_notes") == before


# -- who may --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("who", "statuses"),
    [
        ("nomvula", (200, 200, 200, 200, 200)),
        ("zanele", (200, 200, 200, 200, 403)),
        ("wim", (200, 200, 403, 403, 403)),
        ("kabelo", (403, 403, 403, 403, 403)),
        ("mpho", (403, 403, 403, 403, 403)),
    ],
)
def test_who_may_do_what(place: DrawLogCore, who: str, statuses: tuple[int, ...]) -> None:
    client = place.client_of(who)
    of = {"draw": FIRST, "ordinal": 0}
    found = (
        client.get(f"{DRAW}/selections/0").status_code,
        post(place, "verify", who=who, draw=FIRST).status_code,
        client.get("/console/draws.csv").status_code,
        post(place, "why", who=who, **of, number="1").status_code,
        post(place, "note", who=who, **of, text="Seen.").status_code,
    )
    assert found == statuses


def test_a_witness_sees_no_form_and_no_play(place: DrawLogCore) -> None:
    page = text_of(place.client_of("wim").get(f"{DRAW}/selections/0").text)
    for word in ("Find reason", "Notes of dispute", "Play then", "Auditor", "Add note"):
        assert word not in page
    assert "Public copy" in page


@pytest.mark.parametrize(
    "code", ["SS_REFUSAL_OF_ENTRY", "SS_SELF_EXCLUDED", "SS_EXCLUDED_CATEGORY", "SS_STAFF_OR_RELATED"]
)
def test_why_somebody_is_excluded_is_in_no_sentence_to_be_said(code: str) -> None:
    """Whoever asks at the desk may be another: only "not eligible" is said (NGA s 14; confidentiality)."""
    found = Verdict("100001", code, "", None, None, "100001", "", "S-1", "slots-1")
    answer = draw_log_why._answered(None, None, None, "100001", found)
    assert answer.code == code
    assert answer.sentence == "You were not eligible to take part. A manager speaks with you about it."
