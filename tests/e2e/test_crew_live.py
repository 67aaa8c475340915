"""Tablets and stage on the real core: from the walk to the paid prize, and what may go wrong on the way."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from crew_tablets import EXPECTED
from page_signing import comes_true, sign_in
from playwright.sync_api import Browser, Page, expect

sys.path.append(str(Path(__file__).resolve().parents[1] / "integration"))

from casino import Session, book_toml
from loopback import FIRST
from test_live_core import LiveCore

from config.site import load_site
from draw_engine.claim_moves import stage_of
from draw_engine.draw_state import Claim
from draw_engine.log import Entry
from draw_engine.seeds import SystemSeeds
from draw_engine.service import envelopes
from draw_engine.service.engine import Engine
from kiosk.assembly import house_of, open_store
from kiosk.serving import Serving

WINDOW_S = 12
BOOK = book_toml(Session("first", "14:00", "14:10", awards=100, seconds=WINDOW_S), quota=400)
"""A selection in about every six seconds, and short clocks: their length is the book's matter."""
HOLD_MS = 1_850
Tablets = Callable[..., Page]


class CrewedCore(LiveCore):
    """The property with its tablets, and envelopes in the tray."""

    def _served(self, port: int) -> Serving:
        site = load_site(self.folder / "site.toml")
        store = open_store(site, SystemSeeds())
        toml = (self.folder / "site.toml").read_bytes()
        house = house_of(site, [BOOK])
        serving = Serving(house, lambda: store, self.clock, port=port, demo=False, site_toml=toml)
        serving.start()
        return serving

    def fill_tray(self) -> None:
        def count(engine: Engine) -> None:
            envelopes.count_batch(engine, amounts={75_000: 40}, by="nomvula", second="themba", now=engine.now())

        self.ask(count)

    def claim(self, ordinal: int) -> Claim:
        found: Claim = self.ask(lambda engine: engine.draw(FIRST).state.claims[ordinal])
        return found

    def stage_of(self, ordinal: int) -> str:
        return stage_of(self.claim(ordinal))

    def said(self, ordinal: int, *kinds: str) -> list[Entry]:
        def read(engine: Engine) -> list[Entry]:
            entries = engine.store.entries(1, 1 << 40)
            about = f"c{ordinal}"
            return [one for one in entries if one.data.get("claim") == about and (not kinds or one.kind in kinds)]

        found: list[Entry] = self.ask(read)
        return found

    def until(self, ordinal: int, stage: str, seconds: float = 10) -> None:
        ends = time.monotonic() + seconds
        while self.stage_of(ordinal) != stage:
            assert time.monotonic() < ends, f"c{ordinal} is {self.stage_of(ordinal)}, not {stage}"
            time.sleep(0.05)


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrewedCore]:
    made = CrewedCore(tmp_path_factory.mktemp("crewed"))
    made.fill_tray()
    yield made
    made.close()
    structlog.reset_defaults()


@pytest.fixture
def tablet(browser: Browser, core: CrewedCore) -> Iterator[Tablets]:
    contexts: list[Any] = []
    faults: list[str] = []

    def opens(path: str = "/crew", who: str = "kabelo") -> Page:
        context = browser.new_context(viewport={"width": 1024, "height": 768})
        contexts.append(context)
        sign_in(context, core.url, who)
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda told: faults.append(told.text) if told.type in {"error", "warning"} else None)
        page.goto(f"http://127.0.0.1:{core.wire.port}{path}")
        expect(page.locator(".bar .now")).not_to_be_empty(timeout=10_000)
        return page

    yield opens
    core.wire.mend()
    for context in contexts:
        context.close()
    ours = [fault for fault in faults if not any(word in fault for word in EXPECTED)]
    assert not ours, ours


def take(page: Page) -> int:
    """Take the first that is free; its ordinal."""
    page.locator(".new .take").first.click(timeout=20_000)
    expect(page.locator(".claim-view h1")).to_contain_text("Who is at", timeout=5_000)
    return int(page.evaluate("location.hash").rpartition("c")[2])


def answer(page: Page, words: str) -> None:
    page.get_by_role("button", name=re.compile(f"^{words}")).click()


def hold(page: Page, words: str) -> None:
    box = page.get_by_role("button", name=re.compile(f"^{words}")).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.wait_for_timeout(HOLD_MS)
    page.mouse.up()


def check(page: Page) -> None:
    for box in page.locator(".checks input").all():
        box.check()
    page.get_by_label("South African ID").check()
    page.get_by_role("button", name="All is right").click()
    expect(page.locator(".claim-view h1")).to_have_text("Let the guest pick an envelope")


def envelope(page: Page) -> str:
    """The first pocket that is left, scanned and opened; it holds R 750."""
    pocket = page.locator(".offer button").first.inner_text()
    page.keyboard.type(pocket)
    page.keyboard.press("Enter")
    expect(page.locator(".claim-view h1")).to_have_text(f"Pocket {pocket}: open the envelope")
    return pocket


