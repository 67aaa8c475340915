"""The tables. Every constraint has a name, every time is UTC in whole milliseconds, log data is JCS text.

Integers and text alone carry what is hashed, so SQLite and PostgreSQL agree to the byte (architecture, "One writer").
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Dialect,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.types import TypeDecorator

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def utc(at: int) -> datetime:
    """The instant `at` (milliseconds since 1970) as an aware datetime in UTC."""
    return _EPOCH + timedelta(milliseconds=at)


def millis(moment: datetime) -> int:
    """Milliseconds since 1970 of an aware datetime; finer parts are cut."""
    since = moment - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000


class UtcTime(TypeDecorator[datetime]):
    """An instant kept as integer milliseconds. Refuses a time without a zone and any zone but UTC (ValueError)."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        _ = dialect
        if value is None:
            return None
        if value.tzinfo is None or value.utcoffset() != timedelta(0):
            raise ValueError("only UTC times are stored: convert the time before you store it")
        return millis(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        _ = dialect
        return None if value is None else utc(value)


log_entries = Table(
    "log_entries",
    metadata,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", UtcTime, nullable=False),
    Column("kind", Text, nullable=False),
    Column("draw", Text),
    Column("actor", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("salt", Text, nullable=False),
    Column("prev", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("hash", Text, nullable=False),
    UniqueConstraint("hash"),
    CheckConstraint("seq >= 1", name="seq_from_one"),
    Index("ix_log_entries_draw_seq", "draw", "seq"),
)

# One row: taken with a lock before an entry is written, so that two writers can never give out one seq.
log_head = Table(
    "log_head",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("hash", Text, nullable=False),
    CheckConstraint("id = 1", name="one_row"),
)

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", UtcTime, nullable=False),
    Column("hash", Text, nullable=False),
    Column("public_key", Text, nullable=False),
    Column("signature", Text, nullable=False),
    ForeignKeyConstraint(["seq"], ["log_entries.seq"]),
)

# How much of the floor journal has been taken in: what lies beyond is replayed at a start.
journal_head = Table(
    "journal_head",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("segment", Text, nullable=False),
    Column("length", BigInteger, nullable=False),
    CheckConstraint("id = 1", name="one_row"),
    CheckConstraint("length >= 0", name="length_not_negative"),
)

list_versions = Table(
    "list_versions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("row_count", Integer, nullable=False),
    Column("loaded_at", UtcTime, nullable=False),
    # When the file it began with was loaded: a row entered at a desk makes a version, not a fresh list.
    Column("fresh_at", UtcTime, nullable=False),
    Column("content", LargeBinary, nullable=False),
    CheckConstraint("kind IN ('members', 'exclusions', 'staff', 'positions', 'register')", name="kind_known"),
    Index("ix_list_versions_kind_id", "kind", "id"),
)

rule_books = Table(
    "rule_books",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("first_used_at", UtcTime, nullable=False),
)

draws = Table(
    "draws",
    metadata,
    Column("id", Text, primary_key=True),
    Column("promotion", Text, nullable=False),
    Column("gaming_day", Text, nullable=False),
    Column("plan", Text, nullable=False),
    Column("opened_at", UtcTime, nullable=False),
    Column("closed_at", UtcTime),
    Column("opened_seq", BigInteger, nullable=False),
    Column("closed_seq", BigInteger),
    Column("rules_sha256", Text, nullable=False),
    Column("sealed_seed", LargeBinary, nullable=False),
    UniqueConstraint("promotion", "gaming_day", "plan"),
    ForeignKeyConstraint(["opened_seq"], ["log_entries.seq"]),
    ForeignKeyConstraint(["rules_sha256"], ["rule_books.sha256"]),
)

pools = Table(
    "pools",
    metadata,
    Column("draw", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("frozen_at", UtcTime, nullable=False),
    Column("size", Integer, nullable=False),
    Column("root", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
    ForeignKeyConstraint(["draw"], ["draws.id"]),
    CheckConstraint("size >= 1", name="never_empty"),
)

# Who was in with which figures, who was not and why: personal, so never in the log, which holds its SHA-256.
judgements = Table(
    "judgements",
    metadata,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("draw", Text, nullable=False),
    Column("judged_at", UtcTime, nullable=False),
    Column("pool", Text),
    Column("sha256", Text, nullable=False),
    Column("verdicts", LargeBinary, nullable=False),
    ForeignKeyConstraint(["draw"], ["draws.id"]),
    ForeignKeyConstraint(["seq"], ["log_entries.seq"]),
    Index("ix_judgements_draw_seq", "draw", "seq"),
)

selections = Table(
    "selections",
    metadata,
    Column("draw", Text, primary_key=True),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("made_at", UtcTime, nullable=False),
    Column("place", Integer, nullable=False),
    Column("pool", Text, nullable=False),
    Column("ref", Text, nullable=False),
    Column("position", Text, nullable=False),
    Column("person", Text, nullable=False),
    Column("member", Text, nullable=False),
    Column("card", Text),
    ForeignKeyConstraint(["draw"], ["draws.id"]),
    ForeignKeyConstraint(["draw", "pool"], ["pools.draw", "pools.id"]),
    CheckConstraint("ordinal >= 0", name="ordinal_not_negative"),
)

claims = Table(
    "claims",
    metadata,
    Column("draw", Text, primary_key=True),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("opened_at", UtcTime, nullable=False),
    Column("found_at", UtcTime),
    Column("announced_at", UtcTime),
    Column("deadline_at", UtcTime),
    Column("presented_at", UtcTime),
    Column("ended_at", UtcTime),
    Column("outcome", Text),
    Column("prize", BigInteger),
    Column("taken_by", Text),
    Column("taken_at", UtcTime),
    Column("arrived_at", UtcTime),
    Column("arrival", Text),
    Column("checked_at", UtcTime),
    Column("pocket", Text),
    # Why it waits for two people; null when it does not.
    Column("review", Text),
    ForeignKeyConstraint(["draw", "ordinal"], ["selections.draw", "selections.ordinal"]),
    CheckConstraint("(ended_at IS NULL) = (outcome IS NULL)", name="ended_with_outcome"),
    CheckConstraint("(announced_at IS NULL) = (deadline_at IS NULL)", name="announced_with_deadline"),
)

# Wrapped by the master key, which is in no database and no backup of one.
sealed_keys = Table(
    "sealed_keys",
    metadata,
    Column("name", Text, primary_key=True),
    Column("made_at", UtcTime, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
)

settings = Table(
    "settings",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
