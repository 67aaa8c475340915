"""The roster in a browser: a line by the keyboard alone, changed, taken off; the console misses who is absent."""

from __future__ import annotations

from floor_people import ARRIVES, People, day, long_shifts, people
from playwright.sync_api import expect

__all__ = ["day", "long_shifts", "people"]


def test_a_line_is_entered_by_the_keyboard_and_the_console_misses_its_person(people: People) -> None:
    page = people.at("/console/roster")
    expect(page.locator(".none")).to_be_visible(timeout=ARRIVES)
    opens = page.get_by_role("button", name="Enter a line")
    opens.focus()
    page.keyboard.press("Enter")
    form = page.get_by_role("dialog")
    form.get_by_label("Duty").focus()
    page.keyboard.type("Crew")
    page.keyboard.press("Tab")
    page.keyboard.type("Kabelo")
    page.keyboard.press("Tab")  # the zone
    page.keyboard.press("Tab")
    page.keyboard.type("0130PM")  # as this browser's language writes a time
    expect(form.get_by_label("From")).to_have_value("13:30")
    form.get_by_label("Until").fill("18:00")
    page.keyboard.press("Enter")
    row = page.locator(".shifts tbody tr")
    expect(row).to_contain_text("Kabelo", timeout=ARRIVES)
    expect(row).to_contain_text("Not signed in")
    expect(page.locator(".done")).to_have_text("Kabelo is on the roster.")

    console = people.at("/console")
    expect(console.locator(".crew-lines")).to_contain_text(
        "Kabelo should be here (crew) since 13:30 and is not signed in.", timeout=ARRIVES
    )

    row.get_by_role("button", name="Change").click()
    form.get_by_label("Until").fill("13:00")
    form.get_by_role("button", name="Change line").click()
    expect(form.locator('[data-field="until"] .fault')).to_contain_text("It ends before it begins.", timeout=ARRIVES)
    form.get_by_label("Until").fill("17:00")
    form.get_by_role("button", name="Change line").click()
    expect(row).to_contain_text("17:00", timeout=ARRIVES)

    row.get_by_role("button", name="Take off").click()
    expect(form).to_contain_text("Crew, 13:30 to 17:00.")
    form.get_by_role("button", name="Take off").click()
    expect(page.locator(".none")).to_be_visible(timeout=ARRIVES)
