"""What the log and the prize tables tell of one claim, read beside the engine's thread; nothing sealed is read."""

from __future__ import annotations

import csv
import io
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from draw_engine.log import Entry
from draw_engine.store import tables
from draw_engine.store.prize_tables import contact_attempts, custody_moves, envelopes, held_prizes
from draw_engine.store.tables import millis, utc

_H = held_prizes


def entry_of(row: Row[Any]) -> Entry:
    """A row of the log as the engine reads it."""
    data = json.loads(row.data)
    return Entry(row.seq, millis(row.at), row.kind, row.draw, row.actor, data, row.salt, row.prev, row.body, row.hash)


_OF_CLAIM = ("envelope.on_behalf", "envelope.moved", "prize.contacted", "prize.overdue", "dispute.noted")
"""Kinds that stand in no draw and name a claim of one."""


def entries_about(connection: Connection, draw: str, ordinal: int, entries: Sequence[Entry]) -> list[Entry]:
    """The log's entries about one claim, oldest first: of its draw (`entries`), and those that only name it."""
    claim = f"c{ordinal}"
    own = [entry for entry in entries if entry.data.get("ordinal") == ordinal or _names(entry, claim)]
    made = next((entry for entry in own if entry.kind == "selection.made"), None)
    if made is not None:
        own += [entry for entry in entries if _led_to(entry, made)]
    log = tables.log_entries
    asked = select(log).where(log.c.draw.is_(None), log.c.kind.in_(_OF_CLAIM), log.c.seq > entries[0].seq)
    naming = asked.where(log.c.data.contains(f'"{claim}"', autoescape=True), log.c.data.contains(draw, autoescape=True))
    named = [entry_of(row) for row in connection.execute(naming)]
    own += [entry for entry in named if (entry.data["of"], entry.data["claim"]) == (draw, claim)]
    return sorted(own, key=lambda entry: entry.seq)


def _led_to(entry: Entry, made: Entry) -> bool:
    """The pool a selection was drawn from, its judging, and the earlier tries of the same turn."""
    if entry.kind == "pool.frozen":
        return bool(entry.data["id"] == made.data["pool"])
    if entry.kind == "pool.judged":
        return bool(entry.data["pool"] == made.data["pool"])
    turn = ("place", "moment", "after")
    return entry.kind == "selection.postponed" and all(entry.data[name] == made.data[name] for name in turn)


def _names(entry: Entry, claim: str) -> bool:
    return "ordinal" not in entry.data and entry.data.get("claim") == claim


@dataclass(frozen=True, slots=True)
class Kept:
    """What the prize tables say of a claim: the envelope's state, the held prize, who was asked for, who has it."""

    envelope: Row[Any] | None
    held: Row[Any] | None
    contacts: tuple[Row[Any], ...]
    moves: tuple[Row[Any], ...]


def kept_of(connection: Connection, draw: str, ordinal: int) -> Kept:
    """The rows about one claim. Nothing sealed is read."""

    def of(table: Any, *names: str) -> Select[Any]:
        return select(*(table.c[name] for name in names)).where(table.c.draw == draw, table.c.ordinal == ordinal)

    tried = of(contact_attempts, "id", "attempted_at", "channel", "outcome", "by").order_by(contact_attempts.c.id)
    moved = of(custody_moves, "id", "moved_at", "from_place", "to_place", "given_by", "received_by")
    return Kept(
        envelope=connection.execute(of(envelopes, "pocket", "batch", "state", "amount", "changed_at")).first(),
        held=connection.execute(
            of(_H, "held_at", "claim_by", "state", "custody", "pocket", "amount", "settled_at")
        ).first(),
        contacts=tuple(connection.execute(tried)),
        moves=tuple(connection.execute(moved.order_by(custody_moves.c.id))),
    )


def tier_then(connection: Connection, member: str, at: int) -> str:
    """A member's tier in the list that was the last one loaded before an instant; "" where it has none."""
    lists = tables.list_versions
    asked = select(lists.c.content).where(lists.c.kind == "members", lists.c.loaded_at <= utc(at))
    content = connection.execute(asked.order_by(lists.c.id.desc()).limit(1)).scalar_one_or_none()
    if content is None:
        return ""
    rows = csv.DictReader(io.StringIO(zlib.decompress(content).decode("utf-8-sig"), newline=""))
    return next((str(row.get("tier") or "") for row in rows if row.get("member") == member), "")
