"""What happens on the made floors: nothing that cannot, every mishap there is, and the figures they are made for."""

from collections import Counter
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.eligibility import judge
from draw_engine.feeds import Floor
from draw_engine.floor_events import read_event
from draw_engine.lists import ListsInForce, read_list
from draw_engine.rule_book import Criterion
from floor_bridge.event_form import format_time, parse_time, read_lines
from floor_bridge.floor_files import recorded_events, write_floor
from floor_bridge.floor_spec import CASINO, FEEDS, MINUTE, REHEARSAL, FloorSpec, Habits, ZoneSpec
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


class Heard:
    """The sessions as the page says they follow from the events: an independent hearing. It breaks on nonsense."""

    def __init__(self):
        self.open = {}
        self.kinds = Counter()
        self.closed_by_another = 0
        self.member_again = 0
        self.last_at = {}

    def hear(self, event):
        kind, at, feed = event["kind"], event["at"], event["feed"]
        assert at >= self.last_at.get(feed, "")
        self.last_at[feed] = at
        self.kinds[kind] += 1
        if kind == "snapshot":
            self.replace(feed, event["sessions"])
        elif kind != "heartbeat":
            assert feed == ("tables-1" if kind.startswith("rating") else "slots-1")
            getattr(self, kind)((event["position"], event.get("seat", "")), event)

    def replace(self, feed, sessions):
        self.open = {place: one for place, one in self.open.items() if one["feed"] != feed}
        for one in sessions:
            told = {name: value for name, value in one.items() if name not in {"position", "seat"}}
            self.open[one["position"], one.get("seat", "")] = {"feed": feed, "last_play_at": None, **told}

    def card_in(self, place, event):
        old = self.open.get(place)
        if old is not None and old["member"] == event["member"]:
            self.member_again += 1
            return
        self.closed_by_another += old is not None
        self.open[place] = {
            "feed": event["feed"], "member": event["member"], "opened_at": event["at"], "last_play_at": None,
            "games": 0, "coin_in": 0,
        }  # fmt: skip

    def played(self, place, event):
        assert event["games"] >= 1
        session = self.open[place]
        session["last_play_at"] = event["at"]
        session["games"] += event["games"]
        session["coin_in"] += event["coin_in"]

    def card_out(self, place, _event):
        del self.open[place]

    def rating_opened(self, place, event):
        assert place not in self.open
        self.open[place] = {
            "feed": event["feed"], "member": event["member"], "opened_at": event["at"], "last_play_at": None,
            "average_bet": event["average_bet"], "paused": False,
        }  # fmt: skip

    def rating_changed(self, place, event):
        self.open[place]["average_bet"] = event["average_bet"]

    def rating_paused(self, place, _event):
        assert not self.open[place]["paused"]
        self.open[place]["paused"] = True

    def rating_resumed(self, place, _event):
        assert self.open[place]["paused"]
        self.open[place]["paused"] = False

    def rating_closed(self, place, _event):
        del self.open[place]

    def shown(self, feed):
        """What a snapshot must show, by place."""
        return {
            place: {name: value for name, value in one.items() if name != "feed" and value is not None}
            for place, one in self.open.items()
            if one["feed"] == feed
        }


def shown(snapshot):
    return {
        (one["position"], one.get("seat", "")): {
            name: value for name, value in one.items() if name not in {"position", "seat"}
        }
        for one in snapshot["sessions"]
    }


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_nothing_happens_that_cannot(seed):
    simulator, heard = Simulator(SMALL, seed, T0), Heard()
    for event in simulator.advance(T0 + 60 * MINUTE):
        heard.hear(event)
        assert format_time(T0) <= event["at"] <= format_time(T0 + 60 * MINUTE)
    for feed in FEEDS:
        snapshot = simulator.snapshot(feed, T0 + 60 * MINUTE)
        assert shown(snapshot) == heard.shown(feed)
        assert len(shown(snapshot)) == len(snapshot["sessions"])


def test_an_hour_holds_every_kind_and_every_mishap():
    simulator, heard = Simulator(SMALL, 3, T0), Heard()
    for event in simulator.advance(T0 + 120 * MINUTE):
        heard.hear(event)
    assert set(heard.kinds) == {
        "card_in", "played", "card_out",
        "rating_opened", "rating_changed", "rating_paused", "rating_resumed", "rating_closed",
    }  # fmt: skip
    assert heard.closed_by_another > 0
    assert heard.member_again > 0


def test_a_floor_goes_on_from_its_snapshots():
    heard = Heard()
    for event in recorded_events(SMALL, 2, T0, T0 + 20 * MINUTE):
        heard.hear(event)
    assert heard.kinds["snapshot"] == 2
    simulator = Simulator(SMALL, 2, T0 - 45 * MINUTE)
    simulator.advance(T0 + 20 * MINUTE)
    for feed in FEEDS:
        assert shown(simulator.snapshot(feed, T0 + 20 * MINUTE)) == heard.shown(feed)