def sign(page: Page, amount: str) -> None:
    page.get_by_label("Opened in front of the guest").check()
    page.get_by_label("Amount in whole rand").fill(amount)
    page.keyboard.press("Enter")
    box = page.locator(".sign").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 60, box["y"] + 100)
    page.mouse.down()
    for n in range(20):
        page.mouse.move(box["x"] + 60 + 8 * n, box["y"] + 100 + (-1) ** n * 20)
    page.mouse.up()
    page.get_by_role("button", name="Print slip").click()


def called(stage: Page, core: CrewedCore, ordinal: int) -> None:
    """The announcer reads the sentence of a claim out and presses."""
    expect(stage.locator("h1 mark.digits")).to_be_visible(timeout=5_000)
    stage.get_by_role("button", name="Announced").click()
    core.until(ordinal, "announced")


def row_of(stage: Page, core: CrewedCore, ordinal: int) -> Any:
    last4 = core.ask(
        lambda engine: (engine.draw(FIRST).rows[ordinal].card or engine.draw(FIRST).rows[ordinal].member)[-4:]
    )
    return stage.locator(".clocks article", has_text=last4)


def test_found_at_the_device_and_paid(core: CrewedCore, tablet: Tablets) -> None:
    page = tablet()
    ordinal = take(page)
    answer(page, "On own card")
    expect(page.locator(".claim-view h1")).to_contain_text("Check ")
    check(page)
    pocket = envelope(page)
    sign(page, "750")
    expect(page.locator(".claim-view h1")).to_have_text("Confirmed winner")
    claim = core.claim(ordinal)
    assert (claim.outcome, claim.prize, claim.pocket) == ("confirmed", 75_000, pocket)
    kinds = [entry.kind for entry in core.said(ordinal)]
    assert [kind for kind in kinds if kind.startswith("claim.")] == [
        "claim.opened", "claim.taken", "claim.arrived", "claim.found", "claim.checked", "claim.confirmed",
    ]  # fmt: skip
    jobs = core.ask(lambda engine: engine.store.print_jobs_of(FIRST, ordinal))
    assert [job.kind for job in jobs] == ["winner_receipt"]


def test_not_there_then_presented_and_checked_by_whoever_is_at_the_stage(core: CrewedCore, tablet: Tablets) -> None:
    page, stage, other = tablet(), tablet("/stage", "nomvula"), tablet(who="themba")
    ordinal = take(page)
    answer(page, "Not here")
    core.until(ordinal, "not_there")
    called(stage, core, ordinal)
    row = row_of(stage, core, ordinal)
    left = int(row.locator(".ring b").inner_text())
    assert abs(left - (core.claim(ordinal).deadline_at - core.clock.now()) / 1000) <= 1.3
    row.get_by_role("button", name="Presented").click()
    core.until(ordinal, "presented")
    other.locator(".row.here").get_by_role("button", name="Check the guest").click()
    expect(other.get_by_label("The guest came to the Promotions Stage")).to_be_visible()
    check(other)
    (entry,) = core.said(ordinal, "claim.checked")
    assert (entry.actor, set(entry.data["checks"])) == ("manager:themba", {"name", "card", "owner", "stage"})
    envelope(other)
    sign(other, "750")
    expect(other.locator(".claim-view h1")).to_have_text("Confirmed winner")


def test_two_tablets_press_take_at_once_and_one_is_told_who_has_it(core: CrewedCore, tablet: Tablets) -> None:
    first, second = tablet(), tablet(who="nomvula")
    expect(first.locator(".new").first).to_be_visible(timeout=20_000)
    key = first.locator(".new").first.get_attribute("data-key")
    there = second.locator(f'.new[data-key="{key}"] .take')
    expect(there).to_be_visible()
    # The second tablet's line is slow: its press leaves after the other's has been answered.
    second.evaluate(
        """() => { const real = window.fetch; window.fetch = (...said) => said[0] === "/presses"
             ? new Promise((go) => setTimeout(go, 1500)).then(() => real(...said)) : real(...said); }"""
    )
    there.click()
    first.locator(f'.new[data-key="{key}"] .take').click()
    ordinal = int(str(key).rpartition("c")[2])
    expect(second.locator(".toast.stop")).to_contain_text("kabelo has claim", timeout=8_000)
    expect(second.locator(".toast.stop small")).to_have_text("X_ALREADY_TAKEN")
    assert core.claim(ordinal).taken_by == "crew:kabelo"
    assert len(core.said(ordinal, "claim.taken")) == 1


