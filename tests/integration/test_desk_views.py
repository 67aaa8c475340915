"""What the desks' page shows of the real engine: register, held prizes, envelopes, slips; and what it never shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from casino import Casino
from desk_words import (
    PEOPLE,
    count,
    desk_casino,
    draw_on_behalf,
    hand_over,
    held_prize,
    later,
    move,
    select_alone,
    sign,
    take_over,
    withdraw,
)
from people_words import LERATO, PIETER, THANDI, THANDI_SECOND
from small_book import FIRST, Session, book_toml

from draw_engine.errors import Refused
from draw_engine.service import cash, claims, envelopes, house, printing, prizes, reviews
from draw_engine.service.prize_ports import CashCountRow
from kiosk.desk import held_view as desk_held_view
from kiosk.desk.guest import guest_of, number_of
from kiosk.desk.tray_view import ranges
from kiosk.desk.view import desk_names, desk_phase, desk_snapshot
from kiosk.printing.view import UNHEARD_MS, Printers
from kiosk.screens.view import House
from web_display.console_messages import StaffMember

Casinos = Callable[..., Casino]


@dataclass(frozen=True)
class PrinterSettings:
    """A printer as `site.toml` has it."""

    id: str
    title: str
    uses: tuple[str, ...]
    device: str
    path: str | None
    token_sha256: str | None


STAFF = tuple(StaffMember(person, person.title(), role) for person, role in PEOPLE.items())


def shown(casino: Casino) -> dict[str, Any]:
    return dict(desk_snapshot(casino.engine, House("Silverstar", "No persons under 18.", demo=False), STAFF))


def the_line(casino: Casino) -> dict[str, Any]:
    (line,) = shown(casino)["held"]
    return dict(line)


def happened(casino: Casino) -> list[dict[str, str]]:
    return desk_held_view.happened(casino.engine, casino.draw().state.id, 0, STAFF)


# -- the register -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "is_open", "sentence", "covers"),
    [
        ("07:59:59", False, "Opens at 08:00", ["first", "second"]),
        ("08:00", True, "Open until 14:00", ["first", "second"]),
        ("13:59:59.999", True, "Open until 14:00", ["first", "second"]),
        ("14:00:00.000", False, "Opens at 14:10", ["second"]),
        ("14:10:00.000", True, "Open until 14:30", ["second"]),
        ("14:30:00.000", False, "Opens Saturday 14 October, 08:00", ["first", "second"]),
    ],
)
def test_whether_it_is_open_and_until_when(
    casinos: Casinos,
    now: str,
    is_open: bool,  # noqa: FBT001 - a table's column
    sentence: str,
    covers: list[str],
) -> None:
    found = shown(desk_casino(casinos, now=now))["register"]
    assert (found["open"], found["sentence"], found["covers"]) == (is_open, sentence, covers)
    assert found["keeps_text"] == "For a guest who will not come when called. A prize is then kept 15 days."


def test_after_the_last_day_it_says_so(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:00")
    later(casino, "2023-12-09 14:30")
    found = shown(casino)["register"]
    assert (found["open"], found["sentence"]) == (False, "No more register days in this promotion")


def test_an_entry_is_shown_by_name_and_its_withdrawal_beside_it(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:50")
    first = sign(casino, PIETER)
    casino.at("13:52:30")
    second = sign(casino, LERATO)
    withdraw(casino, first)
    assert shown(casino)["entries"] == [
        {
            "entry": first,
            "guest": "Pieter van der Merwe",
            "last4": "0002",
            "signed_text": "13:50:00",
            "clerk": "Bheki",
            "withdrawn_text": "Withdrawn at 13:52",
        },
        {
            "entry": second,
            "guest": "Lerato Dlamini",
            "last4": "0003",
            "signed_text": "13:52:30",
            "clerk": "Bheki",
            "withdrawn_text": "",
        },
    ]


def test_no_paper_number_or_contact_is_in_any_message(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    prizes.contact(
        casino.engine, casino.draw(), 0, channel="phone", outcome="no_answer", by="bheki", now=casino.engine.now()
    )
    told = json.dumps([shown(casino), happened(casino)])
    for private in ("8503120001088", "0820000001", "082 000 0001", LERATO, "1979"):
        assert private not in told


def test_time_alone_changes_the_phase_when_it_changes_what_is_shown(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:00")
    seen = []
    for time in ("13:00", "13:59:59.999", "14:00", "14:09", "14:10", "14:29", "14:30", "23:59", "2023-10-08 00:00"):
        later(casino, time)
        seen.append(desk_phase(casino.engine, casino.engine.now()))
    changes = [before != after for before, after in pairwise(seen)]
    assert changes == [False, True, False, True, False, True, False, True]


def test_a_printer_that_falls_silent_changes_the_phase(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:00")
    printers = Printers([PrinterSettings("desk-1", "Rewards desk", ("slips",), "file", None, None)])
    now = casino.engine.now()
    never = desk_phase(casino.engine, now, printers)
    printers.heard["desk-1"] = now
    heard = desk_phase(casino.engine, now, printers)
    assert heard != never
    assert desk_phase(casino.engine, now + UNHEARD_MS, printers) == heard
    assert desk_phase(casino.engine, now + UNHEARD_MS + 1, printers) == never


# -- finding a guest --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("100001", "100001"),
        (" 100001 ", "100001"),
        (";70100001=29121010000000000?", "70100001"),
        ("%B70100001^MOKOENA/THANDI^2912?", "70100001"),
        ("%100001?", "100001"),
        ("", ""),
    ],
)
def test_a_reader_types_more_than_the_number(typed: str, number: str) -> None:
    assert number_of(typed) == number


def test_a_guest_is_found_by_number_and_by_the_card_that_plays(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:50")
    casino.sits(THANDI, "S-0412", card="70100001")
    casino.send()
    by_number, by_card = guest_of(casino.engine, THANDI), guest_of(casino.engine, ";70100001=2912?")
    assert by_number == by_card
    assert (by_number.name, by_number.tier, by_number.last4, by_number.signed_text) == (
        "Thandi Mokoena",
        "Gold",
        "0001",
        "",
    )


def test_an_entry_under_one_number_is_seen_under_the_other(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:50")
    entry = sign(casino, THANDI)
    assert guest_of(casino.engine, THANDI_SECOND).signed_text == "13:50"
    withdraw(casino, entry)
    assert guest_of(casino.engine, THANDI_SECOND).signed_text == ""


@pytest.mark.parametrize("typed", ["", "999999", "x" * 129, "\u0661", "%", ";?"])
def test_who_is_no_member_is_not_found(casinos: Casinos, typed: str) -> None:
    casino = desk_casino(casinos, now="13:50")
    with pytest.raises(Refused) as refused:
        guest_of(casino.engine, typed)
    assert refused.value.code == "SS_REGISTER_NOT_PARTICIPANT"
    assert "999999" not in refused.value.sentence


# -- held prizes ------------------------------------------------------------------------------------------------


def test_a_held_prize_from_the_tray_to_the_desk(casinos: Casinos) -> None:
    casino = held_prize(casinos, drawn=False)
    line = the_line(casino)
    assert (line["state"], line["acts"], line["custody_text"], line["pocket"]) == (
        "to_draw",
        ["draw", "contact"],
        "Promotions",
        "",
    )
    assert (line["guest"], line["last4"], line["claim"], line["award"]) == ("Lerato Dlamini", "0003", "c0", 1)
    assert (line["of"], line["claim_by_text"], line["days_text"]) == (
        "first, Saturday 7 October",
        "Sunday 22 October",
        "15 days left",
    )
    draw_on_behalf(casino)
    line = the_line(casino)
    assert (line["state_sentence"], line["pocket"], line["acts"], line["moves_to"]) == (
        "Held",
        "E-0003",
        ["move", "contact"],
        ["marketing"],
    )
    move(casino, to="marketing", given_by="kabelo", received_by="sibusiso")
    assert (the_line(casino)["custody_text"], the_line(casino)["moves_to"]) == (
        "Marketing Department",
        ["customer_services"],
    )
    move(casino, to="customer_services", given_by="sibusiso", received_by="lindiwe")
    line = the_line(casino)
    assert (line["custody_text"], line["acts"]) == ("Customer Services Desk", ["hand_over", "contact", "move"])
    hand_over(casino)
    line = the_line(casino)
    assert (line["state_sentence"], line["acts"], line["days_text"]) == ("Handed over", [], "Handed over")


def test_what_happened_is_told_with_the_people(casinos: Casinos) -> None:
    casino = held_prize(casinos, drawn=False)
    at = f"7 October, {casino_time(casino)}"
    draw_on_behalf(casino)
    take_over(casino)
    steps = happened(casino)
    assert steps[0] == {
        "key": "held",
        "at": at,
        "sentence": "Held: nobody came in time, and the guest had signed the register",
        "by": "",
    }
    assert [(step["sentence"], step["by"]) for step in steps[1:]] == [
        ("Envelope moved: Tray to Promotions", "Given by Kabelo, received by Sibusiso"),
        ("Envelope moved: Promotions to Marketing Department", "Given by Kabelo, received by Sibusiso"),
        ("Envelope moved: Marketing Department to Customer Services Desk", "Given by Sibusiso, received by Lindiwe"),
    ]


def casino_time(casino: Casino) -> str:
    """The casino's clock, two hours ahead of UTC."""
    minutes = casino.engine.now() // 60_000 + 120
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


