"""Notices: what holds but should be known to whoever reads the verdict (draw record 1, "Verifying")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from draw_engine.canonical import parse_time
from draw_engine.verify.record import Record
from draw_engine.verify.shape import BEACON

_LONGEST_GAP = 61 * 60 * 1000  # ms between checkpoints: hourly, and a minute's grace

_OUTCOMES = {
    "voided": "voided",
    "ineligible": "ended as ineligible",
    "refused": "refused by the winner",
    "not_rightful_card": "ended because the card was not the holder's own",
    "duplicate": "drew a reference again (duplicate)",
}


def notices_of_draw(record: Record) -> Iterator[str]:
    """What the record itself gives reason to say."""
    if record.rehearsal:
        yield "this is a rehearsal: nobody could win anything"
    yield from _counts(record)
    yield from _entropy(record)
    yield from _gaps(record)
    withheld = [row["id"] for row in record.rows("pools") if row["file"] is None]
    if withheld:
        checked = "; whether a failed reference stayed out of later pools was not checked" if record.session else ""
        yield f"pool files withheld: {len(withheld)} ({_some(withheld)}); proofs were used instead{checked}"


def _counts(record: Record) -> Iterator[str]:
    reviewed = Counter(h.data["decision"] for h in record.happened("claim.reviewed"))
    if reviewed:
        yield f"{reviewed.total()} reviewed: {_listed(reviewed)}, each on the word of two people"
    outcomes = Counter(row["outcome"] for row in record.rows("selections"))
    for outcome, words in _OUTCOMES.items():
        if outcomes[outcome]:
            yield f"{outcomes[outcome]} {words}"
    postponed = Counter(h.data["reason"] for h in record.happened("selection.postponed"))
    if postponed:
        yield f"{postponed.total()} postponed: {_listed(postponed)}"
    lapsed = Counter(h.data["reason"] for h in record.happened("selection.lapsed"))
    if lapsed:
        yield f"{lapsed.total()} lapsed: {_listed(lapsed)}"


def _entropy(record: Record) -> Iterator[str]:
    given = {row["source"]: row["text"] for row in record.rows("public")}
    for source in record.terms["entropy"]:
        if source["source"] not in given:
            yield f"the source {source['source']} gave nothing"
        elif BEACON.fullmatch(source["pattern"]):
            yield f"the beacon's signature in the text of {source['source']} was not verified: check it with the beacon"
    if not given and record.session:
        yield "no entropy from outside at all: the house alone made the seed"
    elif not given:
        yield "no entropy from outside after the pool was frozen: the house knew the seed when it froze the pool"


def _gaps(record: Record) -> Iterator[str]:
    for before, after in pairwise(record.rows("checkpoints")):
        gap = parse_time(after["at"]) - parse_time(before["at"])
        if gap > _LONGEST_GAP:
            yield f"{gap // 60_000} minutes between the checkpoints of entries {before['seq']} and {after['seq']}"


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
