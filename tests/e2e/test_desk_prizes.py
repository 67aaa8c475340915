"""Held prizes, envelopes and slips at the desk in a browser."""

from __future__ import annotations

import desk_scenes as scenes
import pytest
from desk_page import desk, draw_on_glass, line, previewed
from page_signing import WRONG_PIN, second_types
from playwright.sync_api import expect

__all__ = ["desk", "line", "previewed"]


@pytest.fixture
def preview(previewed):
    return previewed


class TestHeld:
    def test_each_says_until_when_where_it_lies_and_what_is_to_be_done(self, desk):
        page = desk("held")
        expect(page.locator('[data-view="held"] .says')).to_have_text(
            "1 prize waits for its guest. 1 envelope is still to be drawn. 1 is to be given back."
        )
        prizes = page.locator(".prize")
        expect(prizes).to_have_count(3)
        for words in ("Fatima Adams ···7302", "2 days left", "Sunday 22 October", "Customer Services Desk", "Held"):
            expect(prizes.nth(1)).to_contain_text(words)
        expect(page.locator('[data-count="held"]')).to_have_text("3")

    def test_a_name_finds_it_as_it_is_typed_and_what_is_settled_too(self, desk, preview):
        page = desk("held")
        page.get_by_label("Name, claim, envelope or card").fill("thabo 2210")
        expect(page.locator(".prize")).to_have_count(1)
        expect(page.locator(".prize")).to_contain_text("Handed over")
        page.get_by_label("Name, claim, envelope or card").fill("nobody")
        expect(page.locator('[data-view="held"] .list .none')).to_contain_text("No held prize matches.")
        assert preview.posted == []

    def test_a_card_is_asked_of_the_server_and_its_prize_opened(self, desk, preview):
        page = desk("held")
        page.get_by_label("Name, claim, envelope or card").fill("100045577302")
        page.keyboard.press("Enter")
        expect(page.locator(".detail h2")).to_have_text("Fatima Adams ···7302")
        assert preview.posted[0] == ("held/find", {"text": "100045577302"})
        expect(page.locator(".prize")).to_have_count(1)
        page.get_by_role("button", name="Show all").click()
        expect(page.locator(".prize")).to_have_count(3)

    def test_what_happened_is_told_with_who(self, desk, preview):
        page = desk("held")
        page.locator(".prize").nth(1).click()
        expect(page.locator(".detail h2")).to_be_focused()
        steps = page.locator(".timeline li")
        expect(steps).to_have_count(2)
        expect(steps.nth(1)).to_contain_text("9 October, 10:05")
        expect(steps.nth(1)).to_contain_text("Telephone: no answer")
        assert ("held/see", {"draw": scenes.DRAW, "ordinal": 5}) in preview.posted
        assert not [act for act, _ in preview.posted if act == "held/reach"]

    def test_the_telephone_is_shown_when_asked_and_gone_with_the_form(self, desk, preview):
        page = desk("held")
        page.locator(".prize").nth(1).click()
        page.get_by_role("button", name="Note contact").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.locator(".numbers li")).to_have_count(0)
        dialog.get_by_role("button", name="Show telephone and e-mail").click()
        expect(dialog.locator(".numbers")).to_contain_text("082 555 0188")
        dialog.get_by_label("How").select_option("sms")
        dialog.get_by_label("Outcome").select_option("message_left")
        dialog.get_by_role("button", name="Note contact").click()
        expect(dialog).to_be_hidden()
        assert "082 555 0188" not in page.content()
        said = next(said for act, said in preview.posted if act == "held/contact")
        assert (said["channel"], said["outcome"], said["by"]) == ("sms", "message_left", "refilwe")

    def test_an_envelope_is_drawn_before_a_witness(self, desk, preview):
        page = desk("held", who="riaan", at="marketing")
        page.locator(".prize").first.click()
        page.get_by_role("button", name="Draw envelope").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.locator(".second .first")).to_have_text("First person: Riaan Fourie, signed in here.")
        dialog.get_by_label("Pocket of the tray").fill("E-0031")
        second_types(dialog, "refilwe")
        preview.answers["held/draw"] = {"code": "SS_ENVELOPE_USED", "sentence": "Take another one."}
        dialog.get_by_role("button", name="Draw and print label").click()
        expect(dialog.locator("#draw-pocket-fault")).to_have_text("Take another one.")
        preview.answers.clear()
        dialog.get_by_label("Pocket of the tray").fill("E-0032")
        expect(dialog.locator("#draw-need")).to_have_text("Still needed: their PIN or password.")
        second_types(dialog, "refilwe")
        dialog.get_by_role("button", name="Draw and print label").click()
        expect(page.locator(".done")).to_contain_text("The label is printing.")
        first, second = [said for act, said in preview.posted if act == "held/draw"]
        assert (second["pocket"], second["by"], second["second"]) == ("E-0032", "riaan", "refilwe")
        assert first["id"] != second["id"]

    def test_it_is_handed_over_for_an_amount_and_a_signature(self, desk, preview):
        page = desk("held", at="customer_services")
        page.locator(".prize").nth(1).click()
        page.get_by_role("button", name="Hand over").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("The guest is here in person").check()
        dialog.get_by_label("Identification").select_option("sa_id")
        dialog.get_by_label("Number on it").fill("7203140186083")
        dialog.get_by_label("Amount found in it").fill("1 000.00")
        draw_on_glass(page, 'dialog[data-act="hand_over"]')
        preview.answers["held/hand_over"] = {
            "code": "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE",
            "sentence": "An envelope holds 500 to 1000 ZAR; count it again.",
        }
        dialog.get_by_role("button", name="Hand over and print receipt").click()
        expect(dialog.locator("#hand_over-amount-fault")).to_contain_text("count it again")
        preview.answers.clear()
        dialog.get_by_role("button", name="Hand over and print receipt").click()
        expect(page.locator(".done")).to_have_text("Handed over. The receipt is printing.")
        said = [said for act, said in preview.posted if act == "held/hand_over"][-1]
        assert (said["amount"], said["desk"], said["by"], said["ordinal"]) == (
            100_000,
            "customer_services",
            "refilwe",
            5,
        )
        assert said["signature"]["strokes"]

    def test_what_was_typed_for_one_prize_is_not_there_for_another(self, desk):
        page = desk("held")
        page.locator(".prize").nth(1).click()
        page.get_by_role("button", name="Note contact").click()
        page.get_by_role("dialog").get_by_label("How").select_option("sms")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Note contact").click()
        expect(page.get_by_role("dialog").get_by_label("How")).to_have_value("sms")
        page.keyboard.press("Escape")
        page.locator(".prize").first.click()
        page.get_by_role("button", name="Note contact").click()
        expect(page.get_by_role("dialog").get_by_label("How")).to_have_value("")

    def test_two_people_give_an_overdue_one_back(self, desk):
        page = desk("held")
        page.locator(".prize").nth(2).click()
        expect(page.get_by_role("button", name="Hand over")).to_have_count(0)
        page.get_by_role("button", name="Give back").click()
        dialog = page.get_by_role("dialog")
        second_types(dialog, " Refilwe ")
        dialog.get_by_role("button", name="Give back").click()
        expect(dialog.locator("#give_back-second-fault")).to_contain_text("Ask a colleague.")
        second_types(dialog, "riaan", WRONG_PIN)
        dialog.get_by_role("button", name="Give back").click()
        expect(dialog.locator("#give_back-second-secret-fault")).to_contain_text("is not right")
        second_types(dialog, "riaan")
        dialog.get_by_role("button", name="Give back").click()
        expect(page.locator(".done")).to_have_text("Envelope E-0007 is given back.")


