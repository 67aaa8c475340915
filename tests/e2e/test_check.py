"""A guest checks a draw on a phone, over plain http: from the code on the printed receipt to whose ticket was drawn."""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect
from test_accessible import AXE
from werkzeug.serving import make_server

sys.path.append(str(Path(__file__).resolve().parents[1] / "integration"))

from check_core import AWAY, OUTSIDE, SEATS, CheckCore
from loopback import FIRST

from draw_engine.store.database import open_database

SIZES = {"phone": (390, 844), "small": (320, 640), "desk": (1366, 768)}
CHECKED, NOT_PROVED = "Checked on this phone", "Not proved"


class Served:
    """The core's pages on a port of this machine."""

    def __init__(self, folder: Path) -> None:
        empty = folder / "empty.db"
        open_database(f"sqlite:///{empty}").dispose()
        (folder / "core").mkdir()
        self.core = CheckCore(folder / "core", empty)
        self.core.play()
        self.server = make_server("127.0.0.1", 0, self.core.served.app, threaded=True)
        self.server.daemon_threads = True  # type: ignore[attr-defined]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/check"

    def code(self, member: str) -> str:
        return f"{self.url}#{self.core.fragment(member)}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.core.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = Served(tmp_path_factory.mktemp("checked"))
    yield made
    made.close()


Opens = Callable[..., Page]


@pytest.fixture
def opens(browser: Browser) -> Iterator[Opens]:
    """Open an address on a phone that has no hashes of its own; the page must not have complained."""
    contexts: list[Any] = []
    faults: list[str] = []

    def opened(address: str, size: str = "phone") -> Page:
        width, height = SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
        contexts.append(context)
        # What plain http from another machine is like; this machine's own address counts as safe.
        context.add_init_script("Object.defineProperty(globalThis.crypto, 'subtle', { value: undefined })")
        page = context.new_page()
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda said: faults.append(said.text) if said.type in {"error", "warning"} else None)
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not [fault for fault in faults if "status of 4" not in fault and "ERR_" not in fault]


def types(page: Page, member: str) -> None:
    page.get_by_label("Your member number").fill(member)
    page.get_by_role("button", name="Check it").click()


def rows(page: Page) -> list[str]:
    return [row.inner_text() for row in page.locator(".rows .row").all()]


def test_from_the_printed_receipt_to_whose_ticket_it_was(served: Served, opens: Opens) -> None:
    printed = served.core.printed_code()
    secret = served.core.secret(served.core.winners[0])
    assert secret in printed
    asked: list[Request] = []
    page = opens(served.url)
    page.context.on("request", lambda one: asked.extend([one]))
    page.goto(printed.replace("http://127.0.0.1:8080/check", served.url))
    expect(page.locator(".mine .which")).to_have_text("First, Saturday 7 October 2023")
    types(page, f" {served.core.winners[0]} ")
    found = page.locator(".mine .found")
    expect(found.locator("h2")).to_be_focused()
    expect(found.locator(".lit").first).to_have_text(
        f"At 14:02 you were in the pool of {SEATS} guests, and the ticket was yours."
    )
    expect(found.locator("> .tag")).to_have_text(CHECKED)
    assert "You were in it, and the ticket was yours" in rows(page)[0]
    assert all("You were in it" in row for row in rows(page))
    found.get_by_text("What this phone has checked").click()
    for sentence in (
        "is the one committed to",
        "drawn tickets follow from that seed",
        "proofs lead from your reference",
    ):
        expect(found.locator(".about")).to_contain_text(sentence)
    # The secret and the number never leave the phone, and nothing stays on it.
    told = [f"{one.url} {one.post_data or ''} {json.dumps(one.all_headers())}" for one in asked]
    assert any("/check/proofs/" in one for one in told)
    for one in told:
        assert secret not in one.lower()
        assert served.core.winners[0] not in one
    assert page.url == served.url
    assert page.context.cookies() == []
    assert page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]


