"""Rehearsals: the same to the byte, exact in time, whole for the verifier, and the same as the live floor would be."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from casino import FIRST, SIGNED_HEADER, Session, book_toml, iso, jhb
from recording import Event, events, write

from draw_engine.canonical import parse_time
from draw_engine.errors import Refused
from draw_engine.lists import ListFaults
from draw_engine.selection import house_seed_of_rehearsal
from draw_engine.verify import verify
from draw_engine.verify.report import HOLDS
from kiosk.rehearse import RehearsalOrder, rehearse

DAY = date(2023, 10, 7)
SEED = b"s" * 32
ALL_FOUND = b"found = 1.0\nother_person = 0.0\n"
NOBODY_COMES = b"found = 0.0\nother_person = 0.0\npresents = 0.0\nwalk_seconds = [5, 15]\n"
Play = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("floor"), events())


class Played:
    """What a rehearsal left: its folders' bytes, records and summary."""

    def __init__(self, out: Path) -> None:
        self.bytes = {
            str(file.relative_to(out)): file.read_bytes() for file in sorted(out.rglob("*")) if file.is_file()
        }
        self.records = {file.parent.name: json.loads(file.read_bytes()) for file in sorted(out.glob("*/record.json"))}
        self.summary = json.loads((out / "summary.json").read_bytes())
        for folder in self.records:
            report = verify(out / folder)
            assert report.exit_code == HOLDS, "\n".join(report.lines())

    def log(self, plan: str, *kinds: str) -> list[dict[str, Any]]:
        record = self.records[plan]
        return [e for e in record["log"] if e["draw"] == record["terms"]["draw"] and e["kind"] in kinds]


@pytest.fixture
def play(tmp_path: Path, floor: Path) -> Callable[..., Played]:
    """Rehearses the small book over the small floor, or what is named instead; everything written is verified."""
    made = iter(range(100))

    def rehearsed(**changed: Any) -> Played:
        out = tmp_path / f"out-{next(made)}"
        order: dict[str, Any] = {"rules": book_toml(), "day": DAY, "floor": floor, "seed": SEED} | changed
        rehearse(RehearsalOrder(**order), out)
        return Played(out)

    return rehearsed


# -- to the byte -----------------------------------------------------------------------------------------------


def test_twice_the_same_is_the_same_to_the_byte(play: Callable[..., Played]) -> None:
    one, two = play(), play()
    assert one.bytes == two.bytes
    assert set(one.records) == {"first", "second"}
    assert {name.split("/")[-1].split(".")[-1] for name in one.bytes} == {"json", "pool"}
    assert [record["terms"]["rehearsal"] for record in one.records.values()] == [True, True]


def test_another_seed_is_another_draw(play: Callable[..., Played]) -> None:
    one, two = play(), play(seed=b"t" * 32)
    assert (
        one.records["first"]["house_seed"]
        == house_seed_of_rehearsal(SEED, "silverstar/playtime/2023-10-07/first").hex()
    )
    moments = [[entry["at"] for entry in played.log("first", "selection.made")] for played in (one, two)]
    assert moments[0] != moments[1]
    assert {s["ref"] for s in one.records["first"]["selections"]}.isdisjoint(
        s["ref"] for s in two.records["first"]["selections"]
    )


def test_without_a_seed_the_summary_says_which_it_was(play: Callable[..., Played]) -> None:
    one = play(seed=None)
    seed = bytes.fromhex(one.summary["house_seed"])
    two = play(seed=seed)
    assert two.summary["house_seed"] is None
    assert two.records == one.records
    assert play(seed=None).records != one.records


def test_another_crew_changes_no_seed_and_no_moment(play: Callable[..., Played]) -> None:
    one, two = play(crew=ALL_FOUND), play(crew=NOBODY_COMES)
    assert one.records["first"]["house_seed"] == two.records["first"]["house_seed"]
    assert one.records["first"]["selections"][0] == {
        **two.records["first"]["selections"][0],
        "outcome": "confirmed",
    }


# -- what it plays ---------------------------------------------------------------------------------------------


