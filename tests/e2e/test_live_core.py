"""The real core, served as `floordraw serve` does, seen in a browser: a selection, a call, a winner, and a restart."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import structlog
from page_signing import employ_all, second_types, sign_in
from playwright.sync_api import Browser, Page, expect
from wire import Wire

sys.path.append(str(Path(__file__).resolve().parents[1] / "integration"))

from casino import MEMBERS, NALEDI, PIETER, THANDI, Session, book_toml, iso, jhb
from loopback import FIRST, LISTS, SLOTS, TABLES, TOKENS, pressed, site_toml

from config.site import load_site
from draw_engine import claim_moves
from draw_engine.clock import SteadyClock
from draw_engine.seeds import SystemSeeds
from draw_engine.service.engine import Engine
from draw_engine.store.sealing import make_master_key
from kiosk.assembly import MASTER_KEY, house_of, open_store
from kiosk.serving import Serving

AWARDS = 40
BOOK = book_toml(Session("first", "14:00", "14:05", awards=AWARDS))
"""A selection in about every eight seconds."""
AT_ONCE = 2_000
"""How long after a change, or a restart, a page may still be wrong, in ms."""
SEATED = {"S-0412": THANDI, "S-0088": PIETER, "S-0501": NALEDI}
NAMES = {row.split(",")[0]: row.split(",")[1] for row in MEMBERS.splitlines()[1:]}


class LiveCore:
    """A property on this machine's time, moved to a little before two in Johannesburg; it can be started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "state").mkdir()
        make_master_key(folder / "state" / MASTER_KEY)
        (folder / "site.toml").write_text(site_toml(), encoding="utf-8")
        self.clock = SteadyClock(jhb("13:59:57") - SteadyClock().now())
        self.serving = self._served(0)
        self.url = self.serving.url
        self._port = int(self.url.rpartition(":")[2])
        self.wire = Wire(self._port)
        self._speaks = True
        self._numbers = dict.fromkeys(TOKENS, 0)
        self._bridge = threading.Thread(target=self._speak, daemon=True)
        employ_all(self.serving, folder / "state", LISTS)
        self._bridge.start()

    def _served(self, port: int) -> Serving:
        site = load_site(self.folder / "site.toml")
        house = house_of(site, [BOOK])
        store = open_store(site, SystemSeeds())
        toml = (self.folder / "site.toml").read_bytes()
        serving = Serving(house, lambda: store, self.clock, port=port, demo=False, site_toml=toml)
        serving.start()
        return serving

    def stop(self) -> None:
        """As when the process ends: every connection with it."""
        self.wire.cut()
        self.serving.stop()

    def start_again(self) -> None:
        self.serving = self._served(self._port)
        self.wire.mend()

    def close(self) -> None:
        self._speaks = False
        self._bridge.join()
        self.wire.close()
        self.serving.stop()

    def ask(self, command: Callable[[Engine], Any]) -> Any:
        return self.serving.core.ask(command)

    # -- the floor -------------------------------------------------------------------------------------------------

    def _speak(self) -> None:
        """A bridge that tells who sits where since twenty minutes, and that they play on; it waits for a core."""
        first = True
        while self._speaks:
            told = self._snapshot() if first else [("played", {"position": one, "games": 1}) for one in SEATED]
            try:
                self._post(SLOTS, told)
                self._post(TABLES, [("snapshot", {"sessions": []}) if first else ("heartbeat", {})])
                first = False
            except requests.ConnectionError:
                time.sleep(0.1)
                continue
            time.sleep(1.0)

    def _snapshot(self) -> list[tuple[str, dict[str, Any]]]:
        now = self.clock.now()
        since = {"opened_at": iso(now - 1_200_000), "last_play_at": iso(now - 1_000), "games": 9, "coin_in": 900}
        sessions = [{"position": position, "member": member} | since for position, member in SEATED.items()]
        return [("snapshot", {"sessions": sessions})]

    def _post(self, feed: str, told: list[tuple[str, dict[str, Any]]]) -> None:
        lines = []
        for n, (kind, more) in enumerate(told, self._numbers[feed] + 1):
            coins = {"coin_in": 100} if kind == "played" else {}
            lines.append({"feed": feed, "seq": n, "at": iso(self.clock.now()), "kind": kind} | more | coins)
        body = "\n".join(map(json.dumps, lines))
        headers = {"Authorization": f"Bearer {TOKENS[feed]}"}
        answer = requests.post(f"{self.url}/floor-events", data=body, headers=headers, timeout=10)
        if answer.status_code == 200:
            assert answer.json()["refused"] == []
            self._numbers[feed] += len(told)

    # -- the crew --------------------------------------------------------------------------------------------------

    def announced(self) -> tuple[int, str, int]:
        """Call the first who was selected and is not yet called: (ordinal, first name, deadline)."""

        def call(engine: Engine) -> tuple[int, str, int]:
            draw = engine.draw(FIRST)
            claim = next(one for one in draw.state.running() if claim_moves.stage_of(one) == "selected")
            pressed(engine, FIRST, claim.ordinal, "announce")
            assert claim.deadline_at is not None
            return claim.ordinal, NAMES[draw.rows[claim.ordinal].member], claim.deadline_at

        found: tuple[int, str, int] = self.ask(call)
        return found

    def pay(self, ordinal: int) -> None:
        self.ask(lambda engine: pressed(engine, FIRST, ordinal, "present", "confirmed"))


