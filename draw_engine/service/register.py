"""The decline register at the desk: hours, signing, withdrawing, and whether a selected guest had signed in time.

Source: rules 10, 11, 15; SS-050 to SS-060. Papers and contact are sealed before they are kept; the log names nobody.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from draw_engine import calendar, papers
from draw_engine import register as rules
from draw_engine.canonical import jcs
from draw_engine.draw_state import Claim
from draw_engine.errors import Refused
from draw_engine.list_rows import MemberRow, RegisterRow
from draw_engine.papers import Contact, Identification
from draw_engine.register import RegisterHours
from draw_engine.rule_book import RuleBook
from draw_engine.screening import EXCLUSIONS, born_by
from draw_engine.service import signatures
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.printing import SLIPS, queue
from draw_engine.service.prize_ports import EntryRow
from draw_engine.service.roles import actor_of
from draw_engine.service.rule_locks import lock_reasons

CLERKS = frozenset({"desk", "customer_services", "manager"})


@dataclass(frozen=True, slots=True)
class RegisterEntry:
    """One signing, unsealed for the desk: whose it is, what was shown and left, and whether it was withdrawn."""

    id: int
    day: date
    signed_at: int
    withdrawn_at: int | None
    clerk: str
    member: str = field(repr=False)
    guest: str = field(repr=False)
    identification: Identification = field(repr=False)
    contact: Contact = field(repr=False)

    @property
    def in_force(self) -> bool:
        return self.withdrawn_at is None


def hours(engine: Engine, now: int) -> RegisterHours:
    """Whether the register is open at `now`, until when, or when it opens next."""
    return rules.hours(_books(engine), now)


def sign(
    engine: Engine,
    *,
    member: str,
    by: str,
    in_person: bool,
    id_type: str,
    id_number: str,
    phone: str,
    email: str,
    signature: Mapping[str, Any] | None,
    now: int,
) -> int:
    """A guest declines in person to be present today. Returns the entry's number; a slip is queued with it.

    `in_person` is the clerk's word that the guest is here. Raises Refused: X_NO_PERMISSION, SS_REGISTER_CLOSED,
    SS_REGISTER_IN_PERSON_ONLY, SS_REGISTER_NOT_PARTICIPANT, SS_UNDER_AGE and the exclusions, SS_REGISTER_ID_REQUIRED,
    SS_REGISTER_CONTACT_REQUIRED, SS_SIGNATURE_REQUIRED, X_ALREADY_DONE.
    """
    clerk = actor_of(engine, by, CLERKS)
    open_now = _open_books(engine, now)
    _require_in_person(in_person)
    guest = _require_participant(engine, member, open_now, now)
    shown = papers.identification(id_type, id_number, "SS_REGISTER_ID_REQUIRED")
    required = any(book.register is not None and book.register.contact_required for book in open_now)
    left = papers.contact(phone, email, required=required)
    day = calendar.gaming_day(open_now[0], now)
    person = engine.lists.at(now).person_of(guest.member)
    _require_unsigned(engine, day, person.numbers)
    with engine.change() as work:
        at = work.instant(now)
        entry = work.next_id("register_entries")
        work.add_register_entry(
            EntryRow(entry, day.isoformat(), at, guest.member, person.m, clerk, _sealed(engine, entry, shown, left))
        )
        signatures.keep(engine, work, f"register {entry}", signature, at)
        work.append(
            at=at,
            kind="register.signed",
            draw=None,
            actor=clerk,
            data={"entry": entry, "day": day.isoformat()},
        )
        queue(work, kind="decline_slip", use=SLIPS, at=at, data=_slip(open_now, entry, guest, shown, left, day, at, by))
    return entry


def withdraw(engine: Engine, entry: int, *, by: str, in_person: bool, id_type: str, id_number: str, now: int) -> None:
    """The guest takes an entry of today back, in person and with identification, while the register is open (SS-059).

    A selection made while it stood keeps it. Raises Refused as `sign`, and X_NO_SUCH_ENTRY, X_ALREADY_DONE.
    """
    clerk = actor_of(engine, by, CLERKS)
    open_now = _open_books(engine, now)
    _require_in_person(in_person)
    row = engine.store.register_entry(entry)
    if row is None or row.day != calendar.gaming_day(open_now[0], now).isoformat():
        raise Refused("X_NO_SUCH_ENTRY", "The register of today has no such entry. Look at the list again.")
    if row.withdrawn_at is not None:
        raise Refused("X_ALREADY_DONE", "This entry was withdrawn before; the guest takes part as if never signed.")
    shown = papers.identification(id_type, id_number, "SS_REGISTER_ID_REQUIRED")
    require_same_paper(shown, _unsealed(engine, row)[0], "SS_REGISTER_ID_REQUIRED")
    with engine.change() as work:
        at = work.instant(now)
        work.withdraw_register_entry(entry, at=at)
        work.append(at=at, kind="register.withdrawn", draw=None, actor=clerk, data={"entry": entry})


def entries(engine: Engine, day: date) -> list[RegisterEntry]:
    """Every entry of a gaming day in the order of signing, unsealed: for the desk's own eyes."""
    return [_entry(engine, row) for row in engine.store.register_entries(day.isoformat())]


