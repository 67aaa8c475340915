"""Entropy from outside: what was given, by which source, in which order, and before what."""

from __future__ import annotations

import re
from collections.abc import Iterator

from draw_engine.canonical import format_time
from draw_engine.verify.record import Happening, Record


def faults_of_entropy(record: Record) -> Iterator[str]:
    """Texts by source, order and pattern; after the checkpoint that the draw's kind asks for, and before its use."""
    given = record.happened("entropy.given")
    rows = [{"at": format_time(h.at), "source": h.data["source"], "text": h.data["text"]} for h in given]
    if rows != record.raw["public"]:
        yield "the public texts are not those of the log's entropy.given entries"
    sources = iter(record.terms["entropy"])
    for entry in given:
        source = next((s for s in sources if s["source"] == entry.data["source"]), None)
        if source is None:
            yield f"{entry}: {entry.data['source']} is no source of the terms, or was given twice or out of order"
            break
        if not text_fits(source["pattern"], entry.data["text"]):
            yield f"{entry}: the text of {source['source']} does not fit its pattern {source['pattern']}"
    yield from _order(record, given)
    yield from _public_counts(record, given)


def text_fits(pattern: str, text: str) -> bool:
    """Whether a text is one of the pattern, which is one of the page's two literals."""
    return re.fullmatch(pattern, text) is not None


def _order(record: Record, given: list[Happening]) -> Iterator[str]:
    checkpoints = [e["seq"] for e in record.checkpoint_entries]
    frozen, made = record.happened("pool.frozen"), record.happened("selection.made")
    pool = record.happened("pool.judged", "pool.frozen", "selection.made", "selection.postponed", "selection.lapsed")
    first = min((h.seq for h in (*given, *pool)), default=record.log[-1]["seq"])
    if not any(seq < first for seq in checkpoints):
        yield f"no checkpoint was made between the opening and entry {first}, the first of entropy and pools"
    if record.session:
        yield from (
            f"{h} was given after the first pool, {frozen[0]}" for h in given if frozen and h.seq > frozen[0].seq
        )
        return
    if not frozen:
        yield from (f"{h} was given though no pool is frozen" for h in given)
        return
    first = min((h.seq for h in (*given, *made)), default=record.log[-1]["seq"])
    if not any(frozen[0].seq < seq < first for seq in checkpoints):
        yield f"no checkpoint was made between {frozen[0]} and entry {first}, the first of entropy and selections"
    yield from (f"{h} was given after the first selection, {made[0]}" for h in given if made and h.seq > made[0].seq)


def _public_counts(record: Record, given: list[Happening]) -> Iterator[str]:
    first: dict[str, int] = {}
    for made in record.happened("selection.made"):
        before = first.setdefault(made.data["pool"], sum(h.seq < made.seq for h in given))
        if made.data["public_count"] != before:
            yield f"{made}: public_count is {made.data['public_count']}, {before} texts were given by then"
