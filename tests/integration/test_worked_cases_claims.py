"""The worked cases of section 1.3 through the service: the device, the ninety seconds, the register."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from casino import Casino
from people_words import LERATO, PIETER, SIGNED_HEADER, THANDI, iso, jhb

from draw_engine import verdicts
from draw_engine.errors import Refused
from draw_engine.service import opening

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
