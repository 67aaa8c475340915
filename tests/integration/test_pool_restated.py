"""The pool against a slow restatement of "The floor's vocabulary", written from its page alone.

The restatement knows no committed state and no caches: for every instant it reads everything heard from the start,
the way the page tells it. Floors, lists, orders of arrival and instants are made up; edges are likelier than not.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from draw_engine.eligibility import Judgement, judge
from draw_engine.feeds import Floor, View
from draw_engine.floor_events import read_event
from draw_engine.lists import ListsInForce, read_list
from draw_engine.rule_book import Criterion
from draw_engine.verdicts import IN, read

EXAMPLES = int(os.environ.get("FLOORDRAW_EXAMPLES", "300"))
T = 1_697_286_600_000  # 14 October 2023, 14:30 in Johannesburg
ZONE = "Africa/Johannesburg"
LIMIT = 30_000
EXCLUDE = ("refusal_of_entry", "self_excluded", "excluded_category", "staff_or_related")
MEMBERS = ["9", "10", "100", "Ä7", "z", "stranger"]
SLOTS = ["S-1", "S-2", "S-3"]
SEATS = [("BJ-1", "1"), ("BJ-1", "2")]


def utc(at: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


# -- the restatement: one feed -------------------------------------------------------------------------------------

Heard = tuple[dict[str, Any], int]  # an event with `at` in ms, and when it was received


@dataclass
class Session:
    where: str
    game: str
    member: str
    card: str | None
    opened: int
    last: int | None = None
    games: int = 0
    coin: int = 0
    bet: int | None = None
    paused: bool = False
    touched: int = 0


def in_order(heard: list[Heard], t: int, *, recording: bool) -> tuple[list[dict[str, Any]], str | None]:
    """What is not waited for any more, in seq order, holes as {"kind": "hole"}; and the beginning's trouble."""
    kept: dict[int, dict[str, Any]] = {}
    for n, (event, received) in enumerate(heard):
        after = [r for other, r in heard[:n] if other["seq"] > event["seq"]]
        if event["seq"] not in kept and (not after or received <= after[0] + 2_000):
            kept[event["seq"]] = event

    def waited_until(missing: int) -> int:
        return next(r for event, r in heard if event["seq"] > missing) + 2_000

    out: list[dict[str, Any]] = []
    first = min(kept)
    if first > 1 and not recording:
        if t <= waited_until(first - 1):
            return [], "unsure"
        out.append({"kind": "hole", "at": 0})
    for seq in range(first, max(kept) + 1):
        if seq in kept:
            out.append(kept[seq])
        elif t <= waited_until(seq):
            break
        else:
            out.append({"kind": "hole", "at": 0})
    return [event for event in out if event["at"] <= t], None


def where(event: dict[str, Any]) -> str:
    return event["position"] + (f"/{event['seat']}" if "seat" in event else "")


def sessions_after(happened: list[dict[str, Any]]) -> dict[str, Session]:
    """What is open after these events."""
    begun = max((n for n, event in enumerate(happened) if event["kind"] == "snapshot"), default=-1)
    found: dict[str, Session] = {}
    if begun >= 0:
        for one in happened[begun]["sessions"]:
            game = "table" if "seat" in one else "slot"
            touched = one.get("last_play_at", one["opened_at"])
            found[where(one)] = Session(
                where(one), game, one["member"], one.get("card"), one["opened_at"], one.get("last_play_at"),
                one.get("games", 0), one.get("coin_in", 0), one.get("average_bet"), one.get("paused", False), touched,
            )  # fmt: skip
    for event in happened[begun + 1 :]:
        if "position" in event:
            happen(found, event)
    return found


def happen(found: dict[str, Session], event: dict[str, Any]) -> None:
    place, kind, at = where(event), event["kind"], event["at"]
    there = found.get(place)
    if kind in {"card_in", "rating_opened"}:
        if there is None or there.member != event["member"]:
            game = "slot" if kind == "card_in" else "table"
            found[place] = Session(place, game, event["member"], event.get("card"), at, bet=event.get("average_bet"))
            found[place].touched = at
    elif there is None:
        return
    elif kind in {"card_out", "rating_closed"}:
        del found[place]
    else:
        there.touched = at
        if kind == "played":
            there.games += event["games"]
            there.coin += event["coin_in"]
            if event["games"] > 0:
                there.last = at if there.last is None else max(at, there.last)
        elif kind == "rating_changed":
            there.bet = event["average_bet"]
        else:
            there.paused = kind == "rating_paused"


