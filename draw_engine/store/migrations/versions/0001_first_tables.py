"""first tables"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:

    op.create_table(
        "journal_head",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("segment", sa.Text(), nullable=False),
        sa.Column("length", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_journal_head_one_row")),
        sa.CheckConstraint("length >= 0", name=op.f("ck_journal_head_length_not_negative")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_journal_head")),
    )
    op.create_table(
        "list_versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("row_count", sa.Integer(), nullable=False),
        sa.Column("loaded_at", sa.BigInteger(), nullable=False),
        sa.Column("fresh_at", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('members', 'exclusions', 'staff', 'positions', 'register')",
            name=op.f("ck_list_versions_kind_known"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_list_versions")),
    )
    op.create_index("ix_list_versions_kind_id", "list_versions", ["kind", "id"], unique=False)
    op.create_table(
        "log_entries",
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("draw", sa.Text(), nullable=True),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("salt", sa.Text(), nullable=False),
        sa.Column("prev", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.CheckConstraint("seq >= 1", name=op.f("ck_log_entries_seq_from_one")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_log_entries")),
        sa.UniqueConstraint("hash", name=op.f("uq_log_entries_hash")),
    )
    op.create_index("ix_log_entries_draw_seq", "log_entries", ["draw", "seq"], unique=False)
    op.create_table(
        "log_head",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_log_head_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_log_head")),
    )
    op.create_table(
        "rule_books",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("first_used_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_rule_books")),
    )
    op.create_table(
        "sealed_keys",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_sealed_keys")),
    )
    op.create_table(
        "settings",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_settings")),
    )
    op.create_table(
        "checkpoints",
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("public_key", sa.Text(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["seq"], ["log_entries.seq"], name=op.f("fk_checkpoints_seq_log_entries")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_checkpoints")),
    )
    op.create_table(
        "draws",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("promotion", sa.Text(), nullable=False),
        sa.Column("gaming_day", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("opened_seq", sa.BigInteger(), nullable=False),
        sa.Column("closed_seq", sa.BigInteger(), nullable=True),
        sa.Column("rules_sha256", sa.Text(), nullable=False),
        sa.Column("sealed_seed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["opened_seq"], ["log_entries.seq"], name=op.f("fk_draws_opened_seq_log_entries")),
        sa.ForeignKeyConstraint(["rules_sha256"], ["rule_books.sha256"], name=op.f("fk_draws_rules_sha256_rule_books")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draws")),
        sa.UniqueConstraint("promotion", "gaming_day", "plan", name=op.f("uq_draws_promotion_gaming_day_plan")),
    )
    op.create_table(
        "judgements",
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("draw", sa.Text(), nullable=False),
        sa.Column("judged_at", sa.BigInteger(), nullable=False),
        sa.Column("pool", sa.Text(), nullable=True),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("verdicts", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["draw"], ["draws.id"], name=op.f("fk_judgements_draw_draws")),
        sa.ForeignKeyConstraint(["seq"], ["log_entries.seq"], name=op.f("fk_judgements_seq_log_entries")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_judgements")),
    )
    op.create_index("ix_judgements_draw_seq", "judgements", ["draw", "seq"], unique=False)
    op.create_table(
        "pools",
        sa.Column("draw", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("frozen_at", sa.BigInteger(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("root", sa.Text(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("size >= 1", name=op.f("ck_pools_never_empty")),
        sa.ForeignKeyConstraint(["draw"], ["draws.id"], name=op.f("fk_pools_draw_draws")),
        sa.PrimaryKeyConstraint("draw", "id", name=op.f("pk_pools")),
    )
    op.create_table(
        "selections",
        sa.Column("draw", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("pool", sa.Text(), nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("position", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("member", sa.Text(), nullable=False),
        sa.Column("card", sa.Text(), nullable=True),
        sa.CheckConstraint("ordinal >= 0", name=op.f("ck_selections_ordinal_not_negative")),
        sa.ForeignKeyConstraint(
            ["draw", "pool"], ["pools.draw", "pools.id"], name=op.f("fk_selections_draw_pool_pools")
        ),
        sa.ForeignKeyConstraint(["draw"], ["draws.id"], name=op.f("fk_selections_draw_draws")),
        sa.PrimaryKeyConstraint("draw", "ordinal", name=op.f("pk_selections")),
    )
    op.create_table(
        "claims",
        sa.Column("draw", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("found_at", sa.BigInteger(), nullable=True),
        sa.Column("announced_at", sa.BigInteger(), nullable=True),
        sa.Column("deadline_at", sa.BigInteger(), nullable=True),
        sa.Column("presented_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("prize", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "(announced_at IS NULL) = (deadline_at IS NULL)", name=op.f("ck_claims_announced_with_deadline")
        ),
        sa.CheckConstraint("(ended_at IS NULL) = (outcome IS NULL)", name=op.f("ck_claims_ended_with_outcome")),
        sa.ForeignKeyConstraint(
            ["draw", "ordinal"],
            ["selections.draw", "selections.ordinal"],
            name=op.f("fk_claims_draw_ordinal_selections"),
        ),
        sa.PrimaryKeyConstraint("draw", "ordinal", name=op.f("pk_claims")),
    )
