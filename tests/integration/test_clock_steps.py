"""The wall clock is set while claims run: their ninety seconds are the steady clock's, nothing is dated back (R3)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from random import Random  # noqa: TID251 - where the clock is put; nothing of the engine's is drawn from it

import pytest
from casino import HOUR, PULSE_MS, Casino, Session, book_toml, jhb, seat_everybody
from live_claims import LiveClaims, ended, set_wall, until
from two_clocks import TwoClocks, on_two_clocks

from draw_engine.claim_moves import stage_of
from draw_engine.clock import SLOWER
from draw_engine.draw_state import Claim
from draw_engine.errors import Refused
from draw_engine.service import claims, house
from draw_engine.service.engine import OpenDraw

WINDOW, GRACE, RETRY = 90_000, 250, 30_000
STEPS = [-HOUR, -30_000, -1_001, -1_000, 1_000, 1_001, 30_000, HOUR]
LIMIT = 1_000
"""Wall and steady clock may differ by this much (draw record, "clock")."""

Casinos = Callable[..., Casino]


@pytest.fixture
def busy(casinos: Casinos) -> Casino:
    """A selection every half minute, so that one always falls into a claim's window."""
    made = casinos(book=book_toml(Session("first", "14:00", "14:10", awards=20)))
    made.load_lists()
    seat_everybody(made)
    made.at("13:59:55")
    return made


def first_announced(casino: Casino, clock: TwoClocks) -> tuple[Claim, int]:
    """The first claim, announced; and the steady clock then."""
    casino.go(casino.moments()[0])
    casino.announce(ordinal=0)
    return casino.draw().state.claims[0], clock.steady


def in_order(casino: Casino) -> None:
    at = [entry.at for entry in casino.log()]
    assert at == sorted(at)


@pytest.mark.parametrize("when", [1, 45_000, 89_999, 90_001])
@pytest.mark.parametrize("step", STEPS)
def test_a_step_within_the_ninety_seconds_changes_nothing_about_them(busy: Casino, step: int, when: int) -> None:
    clock = on_two_clocks(busy)
    claim, begun = first_announced(busy, clock)
    busy.go(clock.now() + when)
    clock.step(step)
    busy.go(clock.now() + WINDOW + GRACE - 1 - when)
    assert (clock.steady - begun, stage_of(claim)) == (WINDOW + GRACE - 1, "announced")
    busy.go(clock.now() + 1)
    assert (clock.steady - begun, stage_of(claim)) == (WINDOW + GRACE, "expired")
    assert claim.ended_at == (claim.announced_at or 0) + WINDOW + GRACE
    in_order(busy)
    clock.set_right()
    busy.finish("14:15")


@pytest.mark.parametrize("step", STEPS)
def test_a_selection_meanwhile_is_put_off_and_the_step_is_logged_when_no_claim_runs(busy: Casino, step: int) -> None:
    clock = on_two_clocks(busy)
    claim, _ = first_announced(busy, clock)
    clock.step(step)
    before = len(busy.log())
    busy.go(claim.deadline_at or 0)
    told = busy.log()[before:]
    tried = [entry.data.get("reason", "made") for entry in told if entry.kind.startswith("selection.")]
    assert len(tried) >= 2
    assert set(tried) == {"clock" if abs(step) > LIMIT else "made"}
    assert not busy.said("clock.stepped")
    if abs(step) > LIMIT:
        assert {reason.code for reason in _reasons(busy)} == {"X_CLOCK_UNSYNCED"}
    busy.pay_running()
    busy.go(clock.now() + 1)
    stepped = busy.said("clock.stepped")
    assert [entry.data for entry in stepped] == ([{"by_ms": step}] if abs(step) > LIMIT else [])
    in_order(busy)
    clock.set_right()
    busy.finish("14:15")


def _reasons(casino: Casino) -> list[house.selecting.Reason]:
    return house.selecting.reasons_not_to_select(casino.engine, casino.draw(), casino.clock.now())