def test_who_left_was_in_the_first_and_not_in_the_others(served: Served, opens: Opens) -> None:
    page = opens(served.code(served.core.leaver))
    types(page, served.core.leaver)
    found = page.locator(".mine .found")
    expect(found.locator("h2")).to_have_text(f"You were in 1 of {len(served.core.winners)} selections.")
    expect(found).to_contain_text("None of the tickets that were drawn was yours.")
    expect(found.locator("> .tag")).to_have_text(CHECKED)
    first, *others = rows(page)
    assert "the ticket was somebody else's" in first
    assert all("You were not in it" in row for row in others)
    page.locator(".row.out summary").first.click()
    expect(page.locator(".row.out .how").first).to_contain_text("Where your reference would have to stand")
    expect(page.locator(".row.out > details > summary").first).to_have_text("Its place checked on this phone")
    # That the pool is in order as a whole is not claimed: one part of it does not show it.
    expect(found.get_by_text("no phone can see from one part of it")).to_be_visible()


def test_who_was_judged_and_never_in_it_is_shown_so(served: Served, opens: Opens) -> None:
    page = opens(served.code(OUTSIDE))
    types(page, OUTSIDE)
    expect(page.locator(".mine .found h2")).to_have_text(
        f"You were in none of the {len(served.core.winners)} selections."
    )
    assert all("You were not in it" in row for row in rows(page))


def test_who_is_not_known_is_told_that_nothing_is_proved(served: Served, opens: Opens) -> None:
    """Not on the floor at all; or a number typed wrong, which must not read as "you were not in it"."""
    page = opens(served.code(AWAY))
    types(page, AWAY)
    found = page.locator(".mine .found")
    expect(found.locator("h2")).to_have_text("Nobody with this reference was judged in this draw.")
    expect(found.locator(".tag")).to_have_text(NOT_PROVED)
    expect(found).not_to_contain_text(CHECKED)
    page.goto(served.code(served.core.winners[0]))
    types(page, served.core.winners[0][:-1] + "x")
    expect(found).to_contain_text("Look at the number again")
    types(page, served.core.winners[0])
    expect(found.locator(".lit").first).to_be_visible()


# -- a house that cheats --------------------------------------------------------------------------------------------

Change = Callable[[dict[str, Any]], None]


def answering(page: Page, path: str, change: Change) -> None:
    """From now on the house's answer is another one."""

    def forged(route: Route) -> None:
        answer = route.fetch()
        said = answer.json()
        change(said)
        route.fulfill(response=answer, body=json.dumps(said))

    page.route(f"**/check/{path}/**", forged)


def other_letter(said: dict[str, Any]) -> None:
    text = said["pools"][0]["proofs"][0]
    said["pools"][0]["proofs"] = [text[:200] + ("A" if text[200] != "A" else "B") + text[201:]]


def others_pool(said: dict[str, Any]) -> None:
    said["pools"][0]["proofs"] = said["pools"][1]["proofs"]


def none(said: dict[str, Any]) -> None:
    said["pools"][0]["proofs"] = []


def left_out(said: dict[str, Any]) -> None:
    said["pools"] = said["pools"][1:]


@pytest.mark.parametrize("change", [other_letter, others_pool, none, left_out])
def test_a_forged_or_missing_proof_is_never_called_checked(served: Served, opens: Opens, change: Change) -> None:
    page = opens(served.url)
    answering(page, "proofs", change)
    page.goto(served.code(served.core.winners[0]))
    types(page, served.core.winners[0])
    found = page.locator(".mine .found")
    expect(found.locator("h2")).to_have_text("1 proof does not hold. What the house says here is not shown by it.")
    expect(found.locator("> .tag")).to_have_count(0)
    expect(found.locator(".lit")).to_have_count(0)
    expect(found.locator(".row").first).to_contain_text(NOT_PROVED)
    expect(found.locator(".row").nth(1)).to_contain_text(CHECKED)


def in_record(said: dict[str, Any], old: str, new: str) -> None:
    assert old in said["record"]
    said["record"] = said["record"].replace(old, new)


