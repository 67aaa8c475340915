"""Signing in through the real page, on the core with a clock that a test sets: who comes in where, and who does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from desk_core import DeskCore
from page_signing import PIN, WRONG_PIN, as_known, comes_true, second_types, sign_in
from playwright.sync_api import Browser, Page, expect

from draw_engine.store.database import open_database
from kiosk.sign_in.access import SESSION

ROLES = {
    "kabelo": ("crew", "/crew"),
    "anita": ("stage", "/stage"),
    "mpho": ("desk", "/desk"),
    "lindiwe": ("customer_services", "/desk"),
    "riaan": ("marketing", "/desk"),
    "nomvula": ("manager", "/console"),
    "zanele": ("auditor", "/console"),
    "nkosi": ("witness", "/witness"),
}
FRESH = "731946"
Opener = Callable[..., Page]
_EXPECTED = ("ERR_", "WebSocket", "status of 4")
"""Refusals stand in the browser's own console, too; here they are what is tried."""


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskCore]:
    """Half past twelve on the Saturday, with somebody in each role."""
    folder: Path = tmp_path_factory.mktemp("door")
    empty = folder / "empty.db"
    open_database(f"sqlite:///{empty}").dispose()
    (folder / "core").mkdir()
    made = DeskCore(folder / "core", empty, now="12:30")
    made.load_lists()
    as_known(made.served, [(person, person.title(), role) for person, (role, _) in ROLES.items()])
    yield made
    made.close()


@pytest.fixture
def opens(browser: Browser, core: DeskCore) -> Iterator[Opener]:
    """Open a page of the core; `who`: signed in beforehand."""
    contexts: list[Any] = []
    faults: list[str] = []

    def opened(path: str, *, who: str = "", width: int = 1280, height: int = 800, **more: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **more)
        contexts.append(context)
        base = f"http://127.0.0.1:{core.wire.port}"
        if who:
            sign_in(context, base, who)
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda told: faults.append(told.text) if told.type in {"error", "warning"} else None)
        page.goto(f"{base}{path}")
        return page

    yield opened
    for context in contexts:
        context.close()
    core.served.door.tries.__init__()  # type: ignore[misc]  # nobody is locked out for the next test
    assert not [fault for fault in faults if not any(word in fault for word in _EXPECTED)]


def types(page: Page, number: str, secret: str) -> None:
    page.get_by_label("Staff number").fill(number)
    page.get_by_label("PIN or password", exact=True).fill(secret)
    page.keyboard.press("Enter")


def at(page: Page, path: str) -> None:
    """Wait until the page is there."""
    expect(page).to_have_url(re.compile(rf"^http://[^/]+{re.escape(path)}(#.*)?$"), timeout=10_000)


def code_shown(console: Page) -> str:
    """The code as it stands there, once."""
    shown = console.locator(".the-code .code")
    expect(shown).to_have_text(re.compile(r"^\w{4} \w{4}$"))
    code = shown.inner_text()
    console.get_by_role("button", name="Close").click()
    expect(shown).to_have_text("")
    return code


def test_each_role_lands_where_it_belongs(core: DeskCore, opens: Opener) -> None:
    page = opens("/")
    at(page, "/sign-in")
    for person, (_, home) in ROLES.items():
        page.goto(f"http://127.0.0.1:{core.wire.port}/sign-in")
        types(page, f" {person.upper()} ", PIN)
        at(page, home)
        expect(page.locator(".bar .me")).to_have_text(person.title())


def test_who_was_on_the_way_to_a_page_comes_to_it(opens: Opener) -> None:
    page = opens("/console/people")
    at(page, "/sign-in?to=%2Fconsole%2Fpeople")
    types(page, "nomvula", PIN)
    at(page, "/console/people")
    expect(page.locator(".staff tbody tr")).to_have_count(len(ROLES) + 1, timeout=10_000)


def test_a_wrong_pin_is_said_at_its_field_and_after_five_of_them_one_waits(core: DeskCore, opens: Opener) -> None:
    page = opens("/sign-in")
    fault = page.locator("#secret-fault")
    page.keyboard.press("Enter")
    expect(page.locator("#number-fault")).to_have_text("Type your staff number.")
    for _ in range(4):
        types(page, "mpho", WRONG_PIN)
        expect(fault).to_contain_text("The number or the secret is not right.")
        secret = page.get_by_label("PIN or password", exact=True)
        expect(secret).to_have_value("")
        expect(secret).to_be_focused()
    types(page, "mpho", WRONG_PIN)
    expect(fault).to_contain_text("Too many wrong tries. Wait a minute")
    types(page, "mpho", PIN)
    expect(fault).to_contain_text("Too many wrong tries.")
    core.served.door.tries.unlock("mpho")
    types(page, "mpho", PIN)
    at(page, "/desk")


