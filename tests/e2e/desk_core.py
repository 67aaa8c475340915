"""The real core with its pages over a socket, on a clock that a test sets: what the desk does is really done."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from page_signing import long_shifts, sign_in
from playwright.sync_api import Browser, Page, expect
from werkzeug.serving import make_server
from wire import Wire

sys.path.append(str(Path(__file__).resolve().parents[1] / "integration"))

from casino import LERATO, jhb
from loopback import FIRST, Loopback

from draw_engine.service import claims
from draw_engine.service.engine import Engine
from draw_engine.store.database import open_database
from kiosk import floor_pages
from kiosk.app import Pages
from kiosk.printing.view import Printers
from kiosk.screens.view import House
from web_display.console_messages import StaffMember

HOUSE = House("Silverstar", "No persons under 18.", demo=False)


class DeskCore(Loopback):
    """A core whose floor pages are served; `until` sets its clock, and the pages hear of it."""

    def __init__(self, folder: Path, empty: Path, *, now: str) -> None:
        super().__init__(folder, empty, now=now)
        staff = [StaffMember(person.id, person.name, person.role) for person in self.site.staff]
        printers = Printers()
        self.served = Pages(
            self.core,
            house=HOUSE,
            tokens={},
            screens={},
            staff=staff,
            read_segment=lambda _segment: b"",
            site_toml=b"",
            blueprints=floor_pages.blueprints(self.core, HOUSE, staff, printers),
            rooms=floor_pages.rooms(HOUSE, staff, printers),
        )
        self.ask(self.served.follow)
        self.server = make_server("127.0.0.1", 0, self.served.app, threaded=True)
        self.server.daemon_threads = True  # type: ignore[attr-defined]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.served.pusher.start()
        self.wire = Wire(self.server.server_port)

    def until(self, text: str) -> None:
        """It is this time now."""
        self.at(text)
        self.served.pusher.changed()

    def close(self) -> None:
        self.wire.close()
        self.served.pusher.stop()
        self.server.shutdown()
        self.server.server_close()
        super().close()

    def hold_a_prize(self) -> None:
        """Lerato, who has signed, plays alone, is selected, announced, and does not come.

        This clock leaps over the deadline, so two people have to say so.
        """
        self.at("13:56")
        self.seat(S_0412=LERATO)
        while not self.ask(lambda engine: engine.draw(FIRST).state.claims):
            self.clock.set(self.clock.now() + 5_000)
            self.heard([self.line("played", position="S-0412", games=1, coin_in=500)])
            self.ask(lambda _engine: None)
        self.ask(_not_there)
        self.clock.set(self.clock.now() + 90_250)
        self.ask(lambda _engine: None)
        said = {"by": "nomvula", "second": "mpho", "decision": "absent", "reason": "nobody came to the stage"}
        answer = self.client.post("/claims/review", json={"draw": FIRST, "ordinal": 0, **said})
        assert answer.get_json() == {"ok": True, "stage": "held"}
        self.served.pusher.changed()


def _not_there(engine: Engine) -> None:
    draw, now = engine.draw(FIRST), engine.now()
    claims.take(engine, draw, 0, actor="crew:kabelo", now=now)
    claims.not_there(engine, draw, 0, actor="crew:kabelo", now=now)
    claims.announce(engine, draw, 0, actor="crew:kabelo", now=now)


@pytest.fixture
def core(tmp_path: Path, long_shifts: None) -> Iterator[DeskCore]:  # noqa: ARG001 - a fixture
    """Half past twelve on the Saturday: the register is open."""
    empty = tmp_path / "empty.db"
    open_database(f"sqlite:///{empty}").dispose()
    (tmp_path / "core").mkdir()
    made = DeskCore(tmp_path / "core", empty, now="12:30")
    made.load_lists()
    yield made
    made.close()


@pytest.fixture
def at_desk(browser: Browser, core: DeskCore) -> Iterator[Callable[..., Page]]:
    """Open `/desk` as somebody at a desk."""
    contexts: list[Any] = []
    faults: list[str] = []

    def opens(view: str = "register", *, who: str = "mpho", at: str = "rewards") -> Page:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        contexts.append(context)
        sign_in(context, f"http://127.0.0.1:{core.wire.port}", who)
        context.add_init_script(f"localStorage.setItem('floordraw.desk', '{{\"desk\": \"{at}\"}}')")
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda said: faults.append(said.text) if said.type in {"error", "warning"} else None)
        page.goto(f"http://127.0.0.1:{core.wire.port}/desk#{view}")
        expect(page.locator(".bar .now")).not_to_be_empty()
        return page

    yield opens
    for context in contexts:
        context.close()
    expected = ("ERR_", "WebSocket", "status of 409", "status of 403")
    assert not [fault for fault in faults if not any(word in fault for word in expected)]


__all__ = ["FIRST", "LERATO", "DeskCore", "at_desk", "core", "jhb", "long_shifts"]
