"""Claims of a Saturday from the selection to the slip, through the pages people use, on the core as it is served."""

from __future__ import annotations

import re

from floor_day import NAMES
from floor_people import (
    ARRIVES,
    announce,
    answer,
    are_right,
    called,
    card_of,
    check,
    clock_of,
    day,
    envelope,
    hold,
    long_shifts,
    not_there,
    pay,
    people,
    take,
)
from playwright.sync_api import expect

from draw_engine.service.expiry import GRACE_MS

__all__ = ["day", "long_shifts", "people"]


def test_ninety_real_seconds_in_which_nobody_comes(day, people) -> None:
    """The one case that waits as long as people do."""
    tablet, stage, screen = people.at("/crew", "kabelo"), people.at("/stage", "anita"), people.screen()
    day.selected()
    not_there(tablet, day, 0)
    expect(screen.locator(".claim")).to_have_count(0)
    announce(stage, day, 0)
    claim = day.claim(0)
    assert claim.deadline_at - claim.announced_at == 90_000
    card = card_of(screen, day, 0)
    expect(card).to_be_visible(timeout=2_000)
    expect(card).to_contain_text("Come to the Promotions Stage")
    are_right(card.locator(".ring"), day, 0)
    screen.wait_for_timeout(40_000)
    are_right(card.locator(".ring"), day, 0)
    are_right(clock_of(stage, day, 0).locator(".ring"), day, 0)
    expect(card).to_contain_text("Promotions Stage, now", timeout=40_000)  # the last fifteen
    are_right(card.locator(".ring"), day, 0)

    expect(card.locator(".ring")).to_contain_text("Time is up", timeout=18_000)
    (ended,) = day.said(0, "claim.expired")
    assert ended.at - claim.deadline_at >= GRACE_MS
    assert ended.at - claim.deadline_at < GRACE_MS + 2_000  # and how exactly is the benchmark's matter
    row = clock_of(stage, day, 0)
    expect(row).to_contain_text("Whoever comes now is late. Another guest is selected.", timeout=2_000)
    expect(row.get_by_role("button")).to_have_count(0)
    # Another guest for the same award comes to the queue by itself.
    expect(tablet.locator(f'.new[data-key$="/c{day.selected_again(0)}"]')).to_be_visible(timeout=5_000)
    expect(screen.locator(".claim")).to_have_count(0, timeout=8_000)


def test_found_at_the_device_and_the_slip_is_printed(day, people) -> None:
    tablet, screen, console = people.at("/crew", "kabelo"), people.screen(), people.at("/console")
    day.selected()
    name = NAMES[day.member(0)]
    row = tablet.locator('.new[data-key$="/c0"]')
    expect(row).to_be_visible()
    assert name not in tablet.content()
    take(tablet, day, 0)
    expect(tablet.locator(".about")).to_contain_text(name)
    answer(tablet, "On own card")
    pocket = pay(tablet)
    claim = day.claim(0)
    assert (claim.outcome, claim.prize, claim.pocket) == ("confirmed", 75_000, pocket)
    assert claim.announced_at is None  # nobody was called: no clock ever ran

    expect(screen.locator("section.won")).to_contain_text("R\u00a0750", timeout=ARRIVES)
    expect(screen.locator("section.won")).to_contain_text(called(day, 0))
    expect(console.locator("section.ended tbody")).to_contain_text("Confirmed")
    sheets = day.slip("Receipt for a prize", f"Envelope     {pocket}")
    for text in (name, f"**** {called(day, 0)}", "R   7 5 0 . 0 0", "Seven hundred and fifty rand", "Kabelo", "c0"):
        assert text in sheets
    assert "Guest's copy" in sheets
    assert "REPRINT" not in sheets


def test_presented_at_eighty_seconds_and_paid_at_the_stage(day, people) -> None:
    tablet, other, stage = people.at("/crew", "kabelo"), people.at("/crew", "themba"), people.at("/stage", "anita")
    day.selected()
    not_there(tablet, day, 0)
    announce(stage, day, 0)
    day.go_until(0, 10_000)
    row = clock_of(stage, day, 0)
    expect(row.locator(".ring b")).to_have_text(re.compile(r"^([1-9]|10)$"), timeout=5_000)
    row.get_by_role("button", name="Presented").click()
    day.until(0, "presented")
    claim = day.claim(0)
    assert 80_000 <= claim.presented_at - claim.announced_at < 90_000
    day.go(60_000)  # the guest is here: no time runs any more
    assert day.stage_of(0) == "presented"
    other.locator(".row.here").get_by_role("button", name="Check the guest").click()
    pocket = pay(other)
    assert day.claim(0).outcome == "confirmed"
    assert "Paid by      Themba" in day.slip("Receipt for a prize", pocket)


def test_expired_and_the_next_guest_for_the_same_award_is_paid(day, people) -> None:
    tablet, stage = people.at("/crew", "kabelo"), people.at("/stage", "anita")
    day.selected()
    not_there(tablet, day, 0)
    announce(stage, day, 0)
    day.go_until(0, -GRACE_MS)
    day.until(0, "expired")
    again = day.selected_again(0)
    take(tablet, day, again)
    answer(tablet, "On own card")
    pay(tablet)
    assert [day.claims()[n].outcome for n in (0, again)] == ["expired", "confirmed"]


def test_somebody_else_plays_on_the_card(day, people) -> None:
    tablet, screen = people.at("/crew", "kabelo"), people.screen()
    day.selected()
    take(tablet, day, 0)
    hold(tablet, "Someone else")
    day.until(0, "not_rightful_card")
    expect(tablet.locator(".queue")).to_be_visible()
    day.selected_again(0)
    assert day.said(0, "claim.announced") == []
    expect(screen.locator(".claim")).to_have_count(0)  # it is nobody's business on the floor


def test_two_clocks_on_one_screen(day, people) -> None:
    tablet, stage, screen = people.at("/crew", "kabelo"), people.at("/stage", "anita"), people.screen()
    for ordinal in (0, 1):
        day.leaves(day.selected(ordinal))
        not_there(tablet, day, ordinal)
    announce(stage, day, 0)
    day.go(20_000)
    announce(stage, day, 1)
    expect(screen.locator(".claim")).to_have_count(2, timeout=2_000)
    for ordinal in (0, 1):
        expect(card_of(screen, day, ordinal)).to_be_visible()
        are_right(card_of(screen, day, ordinal).locator(".ring"), day, ordinal)
        are_right(clock_of(stage, day, ordinal).locator(".ring"), day, ordinal)
    assert day.claim(1).deadline_at - day.claim(0).deadline_at >= 20_000
    # One comes: the other's seconds go on.
    clock_of(stage, day, 0).get_by_role("button", name="Presented").click()
    expect(card_of(screen, day, 0)).to_have_count(0, timeout=ARRIVES)
    are_right(card_of(screen, day, 1).locator(".ring"), day, 1)
    day.go_until(1, -GRACE_MS)
    expect(card_of(screen, day, 1).locator(".ring")).to_contain_text("Time is up", timeout=ARRIVES)
    assert [day.stage_of(0), day.stage_of(1)] == ["presented", "expired"]
    tablet.locator(".row.here").get_by_role("button", name="Check the guest").click()
    check(tablet)
    envelope(tablet)
