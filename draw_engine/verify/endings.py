"""Endings: each selection has its claim, each claim its end, and the record says of both what the log says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from draw_engine.canonical import format_time
from draw_engine.verify.claims import Claim
from draw_engine.verify.record import FILLED, Happening, Record

_PREFIX = "claim."
_KINDS = (
    *("opened", "found", "announced", "presented", "review", "reviewed"),
    *("confirmed", "held", "refused", "expired", "not_rightful_card", "ineligible", "voided"),
)


def claims_told(record: Record) -> tuple[list[Claim], list[str]]:
    """The draw's claims by ordinal, as the log tells them, and what in the telling was not allowed."""
    claims: dict[str, Claim] = {}
    faults: list[str] = []
    for entry in record.happened(*(f"{_PREFIX}{kind}" for kind in _KINDS)):
        name = entry.data["claim"]
        claim = claims.get(name)
        if entry.kind == "claim.opened":
            faults += _faults_of_opened(record, entry, claims)
            claims.setdefault(name, Claim(entry, record.terms["claim_window_ms"]))
        elif claim is None:
            faults.append(f"{entry}: the claim {name} had not been opened")
        else:
            faults += [f"{entry}, claim {name}: {fault}" for fault in claim.hear(entry)]
    return sorted(claims.values(), key=lambda claim: int(claim.opened.data["ordinal"])), faults


def _faults_of_opened(record: Record, entry: Happening, claims: dict[str, Claim]) -> Iterator[str]:
    name, ordinal = entry.data["claim"], entry.data["ordinal"]
    made = record.made.get(ordinal)
    if name in claims:
        yield f"{entry}: the claim {name} was opened before"
    if made is None or made.seq > entry.seq:
        yield f"{entry}: ordinal {ordinal} had not been selected"
    if ordinal in record.duplicates:
        yield f"{entry}: ordinal {ordinal} is a duplicate, which has no claim"
    if any(claim.opened.data["ordinal"] == ordinal for claim in claims.values()):
        yield f"{entry}: ordinal {ordinal} has a claim already"


def faults_of_claims(record: Record) -> Iterator[str]:
    """Reviews, presses, deadlines and endings, each earned by what was logged before it."""
    claims, faults = claims_told(record)
    yield from faults
    claimed = {claim.opened.data["ordinal"] for claim in claims}
    for ordinal in record.made:
        if ordinal not in claimed and ordinal not in record.duplicates:
            yield f"ordinal {ordinal} has neither a claim nor a duplicate's entry"
    for claim in claims:
        if claim.ending is None:
            yield f"claim {claim.opened.data['claim']} (ordinal {claim.opened.data['ordinal']}) never ended"


def faults_of_outcomes(record: Record) -> Iterator[str]:
    """Every time, outcome and prize of the record as logged; no place filled twice."""
    claims = claims_told(record)[0]
    rows = list(record.rows("claims"))
    if len(rows) != len(claims):
        yield f"the record has {len(rows)} claims, the log opened {len(claims)}"
    for row, claim in zip(rows, claims, strict=False):
        logged = _row(claim)
        yield from (
            f"claim {row['id']} (ordinal {row['ordinal']}): its {name} is {row[name]}, logged {value}"
            for name, value in logged.items()
            if row[name] != value
        )
    for row in record.rows("selections"):
        outcome = record.outcome(row["ordinal"])
        if row["outcome"] != outcome:
            yield f"ordinal {row['ordinal']}: its outcome is {row['outcome']}, logged {outcome}"
    filled = Counter(made.data["place"] for ordinal, made in record.made.items() if record.outcome(ordinal) in FILLED)
    yield from (f"place {place} was filled {times} times" for place, times in sorted(filled.items()) if times > 1)


def _row(claim: Claim) -> dict[str, Any]:
    opened, ending = claim.opened, claim.ending
    return {
        "id": opened.data["claim"],
        "ordinal": opened.data["ordinal"],
        "opened_at": format_time(opened.at),
        "found_at": format_time(claim.found.at) if claim.found else None,
        "announced_at": format_time(claim.announced.at) if claim.announced else None,
        "deadline_at": claim.announced.data["deadline_at"] if claim.announced else None,
        "presented_at": None if claim.presented_at is None else format_time(claim.presented_at),
        "ended_at": format_time(ending.at) if ending else None,
        "outcome": ending.kind.removeprefix(_PREFIX) if ending else None,
        "prize": ending.data["prize"] if ending else None,
    }
