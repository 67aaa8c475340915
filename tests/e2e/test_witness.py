"""The witness in a browser over the real core: compares the paper, gives dice, watches, certifies; others may look."""

from __future__ import annotations

import hashlib
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from werkzeug.serving import make_server

sys.path.append(str(Path(__file__).resolve().parents[1] / "integration"))

from loopback import FIRST, Loopback
from small_book import Session, book_toml

from draw_engine.service import house, staffing, witnessing
from draw_engine.service.engine import Engine
from draw_engine.service.people_ports import SignInRow
from draw_engine.store.database import open_database
from kiosk import floor_pages
from kiosk.app import Pages
from kiosk.printing.view import Printers
from kiosk.screens.view import House

DICE = "31415926535897932384"
ASKED = '[{ source = "witness", pattern = "[0-9]{20}", after = "opened" }]'
SIZES = {"wide": (1280, 800), "tall": (800, 1280)}
HOUSE = House("Silverstar", "No persons under 18.", demo=False)
PEOPLE = (("nomsa", "Nomsa Dube", "witness"),)


class WitnessCore(Loopback):
    """A core whose pages are served, with people signed in at will, on a clock that the test sets."""

    def __init__(self, folder: Path, empty: Path, book: bytes) -> None:
        super().__init__(folder, empty, now="13:45", book=book)
        self.people: list[Any] = []
        self.served = Pages(
            self.core,
            house=HOUSE,
            tokens={},
            screens={},
            staff=self.people,
            read_segment=lambda _segment: b"",
            site_toml=b"",
            blueprints=floor_pages.blueprints(self.core, HOUSE, self.people, Printers()),
            rooms=floor_pages.rooms(HOUSE, self.people, Printers()),
        )
        self.ask(self._enter)
        self.ask(self.served.follow)
        self.server = make_server("127.0.0.1", 0, self.served.app, threaded=True)
        self.server.daemon_threads = True  # type: ignore[attr-defined]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.served.pusher.start()

    @staticmethod
    def _enter(engine: Engine) -> None:
        known = {row.id for row in engine.store.staff()}
        for person, name, role in (*PEOPLE, ("nomvula", "Nomvula", "manager"), ("kabelo", "Kabelo", "crew")):
            if person not in known:
                staffing.enter(engine, person, name, role, actor=staffing.TECHNICIAN)

    def cookie(self, person: str) -> str:
        """A sign-in of theirs, as a browser shows it."""
        token = f"token-of-{person}"
        now = self.clock.now()
        row = SignInRow(hashlib.sha256(token.encode()).hexdigest(), person, None, now, now, now + 12 * 3_600_000)

        def keep(engine: Engine) -> None:
            staffing.keep_sign_in(engine, row)
            self.served.door.load(engine)

        self.ask(keep)
        return token

    def until(self, text: str) -> None:
        self.at(text)
        self.served.pusher.changed()

    def seated(self) -> None:
        """Two guests play, and the lists are loaded: a session can select."""
        for kind, content in self.lists().items():
            self.ask(lambda engine, kind=kind, content=content: house.load_list(engine, kind, content))  # type: ignore[misc]
        self.at("13:56")
        self.seat(S_0412="100001", S_0088="100002")

    @staticmethod
    def lists() -> dict[str, bytes]:
        from loopback import LISTS  # noqa: PLC0415 - the module's own, under another name than this method

        return {kind: content.encode() for kind, content in LISTS.items()}

    def close(self) -> None:
        self.served.pusher.stop()
        self.server.shutdown()
        self.server.server_close()
        super().close()


@pytest.fixture
def core_of(tmp_path: Path) -> Iterator[Callable[[str], WitnessCore]]:
    made: list[WitnessCore] = []

    def makes(entropy: str = ASKED) -> WitnessCore:
        empty = tmp_path / "empty.db"
        open_database(f"sqlite:///{empty}").dispose()
        (tmp_path / "core").mkdir()
        made.append(
            WitnessCore(tmp_path / "core", empty, book_toml(Session("first", "14:00", "14:10", entropy=entropy)))
        )
        made[0].seated()
        return made[0]

    yield makes
    for core in made:
        core.close()


@pytest.fixture
def sees(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open the witness's page as somebody; it must not have complained."""
    contexts: list[Any] = []
    faults: list[str] = []

    def opens(core: WitnessCore, who: str = "nomsa", size: str = "wide") -> Page:
        width, height = SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height}, has_touch=True)
        contexts.append(context)
        context.add_cookies([{"name": "floordraw", "value": core.cookie(who), "domain": "127.0.0.1", "path": "/"}])
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda said: faults.append(said.text) if said.type in {"error", "warning"} else None)
        page.goto(f"http://127.0.0.1:{core.server.server_port}/witness")
        expect(page.locator(".state .now")).not_to_be_empty()
        return page

    yield opens
    for context in contexts:
        context.close()
    expected = ("ERR_", "WebSocket", "status of 409", "status of 403")
    assert not [fault for fault in faults if not any(word in fault for word in expected)]


