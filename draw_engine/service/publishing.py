"""Publishing a closed draw: its two copies, and the folder by which an auditor judges every pool again."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

from draw_engine.canonical import format_time, jcs
from draw_engine.errors import Refused
from draw_engine.records import AUDITOR, PUBLIC, published, record_of
from draw_engine.references import guest_secret
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.ports import Checkpoint

COPIES = (PUBLIC, AUDITOR)


def published_copy(engine: Engine, draw: OpenDraw, copy: str) -> dict[str, bytes]:
    """The files of a copy by name: `record.json`, and for the auditor the pools.

    Raises Refused X_DRAW_OPEN while the draw is open: the seed is opened when it closes.
    """
    state = draw.state
    if state.closed_at is None or state.closed_seq is None:
        raise Refused(
            "X_DRAW_OPEN", f"{draw.plan.title} is still open. Its record can be published once it has closed."
        )
    record, files = published(
        record_of(state, house_seed=draw.seed, closed_at=state.closed_at),
        copy=copy,
        entries=engine.store.entries(state.opened_seq, state.closed_seq),
        checkpoints=[shown(c) for c in engine.store.checkpoints(state.opened_seq, state.closed_seq)],
        pool_of=lambda pool_id: engine.store.pool(state.id, pool_id),
    )
    return {"record.json": jcs(record), **files}


def shown(checkpoint: Checkpoint) -> dict[str, Any]:
    """A checkpoint as the record shows it."""
    return {
        "property": checkpoint.property,
        "seq": checkpoint.seq,
        "hash": checkpoint.hash,
        "at": format_time(checkpoint.at),
        "public_key": checkpoint.public_key,
        "signature": checkpoint.signature,
    }


def auditor_pack(
    engine: Engine, draw: OpenDraw, *, read_segment: Callable[[str], bytes], site_toml: bytes
) -> dict[str, bytes]:
    """The folder `judging/` (draw record, "Recomputing the pools"). It names guests: for the auditor alone."""
    state = draw.state
    closed_at = state.closed_at or engine.now()
    book = engine.store.rule_book(str(state.terms["rules_sha256"]))
    assert book is not None
    files = {"judging/rules.toml": book, "judging/site.toml": site_toml}
    persons = set(draw.refs) | {row.person for row in draw.rows.values()}
    files["judging/references.csv"] = _references(engine, draw, persons)
    versions = engine.store.lists()
    for n, row in enumerate(versions):
        replaced = [later.loaded_at for later in versions[n + 1 :] if later.kind == row.kind]
        if row.loaded_at <= closed_at and not (replaced and replaced[0] <= state.opened_at):
            files[f"judging/lists/{row.kind}.{row.sha256}.csv"] = row.content
    for segment in sorted(_segments(engine, draw)):
        files[f"judging/journal/{segment}.jsonl"] = read_segment(segment)
    return files


def _references(engine: Engine, draw: OpenDraw, persons: set[str]) -> bytes:
    key = engine.reference_key(draw.book.id)
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["member", "s"])
    for person in sorted(persons, key=str.encode):
        rows.writerow([person, guest_secret(key, draw.state.id, person).hex()])
    return out.getvalue().encode()


def _segments(engine: Engine, draw: OpenDraw) -> set[str]:
    return {
        entry.data["journal"]["segment"]
        for entry in engine.store.entries_of(draw.state.id)
        if entry.kind == "pool.frozen" and entry.data["journal"] is not None
    }
