"""How a test reads a screen's seconds, to the tenth, by the page's own clock."""

from __future__ import annotations

import time

from playwright.sync_api import Page
from screen_preview import ScreenPreview

# A page shows whole seconds, looks ten times a second, and is read a little later than the clock.
WITHIN = 1.2

# When the first ring next shows another second, on this machine's clock, and which.
NEXT_SECOND = """() => new Promise((done, fail) => {
  const shown = () => document.querySelector('.claims .ring b')?.textContent;
  const before = shown(), began = performance.now();
  const watch = setInterval(() => {
    if (performance.now() - began > 4000) fail(new Error('the seconds stand still'));
    else if (!shown() || shown() === before) return;
    else done([Date.now(), Number(shown())]);
    clearInterval(watch);
  }, 5);
})"""


def off_by(page: Page, preview: ScreenPreview, deadline: int) -> int:
    """By how many ms the ring is late (or early) in showing its next second."""
    at, shown = page.evaluate(NEXT_SECOND)
    ahead = preview.clock.now() - int(time.time() * 1000)  # noqa: TID251 - what the browser's own clock shows
    return int(at + ahead - (deadline - shown * 1000))


def read(page: Page, preview: ScreenPreview, rings: str = ".claims .ring b") -> tuple[int, list[int]]:
    """The instant the rings were read at, and their seconds: both by the page, as a busy machine may come between."""
    told = "rings => [Date.now(), [...document.querySelectorAll(rings)].map((ring) => Number(ring.textContent))]"
    at, shown = page.evaluate(told, rings)
    return at + preview.clock.now() - int(time.time() * 1000), shown  # noqa: TID251 - the browser's own clock
