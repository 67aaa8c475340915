"""Checkpoints, the slips they were printed on, and the property's key."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from draw_engine.ed25519 import verify
from draw_engine.log import checkpoint_text
from draw_engine.verify.record import Record


def faults_of_checkpoints(record: Record) -> Iterator[str]:
    """Every checkpoint: signature, head, property, one key; each in the log, and each of the log's among them."""
    checkpoints = record.raw["checkpoints"]
    if not checkpoints:
        yield "there are no checkpoints: one is made when the draw opens and one when it closes"
        return
    for checkpoint in checkpoints:
        yield from (f"checkpoint of entry {checkpoint['seq']}: {fault}" for fault in _signed(checkpoint, record))
    for before, after in pairwise(checkpoints):
        if before["seq"] >= after["seq"]:
            yield f"the checkpoint of entry {after['seq']} stands after that of entry {before['seq']}: they ascend"
        if before["public_key"] != after["public_key"]:
            yield f"the checkpoint of entry {after['seq']} has another key than the one before"
    yield from _in_the_log(checkpoints, record)
    yield from _closing(checkpoints[-1], record)


def signature_holds(checkpoint: dict[str, Any], *, rehearsal: bool) -> bool:
    """Whether the signature is that of the checkpoint's text under the key it names."""
    text = checkpoint_text(
        property=checkpoint["property"],
        seq=checkpoint["seq"],
        hash=checkpoint["hash"],
        at=checkpoint["at"],
        rehearsal=rehearsal,
    )
    key, signature = base64.b64decode(checkpoint["public_key"]), base64.b64decode(checkpoint["signature"])
    return verify(key, signature, text)


def _signed(checkpoint: dict[str, Any], record: Record) -> Iterator[str]:
    if checkpoint["property"] != record.terms["property"]:
        yield f"its property is {checkpoint['property']}, not {record.terms['property']}"
    if not signature_holds(checkpoint, rehearsal=record.rehearsal):
        yield "its signature does not hold"


def _in_the_log(checkpoints: list[dict[str, Any]], record: Record) -> Iterator[str]:
    by_seq = {e["seq"]: e for e in record.log}
    for checkpoint in checkpoints:
        head = by_seq.get(checkpoint["seq"])
        if head is None or head["hash"] != checkpoint["hash"]:
            yield f"the checkpoint of entry {checkpoint['seq']} signs another hash than that entry's"
    for checkpoint in checkpoints[:-1]:
        made = by_seq.get(checkpoint["seq"] + 1)
        if made is None or made["kind"] != "checkpoint.made":
            yield f"the entry after {checkpoint['seq']} is not the checkpoint.made of its checkpoint"
        elif made["at"] != checkpoint["at"]:
            yield f"the checkpoint of entry {checkpoint['seq']} is of {checkpoint['at']}, its entry of {made['at']}"
    signed = {c["seq"]: c["hash"] for c in checkpoints[:-1]}
    for entry in record.checkpoint_entries:
        data = entry["data"]
        if data != {"seq": entry["seq"] - 1, "hash": entry["prev"]}:
            yield f"entry {entry['seq']} (checkpoint.made) does not name the entry right before it"
        elif data["seq"] not in signed:
            yield f"entry {entry['seq']} (checkpoint.made) has no checkpoint in the record"


def _closing(last: dict[str, Any], record: Record) -> Iterator[str]:
    if last["seq"] != record.log[-1]["seq"]:
        yield f"the last checkpoint is of entry {last['seq']}, not of the draw's close, entry {record.log[-1]['seq']}"
    if last["at"] < record.raw["closed_at"]:
        yield f"the last checkpoint is of {last['at']}, before the draw closed at {record.raw['closed_at']}"


def faults_of_key(record: Record, key: str) -> Iterator[str]:
    """The key that was given is the one that signed."""
    for checkpoint in record.rows("checkpoints"):
        if checkpoint["public_key"] != key:
            yield (
                f"the checkpoint of entry {checkpoint['seq']} was signed with {checkpoint['public_key']}, "
                "not with the key given"
            )
            return
