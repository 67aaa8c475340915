"""The decline register at the desk in a browser: what is missing, what is refused, and nothing typed is lost."""

from __future__ import annotations

from dataclasses import replace

import desk_scenes as scenes
import pytest
from desk_page import desk, fill_register, line, previewed, register
from playwright.sync_api import expect

__all__ = ["desk", "line", "previewed"]


@pytest.fixture
def preview(previewed):
    return previewed


SIGN = "Sign register"


class TestRegister:
    def test_that_it_is_open_and_until_when_is_as_loud_as_the_title(self, desk):
        page = desk()
        expect(page.locator(".hours .state").first).to_have_text("Open until 18:00")
        size = "(name) => parseFloat(getComputedStyle(document.querySelector(name)).fontSize)"
        title, state = page.evaluate(size, ".view h1"), page.evaluate(size, ".hours .state")
        assert state >= 0.7 * title

    def test_closed_there_is_no_form_but_when_it_opens(self, desk):
        page = desk(scene=scenes.desk_closed)
        expect(page.get_by_text("Opens at 16:00")).to_be_visible()
        expect(page.locator('[data-form="register"]')).to_be_hidden()
        expect(page.get_by_role("button", name="Withdraw")).to_have_count(0)
        expect(page.locator(".entries tbody tr")).to_have_count(3)

    def test_a_reader_finds_the_guest_and_signs_nothing(self, desk, preview):
        page = desk()
        register(page).get_by_label("Card or member number").focus()
        page.keyboard.type(";100045577302=2912?", delay=2)
        page.keyboard.press("Enter")
        found = page.locator(".found")
        expect(found).to_have_text("Fatima AdamsGold, number ends 7302Not in the register today.")
        assert preview.posted == [("guest", {"number": ";100045577302=2912?"})]
        assert "100045577302" not in page.url

    def test_another_number_takes_the_first_guest_away(self, desk):
        page = desk()
        fill_register(page)
        register(page).get_by_label("Card or member number").fill("1000455")
        expect(page.locator(".found")).to_be_hidden()
        expect(page.locator(".need").first).to_contain_text("a guest found by the card")

    def test_the_button_says_what_is_missing_until_nothing_is(self, desk):
        page = desk()
        button, need = page.get_by_role("button", name=SIGN), page.locator("#register-need")
        expect(need).to_have_text(
            "Still needed: the guest\u2019s card, the guest in person, the kind of identification, "
            "the number on the identification, a cellphone or an e-mail, the signature."
        )
        expect(button).to_have_attribute("aria-disabled", "true")
        expect(button).to_have_css("border-style", "dashed")
        fill_register(page)
        expect(need).to_have_text("")
        expect(button).not_to_have_attribute("aria-disabled", "true")
        register(page).get_by_label("Cellphone").fill("082 555 01")
        register(page).get_by_label("E-mail").focus()
        expect(need).to_have_text("Still needed: 2 more digits of the cellphone.")
        expect(page.locator("#register-phone-fault")).to_have_text("Type 2 more digits. A number has ten.")
        expect(register(page).get_by_label("Cellphone")).to_have_attribute("aria-invalid", "true")

    def test_pressed_too_early_it_leads_to_what_is_missing(self, desk, preview):
        page = desk()
        page.get_by_role("button", name=SIGN).click(force=True)  # it is said to be disabled, and answers all the same
        expect(register(page).get_by_label("Card or member number")).to_be_focused()
        assert preview.posted == []

    def test_a_guest_signs_and_the_form_is_empty_for_the_next(self, desk, preview):
        page = desk()
        fill_register(page)
        page.get_by_role("button", name=SIGN).click()
        expect(page.locator(".done")).to_have_text("Entered as number 4. The slip is printing.")
        act, said = preview.posted[-1]
        drawn, number = said.pop("signature"), said.pop("id")
        assert act == "register"
        assert said == {
            "by": "refilwe",
            "member": "100045577302",
            "in_person": True,
            "id_type": "sa_id",
            "id_number": "7203140186083",
            "phone": "082 555 0188",
            "email": "",
        }
        assert len(number) >= 8
        assert drawn["width"] > drawn["height"] > 100
        assert sum(len(stroke) for stroke in drawn["strokes"]) >= 4
        assert all(type(at) is int for stroke in drawn["strokes"] for point in stroke for at in point)
        for label in ("Card or member number", "Number on it", "Cellphone"):
            expect(register(page).get_by_label(label)).to_have_value("")
        expect(register(page).get_by_label("Card or member number")).to_be_focused()
        expect(page.locator("#register-need")).to_contain_text("the signature")

    @pytest.mark.parametrize(
        ("code", "field"),
        [
            ("SS_REGISTER_IN_PERSON_ONLY", "in_person"),
            ("SS_REGISTER_ID_REQUIRED", "id_number"),
            ("SS_REGISTER_CONTACT_REQUIRED", "phone"),
            ("SS_REGISTER_NOT_PARTICIPANT", "card"),
            ("SS_SELF_EXCLUDED", "card"),
            ("X_ALREADY_DONE", "card"),
        ],
    )
    def test_a_refusal_stands_at_its_field_and_nothing_typed_is_lost(self, desk, preview, code, field):
        page = desk()
        fill_register(page)
        preview.answers["register"] = {"code": code, "sentence": "This is why not, and what to do."}
        page.get_by_role("button", name=SIGN).click()
        expect(page.locator(f"#register-{field}-fault")).to_have_text("This is why not, and what to do.")
        expect(page.locator(f"#register-{field}")).to_be_focused()
        expect(page.locator(f"#register-{field}")).to_have_attribute("aria-invalid", "true")
        described = page.locator(f"#register-{field}").get_attribute("aria-describedby")
        assert f"register-{field}-fault" in str(described)
        expect(register(page).get_by_label("Number on it")).to_have_value("7203140186083")
        expect(page.locator("#register-need")).to_have_text("")  # the signature is still there
        preview.answers.clear()
        page.get_by_role("button", name=SIGN).click()
        expect(page.locator(".done")).to_be_visible()

    def test_what_is_about_no_field_stands_above_the_button(self, desk, preview):
        page = desk()
        fill_register(page)
        sentence = "The decline register is closed. It opens at 16:00."
        preview.answers["register"] = {"code": "SS_REGISTER_CLOSED", "sentence": sentence}
        page.get_by_role("button", name=SIGN).click()
        alert = page.locator('[data-form="register"] .refused')
        expect(alert).to_contain_text(sentence)
        expect(alert).to_contain_text("SS_REGISTER_CLOSED")

    def test_a_lost_network_keeps_everything_and_sends_the_same_again(self, desk, preview, line):
        page = desk()
        fill_register(page)
        line.cut()
        page.get_by_role("button", name=SIGN).click()
        expect(page.locator('[data-form="register"] .refused')).to_contain_text(
            "It did not reach the server. Nothing you typed is lost: press again.", timeout=12_000
        )
        expect(page.locator(".offline")).to_contain_text("Reconnecting")
        expect(register(page).get_by_label("Number on it")).to_have_value("7203140186083")
        line.mend()
        expect(page.locator(".offline")).to_be_hidden(timeout=6000)
        page.get_by_role("button", name=SIGN).click()
        expect(page.locator(".done")).to_be_visible()
        numbers = {said["id"] for act, said in preview.posted if act == "register"}
        assert len(numbers) == 1

    def test_the_answer_that_was_lost_is_asked_for_under_the_same_number(self, desk, preview):
        page = desk()
        fill_register(page)
        page.route("**/desk/register", lambda route: (route.fetch(), route.abort()))
        page.get_by_role("button", name=SIGN).click()
        expect(page.locator('[data-form="register"] .refused')).to_contain_text("press again")
        page.unroute("**/desk/register")
        page.get_by_role("button", name=SIGN).click()
        expect(page.locator(".done")).to_be_visible()
        sent = [said["id"] for act, said in preview.posted if act == "register"]
        assert len(sent) == 2
        assert len(set(sent)) == 1

    def test_a_message_that_comes_meanwhile_leaves_the_form_alone(self, desk, preview):
        page = desk()
        fill_register(page)
        preview.show(lambda now: replace(scenes.desk(now), entries=()))
        expect(page.locator(".entries")).to_be_hidden()
        expect(register(page).get_by_label("Number on it")).to_have_value("7203140186083")
        expect(page.locator("#register-need")).to_have_text("")

    def test_turned_or_resized_the_signature_stays(self, desk, preview):
        page = desk()
        fill_register(page)
        page.set_viewport_size({"width": 900, "height": 1100})
        page.wait_for_timeout(300)
        page.get_by_role("button", name=SIGN).click()
        expect(page.locator(".done")).to_be_visible()
        drawn = preview.posted[-1][1]["signature"]
        assert drawn["strokes"]
        assert all(0 <= x <= drawn["width"] for stroke in drawn["strokes"] for x, _ in stroke)

    def test_cleared_it_is_missing_again(self, desk):
        page = desk()
        fill_register(page)
        page.locator('[data-form="register"]').get_by_role("button", name="Clear signature").click()
        expect(page.locator("#register-need")).to_have_text("Still needed: the signature.")

    def test_an_entry_is_withdrawn_by_the_guest_in_person(self, desk, preview):
        page = desk()
        page.get_by_role("button", name="Withdraw entry 2, Annelie Botha").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Withdraw entry 2")
        dialog.get_by_label("The guest is here in person").check()
        dialog.get_by_label("Identification").select_option("passport")
        dialog.get_by_label("Number on it").fill("A01234567")
        preview.answers["register/withdraw"] = {"code": "SS_REGISTER_ID_REQUIRED", "sentence": "Compare both."}
        dialog.get_by_role("button", name="Withdraw entry").click()
        expect(dialog.locator("#withdraw-id_number-fault")).to_have_text("Compare both.")
        preview.answers.clear()
        dialog.get_by_role("button", name="Withdraw entry").click()
        expect(dialog).to_be_hidden()
        expect(page.locator(".done")).to_have_text("Entry 2 is withdrawn.")
        said = preview.posted[-1][1]
        assert (said["entry"], said["id_type"], said["id_number"]) == (2, "passport", "A01234567")

    def test_the_withdrawn_one_has_no_button(self, desk):
        page = desk()
        expect(page.get_by_role("button", name="Withdraw entry 1")).to_have_count(0)
        expect(page.locator(".entries tbody tr").first).to_contain_text("Withdrawn at 11:30")


