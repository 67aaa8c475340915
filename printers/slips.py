"""Slips: a print job's raw facts worded and laid out, and a checkpoint's seven lines (draw record, "Checkpoint")."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from draw_engine.log import slip_text
from printers.desk_slips import decline_slip, envelope_label, return_list
from printers.layout import Gap, Part, Rule, Sheet, Slip, Text
from printers.log_slips import checkpoint_sheet
from printers.receipt_slips import receipt
from printers.slip_facts import HouseFacts, Words, when
from printers.slip_words import ENGLISH

_SHEETS: Mapping[str, Callable[[Mapping[str, Any], HouseFacts, Words], list[tuple[Part, ...]]]] = {
    "winner_receipt": receipt,
    "claim_receipt": receipt,
    "decline_slip": decline_slip,
    "envelope_label": envelope_label,
    "checkpoint": checkpoint_sheet,
    "return_list": return_list,
}


def slip_of(
    kind: str,
    data: Mapping[str, Any],
    house: HouseFacts,
    *,
    job: int,
    reprints: int = 0,
    first_printed_at: int | None = None,
    words: Mapping[str, str] = ENGLISH,
) -> Slip:
    """The slip of a print job. `reprints` > 0 heads it REPRINT n, with the time of the first copy (ms).

    Raises KeyError, ValueError or TypeError when `data` is not what its kind needs.
    """
    say = Words(words)
    heading = _heading(say, reprints, first_printed_at, str(data.get("zone") or "UTC"))
    end = say("end", job=job)
    sheets = _SHEETS[kind](data, house, say)
    footer = (Gap(), Text(house.statutory_line, "center"))
    return Slip(tuple(Sheet((*_head(house), *heading, *parts, *footer), end) for parts in sheets))


def torn_mark(words: Mapping[str, str] = ENGLISH) -> str:
    """What a text picture shows where a slip was torn."""
    return words["torn"]


def _head(house: HouseFacts) -> tuple[Part, ...]:
    return (Text(house.property_name, "center", bold=True, big=True),)


def _heading(say: Words, reprints: int, first: int | None, zone: str) -> tuple[Part, ...]:
    if reprints <= 0:
        return ()
    told: tuple[Part, ...] = (Rule(), Text(say("reprint", n=reprints), "center", bold=True, big=True))
    if first is not None:
        told += (Text(say("reprint.first", when=when(first, zone, say)), "center"),)
    return (*told, Rule())


# -- checkpoints as files ---------------------------------------------------------------------------------------


def checkpoint_slip(checkpoint: Mapping[str, Any], *, rehearsal: bool = False) -> str:
    """The seven lines of a signed checkpoint: tag, property, seq, hash, time, key, signature."""
    return slip_text(checkpoint, rehearsal)


def keep_slip(folder: Path, checkpoint: Mapping[str, Any], *, rehearsal: bool = False) -> Path:
    """Write a checkpoint's slip as `checkpoint-SEQ.txt`, whole or not at all, and give its path.

    It is kept beside the printed one; a file that is there already is left as it is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"checkpoint-{checkpoint['seq']}.txt"
    if not file.exists():
        part = file.with_suffix(".part")
        part.write_text(checkpoint_slip(checkpoint, rehearsal=rehearsal), encoding="ascii")
        part.replace(file)
    return file
