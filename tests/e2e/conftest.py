"""A browser and the preview app for the page tests; both are skipped, with the reason, where a part is missing."""

from __future__ import annotations

import os
import shutil
import zlib
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


ALL = "FLOORDRAW_TEST_ALL"
"""Set: every page at every size. Else a third of those, always the same: the suite has its 20 minutes."""
_LOOKS = frozenset(
    {
        "test_nothing_leaves_its_place",
        "test_nothing_leaves_its_place_for_the_signs_of_a_demo_and_a_lost_line",
        "test_it_fits_and_can_be_hit",
        "test_it_folds_and_nothing_needs_scrolling_sideways",
    }
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    mine = [item for item in items if here in item.path.parents]
    for item in mine:
        item.add_marker(pytest.mark.e2e)
    if os.environ.get(ALL):
        return
    left = {item for item in mine if item.name.partition("[")[0] in _LOOKS and zlib.crc32(item.nodeid.encode()) % 3}
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]


def _chromium(*, whole: bool = False) -> str | None:
    """The browser's path. The same engine without a window draws the pages in half the time; `whole`: not that one."""
    names = ("chromium", "chromium-browser", "google-chrome")
    named = os.environ.get("FLOORDRAW_CHROMIUM")
    return named or next(filter(None, map(shutil.which, names if whole else ("chromium-headless-shell", *names))), None)


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
