"""Selecting: exactly at its moment, or put off for a named reason and tried again; and what lapses at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from casino import Casino, seat_everybody
from people_words import AISHA, GRACE, LERATO, NALEDI, PIETER, SIPHO, THANDI, jhb
from small_book import FIRST, Session, book_toml

from draw_engine import verdicts
from draw_engine.service import house, selecting
from draw_engine.service.ports import codes

Casinos = Callable[..., Casino]
RETRY = 30_000
TRIES = ("selection.made", "selection.postponed", "selection.lapsed")


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    """Everybody plays; the first session opens at 13:55 and runs from 14:00 to 14:10 with three awards."""
    made = casinos()
    made.load_lists()
    seat_everybody(made)
    return made


def tries(casino: Casino, plan: str = "first") -> list[tuple[int, str]]:
    return [(entry.at, entry.data.get("reason", "made")) for entry in casino.said(*TRIES, plan=plan)]


def pool_members(casino: Casino, plan: str = "first", pool: str = "p0") -> list[str]:
    """Who was in a pool, by the engine's own verdicts."""
    draw = casino.draw(plan).state.id
    (kept,) = (data for _, pool_id, data in casino.engine.store.verdicts(draw) if pool_id == pool)
    return [verdict.person for verdict, _ in verdicts.read(kept) if verdict.code == verdicts.IN]


# -- at the moment ---------------------------------------------------------------------------------------------


def test_a_selection_falls_exactly_on_each_moment(casino: Casino) -> None:
    casino.at("13:59")
    moments = casino.moments()
    assert [jhb("14:00") + n * 200_000 <= at < jhb("14:00") + (n + 1) * 200_000 for n, at in enumerate(moments)] == [
        True
    ] * 3
    for n, at in enumerate(moments):
        casino.go(at - 1)
        assert len(casino.said("selection.made")) == n
        casino.go(at)
        assert len(casino.said("selection.made")) == n + 1
    made = casino.said("selection.made")
    assert [(entry.at, entry.data["place"], entry.data["moment"], entry.data["after"]) for entry in made] == [
        (at, n + 1, n, None) for n, at in enumerate(moments)
    ]
    casino.finish("14:11")


def test_what_a_selection_logs_and_keeps(casino: Casino) -> None:
    casino.at("13:59")
    casino.go(casino.moments()[0])
    judged, frozen, made, opened = casino.log()[-4:]
    assert [e.kind for e in (judged, frozen, made, opened)] == [
        "pool.judged",
        "pool.frozen",
        "selection.made",
        "claim.opened",
    ]
    assert {judged.at, frozen.at, made.at, opened.at} == {made.at}
    assert judged.data["pool"] == frozen.data["id"] == made.data["pool"] == "p0"
    assert frozen.data["size"] == 6
    assert frozen.data["left_out"] == {"SS_TIER_NOT_TARGETED": 1}
    assert frozen.data["journal"] == casino.journal.prefix()
    assert frozen.data["basis"] is None
    assert made.data["public_count"] == 0
    assert opened.data == {"claim": "c0", "ordinal": 0}
    (row,) = casino.engine.store.selections(made.draw or "")
    assert (row.ref, row.position, row.made_at) == (made.data["ref"], made.data["position"], made.at)
    assert row.person in pool_members(casino)
    assert (row.card, row.position) == {
        THANDI: ("70100001", "S-0412"),
        PIETER: ("70100002", "S-0088"),
        LERATO: (None, "BJ-03/4"),
        SIPHO: ("70100004", "S-0500"),
        NALEDI: ("70100007", "S-0501"),
        GRACE: ("70100008", "S-0502"),
    }[row.person]
    casino.finish("14:11")


def test_a_tick_after_the_moment_selects_within_its_lateness(casino: Casino) -> None:
    casino.late_by = 1_999
    casino.at("13:59")
    moments = casino.moments()
    casino.at("14:10:02")
    made = casino.said("selection.made")
    late = [entry.at - at for entry, at in zip(made, moments, strict=True)]
    assert all(0 <= by <= 1_999 for by in late)
    assert max(late) == 1_999
    casino.finish("14:15")


def test_ticking_again_and_again_changes_nothing(casino: Casino) -> None:
    casino.at("13:59")
    for at in casino.moments():
        casino.go(at)
        head = casino.engine.store.head()
        for _ in range(5):
            casino.tick()
        assert casino.engine.store.head() == head
    casino.finish("14:41")
    head = casino.engine.store.head()
    casino.tick()
    assert casino.engine.store.head() == head


# -- put off ---------------------------------------------------------------------------------------------------


