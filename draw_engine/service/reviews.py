"""What two people decide about a claim: a review, a void (A20, A22, A23; X-06: the first result stays in the log)."""

from __future__ import annotations

from draw_engine.claim_moves import stage_of
from draw_engine.draw_state import FILLED
from draw_engine.errors import Refused
from draw_engine.service import claims, envelopes, expiry, prizes
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.people import said_reason, two_people

DECISIONS = {"present": "attest_present", "absent": "attest_absent", "again": "announce_again"}


def decide(
    engine: Engine, draw: OpenDraw, ordinal: int, decision: str, *, by: str, second: str, reason: str, now: int
) -> str:
    """Two people attest presence in time, attest absence, or have the guest announced again (A23).

    Absent ends the claim at once: held when registered, else expired. Returns the stage it leads to.
    """
    if decision not in DECISIONS:
        raise Refused("X_VALUE_WRONG", "Decide that the guest was present, was absent, or is announced again.")
    claim = claims.claim_for(draw, ordinal, DECISIONS[decision])
    if decision == "absent" and claim.deadline_at is not None and now <= claim.deadline_at:
        raise Refused("X_CLAIM_STATE", f"The window of claim {claim.id} is still open; wait for its deadline.")
    people = two_people(engine, by, second)
    data = {"decision": decision, "by": people}
    actor = f"{engine.settings.staff[by]}:{by}"
    with engine.change() as work:
        at = work.instant(now)
        claims.note(
            engine, draw, claim, "claim.review_reason", actor=actor, now=at, data={"reason": said_reason(reason)}
        )
        claims.note(engine, draw, claim, "claim.reviewed", actor=actor, now=at, data=data, review=None)
        if decision == "absent":
            outcome = expiry.outcome_of_no_show(engine, draw, claim)
            claims.end(engine, draw, claim, outcome, actor="engine", now=at)
            if outcome == "held":
                prizes.open_held(engine, work, draw, claim, at)
            return outcome
    return stage_of(claim)


def exchange(engine: Engine, draw: OpenDraw, ordinal: int, *, by: str, second: str, reason: str, now: int) -> None:
    """Two people take a claim's envelope out: the wrong pocket was scanned, or what is in it cannot be paid.

    It goes back to the cash desk, never into the tray; the guest picks another one.
    """
    claim = claims.claim_for(draw, ordinal, "exchange")
    people = two_people(engine, by, second)
    said = said_reason(reason)
    pocket = claim.pocket or ""
    actor = f"{engine.settings.staff[by]}:{by}"
    with engine.change() as work:
        at = work.instant(now)
        envelopes.take_out(work, pocket, at)
        data = {"pocket": pocket, "by": people, "reason": said}
        claims.note(engine, draw, claim, "envelope.exchanged", actor=actor, now=at, data=data, pocket=None)


def void(
    engine: Engine, draw: OpenDraw, ordinal: int, *, by: str, second: str, reason: str, reselect: bool, now: int
) -> None:
    """Two people void a claim that runs or filled its award; the award is selected again, or given up (A20).

    After the draw's close it changes nothing in the record: it is logged as `award.voided` (draw record, "The log").
    """
    claim = claims.claim_for(draw, ordinal, "void")
    people = two_people(engine, by, second)
    said = said_reason(reason)
    actor = f"{engine.settings.staff[by]}:{by}"
    closed = draw.state.closed_at is not None
    if closed and reselect:
        raise Refused("SS_OUTSIDE_SESSION", f"{draw.plan.title} is closed: nothing can be selected in it any more.")
    if closed and _voided_since(engine, draw, ordinal):
        raise Refused("X_ALREADY_DONE", f"The award of claim {claim.id} has been voided already; see the log.")
    with engine.change() as work:
        at = work.instant(now)
        held = claim.outcome == "held"
        if closed:
            data = {**claims.names(claim), "by": people, "reason": said}
            work.append(at=at, kind="award.voided", draw=draw.state.id, actor=actor, data=data)
        else:
            if claim.pocket and claim.outcome not in FILLED:
                envelopes.take_back(engine, work, claim.pocket, at)
            data = {"by": people, "reason": said, "reselect": reselect, "prize": None}
            row = {"ended_at": at, "outcome": "voided", "prize": None, "review": None}
            claims.note(engine, draw, claim, "claim.voided", actor=actor, now=at, data=data, **row)
        if held:
            prizes.void_held(engine, work, draw, ordinal, at)


def _voided_since(engine: Engine, draw: OpenDraw, ordinal: int) -> bool:
    """Whether an award was voided after its draw's close: its record does not show it, the log does."""
    return any(
        entry.kind == "award.voided" and entry.data["ordinal"] == ordinal
        for entry in engine.store.entries_of(draw.state.id)
    )
