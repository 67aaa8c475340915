"""Checkpoints: the log's head signed, so that paper can hold the house to it (draw record, "Checkpoint")."""

from __future__ import annotations

import base64

from draw_engine.canonical import format_time
from draw_engine.log import Entry, checkpoint_text
from draw_engine.service import receipts
from draw_engine.service.engine import Engine
from draw_engine.service.ports import Checkpoint, UnitOfWork


def checkpoint(engine: Engine, work: UnitOfWork, head: Entry, *, at: int, occasion: str, title: str = "") -> Checkpoint:
    """Sign the head, keep and print it, and log that it was signed: the entry right after it (`checkpoint.made`).

    `occasion`: opening, hourly or closing; `title`: of the draw that opens or closes.
    """
    made = _sign(engine, head, at=at)
    work.add_checkpoint(made)
    receipts.queue_checkpoint(engine, work, made, head, occasion=occasion, title=title)
    work.append(at=at, kind="checkpoint.made", draw=None, actor="engine", data={"seq": head.seq, "hash": head.hash})
    return made


def _sign(engine: Engine, head: Entry, *, at: int) -> Checkpoint:
    property_id = engine.settings.id
    text = checkpoint_text(
        property=property_id, seq=head.seq, hash=head.hash, at=format_time(at), rehearsal=engine.seeds.rehearsal
    )
    return Checkpoint(
        property=property_id,
        seq=head.seq,
        hash=head.hash,
        at=at,
        public_key=base64.b64encode(engine.signer.public_key).decode(),
        signature=base64.b64encode(engine.signer.sign(text)).decode(),
    )


def head_entry(engine: Engine) -> Entry:
    """The last entry of the log; there is one once a draw has opened."""
    head = engine.store.head()
    assert head is not None
    return next(engine.store.entries(head.seq, head.seq))
