"""The console's first page in a real browser: says why, takes two people's decision, folds to a phone."""

from __future__ import annotations

from dataclasses import replace

import console_scenes as scenes
import pytest
from console_page import SIZES, console_opener, decide
from playwright.sync_api import expect


@pytest.fixture
def console(opened, preview):
    return console_opener(opened, preview)


class TestWhy:
    def test_the_line_and_the_reasons_stand_at_the_top(self, console):
        page = console()
        expect(page.locator("h1")).to_have_text("Selections are postponed")
        expect(page.locator(".reason")).to_have_count(2)
        first, second = page.locator(".reason").all()
        expect(first).to_contain_text("tables-1 has sent nothing since 14:41:29. The limit is 30 s.")
        expect(first).to_contain_text("SS_FEED_STALE")
        expect(first.locator(".mark-late")).to_be_visible()
        expect(first.get_by_role("button", name="Exclude feed")).to_be_visible()
        expect(second.locator(".mark-pause")).to_be_visible()
        expect(second.get_by_role("button")).to_have_count(0)

    def test_when_it_can_select_nothing_else_is_said(self, console):
        page = console(scenes.console_ready)
        expect(page.locator("h1")).to_have_text("Selections can be made")
        expect(page.locator(".reason")).to_have_count(0)

    def test_a_reason_that_is_gone_goes_without_a_reload(self, console, preview):
        page = console()
        preview.show_console(scenes.console_ready)
        expect(page.locator(".reason")).to_have_count(0)

    def test_an_auditor_reads_and_has_no_buttons(self, console):
        page = console(lambda now: replace(scenes.console(now), may_act=False))
        expect(page.locator(".reason")).to_have_count(2)
        expect(page.locator("main").get_by_role("button")).to_have_text(["Save as CSV"])


class TestSession:
    def test_parts_are_equal_and_the_coming_ones_carry_nothing(self, console):
        page = console()
        parts = page.locator(".ruler > li")
        expect(parts).to_have_count(35)
        expect(page.locator(".ruler .now")).to_have_count(1)
        expect(page.locator(".ruler .to_come")).to_have_count(22)
        expect(page.locator(".ruler .to_come .mark")).to_have_count(0)
        widths = {round(box["width"]) for box in (part.bounding_box() for part in parts.all()) if box}
        assert max(widths) - min(widths) <= 1
        # Failures stand above the one that followed, at the same place across.
        eighth = parts.nth(7).locator(".mark")
        expect(eighth).to_have_count(3)
        middles = {round(box["x"] + box["width"] / 2) for box in (each.bounding_box() for each in eighth.all()) if box}
        assert len(middles) == 1

    def test_a_screen_reader_hears_each_part(self, console):
        page = console()
        expect(page.locator(".ruler .unseen").nth(2)).to_have_text(
            "Part 3, from 14:06, over. Award 3, selection 3: ended, selected again; Award 3, selection 4: confirmed"
        )
        expect(page.locator(".ruler .unseen").nth(34)).to_have_text("Part 35, from 15:56, to come.")

    def test_the_scale_shows_the_sessions_quarters(self, console):
        page = console()
        expect(page.locator(".scale span")).to_have_text(["14:00", "14:30", "15:00", "15:30", "16:00"])

    def test_no_figure_says_how_far_it_is(self, console):
        page = console()
        assert "%" not in page.locator("main").inner_text()

    def test_before_the_first_session_nothing_is_made_up(self, console):
        page = console(scenes.console_before)
        expect(page.locator("section.session")).to_be_hidden()
        expect(page.locator("section.pool")).to_be_hidden()
        expect(page.locator(".running .none")).to_have_text("No claim is running.")
        expect(page.locator(".no-draws")).to_be_visible()


class TestClaims:
    def test_seconds_run_from_the_servers_deadline(self, console, preview):
        begun = preview.clock.now()
        picture = scenes.console(begun)
        page = console(lambda now: replace(picture, server_now=now))
        page.wait_for_timeout(1500)
        left = page.locator(".running .left").all_text_contents()
        passed = preview.clock.now() - begun
        for text, ahead in zip(left[:2], (12_000, 61_000), strict=True):
            assert abs(int(text.removesuffix("\u00a0s")) - (ahead - passed) / 1000) <= 1.3
        assert left[2:] == ["\u2013", "\u2013"]
        expect(page.locator(".running .left:visible")).to_have_count(4)

    def test_who_has_a_claim_is_said(self, console):
        page = console()
        rows = page.locator(".running tbody tr")
        expect(rows.nth(0)).to_contain_text("Thandi Mokoena ···1001")
        expect(rows.nth(3)).to_contain_text("Nobody")


