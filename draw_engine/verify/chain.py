"""Opening, commitment, chain and close: that the log is whole and the record is the one it closed with."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from draw_engine.canonical import jcs
from draw_engine.log import first_break
from draw_engine.selection import commitment
from draw_engine.verify.record import Record


def faults_of_opening(record: Record) -> Iterator[str]:
    """The log runs from the draw's one opening entry, which holds the terms, to its one closing entry."""
    edges = (("draw.opened", 0, "first", "opened_at"), ("draw.closed", -1, "last", "closed_at"))
    for kind, at, stands, name in edges:
        entries = [e for e in record.log if e["kind"] == kind and e["draw"] == record.draw]
        if len(entries) != 1:
            yield f"the log has {len(entries)} {kind} of this draw, not exactly one"
        edge = record.log[at]
        if edge not in entries:
            yield f"entry {edge['seq']} ({edge['kind']}) stands {stands}, not this draw's {kind}"
        elif edge["at"] != record.raw[name]:
            yield f"{name} is {record.raw[name]}, entry {edge['seq']} ({kind}) says {edge['at']}"
    opened = record.happened("draw.opened")
    if opened and not same(opened[0].data, record.terms):
        yield f"the terms are not those of {opened[0]}: {_difference(opened[0].data, record.terms)}"


def faults_of_commitment(record: Record) -> Iterator[str]:
    """The seed that is revealed is the one that was committed to."""
    if commitment(record.draw, record.seed, rehearsal=record.rehearsal) != record.terms["commitment"]:
        yield "house_seed does not open terms.commitment: the seed is not the one committed to when the draw opened"


def faults_of_chain(record: Record) -> Iterator[str]:
    """Every entry follows from the one before."""
    broken = first_break(record.log)
    if broken:
        yield f"entry {broken[0]}: {broken[1]}"


def faults_of_digest(record: Record) -> Iterator[str]:
    """The record is the one whose digest the draw's last entry holds."""
    for closed in record.happened("draw.closed"):
        if closed.data["record"] != record_digest(record.raw):
            yield f"the record's digest is {record_digest(record.raw)}, {closed} says {closed.data['record']}"


def record_digest(raw: dict[str, Any]) -> str:
    """Hex of the hash over the record without checkpoints and log, every file and proof null."""
    kept = {name: value for name, value in raw.items() if name not in ("checkpoints", "log")}
    kept["pools"] = [pool | {"file": None} for pool in raw["pools"]]
    kept["selections"] = [selection | {"proof": None} for selection in raw["selections"]]
    return sha256(jcs(kept)).hexdigest()


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same, true and 1 kept apart."""
    return jcs(left) == jcs(right)


def _difference(left: dict[str, Any], right: dict[str, Any]) -> str:
    names = sorted(left.keys() | right.keys())
    return ", ".join(n for n in names if n not in left or n not in right or not same(left[n], right[n]))
