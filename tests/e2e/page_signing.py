"""Signing in, for tests of pages: in a browser over a real core, and a gate for previews that have none behind them."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Response, jsonify, request
from playwright.sync_api import BrowserContext, Locator, Page

sys.path.append(str(Path(__file__).resolve().parents[1] / "integration"))

from signing import MARKED, PIN, SignedCore
from signing import employ as with_pins

from draw_engine.errors import Refused
from kiosk.app import Pages
from kiosk.serving import Serving
from kiosk.sign_in import door
from kiosk.sign_in.access import GATE
from kiosk.sign_in.door import Person
from kiosk.sign_in.whom import acting
from kiosk.sign_in.words import for_every_page
from web_display.console_messages import StaffMember

WRONG_PIN = "111999"
_MONTHS = 90 * 86_400_000


def sign_in(context: BrowserContext, base: str, person: str, pin: str = PIN) -> None:
    """Whoever opens pages in this context is this person. `base`: the core's address."""
    answer = context.request.post(
        f"{base}/sign-in", data={"number": person, "secret": pin}, headers=MARKED, timeout=20_000
    )
    assert answer.ok, answer.text()


def comes_true(page: Page, expression: str, seconds: float = 10) -> None:
    """Wait for it without Playwright's own waiting in the page, which needs the eval that our policy forbids."""
    until = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < until, expression
        page.wait_for_timeout(50)


def employ_all(serving: Serving, state_dir: Path, lists: Mapping[str, bytes | str]) -> None:
    """Give everybody of the settings the PIN, and load the lists as the nightly job does."""
    with_pins(serving.pages, [(row.id, row.name, row.role) for row in serving.pages.door.people()])
    nightly = SignedCore(serving.url, state_dir)
    for kind, content in lists.items():
        answer = nightly.load_list(kind, content if isinstance(content, bytes) else content.encode())
        assert answer.status_code == 200, answer.text


@pytest.fixture
def long_shifts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is signed out while a test's clock leaps over days: how long a sign-in lasts is tested elsewhere."""
    monkeypatch.setattr(door, "LASTS_MS", _MONTHS)
    monkeypatch.setattr(door, "IDLE_MS", dict.fromkeys(door.IDLE_MS, _MONTHS))


def as_known(pages: Pages, people: Sequence[tuple[str, str, str]]) -> None:
    """Enter further (id, name, role) with the PIN, and let these pages know them."""
    with_pins(pages, people)
    pages.core.ask(pages.door.load)


def second_types(form: Locator | Page, person: str, pin: str = PIN) -> None:
    """The second person types number and PIN into this form."""
    form.get_by_label("Second person\u2019s number").fill(person)
    form.get_by_label("Second person\u2019s PIN or password").fill(pin)


class PreviewGate:
    """Stands in for the gate of an application without a core: who is signed in is what the cookie `as` says."""

    def __init__(self, people: Iterable[StaffMember], usual: str) -> None:
        self._people = {one.id: Person(one.id, one.name, one.role) for one in people}
        self._usual = usual
        self.door = self

    def signed_in(self, *, used: bool = True) -> Person | None:  # noqa: ARG002 - the gate's own shape
        return self._people.get(request.cookies.get("as", self._usual))

    def second(self, number: str, secret: str, *, beside: str) -> Person:  # noqa: ARG002 - as the door's
        found = self._people.get(number.strip().lower())
        if secret == WRONG_PIN or found is None:
            raise Refused(
                "X_WRONG_SECRET", "The second person's number or secret is not right. They type it themselves."
            )
        return found

    def place(self) -> dict[str, Any]:
        return {}

    def device(self) -> None:
        return None


def let_in(app: Flask, people: Iterable[StaffMember], usual: str) -> None:
    """Give a preview its gate, `/me`, and every page's words. `usual`: who is signed in unless a cookie says."""
    gate = PreviewGate(people, usual)
    app.extensions[GATE] = gate
    app.context_processor(for_every_page)

    @app.get("/me")
    def me() -> tuple[Response, int]:
        person = gate.signed_in()
        if person is None:
            return jsonify({"code": "X_NOT_SIGNED_IN", "sentence": "Sign in first."}), 401
        told = {"id": person.id, "name": person.name, "role": person.role, "device": None, "this_machine": True}
        return jsonify({**told, "server_now": 0, "ends_at": 3_600_000}), 200

    def refused(refusal: Refused) -> tuple[Response, int]:
        # As 200: a browser writes other answers into its console, where a test looks for the page's own faults.
        return jsonify({"code": refusal.code, "sentence": refusal.sentence}), 200

    app.register_error_handler(Refused, refused)


def acted() -> dict[str, Any]:
    """What was sent, as the core reads it: `by` is who is signed in, the second one's secret is checked and gone."""
    return acting(request.get_json())


def as_person(context: BrowserContext, port: int, person: str) -> None:
    """Whoever opens a preview in this context is this person."""
    context.add_cookies([{"name": "as", "value": person, "url": f"http://127.0.0.1:{port}"}])