def feed_after(heard: list[Heard], t: int, *, recording: bool) -> tuple[str, dict[str, Session]]:
    """A feed's state and what is open on it."""
    happened, trouble = in_order(heard, t, recording=recording)
    links = [event["kind"] for event in happened if event["kind"] in {"feed_down", "feed_up"}]
    unsure = trouble is not None
    for event in happened:
        if event["kind"] in {"hole", "feed_up"}:
            unsure = True
        elif event["kind"] == "snapshot":
            unsure = False
    if links and links[-1] == "feed_down":
        state = "down"
    elif t - heard[-1][1] > LIMIT or t - max(event["at"] for event, _ in heard) > LIMIT:
        state = "stale"
    else:
        state = "unsure" if unsure else "up"
    return state, sessions_after(happened)


# -- the restatement: the pool -------------------------------------------------------------------------------------


@dataclass
class World:
    """Everything that is given to both."""

    members: list[dict[str, str]]
    exclusions: list[dict[str, str]]
    zones_of: dict[str, str]
    criteria: tuple[Criterion, ...]
    tiers: tuple[str, ...]
    zones: tuple[str, ...]
    exclude: tuple[str, ...]
    promotion_day: bool
    start: int
    end: int
    excluded_feeds: frozenset[str]
    failed: frozenset[str]
    at_limit: frozenset[str]
    t: int = T
    feeds: dict[str, tuple[str, dict[str, Session]]] = field(default_factory=dict)

    def row(self, member: str) -> dict[str, str] | None:
        rows = [row for row in self.members if row["member"] == member and int(row["known_from"]) <= self.t]
        return max(rows, key=lambda row: int(row["known_from"])) if rows else None

    def cards(self, member: str) -> list[str]:
        """Every number of the person who holds `member`, in ascending byte order."""
        mine = self.row(member)
        if mine is None:
            return [member]
        numbers = {row["member"] for row in self.members}
        rows = [(number, self.row(number)) for number in numbers]
        same = [n for n, row in rows if row and (row["person"] or n) == (mine["person"] or member)]
        return sorted(same, key=lambda number: number.encode())

    def local_day(self) -> date:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=self.t, hours=2)).date()

    def excluded(self, member: str) -> set[str]:
        day = self.local_day().isoformat()
        return {
            row["category"]
            for row in self.exclusions
            if row["member"] in self.cards(member)
            and row["category"] in self.exclude
            and int(row["known_from"]) <= self.t
            and row["from"] <= day
            and (not row["to"] or day <= row["to"])
        }

    def old_enough(self, born: str) -> bool:
        today, birth = self.local_day(), date.fromisoformat(born)
        comes_of_age = (birth.year + 18, birth.month, birth.day)
        return (today.year, today.month, today.day) >= comes_of_age


def measure(session: Session, name: str, t: int) -> float | None:
    if name == "idle_seconds":
        return None if session.last is None else (t - session.last) / 1000
    if name == "minutes":
        return (t - session.opened) / 60_000
    if name == "minutes_since_touch":
        return (t - session.touched) / 60_000
    return {"games": session.games, "coin_in": session.coin, "average_bet": session.bet}[name]


