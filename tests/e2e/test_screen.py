"""The floor screen in a real browser: right on connecting, right by the second, right after a cut, at every size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
import scenes
from playwright.sync_api import Page, expect
from screen_preview import ScreenPreview
from screen_seconds import WITHIN, read
from wire import Wire

from web_display.messages import Ended, RecentWinner, Won

SIZES = {"1080p": (1920, 1080), "4K": (3840, 2160), "upright": (1080, 1920)}

# Elements whose text leaves the screen, their own box or the box that holds them.
OVERFLOWING = """() => {
  const faults = [];
  const shown = (node) => node.getClientRects().length && getComputedStyle(node).visibility !== 'hidden';
  const out = (box) => box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
  for (const node of document.querySelectorAll('.screen *')) {
    if (!shown(node) || !node.textContent.trim() || node.closest('.unseen')) continue;
    const name = `${node.tagName} .${node.getAttribute('class')}: ${node.textContent.trim().slice(0, 40)}`;
    if (out(node.getBoundingClientRect())) faults.push('off screen ' + name);
    const range = document.createRange();
    range.selectNodeContents(node);
    const words = range.getBoundingClientRect(), card = node.closest('.claim, .lit, .winner, .mini, .others');
    if (card) {
      const box = card.getBoundingClientRect();
      if (words.right > box.right + 1 || words.bottom > box.bottom + 2 || words.top < box.top - 2) {
        faults.push('out of its card ' + name);
      }
    }
  }
  const rows = [...document.querySelectorAll('.calm > *, .calm .middle > *')].filter(shown);
  for (const upper of rows) for (const lower of rows) {
    if (upper.contains(lower) || lower.contains(upper) || upper === lower) continue;
    const [a, b] = [upper, lower].map((node) => node.getBoundingClientRect());
    if (a.top < b.bottom - 1 && b.top < a.bottom - 1) faults.push(`${upper.className} over ${lower.className}`);
  }
  return faults;
}"""


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


def rings(page: Page) -> list[int]:
    return [int(text) for text in page.locator(".claims .ring b").all_text_contents()]


class TestOnConnecting:
    def test_the_whole_picture_is_there(self, opened):
        page = opened("/screens/idle")
        expect(page.locator(".tally b")).to_have_text("33")
        expect(page.locator(".calm .title")).to_have_text("Playtime Bonus Jackpots")
        expect(page.locator(".next .how")).to_contain_text("35 envelopes, R\u00a0500 to R\u00a01\u00a0000 each.")
        expect(page.locator(".count")).to_contain_text("min")
        expect(page.locator(".recent .winner")).to_have_count(3)
        expect(page.locator(".squares i")).to_have_count(70)
        expect(page.locator(".squares .won")).to_have_count(33)
        expect(page.locator(".law")).to_contain_text("No persons under 18")
        expect(page.locator(".offline").first).to_be_hidden()

    def test_the_clock_is_the_propertys_not_the_screens(self, opened, preview):
        page = opened("/screens/idle", timezone_id="Pacific/Auckland")
        expect(page.locator(".top .now")).to_have_text(scenes.screens.time_text(preview.clock.now(), scenes.ZONE))

    def test_a_running_session_says_that_and_never_when(self, opened):
        page = opened("/screens/session")
        expect(page.locator(".may .sentence")).to_have_text("A winner may be selected at any moment until 16:00.")
        expect(page.locator(".next")).to_be_hidden()
        expect(page.locator("[role=timer]:visible")).to_have_count(0)

    def test_suspended_is_said_in_words_beside_a_mark(self, opened):
        page = opened("/screens/suspended")
        expect(page.locator(".halt .sentence")).to_have_text("The session is suspended.")
        expect(page.locator(".halt .mark-pause")).to_be_visible()
        expect(page.locator(".may")).to_be_hidden()

    @pytest.mark.parametrize("scene", ["demo", "won-many"])
    def test_a_demo_is_always_told(self, opened, scene):
        page = opened(f"/screens/{scene}")
        expect(page.locator(".demo:visible")).to_have_text("DEMO, no prizes")

    def test_no_demo_no_sign(self, opened):
        page = opened("/screens/idle")
        expect(page.locator(".tally b")).to_have_text("33")
        expect(page.locator(".demo:visible")).to_have_count(0)


class TestClaims:
    def test_a_ring_runs_from_the_servers_deadline(self, opened, preview):
        preview.show("hall", scenes.claims(12, 61))
        page = opened("/screens/hall")
        expect(page.locator(".claim")).to_have_count(2)
        for _ in range(4):
            page.wait_for_timeout(600)
            now, shown = read(page, preview)
            for claim, seconds in zip(preview.screens["hall"](now).claims, shown, strict=True):
                assert abs(seconds - (claim.deadline_at - now) / 1000) <= WITHIN

    def test_a_wrong_clock_on_the_screen_changes_nothing(self, opened, preview):
        preview.show("hall", scenes.claims(61))
        page = opened("/screens/hall")
        expect(page.locator(".claim")).to_have_count(1)
        page.evaluate("() => { globalThis.realNow = Date.now; Date.now = () => 0; }")
        page.wait_for_timeout(1200)
        page.evaluate("() => { Date.now = realNow; }")
        now, shown = read(page, preview)
        assert abs(shown[0] - (preview.screens["hall"](now).claims[0].deadline_at - now) / 1000) <= WITHIN

    def test_at_fifteen_the_sentence_changes(self, opened, preview):
        preview.show("hall", scenes.claims(18))
        page = opened("/screens/hall")
        expect(page.locator(".claim .place")).to_have_text("Come to the Promotions Stage")
        expect(page.locator(".claim .place")).to_have_text("Promotions Stage, now", timeout=5000)
        expect(page.locator(".claim .ring")).to_have_attribute("aria-label", "14 seconds left", timeout=3000)

    @pytest.mark.parametrize("count", range(1, 9))
    def test_nobody_is_left_off(self, opened, preview, count):
        preview.show("hall", scenes.claims(*range(20, 20 + 8 * count, 8)))
        page = opened("/screens/hall")
        expect(page.locator(".claim")).to_have_count(count)
        expect(page.locator(".claim .name")).to_have_text([scenes.name_of(guest) for guest in scenes.GUESTS[:count]])
        shown = rings(page)  # once: they count on while the test looks
        assert shown == sorted(shown)

    def test_no_amount_stands_beside_a_running_clock(self, opened, preview):
        preview.show("hall", scenes.claims_named("claims-3"))
        page = opened("/screens/hall")
        expect(page.locator(".claim")).to_have_count(3)
        assert "R\u00a0" not in "".join(page.locator(".claims").all_text_contents())

    def test_two_of_one_name_are_told_to_look_at_the_digits(self, opened, preview):
        preview.show("hall", scenes.twins)
        page = opened("/screens/hall")
        expect(page.locator(".twins").nth(0)).to_have_text("Look at the last digits of your card")
        expect(page.locator(".digits.twin")).to_have_text(["1001", "4417"])

    def test_a_screen_reader_hears_a_call_once(self, opened, preview):
        preview.show("hall", scenes.claims(61))
        page = opened("/screens/hall")
        expect(page.locator(".call")).to_have_text("Thandi M. ···1001, come to the Promotions Stage.")

    def test_time_is_up_stands_a_moment_and_once(self, opened, preview):
        ended = Ended("c40", "Thandi M. ···1001", preview.clock.now())
        preview.show("hall", lambda now: replace(scenes.session(now), ended=(ended,)))
        page = opened("/screens/hall")
        expect(page.locator(".claim.over .ring")).to_contain_text("Time is up")
        expect(page.locator(".claim.over")).to_have_count(0, timeout=6000)
        page.reload()
        expect(page.locator(".may .sentence")).to_be_visible()
        expect(page.locator(".claim")).to_have_count(0)


class TestWon:
    def test_a_winner_is_shown_once_for_eight_seconds(self, opened, preview):
        preview.show("hall", scenes.session)
        page = opened("/screens/hall")
        expect(page.locator(".may .sentence")).to_be_visible()
        winner = Won("c60", "Thandi M.", "1001", "R\u00a0850", preview.clock.now())
        preview.show("hall", lambda now: replace(scenes.session(now), won=winner))
        expect(page.locator(".winner-now .name")).to_have_text("Thandi\u00a0M.")
        expect(page.locator(".winner-now .sum")).to_have_text("R\u00a0850")
        page.wait_for_timeout(6000)
        expect(page.locator(".winner-now")).to_be_visible()
        expect(page.locator(".winner-now")).to_have_count(0, timeout=4000)
        # The same winner stands in every later message.
        preview.show("hall", lambda now: replace(scenes.session(now), won=winner, winners_today=9))
        expect(page.locator(".tally b")).to_have_text("9")
        page.reload()
        expect(page.locator(".tally b")).to_have_text("9")
        expect(page.locator(".winner-now")).to_have_count(0)

    def test_an_amount_that_is_known_later_joins_its_winner(self, opened, preview):
        winner = Won("c64", "Thandi M.", "1001", "", preview.clock.now())
        preview.show("hall", lambda now: replace(scenes.session(now), won=winner))
        page = opened("/screens/hall")
        expect(page.locator(".winner-now .name")).to_be_visible()
        paid = replace(winner, amount_text="R\u00a0850")
        preview.show("hall", lambda now: replace(scenes.session(now), won=paid))
        expect(page.locator(".winner-now .sum")).to_have_text("R\u00a0850", timeout=3000)

    def test_an_old_winner_is_no_news_to_a_screen_just_switched_on(self, opened, preview):
        winner = Won("c61", "Thandi M.", "1001", "R\u00a0850", preview.clock.now() - 60_000)
        preview.show("hall", lambda now: replace(scenes.session(now), won=winner))
        page = opened("/screens/hall")
        expect(page.locator(".may .sentence")).to_be_visible()
        expect(page.locator(".winner-now")).to_have_count(0)

    def test_other_clocks_keep_running_beside_a_winner(self, opened, preview):
        running = scenes.claims(40, 61)
        winner = Won("c62", "Johan B.", "2096", "R\u00a0600", preview.clock.now())
        preview.show("hall", lambda now: replace(running(now), won=winner))
        page = opened("/screens/hall")
        expect(page.locator(".winner-now")).to_be_visible()
        expect(page.locator(".mini")).to_have_count(2)
        now, shown = read(page, preview, ".mini .ring b")
        for claim, seconds in zip(running(now).claims, shown, strict=True):
            assert abs(seconds - (claim.deadline_at - now) / 1000) <= WITHIN

    def test_reduced_motion_shows_the_winner_at_once(self, opened, preview):
        winner = Won("c63", "Thandi M.", "1001", "R\u00a0850", preview.clock.now())
        preview.show("hall", lambda now: replace(scenes.session(now), won=winner))
        page = opened("/screens/hall", reduced_motion="reduce")
        expect(page.locator(".winner-now .name")).to_be_visible()
        assert page.evaluate("document.getAnimations().length") == 0


class TestCut:
    def test_the_ring_goes_on_and_the_screen_is_right_again(self, opened, preview, wire):
        preview.show("hall", scenes.claims(61))
        page = opened("/screens/hall")
        expect(page.locator(".claim")).to_have_count(1)
        wire.cut()
        expect(page.locator(".top .offline")).to_be_visible(timeout=5000)
        expect(page.locator(".top .offline")).to_have_text("Reconnecting")
        began, (before,) = read(page, preview)
        page.wait_for_timeout(2100)
        ended, (after,) = read(page, preview)
        assert abs(before - after - (ended - began) / 1000) <= WITHIN
        # What happened meanwhile is there as soon as the line is.
        preview.show(
            "hall", lambda now: replace(scenes.session(now), recent=(RecentWinner("Zanele Z. ···0001", "R\u00a0900"),))
        )
        wire.mend()
        expect(page.locator(".top .offline")).to_be_hidden(timeout=3000)
        expect(page.locator(".claim")).to_have_count(0, timeout=1000)
        expect(page.locator(".recent .winner")).to_have_text(["Zanele\u00a0Z. ···0001R\u00a0900"])

    def test_a_deadline_that_passes_unheard_is_not_left_standing(self, opened, preview, wire):
        preview.show("hall", scenes.claims(5))
        page = opened("/screens/hall")
        expect(page.locator(".claim")).to_have_count(1)
        wire.cut()
        expect(page.locator(".claim.over .ring")).to_contain_text("Time is up", timeout=9000)
        expect(page.locator(".claim")).to_have_count(0, timeout=6000)


class TestLook:
    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("scene", [*scenes.SCREENS])
    def test_nothing_leaves_its_place(self, opened, preview, scene, size):
        fresh = scenes.fresh(scene, preview.clock.now())
        preview.show("hall", fresh)
        page = opened("/screens/hall", *SIZES[size], reduced_motion="reduce")
        expect(page.locator(".screen .now:visible")).to_contain_text(":")
        page.wait_for_timeout(150)
        assert page.evaluate(OVERFLOWING) == []

    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("scene", ["idle", "claims-2", "claims-5", "claims-long-5", "won", "won-many"])
    def test_nothing_leaves_its_place_for_the_signs_of_a_demo_and_a_lost_line(self, opened, preview, scene, size):
        fresh = scenes.fresh(scene, preview.clock.now())
        preview.show("hall", lambda now: replace(fresh(now), demo=True))
        page = opened("/screens/hall", *SIZES[size], reduced_motion="reduce")
        expect(page.locator(".demo:visible")).to_have_count(1)
        page.evaluate("document.querySelectorAll('.offline').forEach((sign) => { sign.hidden = false; })")
        page.evaluate("dispatchEvent(new Event('resize'))")
        assert page.evaluate(OVERFLOWING) == []
        over = page.evaluate(
            """() => { const [a, b] = ['.whose', '.demo'].map((n) => document.querySelector('.top ' + n)
              .getBoundingClientRect()); return a.right > b.left && a.bottom > b.top + 1 && a.top < b.bottom; }"""
        )
        assert not over

    @pytest.mark.parametrize("size", SIZES)
    def test_a_call_can_be_read_from_ten_metres(self, opened, preview, size):
        # Capitals of 30 mm on a 55-inch screen are 6.4 vmin of type (look, "Three scales").
        width, height = SIZES[size]
        least = 0.064 * min(width, height)
        preview.show("hall", scenes.claims(34, 61))
        page = opened("/screens/hall", width, height)
        expect(page.locator(".claim")).to_have_count(2)
        for part in (".claim .name", ".claim .place", ".claim .ring b"):
            sizes = page.locator(part).evaluate_all("all => all.map(n => parseFloat(getComputedStyle(n).fontSize))")
            assert min(sizes) >= least, part

    def test_nothing_is_fetched_from_elsewhere_and_nothing_is_inline(self, opened, wire):
        asked: list[str] = []
        page = opened("/screens/idle")
        page.on("request", lambda request: asked.append(request.url))
        page.reload()
        expect(page.locator(".tally b")).to_have_text("33")
        assert asked
        assert all(f"//127.0.0.1:{wire.port}/" in url for url in asked)
        assert page.evaluate("document.querySelectorAll('script:not([src]), style').length") == 0
        source = page.request.get(page.url).text()
        assert "style=" not in source
        assert " on" not in "".join(part.partition(">")[0] for part in source.split("<"))
        assert page.evaluate("document.fonts.check('16px Archivo')")
