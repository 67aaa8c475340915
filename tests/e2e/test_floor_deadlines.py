"""What may go wrong around a deadline: nobody to press, a network that is away, two who press at once."""

from __future__ import annotations

import re

from floor_people import (
    ARRIVES,
    announce,
    answer,
    are_right,
    called,
    card_of,
    clock_of,
    day,
    decide,
    long_shifts,
    not_there,
    pay,
    people,
    take,
)
from playwright.sync_api import expect

from draw_engine.clock import SteadyClock
from draw_engine.service.expiry import GRACE_MS

__all__ = ["day", "long_shifts", "people"]
WITHIN_MS = 200


def test_nobody_heard_at_the_deadline_is_put_to_two_people_who_say_again(day, people) -> None:
    tablet, console, screen = people.at("/crew", "kabelo"), people.at("/console"), people.screen()
    stage = people.at("/stage", "anita")
    day.selected()
    not_there(tablet, day, 0)
    announce(stage, day, 0)
    # The only tablet of the stage loses its power; the time runs out all the same.
    stage.context.close()
    day.stage_heard = False
    day.go_until(0, -GRACE_MS)
    day.until(0, "review")
    (entry,) = day.said(0, "claim.review")
    assert entry.data["reason"] == "SS_STAGE_UNHEARD"
    assert day.said(0, "claim.expired") == []
    expect(screen.locator(".claim:not(.over)")).to_have_count(0, timeout=ARRIVES)
    expect(tablet.locator('.row[data-key$="/c0"]')).to_contain_text("Two people decide at the stage", timeout=ARRIVES)

    why = "No tablet of the stage was heard when the time ran out"
    expect(console.locator(".reviews")).to_contain_text(why, timeout=ARRIVES)
    back = people.at("/stage", "anita")
    expect(back.locator(".reviews article")).to_contain_text(why)
    day.stage_heard = True
    # The console asks two different people, and for a reason.
    console.locator(".reviews").get_by_role("button", name="Decide").click()
    dialog = console.get_by_role("dialog")
    decide(dialog, "Announce again", "nomvula", "The tablet was empty")
    expect(dialog.locator("#decide-second-fault")).to_contain_text("must be somebody else", timeout=ARRIVES)
    decide(dialog, "Announce again", "anita", "The tablet was empty")
    expect(dialog).to_be_hidden(timeout=ARRIVES)
    expect(back.locator(".reviews article")).to_have_count(0, timeout=ARRIVES)
    expect(back.locator(".call .label")).to_have_text("Read this out again: two people ordered it", timeout=ARRIVES)
    announce(back, day, 0)
    claim = day.claim(0)
    assert claim.deadline_at - claim.announced_at == 90_000
    expect(card_of(screen, day, 0)).to_be_visible(timeout=ARRIVES)
    clock_of(back, day, 0).get_by_role("button", name="Presented").click()
    day.until(0, "presented")
    tablet.locator(".row.here").get_by_role("button", name="Check the guest").click()
    pay(tablet)


def test_pressed_in_time_without_a_network_but_late_at_the_server(day, people) -> None:
    """What counts is when the server gets it; the other tablet of the stage was there all the time."""
    tablet, near = people.at("/crew", "kabelo"), people.at("/stage", "anita")
    wire = day.wire()
    far = people.at("/stage", "nomvula", wire=wire)
    day.selected()
    not_there(tablet, day, 0)
    announce(near, day, 0)
    expect(clock_of(far, day, 0)).to_be_visible(timeout=ARRIVES)
    day.go_until(0, 20_000)
    wire.cut()
    clock_of(far, day, 0).get_by_role("button", name="Presented").click()
    expect(far.locator(".toast.wait")).to_contain_text("What counts is when the server gets it", timeout=ARRIVES)
    day.go_until(0, -7_000)
    day.until(0, "expired")
    wire.mend()
    toast = far.locator(".toast.stop")
    expect(toast).to_contain_text("SS_LATE_AFTER_90S", timeout=ARRIVES)
    expect(clock_of(far, day, 0)).to_contain_text(re.compile(r"Came at 14:\d\d:\d\d\. Time was up at 14:"))
    expect(far.locator(".lost")).to_be_hidden(timeout=ARRIVES)
    assert (day.claim(0).outcome, day.claim(0).presented_at) == ("expired", None)
    (refused,) = [one for one in day.said(0, "press.refused") if one.data["code"] == "SS_LATE_AFTER_90S"]
    assert refused.at > day.claim(0).deadline_at


