"""Held prizes: drawn on behalf of a winner who declined to be present, kept, looked for, claimed or returned.

    to_draw -> held -> handed_over
                    -> to_return -> returned
    to_draw -> returned     its last day passed and no envelope had been drawn for it
    (void from any)

Log entries about them have no draw, but `prize.handed_over` and `prize.returned`: those two alone may come after the
draw's close (draw record, "The log"). Sources: rules 15, 16, 31, 33; SS-042 to SS-044, SS-070 to SS-079.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draw_engine import calendar, papers
from draw_engine import envelopes as envelope_rules
from draw_engine import held as rules
from draw_engine.canonical import jcs
from draw_engine.draw_state import Claim
from draw_engine.errors import Refused
from draw_engine.held import CUSTOMER_SERVICES, MARKETING, PROMOTIONS, WINNER
from draw_engine.service import claims, envelopes, guests, printing, receipts, register, signatures
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.held_prizes import (
    HeldPrize,
    about,
    contact_of,
    held,
    note_move,
    require_waiting,
    row_of,
    terms_of,
)
from draw_engine.service.ports import UnitOfWork
from draw_engine.service.prize_ports import AttemptRow, HeldRow
from draw_engine.service.prize_returns import expire_due, give_back
from draw_engine.service.roles import actor_of, two_actors

__all__ = [
    "HeldPrize",
    "contact",
    "contact_of",
    "draw_on_behalf",
    "expire_due",
    "give_back",
    "hand_over",
    "held",
    "move",
    "open_held",
    "void_held",
]

REPRESENTATIVES = frozenset({"crew", "marketing", "manager"})
"""Who draws an envelope on a winner's behalf: a promotions representative (rule 16)."""
SEARCHERS = frozenset({"desk", "customer_services", "marketing", "manager"})
CLAIM_DESK = frozenset({"customer_services", "manager"})
KEEPERS = {
    PROMOTIONS: REPRESENTATIVES,
    MARKETING: frozenset({"marketing", "manager"}),
    CUSTOMER_SERVICES: CLAIM_DESK,
}
"""place -> whose hands an envelope there is in."""

_PLACES = {
    PROMOTIONS: "the promotions representative",
    MARKETING: "Marketing",
    CUSTOMER_SERVICES: "Customer Services",
}
_TRAY = "tray"
_GUEST = "guest"
"""Who receives an envelope as its winner: the record of custody names nobody."""


# -- in the transaction of a claim ------------------------------------------------------------------------------


def open_held(
    engine: Engine,  # noqa: ARG001 - as every verb of a claim
    work: UnitOfWork,
    draw: OpenDraw,
    claim: Claim,
    at: int,
) -> None:
    """The claim has ended as held: an envelope is to be drawn on the winner's behalf, and kept for `held.days`."""
    made = draw.state.selections[claim.ordinal].at
    last = rules.claim_by(calendar.local(draw.book.zone, made).date(), terms_of(draw))
    work.add_held(
        HeldRow(
            draw=draw.state.id,
            ordinal=claim.ordinal,
            held_at=at,
            claim_by=last.isoformat(),
            state=rules.TO_DRAW,
            custody=PROMOTIONS,
        )
    )


def void_held(engine: Engine, work: UnitOfWork, draw: OpenDraw, ordinal: int, at: int) -> None:
    """The held claim was voided: nobody may claim its prize any more; an envelope drawn for it is to be returned.

    What became of a prize stays as it is (X-06): one that was handed over, returned or is to be returned is no other.
    """
    row = work.held_prize(draw.state.id, ordinal)
    if row is None or row.state not in {rules.TO_DRAW, rules.HELD}:
        return
    work.put_held(draw.state.id, ordinal, state=rules.VOID, settled_at=at)
    if row.pocket is not None:
        envelopes.take_back(engine, work, row.pocket, at)
    printing.drop_waiting(engine, work, draw.state.id, ordinal, "envelope_label", at)


# -- people -----------------------------------------------------------------------------------------------------


