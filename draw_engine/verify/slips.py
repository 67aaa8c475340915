"""Printed slips, compared with the record: the only thing that stops a key holder from rewriting everything."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from draw_engine.log import read_slip
from draw_engine.verify.checkpoints import signature_holds
from draw_engine.verify.record import Record

_LENGTHS = (64, 0, 44, 88)
"""Letters of the hash, the key and the signature; the time between them is one line, whatever its length."""
_MEMBERS = ("property", "seq", "hash", "at", "public_key", "signature")


@dataclass(slots=True)
class Slips:
    """What came of the slips that were given."""

    compared: int = 0
    outside: list[str] = field(default_factory=list)  # sentences: slips of before the opening or after the close
    faults: list[str] = field(default_factory=list)


def compare_slips(record: Record, files: Sequence[Path]) -> Slips:
    """Read the files and compare each slip with the record's checkpoints, in every member."""
    slips = Slips()
    for file in files:
        try:
            texts = list(slip_texts(file.read_bytes().decode()))
        except OSError:
            slips.faults.append(f"{file.name}: the file is missing or cannot be read")
            continue
        except (ValueError, RecursionError):
            slips.faults.append(f"{file.name} is neither slips of seven lines nor a JSON list of them")
            continue
        if not texts:
            slips.faults.append(f"{file.name} holds no slip")
        for i, text in enumerate(texts, 1):
            _compare(record, text, f"{file.name}, slip {i}", slips)
    return slips


def slip_texts(text: str) -> Iterator[str]:
    """The slips of a file: seven lines each, blank lines between; or JSON with a list of such texts, `slips`.

    A line that the paper was too narrow for may go on below, as it is printed. Line ends of any kind and spaces at a
    line's end are let pass: the signature says whether the lines are right.
    Raises ValueError for JSON without such a list.
    """
    if text.lstrip()[:1] in ("{", "["):
        value = json.loads(text)
        listed = value.get("slips") if isinstance(value, dict) else value
        if not isinstance(listed, list) or not all(isinstance(slip, str) for slip in listed):
            raise ValueError("no list of slips")
        text = "\n\n".join(listed)
    lines: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.strip():
            lines.append(line.rstrip())
        elif lines:
            yield "\n".join(_unwrapped(lines)) + "\n"
            lines = []


def _unwrapped(lines: list[str]) -> list[str]:
    """The seven lines of a slip typed as it stands on the paper, where what is too long for it goes on below."""
    made, left = lines[:3], [line.strip() for line in lines[3:]]
    for length in _LENGTHS if len(lines) > 7 else ():
        part = ""
        while left and len(part) < max(length, 1):
            part += left.pop(0)
        made.append(part)
    return made if len(made) == 7 and not left else lines


def _compare(record: Record, text: str, where: str, slips: Slips) -> None:
    try:
        slip = read_slip(text)
    except ValueError as fault:
        slips.faults.append(f"{where}: {fault}")
        return
    before = len(slips.faults)
    slips.faults += [f"{where}: {fault}" for fault in _faults_of_slip(record, slip)]
    if len(slips.faults) > before:
        return
    opened, closed = record.log[0]["seq"], record.log[-1]["seq"]
    if opened <= slip["seq"] <= closed:
        slips.faults += [f"{where}: {fault}" for fault in _differences(record, slip)]
        slips.compared += len(slips.faults) == before
    else:
        side = "before this draw opened" if slip["seq"] < opened else "after this draw closed"
        slips.outside.append(f"{where}, of entry {slip['seq']}, was printed {side}: it cannot be compared here")


def _faults_of_slip(record: Record, slip: dict[str, Any]) -> Iterator[str]:
    if slip["rehearsal"] != record.rehearsal:
        yield f"it is a slip of {'a rehearsal' if slip['rehearsal'] else 'the live floor'}, the record is not"
    if slip["property"] != record.terms["property"]:
        yield f"it is a slip of {slip['property']}, the record is of {record.terms['property']}"
    if not signature_holds(slip, rehearsal=slip["rehearsal"]):
        yield "its signature does not hold"


def _differences(record: Record, slip: dict[str, Any]) -> Iterator[str]:
    printed = next((c for c in record.rows("checkpoints") if c["seq"] == slip["seq"]), None)
    if printed is None:
        yield f"the record has no checkpoint of entry {slip['seq']}, though this slip was printed of one"
        return
    for name in _MEMBERS:
        if slip[name] != printed[name]:
            yield f"its {name} is not that of the record's checkpoint of entry {slip['seq']}"