def test_who_comes_by_a_code_chooses_a_secret_of_their_own(core: DeskCore, opens: Opener) -> None:
    code, _ = core.served.door.give_code("riaan")
    page = opens("/desk")
    types(page, "riaan", f"{code[:4]} {code[4:]}".lower())
    expect(page.locator("h1:visible")).to_have_text("Choose a PIN or password")
    expect(page.get_by_label("you have now")).to_be_hidden()  # it was typed a moment ago
    new, again = page.get_by_label("New PIN or password"), page.get_by_label("The same once more")
    new.fill("123456")
    again.fill("123456")
    page.keyboard.press("Enter")
    expect(page.locator("#new-fault")).to_contain_text("easily guessed")
    new.fill(FRESH)
    again.fill("731940")
    page.keyboard.press("Enter")
    expect(page.locator("#again-fault")).to_contain_text("not the same")
    # A page of the house does not open meanwhile, and the form is there again; now the code is asked for.
    page.goto(page.url.replace("/sign-in", "/desk"))
    at(page, "/sign-in?to=%2Fdesk")
    page.get_by_label("you have now").fill(code)
    page.get_by_label("New PIN or password").fill(FRESH)
    page.get_by_label("The same once more").fill(FRESH)
    page.keyboard.press("Enter")
    at(page, "/desk")
    context, desk = page.context, page.url.partition("#")[0]
    page.close()  # it would notice that its sign-in is gone, and go to the sign-in page by itself
    context.clear_cookies()
    page = context.new_page()
    page.goto(desk)
    types(page, "riaan", FRESH)
    at(page, "/desk")


def test_a_sign_in_that_was_ended_elsewhere_closes_the_page_and_leaves_nothing_of_guests(
    core: DeskCore, opens: Opener
) -> None:
    page = opens("/crew", who="kabelo")
    page.evaluate("navigator.serviceWorker.ready")
    comes_true(page, "localStorage.getItem('floordraw/crew.snapshot') !== null")
    token = next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == SESSION)
    core.served.door.sign_out(token)
    at(page, "/sign-in?to=%2Fcrew")
    kept = "Object.keys(localStorage).filter((name) => name.includes('snapshot'))"
    assert page.evaluate(kept) == []
    assert page.evaluate("caches.keys()") == []
    types(page, "kabelo", PIN)
    at(page, "/crew")


def test_a_second_persons_wrong_pin_is_said_at_its_field_and_is_not_kept(opens: Opener) -> None:
    page = opens("/desk#envelopes", who="mpho")
    form = page.locator('[data-form="batch"]')
    form.get_by_label("How many of R\u00a0700").fill("4")
    for number, secret, field, words in (
        ("mpho", PIN, "second", "must be somebody else"),
        ("nomvula", WRONG_PIN, "second-secret", "is not right"),
    ):
        second_types(form, number, secret)
        form.get_by_role("button", name="Enter batch").click()
        expect(page.locator(f"#batch-{field}-fault")).to_contain_text(words)
        expect(form.get_by_label("Second person\u2019s PIN")).to_have_value("")
    second_types(form, "nomvula")
    form.get_by_role("button", name="Enter batch").click()
    expect(page.locator(".done")).to_contain_text("is entered.")
    expect(page.locator(".batches tbody td").nth(1)).to_contain_text("Nomvula")


def test_before_a_sign_in_ends_one_is_asked_and_may_stay(core: DeskCore, opens: Opener) -> None:
    page = opens("/desk", who="mpho")
    expect(page.locator(".bar .now")).not_to_be_empty()
    page.clock.install()  # nobody has touched it for a while
    began = core.clock.now()
    core.clock.set(began + 29 * 60_000 + 20_000)
    page.clock.fast_forward(3 * 60_000)
    wake = "document.dispatchEvent(new Event('visibilitychange'))"
    page.evaluate(wake)
    dialog = page.get_by_role("dialog", name="Still there?")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("timer")).to_have_text(re.compile(r"^\d\d seconds$"))
    dialog.get_by_role("button", name="Stay signed in").click()
    expect(dialog).to_be_hidden()
    core.clock.set(began + 58 * 60_000)  # longer than half an hour after it began
    page.evaluate(wake)
    page.wait_for_timeout(300)
    at(page, "/desk")
    core.clock.set(began + 60 * 60_000)
    page.evaluate(wake)
    at(page, "/sign-in?to=%2Fdesk")


