"""Rehearsals: the same to the byte, exact in time, and whole for the verifier."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from people_words import iso, jhb
from recording import SEED, Event, Played, events, write

from draw_engine.canonical import parse_time
from draw_engine.selection import house_seed_of_rehearsal

ALL_FOUND = b"found = 1.0\nother_person = 0.0\n"
NOBODY_COMES = b"found = 0.0\nother_person = 0.0\npresents = 0.0\nwalk_seconds = [5, 15]\n"


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
