"""Who works that Saturday, each at a page of their own: crew, stage, desks, console; and the floor screen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from desk_page import draw_on_glass
from floor_day import FloorDay
from page_signing import long_shifts, second_types, sign_in
from playwright.sync_api import Browser, Locator, Page, expect
from wire import Wire

HOLD_MS = 1_850
ARRIVES = 15_000
"""How long, in real ms, an answer may take on a busy machine."""
_NOT_OURS = ("ERR_", "WebSocket", "status of 409", "status of 503", "status of 403")
"""A cut network and a refusal stand in the browser's own console, too."""
_SIZES = {
    "/crew": (1024, 768),
    "/stage": (1280, 800),
    "/desk": (1280, 900),
    "/console": (1440, 900),
    "/console/roster": (1440, 900),
}


class People:
    """Opens pages over the day's networks; each hears of its own faults."""

    def __init__(self, browser: Browser, day: FloorDay) -> None:
        self._browser, self.day = browser, day
        self.faults: list[str] = []
        self._contexts: list[Any] = []
        self.usual = day.wire()

    def at(self, path: str, who: str = "", *, desk: str = "rewards", wire: Wire | None = None) -> Page:
        """Somebody at a page of the core."""
        page = self._opened(_SIZES[path], path, who or "nomvula", desk)
        page.goto(f"http://127.0.0.1:{(wire or self.usual).port}{path}")
        if page.locator(".bar .now").count():  # a page that is told what happens shows the server's time
            expect(page.locator(".bar .now")).not_to_be_empty(timeout=ARRIVES)
        return page

    def screen(self, wire: Wire | None = None) -> Page:
        """The floor screen, from the screens' own server."""
        page = self._opened((1920, 1080), "/screens", "", "")
        page.goto(f"http://127.0.0.1:{(wire or self.day.screen_wire()).port}/screens/main")
        expect(page.locator(".top .now")).not_to_be_empty(timeout=ARRIVES)
        return page

    def _opened(self, size: tuple[int, int], path: str, who: str, desk: str) -> Page:
        context = self._browser.new_context(viewport={"width": size[0], "height": size[1]})
        self._contexts.append(context)
        if who:
            sign_in(context, self.day.url, who)
        if path == "/desk":
            context.add_init_script(f"localStorage.setItem('floordraw.desk', '{json.dumps({'desk': desk})}')")
        page = context.new_page()
        page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        page.on("console", lambda told: self.faults.append(told.text) if told.type in {"error", "warning"} else None)
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()
        ours = [fault for fault in self.faults if not any(word in fault for word in _NOT_OURS)]
        assert not ours, ours


@pytest.fixture
def day(tmp_path: Path, long_shifts: None) -> Iterator[FloorDay]:  # noqa: ARG001 - a fixture
    made = FloorDay(tmp_path)
    yield made
    made.close()
    structlog.reset_defaults()


@pytest.fixture
def people(browser: Browser, day: FloorDay) -> Iterator[People]:
    made = People(browser, day)
    yield made
    made.close()


# -- the crew -----------------------------------------------------------------------------------------------------


def take(tablet: Page, day: FloorDay, ordinal: int) -> None:
    """Take this claim off the queue."""
    new = tablet.locator(f'.new[data-key$="/c{ordinal}"]')
    new.locator(".take").click(timeout=ARRIVES)
    expect(tablet.locator(".claim-view h1")).to_contain_text("Who is at", timeout=ARRIVES)
    day.until(ordinal, "taken")


def answer(tablet: Page, words: str) -> None:
    tablet.get_by_role("button", name=re.compile(f"^{words}")).click()


def hold(tablet: Page, words: str) -> None:
    box = tablet.get_by_role("button", name=re.compile(f"^{words}")).bounding_box()
    assert box is not None
    tablet.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tablet.mouse.down()
    tablet.wait_for_timeout(HOLD_MS)
    tablet.mouse.up()


