"""Every page over a real core, each role its own: axe finds nothing serious, the keyboard reaches what can be pressed.

Pages are looked at with a claim in them: an empty page is easily accessible.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from floor_day import FloorDay
from floor_people import answer, check, envelope, take
from page_signing import as_known, sign_in
from playwright.sync_api import Browser, Page

AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
MORE = [("anita", "Anita Botes", "stage"), ("nkosi", "Nkosi Mabena", "witness")]
TABLET, DESKTOP, PHONE = (1280, 800), (1366, 768), (390, 844)
PAGES = [
    pytest.param("", "/sign-in", PHONE, id="sign-in"),
    pytest.param("", "/enrol", PHONE, id="enrol"),
    pytest.param("", "/check", PHONE, id="check"),
    pytest.param("", "/trust", PHONE, id="trust"),
    pytest.param("", "/screens/main", DESKTOP, id="screen"),
    pytest.param("kabelo", "/crew", TABLET, id="crew"),
    pytest.param("kabelo", "/crew/training", TABLET, id="training"),
    pytest.param("anita", "/stage", TABLET, id="stage"),
    pytest.param("mpho", "/desk", DESKTOP, id="desk"),
    pytest.param("mpho", "/desk#held", DESKTOP, id="held"),
    pytest.param("mpho", "/desk#slips", DESKTOP, id="slips"),
    pytest.param("nomvula", "/desk#envelopes", DESKTOP, id="envelopes"),
    pytest.param("nomvula", "/console", DESKTOP, id="console"),
    pytest.param("zanele", "/console", DESKTOP, id="console-auditor"),
    pytest.param("nomvula", "/console/draws", DESKTOP, id="draws"),
    pytest.param("nomvula", "/console/reports", DESKTOP, id="reports"),
    pytest.param("nomvula", "/console/setup", DESKTOP, id="setup"),
    pytest.param("nomvula", "/console/people", DESKTOP, id="people"),
    pytest.param("zanele", "/console/people", DESKTOP, id="people-auditor"),
    pytest.param("nomvula", "/console/roster", DESKTOP, id="roster"),
    pytest.param("zanele", "/console/roster", DESKTOP, id="roster-auditor"),
    pytest.param("nkosi", "/witness", TABLET, id="witness"),
]
BUTTONS = {
    "suspend": "Suspend session",
    "void": "Void award",
    "enter-person": "Enter a person",
    "enrol-device": "Enrol a device",
    "roster-line": "Enter a line",
    "me": "Nomvula",
}
FORMS = [
    pytest.param("nomvula", "/console", DESKTOP, id="suspend"),
    pytest.param("nomvula", "/console", DESKTOP, id="void"),
    pytest.param("nomvula", "/console/people", DESKTOP, id="enter-person"),
    pytest.param("nomvula", "/console/people", DESKTOP, id="enrol-device"),
    pytest.param("nomvula", "/console/roster", DESKTOP, id="roster-line"),
    pytest.param("nomvula", "/console", PHONE, id="me"),
]
"""The button that opens a dialog, by the test's id, and where it stands."""
STOPS = """() => {
  const shown = (node) => node.checkVisibility() && !node.disabled && node.getAttribute("tabindex") !== "-1";
  const stops = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
    .filter((node) => shown(node) && !node.closest("[inert], dialog:not([open])"));
  // Of radio buttons that belong together the keyboard stops at one, the arrows reach the others.
  stops.forEach((node, n) => (node.dataset.stop = node.type === "radio" ? `radio ${node.name}` : `${n}`));
  return Object.fromEntries(stops.map((node) => [node.dataset.stop, node.outerHTML.slice(0, 200)]));
}"""
FOCUSED = "document.activeElement.dataset.stop ?? ''"


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FloorDay]:
    """A session with two claims running."""
    made = FloorDay(tmp_path_factory.mktemp("accessible"))
    as_known(made.serving.pages, MORE)
    made.go(260_000)
    yield made
    made.close()


@pytest.fixture
def opened(request: pytest.FixtureRequest, browser: Browser, day: FloorDay) -> Iterator[Page]:
    person, path, (width, height) = request.param
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    if person:
        sign_in(context, day.url, person)
    page = context.new_page()
    page.goto(f"{day.url}{path}")
    page.wait_for_load_state("networkidle" if path.startswith(("/sign", "/enrol")) else "load")
    page.wait_for_timeout(400)  # the first message has come
    yield page
    context.close()


@pytest.mark.parametrize("opened", [pytest.param(one.values, id=one.id) for one in PAGES], indirect=True)
def test_axe_finds_nothing_serious_and_the_keyboard_reaches_everything(opened: Page) -> None:
    nothing_serious(opened)
    everything_is_reached(opened)


@pytest.mark.parametrize("opened", [pytest.param(one.values, id=one.id) for one in FORMS], indirect=True)
def test_what_is_asked_in_a_dialog_is_as_open_to_everybody(opened: Page, request: pytest.FixtureRequest) -> None:
    opened.get_by_role("button", name=BUTTONS[request.node.callspec.id]).first.click()
    dialog = opened.get_by_role("dialog")
    dialog.wait_for()
    nothing_serious(opened)
    assert dialog.evaluate("node => node.contains(document.activeElement)")
    opened.keyboard.press("Escape")
    dialog.wait_for(state="hidden")


def test_each_step_of_a_claim_at_the_machine(browser: Browser, day: FloorDay) -> None:
    """The crew's way through one claim: every step is looked at before it is answered."""
    context = browser.new_context(viewport={"width": TABLET[0], "height": TABLET[1]}, reduced_motion="reduce")
    sign_in(context, day.url, "kabelo")
    page = context.new_page()
    page.goto(f"{day.url}/crew")
    take(page, day, 0)
    steps = [lambda: answer(page, "On own card"), lambda: check(page), lambda: envelope(page)]
    for step in steps:
        nothing_serious(page)
        step()
    nothing_serious(page)  # the amount and the guest's signature
    context.close()


@pytest.mark.parametrize(("path", "links"), [("/console", ".bar nav a"), ("/console/draws", ".tabs a")])
def test_in_forced_colours_the_page_one_is_on_stands_out(
    browser: Browser, day: FloorDay, path: str, links: str
) -> None:
    context = browser.new_context(viewport={"width": DESKTOP[0], "height": DESKTOP[1]}, forced_colors="active")
    sign_in(context, day.url, "nomvula")
    page = context.new_page()
    page.goto(f"{day.url}{path}")
    under = page.locator(links).evaluate_all(
        "nodes => nodes.map(n => [n.hasAttribute('aria-current'), getComputedStyle(n).borderBottomColor])"
    )
    (current,) = {colour for is_current, colour in under if is_current}
    assert current not in {colour for is_current, colour in under if not is_current}
    context.close()


def nothing_serious(opened: Page) -> None:
    opened.evaluate(AXE.read_text(encoding="utf-8"))
    found = opened.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    serious = [
        (one["id"], [node["html"][:160] for node in one["nodes"]])
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]
    assert serious == [], json.dumps(serious, indent=1)


def everything_is_reached(opened: Page) -> None:
    wanted: dict[str, str] = opened.evaluate(STOPS)
    left = set(wanted)
    for _ in range(2 * len(wanted) + 10):
        if not left:
            break
        opened.keyboard.press("Tab")
        left.discard(opened.evaluate(FOCUSED))
    assert not left, [wanted[stop] for stop in left]
