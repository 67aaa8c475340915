"""Slips as text. A checkpoint's slip is what a stranger holds against the record later (draw record, "Checkpoint")."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from draw_engine.log import slip_text


def checkpoint_slip(checkpoint: Mapping[str, Any], *, rehearsal: bool = False) -> str:
    """The seven lines of a signed checkpoint: tag, property, seq, hash, time, key, signature."""
    return slip_text(checkpoint, rehearsal)


def keep_slip(folder: Path, checkpoint: Mapping[str, Any], *, rehearsal: bool = False) -> Path:
    """Write a checkpoint's slip as `checkpoint-SEQ.txt`, whole or not at all, and give its path.

    Until the printers come this file is what is printed and kept; one that is there already is left as it is.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"checkpoint-{checkpoint['seq']}.txt"
    if not file.exists():
        part = file.with_suffix(".part")
        part.write_text(checkpoint_slip(checkpoint, rehearsal=rehearsal), encoding="ascii")
        part.replace(file)
    return file
