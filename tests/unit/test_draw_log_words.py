"""The draw log's words and arithmetic: against the record's vectors, the mock-up's picture and the log's vocabulary."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import fields, replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from draw_engine import verdicts
from draw_engine.canonical import format_time
from draw_engine.errors import Refused
from draw_engine.log import Entry
from draw_engine.log_kinds import KINDS
from draw_engine.service.prize_ports import EnvelopeRow
from kiosk.console import words as console_words
from kiosk.desk import words as desk_words
from kiosk.draw_log import words as draw_log_words
from kiosk.draw_log.as_csv import COLUMNS, as_csv, safe_cell
from kiosk.draw_log.pool import arithmetic, pool_words, strip
from kiosk.draw_log.steps import _EVENTS, _QUIET, steps
from kiosk.draw_log.view import DrawFacts, People, RowWords, read_filters
from web_display.catalogue import add_words

TOP = Path(__file__).resolve().parents[2]
VECTORS = json.loads((TOP / "tests" / "vectors" / "draw-record-vectors.json").read_text())
SEED = bytes.fromhex(VECTORS["house_seed"])
NOON = 1_696_680_000_000
"""Saturday 7 October 2023, 14:00 in Johannesburg."""
WORDS = draw_log_words.ENGLISH

for table in (console_words.ENGLISH, desk_words.ENGLISH, draw_log_words.ENGLISH):
    add_words(table)


class Nobody(People):
    """The house's people without a database."""

    def __init__(self) -> None:
        self._names = {
            "lerato": "Lerato Dlamini",
            "bongani": "Bongani Tau",
            "naledi": "Naledi Khumalo",
            "ruan": "Ruan V",
        }


def facts(**changed: object) -> DrawFacts:
    said = {
        "id": "silverstar/playtime/2023-10-07/first",
        "title": "Session 1",
        "session": "playtime/first",
        "day": date(2023, 10, 7),
        "zone": "Africa/Johannesburg",
        "currency": "ZAR",
        "named": "first_initial_last4",
        "places": tuple(range(1, 36)),
        "opened_at": NOON,
        "opened_seq": 10,
        "closed_at": None,
        "closed_seq": None,
    }
    return DrawFacts(**(said | changed))  # type: ignore[arg-type]


def entry(kind: str, data: dict[str, object], *, at: int = NOON, actor: str = "crew:lerato", seq: int = 20) -> Entry:
    return Entry(seq, at, kind, facts().id, actor, data, "00" * 16, "0" * 64, "0" * 64, "1" * 64)


def said(*entries: Entry) -> list[tuple[str, str, str]]:
    return [(step.sentence, step.who, step.code) for step in steps(facts(), Nobody(), entries)]


# -- words ----------------------------------------------------------------------------------------------------------


def test_every_kind_that_tells_of_a_claim_has_a_sentence() -> None:
    about = {
        kind
        for kind, members in KINDS.items()
        if {"claim", "ordinal"} <= set(members) or "of" in members or kind in {"pool.frozen", "selection.made"}
    }
    for kind in sorted(about - _QUIET):
        assert any(key == f"draws.step.{kind}" or key.startswith(f"draws.step.{kind}.") for key in WORDS), kind


def test_every_event_of_a_draw_has_a_sentence_and_every_reason_to_wait_a_word() -> None:
    assert {f"draws.event.{kind}" for kind in _EVENTS} <= set(WORDS)
    reasons = {"stale_feed", "empty_pool", "clock", "paused", "outage", "queue", "carried", "session_end", "unfilled"}
    assert {f"draws.why.{reason}" for reason in reasons} <= set(WORDS)


def test_every_reason_to_be_left_out_has_the_staffs_word() -> None:
    codes = set(verdicts._SENTENCES) - {verdicts.IN}
    assert {f"draws.reason.{code}" for code in codes} <= set(WORDS)


def test_every_state_of_an_envelope_has_a_word() -> None:
    states = re.findall(r"[a-z_]+", (EnvelopeRow.__doc__ or "").partition("`state`:")[2])
    assert states[0] == "tray"
    assert {f"draws.envelope.{state}" for state in states} <= set(WORDS)


