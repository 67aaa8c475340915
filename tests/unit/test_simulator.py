"""The made floor: the same for the same seed, its people and positions, its files."""

import csv
import gzip
import json
from collections import Counter
from datetime import date
from hashlib import sha512
from random import Random  # noqa: TID251 - the generator the dice must agree with

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.canonical import format_time as engine_format_time
from draw_engine.floor_events import read_event
from floor_bridge.dice import Dice
from floor_bridge.event_form import format_time, line_of, parse_time, read_lines
from floor_bridge.floor_files import recorded_events, write_floor, write_lists
from floor_bridge.floor_spec import CASINO, FEEDS, MINUTE, REHEARSAL, SPECS, FloorSpec, Habits, ZoneSpec
from floor_bridge.made_floor import make_floor
from floor_bridge.simulator import Simulator

T0 = parse_time("2023-10-07T11:00:00.000Z")

SMALL = FloorSpec(
    name="small",
    zones=(ZoneSpec("MAIN", slots=14, tables=2), ZoneSpec("PRIVE", slots=4, tables=1, stake=10, tiers=("Black",))),
    tiers=CASINO.tiers,
    members=60,
    guests=16,
    two_cards=12,
    excluded=6,
    staff=4,
    unlisted=3,
    registered=5,
    # Hurried and forgetful, so that an hour holds every kind of event and every mishap.
    habits=Habits(stint_least=MINUTE, stint_mean=5 * MINUTE, visit_least=5 * MINUTE, visit_mean=15 * MINUTE,
                  between_stints=20_000, forgets_card=0.3, second_machine=0.3, plays_tables=0.4,
                  rating_look_every=(30_000, 90_000), card_out_after=(MINUTE, 4 * MINUTE)),
)  # fmt: skip


def text(events):
    return b"\n".join(line_of(event) for event in events)


# The same for the same seed.


def test_the_same_seed_gives_the_same_bytes_and_another_one_others():
    def run(seed, start=T0):
        simulator = Simulator(SMALL, seed, start)
        return text(simulator.advance(start + 40 * MINUTE)), line_of(simulator.snapshot("slots-1", start + 40 * MINUTE))

    assert run(7) == run(7)
    assert run(7) != run(8)
    assert run(7) == run("7")
    assert run(7) != run(7, T0 + 1)


def test_another_start_moves_the_same_floor():
    early = Simulator(SMALL, 7, T0).advance(T0 + 20 * MINUTE)
    late = Simulator(SMALL, 7, T0 + 90_000).advance(T0 + 90_000 + 20 * MINUTE)
    assert [{**event, "at": parse_time(event["at"]) + 90_000} for event in early] == [
        {**event, "at": parse_time(event["at"])} for event in late
    ]


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1_000), steps=st.lists(st.integers(0, 3 * MINUTE), min_size=1, max_size=30))
def test_how_it_is_stepped_changes_nothing(seed, steps):
    stepped, whole = Simulator(SMALL, seed, T0), Simulator(SMALL, seed, T0)
    to, events = T0, []
    for step in steps:
        to += step
        events += stepped.advance(to)
    assert text(events) == text(whole.advance(to))


def test_the_dice_are_the_documented_generator_s():
    # Python's documents: a text seeds the Mersenne Twister with itself and its SHA-512 as one number.
    seed = b"20231007/people"
    stranger = Random(int.from_bytes(seed + sha512(seed).digest(), "big"))
    dice = Dice(20231007, "people")
    assert [dice.share() for _ in range(5)] == [stranger.random() for _ in range(5)]


# Nothing that cannot happen.


def test_every_event_is_in_the_page_s_form():
    now = T0 + 30 * MINUTE
    events = list(recorded_events(SMALL, 5, T0, now))
    assert {event["kind"] for event in events} > {"snapshot", "heartbeat", "played", "rating_opened"}
    for event in events:
        assert read_event(event).seq == event["seq"]


def test_a_snapshot_is_of_now_alone():
    simulator = Simulator(SMALL, 5, T0)
    simulator.advance(T0 + 1_000)
    with pytest.raises(ValueError, match="advance the simulator"):
        simulator.snapshot("slots-1", T0 + 2_000)


# The figures it is made for.


@pytest.fixture(scope="module")
def casino():
    return make_floor(CASINO, 1)


def test_the_casino_s_positions(casino):
    kinds = Counter(position.kind for position in casino.positions)
    assert kinds == {"slot": 1_200, "table": 60}
    assert len({position.position for position in casino.positions}) == 1_260
    assert {position.zone for position in casino.positions} > {"MAIN", "SMOKING", "PRIVE"}
    assert casino.positions[0].position == "S-0001"
    assert {position.feed for position in casino.positions if position.kind == "table"} == {"tables-1"}
    assert len({(position.x, position.y) for position in casino.positions}) == 1_260


def test_the_casino_s_members(casino):
    assert len(casino.members) == 4_000
    tiers = Counter(member.tier for member in casino.members)
    assert set(tiers) == {"Black", "Platinum", "Gold", "Silver", "Basic"}
    numbers = {member.member for member in casino.members}
    assert len(numbers) == 4_000
    seconds = [member for member in casino.members if member.person]
    assert len(seconds) == CASINO.two_cards
    firsts = {member.member: member for member in casino.members if not member.person}
    for second in seconds:
        first = firsts[second.person]
        assert (second.first_name, second.last_name, second.born) == (first.first_name, first.last_name, first.born)
    assert not numbers & {member.member for member in casino.unlisted}
    assert {one.category for one in casino.exclusions} == {
        "refusal_of_entry", "self_excluded", "excluded_category", "staff_or_related",
    }  # fmt: skip
    assert {one.category for one in casino.staff} == {"staff_or_related"}
    day = date(2023, 10, 7)
    in_force = [one.since <= day and (one.until is None or one.until >= day) for one in casino.exclusions]
    assert any(in_force)
    assert not all(in_force)
    assert {one.member for one in (*casino.exclusions, *casino.staff)} <= numbers