class TestPool:
    def test_the_steps_end_at_the_last_size(self, console):
        page = console()
        expect(page.locator(".plot .value")).to_have_text("402")
        expect(page.locator(".plot svg")).to_have_attribute(
            "aria-label", "Pool size at each of 16 selections, between 398 and 433, the last 402"
        )
        path = page.locator(".plot .steps").get_attribute("d")
        assert path
        assert path.count("H") == path.count("V") == 15
        expect(page.locator(".pool .would")).to_contain_text("399 guests would be in it now")


class TestTwoPeople:
    def test_a_feed_is_excluded_by_two_people_with_a_reason(self, console, preview):
        page = console()
        page.get_by_role("button", name="Exclude feed").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Exclude tables-1 for this session")
        decide(page, "ruan", "The bridge's port is broken")
        dialog.get_by_role("button", name="Exclude feed").click()
        expect(dialog).to_be_hidden()
        body = {"by": "naledi", "second": "ruan", "reason": "The bridge's port is broken"}
        assert preview.posted == [("feeds/tables-1/exclude", body)]

    def test_the_same_person_twice_is_refused_at_the_field(self, console):
        page = console()
        page.get_by_role("button", name="Suspend session").click()
        dialog = page.get_by_role("dialog")
        decide(page, "naledi", "Evacuation drill")
        dialog.get_by_role("button", name="Suspend session").click()
        fault = "The second person must be somebody else. Ask a colleague."
        expect(dialog.locator("#decide-second-fault")).to_have_text(fault)
        expect(dialog.get_by_label("Second person\u2019s number")).to_be_focused()
        expect(dialog.get_by_label("Second person\u2019s PIN")).to_have_value("")
        # What was typed is still there.
        expect(page.get_by_label("Reason")).to_have_value("Evacuation drill")

    def test_what_is_missing_is_said_and_nothing_is_sent(self, console, preview):
        page = console()
        page.get_by_role("button", name="Suspend session").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("button", name="Suspend session").click()
        expect(dialog.locator("#decide-second-fault")).to_have_text("Ask a colleague to type their own number.")
        expect(dialog.locator("#reason-fault")).to_have_text("Write the reason.")
        expect(page.get_by_label("Second person\u2019s number")).to_be_focused()
        assert preview.posted == []

    def test_a_suspended_session_can_be_resumed(self, console, preview):
        page = console(scenes.console_suspended)
        expect(page.get_by_role("button", name="Suspend session")).to_have_count(0)
        page.get_by_role("button", name="Resume session").click()
        decide(page, "ruan", "The drill is over")
        page.get_by_role("dialog").get_by_role("button", name="Resume session").click()
        expect(page.get_by_role("dialog")).to_be_hidden()
        assert preview.posted[0][0] == "session/resume"

    def test_the_keyboard_alone_will_do(self, console, preview):
        page = console()
        page.get_by_role("button", name="Exclude feed").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        expect(page.get_by_role("button", name="Exclude feed")).to_be_focused()
        assert preview.posted == []

    def test_a_message_that_comes_meanwhile_leaves_the_form_alone(self, console, preview):
        page = console()
        page.get_by_role("button", name="Exclude feed").click()
        decide(page, "ruan", "Half a sent")
        preview.show_console(scenes.console_ready)
        expect(page.locator("h1")).to_have_text("Selections can be made")
        expect(page.get_by_role("dialog")).to_be_visible()
        expect(page.get_by_label("Reason")).to_have_value("Half a sent")

    def test_a_decision_that_does_not_arrive_is_not_taken_for_done(self, console, wire):
        page = console()
        page.get_by_role("button", name="Suspend session").click()
        dialog = page.get_by_role("dialog")
        decide(page, "ruan", "Evacuation")
        wire.cut()
        dialog.get_by_role("button", name="Suspend session").click()
        expect(dialog.get_by_role("alert")).to_contain_text("It did not reach the server.")

    def test_names_are_text_never_markup(self, console):
        page = console(lambda now: replace(scenes.console(now), headline="<img src=x onerror=alert(1)>"))
        expect(page.locator("h1")).to_have_text("<img src=x onerror=alert(1)>")
        assert page.locator("h1 img").count() == 0


