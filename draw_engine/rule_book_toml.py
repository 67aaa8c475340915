"""A rule book from TOML that is known to be sound: the auditor's `rules.toml`, or bytes that `config` has checked.

Standard library only, so that whoever holds the record alone can judge the pools again. It does not look for faults:
bytes that `floordraw rules check` would refuse give a KeyError, TypeError or ValueError here, or an unsound book.
"""

from __future__ import annotations

import hashlib
import tomllib
from datetime import time
from typing import Any

from draw_engine.rule_book import (
    Audience,
    AwardGroup,
    CalendarSpan,
    ClaimPolicy,
    Criterion,
    DrawPlan,
    EntropySource,
    EnvelopePrize,
    Held,
    Limit,
    Register,
    RuleBook,
)

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

Table = dict[str, Any]


def read(data: bytes) -> RuleBook:
    """The rule book that sound TOML says."""
    toml = tomllib.loads(data.decode())
    promotion, who = toml["promotion"], toml["who"]
    return RuleBook(
        sha256=hashlib.sha256(data).hexdigest(),
        id=promotion["id"],
        property=promotion["property"],
        title=promotion["title"],
        version=promotion["version"],
        zone=promotion["zone"],
        currency=promotion["currency"],
        day_starts_at=_time(promotion["day_starts_at"]),
        calendar=tuple(_span(span) for span in toml["calendar"]),
        audiences=tuple(_audience(row) for row in who["rows"]),
        min_age=who["min_age"],
        exclude=tuple(who["exclude"]),
        award_groups=tuple(AwardGroup(**group) for group in toml["award_group"]),
        draws=tuple(_draw(draw) for draw in toml["draw"]),
        register=_register(toml["register"]) if "register" in toml else None,
        held=Held(**toml["held"]) if "held" in toml else None,
        screen_name=toml["publicity"]["screen_name"],
        stated_total=promotion.get("stated_total"),
    )


def _time(text: str) -> time:
    return time.fromisoformat(text)


def _span(span: Table) -> CalendarSpan:
    return CalendarSpan(
        weekdays=tuple(WEEKDAYS.index(name) for name in span["weekdays"]),
        first=span["from"],
        last=span["to"],
        only=tuple(span.get("only", ())),
        never=tuple(span.get("never", ())),
    )


def _audience(row: Table) -> Audience:
    return Audience(tiers=tuple(row["tiers"]), zones=tuple(row["zones"]), dates=tuple(row.get("dates", ())))


def _criterion(row: Table) -> Criterion:
    return Criterion(
        game=row["game"],
        measure=row["measure"],
        min=row.get("min"),
        max=row.get("max"),
        tiers=tuple(row.get("tiers", ())),
    )


def _claim(claim: Table) -> ClaimPolicy:
    return ClaimPolicy(**{**claim, "satisfied_by": tuple(claim["satisfied_by"])})


def _draw(draw: Table) -> DrawPlan:
    return DrawPlan(
        id=draw["id"],
        kind=draw["kind"],
        group=draw["group"],
        awards=draw["awards"],
        starts=_time(draw["from"]),
        ends=_time(draw["to"]),
        opens_before_minutes=draw["opens_before_minutes"],
        needs=tuple(draw["source"]["needs"]),
        title=draw["title"],
        lateness_ms=draw["lateness_ms"],
        retry_ms=draw["retry_ms"],
        entropy=tuple(EntropySource(**source) for source in draw["entropy"]),
        criteria=tuple(_criterion(row) for row in draw["criteria"]),
        after_end=draw["pool"]["after_end"],
        claim=_claim(draw["claim"]),
        on=tuple(sorted(draw["on"].items())),
        limits=tuple(Limit(**limit) for limit in draw["limits"]),
        prize=EnvelopePrize(min=draw["prize"]["min"], max=draw["prize"]["max"]),
    )


def _register(register: Table) -> Register:
    return Register(
        windows=tuple((_time(opens), _time(closes)) for opens, closes in register["windows"]),
        in_person=register["in_person"],
        contact_required=register["contact_required"],
    )
