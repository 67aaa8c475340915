"""The clock alone keeps a session from opening: the console says so, and a manager opens it with a reason (X-02)."""

from __future__ import annotations

from collections.abc import Callable

from desk_core import FIRST, DeskCore, at_desk, core, long_shifts
from page_signing import sign_in
from playwright.sync_api import Browser, Page, expect

__all__ = ["at_desk", "core", "long_shifts"]
TROUBLE = "This machine's clock is not synchronised."
REASON = "The time servers cannot be reached. Compared with the cash desk's clock."


def console(browser: Browser, core: DeskCore, person: str) -> Page:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    base = f"http://127.0.0.1:{core.wire.port}"
    sign_in(context, base, person)
    page = context.new_page()
    page.goto(f"{base}/console")
    expect(page.locator(".bar .now")).not_to_be_empty()
    return page


def test_a_manager_opens_the_session_with_a_reason_alone(
    browser: Browser,
    core: DeskCore,
    at_desk: Callable[..., Page],  # noqa: ARG001 - it watches for faults of pages
) -> None:
    core.until("13:44")
    core.load_lists()
    core.seat(S_0412="100001")
    core.clock.unsynchronised = TROUBLE
    core.until("13:56")
    auditor, manager = console(browser, core, "zanele"), console(browser, core, "nomvula")
    for page in (auditor, manager):
        expect(page.locator(".reasons")).to_contain_text(TROUBLE)
    expect(auditor.get_by_role("button", name="Open all the same")).to_have_count(0)

    manager.get_by_role("button", name="Open all the same").click()
    dialog = manager.get_by_role("dialog")
    expect(dialog.get_by_label("Second person\u2019s number")).to_be_hidden()
    dialog.get_by_role("button", name="Open all the same").click()
    expect(dialog.locator("#reason-fault")).to_have_text("Write the reason.")
    dialog.get_by_label("Reason").fill(REASON)
    manager.keyboard.press("Tab")
    dialog.get_by_role("button", name="Open all the same").press("Enter")
    expect(dialog).to_be_hidden()
    expect(manager.locator("#why")).to_contain_text("is open")
    overridden, opened = core.said("clock.overridden", "draw.opened")
    assert (overridden.actor, overridden.data) == ("manager:nomvula", {"session": FIRST, "reason": REASON})
    assert opened.draw == FIRST
    # What takes two people asks for two again.
    manager.get_by_role("button", name="Suspend session").click()
    expect(dialog.get_by_label("Second person\u2019s number")).to_be_visible()
    for page in (auditor, manager):
        page.context.close()
