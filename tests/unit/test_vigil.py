"""Whether the engine's thread turns: long work and slow disks are waited for, one that stands is not."""

from __future__ import annotations

import os
import threading

import pytest

from kiosk.pulse import Pulse, waits_for_disk
from kiosk.watchdog import DISK_PATIENCE_SECONDS, PATIENCE_SECONDS, Vigil, watchdog_seconds


class Steady:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Watched:
    def __init__(self) -> None:
        self.steady = Steady()
        self.pulse = Pulse(steady=self.steady)
        self.on_disk = False
        self.vigil = Vigil(self.pulse, on_disk=lambda _thread: self.on_disk, steady=self.steady)

    def lives_for(self, seconds: int, *, on_disk: bool = False) -> int:
        """How many of so many looks, one a second, found it alive."""
        self.on_disk = on_disk
        found = 0
        for _ in range(seconds):
            self.steady.now += 1
            found += self.vigil.turns()
        return found


@pytest.fixture
def watched() -> Watched:
    return Watched()


def test_an_engine_that_turns_lives(watched: Watched) -> None:
    for _ in range(200):
        watched.steady.now += 20
        assert watched.vigil.turns()
        with watched.pulse.turn():
            pass


def test_a_long_judging_is_waited_for_and_one_that_never_ends_is_not(watched: Watched) -> None:
    with watched.pulse.turn():
        assert watched.lives_for(29) == 29
        assert watched.lives_for(60) == 0
    assert watched.vigil.turns()


def test_an_engine_that_nobody_wakes_does_not_live(watched: Watched) -> None:
    with watched.pulse.turn():
        pass
    assert watched.lives_for(29) == 29
    assert watched.lives_for(60) == 0


def test_a_slow_disk_is_waited_for_much_longer_but_not_for_ever(watched: Watched) -> None:
    with watched.pulse.turn():
        assert watched.lives_for(599, on_disk=True) == 599
        assert watched.lives_for(60, on_disk=True) == 0


def test_a_disk_that_answers_in_between_is_a_slow_disk_still(watched: Watched) -> None:
    with watched.pulse.turn():
        for _ in range(30):
            assert watched.lives_for(1, on_disk=True) == 1
            assert watched.lives_for(9, on_disk=False) == 9
        assert watched.lives_for(60, on_disk=False) < 12


def test_it_is_more_patient_than_a_locked_database_and_less_than_a_claim() -> None:
    assert 2 * 5 < PATIENCE_SECONDS < 90 < DISK_PATIENCE_SECONDS


def test_a_pulse_counts_turns_and_how_long_they_took(watched: Watched) -> None:
    for seconds in (2, 3):
        with watched.pulse.turn():
            watched.steady.now += seconds
        watched.steady.now += 10
    assert (watched.pulse.turns, watched.pulse.busy_seconds, watched.pulse.silent_seconds) == (2, 5, 10)
    with watched.pulse.turn():
        watched.steady.now += 4
        assert (watched.pulse.busy_seconds, watched.pulse.silent_seconds) == (9, 4)


def test_this_thread_waits_for_no_disk() -> None:
    assert not waits_for_disk(threading.get_native_id())
    assert not waits_for_disk(None)
    assert not waits_for_disk(2**30)


@pytest.mark.parametrize(
    ("environment", "seconds"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "15000000"}, 15.0),
        ({"WATCHDOG_USEC": "15000000", "WATCHDOG_PID": str(os.getpid())}, 15.0),
        ({"WATCHDOG_USEC": "15000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
    ],
)
def test_the_watchdog_is_this_process_s_own(environment: dict[str, str], seconds: float | None) -> None:
    assert watchdog_seconds(environment) == seconds