def entry_of(engine: Engine, draw: OpenDraw, ordinal: int) -> RegisterEntry | None:
    """The entry on which a selected guest's prize is held; None where there is none (a rehearsal's list)."""
    rows = _before(engine, draw, ordinal)
    return _entry(engine, rows[-1]) if rows else None


def registered_before(
    engine: Engine, draw: OpenDraw, claim: Claim, rows_of_day: Iterable[EntryRow] | None = None
) -> bool:
    """Whether the selected person had signed the register that day, strictly before the selection (SS-054, SS-055).

    An entry withdrawn before the selection does not count. A rehearsal's register is a list, and counts as one.
    """
    if draw.plan.answer_to("no_show_registered") != "hold":
        return False
    return bool(_before(engine, draw, claim.ordinal, rows_of_day)) or _on_list(engine, draw, claim.ordinal)


def _before(
    engine: Engine, draw: OpenDraw, ordinal: int, rows_of_day: Iterable[EntryRow] | None = None
) -> list[EntryRow]:
    """The person's entries of the draw's day that stood when the selection was made.

    Who is the same person is what the lists say now: two cards may be found to be one person's at any time.
    """
    if engine.seeds.rehearsal:
        return []  # nobody stands at its desk
    made, chosen = draw.state.selections[ordinal].at, draw.rows[ordinal]
    numbers = {chosen.person, *engine.lists.at(engine.now()).person_of(chosen.member).numbers}
    if rows_of_day is None:
        rows_of_day = engine.store.register_entries(draw.day.isoformat(), of=numbers)
    return [
        row
        for row in rows_of_day
        if row.signed_at < made
        and (row.withdrawn_at is None or row.withdrawn_at >= made)
        and (row.person in numbers or row.member in numbers)
    ]


def _on_list(engine: Engine, draw: OpenDraw, ordinal: int) -> bool:
    listed = engine.versions.get("register")
    if listed is None:
        return False
    made = draw.state.selections[ordinal].at
    person_of = engine.lists.at(made).person_of
    person = draw.rows[ordinal].person
    return any(
        isinstance(row, RegisterRow)
        and row.at < made
        and engine.gaming_day(row.at) == draw.day
        and person_of(row.member).m == person
        for row in listed.rows
    )


# -- what is asked ----------------------------------------------------------------------------------------------


def _books(engine: Engine) -> list[RuleBook]:
    """The books that may open a draw, or have one open: by another one nobody is called, and nobody has to decline."""
    with_draws = {draw.book.id for draw in engine.draws.values() if draw.state.closed_at is None}
    rule_books = [book.rules for book in engine.books.values()]
    return [rules for rules in rule_books if rules.id in with_draws or not lock_reasons(engine, rules)]


def _open_books(engine: Engine, now: int) -> list[RuleBook]:
    """The books whose register is open. Raises Refused SS_REGISTER_CLOSED with the time it opens next."""
    found = rules.open_books(_books(engine), now)
    if found:
        return found
    opens_at = hours(engine, now).opens_at
    if opens_at is None:
        raise Refused("SS_REGISTER_CLOSED", "The decline register is closed. It does not open again.")
    opens = calendar.local(engine.zone, opens_at)
    today = calendar.local(engine.zone, now).date() == opens.date()
    when = f"at {opens:%H:%M}" if today else f"on {opens:%A} {opens.day} {opens:%B} at {opens:%H:%M}"
    raise Refused("SS_REGISTER_CLOSED", f"The decline register is closed. It opens {when}.")