def test_the_lists_are_known_from_the_gaming_day_s_start(play: Callable[..., Played], tmp_path: Path) -> None:
    """A member known only from 14:05 on is not in a pool before; all others are from the start."""
    late = "member,first_name,last_name,tier,born,phone,email,person,known_from\n" + "".join(
        f"5{n:05d},A,B,Gold,1980-01-01,,,,{iso(jhb('14:04')) if n else ''}\n" for n in range(24)
    )
    floor = write(tmp_path / "late", events(), lists={"members": late})
    played = play(floor=floor, crew=ALL_FOUND)
    sizes = [(parse_time(pool["frozen_at"]) >= jhb("14:04"), pool["size"]) for pool in played.records["first"]["pools"]]
    assert {size for after, size in sizes if not after} == {1}
    assert {size for after, size in sizes if after} == {24}


def test_a_session_alone_is_played_alone(play: Callable[..., Played]) -> None:
    whole, alone = play(), play(session="second")
    assert set(alone.records) == {"second"}
    assert set(alone.summary["draws"]) == {"second"}
    assert alone.records["second"]["terms"]["commitment"] == whole.records["second"]["terms"]["commitment"]
    assert alone.records["second"]["terms"]["places"] == [4, 5, 6]


def test_repeats_and_gzip_change_nothing(play: Callable[..., Played], tmp_path: Path) -> None:
    told = events()
    twice = [event for one in told for event in ((one, dict(one)) if one["seq"] % 7 == 0 else (one,))]
    usual = play()
    repeated = play(floor=write(tmp_path / "repeats", twice))
    packed = play(floor=write(tmp_path / "gz", told, gzipped=True, name="events.jsonl.gz"))
    disguised = play(floor=write(tmp_path / "disguised", told, gzipped=True))
    assert usual.records == repeated.records == packed.records == disguised.records
    assert usual.bytes == packed.bytes == disguised.bytes
    assert repeated.summary["events"]["repeats"] > 0
    assert usual.summary["events"]["repeats"] == 0


def test_a_number_used_again_for_something_else_is_counted_and_changes_nothing(
    play: Callable[..., Played], tmp_path: Path
) -> None:
    told = events()
    other = {**told[-1], "kind": "feed_down", "reason": "forged"}
    played = play(floor=write(tmp_path / "reused", [*told, other, {**told[-1], "seq": 10**6, "kind": "played"}]))
    assert played.summary["events"]["refused"] == {} or set(played.summary["events"]["refused"]) <= {
        "X_SEQ_REUSED",
        "X_EVENT_INVALID",
    }
    assert played.records == play().records


def test_the_order_of_the_lines_makes_no_difference(play: Callable[..., Played], tmp_path: Path) -> None:
    """By time is what counts; a feed's own numbers put the rest in order."""
    told = sorted(events(), key=lambda event: (event["feed"], event["seq"]))
    assert play(floor=write(tmp_path / "by-feed", told)).records == play().records


THIRD = [
    pytest.param(True, None, id="named-feeds-need-only-each-other"),
    pytest.param(False, "stale_feed", id="without-names-every-feed-is-needed"),
]


@pytest.mark.parametrize(("named", "reason"), THIRD)
def test_which_feeds_are_needed(
    play: Callable[..., Played], tmp_path: Path, *, named: bool, reason: str | None
) -> None:
    """A third feed falls silent at 13:58: it brings nothing where positions.csv names the feeds, else everything."""
    floor = write(tmp_path / "three", events(third_feed_until="13:58"), feeds=named)
    played = play(floor=floor, session="first")
    reasons = {entry["data"]["reason"] for entry in played.log("first", "selection.postponed")}
    assert reasons == ({reason} if reason else set())
    assert played.summary["draws"]["first"]["postponed"] == (
        {} if reason is None else {reason: len(played.log("first", "selection.postponed"))}
    )


# -- exact times -----------------------------------------------------------------------------------------------


