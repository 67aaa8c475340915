"""Which guest a swiped, scanned or typed number is: a member number, or the card of a session or selection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from unicodedata import normalize

from draw_engine import papers
from draw_engine.errors import Refused
from draw_engine.list_rows import MemberRow
from draw_engine.service import register
from draw_engine.service.engine import Engine
from web_display import screens

_TRACK = re.compile(r"[;%]?[A-Z]?([^=^?]*)")
"""What a magnetic card's reader types around the number: start sign, format letter, end sign and what follows it."""
MOST_LETTERS = 128


@dataclass(frozen=True, slots=True)
class Guest:
    """As much as the desk needs to see that it is the right person."""

    member: str = field(repr=False)
    name: str = field(repr=False)
    tier: str
    last4: str = field(repr=False)
    signed_text: str


def number_of(typed: str) -> str:
    """The number within what a reader or a person typed, in NFC."""
    text = normalize("NFC", typed.strip())
    if text[:1] in {";", "%"}:
        track = _TRACK.match(text)
        text = "" if track is None else track[1].strip()
    return text


def member_of(engine: Engine, typed: str) -> MemberRow:
    """The member of a member or card number. Raises Refused SS_REGISTER_NOT_PARTICIPANT."""
    number = number_of(typed)
    now = engine.now()
    members = engine.lists.at(now).members
    if number and len(number) <= MOST_LETTERS:
        found = members.get(number) or next(
            (members[member] for member in _members_by_card(engine, number, now) if member in members), None
        )
        if found is not None:
            return found
    raise Refused("SS_REGISTER_NOT_PARTICIPANT", "No member has this number. Swipe the card again, or type its number.")


def _members_by_card(engine: Engine, card: str, now: int) -> Iterator[str]:
    """Members' lists know no cards: who played with this one now, else who was selected on it."""
    yield from (one.member for one in engine.floor.at(now).open_sessions() if one.card == card)
    yield from (
        row.member for draw in reversed(engine.draws.values()) for row in draw.rows.values() if row.card == card
    )


def guest_of(engine: Engine, typed: str) -> Guest:
    """The guest of a number, and whether an entry of today stands. Raises Refused SS_REGISTER_NOT_PARTICIPANT."""
    row = member_of(engine, typed)
    now = engine.now()
    person = engine.lists.at(now).person_of(row.member)
    signed = [
        entry.signed_at
        for entry in engine.store.register_entries(engine.gaming_day(now).isoformat())
        if entry.withdrawn_at is None and (entry.person == person.m or entry.member in person.numbers)
    ]
    return Guest(
        member=row.member,
        name=f"{row.first_name} {row.last_name}".strip(),
        tier=row.tier,
        last4=papers.last_four(row.member),
        signed_text=screens.time_text(signed[-1], engine.zone) if signed else "",
    )


def entries_today(engine: Engine) -> list[register.RegisterEntry]:
    """The register's entries of this gaming day, in the order of signing."""
    return register.entries(engine, engine.gaming_day(engine.now()))