def test_a_silent_feed_postpones_and_is_tried_every_thirty_seconds(casino: Casino) -> None:
    casino.at("13:59")
    first = casino.moments()[0]
    casino.go(first - 40_000)
    casino.silent.add("tables-1")
    casino.go(first + 2 * RETRY + 1)
    assert tries(casino)[:3] == [(first + n * RETRY, "stale_feed") for n in range(3)]
    assert codes(selecting.reasons_not_to_select(casino.engine, casino.draw(), casino.clock.now())) == ["SS_FEED_STALE"]
    casino.silent.clear()
    casino.go(first + 3 * RETRY)
    assert tries(casino)[3] == (first + 3 * RETRY, "made")
    assert not casino.said("pool.judged")[0].at < first + 3 * RETRY
    casino.finish("14:45")


FEED_TROUBLE: list[Any] = [
    pytest.param([("feed_down", {"reason": "no link"})], "down", id="down"),
    pytest.param([("feed_down", {"reason": "no link"}), ("feed_up", {"reason": "back"})], "unsure", id="unsure"),
]


@pytest.mark.parametrize(("events", "state"), FEED_TROUBLE)
def test_a_feed_that_is_down_or_unsure_postpones(casino: Casino, events: Any, state: str) -> None:
    casino.at("13:59")
    first = casino.moments()[0]
    casino.go(first - 1)
    for kind, more in events:
        casino.tell(kind, feed="tables-1", **more)
    casino.send()
    casino.go(first)
    assert tries(casino) == [(first, "stale_feed")]
    (reason,) = selecting.reasons_not_to_select(casino.engine, casino.draw(), first)
    assert (reason.feed, casino.engine.floor.feed_at("tables-1", first).state) == ("tables-1", state)
    assert casino.said(f"feed.{state}")
    if state == "down":
        casino.tell("feed_up", feed="tables-1", reason="back")
    casino.tell("snapshot", feed="tables-1", sessions=[])
    casino.send()
    casino.go(first + RETRY)
    assert tries(casino)[1] == (first + RETRY, "made")
    casino.finish("14:45")


