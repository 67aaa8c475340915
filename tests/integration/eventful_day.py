"""A day on which everything happens to claims that can: for those who look for what an edit of its log would hide."""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from pathlib import Path

from casino import Casino, seat_everybody
from claim_steps import move, pass_deadline
from desk_words import count, desk_casino, draw_on_behalf, hand_over, sign, take_over, withdraw
from people_words import LERATO, PIETER, SIPHO, THANDI, jhb
from small_book import Session, book_toml

from draw_engine.claim_moves import stage_of
from draw_engine.errors import Refused
from draw_engine.service import cash, envelopes, pressing, printing, prizes
from draw_engine.service.publishing import published_copy

ENDS = {
    0: ("take", "found", "check", "envelope", "pay"),
    1: ("take", "found", "check", "envelope", "refuse"),
    2: ("take", "not_there", "announce", "present", "check", "mismatch"),
    3: ("take", "other_person"),
    4: ("take", "not_there", "announce", "interrupt", "attest_present", "check", "envelope", "pay"),
    5: ("take", "not_there", "announce", "interrupt", "attest_absent"),
    6: (
        "take",
        "not_there",
        "announce",
        "interrupt",
        "announce_again",
        "announce",
        "present",
        "check",
        "envelope",
        "pay",
    ),
    7: ("take", "hand_over", "release", "take", "found", "check", "envelope", "void"),
    8: ("take", "rule_out"),
}
"""What happens to the first claims, in this order; those after them are announced and nobody comes."""
AWARDS = 16
KINDS = frozenset(
    {
        *("claim.taken", "claim.handed_over", "claim.released", "claim.arrived", "claim.found", "claim.announced"),
        *("claim.presented", "claim.review", "claim.review_reason", "claim.reviewed", "claim.checked"),
        *("claim.mismatch", "claim.confirmed", "claim.refused", "claim.held", "claim.expired", "claim.voided"),
        *("claim.not_rightful_card", "claim.ineligible", "award.voided", "press.refused", "register.signed"),
        *("register.withdrawn", "envelopes.counted", "envelopes.day_counted", "envelope.drawn", "envelope.on_behalf"),
        *("cash.counted", "envelope.moved", "prize.contacted", "prize.overdue", "prize.handed_over", "prize.returned"),
        *("slip.settled", "slip.reprinted", "printer.changed", "clock.stepped"),
    }
)
"""What its log has besides what every day has."""


def eventful(folder: Path) -> Casino:
    """The day, played to its end and fifteen days on. Its session is closed, and its record can be published."""
    book = book_toml(Session("first", "14:00", "14:10", awards=AWARDS))
    url = f"sqlite:///{folder / 'day.db'}"
    casino = desk_casino(lambda **said: Casino(url, folder, **said), now="13:50", book=book)
    count(casino, {50_000: 20, 75_000: 20, 100_000: 20})
    withdraw(casino, sign(casino, THANDI))
    for member in (THANDI, PIETER, SIPHO, LERATO):
        sign(casino, member)
    seat_everybody(casino)
    casino.clock.off = 1_500
    casino.at("14:10")
    for ordinal, moves in ENDS.items():
        for name in moves:
            move(casino, name, ordinal=ordinal)
    _nobody_comes(casino)
    casino.finish("14:40")
    _afterwards(casino)
    return casino


def _nobody_comes(casino: Casino) -> None:
    """Who signed has the prize held, the others' claims expire. One press is late, and kept as such."""
    rest = [claim.ordinal for claim in casino.draw().state.running() if stage_of(claim) == "selected"]
    for ordinal in rest:
        for name in ("take", "not_there", "announce"):
            move(casino, name, ordinal=ordinal)
    pass_deadline(casino, ordinal=rest[-1])
    said = {"verb": "present", "draw": casino.draw().state.id, "ordinal": rest[-1], "by": "mandla"}
    late = pressing.StaffPress(id="press-too-late", stamped_at=casino.clock.now(), **said)
    with suppress(Refused):
        pressing.press(casino.engine, late)


def _afterwards(casino: Casino) -> None:
    """Held prizes on their ways, a slip in doubt, a count, a void after the close."""
    engine, draw = casino.engine, casino.draw()
    assert draw.state.closed_at is not None
    one, other, voided = [held.ordinal for held in prizes.held(engine)][:3]
    tray = iter(envelopes.tray(engine))
    draw_on_behalf(casino, one, pocket=next(tray))
    draw_on_behalf(casino, other, pocket=next(tray))
    for ordinal in (one, other):
        take_over(casino, ordinal)
    said = {"channel": "phone", "outcome": "no_answer", "by": "lindiwe", "now": engine.now()}
    prizes.contact(engine, draw, other, **said)
    move(casino, "void", ordinal=voided)
    printing.printer_said(engine, "desk-1", "paper_out", engine.now())
    job = printing.take(engine, "desk-1", printing.USES, engine.now(), ask="once")
    assert job is not None
    printing.lose(engine, "desk-1", engine.now())
    printing.settle(engine, job.id, by="kabelo", decision="reprint", now=engine.now())
    left = len(envelopes.tray(engine))
    envelopes.count_day(engine, left=left, by="nomvula", second="themba", now=engine.now())
    hand_over(casino, one, amount=75_000)
    casino.clock.set(jhb("2023-10-24 12:00"))
    casino.tick()
    prizes.give_back(engine, draw, other, by="lindiwe", second="sibusiso", now=engine.now())
    cash.count_cash(engine, opened=1, cents=75_000, by="nomvula", second="themba", now=engine.now())
    casino.tick()


def published(casino: Casino, copy: str, into: Path) -> str:
    """A copy of the day's record in a folder of its own; gives the property's key."""
    into.mkdir(parents=True)
    for name, data in published_copy(casino.engine, casino.draw(), copy).items():
        (into / name).write_bytes(data)
    key = base64.b64encode(casino.engine.signer.public_key).decode()
    (into / "slips.json").write_text(json.dumps({"public_key": key}), encoding="utf-8")
    return key
