"""The worked cases of sections 1.1 and 1.2 through the service: the published rule book, the log and the tables."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from casino import Casino
from people_words import AISHA, JOHAN, LERATO, PIETER, SIPHO, THANDI, THANDI_SECOND, jhb
from small_book import FIRST, SECOND, Session, book_toml

from draw_engine import verdicts
from draw_engine.service import opening, selecting
from draw_engine.service.ports import codes

Casinos = Callable[..., Casino]
SILVERSTAR = (Path(__file__).parents[2] / "config" / "rule_books" / "silverstar-playtime.toml").read_bytes()
ONE, TWO = "bonus-jackpot-1", "bonus-jackpot-2"
HOUR = 3_600_000


# -- 1.1 eligibility and calendar ------------------------------------------------------------------------------


@pytest.mark.parametrize("day", ["2023-09-30", "2023-10-13", "2023-12-16"], ids="SS-C09-{}".format)
def test_no_selection_on_a_day_that_is_none_of_the_promotion(casinos: Casinos, day: str) -> None:
    casino = casinos(book=SILVERSTAR, now=f"{day} 14:30")
    casino.load_lists()
    book = casino.books[0].rules
    for plan in book.draws:
        found = opening.reasons_not_to_start(casino.engine, book, plan, date.fromisoformat(day), casino.clock.now())
        assert "SS_NOT_PROMO_DAY" in codes(found)
    casino.tick()
    assert not casino.said("draw.opened")


EDGES = [
    pytest.param(ONE, "14:00:00.000", None, id="SS-C12"),
    pytest.param(ONE, "13:59:59.999", "SS_OUTSIDE_SESSION", id="SS-C12-a-millisecond-before"),
    pytest.param(ONE, "15:59:59.999", None, id="SS-C13-last-millisecond"),
    pytest.param(ONE, "16:00:00.000", "SS_OUTSIDE_SESSION", id="SS-C13-end"),
    pytest.param(TWO, "17:59:59.999", "SS_OUTSIDE_SESSION", id="SS-C14-before"),
    pytest.param(TWO, "18:00:00.000", None, id="SS-C14-start"),
    pytest.param(TWO, "19:59:59.999", None, id="SS-C14-last-millisecond"),
    pytest.param(TWO, "20:00:00.000", "SS_OUTSIDE_SESSION", id="SS-C14-end"),
]


@pytest.mark.parametrize(("plan", "at", "code"), EDGES)
def test_the_edges_of_the_sessions(casinos: Casinos, plan: str, at: str, code: str | None) -> None:
    opens = "13:45" if plan == ONE else "17:45"
    casino = casinos(book=SILVERSTAR, now=opens, stale_after_ms=3 * HOUR)
    casino.load_lists()
    casino.rated(LERATO)
    casino.send()
    casino.tick()
    judged = selecting.judge_floor(casino.engine, casino.draw(plan), 1, jhb(at))
    assert [entrant.person for entrant in judged.entrants] == ([] if code else [LERATO])
    assert dict(judged.left_out) == ({code: 1} if code else {})


# -- 1.2 pool and selection ------------------------------------------------------------------------------------


def at_twelve_past_two(casinos: Casinos, seed: str = "seed") -> Casino:
    """SS-C16's floor; the idle times hold at every moment up to 14:12, whichever is the first."""
    casino = casinos(book=SILVERSTAR, now="13:45", seed=seed)
    casino.load_lists()
    casino.sits(THANDI, "S-0412")
    casino.sits(PIETER, "S-0088")
    casino.sits(AISHA, "S-0600")
    casino.sits(JOHAN, "S-0500")
    casino.sits(SIPHO, "S-0501", plays_on=False)
    casino.rated(LERATO)
    return casino


def test_ss_c16_the_pool_at_twelve_past_two(casinos: Casinos) -> None:
    """SS-C16"""
    casino = at_twelve_past_two(casinos)
    casino.at("14:03")
    casino.tell("played", position="S-0501", games=1, coin_in=500)
    casino.at("14:12")
    judged = selecting.judge_floor(casino.engine, casino.draw(ONE), 35, jhb("14:12"))
    assert [entrant.person for entrant in judged.entrants] == [THANDI, PIETER, LERATO]
    left = {v.person: (v.code, v.figure) for v, _ in verdicts.read(judged.verdicts) if v.code != verdicts.IN}
    assert left[AISHA] == ("SS_ZONE_NOT_QUALIFYING", None)
    assert left[JOHAN] == ("SS_TIER_NOT_TARGETED", None)
    code, figure = left[SIPHO]
    assert code == "SS_NOT_ACTIVE"
    assert figure is not None
    assert 9 * 60_000 - 20_000 <= figure <= 9 * 60_000


def test_ss_c17_a_seed_that_selects_lerato_records_her_table_and_seat(casinos: Casinos) -> None:
    """SS-C17"""
    for n in range(40):
        casino = at_twelve_past_two(casinos, seed=f"lerato {n}")
        casino.at("13:59:59")
        casino.go(casino.moments(ONE)[0])
        row = casino.draw(ONE).rows[0]
        assert row.person in {THANDI, PIETER, LERATO}
        if row.person == LERATO:
            (made,) = casino.said("selection.made")
            assert (made.data["position"], row.position, row.member, row.card) == ("BJ-03/4", "BJ-03/4", LERATO, None)
            assert casino.engine.lists.at(made.at).positions["BJ-03"].kind == "table"
            return
    raise AssertionError("forty seeds and never Lerato: the chance of that is one in eleven million")


