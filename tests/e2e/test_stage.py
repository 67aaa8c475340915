"""The stage in a real browser over canned floors: the sentence, the clocks, late is late, two people's review."""

# ruff: noqa: F811 - fixtures are named where they are used

from __future__ import annotations

import re

from crew_scenes import GUESTS, Floor, Guest
from crew_tablets import floor, kept, line, no_overflow, previewed, small_targets, tablet, verbs  # noqa: F401 - fixtures
from page_signing import WRONG_PIN, second_types
from playwright.sync_api import Page, expect

ANITA = {"path": "/stage", "who": "anita", "width": 1280, "height": 800}
HEARD_MS = 2_000


def review(floor: Floor) -> int:
    return floor.add("S-0044", "review", ago=200_000, by="ayanda", left=-4_000)


class TestCall:
    def test_the_sentence_is_the_rules_with_name_and_digits_marked(self, floor, tablet) -> None:
        floor("stage")
        page = tablet(**ANITA)
        expect(page.locator("h1")).to_have_text(
            "Nomvula D., card ending 5, 5, 2, 0, please present yourself at the Promotions Stage within 90 seconds."
        )
        expect(page.locator("h1 mark")).to_have_text(["Nomvula D.,", "5, 5, 2, 0,"])
        expect(page.locator(".call .twin")).to_be_hidden()
        expect(page.locator(".nx")).to_have_text("Nobody else waits to be called.")

    def test_announced_starts_the_clock_and_the_next_is_read(self, floor, tablet) -> None:
        world = floor("stage-many")
        page = tablet(**ANITA)
        expect(page.locator("h1")).to_contain_text("Thandi M., card ending 1, 0, 0, 1,")
        expect(page.locator(".nx")).to_contain_text("Thandi M. \u00b7\u00b7\u00b77302")
        page.get_by_role("button", name="Announced").click()
        expect(page.locator("h1")).to_contain_text("card ending 7, 3, 0, 2,")
        assert [(press["verb"], press["ordinal"], press["by"]) for press in world.pressed] == [("announce", 0, "anita")]
        expect(page.locator(".clocks article", has_text="1001").locator(".ring b")).to_have_text(
            re.compile("^(90|89)$")
        )

    def test_a_twin_is_warned_of_before_the_call(self, floor, tablet) -> None:
        floor("stage-many")
        page = tablet(**ANITA)
        expect(page.locator(".call .twin")).to_have_text(
            "Somebody else who plays now is called Thandi M. too. Read the four digits slowly, and twice."
        )
        expect(page.locator(".call .twin .mark")).to_be_visible()

    def test_when_nobody_waits_it_says_so_and_offers_nothing(self, floor, tablet) -> None:
        floor("nothing")
        page = tablet(**ANITA)
        expect(page.locator("h1")).to_have_text("Nobody waits to be called.")
        expect(page.get_by_role("button", name="Announced")).to_be_hidden()
        expect(page.locator(".no-clocks")).to_be_visible()

    def test_nobody_who_is_not_to_be_announced_is_named(self, floor, tablet) -> None:
        floor("queue")
        page = tablet(**ANITA)
        expect(page.locator(".clocks article")).to_have_count(2)
        assert not [name for name in ("Nomvula", "Annelie", GUESTS["S-0218"].name) if name in page.content()]

    def test_the_longest_name_leaves_the_button_in_sight(self, floor, tablet, monkeypatch) -> None:
        long = Guest("x", "Nomathamsanqa Bhekisisa Wilhelmina-Alexandra Nontsikelelo V.", "5520")
        monkeypatch.setitem(GUESTS, "S-0731", long)
        floor("stage")
        page = tablet(**{**ANITA, "width": 1024, "height": 768})
        expect(page.locator("h1 mark").first).to_have_text(f"{long.called},")
        expect(page.get_by_role("button", name="Announced")).to_be_in_viewport(ratio=1)
        over = page.locator(".call .words").evaluate("node => node.scrollHeight - node.clientHeight")
        assert over <= 1
        no_overflow(page)


