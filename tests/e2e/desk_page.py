"""Fixtures of the desk's page tests: the canned desk, a wire that can be cut, a page that somebody works at."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import desk_scenes as scenes
import pytest
from desk_preview import DeskPreview
from page_signing import as_person
from playwright.sync_api import Browser, Locator, Page, expect
from wire import Wire

SIZES = {"desk": (1280, 900), "wide": (1440, 900), "tablet": (1024, 768), "phone": (390, 844), "400 %": (320, 640)}
VIEWS = ("register", "held", "envelopes", "slips")
Desk = Callable[..., Page]


@pytest.fixture(scope="session")
def previewed() -> Iterator[DeskPreview]:
    made = DeskPreview()
    made.serve()
    yield made
    made.close()


@pytest.fixture
def line(previewed: DeskPreview) -> Iterator[Wire]:
    made = Wire(previewed.server.server_port)
    yield made
    made.close()


@pytest.fixture
def desk(browser: Browser, previewed: DeskPreview, line: Wire) -> Iterator[Desk]:
    """Open a view of a scene as somebody at a desk; the page must not have complained."""
    contexts, faults = [], []

    def opens(
        view: str = "register",
        scene: Callable[..., object] = scenes.desk,
        *,
        who: str = "refilwe",
        at: str = "rewards",
        width: int = 1280,
        height: int = 900,
    ) -> Page:
        previewed.show(scene)  # told to the pusher too: it sends nothing that it believes everybody has
        previewed.answers.clear()
        previewed.posted.clear()
        context = browser.new_context(viewport={"width": width, "height": height}, has_touch=True)
        contexts.append(context)
        as_person(context, line.port, who)
        if at:
            context.add_init_script(f"localStorage.setItem('floordraw.desk', '{json.dumps({'desk': at})}')")
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda said: faults.append(said.text) if said.type in {"error", "warning"} else None)
        page.goto(f"http://127.0.0.1:{line.port}/desk#{view}")
        expect(page.locator(".bar .now")).not_to_be_empty()
        page.evaluate("document.fonts.ready")
        return page

    yield opens
    line.mend()
    for context in contexts:
        context.close()
    assert not [fault for fault in faults if "ERR_" not in fault and "WebSocket" not in fault]


def register(page: Page) -> Locator:
    """The register's form; the dialogs have fields of the same names."""
    return page.locator('[data-form="register"]')


def draw_on_glass(page: Page, within: str) -> None:
    """A finger, or a mouse, writes something on the sheet."""
    sheet = page.locator(f"{within} .paper")
    sheet.scroll_into_view_if_needed()
    box = sheet.bounding_box()
    assert box
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.down()
    for step in range(1, 8):
        page.mouse.move(box["x"] + 60 + 25 * step, box["y"] + 60 + (20 if step % 2 else -20))
    page.mouse.up()


def fill_register(page: Page) -> None:
    register(page).get_by_label("Card or member number").fill("100045577302")
    page.keyboard.press("Enter")
    expect(page.locator(".found")).to_contain_text("Fatima Adams")
    register(page).get_by_label("The guest is here in person").check()
    register(page).get_by_label("Identification").select_option("sa_id")
    register(page).get_by_label("Number on it").fill("7203140186083")
    register(page).get_by_label("Cellphone").fill("082 555 0188")
    draw_on_glass(page, '[data-form="register"]')
