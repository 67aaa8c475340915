"""The draw log in a browser, over a session that people worked: narrowed, verified, looked up, noted, by keyboard."""

from __future__ import annotations

import io
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from werkzeug.serving import make_server

sys.path.append(str(Path(__file__).resolve().parents[1] / "integration"))

from draw_log_core import CHECK, DrawLogCore
from loopback import FIRST

from draw_engine.store.database import open_database
from kiosk.serving import QuietRequests

TOP = Path(__file__).resolve().parents[2]
BUNDLE = TOP / "kiosk" / "static" / "vendor" / "draw_log.js"
AXE = TOP / "node_modules" / "axe-core" / "axe.min.js"
DRAW = f"/console/draws/{FIRST}"
PAGES = ("/console/draws", "/console/draws?show=draws", DRAW, f"{DRAW}/selections/2")
SIZES = ((1920, 1080), (320, 640), (1366, 768))
"""The second is a desk at 400 %."""


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DrawLogCore]:
    if not BUNDLE.exists():
        pytest.skip(f"{BUNDLE.name} is not built: npm ci && node build.mjs")
    folder = tmp_path_factory.mktemp("draw-log-pages")
    empty = folder / "empty.db"
    open_database(f"sqlite:///{empty}").dispose()
    (folder / "core").mkdir()
    made = DrawLogCore(folder / "core", empty)
    made.play_day()
    server = make_server("127.0.0.1", 0, made.served.app, threaded=True, request_handler=QuietRequests)
    server.daemon_threads = True  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made.url = f"http://127.0.0.1:{server.server_port}"  # type: ignore[attr-defined]
    yield made
    server.shutdown()
    server.server_close()
    made.close()


Opens = Callable[..., Page]


@pytest.fixture
def opens(browser: Browser, core: DrawLogCore) -> Iterator[Opens]:
    """Open a page as somebody. Whatever is looked at, the page must not complain."""
    contexts: list[Any] = []
    faults: list[str] = []

    def at(path: str, who: str = "nomvula") -> Page:
        url = core.url  # type: ignore[attr-defined]
        context = browser.new_context(viewport={"width": 1366, "height": 768})
        context.add_cookies([{"name": "floordraw", "value": core.cookie(who), "url": url}])
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda said: faults.append(said.text) if said.type in {"error", "warning"} else None)
        page.goto(url + path)
        return page

    yield at
    for context in contexts:
        context.close()
    assert not [fault for fault in faults if "status of 409" not in fault]


@pytest.mark.parametrize("path", PAGES)
def test_nothing_overflows_and_axe_finds_nothing(opens: Opens, path: str) -> None:
    page = opens(path)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({resultTypes: ['violations']})")
    serious = [
        (one["id"], [node["target"] for node in one["nodes"]])
        for one in found["violations"]
        if one["impact"] in {"serious", "critical"}
    ]
    assert serious == []


def test_from_the_list_to_a_selection_verified_by_keyboard(opens: Opens) -> None:
    page = opens("/console/draws")
    page.get_by_label("Outcome").select_option("held")
    page.get_by_role("button", name="Show selections").press("Enter")
    expect(page.get_by_role("heading", name="1 selection", exact=True)).to_be_visible()
    page.locator(f'a[href="{DRAW}/selections/2"]').press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Selection of 14:05:35")
    page.get_by_role("button", name="Verify draw").press("Enter")
    verdict = page.locator("#verdict")
    expect(verdict).to_contain_text("VERIFIED: everything holds")
    expect(verdict).to_be_focused()
    expect(page.locator(".checks li.ok")).to_have_count(21)
    expect(page.locator(".notices li")).to_have_count(3)
    page.reload()
    expect(verdict).to_contain_text("VERIFIED: everything holds")


def test_a_guest_is_looked_up_and_no_number_stays(opens: Opens) -> None:
    page = opens(f"{DRAW}/selections/2")
    field = page.get_by_label("Card or member number")
    field.press("Enter")
    expect(page.get_by_text("Type the card or member number.")).to_be_visible()
    page.keyboard.type("100003")
    page.keyboard.press("Enter")
    answer = page.locator(".answer")
    expect(answer).to_contain_text("S-0600 is not in one of the promotion's zones.")
    expect(answer).to_contain_text("SS_ZONE_NOT_QUALIFYING")
    expect(answer.locator(".asked")).to_have_text(re.compile(r"^Number 100003, selection of 14:\d\d$"))
    field.fill("100002")
    expect(answer).to_be_empty()  # no answer stands beside another guest's number
    page.keyboard.press("Enter")
    expect(answer.get_by_label("Inclusion proof")).to_have_value(re.compile("^FD1:"))
    proof = answer.get_by_label("Inclusion proof").input_value()
    code = answer.locator(".code svg")
    code.scroll_into_view_if_needed()
    (found,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(code.screenshot())))
    assert found.text == f"{CHECK}#{proof}"  # what the guest's phone opens
    assert "100002" not in page.url
    assert page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})") == "{}"


def test_the_draws_page_asks_which_selection(opens: Opens) -> None:
    page = opens(DRAW)
    page.get_by_label("Which selection").select_option("2")
    page.get_by_label("Card or member number").fill("70100001")
    page.get_by_role("button", name="Find reason").click()
    expect(page.locator(".answer")).to_contain_text("You had been selected for this award already.")


def test_a_note_is_written_and_stays(opens: Opens) -> None:
    page = opens(f"{DRAW}/selections/0")
    page.get_by_role("button", name="Add note of dispute").press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Add note").click()
    expect(dialog.get_by_text("Write the note first.")).to_be_visible()
    dialog.get_by_label("Note").fill("She says she was at the bar.\nWas told the rule.")
    dialog.get_by_role("button", name="Add note").click()
    expect(page.locator(".notes li")).to_contain_text("She says she was at the bar.")
    expect(page.locator(".notes li")).to_contain_text("Nomvula, manager")
    expect(opens(f"{DRAW}/selections/0", who="zanele").locator(".notes li")).to_have_count(1)


def test_a_witness_reads_and_verifies_and_no_more(opens: Opens) -> None:
    page = opens(f"{DRAW}/selections/0", who="wim")
    expect(page.get_by_role("button", name="Verify draw")).to_be_visible()
    expect(page.get_by_label("Card or member number")).to_have_count(0)
    expect(page.get_by_role("button", name="Add note of dispute")).to_have_count(0)
    expect(page.locator(".notes")).to_have_count(0)


def test_the_printed_sheet_has_every_try_and_nothing_to_press(opens: Opens) -> None:
    page = opens(DRAW)
    page.emulate_media(media="print")
    for row in page.locator(".rows tbody tr").all():
        expect(row).to_be_visible()
    expect(page.locator(".rows tbody tr")).to_have_count(4)
    for button in page.locator("main button, main a.btn").all():
        expect(button).to_be_hidden()
