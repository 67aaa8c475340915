"""The rule books' page over HTTP: faults with their lines, words beside the locked book, rehearsals, locks, who may."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from casino import FIRST, LERATO, SIPHO, THANDI, book_toml, jhb
from recording import events, write
from setup_core import GIVEN, NEXT, SHA, TOP, SetUpCore
from signing import PIN
from stand_ins import FixedSeeds
from werkzeug.test import TestResponse

from draw_engine.errors import Refused
from draw_engine.verify import verify
from draw_engine.verify.report import HOLDS
from kiosk.assembly import house_of, open_engine


@pytest.fixture
def core(tmp_path: Path, migrated: Path) -> Iterator[SetUpCore]:
    made = SetUpCore(tmp_path, migrated)
    write(made.site.state_dir / "floors" / "saturday", events())
    yield made
    made.close()


def code(answer: TestResponse) -> tuple[int, str]:
    return answer.status_code, answer.get_json()["code"]


# -- faults ---------------------------------------------------------------------------------------------------------


def test_every_fault_with_its_line_and_what_stands_there(core: SetUpCore) -> None:
    """SS-C10: 7 October 2026 is a Wednesday."""
    wrong = GIVEN.replace(b"from = 2023-10-07", b"from = 2026-10-07").replace(b"to = 2023-12-09", b"to = 2026-12-09")
    told = core.sent("/check", wrong.replace(b"seconds = 90", b"secnds = 90")).get_json()
    assert told["book"] is None
    lines = wrong.decode().splitlines()
    from_line, to_line = lines.index("from = 2026-10-07") + 1, lines.index("to = 2026-12-09") + 1
    found = {(fault["line"], fault["code"]): fault for fault in told["faults"]}
    assert {(from_line, "SS_CALENDAR_MISMATCH"), (to_line, "SS_CALENDAR_MISMATCH")} <= set(found)
    assert found[from_line, "SS_CALENDAR_MISMATCH"]["text"] == "from = 2026-10-07"
    assert "7 October 2026 is a Wednesday" in found[from_line, "SS_CALENDAR_MISMATCH"]["sentence"]
    misspelt = next(fault for fault in told["faults"] if fault["code"] == "X_KEY_UNKNOWN")
    assert "did you mean seconds?" in misspelt["sentence"]
    assert "secnds" in misspelt["text"]
    assert [fault["line"] for fault in told["faults"]] == sorted(fault["line"] for fault in told["faults"])


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"[[", b"schema = 1\n", b"a = " + b"[" * 5000])
def test_whatever_is_sent_is_answered_in_words(core: SetUpCore, content: bytes) -> None:
    told = core.sent("/check", content)
    assert told.status_code == 200
    assert told.get_json()["faults"]
    assert code(core.sent("/load", content)) == (409, "X_RULES_FAULTY")
    assert core.books() == {"test-1": "given"}


def test_nothing_and_too_much_are_refused(core: SetUpCore) -> None:
    assert code(core.sent("/check", b"")) == (409, "X_VALUE_WRONG")
    assert code(core.sent("/load", b"#" * 500_001)) == (413, "X_TOO_LARGE")


# -- what it says ---------------------------------------------------------------------------------------------------


def test_the_way_of_a_book_into_force(core: SetUpCore) -> None:
    assert core.books() == {"test-1": "given"}
    given = hashlib.sha256(GIVEN).hexdigest()
    assert core.did(f"/{given}/load").get_json()["sha256"] == given
    assert core.rehearsed(given)["step"] == "done"
    assert core.did(f"/{given}/lock", second="themba", reason="as printed").get_json() == {"ok": True}
    assert core.sent("/check", NEXT).get_json() == {
        "ok": True,
        "faults": [],
        "book": {"title": "Playtime", "version": "test-2"},
        "sha256": SHA,
        "known": False,
    }
    assert core.sent("/load", NEXT).get_json()["version"] == "test-2"
    assert core.books() == {"test-1": "in_force", "test-2": "loaded"}
    assert code(core.did(f"/{SHA}/lock", second="themba", reason="as printed")) == (409, "X_NOT_REHEARSED")
    _differs_in_what_was_changed(core)
    assert core.rehearsed()["step"] == "done"
    assert core.got(f"/{SHA}.json")["missing"] == ""
    assert core.did(f"/{SHA}/lock", second="themba", reason="thirty days").get_json() == {"ok": True}
    assert core.books() == {"test-2": "in_force", "test-1": "replaced"}
    assert core.client.get(f"{TOP}/{SHA}/rules.toml").data == NEXT
    assert core.did(f"/{SHA}/retire", second="kabelo", reason="over").get_json() == {"ok": True}
    assert core.books() == {"test-1": "replaced", "test-2": "retired"}
    assert [entry.kind for entry in core.said("rules.loaded", "rules.rehearsed", "rules.locked", "rules.retired")] == [
        *["rules.loaded", "rules.rehearsed", "rules.locked"] * 2,
        "rules.retired",
    ]


def _differs_in_what_was_changed(core: SetUpCore) -> None:
    book = core.got(f"/{SHA}.json")
    assert (book["words"]["against"], book["words"]["differ"]) == ("test-1", 4)
    changed = {line["text"]: line["was"] for line in book["words"]["lines"] if line["mark"]}
    prize = "prize: a sealed envelope, ZAR 500.00 to ZAR {}"
    held = "Held prizes: {} days at the Customer Services Desk, the day of the draw not counted; "
    assert changed[prize.format("900.00")] == prize.format("1,000.00")
    assert any(text.startswith(held.format(30)) and was.startswith(held.format(15)) for text, was in changed.items())
    assert book["replaces"] == "test-1"
    when = book["calendar"]
    assert when["count"] == 10  # the Saturdays from 7 October to 9 December 2023
    assert [(row["opens"], row["from"], row["to"], row["awards"]) for row in when["sessions"]] == [
        ("13:55", "14:00", "14:10", 3),
        ("14:25", "14:30", "14:40", 3),
    ]
    assert [month["name"] for month in when["months"]] == ["October 2023", "November 2023", "December 2023"]
    assert [day["text"] for day in when["months"][0]["days"]] == ["Sat 7", "Sat 14", "Sat 21", "Sat 28"]
    assert [day["day"] for month in when["months"] for day in month["days"] if day["next"]] == ["2023-10-07"]


# -- rehearsing -----------------------------------------------------------------------------------------------------


def test_a_rehearsal_s_figures_are_what_its_records_say(core: SetUpCore, tmp_path: Path) -> None:
    core.sent("/load", NEXT)
    run = core.rehearsed()
    assert (run["step"], run["sentence"]) == ("done", "")
    packed = core.client.get(f"{TOP}/{SHA}/rehearsal.zip")
    with zipfile.ZipFile(io.BytesIO(packed.data)) as archive:
        archive.extractall(tmp_path / "records")
    folders = sorted(file.parent for file in (tmp_path / "records").glob("*/record.json"))
    assert [folder.name for folder in folders] == ["first", "second"]
    assert not list((tmp_path / "records").glob("floor*"))  # it names members
    figures = core.ask(lambda engine: next(kept.rehearsal for kept in engine.kept_books if kept.sha256 == SHA))
    won: list[str] = []
    for folder in folders:
        assert verify(folder).exit_code == HOLDS
        record, told = json.loads((folder / "record.json").read_bytes()), figures["draws"][folder.name]
        confirmed = [claim for claim in record["claims"] if claim["outcome"] == "confirmed"]
        won += [claim["id"] for claim in record["claims"] if claim["outcome"] in {"confirmed", "held", "refused"}]
        assert told["attempts"] == len(record["claims"])
        assert told["prizes"]["paid"] == sum(claim["prize"] for claim in confirmed)
        assert (told["pool"]["least"], told["pool"]["most"]) == (
            min(pool["size"] for pool in record["pools"]),
            max(pool["size"] for pool in record["pools"]),
        )
        assert told["verified"] is True
    for kind in ("tier", "zone", "kind"):
        assert sum(count for _, count in figures["winners"][kind]) == len(won)
    (entry,) = core.said("rules.rehearsed")
    canonical = json.dumps(figures, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert entry.data == {"rules_sha256": SHA, "sha256": hashlib.sha256(canonical).hexdigest()}
    shown = core.got(f"/{SHA}.json")["figures"]
    assert [draw["title"] for draw in shown["draws"]] == [draw["title"] for draw in figures["draws"].values()]
    assert all(fact["label"] and fact["text"] for draw in shown["draws"] for fact in draw["facts"])


def test_a_recorded_day_is_played_on_another_day_of_the_book(core: SetUpCore) -> None:
    """Last Saturday's floor, next Saturday's book: the same guests sit there, a week later."""
    core.load_lists()
    core.at("13:50")
    core.seat(S_0412=LERATO, S_0500=SIPHO, S_0088=THANDI)
    while core.clock.now() < jhb("14:12"):
        core.clock.set(core.clock.now() + 15_000)
        core.heard([core.line("played", position=one, games=1, coin_in=500) for one in ("S-0412", "S-0500", "S-0088")])
    one = book_toml(FIRST).replace(b'"test-1"', b'"test-3"')
    sha = core.sent("/load", one).get_json()["sha256"]
    floors = core.got(".json")["floors"]
    assert [floor["id"] for floor in floors] == ["folder:saturday", "made:rehearsal", "made:casino", "day:2023-10-07-1"]
    assert floors[-1]["text"].startswith("Saturday 7 October 2023, as far as it has come (")
    run = core.rehearsed(sha, floor="day:2023-10-07-1", day="2023-10-14")
    assert (run["step"], run["sentence"]) == ("done", "")
    figures = core.ask(lambda engine: next(kept.rehearsal for kept in engine.kept_books if kept.sha256 == sha))
    assert figures["draws"]["first"]["attempts"] >= 1
    assert figures["draws"]["first"]["pool"]["most"] == 3
    assert figures["draws"]["first"]["verified"]


def test_a_floor_on_which_nobody_plays_rehearses_nothing(core: SetUpCore) -> None:
    """Its figures are shown, so that it is seen why; but nobody locks what was not tried."""
    core.sent("/load", NEXT)
    write(core.site.state_dir / "floors" / "night", events(start="03:00", end="03:10"))
    run = core.rehearsed(floor="folder:night")
    assert (run["step"], run["code"]) == ("refused", "X_NOT_REHEARSED")
    assert core.said("rules.rehearsed") == []
    book = core.got(f"/{SHA}.json")
    assert book["missing"]
    assert [fact["text"] for draw in book["figures"]["draws"] for fact in draw["facts"][:1]] == [
        "0 of 3",
        "0 of 6",
    ]  # carried


def test_a_floor_that_cannot_be_read_is_said_and_nothing_is_kept(core: SetUpCore) -> None:
    core.sent("/load", NEXT)
    shutil.copytree(core.site.state_dir / "floors" / "saturday", core.site.state_dir / "floors" / "torn")
    (core.site.state_dir / "floors" / "torn" / "events.jsonl").write_bytes(b'{"at": "yesterday"}\n')
    run = core.rehearsed(floor="folder:torn")
    assert (run["step"], run["code"]) == ("refused", "X_RECORDING")
    assert core.said("rules.rehearsed") == []
    assert code(core.client.get(f"{TOP}/{SHA}/rehearsal.zip")) == (409, "X_NOT_REHEARSED")


SILENT = (sys.executable, "-c", "import sys; sys.stdin.read()")
_WAITING = 'import sys, time; sys.stdin.read(); print(\'{"step": "rehearse"}\', flush=True); time.sleep(60)'
WAITS = (sys.executable, "-c", _WAITING)


def test_a_child_that_dies_without_a_word(tmp_path: Path, migrated: Path) -> None:
    core = SetUpCore(tmp_path, migrated, SILENT)
    core.sent("/load", NEXT)
    run = core.rehearsed(floor="made:rehearsal")
    assert (run["step"], run["code"]) == ("refused", "X_NO_RESULT")
    assert core.books()["test-2"] == "loaded"
    core.close()


def test_the_floor_goes_on_while_a_rehearsal_runs(tmp_path: Path, migrated: Path) -> None:
    core = SetUpCore(tmp_path, migrated, WAITS)
    core.sent("/load", NEXT)
    assert core.did(f"/{SHA}/rehearse", day="2023-10-07", floor="made:rehearsal", crews=2).status_code == 200
    assert (
        code(core.did(f"/{SHA}/rehearse", day="2023-10-07", floor="made:rehearsal", crews=2))[1] == "X_REHEARSAL_RUNS"
    )
    core.load_lists()
    core.at("13:56")
    assert core.ask(lambda engine: len(engine.draws)) == 1
    assert core.got(".json")["run"]["runs"] is True
    assert core.got(f"/{SHA}.json")["missing"]
    core.rehearsals.stop()
    core.close()


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"day": "2023-10-08"}, "SS_NOT_PROMO_DAY"),
        ({"day": "saturday"}, "X_VALUE_WRONG"),
        ({"floor": "folder:../../etc"}, "X_NO_SUCH_FLOOR"),
        ({"floor": "day:2023-10-08-1"}, "X_NO_SUCH_FLOOR"),
        ({"crews": 0}, "X_VALUE_WRONG"),
        ({"crews": True}, "X_VALUE_WRONG"),
        ({"crews": "2"}, "X_VALUE_WRONG"),
    ],
)
def test_what_cannot_be_rehearsed(core: SetUpCore, said: dict[str, Any], expected: str) -> None:
    core.sent("/load", NEXT)
    whole = {"day": "2023-10-07", "floor": "folder:saturday", "crews": 2} | said
    assert code(core.did(f"/{SHA}/rehearse", **whole)) == (409, expected)


# -- who may --------------------------------------------------------------------------------------------------------


def test_an_auditor_reads_and_changes_nothing(core: SetUpCore) -> None:
    core.sent("/load", NEXT)
    cookie = {"Cookie": core.client.keys.cookie("zanele", core.clock.now())}
    assert core.client.get(f"{TOP}.json", headers=cookie).get_json()["may_act"] is False
    assert core.client.get(f"{TOP}/{SHA}.json", headers=cookie).get_json()["missing"]
    for path in ("/load", f"/{SHA}/load", f"/{SHA}/rehearse", f"/{SHA}/lock", f"/{SHA}/retire"):
        assert code(core.client.post(TOP + path, json={}, headers=cookie)) == (403, "X_NO_PERMISSION")


def test_the_second_person_proves_it_on_the_spot(core: SetUpCore) -> None:
    core.sent("/load", NEXT)
    core.rehearsed()
    path = f"/{SHA}/lock"
    assert code(core.did(path, second="themba", second_secret="000000", reason="x")) == (403, "X_WRONG_SECRET")
    assert code(core.did(path, second="nomvula", second_secret=PIN, reason="x"))[1] == "X_SAME_PERSON"
    assert code(core.did(path, second="themba", reason=""))[1] == "X_REASON_REQUIRED"
    assert core.said("rules.locked") == []
    assert core.did(path, second="kabelo", reason="as printed").get_json() == {"ok": True}
    (entry,) = core.said("rules.locked")
    assert (entry.actor, entry.data["by"]) == ("manager:nomvula", ["crew:kabelo", "manager:nomvula"])


def test_a_book_that_is_not_there(core: SetUpCore) -> None:
    nothing = "0" * 64
    for answer in (
        core.client.get(f"{TOP}/{nothing}.json"),
        core.client.get(f"{TOP}/{nothing}/rules.toml"),
        core.client.get(f"{TOP}/{nothing}/rehearsal.zip"),
        core.did(f"/{nothing}/lock", second="themba", reason="as printed"),
        core.did(f"/{nothing}/rehearse", day="2023-10-07", floor="made:rehearsal", crews=2),
    ):
        assert answer.get_json()["code"] == "X_NO_SUCH_RULES"


def test_a_start_with_a_given_book_of_another_zone_than_a_locked_one_is_refused(core: SetUpCore) -> None:
    """Lists, journal and pools go by the one clock and the one gaming day of the house."""
    core.sent("/load", NEXT)
    core.rehearsed()
    core.did(f"/{SHA}/lock", second="themba", reason="as printed")
    other = GIVEN.replace(b'id = "playtime"', b'id = "evening"').replace(b"Africa/Johannesburg", b"Europe/Paris")
    with pytest.raises(Refused, match="X_BOOKS_DISAGREE"):
        open_engine(house_of(core.site, [other]), core.store, core.clock, seeds=FixedSeeds("seed"))