def not_there(tablet: Page, day: FloorDay, ordinal: int) -> None:
    """Taken, walked to, and nobody sits there."""
    take(tablet, day, ordinal)
    answer(tablet, "Not here")
    day.until(ordinal, "not_there")
    expect(tablet.locator(".queue")).to_be_visible(timeout=ARRIVES)


def check(tablet: Page) -> None:
    expect(tablet.locator(".claim-view h1")).to_contain_text("Check ", timeout=ARRIVES)
    for box in tablet.locator(".checks input").all():
        box.check()
    tablet.get_by_label("South African ID").check()
    tablet.get_by_role("button", name="All is right").click()
    expect(tablet.locator(".claim-view h1")).to_have_text("Let the guest pick an envelope", timeout=ARRIVES)


def envelope(tablet: Page) -> str:
    """The first pocket that is left, as a scanner types it."""
    pocket = tablet.locator(".offer button").first.inner_text()
    tablet.keyboard.type(pocket)
    tablet.keyboard.press("Enter")
    expect(tablet.locator(".claim-view h1")).to_have_text(f"Pocket {pocket}: open the envelope", timeout=ARRIVES)
    return pocket


def sign(tablet: Page, rand: str) -> None:
    tablet.get_by_label("Opened in front of the guest").check()
    tablet.get_by_label("Amount in whole rand").fill(rand)
    tablet.keyboard.press("Enter")
    box = tablet.locator(".sign").bounding_box()
    assert box is not None
    tablet.mouse.move(box["x"] + 60, box["y"] + 100)
    tablet.mouse.down()
    for n in range(12):
        tablet.mouse.move(box["x"] + 60 + 12 * n, box["y"] + 100 + (-1) ** n * 20)
    tablet.mouse.up()
    tablet.get_by_role("button", name="Print slip").click()
    expect(tablet.locator(".claim-view h1")).to_have_text("Confirmed winner", timeout=ARRIVES)


def pay(tablet: Page, rand: str = "750") -> str:
    """From the check to the signature; the pocket."""
    check(tablet)
    pocket = envelope(tablet)
    sign(tablet, rand)
    return pocket


# -- the stage ----------------------------------------------------------------------------------------------------


def called(day: FloorDay, ordinal: int) -> str:
    """The card's last four of whoever was selected: what a row of the stage and of the screen is known by."""
    return f"70{day.member(ordinal)}"[-4:]


def announce(stage: Page, day: FloorDay, ordinal: int) -> None:
    """Read the sentence out and press."""
    expect(stage.locator("h1 mark.digits")).to_have_text(", ".join(called(day, ordinal)) + ",", timeout=ARRIVES)
    stage.get_by_role("button", name="Announced").click()
    day.until(ordinal, "announced")


def clock_of(stage: Page, day: FloorDay, ordinal: int) -> Locator:
    return stage.locator(".clocks article", has_text=called(day, ordinal))


def card_of(screen: Page, day: FloorDay, ordinal: int) -> Locator:
    return screen.locator(".claims .claim", has_text=called(day, ordinal))


def seconds_of(ring: Locator) -> int:
    return int(re.sub(r"\D", "", ring.locator("b").inner_text()))


def are_right(ring: Locator, day: FloorDay, ordinal: int) -> None:
    """The ring's seconds are those to the stored deadline, as near as asking for them can tell."""
    deadline = day.claim(ordinal).deadline_at
    assert deadline is not None
    before = day.clock.now()
    shown = seconds_of(ring)
    after = day.clock.now()
    assert (deadline - after) / 1000 - 0.5 <= shown <= (deadline - before) / 1000 + 1.5


def decide(dialog: Locator, words: str, second: str, reason: str) -> None:
    """Two people decide about a clock that nobody can vouch for: whoever is signed in, and one who types a PIN."""
    dialog.get_by_label(words, exact=False).first.check()
    second_types(dialog, second)
    dialog.get_by_label("Reason").fill(reason)
    dialog.get_by_role("button", name="Record decision").click()


__all__ = ["draw_on_glass", "long_shifts"]
