"""Presses over a bad network: kept, shown, sent in order, counted once; a page that comes back without any network."""

# ruff: noqa: F811 - fixtures are named where they are used

from __future__ import annotations

import re

import pytest
from crew_tablets import claim_of, floor, kept, line, previewed, tablet, verbs  # noqa: F401 - fixtures
from page_signing import as_person
from playwright.sync_api import Page, Route, expect

WAITS = re.compile(r"Not here, S-0731, pressed at 14:\d\d:\d\d: waits to be sent\.")


def answer(page: Page, words: str) -> None:
    page.get_by_role("button", name=re.compile(f"^{words}")).click()


def test_a_press_waits_in_sight_and_counts_once_when_the_network_is_back(floor, tablet, line) -> None:
    world = floor("machine")
    page = tablet()
    claim_of(page)
    line.cut()
    answer(page, "Not here")
    expect(page.locator(".toast.wait")).to_contain_text(WAITS)
    expect(page.locator(".claim-view .pending")).to_contain_text("Nothing else can be done with this claim until then.")
    expect(page.locator(".lost")).to_contain_text(re.compile(r"No connection\. What you see is as of 14:\d\d:\d\d\."))
    expect(page.locator(".lost")).to_contain_text("Your press waits here, then is sent.")
    for button in page.locator(".answers button").all():
        expect(button).to_be_disabled()
    page.wait_for_timeout(3_000)
    assert world.pressed == []
    line.mend()
    expect(page.locator(".toast.done")).to_contain_text("Not here, S-0731", timeout=10_000)
    expect(page.locator(".row.mine")).to_contain_text("To be called")
    expect(page.locator(".lost")).to_be_hidden()
    assert verbs(world) == ["not_there"]


def test_several_presses_wait_and_go_in_their_order(floor, tablet, line) -> None:
    world = floor("several")
    page = tablet()
    expect(page.locator(".new")).to_have_count(3)
    line.cut()
    for n in (1, 0, 2):
        page.locator(".new .take").nth(n).click()
    expect(page.locator(".toast.wait")).to_contain_text("3 presses wait.")
    expect(page.locator(".new .pending:visible")).to_have_count(3)
    line.mend()
    expect(page.locator(".new")).to_have_count(0, timeout=10_000)
    assert [press["ordinal"] for press in world.pressed] == [1, 0, 2]
    assert len({press["id"] for press in world.pressed}) == 3


def test_an_answer_that_is_lost_is_asked_for_again_under_the_same_number(floor, tablet) -> None:
    world = floor("machine")
    page = tablet(service_workers="block")
    lost: list[str] = []

    def loses_the_first(route: Route) -> None:
        reached = route.fetch()
        if lost:
            route.fulfill(response=reached)
        else:
            lost.append(route.request.post_data_json["id"])
            route.abort()

    page.route("**/presses", loses_the_first)
    claim_of(page)
    answer(page, "On own card")
    expect(page.locator(".claim-view h1")).to_have_text("Check Nomvula Dlamini", timeout=8_000)
    expect(page.locator(".toast.done")).to_be_visible(timeout=8_000)
    assert [press["id"] for press in world.pressed] == lost


def test_a_network_that_answers_by_itself_is_no_answer(floor, tablet) -> None:
    """A hotel's sign-in page says 200 to everything."""
    world = floor("machine")
    page = tablet(service_workers="block")
    page.route("**/presses", lambda route: route.fulfill(status=200, content_type="text/html", body="<h1>Welcome</h1>"))
    claim_of(page)
    answer(page, "Not here")
    expect(page.locator(".toast.wait")).to_contain_text(WAITS)
    page.unroute("**/presses")
    expect(page.locator(".toast.done")).to_be_visible(timeout=8_000)
    assert verbs(world) == ["not_there"]


def test_a_busy_core_is_tried_again(floor, tablet) -> None:
    world = floor("machine")
    page = tablet()
    claim_of(page)
    world.deaf = True
    answer(page, "On own card")
    expect(page.locator(".toast.wait")).to_be_visible()
    world.deaf = False
    expect(page.locator(".claim-view h1")).to_have_text("Check Nomvula Dlamini", timeout=8_000)
    assert verbs(world) == ["found"]


def test_a_reload_without_a_network_shows_the_page_and_what_waits(floor, tablet, line) -> None:
    world = floor("machine")
    page = tablet()
    kept(page)
    claim_of(page)
    line.cut()
    answer(page, "Not here")
    expect(page.locator(".toast.wait")).to_be_visible()
    page.reload()
    expect(page.locator(".claim-view h1")).to_have_text("Who is at S-0731?")
    expect(page.locator(".about")).to_contain_text("Nomvula Dlamini")
    expect(page.locator(".lost")).to_contain_text("No connection. What you see is as of 14:", timeout=8_000)
    expect(page.locator(".toast.wait")).to_contain_text(WAITS)
    expect(page.locator(".bar .now")).to_have_text(re.compile(r"^14:\d\d:\d\d$"))
    assert page.evaluate("document.fonts.ready.then(() => document.fonts.check('20px Archivo'))")
    line.mend()
    expect(page.locator(".toast.done")).to_be_visible(timeout=12_000)
    assert verbs(world) == ["not_there"]


def test_a_worker_sees_to_its_own_page_alone(floor, tablet) -> None:
    floor("queue")
    page = tablet()
    kept(page)
    (scope,) = page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.map((one) => one.scope))")
    assert scope.endswith("/crew")
    names = page.evaluate(
        "caches.open('floordraw-crew').then((c) => c.keys()).then((all) => all.map((one) => new URL(one.url).pathname))"
    )
    assert "/crew" in names
    assert not [name for name in names if "snapshot" in name or "presses" in name]


