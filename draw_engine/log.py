"""The log's arithmetic: entries, the chain, checkpoints and slips (draw record 1, "The log")."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from draw_engine.canonical import MAX_NUMBER, format_time, jcs, parse_time

NO_ENTRY = "0" * 64  # what the first entry of a log has as `prev`

_HASH = re.compile(r"[0-9a-f]{64}")
_SALT = re.compile(r"[0-9a-f]{32}")
_ID = re.compile(r"[A-Za-z0-9._/:-]{1,128}")
_SEQ = re.compile(r"[1-9][0-9]{0,15}")
_SHOWN = frozenset({"seq", "at", "kind", "draw", "actor", "data", "salt", "prev", "hash"})
_WITHHELD = frozenset({"seq", "at", "kind", "draw", "body", "prev", "hash"})
_TAG, _REHEARSAL_TAG = "floordraw/1/checkpoint", "floordraw/1/rehearsal-checkpoint"


@dataclass(frozen=True, slots=True)
class Head:
    """The last entry of a log, as much of it as the next one needs."""

    seq: int
    at: int
    hash: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. `at` in milliseconds since 1970; salt, prev, body and hash in lower-case hex."""

    seq: int
    at: int
    kind: str
    draw: str | None
    actor: str
    data: dict[str, Any]
    salt: str
    prev: str
    body: str
    hash: str

    def shown(self) -> dict[str, Any]:
        """The entry as it stands in a record that shows it."""
        return {
            "seq": self.seq,
            "at": format_time(self.at),
            "kind": self.kind,
            "draw": self.draw,
            "actor": self.actor,
            "data": self.data,
            "salt": self.salt,
            "prev": self.prev,
            "hash": self.hash,
        }

    def withheld(self) -> dict[str, Any]:
        """The entry as it stands in another draw's record: the chain still verifies, who and what stay unsaid."""
        return {
            "seq": self.seq,
            "at": format_time(self.at),
            "kind": self.kind,
            "draw": self.draw,
            "body": self.body,
            "prev": self.prev,
            "hash": self.hash,
        }


def body_hash(actor: str, data: Mapping[str, Any], salt: str) -> str:
    """`body`: hex of the hash over who, what and the salt (hex)."""
    return sha256(jcs({"actor": actor, "data": data, "salt": salt})).hexdigest()


def entry_hash(*, seq: int, at: str, kind: str, draw: str | None, prev: str, body: str) -> str:
    """`hash`: hex of the hash that the next entry has as `prev`; `at` in its written form."""
    return sha256(
        jcs({"at": at, "body": body, "draw": draw, "kind": kind, "prev": prev, "seq": seq}),
    ).hexdigest()


def next_entry(
    head: Entry | Head | None,
    *,
    at: int,
    kind: str,
    draw: str | None,
    actor: str,
    data: dict[str, Any],
    salt: bytes,
) -> Entry:
    """The entry after `head` (None: the first of a log). Its `at` is the later of the clock's and the one before.

    Raises ValueError when the salt is not 16 bytes or `data` has no canonical form.
    """
    if len(salt) != 16:
        raise ValueError(f"a salt is 16 random bytes, not {len(salt)}")
    seq, prev = (head.seq + 1, head.hash) if head else (1, NO_ENTRY)
    at = max(at, head.at) if head else at
    body = body_hash(actor, data, salt.hex())
    made = entry_hash(seq=seq, at=format_time(at), kind=kind, draw=draw, prev=prev, body=body)
    return Entry(seq, at, kind, draw, actor, data, salt.hex(), prev, body, made)


def first_break(entries: Iterable[Mapping[str, Any]]) -> tuple[int, str] | None:
    """The first entry that breaks the chain, as (seq, sentence), or None when it holds.

    `entries` are shown or withheld ones as in a record, in order, from any seq on. What stood before the first is
    not proven, and nothing here proves that none came after the last: checkpoints do.
    """
    before: Mapping[str, Any] | None = None
    for entry in entries:
        fault = _fault_of_form(entry) or _fault_of_hash(entry) or _fault_of_place(entry, before)
        if fault:
            seq = entry.get("seq") if isinstance(entry, Mapping) else None
            expected = before["seq"] + 1 if before else 1
            return (seq if type(seq) is int else expected), fault
        before = entry
    return None


