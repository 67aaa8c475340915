"""The engine's clock: it runs by the steady one, never goes back, and comes near a wall clock that was put back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draw_engine.clock import SLOWER, SteadyClock

NOON, HOUR, MS = 1_696_672_800_000, 3_600_000, 1_000_000


class Machine:
    """Two clocks of a machine, in ms."""

    def __init__(self) -> None:
        self.wall, self.steady = NOON, 77_000
        self.clock = SteadyClock(wall=lambda: self.wall * MS, steady=lambda: self.steady * MS)

    def passes(self, ms: int) -> None:
        self.wall += ms
        self.steady += ms


@pytest.mark.parametrize("step", [-HOUR, -30_000, -1_000, 1_000, 30_000, HOUR])
def test_a_step_of_the_wall_clock_changes_nothing_until_it_is_taken_over(step: int) -> None:
    machine = Machine()
    machine.passes(10_000)
    machine.wall += step
    machine.passes(80_250)
    assert machine.clock.now() == NOON + 90_250
    assert machine.clock.disagreement() == step


def test_a_wall_clock_put_forward_is_taken_over_at_once() -> None:
    machine = Machine()
    machine.wall += HOUR
    machine.clock.reanchor()
    assert (machine.clock.now(), machine.clock.disagreement(), machine.clock.nearing) == (NOON + HOUR, 0, False)


def test_time_runs_on_slower_until_a_wall_clock_that_was_put_back_has_caught_up() -> None:
    machine = Machine()
    machine.passes(5_000)
    machine.wall -= 30_000
    machine.clock.reanchor()
    assert (machine.clock.now(), machine.clock.disagreement(), machine.clock.nearing) == (NOON + 5_000, -30_000, True)
    machine.passes(4_000)
    assert (machine.clock.now(), machine.clock.disagreement()) == (NOON + 5_000 + 4_000 // SLOWER, -27_000)
    machine.passes(36_000)  # 30 s are made up in 40
    assert (machine.clock.now(), machine.clock.disagreement(), machine.clock.nearing) == (machine.wall, 0, False)
    machine.passes(1_000)
    assert machine.clock.now() == machine.wall


def test_it_can_go_on_at_true_pace_before_that() -> None:
    machine = Machine()
    machine.wall -= HOUR
    machine.clock.reanchor()
    machine.passes(4_000)
    machine.clock.go_on_from(machine.clock.now())
    at = machine.clock.now()
    machine.passes(90_250)
    assert (machine.clock.now() - at, machine.clock.nearing) == (90_250, False)
    assert machine.clock.disagreement() == -HOUR + 3_000


def test_going_on_from_an_earlier_instant_loses_nothing_however_often() -> None:
    steady = [0]
    clock = SteadyClock(wall=lambda: NOON * MS + steady[0], steady=lambda: steady[0])
    for _ in range(10_000):
        steady[0] += 333_333
        clock.go_on_from(clock.now())
    assert clock.now() == NOON + 3_333


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("passes"), st.integers(0, 100_000)),
            st.tuples(st.just("step"), st.integers(-2 * HOUR, 2 * HOUR)),
            st.tuples(st.just("reanchor"), st.just(0)),
            st.tuples(st.just("go on"), st.just(0)),
        ),
        max_size=30,
    )
)
def test_it_never_goes_back_never_stands_still_and_says_how_far_off_the_wall_is(
    moves: list[tuple[str, int]],
) -> None:
    machine = Machine()
    before = machine.clock.now()
    for what, ms in moves:
        if what == "passes":
            machine.passes(ms)
            assert machine.clock.now() - before >= ms // SLOWER - 1
        elif what == "step":
            machine.wall += ms
        elif what == "reanchor":
            machine.clock.reanchor()
        else:
            machine.clock.go_on_from(machine.clock.now())
        assert machine.clock.now() >= before
        assert abs(machine.wall - machine.clock.now() - machine.clock.disagreement()) <= 1
        before = machine.clock.now()
