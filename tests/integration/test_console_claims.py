"""The console over the real engine: who has each claim since when, reviews, what has ended, the desk, the printers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from casino import Casino
from desk_words import (
    PEOPLE,
    announced,
    count,
    desk_casino,
    draw_on_behalf,
    held_prize,
    later,
    select_alone,
    sign,
)
from people_words import LERATO

from draw_engine.service import claims, printing, prizes, reviews
from kiosk.console.house import printer_lines
from kiosk.console.view import console_snapshot
from kiosk.printing.view import Printers
from kiosk.screens.view import House
from web_display.console_messages import ClaimRow, ConsoleSnapshot, EndedRow, StaffMember

Casinos = Callable[..., Casino]
STAFF = tuple(StaffMember(person, person.title(), role) for person, role in PEOPLE.items())
CHECKS = ["name", "card", "device", "owner"]


def told(casino: Casino) -> ConsoleSnapshot:
    return console_snapshot(casino.engine, House("Silverstar", "No persons under 18.", demo=False), STAFF)


def running(casino: Casino) -> ClaimRow:
    (row,) = told(casino).claims
    return row


def ended(casino: Casino) -> EndedRow:
    return told(casino).ended[0]


@pytest.fixture
def selected(casinos: Casinos) -> Casino:
    """Lerato plays alone and has just been selected; ten envelopes are in the trays."""
    casino = desk_casino(casinos, now="13:55")
    count(casino)
    select_alone(casino)
    return casino


def press(casino: Casino, verb: Callable[..., object], actor: str = "crew:kabelo", **more: object) -> None:
    verb(casino.engine, casino.draw(), 0, actor=actor, now=casino.engine.now(), **more)


def wait(casino: Casino, seconds: int) -> None:
    casino.go(casino.engine.now() + 1000 * seconds)


def test_who_has_a_claim_and_since_when(selected: Casino) -> None:
    opened = selected.engine.now()
    row = running(selected)
    assert (row.state_sentence, row.crew, row.since, row.acts) == ("Not taken yet", "", opened, ("void",))
    wait(selected, 5)
    press(selected, claims.take)
    row = running(selected)
    assert (row.state_sentence, row.crew, row.since) == ("Crew on the way", "Kabelo", opened + 5_000)
    wait(selected, 5)
    press(selected, claims.hand_over, to="crew:ayanda")
    assert (running(selected).crew, running(selected).since) == ("Ayanda", opened + 5_000)
    press(selected, claims.not_there, actor="crew:ayanda")
    row = running(selected)
    assert (row.state_sentence, row.since, row.deadline_at) == ("Not there: to be announced", opened + 10_000, None)
    wait(selected, 2)
    press(selected, claims.announce, actor="stage:mandla")
    row = running(selected)
    assert (row.state, row.deadline_at, row.since) == ("announced", opened + 102_000, opened + 12_000)


def test_what_comes_next_is_said_up_to_the_signature(selected: Casino) -> None:
    press(selected, claims.take)
    press(selected, claims.found)
    assert running(selected).state_sentence == "Found at the device"
    press(selected, claims.check, checks=CHECKS, identification="")
    assert running(selected).state_sentence == "Checked: envelope next"
    assert running(selected).acts == ("void",)
    press(selected, claims.envelope, pocket="E-0003")
    assert running(selected).acts == ("exchange", "void")
    assert running(selected).state_sentence == "Envelope drawn: amount and signature next"


def test_a_review_is_to_be_decided_and_not_voided(selected: Casino) -> None:
    selected.engine.interrupted = lambda *_of: "SS_STAGE_UNHEARD"
    announced(selected, 0)
    wait(selected, 91)
    row = running(selected)
    assert (row.state_sentence, row.acts, row.deadline_at) == ("Waits for two people", ("decide",), None)
    assert row.review.startswith("No tablet of the stage was heard when the time ran out at 14:")
    now = selected.engine.now()
    reviews.decide(
        selected.engine, selected.draw(), 0, "present", by="nomvula", second="themba", reason="both saw her", now=now
    )
    row = running(selected)
    assert (row.state_sentence, row.review, row.acts) == ("Presented in time", "", ("void",))


def test_paid_at_the_device(selected: Casino) -> None:
    press(selected, claims.take)
    press(selected, claims.found)
    press(selected, claims.check, checks=CHECKS, identification="")
    press(selected, claims.envelope, pocket="E-0003")
    press(selected, claims.pay, amount=75_000, signature={"width": 9, "height": 9, "strokes": [[[1, 1], [2, 2]]]})
    row = ended(selected)
    assert (row.outcome, row.outcome_text, row.detail) == ("confirmed", "Confirmed", "R\u00a0750, envelope E-0003")
    assert (row.award, row.attempt, row.crew, row.acts) == (1, 1, "Kabelo", ("void", "reselect"))
    assert (row.announced_text, row.presented_text) == ("", "")
    assert row.guest == "Lerato Dlamini ···0003"


def test_how_much_was_left_when_the_guest_came(selected: Casino) -> None:
    announced(selected, 0)
    wait(selected, 51)
    now = selected.engine.now()
    claims.present(selected.engine, selected.draw(), 0, actor="stage:mandla", stamped_at=now, now=now)
    press(selected, claims.mismatch, reason="card")
    row = ended(selected)
    assert (row.presented_text, row.outcome_text, row.detail) == (
        "39\u00a0s left",
        "Wrong person on the card",
        "selected again",
    )
    assert row.acts == ()  # what did not fill its award cannot be voided


def test_two_tries_of_one_award_are_told_apart_newest_first(selected: Casino) -> None:
    press(selected, claims.take)
    press(selected, claims.other_person)
    selected.rated("100001", seat="5")
    selected.send()
    wait(selected, 40)
    assert running(selected).award == 1
    selected.draw().state.running()
    draw, now = selected.draw(), selected.engine.now()
    reviews.void(
        selected.engine, draw, 1, by="nomvula", second="themba", reason="machine out of order", reselect=False, now=now
    )
    newest, oldest = told(selected).ended
    assert (newest.award, newest.attempt, newest.outcome_text, newest.detail) == (
        1,
        2,
        "Voided",
        "not selected again",
    )
    assert (oldest.attempt, oldest.outcome_text) == (1, "Wrong person on the card")


def test_a_held_one_may_be_voided(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    row = ended(casino)
    assert (row.outcome_text, row.state, row.acts) == ("Held", "held", ("void", "reselect"))


def test_nobodys_papers_are_on_the_console(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    everything = repr(told(casino).as_json())
    assert not any(word in everything for word in ("8503120001088", "0820000001", LERATO))


# -- the desk and the printers ----------------------------------------------------------------------------------


def desk_lines(casino: Casino) -> dict[str, str]:
    return {line.id: line.sentence for line in told(casino).desk}


def test_the_desk_in_words(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:50")
    assert desk_lines(casino) == {
        "register": "The register is open until 14:00.",
        "held": "No prize is held.",
        "trays": "The trays are empty: no claim can be paid.",
    }
    later(casino, "14:05")
    assert desk_lines(casino)["register"] == "The register is closed. It opens at 14:10."
    later(casino, "14:20")
    assert desk_lines(casino)["register"] == "The register is open until 14:30."
    later(casino, "14:30")
    assert desk_lines(casino)["register"] == "The register is closed. It opens Saturday 14 October, 08:00."


def test_held_prizes_are_counted_by_what_is_to_be_done(casinos: Casinos) -> None:
    casino = held_prize(casinos, drawn=False)
    found = desk_lines(casino)
    assert (found["to_draw"], "held" in found) == ("1 envelope is still to be drawn for a guest.", False)
    draw_on_behalf(casino)
    found = desk_lines(casino)
    assert (found["held"], found["trays"]) == ("1 prize waits for its guest.", "9 envelopes are in the trays.")
    later(casino, "2023-10-23 08:00")
    prizes.expire_due(casino.engine, casino.engine.now())
    found = desk_lines(casino)
    assert (found["to_return"], "held" in found) == ("1 envelope is to be given back.", False)


def test_slips_that_wait_for_a_person_are_bad_news(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:50")
    sign(casino, LERATO)
    now = casino.engine.now()
    lines = printer_lines(casino.engine, Printers(), now)
    assert [(line.id, line.state, line.sentence) for line in lines] == [
        ("waiting", "fine", "1 slip waits for a printer."),
        ("none", "warn", "No printer is set up in site.toml."),
    ]
    taken = printing.take(casino.engine, "desk-1", ["slips"], now, ask="one")
    assert taken is not None
    printing.report(casino.engine, taken.id, printer="desk-1", attempt=1, outcome="unknown", detail="", now=now)
    first = printer_lines(casino.engine, Printers(), now)[0]
    assert (first.state, first.sentence, first.href) == (
        "bad",
        "1 slip waits for a person: did it come out?",
        "/desk#slips",
    )