def another_size(said: dict[str, Any]) -> None:
    in_record(said, f'"size":{SEATS}', f'"size":{SEATS - 1}')


def another_seed(said: dict[str, Any]) -> None:
    seed = json.loads(said["record"])["house_seed"]
    in_record(said, seed, "0" * 64)


def another_winner(said: dict[str, Any]) -> None:
    """The digest is made to fit: the ticket still tells."""
    ref = json.loads(said["record"])["selections"][0]["ref"]
    in_record(said, ref, "0" * 32)
    said["digest"] = hashlib.sha256(said["record"].encode()).hexdigest()


@pytest.mark.parametrize("change", [another_size, another_seed, another_winner])
def test_a_forged_draw_is_never_called_checked(served: Served, opens: Opens, change: Change) -> None:
    page = opens(served.url)
    answering(page, "draw", change)
    page.goto(served.code(served.core.winners[0]))
    types(page, served.core.winners[0])
    found = page.locator(".mine .found")
    expect(found.locator("h2")).to_have_class("stop")
    expect(found).to_contain_text("Do not rely on this page.")
    expect(found.locator("> .tag")).to_have_count(0)
    expect(found.locator(".row").first).to_contain_text(NOT_PROVED)
    if change is not another_winner:  # there the two other pools are as they were
        expect(found).not_to_contain_text(CHECKED)
    expect(found.locator(".lit")).to_have_count(0)


# -- a proof alone --------------------------------------------------------------------------------------------------


def published(served: Served) -> Any:
    client = served.core.served.app.test_client()
    return json.loads(client.get(f"/check/record/{FIRST}").data)


def test_a_proof_says_for_which_selection_its_root_was_published(served: Served, opens: Opens) -> None:
    record = published(served)
    made, pool = record["selections"][0], record["pools"][0]
    page = opens(f"{served.url}#{made['proof']}")
    place = page.locator(".proof")
    expect(place.locator(".verdict")).to_have_text("The proof is whole: it leads to its root.")
    expect(place.locator(".published")).to_have_text(
        "This root was published by the house for the selection of 14:02, First, Saturday 7 October 2023, "
        f"with {SEATS} guests in its pool."
    )
    expect(place.locator(".refs")).to_contain_text(" ".join(made["ref"][i : i + 8] for i in (0, 8, 16, 24)))
    page.get_by_label("Root as printed").fill(f" {pool['root'][:4]} {pool['root'][4:12].upper()}")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#paper-says")).to_have_text("These 12 signs agree with the proof's root.")
    page.get_by_label("Root as printed").fill("0123456789")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#paper-says")).to_contain_text("They differ")


def test_a_forged_proof_and_one_of_another_house(served: Served, opens: Opens) -> None:
    proof = published(served)["selections"][0]["proof"]
    page = opens(f"{served.url}#{proof[:200]}{'B' if proof[200] == 'A' else 'A'}{proof[201:]}")
    expect(page.locator(".proof .verdict")).to_have_text("This proof does not hold.")
    expect(page.locator(".proof")).not_to_contain_text(CHECKED)
    vectors = json.loads((Path(__file__).resolve().parents[1] / "vectors" / "draw-record-vectors.json").read_text())
    page.goto(f"{served.url}#{vectors['proofs'][0]['text']}")
    expect(page.locator(".proof .published")).to_contain_text("No published draw has this root.")


# -- the front ------------------------------------------------------------------------------------------------------