class TestCut:
    def test_a_cut_is_said_with_the_time_of_what_is_seen(self, console, wire, preview):
        page = console()
        wire.cut()
        expect(page.locator(".offline")).to_contain_text("Reconnecting. What you see is of 14:", timeout=5000)
        preview.console = scenes.console_ready
        wire.mend()
        expect(page.locator("h1")).to_have_text("Selections can be made", timeout=4000)
        expect(page.locator(".offline")).to_be_hidden()


class TestLook:
    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("scene", [*scenes.CONSOLES])
    def test_it_folds_and_nothing_needs_scrolling_sideways(self, console, scene, size):
        page = console(scenes.CONSOLES[scene], *SIZES[size])
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
        outside = page.evaluate(
            """() => [...document.querySelectorAll('main *, header *')]
              .filter((n) => n.getClientRects().length && !n.closest('.unseen, thead'))
              .filter((n) => n.getBoundingClientRect().right > innerWidth + 1)
              .map((n) => n.className || n.tagName)"""
        )
        assert outside == []

    @pytest.mark.parametrize("size", SIZES)
    def test_a_finger_finds_every_button(self, console, size):
        page = console(scenes.console, *SIZES[size])
        page.get_by_role("button", name="Exclude feed").click()
        for each in page.locator("button:visible, select:visible, textarea:visible, .files a:visible").all():
            box = each.bounding_box()
            assert box
            assert box["height"] >= 44

    def test_nothing_is_inline(self, console):
        page = console()
        assert page.evaluate("document.querySelectorAll('script:not([src]), style').length") == 0
        assert "style=" not in page.request.get(page.url).text()


class TestFaultsOfOld:
    def test_without_a_session_nothing_is_an_empty_grey_hole(self, console):
        page = console(scenes.console_before)
        grounds = page.evaluate(
            """() => [[300, 820], [300, 500], [1300, 820]].map(([x, y]) => {
              let node = document.elementFromPoint(x, y);
              while (node && getComputedStyle(node).backgroundColor === 'rgba(0, 0, 0, 0)') node = node.parentElement;
              return getComputedStyle(node).backgroundColor;
            })"""
        )
        assert set(grounds) == {"rgb(255, 255, 255)"}

    @pytest.mark.parametrize("width", [390, 320])
    @pytest.mark.parametrize("scene", [scenes.console, scenes.console_suspended])
    def test_the_header_stands_in_two_lines_on_a_telephone(self, console, scene, width):
        page = console(scene, width, 844)
        box = page.locator("header.bar").bounding_box()
        brand, now = page.locator("header.bar > b").first.bounding_box(), page.locator(".bar .now").bounding_box()
        assert box
        assert brand
        assert now
        assert abs(brand["y"] - now["y"]) < 2
        assert box["height"] <= (110 if width == 390 else 160)

    def test_a_quarter_that_is_no_whole_minute_bears_no_time(self, console):
        def short(now):
            day = scenes.console(now)
            assert day.session
            return replace(day, session=replace(day.session, from_text="14:00", to_text="14:10"))

        page = console(short)
        expect(page.locator(".scale span")).to_have_text(["14:00", "14:05", "14:10"])

    def test_the_pool_is_drawn_from_nothing(self, console):
        page = console()
        edges = page.locator(".plot .edge")
        expect(edges.nth(0)).to_have_text("0")
        expect(edges.nth(1)).to_have_text("500")
        heights = page.evaluate(
            """() => {
              const points = document.querySelector('.plot .steps').getAttribute('d').match(/[\\d.]+/g).map(Number);
              const lines = [...document.querySelectorAll('.plot .grid')].map((line) => line.getAttribute('d'));
              const grid = lines.map((d) => Number(d.match(/ ([\\d.]+)H/)[1]));
              return { last: points.at(-1), zero: Math.max(...grid), top: Math.min(...grid) };
            }"""
        )
        share = (heights["zero"] - heights["last"]) / (heights["zero"] - heights["top"])
        assert abs(share - 402 / 500) < 0.01
