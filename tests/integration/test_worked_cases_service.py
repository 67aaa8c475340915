"""The worked cases of sections 1.1 to 1.3 through the service: the published rule book, the log and the tables."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from casino import (
    AISHA,
    FIRST,
    JOHAN,
    LERATO,
    PIETER,
    SECOND,
    SIGNED_HEADER,
    SIPHO,
    THANDI,
    THANDI_SECOND,
    Casino,
    Session,
    book_toml,
    iso,
    jhb,
)

from draw_engine import verdicts
from draw_engine.errors import Refused
from draw_engine.service import opening, selecting
from draw_engine.service.ports import codes

Casinos = Callable[..., Casino]
SILVERSTAR = (Path(__file__).parents[2] / "config" / "rule_books" / "silverstar-playtime.toml").read_bytes()
ONE, TWO = "bonus-jackpot-1", "bonus-jackpot-2"
HOUR = 3_600_000


def at_the_stage(casinos: Casinos, **said: object) -> Casino:
    """Lerato plays alone and has been selected for the first award of the small book."""
    casino = casinos(now="13:59:40", **said)
    casino.load_lists()
    casino.rated(LERATO)
    casino.send()
    casino.tick()
    casino.go(casino.moments()[0])
    return casino


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


def test_the_pool_at_twelve_past_two(casinos: Casinos) -> None:
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


def test_a_seed_that_selects_lerato_records_her_table_and_seat(casinos: Casinos) -> None:
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


def test_two_cards_are_one_chance(casinos: Casinos) -> None:
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


def test_an_empty_pool_invents_no_winner(casinos: Casinos) -> None:
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


def test_a_feed_last_heard_five_minutes_ago_selects_nobody_and_says_so(casinos: Casinos) -> None:
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


# -- 1.3 device, 90 seconds, register --------------------------------------------------------------------------


def test_found_at_the_device_and_paid(casinos: Casinos) -> None:
    """SS-C30"""
    casino = at_the_stage(casinos)
    casino.go(casino.clock.now() + 95_000)
    casino.found(ordinal=0)
    casino.go(casino.clock.now() + 60_000)
    casino.end("confirmed", ordinal=0, prize=75_000)
    claim = casino.draw().state.claims[0]
    assert (claim.outcome, claim.prize, claim.announced_at) == ("confirmed", 75_000, None)
    casino.tick()
    casino.finish("14:11")


WINDOW = [
    pytest.param(89_900, True, id="SS-C32"),
    pytest.param(90_000, True, id="SS-C33"),
    pytest.param(90_001, False, id="SS-C34"),
]


@pytest.mark.parametrize(("after", "in_time"), WINDOW)
def test_ninety_seconds_to_the_millisecond(casinos: Casinos, after: int, *, in_time: bool) -> None:
    casino = at_the_stage(casinos)
    at = casino.clock.now()
    casino.announce()
    casino.go(at + after)
    if in_time:
        casino.present()
        casino.go(at + 140_000)  # the check of the identity ends later and counts (SS-C43)
        casino.end("confirmed", ordinal=0, prize=75_000)
        assert casino.draw().state.claims[0].outcome == "confirmed"
    else:
        with pytest.raises(Refused, match="SS_LATE_AFTER_90S"):
            casino.present()
        casino.go(at + 90_250)
        assert casino.draw().state.claims[0].outcome == "expired"
        again = casino.said("selection.postponed", "selection.made")[-1]
        assert again.data["after"] == 0
    casino.finish("14:20")


def test_a_no_show_in_the_register_is_held_not_drawn_again(casinos: Casinos) -> None:
    """SS-C35"""
    casino = at_the_stage(casinos)
    casino.load_lists(register=f"{SIGNED_HEADER}{LERATO},{iso(jhb('13:20'))},0820000001\n")
    casino.go(casino.announce() + 250)
    assert casino.draw().state.claims[0].outcome == "held"
    assert casino.draw().state.places[1].state == "filled"
    casino.finish("14:11")
    assert [entry.data["after"] for entry in casino.said("selection.made")] == [None, None, None]


def test_nothing_is_drawn_on_a_guest_s_behalf_before_the_announcement_and_its_end(casinos: Casinos) -> None:
    """SS-C37"""
    casino = at_the_stage(casinos)
    casino.load_lists(register=f"{SIGNED_HEADER}{LERATO},{iso(jhb('13:20'))},0820000001\n")
    with pytest.raises(Refused, match="X_CLAIM_STATE"):
        casino.end("held")
    deadline = casino.announce()
    casino.go(deadline)
    with pytest.raises(Refused, match="X_CLAIM_STATE"):
        casino.end("held")
    casino.go(deadline + 250)
    assert casino.draw().state.claims[0].outcome == "held"
    casino.finish("14:11")


@pytest.mark.parametrize("signed", [False, True], ids=["SS-C38", "SS-C39"])
def test_somebody_else_on_the_card_is_re_selected_at_once_register_or_not(casinos: Casinos, *, signed: bool) -> None:
    casino = at_the_stage(casinos)
    if signed:
        casino.load_lists(register=f"{SIGNED_HEADER}{LERATO},{iso(jhb('13:20'))},0820000001\n")
    casino.end("not_rightful_card")
    casino.tick()
    assert not casino.said("claim.announced")
    assert casino.said("selection.postponed")[-1].data["after"] == 0  # Lerato was alone: nobody is left for this award
    assert casino.said("selection.postponed")[-1].at == casino.said("claim.not_rightful_card")[0].at
    casino.finish("14:41")


def test_a_card_of_another_at_the_stage_is_re_selected(casinos: Casinos) -> None:
    """SS-C42"""
    casino = at_the_stage(casinos)
    casino.announce()
    casino.go(casino.clock.now() + 60_000)
    casino.present()
    casino.end("not_rightful_card")
    casino.tick()
    assert casino.said("selection.postponed", "selection.made")[-1].data["after"] == 0
    casino.finish("14:41")


def test_an_exclusion_entered_after_the_selection_is_found_before_the_prize(casinos: Casinos) -> None:
    """SS-C47"""
    casino = at_the_stage(casinos)
    casino.found()
    casino.load_lists(exclusions=f"member,category,from,to,source\n{LERATO},refusal_of_entry,2023-10-07,,desk\n")
    with pytest.raises(Refused, match=r"SS_REFUSAL_OF_ENTRY: .*ineligible"):
        casino.end("confirmed", prize=75_000)
    casino.end("ineligible")
    casino.tick()
    assert casino.said("selection.postponed", "selection.made")[-1].data["after"] == 0
    casino.finish("14:41")


AFTER_END = [
    pytest.param("last_pool", True, id="SS-C48"),
    pytest.param("carry", False, id="SS-C48-carry"),
    pytest.param("none", False, id="SS-C48-none"),
]


@pytest.mark.parametrize(("after_end", "selected"), AFTER_END)
def test_a_re_selection_after_the_end_is_from_the_last_pool_without_who_failed(
    casinos: Casinos, after_end: str, *, selected: bool
) -> None:
    book = SILVERSTAR.replace(b'after_end = "last_pool"', f'after_end = "{after_end}"'.encode())
    casino = casinos(book=book, now="15:50", stale_after_ms=3 * HOUR)
    casino.load_lists()
    casino.rated(LERATO)
    casino.rated(PIETER, seat="5")
    casino.send()
    casino.tick()  # opened late: the thirty-five parts lie between 15:50:01 and 16:00
    while casino.moments(ONE):
        casino.clock.set(casino.moments(ONE)[0])
        casino.tick()
        if casino.moments(ONE):
            casino.pay(ONE)
    last = casino.draw(ONE).state.pools[-1].id
    loser = casino.draw(ONE).rows[34].person
    casino.clock.set(jhb("16:00:30"))
    deadline = casino.announce(ONE)
    assert deadline == jhb("16:02")
    casino.clock.set(deadline + 250)
    casino.tick()
    if selected:
        assert casino.said("pool.frozen")[-1].data["basis"] == last
        assert casino.draw(ONE).rows[35].person == ({LERATO, PIETER} - {loser}).pop()
        casino.pay(ONE)
        casino.tick()
    lapses = [entry.data["reason"] for entry in casino.said("selection.lapsed")]
    assert lapses == {"last_pool": [], "carry": ["carried"], "none": ["unfilled"]}[after_end]
    assert casino.draw(ONE).state.closed_at == deadline + 250


def test_after_the_second_session_an_empty_last_pool_leaves_the_award_unfilled(casinos: Casinos) -> None:
    """SS-C48"""
    casino = casinos(book=SILVERSTAR, now="19:59", stale_after_ms=3 * HOUR)
    casino.load_lists()
    casino.rated(LERATO)
    casino.send()
    casino.tick()
    while casino.moments(TWO):
        casino.clock.set(casino.moments(TWO)[0])
        casino.tick()
        if casino.moments(TWO):
            casino.pay(TWO)
    deadline = casino.announce(TWO)
    casino.clock.set(deadline + 250)
    casino.tick()
    (lapsed,) = casino.said("selection.lapsed")
    assert lapsed.data["reason"] == "unfilled"
    assert casino.draw(TWO).state.closed_at == deadline + 250


def test_signing_while_the_window_is_open_is_too_late(casinos: Casinos) -> None:
    """SS-C49"""
    casino = at_the_stage(casinos)
    deadline = casino.announce()
    casino.go(casino.clock.now() + 10_000)
    casino.load_lists(register=f"{SIGNED_HEADER}{LERATO},{iso(casino.clock.now())},0820000001\n")
    casino.go(deadline + 250)
    assert casino.draw().state.claims[0].outcome == "expired"
    casino.finish("14:41")


def test_the_third_attempt_fills_the_award_and_counts_once(casinos: Casinos) -> None:
    """SS-C50"""
    casino = casinos(now="13:59:40")
    casino.load_lists()
    for seat, member in enumerate((LERATO, THANDI, PIETER)):
        casino.rated(member, seat=str(seat))
    casino.send()
    casino.tick()
    casino.go(casino.moments()[0])
    for _ in range(2):
        casino.go(casino.announce() + 250)
    place = casino.draw().state.places[1]
    attempt = place.ordinals[-1]
    casino.pay(ordinal=attempt)
    assert (place.state, len(place.ordinals)) == ("filled", 3)
    assert len({casino.draw().rows[n].person for n in place.ordinals}) == 3
    assert opening.taken(casino.engine, casino.books[0].rules, "jackpot", date(2023, 10, 7)).day >= 1
    running = len(casino.draw().state.running())
    assert opening.taken(casino.engine, casino.books[0].rules, "jackpot", date(2023, 10, 7)).day == 1 + running
    casino.tick()
    casino.finish("14:11")


def test_a_registered_guest_who_does_not_play_is_never_selected(casinos: Casinos) -> None:
    """SS-C61"""
    casino = casinos()
    casino.load_lists(register=f"{SIGNED_HEADER}{PIETER},{iso(jhb('13:20'))},0820000001\n")
    casino.rated(LERATO)
    casino.at("13:59")
    casino.finish("14:11")
    assert {row.person for row in casino.draw().rows.values()} == {LERATO}
    kept = casino.engine.store.verdicts(casino.draw().state.id)[0][2]
    assert verdicts.find(kept, PIETER) == []