def first_failure(world: World, feed: str, session: Session) -> tuple[int, str]:
    """The tests in the page's order; (how far, code), (99, IN) when all passed."""
    state, t, row = world.feeds[feed][0], world.t, world.row(session.member)
    tier = row["tier"] if row else ""
    mine = [c for c in world.criteria if c.game == session.game and (not c.tiers or tier in c.tiers)]
    bound = "idle_seconds" if session.game == "slot" else "minutes_since_touch"
    limits = [c.max for c in mine if c.measure == bound and c.max is not None]
    active = (session.last is not None) if session.game == "slot" else not session.paused
    if active:
        age = measure(session, bound, t)
        active = all(age is not None and age <= limit for limit in limits)
    met = True
    for criterion in mine:
        if criterion.measure == bound and criterion.max is not None and criterion.min is None:
            continue
        figure = measure(session, criterion.measure, t)
        met = met and figure is not None
        met = met and (criterion.min is None or (figure or 0) >= criterion.min)
        met = met and (criterion.max is None or (figure or 0) <= criterion.max)
    categories = world.excluded(session.member)
    cards = set(world.cards(session.member))
    tests = [
        (world.promotion_day, "SS_NOT_PROMO_DAY"),
        (world.start <= t < world.end, "SS_OUTSIDE_SESSION"),
        (world.zones_of.get(session.where.split("/")[0]) in world.zones, "SS_ZONE_NOT_QUALIFYING"),
        (row is not None, "SS_NOT_MEMBER"),
        (tier in world.tiers, "SS_TIER_NOT_TARGETED"),
        (row is not None and world.old_enough(row["born"]), "SS_UNDER_AGE"),
        ("refusal_of_entry" not in categories, "SS_REFUSAL_OF_ENTRY"),
        ("self_excluded" not in categories, "SS_SELF_EXCLUDED"),
        ("excluded_category" not in categories, "SS_EXCLUDED_CATEGORY"),
        ("staff_or_related" not in categories, "SS_STAFF_OR_RELATED"),
        (state == "up" and feed not in world.excluded_feeds, "SS_FEED_STALE"),
        (active, "SS_NOT_ACTIVE"),
        (met, "SS_CRITERIA_NOT_MET"),
        (not cards & world.failed, "SS_FAILED_THIS_AWARD"),
        (not cards & world.at_limit, "SS_WIN_LIMIT"),
    ]
    # The three exclusions are one test of the page: none gets further than another.
    far = {"SS_SELF_EXCLUDED": 6, "SS_EXCLUDED_CATEGORY": 6}
    return next(((far.get(code, n), code) for n, (passed, code) in enumerate(tests) if not passed), (99, IN))


def restated(world: World) -> tuple[dict[str, tuple[str, str, str]], dict[str, int]]:
    """By person (m): code, member number and position; and the count of every reason."""
    everybody: dict[str, list[tuple[tuple[int, str], Session, str]]] = {}
    for feed, (_, sessions) in world.feeds.items():
        for session in sessions.values():
            m = world.cards(session.member)[0]
            everybody.setdefault(m, []).append((first_failure(world, feed, session), session, feed))
    result: dict[str, tuple[str, str, str]] = {}
    counts: dict[str, int] = {}
    for m, mine in everybody.items():
        furthest = max(far for (far, _), _, _ in mine)
        as_far = [one for one in mine if one[0][0] == furthest]
        latest = max(play(world, session) for _, session, _ in as_far)
        as_late = [one for one in as_far if play(world, one[1]) == latest]
        (_, code), session, _ = min(as_late, key=lambda one: (one[1].where, one[2]))
        result[m] = (code, session.member, session.where)
        if code == IN:
            others = {other.member for _, other, _ in mine} - {session.member}
            if others:
                counts["SS_OTHER_CARD_COUNTED"] = counts.get("SS_OTHER_CARD_COUNTED", 0) + len(others)
        else:
            counts[code] = counts.get(code, 0) + 1
    return result, counts


def play(world: World, session: Session) -> float:
    if session.game == "table":
        return world.t
    return float("-inf") if session.last is None else session.last


# -- made-up floors ------------------------------------------------------------------------------------------------

# Ages before T at which things happen: around the limits of the criteria, the stale limit, the waits, and T itself.
AGES = [1_200_001, 720_000, 600_001, 600_000, 599_999, 300_001, 300_000, 299_999, 120_000, 30_001, 30_000, 5_000, 2_001]
NOW = [2_000, 1_999, 1_000, 1, 0, -1, -1_500, -2_000]


def seldom(one_in: int) -> st.SearchStrategy[bool]:
    """True once in so many; sampled, since small whole numbers are drawn more often than the others."""
    return st.sampled_from([False] * (one_in - 1) + [True])