def _require_in_person(in_person: bool) -> None:  # noqa: FBT001 - the clerk's own word
    if in_person is not True:
        raise Refused(
            "SS_REGISTER_IN_PERSON_ONLY",
            "Nobody may do this for another guest, not with a letter or a form either: the guest comes to the desk.",
        )


def _require_participant(engine: Engine, member: str, books: Sequence[RuleBook], now: int) -> MemberRow:
    """The member who wants to sign, screened again (SS-007)."""
    lists = engine.lists.at(now)
    row = lists.members.get(unicodedata.normalize("NFC", str(member).strip()))
    if row is None:
        raise Refused("SS_REGISTER_NOT_PARTICIPANT", "Only members can sign. Read the number from the card again.")
    min_age = max(book.min_age for book in books)
    if row.born > born_by(lists.local_date, min_age):
        raise Refused("SS_UNDER_AGE", f"The guest is under {min_age} and cannot take part. Ask a manager to come.")
    barred = {category for book in books for category in book.exclude}
    found = lists.categories(lists.person_of(row.member).numbers) & barred
    for category, outcome in EXCLUSIONS.items():
        if category in found:
            raise Refused(
                outcome.code, "This guest cannot take part. Do not say why at the desk: ask a manager to come."
            )
    return row


def _require_unsigned(engine: Engine, day: date, numbers: Collection[str]) -> None:
    for row in engine.store.register_entries(day.isoformat(), of=numbers):
        if row.withdrawn_at is None:
            signed = calendar.local(engine.zone, row.signed_at)
            raise Refused("X_ALREADY_DONE", f"The guest signed today at {signed:%H:%M}; that entry stands.")


def require_same_paper(shown: Identification, kept: Identification, code: str) -> None:
    """Raise Refused where the same kind of paper has another number than the one the guest signed with."""
    if shown.type == kept.type and shown.number != kept.number:
        raise Refused(code, "The number is not that of the paper the guest signed with. Compare both, or take another.")


# -- what is kept -----------------------------------------------------------------------------------------------


def _sealed(engine: Engine, entry: int, shown: Identification, left: Contact) -> bytes:
    content = {"email": left.email, "id_number": shown.number, "id_type": shown.type, "phone": left.phone}
    return engine.vault.seal(f"register:{entry}", jcs(content))


def _unsealed(engine: Engine, row: EntryRow) -> tuple[Identification, Contact]:
    content = json.loads(engine.vault.unseal(f"register:{row.id}", row.sealed))
    return Identification(content["id_type"], content["id_number"]), Contact(content["phone"], content["email"])


def _entry(engine: Engine, row: EntryRow) -> RegisterEntry:
    shown, left = _unsealed(engine, row)
    member = engine.member_at(row.member, engine.now())
    return RegisterEntry(
        id=row.id,
        day=date.fromisoformat(row.day),
        signed_at=row.signed_at,
        withdrawn_at=row.withdrawn_at,
        clerk=row.clerk,
        member=row.member,
        guest="" if member is None else _name(member),
        identification=shown,
        contact=left,
    )


def _name(member: MemberRow) -> str:
    return f"{member.first_name} {member.last_name}".strip()


def _slip(
    books: Sequence[RuleBook],
    entry: int,
    guest: MemberRow,
    shown: Identification,
    left: Contact,
    day: date,
    at: int,
    clerk: str,
) -> dict[str, Any]:
    """The raw facts of the decline slip; of papers and contact only what a slip may show (SS-056)."""
    return {
        "entry": entry,
        "promotion": books[0].title,
        "guest": _name(guest),
        "card": papers.last_four(guest.member),
        "id_type": shown.type,
        "id_number": papers.last_four(shown.number),
        "contact": papers.masked(left),
        "day": day.isoformat(),
        "covers": [title for book in books for title in rules.covered_by(book, day, at)],
        "signed_at": at,
        "zone": books[0].zone,
        "clerk": clerk,
    }