@pytest.mark.parametrize(
    ("day", "text", "over"),
    [
        ("2023-10-07 23:59", "15 days left", False),
        ("2023-10-20 12:00", "2 days left", False),
        ("2023-10-21 00:00", "1 day left", False),
        ("2023-10-22 23:59", "Last day today", False),
        ("2023-10-23 00:00", "1 day over", True),
        ("2023-10-24 08:00", "2 days over", True),
    ],
)
def test_the_days_that_are_left(casinos: Casinos, day: str, text: str, over: bool) -> None:  # noqa: FBT001 - a column
    casino = held_prize(casinos)
    later(casino, day)
    line = the_line(casino)
    assert (line["days_text"], line["overdue"]) == (text, over)


def test_overdue_it_is_to_be_given_back_and_then_rests(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    later(casino, "2023-10-23 08:00")
    prizes.expire_due(casino.engine, casino.engine.now())
    assert (the_line(casino)["state_sentence"], the_line(casino)["acts"]) == ("To be given back", ["give_back", "move"])
    prizes.give_back(casino.engine, casino.draw(), 0, by="sibusiso", second="lindiwe", now=casino.engine.now())
    line = the_line(casino)
    assert (line["state_sentence"], line["acts"], line["overdue"]) == ("Given back", [], False)


def test_attempts_are_counted_and_too_few_raise_an_alarm_in_the_second_half(casinos: Casinos) -> None:
    casino = held_prize(casinos)

    def tried(channel: str, outcome: str = "no_answer") -> None:
        now = casino.engine.now()
        prizes.contact(casino.engine, casino.draw(), 0, channel=channel, outcome=outcome, by="bheki", now=now)

    assert (the_line(casino)["contact_text"], the_line(casino)["alarm"]) == (
        "0 of 3 attempts to reach the guest",
        False,
    )
    tried("phone")
    assert the_line(casino)["contact_text"] == (
        "1 of 3 attempts to reach the guest; none over a second channel yet and none on a second day yet"
    )
    later(casino, "2023-10-14 12:00")
    assert the_line(casino)["alarm"] is False
    later(casino, "2023-10-15 12:00")
    assert the_line(casino)["alarm"] is True
    tried("sms")
    assert (the_line(casino)["contact_text"], the_line(casino)["alarm"]) == (
        "2 of 3 attempts to reach the guest",
        True,
    )
    tried("phone", "reached")
    assert (the_line(casino)["contact_text"], the_line(casino)["alarm"]) == ("The guest was reached", False)


def test_an_envelope_a_winner_would_not_take_is_to_be_given_back(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:55")
    count(casino)
    claim = select_alone(casino)
    now = casino.engine.now()
    for verb in (claims.take, claims.found):
        verb(casino.engine, casino.draw(), claim.ordinal, actor="crew:kabelo", now=now)
    claims.check(
        casino.engine,
        casino.draw(),
        claim.ordinal,
        checks=["name", "card", "device", "owner"],
        identification="",
        actor="crew:kabelo",
        now=now,
    )
    claims.envelope(casino.engine, casino.draw(), claim.ordinal, pocket="E-0004", actor="crew:kabelo", now=now)
    claims.refuse(casino.engine, casino.draw(), claim.ordinal, actor="crew:kabelo", now=now)
    line = the_line(casino)
    assert (line["pocket"], line["acts"], line["days_text"]) == ("E-0004", ["give_back"], "Not taken")
    prizes.give_back(casino.engine, casino.draw(), claim.ordinal, by="nomvula", second="kabelo", now=now)
    assert shown(casino)["held"] == []


def test_a_voided_prize_leaves_its_envelope_to_be_given_back(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    reviews.void(
        casino.engine,
        casino.draw(),
        0,
        by="nomvula",
        second="themba",
        reason="the register entry was of another guest",
        reselect=False,
        now=casino.engine.now(),
    )
    line = the_line(casino)
    assert (line["state"], line["acts"]) == ("to_return", ["give_back", "move"])


def test_a_prize_is_found_by_any_whole_number_of_its_guest(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    here = [{"draw": casino.draw().state.id, "ordinal": 0}]
    assert desk_held_view.find(casino.engine, LERATO) == here
    assert desk_held_view.find(casino.engine, f";{LERATO}=2912?") == here
    assert desk_held_view.find(casino.engine, LERATO[:5]) == []
    assert desk_held_view.find(casino.engine, PIETER) == []
    assert desk_held_view.find(casino.engine, "") == []


def test_how_a_guest_is_reached_is_told_when_asked(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    assert desk_held_view.reach(casino.engine, casino.draw().state.id, 0) == {"phone": "0820000001", "email": ""}


# -- envelopes --------------------------------------------------------------------------------------------------


def test_the_trays_batches_and_pockets(casinos: Casinos) -> None:
    casino = held_prize(casinos)  # of ten envelopes, E-0003 is drawn
    tray = shown(casino)["tray"]
    assert (tray["left"], tray["pockets_text"]) == (9, "9 envelopes are in the trays")
    assert tray["range_text"] == "E-0001 to E-0002, E-0004 to E-0010"
    (batch,) = tray["batches"]
    assert (batch["envelopes"], batch["left"], batch["total_text"], batch["pockets_text"]) == (
        10,
        9,
        "",
        "E-0001 to E-0010",
    )
    assert batch["by"] == "Kabelo, Nomvula"
    assert (tray["least_cents"], tray["most_cents"], tray["step_cents"]) == (50_000, 100_000, 10_000)


def test_sums_are_not_told_while_anything_can_still_be_drawn(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    tray = shown(casino)["tray"]
    assert {line["total_text"] for line in [*tray["where"], *tray["batches"]]} == {""}
    assert tray["programme"] == []
    # Neither the batch's sum nor what a guest's envelope may hold of it can be worked out from any of it.
    assert "7\u00a0500" not in json.dumps(tray, ensure_ascii=False)
    assert {line["place"]: line["envelopes"] for line in shown(casino)["tray"]["where"]} == {
        "Given at the device or the stage": 0,
        "Held for a guest": 1,
        "In the trays": 9,
        "Counted in": 10,
    }


def test_between_two_sessions_no_sum_is_told(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    casino.finish("14:20")
    assert casino.draw().state.closed_at is not None
    tray = shown(casino)["tray"]
    assert ({batch["total_text"] for batch in tray["batches"]}, tray["programme"]) == ({""}, [])


def test_the_closed_day_tells_the_promotions_running_totals(casinos: Casinos) -> None:
    """Ten envelopes, R 7 500: some paid at the device, one held and handed over, one taken out unopened."""
    casino = held_prize(casinos, book=book_toml(FIRST))
    casino.finish("14:20")
    hand_over(casino, amount=100_000)
    envelopes.withdraw(casino.engine, pocket="E-0010", by="nomvula", second="kabelo", now=casino.engine.now())
    paid = [claim.prize for claim in casino.draw().state.claims if claim.prize and claim.outcome == "confirmed"]
    assert paid
    given, many = sum(paid) // 100 + 1000, len(paid) + 1
    tray = shown(casino)["tray"]
    assert [batch["total_text"] for batch in tray["batches"]] == ["R\u00a07\u00a0500"]
    assert {line["place"]: (line["envelopes"], rand(line["total_text"])) for line in tray["programme"]} == {
        "Given to guests": (many, given),
        "Held for guests": (0, None),
        "Expired or not taken": (0, None),
        "Taken out unopened": (1, None),
        "Left in the trays": (9 - many, None),
        "Closed ones, all together": (10 - many, 7500 - given),
        "Counted in": (10, 7500),
    }


def rand(text: str) -> int | None:
    return int(text.removeprefix("R").replace("\u00a0", "")) if text else None


def test_what_expired_counts_among_the_closed_ones(casinos: Casinos) -> None:
    casino = held_prize(casinos, book=book_toml(FIRST))
    casino.finish("14:20")
    closed = programme(casino)["Closed ones, all together"]
    assert (programme(casino)["Held for guests"], programme(casino)["Expired or not taken"]) == ((1, ""), (0, ""))
    later(casino, "2023-10-23 08:00")
    prizes.expire_due(casino.engine, casino.engine.now())
    assert (programme(casino)["Held for guests"], programme(casino)["Expired or not taken"]) == ((0, ""), (1, ""))
    assert programme(casino)["Closed ones, all together"] == closed
    later(casino, "2023-10-28 08:00")  # the next promotion day: something may be drawn again
    assert programme(casino) == {}


def programme(casino: Casino) -> dict[str, tuple[int, str]]:
    return {line["place"]: (line["envelopes"], line["total_text"]) for line in shown(casino)["tray"]["programme"]}


@pytest.mark.parametrize(
    ("left", "text", "short"),
    [
        (9, "Counted at {}: 9 left, as it should be.", False),
        (8, "Counted at {}: 8 left, 9 should be. 1 missing.", True),
        (11, "Counted at {}: 11 left, 9 should be. 2 too many.", True),
    ],
)
def test_the_days_count_against_what_should_be_there(
    casinos: Casinos,
    left: int,
    text: str,
    short: bool,  # noqa: FBT001 - a column
) -> None:
    casino = held_prize(casinos)
    envelopes.count_day(casino.engine, left=left, by="nomvula", second="sibusiso", now=casino.engine.now())
    tray = shown(casino)["tray"]
    seconds = f"{casino_time(casino)}:{casino.engine.now() // 1000 % 60:02d}"
    assert (tray["day_text"], tray["day_short"]) == (text.format(seconds), short)


DOUBT = " Amounts typed and batches counted in do not agree: look at both."


def cash_casino(casinos: Casinos, book: bytes | None = None) -> Casino:
    """R 500 and R 1 000 were counted in, and nobody was selected: the day is closed."""
    casino = desk_casino(casinos, now="13:55", book=book or book_toml(FIRST))
    count(casino, {50_000: 1, 100_000: 1})
    casino.finish("14:20")
    return casino


@pytest.mark.parametrize(
    ("rands", "opened", "text", "short"),
    [
        ("1\u00a0500", 2, "It agrees.", False),
        ("1\u00a0400", 2, "R\u00a0100 missing.", True),
        ("1\u00a0600", 2, "R\u00a0100 too much.", True),
        ("500", 1, "It can be right: between R\u00a0500 and R\u00a01\u00a0000.", False),
        ("400", 1, "At least R\u00a0100 missing.", True),
        ("1\u00a0200", 1, "At least R\u00a0200 too much.", True),
    ],
)
def test_the_cash_of_the_day_in_words(
    casinos: Casinos,
    rands: str,
    opened: int,
    text: str,
    short: bool,  # noqa: FBT001 - a column
) -> None:
    casino = cash_casino(casinos)
    tray = shown(casino)["tray"]
    assert (tray["cash_open"], tray["cash_most"], tray["cash_text"]) == (True, 2, "")
    cents = int(rands.replace("\u00a0", "")) * 100
    now = casino.engine.now()
    cash.count_cash(casino.engine, opened=opened, cents=cents, by="nomvula", second="sibusiso", now=now)
    tray = shown(casino)["tray"]
    counted = f": {opened} opened, R\u00a0{rands} in them. {text}"
    assert tray["cash_text"].startswith("Counted at 14:20")
    assert tray["cash_text"].endswith(counted)
    assert tray["cash_short"] is short


def test_cash_whose_amounts_typed_and_batches_do_not_agree_is_to_be_looked_at(casinos: Casinos) -> None:
    casino = cash_casino(casinos)
    row = CashCountRow("2023-10-07", casino.engine.now(), 1, 60_000, 50_000, 100_000, agree=False, by="a b")
    with casino.engine.change() as work:
        work.put_cash_count(row)
    tray = shown(casino)["tray"]
    assert tray["cash_text"].endswith("between R\u00a0500 and R\u00a01\u00a0000." + DOUBT)
    assert tray["cash_short"]


def test_before_the_day_is_closed_nothing_is_told_of_its_cash(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    row = CashCountRow("2023-10-07", casino.engine.now(), 1, 60_000, 50_000, 100_000, agree=True, by="a b")
    with casino.engine.change() as work:
        work.put_cash_count(row)
    tray = shown(casino)["tray"]
    assert (tray["cash_open"], tray["cash_most"], tray["cash_text"], tray["stated_text"]) == (False, 0, "", "")


@pytest.mark.parametrize(
    ("stated", "text"),
    [
        (80_000_000, "Stated: over R\u00a0800\u00a0000. Still to be given for it: more than R\u00a0799\u00a0000."),
        (100_000, "Stated: over R\u00a01\u00a0000. Still to be given for it: more than R\u00a00."),
        (99_900, "Stated: over R\u00a0999. It is reached."),
    ],
    ids=["SS-045", "SS-C71 not over it", "SS-C71 over it"],
)
def test_what_is_still_to_be_given_for_what_the_rules_state(casinos: Casinos, stated: int, text: str) -> None:
    """R 1 000 was handed over, and nothing else was given."""
    book = book_toml(Session("first", "14:00", "14:10", awards=1)).decode()
    book = book.replace('currency = "ZAR"', f'currency = "ZAR"\nstated_total = {stated}')
    casino = held_prize(casinos, book=book.encode())
    assert shown(casino)["tray"]["stated_text"] == ""
    casino.finish("14:20")
    hand_over(casino, amount=100_000)
    assert shown(casino)["tray"]["stated_text"] == text


def test_a_book_that_states_nothing_says_nothing_of_it(casinos: Casinos) -> None:
    casino = cash_casino(casinos)
    assert shown(casino)["tray"]["stated_text"] == ""


@pytest.mark.parametrize(
    ("pockets", "text"),
    [
        ([], ""),
        (["E-0001"], "E-0001"),
        (["E-0001", "E-0002"], "E-0001 to E-0002"),
        (["E-0001", "E-0003", "E-0004", "E-0005"], "E-0001, E-0003 to E-0005"),
        (["E-9999", "E-10000"], "E-9999 to E-10000"),
    ],
)
def test_pockets_are_told_as_spans(pockets: list[str], text: str) -> None:
    assert ranges(pockets) == text


# -- slips ------------------------------------------------------------------------------------------------------


def test_a_slip_in_doubt_comes_first_with_its_three_answers(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:50")
    sign(casino, PIETER)
    sign(casino, LERATO)
    taken = printing.take(casino.engine, "desk-1", ["slips"], casino.engine.now(), ask="one")
    assert taken is not None
    printing.report(
        casino.engine,
        taken.id,
        printer="desk-1",
        attempt=taken.attempt,
        outcome="unknown",
        detail="",
        now=casino.engine.now(),
    )
    first, second = shown(casino)["slips"]
    assert (first["job"], first["title"], first["about"]) == (taken.id, "Register slip", "Entry 1")
    assert (first["state"], first["acts"]) == ("unknown", ["came_out", "reprint", "drop"])
    assert (second["about"], second["state"], second["acts"]) == ("Entry 2", "queued", ["drop"])
    printing.settle(casino.engine, taken.id, by="bheki", decision="came_out", now=casino.engine.now())
    settled = next(line for line in shown(casino)["slips"] if line["job"] == taken.id)
    assert (settled["state_sentence"], settled["acts"]) == ("Printed.", ["again"])
    printing.reprint(casino.engine, taken.id, by="bheki", now=casino.engine.now())
    again = next(line for line in shown(casino)["slips"] if line["job"] == taken.id)
    assert again["state_sentence"] == "Waits for a printer. Reprinted once."


def test_a_claims_slip_names_its_award_and_nobody(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    label = next(line for line in shown(casino)["slips"] if line["title"] == "Envelope label")
    assert label["about"] == "Award 1, first"
    assert "Dlamini" not in json.dumps(shown(casino)["slips"])


def test_the_claim_desk_bears_the_books_name(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:50")
    assert desk_names(casino.books[0].rules) == {
        "rewards": "Rewards Guest Relations Desk",
        "customer_services": "Customer Services Desk",
        "marketing": "Marketing Department",
        "cash": "Cash desk",
    }


def test_a_day_with_nothing_is_told_too(casinos: Casinos) -> None:
    casino = casinos(now="13:00")
    found = shown(casino)
    assert (found["entries"], found["held"], found["slips"]) == ([], [], [])
    assert found["tray"]["pockets_text"] == "The trays are empty"
    house.tick(casino.engine)