class TestClocks:
    def test_seconds_are_the_servers_whatever_this_machine_believes(self, floor, tablet) -> None:
        world = floor("stage")
        late = "const real = Date.now; Date.now = () => real() + 3_600_000;"
        page = tablet(**ANITA, init=late)
        page.wait_for_timeout(1_200)
        for n, ordinal in ((0, 1), (1, 2)):
            shown = int(page.locator(".clocks .ring b").nth(n).inner_text())
            assert abs(shown - (world.claims[ordinal].deadline_at - world.clock.now()) / 1000) <= 1.2
        expect(page.locator(".clocks article").first.locator(".ring")).to_have_class(re.compile("last"))

    def test_presented_goes_to_the_crew(self, floor, tablet) -> None:
        world = floor("stage")
        page = tablet(**ANITA)
        page.locator(".clocks article", has_text="Pieter").get_by_role("button", name="Presented").click()
        expect(page.locator(".clocks article", has_text="Pieter")).to_have_count(0)
        assert [(press["verb"], press["ordinal"]) for press in world.pressed] == [("present", 2)]
        expect(page.locator(".toast.done")).to_contain_text("Presented, Pieter W. \u00b7\u00b7\u00b78830")

    def test_late_is_a_dashed_ring_with_the_seconds_and_no_button(self, floor, tablet) -> None:
        floor("stage")
        page = tablet(**ANITA)
        row = page.locator(".clocks article", has_text="Zanele")
        expect(row.locator(".ring")).to_have_class(re.compile("over"))
        expect(row.locator(".ring b")).to_have_text(re.compile("^[789]\u00a0s late$"))
        expect(row.get_by_role("button")).to_have_count(0)
        expect(row).to_contain_text("Whoever comes now is late. Another guest is selected.")

    def test_a_clock_that_runs_out_here_loses_its_button_at_once(self, floor, tablet) -> None:
        world = floor("nothing")
        page = tablet(**ANITA)
        world.add("S-1104", "announced", by="johan", left=4_000)
        world.changed()
        row = page.locator(".clocks article")
        expect(row.get_by_role("button", name="Presented")).to_be_visible()
        expect(row.get_by_role("button")).to_have_count(0, timeout=6_000)
        expect(row).to_contain_text("a press that reached it in time counts")
        expect(row.locator(".ring b")).to_have_text("1\u00a0s late", timeout=4_000)

    def test_a_press_that_came_late_says_by_how_much(self, floor, tablet) -> None:
        world = floor("nothing")
        page = tablet(**ANITA)
        world.add("S-1104", "announced", by="johan", left=4_000)
        world.changed()
        row = page.locator(".clocks article")
        world.refuses = {"code": "SS_LATE_AFTER_90S", "sentence": "Claim c0 was 7.000 s late.", "late_ms": 7_000}
        row.get_by_role("button", name="Presented").click()
        expect(page.locator(".toast.stop")).to_contain_text("Claim c0 was 7.000 s late. SS_LATE_AFTER_90S")
        expect(row.locator(".came")).to_have_text(
            re.compile(r"Came at 14:\d\d:\d\d\. Time was up at 14:"), timeout=8_000
        )

    def test_a_press_without_a_network_says_what_counts(self, floor, tablet, line) -> None:
        world = floor("stage")
        page = tablet(**ANITA)
        line.cut()
        row = page.locator(".clocks article", has_text="Pieter")
        row.get_by_role("button", name="Presented").click()
        expect(page.locator(".toast.wait")).to_contain_text(
            "What counts is when the server gets it, not when you pressed."
        )
        expect(row.locator(".pending")).to_contain_text("waits to be sent.")
        expect(row.locator(".ring b")).to_have_text(re.compile(r"^\d\d$"))
        line.mend()
        expect(row).to_have_count(0, timeout=10_000)
        assert verbs(world) == ["present"]

    def test_a_running_clock_of_a_twin_says_so_and_its_digits_are_no_smaller(self, floor, tablet) -> None:
        world = floor("stage")
        world.twins = {1}
        world.changed()
        page = tablet(**ANITA)
        rows = page.locator(".clocks article")
        row = rows.filter(has=page.locator(".digits.twin"))
        expect(row.locator("p.twin")).to_have_text("Same name as somebody else: look at the digits.")
        expect(row.locator("p.twin")).to_be_visible()
        expect(rows.nth(1).locator("p.twin")).to_be_hidden()
        sizes = [row.locator(name).evaluate("node => getComputedStyle(node).fontSize") for name in (".nm", ".digits")]
        assert sizes[0] == sizes[1]


