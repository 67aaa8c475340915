"""The desk in a browser over the real core: signed, held, drawn, moved, handed over on day 15, refused on day 16."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pytest
from desk_core import LERATO, DeskCore, at_desk, core, jhb, long_shifts
from desk_page import draw_on_glass, register
from page_signing import second_types
from playwright.sync_api import Page, expect

__all__ = ["at_desk", "core", "long_shifts"]
CLAIM_DESK = "Customer Services Desk"


def sign_lerato(page: Page) -> None:
    form = register(page)
    form.get_by_label("Card or member number").fill(LERATO)
    page.keyboard.press("Enter")
    expect(page.locator(".found")).to_contain_text("Lerato Dlamini")
    form.get_by_label("The guest is here in person").check()
    form.get_by_label("Identification").select_option("sa_id")
    form.get_by_label("Number on it").fill("7901200001081")
    form.get_by_label("Cellphone").fill("082 000 0003")
    draw_on_glass(page, '[data-form="register"]')
    form.get_by_role("button", name="Sign register").click()
    expect(page.locator(".done")).to_have_text("Entered as number 1. The slip is printing.")


def count_envelopes(page: Page) -> None:
    page.get_by_role("link", name="Envelopes").click()
    form = page.locator('[data-form="batch"]')
    form.get_by_label("How many of R\u00a0700").fill("4")
    second_types(form, "kabelo")
    form.get_by_role("button", name="Enter batch").click()
    expect(page.locator('[data-view="envelopes"] .hours .state')).to_have_text("4 envelopes are in the trays")


def prepare(page: Page, core: DeskCore) -> None:
    """Signed and counted, then held."""
    sign_lerato(page)
    count_envelopes(page)
    core.hold_a_prize()
    page.get_by_role("link", name="Held prizes").click()
    page.locator(".prize").click()
    expect(page.locator(".detail")).to_contain_text("Envelope still to be drawn")


def take_to_the_claim_desk(page: Page) -> None:
    page.get_by_role("button", name="Draw envelope").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Pocket of the tray").fill("e-0002")
    second_types(dialog, "mpho")
    dialog.get_by_role("button", name="Draw and print label").click()
    expect(page.locator('[data-fact="pocket"]')).to_have_text("E-0002")
    for hands, other, place in (("receive", "kabelo", "Marketing Department"), ("give", "themba", CLAIM_DESK)):
        page.get_by_role("button", name="Move envelope").click()
        dialog.get_by_label("Who gives it").select_option(hands)
        second_types(dialog, other)
        dialog.get_by_role("button", name="Note move").click()
        expect(page.locator('[data-fact="custody"]')).to_have_text(place)


def hand_over(page: Page, amount: str = "700") -> None:
    page.get_by_role("button", name="Hand over").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("The guest is here in person").check()
    dialog.get_by_label("Identification").select_option("sa_id")
    dialog.get_by_label("Number on it").fill("7901200001081")
    dialog.get_by_label("Amount found in it").fill(amount)
    draw_on_glass(page, 'dialog[data-act="hand_over"]')
    dialog.get_by_role("button", name="Hand over and print receipt").click()


def test_signed_held_drawn_moved_and_handed_over_on_day_fifteen(core, at_desk):
    page = at_desk(who="nomvula", at="customer_services")
    prepare(page, core)
    take_to_the_claim_desk(page)
    page.get_by_role("button", name="Note contact").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Show telephone and e-mail").click()
    expect(dialog.locator(".numbers")).to_have_text("0820000003")
    dialog.get_by_label("How").select_option("phone")
    dialog.get_by_label("Outcome").select_option("reached")
    dialog.get_by_role("button", name="Note contact").click()
    expect(page.locator('[data-fact="reach"]')).to_have_text("The guest was reached")
    core.until("2023-10-22 17:00")
    expect(page.locator('[data-fact="claim_by"]')).to_have_text("Sunday 22 October, Last day today")
    hand_over(page)
    expect(page.locator(".done")).to_have_text("Handed over. The receipt is printing.")
    (entry,) = core.said("prize.handed_over")
    assert (entry.data["amount"], entry.data["pocket"]) == (70_000, "E-0002")
    page.get_by_role("link", name="Slips").click()
    for title in ("Register slip", "Envelope label", "Receipt for a held prize"):
        expect(page.locator(".slips tbody")).to_contain_text(title)


def test_on_day_sixteen_it_is_refused_and_given_back(core, at_desk):
    page = at_desk(who="nomvula", at="customer_services")
    prepare(page, core)
    take_to_the_claim_desk(page)
    # The clerk has the form open as the day ends.
    page.get_by_role("button", name="Hand over").click()
    page.keyboard.press("Escape")
    core.clock.set(jhb("2023-10-23 08:00"))
    hand_over(page)
    refused = page.get_by_role("dialog").get_by_role("alert")
    expect(refused).to_contain_text("The prize could be claimed until Sunday 22 October 2023.")
    expect(refused).to_contain_text("SS_CLAIM_EXPIRED")
    page.keyboard.press("Escape")
    core.until("2023-10-23 08:00:01")
    expect(page.locator(".chips")).to_contain_text("To be given back")
    page.get_by_role("button", name="Give back").click()
    dialog = page.get_by_role("dialog")
    second_types(dialog, "mpho")
    dialog.get_by_role("button", name="Give back").click()
    expect(page.locator(".done")).to_have_text("Envelope E-0002 is given back.")
    assert core.said("prize.handed_over") == []


def test_another_desk_is_sent_away_and_keeps_what_was_typed(core, at_desk):
    page = at_desk(who="nomvula", at="rewards")
    prepare(page, core)
    take_to_the_claim_desk(page)
    hand_over(page)
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("alert")).to_contain_text("Held prizes are claimed at the Customer Services Desk.")
    expect(dialog.get_by_label("Amount found in it")).to_have_value("700")


def test_two_machines_see_the_same_and_a_second_hand_over_is_refused(core, at_desk):
    first = at_desk(who="nomvula", at="customer_services")
    prepare(first, core)
    take_to_the_claim_desk(first)
    second = at_desk("held", who="themba", at="customer_services")
    second.locator(".prize").click()
    second.get_by_role("button", name="Hand over").click()
    hand_over(first)
    expect(first.locator(".done")).to_be_visible()
    second.keyboard.press("Escape")
    expect(second.locator('[data-view="held"] .says')).to_have_text("No prize is held.")
    expect(second.get_by_role("button", name="Hand over")).to_have_count(0)
    assert len(core.said("prize.handed_over")) == 1


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_guest_signs_once_whatever_the_network_does(core, at_desk, cut):
    page = at_desk()

    def lose(route):
        if cut == "after":
            route.fetch()
        route.abort()

    page.route("**/desk/register", lose)
    form = register(page)
    form.get_by_label("Card or member number").fill(LERATO)
    page.keyboard.press("Enter")
    form.get_by_label("The guest is here in person").check()
    form.get_by_label("Identification").select_option("passport")
    form.get_by_label("Number on it").fill("A01234567")
    form.get_by_label("E-mail").fill("lerato@example.org")
    draw_on_glass(page, '[data-form="register"]')
    form.get_by_role("button", name="Sign register").click()
    expect(form.locator(".refused")).to_contain_text("It did not reach the server.")
    page.unroute("**/desk/register")
    form.get_by_role("button", name="Sign register").click()
    expect(page.locator(".done")).to_have_text("Entered as number 1. The slip is printing.")
    assert len(core.said("register.signed")) == 1
    expect(page.locator(".entries tbody tr")).to_have_count(1)


def test_the_form_goes_as_the_session_begins_and_comes_as_it_ends(core, at_desk):
    page = at_desk()
    expect(page.locator(".hours .state").first).to_have_text("Open until 14:00")
    core.until("14:00")
    expect(page.locator(".hours .state").first).to_have_text("Opens at 14:10")
    expect(register(page)).to_be_hidden()
    core.until("14:10")
    expect(register(page)).to_be_visible()


def portrait(pixels: int) -> bytes:
    """A PNG of a paper: grey, with a black bar across its middle."""
    rows = [b"\0" + (b"\x10" if 3 < 8 * y // pixels < 6 else b"\xd0") * pixels for y in range(pixels)]
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", pixels, pixels, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"".join(rows))),
    )
    whole = b"\x89PNG\r\n\x1a\n"
    for name, data in (*parts, (b"IEND", b"")):
        whole += struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return whole


def test_a_copy_of_the_paper_is_kept_small_and_shown_until_the_dialog_closes(core: DeskCore, at_desk: Any) -> None:
    page = at_desk(who="mpho", at="rewards")
    sign_lerato(page)
    page.get_by_role("button", name="Papers of entry 1, Lerato Dlamini").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("No copy is kept yet.")).to_be_visible()
    chooser = dialog.get_by_label("Photograph or picture of the paper")
    chooser.set_input_files({"name": "note.png", "mimeType": "image/png", "buffer": b"no picture"})
    expect(dialog.locator("#papers-picture-fault")).to_contain_text("cannot be read")
    chooser.set_input_files({"name": "paper.png", "mimeType": "image/png", "buffer": portrait(3_000)})
    expect(dialog.get_by_role("img", name="The picture")).to_be_visible()
    dialog.get_by_role("button", name="Keep copy").click()
    expect(page.locator(".done")).to_have_text("The copy is kept.")
    expect(dialog.get_by_role("img")).to_be_hidden()
    dialog.get_by_role("button", name="Show").click()
    picture = dialog.get_by_role("img", name="The picture")
    expect(picture).to_be_visible()
    assert picture.evaluate("(it) => [it.width, it.height]") == [2_000, 2_000]  # the longer side, of 3,000
    dark = "(it) => [...it.getContext('2d').getImageData(1000, 1200, 1, 1).data].slice(0, 3)"
    assert max(picture.evaluate(dark)) < 40
    dialog.get_by_role("button", name="Go back").click()
    expect(dialog).to_be_hidden()
    assert page.locator(".papers canvas").evaluate("(it) => it.width") == 1
    (kept,) = core.said("paper.kept")
    assert kept.actor == "desk:mpho"
