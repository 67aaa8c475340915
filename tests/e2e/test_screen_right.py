"""A screen is right: by the tenth of a second, after any restart, and as soon as people have decided something."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
import scenes
from playwright.sync_api import expect
from screen_preview import ScreenPreview
from screen_seconds import WITHIN, off_by, read
from wire import Wire

from draw_engine.clock import SteadyClock
from web_display.messages import Won


@pytest.fixture(scope="module")
def preview() -> Iterator[ScreenPreview]:
    made = ScreenPreview()
    yield made
    made.close()


@pytest.fixture(scope="module")
def wire(preview: ScreenPreview) -> Iterator[Wire]:
    """The network between browser and screen server."""
    made = Wire(preview.port)
    yield made
    made.close()


class SlowWire(Wire):
    """A line on which everything is a third of a second under way, each way."""

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                time.sleep(0.3)
                sink.sendall(data)


class TestTime:
    """A screen's seconds are the server's, whatever the line between them."""

    @pytest.fixture
    def slow(self, preview: ScreenPreview) -> Iterator[Wire]:
        made = SlowWire(preview.port)
        yield made
        made.close()

    def test_its_seconds_are_right_within_a_fifth_of_a_second(self, opened, preview):
        preview.show("hall", scenes.claims(61))
        page = opened("/screens/hall")
        expect(page.locator(".claim")).to_have_count(1)
        deadline = preview.screens["hall"](preview.clock.now()).claims[0].deadline_at
        assert [late for late in (off_by(page, preview, deadline) for _ in range(3)) if abs(late) > 200] == []

    def test_over_a_slow_line_and_after_a_cut_in_the_middle_of_the_countdown(self, browser, preview, slow):
        preview.show("hall", scenes.claims(75))
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{slow.port}/screens/hall")
        expect(page.locator(".claim")).to_have_count(1, timeout=15_000)
        deadline = preview.screens["hall"](preview.clock.now()).claims[0].deadline_at
        page.wait_for_timeout(1500)  # three questions, each 0.6 s under way
        assert abs(off_by(page, preview, deadline)) <= 200
        slow.cut()
        expect(page.locator(".top .offline")).to_be_visible(timeout=5000)
        slow.mend()
        expect(page.locator(".top .offline")).to_be_hidden(timeout=5000)
        page.wait_for_timeout(700)  # the first question's answer
        assert abs(off_by(page, preview, deadline)) <= 200
        page.close()


class TestCore:
    """What a screen shows while the core, or the screens' own server, is away; right within two seconds after."""

    def test_the_core_away_is_marked_and_the_ring_goes_on(self, opened, preview):
        preview.show("hall", scenes.claims(61))
        page = opened("/screens/hall")
        expect(page.locator(".claim")).to_have_count(1)
        preview.stop_core()
        expect(page.locator(".top .offline")).to_have_text("Reconnecting")
        expect(page.locator(".top .offline")).to_be_visible()
        began, (before,) = read(page, preview)
        page.wait_for_timeout(2100)
        ended, (after,) = read(page, preview)
        assert abs(before - after - (ended - began) / 1000) <= WITHIN
        preview.screens["hall"] = scenes.session
        preview.start_core()
        expect(page.locator(".top .offline")).to_be_hidden(timeout=2000)
        expect(page.locator(".claim")).to_have_count(0)

    def test_another_core_with_another_clock_is_believed(self, opened, preview):
        preview.show("hall", scenes.session)
        page = opened("/screens/hall")
        expect(page.locator(".may .sentence")).to_be_visible()
        clock = preview.clock
        preview.stop_core()
        preview.clock = SteadyClock(scenes.PREVIEW_START + 3 * 3_600_000 - SteadyClock().now())
        try:
            preview.screens["hall"] = scenes.claims(61)
            preview.start_core()
            expect(page.locator(".claim")).to_have_count(1, timeout=2000)
            expect(page.locator(".top .now")).to_have_text(scenes.screens.time_text(preview.clock.now(), scenes.ZONE))
            deadline = preview.screens["hall"](preview.clock.now()).claims[0].deadline_at
            page.wait_for_timeout(500)
            assert abs(off_by(page, preview, deadline)) <= 200
        finally:
            preview.stop_core()
            preview.clock = clock
            preview.start_core()

    def test_it_comes_back_to_a_server_that_was_killed(self, browser, preview):
        preview.show("hall", scenes.claims(61))
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{preview.port}/screens/hall")
        expect(page.locator(".claim")).to_have_count(1)
        os.kill(preview.process.pid, signal.SIGKILL)
        expect(page.locator(".top .offline")).to_be_visible()
        preview.show("hall", scenes.claims(61, 72))
        # Its keeper takes a second or so to start it; then the page's own two seconds.
        expect(page.locator(".claim")).to_have_count(2, timeout=8000)
        expect(page.locator(".top .offline")).to_be_hidden()
        page.close()


class TestDecided:
    """What people decide takes effect on the screen at once."""

    def test_a_claim_in_review_is_off_and_announced_again_it_has_its_full_time(self, opened, preview):
        preview.show("hall", scenes.claims(8))
        page = opened("/screens/hall")
        expect(page.locator(".call")).to_have_text("Thandi M. ···1001, come to the Promotions Stage.")
        page.evaluate("document.querySelector('.call').textContent = ''")
        preview.show("hall", scenes.session)
        expect(page.locator(".claim")).to_have_count(0, timeout=1000)
        preview.show("hall", scenes.claims(90))  # the same claim, with another deadline
        expect(page.locator(".claim .ring b")).to_have_text("89", timeout=3000)
        expect(page.locator(".call")).to_have_text("Thandi M. ···1001, come to the Promotions Stage.")

    def test_a_voided_winner_is_taken_off(self, opened, preview):
        winner = Won("c70", "Thandi M.", "1001", "R\u00a0850", preview.clock.now())
        preview.show("hall", lambda now: replace(scenes.claims(61)(now), won=winner))
        page = opened("/screens/hall")
        expect(page.locator(".winner-now .name")).to_be_visible()
        preview.show("hall", lambda now: replace(scenes.claims(61)(now), taken_back=("c70",)))
        expect(page.locator(".winner-now")).to_have_count(0, timeout=1000)
        expect(page.locator(".claim")).to_have_count(1)
