"""The crew's tablet in a real browser over canned floors: the queue, the walk, the answers, the check, the envelope."""

# ruff: noqa: F811 - fixtures are named where they are used

from __future__ import annotations

import re

import pytest
from crew_scenes import Floor
from crew_tablets import (  # noqa: F401 - fixtures
    HOLD_MS,
    answer,
    claim_of,
    floor,
    held,
    line,
    no_overflow,
    previewed,
    small_targets,
    tablet,
    verbs,
)
from playwright.sync_api import Route, expect

SIZES = {"tablet": (1024, 768), "upright": (768, 1024), "phone": (390, 844), "narrow": (320, 640)}
EAR = """
window.notes = 0;
window.buzzed = [];
const make = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () { window.notes += 1; return make.call(this); };
navigator.vibrate = (pattern) => window.buzzed.push(pattern);
"""


def test_a_tablet_is_whose_is_signed_in(floor, tablet) -> None:
    floor("queue")
    page = tablet(who="johan")
    page.get_by_role("button", name="Johan Brits").click()
    menu = page.get_by_role("dialog", name="Johan Brits")
    expect(menu).to_contain_text("Promotions crew")
    expect(menu.get_by_role("button", name="Sign out")).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()


def test_letters_of_a_scanner_are_not_lost_while_a_press_is_under_way(floor, tablet) -> None:
    """The check is done, its answer on the way: whatever is scanned now goes into the field, and is sent afterwards."""
    world = floor("found")
    page = tablet()
    claim_of(page)
    held: list[Route] = []

    def late(route: Route) -> None:
        if route.request.post_data_json["verb"] == "check":
            route.fetch()  # the server has it, and its message comes before its answer
            held.append(route)
        else:
            route.continue_()

    page.route("**/presses", late)
    for box in page.locator(".checks input").all():
        box.check()
    page.get_by_label("South African ID").check()
    page.get_by_role("button", name="All is right").click()
    expect(page.locator(".claim-view h1")).to_have_text("Let the guest pick an envelope")
    pocket = page.locator(".offer button").nth(1).inner_text()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.type(pocket)
    page.keyboard.press("Enter")
    expect(page.locator("#pocket")).to_have_value(pocket)
    page.wait_for_timeout(200)
    assert verbs(world)[-1] == "check"
    held[0].fulfill(json={"ok": True, "at": world.clock.now(), "stage": "checked"})
    expect(page.locator(".claim-view h1")).to_have_text(f"Pocket {pocket}: open the envelope")
    assert world.pressed[-1]["pocket"] == pocket


def test_a_scanners_enter_is_not_for_the_button_that_has_the_focus(floor, tablet) -> None:
    world = floor("checked")
    page = tablet()
    claim_of(page)
    pocket = page.locator(".offer button").nth(2).inner_text()
    page.locator(".wont button").focus()
    page.keyboard.type(pocket)
    page.keyboard.press("Enter")
    expect(page.locator(".claim-view h1")).to_have_text(f"Pocket {pocket}: open the envelope")
    assert world.pressed[-1]["pocket"] == pocket