class TestEnvelopes:
    def test_a_batch_is_summed_as_it_is_typed_and_entered_by_two(self, desk, preview):
        page = desk("envelopes", who="naledi")
        page.get_by_label("How many of R\u00a0500").fill("20")
        page.get_by_label("How many of R\u00a01\u00a0000").fill("3")
        page.get_by_label("Another amount, in rand").fill("750")
        page.keyboard.press("Enter")
        expect(page.get_by_label("How many of R\u00a0750")).to_be_focused()
        page.keyboard.type("2")
        expect(page.locator(".sum")).to_have_text("25 envelopes, R\u00a014\u00a0500")
        form = page.locator('[data-form="batch"]')
        second_types(form, "riaan")
        form.get_by_role("button", name="Enter batch").click()
        expect(page.locator(".done")).to_have_text("Batch B-3 is entered.")
        said = preview.posted[-1][1]
        assert said["amounts"] == {"50000": 20, "75000": 2, "100000": 3}
        assert (said["by"], said["second"]) == ("naledi", "riaan")
        expect(page.locator(".sum")).to_have_text("0 envelopes, R\u00a00")

    @pytest.mark.parametrize("amount", ["499", "1000.01", "ten", ""])
    def test_an_amount_no_envelope_can_hold_is_not_added(self, desk, amount):
        page = desk("envelopes")
        page.get_by_label("Another amount, in rand").fill(amount)
        page.get_by_role("button", name="Add amount").click()
        expect(page.locator("#batch-other-fault")).to_have_text("An envelope holds R\u00a0500 to R\u00a01\u00a0000.")
        expect(page.locator(".amount")).to_have_count(6)

    def test_the_days_count_and_what_is_missing(self, desk, preview):
        page = desk("envelopes", scenes.desk_evening)
        form = page.locator('[data-form="day"]')
        expect(form.locator(".day")).to_have_text("Counted at 20:41:10: 9 left, 10 should be. 1 missing.")
        form.get_by_label("Envelopes left").fill("41")
        second_types(form, "riaan")
        form.get_by_role("button", name="Enter count").click()
        expect(page.locator(".done")).to_have_text("Counted at 20:41: 41 left, as it should be.")
        assert preview.posted[-1][1]["left"] == 41

    def test_the_cash_comes_with_the_closed_day_and_is_counted_by_two(self, desk, preview):
        page = desk("envelopes")
        form = page.locator('[data-form="cash"]')
        expect(form.locator(".later")).to_have_text("Comes when the day\u2019s draws are closed.")
        expect(form.get_by_role("button", name="Enter cash")).to_be_hidden()
        preview.show(scenes.desk_evening)
        expect(form.locator(".later")).to_be_hidden()
        expect(form.locator(".day")).to_contain_text(
            "It can be right: between R\u00a08\u00a0050 and R\u00a08\u00a0550."
        )
        expect(page.locator(".stated")).to_contain_text("more than R\u00a0776\u00a0550")
        form.get_by_label("Envelopes opened").fill("12")
        form.get_by_label("Money in them").fill("R 8 300")
        second_types(form, "riaan")
        only = "Only 11 closed envelopes are nobody\u2019s any more."
        preview.answers["envelopes/cash"] = {"ok": False, "code": "X_VALUE_WRONG", "sentence": only}
        form.get_by_role("button", name="Enter cash").click()
        expect(page.locator("#cash-opened-fault")).to_contain_text(only)
        preview.answers.clear()
        form.get_by_label("Envelopes opened").fill("11")
        second_types(form, "riaan")
        form.get_by_role("button", name="Enter cash").click()
        expect(page.locator(".done")).to_have_text("Counted at 20:48: 11 opened, R\u00a08\u00a0300 in them. It agrees.")
        act, said = preview.posted[-1]
        assert (act, said["opened"], said["cents"], said["second"]) == ("envelopes/cash", 11, 830_000, "riaan")
        expect(form.get_by_label("Money in them")).to_have_value("")

    def test_what_is_left_in_the_trays_is_told_and_no_amount_with_a_pocket(self, desk):
        page = desk("envelopes")
        view = page.locator('[data-view="envelopes"]')
        expect(view.locator(".hours .state")).to_have_text("41 envelopes are in the trays")
        expect(view.locator(".head .says")).to_have_text("E-0004 to E-0030, E-0032 to E-0045")
        expect(view.locator('[data-part="where"] tr').last).to_contain_text("45")

    def test_no_sum_stands_on_the_page_until_the_day_is_closed(self, desk, preview):
        page = desk("envelopes")
        view = page.locator('[data-view="envelopes"]')
        totals = view.locator(".batches tbody td:last-child")
        expect(totals).to_have_text(["\u2013", "\u2013"])
        programme = view.locator('[data-part="programme"]')
        expect(programme).to_be_hidden()
        preview.show(scenes.desk_evening)
        expect(totals).to_have_text(["R\u00a025\u00a0000", "R\u00a07\u00a0500"])
        expect(programme.locator("tbody tr").first).to_have_text("Given to guests33R\u00a023\u00a0450")
        expect(programme).to_contain_text("Expired or not taken")
        expect(programme).to_contain_text("Left in the trays")

    def test_two_people_take_an_envelope_out(self, desk, preview):
        page = desk("envelopes", who="naledi")
        form = page.locator('[data-form="out"]')
        expect(form.locator(".need")).to_have_text(
            "Still needed: the pocket, the second person\u2019s number, their PIN or password."
        )
        form.get_by_label("Pocket of the tray").fill(" E-0009 ")
        second_types(form, "riaan")
        preview.answers["envelopes/withdraw"] = {
            "ok": False,
            "code": "SS_ENVELOPE_USED",
            "sentence": "Pocket E-0009 is not in the tray any more. Look at its claim.",
        }
        form.get_by_role("button", name="Take out").click()
        expect(page.locator("#out-pocket-fault")).to_contain_text("not in the tray any more")
        preview.answers.clear()
        second_types(form, "riaan")
        form.get_by_role("button", name="Take out").click()
        expect(page.locator(".done")).to_have_text("Envelope E-0009 is taken out.")
        act, said = preview.posted[-1]
        assert (act, said["pocket"], said["by"], said["second"]) == ("envelopes/withdraw", "E-0009", "naledi", "riaan")
        expect(form.get_by_label("Pocket of the tray")).to_have_value("")


