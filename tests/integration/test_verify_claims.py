"""Claims: every ending earned, reviews, presses, deadlines and voids."""

from __future__ import annotations

import pytest
from verify_forger import a_session, assert_fails, assert_holds, failing
from verify_forger_arithmetic import time

WINDOW = 90
ENDINGS = ("confirmed", "refused", "expired", "held", "not_rightful_card", "ineligible")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("record")


class Told:
    """A session whose second place is won at the device; the first place's claim is told by the test."""

    def __init__(self):
        self.draw = a_session()
        self.ordinal = self.draw.select(moment=0)

    def found(self):
        self.draw.claim("found", self.ordinal, 10)
        return self

    def announced(self, wait=10):
        self.draw.announce(self.ordinal, wait)
        return self

    def pressed(self, wait=10, presented=None):
        self.draw.press(self.ordinal, wait, presented=presented)
        return self

    def waited(self, seconds=WINDOW + 0.25):
        self.draw.now += seconds
        return self

    def reviewed(self, decision, by=("manager:1", "stage:2")):
        self.draw.review(self.ordinal, decision, by)
        return self

    def opened_review(self):
        self.draw.claim("review", self.ordinal, 1, reason="SS_STAGE_UNHEARD")
        return self

    def voided(self, *, reselect=False):
        self.draw.void(self.ordinal, reselect=reselect)
        return self

    def ended(self, ending, prize=None):
        prize = 50_000 if ending == "confirmed" and prize is None else prize
        self.draw.claim(ending, self.ordinal, 0, prize=prize)
        return self

    def then(self):
        """What follows, as it must: the re-selection of a failure, and the second place."""
        outcome = self.draw._outcome(self.ordinal)
        last = self.draw._of(self.ordinal)[-1]
        if outcome in ("expired", "not_rightful_card", "ineligible") or last["data"].get("reselect"):
            self.draw.win(self.draw.select(after=self.ordinal), 1)
        self.draw.win(self.draw.select(moment=1))
        return self.draw


# Endings earned


@pytest.mark.parametrize("ending", ["confirmed", "refused", "not_rightful_card", "ineligible"])
def test_found_at_the_device(folder, ending):
    assert_holds(Told().found().ended(ending).then(), folder)


@pytest.mark.parametrize("ending", ["confirmed", "refused", "not_rightful_card", "ineligible"])
def test_presented_in_time_to_the_last_millisecond(folder, ending):
    assert_holds(Told().announced().pressed(WINDOW).ended(ending).then(), folder)


@pytest.mark.parametrize("ending", ["confirmed", "refused"])
def test_presented_in_time_though_logged_and_ended_later(folder, ending):
    told = Told().announced()
    deadline = told.draw.now + WINDOW
    assert_holds(told.pressed(WINDOW + 0.003, presented=deadline).ended(ending).then(), folder)


@pytest.mark.parametrize("ending", ["confirmed", "refused"])
def test_a_win_that_nobody_earned(folder, ending):
    assert_fails(Told().ended(ending).then(), folder, "claims", "the guest was neither found, nor presented in time")


@pytest.mark.parametrize("ending", ["confirmed", "refused"])
def test_a_win_with_a_press_a_millisecond_late(folder, ending):
    told = Told().announced().pressed(WINDOW + 0.001).ended(ending)
    assert_fails(told.then(), folder, "claims", "the guest was neither found, nor presented in time")


@pytest.mark.parametrize("ending", ["expired", "held"])
def test_nobody_came(folder, ending):
    assert_holds(Told().announced().waited(WINDOW + 0.001).ended(ending).then(), folder)


@pytest.mark.parametrize("ending", ["expired", "held"])
def test_called_absent_on_the_deadline(folder, ending):
    assert_fails(Told().announced().waited(WINDOW).ended(ending).then(), folder, "claims", "comes before the deadline")


@pytest.mark.parametrize("ending", ["expired", "held"])
def test_called_absent_without_an_announcement(folder, ending):
    assert_fails(Told().waited().ended(ending).then(), folder, "claims", "there was no announcement")


@pytest.mark.parametrize("ending", ["expired", "held"])
def test_called_absent_though_presented_in_time(folder, ending):
    told = Told().announced().pressed(WINDOW).waited(1).ended(ending)
    assert_fails(told.then(), folder, "claims", "the guest was presented in time")


