"""`floordraw log verify`: the property's whole log, read from its database and changed by nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from config.site import Site
from draw_engine.log import first_break, read_slip, slip_text
from draw_engine.verify.checkpoints import signature_holds
from draw_engine.verify.slips import slip_texts
from kiosk.upkeep.log_rows import Entries, Signed, end_of, signed, snapshot

Fault = tuple[int, str]
"""(seq of the bad entry, sentence); 0 for a slip that cannot be laid to an entry."""
_MUST_BE_SIGNED = frozenset({"draw.opened", "draw.closed"})
_MEMBERS = ("property", "seq", "hash", "at", "public_key", "signature")


@dataclass(slots=True)
class _Log:
    """What is remembered of a log that was walked through."""

    last: Mapping[str, Any] | None = None
    hashes: dict[int, str] = field(default_factory=dict)
    made: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    """Every `checkpoint.made`, by its own seq."""
    must_be_signed: list[int] = field(default_factory=list)
    broken: Fault | None = None

    @property
    def length(self) -> int:
        return self.last["seq"] if self.last else 0


def check_log(site: Site, slips: Sequence[str]) -> tuple[bool, list[str]]:
    """(whether all holds, lines to print): the chain from the first entry, its end, every checkpoint, the slips.

    The first line of what does not hold names the first bad entry. Raises Refused X_NO_DATABASE.
    """
    try:
        with snapshot(site.database) as connection:
            return _checked(connection, site.property, slips)
    except DBAPIError as trouble:
        return False, [f"FAILS: the log cannot be read from the database ({type(trouble.orig).__name__})."]


def _checked(connection: Connection, property_id: str, texts: Sequence[str]) -> tuple[bool, list[str]]:
    checkpoints = signed(connection)
    slips, faults = _read(texts)
    log = _walk(connection, {row.seq for row in checkpoints} | {slip["seq"] for slip in slips})
    known = {row.seq: _plain(row, property_id) for row in checkpoints}
    found = [*_faults_of_checkpoints(log, known), *_faults_of_slips(log, known, slips)]
    if log.broken is None:
        found += _faults_of_end(log, end_of(connection))
    else:
        found = [(at, sentence) for at, sentence in found if at <= log.length] + [log.broken]
    if found or faults:
        found.sort()
        named = [f"FAILS at entry {at}: {sentence.removesuffix('.')}." for at, sentence in found if at]
        return False, [*named, *(f"FAILS: {sentence}" for sentence in [*(s for at, s in found if not at), *faults])]
    return True, list(_told(log, known, len(slips)))


def _told(log: _Log, known: Mapping[int, Mapping[str, Any]], slips: int) -> Iterator[str]:
    if not log.length:
        yield "The log is empty."
        return
    yield f"{log.length} entries hold, each follows from the one before."
    yield f"{len(known)} checkpoints hold."
    for key in sorted({checkpoint["public_key"] for checkpoint in known.values()}):
        yield f"They are signed with the key {key}: compare it with the one that is published."
    yield (
        f"{slips} slips compared."
        if slips
        else "No slip was compared: whoever holds the key could have written all of it anew."
    )


def _walk(connection: Connection, wanted: set[int]) -> _Log:
    """Walk the chain once; remember the hashes of the `wanted` entries and what the other checks need."""
    log = _Log()
    entries = Entries(connection)

    def noted() -> Iterator[Mapping[str, Any]]:
        # An entry is noted when the next one is asked for: by then it holds.
        for entry in entries:
            yield entry
            log.last = {name: entry[name] for name in ("seq", "at", "hash")}
            if entry["seq"] in wanted:
                log.hashes[entry["seq"]] = entry["hash"]
            if entry["kind"] == "checkpoint.made":
                log.made[entry["seq"]] = entry
            elif entry["kind"] in _MUST_BE_SIGNED:
                log.must_be_signed.append(entry["seq"])

    log.broken = first_break(noted()) or entries.fault
    return log


def _plain(row: Signed, property_id: str) -> dict[str, Any]:
    return {"property": property_id, **asdict(row)}


# -- the log's end and its checkpoints --------------------------------------------------------------------------


def _faults_of_end(log: _Log, end: tuple[Any, str, Any] | None) -> Iterator[Fault]:
    if end is None:
        if log.last is not None:
            yield log.length, "the note of the log's end is missing."
        return
    seq, at, digest = end
    if type(seq) is not int or seq > log.length:
        yield log.length + 1, f"it is missing: the log was cut, its end was entry {seq}."
    elif seq < log.length:
        yield seq + 1, f"it stands behind the log's end, which is entry {seq}: it was added, or the end was changed."
    elif log.last is not None and (at, digest) != (log.last["at"], log.last["hash"]):
        yield seq, "the note of the log's end tells another time or hash: one of the two was changed."


def _faults_of_checkpoints(log: _Log, known: Mapping[int, Mapping[str, Any]]) -> Iterator[Fault]:
    first_key = next((checkpoint["public_key"] for checkpoint in known.values()), None)
    for seq, checkpoint in known.items():
        if type(seq) is not int or seq > log.length:
            yield log.length + 1, f"it is missing: the log was cut, a checkpoint signed its entry {seq}."
        elif fault := _fault_of_checkpoint(log, checkpoint, first_key):
            yield fault
    for seq, entry in log.made.items():
        if entry["data"] != {"seq": seq - 1, "hash": entry["prev"]}:
            yield seq, "it says a checkpoint was made, and does not name the entry right before it."
        elif seq - 1 not in known:
            yield seq, "it says a checkpoint was made that is not there."
    for seq in log.must_be_signed:
        if seq not in known:
            yield seq, "it must have a checkpoint and has none: a draw is signed when it opens and when it closes."


def _fault_of_checkpoint(log: _Log, checkpoint: Mapping[str, Any], key: str | None) -> Fault | None:
    seq = checkpoint["seq"]
    if log.hashes.get(seq) != checkpoint["hash"]:
        return seq, "a checkpoint signed another entry at this place."
    if not _signature_holds(checkpoint):
        return seq, "its checkpoint's signature does not hold."
    if checkpoint["public_key"] != key:
        return seq, "its checkpoint was signed with another key than the first one."
    made = log.made.get(seq + 1)
    if made is None:
        return seq + 1, f"it must say that the checkpoint of entry {seq} was made: it was taken out, or the log cut."
    return None if made["at"] == checkpoint["at"] else (seq + 1, "it tells another time than the checkpoint it is of.")


def _signature_holds(checkpoint: Mapping[str, Any]) -> bool:
    """Whether the signature holds, and every part has the one form that a slip may have."""
    try:
        read_slip(slip_text(checkpoint, rehearsal=False))
        return signature_holds(dict(checkpoint), rehearsal=False)
    except (TypeError, ValueError):
        return False


# -- slips ------------------------------------------------------------------------------------------------------


def _read(texts: Sequence[str]) -> tuple[list[dict[str, Any]], list[str]]:
    """The slips that can be read, and a sentence for everything that is none."""
    slips: list[dict[str, Any]] = []
    faults: list[str] = []
    for text in texts:
        try:
            blocks = list(slip_texts(text))
            slips += [read_slip(block) for block in blocks]
        except (ValueError, RecursionError) as fault:
            faults.append(f"a slip cannot be read: {fault}. Type it again as it is printed.")
        else:
            if not blocks:
                faults.append("a file that was given as a slip holds none.")
    return slips, faults


def _faults_of_slips(
    log: _Log, known: Mapping[int, Mapping[str, Any]], slips: Sequence[Mapping[str, Any]]
) -> Iterator[Fault]:
    for slip in slips:
        seq = slip["seq"]
        if slip["rehearsal"]:
            yield 0, f"the slip for entry {seq} is a rehearsal's: it says nothing of this log."
        elif not _signature_holds(slip):
            yield 0, f"the slip for entry {seq} does not hold: its signature is not of its own text."
        elif seq > log.length:
            yield log.length + 1, f"it is missing: the log was cut, a printed slip names its entry {seq}."
        elif log.hashes.get(seq) != slip["hash"]:
            yield seq, "a printed slip has another hash: it, or an entry before it, was changed after the printing."
        elif {name: slip[name] for name in _MEMBERS} != known.get(seq):
            yield seq, "a printed slip is of another checkpoint than the one kept."
