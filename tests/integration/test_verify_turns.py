"""Moments, tries, re-selections, lapses, duplicates and the order of places: one forged fault each."""

from __future__ import annotations

import pytest
from verify_forger import (
    DICE,
    PEOPLE,
    Forger,
    a_session,
    a_won_session,
    an_electronic_draw,
    assert_fails,
    assert_holds,
    failing,
)
from verify_forger_arithmetic import ref, time

END = 1200
LATENESS = 2
RETRY = 30
FIXED = {"how": "fixed", "start": time(600), "end": time(700), "at": [time(600), time(690)]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("record")


def first_won(**terms):
    """A session whose first place is won; the second moment is still to come."""
    draw = a_session(**terms)
    draw.win(draw.select(moment=0))
    return draw


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


# Lapses of a session


def lapsed_moment(reason="session_end", *, at=float(END), tries=None, **more):
    """The second moment is postponed until the end of the session and lapses then."""
    draw = first_won()
    moment = draw.moment(1)
    tries = int((at - moment) // RETRY) + 1 if tries is None else tries
    for n in range(tries):
        draw.postpone("paused", moment=1, at=moment + n * RETRY)
    draw.lapse(reason, moment=1, at=at, **more)
    return draw


def last_due():
    """When the second moment's first try at or after the end is due."""
    moment = a_session().moment(1)
    return moment + (int((END - moment) // RETRY) + 1) * RETRY


def test_a_moment_lapses_at_the_end_or_when_next_due(folder):
    report = assert_holds(lapsed_moment(), folder)
    assert any("1 lapsed: 1 session_end" in notice for notice in report.notices)
    assert_holds(lapsed_moment(at=last_due() + LATENESS, tries=int((END - a_session().moment(1)) // RETRY) + 1), folder)


def test_a_moment_lapses_before_the_end(folder):
    assert_fails(lapsed_moment(at=END - 0.001), folder, "lapses", "came before the end of the session")


def test_a_moment_lapses_without_a_try(folder):
    draw = a_session(moments=FIXED)
    draw.win(draw.select(moment=0, at=600))
    draw.lapse("session_end", moment=1, at=700)
    assert_fails(draw, folder, "lapses", "was never tried")


def test_a_moment_lapses_late(folder):
    draw = lapsed_moment(at=last_due() + LATENESS + 0.001, tries=int((END - a_session().moment(1)) // RETRY) + 1)
    assert_fails(draw, folder, "lapses", "came late")


def test_a_moment_lapses_for_a_reselection_s_reason(folder):
    assert_fails(lapsed_moment("unfilled"), folder, "lapses", "cannot lapse for the reason unfilled")


def test_a_carried_award(folder):
    draw = lapsed_moment("carried", to="forged/next")
    draw.log("draw.opened", {}, draw="forged/next", withheld=True)
    assert_holds(draw, folder)


def test_an_award_carried_to_a_draw_that_had_opened(folder):
    draw = lapsed_moment("carried", to="forged/next")
    draw.entries.insert(
        5, draw.entries[4] | {"kind": "draw.opened", "draw": "forged/next", "data": {}, "withheld": True}
    )
    assert_fails(draw, folder, "lapses", "it is carried to forged/next, which had opened in entry 6")


@pytest.mark.parametrize("to", ["forged/draw", "forged/morning"])
def test_an_award_carried_to_no_later_draw(folder, to):
    draw = Forger(carried=[{"place": 1, "from": "forged/morning"}]).open()
    draw.win(draw.select(moment=0))
    moment = draw.moment(1)
    for n in range(int((END - moment) // RETRY) + 1):
        draw.postpone("paused", moment=1, at=moment + n * RETRY)
    draw.lapse("carried", moment=1, at=END, to=to)
    assert_fails(draw, folder, "lapses", "which is no later draw")


def lapsed_reselection(reason="unfilled", *, judged=True, wait=0.0, **more):
    """The second place's winner fails after the end and nobody is left."""
    draw = a_session(moments=FIXED)
    draw.win(draw.select(moment=0, at=600))
    failed = draw.no_show(draw.select(moment=1, at=690, people=["ann"]))
    if judged:
        draw.judge_nobody()
    draw.lapse(reason, after=failed, at=draw.now + wait, **more)
    return draw


def test_a_reselection_lapses_when_nobody_is_left(folder):
    assert_holds(lapsed_reselection(), folder)
    assert_holds(lapsed_reselection("carried", to="forged/next"), folder)


def test_a_reselection_lapses_without_an_empty_pool(folder):
    assert_fails(lapsed_reselection(judged=False), folder, "lapses", "no empty pool was judged in its millisecond")
    assert_fails(lapsed_reselection(wait=0.001), folder, "lapses", "no empty pool was judged in its millisecond")


def test_a_reselection_lapses_for_a_moment_s_reason(folder):
    assert_fails(lapsed_reselection("session_end"), folder, "lapses", "cannot lapse for the reason session_end")


def test_a_reselection_lapses_before_the_end(folder):
    draw = a_session()
    failed = draw.no_show(draw.select(moment=0, people=["ann"]))
    draw.judge_nobody()
    draw.lapse("unfilled", after=failed, at=draw.now)
    draw.win(draw.select(moment=1))
    assert_fails(draw, folder, "lapses", "came before the end of the session")


def test_a_reselection_lapses_late(folder):
    draw = a_session(moments=FIXED)
    draw.win(draw.select(moment=0, at=600))
    failed = draw.no_show(draw.select(moment=1, at=690))
    draw.now += LATENESS + 0.001
    draw.judge_nobody()
    draw.lapse("unfilled", after=failed, at=draw.now)
    assert_fails(draw, folder, "lapses", "came late")


# An electronic draw: duplicates, order, lapses


def won_duplicate(*, logged=True, of=0):
    """Two people, and the second place draws the winner of the first until the other one comes."""
    draw = an_electronic_draw(["ann", "ben"])
    draw.win(draw.select(1))
    after = None
    while True:
        ordinal = draw.select(2, after=after, claim=False)
        if draw.ref_of(ordinal) != draw.ref_of(0):
            draw.claim("opened", ordinal)
            draw.win(ordinal)
            return draw
        if logged:
            draw.duplicate(ordinal, of)
        else:
            draw.claim("opened", ordinal)
            draw.claim("ineligible", ordinal, prize=None)
        after = ordinal


def test_duplicates_are_passed_over(folder):
    draw = won_duplicate()
    assert draw.entry("selection.duplicate")  # the forger's seed makes at least one
    report = assert_holds(draw, folder)
    assert any("drew a reference again (duplicate)" in notice for notice in report.notices)


def test_a_duplicate_that_was_given_a_claim_instead(folder):
    assert_fails(won_duplicate(logged=False), folder, "duplicates", "drew the reference of ordinal 0 again")


def test_a_duplicate_of_the_wrong_ordinal(folder):
    assert_fails(won_duplicate(of=1), folder, "duplicates", "repeats ordinal 0, not 1")


def test_a_duplicate_that_is_none(folder):
    draw = an_electronic_draw()
    draw.duplicate(draw.select(1, claim=False), 0)
    draw.win(draw.select(1, after=0))
    draw.win(draw.select(2))
    assert_fails(draw, folder, "duplicates", "its reference had not been drawn before")


def test_a_duplicate_logged_twice_or_before_its_selection(folder):
    twice, before = won_duplicate(), won_duplicate()
    twice.entries.append(twice.entry("selection.duplicate"))
    twice.entries[-1] = twice.entries[-1] | {"at": time(twice.now)}
    assert "a duplicate again" in failing(twice.verified(folder))["duplicates"]
    entry = before.entry("selection.duplicate")
    before.drop("selection.duplicate")
    before.entries.insert(before.entries.index(before.entry("selection.made", 1)), entry)
    assert "which was not selected before" in failing(before.verified(folder))["duplicates"]


def test_a_session_has_no_duplicates(folder):
    draw = a_session()
    draw.duplicate(draw.select(moment=0, claim=False), 0)
    draw.win(draw.select(after=0))
    draw.win(draw.select(moment=1))
    assert "a session has no duplicates" in failing(draw.verified(folder))["duplicates"]


def test_places_out_of_order(folder):
    draw = an_electronic_draw()
    draw.win(draw.select(2))
    draw.win(draw.select(1))
    assert_fails(draw, folder, "order", "takes place 2 while place 1 is untouched")


def test_the_next_place_while_the_one_before_runs(folder):
    draw = an_electronic_draw()
    first = draw.select(1)
    draw.win(draw.select(2))
    draw.win(first)
    assert_fails(draw, folder, "order", "takes place 2 while place 1 is running")


def test_the_next_place_before_a_reselection(folder):
    draw = an_electronic_draw()
    failed = draw.no_show(draw.select(1))
    draw.win(draw.select(2))
    draw.win(draw.select(after=failed))
    says = failing(draw.verified(folder))
    assert "takes place 2 while place 1 is failed" in says["order"]


def test_a_later_place_before_the_reselection_that_a_void_asks_for(folder):
    draw = an_electronic_draw([f"person {i}" for i in range(16)], places=[1, 2, 3])
    first = draw.win(draw.select(1))
    draw.win(draw.select(2))
    draw.void(first, reselect=True)
    draw.win(draw.select(3))
    draw.win(draw.select(after=first))
    assert_fails(draw, folder, "order", "takes place 3 before the re-selection of place 1")


def test_a_place_taken_twice(folder):
    draw = an_electronic_draw()
    draw.win(draw.select(1))
    draw.win(draw.select(1))
    draw.win(draw.select(2))
    says = failing(draw.verified(folder))
    assert "takes place 1 for the first time, though it is settled" in says["order"]
    assert "place 1 was filled 2 times" in says["outcomes"]


def test_a_place_never_taken(folder):
    draw = an_electronic_draw()
    draw.win(draw.select(1))
    assert_fails(draw, folder, "order", "place 2 is untouched at the close")


def test_a_place_that_is_not_the_draw_s(folder):
    draw = an_electronic_draw((*PEOPLE, "fay"))
    draw.win(draw.select(1))
    draw.win(draw.select(2))
    draw.win(draw.select(3))
    says = failing(draw.verified(folder))
    assert "is for place 3, which the terms do not have" in says["selections"]


def test_the_rest_lapses_when_everybody_was_drawn(folder):
    draw = an_electronic_draw(["ann"])
    draw.win(draw.select(1))
    again = draw.select(2, claim=False)
    draw.duplicate(again, 0)
    draw.log("selection.lapsed", {"place": 2, "moment": None, "after": again, "reason": "unfilled"})
    assert_holds(draw, folder)


@pytest.mark.parametrize(
    ("more", "says"), [({"reason": "session_end"}, "only as unfilled"), ({"place": 9}, "do not have")]
)
def test_a_lapse_that_an_electronic_draw_has_not(folder, more, says):
    draw = an_electronic_draw(["ann"])
    draw.win(draw.select(1))
    draw.log("selection.lapsed", {"place": 2, "moment": None, "after": None, "reason": "unfilled"} | more)
    found = failing(draw.verified(folder))
    assert says in found["lapses"]


def test_a_lapse_while_somebody_is_left(folder):
    draw = an_electronic_draw()
    draw.win(draw.select(1))
    draw.log("selection.lapsed", {"place": 2, "moment": None, "after": None, "reason": "unfilled"})
    assert_fails(draw, folder, "lapses", "1 different references were drawn of 5")


def test_a_lapse_as_never_selected_of_a_place_that_was(folder):
    draw = an_electronic_draw(["ann"])
    draw.win(draw.select(1))
    draw.duplicate(draw.select(2, claim=False), 0)
    draw.log("selection.lapsed", {"place": 2, "moment": None, "after": None, "reason": "unfilled"})
    assert_fails(draw, folder, "order re-selections", "lapses place 2 as never selected, though it was")


def test_free_kinds_have_no_bearing(folder):
    draw = an_electronic_draw()
    draw.log("envelope.drawn", {"place": "first", "ordinal": [1], "after": {}, "moment": "now"})
    draw.log("selection.shown", {"ordinal": None})
    draw.log("claim.taken", {"claim": 3})
    draw.win(draw.select(1))
    draw.win(draw.select(2))
    draw.log("prize.handed_over", {})
    assert_holds(draw, folder)


def test_a_certified_draw(folder):
    draw = an_electronic_draw()
    draw.win(draw.select(1))
    draw.win(draw.select(2))
    draw.log("draw.certified", {"by": "witness:2", "profession": "attorney", "number": "0" * 64}, actor="witness:2")
    assert_holds(draw, folder)


def test_the_forger_s_people_are_told_apart():
    assert len({ref(person) for person in PEOPLE}) == len(PEOPLE)
    assert len(DICE) == 20