class TestSlips:
    def test_one_in_doubt_is_decided_by_a_person(self, desk, preview):
        page = desk("slips")
        expect(page.locator('[data-view="slips"] .says')).to_have_text("1 slip waits for a decision")
        card = page.locator(".waiting li")
        expect(card).to_contain_text("Look at the printer.")
        for name in ("It came out", "Print again", "Drop it"):
            box = card.get_by_role("button", name=name).bounding_box()
            assert box
            assert box["height"] >= 44
        card.get_by_role("button", name="It came out: Winner\u2019s receipt, Award 11, session 1").click()
        expect(page.locator(".done")).to_have_text("Noted.")
        act, said = preview.posted[-1]
        assert (act, said["job"], said["decision"], said["by"]) == ("slips/settle", 17, "came_out", "refilwe")

    def test_a_printed_one_is_printed_again(self, desk, preview):
        page = desk("slips")
        page.locator(".slips tbody tr").nth(1).get_by_role("button", name="Print again").click()
        expect(page.locator(".done")).to_have_text("Noted.")
        act, said = preview.posted[-1]
        assert (act, said["job"]) == ("slips/again", 16)
        assert "decision" not in said

    def test_a_refusal_is_said_beside_it(self, desk, preview):
        page = desk("slips")
        sentence = "Slip 17 is not in doubt any more. Look at the list of slips again."
        preview.answers["slips/settle"] = {"code": "X_PRINT_STATE", "sentence": sentence}
        page.locator(".waiting").get_by_role("button", name="Drop it").click()
        expect(page.get_by_role("alert").filter(has_text=sentence)).to_be_visible()

    def test_printers_say_their_state_in_words(self, desk):
        page = desk("slips")
        lines = page.locator(".printers li")
        expect(lines.nth(0)).to_have_text("Rewards desk: Ready.")
        expect(lines.nth(1)).to_contain_text("Out of paper. Put in a new roll")
        expect(lines.nth(1).locator(".mark-late")).to_be_visible()
        expect(lines.nth(2).locator(".mark-pause")).to_be_visible()