def draw_on_behalf(
    engine: Engine, draw: OpenDraw, ordinal: int, *, pocket: str, by: str, second: str, now: int
) -> None:
    """A promotions representative draws one envelope for the absent winner before a witness; its label is printed.

    It stays sealed. Only a claim that ended as held has one (SS-C37). Raises Refused X_CLAIM_STATE, SS_CLAIM_EXPIRED,
    X_SAME_PERSON, X_NO_PERMISSION, X_NO_SUCH_POCKET, SS_ENVELOPE_USED.
    """
    rep, witness = two_actors(engine, by, second, REPRESENTATIVES)
    row = row_of(engine, draw, ordinal)
    require_waiting(draw, row, now)
    if row.state != rules.TO_DRAW:
        raise Refused("X_ALREADY_DONE", f"Claim c{ordinal} has its envelope: pocket {row.pocket}.")
    with engine.change() as work:
        at = work.instant(now)
        taken = envelopes.take_from_tray(work, draw, ordinal, pocket, envelope_rules.HELD, at)
        work.put_held(draw.state.id, ordinal, state=rules.HELD, pocket=taken)
        note_move(work, row, _TRAY, PROMOTIONS, witness, rep, at)
        data = {**about(row), "pocket": taken, "by": sorted((rep, witness))}
        work.append(at=at, kind="envelope.on_behalf", draw=None, actor=rep, data=data)
        printing.queue(
            work,
            kind="envelope_label",
            use=printing.LABELS,
            data=_label(engine, draw, row, taken, by, second),
            at=at,
            draw=draw.state.id,
            ordinal=ordinal,
        )


def move(engine: Engine, draw: OpenDraw, ordinal: int, *, to: str, given_by: str, received_by: str, now: int) -> None:
    """The marked envelope changes hands, from one named person to another (SS-043).

    Representative -> Marketing -> Customer Services, and from there back to Marketing. Raises Refused X_CLAIM_STATE,
    X_SAME_PERSON, X_NO_PERMISSION, X_VALUE_WRONG.
    """
    row = row_of(engine, draw, ordinal)
    kept = engine.store.envelope_of(draw.state.id, ordinal)
    if kept is None or kept.state not in {envelope_rules.HELD, envelope_rules.TO_RETURN}:
        raise Refused("X_CLAIM_STATE", f"Claim c{ordinal} has no envelope to hand on.")
    if to not in rules.CUSTODY:
        raise Refused("X_VALUE_WRONG", "Say whether it goes to Marketing or to Customer Services.")
    if to not in rules.CUSTODY[row.custody]:
        allowed = " or ".join(_PLACES[place] for place in rules.CUSTODY[row.custody])
        raise Refused("X_CLAIM_STATE", f"The envelope is with {_PLACES[row.custody]}. It goes to {allowed} next.")
    giver, taker = two_actors(engine, given_by, received_by, KEEPERS[row.custody], KEEPERS[to])
    with engine.change() as work:
        at = work.instant(now)
        note_move(work, row, row.custody, to, giver, taker, at)
        work.put_held(draw.state.id, ordinal, custody=to)
        data = {**about(row), "from": row.custody, "to": to, "given_by": giver, "received_by": taker}
        work.append(at=at, kind="envelope.moved", draw=None, actor=taker, data=data)


def contact(engine: Engine, draw: OpenDraw, ordinal: int, *, channel: str, outcome: str, by: str, now: int) -> None:
    """One attempt to reach the winner, by the number or address in the register, else in the members' list (SS-074).

    Raises Refused X_VALUE_WRONG, X_CLAIM_STATE, SS_CLAIM_EXPIRED, X_NO_CONTACT, X_NO_PERMISSION.
    """
    actor = actor_of(engine, by, SEARCHERS)
    if channel not in rules.CHANNELS or outcome not in rules.OUTCOMES:
        raise Refused("X_VALUE_WRONG", "Say how you tried (phone, SMS, e-mail, WhatsApp) and what came of it.")
    row = row_of(engine, draw, ordinal)
    require_waiting(draw, row, now)
    known = contact_of(engine, draw, ordinal)
    used = known.email if channel == "email" else known.phone
    if not used:
        raise Refused("X_NO_CONTACT", "The guest left nothing for this channel. Try another one.")
    with engine.change() as work:
        at = work.instant(now)
        number = work.next_id("contact_attempts")
        sealed = engine.vault.seal(f"contact:{number}", jcs({"used": used}))
        work.add_attempt(AttemptRow(number, draw.state.id, ordinal, at, channel, outcome, actor, sealed))
        data = {**about(row), "channel": channel, "outcome": outcome}
        work.append(at=at, kind="prize.contacted", draw=None, actor=actor, data=data)