class TestQueue:
    def test_the_free_one_stands_large_and_without_a_name(self, floor, tablet) -> None:
        floor("queue")
        page = tablet()
        new = page.locator(".new")
        expect(new).to_have_count(1)
        expect(new.locator(".pos")).to_have_text("S-0731")
        expect(new).to_contain_text("Smoking floor, bank SM07")
        expect(new.locator(".label")).to_have_text(re.compile(r"New, 1\d\u00a0s ago\. Nobody has it\."))
        assert "Nomvula" not in page.content()
        assert float(new.locator(".pos").evaluate("node => parseFloat(getComputedStyle(node).fontSize)")) > 90

    def test_who_has_what_with_the_own_rows_barred_and_first(self, floor, tablet) -> None:
        floor("queue")
        page = tablet()
        expect(page.locator(".row .p2")).to_have_text(["S-0218", "S-1104", "BJ-03/4"])
        expect(page.locator(".row.mine")).to_have_count(1)
        own = page.locator(".row").first
        expect(own).to_contain_text("Thandi M. was not there")
        expect(own.get_by_role("button")).to_have_text(["Hand it over", "Release it"])
        expect(page.locator(".row").nth(2)).to_contain_text(re.compile(r"Ayanda N\. is walking, 4\d\u00a0s"))
        expect(page.locator(".row").nth(2).get_by_role("button")).to_have_count(0)

    def test_several_are_free_at_once_and_each_can_be_taken(self, floor, tablet) -> None:
        world = floor("several")
        page = tablet()
        expect(page.locator(".new .pos")).to_have_text(["S-0731", "S-0044", "S-0905"])
        expect(page.locator(".row .p2").first).to_have_text("S-0218")  # a guest stands at the stage
        expect(page.locator(".row").first.get_by_role("button", name="Check the guest")).to_be_visible()
        page.locator(".new").nth(2).get_by_role("button", name="Take it").click()
        expect(page.locator(".about .pos")).to_have_text("S-0905")
        assert [(press["verb"], press["ordinal"], press["by"]) for press in world.pressed] == [("take", 2, "lerato")]

    def test_when_nobody_waits_it_says_so(self, floor, tablet) -> None:
        floor("nothing")
        page = tablet()
        expect(page.locator(".none-free")).to_contain_text("Nobody waits to be found.")
        expect(page.locator(".none-taken")).to_be_visible()

    def test_a_new_selection_is_said_sounded_and_felt(self, floor, tablet) -> None:
        world = floor("nothing")
        page = tablet(init=EAR)
        sound = page.locator(".bar .sound")
        expect(sound).to_have_text("Allow sound")
        sound.click()
        expect(sound).to_have_text("Sound on")
        page.evaluate("window.notes = 0")
        world.add("S-0731")
        world.changed()
        expect(page.get_by_role("alert")).to_have_text("New selection: S-0731, Smoking floor, bank SM07.")
        expect(page).to_have_title(re.compile(r"^\(1\)"))
        assert page.evaluate("window.notes") == 4
        assert page.evaluate("window.buzzed.length") == 1
        # The same news again is no news; and sound can be turned off.
        sound.click()
        world.add("S-0044")
        world.changed()
        expect(page.get_by_role("alert")).to_have_text("New selection: S-0044, Smoking floor, bank SM01.")
        assert page.evaluate("[window.notes, window.buzzed.length]") == [4, 2]

    def test_hand_over_and_release(self, floor, tablet) -> None:
        world = floor("several")
        page = tablet()
        own = page.locator(".row.mine")
        own.get_by_role("button", name="Hand it over").click()
        dialog = page.get_by_role("dialog", name="Hand over S-1104 to")
        expect(dialog.get_by_role("listitem")).to_contain_text(["Johan Brits", "Ayanda Nkosi", "Naledi Khumalo"])
        dialog.get_by_role("button", name="Ayanda Nkosi").click()
        expect(page.locator(".row.mine")).to_have_count(0)
        expect(page.locator(".row", has_text="S-1104")).to_contain_text("Ayanda N.")
        assert world.pressed[-1]["to"] == "ayanda"
        world = floor("machine")
        page.locator(".row.mine").get_by_role("button", name="Release it").click()
        expect(page.locator(".new .pos")).to_have_text("S-0731")
        assert verbs(world) == ["release"]

    def test_what_was_released_later_on_can_be_taken_as_it_stands(self, floor, tablet) -> None:
        world = floor("nothing")
        world.add("S-0731", "found")
        world.add("S-1104", "announced", left=50_000)
        page = tablet()
        expect(page.locator(".new .label")).to_have_text("Found at the machine, then released. Nobody has it.")
        page.locator(".row").get_by_role("button", name="Take it").click()
        expect(page.locator(".claim-view h1")).to_have_text("Pieter W. has been called to the Promotions Stage")
        assert [press["ordinal"] for press in world.pressed] == [1]