def test_ten_seconds_without_a_network_in_the_middle_of_a_claim(core: CrewedCore, tablet: Tablets) -> None:
    page = tablet()
    ordinal = take(page)
    core.wire.cut()
    answer(page, "On own card")
    expect(page.locator(".toast.wait")).to_contain_text("waits to be sent.")
    page.wait_for_timeout(10_000)
    expect(page.locator(".lost")).to_contain_text("Your press waits here, then is sent.")
    assert core.stage_of(ordinal) == "taken"
    core.wire.mend()
    expect(page.locator(".claim-view h1")).to_contain_text("Check ", timeout=12_000)
    expect(page.locator(".lost")).to_be_hidden()
    assert len(core.said(ordinal, "claim.found")) == 1


def test_a_reload_without_a_network_keeps_page_and_press(core: CrewedCore, tablet: Tablets) -> None:
    page = tablet()
    comes_true(page, "navigator.serviceWorker.controller !== null")
    ordinal = take(page)
    core.wire.cut()
    answer(page, "Not here")
    expect(page.locator(".toast.wait")).to_be_visible()
    page.reload()
    expect(page.locator(".claim-view h1")).to_contain_text("Who is at")
    expect(page.locator(".toast.wait")).to_contain_text("Not here", timeout=8_000)
    core.wire.mend()
    core.until(ordinal, "not_there", 12)
    assert len(core.said(ordinal, "claim.arrived")) == 1


def test_a_core_that_was_started_again_answers_the_press(core: CrewedCore, tablet: Tablets) -> None:
    page = tablet()
    ordinal = take(page)
    core.stop()
    answer(page, "On own card")
    expect(page.locator(".toast.wait")).to_be_visible()
    core.start_again()
    core.until(ordinal, "found", 15)
    expect(page.locator(".claim-view h1")).to_contain_text("Check ", timeout=8_000)


def test_the_wrong_person_on_the_card_is_selected_for_again(core: CrewedCore, tablet: Tablets) -> None:
    page = tablet()
    ordinal = take(page)
    hold(page, "Someone else")
    expect(page.locator(".queue")).to_be_visible()
    claim = core.claim(ordinal)
    assert (claim.outcome, claim.arrival) == ("not_rightful_card", "other_person")


def test_hand_over_and_the_other_goes_on(core: CrewedCore, tablet: Tablets) -> None:
    page, other = tablet(), tablet(who="nomvula")
    ordinal = take(page)
    page.get_by_role("button", name="Back to queue").click()
    key = f"2023-10-07/first/c{ordinal}"
    page.locator(f'.row[data-key="{key}"]').get_by_role("button", name="Hand it over").click()
    page.get_by_role("dialog").get_by_role("button", name="Nomvula").click()
    other.locator(f'.row.mine[data-key="{key}"]').get_by_role("button", name="Go on").click()
    answer(other, "On own card")
    expect(other.locator(".claim-view h1")).to_contain_text("Check ")
    assert core.claim(ordinal).taken_by == "manager:nomvula"
    (entry,) = core.said(ordinal, "claim.found")
    assert entry.actor == "manager:nomvula"


def test_who_comes_late_is_late(core: CrewedCore, tablet: Tablets) -> None:
    page, stage = tablet(), tablet("/stage", "nomvula")
    ordinal = take(page)
    answer(page, "Not here")
    core.until(ordinal, "not_there")
    for _ in range(5):
        if core.stage_of(ordinal) == "announced":
            break
        stage.get_by_role("button", name="Announced").click()
        stage.wait_for_timeout(300)
    row = row_of(stage, core, ordinal).last
    expect(row).to_contain_text("Whoever comes now is late.", timeout=(WINDOW_S + 5) * 1000)
    expect(row.get_by_role("button")).to_have_count(0)
    expect(row.locator(".ring b")).to_have_text(re.compile(r"^\d+\u00a0s late$"))
    assert core.claim(ordinal).outcome == "expired"


def test_a_guest_who_will_not_sign_fills_the_award_and_keeps_nothing(core: CrewedCore, tablet: Tablets) -> None:
    page = tablet()
    ordinal = take(page)
    answer(page, "On own card")
    expect(page.locator(".claim-view h1")).to_contain_text("Check ")
    check(page)
    pocket = envelope(page)
    page.locator(".wont button").click()
    page.get_by_role("dialog").get_by_role("button", name="Record it").click()
    expect(page.locator(".claim-view h1")).to_have_text("Recorded: the guest did not sign")
    assert core.claim(ordinal).outcome == "refused"
    state = core.ask(lambda engine: next(row.state for row in engine.store.envelopes() if row.pocket == pocket))
    assert state != "given"


def test_an_amount_outside_the_rule_does_not_reach_the_core(core: CrewedCore, tablet: Tablets) -> None:
    page = tablet()
    ordinal = take(page)
    answer(page, "On own card")
    expect(page.locator(".claim-view h1")).to_contain_text("Check ")
    check(page)
    envelope(page)
    page.get_by_label("Amount in whole rand").fill("1001")
    page.keyboard.press("Enter")
    expect(page.locator(".fault")).to_contain_text("is outside R\u00a0500 to R\u00a01\u00a0000.")
    assert core.stage_of(ordinal) == "envelope"