def test_without_a_code_it_says_what_it_is_for_and_takes_one(served: Served, opens: Opens) -> None:
    page = opens(served.url)
    expect(page.locator("h1:visible")).to_have_text("Check a draw")
    go_on = page.get_by_role("button", name="Go on")
    code, fault = page.get_by_label("Code from your receipt"), page.locator("#code-fault")
    for text, says in (("", "This is no code"), ("hello", "This is no code"), ("abc123", "This key has 6 signs")):
        code.fill(text)
        go_on.click()
        expect(fault).to_contain_text(says)
    secret = served.core.secret(served.core.winners[0]).upper()
    code.fill(" ".join(secret[i : i + 4] for i in range(0, 64, 4)))
    go_on.click()
    expect(page.locator("#draw-fault")).to_contain_text("Pick the draw")
    page.get_by_label("Draw", exact=True).select_option(FIRST)
    go_on.click()
    types(page, served.core.winners[0])
    expect(page.locator(".mine .lit").first).to_be_visible()
    page.get_by_role("link", name="Check something else").first.click()
    code.fill(served.code(served.core.winners[0]))
    go_on.click()
    expect(page.get_by_label("Your member number")).to_be_visible()


def test_the_published_draws_with_their_roots_and_the_copy(served: Served, opens: Opens) -> None:
    record = published(served)
    page = opens(served.url)
    draw = page.locator("article")
    expect(draw).to_contain_text(record["terms"]["commitment"])
    draw.locator("summary").click()
    for shown in (*(one["root"] for one in record["pools"]), *(one["hash"] for one in record["checkpoints"])):
        expect(draw.locator(".more")).to_contain_text(" ".join(shown[i : i + 8] for i in range(0, 64, 8)))
    with page.expect_download() as coming:
        draw.get_by_role("link", name="Download the record").click()
    assert json.loads(coming.value.path().read_bytes()) == record
    expect(page.locator(".own pre")).to_contain_text("python3 verify.pyz record.json --key ")


def test_a_code_that_is_cut_and_a_draw_that_is_not_there(served: Served, opens: Opens) -> None:
    page = opens(f"{served.url}#s=abc&draw={FIRST}")
    expect(page.locator(".front .told")).to_have_text(
        "This address is not complete. Scan the code on the receipt again."
    )
    page.goto(f"{served.url}#s={'0' * 64}&draw=silverstar/other")
    expect(page.locator(".mine .told")).to_contain_text("There is no draw of this name.")
    expect(page.locator(".mine form")).to_be_hidden()


def test_a_draw_that_is_still_open_is_asked_for_again_without_another_scan(served: Served, opens: Opens) -> None:
    page = opens(served.url)
    said = {"code": "X_DRAW_OPEN", "sentence": "It is still open."}
    page.route("**/check/draw/**", lambda route: route.fulfill(status=409, json=said))
    page.goto(served.code(served.core.winners[0]))
    expect(page.locator(".mine .told")).to_have_text("It is still open.")
    page.unroute("**/check/draw/**")
    page.get_by_role("button", name="Try again").click()
    types(page, served.core.winners[0])
    expect(page.locator(".mine .lit").first).to_be_visible()


def test_without_a_network_it_says_so_and_goes_on_when_there_is_one(served: Served, opens: Opens) -> None:
    page = opens(served.url)
    page.context.set_offline(True)
    page.evaluate(f"location.hash = {json.dumps(served.core.fragment(served.core.winners[0]))}")
    expect(page.locator(".mine .told")).to_contain_text("could not be reached")
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    types(page, served.core.winners[0])
    expect(page.locator(".mine .lit").first).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("what", ["front", "mine", "found", "proof"])
def test_it_fits_and_axe_finds_nothing(served: Served, opens: Opens, size: str, what: str) -> None:
    fragment = {"front": "", "proof": "#" + published(served)["selections"][0]["proof"]}
    page = opens(served.url + fragment.get(what, "#" + served.core.fragment(served.core.leaver)), size)
    if what == "found":
        types(page, served.core.leaver)
        expect(page.locator(".row").first).to_be_visible()
    for summary in page.locator("summary:visible").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
    low = page.evaluate(
        "[...document.querySelectorAll('a.btn, button, input, select, summary')].filter((one) => one.checkVisibility()"
        " && one.getBoundingClientRect().height < 44).map((one) => one.outerHTML.slice(0, 90))"
    )
    assert low == []
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    assert [(one["id"], [node["html"][:160] for node in one["nodes"]]) for one in found] == []
