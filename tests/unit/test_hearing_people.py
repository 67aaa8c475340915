"""Whether anybody could press at a deadline: beats of the core, pages of the stage, presses that wait (X-13, A22)."""

from __future__ import annotations

import pytest

from draw_engine.errors import Refused
from kiosk.hearing_people import COMES_BACK_MS, Beats, Presented, StageEar, WaitingPresses

DEADLINE = 1_000_000


def beats(*at: int) -> Beats:
    made = Beats()
    for one in at:
        made.note(one)
    return made


@pytest.mark.parametrize(
    ("noted", "now", "missed"),
    [
        pytest.param(range(DEADLINE - 5_000, DEADLINE + 400, 200), DEADLINE + 250, False, id="it beat all along"),
        pytest.param((DEADLINE - 30_000,), DEADLINE + 60_000, True, id="it stood still from before until after"),
        pytest.param((DEADLINE - 1_999,), DEADLINE + 0, False, id="a gap of less than two seconds"),
        pytest.param((DEADLINE - 1_500,), DEADLINE + 500, True, id="a gap of two seconds"),
        pytest.param((DEADLINE + 10, DEADLINE + 210), DEADLINE + 250, False, id="started after it: the start decides"),
        pytest.param((DEADLINE - 90_000, DEADLINE - 100, DEADLINE + 100), DEADLINE + 250, False, id="an old gap"),
        pytest.param((DEADLINE - 100, DEADLINE + 100), DEADLINE + 90_000, False, id="a gap that came later"),
    ],
)
def test_a_core_that_stood_still_at_the_deadline_took_no_presses(
    noted: range | tuple[int, ...], now: int, *, missed: bool
) -> None:
    assert beats(*noted).missed(DEADLINE, now) is missed


@pytest.mark.parametrize(
    ("heard", "there"),
    [
        pytest.param((), False, id="never"),
        pytest.param((DEADLINE - 5_001,), False, id="a millisecond too long ago"),
        pytest.param((DEADLINE - 5_000,), True, id="five seconds before"),
        pytest.param((DEADLINE,), True, id="at the deadline"),
        pytest.param((DEADLINE + 1,), False, id="after it"),
        pytest.param((DEADLINE - 60_000, DEADLINE - 10, DEADLINE + 240), True, id="all along"),
    ],
)
def test_the_stage_was_heard_within_five_seconds_of_the_deadline(heard: tuple[int, ...], *, there: bool) -> None:
    ear = StageEar()
    for at in heard:
        ear.heard(at)
    assert ear.was_there(DEADLINE) is there


def test_a_simulated_announcer_is_always_there() -> None:
    ear = StageEar()
    ear.always = True
    assert ear.was_there(DEADLINE)


def pressed(ordinal: int, at: int, *, number: str = "press-0001", draw: str = "draw") -> Presented:
    return Presented(number, draw, ordinal, at)


def test_a_press_waits_for_its_own_claim_and_only_when_it_was_in_time() -> None:
    waiting = WaitingPresses()
    late = pressed(4, DEADLINE + 1, number="press-0002")
    with waiting.held(pressed(3, DEADLINE)), waiting.held(late), waiting.held(None):
        assert waiting.waits("draw", 3, DEADLINE, DEADLINE)
        assert not waiting.waits("draw", 4, DEADLINE, DEADLINE)
        assert not waiting.waits("draw", 5, DEADLINE, DEADLINE)
        assert not waiting.waits("other", 3, DEADLINE, DEADLINE)
    assert not waiting.waits("draw", 3, DEADLINE, DEADLINE)


def test_a_refused_press_waits_no_more() -> None:
    waiting = WaitingPresses()
    with pytest.raises(Refused), waiting.held(pressed(3, DEADLINE)):
        raise Refused("X_CLAIM_STATE", "No.")
    assert not waiting.waits("draw", 3, DEADLINE, DEADLINE)
    assert not waiting.lost("draw", 3, DEADLINE)


@pytest.mark.parametrize(
    "trouble", [RuntimeError(), Refused("X_TRY_AGAIN", "Again."), Refused("X_CORE_STOPPED", "No.")]
)
def test_a_press_that_found_trouble_is_waited_for_and_its_first_stamp_counts(trouble: Exception) -> None:
    waiting = WaitingPresses()
    with pytest.raises(type(trouble)), waiting.held(pressed(3, DEADLINE - 1_000), lambda: DEADLINE + 4_000):
        raise trouble
    assert waiting.waits("draw", 3, DEADLINE, DEADLINE + 34_000)
    again = waiting.first(pressed(3, DEADLINE + 5_000))
    assert again.stamped_at == DEADLINE - 1_000
    with waiting.held(again, lambda: DEADLINE + 5_000):
        assert waiting.waits("draw", 3, DEADLINE, DEADLINE + 5_000)
    assert not waiting.waits("draw", 3, DEADLINE, DEADLINE + 5_000)
    assert not waiting.lost("draw", 3, DEADLINE)


def test_a_press_of_another_claim_does_not_inherit_a_stamp() -> None:
    waiting = WaitingPresses()
    with pytest.raises(RuntimeError), waiting.held(pressed(3, DEADLINE)):
        raise RuntimeError
    assert waiting.first(pressed(4, DEADLINE + 9)).stamped_at == DEADLINE + 9
    assert waiting.first(pressed(3, DEADLINE + 9, draw="other")).stamped_at == DEADLINE + 9
    assert waiting.first(pressed(3, DEADLINE + 9, number="press-0009")).stamped_at == DEADLINE + 9


def test_a_press_in_time_that_never_came_back_is_for_two_people_to_decide() -> None:
    waiting = WaitingPresses()
    with pytest.raises(RuntimeError), waiting.held(pressed(3, DEADLINE), lambda: DEADLINE):
        raise RuntimeError
    assert waiting.waits("draw", 3, DEADLINE, DEADLINE + COMES_BACK_MS)
    assert not waiting.waits("draw", 3, DEADLINE, DEADLINE + COMES_BACK_MS + 1)
    assert waiting.lost("draw", 3, DEADLINE)
    assert not waiting.lost("draw", 3, DEADLINE - 1)
