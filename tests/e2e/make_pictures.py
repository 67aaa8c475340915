"""The pictures of the documentation, of the real pages: `python tests/e2e/make_pictures.py [FOLDER]` (docs/pictures).

It starts a demo on a free port in a folder of its own, works at its pages as crew, announcer and desk do, and takes a
picture of each when there is something to be seen on it. About eight minutes: the demo's clocks are real ones.
"""

from __future__ import annotations

import csv
import io
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import requests
from conftest import ARGUMENTS, _chromium
from floor_people import answer, check, draw_on_glass, envelope
from page_signing import MARKED, sign_in
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright
from playwright.sync_api import TimeoutError as Timeout

from kiosk.serving import DEMO_PIN

TOP = Path(__file__).resolve().parents[2]
PLAYING = frozenset({"Black", "Platinum", "Gold"})
SIGNERS = 350
"""So many decline the day before it begins, that a prize is soon held for one of them."""
DRAWN = {"width": 300, "height": 100, "strokes": [[[20, 60], [80, 30], [140, 70], [260, 40]]]}
MOST_BYTES = 250_000
SESSION_S = 15 * 60


class Maker:
    """A running demo, a page for each of its people, and the pictures taken so far."""

    def __init__(self, browser: Browser, folder: Path, urls: dict[str, str], lists: Path) -> None:
        self.folder, self.urls = folder, urls
        self.core = urls["Crew tablet"].removesuffix("/crew")
        members = csv.DictReader((lists / "members.csv").read_text(encoding="utf-8").splitlines())
        self.members = [row for row in members if row["tier"] in PLAYING and row["born"] < "2000"]
        self.signed: set[str] = set()
        self.taken: set[str] = set()
        self._browser = browser
        self._ends = time.monotonic() + SESSION_S

    def at(self, url: str, size: tuple[int, int], who: str = "", desk: str = "") -> Page:
        """A page, signed in as somebody."""
        context = self._browser.new_context(viewport={"width": size[0], "height": size[1]})
        if who:
            sign_in(context, self.core, who, DEMO_PIN)
        if desk:
            context.add_init_script(f"localStorage.setItem('floordraw.desk', '{json.dumps({'desk': desk})}')")
        page = context.new_page()
        page.goto(url)
        expect(page.locator(".now").first).not_to_be_empty(timeout=20_000)
        page.evaluate("document.fonts.ready")
        return page

    def picture(self, name: str, page: Page) -> None:
        """Once; as a palette of 256 colours, in which these pages look the same."""
        if name in self.taken:
            return
        page.evaluate("document.activeElement?.blur?.()")
        whole = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        few = whole.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        file = self.folder / f"{name}.png"
        few.save(file, optimize=True)
        size = file.stat().st_size
        assert size < MOST_BYTES, f"{file.name} is {size} bytes"
        self.taken.add(name)
        print(f"{file.name}: {size} bytes")

    def until(self, ready: Callable[[], bool]) -> None:
        while not ready():
            if time.monotonic() > self._ends:
                sys.exit("The session went by without it; start again.")
            time.sleep(0.2)

    # -- the desk before the session -------------------------------------------------------------------------------

    def register(self, desk: Page) -> None:
        guest = self.members[0]
        form = desk.locator('[data-form="register"]')
        form.get_by_label("Card or member number").fill(guest["member"])
        desk.keyboard.press("Enter")
        expect(desk.locator(".found")).to_contain_text(guest["last_name"], timeout=20_000)
        form.get_by_label("The guest is here in person").check()
        form.get_by_label("Identification").select_option("sa_id")
        form.get_by_label("Number on it").fill("9001015800084")
        form.get_by_label("Cellphone").fill("082 000 0188")
        draw_on_glass(desk, '[data-form="register"]')
        desk.evaluate("scrollTo(0, 0)")
        self.picture("desk-register", desk)
        form.get_by_role("button", name="Sign register").click()

    def sign_many(self) -> None:
        """Others at the other counters meanwhile."""
        counter = requests.Session()
        counter.headers.update(MARKED)
        counter.post(f"{self.core}/sign-in", json={"number": "mpho", "secret": DEMO_PIN}, timeout=20).raise_for_status()
        for guest in self.members[1 : SIGNERS + 1]:
            said = {"id": str(uuid.uuid4()), "member": guest["member"], "in_person": True}
            paper = {"id_type": "passport", "id_number": "DEMO0000", "phone": "082 000 0000", "email": ""}
            answered = counter.post(
                f"{self.core}/desk/register", json={**said, **paper, "signature": DRAWN}, timeout=20
            )
            if answered.ok:
                self.signed.add(f"{guest['first_name']} {guest['last_name']}")
        print(f"{len(self.signed)} guests have signed the register.")

    # -- the session -----------------------------------------------------------------------------------------------

    def work(self, tablet: Page, stage: Page, screen: Page, console: Page) -> None:
        """Take what comes, until every picture has been taken and a prize is held."""
        held = False
        while not (held and {"crew-sign", "stage", "floor-screen", "console"} <= self.taken):
            self.until(lambda: bool(self._look(stage, screen, console)) or shown(tablet.locator(".new .take")))
            if not shown(tablet.locator(".new .take")):
                continue
            ours, others = tablet.locator(".row.mine").count(), tablet.locator(".row:not(.mine)").count()
            if ours and others:
                self.picture("crew-queue", tablet)
            if ours and "crew-queue" not in self.taken:
                tablet.wait_for_timeout(1_000)  # this one is the simulated crew's
                continue
            held = self._one_claim(tablet, stage) or held

    def _one_claim(self, tablet: Page, stage: Page) -> bool:
        """Walk to one of them; whether its guest had signed, did not come, and the prize is held."""
        tablet.locator(".new .take").first.click()
        if not appears(tablet.locator(".about dl")):
            return False  # somebody else of the crew was quicker
        stand(tablet)
        self.picture("crew-at-machine", tablet)
        name = tablet.locator(".about dd").first.inner_text()
        clocks_wanted = "crew-sign" in self.taken and not {"stage", "floor-screen"} <= self.taken
        if name in self.signed or clocks_wanted:
            answer(tablet, "Not here")
            return self._called_in_vain(stage, name) and name in self.signed
        if "crew-queue" in self.taken and "crew-sign" not in self.taken:
            answer(tablet, "On own card")
            self._pay(tablet)
        tablet.locator(".bar .back").click()
        if "crew-queue" in self.taken:
            self._release(tablet)
        return False  # else it stays ours, and is seen in the queue

    def _release(self, tablet: Page) -> None:
        """What is not wanted for a picture is left to the simulated crew."""
        release = tablet.locator('.row.mine [data-act="release"]:enabled:visible')
        while release.count():
            with suppress(Timeout):
                release.first.click(timeout=2_000)
            tablet.wait_for_timeout(500)

    def _pay(self, tablet: Page) -> None:
        check(tablet)
        self.picture("crew-envelope", tablet)
        envelope(tablet)
        tablet.get_by_label("Opened in front of the guest").check()
        tablet.get_by_label("Amount in whole rand").fill("750")
        tablet.keyboard.press("Enter")
        draw_with_a_finger(tablet)
        self.picture("crew-sign", tablet)
        tablet.get_by_role("button", name="Print slip").click()
        expect(tablet.locator(".claim-view h1")).to_have_text("Confirmed winner", timeout=20_000)

    def _called_in_vain(self, stage: Page, name: str) -> bool:
        """Announced by a person, so that the simulated announcer presses nothing for this guest."""
        first, last = name.split(maxsplit=1)
        called = re.compile(rf"{first} {last[0]}\.", re.IGNORECASE)
        if not appears(stage.locator("h1 mark.name", has_text=called), seconds=12):
            return False
        self._stage_picture(stage)
        stage.get_by_role("button", name="Announced").click()
        return True

    def _look(self, stage: Page, screen: Page, console: Page) -> bool:
        self._stage_picture(stage)
        cards = screen.locator("section.claims .claim:not(.over)")
        if 2 <= cards.count() <= 3:
            screen.wait_for_timeout(1_500)  # the names are fitted to their lines
            if 2 <= cards.count() <= 3 and cards.count() == screen.locator("section.claims .claim").count():
                self.picture("floor-screen", screen)
        busy, clocks = console.locator(".running tbody tr"), console.locator(".running .left:not(.no-clock)")
        if busy.count() >= 3 and clocks.count() and console.locator("section.ended tbody tr").count() >= 3:
            self.picture("console", console)
        return False

    def _stage_picture(self, stage: Page) -> None:
        if "stage" in self.taken or stage.locator(".clocks .ring:not(.over)").count() < 2:
            return
        if appears(stage.locator("h1 mark.digits"), seconds=1):
            self.picture("stage", stage)

    # -- afterwards ------------------------------------------------------------------------------------------------

    def held(self, desk: Page) -> None:
        """A prize is held; somebody tried to reach its guest."""
        desk.get_by_role("link", name="Held prizes").click()
        prize = desk.locator(".prize").first
        self.until(lambda: shown(prize))
        prize.click()
        contact = desk.get_by_role("button", name="Note contact")
        self.until(lambda: shown(contact) and "E-" in desk.locator('[data-fact="pocket"]').inner_text())
        contact.click()
        dialog = desk.get_by_role("dialog")
        dialog.get_by_label("How").select_option("phone")
        dialog.get_by_label("Outcome").select_option("no_answer")
        dialog.get_by_role("button", name="Note contact").click()
        expect(desk.locator(".timeline")).to_contain_text("no answer", timeout=20_000)
        desk.locator(".done").wait_for(state="hidden", timeout=20_000)
        self.picture("desk-held", desk)

    def sign_in_page(self) -> None:
        context = self._browser.new_context(viewport={"width": 1280, "height": 800}, has_touch=True)
        page = context.new_page()
        page.goto(f"{self.core}/sign-in")
        expect(page.get_by_label("Staff number")).to_be_focused()
        page.evaluate("document.fonts.ready")
        self.picture("sign-in", page)
        context.close()

    def people(self, console: Page) -> None:
        """Who works here, and on which devices."""
        console.goto(f"{self.core}/console/people")
        expect(console.locator(".staff tbody tr").first).to_be_visible(timeout=20_000)
        self.picture("people", console)

    def roster(self, console: Page) -> None:
        """Who works when, and who of them is not here."""
        console.goto(f"{self.core}/console/roster")
        expect(console.locator(".shifts tbody tr").first).to_be_visible(timeout=20_000)
        self.picture("roster", console)

    def witness(self) -> None:
        """What the house is held to, while the session runs."""
        self.picture("witness", self.at(f"{self.core}/witness", (1280, 800), "nkosi"))

    def draw_log(self, console: Page) -> None:
        """The session so far, and one of its selections, verified as far as an open draw can be."""
        console.goto(f"{self.core}/console/draws")
        self.picture("draw-log", console)
        console.locator(".table a[href*='/selections/']").first.click()
        console.get_by_role("button", name="Verify draw").click()
        expect(console.locator(".checks li").first).to_be_visible(timeout=60_000)
        self.picture("draw-log-selection", console)


