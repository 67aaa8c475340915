"""The published record of a draw (draw record, "The record"): `record.json`, its digest, its two copies."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from draw_engine.canonical import format_time, jcs
from draw_engine.draw_state import Claim, DrawState
from draw_engine.log import Entry
from draw_engine.pool import Pool
from draw_engine.proofs import prove

PUBLIC = "public"
AUDITOR = "auditor"
_ALWAYS_SHOWN = "checkpoint.made"


def record_of(state: DrawState, *, house_seed: bytes, closed_at: int) -> dict[str, Any]:
    """The record without checkpoints, log, files and proofs: what the digest in `draw.closed` is of."""
    outcomes = {claim.ordinal: claim.outcome for claim in state.claims}
    return {
        "v": 1,
        "terms": dict(state.terms),
        "opened_at": format_time(state.opened_at),
        "closed_at": format_time(closed_at),
        "house_seed": house_seed.hex(),
        "public": [{"at": format_time(at), "source": source, "text": text} for at, source, text in state.public],
        "pools": [
            {
                "id": pool.id,
                "frozen_at": format_time(pool.frozen_at),
                "file": None,
                "size": pool.size,
                "total": pool.total,
                "root": pool.root,
            }
            for pool in state.pools
        ],
        "selections": [
            {
                "ordinal": made.ordinal,
                "at": format_time(made.at),
                "place": made.place,
                "moment": made.moment,
                "after": made.after,
                "pool": made.pool,
                "public_count": made.public_count,
                "ticket": made.ticket,
                "ref": made.ref,
                "position": made.position,
                "outcome": outcomes[made.ordinal],
                "proof": None,
            }
            for made in state.selections
        ],
        "claims": [_claim(claim) for claim in sorted(state.claims, key=lambda claim: claim.ordinal)],
    }


def _claim(claim: Claim) -> dict[str, Any]:
    times = {
        name: None if at is None else format_time(at)
        for name, at in (
            ("opened_at", claim.opened_at),
            ("found_at", claim.found_at),
            ("announced_at", claim.announced_at),
            ("deadline_at", claim.deadline_at),
            ("presented_at", claim.presented_at),
            ("ended_at", claim.ended_at),
        )
    }
    return {"id": claim.id, "ordinal": claim.ordinal, **times, "outcome": claim.outcome, "prize": claim.prize}


def record_digest(record: Mapping[str, Any]) -> str:
    """`H(JCS(record.json without checkpoints and log, every file and proof null))`, hex."""
    bare = {name: value for name, value in record.items() if name not in {"checkpoints", "log"}}
    bare["pools"] = [{**pool, "file": None} for pool in record["pools"]]
    bare["selections"] = [{**made, "proof": None} for made in record["selections"]]
    return hashlib.sha256(jcs(bare)).hexdigest()


def published(
    record: Mapping[str, Any],
    *,
    copy: str,
    entries: Iterable[Entry],
    checkpoints: Sequence[Mapping[str, Any]],
    pool_of: Callable[[str], bytes],
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """(record, pool files by name) of a copy: the auditor's has the files, the public one each winner's proof.

    What another draw logged stands withheld in both; what no draw logged is open to the auditor alone.
    """
    draw = record["terms"]["draw"]
    pools = {pool["id"]: pool_of(pool["id"]) for pool in record["pools"]}
    made = dict(record)
    files: dict[str, bytes] = {}
    if copy == AUDITOR:
        made["pools"] = [{**pool, "file": f"{pool['id']}.pool"} for pool in record["pools"]]
        files = {f"{pool_id}.pool": data for pool_id, data in pools.items()}
    else:
        read = {pool_id: Pool.read(data) for pool_id, data in pools.items()}
        made["selections"] = [
            {**one, "proof": prove(read[one["pool"]], bytes.fromhex(one["ref"]))} for one in record["selections"]
        ]
    made["checkpoints"] = list(checkpoints)
    made["log"] = [
        entry.shown()
        if entry.draw == draw or entry.kind == _ALWAYS_SHOWN or (entry.draw is None and copy == AUDITOR)
        else entry.withheld()
        for entry in entries
    ]
    return made, files