@st.composite
def bodies(draw: st.DrawFn, slots: list[str], seats: list[tuple[str, str]], at: int) -> dict[str, Any]:
    kind = draw(st.sampled_from(KINDS))
    members = st.sampled_from(MEMBERS)
    bet = st.sampled_from([0, 4_999, 5_000])
    if kind == "snapshot":
        keys: list[Any] = draw(st.lists(st.sampled_from([*slots, *seats]), unique=True, max_size=4))
        return {"kind": kind, "sessions": [draw(snapshot_sessions(key, at)) for key in keys]}
    if kind in {"feed_down", "feed_up", "heartbeat", "novelty"}:
        return {"kind": kind} | ({"reason": "link"} if kind.startswith("feed") else {})
    if kind.startswith("rating"):
        position, seat = draw(st.sampled_from(seats))
        body = {"kind": kind, "position": position, "seat": seat}
        if kind == "rating_opened":
            body["member"] = draw(members)
        return body | ({"average_bet": draw(bet)} if kind in {"rating_opened", "rating_changed"} else {})
    body = {"kind": kind, "position": draw(st.sampled_from(slots))}
    if kind == "card_in":
        body |= {"member": draw(members)} | draw(st.sampled_from([{}, {"card": "c-1"}]))
    elif kind == "played":
        body |= {"games": draw(st.sampled_from([0, 1, 4])), "coin_in": draw(st.sampled_from([0, 300]))}
    return body


KINDS = (
    ["card_in"] * 6 + ["played"] * 6 + ["rating_opened"] * 4 + ["card_out", "rating_changed", "rating_paused"]
    + ["rating_resumed", "rating_closed", "heartbeat", "snapshot", "snapshot", "feed_down", "feed_up", "novelty"]
)  # fmt: skip


@st.composite
def snapshot_sessions(draw: st.DrawFn, key: Any, at: int) -> dict[str, Any]:
    one: dict[str, Any] = {"position": key} if isinstance(key, str) else {"position": key[0], "seat": key[1]}
    one["member"] = draw(st.sampled_from(MEMBERS))
    one["opened_at"] = at - draw(st.sampled_from([0, 300_000, 600_000, 900_000]))
    if draw(st.booleans()):
        one["last_play_at"] = at - draw(st.sampled_from([0, 1, 5_000]))
    for name, values in (("games", [0, 5]), ("coin_in", [0, 900]), ("average_bet", [0, 5_000]), ("card", ["c-9"])):
        if draw(st.booleans()):
            one[name] = draw(st.sampled_from(values))
    if draw(st.booleans()):
        one["paused"] = draw(st.booleans())
    return one


@st.composite
def evenings(draw: st.DrawFn, slots: list[str], seats: list[tuple[str, str]]) -> list[tuple[int, dict[str, Any]]]:
    """Guests who sit down and play, as (age, event's body): what is open when the rest begins."""
    out: list[tuple[int, dict[str, Any]]] = []
    players = st.sampled_from([*MEMBERS[:-1], *MEMBERS])
    for slot in slots:
        if not draw(seldom(4)):
            out.append(
                (draw(st.sampled_from(AGES[:5])), {"kind": "card_in", "position": slot, "member": draw(players)})
            )
            played = {"kind": "played", "position": slot, "games": 4, "coin_in": draw(st.sampled_from([300, 600]))}
            out.append((draw(st.sampled_from([*AGES[4:], 0])), played))
    for position, seat in seats:
        if not draw(seldom(4)):
            opened = {"kind": "rating_opened", "position": position, "seat": seat, "member": draw(players)}
            out.append((draw(st.sampled_from(AGES)), opened | {"average_bet": draw(st.sampled_from([4_999, 5_000]))}))
    return out


@st.composite
def feeds(draw: st.DrawFn, slots: list[str], seats: list[tuple[str, str]]) -> list[Heard]:
    """A feed's arrivals: guests who play, then whatever happens; some have holes, late ones, a clock that is off."""
    ages = st.sampled_from(AGES + NOW)
    told = draw(evenings(slots, seats))
    told += [(draw(ages), {}) for _ in range(draw(st.sampled_from([0, 1, 2, 6])))]
    told = [
        *sorted(told, key=lambda one: -one[0]),
        (draw(st.sampled_from([0, 0, 0, 1])), {"kind": "heartbeat"}),
    ]
    wild, holes = draw(seldom(3)), draw(seldom(3))
    waits = st.sampled_from([0, 0, 0, 0, 1, 1_999, 2_000, 2_001, 40_000] if wild else [0])
    seq = draw(st.sampled_from([0, 1, 1, 1, 1, 1, 1, 2, 7]))
    out: list[Heard] = []
    for age, body in told:
        at = T - (draw(ages) if wild and draw(seldom(6)) else age)
        event = {"feed": "", "seq": seq, "at": at, **(body or draw(bodies(slots, seats, at)))}
        out.append((event, min(max(T - max(age, 0), at - 2_000) + draw(waits), T)))
        seq += draw(st.sampled_from([1, 1, 1, 1, 2, 3])) if holes else 1
    return sorted(out, key=lambda one: one[1])


