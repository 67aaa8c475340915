"""What a rehearsal is given: crews, lists and rule books, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from people_words import SIGNED_HEADER, iso, jhb
from recording import Played, events, write
from small_book import FIRST, Session, book_toml

from draw_engine.canonical import parse_time
from draw_engine.errors import Refused
from draw_engine.lists import ListFaults

ALL_FOUND = b"found = 1.0\nother_person = 0.0\n"
NOBODY_COMES = b"found = 0.0\nother_person = 0.0\npresents = 0.0\nwalk_seconds = [5, 15]\n"


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
