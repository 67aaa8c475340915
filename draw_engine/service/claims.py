"""What people do with a claim: walk, announce, check, hand the envelope over (rules 12 to 17, 31).

Each verb asks the table of moves first (`claim_moves`), then changes the claim and writes the log in one transaction.
Sources: requirements 2.2, SS-030 to SS-046; draw record, "Endings earned".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from draw_engine import calendar
from draw_engine.canonical import format_time
from draw_engine.claim_moves import stage_after, stage_of
from draw_engine.draw_state import Claim
from draw_engine.errors import Refused
from draw_engine.screening import EXCLUSIONS, born_by
from draw_engine.service import envelopes, guests, receipts, signatures
from draw_engine.service.engine import Engine, OpenDraw

CHECKS = ("name", "card", "owner")
"""What is compared at every check; with them `device` or `stage`, wherever the guest is (SS-034)."""
IDENTIFIED_BY = ("", "sa_id", "passport", "drivers_licence", "patron_manager")


def claim_for(draw: OpenDraw, ordinal: int, move: str) -> Claim:
    """The claim, when the table lets it be moved so. Raises Refused X_NO_SUCH_CLAIM, X_CLAIM_STATE."""
    if not 0 <= ordinal < len(draw.state.claims):
        raise Refused("X_NO_SUCH_CLAIM", f"There is no claim c{ordinal} in {draw.state.id}.")
    claim = draw.state.claims[ordinal]
    stage_after(claim, move)
    return claim


def note(
    engine: Engine,
    draw: OpenDraw,
    claim: Claim,
    kind: str,
    *,
    actor: str,
    now: int,
    data: Mapping[str, Any],
    **row: Any,
) -> int:
    """One entry about a claim and its row, in one transaction; a time `…_at=True` in `row` is the entry's. Its `at`."""
    with engine.change() as work:
        at = work.instant(now)
        work.append(at=at, kind=kind, draw=draw.state.id, actor=actor, data={**names(claim), **data})
        values = {name: at if value is True else value for name, value in row.items()}
        if values:
            work.put_claim(draw.state.id, claim.ordinal, **values)
    return at


def names(claim: Claim) -> dict[str, object]:
    """The two members by which an entry names its claim."""
    return {"claim": claim.id, "ordinal": claim.ordinal}


# -- the walk ---------------------------------------------------------------------------------------------------


def take(engine: Engine, draw: OpenDraw, ordinal: int, *, actor: str, now: int) -> None:
    """A crew member sees to the claim from now on. Raises Refused X_ALREADY_TAKEN when somebody else does."""
    claim = claim_for(draw, ordinal, "take")
    if claim.taken_by is not None:
        raise Refused("X_ALREADY_TAKEN", f"{claim.taken_by.partition(':')[2]} has claim {claim.id}. Take another one.")
    note(engine, draw, claim, "claim.taken", actor=actor, now=now, data={}, taken_by=actor, taken_at=True)


def hand_over(engine: Engine, draw: OpenDraw, ordinal: int, *, to: str, actor: str, now: int) -> None:
    """Another crew member sees to the claim from now on: `to` is their actor (`crew:zanele`)."""
    claim = claim_for(draw, ordinal, "hand_over")
    if claim.taken_by == to:
        raise Refused("X_ALREADY_TAKEN", f"{to.partition(':')[2]} has claim {claim.id} already.")
    note(engine, draw, claim, "claim.handed_over", actor=actor, now=now, data={"to": to}, taken_by=to)


def release(engine: Engine, draw: OpenDraw, ordinal: int, *, actor: str, now: int) -> None:
    """Nobody sees to the claim any more (a flat battery): it stands in the queue again, as far as it has come."""
    claim = claim_for(draw, ordinal, "release")
    if claim.taken_by is None:
        raise Refused("X_CLAIM_STATE", f"Nobody has claim {claim.id}; take it when you can see to it.")
    note(engine, draw, claim, "claim.released", actor=actor, now=now, data={}, taken_by=None)


def found(engine: Engine, draw: OpenDraw, ordinal: int, *, actor: str, now: int) -> None:
    """The guest is at the device, on the own card (rule 13)."""
    claim = claim_for(draw, ordinal, "found")
    with engine.change():
        _arrive(engine, draw, claim, "found", actor, now)
        note(engine, draw, claim, "claim.found", actor=actor, now=now, data={}, found_at=True)


def not_there(engine: Engine, draw: OpenDraw, ordinal: int, *, actor: str, now: int) -> None:
    """The seat is empty, or whoever sits there plays on another card: the guest is to be announced (rule 12)."""
    claim = claim_for(draw, ordinal, "not_there")
    _arrive(engine, draw, claim, "not_there", actor, now)