def test_a_clock_put_back_does_not_stop_time_and_selections_go_on_when_it_has_caught_up(busy: Casino) -> None:
    clock = on_two_clocks(busy)
    first_announced(busy, clock)
    busy.present(ordinal=0)
    clock.step(-30_000)
    busy.pay_running()
    busy.go(clock.now() + 1)
    taken_over, steady = clock.now(), clock.steady
    made = len(busy.said("selection.made"))
    # 30 s are made up in 40 of real time, of which this clock shows ten: less the second that is allowed.
    busy.go(taken_over + 9_600)
    assert clock.steady - steady == SLOWER * 9_600
    assert (len(busy.said("selection.made")), clock.disagreement()) == (made, -30_000 + 3 * 9_600)
    busy.go(taken_over + 9_700)
    assert abs(clock.disagreement()) <= LIMIT
    assert abs(clock.now() - clock.wall) <= LIMIT
    busy.go(taken_over + 9_700 + RETRY)
    assert clock.steady - steady == SLOWER * 9_700 + RETRY
    assert len(busy.said("selection.made")) > made
    assert len(busy.said("clock.stepped")) == 1
    busy.finish("14:15")


def test_put_back_by_an_hour_time_goes_on_all_the_same_and_the_step_is_told_once(busy: Casino) -> None:
    """The session comes to its end: what could not be selected in it is carried, not kept for ever."""
    clock = on_two_clocks(busy)
    clock.step(-HOUR)
    busy.go(clock.now() + 1)
    begun = clock.steady
    busy.at("14:11")
    assert clock.steady - begun <= SLOWER * (jhb("14:11") - jhb("13:59"))
    assert [entry.data for entry in busy.said("clock.stepped")] == [{"by_ms": -HOUR}]
    assert not busy.said("selection.made")
    assert {entry.data["reason"] for entry in busy.said("selection.lapsed")} <= {"carried", "session_end"}
    assert busy.draw().state.closed_at is not None
    in_order(busy)


def test_wrong_and_set_right_again_it_costs_no_more_than_the_time_between(busy: Casino) -> None:
    clock = on_two_clocks(busy)
    busy.go(clock.now() + 1_000)
    clock.step(-HOUR)
    busy.tick()
    busy.go(clock.now() + 10_000)
    clock.step(HOUR)
    busy.go(clock.now() + 1)
    # In those 40 s this clock went 10; the 30 it lacks are a step forward, and told as one.
    assert [entry.data["by_ms"] for entry in busy.said("clock.stepped")] == [-HOUR, pytest.approx(30_000, abs=10)]
    assert clock.disagreement() == 0
    busy.go(clock.now() + 2 * RETRY)
    assert busy.said("selection.made")
    busy.finish("14:15")


def test_a_claim_that_is_selected_while_the_last_second_is_made_up_has_whole_seconds(busy: Casino) -> None:
    clock = on_two_clocks(busy)
    busy.go(busy.moments()[0] - 300)
    clock.step(-1_200)
    busy.tick()
    busy.go(busy.moments()[0])
    while not busy.draw().state.claims:
        busy.go(clock.now() + RETRY)
    busy.tick()
    busy.announce(ordinal=0)
    begun = clock.steady
    busy.go((busy.draw().state.claims[0].deadline_at or 0) + GRACE)
    assert clock.steady - begun == WINDOW + GRACE
    assert busy.draw().state.claims[0].outcome == "expired"
    busy.finish("14:15")


@pytest.mark.parametrize("step", [-HOUR, -30_000])
def test_started_again_behind_what_is_written_down_claims_end_in_time_and_time_goes_on(busy: Casino, step: int) -> None:
    clock = on_two_clocks(busy)
    claim, begun = first_announced(busy, clock)
    busy.go(clock.now() + 20_000)
    busy.clock = TwoClocks(clock.now() + step)  # type: ignore[assignment]
    busy.restart()
    house.start_log(busy.engine, "test")
    again = busy.clock
    assert isinstance(again, TwoClocks)
    unknown = clock.now() - again.now()  # since something was last written down: a wrong clock cannot tell it
    assert 0 <= unknown <= PULSE_MS
    busy.go((claim.deadline_at or 0) + GRACE)
    claim = busy.draw().state.claims[0]
    assert (clock.steady - begun + again.steady, claim.outcome) == (WINDOW + GRACE + unknown, "expired")
    busy.pay_running()
    busy.go(again.now() + 1_000)
    assert [entry.data["by_ms"] for entry in busy.said("clock.stepped")] == [step + unknown]
    in_order(busy)
    again.set_right()
    busy.finish("14:15")