def type_dice(page: Page, digits: str) -> None:
    for digit in digits:
        page.get_by_role("button", name=digit, exact=True).click()


def test_from_the_commitment_to_the_certificate(core_of: Callable[..., WitnessCore], sees: Callable[..., Page]) -> None:
    core = core_of()
    page = sees(core)
    draw = core.ask(lambda engine: engine.draw(FIRST))
    assert "".join(page.locator(".commitment").inner_text().split()) == draw.state.terms["commitment"]

    # The paper of the opening: what differs is said at the field, what agrees stays noted.
    slip = page.locator(".slip").first
    ends = core.said("checkpoint.made")[0].data["hash"][-8:]
    slip.get_by_role("textbox").fill("zz")
    slip.get_by_role("button", name="Compare").click()
    expect(slip.locator(".says")).to_contain_text("Type 8 signs")
    slip.get_by_role("textbox").fill("00000000")
    slip.get_by_role("button", name="Compare").click()
    expect(slip.locator(".says")).to_contain_text(f"The paper says 00000000, the log {ends}")
    slip.get_by_role("textbox").fill(f" {ends.upper()} ")
    slip.get_by_role("button", name="Compare").click()
    expect(slip.locator(".says")).to_contain_text("agrees with the log")

    # Dice: too few is named at the field; they are read back before they are given.
    type_dice(page, DICE[:19])
    page.get_by_role("button", name="Read back").click()
    expect(page.locator("#dice-fault")).to_contain_text("19 digits are typed, 20 are asked")
    type_dice(page, DICE[19:])
    page.get_by_role("button", name="Read back").click()
    expect(page.get_by_role("dialog")).to_contain_text(DICE[:5])
    page.get_by_role("button", name="Give these dice").click()
    expect(page.locator(".promise .given")).to_contain_text("witness. Given at 13:56:00")
    assert [entry.data["text"] for entry in core.said("entropy.given")] == [DICE]
    expect(page.locator(".act.dice")).to_be_hidden()

    core.play("14:10:05", pay=True)
    core.served.pusher.changed()
    expect(page.locator(".act.certify")).to_be_visible()
    expect(page.locator(".selection")).to_have_count(3)
    certify(page)
    assert core.ask(lambda engine: witnessing.certified_at(engine, engine.draw(FIRST)))
    core.until("14:10:06")
    expect(page.locator(".redone")).to_have_text("This tablet has redone 3 of 3 tickets: all agree.")
    expect(page.locator(".opens")).to_contain_text("gives this commitment")


def certify(page: Page) -> None:
    page.get_by_label("First name and surname").fill("Nomsa")
    page.get_by_role("button", name="Read it through").click()
    expect(page.locator("#name-fault")).to_contain_text("both first name and surname")
    expect(page.locator("#profession-fault")).to_contain_text("Pick your profession")
    expect(page.locator("#number-fault")).to_contain_text("registration or practice number")
    page.get_by_label("First name and surname").fill("Nomsa Dube")
    page.get_by_label("Profession").select_option("attorney")
    page.get_by_label("Registration or practice number").fill("LPC 12345")
    page.get_by_role("button", name="Read it through").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("I, Nomsa Dube, attorney, number LPC 12345")
    expect(dialog).to_contain_text(DICE)
    dialog.get_by_role("button", name="Certify").click()
    expect(page.get_by_role("button", name="Print the statement")).to_be_focused()


def test_a_manager_looks_and_cannot_act(core_of: Callable[..., WitnessCore], sees: Callable[..., Page]) -> None:
    core = core_of()
    page = sees(core, "nomvula", "tall")
    expect(page.locator(".look")).to_be_visible()
    expect(page.locator(".act.dice")).to_be_hidden()
    answer = page.evaluate(
        """async (draw) => {
        const body = JSON.stringify({ draw, source: "witness", text: "1".repeat(20) });
        const headers = { "Content-Type": "application/json", "X-Floordraw": "1" };
        return (await (await fetch("/witness/dice", { method: "POST", headers, body })).json()).code;
    }""",
        FIRST,
    )
    assert answer == "X_NO_PERMISSION"
    assert not core.said("entropy.given")


def test_a_draw_that_asks_for_no_dice_says_so_and_waits_for_its_witness(
    core_of: Callable[..., WitnessCore], sees: Callable[..., Page]
) -> None:
    core = core_of("[]")
    page = sees(core, size="tall")
    expect(page.locator(".no-dice")).to_contain_text("asks for no dice")
    page.get_by_role("button", name="I watch this draw").click()
    expect(page.locator(".watched")).to_be_visible()
