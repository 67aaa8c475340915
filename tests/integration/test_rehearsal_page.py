"""`floordraw rehearse` and CREW.toml, held to floor-events "A floor for rehearsal" sentence by sentence.

What a day must look like is worked out here from the page, the crew's seed and the records; never by the crew's code.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from casino import FIRST, book_toml, iso, jhb
from click.testing import CliRunner
from recording import Event, events, write

from draw_engine.canonical import parse_time
from draw_engine.errors import Refused
from draw_engine.scripted_crew import CrewPlan, Scripted, read_crew
from draw_engine.verify import verify
from draw_engine.verify.report import HOLDS
from kiosk.cli.main import floordraw
from kiosk.rehearsal.rehearse import RehearsalOrder, rehearse

DAY = date(2023, 10, 7)
SEED = b"p" * 32
CREW = b'seed = "page"\nfound = 0.4\nother_person = 0.15\npresents = 0.4\nwalk_seconds = [5, 30]\ncrews = 1\n'
FAIL_TWICE = b"".join(
    b'[[script]]\naward = 1\nattempt = %d\noutcome = "%b"\nafter_seconds = 7\n' % one
    for one in ((1, b"not_rightful_card"), (2, b"expired"))
)


class Played:
    """One rehearsal: its records by draw, its summary, its bytes."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.bytes = {str(file.relative_to(out)): file.read_bytes() for file in out.rglob("*") if file.is_file()}
        self.records = {file.parent.name: json.loads(file.read_bytes()) for file in sorted(out.glob("*/record.json"))}
        self.summary = json.loads((out / "summary.json").read_bytes())
        for name in self.records:
            report = verify(out / name)
            assert report.exit_code == HOLDS, "\n".join(report.lines())

    def own(self, plan: str, *kinds: str) -> list[dict[str, Any]]:
        record = self.records[plan]
        return [e for e in record["log"] if e["draw"] == record["terms"]["draw"] and e["kind"] in kinds]


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("floor"), events())


@pytest.fixture
def play(tmp_path: Path, floor: Path) -> Callable[..., Played]:
    made = iter(range(100))

    def rehearsed(*, out: Path | None = None, **changed: Any) -> Played:
        folder = out or tmp_path / f"out-{next(made)}"
        order: dict[str, Any] = {"rules": book_toml(), "day": DAY, "floor": floor, "seed": SEED, "crew": CREW}
        rehearse(RehearsalOrder(**order | changed), folder)
        return Played(folder)

    return rehearsed


# -- the command -----------------------------------------------------------------------------------------------


def test_the_command_writes_a_folder_a_session_named_by_its_id(tmp_path: Path, floor: Path) -> None:
    rules, crew, out = tmp_path / "book.toml", tmp_path / "CREW.toml", tmp_path / "out"
    rules.write_bytes(book_toml())
    crew.write_bytes(CREW)
    said = ["rehearse", "--rules", rules, "--day", "2023-10-07", "--floor", floor, "--out", out]
    done = CliRunner().invoke(floordraw, [str(one) for one in (*said, "--house-seed", SEED.hex(), "--crew", crew)])
    assert done.exit_code == 0, done.output
    assert {file.name for file in out.iterdir()} == {"first", "second", "summary.json"}
    for record in Played(out).records.values():
        folder = out / record["terms"]["draw"].rsplit("/", 1)[-1]
        assert {file.name for file in folder.iterdir()} == {"record.json", *(p["file"] for p in record["pools"])}
        assert all(pool["file"] == pool["id"] + ".pool" for pool in record["pools"])  # the auditor's copy
    again = tmp_path / "again"
    said[-1] = again
    said += ["--session", "second", "--house-seed", SEED.hex()]
    done = CliRunner().invoke(floordraw, [str(one) for one in said])
    assert done.exit_code == 0, done.output
    assert {file.name for file in again.iterdir()} == {"second", "summary.json"}