def test_two_are_at_the_border_of_age(casino):
    born = [member.born for member in casino.members]
    assert born.count(date(2005, 10, 7)) >= 1
    assert born.count(date(2005, 10, 8)) >= 1
    assert max(born) == date(2005, 10, 8)
    assert make_floor(SMALL, 1, date(2024, 2, 29)).members[0].born == date(2006, 3, 1)


def test_no_telephone_or_address_can_be_anybody_s(casino):
    assert all(member.phone.startswith("+2700") for member in (*casino.members, *casino.unlisted))
    assert all(member.email.endswith("@guests.example") or not member.email for member in casino.members)


def test_specs_by_name():
    assert SPECS == {"casino": CASINO, "rehearsal": REHEARSAL}


# The files.


def rows(file):
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def test_lists_are_what_the_page_names(tmp_path):
    floor = write_lists(tmp_path / "lists", SMALL, 1)
    folder = tmp_path / "lists"
    columns = {file.name: list(rows(file)[0]) for file in folder.iterdir()}
    assert columns == {
        "members.csv": ["member", "first_name", "last_name", "tier", "born", "phone", "email", "person"],
        "exclusions.csv": ["member", "category", "from", "to", "source"],
        "staff.csv": ["member", "category", "from", "to", "source"],
        "positions.csv": ["position", "kind", "zone", "bank", "seats", "feed", "x", "y"],
        "register.csv": ["member", "at", "phone"],
    }
    members = rows(folder / "members.csv")
    assert len(members) == 60
    assert {row["member"] for row in members} == {member.member for member in floor.members}
    assert len(rows(folder / "positions.csv")) == 21
    for row in rows(folder / "register.csv"):
        local = (parse_time(row["at"]) // 3_600_000 + 2) % 24
        assert 8 <= local < 14 or 16 <= local < 18
        assert row["at"].startswith("2023-10-07")


def test_a_floor_for_rehearsal(tmp_path):
    count = write_floor(tmp_path / "a", SMALL, 1, T0, T0 + 20 * MINUTE)
    write_floor(tmp_path / "b", SMALL, 1, T0, T0 + 20 * MINUTE)
    write_floor(tmp_path / "z", SMALL, 1, T0, T0 + 20 * MINUTE, gzipped=True)
    plain = (tmp_path / "a" / "events.jsonl").read_bytes()
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()
    assert gzip.decompress((tmp_path / "z" / "events.jsonl.gz").read_bytes()) == plain
    events = list(read_lines(tmp_path / "a" / "events.jsonl"))
    assert events == list(read_lines(tmp_path / "z" / "events.jsonl.gz"))
    assert len(events) == count == plain.count(b"\n")
    for feed in FEEDS:
        own = [event for event in events if event["feed"] == feed]
        assert [event["seq"] for event in own] == list(range(1, len(own) + 1))
        assert (own[0]["kind"], own[0]["at"]) == ("snapshot", format_time(T0))
        assert len(own[0]["sessions"]) > 2
        times = [parse_time(event["at"]) for event in own]
        assert max(b - a for a, b in zip(times, [*times[1:], T0 + 20 * MINUTE], strict=True)) <= 10_000
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)


def test_a_gzipped_floor_takes_the_place_of_a_plain_one(tmp_path):
    write_floor(tmp_path, SMALL, 1, T0, T0 + MINUTE)
    write_floor(tmp_path, SMALL, 1, T0, T0 + MINUTE, gzipped=True)
    assert sorted(file.name for file in tmp_path.glob("events*")) == ["events.jsonl.gz"]


def test_an_end_before_the_start_is_refused(tmp_path):
    with pytest.raises(ValueError, match="after its start"):
        write_floor(tmp_path, SMALL, 1, T0, T0)


# The form of an event.


@given(st.integers(0, 4_102_444_800_000))
def test_times_are_written_as_the_engine_writes_them(at):
    assert format_time(at) == engine_format_time(at)
    assert parse_time(format_time(at)) == at


@pytest.mark.parametrize("bad", ["2023-10-07T12:00:00Z", "2023-10-07T12:00:00.0Z", "2023-10-07 12:00:00.000Z", "", "x"])
def test_other_times_are_refused(bad):
    with pytest.raises(ValueError, match="time"):
        parse_time(bad)


def test_a_recording_s_bad_line_is_named(tmp_path):
    file = tmp_path / "events.jsonl"
    file.write_text('{"a":1}\n\n[1]\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"line 3 .* not an event"):
        list(read_lines(file))
    file.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=r"line 1 .* not JSON"):
        list(read_lines(file))


def test_dice_keep_to_their_bounds():
    dice = Dice(1, "x")
    assert {dice.whole(2, 4) for _ in range(200)} == {2, 3, 4}
    assert all(0 <= dice.around(100) <= 800 for _ in range(2_000))
    assert 90 < sum(dice.around(100) for _ in range(20_000)) / 20_000 < 110
    assert {dice.pick_by([("a", 1.0), ("b", 0.0), ("c", 3.0)]) for _ in range(200)} == {"a", "c"}
    assert sorted(dice.sample(range(5), 9)) == [0, 1, 2, 3, 4]
    assert Dice(1, "x").share() != Dice(1, "y").share()


def test_an_event_is_one_compact_line():
    assert line_of({"seq": 1, "feed": "é"}) == '{"feed":"é","seq":1}'.encode()
    assert json.loads(line_of({"b": [1], "a": "x\ny"})) == {"a": "x\ny", "b": [1]}
