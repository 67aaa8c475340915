"""A claim brought to any stage by its people, and every move there is, as the service does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from casino import Casino
from desk_words import desk_casino
from people_words import LERATO, SIGNED_HEADER, iso, jhb
from sqlalchemy import select

from draw_engine.claim_moves import stage_of
from draw_engine.draw_state import Claim
from draw_engine.service import claims, envelopes, expiry, reviews
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.store import tables

CREW, STAGE = "crew:kabelo", "stage:zodwa"
TWO = {"by": "nomvula", "second": "themba", "reason": "the tablets were off"}
SIGNED = {"width": 300, "height": 100, "strokes": [[[20, 60], [120, 40], [260, 70]]]}
CHECKED = {
    "device": ["name", "card", "owner", "device"],
    "stage": ["name", "card", "owner", "stage"],
}

Casinos = Callable[..., Casino]
ON_SQLITE = pytest.mark.parametrize("new_database", ["sqlite"], indirect=True)
"""What does not hang on the database is tried on one of them."""

Step = Callable[[Engine, OpenDraw, int, int], object]
"""(engine, draw, ordinal, now)"""


def _check(engine: Engine, draw: OpenDraw, ordinal: int, now: int) -> object:
    at_device = ordinal < len(draw.state.claims) and draw.state.claims[ordinal].found_at is not None
    where = "device" if at_device else "stage"
    return claims.check(engine, draw, ordinal, checks=CHECKED[where], identification="sa_id", actor=CREW, now=now)


def _envelope(engine: Engine, draw: OpenDraw, ordinal: int, now: int) -> None:
    pocket = next(iter(envelopes.tray(engine)), "E-0001")
    claims.envelope(engine, draw, ordinal, pocket=pocket, actor=CREW, now=now)


def _by(verb: Callable[..., object], actor: str = CREW, **said: Any) -> Step:
    return lambda engine, draw, ordinal, now: verb(engine, draw, ordinal, actor=actor, now=now, **said)


def _two(decision: str) -> Step:
    return lambda engine, draw, ordinal, now: reviews.decide(engine, draw, ordinal, decision, now=now, **TWO)


def _present(engine: Engine, draw: OpenDraw, ordinal: int, now: int) -> None:
    claims.present(engine, draw, ordinal, actor=STAGE, stamped_at=now, now=now)


def _void(engine: Engine, draw: OpenDraw, ordinal: int, now: int) -> None:
    reviews.void(engine, draw, ordinal, reselect=False, now=now, **TWO)


def _interrupt(engine: Engine, draw: OpenDraw, ordinal: int, now: int) -> None:
    expiry.interrupt(engine, draw, ordinal, expiry.INTERRUPTED, now=now)


MOVES: Mapping[str, Step] = {
    "take": _by(claims.take),
    "hand_over": _by(claims.hand_over, to="crew:zanele"),
    "release": _by(claims.release),
    "found": _by(claims.found),
    "other_person": _by(claims.other_person),
    "not_there": _by(claims.not_there),
    "announce": _by(claims.announce, actor=STAGE),
    "present": _present,
    "check": _check,
    "mismatch": _by(claims.mismatch, reason="card"),
    "rule_out": _by(claims.rule_out),
    "envelope": _envelope,
    "pay": _by(claims.pay, amount=75_000, signature=SIGNED),
    "refuse": _by(claims.refuse),
    "void": _void,
    "interrupt": _interrupt,
    "attest_present": _two("present"),
    "attest_absent": _two("absent"),
    "announce_again": _two("again"),
}
"""Every move people make; `expire` and `hold` are the engine's own (`pass_deadline`)."""

