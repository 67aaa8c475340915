"""A browser and the preview app for the page tests; both are skipped, with the reason, where a part is missing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from preview_app import Preview
from wire import Wire

TOP = Path(__file__).resolve().parents[2]
BUILT = ("web_display/static/vendor/screen.js", "kiosk/static/vendor/console.js")
ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip

Opener = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.e2e)


def _chromium() -> str | None:
    named = os.environ.get("FLOORDRAW_CHROMIUM")
    return named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = _chromium()
    if path is None:
        pytest.skip("no Chromium on this machine (set FLOORDRAW_CHROMIUM to its path)")
    for part in BUILT:
        if not (TOP / part).exists():
            pytest.skip(f"{part} is not built: npm ci && node build.mjs")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def preview() -> Iterator[Preview]:
    made = Preview()
    made.serve()
    yield made
    made.close()


@pytest.fixture(scope="session")
def wire(preview: Preview) -> Iterator[Wire]:
    """The network between browser and server, which a test may cut."""
    made = Wire(preview.server.server_port)
    yield made
    made.close()


@pytest.fixture
def faults() -> list[str]:
    """What the page complained of: errors, and anything the Content Security Policy forbade."""
    return []


@pytest.fixture
def opened(browser: Browser, wire: Wire, faults: list[str]) -> Iterator[Opener]:
    """Open a page at a size. Whatever the test looked at, the page must not have complained."""
    contexts = []

    def opens(path: str, width: int = 1920, height: int = 1080, **more: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **more)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda line: faults.append(line.text) if line.type in {"error", "warning"} else None)
        page.goto(f"http://127.0.0.1:{wire.port}{path}")
        page.evaluate("document.fonts.ready")
        return page

    yield opens
    wire.mend()
    for context in contexts:
        context.close()
    # A cut wire is heard of in the console; that is not the page's fault.
    ours = [fault for fault in faults if "ERR_" not in fault and "WebSocket" not in fault]
    assert not ours
