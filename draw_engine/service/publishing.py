"""Publishing a closed draw: its two copies, and the folder by which an auditor judges every pool again."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

from draw_engine import verdicts
from draw_engine.canonical import format_time, jcs
from draw_engine.errors import Refused
from draw_engine.lists import ListsInForce
from draw_engine.log import Entry
from draw_engine.records import AUDITOR, PUBLIC, published, record_of
from draw_engine.references import guest_secret
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.list_ports import LoadedList
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
    versions = engine.store.lists()
    in_span = []
    for n, row in enumerate(versions):
        replaced = [later.loaded_at for later in versions[n + 1 :] if later.kind == row.kind]
        if row.loaded_at <= closed_at and not (replaced and replaced[0] <= state.opened_at):
            in_span.append(row)
            files[f"judging/lists/{row.kind}.{row.sha256}.csv"] = row.content
    files["judging/references.csv"] = _references(engine, draw, _persons(engine, draw, in_span))
    files["judging/before.csv"] = _before(engine, draw)
    for segment in sorted(_segments(engine, draw)):
        files[f"judging/journal/{segment}.jsonl"] = read_segment(segment)
    return files


def _persons(engine: Engine, draw: OpenDraw, lists: Sequence[LoadedList]) -> set[str]:
    """Everybody who was judged or listed in the draw's span: from what is kept, so that a restart loses nobody."""
    persons = {
        verdict.person for _, _, data in engine.store.verdicts(draw.state.id) for verdict, _ in verdicts.read(data)
    }
    for row in lists:
        if row.kind == "members":
            members = engine.read_version(row.kind, row.content, row.loaded_at)
            listed = ListsInForce(members=members, exclusions=None, staff=None, positions=None, zone=draw.book.zone)
            persons |= listed.persons()
    return persons


def _references(engine: Engine, draw: OpenDraw, persons: set[str]) -> bytes:
    key = engine.reference_key(draw.book.id)
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["member", "s"])
    for person in sorted(persons, key=str.encode):
        rows.writerow([person, guest_secret(key, draw.state.id, person).hex()])
    return out.getvalue().encode()


def _before(engine: Engine, draw: OpenDraw) -> bytes:
    """What the promotion's other draws selected before this one closed, and what became of it.

    Failures on a carried award and wins under a limit wider than the draw stand in no record of this draw; the places
    of the entries in the log are given, so that each row can be held against it.
    """
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["member", "draw", "group", "award", "selected_seq", "ended_seq", "outcome"])
    for other in list(engine.draws.values()):  # a copy: another draw may open while this one is packed
        if other is draw or other.book.id != draw.book.id:
            continue
        told = [entry for entry in engine.store.entries_of(other.state.id) if entry.seq < (draw.state.closed_seq or 0)]
        ended = {one.data["ordinal"]: one for one in told if one.kind.startswith("claim.") and "prize" in one.data}
        for entry in told:
            if entry.kind == "selection.made":
                ordinal = entry.data["ordinal"]
                last = [ended[ordinal].seq, _outcome(ended[ordinal])] if ordinal in ended else ["", ""]
                selected = [other.state.id, other.plan.group, entry.data["place"], entry.seq]
                rows.writerow([other.rows[ordinal].person, *selected, *last])
    return out.getvalue().encode()


def _outcome(ending: Entry) -> str:
    return "voided_reselect" if ending.data.get("reselect") else ending.kind.removeprefix("claim.")


def _segments(engine: Engine, draw: OpenDraw) -> set[str]:
    return {
        entry.data["journal"]["segment"]
        for entry in engine.store.entries_of(draw.state.id)
        if entry.kind == "pool.frozen" and entry.data["journal"] is not None
    }