def test_a_feed_that_was_never_heard_postpones(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    casino.silent.add("tables-1")
    seat_everybody(casino)
    casino.at("13:59")
    first = casino.moments()[0]
    casino.go(first)
    assert tries(casino) == [(first, "stale_feed")]
    casino.at("14:45")


def test_a_feed_two_people_excluded_postpones_no_more_and_its_sessions_are_out(casino: Casino) -> None:
    casino.at("13:59")
    first = casino.moments()[0]
    casino.silent.add("tables-1")
    casino.go(first)
    assert tries(casino) == [(first, "stale_feed")]
    house.exclude_feed(casino.engine, casino.draw(), "tables-1", by="nomvula", second="kabelo", reason="no link")
    casino.go(first + RETRY)
    assert tries(casino)[1] == (first + RETRY, "made")
    (frozen,) = casino.said("pool.frozen")
    assert frozen.data["left_out"] == {"SS_FEED_STALE": 1, "SS_TIER_NOT_TARGETED": 1}
    assert frozen.data["size"] == 5
    (excluded,) = casino.said("feed.excluded")
    assert excluded.data == {
        "feed": "tables-1",
        "by": ["crew:kabelo", "manager:nomvula"],
        "reason": "no link",
        "authenticated": True,
    }
    casino.finish("14:11")


def test_a_feed_that_brings_nothing_the_draw_needs_postpones_nothing(casinos: Casinos) -> None:
    feeds = {"slots-1": ("slots",), "tables-1": ("tables",), "bingo-1": ("bingo",)}
    casino = casinos(feeds=feeds)
    casino.load_lists()
    casino.silent.add("bingo-1")
    seat_everybody(casino)
    casino.at("13:59")
    first = casino.moments()[0]
    casino.go(first)
    assert tries(casino) == [(first, "made")]
    casino.finish("14:11")


def test_an_empty_pool_postpones_and_is_retried(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    casino.at("13:59")
    first = casino.moments()[0]
    casino.go(first + RETRY)
    assert tries(casino) == [(first, "empty_pool"), (first + RETRY, "empty_pool")]
    assert [entry.data["pool"] for entry in casino.said("pool.judged")] == [None, None]
    assert not casino.said("pool.frozen")
    casino.rated(AISHA)
    casino.send()
    casino.go(first + 2 * RETRY)
    assert tries(casino)[2] == (first + 2 * RETRY, "made")
    assert casino.said("selection.made")[0].data["pool"] == "p0"
    casino.finish("14:11")


def test_a_jump_of_the_clock_postpones_while_a_claim_runs(casino: Casino) -> None:
    casino.at("13:59")
    first, second, _ = casino.moments()
    casino.go(first)
    casino.clock.off = 1_001
    casino.go(second)
    assert tries(casino) == [(first, "made"), (second, "clock")]
    assert codes(selecting.reasons_not_to_select(casino.engine, casino.draw(), second)) == ["X_CLOCK_UNSYNCED"]
    casino.pay()
    casino.go(second + RETRY)
    assert tries(casino)[2] == (second + RETRY, "made")
    (stepped,) = casino.said("clock.stepped")
    assert stepped.data == {"by_ms": 1_001}
    casino.finish("14:11")


@pytest.mark.parametrize("off", [1_000, -1_000, 1_001])
def test_a_small_difference_or_one_that_can_be_taken_over_postpones_nothing(casino: Casino, off: int) -> None:
    casino.at("13:59")
    casino.clock.off = off
    first = casino.moments()[0]
    casino.go(first)
    assert tries(casino) == [(first, "made")]
    assert len(casino.said("clock.stepped")) == (abs(off) > 1_000)
    casino.finish("14:11")


def test_a_suspended_session_selects_nobody_until_two_people_resume_it(casino: Casino) -> None:
    casino.at("13:59")
    first = casino.moments()[0]
    house.suspend(casino.engine, casino.draw(), by="nomvula", second="kabelo", reason="evacuation")
    casino.go(first + RETRY)
    assert tries(casino)[:2] == [(first, "paused"), (first + RETRY, "paused")]
    reasons = selecting.reasons_not_to_select(casino.engine, casino.draw(), casino.clock.now())
    assert codes(reasons) == ["SS_SESSION_SUSPENDED"]
    house.resume(casino.engine, casino.draw(), by="themba", second="kabelo", reason="all clear")
    casino.go(first + 2 * RETRY)
    assert tries(casino)[2] == (first + 2 * RETRY, "made")
    casino.finish("14:11")


def test_claims_go_on_while_a_session_is_suspended(casino: Casino) -> None:
    casino.at("13:59")
    casino.go(casino.moments()[0])
    house.suspend(casino.engine, casino.draw(), by="nomvula", second="kabelo", reason="evacuation")
    deadline = casino.announce()
    casino.go(deadline + 250)
    assert casino.last_claim().outcome == "expired"
    assert tries(casino)[-1] == (deadline + 250, "paused")
    house.resume(casino.engine, casino.draw(), by="themba", second="kabelo", reason="all clear")
    casino.finish("14:15")


# -- the end of a session --------------------------------------------------------------------------------------


def test_what_found_no_winner_is_carried_and_comes_first_in_the_next_session(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    casino.at("14:11")
    lapsed = casino.said("selection.lapsed")
    assert {entry.data["place"] for entry in lapsed} == {1, 2, 3}
    assert all(entry.at >= jhb("14:10") for entry in lapsed)
    to = "silverstar/playtime/2023-10-07/second"
    assert {(entry.data["reason"], entry.data["to"]) for entry in lapsed} == {("carried", to)}
    assert casino.draw().state.closed_at is not None
    seat_everybody(casino)
    casino.at("14:29")
    terms = casino.draw("second").state.terms
    assert terms["places"] == [1, 2, 3, 4, 5, 6]
    source = casino.draw().state.id
    assert terms["carried"] == [
        {"place": 1, "from": source},
        {"place": 2, "from": source},
        {"place": 3, "from": source},
    ]
    assert terms["moments"]["count"] == 6
    casino.finish("14:41")
    assert [entry.data["place"] for entry in casino.said("selection.made", plan="second")] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("book", "plan"),
    [
        pytest.param(book_toml(carry=False), "first", id="the-book-carries-nothing"),
        pytest.param(book_toml(FIRST), "first", id="no-later-session"),
        pytest.param(
            book_toml(FIRST, Session("other", "14:30", "14:40", group="other"), groups=("jackpot", "other")),
            "first",
            id="the-later-session-is-another-group's",
        ),
        pytest.param(book_toml(), "second", id="the-last-session"),
    ],
)
def test_what_cannot_be_carried_lapses_with_the_session(casinos: Casinos, book: bytes, plan: str) -> None:
    casino = casinos(book=book)
    casino.load_lists()
    casino.at("14:41")
    reasons = [entry.data["reason"] for entry in casino.said("selection.lapsed", plan=plan)]
    assert reasons == ["session_end"] * len(casino.draw(plan).state.places)


def test_nothing_is_carried_into_a_session_that_is_open(casinos: Casinos) -> None:
    """The second session opens at 14:09: what the first one loses at 14:10 stays lost."""
    casino = casinos(book=book_toml(FIRST, Session("second", "14:14", "14:20")))
    casino.load_lists()
    casino.at("14:11")
    assert casino.draw("second").state.terms["places"] == [4, 5, 6]
    assert [entry.data["reason"] for entry in casino.said("selection.lapsed", plan="first")] == ["session_end"] * 3
    casino.at("14:21")


def test_a_moment_lapses_at_its_first_try_after_the_end_and_not_before(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    casino.at("13:59")
    moments = casino.moments()
    casino.at("14:11")
    for n, moment in enumerate(moments):
        (lapsed,) = (entry for entry in casino.said("selection.lapsed") if entry.data["moment"] == n)
        tried = -(-(jhb("14:10") - moment) // RETRY)
        assert lapsed.at == moment + tried * RETRY
