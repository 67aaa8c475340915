"""Lock-outs: five wrong ones a place, longer each time; elsewhere never locks a tablet in the crew's hands."""

from __future__ import annotations

import pytest

from kiosk.sign_in.tries import FIRST_LOCK_MS, LONGEST_LOCK_MS, TRIES_A_MINUTE, WRONG_ALLOWED, Tries

TABLET, ELSEWHERE = "a1b2c3d4", "elsewhere"


def wrong(tries: Tries, times: int, *, place: str = TABLET, now: int = 0) -> int | None:
    until = None
    for _ in range(times):
        until = tries.wrong("kabelo", place, now)
    return until


def test_the_fifth_wrong_one_locks_for_a_minute() -> None:
    tries = Tries()
    assert wrong(tries, 4) is None
    assert tries.locked_until("kabelo", TABLET, 0) is None
    assert wrong(tries, 1) == 60_000
    assert tries.locked_until("kabelo", TABLET, 59_999) == 60_000
    assert tries.locked_until("kabelo", TABLET, 60_000) is None


def test_each_lock_is_twice_as_long_up_to_an_hour() -> None:
    tries, now, found = Tries(), 0, []
    for _ in range(9):
        until = wrong(tries, WRONG_ALLOWED, now=now)
        assert until is not None
        found.append(until - now)
        now = until
    assert found == [60_000, 120_000, 240_000, 480_000, 960_000, 1_920_000, 3_600_000, 3_600_000, 3_600_000]
    assert (found[0], found[-1]) == (FIRST_LOCK_MS, LONGEST_LOCK_MS)


def test_guesses_out_there_do_not_lock_the_tablet() -> None:
    tries = Tries()
    wrong(tries, 50, place=ELSEWHERE)
    assert tries.locked_until("kabelo", ELSEWHERE, 0) is not None
    assert tries.locked_until("kabelo", TABLET, 0) is None


def test_a_right_one_forgets_the_wrong_ones() -> None:
    tries = Tries()
    wrong(tries, 4)
    tries.right("kabelo", TABLET)
    assert wrong(tries, 4) is None


def test_a_day_later_the_wrong_ones_are_forgotten() -> None:
    tries = Tries()
    wrong(tries, 4)
    assert tries.wrong("kabelo", TABLET, 24 * 3_600_000) is None


def test_a_manager_unlocks_everywhere() -> None:
    tries = Tries()
    wrong(tries, 5)
    wrong(tries, 5, place=ELSEWHERE)
    assert tries.locked(1) == {"kabelo": 60_000}
    tries.unlock("kabelo")
    assert tries.locked(1) == {}
    assert tries.locked_until("kabelo", TABLET, 1) is None


def test_an_address_may_ask_so_often_a_minute() -> None:
    tries = Tries()
    assert [tries.may_ask("10.0.0.9", 0) for _ in range(TRIES_A_MINUTE + 1)] == [True] * TRIES_A_MINUTE + [False]
    assert tries.may_ask("10.0.0.8", 0)
    assert not tries.may_ask("10.0.0.9", 59_999)
    assert tries.may_ask("10.0.0.9", 60_000)


def test_a_flood_of_names_and_addresses_takes_no_memory() -> None:
    tries = Tries()
    for n in range(30_000):
        tries.wrong(f"nobody-{n}", ELSEWHERE, 0)
        tries.may_ask(f"10.{n}", 0)
    assert len(tries._counts) <= 10_000
    assert len(tries._asked) <= 10_000


@pytest.mark.parametrize("back", [-1, -3_600_000])
def test_a_clock_that_goes_back_lets_nobody_ask_for_ever(back: int) -> None:
    tries = Tries()
    for _ in range(TRIES_A_MINUTE + 1):
        tries.may_ask("10.0.0.9", 0)
    assert tries.may_ask("10.0.0.9", back)


def test_one_device_has_one_count_however_many_addresses_of_ipv6_it_takes() -> None:
    tries = Tries()
    asked = [tries.may_ask(f"2001:db8:1:2::{n:x}", 0) for n in range(TRIES_A_MINUTE + 1)]
    assert asked == [True] * TRIES_A_MINUTE + [False]
    assert tries.may_ask("2001:db8:1:3::1", 0)
    assert [tries.may_ask(one, 0) for one in ("10.0.0.9", "::ffff:10.0.0.9")] == [True, True]


def test_guesses_at_numbers_that_nobody_has_do_not_end_a_lock_out() -> None:
    tries = Tries()
    until = wrong(tries, WRONG_ALLOWED, place=ELSEWHERE)
    for n in range(10_001):
        tries.wrong(f"nobody-{n}", ELSEWHERE, 0, known=False)
    assert tries.locked_until("kabelo", ELSEWHERE, 0) == until


def test_a_number_that_nobody_has_is_locked_out_like_any_other() -> None:
    tries = Tries()
    found = [tries.wrong("nobody", ELSEWHERE, 0, known=False) for _ in range(WRONG_ALLOWED)]
    assert found == [None] * 4 + [FIRST_LOCK_MS]
    assert tries.locked_until("nobody", ELSEWHERE, 0) == FIRST_LOCK_MS
