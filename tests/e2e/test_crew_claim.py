"""A claim on the crew's tablet over canned floors: the check, the pocket, the amount, the signature."""

# ruff: noqa: F811 - fixtures are named where they are used

from __future__ import annotations

import pytest
from crew_tablets import HOLD_MS, answer, claim_of, floor, held, line, previewed, tablet, verbs  # noqa: F401 - fixtures
from playwright.sync_api import Page, expect


class TestCheck:
    def test_all_of_it_is_asked_for(self, floor, tablet) -> None:
        world = floor("found")
        page = tablet()
        claim_of(page)
        right = page.get_by_role("button", name="All is right")
        expect(page.locator(".missing")).to_have_text("4 checks are still open.")
        right.click(force=True)
        for words in ("The guest is Nomvula Dlamini", "The card shown ends 5520", "The guest plays at S-0731"):
            page.get_by_label(words).check()
        expect(page.locator(".missing")).to_have_text("1 check is still open.")
        page.get_by_label("The card is the guest\u2019s own").check()
        expect(page.locator(".missing")).to_have_text("Say what the guest was identified by.")
        right.click(force=True)
        assert world.pressed == []
        page.get_by_label("Passport").check()
        right.click()
        expect(page.locator(".claim-view h1")).to_have_text("Let the guest pick an envelope")
        (press,) = world.pressed
        assert (press["checks"], press["identification"]) == (["name", "card", "device", "owner"], "passport")

    def test_at_the_stage_any_crew_member_checks(self, floor, tablet) -> None:
        world = floor("presented")  # it was Johan's
        page = tablet()
        page.get_by_role("button", name="Check the guest").click()
        for box in page.locator(".checks input").all():
            box.check()
        page.get_by_label("Patron Manager").check()
        page.get_by_role("button", name="All is right").click()
        expect(page.locator(".claim-view h1")).to_have_text("Let the guest pick an envelope")
        assert world.pressed[0]["checks"] == ["name", "card", "stage", "owner"]

    @pytest.mark.parametrize(("words", "reason"), [("Card does not match", "card"), ("Not the card", "owner")])
    def test_what_does_not_match_is_held(self, floor, tablet, words, reason) -> None:
        world = floor("found")
        page = tablet(height=900)
        claim_of(page)
        held(page, answer(page, words), 300)
        assert world.pressed == []
        held(page, answer(page, words), HOLD_MS + 250)
        expect(page.locator(".queue")).to_be_visible()
        assert [(press["verb"], press["reason"]) for press in world.pressed] == [("mismatch", reason)]

    def test_an_exclusion_found_at_the_check_says_do_not_pay(self, floor, tablet) -> None:
        world = floor("found")
        carried_out = world._carried_out

        def excluded(said):
            status, told = carried_out({**said, "verb": "rule_out"})
            return status, told | {"code": "SS_SELF_EXCLUDED", "sentence": "An exclusion is in force: call a manager."}

        world._carried_out = excluded
        page = tablet()
        claim_of(page)
        for box in page.locator(".checks input").all():
            box.check()
        page.get_by_label("South African ID").check()
        page.get_by_role("button", name="All is right").click()
        expect(page.locator(".claim-view h1")).to_have_text("Do not pay")
        expect(page.locator(".outcome")).to_contain_text("An exclusion is in force: call a manager. SS_SELF_EXCLUDED")


