"""A scripted crew's presses, for rehearsals and for the demo: the same verbs, with the steps a crew presses before."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from draw_engine.claim_moves import stage_of
from draw_engine.errors import Refused
from draw_engine.scripted_crew import Press
from draw_engine.service import claims, expiry, prizes, reviews
from draw_engine.service.engine import Engine, OpenDraw


def carry_out(engine: Engine, scripted: Press, *, actor: str, now: int) -> None:
    """Do what a script presses, with the steps before it that a crew would have pressed. Raises Refused."""
    draw = engine.draw(scripted.draw)
    with engine.change():
        _SCRIPTED[scripted.verb](engine, draw, scripted, actor, now)


def _walk(engine: Engine, draw: OpenDraw, ordinal: int, actor: str, now: int) -> None:
    claim = draw.state.claims[ordinal]
    if stage_of(claim) == "selected":
        claims.take(engine, draw, ordinal, actor=actor, now=now)


def _scripted_found(engine: Engine, draw: OpenDraw, scripted: Press, actor: str, now: int) -> None:
    _walk(engine, draw, scripted.ordinal, actor, now)
    claims.found(engine, draw, scripted.ordinal, actor=actor, now=now)


def _scripted_announce(engine: Engine, draw: OpenDraw, scripted: Press, actor: str, now: int) -> None:
    _walk(engine, draw, scripted.ordinal, actor, now)
    if stage_of(draw.state.claims[scripted.ordinal]) == "taken":
        claims.not_there(engine, draw, scripted.ordinal, actor=actor, now=now)
    claims.announce(engine, draw, scripted.ordinal, actor=actor, now=now)


def _scripted_present(engine: Engine, draw: OpenDraw, scripted: Press, actor: str, now: int) -> None:
    claims.present(engine, draw, scripted.ordinal, actor=actor, stamped_at=now, now=now)


def _scripted_wrong_card(engine: Engine, draw: OpenDraw, scripted: Press, actor: str, now: int) -> None:
    _walk(engine, draw, scripted.ordinal, actor, now)
    if stage_of(draw.state.claims[scripted.ordinal]) == "taken":
        claims.other_person(engine, draw, scripted.ordinal, actor=actor, now=now)
    else:
        claims.mismatch(engine, draw, scripted.ordinal, reason="owner", actor=actor, now=now)


def _scripted_check(engine: Engine, draw: OpenDraw, scripted: Press, actor: str, now: int) -> bool:
    """Check and give an envelope; False when the guest was ruled out instead."""
    claim = draw.state.claims[scripted.ordinal]
    if stage_of(claim) in {"found", "presented"}:
        where = "device" if claim.found_at is not None else "stage"
        checks = [*claims.CHECKS, where]
        stage = claims.check(engine, draw, scripted.ordinal, checks=checks, identification="", actor=actor, now=now)
        if stage == "ineligible":
            return False
    if stage_of(claim) == "checked":
        pocket = _next_pocket(engine, scripted.ordinal)
        claims.envelope(engine, draw, scripted.ordinal, pocket=pocket, actor=actor, now=now)
    return True


def _next_pocket(engine: Engine, ordinal: int) -> str:
    if engine.seeds.rehearsal:
        return f"E-{ordinal + 1:04d}"
    left = engine.store.envelopes(state="tray")
    return left[0].pocket if left else ""


_SCRIPTED_SIGNATURE = {"width": 300, "height": 100, "strokes": [[[20, 60], [120, 40], [260, 70]]]}


def _scripted_confirmed(engine: Engine, draw: OpenDraw, scripted: Press, actor: str, now: int) -> None:
    if _scripted_check(engine, draw, scripted, actor, now):
        amount = draw.plan.prize.min if scripted.prize is None else scripted.prize
        signed = _SCRIPTED_SIGNATURE
        claims.pay(engine, draw, scripted.ordinal, amount=amount, signature=signed, actor=actor, now=now)


def _scripted_refused(engine: Engine, draw: OpenDraw, scripted: Press, actor: str, now: int) -> None:
    if _scripted_check(engine, draw, scripted, actor, now):
        claims.refuse(engine, draw, scripted.ordinal, actor=actor, now=now)


def _scripted_ineligible(engine: Engine, draw: OpenDraw, scripted: Press, actor: str, now: int) -> None:
    claims.rule_out(engine, draw, scripted.ordinal, actor=actor, now=now)


def _scripted_no_show(engine: Engine, draw: OpenDraw, scripted: Press, actor: str, now: int) -> None:
    claim = claims.claim_for(draw, scripted.ordinal, "expire")
    if claim.deadline_at is not None and now <= claim.deadline_at:
        raise Refused("X_CLAIM_STATE", f"The window of claim {claim.id} is still open; wait for its deadline.")
    with engine.change() as work:
        claims.end(engine, draw, claim, scripted.verb, actor=actor, now=now)
        if scripted.verb == "held":
            prizes.open_held(engine, work, draw, claim, work.instant(now))


def _scripted_interrupted(engine: Engine, draw: OpenDraw, scripted: Press, _actor: str, now: int) -> None:
    expiry.interrupt(engine, draw, scripted.ordinal, expiry.INTERRUPTED, now=now)


_WHY = "As the script says."


def _two_people(engine: Engine) -> dict[str, str]:
    """A manager and a second person of the staff, as `reviews` wants them named; none where there are too few."""
    managers = [person for person, role in engine.settings.staff.items() if role == "manager"]
    return {"by": managers[0] if managers else "", "second": managers[1] if len(managers) > 1 else "", "reason": _WHY}


def _scripted_void(engine: Engine, draw: OpenDraw, scripted: Press, _actor: str, now: int) -> None:
    reselect = scripted.verb == "reselected"
    reviews.void(engine, draw, scripted.ordinal, reselect=reselect, now=now, **_two_people(engine))


def _scripted_review(engine: Engine, draw: OpenDraw, scripted: Press, _actor: str, now: int) -> None:
    decision = scripted.verb.removeprefix("review_")
    reviews.decide(engine, draw, scripted.ordinal, decision, now=now, **_two_people(engine))


_SCRIPTED: Mapping[str, Callable[[Engine, OpenDraw, Press, str, int], None]] = {
    "found": _scripted_found,
    "announce": _scripted_announce,
    "present": _scripted_present,
    "not_rightful_card": _scripted_wrong_card,
    "confirmed": _scripted_confirmed,
    "refused": _scripted_refused,
    "ineligible": _scripted_ineligible,
    "expired": _scripted_no_show,
    "held": _scripted_no_show,
    "interrupted": _scripted_interrupted,
    "review_present": _scripted_review,
    "review_absent": _scripted_review,
    "review_again": _scripted_review,
    "voided": _scripted_void,
    "reselected": _scripted_void,
}
