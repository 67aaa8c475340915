"""Selections: ordinals without a gap, and every ticket and reference computed again from the revealed seed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from draw_engine import proofs
from draw_engine.canonical import format_time
from draw_engine.selection import public_digest, ticket
from draw_engine.verify.pools import PoolFiles
from draw_engine.verify.record import Happening, Record

_AS_LOGGED = ("ordinal", "place", "moment", "after", "pool", "public_count", "ticket", "ref", "position")


def faults_of_selections(record: Record) -> Iterator[str]:
    """Ordinals 0, 1, 2, … in log order, and each selection of the record as it was logged."""
    made, rows = record.happened("selection.made"), list(record.rows("selections"))
    for expected, entry in enumerate(made):
        if entry.data["ordinal"] != expected:
            yield f"{entry} has ordinal {entry.data['ordinal']}, the next one is {expected}"
            return
        if entry.data["place"] not in record.terms["places"]:
            yield f"{entry} (ordinal {expected}) is for place {entry.data['place']}, which the terms do not have"
    if len(rows) != len(made):
        yield f"the record has {len(rows)} selections, the log made {len(made)}"
    for row, entry in zip(rows, made, strict=False):
        logged = {name: entry.data[name] for name in _AS_LOGGED} | {"at": format_time(entry.at)}
        yield from (
            f"ordinal {entry.data['ordinal']}: its {name} is not as logged in {entry}"
            for name, value in logged.items()
            if row[name] != value
        )


def faults_of_tickets(record: Record, files: PoolFiles) -> Iterator[str]:
    """Every ticket recomputed, and the entrant who holds it found in the pool file or by the proof."""
    texts = [h.data["text"] for h in record.happened("entropy.given")]
    rows = {row["ordinal"]: row for row in record.rows("selections")}
    for ordinal, made in record.made.items():
        frozen = record.frozen.get(made.data["pool"])
        if frozen is None:
            continue  # faults_of_pools names it
        expected = ticket(
            record.seed,
            draw=record.draw,
            ordinal=ordinal,
            root=frozen.data["root"],
            size=frozen.data["size"],
            total=int(frozen.data["total"]),
            public=public_digest(texts[: made.data["public_count"]]),
        )
        if str(expected) != made.data["ticket"]:
            yield f"ordinal {ordinal}: its ticket is {made.data['ticket']}, recomputed {expected}"
        yield from (
            f"ordinal {ordinal}: {fault}" for fault in _holder(made, expected, frozen, rows.get(ordinal), files)
        )


def _holder(
    made: Happening, number: int, frozen: Happening, row: dict[str, Any] | None, files: PoolFiles
) -> Iterator[str]:
    ref, pool = bytes.fromhex(made.data["ref"]), files.get(frozen.data["id"])
    if pool is not None and number < pool.total:
        holder = pool.entry_at(number)[0]
        if holder != ref:
            yield f"its ref is {ref.hex()}, ticket {number} of pool {frozen.data['id']} is held by {holder.hex()}"
    if row is None or row["proof"] is None:
        return
    root, size, total = frozen.data["root"], frozen.data["size"], int(frozen.data["total"])
    try:
        held = proofs.check(row["proof"], root=root, size=size, total=total)
    except ValueError as fault:
        yield f"its proof: {fault}"
        return
    first, last = held.get(ref, (0, -1))
    if not first <= number <= last:
        yield f"its proof does not show that ticket {number} of pool {frozen.data['id']} was {ref.hex()}'s"
