"""Judging again, part by part and in memory: the journal's prefixes, other draws' claims, and who differs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from hashlib import sha256
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from draw_engine.eligibility import Entrant, Judgement
from draw_engine.lists import ListsInForce
from draw_engine.pool import Pool
from draw_engine.rule_book import Limit
from draw_engine.verify.judging_claims import Claims, Won
from draw_engine.verify.judging_files import PackBroken, Reference, References, csv_lines
from draw_engine.verify.judging_journal import Segment, numbers
from draw_engine.verify.judging_pools import faults_of_pool, members_of
from draw_engine.verify.record import Happening

NOON = 1_696_680_000_000  # 2023-10-07T12:00:00Z
STALE_AFTER = 30_000


def at(ms: int) -> str:
    return f"2023-10-07T12:{ms // 60_000:02d}:{ms // 1000 % 60:02d}.{ms % 1000:03d}Z"


def line(seq: int, happened: int, received: int, kind: str = "heartbeat", feed: str = "cms-1", **more: Any) -> bytes:
    """A journal line in the page's words; times in ms after noon."""
    event = {"feed": feed, "seq": seq, "at": at(happened), "kind": kind, **more}
    whole = {"event": event, "received_at": at(received)}
    return json.dumps(whole, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def segment(*lines: bytes) -> Segment:
    return Segment("s", b"".join(lines), STALE_AFTER)


# -- the journal -------------------------------------------------------------------------------------------------


def test_a_prefix_is_heard_to_its_last_whole_line_and_digested_to_its_last_byte() -> None:
    lines = [line(n, n, n) for n in range(1, 6)]
    heard, data = segment(*lines), b"".join(lines)
    two = len(lines[0] + lines[1])
    heard.hear_bytes(two + 1)
    assert (heard.length, heard.lines) == (two, 2)
    for length in (0, two, two + 1, len(data), two):
        assert heard.digest(length) == sha256(data[:length]).hexdigest()


def test_what_had_happened_and_came_later_is_late_for_every_judging_it_missed() -> None:
    heard = segment(line(1, 0, 0), line(3, 900, 1_600), line(2, 400, 1_700), line(4, 1_800, 1_800))
    heard.hear_bytes(len(line(1, 0, 0)))
    heard.judged_at(NOON + 500)
    heard.judged_at(NOON + 1_000)
    heard.hear_bytes(heard.size)
    assert heard.late == [[("cms-1", 2)], [("cms-1", 3), ("cms-1", 2)]]
    assert heard.faults == []


def test_a_line_received_before_a_judging_and_standing_behind_it_was_held_back() -> None:
    heard = segment(line(1, 0, 0), line(2, 400, 999), line(3, 400, 1_000))
    heard.hear_bytes(len(line(1, 0, 0)))
    heard.judged_at(NOON + 1_000)
    heard.hear_bytes(heard.size)
    (fault,) = heard.faults
    assert "line 2: it was received at 2023-10-07T12:00:00.999Z and held back" in fault


def test_where_no_prefix_is_named_the_millisecond_itself_is_heard_last_and_nothing_of_the_next_pools_rest() -> None:
    lines = [line(1, 0, 0), line(2, 5, 10), line(3, 5, 10), line(4, 5, 10)]
    heard = segment(*lines)
    most = len(b"".join(lines[:3]))
    heard.hear_before(NOON + 10, most)
    assert heard.lines == 1
    assert heard.hear_received_at(NOON + 10, most)
    assert heard.lines == 3
    assert not heard.hear_received_at(NOON + 10, most)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (b"{}\n", "not an event with the time it was received"),
        (b"nonsense\n", "line 2: "),
        (line(2, 5, 5).replace(b":", b": ", 1), "not the canonical form"),
        (line(2, 5, 5, "played", position="S-1", games=-1, coin_in=0), "'games' must be a whole number"),
        (line(2, 5, 5, "card_in", position="S-1", member="1\t2"), "'member' must be a text"),
        (b"\xff\n", "line 2: "),
    ],
)
def test_a_line_that_no_core_writes_is_named_and_the_rest_is_heard(broken: bytes, says: str) -> None:
    heard = segment(line(1, 0, 0), broken, line(3, 9, 9))
    heard.hear_bytes(heard.size)
    (fault,) = heard.faults
    assert fault.startswith("judging/journal/s.jsonl, line 2: ")
    assert says in fault
    assert heard.lines == 3
    assert heard.received_at == NOON + 9


def test_a_last_line_without_an_end_is_named() -> None:
    heard = segment(line(1, 0, 0), line(2, 1, 1)[:-1])
    heard.hear_bytes(heard.size)
    assert heard.faults == ["judging/journal/s.jsonl, line 2: it has no end"]


def test_a_journal_of_nonsense_is_named_twenty_times_and_no_more() -> None:
    heard = segment(*[b"x\n"] * 500)
    heard.hear_bytes(heard.size)
    assert len(heard.faults) == 20