def test_every_word_of_the_pages_is_in_the_catalogue() -> None:
    named = set()
    for file in (TOP / "kiosk" / "templates").glob("draw_log*.html"):
        named |= set(re.findall(r"\bwords\.(\w+)", file.read_text(encoding="utf-8")))
    for file in (TOP / "kiosk" / "static").glob("draw_log*.js"):
        named |= set(re.findall(r'\bsay\("(\w+)"', file.read_text(encoding="utf-8")))
    assert len(named) > 60
    assert {f"page.draw_log.{name}" for name in named} <= set(WORDS)


# -- steps ----------------------------------------------------------------------------------------------------------


def test_the_steps_of_a_claim_read_as_the_floor_tells_them() -> None:
    deadline = format_time(NOON + 90_000)
    claim = {"claim": "c5", "ordinal": 5}
    told = said(
        entry("claim.taken", claim),
        entry("claim.arrived", claim | {"arrival": "not_there"}),
        entry("claim.announced", claim | {"deadline_at": deadline}, actor="stage:bongani"),
        entry("claim.presented", claim | {"presented_at": format_time(NOON + 50_001)}, actor="stage:bongani"),
        entry("claim.checked", claim | {"checks": ["name", "card", "owner", "stage"], "identification": "sa_id"}),
        entry("envelope.drawn", claim | {"pocket": "C-17"}),
        entry("claim.confirmed", claim | {"prize": 85_000}),
    )
    assert told == [
        ("Taken.", "Lerato Dlamini, crew", ""),
        ("At the machine: not here.", "Lerato Dlamini, crew", "SS_NOT_AT_DEVICE"),
        ("Announced. Time until 14:01:30.", "Bongani Tau, stage", ""),
        ("Presented at the stage, 39\u00a0s left.", "Bongani Tau, stage", ""),
        (
            "Agree: name, card, rightful owner and presence at the stage. Identification: South African ID.",
            "Lerato Dlamini, crew",
            "",
        ),
        ("Pocket C-17 scanned.", "Lerato Dlamini, crew", ""),
        ("Signed on the glass: R\u00a0850. Confirmed.", "Lerato Dlamini, crew", ""),
    ]


def test_what_two_people_decide_names_both_and_their_reason() -> None:
    claim = {"claim": "c5", "ordinal": 5}
    two = ["manager:naledi", "manager:ruan"]
    told = said(
        entry("claim.review", claim | {"reason": "SS_STAGE_UNHEARD"}, actor="engine", seq=30),
        entry("claim.review_reason", claim | {"reason": "both saw her"}, actor="manager:naledi", seq=31),
        entry("claim.reviewed", claim | {"decision": "present", "by": two}, actor="manager:naledi", seq=32),
        entry("claim.voided", claim | {"prize": None, "by": two, "reason": "paid twice", "reselect": False}, seq=33),
    )
    assert told == [
        (
            "Put to two people: no tablet of the stage was heard when the time ran out.",
            "Floordraw itself",
            "SS_STAGE_UNHEARD",
        ),
        (
            "Two people: the guest was there in time. Their reason: both saw her.",
            "Naledi Khumalo and Ruan V",
            "",
        ),
        ("Voided, the award given up. Reason: paid twice.", "Naledi Khumalo and Ruan V", ""),
    ]


def test_a_press_after_the_deadline_is_shown_as_late() -> None:
    claim = {"claim": "c5", "ordinal": 5}
    told = said(
        entry("claim.announced", claim | {"deadline_at": format_time(NOON + 90_000)}),
        entry("press.refused", {"verb": "present", "claim": "c5", "code": "SS_LATE_AFTER_90S"}),
        entry("claim.expired", claim | {"prize": None}, actor="engine"),
    )
    assert [code for _, _, code in told] == ["", "SS_LATE_AFTER_90S", "SS_NO_SHOW_NOT_REGISTERED"]


def test_a_step_of_another_day_says_its_day() -> None:
    later = entry("prize.overdue", {"of": facts().id, "claim": "c5"}, at=NOON + 16 * 86_400_000, actor="engine")
    (step,) = steps(facts(), Nobody(), [later])
    assert step.time == "23 October, 14:00:00"


