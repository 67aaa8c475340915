"""A claim's moves, as one table: a missing key is the refusal (rules 12 to 17; draw record, "Endings earned").

In this version the presses come from the scripted crew of a rehearsal or of the demo; the tablets press the same verbs.
"""

from __future__ import annotations

from draw_engine.canonical import format_time
from draw_engine.draw_state import Claim
from draw_engine.errors import Refused
from draw_engine.screening import EXCLUSIONS
from draw_engine.service.engine import Engine, OpenDraw

GRACE_MS = 250
"""An expiry acts this long after its deadline, so that a press stamped in time always wins (architecture, "State")."""

_SAYS = {
    "selected": "has been selected",
    "found": "was found at the device",
    "announced": "has been announced",
    "presented": "has presented in time",
}

MOVES: dict[str, frozenset[str]] = {
    "found": frozenset({"selected"}),
    "announced": frozenset({"selected"}),
    "presented": frozenset({"announced"}),
    "confirmed": frozenset({"found", "presented"}),
    "refused": frozenset({"found", "presented"}),
    "not_rightful_card": frozenset({"selected", "found", "presented"}),
    "ineligible": frozenset({"selected", "found", "announced", "presented"}),
    "expired": frozenset({"announced"}),
    "held": frozenset({"announced"}),
}
"""move -> the states it may start from."""


def stage_of(claim: Claim) -> str:
    """selected, found, announced, presented, or the outcome once it has ended."""
    if claim.outcome is not None:
        return claim.outcome
    if claim.presented_at is not None:
        return "presented"
    if claim.announced_at is not None:
        return "announced"
    return "found" if claim.found_at is not None else "selected"


def _claim(draw: OpenDraw, ordinal: int, move: str) -> Claim:
    if not 0 <= ordinal < len(draw.state.claims):
        raise Refused("X_NO_SUCH_CLAIM", f"There is no claim c{ordinal} in {draw.state.id}.")
    claim = draw.state.claims[ordinal]
    stage = stage_of(claim)
    if stage not in MOVES[move]:
        said = _SAYS.get(stage, f"has ended: {stage.replace('_', ' ')}")
        raise Refused("X_CLAIM_STATE", f"Claim {claim.id} {said}; it cannot be {move.replace('_', ' ')} from there.")
    return claim


def found(engine: Engine, draw: OpenDraw, ordinal: int, *, actor: str, now: int) -> None:
    """The crew found the guest at the device, on the own card (rule 13)."""
    claim = _claim(draw, ordinal, "found")
    with engine.change() as work:
        at = work.instant(now)
        work.append(at=at, kind="claim.found", draw=draw.state.id, actor=actor, data=_names(claim))
        work.put_claim(draw.state.id, ordinal, found_at=at)


def announce(engine: Engine, draw: OpenDraw, ordinal: int, *, actor: str, now: int) -> int:
    """The announcement was made: the window starts. Returns the deadline (ms), stored before anything is shown."""
    claim = _claim(draw, ordinal, "announced")
    with engine.change() as work:
        at = work.instant(now)
        deadline = at + int(draw.state.terms["claim_window_ms"])
        data = {**_names(claim), "deadline_at": format_time(deadline)}
        work.append(at=at, kind="claim.announced", draw=draw.state.id, actor=actor, data=data)
        work.put_claim(draw.state.id, ordinal, announced_at=at, deadline_at=deadline)
    return deadline


def present(engine: Engine, draw: OpenDraw, ordinal: int, *, actor: str, stamped_at: int, now: int) -> None:
    """The guest is at the place of drawing. `stamped_at` is when the server received the press; it alone decides.

    Raises Refused SS_LATE_AFTER_90S when that is after the deadline (rule 12; 90.000 s is in time).
    """
    claim = _claim(draw, ordinal, "presented")
    assert claim.deadline_at is not None
    if stamped_at > claim.deadline_at:
        late = stamped_at - claim.deadline_at
        raise Refused(
            "SS_LATE_AFTER_90S", f"Claim {claim.id} was {late / 1000:.3f} s late; it cannot be presented any more."
        )
    # Two people press at once: this press may have come in while the announcement was being written.
    presented_at = max(stamped_at, claim.announced_at or stamped_at)
    with engine.change() as work:
        at = max(work.instant(now), presented_at)
        data = {**_names(claim), "presented_at": format_time(presented_at)}
        work.append(at=at, kind="claim.presented", draw=draw.state.id, actor=actor, data=data)
        work.put_claim(draw.state.id, ordinal, presented_at=presented_at)


def end(
    engine: Engine, draw: OpenDraw, ordinal: int, outcome: str, *, actor: str, now: int, prize: int | None = None
) -> None:
    """End a claim: confirmed (with the prize in cents), refused, not_rightful_card, ineligible, expired or held."""
    claim = _claim(draw, ordinal, outcome)
    if outcome in {"expired", "held"} and now <= (claim.deadline_at or now):
        raise Refused("X_CLAIM_STATE", f"The window of claim {claim.id} is still open; wait for its deadline.")
    if outcome == "confirmed":
        if code := exclusion_now(engine, draw, ordinal, now):
            raise Refused(
                code, f"An exclusion is in force on the guest of claim {claim.id}. End it as ineligible instead."
            )
        bounds = draw.plan.prize
        if prize is None or not bounds.min <= prize <= bounds.max:
            raise Refused(
                "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE",
                f"An envelope holds {bounds.min // 100} to {bounds.max // 100} {draw.book.currency}; count it again.",
            )
    elif prize is not None:
        raise Refused("X_CLAIM_STATE", f"Claim {claim.id} is not confirmed: it has no envelope. Leave the amount out.")
    with engine.change() as work:
        at = work.instant(now)
        data = {**_names(claim), "prize": prize}
        work.append(at=at, kind=f"claim.{outcome}", draw=draw.state.id, actor=actor, data=data)
        work.put_claim(draw.state.id, ordinal, ended_at=at, outcome=outcome, prize=prize)


def exclusion_now(engine: Engine, draw: OpenDraw, ordinal: int, now: int) -> str | None:
    """The code of an exclusion in force on any card of the guest selected, or None (rules 1, 3: asked again here)."""
    row = draw.rows[ordinal]
    lists = engine.lists.at(now)
    numbers = {row.person, row.member, *lists.person_of(row.member).numbers}
    found = lists.categories(numbers) & set(draw.book.exclude)
    return next((outcome.code for category, outcome in EXCLUSIONS.items() if category in found), None)


def _names(claim: Claim) -> dict[str, object]:
    return {"claim": claim.id, "ordinal": claim.ordinal}


def expire_due(engine: Engine, now: int) -> bool:
    """End every claim whose deadline passed 250 ms ago with nobody presented: held when registered, else expired.

    Idempotent: the alarm, every press and the watchdog call it.
    """
    done = False
    for draw in list(engine.draws.values()):
        for claim in draw.state.running():
            if claim.presented_at is None and claim.deadline_at is not None and now >= claim.deadline_at + GRACE_MS:
                registered = engine.registered_before(draw, claim)
                end(engine, draw, claim.ordinal, "held" if registered else "expired", actor="engine", now=now)
                done = True
    return done


def next_expiry(engine: Engine) -> int | None:
    """When the next claim expires, if nobody presents."""
    return min(
        (
            claim.deadline_at + GRACE_MS
            for draw in engine.draws.values()
            for claim in draw.state.running()
            if claim.deadline_at is not None and claim.presented_at is None
        ),
        default=None,
    )
