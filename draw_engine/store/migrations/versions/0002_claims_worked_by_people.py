"""claims worked by people: presses, envelopes, the register, held prizes, signatures, print jobs"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "envelope_batches",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("counted_at", sa.BigInteger(), nullable=False),
        sa.Column("envelopes", sa.Integer(), nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("amounts", sa.Text(), nullable=False),
        sa.Column("counted_by", sa.Text(), nullable=False),
        sa.CheckConstraint("envelopes >= 1", name=op.f("ck_envelope_batches_never_empty")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_envelope_batches")),
    )
    op.create_table(
        "presses",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("stamped_at", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_presses")),
    )
    op.create_table(
        "print_jobs",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("use", sa.Text(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("draw", sa.Text(), nullable=True),
        sa.Column("ordinal", sa.Integer(), nullable=True),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("printer", sa.Text(), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("reprints", sa.Integer(), nullable=False),
        sa.Column("first_printed_at", sa.BigInteger(), nullable=True),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "state IN ('queued', 'sending', 'printed', 'unknown', 'failed', 'dropped')",
            name=op.f("ck_print_jobs_state_known"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_print_jobs")),
    )
    op.create_index("ix_print_jobs_state_id", "print_jobs", ["state", "id"], unique=False)
    op.create_table(
        "register_entries",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("signed_at", sa.BigInteger(), nullable=False),
        sa.Column("member", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("clerk", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("withdrawn_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_register_entries")),
    )
    op.create_index("ix_register_entries_day", "register_entries", ["day"], unique=False)
    op.create_table(
        "signatures",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("signed_at", sa.BigInteger(), nullable=False),
        sa.Column("under", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_signatures")),
    )
    op.create_index("ix_signatures_under", "signatures", ["under"], unique=False)
    op.create_table(
        "envelopes",
        sa.Column("pocket", sa.Text(), nullable=False),
        sa.Column("batch", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("draw", sa.Text(), nullable=True),
        sa.Column("ordinal", sa.Integer(), nullable=True),
        sa.Column("amount", sa.BigInteger(), nullable=True),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "(state IN ('tray', 'withdrawn')) = (draw IS NULL)", name=op.f("ck_envelopes_claim_when_drawn")
        ),
        sa.CheckConstraint(
            "state IN ('tray', 'presented', 'given', 'held', 'handed_over', 'to_return', 'returned', 'withdrawn')",
            name=op.f("ck_envelopes_state_known"),
        ),
        sa.CheckConstraint("(draw IS NULL) = (ordinal IS NULL)", name=op.f("ck_envelopes_draw_with_ordinal")),
        sa.ForeignKeyConstraint(["batch"], ["envelope_batches.id"], name=op.f("fk_envelopes_batch_envelope_batches")),
        sa.ForeignKeyConstraint(
            ["draw", "ordinal"],
            ["selections.draw", "selections.ordinal"],
            name=op.f("fk_envelopes_draw_ordinal_selections"),
        ),
        sa.PrimaryKeyConstraint("pocket", name=op.f("pk_envelopes")),
    )
    op.create_index("uq_envelopes_draw_ordinal", "envelopes", ["draw", "ordinal"], unique=True)
    op.create_table(
        "held_prizes",
        sa.Column("draw", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("held_at", sa.BigInteger(), nullable=False),
        sa.Column("claim_by", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("custody", sa.Text(), nullable=False),
        sa.Column("pocket", sa.Text(), nullable=True),
        sa.Column("amount", sa.BigInteger(), nullable=True),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "state IN ('to_draw', 'held', 'handed_over', 'to_return', 'returned', 'void')",
            name=op.f("ck_held_prizes_state_known"),
        ),
        sa.ForeignKeyConstraint(
            ["draw", "ordinal"],
            ["selections.draw", "selections.ordinal"],
            name=op.f("fk_held_prizes_draw_ordinal_selections"),
        ),
        sa.ForeignKeyConstraint(["pocket"], ["envelopes.pocket"], name=op.f("fk_held_prizes_pocket_envelopes")),
        sa.PrimaryKeyConstraint("draw", "ordinal", name=op.f("pk_held_prizes")),
    )
    op.create_table(
        "contact_attempts",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("draw", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("attempted_at", sa.BigInteger(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["draw", "ordinal"],
            ["held_prizes.draw", "held_prizes.ordinal"],
            name=op.f("fk_contact_attempts_draw_ordinal_held_prizes"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contact_attempts")),
    )
    op.create_table(
        "custody_moves",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("draw", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("moved_at", sa.BigInteger(), nullable=False),
        sa.Column("from_place", sa.Text(), nullable=False),
        sa.Column("to_place", sa.Text(), nullable=False),
        sa.Column("given_by", sa.Text(), nullable=False),
        sa.Column("received_by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["draw", "ordinal"],
            ["held_prizes.draw", "held_prizes.ordinal"],
            name=op.f("fk_custody_moves_draw_ordinal_held_prizes"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_custody_moves")),
    )
    op.add_column("claims", sa.Column("taken_by", sa.Text(), nullable=True))
    op.add_column("claims", sa.Column("taken_at", sa.BigInteger(), nullable=True))
    op.add_column("claims", sa.Column("arrived_at", sa.BigInteger(), nullable=True))
    op.add_column("claims", sa.Column("arrival", sa.Text(), nullable=True))
    op.add_column("claims", sa.Column("checked_at", sa.BigInteger(), nullable=True))
    op.add_column("claims", sa.Column("pocket", sa.Text(), nullable=True))
    op.add_column("claims", sa.Column("review", sa.Text(), nullable=True))