# -- a thousand jumps -------------------------------------------------------------------------------------------------

CLAIMS, JUMPS = 20, 1_000


@pytest.mark.parametrize("seed", ["a", "b"])
def test_a_thousand_jumps_move_no_deadline_and_change_no_answer(busy: Casino, seed: str) -> None:
    """Each claim expires at 90.250 s of steady time, or its guest presents by 90.000 s; 90.001 s is late."""
    chance = Random(seed)
    busy.at("14:10")
    clock = on_two_clocks(busy)
    draw = busy.draw()
    running = draw.state.running()
    assert len(running) == CLAIMS
    announced = {claim.ordinal: 2_000 * n for n, claim in enumerate(running)}
    presses = {ordinal: at + _stamp(chance) for ordinal, at in announced.items() if chance.random() < 0.5}
    begun, last = clock.steady, 2_000 * CLAIMS + WINDOW + GRACE
    acts = [(at, "announce", ordinal) for ordinal, at in announced.items()]
    acts += [(at, "press", ordinal) for ordinal, at in presses.items()]
    acts += [(chance.randrange(last), "jump", 0) for _ in range(JUMPS)]
    ends = [at + WINDOW + GRACE + n for at in announced.values() for n in (-1, 0)]
    acts += [(at, "look", 0) for at in ends]
    for at, group in itertools.groupby(sorted(acts), key=lambda act: act[0]):
        clock.passes(begun + at - clock.steady)
        for _, what, ordinal in group:
            if what == "jump":
                clock.step(chance.choice([-HOUR, HOUR, -30_000, 30_000, -1_000, 1_000, chance.randint(-HOUR, HOUR)]))
            elif what == "announce":
                busy.announce(ordinal=ordinal)
            elif what == "press":
                _presses(busy, draw, ordinal, late=at - announced[ordinal] > WINDOW)
        busy.tick()
        for ordinal, since in announced.items():
            passed = at - since
            if passed >= 0:
                in_time = ordinal in presses and presses[ordinal] - since <= WINDOW and at >= presses[ordinal]
                expected = "presented" if in_time else "expired" if passed >= WINDOW + GRACE else "announced"
                assert stage_of(draw.state.claims[ordinal]) == expected, (ordinal, passed)
    assert not busy.said("clock.stepped")
    in_order(busy)
    clock.set_right()
    busy.finish("14:20")


def _stamp(chance: Random) -> int:
    return chance.choice([chance.randrange(1, WINDOW), WINDOW - 1, WINDOW, WINDOW + 1, WINDOW + GRACE - 1])


def _presses(casino: Casino, draw: OpenDraw, ordinal: int, *, late: bool) -> None:
    at = casino.clock.now()
    said = {"actor": "stage:zanele", "stamped_at": at, "now": at}
    if not late:
        claims.present(casino.engine, draw, ordinal, **said)
        return
    with pytest.raises(Refused, match="SS_LATE_AFTER_90S"):
        claims.present(casino.engine, draw, ordinal, **said)


# -- summer time ------------------------------------------------------------------------------------------------------

ZONES = [
    pytest.param("Europe/Berlin", "2023-10-29 02:59:30", ("02:50", "03:05"), id="an hour twice"),
    pytest.param("Australia/Lord_Howe", "2024-04-06 16:59:30", ("01:50", "02:05"), id="half an hour twice"),
    pytest.param("Europe/Berlin", "2024-03-31 02:59:30", ("01:50", "03:10"), id="an hour that there is not"),
]


