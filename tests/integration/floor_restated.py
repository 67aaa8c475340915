"""A slow restatement of "The floor's vocabulary", from its page alone: what a feed told, and who is in the pool.

It knows no committed state and no caches: for every instant it reads everything heard from the start, the way the page
tells it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from draw_engine.rule_book import Criterion
from draw_engine.verdicts import IN

LIMIT = 30_000

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
    t: int = 0
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