def shown(found: Locator) -> bool:
    return found.count() > 0 and found.first.is_visible()


def appears(found: Locator, seconds: float = 5) -> bool:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if shown(found):
            return True
        time.sleep(0.1)
    return False


def stand(tablet: Page) -> None:
    """Say on the map where the tablet is, so that the walk is drawn."""
    box = tablet.locator(".map svg").bounding_box()
    if box is not None:
        tablet.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.85)
        tablet.wait_for_timeout(300)


def draw_with_a_finger(tablet: Page) -> None:
    box = tablet.locator(".sign").bounding_box()
    assert box is not None
    left, middle = box["x"] + box["width"] * 0.2, box["y"] + box["height"] * 0.5
    tablet.mouse.move(left, middle)
    tablet.mouse.down()
    for n, up in enumerate((-40, 30, -25, 35, -45, 10, -10, 25, -30, 5)):
        tablet.mouse.move(left + 26 * (n + 1), middle + up, steps=4)
    tablet.mouse.up()


@contextmanager
def demo(folder: Path) -> Iterator[dict[str, str]]:
    """A demo of its own; its addresses by their names, as it prints them."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "kiosk.cli", "demo", "--folder", str(folder), "--port", str(port)]
    running = subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE, text=True)
    try:
        yield dict(_addresses(running))
    finally:
        running.terminate()
        running.wait(60)


def _addresses(running: subprocess.Popen[str]) -> Iterator[tuple[str, str]]:
    assert running.stdout is not None
    for line in running.stdout:
        print(line, end="")
        if found := re.match(r" {2}(\w+(?: \w+)?) +(\S+)$", line):
            yield found[1], found[2]
        if line.startswith("Ctrl-C"):
            return
    sys.exit("The demo did not start.")


def make(browser: Browser, folder: Path, urls: dict[str, str], lists: Path) -> None:
    maker = Maker(browser, folder, urls, lists)
    maker.sign_in_page()
    desk = maker.at(urls["Desks"], (1280, 900), "mpho", desk="rewards")
    maker.register(desk)
    maker.sign_many()
    tablet = maker.at(urls["Crew tablet"], (1024, 768), "kabelo")
    stage = maker.at(urls["Stage"], (1280, 800), "anita")
    screen = maker.at(urls["Floor screen"], (1920, 1080))
    console = maker.at(urls["Console"], (1440, 900), "naledi")
    maker.work(tablet, stage, screen, console)
    maker.held(desk)
    maker.draw_log(console)
    maker.people(console)
    maker.roster(console)
    maker.witness()


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else TOP / "docs" / "pictures"
    path = _chromium(whole=True)
    if path is None:
        sys.exit("No Chromium on this machine: set FLOORDRAW_CHROMIUM to its path.")
    with tempfile.TemporaryDirectory() as place, demo(Path(place)) as urls, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        make(browser, folder, urls, Path(place) / "lists")
        browser.close()


if __name__ == "__main__":
    main()
