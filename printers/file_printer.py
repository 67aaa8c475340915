"""A printer that is a folder: for trying things out, for tests, and for a desk whose paper printer is away.

Each sending leaves `NAME.bin`, the bytes as a printer would have got them, and `NAME.txt`, the slip as a person would
see it. How it is set stands in `printers.feelings`.
"""

from __future__ import annotations

import os
from pathlib import Path

from printers.escpos_bytes import PrintedSlip
from printers.feelings import Feeling, read_feeling, set_feeling
from printers.sending import Sent, Watch
from printers.states import PrinterState


class FilePrinter:
    """The `Device` of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def state(self) -> PrinterState:
        return read_feeling(self._folder).state

    def print_slip(self, name: str, slip: PrintedSlip, watch: Watch) -> Sent:
        feeling = read_feeling(self._folder)
        if not feeling.state.can_print:
            return Sent("failed", feeling.state.value)
        whole = feeling.fails_after is None or feeling.fails_after >= len(slip.data)
        sent = len(slip.data) if whole else int(feeling.fails_after or 0)
        try:
            if sent:
                self._write(name, slip, sent)
            if not whole:
                set_feeling(self._folder, Feeling(feeling.then))
                watch(feeling.then)
                return Sent("unknown" if sent else "failed", feeling.then.value, sent)
        except OSError:
            return Sent("unknown", "closed", sent)
        if feeling.state is PrinterState.SILENT:
            return Sent("unknown", PrinterState.SILENT.value, sent)
        return Sent("printed", "", sent)

    def _write(self, name: str, slip: PrintedSlip, sent: int) -> None:
        """The picture first: it must not lag behind bytes that count as printed."""
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / f"{name}.txt").write_text(slip.picture(sent), encoding="utf-8")
        with (self._folder / f"{name}.bin").open("wb") as paper:
            paper.write(slip.data[:sent])
            paper.flush()
            os.fsync(paper.fileno())
