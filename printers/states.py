"""The closed list of states a printer can be in."""

from __future__ import annotations

from enum import StrEnum


class PrinterState(StrEnum):
    """A printer's state. `offline`: it cannot be reached or says that it is off line."""

    READY = "ready"
    PAPER_LOW = "paper_low"
    PAPER_OUT = "paper_out"
    COVER_OPEN = "cover_open"
    OFFLINE = "offline"
    ERROR = "error"
    SILENT = "silent"

    @property
    def can_print(self) -> bool:
        """Whether a slip may be sent. To a silent printer too: many never answer; what became of it a person says."""
        return self in {PrinterState.READY, PrinterState.PAPER_LOW, PrinterState.SILENT}

    @property
    def waits_for_hands(self) -> bool:
        """Whether the printer keeps what it was sent and goes on when somebody has seen to it."""
        return self in {PrinterState.PAPER_OUT, PrinterState.COVER_OPEN, PrinterState.OFFLINE}