class TestWho:
    def test_without_a_desk_nothing_is_signed_and_the_choice_is_kept(self, desk, preview):
        page = desk(at="")
        expect(page.locator("#register-need")).to_contain_text("which desk this is")
        page.get_by_role("button", name="Choose desk").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Desk").select_option("customer_services")
        dialog.get_by_role("button", name="Work here").click()
        expect(page.locator(".who")).to_have_text("Customer Services Desk")
        expect(page.locator("#register-need")).not_to_contain_text("which desk this is")
        assert preview.posted == []
        page.reload()
        expect(page.locator(".who")).to_have_text("Customer Services Desk")

    def test_whoever_is_signed_in_stands_in_the_bar(self, desk):
        page = desk(who="lindiwe")
        page.get_by_role("button", name="Lindiwe Cele").click()
        expect(page.get_by_role("dialog", name="Lindiwe Cele")).to_contain_text("Customer services")

    def test_a_machine_that_was_enrolled_as_a_desk_is_that_desk(self, desk):
        page = desk(at="")
        told = {"id": "refilwe", "name": "Refilwe Molefe", "role": "desk", "server_now": 0, "ends_at": 3_600_000}
        device = {"id": "a1", "kind": "desk", "title": "customer services desk"}
        page.route("**/me", lambda route: route.fulfill(json={**told, "device": device}))
        page.reload()
        expect(page.locator(".who")).to_have_text("Customer Services Desk")
        expect(page.locator("#register-need")).not_to_contain_text("which desk this is")
