"""The tables of who may do what: staff, enrolled devices, sign-ins, look-ups; and the office's: locks, notes, copies.

A secret stands here as its argon2 hash, a token as its SHA-256: neither can be used from a copy of the database.
"""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, ForeignKeyConstraint, Index, Integer, LargeBinary, Table, Text

from draw_engine.store.prize_tables import metadata
from draw_engine.store.tables import UtcTime

__all__ = ["metadata"]

staff = Table(
    "staff",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    # The argon2 hash of a PIN, a password or a code that is good for one sign-in; none: nobody can sign in as them.
    Column("secret", Text),
    Column("secret_kind", Text),
    Column("secret_until", UtcTime),
    Column("entered_at", UtcTime, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    # An auditor's sign-in is dated: from and until (the first instant it no longer holds).
    Column("valid_from", UtcTime),
    Column("valid_until", UtcTime),
    Column("ended_at", UtcTime),
    # Who gave them their last code, and when: whoever has the code is that person.
    Column("code_by", Text),
    Column("code_at", UtcTime),
    CheckConstraint("(secret IS NULL) = (secret_kind IS NULL)", name="secret_with_kind"),
    CheckConstraint("secret_kind IN ('pin', 'password', 'code')", name="secret_kind_known"),
)

devices = Table(
    "devices",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("token_sha256", Text, nullable=False, unique=True),
    Column("enrolled_at", UtcTime, nullable=False),
    Column("enrolled_by", Text, nullable=False),
    Column("revoked_at", UtcTime),
)

sign_ins = Table(
    "sign_ins",
    metadata,
    Column("token_sha256", Text, primary_key=True),
    Column("staff", Text, nullable=False),
    Column("device", Text),
    Column("began_at", UtcTime, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    Column("ends_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    ForeignKeyConstraint(["staff"], ["staff.id"]),
)

# Sign-ins, look-ups and reads of protected fields; the log has their digest each hour (architecture, "State").
access_entries = Table(
    "access_entries",
    metadata,
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("at", UtcTime, nullable=False),
    Column("who", Text, nullable=False),
    Column("device", Text, nullable=False),
    Column("act", Text, nullable=False),
    Column("about", Text, nullable=False),
    Column("code", Text, nullable=False),
)
Index("ix_access_entries_at", access_entries.c.at)

# A rule book that was loaded at the console: checked, rehearsed, then locked by two people. Locked, it opens draws.
rule_book_locks = Table(
    "rule_book_locks",
    metadata,
    Column("rules_sha256", Text, primary_key=True),
    Column("promotion", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("toml", LargeBinary, nullable=False),
    Column("loaded_at", UtcTime, nullable=False),
    Column("loaded_by", Text, nullable=False),
    # JCS of the last rehearsal's figures; a book that was never rehearsed cannot be locked.
    Column("rehearsal", Text),
    Column("locked_at", UtcTime),
    # JCS of the two actors, ascending.
    Column("locked_by", Text),
    Column("retired_at", UtcTime),
    CheckConstraint("(locked_at IS NULL) = (locked_by IS NULL)", name="locked_by_somebody"),
)

# What was noted of a dispute about a claim: it may name people, so the text is sealed; its SHA-256 is in the log.
dispute_notes = Table(
    "dispute_notes",
    metadata,
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("at", UtcTime, nullable=False),
    Column("by", Text, nullable=False),
    Column("draw", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("sha256", Text, nullable=False),
    ForeignKeyConstraint(["draw", "ordinal"], ["selections.draw", "selections.ordinal"]),
)

# The roster: a line is taken off, never changed.
shifts = Table(
    "shifts",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("day", Text, nullable=False),
    Column("person", Text, nullable=False),
    Column("duty", Text, nullable=False),
    Column("zone", Text),
    Column("starts_at", UtcTime, nullable=False),
    Column("ends_at", UtcTime, nullable=False),
    Column("entered_at", UtcTime, nullable=False),
    Column("entered_by", Text, nullable=False),
    Column("removed_at", UtcTime),
    Column("removed_by", Text),
    ForeignKeyConstraint(["person"], ["staff.id"]),
    CheckConstraint("ends_at > starts_at", name="never_empty"),
    CheckConstraint("(removed_at IS NULL) = (removed_by IS NULL)", name="removed_by_somebody"),
)
Index("ix_shifts_day", shifts.c.day)

# Copies of identification papers, sealed; `under` says what for: "register:12", "held:DRAW:7".
paper_copies = Table(
    "paper_copies",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("at", UtcTime, nullable=False),
    Column("by", Text, nullable=False),
    Column("under", Text, nullable=False),
    Column("media", Text, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
)
Index("ix_paper_copies_under", paper_copies.c.under)