@st.composite
def worlds(draw: st.DrawFn) -> tuple[World, dict[str, list[Heard]], bool]:
    heard = {"a": draw(feeds(SLOTS[:2], SEATS[:1])), "b": draw(feeds(SLOTS[1:], SEATS[1:]))}
    for feed, events in heard.items():
        for event, _ in events:
            event["feed"] = feed
    known = st.sampled_from([*[str(T - 86_400_000)] * 4, str(T), str(T + 1)])
    members = [
        draw(member_rows(member, known_from))
        for member in MEMBERS[:-1]
        for known_from in (draw(st.lists(known, unique=True, max_size=2)) if draw(seldom(8)) else [str(T - 1)])
    ]
    exclusions = [
        {
            "member": draw(st.sampled_from(MEMBERS)),
            "category": draw(st.sampled_from(EXCLUDE)),
            "from": draw(st.sampled_from(["2023-10-13", "2023-10-14", "2023-10-15"])),
            "to": draw(st.sampled_from(["", "2023-10-15"])),
            "known_from": draw(known),
        }
        for _ in range(draw(st.sampled_from([0, 0, 0, 0, 1, 2])))
    ]
    exclusions += [
        {"member": "10", "category": "self_excluded", "from": "2023-10-01", "to": last, "known_from": "0"}
        for last in draw(st.sampled_from([[], [], [], [], ["2023-10-13"], ["2023-10-14"]]))
    ]
    world = World(
        members,
        exclusions,
        {place: draw(st.sampled_from([*["MAIN"] * 7, "PRIVE"])) for place in ["S-1", "S-2", "BJ-1"]}
        | draw(st.sampled_from([{}, {"S-3": "MAIN"}, {"S-3": "MAIN"}])),
        draw(criteria()),
        ("Gold", "Black"),
        draw(st.sampled_from([("MAIN",), ("MAIN", "PRIVE"), ("MAIN",)])),
        draw(st.sampled_from([EXCLUDE, EXCLUDE, EXCLUDE[:1], ()])),
        draw(seldom(15)) is False,
        T - draw(st.sampled_from([*[1_800_000] * 9, 0, -1])),
        T + draw(st.sampled_from([*[5_400_000] * 9, 1, 0])),
        frozenset(draw(st.sampled_from([[], [], [], [], [], ["a"]]))),
        frozenset(draw(st.sampled_from([[], [], [], ["10"], ["9"]]))),
        frozenset(draw(st.sampled_from([[], [], [], ["100"], ["Ä7"]]))),
    )
    return world, heard, draw(st.booleans())


@st.composite
def member_rows(draw: st.DrawFn, member: str, known_from: str) -> dict[str, str]:
    return {
        "member": member,
        "first_name": "A",
        "last_name": "B",
        "tier": draw(st.sampled_from([*["Gold"] * 6, "Black", "Black", "Silver"])),
        "born": draw(st.sampled_from([*["1980-02-29"] * 6, "2005-10-14", "2005-10-15"])),
        "phone": "",
        "email": "",
        "person": draw(st.sampled_from(["", "", "", "P", "10"])),
        "known_from": known_from,
    }


@st.composite
def criteria(draw: st.DrawFn) -> tuple[Criterion, ...]:
    choices = [
        Criterion("slot", "idle_seconds", max=300),
        Criterion("slot", "idle_seconds", max=120, tiers=("Black",)),
        Criterion("slot", "idle_seconds", min=1),
        Criterion("slot", "minutes", min=10),
        Criterion("slot", "games", min=4),
        Criterion("slot", "coin_in", max=600, min=300),
        Criterion("table", "average_bet", min=5_000),
        Criterion("table", "minutes_since_touch", max=5),
        Criterion("table", "minutes", min=5, max=12, tiers=("Gold",)),
    ]
    return tuple(draw(st.lists(st.sampled_from(choices), unique=True, max_size=3)))