def pool_of(floor, heard, at):
    """Persons in the pool by the published book: tiers, zones, 10 minutes open and 5 minutes idle at a slot."""
    zones = {position.position: position.zone for position in floor.positions}
    members = {member.member: member for member in floor.members}
    day = date(2023, 10, 7)
    barred = {
        members[one.member].person or one.member
        for one in (*floor.exclusions, *floor.staff)
        if one.since <= day and (one.until is None or one.until >= day)
    }
    pool = set()
    for (position, seat), session in heard.open.items():
        member = members.get(session["member"])
        if member is None or zones[position] not in {"MAIN", "SMOKING"}:
            continue
        if member.tier not in {"Black", "Platinum", "Gold"} or member.born > date(2005, 10, 7):
            continue
        if seat:
            plays = not session["paused"]
        else:
            last, opened = session["last_play_at"], parse_time(session["opened_at"])
            plays = last is not None and at - parse_time(last) <= 300_000 and at - opened >= 600_000
        if plays and (member.person or member.member) not in barred:
            pool.add(member.person or member.member)
    return pool


@pytest.fixture(scope="module")
def casino():
    return make_floor(CASINO, 1)


def test_a_casino_s_evening(casino):
    start = T0 - 45 * MINUTE
    simulator, heard = Simulator(CASINO, 1, start, casino), Heard()
    for event in simulator.advance(T0):
        heard.hear(event)
    members = {member.member: member for member in casino.members}
    persons = {
        members[one["member"]].person or one["member"] for one in heard.open.values() if one["member"] in members
    }
    zones = {position.position: position.zone for position in casino.positions}
    assert 820 <= len(persons) <= 960
    assert sum(zones[position] == "PRIVE" for position, _ in heard.open) >= 40
    assert all(
        members[one["member"]].tier in {"Black", "Platinum"} or members[one["member"]].person
        or any(second.person == one["member"] for second in casino.members)
        for (position, _), one in heard.open.items()
        if zones[position] == "PRIVE" and one["member"] in members
    )  # fmt: skip
    at_two = Counter(one["member"] for one in heard.open.values())
    assert sum(count > 1 for count in at_two.values()) >= 8
    both_cards = Counter(members[number].person or number for number in at_two if number in members)
    assert max(both_cards.values()) == 2
    forgotten = [
        one
        for (_, seat), one in heard.open.items()
        if not seat and one["last_play_at"] and T0 - parse_time(one["last_play_at"]) > 5 * MINUTE
    ]
    assert len(forgotten) >= 3
    assert set(at_two) & {member.member for member in casino.unlisted}
    assert 330 <= len(pool_of(casino, heard, T0)) <= 470
    events = simulator.advance(T0 + 2 * MINUTE)
    assert 80 <= len(events) / 120 <= 110


def engine_s_lists(folder):
    kinds = ("members", "exclusions", "staff", "positions")
    lists = {kind: read_list(kind, (folder / f"{kind}.csv").read_bytes(), 0, "Africa/Johannesburg") for kind in kinds}
    return ListsInForce(**lists, zone="Africa/Johannesburg")


def test_the_engine_finds_the_same_pool(tmp_path):
    """The engine, from the files alone, and the restatement above, from the made floor, agree person for person."""
    end = T0 + 12 * MINUTE
    write_floor(tmp_path, CASINO, 4, T0, end)
    lists, floor, heard, hears, look_at, codes = (
        engine_s_lists(tmp_path), make_floor(CASINO, 4), Heard(), Floor(30_000), T0 + 3 * MINUTE, set(),
    )  # fmt: skip
    for event in read_lines(tmp_path / "events.jsonl"):
        at = parse_time(event["at"])
        if at > look_at:
            judged = judge(
                hears.at(look_at), lists, t=look_at, promotion_day=True, start=T0, end=end,
                tiers=("Black", "Platinum", "Gold"), zones=("MAIN", "SMOKING"),
                criteria=(Criterion("slot", "idle_seconds", max=300), Criterion("slot", "minutes", min=10)), min_age=18,
                exclude=("refusal_of_entry", "self_excluded", "excluded_category", "staff_or_related"),
            )  # fmt: skip
            pool = pool_of(floor, heard, look_at)
            assert len(judged.entrants) == len(pool) > 300
            assert {entrant.member for entrant in judged.entrants} <= {
                member.member for member in floor.members if (member.person or member.member) in pool
            }
            codes |= set(judged.left_out)
            look_at += 3 * MINUTE
        hears.take(read_event(event), at)
        heard.hear(event)
    assert codes >= {
        "SS_CRITERIA_NOT_MET", "SS_NOT_ACTIVE", "SS_NOT_MEMBER", "SS_STAFF_OR_RELATED", "SS_TIER_NOT_TARGETED",
        "SS_ZONE_NOT_QUALIFYING",
    }  # fmt: skip


START, END = parse_time("2023-10-07T11:00:00.000Z"), parse_time("2023-10-07T18:00:00.000Z")


def test_the_rehearsal_s_afternoon():
    """13:00 to 20:00 in Johannesburg: about 120,000 events, and always a pool of some 60 to 100 persons."""
    floor, heard, look_at, pools = make_floor(REHEARSAL, 20231007), Heard(), START, []
    for event in recorded_events(REHEARSAL, 20231007, START, END):
        at = parse_time(event["at"])
        while at > look_at:
            pools.append(len(pool_of(floor, heard, look_at)))
            look_at += MINUTE
        heard.hear(event)
    assert 112_000 <= heard.kinds.total() <= 128_000
    assert len(pools) == 420
    assert 70 <= sum(pools) / len(pools) <= 90
    assert min(pools) >= 55
    assert max(pools) <= 110
    assert sum(60 <= pool <= 100 for pool in pools) >= 0.97 * len(pools)


def test_the_rehearsal_s_size():
    floor = make_floor(REHEARSAL, 1)
    assert len(floor.members) == 400
    assert Counter(position.kind for position in floor.positions) == {"slot": 150, "table": 18}