def test_events_are_named_by_feed_and_runs_of_numbers() -> None:
    events = [("b", 4), ("a", 9), ("a", 7), ("a", 8), ("a", 3), ("b", 4)]
    assert numbers(events) == "a 3, 7 to 9; b 4"


# -- csv ---------------------------------------------------------------------------------------------------------


def test_lines_of_a_csv_are_counted_as_an_editor_counts_them() -> None:
    assert list(csv_lines("f", b'a,b\n1,"x"\n2,y\n', ("a", "b"))) == [(2, ["1", "x"]), (3, ["2", "y"])]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "line 1: the columns are not a,b"),
        (b"a;b\n", "line 1: the columns are not a,b"),
        (b"a,b\n1,2\n1,2,3\n", "line 3: it has not 2 cells"),
        (b"a,b\n1,\xe9\n", "line 2: it is not UTF-8"),
        (b'a,b\n1,"2\n', "line 2: it is not CSV"),
    ],
)
def test_a_csv_of_another_form_is_refused_with_its_line(data: bytes, says: str) -> None:
    with pytest.raises(PackBroken, match=says):
        list(csv_lines("f", data, ("a", "b")))


# -- claims ------------------------------------------------------------------------------------------------------

REFS = {person: sha256(person.encode()).digest()[:16] for person in ("100001", "100002", "100003", "100004")}
REFERENCES = References(
    MappingProxyType({person: Reference(ref, n) for n, (person, ref) in enumerate(REFS.items(), 2)}),
    MappingProxyType({ref: person for person, ref in REFS.items()}),
)
DRAW = "house/promo/2023-10-07/two"


def a_record(*told: tuple[int, str, dict[str, Any]]) -> Any:
    """As much of a record as the claims ask for: selections and endings of this draw, by seq."""
    made: dict[int, Happening] = {}
    endings: dict[int, list[Happening]] = {}
    for seq, kind, data in told:
        happening = Happening(seq, 0, kind, "engine", data)
        if kind == "selection.made":
            made[data["ordinal"]] = happening
        else:
            endings.setdefault(data["ordinal"], []).append(happening)
    return SimpleNamespace(made=made, endings=endings, draw=DRAW)


def selected(ordinal: int, person: str, place: int) -> dict[str, Any]:
    return {"ordinal": ordinal, "ref": REFS[person].hex(), "place": place}


def claims(record: Any, before: Iterable[Won] = (), limits: tuple[Limit, ...] = ()) -> Claims:
    rules: Any = SimpleNamespace(plan=SimpleNamespace(group="jackpot", limits=limits), day=date(2023, 10, 7))
    return Claims(record, rules, REFERENCES, list(before))


def test_a_claim_fails_from_its_ending_on_and_for_its_award_alone() -> None:
    record = a_record(
        (10, "selection.made", selected(0, "100001", 1)),
        (20, "claim.expired", {"ordinal": 0}),
        (30, "selection.made", selected(1, "100002", 1)),
        (40, "claim.voided", {"ordinal": 1, "reselect": True}),
        (50, "selection.made", selected(2, "100003", 1)),
        (60, "claim.voided", {"ordinal": 2, "reselect": False}),
    )
    asked = claims(record)
    assert asked.failed(20, 1) == frozenset()
    assert asked.failed(21, 1) == {"100001"}
    assert asked.failed(99, 1) == {"100001", "100002"}
    assert asked.failed(99, 2) == frozenset()


NO_LISTS = ListsInForce(members=None, exclusions=None, staff=None, positions=None, zone="UTC").at(0)
"""Every number is a person of its own."""


def test_a_running_claim_and_a_filled_place_count_against_a_limit_and_a_failure_does_not() -> None:
    record = a_record(
        (10, "selection.made", selected(0, "100001", 1)),
        (20, "claim.confirmed", {"ordinal": 0}),
        (30, "selection.made", selected(1, "100002", 2)),
        (40, "claim.expired", {"ordinal": 1}),
        (50, "claim.voided", {"ordinal": 0, "reselect": False}),
    )
    asked = claims(record, limits=(Limit("draw", 1),))
    assert asked.at_limit(10, NO_LISTS) == frozenset()
    assert asked.at_limit(15, NO_LISTS) == {"100001"}
    assert asked.at_limit(35, NO_LISTS) == {"100001", "100002"}
    assert asked.at_limit(45, NO_LISTS) == {"100001"}
    assert asked.at_limit(55, NO_LISTS) == frozenset()


@pytest.mark.parametrize(
    ("scope", "limited"),
    [
        ("draw", set()),
        ("day", {"100001", "100002"}),
        ("jackpot", {"100001", "100003"}),
        ("promotion", {"100001", "100002", "100003"}),
    ],
)
def test_a_limit_reaches_as_far_as_its_scope(scope: str, limited: set[str]) -> None:
    before = [
        Won("100001", "house/promo/2023-10-07/one", "jackpot", 1, 1, 2, "held"),
        Won("100002", "house/promo/2023-10-07/other", "car", 1, 1, None, ""),
        Won("100003", "house/promo/2023-09-30/one", "jackpot", 1, 1, 2, "confirmed"),
        Won("100004", "house/promo/2023-10-07/one", "jackpot", 2, 1, 2, "expired"),
    ]
    assert claims(a_record(), before, (Limit(scope, 1),)).at_limit(9, NO_LISTS) == limited


