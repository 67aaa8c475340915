"""`floordraw log verify`: the property's whole log, read from its database and changed by nothing."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from config.site import Site
from draw_engine import ed25519
from draw_engine.canonical import format_time
from draw_engine.log import Entry, checkpoint_text, first_break, read_slip
from draw_engine.seeds import SystemSeeds
from draw_engine.service.ports import Checkpoint
from draw_engine.store.repositories import TableStore
from kiosk.assembly import open_store

_BATCH = 2_000


def check_log(site: Site, slips: Sequence[str]) -> tuple[bool, list[str]]:
    """(whether all holds, lines to print): the chain from the first entry, the head, every checkpoint, the slips."""
    store = open_store(site, SystemSeeds())
    head = store.head()
    if head is None:
        return True, ["The log is empty."]
    broken = first_break(entry.shown() for entry in _entries(store, head.seq))
    if broken is not None:
        return False, [f"FAILS at entry {broken[0]}: {broken[1]}"]
    last = next(store.entries(head.seq, head.seq), None)
    if last is None or last.hash != head.hash:
        return False, [f"FAILS at entry {head.seq}: the log was cut; its last entry is missing or another one."]
    checkpoints = store.checkpoints(1, head.seq)
    for checkpoint in checkpoints:
        if fault := _fault(store, checkpoint):
            return False, [f"FAILS at entry {checkpoint.seq}: {fault}"]
    missing = _unsigned(store, head.seq, {checkpoint.seq for checkpoint in checkpoints})
    if missing is not None:
        return False, [f"FAILS at entry {missing}: it says a checkpoint was made that is not there."]
    faults = [fault for slip in _split(slips) if (fault := _slip_fault(store, slip, head.seq))]
    lines = [f"{head.seq} entries hold, each follows from the one before.", f"{len(checkpoints)} checkpoints hold."]
    return not faults, [*lines, *(faults or [f"{len(_split(slips))} slips compared."])]


def _entries(store: TableStore, last: int) -> Iterator[Entry]:
    for first in range(1, last + 1, _BATCH):
        yield from store.entries(first, min(last, first + _BATCH - 1))


def _fault(store: TableStore, checkpoint: Checkpoint) -> str | None:
    entry = next(store.entries(checkpoint.seq, checkpoint.seq), None)
    if entry is None or entry.hash != checkpoint.hash:
        return "a checkpoint signed another entry at this place."
    return None if _signed(_plain(checkpoint)) else "its checkpoint's signature does not hold."


def _plain(checkpoint: Checkpoint) -> dict[str, Any]:
    return {
        "property": checkpoint.property,
        "seq": checkpoint.seq,
        "hash": checkpoint.hash,
        "at": format_time(checkpoint.at),
        "public_key": checkpoint.public_key,
        "signature": checkpoint.signature,
    }


def _signed(checkpoint: Mapping[str, Any]) -> bool:
    text = checkpoint_text(
        property=checkpoint["property"],
        seq=checkpoint["seq"],
        hash=checkpoint["hash"],
        at=checkpoint["at"],
        rehearsal=bool(checkpoint.get("rehearsal", False)),
    )
    key, signature = base64.b64decode(checkpoint["public_key"]), base64.b64decode(checkpoint["signature"])
    return ed25519.verify(key, signature, text)


def _unsigned(store: TableStore, last: int, signed: set[int]) -> int | None:
    """The first `checkpoint.made` whose checkpoint is gone: a cut is found so, too."""
    for entry in _entries(store, last):
        if entry.kind == "checkpoint.made" and entry.data["seq"] not in signed:
            return entry.seq
    return None


def _split(slips: Sequence[str]) -> list[str]:
    return [block for text in slips for block in text.replace("\r\n", "\n").strip().split("\n\n") if block.strip()]


def _slip_fault(store: TableStore, text: str, last: int) -> str | None:
    try:
        slip = read_slip(text.strip() + "\n")
    except ValueError as fault:
        return f"FAILS: a slip cannot be read: {fault}"
    if not _signed(slip):
        return f"FAILS: the slip for entry {slip['seq']} does not hold: its signature is not of its own text."
    entry = next(store.entries(slip["seq"], slip["seq"]), None)
    if slip["seq"] > last or entry is None:
        return f"FAILS at entry {slip['seq']}: a printed slip names it and the log ends before; it was cut."
    if entry.hash != slip["hash"]:
        return f"FAILS at entry {slip['seq']}: a printed slip has another hash; it was changed after printing."
    made = {checkpoint.seq: _plain(checkpoint) for checkpoint in store.checkpoints(slip["seq"], slip["seq"])}
    same = {name: slip[name] for name in ("property", "seq", "hash", "at", "public_key", "signature")}
    return (
        None if made.get(slip["seq"]) == same else f"FAILS at entry {slip['seq']}: the slip is of another checkpoint."
    )
