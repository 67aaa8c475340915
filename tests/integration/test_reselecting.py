"""Selecting again: after a failure, after the end from the last pool, and never whom the rules leave out."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from casino import Casino, seat_everybody
from people_words import GRACE, LERATO, NALEDI, PIETER, SIPHO, THANDI, THANDI_SECOND, jhb
from small_book import FIRST, SECOND, Session, book_toml

from draw_engine import verdicts
from draw_engine.service import house

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


# -- re-selections ---------------------------------------------------------------------------------------------


def test_a_re_selection_follows_in_the_millisecond_the_claim_ended(casino: Casino) -> None:
    casino.at("13:59")
    casino.go(casino.moments()[0])
    deadline = casino.announce()
    casino.go(deadline + 250)
    (expired,) = casino.said("claim.expired")
    made = casino.said("selection.made")[1]
    assert (made.at, made.data["after"], made.data["place"], made.data["moment"]) == (expired.at, 0, 1, None)
    casino.finish("14:15")


def test_persons_who_failed_are_left_out_of_that_award_with_every_card(casinos: Casinos) -> None:
    """Thandi plays on two cards and is alone: after her failure nobody is left for this award, but for the next."""
    casino = casinos()
    casino.load_lists()
    casino.sits(THANDI_SECOND, "S-0412")
    casino.sits(THANDI, "S-0500")
    casino.at("13:59")
    first, second, _ = casino.moments()
    casino.go(first)
    assert casino.draw().rows[0].person == THANDI
    casino.end("not_rightful_card")
    casino.tick()
    assert tries(casino)[1] == (first, "empty_pool")
    kept = casino.engine.store.verdicts(casino.draw().state.id)[-1][2]
    assert [(v.person, v.code) for v, _ in verdicts.read(kept)] == [(THANDI, "SS_FAILED_THIS_AWARD")]
    casino.go(second)
    made = casino.said("selection.made")[-1]
    assert (made.at, made.data["place"]) == (second, 2)
    casino.pay()
    casino.rated(LERATO)
    casino.go(second + 20_000)
    casino.finish("14:11")
    assert casino.draw().rows[[m.data["after"] for m in casino.said("selection.made")].index(0)].person == LERATO


def test_a_failure_is_remembered_when_the_award_is_carried(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    casino.sits(THANDI, "S-0412")
    casino.at("13:59")
    for at in casino.moments():
        casino.go(at)
        casino.end("ineligible")
        casino.tick()
    casino.at("14:11")
    casino.rated(LERATO)
    casino.at("14:29:59")
    assert casino.draw("second").state.terms["places"] == [1, 2, 3, 4, 5, 6]
    casino.finish("14:41")
    winners = {
        e.data["place"]: casino.draw("second").rows[e.data["ordinal"]].person
        for e in casino.said("selection.made", plan="second")
    }
    assert [winners[place] for place in (1, 2, 3)] == [LERATO] * 3


def test_a_failure_counts_for_its_own_group_of_awards_alone(casinos: Casinos) -> None:
    """Both groups number their awards from 1: failing for one group's award 1 leaves the other's open."""
    other = Session("other", "14:30", "14:40", group="other")
    casino = casinos(book=book_toml(FIRST, other, carry=False, groups=("jackpot", "other")))
    casino.load_lists()
    casino.sits(THANDI, "S-0412")
    casino.at("13:59")
    for at in casino.moments():
        casino.go(at)
        casino.end("ineligible")
        casino.tick()
    casino.at("14:29:59")
    casino.finish("14:41")
    assert [entry.data["place"] for entry in casino.said("selection.made", plan="other")] == [1, 2, 3]


# -- after the end ---------------------------------------------------------------------------------------------


def announced_over_the_end(casino: Casino) -> int:
    """Pay all but the last, announce that one at 14:09:50 or at its moment; returns the instant it expires."""
    casino.at("13:59")
    for at in casino.moments()[:2]:
        casino.go(at)
        casino.pay()
        casino.tick()
    casino.go(max(casino.moments()[0], jhb("14:09:50")))
    return casino.announce() + 250


def test_after_the_end_the_last_pool_before_it_is_the_basis(casino: Casino) -> None:
    expires = announced_over_the_end(casino)
    before = set(pool_members(casino, pool="p2"))
    loser = casino.draw().rows[2].person
    casino.at("14:10")
    for position in list(casino.playing):  # everybody goes home; nobody's play is asked for any more
        casino.leaves(position)
    casino.go(expires)
    made = casino.said("selection.made")[-1]
    assert (made.at, made.data["after"], made.data["pool"]) == (expires, 2, "p3")
    assert casino.said("pool.frozen")[-1].data["basis"] == "p2"
    assert set(pool_members(casino, pool="p3")) == before - {loser}
    row = casino.draw().rows[3]
    assert (row.position, row.card) == {
        THANDI: ("S-0412", "70100001"),
        PIETER: ("S-0088", "70100002"),
        LERATO: ("BJ-03/4", None),
        SIPHO: ("S-0500", "70100004"),
        NALEDI: ("S-0501", "70100007"),
        GRACE: ("S-0502", "70100008"),
    }[row.person]
    casino.pay()
    casino.tick()
    assert casino.draw().state.closed_at == expires
    casino.at("14:41")


def test_before_the_end_a_re_selection_has_no_basis_and_its_pool_is_none(casino: Casino) -> None:
    """The last pool frozen for a moment is the basis, not the last one frozen."""
    casino.at("13:59")
    for at in casino.moments()[:2]:
        casino.go(at)
        casino.pay()
        casino.tick()
    casino.go(casino.moments()[0])
    assert casino.clock.now() < jhb("14:09:55")
    casino.leaves("S-0412")
    casino.send()
    casino.end("not_rightful_card")
    casino.tick()
    again = casino.said("pool.frozen")[-1]
    assert (again.data["id"], again.data["basis"]) == ("p3", None)
    casino.go(max(casino.clock.now(), jhb("14:09:55")))
    expires = casino.announce() + 250
    casino.go(expires)
    assert casino.said("pool.frozen")[-1].data["basis"] == "p2"
    casino.pay()
    casino.at("14:41")


def test_an_exclusion_entered_meanwhile_counts_after_the_end(casino: Casino) -> None:
    expires = announced_over_the_end(casino)
    rest = set(pool_members(casino, pool="p2")) - {casino.draw().rows[2].person}
    gone = min(rest)
    casino.load_lists(exclusions=f"member,category,from,to,source\n{gone},self_excluded,2023-10-07,,desk\n")
    casino.go(expires)
    assert set(pool_members(casino, pool="p3")) == rest - {gone}
    casino.pay()
    casino.at("14:41")


def only_thandi(casinos: Casinos, book: bytes) -> tuple[Casino, int]:
    casino = casinos(book=book)
    casino.load_lists()
    casino.sits(THANDI, "S-0412")
    return casino, announced_over_the_end(casino)


def test_an_empty_pool_after_the_end_is_carried(casinos: Casinos) -> None:
    casino, expires = only_thandi(casinos, book_toml())
    casino.go(expires)
    (lapsed,) = casino.said("selection.lapsed")
    assert lapsed.data == {
        "place": 3,
        "moment": None,
        "after": 2,
        "reason": "carried",
        "to": "silverstar/playtime/2023-10-07/second",
    }
    assert casino.said("pool.judged")[-1].at == lapsed.at == expires
    assert casino.said("pool.judged")[-1].data["pool"] is None
    casino.at("14:26")
    assert casino.draw("second").state.terms["places"] == [3, 4, 5, 6]
    casino.at("14:45")


@pytest.mark.parametrize("book", [book_toml(carry=False), book_toml(FIRST)], ids=["no-carry", "last-session"])
def test_an_empty_pool_after_the_end_leaves_the_award_unfilled(casinos: Casinos, book: bytes) -> None:
    casino, expires = only_thandi(casinos, book)
    casino.go(expires)
    (lapsed,) = casino.said("selection.lapsed")
    assert lapsed.data == {"place": 3, "moment": None, "after": 2, "reason": "unfilled"}
    assert casino.draw().state.closed_at == expires
    casino.at("14:41")


AFTER_END = [
    pytest.param("last_pool", "p3", None, id="last_pool"),
    pytest.param("carry", None, "carried", id="carry"),
    pytest.param("none", None, "unfilled", id="none"),
]


@pytest.mark.parametrize(("after_end", "pool", "reason"), AFTER_END)
def test_what_the_book_says_of_re_selections_after_the_end(
    casinos: Casinos, after_end: str, pool: str | None, reason: str | None
) -> None:
    casino = casinos(book=book_toml(Session("first", "14:00", "14:10", after_end=after_end), SECOND))
    casino.load_lists()
    seat_everybody(casino)
    casino.go(announced_over_the_end(casino))
    assert casino.said("pool.judged")[-1].data["pool"] == pool
    assert [entry.data["reason"] for entry in casino.said("selection.lapsed")] == ([] if reason is None else [reason])
    casino.pay_running()
    casino.tick()
    assert casino.draw().state.closed_at is not None
    casino.at("14:26")
    assert (3 in casino.draw("second").state.terms["places"]) == (reason == "carried")
    casino.finish("14:41")


def test_a_re_selection_that_is_due_just_before_the_end_is_from_the_floor(casino: Casino) -> None:
    casino.at("13:59")
    for at in casino.moments()[:2]:
        casino.go(at)
        casino.pay()
        casino.tick()
    casino.go(max(casino.moments()[0], jhb("14:09:59.999")))
    casino.end("not_rightful_card")
    casino.tick()
    assert casino.said("pool.frozen")[-1].data["basis"] is None
    casino.at("14:10")
    casino.end("not_rightful_card")
    casino.tick()
    assert casino.said("pool.frozen")[-1].data["basis"] == "p2"
    casino.finish("14:41")


def test_suspended_over_the_end_a_re_selection_waits_for_the_resumption(casino: Casino) -> None:
    expires = announced_over_the_end(casino)
    house.suspend(casino.engine, casino.draw(), by="nomvula", second="kabelo", reason="evacuation")
    casino.go(expires + RETRY)
    assert tries(casino)[-2:] == [(expires, "paused"), (expires + RETRY, "paused")]
    house.resume(casino.engine, casino.draw(), by="nomvula", second="kabelo", reason="all clear")
    casino.go(expires + 2 * RETRY)
    assert tries(casino)[-1] == (expires + 2 * RETRY, "made")
    casino.finish("14:41")


# -- limits ----------------------------------------------------------------------------------------------------


def winners(casino: Casino, plan: str) -> list[str]:
    return [casino.draw(plan).rows[n].person for n in sorted(casino.draw(plan).rows)]


LIMITS = [
    pytest.param("[]", 3, 3, id="no-limit"),
    pytest.param('[{ scope = "draw", max = 1 }]', 1, 1, id="a-draw"),
    pytest.param('[{ scope = "day", max = 2 }]', 2, 0, id="a-day"),
    pytest.param('[{ scope = "promotion", max = 4 }]', 3, 1, id="the-promotion"),
    pytest.param('[{ scope = "jackpot", max = 4 }]', 3, 1, id="the-group"),
]


@pytest.mark.parametrize(("limits", "first", "second"), LIMITS)
def test_nobody_wins_more_often_than_a_limit_allows(casinos: Casinos, limits: str, first: int, second: int) -> None:
    sessions = [Session("first", "14:00", "14:10", limits=limits), Session("second", "14:30", "14:40", limits=limits)]
    casino = casinos(book=book_toml(*sessions, carry=False))
    casino.load_lists()
    casino.sits(THANDI, "S-0412")
    casino.at("13:59")
    casino.finish("14:41")
    assert winners(casino, "first") == [THANDI] * first
    assert winners(casino, "second") == [THANDI] * second


@pytest.mark.parametrize(("limits", "again"), [("[]", True), ('[{ scope = "day", max = 1 }]', False)])
def test_a_running_claim_counts_against_a_limit_and_only_there(casinos: Casinos, limits: str, *, again: bool) -> None:
    casino = casinos(book=book_toml(Session("first", "14:00", "14:10", limits=limits)))
    casino.load_lists()
    casino.sits(THANDI, "S-0412")
    casino.at("13:59")
    second = casino.moments()[1]
    casino.go(second)
    assert tries(casino)[-1] == (second, "made" if again else "empty_pool")
    casino.finish("14:11")


def test_a_failed_claim_does_not_count_against_a_limit(casinos: Casinos) -> None:
    casino = casinos(book=book_toml(Session("first", "14:00", "14:10", limits='[{ scope = "day", max = 1 }]')))
    casino.load_lists()
    casino.sits(THANDI, "S-0412")
    casino.at("13:59")
    first, second, _ = casino.moments()
    casino.go(first)
    casino.end("ineligible")
    casino.go(second)
    made = casino.said("selection.made")[-1]
    assert (made.at, casino.draw().rows[made.data["ordinal"]].person) == (second, THANDI)
    casino.finish("14:11")