class TestReview:
    def test_two_people_and_a_reason_decide_and_again_is_the_default(self, floor, tablet) -> None:
        world = floor("nothing")
        ordinal = review(world)
        world.changed()
        page = tablet(**ANITA)
        row = page.locator(".reviews article")
        expect(row).to_contain_text("No tablet of the stage was heard when the time ran out.")
        row.get_by_role("button", name="Decide").click()
        dialog = page.get_by_role("dialog", name="Was Sipho N. \u00b7\u00b7\u00b74417 here in time?")
        expect(dialog.get_by_label("Announce again")).to_be_checked()
        dialog.get_by_role("button", name="Record decision").click()
        expect(dialog.locator(".fault:visible")).to_have_text(
            [
                "Ask a colleague to type their own number.",
                "They type their PIN or password, too.",
                "Write the reason.",
            ]
        )
        second_types(dialog, "anita")
        dialog.get_by_label("Reason").fill("The tablet lay dark")
        dialog.get_by_role("button", name="Record decision").click()
        expect(dialog.locator("#review-second-fault")).to_have_text(
            "The second person must be somebody else. Ask a colleague."
        )
        second_types(dialog, "naledi", WRONG_PIN)
        dialog.get_by_role("button", name="Record decision").click()
        expect(dialog.locator("#review-second-secret-fault")).to_contain_text("is not right")
        expect(dialog.locator("#review-second-secret")).to_have_value("")
        second_types(dialog, "naledi")
        dialog.get_by_role("button", name="Record decision").click()
        expect(dialog).to_be_hidden()
        expect(page.locator(".call .label")).to_have_text("Read this out again: two people ordered it")
        assert world.reviewed[-1] == {
            "draw": "silverstar/playtime/2023-10-07/bonus-jackpot-1",
            "ordinal": ordinal,
            "decision": "again",
            "by": "naledi",
            "second": "anita",
            "reason": "The tablet lay dark",
        }

    def test_present_and_absent_can_be_chosen(self, floor, tablet) -> None:
        world = floor("nothing")
        review(world)
        world.changed()
        page = tablet(**ANITA)
        page.get_by_role("button", name="Decide").click()
        page.get_by_label("Present in time").check()
        second_types(page.get_by_role("dialog"), "naledi")
        page.get_by_label("Reason").fill("Both saw the guest")
        page.get_by_role("button", name="Record decision").click()
        expect(page.locator(".reviews article")).to_have_count(0)
        assert world.reviewed[-1]["decision"] == "present"


class TestHeard:
    def beats(self, world: Floor, page: Page, ms: int) -> int:
        before = world.heard
        page.wait_for_timeout(ms)
        return world.heard - before

    def test_a_stage_that_is_seen_is_heard_every_two_seconds(self, floor, tablet) -> None:
        world = floor("stage")
        page = tablet(**ANITA)
        # Counted from the first: how long the browser took to open the page is not asked here.
        for _ in range(100):
            if self.beats(world, page, 200):
                break
        assert 2 <= self.beats(world, page, 3 * HEARD_MS + 300) <= 4

    def test_it_is_not_heard_while_it_cannot_work(self, floor, tablet, line) -> None:
        world = floor("stage")
        page = tablet(**ANITA)
        page.evaluate("Object.defineProperty(document, 'visibilityState', { get: () => window.seen ?? 'hidden' })")
        assert self.beats(world, page, 2 * HEARD_MS + 300) == 0
        page.evaluate("window.seen = 'visible'")
        assert self.beats(world, page, 2 * HEARD_MS + 300) >= 1
        line.cut()
        expect(page.locator(".lost")).to_be_visible(timeout=8_000)
        assert self.beats(world, page, 2 * HEARD_MS) == 0


def test_a_reload_without_a_network_shows_the_running_clocks(floor, tablet, line) -> None:
    world = floor("stage")
    page = tablet(**ANITA)
    kept(page)
    line.cut()
    page.reload()
    expect(page.locator(".clocks article")).to_have_count(3)
    expect(page.locator(".lost")).to_be_visible(timeout=8_000)
    shown = int(page.locator(".clocks .ring b").nth(1).inner_text())
    assert abs(shown - (world.claims[2].deadline_at - world.clock.now()) / 1000) <= 2


def test_everything_is_in_sight_on_both_sizes(floor, tablet) -> None:
    floor("stage-many")
    for width, height in ((1280, 800), (1024, 768)):
        page = tablet(**{**ANITA, "width": width, "height": height})
        no_overflow(page)
        assert small_targets(page) == []
        rows = page.locator(".reviews article, .clocks article")
        expect(rows).to_have_count(5)
        for row in rows.all():
            box = row.bounding_box()
            assert box["y"] + box["height"] <= height
        expect(page.get_by_role("button", name="Announced")).to_be_in_viewport()


def test_it_reflows_on_a_phone(floor, tablet) -> None:
    floor("stage-many")
    page = tablet(**{**ANITA, "width": 390, "height": 844})
    no_overflow(page)
    assert small_targets(page) == []