@pytest.mark.parametrize("ending", ["expired", "held"])
def test_called_absent_after_a_late_press(folder, ending):
    draw = Told().announced().pressed(WINDOW + 0.001).waited(1).ended(ending).then()
    record = draw.write(folder)
    assert record["claims"][0]["presented_at"] is not None
    draw.entries.pop()
    assert_holds(draw, folder)


@pytest.mark.parametrize("ending", ["expired", "held"])
def test_called_absent_though_found(folder, ending):
    assert_fails(Told().found().announced().waited().ended(ending).then(), folder, "claims", "the guest was found in")


def test_the_first_press_counts(folder):
    told = Told().announced()
    late, in_time = told.draw.now + WINDOW + 1, told.draw.now + WINDOW
    told.pressed(WINDOW + 2, presented=late).pressed(1, presented=in_time)
    assert_fails(told.ended("confirmed").then(), folder, "claims", "the guest was neither found")


@pytest.mark.parametrize("ending", ["expired", "not_rightful_card", "ineligible"])
def test_a_failure_carries_no_prize(folder, ending):
    draw = Told().announced().waited().ended(ending, prize=1).then()
    assert "prize is not null" in failing(draw.verified(folder))["shape"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_claim_ends_once(folder, ending):
    told = Told().announced().waited().ended("held")
    told.ended(ending)
    says = failing(told.then().verified(folder))
    assert "it comes after entry 9 (claim.held): a claim ends once" in says["claims"]


def test_a_claim_that_never_ended(folder):
    draw = a_session()
    draw.select(moment=0)
    draw.win(draw.select(moment=1))
    says = failing(draw.verified(folder))
    assert "claim c0 (ordinal 0) never ended" in says["claims"]


# Presses, announcements, deadlines


@pytest.mark.parametrize("off", [-0.001, 0.001])
def test_a_deadline_that_is_not_the_window_after_the_announcement(folder, off):
    told = Told()
    told.draw.claim("announced", told.ordinal, 10, deadline_at=time(told.draw.now + 10 + WINDOW + off))
    assert_fails(told.waited(200).ended("held").then(), folder, "claims", "its deadline")


@pytest.mark.parametrize("presented", ["before the announcement", "after the entry"])
def test_a_press_outside_its_bounds(folder, presented):
    told = Told().announced()
    at = told.draw.now - 0.001 if presented.startswith("before") else told.draw.now + 10.001
    told.pressed(10, presented=at).ended("confirmed")
    assert_fails(told.then(), folder, "claims", "is not between entry 8 (claim.announced) and the entry itself")


def test_a_press_without_an_announcement(folder):
    assert_fails(Told().pressed().found().ended("confirmed").then(), folder, "claims outcomes", "nothing was announced")


def test_a_press_after_the_ending(folder):
    told = Told().announced().waited().ended("held").pressed(1)
    says = failing(told.then().verified(folder))
    assert "it comes after entry 9 (claim.held)" in says["claims"]


def test_found_after_the_announcement(folder):
    assert_fails(
        Told().announced().found().ended("confirmed").then(), folder, "claims", "the guest was found after entry 8"
    )


def test_found_twice(folder):
    assert "had been found in" in failing(Told().found().found().ended("confirmed").then().verified(folder))["claims"]


def test_announced_twice_without_a_review(folder):
    told = Told().announced().waited().announced().waited().ended("expired")
    assert_fails(told.then(), folder, "claims", "a second one needs a review's decision `again`")


# Reviews


def test_attested_present(folder):
    report = assert_holds(Told().announced().waited().reviewed("present").ended("confirmed").then(), folder)
    assert any("1 reviewed: 1 present" in notice for notice in report.notices)


@pytest.mark.parametrize(
    ("decision", "allowed"),
    [
        ("present", {"confirmed", "refused", "ineligible"}),
        ("absent", {"expired", "held"}),
        ("again", set()),
    ],
)
@pytest.mark.parametrize("ending", ENDINGS)
def test_what_may_follow_a_decision(folder, decision, allowed, ending):
    draw = Told().announced().waited().reviewed(decision).ended(ending).then()
    if ending in allowed:
        assert_holds(draw, folder)
    else:
        assert_fails(draw, folder, "claims", f"a review decided {decision}; claim.{ending} may not follow that")


@pytest.mark.parametrize("decision", ["present", "absent", "again"])
def test_a_void_may_follow_any_decision(folder, decision):
    assert_holds(Told().announced().waited().reviewed(decision).voided().then(), folder)


def test_absent_needs_its_deadline_passed_all_the_same(folder):
    told = Told().announced().waited(WINDOW - 10).reviewed("absent").ended("expired")
    assert_fails(told.then(), folder, "claims", "comes before the deadline")


@pytest.mark.parametrize("decision", ["absent", "again"])
def test_absent_or_again_after_presence(folder, decision):
    found = Told().found().reviewed(decision).voided()
    assert_fails(found.then(), folder, "claims", f"a review cannot decide {decision}: the guest was found")
    pressed = Told().announced().pressed().reviewed(decision).voided()
    assert_fails(
        pressed.then(), folder, "claims", f"a review cannot decide {decision}: the guest was presented in time"
    )


def test_announced_again(folder):
    draw = Told().announced().waited().reviewed("again").announced().pressed().ended("confirmed").then()
    record = draw.write(folder)
    assert record["claims"][0]["announced_at"] == draw.entry("claim.announced", 1)["at"]
    draw.entries.pop()
    assert_holds(draw, folder)


def test_announced_again_and_nobody_came(folder):
    assert_holds(Told().announced().waited().reviewed("again").announced().waited().ended("expired").then(), folder)


def test_announced_again_only_once_for_one_review(folder):
    told = Told().announced().waited().reviewed("again").announced(1).announced(1).waited().ended("expired")
    assert_fails(told.then(), folder, "claims", "a second one needs a review's decision `again`")


def test_the_second_announcement_counts(folder):
    told = Told().announced().waited().reviewed("again").announced().waited(WINDOW).ended("expired")
    assert_fails(told.then(), folder, "claims", "comes before the deadline")


def test_the_last_decision_counts(folder):
    told = Told().announced().waited().reviewed("present").reviewed("absent").ended("confirmed")
    assert_fails(told.then(), folder, "claims", "a review decided absent")
    assert_holds(Told().announced().waited().reviewed("absent").reviewed("present").ended("confirmed").then(), folder)


def test_announced_after_present(folder):
    told = Told().reviewed("present").announced().pressed().ended("confirmed")
    assert_fails(told.then(), folder, "claims", "a review decided present; no announcement may follow that")


def test_ended_while_a_review_is_open(folder):
    told = Told().found().opened_review().ended("confirmed")
    assert_fails(told.then(), folder, "claims", "a review is open: the claim cannot end before it is decided")


def test_voided_while_a_review_is_open(folder):
    assert_fails(Told().opened_review().voided().then(), folder, "claims", "a review is open")


def test_two_reviews_open(folder):
    told = Told().found().opened_review().reviewed("present").ended("confirmed")
    assert_fails(told.then(), folder, "claims", "a review of this claim is open already")


def test_decided_without_a_review(folder):
    told = Told().announced().waited()
    told.draw.claim("reviewed", told.ordinal, 1, decision="present", by=["manager:1", "stage:2"])
    assert_fails(told.ended("confirmed").then(), folder, "claims", "no review of this claim is open")


@pytest.mark.parametrize(
    "by",
    [
        ("manager:1",),
        ("manager:1", "manager:1"),
        ("stage:2", "manager:1"),
        ("a:1", "b:2", "c:3"),
        ("manager", "stage:2"),
        (),
    ],
)
def test_decided_by_other_than_two_people_in_order(folder, by):
    draw = Told().announced().waited().reviewed("present", by).ended("confirmed").then()
    assert "by" in failing(draw.verified(folder))["shape"]


def test_voided_by_one_person(folder):
    told = Told()
    told.draw.void(told.ordinal, reselect=False, by=["manager:1"])
    assert "does not name two actors" in failing(told.then().verified(folder))["shape"]


# Voids


@pytest.mark.parametrize("reselect", [True, False])
def test_a_filled_place_voided(folder, reselect):
    draw = Told().found().ended("confirmed").voided(reselect=reselect).then()
    record = draw.write(folder)
    assert record["claims"][0]["outcome"] == "voided"
    assert record["claims"][0]["prize"] is None
    draw.entries.pop()
    assert_holds(draw, folder)


@pytest.mark.parametrize("ending", ["expired", "not_rightful_card", "ineligible"])
def test_a_failed_claim_is_not_voided(folder, ending):
    told = Told().announced().waited().ended(ending).voided(reselect=True)
    assert_fails(told.then(), folder, "claims", "only a claim that runs or ended filled may be voided")


def test_voided_twice(folder):
    told = Told().voided().voided()
    assert_fails(told.then(), folder, "claims", "only a claim that runs or ended filled may be voided")
