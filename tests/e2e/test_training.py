"""The crew's training in a browser: alone, from the first selection to the list, with no press sent to any server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Response, jsonify, render_template, request
from playwright.sync_api import Browser, Page, expect
from werkzeug.serving import make_server

import kiosk
from kiosk.crew import training_words
from kiosk.crew import words as crew_words
from kiosk.sign_in.words import for_every_page

KIOSK = Path(kiosk.__file__).parent
SIZES = {"wide": (1280, 800), "tall": (800, 1280), "phone": (390, 844)}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; "
    "worker-src 'self'; manifest-src 'self'"
)


class Frame:
    """The page's frame, its parts and its sign-in; and a note of everything else that it asks for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        app = Flask("kiosk", root_path=str(KIOSK), static_folder="static", static_url_path="/static/console")
        words = {**crew_words.page_words("crew"), **training_words.page_words()}
        kabelo = {"id": "kabelo", "name": "Kabelo Molefe", "role": "crew"}
        signed_in = {**kabelo, "device": None, "ends_at": 43_200_000, "server_now": 0, "this_machine": True}

        @app.get("/crew/training")
        def page() -> str:
            return render_template(
                "training.html", assets="/static/console", words=words, me=kabelo, **for_every_page()
            )

        @app.get("/me")
        def me() -> Response:
            return jsonify(signed_in)

        @app.post("/sign-in/stay")
        def stay() -> Response:
            return jsonify({"ok": True, **signed_in})

        @app.after_request
        def note(answer: Response) -> Response:
            answer.headers["Content-Security-Policy"] = POLICY
            if not request.path.startswith("/static/") and request.path not in {
                "/crew/training",
                "/me",
                "/sign-in/stay",
            }:
                self.asked.append(f"{request.method} {request.path}")
            return answer

        self.server = make_server("127.0.0.1", 0, app, threaded=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture(scope="module")
def frame() -> Iterator[Frame]:
    made = Frame()
    yield made
    made.close()


@pytest.fixture
def trains(browser: Browser, frame: Frame) -> Iterator[Callable[..., Page]]:
    """Open the training, its clock in the test's hand; it must not have complained, nor asked for anything."""
    contexts: list[Any] = []
    faults: list[str] = []

    def opens(size: str = "wide") -> Page:
        width, height = SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height}, has_touch=True)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5_000)
        page.clock.install()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda said: faults.append(said.text) if said.type in {"error", "warning"} else None)
        page.goto(f"http://127.0.0.1:{frame.server.server_port}/crew/training")
        page.clock.run_for(2_000)
        return page

    yield opens
    for context in contexts:
        context.close()
    assert not frame.asked, "a training sends nothing"
    assert not faults


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=False).first.click()
    page.clock.run_for(500)


def hold(page: Page, name: str) -> None:
    """With a keyboard it is asked once more instead of held."""
    page.get_by_role("button", name=name).focus()
    page.keyboard.press("Enter")
    page.locator("dialog.ask .yes").click()
    page.clock.run_for(500)


def check(page: Page, paper: str) -> None:
    for box in page.locator(".checks input").all():
        box.check()
    page.get_by_label(paper).check()
    press(page, "All is right")


def pay(page: Page, pocket: str, amount: str) -> None:
    press(page, pocket)
    page.get_by_label("Opened in front of the guest").check()
    page.locator("#amount").fill(amount)
    page.locator(".amount form .btn.do").click()
    glass = page.locator("canvas").bounding_box()
    assert glass is not None
    page.mouse.move(glass["x"] + 40, glass["y"] + 60)
    page.mouse.down()
    page.mouse.move(glass["x"] + 160, glass["y"] + 40, steps=4)
    page.mouse.move(glass["x"] + 220, glass["y"] + 80, steps=4)
    page.mouse.up()
    press(page, "Print slip")


def next_one(page: Page) -> None:
    page.clock.run_for(3_000)
    press(page, "Take it")


def test_all_five_lessons_alone_with_one_mistake(trains: Callable[..., Page]) -> None:
    page = trains()
    bar = page.locator(".training-bar")
    expect(bar).to_contain_text("TRAINING")
    press(page, "Take it")
    expect(page.locator(".coach .see")).to_contain_text("Thandi Mokoena")

    # A wrong answer is said so, counts, and can be put right.
    press(page, "Not here")
    expect(page.locator(".toast")).to_contain_text("Look again: she plays, and it is her own card.")
    press(page, "On own card")
    check(page, "South African ID")
    pay(page, "E-0003", "750")
    expect(page.locator(".coach .slip")).to_contain_text("R\u00a0750")
    expect(page.locator(".toast")).to_contain_text("nothing was sent")
    expect(bar).to_be_visible()
    press(page, "Back to queue")

    next_one(page)
    press(page, "Not here")
    next_one(page)
    hold(page, "Someone else on this card")
    page.clock.run_for(8_000)
    press(page, "Check the guest")
    check(page, "Passport")
    pay(page, "E-0007", "500")
    press(page, "Back to queue")

    next_one(page)
    press(page, "Not here")
    next_one(page)
    press(page, "On own card")
    hold(page, "Not the card\u2019s owner")
    page.clock.run_for(30_000)

    report = page.locator(".report")
    expect(report).to_be_visible()
    expect(report.locator("li.well")).to_have_count(4)
    expect(report.locator("li.again")).to_contain_text(
        "Found on the own card, checked and paid: right at the second try"
    )
    expect(bar).to_be_visible()
    page.get_by_role("button", name="Train again").click()
    page.clock.run_for(2_000)
    expect(page.get_by_role("button", name="Take it")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_it_says_training_wherever_one_looks(trains: Callable[..., Page], size: str) -> None:
    page = trains(size)
    assert page.title().endswith("TRAINING")
    border = page.evaluate("getComputedStyle(document.body, '::after').borderTopWidth")
    assert border == "10px"
    page.get_by_role("button", name="Hints are on").click()
    expect(page.locator(".coach .hint")).to_be_hidden()
    page.mouse.wheel(0, 4_000)
    expect(page.locator(".training-bar b")).to_be_in_viewport()
    said = page.evaluate("[...document.querySelectorAll('dialog.tablet')].map((one) => one.dataset.training)")
    assert set(said) == {"TRAINING"}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing stands beyond the edge"