def other_person(engine: Engine, draw: OpenDraw, ordinal: int, *, actor: str, now: int) -> None:
    """Somebody else plays on the selected card (rule 17): selected again at once, or announced, as the book says."""
    claim = claim_for(draw, ordinal, "other_person")
    called = draw.plan.answer_to("not_rightful_card") == "announce"
    with engine.change():
        misused = {"code": "SS_NOT_RIGHTFUL_OWNER"}
        note(engine, draw, claim, "claim.card_misused", actor=actor, now=now, data=misused)
        _arrive(engine, draw, claim, "not_there" if called else "other_person", actor, now)
        if not called:
            end(engine, draw, claim, "not_rightful_card", actor=actor, now=now)


def _arrive(engine: Engine, draw: OpenDraw, claim: Claim, arrival: str, actor: str, now: int) -> None:
    data = {"arrival": arrival}
    note(engine, draw, claim, "claim.arrived", actor=actor, now=now, data=data, arrived_at=True, arrival=arrival)


# -- the stage --------------------------------------------------------------------------------------------------


def announce(engine: Engine, draw: OpenDraw, ordinal: int, *, actor: str, now: int) -> int:
    """The announcement was made: the window starts. Returns the deadline (ms), stored before anything is shown."""
    claim = claim_for(draw, ordinal, "announce")
    window = int(draw.state.terms["claim_window_ms"])
    with engine.change() as work:
        at = work.instant(now)
        data = {"deadline_at": format_time(at + window)}
        times = {"announced_at": at, "deadline_at": at + window, "presented_at": None}
        note(engine, draw, claim, "claim.announced", actor=actor, now=at, data=data, **times)
    return at + window


def present(engine: Engine, draw: OpenDraw, ordinal: int, *, actor: str, stamped_at: int, now: int) -> None:
    """The guest is at the place of drawing. `stamped_at` is when the server received the press; it alone decides.

    Raises Refused SS_LATE_AFTER_90S when that is after the deadline (rule 12; 90.000 s is in time).
    """
    claim = draw.state.claims[ordinal] if 0 <= ordinal < len(draw.state.claims) else None
    if claim is not None and claim.deadline_at is not None and stamped_at > claim.deadline_at and _was_called(claim):
        late = stamped_at - claim.deadline_at
        said = f"Claim {claim.id} was {late / 1000:.3f} s late; it cannot be presented any more."
        raise Refused("SS_LATE_AFTER_90S", said, late_ms=late)
    claim = claim_for(draw, ordinal, "present")
    # Two people press at once: this press may have come in while the announcement was being written.
    presented_at = max(stamped_at, claim.announced_at or stamped_at)
    data = {"presented_at": format_time(presented_at)}
    at = max(now, presented_at)
    note(engine, draw, claim, "claim.presented", actor=actor, now=at, data=data, presented_at=presented_at)


def _was_called(claim: Claim) -> bool:
    """Whether a late press is simply late: announced and not presented, or ended for that."""
    return stage_of(claim) in {"announced", "expired", "held", "review"}


# -- the check and the envelope ---------------------------------------------------------------------------------


def check(
    engine: Engine,
    draw: OpenDraw,
    ordinal: int,
    *,
    checks: Collection[str],
    identification: str,
    actor: str,
    now: int,
) -> str:
    """Selected and present guest agree in name, card, place and rightful ownership (rule 13, SS-034).

    Returns the claim's stage: checked, or ineligible when an exclusion has become known since (SS-007).
    Raises Refused X_CHECK_INCOMPLETE until all of it has been compared.
    """
    claim = claim_for(draw, ordinal, "check")
    where = "device" if claim.found_at is not None else "stage"
    missing = [one for one in (*CHECKS, where) if one not in checks]
    if missing:
        raise Refused("X_CHECK_INCOMPLETE", f"Compare these too, then confirm: {', '.join(missing)}.")
    if identification not in IDENTIFIED_BY:
        raise Refused("SS_ID_REQUIRED", "Say how the guest was identified, or leave it open.")
    if barred_now(engine, draw, ordinal, now):
        end(engine, draw, claim, "ineligible", actor=actor, now=now)
        return "ineligible"
    data = {"checks": [*CHECKS, where], "identification": identification}
    note(engine, draw, claim, "claim.checked", actor=actor, now=now, data=data, checked_at=True)
    return "checked"


def mismatch(engine: Engine, draw: OpenDraw, ordinal: int, *, reason: str, actor: str, now: int) -> None:
    """Not the person selected (`card`), or not the card's rightful owner (`owner`): selected again (SS-035)."""
    claim = claim_for(draw, ordinal, "mismatch")
    code = {"card": "SS_CARD_MISMATCH", "owner": "SS_NOT_RIGHTFUL_OWNER"}.get(reason)
    if code is None:
        raise Refused("X_VALUE_WRONG", "Say whether the card or its owner does not agree.")
    if claim.attested == "present":
        raise Refused(
            "X_CLAIM_STATE",
            f"Two people attested that the guest of claim {claim.id} was present. Ask a manager to void it.",
        )
    with engine.change():
        note(engine, draw, claim, "claim.mismatch", actor=actor, now=now, data={"code": code})
        end(engine, draw, claim, "not_rightful_card", actor=actor, now=now)