def test_a_folder_used_again_holds_what_the_last_rehearsal_wrote_and_no_more(
    play: Callable[..., Played], tmp_path: Path
) -> None:
    used = tmp_path / "used"
    many = play(out=used, crew=b"found = 0.0\nother_person = 1.0\nwalk_seconds = [30, 30]\n")
    few = play(out=used, crew=b"found = 1.0\nother_person = 0.0\n")
    assert len(many.records["first"]["pools"]) > len(few.records["first"]["pools"])
    assert few.bytes == play(crew=b"found = 1.0\nother_person = 0.0\n").bytes


# -- exact times -----------------------------------------------------------------------------------------------


def moments(record: dict[str, Any]) -> list[int]:
    """at_n of the draw record's "When"."""
    terms = record["terms"]
    start, end = (parse_time(terms["moments"][name]) for name in ("start", "end"))
    count = terms["moments"]["count"]
    found = []
    for n in range(count):
        message = f'{{"draw":"{terms["draw"]}","moment":{n},"v":1}}'.encode()
        drawn = int.from_bytes(hmac.digest(bytes.fromhex(record["house_seed"]), message, hashlib.sha256)[:8], "big")
        found.append(start + (n * 2**64 + drawn) * (end - start) // (count * 2**64))
    return found


def numbered(told: list[Event]) -> list[Event]:
    """The events numbered anew, feed by feed: nothing is missing between them."""
    given: Counter[str] = Counter()
    renumbered = []
    for event in told:
        given[event["feed"]] += 1
        renumbered.append({**event, "seq": given[event["feed"]]})
    return renumbered


def silent_over_the_first_moment(played: Played, folder: Path) -> Path:
    """The floor again, its slots' feed silent from 45 s before the first session's first moment to 40 s after."""
    first = moments(played.records["first"])[0]
    told = [e for e in events() if e["feed"] != "slots-1" or not first - 45_000 < parse_time(e["at"]) < first + 40_000]
    return write(folder, numbered(told))


def test_every_try_ending_and_re_selection_falls_on_its_millisecond(
    play: Callable[..., Played], tmp_path: Path
) -> None:
    """Postponing, retrying and expiring are exact; every failure, however it came, is followed in its millisecond."""
    played = play(floor=silent_over_the_first_moment(play(), tmp_path / "silent"), crew=CREW + FAIL_TWICE)
    kinds: Counter[str] = Counter()
    for plan, record in played.records.items():
        due: dict[tuple[str, int], int] = {("moment", n): at for n, at in enumerate(moments(record))}
        for claim in record["claims"]:
            if claim["outcome"] in {"expired", "not_rightful_card"}:
                due["after", claim["ordinal"]] = parse_time(claim["ended_at"])
                kinds[claim["outcome"]] += 1
            if claim["outcome"] == "expired":
                assert parse_time(claim["ended_at"]) == parse_time(claim["announced_at"]) + 90_000 + 250
        for entry in played.own(plan, "selection.made", "selection.postponed"):
            by = "moment" if entry["data"]["moment"] is not None else "after"
            assert parse_time(entry["at"]) == due[by, entry["data"][by]]
            due[by, entry["data"][by]] += record["terms"]["retry_ms"]
            kinds[entry["kind"]] += 1
    assert min(kinds[kind] for kind in ("expired", "not_rightful_card", "selection.made", "selection.postponed")) > 0


# -- feeds -----------------------------------------------------------------------------------------------------


def test_every_feed_of_a_recording_without_names_is_needed_before_it_first_spoke(
    play: Callable[..., Played], tmp_path: Path
) -> None:
    """Bingo speaks for the first time at 14:05: until then one feed of the floor has not been heard."""
    late: list[Event] = [
        {"feed": "bingo-1", "seq": n, "at": iso(at), "kind": "heartbeat"}
        for n, at in enumerate(range(jhb("14:05"), jhb("14:45"), 10_000), 1)
    ]
    played = play(floor=write(tmp_path / "late-feed", [*events(), *late], feeds=False), session="first")
    tries = played.own("first", "selection.made", "selection.postponed")
    early = [entry for entry in tries if parse_time(entry["at"]) < jhb("14:05")]
    assert early
    assert {entry["data"].get("reason") for entry in early} == {"stale_feed"}
    assert {entry["data"].get("reason") for entry in tries if entry not in early} == {None}


# -- summary.json ----------------------------------------------------------------------------------------------


def persons_of(record: dict[str, Any], seed: bytes, floor: Path) -> dict[str, dict[str, str]]:
    """ref -> the member's row, by the draw record's "References" and "A rehearsal"; Thandi's two numbers are one."""
    key = hmac.digest(seed, b"floordraw/1/rehearsal-reference", hashlib.sha256)
    header, *lines = (floor / "members.csv").read_text().splitlines()
    found = {}
    for line in lines:
        row = dict(zip(header.split(","), line.split(","), strict=True))
        m = (row["person"] or row["member"]).encode()
        s = hmac.digest(key, record["terms"]["draw"].encode() + b"\n" + m, hashlib.sha256)
        found[hashlib.sha256(b"floordraw/1/ref\n" + s + m).digest()[:16].hex()] = row
    return found


def test_the_summary_holds_what_the_page_lists(play: Callable[..., Played], floor: Path, tmp_path: Path) -> None:
    silent = silent_over_the_first_moment(play(), tmp_path / "silent")
    played = play(floor=silent)
    where = {line.split(",")[0]: line.split(",") for line in (floor / "positions.csv").read_text().splitlines()[1:]}
    tiers: Counter[str] = Counter()
    zones: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    wins: Counter[str] = Counter()
    for plan, record in played.records.items():
        guests = persons_of(record, SEED, silent)
        outcomes = {claim["ordinal"]: claim["outcome"] for claim in record["claims"]}
        for made in record["selections"]:
            if outcomes[made["ordinal"]] in {"confirmed", "held", "refused"}:
                guest, (_, kind, zone, *_) = guests[made["ref"]], where[made["position"].split("/")[0]]
                tiers[guest["tier"]] += 1
                zones[zone] += 1
                kinds[kind] += 1
                wins[guest["person"] or guest["member"]] += 1
        told = played.summary["draws"][plan]
        postponed = played.own(plan, "selection.postponed")
        put_off = {entry["data"]["moment"] for entry in postponed} - {None}
        assert told["postponed"] == dict(Counter(entry["data"]["reason"] for entry in postponed))
        assert told["postponed_moments"] == len(put_off)
        assert told["attempts"] == len(record["selections"])
        assert told["no_shows"] == list(outcomes.values()).count("expired")
        assert told["prizes"] == {
            "paid": sum(claim["prize"] or 0 for claim in record["claims"]),
            "planned_least": 50_000 * len(record["terms"]["places"]),
            "planned_most": 100_000 * len(record["terms"]["places"]),
        }
    assert played.summary["winners"] == {"tier": dict(tiers), "zone": dict(zones), "kind": dict(kinds)}
    assert played.summary["repeat_wins"] == sum(1 for won in wins.values() if won > 1)
    assert played.summary["draws"]["first"]["postponed_moments"] > 0
    assert played.summary["house_seed"] is None


def test_a_moment_put_off_three_times_is_one_moment(play: Callable[..., Played], tmp_path: Path) -> None:
    """Nobody's card is in but for heartbeats until 14:45: every moment of the first session is tried again."""
    told = [
        {"feed": feed, "seq": n, "at": iso(at), "kind": "heartbeat"}
        for feed in ("slots-1", "tables-1")
        for n, at in enumerate(range(jhb("13:50"), jhb("14:45"), 10_000), 1)
    ]
    played = play(floor=write(tmp_path / "nobody", told), session="first")
    first = played.summary["draws"]["first"]
    assert first["postponed_moments"] == FIRST.awards
    assert first["postponed"] == {"empty_pool": len(played.own("first", "selection.postponed"))}
    assert first["postponed"]["empty_pool"] > FIRST.awards
    assert (first["attempts"], first["filled"], played.summary["repeat_wins"]) == (0, 0, 0)


def test_a_person_who_wins_twice_is_one_repeat_win(play: Callable[..., Played], tmp_path: Path) -> None:
    told = [event for event in events() if event["feed"] == "tables-1"]
    told += [
        {"feed": "slots-1", "seq": n, "at": iso(at), "kind": "heartbeat"}
        for n, at in enumerate(range(jhb("13:50"), jhb("14:45"), 10_000), 1)
    ]
    played = play(floor=write(tmp_path / "one-guest", told), crew=b"found = 1.0\nother_person = 0.0\n")
    assert played.summary["winners"] == {"tier": {"Black": 6}, "zone": {"MAIN": 6}, "kind": {"table": 6}}
    assert played.summary["repeat_wins"] == 1


@pytest.mark.parametrize(("crews", "queue"), [(1, 2), (2, 1), (3, 0)])
def test_the_longest_crew_queue(play: Callable[..., Played], crews: int, queue: int) -> None:
    """Each award keeps a crew busy to the session's end, so the three selections wait for whoever is free."""
    script = b"crews = %d\n" % crews
    for award in (1, 2, 3):
        script += b'[[script]]\naward = %d\nattempt = 1\noutcome = "confirmed"\nafter_seconds = 600\n' % award
    assert play(crew=script, session="first").summary["longest_crew_queue"] == queue


# -- CREW.toml -------------------------------------------------------------------------------------------------


def test_the_keys_of_a_crew_file_are_those_of_the_page() -> None:
    plan = read_crew(
        b'seed = "s"\ncrews = 3\nwalk_seconds = [1, 2]\nannounce_seconds = 4\nverify_seconds = 5\n'
        b"envelope_seconds = 6\nfound = 0.1\nother_person = 0.2\npresents = 1\n"
        b'[[script]]\naward = 7\nattempt = 2\noutcome = "held"\nafter_seconds = 9\n'
    )
    assert plan == CrewPlan("s", 3, (1, 2), 4, 5, 6, 0.1, 0.2, 1, {(7, 2): Scripted("held", 9)})
    assert (CrewPlan().crews, read_crew(b"")) == (2, CrewPlan())


ROW = b'[[script]]\naward = 1\nattempt = 1\noutcome = "held"\n'
FAULTS = [
    pytest.param(b"crew = 2\n", "unknown key crew", id="unknown-key"),
    pytest.param(ROW + b"after_second = 9\n", "unknown key after_second", id="unknown-key-in-a-script"),
    pytest.param(ROW + ROW, "award 1, attempt 1", id="the-same-attempt-twice"),
    pytest.param(b"[script]\naward = 1\n", "[[script]]", id="one-table"),
    pytest.param(b"script = [1]\n", "[[script]]", id="numbers"),
    pytest.param(b"walk_seconds = 5\n", "[min, max]", id="one-walk"),
    pytest.param(b"walk_seconds = [1, 2, 3]\n", "[min, max]", id="three-walks"),
    pytest.param(b"walk_seconds = [9, 2]\n", "min <= max", id="walk-backwards"),
    pytest.param(b"seed = [1]\n", "seed", id="seed"),
    pytest.param(b"found = 1.5\n", "from 0 to 1", id="probability"),
    pytest.param(b"presents = nan\n", "from 0 to 1", id="not-a-number"),
    pytest.param(b"crews = 0\n", "crews", id="no-crew"),
    pytest.param(ROW.replace(b"held", b"lapsed"), "lapsed", id="outcome"),
    pytest.param(b"\xff", "", id="not-text"),
]


@pytest.mark.parametrize(("content", "named"), FAULTS)
def test_a_crew_file_that_could_be_misread_is_refused(content: bytes, named: str) -> None:
    with pytest.raises(Refused) as refusal:
        read_crew(content)
    assert refusal.value.code == "X_CREW_FILE"
    assert named in refusal.value.sentence
