"""The pool, what is left out and the positions against the slow restatement of the page (`floor_restated`).

`FLOORDRAW_EXAMPLES` sets how many floors are made up.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import Any

from floor_restated import LIMIT, Heard, Session, World, feed_after, restated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_worlds import T, worlds

from draw_engine.eligibility import Judgement, judge
from draw_engine.feeds import Floor, View
from draw_engine.floor_events import read_event
from draw_engine.lists import ListsInForce, read_list
from draw_engine.verdicts import IN, read

EXAMPLES = int(os.environ.get("FLOORDRAW_EXAMPLES", "300"))
ZONE = "Africa/Johannesburg"


def utc(at: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


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
    world.t = T
    before = judged(hear(heard, recording=recording).at(T), world)
    order.shuffle(world.members)
    order.shuffle(world.exclusions)
    mixed = dict(reversed(list(heard.items())))
    assert judged(hear(mixed, recording=recording).at(T), world) == before
