"""The reports' page in a browser: nothing overflows, axe finds nothing, every point of a plot is said by keyboard."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask, Response, jsonify, render_template
from page_signing import comes_true
from playwright.sync_api import Browser, Page, expect
from werkzeug.serving import make_server

sys.path.append(str(Path(__file__).resolve().parents[1]))

from report_facts_made import FIRST, SECOND

from draw_engine.reports_envelopes import batch_report
from draw_engine.reports_whole import report_of
from kiosk.console.pages import nav
from kiosk.reports import words as reports_words
from kiosk.reports.monitor import Monitor
from kiosk.reports.view import choice_of, page_of
from kiosk.serving import QuietRequests
from kiosk.sign_in import words as sign_in_words
from web_display.catalogue import add_words, page_words

TOP = Path(__file__).resolve().parents[2]
BUNDLE = TOP / "kiosk" / "static" / "vendor" / "reports.js"
AXE = TOP / "node_modules" / "axe-core" / "axe.min.js"
CSP = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'"
SIZES = ((1920, 1080), (1366, 768), (800, 1280), (390, 844), (320, 640))


def _app() -> Flask:
    add_words(reports_words.ENGLISH)
    draws = [FIRST, SECOND]
    states = [("given", 50_000), ("given", 100_000), ("tray", None), ("held", None)]
    batch = batch_report("B-001", FIRST.opened_at, {50_000: 2, 100_000: 2}, states)
    found = Monitor((), (), ((FIRST, SECOND),), (batch,), (), ())
    made = page_of(draws, report_of(draws), found, str, unread=0, still_open=1)
    me = {"id": "nomvula", "name": "Nomvula Maseko", "role": "manager"}
    app = Flask("kiosk.app", static_url_path="/static/console")

    @app.get("/console/reports")
    def page() -> str:
        return render_template(
            "reports.html",
            assets="/static/console",
            bundle="reports",
            property_name="Silverstar",
            words=page_words("reports"),
            pages=nav("reports", "manager"),
            me=me,
            page=made,
            choice=choice_of(draws),
            asked={},
            query="",
            **sign_in_words.for_every_page(),
        )

    @app.get("/me")
    def whoami() -> Response:
        return jsonify({**me, "device": None, "ends_at": 3_600_000, "server_now": 0, "this_machine": True})

    @app.after_request
    def strict(response: Response) -> Response:
        response.headers["Content-Security-Policy"] = CSP
        return response

    return app


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    if not BUNDLE.exists():
        pytest.skip(f"{BUNDLE.name} is not built: npm ci && node build.mjs")
    server = make_server("127.0.0.1", 0, _app(), threaded=True, request_handler=QuietRequests)
    server.daemon_threads = True  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/console/reports"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    faults: list[Any] = []
    page = context.new_page()
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.goto(url)
    expect(page.locator("html")).to_have_attribute("data-ready", "reports")
    yield page
    context.close()
    assert not [fault for fault in faults if "favicon" not in fault], SimpleNamespace(faults=faults)


def test_nothing_overflows_and_axe_finds_nothing(page: Page) -> None:
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        comes_true(page, "document.documentElement.scrollWidth <= innerWidth")  # a plot is drawn anew a moment later
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    assert [(one["id"], one["nodes"][0]["target"]) for one in found if one["impact"] in {"serious", "critical"}] == []


def test_every_point_of_a_plot_is_said_by_keyboard(page: Page) -> None:
    """Black was selected twice of five, 4/3 by chance: as the table beside it says."""
    figure, said = page.locator("#tier figure"), page.locator("#tier .readout")
    figure.focus()
    page.keyboard.press("ArrowRight")
    expect(said).to_have_text("Black, Selected: 2; chance gives 1.3, band 0 to 4. As chance gives.")
    heard = {said.inner_text()}
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        heard.add(said.inner_text())
    assert len(heard) == 4
    page.keyboard.press("Home")
    expect(said).to_contain_text("Black, Selected")
    page.keyboard.press("Escape")
    expect(said).to_have_text("")


def test_a_table_stands_beside_its_plot(page: Page) -> None:
    for part in ("tier", "kind", "again", "envelopes"):
        plot, table = (page.locator(f"#{part} {what}").first.bounding_box() for what in ("figure", "table"))
        assert plot is not None
        assert table is not None
        assert plot["x"] + plot["width"] <= table["x"]
    page.get_by_role("link", name="Envelopes").press("Enter")
    expect(page).to_have_url(page.url.partition("#")[0] + "#envelopes")
