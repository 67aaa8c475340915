"""Held prizes as they stand: whose they are, until when, where the envelope is, how the winner was looked for."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date

from draw_engine import calendar
from draw_engine import held as rules
from draw_engine.errors import Refused, RuleBroken
from draw_engine.held import Attempt, Search
from draw_engine.papers import Contact
from draw_engine.rule_book import Held
from draw_engine.service import guests, register
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.ports import UnitOfWork
from draw_engine.service.prize_ports import AttemptRow, HeldRow, MoveRow


@dataclass(frozen=True, slots=True)
class HeldPrize:
    """One held prize as the desk sees it; `amount` (cents) once the envelope was opened before its winner.

    `contact`: what the guest left in the register, else what the members' list has. `days_left` 0 = today is the last
    day, below 0 = it is over. `attempts` and `moves` in the order they were made.
    """

    draw: str
    ordinal: int
    award: int
    title: str
    day: date
    held_at: int
    claim_by: date
    days_left: int
    state: str
    custody: str
    pocket: str | None
    amount: int | None
    settled_at: int | None
    search: Search
    attempts: tuple[AttemptRow, ...]
    moves: tuple[MoveRow, ...]
    guest: str = field(repr=False)
    card: str = field(repr=False)
    member: str = field(repr=False)
    contact: Contact = field(repr=False)

    @property
    def claim(self) -> str:
        return f"c{self.ordinal}"

    @property
    def alarm(self) -> bool:
        """Waiting, and not yet looked for as much as the book asks (SS-074)."""
        return self.state in {rules.TO_DRAW, rules.HELD} and not self.search.enough


def terms_of(draw: OpenDraw) -> Held:
    """The book's `[held]`; a book that holds prizes has it."""
    if draw.book.held is None:
        raise RuleBroken(f"the rule book of {draw.state.id} holds prizes and does not say for how long")
    return draw.book.held


def row_of(engine: Engine, draw: OpenDraw, ordinal: int) -> HeldRow:
    """The held prize of a claim. Raises Refused X_CLAIM_STATE: the claim did not end as held, or not yet (SS-C37)."""
    row = engine.store.held_prize(draw.state.id, ordinal)
    if row is None:
        raise Refused(
            "X_CLAIM_STATE",
            f"Claim c{ordinal} holds no prize. One is held when the time after the announcement is over and the guest "
            f"had signed the register.",
        )
    return row


def about(row: HeldRow) -> dict[str, object]:
    """How an entry without a draw names the prize it is about."""
    return {"of": row.draw, "claim": f"c{row.ordinal}"}


def require_waiting(draw: OpenDraw, row: HeldRow, now: int) -> None:
    """Raise Refused unless the prize still waits for its winner: X_ALREADY_DONE, X_CLAIM_STATE, SS_CLAIM_EXPIRED."""
    if row.state == rules.HANDED_OVER:
        raise Refused("X_ALREADY_DONE", f"The prize of claim c{row.ordinal} was handed over before.")
    if row.state == rules.VOID:
        raise Refused("X_CLAIM_STATE", f"Claim c{row.ordinal} was voided by two people; it has no prize any more.")
    last = date.fromisoformat(row.claim_by)
    today = calendar.local(draw.book.zone, now).date()
    if row.state in {rules.TO_RETURN, rules.RETURNED} or rules.is_over(today, last):
        raise Refused(
            "SS_CLAIM_EXPIRED",
            f"The prize could be claimed until {last:%A} {last.day} {last:%B %Y}. It is not paid out any more; "
            f"its envelope goes back.",
        )


def note_move(
    work: UnitOfWork, row: HeldRow, from_place: str, to_place: str, given_by: str, received_by: str, at: int
) -> None:
    """One more row of an envelope's way through people's hands (SS-043)."""
    number = work.next_id("custody_moves")
    work.add_move(MoveRow(number, row.draw, row.ordinal, at, from_place, to_place, given_by, received_by))


def contact_of(engine: Engine, draw: OpenDraw, ordinal: int) -> Contact:
    """How the winner can be reached: what was left in the register first, else what the members' list has."""
    entry = register.entry_of(engine, draw, ordinal)
    left = Contact("", "") if entry is None else entry.contact
    member = engine.member_at(draw.rows[ordinal].member, engine.now())
    if member is None:
        return left
    return Contact(left.phone or member.phone, left.email or member.email)


def held(engine: Engine) -> list[HeldPrize]:
    """Every held prize, oldest first, settled ones too; for the desk's own eyes."""
    attempts: defaultdict[tuple[str, int], list[AttemptRow]] = defaultdict(list)
    for attempt in engine.store.attempts():
        attempts[attempt.draw, attempt.ordinal].append(attempt)
    moves: defaultdict[tuple[str, int], list[MoveRow]] = defaultdict(list)
    for move in engine.store.moves():
        moves[move.draw, move.ordinal].append(move)
    found = []
    for row in engine.store.held_prizes():
        draw = engine.draw(row.draw)
        key = (row.draw, row.ordinal)
        contact = contact_of(engine, draw, row.ordinal)
        found.append(_prize(engine, draw, row, tuple(attempts[key]), tuple(moves[key]), contact))
    return found


def _prize(
    engine: Engine,
    draw: OpenDraw,
    row: HeldRow,
    attempts: tuple[AttemptRow, ...],
    moves: tuple[MoveRow, ...],
    contact: Contact,
) -> HeldPrize:
    zone = draw.book.zone
    last = date.fromisoformat(row.claim_by)
    tried = [Attempt(calendar.local(zone, one.attempted_at).date(), one.channel, one.outcome) for one in attempts]
    return HeldPrize(
        draw=row.draw,
        ordinal=row.ordinal,
        award=draw.state.selections[row.ordinal].place,
        title=draw.plan.title,
        day=draw.day,
        held_at=row.held_at,
        claim_by=last,
        days_left=(last - calendar.local(zone, engine.now()).date()).days,
        state=row.state,
        custody=row.custody,
        pocket=row.pocket,
        amount=row.amount,
        settled_at=row.settled_at,
        search=rules.search(tried, terms_of(draw)),
        attempts=attempts,
        moves=moves,
        guest=guests.full_name(engine, draw, row.ordinal),
        card=guests.last_four(draw, row.ordinal),
        member=draw.rows[row.ordinal].member,
        contact=contact,
    )