class TestEnvelope:
    def test_a_scanner_types_the_pocket_wherever_the_focus_is(self, floor, tablet) -> None:
        world = floor("checked")
        page = tablet()
        claim_of(page)
        page.evaluate("document.activeElement.blur()")
        page.keyboard.type("E-0042")
        page.keyboard.press("Enter")
        expect(page.locator(".claim-view h1")).to_have_text("Pocket E-0042: open the envelope")
        assert world.pressed[0]["pocket"] == "E-0042"

    def test_pockets_left_are_offered_and_others_are_not_sent(self, floor, tablet) -> None:
        world = floor("checked")
        page = tablet()
        claim_of(page)
        expect(page.locator(".hint")).to_have_text("35 pockets are left in the tray.")
        field = page.get_by_label("Pocket", exact=True)
        field.fill("77")
        field.press("Enter")
        expect(page.locator(".fault")).to_contain_text("Pocket E-0077 is not in the tray.")
        field.fill("004")
        expect(page.locator(".offer button")).to_have_text([f"E-004{n}" for n in range(8)])
        assert world.pressed == []
        page.locator(".offer button").nth(3).click()
        expect(page.locator(".claim-view h1")).to_have_text("Pocket E-0043: open the envelope")

    def test_the_amount_is_held_to_the_rule(self, floor, tablet) -> None:
        floor("envelope")
        page = tablet()
        claim_of(page)
        amount, fault = page.get_by_label("Amount in whole rand"), page.locator(".fault")
        expect(page.locator(".hint")).to_have_text("An envelope holds R\u00a0500 to R\u00a01\u00a0000.")
        for typed, said in (
            ("", "Type whole rand in figures, as 850."),
            ("850.50", "Type whole rand in figures, as 850."),
            ("499", "R\u00a0499 is outside R\u00a0500 to R\u00a01\u00a0000. Count it again."),
            ("1001", "R\u00a01\u00a0001 is outside R\u00a0500 to R\u00a01\u00a0000. Count it again."),
            ("500", "Say that the envelope was opened in front of the guest."),
        ):
            amount.fill(typed)
            amount.press("Enter")
            expect(fault).to_have_text(said)
        page.get_by_label("Opened in front of the guest").check()
        amount.fill("1 000")
        expect(page.locator(".sum")).to_have_text("R\u00a01\u00a0000")
        amount.press("Enter")
        expect(page.locator(".claim-view h1")).to_have_text(
            "Sign here: \u201cI received R\u00a01\u00a0000 in cash.\u201d"
        )

    def signing(self, page: Page) -> None:
        claim_of(page)
        page.get_by_label("Opened in front of the guest").check()
        page.get_by_label("Amount in whole rand").fill("850")
        page.get_by_role("button", name="Go to the signature").click()
        expect(page.locator(".about .sum")).to_have_text("R\u00a0850")

    def sign(self, page: Page) -> None:
        box = page.locator(".sign").bounding_box()
        page.mouse.move(box["x"] + 60, box["y"] + 100)
        page.mouse.down()
        for n in range(20):
            page.mouse.move(box["x"] + 60 + 8 * n, box["y"] + 100 + (-1) ** n * 20)
        page.mouse.up()

    def test_the_guest_signs_and_the_slip_prints(self, floor, tablet) -> None:
        world = floor("envelope")
        page = tablet()
        self.signing(page)
        slip = page.get_by_role("button", name="Print slip")
        slip.click(force=True)
        expect(page.locator(".missing")).to_have_text("The guest signs first.")
        assert world.pressed == []
        self.sign(page)
        expect(slip).to_have_attribute("aria-disabled", "false")
        page.get_by_role("button", name="Clear signature").click()
        expect(slip).to_have_attribute("aria-disabled", "true")
        self.sign(page)
        slip.click()
        expect(page.locator(".claim-view h1")).to_have_text("Confirmed winner")
        (press,) = world.pressed
        assert press["amount"] == 85_000
        signature = press["signature"]
        assert signature["width"] > 300
        assert signature["height"] > 200
        (stroke,) = signature["strokes"]
        assert len(stroke) >= 10
        assert all(isinstance(value, int) for point in stroke for value in point)
        assert 60 <= stroke[0][0] <= 62 or 50 <= stroke[0][0] <= 70
        page.get_by_role("button", name="Back to queue").last.click()
        expect(page.locator(".queue")).to_be_visible()

    def test_a_turned_tablet_keeps_what_was_signed(self, floor, tablet) -> None:
        floor("envelope")
        page = tablet()
        self.signing(page)
        self.sign(page)
        page.set_viewport_size({"width": 768, "height": 1024})
        page.wait_for_timeout(200)
        expect(page.get_by_role("button", name="Print slip")).to_have_attribute("aria-disabled", "false")
        dark = page.locator(".sign canvas").evaluate(
            """node => node.getContext("2d").getImageData(0, 0, node.width, node.height).data
                 .filter((value, n) => n % 4 === 3 && value > 0).length"""
        )
        assert dark > 100

    def test_a_page_that_moves_in_the_middle_of_a_stroke_loses_nothing_of_it(self, floor, tablet) -> None:
        floor("envelope")
        page = tablet()
        self.signing(page)
        box = page.locator(".sign").bounding_box()
        page.mouse.move(box["x"] + 60, box["y"] + 100)
        page.mouse.down()
        page.mouse.move(box["x"] + 70, box["y"] + 110)
        page.set_viewport_size({"width": 1000, "height": 700})
        page.wait_for_timeout(200)
        for n in range(20):
            page.mouse.move(box["x"] + 70 + 8 * n, box["y"] + 100 + (-1) ** n * 20)
        page.mouse.up()
        expect(page.get_by_role("button", name="Print slip")).to_have_attribute("aria-disabled", "false")

    @pytest.mark.parametrize("scene", ["checked", "envelope"])
    def test_a_guest_who_will_not_sign_is_recorded_after_one_more_question(self, floor, tablet, scene) -> None:
        world = floor(scene)
        page = tablet()
        claim_of(page)
        page.locator(".wont button").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("button", name="Go back")).to_be_focused()
        page.keyboard.press("Escape")
        assert world.pressed == []
        page.locator(".wont button").click()
        dialog.get_by_role("button", name="Record it").click()
        expect(page.locator(".claim-view h1")).to_have_text("Recorded: the guest did not sign")
        assert verbs(world) == ["refuse"]
