"""Lapses of a session; duplicates, order and lapses of an electronic draw: one forged fault each."""

from __future__ import annotations

import pytest
from verify_forger import (
    DICE,
    PEOPLE,
    Forger,
    a_session,
    an_electronic_draw,
    assert_fails,
    assert_holds,
    failing,
    first_won,
)
from verify_forger_arithmetic import ref, time

END = 1200
LATENESS = 2
RETRY = 30
FIXED = {"how": "fixed", "start": time(600), "end": time(700), "at": [time(600), time(690)]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("record")


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
