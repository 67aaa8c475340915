"""A claim's states and moves, as one table: a missing key is the refusal (rules 12 to 17; requirements 2.2, machine A).

The diagram of the documentation is drawn from this table (`diagram`), so the two cannot differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from draw_engine.draw_state import FILLED, Claim
from draw_engine.errors import Refused

SELECTED, TAKEN, NOT_THERE, ANNOUNCED, REVIEW = "selected", "taken", "not_there", "announced", "review"
FOUND, PRESENTED, CHECKED, ENVELOPE = "found", "presented", "checked", "envelope"
CONFIRMED, REFUSED, HELD, EXPIRED = "confirmed", "refused", "held", "expired"
WRONG_CARD, INELIGIBLE, VOIDED = "not_rightful_card", "ineligible", "voided"

RUNNING = (SELECTED, TAKEN, NOT_THERE, ANNOUNCED, REVIEW, FOUND, PRESENTED, CHECKED, ENVELOPE)
ENDED = (CONFIRMED, REFUSED, HELD, EXPIRED, WRONG_CARD, INELIGIBLE, VOIDED)

_WITH_THE_GUEST = (FOUND, PRESENTED, CHECKED, ENVELOPE)

TRANSITIONS: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        (SELECTED, "take"): TAKEN,
        (TAKEN, "release"): SELECTED,
        # At the same device: three answers that exclude each other (SS-030).
        (TAKEN, "found"): FOUND,
        (TAKEN, "other_person"): WRONG_CARD,
        (TAKEN, "not_there"): NOT_THERE,
        # Nobody is announced without an arrival on record (SS-031).
        (NOT_THERE, "announce"): ANNOUNCED,
        (ANNOUNCED, "present"): PRESENTED,
        (ANNOUNCED, "expire"): EXPIRED,
        (ANNOUNCED, "hold"): HELD,
        (ANNOUNCED, "interrupt"): REVIEW,
        (REVIEW, "attest_present"): PRESENTED,
        (REVIEW, "attest_absent"): ANNOUNCED,  # and in the same transaction expired, or held when registered
        (REVIEW, "announce_again"): NOT_THERE,
        (FOUND, "check"): CHECKED,
        (PRESENTED, "check"): CHECKED,
        (CHECKED, "envelope"): ENVELOPE,
        (CHECKED, "refuse"): REFUSED,
        (ENVELOPE, "refuse"): REFUSED,
        (ENVELOPE, "pay"): CONFIRMED,
        # The wrong pocket, or an envelope packed wrongly: two people take it out, the guest picks another.
        (ENVELOPE, "exchange"): CHECKED,
        **{(stage, "mismatch"): WRONG_CARD for stage in _WITH_THE_GUEST},
        # An exclusion can become known at any time before the prize (SS-007).
        **{(stage, "rule_out"): INELIGIBLE for stage in RUNNING if stage != REVIEW},
        # Two people, for a reason; while a review is open it is decided first (draw record, `claim.review`).
        **{(stage, "void"): VOIDED for stage in (*RUNNING, *sorted(FILLED)) if stage != REVIEW},
    }
)
"""(stage, move) -> stage. Later on `take`, `release` and `hand_over` change who sees to a claim, not its stage."""

KEEPS_STAGE = frozenset({"take", "release", "hand_over"})
"""Moves that are allowed at every later running stage too: a tablet's battery may die at any of them."""

_SAYS = {
    SELECTED: "has been selected and nobody has taken it",
    TAKEN: "has been taken and the crew is on the way",
    NOT_THERE: "is to be announced",
    ANNOUNCED: "has been announced",
    REVIEW: "waits for two people to decide",
    FOUND: "was found at the device",
    PRESENTED: "has presented in time",
    CHECKED: "has been checked",
    ENVELOPE: "has the envelope",
}

_DOES = {
    "take": "be taken",
    "release": "be released",
    "hand_over": "be handed over",
    "other_person": "be ended for the wrong person",
    "not_there": "be called not there",
    "announce": "be announced",
    "present": "be presented",
    "expire": "expire",
    "hold": "be held",
    "check": "be checked",
    "envelope": "be given an envelope",
    "pay": "be paid",
    "exchange": "have its envelope exchanged",
    "refuse": "be ended as refused",
    "mismatch": "be ended for a mismatch",
    "rule_out": "be ended as ineligible",
    "void": "be voided",
}


def stage_of(claim: Claim) -> str:
    """Where a claim stands: one of RUNNING, or its outcome once it has ended."""
    if claim.outcome is not None:
        return claim.outcome
    reached = (
        (REVIEW, claim.review is not None),
        (ENVELOPE, claim.pocket is not None),
        (CHECKED, claim.checked_at is not None),
        (FOUND, claim.found_at is not None),
        (PRESENTED, claim.presented_at is not None or claim.attested == "present"),
        (ANNOUNCED, claim.announced_at is not None and claim.attested != "again"),
        (NOT_THERE, claim.arrival == "not_there"),
        (TAKEN, claim.taken_by is not None),
    )
    return next((stage for stage, holds in reached if holds), SELECTED)


def stage_after(claim: Claim, move: str) -> str:
    """The stage a move leads to. Raises Refused X_CLAIM_STATE when the claim's stage does not allow it."""
    stage = stage_of(claim)
    after = TRANSITIONS.get((stage, move))
    if after is not None:
        return after
    if move in KEEPS_STAGE and stage in RUNNING and stage != SELECTED:
        return stage
    said = _SAYS.get(stage, f"has ended: {stage.replace('_', ' ')}")
    does = _DOES.get(move, f"be {move.replace('_', ' ')}")
    raise Refused("X_CLAIM_STATE", f"Claim {claim.id} {said}; it cannot {does} from there.")


_CODES = {
    NOT_THERE: "SS_NOT_AT_DEVICE",
    EXPIRED: "SS_NO_SHOW_NOT_REGISTERED",
    HELD: "SS_NO_SHOW_REGISTERED",
    REFUSED: "SS_SIGNATURE_REFUSED",
    WRONG_CARD: "SS_NOT_RIGHTFUL_OWNER",
}


def code_of(claim: Claim) -> str:
    """The reason code of where a claim stands, or "": why it is announced, waits for two people, or ended unpaid.

    An exclusion's own code is told to the crew at the press and to nobody else: it stands in no log.
    """
    stage = stage_of(claim)
    return claim.review or (claim.mismatch if stage == WRONG_CARD else None) or _CODES.get(stage, "")


def diagram() -> str:
    """The table as a Mermaid state diagram, for the documentation."""
    lines = ["stateDiagram-v2", f"    [*] --> {SELECTED}"]
    lines += [f"    {stage} --> {after}: {move}" for (stage, move), after in TRANSITIONS.items()]
    lines += [f"    {stage} --> [*]" for stage in ENDED]
    return "\n".join(lines) + "\n"