def test_ss_c18_two_cards_are_one_chance(casinos: Casinos) -> None:
    """SS-C18"""
    casino = casinos()
    casino.load_lists()
    casino.sits(THANDI, "S-0412")
    casino.sits(THANDI_SECOND, "S-0500")
    casino.at("13:59")
    casino.go(casino.moments()[0])
    (frozen,) = casino.said("pool.frozen")
    assert (frozen.data["size"], frozen.data["total"]) == (1, "1")
    assert frozen.data["left_out"] == {"SS_OTHER_CARD_COUNTED": 1}
    casino.finish("14:11")


@pytest.mark.parametrize(
    ("limits", "again"),
    [("[]", True), ('[{ scope = "day", max = 1 }]', False)],
    ids=["SS-C20", "SS-C20-one-a-day"],
)
def test_a_paid_winner_may_win_again_unless_the_book_limits_it(casinos: Casinos, limits: str, *, again: bool) -> None:
    book = SILVERSTAR.replace(b"limits = []", f"limits = {limits}".encode())
    casino = casinos(book=book, now="13:59:40", stale_after_ms=3 * HOUR)
    casino.load_lists()
    casino.rated(LERATO)
    casino.send()
    casino.tick()
    first, second = casino.moments(ONE)[:2]
    casino.clock.set(first)
    casino.tick()
    casino.pay(ONE)
    casino.clock.set(second)
    casino.tick()
    tries = casino.said("selection.made", "selection.postponed")
    assert [entry.data.get("reason", "made") for entry in tries] == ["made", "made" if again else "empty_pool"]
    if not again:
        kept = casino.engine.store.verdicts(casino.draw(ONE).state.id)[-1][2]
        assert [v.code for v, _ in verdicts.read(kept)] == ["SS_WIN_LIMIT"]


def test_ss_c21_an_empty_pool_invents_no_winner(casinos: Casinos) -> None:
    """SS-C21"""
    casino = casinos()
    casino.load_lists()
    casino.at("14:09:59")
    assert not casino.said("selection.made", "pool.frozen", "claim.opened")
    assert {entry.data["reason"] for entry in casino.said("selection.postponed")} == {"empty_pool"}
    casino.at("14:11")


THREE = (FIRST, SECOND, Session("third", "14:50", "15:00"))
QUOTAS = [
    pytest.param("day", 6, None, [1, 2, 3], id="SS-C22-a-day"),
    pytest.param("promotion", 6, None, None, id="SS-C22-the-promotion"),
    pytest.param("session", 3, [7, 8, 9], [1, 2, 3], id="SS-C22-a-session"),
]


@pytest.mark.parametrize(("per", "quota", "third", "next_saturday"), QUOTAS)
def test_no_selection_beyond_the_quota(
    casinos: Casinos, per: str, quota: int, third: list[int] | None, next_saturday: list[int] | None
) -> None:
    casino = casinos(book=book_toml(*THREE, per=per, quota=quota))
    casino.load_lists()
    casino.rated(LERATO)
    casino.at("13:59")
    casino.finish("15:01")
    filled = [place for draw in casino.engine.draws.values() for place in draw.state.places.values()]
    assert {place.state for place in filled} == {"filled"}
    book = casino.books[0].rules
    opened = {draw.plan.id: draw.state.terms["places"] for draw in casino.engine.draws.values()}
    assert opened.get("third") == third
    if third is None:
        reasons = opening.reasons_not_to_start(casino.engine, book, book.draw("third"), date(2023, 10, 7), jhb("14:50"))
        assert codes(reasons) == ["SS_SELECTION_QUOTA_REACHED"]
        assert f"All {quota} awards" in reasons[0].sentence
    casino.clock.set(jhb("2023-10-14 13:55"))
    casino.load_lists()
    casino.tick()
    draw = casino.engine.draws.get("silverstar/playtime/2023-10-14/first")
    assert (None if draw is None else draw.state.terms["places"]) == next_saturday


def test_ss_c24_a_feed_last_heard_five_minutes_ago_selects_nobody_and_says_so(casinos: Casinos) -> None:
    """SS-C24"""
    casino = at_twelve_past_two(casinos)
    casino.at("13:59:59")
    first = casino.moments(ONE)[0]
    casino.silent.add("tables-1")
    casino.go(first)
    casino.go(first + 300_000)
    casino.silent.clear()
    assert {entry.data["reason"] for entry in casino.said("selection.postponed")} >= {"stale_feed"}
    (reason,) = selecting.reasons_not_to_select(casino.engine, casino.draw(ONE), casino.clock.now())
    assert (reason.code, reason.feed) == ("SS_FEED_STALE", "tables-1")
    silent = (casino.clock.now() - casino.said("feed.stale")[0].at) // 1000
    assert "was last heard" in reason.sentence
    assert silent > 200
    assert casino.said("feed.stale")[0].data == {"feed": "tables-1"}
