"""Slips that go with a claim and with the log's checkpoints, queued in the transaction of what they print."""

from __future__ import annotations

from typing import Any

from draw_engine.draw_state import Claim
from draw_engine.log import Entry, slip_text
from draw_engine.references import guest_secret
from draw_engine.service import guests, printing
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.ports import Checkpoint, UnitOfWork
from draw_engine.service.publishing import shown


def queue_receipt(
    engine: Engine, work: UnitOfWork, draw: OpenDraw, claim: Claim, *, amount: int, actor: str, at: int
) -> int:
    """The winner's receipt (SS-117), with the guest's own `s` for redoing the draw. Gives the job's number."""
    data = receipt_data(engine, draw, claim, amount=amount, actor=actor, at=at)
    return printing.queue(
        work,
        kind="winner_receipt",
        use=printing.RECEIPTS,
        data=data,
        at=at,
        draw=draw.state.id,
        ordinal=claim.ordinal,
    )


def receipt_data(
    engine: Engine, draw: OpenDraw, claim: Claim, *, amount: int, actor: str, at: int, held: bool = False
) -> dict[str, Any]:
    """The raw facts of a receipt: cents, ms; `secret` and `ref` in hex (draw record, "References")."""
    made, row = draw.state.selections[claim.ordinal], draw.rows[claim.ordinal]
    return {
        "serial": f"{draw.plan.id}-{draw.day:%Y%m%d}-{claim.id}",
        "promotion": draw.book.title,
        "title": draw.plan.title,
        "draw": draw.state.id,
        "claim": claim.id,
        "award": made.place,
        "position": made.position or "",
        "guest": guests.full_name(engine, draw, claim.ordinal),
        "card": guests.last_four(draw, claim.ordinal),
        "amount": amount,
        "currency": draw.book.currency,
        "zone": draw.book.zone,
        "paid_at": at,
        "staff": actor.partition(":")[2],
        "pocket": claim.pocket or "",
        "secret": guest_secret(engine.reference_key(draw.book.id), draw.state.id, row.person).hex(),
        "ref": made.ref,
        "held": held,
        "signed": True,
    }


def queue_checkpoint(
    engine: Engine, work: UnitOfWork, checkpoint: Checkpoint, head: Entry, *, occasion: str, title: str
) -> None:
    """A checkpoint on paper: what a stranger holds against the record later. None in a rehearsal."""
    if engine.seeds.rehearsal:
        return
    data = {
        "occasion": occasion,
        "slip": slip_text(shown(checkpoint), rehearsal=False),
        "title": title,
        "at": checkpoint.at,
        "zone": engine.zone,
        "commitment": head.data.get("commitment", "") if head.kind == "draw.opened" else "",
    }
    printing.queue(work, kind="checkpoint", use=printing.SLIPS, data=data, at=checkpoint.at)
