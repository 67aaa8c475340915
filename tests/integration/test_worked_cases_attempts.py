"""Worked cases SS-C48 and SS-C50: a re-selection after the session's end, and an award's third attempt."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from claim_steps import Casinos
from people_words import LERATO, PIETER, THANDI, jhb

from draw_engine.service import opening

SILVERSTAR = (Path(__file__).parents[2] / "config" / "rule_books" / "silverstar-playtime.toml").read_bytes()
ONE, TWO = "bonus-jackpot-1", "bonus-jackpot-2"
HOUR = 3_600_000

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


def test_after_the_first_session_an_empty_last_pool_carries_the_award_to_the_second(casinos: Casinos) -> None:
    """SS-C48"""
    casino = casinos(book=SILVERSTAR, now="15:59", stale_after_ms=3 * HOUR)
    casino.load_lists()
    casino.rated(LERATO)
    casino.send()
    casino.tick()
    while casino.moments(ONE):
        casino.clock.set(casino.moments(ONE)[0])
        casino.tick()
        if casino.moments(ONE):
            casino.pay(ONE)
    deadline = casino.announce(ONE)
    casino.clock.set(deadline + 250)
    casino.tick()
    (lapsed,) = casino.said("selection.lapsed")
    assert (lapsed.data["reason"], lapsed.data["to"]) == ("carried", casino.draw(ONE).state.id.replace(ONE, TWO))
    casino.clock.set(jhb("17:45"))
    casino.tick()
    assert len(casino.draw(TWO).state.places) == 36


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
