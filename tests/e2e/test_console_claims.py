"""The console's claims in a browser: reviews and voids by two people, what has ended, the desk and the printers."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import console_scenes as scenes
import pytest
from console_page import console_opener, decide
from page_signing import PIN
from playwright.sync_api import expect


@pytest.fixture
def console(opened, preview):
    return console_opener(opened, preview)


@pytest.fixture
def decided(console):
    """Open the console; what two people decide about a claim is answered here and noted."""

    def opens(scene=scenes.console_review, answer=None, **more):
        page = console(scene, **more)
        noted = []

        def take(route):
            noted.append((route.request.url.rpartition("/claims/")[2], route.request.post_data_json))
            told = answer or {"ok": True, "stage": "not_there"}
            route.fulfill(json=told)

        page.route("**/claims/*", take)
        return page, noted

    return opens


class TestReview:
    def test_a_claim_that_waits_for_two_people_stands_above_the_others(self, console):
        page = console(scenes.console_review)
        card = page.locator(".reviews .reason")
        expect(card).to_have_count(1)
        expect(card).to_contain_text("Thandi Mokoena ···1001, award 11")
        expect(card).to_contain_text("No tablet of the stage was heard when the time ran out at 14:41:58.")
        expect(card.locator(".mark-late")).to_be_visible()
        row = page.locator(".running tbody tr").nth(1)
        expect(row).to_contain_text("Waits for two people")
        # While it waits it is decided, not voided.
        expect(row.get_by_role("button")).to_have_count(0)

    def test_announcing_again_is_what_is_done_unless_they_say_otherwise(self, decided):
        page, noted = decided()
        page.get_by_role("button", name="Decide").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Was Thandi Mokoena ···1001 there in time?")
        expect(dialog.get_by_role("radio")).to_have_count(3)
        expect(dialog.get_by_role("radio", name="Announce again")).to_be_checked()
        decide(page, "ruan", "The tablet's battery was flat")
        dialog.get_by_role("button", name="Record decision").click()
        expect(dialog).to_be_hidden()
        said = {"second": "ruan", "second_secret": PIN, "reason": "The tablet's battery was flat"}
        assert noted == [("review", said | {"draw": scenes.DRAW, "ordinal": 15, "decision": "again"})]

    @pytest.mark.parametrize(("label", "decision"), [("was there in time", "present"), ("was not there", "absent")])
    def test_they_attest_what_they_saw(self, decided, label, decision):
        page, noted = decided()
        page.get_by_role("button", name="Decide").click()
        page.get_by_role("radio", name=label).check()
        decide(page, "ruan", "Both of us stood at the stage")
        page.get_by_role("button", name="Record decision").click()
        expect(page.get_by_role("dialog")).to_be_hidden()
        assert [body["decision"] for _, body in noted] == [decision]

    def test_a_refusal_keeps_the_answer_and_the_reason(self, decided):
        sentence = "Claim c15 has presented in time; it cannot be announced again from there."
        page, _ = decided(answer={"code": "X_CLAIM_STATE", "sentence": sentence})
        page.get_by_role("button", name="Decide").click()
        page.get_by_role("radio", name="was not there").check()
        decide(page, "ruan", "Nobody came")
        page.get_by_role("button", name="Record decision").click()
        expect(page.get_by_role("alert")).to_contain_text(sentence)
        expect(page.get_by_role("radio", name="was not there")).to_be_checked()
        expect(page.get_by_label("Reason")).to_have_value("Nobody came")

    def test_by_keyboard_alone(self, decided):
        page, noted = decided()
        page.get_by_role("button", name="Decide").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("radio", name="Announce again")).to_be_focused()
        page.keyboard.press("ArrowDown")
        expect(page.get_by_role("radio", name="was there in time")).to_be_checked()
        for key in ("Tab", "n", "Tab", "r", "Tab"):
            page.keyboard.press(key)
        page.keyboard.type("Seen by both")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_be_hidden()
        assert [body["decision"] for _, body in noted] == ["present"]

    def test_the_next_dialog_asks_nothing_of_the_last(self, decided, preview):
        page, _ = decided()
        page.get_by_role("button", name="Decide").click()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Suspend session").click()
        expect(page.get_by_role("radio")).to_have_count(0)
        decide(page, "ruan", "A burst pipe")
        page.get_by_role("dialog").get_by_role("button", name="Suspend session").click()
        expect(page.get_by_role("dialog")).to_be_hidden()
        body = {"by": "naledi", "second": "ruan", "reason": "A burst pipe"}
        assert preview.posted == [("session/suspend", body)]


class TestExchange:
    def drawn(self, now):
        """The claim of award 13 has its envelope."""
        first, *others = scenes.console(now).claims[::-1]
        says = {"state_sentence": "Envelope drawn: amount and signature next", "acts": ("exchange", "void")}
        return replace(scenes.console(now), claims=(*others[::-1], replace(first, **says)))

    def test_two_people_exchange_the_envelope_with_a_reason(self, decided):
        page, noted = decided(self.drawn, answer={"ok": True, "stage": "checked"})
        button = page.get_by_role("button", name="Exchange the envelope of award")
        expect(button).to_have_count(1)
        expect(button).to_have_text("Exchange envelope")
        claim = self.drawn(0).claims[-1]
        button.click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text(f"Exchange the envelope of award {claim.award}, {claim.guest}")
        expect(dialog).to_contain_text("The envelope goes back to the cash desk. The guest picks another one.")
        expect(dialog.get_by_role("radio")).to_have_count(0)
        dialog.get_by_role("button", name="Exchange envelope").click()
        assert noted == []
        decide(page, "ruan", "The envelope was torn")
        dialog.get_by_role("button", name="Exchange envelope").click()
        expect(dialog).to_be_hidden()
        said = {"second": "ruan", "second_secret": PIN, "reason": "The envelope was torn"}
        assert noted == [("exchange", said | {"draw": scenes.DRAW, "ordinal": claim.ordinal})]

    def test_a_refusal_is_said_and_the_reason_stays(self, decided):
        sentence = "Claim c17 has been paid; its envelope cannot be exchanged."
        page, _ = decided(self.drawn, answer={"code": "X_CLAIM_STATE", "sentence": sentence})
        page.get_by_role("button", name="Exchange the envelope of award").click()
        decide(page, "ruan", "The envelope was torn")
        page.get_by_role("dialog").get_by_role("button", name="Exchange envelope").click()
        expect(page.get_by_role("alert")).to_contain_text(sentence)
        expect(page.get_by_label("Reason")).to_have_value("The envelope was torn")

    def test_whoever_only_looks_has_no_such_button(self, decided):
        page, _ = decided(lambda now: replace(self.drawn(now), may_act=False))
        expect(page.locator(".running tbody tr").last).to_contain_text("Envelope drawn")
        expect(page.locator(".running").get_by_role("button")).to_have_count(0)


class TestVoid:
    def test_a_running_claim_is_voided_and_the_award_left_unfilled_unless_ordered(self, decided):
        page, noted = decided(scenes.console)
        page.get_by_role("button", name="Void award 11, Thandi Mokoena ···1001").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("radio", name="Leave it unfilled")).to_be_checked()
        decide(page, "ruan", "The machine was out of order")
        dialog.get_by_role("button", name="Void claim").click()
        expect(dialog).to_be_hidden()
        said = {"second": "ruan", "second_secret": PIN, "reason": "The machine was out of order"}
        assert noted == [("void", said | {"draw": scenes.DRAW, "ordinal": 15, "reselect": False})]

    def test_a_confirmed_one_is_voided_and_selected_again(self, decided):
        page, noted = decided(scenes.console)
        page.locator(".ended").get_by_role("button", name="Void award 9, Fatima Adams ···7302").click()
        page.get_by_role("radio", name="Select again").check()
        decide(page, "ruan", "Paid to the wrong person")
        page.get_by_role("button", name="Void claim").click()
        expect(page.get_by_role("dialog")).to_be_hidden()
        assert [(act, body["ordinal"], body["reselect"]) for act, body in noted] == [("void", 13, True)]

    def test_after_the_close_nothing_can_be_selected_again(self, decided):
        def closed(now):
            ended = tuple(replace(row, acts=row.acts[:1]) for row in scenes.ended())
            return replace(scenes.console(now), claims=(), ended=ended)

        page, noted = decided(closed)
        page.locator(".ended").get_by_role("button", name="Void award 9").click()
        expect(page.get_by_role("radio")).to_have_count(0)
        decide(page, "ruan", "Paid to the wrong person")
        page.get_by_role("button", name="Void claim").click()
        expect(page.get_by_role("dialog")).to_be_hidden()
        assert [body["reselect"] for _, body in noted] == [False]

    def test_a_message_leaves_the_button_under_the_finger(self, console, preview):
        page = console()
        button = page.get_by_role("button", name="Void award 12")
        button.focus()
        preview.show_console(lambda now: replace(scenes.console(now), promotion_title="Another"))
        page.wait_for_timeout(600)
        expect(button).to_be_focused()


class TestEnded:
    def test_what_came_of_each_when_and_who(self, console):
        page = console()
        rows = page.locator(".ended tbody tr")
        expect(rows).to_have_count(5)
        expect(rows.nth(1)).to_contain_text("8 (3)")
        for words in (
            "Sipho Dube ···4417",
            "R\u00a01\u00a0000, envelope E-0016",
            "39\u00a0s left",
            "14:31:44",
            "Johan B.",
        ):
            expect(rows.nth(1)).to_contain_text(words)
        expect(rows.nth(2)).to_contain_text("Nobody came in time")
        expect(rows.nth(2).get_by_role("button")).to_have_count(0)

    def test_the_list_is_narrowed_by_outcome_and_by_crew_and_stays_so(self, console, preview):
        page = console()
        rows = page.locator(".ended tbody tr")
        page.get_by_label("Outcome shown").select_option("Confirmed")
        expect(rows).to_have_count(2)
        page.get_by_label("Crew shown").select_option("Johan B.")
        expect(rows).to_have_count(1)
        preview.show_console(lambda now: replace(scenes.console(now), promotion_title="Another"))
        page.wait_for_timeout(600)
        expect(rows).to_have_count(1)
        page.get_by_label("Outcome shown").select_option("Wrong person on the card")
        expect(page.locator(".ended .none")).to_have_text("No claim matches.")

    def test_an_auditor_sees_them_and_voids_nothing(self, console):
        page = console(lambda now: replace(scenes.console(now), may_act=False))
        expect(page.locator(".ended tbody tr")).to_have_count(5)
        expect(page.locator("main").get_by_role("button")).to_have_text(["Save as CSV"])

    def test_what_is_shown_is_saved_as_a_file(self, console):
        evil = '=HYPERLINK("x")'
        page = console(
            lambda now: replace(scenes.console(now), ended=tuple(replace(row, crew=evil) for row in scenes.ended()[:2]))
        )
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save as CSV").click()
        lines = list(csv.DictReader(io.StringIO(saved.value.path().read_text(encoding="utf-8-sig"))))
        assert saved.value.suggested_filename == "claims-silverstar_playtime_2023-10-07_bonus-jackpot-1.csv"
        assert [(line["award"], line["guest"], line["presented"]) for line in lines] == [
            ("9", "Fatima Adams ···7302", ""),
            ("8", "Sipho Dube ···4417", "39\u00a0s left"),
        ]
        assert {line["crew"] for line in lines} == {f"'{evil}"}


class TestHouse:
    def test_the_register_the_prizes_and_the_trays_lead_to_the_desk(self, console):
        page = console()
        link = page.get_by_role("link", name="1 prize waits for its guest.")
        expect(link).to_have_attribute("href", "/desk#held")
        slip = page.locator(".printers .bad")
        expect(slip).to_contain_text("1 slip waits for a person: did it come out?")
        expect(slip.locator(".mark-late")).to_be_visible()
        expect(page.locator(".printers .warn")).to_contain_text("The paper is nearly finished.")

    def test_who_has_a_claim_and_for_how_long(self, console):
        page = console()
        cell = page.locator(".running tbody tr").nth(2).locator("td").nth(4)
        expect(cell).to_contain_text("Ayanda N., 4")
        expect(page.locator(".running tbody tr").nth(3).locator("td").nth(4)).to_contain_text("Nobody, 1")
