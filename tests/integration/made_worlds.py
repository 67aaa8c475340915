"""Made-up floors, lists and orders of arrival for the restatement; edges are likelier than not."""

from __future__ import annotations

from typing import Any

from floor_restated import Heard, World
from hypothesis import strategies as st

from draw_engine.rule_book import Criterion

T = 1_697_286_600_000  # 14 October 2023, 14:30 in Johannesburg
EXCLUDE = ("refusal_of_entry", "self_excluded", "excluded_category", "staff_or_related")
MEMBERS = ["9", "10", "100", "Ä7", "z", "stranger"]
SLOTS = ["S-1", "S-2", "S-3"]
SEATS = [("BJ-1", "1"), ("BJ-1", "2")]

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
