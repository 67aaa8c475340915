"""The end of the ninety seconds: expired, held for the register, or put to two people (rules 15, 17; X-13; A22)."""

from __future__ import annotations

from collections.abc import Sequence

from draw_engine.claim_moves import ANNOUNCED, stage_of
from draw_engine.draw_state import Claim
from draw_engine.service import prizes
from draw_engine.service.claims import claim_for, names, note
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.ports import UnitOfWork
from draw_engine.service.prize_ports import EntryRow
from draw_engine.service.register import registered_before

GRACE_MS = 250
"""An expiry acts this long after its deadline, so that a press stamped in time always wins (architecture, "State")."""
INTERRUPTED = "SS_TIMER_INTERRUPTED"


def expire_due(engine: Engine, now: int) -> bool:
    """End every claim whose deadline passed 250 ms ago with nobody presented, in the order of the deadlines.

    A press stamped in time that still waits is let first. Idempotent: the alarm, every press and the watchdog call it.
    All that is due at once is one transaction: a hundred claims are not later than one.
    """
    due = [
        (draw, claim)
        for draw, claim in _announced(engine)
        if claim.deadline_at is not None
        and now >= claim.deadline_at + GRACE_MS
        and not engine.press_waits(draw.state.id, claim.ordinal, claim.deadline_at)
    ]
    if not due:
        return False
    signed = {day: engine.store.register_entries(day.isoformat()) for day in {draw.day for draw, _ in due}}
    with engine.change() as work:
        at = work.instant(now)
        for draw, claim in due:
            assert claim.deadline_at is not None
            reason = engine.interrupted(draw.state.id, claim.ordinal, claim.deadline_at)
            kind = "claim.review" if reason else f"claim.{outcome_of_no_show(engine, draw, claim, signed[draw.day])}"
            data = {"reason": reason} if reason else {"prize": None}
            work.append(at=at, kind=kind, draw=draw.state.id, actor="engine", data={**names(claim), **data})
        _rows(engine, work, at)
    return True


def _rows(engine: Engine, work: UnitOfWork, at: int) -> None:
    """The claims' rows after what this transaction has logged, one statement an outcome."""
    groups: dict[tuple[str, str, str | None], list[int]] = {}
    for entry in work.entries:
        if entry.draw is not None and entry.kind in {"claim.expired", "claim.held", "claim.review"}:
            key = (entry.draw, entry.kind.removeprefix("claim."), entry.data.get("reason"))
            groups.setdefault(key, []).append(entry.data["ordinal"])
    for (draw_id, outcome, reason), ordinals in groups.items():
        if outcome == "review":
            work.put_claim(draw_id, *ordinals, review=reason)
            continue
        work.put_claim(draw_id, *ordinals, ended_at=at, outcome=outcome)
        if outcome == "held":
            draw = engine.draw(draw_id)
            for ordinal in ordinals:
                prizes.open_held(engine, work, draw, draw.state.claims[ordinal], at)


def outcome_of_no_show(engine: Engine, draw: OpenDraw, claim: Claim, signed: Sequence[EntryRow] | None = None) -> str:
    """Held where the book holds for those in the register and the guest signed before the selection, else expired.

    `signed`: the register's entries of the draw's day, where they have been read already.
    """
    return "held" if registered_before(engine, draw, claim, signed) else "expired"


def _announced(engine: Engine) -> list[tuple[OpenDraw, Claim]]:
    running = [
        (draw, claim)
        for draw in engine.draws.values()
        for claim in draw.state.running()
        if stage_of(claim) == ANNOUNCED
    ]
    return sorted(running, key=lambda pair: (pair[1].deadline_at or 0, pair[0].state.id, pair[1].ordinal))


def next_expiry(engine: Engine) -> int | None:
    """When the next claim expires, if nobody presents."""
    return min(
        (claim.deadline_at + GRACE_MS for _, claim in _announced(engine) if claim.deadline_at is not None), default=None
    )


def interrupt(engine: Engine, draw: OpenDraw, ordinal: int, reason: str, *, now: int) -> None:
    """Put a running announcement to two people: nobody could press at its deadline."""
    claim = claim_for(draw, ordinal, "interrupt")
    note(engine, draw, claim, "claim.review", actor="engine", now=now, data={"reason": reason}, review=reason)


def review_interrupted(engine: Engine, work: UnitOfWork, at: int) -> None:
    """At a start: a claim whose time ran out while nobody could press is put to two people, not ended (X-13)."""
    for draw, claim in _announced(engine):
        if claim.deadline_at is not None and claim.deadline_at <= at:
            data = {**names(claim), "reason": INTERRUPTED}
            work.append(at=at, kind="claim.review", draw=draw.state.id, actor="engine", data=data)
            work.put_claim(draw.state.id, claim.ordinal, review=INTERRUPTED)