def test_two_tablets_press_take_and_one_is_told_who_has_it(floor, tablet) -> None:
    world = floor("queue")
    first, second = tablet(), tablet(who="johan", service_workers="block")
    held: list[Route] = []
    second.route("**/presses", lambda route: held.append(route))  # noqa: PLW0108 - it is looked into
    second.get_by_role("button", name="Take it").click()
    first.get_by_role("button", name="Take it").click()
    expect(first.locator(".claim-view h1")).to_have_text("Who is at S-0731?")
    second.wait_for_timeout(100)
    held[0].continue_()
    expect(second.locator(".toast.stop")).to_contain_text("lerato has claim c0. Take another one. X_ALREADY_TAKEN")
    expect(second.locator(".new")).to_have_count(0)
    assert [(press["verb"], press["by"]) for press in world.pressed] == [("take", "lerato"), ("take", "johan")]


def test_nobody_signs_out_while_a_press_of_theirs_waits(floor, tablet) -> None:
    floor("queue")
    page = tablet()
    page.route("**/presses", lambda route: route.abort())
    page.get_by_role("button", name="Take it").click()
    expect(page.locator(".toast.wait")).to_be_visible()
    page.get_by_role("button", name="Lerato Khumalo").click()
    menu = page.get_by_role("dialog", name="Lerato Khumalo")
    menu.get_by_role("button", name="Sign out").click()
    expect(menu.get_by_role("alert")).to_contain_text("Presses of yours wait to be sent.")
    assert page.url.endswith("/crew")


def test_a_press_waits_in_sight_for_who_made_it_and_not_in_the_way_of_others(floor, tablet, line) -> None:
    world = floor("several")
    page = tablet(who="johan", service_workers="block")
    page.route("**/presses", lambda route: route.abort())
    page.get_by_role("button", name="Take it").first.click()
    expect(page.locator(".toast.wait")).to_be_visible()
    page.unroute("**/presses")
    as_person(page.context, line.port, "ayanda")
    page.reload()
    expect(page.locator(".unsent")).to_contain_text("Johan Brits signs in on this tablet to send it.")
    page.get_by_role("button", name="Take it").first.click()
    expect(page.locator(".claim-view h1")).to_contain_text("Who is at")
    assert [(press["verb"], press["by"]) for press in world.pressed] == [("take", "ayanda")]
    as_person(page.context, line.port, "johan")
    page.reload()
    expect(page.locator(".unsent")).to_be_hidden()
    expect(page.locator(".toast.stop small")).to_have_text("X_ALREADY_TAKEN")
    assert world.pressed[-1]["by"] == "johan"


def test_the_worker_keeps_no_way_to_sign_in_for_the_page(floor, tablet) -> None:
    floor("queue")
    page = tablet()
    kept(page)
    page.context.route("**/crew", lambda route: route.fulfill(status=302, headers={"Location": "/stage"}))
    page.goto(page.url)
    expect(page).to_have_url(re.compile("/stage$"))
    cached = "caches.open('floordraw-crew').then((c) => c.match('/crew')).then((answer) => answer.text())"
    assert "crew.js" in page.evaluate(cached)


def test_a_refusal_is_a_sentence_with_its_code_small(floor, tablet) -> None:
    world = floor("checked")
    page = tablet()
    claim_of(page)
    world.refuses = {"code": "SS_ENVELOPE_USED", "sentence": "Pocket E-0031 was used at 14:20. Take another one."}
    page.locator(".offer button").first.click()
    toast = page.locator(".toast.stop")
    expect(toast).to_contain_text("Pocket E-0031 was used at 14:20. Take another one.")
    expect(toast.locator("small")).to_have_text("SS_ENVELOPE_USED")
    expect(page.locator(".offer button").first).to_be_enabled()


@pytest.mark.parametrize("path", ["/crew", "/stage"])
def test_the_connections_line_is_made_good_by_the_next_message(floor, tablet, line, path) -> None:
    world = floor("queue")
    page = tablet(path, who="naledi")
    line.cut()
    expect(page.locator(".lost")).to_be_visible(timeout=8_000)
    world.add("S-0905", "not_there", by="johan")
    line.mend()
    expect(page.locator(".lost")).to_be_hidden(timeout=8_000)
    expect(page.locator("body")).to_contain_text("Thandi M.")


@pytest.mark.parametrize("size", [(1024, 768), (390, 844)])
def test_what_was_refused_is_in_sight_however_long_the_page(floor, tablet, size) -> None:
    world = floor("checked")
    page = tablet(width=size[0], height=size[1])
    claim_of(page)
    world.refuses = {"code": "SS_ENVELOPE_USED", "sentence": "Pocket E-0031 was used at 14:20. Take another one."}
    page.locator(".offer button").first.click()
    expect(page.locator(".toast.stop")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")
    expect(page.locator(".toast.stop")).to_be_in_viewport(ratio=1)


def test_a_kept_picture_is_marked_as_kept_until_a_message_has_come(floor, tablet) -> None:
    """The network stands and the core says nothing: no error has come yet, and what is shown is still of before."""
    floor("queue")
    page = tablet()
    kept(page)
    expect(page.locator(".lost")).to_be_hidden()
    silent: list[str] = []
    page.route_web_socket("**/socket.io/**", lambda way: silent.append(way.url))
    page.reload()
    expect(page.locator(".new")).to_have_count(1)
    expect(page.locator(".lost")).to_contain_text("No connection. What you see is as of 14:", timeout=1_500)
    assert silent, "it was asked for, and no answer and no error had come"