class TestAtTheMachine:
    def test_after_taking_it_the_guest_is_known(self, floor, tablet) -> None:
        floor("queue")
        page = tablet()
        page.get_by_role("button", name="Take it").click()
        expect(page.locator(".claim-view h1")).to_have_text("Who is at S-0731?")
        expect(page.locator(".about")).to_contain_text("Nomvula Dlamini")
        expect(page.locator(".about")).to_contain_text("ends 5520")
        expect(page.locator(".toast")).to_contain_text("Your last press (Take it, S-0731) reached the server at 14:")

    def test_the_three_answers_weigh_the_same(self, floor, tablet) -> None:
        floor("machine")
        page = tablet()
        claim_of(page)
        buttons = page.locator(".answers .decide")
        expect(buttons).to_contain_text(["On own card", "Not here", "Someone else on this card"])
        sizes = [button.bounding_box() for button in buttons.all()]
        assert len({(round(box["width"]), round(box["height"])) for box in sizes if box}) == 1
        fonts = {button.locator("b").evaluate("node => getComputedStyle(node).fontSize") for button in buttons.all()}
        assert len(fonts) == 1
        expect(buttons.nth(2)).to_contain_text("The guest loses this prize. It cannot be undone.")

    def test_a_press_that_is_not_held_does_nothing(self, floor, tablet) -> None:
        world = floor("machine")
        page = tablet()
        claim_of(page)
        button = answer(page, "Someone else")
        held(page, button, HOLD_MS // 2)
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert button.evaluate("node => node.style.getPropertyValue('--held')") == "0"
        page.wait_for_timeout(HOLD_MS)
        assert world.pressed == []

    def test_held_it_fills_in_ten_steps_and_counts(self, floor, tablet) -> None:
        world = floor("machine")
        page = tablet()
        claim_of(page)
        button = answer(page, "Someone else")
        button.evaluate(
            """node => { window.steps = new Set();
                 new MutationObserver(() => window.steps.add(node.style.getPropertyValue("--held")))
                   .observe(node, { attributes: true, attributeFilter: ["style"] }); }"""
        )
        held(page, button, HOLD_MS + 250)
        expect(page.locator(".queue")).to_be_visible()
        assert verbs(world) == ["other_person"]
        assert page.evaluate("[...window.steps].sort()") == ["0", *(f"0.{n}" for n in range(1, 10))]

    def test_a_finger_that_slides_off_means_no(self, floor, tablet) -> None:
        world = floor("machine")
        page = tablet()
        claim_of(page)
        box = answer(page, "Someone else").bounding_box()
        page.mouse.move(box["x"] + 200, box["y"] + 60)
        page.mouse.down()
        page.wait_for_timeout(300)
        page.mouse.move(box["x"] + 200, box["y"] - 40)
        page.wait_for_timeout(HOLD_MS)
        page.mouse.up()
        assert world.pressed == []

    @pytest.mark.parametrize("key", ["Enter", "Space"])
    def test_a_keyboard_is_asked_once_more_with_the_way_back_in_focus(self, floor, tablet, key) -> None:
        world = floor("machine")
        page = tablet()
        claim_of(page)
        button = answer(page, "Someone else")
        button.focus()
        page.keyboard.press(key)
        dialog = page.get_by_role("dialog", name="Someone else plays on the card at S-0731?")
        expect(dialog.get_by_role("button", name="Go back")).to_be_focused()
        page.keyboard.press("Enter")
        expect(dialog).to_be_hidden()
        assert world.pressed == []
        button.focus()
        page.keyboard.press(key)
        dialog.get_by_role("button", name="Someone else on this card").click()
        expect(page.locator(".queue")).to_be_visible()
        assert verbs(world) == ["other_person"]

    def test_not_here_goes_to_the_stage(self, floor, tablet) -> None:
        world = floor("machine")
        page = tablet()
        claim_of(page)
        answer(page, "Not here").click()
        expect(page.locator(".row.mine")).to_contain_text("To be called")
        assert verbs(world) == ["not_there"]
        world.press({"id": "stage", "verb": "announce", "ordinal": 0, "by": "anita"})
        expect(page.locator(".row.mine .ring")).to_be_visible()
        expect(page.locator(".row.mine .ring b")).to_have_text(re.compile(r"^(90|89)$"))
        world.press({"id": "stage2", "verb": "present", "ordinal": 0, "by": "anita"})
        page.get_by_role("button", name="Check the guest").click()
        expect(page.get_by_label("The guest came to the Promotions Stage")).to_be_visible()

    def test_where_the_book_announces_nothing_is_said_of_a_lost_prize(self, floor, tablet) -> None:
        world = floor("machine")
        world.claims[0] = type(world.claims[0])(**{**vars_of(world.claims[0]), "other_loses": False})
        world.changed()
        page = tablet()
        claim_of(page)
        expect(answer(page, "Someone else")).to_contain_text("The card\u2019s guest is called at the stage.")
        expect(page.locator(".answers")).not_to_contain_text("loses")


def vars_of(made: object) -> dict[str, object]:
    return {name: getattr(made, name) for name in made.__slots__}  # type: ignore[attr-defined]


class TestMap:
    def test_the_target_is_marked_and_the_walk_goes_round_the_banks(self, floor, tablet) -> None:
        floor("machine")
        page = tablet()
        claim_of(page)
        plan = page.locator(".plan")
        expect(plan.locator(".own")).to_have_count(1)
        expect(plan.locator(".own title")).to_have_text("SM07")
        expect(plan.locator(".goal")).to_have_count(1)
        expect(plan.locator(".walk")).to_have_count(0)  # nobody has said where they are
        page.get_by_label("You stand at").select_option("SMOKING/SM-PIT1")
        expect(plan.locator(".walk")).to_have_count(1)
        expect(plan).to_have_attribute("aria-label", re.compile("from where you are to Smoking floor, bank SM07"))
        crossed = plan.evaluate(
            """svg => {
              const walk = svg.querySelector(".walk"), long = walk.getTotalLength(), hit = [];
              const banks = [...svg.querySelectorAll(".bank:not(.own)")].map((node) => node.getBBox());
              for (let at = 12; at < long; at += 1) {
                const { x, y } = walk.getPointAtLength(at);
                const inside = (b) => x > b.x + 1 && x < b.x + b.width - 1 && y > b.y + 1 && y < b.y + b.height - 1;
                hit.push(...banks.filter(inside));
              }
              return hit.length; }"""
        )
        assert crossed == 0

    def test_a_press_at_a_machine_says_where_the_tablet_is(self, floor, tablet) -> None:
        world = floor("machine")
        page = tablet()
        claim_of(page)
        answer(page, "Not here").click()
        expect(page.locator(".queue")).to_be_visible()
        other = world.add("S-0044", "taken", by="lerato")
        world.changed()
        page.locator(".row", has_text="S-0044").get_by_role("button", name="Go on").click()
        assert other == 2
        expect(page.locator(".plan .walk")).to_have_count(1)

    def test_a_list_without_coordinates_still_says_where(self, floor, tablet) -> None:
        world = floor("nothing")
        world.has_map = False
        world.add("S-0731", "taken", by="lerato")
        world.changed()
        page = tablet()
        claim_of(page)
        expect(page.locator(".map")).to_contain_text("The positions list draws no map.")
        expect(page.locator(".map")).to_contain_text("Smoking floor, bank SM07")


class TestElsewhere:
    def test_a_claim_that_is_handed_on_says_whose_it_is(self, floor, tablet) -> None:
        world = floor("machine")
        page = tablet()
        claim_of(page)
        world.press({"id": "x", "verb": "hand_over", "ordinal": 0, "by": "naledi", "to": "ayanda"})
        expect(page.locator(".claim-view h1")).to_have_text("S-0731 is not yours now")
        expect(page.locator(".outcome")).to_contain_text("Ayanda N.")

    def test_a_claim_that_ends_elsewhere_says_how(self, floor, tablet) -> None:
        world = floor("machine")
        page = tablet()
        claim_of(page)
        world.press({"id": "x", "verb": "void", "ordinal": 0, "by": "naledi"})
        expect(page.locator(".claim-view h1")).to_have_text("S-0731 is over")
        expect(page.locator(".outcome")).to_contain_text("Ended: voided.")

    def test_in_a_claim_one_hears_of_the_next_selection(self, floor, tablet) -> None:
        world = floor("machine")
        page = tablet()
        claim_of(page)
        world.add("S-0044")
        world.changed()
        news = page.locator(".news")
        expect(news).to_have_text("New selection: S-0044, Smoking floor, bank SM01. See the queue.")
        news.click()
        expect(page.locator(".queue .new")).to_be_visible()

    def test_a_reload_comes_back_to_the_claim(self, floor, tablet) -> None:
        floor("found")
        page = tablet()
        claim_of(page)
        page.reload()
        expect(page.locator(".claim-view h1")).to_have_text("Check Nomvula Dlamini")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scene", ["queue", "several", "machine", "found", "checked", "envelope", "announced"])
def test_it_fits_and_can_be_hit(floor, tablet, scene: str, size: str) -> None:
    floor(scene)
    width, height = SIZES[size]
    page = tablet(width=width, height=height)
    if scene not in {"queue", "several"}:
        claim_of(page)
    no_overflow(page)
    assert small_targets(page) == []


def test_the_floor_stand_in_goes_by_the_engines_table() -> None:
    """What these tests show is what the engine allows: every stage they use is one of its own."""
    from draw_engine.claim_moves import RUNNING  # noqa: PLC0415 - the page's tests need no engine otherwise

    assert {"selected", "taken", "found", "not_there", "announced", "presented", "checked", "envelope"} <= set(RUNNING)
    assert Floor.__doc__
