"""The tables of the desk and the floor's work: presses, envelopes, the register, held prizes, signatures, print jobs.

What names a guest's papers or telephone is sealed with the master key before it comes here (`sealed`).
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
)

from draw_engine.store.tables import UtcTime, metadata

__all__ = ["metadata"]

# Every press of a tablet with its answer: sent twice, it is answered twice and done once.
presses = Table(
    "presses",
    metadata,
    Column("id", Text, primary_key=True),
    Column("stamped_at", UtcTime, nullable=False),
    Column("digest", Text, nullable=False),
    Column("answer", Text, nullable=False),
)

envelope_batches = Table(
    "envelope_batches",
    metadata,
    Column("id", Text, primary_key=True),
    Column("counted_at", UtcTime, nullable=False),
    Column("envelopes", Integer, nullable=False),
    Column("total", BigInteger, nullable=False),
    # JCS of {amount in cents: how many}: what the batch holds, never which pocket holds what (rule 14: unmarked).
    Column("amounts", Text, nullable=False),
    Column("counted_by", Text, nullable=False),
    CheckConstraint("envelopes >= 1", name="never_empty"),
)

envelopes = Table(
    "envelopes",
    metadata,
    Column("pocket", Text, primary_key=True),
    Column("batch", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("draw", Text),
    Column("ordinal", Integer),
    Column("amount", BigInteger),
    Column("changed_at", UtcTime, nullable=False),
    ForeignKeyConstraint(["batch"], ["envelope_batches.id"]),
    ForeignKeyConstraint(["draw", "ordinal"], ["selections.draw", "selections.ordinal"]),
    CheckConstraint(
        "state IN ('tray', 'presented', 'given', 'held', 'handed_over', 'to_return', 'returned', 'withdrawn')",
        name="state_known",
    ),
    CheckConstraint("(state IN ('tray', 'withdrawn')) = (draw IS NULL)", name="claim_when_drawn"),
    CheckConstraint("(draw IS NULL) = (ordinal IS NULL)", name="draw_with_ordinal"),
    # One envelope a claim, for ever: a second pocket for the same claim cannot be written.
    Index("uq_envelopes_draw_ordinal", "draw", "ordinal", unique=True),
)

# What two people found in opened envelopes at a day's end, and what it had to come to; the later count of a day stands.
cash_counts = Table(
    "cash_counts",
    metadata,
    Column("day", Text, primary_key=True),
    Column("counted_at", UtcTime, nullable=False),
    Column("envelopes", Integer, nullable=False),
    Column("cents", BigInteger, nullable=False),
    Column("least", BigInteger, nullable=False),
    Column("most", BigInteger, nullable=False),
    # 0 where the amounts typed and the batches cannot both be right: the bounds are then the wider ones.
    Column("agree", Integer, nullable=False),
    Column("counted_by", Text, nullable=False),
    CheckConstraint("envelopes >= 1", name="never_empty"),
    CheckConstraint("agree IN (0, 1)", name="agree_known"),
)

register_entries = Table(
    "register_entries",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("day", Text, nullable=False),
    Column("signed_at", UtcTime, nullable=False),
    Column("member", Text, nullable=False),
    Column("person", Text, nullable=False),
    Column("clerk", Text, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("withdrawn_at", UtcTime),
    Index("ix_register_entries_day", "day"),
)

held_prizes = Table(
    "held_prizes",
    metadata,
    Column("draw", Text, primary_key=True),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("held_at", UtcTime, nullable=False),
    Column("claim_by", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("custody", Text, nullable=False),
    Column("pocket", Text),
    Column("amount", BigInteger),
    Column("settled_at", UtcTime),
    ForeignKeyConstraint(["draw", "ordinal"], ["selections.draw", "selections.ordinal"]),
    ForeignKeyConstraint(["pocket"], ["envelopes.pocket"]),
    CheckConstraint("state IN ('to_draw', 'held', 'handed_over', 'to_return', 'returned', 'void')", name="state_known"),
)

custody_moves = Table(
    "custody_moves",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("draw", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("moved_at", UtcTime, nullable=False),
    Column("from_place", Text, nullable=False),
    Column("to_place", Text, nullable=False),
    Column("given_by", Text, nullable=False),
    Column("received_by", Text, nullable=False),
    ForeignKeyConstraint(["draw", "ordinal"], ["held_prizes.draw", "held_prizes.ordinal"]),
)

contact_attempts = Table(
    "contact_attempts",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("draw", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("attempted_at", UtcTime, nullable=False),
    Column("channel", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    ForeignKeyConstraint(["draw", "ordinal"], ["held_prizes.draw", "held_prizes.ordinal"]),
)

signatures = Table(
    "signatures",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("signed_at", UtcTime, nullable=False),
    # What was signed: "claim DRAW ORDINAL", "held DRAW ORDINAL" or "register ID".
    Column("under", Text, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Index("ix_signatures_under", "under"),
)

print_jobs = Table(
    "print_jobs",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    # What the printer must be for: receipts, labels or slips.
    Column("use", Text, nullable=False),
    Column("made_at", UtcTime, nullable=False),
    Column("draw", Text),
    Column("ordinal", Integer),
    Column("data", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("printer", Text),
    Column("attempt", Integer, nullable=False),
    Column("reprints", Integer, nullable=False),
    Column("first_printed_at", UtcTime),
    Column("changed_at", UtcTime, nullable=False),
    Column("detail", Text, nullable=False),
    CheckConstraint("state IN ('queued', 'sending', 'printed', 'unknown', 'failed', 'dropped')", name="state_known"),
    Index("ix_print_jobs_state_id", "state", "id"),
)
