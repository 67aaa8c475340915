"""Moments, tries, the outage and its queue, and re-selections: one forged fault each."""

from __future__ import annotations

import pytest
from verify_forger import (
    PEOPLE,
    Forger,
    a_session,
    a_won_session,
    assert_fails,
    assert_holds,
    failing,
    first_won,
)
from verify_forger_arithmetic import time

END = 1200
LATENESS = 2
RETRY = 30
FIXED = {"how": "fixed", "start": time(600), "end": time(700), "at": [time(600), time(690)]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("record")


# Moments


def test_fixed_moments(folder):
    draw = a_session(moments=FIXED)
    draw.win(draw.select(moment=0, at=600))
    draw.win(draw.select(moment=1, at=690))
    assert_holds(draw, folder)


def test_a_moment_used_twice(folder):
    draw = a_won_session()
    draw.win(draw.select(moment=0, at=draw.now))
    says = failing(draw.verified(folder))
    assert "is for moment 0, which entry 6 (selection.made) had ended" in says["moments"]


def test_a_moment_that_was_neither_used_nor_lapsed(folder):
    assert_fails(first_won(), folder, "moments", "moment 1 (place 2) was neither used nor lapsed")


def test_a_moment_at_another_s_place(folder):
    draw = first_won()
    draw.win(draw.select(place=1, moment=1, people=PEOPLE))
    assert_fails(draw, folder, "moments outcomes", "moment 1 is of place 2, not 1")


def test_a_moment_that_does_not_exist(folder):
    draw = a_won_session()
    draw.win(draw.select(place=2, moment=2, at=draw.now))
    assert_fails(draw, folder, "moments outcomes", "is for moment 2; there are 2, from 0")


def test_a_moment_that_lapsed_and_was_used(folder):
    draw = first_won()
    draw.postpone("paused", moment=1, at=draw.moment(1))
    draw.lapse("session_end", moment=1, at=END)
    draw.win(draw.select(moment=1, at=END + 1))
    says = failing(draw.verified(folder))
    assert "is for moment 1, which entry 11 (selection.lapsed) had ended" in says["moments"]


# Tries: due times and lateness


@pytest.mark.parametrize("late", [0, LATENESS])
def test_a_try_within_the_lateness(folder, late):
    draw = first_won()
    draw.win(draw.select(moment=1, at=draw.moment(1) + late))
    assert_holds(draw, folder)


@pytest.mark.parametrize(("late", "says"), [(LATENESS + 0.001, "came late"), (-0.001, "came early")])
def test_a_try_that_is_late_or_early(folder, late, says):
    draw = first_won()
    draw.win(draw.select(moment=1, at=draw.moment(1) + late))
    assert_fails(draw, folder, "times", says)


@pytest.mark.parametrize(("late", "says"), [(LATENESS + 0.001, "came late"), (-0.001, "came early")])
def test_a_postponement_that_is_late_or_early(folder, late, says):
    draw = first_won()
    draw.postpone("paused", moment=1, at=draw.moment(1) + late)
    draw.win(draw.select(moment=1, at=draw.now + RETRY))
    assert_fails(draw, folder, "times", says)


@pytest.mark.parametrize("reason", ["stale_feed", "empty_pool", "clock", "paused"])
def test_postponed_and_tried_again_after_the_retry(folder, reason):
    draw = first_won()
    for tries in range(3):
        draw.postpone(reason, moment=1, at=draw.moment(1) + tries * RETRY)
    draw.win(draw.select(moment=1, at=draw.now + RETRY))
    report = assert_holds(draw, folder)
    assert any(f"3 postponed: 3 {reason}" in notice for notice in report.notices)


@pytest.mark.parametrize(("wait", "says"), [(RETRY - 0.001, "came early"), (RETRY + LATENESS + 0.001, "came late")])
def test_a_retry_at_the_wrong_time(folder, wait, says):
    draw = first_won()
    draw.postpone("paused", moment=1, at=draw.moment(1))
    draw.win(draw.select(moment=1, at=draw.now + wait))
    assert_fails(draw, folder, "times", says)


@pytest.mark.parametrize("wait", [0, LATENESS])
def test_a_reselection_is_due_when_its_failure_is_logged(folder, wait):
    draw = a_session()
    failed = draw.no_show(draw.select(moment=0))
    draw.win(draw.select(after=failed, at=draw.now + wait))
    draw.win(draw.select(moment=1))
    assert_holds(draw, folder)


def test_a_late_reselection(folder):
    draw = a_session()
    failed = draw.no_show(draw.select(moment=0))
    draw.win(draw.select(after=failed, at=draw.now + LATENESS + 0.001))
    draw.win(draw.select(moment=1))
    assert_fails(draw, folder, "times", "of the re-selection after ordinal 0")


# An outage and the queue after it


def outage(*, down=100.0, alive=None, wait=RETRY):
    """The second moment falls into an outage; `alive`: seconds after it at which the log has an entry all the same."""
    draw = first_won()
    moment = draw.moment(1)
    if alive is not None:
        draw.now = moment + alive
        draw.log("feed.up", {"feed": "cms-1"}, draw=None)
    draw.postpone("outage", moment=1, at=moment + down)
    draw.win(draw.select(moment=1, at=draw.now + wait))
    return draw


@pytest.mark.parametrize("alive", [None, 1, LATENESS, 98, 100])
def test_an_outage_excuses_the_first_late_act(folder, alive):
    assert_holds(outage(alive=alive), folder)


@pytest.mark.parametrize("alive", [LATENESS + 0.001, 50, 97.999])
def test_an_outage_during_which_the_log_went_on(folder, alive):
    assert_fails(outage(alive=alive), folder, "times", "but entry 10 at")


def test_an_outage_that_withheld_entries_belie(folder):
    draw = outage(alive=50)
    draw.entry("feed.up")["withheld"] = True
    assert_fails(draw, folder, "times", "was logged in it")


def test_an_outage_excuses_only_the_first_act(folder):
    assert_fails(outage(wait=RETRY + LATENESS + 0.001), folder, "times", "came late")


def test_an_outage_for_something_not_overdue(folder):
    assert_fails(outage(down=0), folder, "times", "though it was tried when due")


THREE = {"how": "fixed", "start": time(600), "end": time(1200), "at": [time(600), time(610), time(620)]}


def queue(order=(0, 1, 2), *, downtime=True, reason="queue", gap=RETRY):
    """Three moments fall into an outage; afterwards one is taken every `gap` seconds, the others queue."""
    draw = Forger(moments=THREE, places=[1, 2, 3]).open()
    start = 1000 if downtime else 600
    for n in range(3):
        draw.postpone("outage" if downtime else "paused", moment=n, at=start if downtime else start + 10 * n)
    if not downtime:
        start = 620
    waiting, at = list(order), start + RETRY
    while waiting:
        taken = waiting.pop(0)
        draw.select(moment=taken, at=at)
        for n in sorted(waiting):
            draw.postpone(reason, moment=n, at=at)
        at += gap
    for ordinal in range(3):
        draw.win(ordinal, 1)
    return draw


def test_a_queue_after_an_outage(folder):
    report = assert_holds(queue(), folder)
    assert any("6 postponed: 3 outage, 3 queue" in notice for notice in report.notices)


@pytest.mark.parametrize(
    ("order", "says"), [((1, 0, 2), "moment 1 was taken before it"), ((0, 2, 1), "moment 2 was taken")]
)
def test_the_oldest_moment_goes_first(folder, order, says):
    assert_fails(queue(order), folder, "times", says)


def test_a_queue_without_an_outage(folder):
    draw = a_session(moments=FIXED | {"at": [time(600), time(610)]})
    draw.select(moment=0, at=600)
    draw.postpone("queue", moment=1, at=610)
    draw.win(0, 1)
    draw.win(draw.select(moment=1, at=640))
    assert_fails(draw, folder, "times", "though there was no outage before")


def test_a_queue_behind_nothing(folder):
    draw = first_won()
    draw.postpone("outage", moment=1, at=draw.moment(1) + 3)
    draw.postpone("queue", moment=1, at=draw.now + RETRY)
    draw.win(draw.select(moment=1, at=draw.now + RETRY))
    assert_fails(draw, folder, "times", "though no selection was made less than 30000 ms before")


@pytest.mark.parametrize(("first", "fails"), [("re-selection", False), ("moment", True)])
def test_reselections_go_first(folder, first, fails):
    draw = a_session(moments=FIXED | {"end": time(1200), "at": [time(600), time(650)]})
    failed = draw.select(moment=0, at=600)
    draw.now = 620
    draw.claim("not_rightful_card", failed, prize=None)
    back = 900
    draw.postpone("outage", after=failed, at=back)
    draw.postpone("outage", moment=1, at=back)
    turns = [{"after": failed}, {"moment": 1}]
    now, later = turns if first == "re-selection" else turns[::-1]
    draw.select(**now, at=back + RETRY)
    draw.postpone("queue", **later, at=back + RETRY)
    draw.select(**later, at=back + 2 * RETRY)
    draw.win(1, 1)
    draw.win(2, 1)
    if fails:
        assert_fails(draw, folder, "times", "moment 1 was taken before it")
    else:
        assert_holds(draw, folder)


# Re-selections


def test_a_failure_without_reselection(folder):
    draw = a_session()
    draw.no_show(draw.select(moment=0))
    draw.win(draw.select(moment=1))
    assert_fails(draw, folder, "re-selections", "ordinal 0 (place 1) failed in entry 9 (claim.expired)")


@pytest.mark.parametrize("ending", ["not_rightful_card", "ineligible"])
def test_other_failures_need_one_as_well(folder, ending):
    draw = a_session()
    failed = draw.select(moment=0)
    draw.claim(ending, failed, 5, prize=None)
    draw.win(draw.select(moment=1))
    assert_fails(draw, folder, "re-selections", "and has neither re-selection nor lapse")


@pytest.mark.parametrize(("reselect", "then"), [(True, False), (False, True)])
def test_a_void_says_whether_there_is_a_reselection(folder, reselect, then):
    draw = a_session()
    voided = draw.select(moment=0)
    draw.void(voided, reselect=reselect)
    if then:
        draw.win(draw.select(after=voided))
    draw.win(draw.select(moment=1))
    says = "which had not failed before" if then else "has neither re-selection nor lapse"
    assert_fails(draw, folder, "re-selections", says)


def test_a_void_that_gives_the_place_up(folder):
    draw = a_session()
    draw.void(draw.select(moment=0), reselect=False)
    draw.win(draw.select(moment=1))
    report = assert_holds(draw, folder)
    assert any("1 voided" in notice for notice in report.notices)


def test_a_reselection_at_another_place(folder):
    draw = a_session()
    failed = draw.no_show(draw.select(moment=0))
    draw.win(draw.select(place=2, after=failed, people=PEOPLE))
    draw.win(draw.select(moment=1))
    assert_fails(draw, folder, "re-selections outcomes", "is for place 2; ordinal 0 was for 1")


def test_two_reselections_of_one_failure(folder):
    draw = a_session()
    failed = draw.no_show(draw.select(moment=0))
    draw.void(draw.select(after=failed), reselect=False, wait=0)
    draw.win(draw.select(after=failed))
    draw.win(draw.select(moment=1))
    assert_fails(draw, folder, "re-selections", "follows ordinal 0, which entry 12 (selection.made) had followed")


def test_a_reselection_after_a_win(folder):
    draw = first_won()
    draw.win(draw.select(after=0))
    draw.win(draw.select(moment=1))
    assert_fails(draw, folder, "re-selections outcomes", "follows ordinal 0, which had not failed before")


def test_a_reselection_before_its_failure(folder):
    draw = a_session()
    failed = draw.select(moment=0)
    draw.win(draw.select(after=failed, people=PEOPLE))
    draw.no_show(failed)
    draw.win(draw.select(moment=1))
    says = failing(draw.verified(folder))
    assert "which had not failed before" in says["re-selections"]


def test_a_reselection_after_an_ordinal_that_never_was(folder):
    draw = a_won_session()
    draw.win(draw.select(place=2, after=7, at=draw.now))
    assert_fails(draw, folder, "re-selections outcomes", "follows ordinal 7, which had not failed before")
