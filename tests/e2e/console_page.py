"""How a test opens the console over a canned day, and fills the form of two people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import console_scenes as scenes
from page_signing import second_types
from playwright.sync_api import Page, expect

SIZES = {"desk": (1440, 900), "tablet": (1024, 768), "phone": (390, 844), "desk at 400 %": (320, 640)}


def console_opener(opened: Callable[..., Page], preview: Any) -> Callable[..., Page]:
    """`opens(scene, width, height)`: the page, once it shows the scene."""

    def opens(
        scene: Callable[[int], Any] = scenes.console, width: int = 1440, height: int = 900, **more: object
    ) -> Page:
        preview.console = scene
        preview.posted.clear()
        page = opened("/console/today", width, height, **more)
        expect(page.locator("#why")).to_have_text(scene(preview.clock.now()).headline)
        return page

    return opens


def decide(page: Page, second: str, reason: str) -> None:
    """The second person types number and PIN; the first is whoever is signed in."""
    second_types(page.get_by_role("dialog"), second)
    page.get_by_label("Reason").fill(reason)