def test_times_are_exact(play: Callable[..., Played]) -> None:
    played = play(crew=NOBODY_COMES)
    record = played.records["first"]
    claims = {claim["ordinal"]: claim for claim in record["claims"]}
    assert {claim["outcome"] for claim in claims.values()} == {"expired"}
    for claim in claims.values():
        assert parse_time(claim["deadline_at"]) == parse_time(claim["announced_at"]) + 90_000
        assert parse_time(claim["ended_at"]) == parse_time(claim["deadline_at"]) + 250
    again = [made for made in record["selections"] if made["after"] is not None]
    assert again
    for made in again:
        assert made["at"] == claims[made["after"]]["ended_at"]
    moments = [made["at"] for made in record["selections"] if made["moment"] is not None]
    assert moments == [iso(at) for at in spread(record)]


def spread(record: dict[str, Any]) -> list[int]:
    """The moments by the page's formula, computed here."""
    terms = record["terms"]
    start, end = parse_time(terms["moments"]["start"]), parse_time(terms["moments"]["end"])
    count, found = terms["moments"]["count"], []
    for n in range(count):
        text = f'{{"draw":"{terms["draw"]}","moment":{n},"v":1}}'
        first = hmac.digest(bytes.fromhex(record["house_seed"]), text.encode(), hashlib.sha256)[:8]
        found.append(start + (n * 2**64 + int.from_bytes(first, "big")) * (end - start) // (count * 2**64))
    return found


@pytest.mark.parametrize(("after", "size"), [(-1, 24), (0, 24), (1, 23)])
def test_events_with_the_same_time_as_a_selection_come_first(
    play: Callable[..., Played], tmp_path: Path, after: int, size: int
) -> None:
    before = play(crew=ALL_FOUND).records["first"]
    assert before["pools"][0]["size"] == 21
    at = parse_time(before["selections"][0]["at"]) + after
    told = events()
    last = max(event["seq"] for event in told if event["feed"] == "tables-1" and parse_time(event["at"]) <= at)
    for event in told:
        if event["feed"] == "tables-1" and event["seq"] > last:
            event["seq"] += 3
    opened: list[Event] = [
        {
            "feed": "tables-1", "seq": last + 1 + n, "at": iso(at), "kind": "rating_opened",
            "position": "BJ-03", "seat": str(n), "member": member, "average_bet": 100,
        }
        for n, member in enumerate(("100004", "100007", "100008"))
    ]  # fmt: skip
    played = play(floor=write(tmp_path / "same-time", [*told, *opened]), crew=ALL_FOUND)
    assert played.records["first"]["pools"][0]["size"] == size - (2 if size == 23 else 0)


# -- crews, lists, books ---------------------------------------------------------------------------------------


def test_a_script_fixes_what_becomes_of_an_attempt(play: Callable[..., Played]) -> None:
    script = b"".join(
        b'[[script]]\naward = %d\nattempt = %d\noutcome = "%b"\nafter_seconds = %d\n' % one
        for one in (
            (1, 1, b"not_rightful_card", 10),
            (1, 2, b"ineligible", 20),
            (1, 3, b"confirmed", 30),
            (2, 1, b"refused", 15),
            (3, 1, b"held", 5),
        )
    )
    played = play(crew=script, session="first")
    outcomes = {
        (made["place"], made["after"] is not None): made["outcome"] for made in played.records["first"]["selections"]
    }
    by_place: dict[int, list[str]] = {}
    for made in played.records["first"]["selections"]:
        by_place.setdefault(made["place"], []).append(made["outcome"])
    assert outcomes
    assert by_place == {1: ["not_rightful_card", "ineligible", "confirmed"], 2: ["refused"], 3: ["held"]}
    summary = played.summary["draws"]["first"]
    assert (summary["filled"], summary["attempts"], summary["no_shows"]) == (3, 5, 1)


def test_a_signed_register_holds_the_prize(play: Callable[..., Played], tmp_path: Path) -> None:
    everybody = [f"5{n:05d}" for n in range(24)] + ["100001", "100002", "100003"]
    signed = SIGNED_HEADER + "".join(f"{member},2023-10-07 13:00,0820000001\n" for member in everybody)
    played = play(floor=write(tmp_path / "signed", events(), lists={"register": signed}), crew=NOBODY_COMES)
    assert {claim["outcome"] for claim in played.records["first"]["claims"]} == {"held"}


def test_a_guest_excluded_before_the_prize_does_not_get_it(play: Callable[..., Played], tmp_path: Path) -> None:
    """Everybody's exclusion becomes known a second after the first selection: its guest is found ineligible."""
    slow = b"walk_seconds = [200, 200]\nfound = 1.0\nother_person = 0.0\n"
    first = parse_time(play(crew=slow, session="first").records["first"]["selections"][0]["at"])
    everybody = [f"5{n:05d}" for n in range(24)] + ["100001", "100002", "100003"]
    known = f",self_excluded,2023-10-07,,desk,{iso(first + 1_000)}\n"
    rows = "member,category,from,to,source,known_from\n" + "".join(f"{member}{known}" for member in everybody)
    floor = write(tmp_path / "excluded", events(), lists={"exclusions": rows})
    played = play(floor=floor, crew=slow, session="first")
    assert [claim["outcome"] for claim in played.records["first"]["claims"]] == ["ineligible"]
    assert {entry["data"]["reason"] for entry in played.log("first", "selection.postponed")} == {"empty_pool"}


def test_sessions_may_differ_in_prize_and_window(play: Callable[..., Played]) -> None:
    """The crew keeps to each session's own envelope and its own seconds."""
    book = book_toml(FIRST, Session("second", "14:30", "14:40", seconds=30, prize=(1_000, 2_000)))
    crew = b"found = 0.2\nother_person = 0.0\npresents = 1.0\nwalk_seconds = [1, 2]\n"
    played = play(rules=book, crew=crew)
    prizes = [claim["prize"] for claim in played.records["second"]["claims"] if claim["outcome"] == "confirmed"]
    assert prizes
    assert all(1_000 <= prize <= 2_000 for prize in prizes)


def test_what_the_first_session_leaves_is_carried(play: Callable[..., Played], tmp_path: Path) -> None:
    """Nobody plays before 14:10:30: only heartbeats are heard."""
    told = [event for event in events() if event["kind"] == "heartbeat" or parse_time(event["at"]) > jhb("14:10:30")]
    seq: dict[str, int] = {}
    for event in told:
        seq[event["feed"]] = event["seq"] = seq.get(event["feed"], 0) + 1
    beats = [
        {"feed": "slots-1", "at": iso(at), "kind": "heartbeat"} for at in range(jhb("13:50"), jhb("14:10:30"), 10_000)
    ]
    slots = [{**event, "seq": event["seq"] + len(beats)} for event in told if event["feed"] == "slots-1"]
    slots = [{**beat, "seq": n} for n, beat in enumerate(beats, 1)] + slots
    slots[len(beats)] |= {"kind": "snapshot", "sessions": []}
    played = play(
        crew=ALL_FOUND,
        floor=write(tmp_path / "late", [event for event in told if event["feed"] == "tables-1"] + slots),
    )
    assert played.summary["draws"]["first"]["lapsed"] == {"carried": 3}
    terms = played.records["second"]["terms"]
    assert terms["places"] == [1, 2, 3, 4, 5, 6]
    assert [row["place"] for row in terms["carried"]] == [1, 2, 3]


REFUSED = [
    pytest.param({"session": "third"}, "X_NO_SUCH_DRAW", id="session"),
    pytest.param({"day": date(2023, 10, 6)}, "SS_NOT_PROMO_DAY", id="day"),
    pytest.param({"crew": b"crews = 0\n"}, "X_CREW_FILE", id="crew"),
    pytest.param({"floor": Path("nowhere")}, "X_FLOOR_FILE", id="floor"),
]


@pytest.mark.parametrize(("changed", "code"), REFUSED)
def test_what_cannot_be_rehearsed_is_refused_and_nothing_is_written(
    play: Callable[..., Played], tmp_path: Path, changed: dict[str, Any], code: str
) -> None:
    with pytest.raises(Refused) as refusal:
        play(**changed)
    assert refusal.value.code == code
    assert not list(tmp_path.glob("out-*"))


def test_two_sessions_may_open_at_the_same_instant(play: Callable[..., Played]) -> None:
    """Ten minutes before the second's start is five before the first one's; each has its own awards."""
    toml = book_toml(Session("first", "14:00", "14:05"), Session("second", "14:05", "14:10"), quota=6)
    head, second = toml.split(b'id = "second"')
    toml = head + b'id = "second"' + second.replace(b"opens_before_minutes = 5", b"opens_before_minutes = 10")
    played = play(rules=toml)
    assert [record["opened_at"] for record in played.records.values()] == [iso(jhb("13:55"))] * 2
    assert [record["terms"]["places"] for record in played.records.values()] == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize("kind", ["members", "positions", "exclusions"])
def test_a_list_that_is_missing_is_named(play: Callable[..., Played], tmp_path: Path, kind: str) -> None:
    with pytest.raises(Refused, match=rf"X_FLOOR_FILE: .*{kind}\.csv"):
        play(floor=write(tmp_path / "missing", events(), lists={kind: None}))


@pytest.mark.parametrize("kind", ["staff", "register"])
def test_staff_and_register_may_be_missing(play: Callable[..., Played], tmp_path: Path, kind: str) -> None:
    without = play(floor=write(tmp_path / "without", events(), lists={kind: None}))
    for plan, record in play().records.items():
        assert without.records[plan]["selections"] == record["selections"]


def test_a_list_with_faults_is_not_taken(play: Callable[..., Played], tmp_path: Path) -> None:
    with pytest.raises(ListFaults):
        play(floor=write(tmp_path / "faulty", events(), lists={"members": "member,tier\n1,Gold\n"}))


@pytest.mark.parametrize("positions", [b"feed,position,kind,zone,bank,seats\nf-1,S-1\n", b"\xff\n", b"x" * 200_000])
def test_positions_with_faults_are_not_taken(play: Callable[..., Played], tmp_path: Path, positions: bytes) -> None:
    """They are looked into before the lists are loaded: for the feeds they name."""
    folder = write(tmp_path / "faulty", events())
    (folder / "positions.csv").write_bytes(positions)
    with pytest.raises(ListFaults):
        play(floor=folder)


def test_a_recording_that_is_no_whole_gzip_is_named(play: Callable[..., Played], tmp_path: Path) -> None:
    folder = write(tmp_path / "cut", events(), gzipped=True)
    whole = (folder / "events.jsonl").read_bytes()
    for damaged in (whole[:-9], whole[:30], whole[:40] + bytes(40) + whole[80:]):
        (folder / "events.jsonl").write_bytes(damaged)
        with pytest.raises(Refused, match=r"X_RECORDING: .*Copy it again"):
            play(floor=folder)


@pytest.mark.parametrize("line", [b"nonsense", b"[1]", b'{"seq": 1}', b'{"at": "yesterday"}', b'{"at": 5}'])
def test_a_line_that_is_no_event_is_named(play: Callable[..., Played], tmp_path: Path, line: bytes) -> None:
    folder = write(tmp_path / "bad", events())
    file = folder / "events.jsonl"
    lines = file.read_bytes().split(b"\n")
    lines[10] = line
    file.write_bytes(b"\n".join(lines))
    with pytest.raises(Refused, match=r"X_RECORDING: Line 11 of events\.jsonl"):
        play(floor=folder)


def test_the_summary_counts_what_the_records_hold(play: Callable[..., Played]) -> None:
    played = play(crew=b"found = 0.5\nother_person = 0.1\npresents = 0.4\nwalk_seconds = [5, 60]\n")
    for plan, record in played.records.items():
        summary = played.summary["draws"][plan]
        outcomes = [claim["outcome"] for claim in record["claims"]]
        assert summary["attempts"] == len(record["selections"])
        assert summary["awards"] == len(record["terms"]["places"])
        assert summary["no_shows"] == outcomes.count("expired") + outcomes.count("held")
        assert summary["prizes"]["paid"] == sum(claim["prize"] or 0 for claim in record["claims"])
        assert summary["outcomes"] == {name: outcomes.count(name) for name in set(outcomes)}
        sizes = [pool["size"] for pool in record["pools"]]
        assert summary["pool_sizes"] == {"least": min(sizes), "most": max(sizes)}
    won = sum(summary["filled"] for summary in played.summary["draws"].values())
    for by in ("tier", "zone", "kind"):
        assert sum(played.summary["winners"][by].values()) == won
