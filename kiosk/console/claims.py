"""The claims on the console: what runs, who has it and for how long; what has ended, when, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping

from draw_engine import claim_moves
from draw_engine.claim_moves import TRANSITIONS, stage_of
from draw_engine.draw_state import FAILED, Claim
from draw_engine.service.engine import Engine, OpenDraw
from kiosk.console.words import ENGLISH
from kiosk.screens.view import names_of
from web_display import console_messages as told
from web_display import screens
from web_display.catalogue import add_words, say

add_words(ENGLISH)  # the console's further words: whoever shows a claim needs them


def mark_of(claim: Claim) -> told.MarkKind:
    """A claim's mark on the ruler."""
    stage = stage_of(claim)
    if stage in {"confirmed", "held", "announced"}:
        return stage  # type: ignore[return-value]  # the three that are named alike
    return "with_crew" if claim.runs else "held" if stage == "refused" else "ended"


def person_of(actor: str | None, names: Mapping[str, str]) -> str:
    """Who an actor is ("crew:kabelo"), by name where the staff list still has them; "" for nobody."""
    if actor is None:
        return ""
    _, _, person = actor.partition(":")
    return names.get(person, person or say("crew.demo"))


def _guest(engine: Engine, draw: OpenDraw, ordinal: int) -> str:
    first, last, last4 = names_of(engine, draw, ordinal)
    return f"{first} {last} {screens.DOTS}{last4}".strip()


# -- running --------------------------------------------------------------------------------------------------------


def claim_rows(engine: Engine, shown: OpenDraw | None, names: Mapping[str, str]) -> list[told.ClaimRow]:
    """Every running claim of every open draw: clocks first, the shortest on top; then by how long they stand."""
    rows = [
        _claim_row(engine, draw, claim, names, is_shown=draw is shown)
        for draw in engine.draws.values()
        if draw.state.closed_at is None
        for claim in draw.state.running()
    ]
    return sorted(rows, key=lambda row: (row.deadline_at is None, row.deadline_at or 0, row.since or 0, row.ordinal))


def _claim_row(
    engine: Engine, draw: OpenDraw, claim: Claim, names: Mapping[str, str], *, is_shown: bool
) -> told.ClaimRow:
    made = draw.state.selections[claim.ordinal]
    stage = stage_of(claim)
    return told.ClaimRow(
        ordinal=claim.ordinal,
        award=made.place,
        position=made.position or "",
        guest=_guest(engine, draw, claim.ordinal),
        state=mark_of(claim),
        state_sentence=say(f"console.stage.{stage}"),
        crew=person_of(claim.taken_by, names),
        deadline_at=claim.deadline_at if stage == claim_moves.ANNOUNCED else None,
        since=_since(claim, stage),
        draw=draw.state.id,
        of="" if is_shown else screens.short_title(draw.plan.title, draw.book.title),
        review=_review(draw, claim),
        acts=_acts(claim),
    )


def _since(claim: Claim, stage: str) -> int:
    """When the claim came to where it stands, as far as its log tells."""
    reached = {
        claim_moves.TAKEN: claim.taken_at,
        claim_moves.NOT_THERE: claim.arrived_at,
        claim_moves.ANNOUNCED: claim.announced_at,
        claim_moves.REVIEW: claim.deadline_at,
        claim_moves.FOUND: claim.found_at,
        claim_moves.PRESENTED: claim.presented_at,
        claim_moves.CHECKED: claim.checked_at,
        claim_moves.ENVELOPE: claim.checked_at,
    }.get(stage)
    return claim.opened_at if reached is None else reached


def _review(draw: OpenDraw, claim: Claim) -> str:
    if claim.review is None:
        return ""
    time = screens.NOT_KNOWN
    if claim.deadline_at is not None:
        time = screens.time_text_seconds(claim.deadline_at, draw.book.zone)
    return say(f"console.review.{claim.review}", time=time)


def _acts(claim: Claim) -> tuple[str, ...]:
    stage = stage_of(claim)
    if stage == claim_moves.REVIEW:
        return ("decide",)
    return tuple(act for act in ("exchange", "void") if (stage, act) in TRANSITIONS)


# -- ended ----------------------------------------------------------------------------------------------------------


def ended_rows(engine: Engine, draw: OpenDraw, names: Mapping[str, str]) -> list[told.EndedRow]:
    """The claims of a session that have ended, newest first."""
    ended = [claim for claim in draw.state.claims if not claim.runs]
    ended.sort(key=lambda claim: (claim.ended_at or 0, claim.ordinal), reverse=True)
    return [_ended_row(engine, draw, claim, names) for claim in ended]


def _ended_row(engine: Engine, draw: OpenDraw, claim: Claim, names: Mapping[str, str]) -> told.EndedRow:
    made = draw.state.selections[claim.ordinal]
    stage = stage_of(claim)

    def time(at: int | None) -> str:
        return "" if at is None else screens.time_text_seconds(at, draw.book.zone)

    voidable = (stage, "void") in TRANSITIONS
    is_open = draw.state.closed_at is None
    return told.EndedRow(
        draw=draw.state.id,
        ordinal=claim.ordinal,
        award=made.place,
        attempt=draw.state.places[made.place].ordinals.index(claim.ordinal) + 1,
        position=made.position or "",
        guest=_guest(engine, draw, claim.ordinal),
        state=mark_of(claim),
        outcome=stage,
        outcome_text=say(f"console.outcome.{stage}"),
        detail=_detail(draw, claim),
        selected_text=time(made.at),
        announced_text=time(claim.announced_at),
        presented_text=_presented(claim),
        ended_text=time(claim.ended_at),
        crew=person_of(claim.taken_by, names),
        acts=(("void", "reselect") if is_open else ("void",)) if voidable else (),
    )


def _detail(draw: OpenDraw, claim: Claim) -> str:
    """The amount and the envelope, or whether the award was selected again."""
    parts = []
    if claim.prize is not None:
        parts.append(screens.money(claim.prize, draw.book.currency))
    if claim.pocket is not None:
        parts.append(say("console.pocket", pocket=claim.pocket))
    if claim.outcome in FAILED or claim.reselect:
        parts.append(say("console.again"))
    elif claim.outcome == "voided":
        parts.append(say("console.not_again"))
    return ", ".join(parts)


def _presented(claim: Claim) -> str:
    """How much of the time was left when the guest presented; two people's word where they attested it."""
    if claim.presented_at is None or claim.deadline_at is None:
        return say("console.in_time") if claim.attested == "present" else ""
    return say("console.left", n=max(0, (claim.deadline_at - claim.presented_at) // 1000))
