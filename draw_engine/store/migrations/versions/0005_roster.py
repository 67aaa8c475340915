"""the roster: who works which duty when"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "shifts",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("duty", sa.Text(), nullable=False),
        sa.Column("zone", sa.Text(), nullable=True),
        sa.Column("starts_at", sa.BigInteger(), nullable=False),
        sa.Column("ends_at", sa.BigInteger(), nullable=False),
        sa.Column("entered_at", sa.BigInteger(), nullable=False),
        sa.Column("entered_by", sa.Text(), nullable=False),
        sa.Column("removed_at", sa.BigInteger(), nullable=True),
        sa.Column("removed_by", sa.Text(), nullable=True),
        sa.CheckConstraint("ends_at > starts_at", name=op.f("ck_shifts_never_empty")),
        sa.CheckConstraint("(removed_at IS NULL) = (removed_by IS NULL)", name=op.f("ck_shifts_removed_by_somebody")),
        sa.ForeignKeyConstraint(["person"], ["staff.id"], name=op.f("fk_shifts_person_staff")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shifts")),
    )
    op.create_index(op.f("ix_shifts_day"), "shifts", ["day"])