def test_who_failed_for_an_award_in_another_draw_failed_for_that_award_of_that_day_and_group() -> None:
    before = [
        Won("100001", "house/promo/2023-10-07/one", "jackpot", 1, 1, 2, "expired"),
        Won("100002", "house/promo/2023-10-07/one", "car", 1, 1, 2, "expired"),
        Won("100003", "house/promo/2023-09-30/one", "jackpot", 1, 1, 2, "expired"),
        Won("100004", "house/promo/2023-10-07/one", "jackpot", 1, 1, 8, "voided_reselect"),
    ]
    asked = claims(a_record(), before)
    assert asked.failed(8, 1) == {"100001"}
    assert asked.failed(9, 1) == {"100001", "100004"}


# -- who differs -------------------------------------------------------------------------------------------------


def a_judgement(*entrants: tuple[str, str], left_out: dict[str, int] | None = None, lines: str = "") -> Judgement:
    header = "floordraw verdicts 1\t2023-10-07T12:00:00.000Z\n"
    made = tuple(Entrant(person, person, None, position, None) for person, position in entrants)
    return Judgement(NOON, made, left_out or {}, (header + lines).encode())


def a_frozen(
    *persons: str, selected_at: tuple[str, str] = ("100001", "S-1"), file: bool = True, **left_out: int
) -> Any:
    pool = Pool.equal(REFS[person] for person in persons)
    return SimpleNamespace(
        pool=pool if file else None,
        frozen=SimpleNamespace(data={"root": pool.root, "left_out": left_out}),
        made=SimpleNamespace(data={"ref": REFS[selected_at[0]].hex(), "position": selected_at[1]}),
    )


def test_the_same_pool_has_no_fault() -> None:
    judged = a_judgement(("100001", "S-1"), ("100002", "S-2"), left_out={"SS_NOT_ACTIVE": 3})
    for file in (True, False):
        frozen = a_frozen("100001", "100002", file=file, SS_NOT_ACTIVE=3)
        assert list(faults_of_pool(frozen, judged, REFERENCES)) == []


def test_each_who_is_in_one_alone_is_named_by_reference_place_and_reason() -> None:
    not_active = "100003\tSS_NOT_ACTIVE\tidle_seconds\t300001\t300000\t100003\t\tS-3\tcms-1\n"
    judged = a_judgement(("100001", "S-1"), ("100002", "S-2"), left_out={"SS_NOT_ACTIVE": 1}, lines=not_active)
    frozen = a_frozen("100001", "100003", "100004")
    failed = "SS_NOT_ACTIVE at S-3, idle_seconds 300001 against 300000"
    assert set(faults_of_pool(frozen, judged, REFERENCES)) == {
        f"{REFS['100002'].hex()} (line 3 of references.csv) at S-2 was judged in and is not in it",
        f"{REFS['100003'].hex()} is in it and was not judged in: {failed}",
        f"{REFS['100004'].hex()} is in it and was not judged in: no session of theirs was open",
        "left out as SS_NOT_ACTIVE: 1, logged 0",
    }


def test_a_reference_that_nobody_has_and_a_person_without_one_are_named_without_a_number() -> None:
    judged = a_judgement(("100001", "S-1"), ("999999", "S-9"))
    frozen = a_frozen("100001", "100002")
    fewer = References(REFERENCES.by_person, {REFS["100001"]: "100001"})
    faults = list(faults_of_pool(frozen, judged, fewer))
    assert "somebody at S-9 was judged in and has no line in references.csv" in faults
    assert f"{REFS['100002'].hex()} is in it, and no line of references.csv gives this reference" in faults
    assert not any("999999" in fault or "100002" in fault for fault in faults)


def test_another_position_of_the_selected_one_is_named() -> None:
    frozen = a_frozen("100001", selected_at=("100001", "S-7"))
    (fault,) = faults_of_pool(frozen, a_judgement(("100001", "S-1")), REFERENCES)
    assert "selected at S-7, was judged in at S-1" in fault


def test_a_withheld_pool_that_differs_is_found_by_its_root() -> None:
    frozen = a_frozen("100001", "100002", file=False)
    (fault,) = faults_of_pool(frozen, a_judgement(("100001", "S-1")), REFERENCES)
    assert "1 were judged in, and they are not this pool" in fault


def test_a_basis_has_the_members_who_are_in_its_pool_too() -> None:
    judged = a_judgement(("100001", "S-1"), ("100002", "S-2"), ("999999", "S-9"))
    assert set(members_of(judged, REFERENCES, Pool.equal([REFS["100002"]]))) == {"100002"}
    assert set(members_of(judged, REFERENCES, None)) == {"100001", "100002", "999999"}