def hand_over(
    engine: Engine,
    draw: OpenDraw,
    ordinal: int,
    *,
    desk: str,
    in_person: bool,
    id_type: str,
    id_number: str,
    amount: int,
    signature: Mapping[str, Any] | None,
    by: str,
    now: int,
) -> None:
    """The winner has come: shows a paper, opens the envelope, signs for what was in it (`amount` in cents).

    Raises Refused, in this order: SS_CLAIM_WRONG_DESK, X_NO_PERMISSION, X_CLAIM_STATE, SS_CLAIM_EXPIRED and the like,
    SS_NOT_TRANSFERABLE, SS_ID_REQUIRED, an exclusion's code, X_CLAIM_STATE while the envelope is elsewhere,
    SS_ENVELOPE_AMOUNT_OUT_OF_RANGE, SS_SIGNATURE_REQUIRED.
    """
    actor_of(engine, by)
    terms = terms_of(draw)
    if not rules.is_claim_desk(
        desk, terms
    ):  # before the role: whoever is at another desk is told where to send the guest
        raise Refused("SS_CLAIM_WRONG_DESK", f"Held prizes are claimed at the {terms.desk}. Send the guest there.")
    actor = actor_of(engine, by, CLAIM_DESK)
    row = row_of(engine, draw, ordinal)
    _require_claimable(engine, draw, row, in_person=in_person, id_type=id_type, id_number=id_number, now=now)
    if row.pocket is None:
        raise Refused("X_CLAIM_STATE", "No envelope has been drawn for this prize yet. Ask the promotions crew.")
    if row.custody != CUSTOMER_SERVICES:
        raise Refused(
            "X_CLAIM_STATE", f"The envelope is with {_PLACES[row.custody]}. Take it over first, then hand it on."
        )
    envelopes.require_amount(draw, amount)
    with engine.change() as work:
        at = work.instant(now)
        signatures.keep(engine, work, f"held {draw.state.id} {ordinal}", signature, at)
        kept = work.envelope(row.pocket)
        assert kept is not None
        envelopes.open_envelope(engine, work, kept, amount, envelope_rules.HANDED_OVER, at)
        work.put_held(draw.state.id, ordinal, state=rules.HANDED_OVER, custody=WINNER, amount=amount, settled_at=at)
        data = {"claim": f"c{ordinal}", "ordinal": ordinal, "amount": amount, "pocket": row.pocket}
        note_move(work, row, row.custody, WINNER, actor, _GUEST, at)
        work.append(at=at, kind="prize.handed_over", draw=draw.state.id, actor=actor, data=data)
        claim = draw.state.claims[ordinal]
        slip = receipts.receipt_data(engine, draw, claim, amount=amount, actor=actor, at=at, held=True)
        printing.queue(
            work,
            kind="claim_receipt",
            use=printing.RECEIPTS,
            data={**slip, "pocket": row.pocket},
            at=at,
            draw=draw.state.id,
            ordinal=ordinal,
        )


# -- what is asked and noted ------------------------------------------------------------------------------------


def _require_claimable(
    engine: Engine,
    draw: OpenDraw,
    row: HeldRow,
    *,
    in_person: bool,
    id_type: str,
    id_number: str,
    now: int,
) -> None:
    """Raise Refused unless this guest may claim this prize now (SS-075, SS-078, SS-007)."""
    require_waiting(draw, row, now)
    if in_person is not True:
        raise Refused(
            "SS_NOT_TRANSFERABLE",
            "A prize is handed to its winner alone, whatever letter or paper another person brings. "
            "The winner comes in person.",
        )
    shown = papers.identification(id_type, id_number, "SS_ID_REQUIRED")
    entry = register.entry_of(engine, draw, row.ordinal)
    if entry is not None:
        register.require_same_paper(shown, entry.identification, "SS_ID_REQUIRED")
    code = claims.barred_now(engine, draw, row.ordinal, now)
    if code is not None:
        raise Refused(code, "This guest cannot be paid. Do not say why at the desk: ask a manager to come.")


def _label(engine: Engine, draw: OpenDraw, row: HeldRow, pocket: str, rep: str, witness: str) -> dict[str, Any]:
    """The raw facts of the label that marks an envelope drawn on behalf (rule 16, SS-042)."""
    return {
        "promotion": draw.book.title,
        "guest": guests.full_name(engine, draw, row.ordinal),
        "card": guests.last_four(draw, row.ordinal),
        "date": draw.day.isoformat(),
        "award": draw.state.selections[row.ordinal].place,
        "draw": row.draw,
        "claim": f"c{row.ordinal}",
        "claim_by": row.claim_by,
        "pocket": pocket,
        "rep": rep,
        "witness": witness,
        "desk": terms_of(draw).desk,
        "zone": draw.book.zone,
    }
