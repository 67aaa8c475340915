"""cash at day's end: what two people found, between what it had to come to; who gave a person's code, and when"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "cash_counts",
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("counted_at", sa.BigInteger(), nullable=False),
        sa.Column("envelopes", sa.Integer(), nullable=False),
        sa.Column("cents", sa.BigInteger(), nullable=False),
        sa.Column("least", sa.BigInteger(), nullable=False),
        sa.Column("most", sa.BigInteger(), nullable=False),
        sa.Column("agree", sa.Integer(), nullable=False),
        sa.Column("counted_by", sa.Text(), nullable=False),
        sa.CheckConstraint("envelopes >= 1", name=op.f("ck_cash_counts_never_empty")),
        sa.CheckConstraint("agree IN (0, 1)", name=op.f("ck_cash_counts_agree_known")),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_cash_counts")),
    )
    op.add_column("staff", sa.Column("code_by", sa.Text(), nullable=True))
    op.add_column("staff", sa.Column("code_at", sa.BigInteger(), nullable=True))