# -- the comparison ------------------------------------------------------------------------------------------------


def hear(heard: dict[str, list[Heard]], *, recording: bool) -> Floor:
    floor = Floor(LIMIT, recording=recording)
    everything = [(received, feed, n) for feed, events in heard.items() for n, (_, received) in enumerate(events)]
    for received, feed, n in sorted(everything):
        event = dict(heard[feed][n][0])
        event["at"] = utc(event["at"])
        if event["kind"] == "snapshot":
            event["sessions"] = [
                {name: utc(value) if name.endswith("_at") else value for name, value in one.items()}
                for one in event["sessions"]
            ]
        floor.take(read_event(event), received)
    return floor


def csv_of(columns: str, rows: list[dict[str, str]]) -> bytes:
    """`known_from` in the page's UTC form."""
    lines = [columns + ",known_from"]
    for row in rows:
        known = utc(int(row["known_from"]))
        lines.append(",".join([*(row.get(column, "") for column in columns.split(",")), known]))
    return "\n".join([*lines, ""]).encode()


def lists_of(world: World) -> ListsInForce:
    staff = [row for n, row in enumerate(world.exclusions) if row["category"] == "staff_or_related" and n % 2]
    others = [row for row in world.exclusions if not any(row is one for one in staff)]
    columns = "member,category,from,to,source"
    places = [{"position": p, "kind": "slot", "zone": z, "known_from": "0"} for p, z in world.zones_of.items()]
    members = "member,first_name,last_name,tier,born,phone,email,person"
    return ListsInForce(
        members=read_list("members", csv_of(members, world.members), 0, ZONE),
        exclusions=read_list("exclusions", csv_of(columns, others), 0, ZONE),
        staff=read_list("staff", csv_of(columns, staff), 0, ZONE),
        positions=read_list("positions", csv_of("position,kind,zone,bank,seats", places), 0, ZONE),
        zone=ZONE,
    )


def judged(view: View, world: World) -> Judgement:
    return judge(
        view,
        lists_of(world),
        t=world.t,
        promotion_day=world.promotion_day,
        start=world.start,
        end=world.end,
        tiers=world.tiers,
        zones=world.zones,
        criteria=world.criteria,
        min_age=18,
        exclude=world.exclude,
        excluded_feeds=world.excluded_feeds,
        failed=world.failed,
        at_limit=world.at_limit,
    )


def as_told(view: View, feed: str) -> dict[str, Session]:
    return {
        s.place: Session(
            s.place,
            s.game,
            s.member,
            s.card,
            s.opened_at,
            s.last_play_at,
            s.games,
            s.coin_in,
            s.average_bet,
            s.paused,
            s.touched_at,
        )
        for s in view.sessions[feed].values()
    }


LATER = st.sampled_from([0, 0, 1, 1_999, 2_000, 2_000, 2_001, 30_000, 30_001])


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds(), LATER)
def test_the_pool_is_what_the_page_says(made: tuple[World, dict[str, list[Heard]], bool], later: int) -> None:
    world, heard, recording = made
    world.t = T + later
    view = hear(heard, recording=recording).at(world.t)
    for feed, events in heard.items():
        world.feeds[feed] = feed_after(events, world.t, recording=recording)
        assert (view.feed(feed).state, as_told(view, feed)) == world.feeds[feed]

    found = judged(view, world)
    verdicts, counts = restated(world)

    assert dict(found.left_out) == counts
    entrants = {entrant.person: (IN, entrant.member, entrant.position) for entrant in found.entrants}
    assert entrants == {m: verdict for m, verdict in verdicts.items() if verdict[0] == IN}
    told = {v.person: (v.code, v.member, v.position) for v, _ in read(found.verdicts) if v.code[:8] != "SS_OTHER"}
    assert told == verdicts


@settings(max_examples=EXAMPLES // 3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_feeds_makes_no_difference(
    made: tuple[World, dict[str, list[Heard]], bool], order: Any
) -> None:
    world, heard, recording = made
    before = judged(hear(heard, recording=recording).at(T), world)
    order.shuffle(world.members)
    order.shuffle(world.exclusions)
    mixed = dict(reversed(list(heard.items())))
    assert judged(hear(mixed, recording=recording).at(T), world) == before