def test_the_keyboard_alone_signs_in_and_out(opens: Opener) -> None:
    page = opens("/sign-in")
    expect(page.get_by_label("Staff number")).to_be_focused()
    page.keyboard.type("nomvula")
    page.keyboard.press("Tab")
    page.keyboard.type(PIN)
    page.keyboard.press("Enter")
    at(page, "/console")
    me = page.get_by_role("button", name=re.compile("^Nomvula"))
    for _ in range(12):
        page.keyboard.press("Tab")
        if me.evaluate("node => node === document.activeElement"):
            break
    expect(me).to_be_focused()
    page.keyboard.press("Enter")
    menu = page.get_by_role("dialog", name="Nomvula")
    page.keyboard.press("Escape")
    expect(me).to_be_focused()
    page.keyboard.press("Enter")
    out = menu.get_by_role("button", name="Sign out")
    for _ in range(8):
        if out.evaluate("node => node === document.activeElement"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    at(page, "/sign-in")
    page.go_back()
    at(page, "/sign-in?to=%2Fconsole")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (800, 1280), (1280, 800)])
def test_a_finger_types_the_pin(opens: Opener, width: int, height: int) -> None:
    page = opens("/sign-in", width=width, height=height, has_touch=True, is_mobile=True)
    page.get_by_label("Staff number").fill("kabelo")
    page.get_by_label("PIN or password", exact=True).tap()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for digit in PIN:
        key = page.get_by_role("button", name=digit, exact=True)
        key.tap()
        box = key.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 56
    page.get_by_role("button", name="Sign in").tap()
    at(page, "/crew")


def test_a_manager_enrols_a_tablet_with_a_code_and_takes_it_away(core: DeskCore, opens: Opener) -> None:
    console, tablet = opens("/console/people", who="nomvula"), opens("/enrol")
    console.get_by_role("button", name="Enrol a device").click()
    dialog = console.get_by_role("dialog", name="Enrol a device")
    dialog.get_by_label("Kind").select_option("crew")
    dialog.get_by_label("What it is called").fill("Crew tablet 2")
    dialog.get_by_role("button", name="Offer a code").click()
    code = code_shown(console)
    tablet.get_by_label("Code").fill("AAAA BBBB")
    tablet.keyboard.press("Enter")
    expect(tablet.locator("#code-fault")).to_contain_text("not right")
    tablet.get_by_label("Code").fill(code.lower())
    tablet.keyboard.press("Enter")
    expect(tablet.locator("h1:visible")).to_have_text("Enrolled as Crew tablet 2")
    tablet.get_by_role("link", name="Go to sign-in").click()
    types(tablet, "kabelo", PIN)
    at(tablet, "/crew")
    console.reload()
    expect(console.locator(".staff tbody tr", has_text="kabelo")).to_contain_text("Crew tablet 2")
    console.get_by_role("button", name="Take Crew tablet 2 away").click()
    console.get_by_role("dialog").get_by_role("button", name="Take it away").click()
    expect(console.locator(".done")).to_have_text("Crew tablet 2 is taken away.")
    at(tablet, "/sign-in?to=%2Fcrew")
    assert core.served.door.devices() == []


def test_an_auditor_is_entered_by_two_for_some_days_and_comes_by_a_code(opens: Opener) -> None:
    page = opens("/console/people", who="nomvula")
    page.get_by_role("button", name="Enter a person").click()
    dialog = page.get_by_role("dialog", name="Enter a person")
    dialog.get_by_label("Number", exact=True).fill("hester")
    dialog.get_by_label("Name").fill("Hester Louw")
    dialog.get_by_label("Role").select_option("crew")
    expect(dialog.get_by_label("Second person\u2019s number")).to_be_hidden()
    dialog.get_by_label("Role").select_option("auditor")
    dialog.get_by_label("From").fill("2023-10-07")
    dialog.get_by_label("Until").fill("2023-10-09")
    second_types(dialog, "themba")
    dialog.get_by_role("button", name="Enter person").click()
    page.get_by_role("dialog", name="A code for Hester Louw?").get_by_role("button", name="Give code").click()
    code = code_shown(page)
    row = page.locator(".staff tbody tr", has_text="hester")
    expect(row).to_contain_text("May sign in from 2023-10-07 until 2023-10-09")
    auditor = opens("/sign-in")
    types(auditor, "hester", code)
    auditor.get_by_label("New PIN or password").fill(FRESH)
    auditor.get_by_label("The same once more").fill(FRESH)
    auditor.keyboard.press("Enter")
    at(auditor, "/console")
    auditor.goto(auditor.url + "/people")
    expect(auditor.locator(".staff tbody tr", has_text="hester")).to_contain_text("Hester Louw (you)")
    expect(auditor.locator("main").get_by_role("button")).to_have_count(0)


def test_somebody_elses_page_says_so(opens: Opener) -> None:
    page = opens("/sign-in", who="kabelo")
    expect(page.locator(".is-in")).to_contain_text("Kabelo is signed in here.")
    answer = page.request.get(page.url.replace("/sign-in", "/console"))
    assert (answer.status, answer.json()["code"]) == (403, "X_NO_PERMISSION")