@pytest.mark.parametrize(("zone", "announced", "session"), ZONES)
def test_ninety_seconds_over_the_change_to_or_from_summer_time(
    casinos: Casinos, zone: str, announced: str, session: tuple[str, str]
) -> None:
    """`announced`: by the clock of Johannesburg, thirty seconds before the zone's clocks are put on or back."""
    book = book_toml(Session("first", *session, awards=40)).decode()
    for old, new in {
        'zone = "Africa/Johannesburg"': f'zone = "{zone}"',
        'day_starts_at = "06:00"': 'day_starts_at = "00:00"',
        'weekdays = ["sat"]': 'weekdays = ["sun"]',
        "to = 2023-12-09": "to = 2024-12-09",
    }.items():
        assert book.count(old) == 1, old
        book = book.replace(old, new)
    casino = casinos(book=book.encode(), list_age_hours={})
    at = jhb(announced)
    casino.clock.set(at - HOUR)
    casino._pulse = casino.clock.now()
    clock = on_two_clocks(casino)
    casino.load_lists()
    for feed in casino.settings.feeds:  # a new gaming day: each tells what it knows
        casino.tell("snapshot", feed=feed, sessions=[])
    seat_everybody(casino)
    while casino.clock.now() < at - 15 * 60_000:
        casino.go(casino.clock.now() + 60_000)
    casino.go(at)
    (draw,) = casino.engine.draws.values()
    claim = draw.state.running()[0]
    who = {"actor": "crew:kabelo", "now": at}
    claims.take(casino.engine, draw, claim.ordinal, **who)
    claims.not_there(casino.engine, draw, claim.ordinal, **who)
    deadline = claims.announce(casino.engine, draw, claim.ordinal, **who)
    begun = clock.steady
    casino.go(deadline + GRACE - 1)
    assert (clock.steady - begun, stage_of(claim)) == (WINDOW + GRACE - 1, "announced")
    casino.go(deadline + GRACE)
    assert (clock.steady - begun, stage_of(claim)) == (WINDOW + GRACE, "expired")
    assert not casino.said("clock.stepped")
    in_order(casino)


# -- a served core ----------------------------------------------------------------------------------------------------

SHORT = 6
"""Seconds of a claim's window where real time passes."""


@pytest.mark.parametrize("step", [-HOUR, -6_000, HOUR])
def test_a_served_core_whose_wall_clock_is_set_within_the_window(tmp_path: Path, step: int) -> None:
    live = LiveClaims(tmp_path, seconds=SHORT)
    core = live.start_moved()
    with ended(core), live.seated():
        ordinal, deadline = live.announced()
        set_wall(core, step)
        _, at, _, _ = live.wait_for("claim.expired", "claim.review", ordinal=ordinal)
        # A busy machine is late, or stands still for two seconds; by the step it would be off by six, or by an hour.
        assert deadline + GRACE <= at < deadline + GRACE + 5_500
        (announced,) = live.entries("claim.announced", ordinal=ordinal)
        assert deadline - announced[1] == SHORT * 1_000
        _pay_nobody(live)
        told_as, _, _, told = live.wait_for("clock.stepped")
        assert told["by_ms"] == pytest.approx(step, abs=100)
        if step > 0:  # the session is over by then: what was not selected in it is told as an outage first of all
            following = until(lambda: next(iter(live.entries()[told_as:]), None))
            assert (following[2], following[3].get("reason")) == ("selection.postponed", "outage")
        else:
            set_wall(core, 0)
            made = len(live.entries("selection.made"))
            until(lambda: len(live.entries("selection.made")) > made or None)
    at_all = [entry[1] for entry in live.entries()]
    assert at_all == sorted(at_all)
    live.log_holds()


def _pay_nobody(live: LiveClaims) -> None:
    """Every claim that runs is voided by two people: no claim runs any more."""
    two = {"by": "nomvula", "second": "themba", "reason": "the clock was wrong", "reselect": False}
    for (ordinal,) in live.asked("SELECT ordinal FROM claims WHERE ended_at IS NULL"):
        assert live.post("/claims/void", draw=live.draw, ordinal=ordinal, **two).status_code == 200