def _fault_of_form(entry: Mapping[str, Any]) -> str | None:
    if not isinstance(entry, Mapping) or entry.keys() not in (_SHOWN, _WITHHELD):
        return "it has not exactly the members of a shown or of a withheld entry"
    if type(entry["seq"]) is not int or not 1 <= entry["seq"] <= MAX_NUMBER:
        return "its seq is not a whole number from 1"
    texts = {"prev": _HASH, "hash": _HASH} | ({"body": _HASH} if "body" in entry else {"salt": _SALT})
    for name, form in texts.items():
        if not isinstance(entry[name], str) or not form.fullmatch(entry[name]):
            return f"its {name} is not lower-case hex of the right length"
    who_and_what = "body" in entry or (isinstance(entry["actor"], str) and isinstance(entry["data"], dict))
    if not (isinstance(entry["kind"], str) and isinstance(entry["draw"], str | None) and who_and_what):
        return "its kind, draw, actor or data is not of the right type"
    try:
        parse_time(entry["at"])
    except (TypeError, ValueError):
        return "its at is not a time of the form 2023-10-07T12:00:00.000Z"
    return None


def _fault_of_hash(entry: Mapping[str, Any]) -> str | None:
    outer = {name: entry[name] for name in ("seq", "at", "kind", "draw", "prev")}
    try:
        body = entry["body"] if "body" in entry else body_hash(entry["actor"], entry["data"], entry["salt"])
        holds = entry_hash(body=body, **outer) == entry["hash"]
    except ValueError as no_form:
        return f"it has no canonical form: {no_form}"
    return None if holds else "its hash is not the one of what it says: it was changed"


def _fault_of_place(entry: Mapping[str, Any], before: Mapping[str, Any] | None) -> str | None:
    if before is None:
        if (entry["seq"] == 1) != (entry["prev"] == NO_ENTRY):
            return "only the first entry of a log, and it always, has 64 zeros as prev"
        return None
    if entry["seq"] != before["seq"] + 1:
        return f"it follows entry {before['seq']}: an entry is missing, doubled or out of order"
    if entry["prev"] != before["hash"]:
        return f"its prev is not the hash of entry {before['seq']}: one of the two was changed"
    if entry["at"] < before["at"]:
        return f"its at is earlier than that of entry {before['seq']}"
    return None


def checkpoint_text(*, property: str, seq: int, hash: str, at: str, rehearsal: bool) -> bytes:  # noqa: A002 - the page's names
    """The text that a checkpoint's signature is over, with its last line feed. Raises ValueError for a wrong form."""
    if not _ID.fullmatch(property) or not _HASH.fullmatch(hash) or not 1 <= seq <= MAX_NUMBER:
        raise ValueError("a checkpoint names a property, a seq from 1 and a hash of 64 hex digits")
    parse_time(at)
    return f"{_REHEARSAL_TAG if rehearsal else _TAG}\n{property}\n{seq}\n{hash}\n{at}\n".encode()


def slip_text(checkpoint: Mapping[str, Any], rehearsal: bool) -> str:  # noqa: FBT001 - the record's own flag
    """The slip's seven lines, each with its line feed. `checkpoint`: property, seq, hash, at, public_key, signature."""
    signed = checkpoint_text(
        property=checkpoint["property"],
        seq=checkpoint["seq"],
        hash=checkpoint["hash"],
        at=checkpoint["at"],
        rehearsal=rehearsal,
    ).decode()
    return f"{signed}{checkpoint['public_key']}\n{checkpoint['signature']}\n"


def read_slip(text: str) -> dict[str, Any]:
    """The checkpoint's six members that a slip states, and `rehearsal` (bool). Raises ValueError for another text.

    The last line feed may be missing, as scanners leave it out. The signature is read, not verified.
    """
    lines = text.removesuffix("\n").split("\n")
    if len(lines) != 7 or lines[0] not in (_TAG, _REHEARSAL_TAG) or not _SEQ.fullmatch(lines[2]):
        raise ValueError("a slip is seven lines: tag, property, seq, hash, time, key and signature")
    rehearsal = lines[0] == _REHEARSAL_TAG
    made: dict[str, Any] = {"property": lines[1], "seq": int(lines[2]), "hash": lines[3], "at": lines[4]}
    checkpoint_text(**made, rehearsal=rehearsal)
    _check_base64(lines[5], 32, "key")
    _check_base64(lines[6], 64, "signature")
    return made | {"public_key": lines[5], "signature": lines[6], "rehearsal": rehearsal}


def _check_base64(text: str, length: int, what: str) -> None:
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:
        raw = b""
    if len(raw) != length or base64.b64encode(raw).decode() != text:
        raise ValueError(f"the slip's {what} is not {length} bytes in canonical base64")
