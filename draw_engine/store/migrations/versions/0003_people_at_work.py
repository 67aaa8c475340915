"""people at work: staff and their secrets, enrolled devices, sign-ins, look-ups; locked rule books, notes, copies"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "access_entries",
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("device", sa.Text(), nullable=False),
        sa.Column("act", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("n", name=op.f("pk_access_entries")),
    )
    op.create_index("ix_access_entries_at", "access_entries", ["at"], unique=False)
    op.create_table(
        "devices",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("token_sha256", sa.Text(), nullable=False),
        sa.Column("enrolled_at", sa.BigInteger(), nullable=False),
        sa.Column("enrolled_by", sa.Text(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_devices")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_devices_token_sha256")),
    )
    op.create_table(
        "paper_copies",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("under", sa.Text(), nullable=False),
        sa.Column("media", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_paper_copies")),
    )
    op.create_index("ix_paper_copies_under", "paper_copies", ["under"], unique=False)
    op.create_table(
        "rule_book_locks",
        sa.Column("rules_sha256", sa.Text(), nullable=False),
        sa.Column("promotion", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("toml", sa.LargeBinary(), nullable=False),
        sa.Column("loaded_at", sa.BigInteger(), nullable=False),
        sa.Column("loaded_by", sa.Text(), nullable=False),
        sa.Column("rehearsal", sa.Text(), nullable=True),
        sa.Column("locked_at", sa.BigInteger(), nullable=True),
        sa.Column("locked_by", sa.Text(), nullable=True),
        sa.Column("retired_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "(locked_at IS NULL) = (locked_by IS NULL)", name=op.f("ck_rule_book_locks_locked_by_somebody")
        ),
        sa.PrimaryKeyConstraint("rules_sha256", name=op.f("pk_rule_book_locks")),
    )
    op.create_table(
        "staff",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=True),
        sa.Column("secret_kind", sa.Text(), nullable=True),
        sa.Column("secret_until", sa.BigInteger(), nullable=True),
        sa.Column("entered_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("valid_from", sa.BigInteger(), nullable=True),
        sa.Column("valid_until", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("secret_kind IN ('pin', 'password', 'code')", name=op.f("ck_staff_secret_kind_known")),
        sa.CheckConstraint("(secret IS NULL) = (secret_kind IS NULL)", name=op.f("ck_staff_secret_with_kind")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_staff")),
    )
    op.create_table(
        "sign_ins",
        sa.Column("token_sha256", sa.Text(), nullable=False),
        sa.Column("staff", sa.Text(), nullable=False),
        sa.Column("device", sa.Text(), nullable=True),
        sa.Column("began_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("ends_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["staff"], ["staff.id"], name=op.f("fk_sign_ins_staff_staff")),
        sa.PrimaryKeyConstraint("token_sha256", name=op.f("pk_sign_ins")),
    )
    op.create_table(
        "dispute_notes",
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("draw", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["draw", "ordinal"],
            ["selections.draw", "selections.ordinal"],
            name=op.f("fk_dispute_notes_draw_ordinal_selections"),
        ),
        sa.PrimaryKeyConstraint("n", name=op.f("pk_dispute_notes")),
    )