# -- the pool -------------------------------------------------------------------------------------------------------


def frozen(left_out: dict[str, int], root: str = "dc3782eb" + "00" * 24 + "3f059e12") -> Entry:
    data = {"id": "p5", "size": 412, "total": "412", "root": root, "left_out": left_out, "journal": None, "basis": None}
    return entry("pool.frozen", data)  # type: ignore[arg-type]


def test_who_was_left_out_is_counted_by_persons_and_further_cards_apart() -> None:
    words = pool_words(facts(), frozen({"SS_NOT_ACTIVE": 38, "SS_TIER_NOT_TARGETED": 611, "SS_OTHER_CARD_COUNTED": 3}))
    assert words.headline == ("Left out: 649 guests, each with one reason; 3 further cards of guests who were in")
    assert [(one.code, one.guests, one.share) for one in words.left_out] == [
        ("SS_TIER_NOT_TARGETED", 611, 40),
        ("SS_NOT_ACTIVE", 38, 2),
        ("SS_OTHER_CARD_COUNTED", 3, 1),
    ]
    assert words.root_short == "dc37 82eb … 3f05 9e12"
    assert pool_words(facts(), frozen({})).headline == "Nobody was left out"


def test_a_roots_strip_is_the_mock_ups() -> None:
    """The look's picture of the root dc37 82eb: bars 38.5, 11, 27.5 and 44 high, 12 apart, a gap after each eight."""
    drawn = strip("dc3782eb" + "00" * 28)
    assert drawn[:4] == ((0, 38.5), (12, 11.0), (24, 27.5), (36, 44.0))
    assert [x for x, _ in drawn][7:9] == [84, 106]
    assert len(drawn) == 32


@pytest.mark.parametrize("pool", VECTORS["pools"][1:], ids=lambda pool: pool["name"])
def test_the_arithmetic_shown_leads_to_the_ticket_of_the_records_vectors(pool: dict[str, Any]) -> None:
    data = {"root": pool["root"], "size": pool["size"], "total": pool["total"]}
    for chosen in pool["selections"]:
        texts = chosen["public"]
        made = entry("selection.made", {"ordinal": chosen["ordinal"], "public_count": len(texts)})
        made = replace(made, draw=VECTORS["draw"])
        shown = arithmetic(SEED, made, entry("pool.frozen", data), [*texts, "given later"])
        assert shown[-1].value == chosen["ticket"]


# -- filters and files ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [{"first_day": "7 October"}, {"last_day": "2023-13-01"}, {"last_day": "20231007"}])
def test_a_day_that_is_none_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(Refused, match="X_VALUE_WRONG"):
        read_filters(given)


def test_filters_are_taken_as_they_are_named() -> None:
    asked = read_filters({"crew": "crew:lerato", "outcome": "held", "page": "3", "first_day": "2023-10-07"})
    assert asked.asked() == {"crew": "crew:lerato", "outcome": "held", "first_day": "2023-10-07"}
    with pytest.raises(Refused, match="X_VALUE_WRONG"):
        read_filters({"outcome": "won"})


@pytest.mark.parametrize(
    "cell", ["=1+1", "+27820000001", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1", "\uff1d1", "|c"]
)  # fmt: skip
def test_no_cell_is_a_formula(cell: str) -> None:
    assert safe_cell(cell) == f"'{cell}"


@pytest.mark.parametrize("cell", ["", "S-0412", "39\u00a0s left", "R\u00a0750", "14:18:05", "2, try 2"])
def test_a_cell_that_is_none_stays_as_it_is(cell: str) -> None:
    assert safe_cell(cell) == cell


def test_a_file_is_read_back_as_it_was_shown() -> None:
    row = RowWords(**{one.name: f'a "{one.name}",\n' for one in fields(RowWords)} | {"ordinal": 7, "guest": "=Eve"})
    text = as_csv([row])
    assert text.startswith("\ufeff")
    (head, cells) = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    assert tuple(head) == COLUMNS
    assert dict(zip(head, cells, strict=True))["guest"] == "'=Eve"
    assert dict(zip(head, cells, strict=True))["ordinal"] == "7"
    assert not {"href", "mark"} & set(head)
