"""Claims and a core that was down (R4, X-13): settled within the start in the order of the deadlines, never revived.

Down over a deadline, a claim waits for two people; down and back within the window it just goes on.
"""

from __future__ import annotations

import pytest
from casino import Casino
from claim_steps import ON_SQLITE, TWO, Casinos, move, rows_agree
from desk_words import desk_casino
from people_words import AISHA, LERATO, THANDI
from small_book import Session, book_toml

from draw_engine.claim_moves import stage_of
from draw_engine.errors import Refused
from draw_engine.service import house, reviews

SECOND, HOUR = 1_000, 3_600_000
ANNOUNCED = {2: 40 * SECOND, 0: 50 * SECOND, 1: 65 * SECOND}
"""Ordinal -> how long before the core goes down it was announced; deadlines in this order reversed."""
DOWNTIMES = [
    500,
    1_900,
    24_999,
    25_000,  # the first deadline in the same millisecond
    25_250,
    39_000,
    45_000,
    49_999,
    60_000,
    10 * 60 * SECOND,
    2 * HOUR,
    24 * HOUR,
    7 * 24 * HOUR,
]


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    """Five claims run: three announced, one found, one that nobody has taken."""
    made = desk_casino(casinos, now="13:59:40", book=book_toml(Session("first", "14:00", "14:10", awards=5)))
    for seat, member in enumerate((LERATO, THANDI, AISHA)):
        made.rated(member, seat=str(seat))
    made.send()
    made.tick()
    while made.moments():
        made.go(made.moments()[0])
    move(made, "take", ordinal=3)
    move(made, "found", ordinal=3)
    begun = made.clock.now()
    for ordinal, before in sorted(ANNOUNCED.items(), key=lambda pair: -pair[1]):
        made.go(begun + 65 * SECOND - before)
        made.announce(ordinal=ordinal)
    made.go(begun + 65 * SECOND)
    return made


def down(casino: Casino, how_long: int) -> int:
    """The core is down so long; it starts again. Gives how many entries there were before."""
    before = len(casino.log())
    casino.clock.set(casino.clock.now() + how_long)
    casino.restart()
    house.start_log(casino.engine, "test")
    return before


@ON_SQLITE
@pytest.mark.parametrize("how_long", DOWNTIMES)
def test_a_claim_whose_time_ran_out_meanwhile_waits_for_two_people(casino: Casino, how_long: int) -> None:
    deadlines = {n: casino.draw().state.claims[n].deadline_at or 0 for n in ANNOUNCED}
    before = down(casino, how_long)
    back = casino.clock.now()
    over = [n for n in sorted(ANNOUNCED, key=deadlines.__getitem__) if deadlines[n] <= back]
    started = casino.log()[before:]
    assert started[0].kind == "core.started"
    assert {entry.at for entry in started} == {back}
    told = [(entry.data["ordinal"], entry.data["reason"]) for entry in started if entry.kind == "claim.review"]
    assert told == [(n, "SS_TIMER_INTERRUPTED") for n in over]
    rows_agree(casino)
    casino.tick()
    casino.send()
    stages = {claim.ordinal: stage_of(claim) for claim in casino.draw().state.claims[:5]}
    assert stages == {n: "review" if n in over else "announced" for n in ANNOUNCED} | {3: "found", 4: "selected"}
    for n in over:
        code = "SS_LATE_AFTER_90S" if back > deadlines[n] else "X_CLAIM_STATE"
        with pytest.raises(Refused, match=code):
            casino.present(ordinal=n)
    for n in set(ANNOUNCED) - set(over):  # those just go on, with what is left of their window
        assert casino.draw().state.claims[n].deadline_at == deadlines[n]
        casino.present(ordinal=n)
    _decided(casino, over)
    _to_the_end(casino)


DECISIONS = (("absent", "expired"), ("present", "presented"), ("again", "not_there"))


def _decided(casino: Casino, over: list[int]) -> None:
    casino.go(casino.clock.now() + SECOND)
    for n, (decision, stage) in zip(over, DECISIONS, strict=False):
        said = TWO | {"now": casino.clock.now()}
        assert reviews.decide(casino.engine, casino.draw(), n, decision, **said) == stage
    rows_agree(casino)


def _to_the_end(casino: Casino) -> None:
    """Whoever runs is found or presents, and is paid; the draw closes, and its record verifies when the test ends."""
    state = casino.draw().state
    for _ in range(60):
        for claim in state.running():
            if stage_of(claim) == "not_there":
                casino.announce(ordinal=claim.ordinal)
            casino.pay(ordinal=claim.ordinal)
        if casino.draw().state.closed_at is not None:
            break
        casino.go(casino.clock.now() + 30 * SECOND)
        state = casino.draw().state
    assert state.closed_at is not None
    assert all(claim.outcome in {"confirmed", "expired"} for claim in state.claims)
    rows_agree(casino)


def test_down_a_second_time_what_waits_for_two_people_still_waits_and_is_told_once(casino: Casino) -> None:
    down(casino, 120 * SECOND)
    down(casino, 7 * 24 * HOUR)
    assert len(casino.said("claim.review")) == 3
    assert [stage_of(casino.draw().state.claims[n]) for n in ANNOUNCED] == ["review"] * 3
    casino.tick()
    casino.send()
    _decided(casino, [2, 0, 1])
    _to_the_end(casino)


def test_announced_again_and_down_again_it_waits_again(casino: Casino) -> None:
    down(casino, 120 * SECOND)
    casino.tick()
    casino.send()
    for n in ANNOUNCED:
        reviews.decide(casino.engine, casino.draw(), n, "again", **(TWO | {"now": casino.clock.now()}))
        casino.announce(ordinal=n)
    down(casino, 90 * SECOND)
    told = [entry.data["ordinal"] for entry in casino.said("claim.review")]
    assert sorted(told[3:]) == [0, 1, 2]
    casino.tick()
    casino.send()
    _decided(casino, [0, 1, 2])
    _to_the_end(casino)


def test_dead_between_a_deadline_and_its_expiry_a_press_may_have_been_lost(casino: Casino) -> None:
    """A tablet that pressed in time was not answered: two people decide, though the core was back at once."""
    first = min(casino.draw().state.claims[n].deadline_at or 0 for n in ANNOUNCED)
    casino.go(first + 249)
    down(casino, 1)
    (entry,) = casino.said("claim.review")
    assert entry.at == first + 250
    casino.tick()
    casino.send()
    _decided(casino, [entry.data["ordinal"]])
    for n in set(ANNOUNCED) - {entry.data["ordinal"]}:
        casino.present(ordinal=n)
    _to_the_end(casino)