def test_ten_seconds_without_a_network_within_the_ninety_lose_nothing(day, people) -> None:
    tablet, near = people.at("/crew", "kabelo"), people.at("/stage", "anita")
    wire = day.wire()
    far = people.at("/stage", "nomvula", wire=wire)
    day.selected()
    not_there(tablet, day, 0)
    announce(near, day, 0)
    expect(clock_of(far, day, 0)).to_be_visible(timeout=ARRIVES)
    wire.cut()
    clock_of(far, day, 0).get_by_role("button", name="Presented").click()
    expect(far.locator(".toast.wait")).to_be_visible(timeout=ARRIVES)
    day.go(10_000)
    assert day.stage_of(0) == "announced"
    wire.mend()
    day.until(0, "presented")
    claim = day.claim(0)
    assert 10_000 <= claim.presented_at - claim.announced_at < 90_000
    expect(near.locator(".clocks article")).to_have_count(0, timeout=ARRIVES)


def test_two_stages_press_presented_at_once(day, people) -> None:
    """A harmless repeat by somebody else: one has it, the other is told how it stands; nothing is done twice."""
    tablet = people.at("/crew", "kabelo")
    one, two = people.at("/stage", "anita"), people.at("/stage", "themba")
    day.selected()
    not_there(tablet, day, 0)
    announce(one, day, 0)
    expect(clock_of(two, day, 0)).to_be_visible(timeout=ARRIVES)
    # Both lines hold their press back until both have been pressed.
    kept = []
    for page in (one, two):
        page.route("**/presses", lambda route: kept.append(route))  # noqa: PLW0108 - it is looked into
        clock_of(page, day, 0).get_by_role("button", name="Presented").click()
        page.wait_for_timeout(300)
    assert len(kept) == 2
    for route in kept:
        route.continue_()
    day.until(0, "presented")
    expect(one.locator(".clocks article")).to_have_count(0, timeout=ARRIVES)
    expect(two.locator(".clocks article")).to_have_count(0, timeout=ARRIVES)
    expect(two.locator(".toast.stop small")).to_have_text("X_CLAIM_STATE", timeout=ARRIVES)
    assert len(day.said(0, "claim.presented")) == 1


def test_one_person_at_two_tablets_answers_twice_and_the_first_that_arrives_stands(day, people) -> None:
    wire = day.wire()
    lost, charged = people.at("/crew", "kabelo", wire=wire), people.at("/crew", "kabelo")
    day.selected()
    take(lost, day, 0)
    wire.cut()
    answer(lost, "Not here")
    expect(lost.locator(".toast.wait")).to_be_visible(timeout=ARRIVES)
    charged.locator('.row.mine[data-key$="/c0"]').get_by_role("button", name="Go on").click()
    answer(charged, "On own card")
    day.until(0, "found")
    wire.mend()
    expect(lost.locator(".toast.stop small")).to_have_text("X_CLAIM_STATE", timeout=ARRIVES)
    expect(lost.locator(".claim-view h1")).to_contain_text("Check ", timeout=ARRIVES)
    assert (day.stage_of(0), day.claim(0).arrival) == ("found", "found")


def test_a_screen_that_reconnects_within_the_countdown_has_its_seconds_right(day, people) -> None:
    """Right within 200 ms, measured at the changes of the figure, before and after the cut."""
    tablet, stage = people.at("/crew", "kabelo"), people.at("/stage", "anita")
    wire = day.screen_wire()
    screen = people.screen(wire)
    day.selected()
    not_there(tablet, day, 0)
    announce(stage, day, 0)
    expect(card_of(screen, day, 0)).to_be_visible(timeout=2_000)
    assert abs(off_by(screen, day)) <= WITHIN_MS
    wire.cut()
    expect(screen.locator(".top .offline")).to_be_visible(timeout=8_000)
    going = card_of(screen, day, 0).locator(".ring")
    are_right(going, day, 0)  # it goes on by itself
    day.go(30_000)  # and cannot know of this
    wire.mend()
    expect(screen.locator(".top .offline")).to_be_hidden(timeout=2_000)
    screen.wait_for_timeout(500)  # its questions about the time are answered
    are_right(going, day, 0)
    assert abs(off_by(screen, day)) <= WITHIN_MS
    assert called(day, 0) in going.locator("xpath=..").inner_text()


CHANGES = """n => new Promise((done) => {
  const figure = document.querySelector(".claims .claim .ring b");
  const seen = [];
  new MutationObserver((_all, watch) => {
    seen.push([Number(figure.textContent), Date.now()]);
    if (seen.length >= n) { watch.disconnect(); done(seen); }
  }).observe(figure, { childList: true, characterData: true, subtree: true });
})"""


def off_by(screen, day) -> float:
    """How late, in ms, the figure changes against the stored deadline: the middle of five, as a machine may stall."""
    deadline = day.claim(0).deadline_at
    seen = screen.evaluate(CHANGES, 5)
    ahead = day.clock.now() - SteadyClock().now()  # the browser's clock is this machine's
    late = sorted(at + ahead - (deadline - left * 1000) for left, at in seen)
    return float(late[2])
