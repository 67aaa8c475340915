"""The draw log of a session that people worked: its pages against the log's own entries, read here by SQL."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from casino import MEMBERS, POSITIONS
from draw_log_core import CAME_AFTER_MS, DrawLogCore
from draw_log_read import DRAW, Midway, hours, log_of, rows_of, selections, text_of
from loopback import FIRST

from draw_engine.canonical import parse_time

TIERS = {row["member"]: row["tier"] for row in csv.DictReader(io.StringIO(MEMBERS))}
ZONES = {row["position"]: row["zone"] for row in csv.DictReader(io.StringIO(POSITIONS))}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[DrawLogCore]:
    made = DrawLogCore(tmp_path_factory.mktemp("draw-log"), migrated)
    seen: list[Midway] = []
    made.midway = lambda: seen.append(Midway(made))
    made.play_day()
    made.midway_seen = seen  # type: ignore[attr-defined]
    yield made
    made.close()


@pytest.fixture(scope="module")
def midway(place: DrawLogCore) -> Midway:
    (seen,) = place.midway_seen  # type: ignore[attr-defined]
    return seen


# -- the list -------------------------------------------------------------------------------------------------------


def test_the_story_is_the_one_the_tests_stand_on(place: DrawLogCore) -> None:
    endings = [one["ending"]["kind"] for _, one in sorted(selections(place).items())]
    assert endings == ["claim.confirmed", "claim.not_rightful_card", "claim.held", "claim.confirmed"]


def test_every_selection_of_the_log_is_a_row_with_what_the_log_says(place: DrawLogCore) -> None:
    rows = {int(row["ordinal"]): row for row in rows_of(place)}
    told = selections(place)
    assert rows.keys() == told.keys()
    tries = Counter[int]()
    for n, one in sorted(told.items()):
        row = rows[n]
        tries[one["place"]] += 1
        attempt = tries[one["place"]]
        assert row["selected"] == hours(one["at"])
        assert row["award"] == (str(one["place"]) if attempt == 1 else f"{one['place']}, try {attempt}")
        assert row["position"] == one["position"]
        assert (row["tier"], row["zone"]) == (TIERS[one["member"]], ZONES[one["position"]])
        assert row["outcome"] == one["ending"]["kind"].removeprefix("claim.")
        assert row["ended"] == hours(one["ending"]["at"])
        announced = one["kinds"].get("claim.announced")
        assert row["announced"] == (hours(announced["at"]) if announced else "")
        assert row["announcer"] == ("Zodwa" if announced else "")
        pocket = one["kinds"].get("envelope.drawn", {"data": {"pocket": ""}})["data"]["pocket"]
        assert row["pocket"] == (pocket or ("E-0003" if n == 2 else ""))
        assert row["register"].startswith("Entry ")


def test_the_seconds_left_are_the_deadline_less_the_press(place: DrawLogCore) -> None:
    one = selections(place)[1]["kinds"]
    ms = parse_time(one["claim.announced"]["data"]["deadline_at"]) - parse_time(
        one["claim.presented"]["data"]["presented_at"]
    )
    assert ms // 1000 == (90_000 - CAME_AFTER_MS) // 1000
    assert {row["ordinal"]: row["left"] for row in rows_of(place) if row["left"]} == {"1": f"{ms // 1000}\u00a0s left"}


def test_why_a_claim_ended_so_has_its_code(place: DrawLogCore) -> None:
    codes = {row["ordinal"]: row["code"] for row in rows_of(place)}
    assert codes == {"0": "", "1": "SS_CARD_MISMATCH", "2": "SS_NO_SHOW_REGISTERED", "3": ""}
    assert {row["ordinal"]: row["contacts"] for row in rows_of(place) if row["contacts"]} == {
        "2": "2 attempts to reach the guest"
    }


@pytest.mark.parametrize("name", ["outcome", "award", "position", "pocket", "tier", "zone"])
def test_a_filter_leaves_what_the_log_says_of_it(place: DrawLogCore, name: str) -> None:
    every = rows_of(place)
    for value in {row[name] for row in every if row[name] and "try" not in row[name]}:
        asked_for = "award" if name in {"position", "pocket"} else name
        wanted = [row for row in every if row[name].partition(",")[0] == value]
        assert rows_of(place, **{asked_for: value}) == wanted, value
    assert len({row[name] for row in every}) >= (1 if name == "zone" else 2)


def test_filters_of_time_crew_and_draw(place: DrawLogCore) -> None:
    every = rows_of(place)
    assert rows_of(place, first_day="2023-10-07", last_day="2023-10-07") == every
    assert rows_of(place, first_day="2023-10-08") == rows_of(place, last_day="2023-10-06") == []
    assert rows_of(place, crew="crew:kabelo") == every
    assert rows_of(place, crew="crew:nobody") == rows_of(place, draw="other") == rows_of(place, zone="PRIVE") == []
    assert rows_of(place, session="playtime/first", draw=FIRST) == every
    assert rows_of(place, session="playtime/second") == []
    assert rows_of(place, award="first") == every  # the draw's title
    assert rows_of(place, award="%") == rows_of(place, award="' OR 1=1 --") == []


def test_a_page_is_as_long_as_it_may_be_and_leads_on(place: DrawLogCore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kiosk.draw_log.routes.PAGE_ROWS", 3)
    client = place.client_of("wim")
    first, second = (client.get(f"/console/draws?page={n}&crew=crew:kabelo").text for n in (1, 2))
    found = [re.findall(rf'"{DRAW}/selections/(\d+)"', page) for page in (first, second)]
    assert found == [["3", "2", "1"], ["0"]]
    assert 'href="/console/draws?crew=crew%3Akabelo&amp;page=2"' in first
    assert "Page 2 of 2" in text_of(second)
    assert "4 selections" in text_of(second)
    for page in ("0", "-1", "99", "x", "9" * 40):
        assert client.get(f"/console/draws?page={page}").status_code == 200


def test_the_list_of_draws_counts_as_the_log_does(place: DrawLogCore) -> None:
    (opened,), (closed,) = log_of(place, "draw.opened"), log_of(place, "draw.closed")
    said = text_of(place.client_of("wim").get("/console/draws?show=draws").text)
    assert "1 draw " in said
    assert f"Closed at {hours(closed['at'])} 3 of 3 awards filled, 4 selections" in said
    assert f"Entries {opened['seq']} to {closed['seq']}" in said


# -- one draw -------------------------------------------------------------------------------------------------------


def test_a_draws_page_has_every_try_of_every_award_in_its_order(place: DrawLogCore) -> None:
    page = place.client_of("zanele").get(DRAW).text
    rows = [(one["place"], n) for n, one in selections(place).items()]
    assert re.findall(rf'"{DRAW}/selections/(\d+)"', page) == [str(n) for _, n in sorted(rows)]
    terms = log_of(place, "draw.opened")[0]["data"]
    said = text_of(page)
    for entry in log_of(place, "prize.contacted"):  # SS-115: the contact log
        when = f"7 October {hours(entry['at'])[:5]}"
        outcome = entry["data"]["outcome"].replace("_", " ")
        assert f"{when} Telephone: {outcome}, Lindiwe" in said
    assert "<dt></dt>" not in page
    assert terms["commitment"] in said
    assert terms["rules_sha256"] in said
    record = zipfile.ZipFile(io.BytesIO(place.client_of("wim").get(f"/draws/{FIRST}/record.zip").data))
    assert json.loads(record.read("record.json"))["house_seed"] in said


def test_nothing_of_an_open_draw_tells_what_is_to_come(midway: Midway) -> None:
    assert midway.to_come
    for page in [*midway.pages, json.dumps(midway.verified)]:
        assert midway.seed not in page
        for due in midway.to_come:
            for told in (hours(due), str(due), f"{due % 1000:03d}Z"):
                assert told not in page
    assert "Sealed until the draw closes" in text_of(midway.pages[0])
    assert "To come: award" in text_of(midway.pages[0])
    assert "How the ticket follows" not in text_of(midway.pages[1])
    assert midway.copy.status_code == 409


# -- one selection --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ordinal", range(4))
def test_a_selections_page_has_every_entry_about_it(place: DrawLogCore, ordinal: int) -> None:
    made = selections(place)[ordinal]
    about = [
        entry
        for entry in log_of(place)
        if entry["data"].get("ordinal") == ordinal
        or (entry["data"].get("of"), entry["data"].get("claim")) == (FIRST, f"c{ordinal}")
        or (entry["kind"] == "pool.frozen" and entry["data"]["id"] == made["pool"])
        or (entry["kind"] == "pool.judged" and entry["data"]["pool"] == made["pool"])
    ]
    page = place.client_of("zanele").get(f"{DRAW}/selections/{ordinal}").text
    table = page.partition('id="entries"')[2]
    assert re.findall(r"<summary>([0-9a-f]{64})</summary>", table) == [entry["hash"] for entry in about]
    assert re.findall(r'data-head="Entry">(\d+)<', table) == [str(entry["seq"]) for entry in about]
    assert "<dt></dt>" not in page
    steps = re.findall(r"<li><time>", page.partition('id="happened"')[2].partition("</ol>")[0])
    assert len(steps) == len(about) - 2  # the judging is said with its pool, the claim's opening with its selection


def test_a_selections_page_says_what_its_pool_was(place: DrawLogCore) -> None:
    for n, one in selections(place).items():
        said = text_of(place.client_of("zanele").get(f"{DRAW}/selections/{n}").text)
        frozen = next(entry for entry in log_of(place, "pool.frozen") if entry["data"]["id"] == one["pool"])["data"]
        assert frozen["root"] in said
        assert f"{frozen['size']} guests, one entry each" in said
        assert f"{one['ticket']} of {frozen['total']}, counted from 0" in said
        for code, count in frozen["left_out"].items():
            assert re.search(rf"{code} {count} ", said)
        assert f"x modulo {frozen['total']} {one['ticket']} " in said


def test_the_tries_of_an_award_lead_to_one_another(place: DrawLogCore) -> None:
    page = place.client_of("zanele").get(f"{DRAW}/selections/2").text
    tries = page.partition('id="attempts"')[2].partition("</ol>")[0]
    assert re.findall(r"selections/(\d+)", tries) == ["1"]
    assert tries.count("<li") == 2
    assert "Again, after selection 1" in text_of(page)


def test_the_held_prize_and_its_search_are_there_without_a_number(place: DrawLogCore) -> None:
    said = text_of(place.client_of("zanele").get(f"{DRAW}/selections/2").text)
    for sentence in (
        "Pocket E-0003 drawn for the absent guest, before a witness. Nomvula and Themba",
        "Telephone: no answer. Lindiwe, customer services",
        "Held, to be collected by Sunday 22 October 2023",  # 7 October and 15 days
        "envelope label, waits for a printer",
    ):
        assert sentence in said
    assert "0820000001" not in said


def test_a_page_names_nobody_in_full(place: DrawLogCore) -> None:
    pages = [place.client_of("nomvula").get(f"{DRAW}/selections/{n}").text for n in range(4)]
    for row in csv.DictReader(io.StringIO(MEMBERS)):
        for page in pages:
            assert row["last_name"] not in page
            assert row["member"] not in page


def test_what_is_not_there_is_said(place: DrawLogCore) -> None:
    client = place.client_of("zanele")
    assert client.get("/console/draws/no/such").get_json()["code"] == "X_NO_SUCH_DRAW"
    assert client.get(f"{DRAW}/selections/4").get_json()["code"] == "X_NO_SUCH_CLAIM"
    assert client.get("/console/draws?first_day=yesterday").get_json()["code"] == "X_VALUE_WRONG"