def rule_out(engine: Engine, draw: OpenDraw, ordinal: int, *, actor: str, now: int) -> None:
    """An exclusion was found on the guest: not confirmed, selected again (SS-007)."""
    claim = claim_for(draw, ordinal, "rule_out")
    if claim.attested == "again":
        raise Refused("X_CLAIM_STATE", f"Claim {claim.id} is to be announced again first, or voided.")
    end(engine, draw, claim, "ineligible", actor=actor, now=now)


def envelope(engine: Engine, draw: OpenDraw, ordinal: int, *, pocket: str, actor: str, now: int) -> None:
    """One unmarked envelope for a confirmed guest: what is scanned is the tray's pocket (rule 14, SS-036)."""
    claim = claim_for(draw, ordinal, "envelope")
    pocket = pocket.strip().upper()
    with engine.change() as work:
        at = work.instant(now)
        if not engine.seeds.rehearsal:  # it has no tray
            envelopes.present(engine, work, draw, ordinal, pocket, at)
        note(engine, draw, claim, "envelope.drawn", actor=actor, now=at, data={"pocket": pocket}, pocket=pocket)


def pay(
    engine: Engine,
    draw: OpenDraw,
    ordinal: int,
    *,
    amount: int,
    signature: Mapping[str, Any] | None,
    actor: str,
    now: int,
) -> str:
    """The envelope is open, its amount typed (cents) and the receipt signed (rules 14, 31): the award is won.

    Returns confirmed, or ineligible when an exclusion has become known since. Raises Refused SS_SIGNATURE_REQUIRED
    (nothing is counted as paid then), SS_ENVELOPE_AMOUNT_OUT_OF_RANGE.
    """
    claim = claim_for(draw, ordinal, "pay")
    bounds = draw.plan.prize
    if type(amount) is not int or not bounds.min <= amount <= bounds.max or amount % 100:
        raise Refused(
            "SS_ENVELOPE_AMOUNT_OUT_OF_RANGE",
            f"An envelope holds {bounds.min // 100} to {bounds.max // 100} whole {draw.book.currency}; count it again.",
        )
    with engine.change() as work:
        at = work.instant(now)
        if barred_now(engine, draw, ordinal, at):
            end(engine, draw, claim, "ineligible", actor=actor, now=at)
            return "ineligible"
        if not engine.seeds.rehearsal:
            assert claim.pocket is not None
            signatures.keep(engine, work, f"claim {draw.state.id} {ordinal}", signature, at)
            envelopes.give(engine, work, claim.pocket, amount, at)
            receipts.queue_receipt(engine, work, draw, claim, amount=amount, actor=actor, at=at)
        end(engine, draw, claim, "confirmed", actor=actor, now=at, prize=amount)
    return "confirmed"


def refuse(engine: Engine, draw: OpenDraw, ordinal: int, *, actor: str, now: int) -> None:
    """The guest will not take or sign for the prize: the award is filled, the envelope goes back (A21)."""
    claim = claim_for(draw, ordinal, "refuse")
    end(engine, draw, claim, "refused", actor=actor, now=now)


def end(
    engine: Engine, draw: OpenDraw, claim: Claim, outcome: str, *, actor: str, now: int, prize: int | None = None
) -> None:
    """Write an ending; an envelope on the table goes back. The verbs that may end a claim have asked the table."""
    with engine.change() as work:
        at = work.instant(now)
        if claim.pocket and outcome != "confirmed" and not engine.seeds.rehearsal:
            envelopes.take_back(engine, work, claim.pocket, at)
        row: dict[str, Any] = {"ended_at": at, "outcome": outcome, "prize": prize, "review": None}
        note(engine, draw, claim, f"claim.{outcome}", actor=actor, now=at, data={"prize": prize}, **row)


def barred_now(engine: Engine, draw: OpenDraw, ordinal: int, now: int) -> str | None:
    """The code of what keeps the guest from a prize now: an exclusion on any card, or the age (rules 1, 3)."""
    row = draw.rows[ordinal]
    lists = engine.lists.at(now)
    categories = lists.categories(guests.numbers(engine, row, now)) & set(draw.book.exclude)
    code = next((outcome.code for category, outcome in EXCLUSIONS.items() if category in categories), None)
    if code is not None:
        return code
    member = lists.members.get(row.member)
    today = calendar.local(draw.book.zone, now).date()
    return "SS_UNDER_AGE" if member is not None and member.born > born_by(today, draw.book.min_age) else None
