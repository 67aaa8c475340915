"""On the real core: a held prize from the register to its guest's hands, and a slip that stops in the middle."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import structlog
from desk_page import draw_on_glass, register
from floor_day import FIRST, LERATO, NAMES, THANDI, FloorDay, jhb
from floor_people import (
    ARRIVES,
    announce,
    answer,
    called,
    card_of,
    clock_of,
    long_shifts,
    not_there,
    pay,
    people,
    take,
)
from page_signing import second_types
from playwright.sync_api import Locator, Page, expect

from draw_engine.service.expiry import GRACE_MS
from printers.feelings import Feeling
from printers.states import PrinterState

__all__ = ["long_shifts", "people"]
PAPERS = {LERATO: "7901200001081", THANDI: "8503120000083"}


@pytest.fixture
def day(tmp_path: Path, long_shifts: None):  # noqa: ARG001 - a fixture
    """A quarter of an hour before the session: the register is open. Two guests play."""
    made = FloorDay(tmp_path, now="13:56:00", seated={"S-0412": THANDI, "S-0088": LERATO})
    yield made
    made.close()
    structlog.reset_defaults()


def decline(desk: Page, member: str, entry: int) -> None:
    form = register(desk)
    form.get_by_label("Card or member number").fill(member)
    desk.keyboard.press("Enter")
    expect(desk.locator(".found")).to_contain_text(NAMES[member], timeout=ARRIVES)
    form.get_by_label("The guest is here in person").check()
    form.get_by_label("Identification").select_option("sa_id")
    form.get_by_label("Number on it").fill(PAPERS[member])
    form.get_by_label("Cellphone").fill("082 555 0188")
    draw_on_glass(desk, '[data-form="register"]')
    form.get_by_role("button", name="Sign register").click()
    done = f"Entered as number {entry}. The slip is printing."
    expect(desk.locator(".done")).to_have_text(done, timeout=ARRIVES)


def open_prize(desk: Page, ordinal: int) -> None:
    """The prize of this claim, in full."""
    desk.get_by_role("link", name="Held prizes").click()
    desk.locator(f'[data-key="{FIRST} c{ordinal}"] .prize').click(timeout=ARRIVES)
    expect(desk.locator('[data-fact="claim"]')).to_have_text(f"c{ordinal}", timeout=ARRIVES)


def draw_on_behalf(desk: Page, ordinal: int, pocket: str) -> None:
    open_prize(desk, ordinal)
    desk.get_by_role("button", name="Draw envelope").click()
    dialog = desk.get_by_role("dialog")
    dialog.get_by_label("Pocket of the tray").fill(pocket)
    second_types(dialog, "zanele")
    dialog.get_by_role("button", name="Draw and print label").click()
    expect(desk.locator('[data-fact="pocket"]')).to_have_text(pocket, timeout=ARRIVES)


def move(desk: Page, ordinal: int, hands: str, other: str, place: str) -> None:
    open_prize(desk, ordinal)
    desk.get_by_role("button", name="Move envelope").click()
    dialog = desk.get_by_role("dialog")
    dialog.get_by_label("Who gives it").select_option(hands)
    second_types(dialog, other)
    dialog.get_by_role("button", name="Note move").click()
    expect(desk.locator('[data-fact="custody"]')).to_have_text(place, timeout=ARRIVES)


def fill_hand_over(desk: Page, member: str) -> Locator:
    """Everything but the last press."""
    desk.get_by_role("button", name="Hand over").click()
    dialog = desk.get_by_role("dialog")
    dialog.get_by_label("The guest is here in person").check()
    dialog.get_by_label("Identification").select_option("sa_id")
    dialog.get_by_label("Number on it").fill(PAPERS[member])
    dialog.get_by_label("Amount found in it").fill("750")
    draw_on_glass(desk, 'dialog[data-act="hand_over"]')
    return dialog.get_by_role("button", name="Hand over and print receipt")


def test_declined_held_labelled_handed_over_on_day_fifteen_and_the_other_refused_on_day_sixteen(day, people) -> None:
    rewards = people.at("/desk", "mpho")
    decline(rewards, LERATO, 1)
    decline(rewards, THANDI, 2)
    slip = day.slip("Lerato Dlamini", "1081")
    assert PAPERS[LERATO] not in slip
    assert "082 555 0188" not in slip

    # Both are selected, announced like everybody, and do not come: their prizes are kept.
    tablet, stage, screen = people.at("/crew", "kabelo"), people.at("/stage", "anita"), people.screen()
    for ordinal in (0, 1):
        day.leaves(day.selected(ordinal))
        not_there(tablet, day, ordinal)
    for ordinal in (0, 1):
        announce(stage, day, ordinal)
    expect(screen.locator(".claim")).to_have_count(2, timeout=ARRIVES)
    day.go_until(1, -GRACE_MS)
    for ordinal in (0, 1):
        day.until(ordinal, "held")
        expect(clock_of(stage, day, ordinal)).to_contain_text(
            "The prize is kept for the guest. Send them to the Customer Services Desk.", timeout=ARRIVES
        )
        expect(card_of(screen, day, ordinal)).not_to_contain_text("Come to", timeout=ARRIVES)

    # A representative draws before a witness; the label names guest, date and desk, and no amount.
    crew = people.at("/desk", "kabelo")
    for ordinal in (0, 1):
        draw_on_behalf(crew, ordinal, f"E-000{ordinal + 1}")
    counter = people.at("/desk", "lindiwe", desk="customer_services")
    for ordinal in (0, 1):
        label = day.slip("Sealed prize - do not open", f"**** {called(day, ordinal)}")
        for words in (f"E-000{ordinal + 1}", "Sun 22 Oct 2023", "Customer Services Desk", "Kabelo", "Zanele"):
            assert words in label
        assert "R   7" not in label
        move(crew, ordinal, "give", "riaan", "Marketing Department")
        move(counter, ordinal, "receive", "riaan", "Customer Services Desk")

    # The session ends and closes; somebody works at the Customer Services Desk on the fifteenth day.
    day.go(720_000, until=day.closed)
    assert day.closed()
    day.leap("2023-10-22 16:30")
    open_prize(counter, 0)
    expect(counter.locator('[data-fact="claim_by"]')).to_have_text("Sunday 22 October, Last day today")
    fill_hand_over(counter, day.member(0)).click()
    expect(counter.locator(".done")).to_have_text("Handed over. The receipt is printing.", timeout=ARRIVES)
    receipt = day.slip("Guest's copy", NAMES[day.member(0)])
    for words in ("E-0001", "R   7 5 0 . 0 0", "Sun 22 Oct 2023", "Lindiwe"):
        assert words in receipt
    (handed,) = day.said(0, "prize.handed_over")
    assert handed.data["amount"] == 75_000
    # The guest has left it on the counter and asks for another: whoever works there may print it.
    counter.get_by_role("link", name="Slips").click()
    row = counter.locator(".slips tbody tr", has_text="Receipt for a held prize")
    row.get_by_role("button", name="Print again").click()
    day.slip("R E P R I N T   1", "Receipt for a held prize")

    # The other guest comes too late: the clerk's form is filled in when the day is over.
    open_prize(counter, 1)
    press = fill_hand_over(counter, day.member(1))
    day.clock.move(jhb("2023-10-23 06:00") - day.clock.now())
    press.click()
    refused = counter.get_by_role("dialog").get_by_role("alert")
    expect(refused).to_contain_text("SS_CLAIM_EXPIRED", timeout=ARRIVES)
    expect(refused).to_contain_text("The prize could be claimed until Sunday 22 October 2023.")
    assert day.said(1, "prize.handed_over") == []
    counter.keyboard.press("Escape")
    expect(counter.locator(".chips")).to_contain_text("To be given back", timeout=ARRIVES)
    expect(counter.get_by_role("button", name="Hand over")).to_have_count(0)


def test_out_of_paper_in_the_middle_of_a_receipt_and_printed_again(day, people) -> None:
    desk, tablet, console = people.at("/desk", "mpho"), people.at("/crew", "kabelo"), people.at("/console")
    day.selected()
    day.slip("Checkpoint")  # nothing else is under way when the paper ends
    day.set_printer(Feeling(fails_after=400, then=PrinterState.PAPER_OUT))
    take(tablet, day, 0)
    answer(tablet, "On own card")
    pocket = pay(tablet)
    assert day.claim(0).outcome == "confirmed"  # a claim waits for no printer

    desk.get_by_role("link", name="Slips").click()
    waiting = desk.locator(".waiting li")
    expect(waiting).to_contain_text("Winner's receipt", timeout=ARRIVES)
    expect(waiting).to_contain_text("It is not known whether the slip came out.")
    out = re.compile(r"Out of paper, since 14:0\d\. Put in a new roll")
    expect(desk.locator(".printers")).to_contain_text(out, timeout=ARRIVES)
    expect(console.locator(".printers")).to_contain_text("1 slip waits for a person: did it come out?", timeout=ARRIVES)
    torn = day.slip("Receipt for a prize")
    assert "end of slip" not in torn
    day.set_printer(Feeling())
    waiting.get_by_role("button", name="Print again").click()
    expect(desk.locator(".done")).to_have_text("Noted.", timeout=ARRIVES)
    again = day.slip("R E P R I N T   1", pocket)
    assert "First printed Sat 7 Oct 2023, 14:0" in again
    assert "end of slip" in again
    serial = "first-20231007-c0"
    assert (serial in torn, serial in again) == (True, True)  # one payment, one receipt number
    expect(desk.locator(".slips tbody tr", has_text="Winner's receipt")).to_contain_text("Printed.", timeout=ARRIVES)
    expect(waiting).to_have_count(0)
    assert day.ask(lambda engine: [job.reprints for job in engine.store.print_jobs_of(FIRST, 0)]) == [1]
