"""The rule books' page in a browser over the real core: a faulty file, a book's way into force, an auditor."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from werkzeug.serving import make_server

sys.path.append(str(Path(__file__).resolve().parents[1] / "integration"))

from recording import events, write
from setup_core import GIVEN, NEXT, SetUpCore
from signing import PIN

from draw_engine.store.database import open_database
from kiosk.sign_in.access import SESSION

BUSY_MS = 30_000
"""How long a busy machine may take for what a process or an argon2 hash is waited for."""


@pytest.fixture
def core(tmp_path: Path) -> Iterator[SetUpCore]:
    empty = tmp_path / "empty.db"
    open_database(f"sqlite:///{empty}").dispose()
    (tmp_path / "core").mkdir()
    made = SetUpCore(tmp_path / "core", empty)
    write(made.site.state_dir / "floors" / "saturday", events())
    server = make_server("127.0.0.1", 0, made.served.app, threaded=True)
    server.daemon_threads = True  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made.url = f"http://127.0.0.1:{server.server_port}"
    yield made
    server.shutdown()
    server.server_close()
    made.close()


@pytest.fixture
def at_office(browser: Browser, core: SetUpCore) -> Iterator[Callable[..., Page]]:
    contexts: list[Any] = []
    faults: list[str] = []

    def opens(who: str, width: int = 1366, height: int = 768) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height})
        contexts.append(context)
        token = core.client.keys.cookie(who, core.clock.now()).partition("=")[2]
        context.add_cookies([{"name": SESSION, "value": token, "url": core.url}])
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda said: faults.append(said.text) if said.type in {"error", "warning"} else None)
        page.goto(f"{core.url}/console/setup")
        expect(page.locator("#rules-in-force")).not_to_be_empty()
        return page

    yield opens
    for context in contexts:
        context.close()
    expected = ("ERR_", "status of 409", "status of 403")
    assert not [fault for fault in faults if not any(word in fault for word in expected)]


def choose(page: Page, name: str, content: bytes) -> None:
    page.set_input_files("#file", {"name": name, "mimeType": "application/toml", "buffer": content})


def test_every_fault_of_a_file_with_its_line(at_office: Callable[..., Page]) -> None:
    page = at_office("nomvula")
    wrong = GIVEN.replace(b"from = 2023-10-07", b"from = 2023-10-06").replace(b"seconds = 90", b"secnds = 90")
    choose(page, "october.toml", wrong)
    expect(page.locator("#found")).to_contain_text("faults in october.toml. Nothing can be drawn by it.")
    mismatch = page.locator("#faults li", has_text="SS_CALENDAR_MISMATCH")
    line = wrong.decode().splitlines().index("from = 2023-10-06") + 1
    expect(mismatch.locator(".where")).to_have_text(f"Line {line}, calendar[1].from")
    expect(mismatch.locator("code")).to_have_text("from = 2023-10-06")
    expect(mismatch).to_contain_text("6 October 2023 is a Friday and this calendar runs on Saturdays")
    expect(page.locator("#load")).to_be_hidden()


def test_a_book_is_loaded_rehearsed_and_locked_by_keyboard(at_office: Callable[..., Page], core: SetUpCore) -> None:
    page = at_office("nomvula")
    expect(page.locator("#rules-in-force")).to_have_text(
        "No rule book is locked. Draws open by the book given at the start."
    )
    choose(page, "next.toml", NEXT)
    expect(page.locator("#load")).to_be_visible(timeout=BUSY_MS)
    page.locator("#load").press("Enter")
    expect(page.locator("#book-title")).to_have_text("Playtime, version test-2", timeout=BUSY_MS)
    expect(page.locator("#book-title")).to_be_focused(timeout=BUSY_MS)
    expect(page.locator("#lock")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#lock-need")).to_have_text("Rehearse it first: nobody locks what was never tried.")
    page.select_option("#floor", "folder:saturday")
    page.locator("#crews").press("Enter")
    expect(page.locator("#figures .load-of svg")).to_have_count(2, timeout=BUSY_MS)
    expect(page.locator("#figures .facts").first).to_contain_text("Awards filled3 of 3")
    page.locator("#lock").press("Enter")
    two = page.locator("dialog.decide")
    two.locator(".do").press("Enter")
    expect(two.locator("#decide-second")).to_be_focused()
    expect(two.locator("#decide-second-fault")).to_have_text("Ask a colleague to type their own number.")
    page.keyboard.type("themba")
    page.keyboard.press("Tab")
    page.keyboard.type("000000")
    page.keyboard.press("Tab")
    page.keyboard.type("as printed")
    two.locator(".do").press("Enter")
    expect(two.locator("#decide-second-secret-fault")).not_to_be_empty(timeout=BUSY_MS)
    expect(two.locator("#decide-second-secret")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type(PIN)
    page.keyboard.press("Enter")
    expect(two).to_be_hidden(timeout=BUSY_MS)
    expect(page.locator("#rules-in-force")).to_have_text("Playtime, version test-2, opens the draws.", timeout=BUSY_MS)
    expect(page.locator("#book-since")).to_contain_text("by Nomvula and Themba.")
    expect(page.locator("#lock-step")).to_be_hidden()
    (entry,) = core.said("rules.locked")
    assert entry.data["by"] == ["manager:nomvula", "manager:themba"]
    assert page.input_value("#decide-second-secret") == ""


def test_an_auditor_reads_and_a_phone_folds(at_office: Callable[..., Page], core: SetUpCore) -> None:
    core.sent("/load", NEXT)
    page = at_office("zanele", 390, 844)
    expect(page.locator("#book-title")).to_have_text("Playtime, version test-2")
    for act in (".load", "#rehearse-step", "#retire-step", "#given"):
        expect(page.locator(act)).to_be_hidden()
    expect(page.locator("#lock-need")).to_have_text("Only a manager locks a rule book.")
    expect(page.locator("#months")).to_contain_text("Sat 7 next")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
