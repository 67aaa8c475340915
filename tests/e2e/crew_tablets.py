"""Fixtures of the tablets' page tests: the canned floor, a wire that can be cut, tablets that somebody has picked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from crew_preview import CrewPreview
from crew_scenes import Floor
from page_signing import as_person, comes_true
from playwright.sync_api import Browser, Locator, Page, expect
from wire import Wire

Tablets = Callable[..., Page]
HOLD_MS = 1_600
EXPECTED = (
    "ERR_",
    "WebSocket",
    "status of 409",
    "status of 503",
    "status of 403",
    "blocked by Playwright",
    "fetching the script",
)
"""A cut wire and a refusal stand in the browser's own console; that is not the page's fault."""


@pytest.fixture(scope="session")
def previewed() -> Iterator[CrewPreview]:
    made = CrewPreview()
    made.serve()
    yield made
    made.close()


@pytest.fixture
def line(previewed: CrewPreview) -> Iterator[Wire]:
    """The Wi-Fi between the tablets and the server; a test may cut it."""
    made = Wire(previewed.server.server_port)
    yield made
    made.close()


@pytest.fixture
def floor(previewed: CrewPreview) -> Callable[[str], Floor]:
    """Put a scene on the floor."""
    return previewed.show


@pytest.fixture
def tablet(browser: Browser, line: Wire) -> Iterator[Tablets]:
    """Open `/crew` or `/stage` as somebody who is signed in."""
    contexts, faults = [], []

    def opens(
        path: str = "/crew", who: str = "lerato", width: int = 1024, height: int = 768, init: str = "", **more: object
    ) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **more)
        contexts.append(context)
        as_person(context, line.port, who)
        if init:
            context.add_init_script(init)
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda told: faults.append(told.text) if told.type in {"error", "warning"} else None)
        page.goto(f"http://127.0.0.1:{line.port}{path}")
        expect(page.locator(".bar .now")).not_to_be_empty()
        return page

    yield opens
    line.mend()
    for context in contexts:
        context.close()
    ours = [fault for fault in faults if not any(word in fault for word in EXPECTED)]
    assert not ours, ours


def claim_of(page: Page, ordinal: int = 0) -> None:
    """Open a claim by its address, as a reload does."""
    page.evaluate(f"location.hash = encodeURIComponent('2023-10-07/bonus-jackpot-1/c{ordinal}')")
    expect(page.locator(".claim-view")).to_be_visible()


def kept(page: Page) -> None:
    """Wait until the worker has kept the page for a reload without a network."""
    page.evaluate("navigator.serviceWorker.ready")
    comes_true(page, "navigator.serviceWorker.controller !== null")


def verbs(floor: Floor) -> list[str]:
    return [press["verb"] for press in floor.pressed]


def no_overflow(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def small_targets(page: Page) -> list[str]:
    """What can be pressed and is smaller than 44 px either way."""
    script = """() => [...document.querySelectorAll("button, input, select, a[href]")]
      .filter((node) => node.offsetParent && !node.classList.contains("skip"))
      .map((node) => [node, (node.closest("label") ?? node).getBoundingClientRect()])
      .filter(([, box]) => box.width < 44 || box.height < 44)
      .map(([node, box]) => `${node.className} ${node.textContent} ${box.width}x${box.height}`)"""
    found: list[str] = page.evaluate(script)
    return found


def answer(page: Page, words: str) -> Locator:
    return page.get_by_role("button", name=re.compile(f"^{words}"))


def held(page: Page, button: Locator, ms: int) -> None:
    box = button.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.wait_for_timeout(ms)
    page.mouse.up()
