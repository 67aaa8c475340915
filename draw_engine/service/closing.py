"""Closing a draw: the seed is opened, the record's digest logged, the head signed. And the hourly checkpoints."""

from __future__ import annotations

from draw_engine.records import record_digest, record_of
from draw_engine.service import witnessing
from draw_engine.service.checkpoints import checkpoint, head_entry
from draw_engine.service.engine import Engine, OpenDraw

HOUR_MS = 3_600_000


def checkpoint_due(engine: Engine, now: int) -> bool:
    """Sign the head once an hour while a draw is open (draw record, "Checkpoint")."""
    due = next_checkpoint(engine)
    if due is None or now < due:
        return False
    head = head_entry(engine)
    with engine.change() as work:
        checkpoint(engine, work, head, at=work.instant(now), occasion="hourly")
    return True


def close_due(engine: Engine, now: int) -> bool:
    """Close every draw whose end has come and whose every place is filled, lapsed or given up.

    A draw that a witness watches waits for the certificate: none is taken once it is closed.
    """
    done = False
    for draw in list(engine.draws.values()):
        state = draw.state
        if state.closed_at is None and witnessing.is_done(draw, now) and now >= witnessing.closes_at(engine, draw):
            close(engine, draw, now)
            done = True
    return done


def close(engine: Engine, draw: OpenDraw, now: int) -> None:
    """Log `draw.closed` with the record's digest and sign it: from now on the record can be published."""
    with engine.change() as work:
        at = work.instant(now)
        record = record_of(draw.state, house_seed=draw.seed, closed_at=at)
        closed = work.append(
            at=at, kind="draw.closed", draw=draw.state.id, actor="engine", data={"record": record_digest(record)}
        )
        work.close_draw(draw.state.id, at=at, seq=closed.seq)
        checkpoint(engine, work, closed, at=at, occasion="closing", title=draw.plan.title)


def next_checkpoint(engine: Engine) -> int | None:
    """When the next hourly checkpoint is due, if a draw is open."""
    if all(draw.state.closed_at is not None for draw in engine.draws.values()):
        return None
    return engine.last_checkpoint_at + HOUR_MS