_FOUND = ("take", "found")
_ANNOUNCED = ("take", "not_there", "announce")
_ENVELOPE = (*_FOUND, "check", "envelope")
WAYS: Mapping[str, tuple[str, ...]] = {
    "selected": (),
    "taken": ("take",),
    "not_there": ("take", "not_there"),
    "announced": _ANNOUNCED,
    "review": (*_ANNOUNCED, "interrupt"),
    "found": _FOUND,
    "presented": (*_ANNOUNCED, "present"),
    "checked": (*_FOUND, "check"),
    "envelope": _ENVELOPE,
    "confirmed": (*_ENVELOPE, "pay"),
    "refused": (*_ENVELOPE, "refuse"),
    "held": (*_ANNOUNCED, "hold"),
    "expired": (*_ANNOUNCED, "expire"),
    "not_rightful_card": ("take", "other_person"),
    "ineligible": ("take", "rule_out"),
    "voided": ("take", "void"),
}
"""stage -> the moves that bring a selected claim there."""


def move(casino: Casino, name: str, *, plan: str = "first", ordinal: int = 0) -> object:
    """Make one move now. Raises Refused.

    `expire`, `hold`, `interrupt`: the deadline passes and the engine acts on it; interrupted, nobody could press at it.
    """
    draw = casino.draw(plan)
    if name in {"expire", "hold"}:
        return pass_deadline(casino, plan=plan, ordinal=ordinal)
    if name == "interrupt" and stage_of(draw.state.claims[ordinal]) == "announced":
        casino.engine.interrupted = lambda *_of: expiry.INTERRUPTED
        pass_deadline(casino, plan=plan, ordinal=ordinal)
        casino.engine.interrupted = lambda *_of: None
        return None
    casino.tray()
    return MOVES[name](casino.engine, draw, ordinal, casino.clock.now())


def bring_to(casino: Casino, stage: str, *, plan: str = "first", ordinal: int = 0) -> Claim:
    """Bring a claim that was just selected to a stage; for `held` its guest must have signed the register."""
    for name in WAYS[stage]:
        move(casino, name, plan=plan, ordinal=ordinal)
    claim = casino.draw(plan).state.claims[ordinal]
    assert stage_of(claim) == stage
    return claim


def pass_deadline(casino: Casino, *, plan: str = "first", ordinal: int = 0) -> None:
    """Time passes until the engine acts on the claim's deadline."""
    deadline = casino.draw(plan).state.claims[ordinal].deadline_at
    assert deadline is not None
    casino.go(deadline + expiry.GRACE_MS)


def rows_of(casino: Casino, plan: str = "first") -> list[dict[str, Any]]:
    """The claims of a draw as the table has them, every column by its name; instants in ms."""
    kept = tables.claims
    with casino.database.connect() as connection:
        rows = connection.execute(
            select(kept).where(kept.c.draw == casino.draw(plan).state.id).order_by(kept.c.ordinal)
        ).all()
    return [
        {
            column.name: tables.millis(value) if column.name.endswith("_at") and value is not None else value
            for column, value in zip(kept.c, row, strict=True)
            if column.name != "draw"
        }
        for row in rows
    ]


def rows_agree(casino: Casino, plan: str = "first") -> None:
    """The table says of every claim what the log has told the engine."""
    claims_now = casino.draw(plan).state.claims
    rows = rows_of(casino, plan)
    assert [row["ordinal"] for row in rows] == [claim.ordinal for claim in claims_now]
    for row, claim in zip(rows, claims_now, strict=True):
        assert {name: getattr(claim, name) for name in row} == row


def selected_alone(casinos: Casinos) -> Casino:
    """Lerato is alone at her table, and has just been selected for the first of three awards."""
    made = desk_casino(casinos, now="13:59:40")
    made.rated(LERATO)
    made.send()
    made.tick()
    made.go(made.moments()[0])
    return made


def bring(casino: Casino, stage: str) -> None:
    """As `bring_to`, with the register signed where the stage needs it."""
    if stage == "held":
        casino.load_lists(register=f"{SIGNED_HEADER}{LERATO},{iso(jhb('13:20'))},0820000001\n")
    bring_to(casino, stage)


def as_kept(casino: Casino) -> tuple[object, ...]:
    """Everything a move could change."""
    store, draw = casino.engine.store, casino.draw()
    left = store.envelopes(), store.held_prizes(), store.print_jobs(["queued"])
    return store.head(), repr(draw.state.claims), casino.claim_rows(draw.state.id), left