@pytest.fixture
def core(tmp_path: Path) -> Iterator[LiveCore]:
    made = LiveCore(tmp_path)
    yield made
    made.close()
    structlog.reset_defaults()


@pytest.fixture
def pages(browser: Browser, core: LiveCore) -> Iterator[tuple[Page, Page]]:
    """The floor screen and the console, which must have complained of nothing but the core's absence."""
    faults: list[str] = []
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    made = []
    sign_in(context, core.url, "nomvula")
    for path in ("/screens/main", "/console"):
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda line: faults.append(line.text) if line.type in {"error", "warning"} else None)
        page.goto(f"http://127.0.0.1:{core.wire.port}{path}")
        made.append(page)
    yield made[0], made[1]
    context.close()
    # A refusal is an answer of 409 and stands in the browser's own console, too.
    assert not [fault for fault in faults if not any(word in fault for word in ("ERR_", "WebSocket", "status of 409"))]


def suspend(console: Page, second: str) -> None:
    dialog = console.get_by_role("dialog")
    second_types(dialog, second)
    console.get_by_label("Reason").fill("Evacuation drill")
    dialog.get_by_role("button", name="Suspend session").click()


def test_a_session_is_seen_as_it_happens_and_again_after_a_restart(core: LiveCore, pages: tuple[Page, Page]) -> None:
    screen, console = pages
    expect(console.locator("h1")).to_have_text("Selections can be made", timeout=10_000)
    expect(screen.locator(".may .sentence")).to_have_text("A winner may be selected at any moment until 14:05.")
    expect(console.locator(".ruler li")).to_have_count(AWARDS)

    # A selection: the crew's page has it, the floor does not until the guest is called.
    rows = console.locator(".running tbody tr")
    expect(rows.nth(1)).to_be_visible(timeout=25_000)
    expect(screen.locator(".claim")).to_have_count(0)
    ordinal, name, deadline = core.announced()
    expect(screen.locator(".claim")).to_have_count(1, timeout=AT_ONCE)
    expect(screen.locator(".claim")).to_contain_text(name)
    expect(rows.nth(0)).to_contain_text("Announced", timeout=AT_ONCE)
    left = int(screen.locator(".claims .ring b").inner_text())
    assert abs(left - (deadline - core.clock.now()) / 1000) <= 1.5

    # A winner: the amount is in the light, the mark on the ruler.
    core.pay(ordinal)
    expect(screen.locator("section.won")).to_contain_text("R\u00a0750", timeout=AT_ONCE)
    expect(console.locator(".ruler li .unseen").first).to_contain_text("confirmed", timeout=AT_ONCE)
    expect(console.locator(".ruler li.to_come .stack > *")).to_have_count(0)

    expect(screen.locator("section.won")).to_be_hidden(timeout=12_000)

    # Two people suspend; the same one twice does not.
    _, name, deadline = core.announced()
    console.get_by_role("button", name="Suspend session").click()
    suspend(console, "nomvula")
    expect(console.locator("#decide-second-fault")).to_contain_text("must be somebody else")
    suspend(console, "kabelo")
    expect(console.get_by_role("dialog")).to_be_hidden()
    expect(console.locator("h1")).to_have_text("The session is suspended", timeout=AT_ONCE)
    expect(screen.locator(".claim .name").first).to_contain_text(name, timeout=AT_ONCE)

    # The core goes away: both pages say so. It comes back: both are right again by themselves.
    core.stop()
    expect(screen.locator(".offline:visible")).not_to_have_count(0, timeout=10_000)
    expect(console.locator(".offline")).to_be_visible(timeout=10_000)
    core.start_again()
    expect(screen.locator(".offline:visible")).to_have_count(0, timeout=AT_ONCE)
    expect(console.locator(".offline")).to_be_hidden(timeout=AT_ONCE)
    expect(console.locator("h1")).to_have_text("The session is suspended", timeout=AT_ONCE)
    expect(screen.locator(".claim .name").first).to_contain_text(name, timeout=AT_ONCE)
    left = int(screen.locator(".claims .ring b").first.inner_text())
    assert abs(left - (deadline - core.clock.now()) / 1000) <= 1.5
    expect(console.locator(".ruler li .unseen").first).to_contain_text("confirmed")
