"""The desk's page as a whole: addresses, the keyboard, small windows, labels, contrast, nothing inline."""

from __future__ import annotations

from dataclasses import replace

import desk_scenes as scenes
import pytest
from desk_page import SIZES, VIEWS, desk, fill_register, line, previewed, register
from playwright.sync_api import expect

__all__ = ["desk", "line", "previewed"]


@pytest.fixture
def preview(previewed):
    return previewed


CONTRAST = """() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const colour = parse(getComputedStyle(node).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll('header *, main *')]
    .filter((n) => n.getClientRects().length && !n.closest('.unseen, svg, canvas'))
    .filter((n) => [...n.childNodes].some((c) => c.nodeType === 3 && c.textContent.trim()))
    .map((n) => {
      const [one, two] = [light(parse(getComputedStyle(n).color)), light(ground(n))].sort((a, b) => b - a);
      return [((one + 0.05) / (two + 0.05)).toFixed(2), n.className || n.tagName, n.textContent.trim().slice(0, 30)];
    })
    .filter(([ratio]) => Number(ratio) < 4.5);
}"""
"""Every text on the page whose contrast with its ground is under 4.5:1 (WCAG 2.2, 1.4.3)."""


class TestPage:
    def test_the_views_have_addresses_and_a_title_in_focus(self, desk):
        page = desk()
        page.get_by_role("link", name="Envelopes").click()
        expect(page.get_by_role("heading", name="Envelopes", exact=True)).to_be_focused()
        assert page.url.endswith("#envelopes")
        page.go_back()
        expect(page.locator('[data-view="register"]')).to_be_visible()
        expect(page.get_by_role("link", name="Register")).to_have_attribute("aria-current", "page")

    def test_a_view_left_and_entered_again_has_what_was_typed(self, desk):
        page = desk()
        fill_register(page)
        page.get_by_role("link", name="Held prizes").click()
        page.get_by_role("link", name="Register").click()
        expect(register(page).get_by_label("Number on it")).to_have_value("7203140186083")
        expect(page.locator("#register-need")).to_have_text("")

    def test_by_keyboard_alone_a_guest_is_entered_up_to_the_signature(self, desk):
        page = desk()
        register(page).get_by_label("Card or member number").focus()
        page.keyboard.type("100045577302")
        page.keyboard.press("Enter")
        expect(page.locator(".found")).to_be_visible()
        for keys in (("Tab",), ("Tab", "Space"), ("Tab", "S"), ("Tab",)):
            for key in keys:
                page.keyboard.press(key)
        page.keyboard.type("7203140186083")
        page.keyboard.press("Tab")
        page.keyboard.type("0825550188")
        expect(page.locator("#register-need")).to_have_text("Still needed: the signature.")

    def test_on_a_laptop_the_button_that_signs_is_in_sight(self, desk):
        page = desk("register", width=1366, height=768)
        fill_register(page)
        expect(register(page).get_by_role("button", name="Sign register")).to_be_in_viewport(ratio=1)
        assert page.evaluate("scrollY") == 0

    @pytest.mark.parametrize("size", SIZES)
    @pytest.mark.parametrize("view", VIEWS)
    def test_it_folds_and_nothing_needs_scrolling_sideways(self, desk, view, size):
        width, height = SIZES[size]
        page = desk(view, scenes.desk_evening, width=width, height=height)
        if view == "held":
            page.locator(".prize").nth(1).click()
            expect(page.locator(".timeline li")).to_have_count(2)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        outside = page.evaluate(
            """() => [...document.querySelectorAll('main *, header *')]
              .filter((n) => n.getClientRects().length && !n.closest('.unseen, thead'))
              .filter((n) => n.getBoundingClientRect().right > innerWidth + 1)
              .map((n) => n.className || n.tagName)"""
        )
        assert outside == []

    @pytest.mark.parametrize("view", VIEWS)
    @pytest.mark.parametrize("size", ["desk", "phone"])
    def test_a_finger_finds_everything(self, desk, view, size):
        width, height = SIZES[size]
        page = desk(view, width=width, height=height)
        found = page.locator("main button:visible, main input:visible, main select:visible, nav a:visible").all()
        assert found
        for each in found:
            target = each
            if each.get_attribute("type") == "checkbox":
                target = page.locator("label.check:visible").first
            box = target.bounding_box()
            assert box
            assert box["height"] >= 44, each.evaluate("n => n.outerHTML")

    @pytest.mark.parametrize("view", VIEWS)
    def test_every_field_has_its_label_and_every_button_its_name(self, desk, view):
        page = desk(view)
        unnamed = page.evaluate(
            """() => [...document.querySelectorAll('main input, main select, main button, dialog input, dialog select')]
              .filter((n) => !(n.labels?.length || n.getAttribute('aria-label') || n.textContent.trim()))
              .map((n) => n.outerHTML)"""
        )
        assert unnamed == []

    def test_words_stand_out_from_their_ground(self, desk):
        page = desk("held", scenes.desk_evening)
        page.locator(".prize").nth(1).click()
        expect(page.locator(".timeline li")).to_have_count(2)
        for view in VIEWS:
            page.goto(page.url.partition("#")[0] + f"#{view}")
            expect(page.locator(f'[data-view="{view}"]')).to_be_visible()
            assert page.evaluate(CONTRAST) == []

    def test_nothing_is_inline_and_names_are_text(self, desk, preview):
        evil = "<img src=x onerror=alert(1)>"
        page = desk(
            "held",
            lambda now: replace(
                scenes.desk(now), held=tuple(replace(line, guest=evil) for line in scenes.desk(now).held)
            ),
        )
        page.locator(".prize").nth(1).click()
        expect(page.locator(".detail h2")).to_contain_text(evil)
        assert page.locator("main img").count() == 0
        assert page.evaluate("document.querySelectorAll('script:not([src]), style').length") == 0
        assert "style=" not in page.request.get(f"http://127.0.0.1:{preview.server.server_port}/desk").text()
