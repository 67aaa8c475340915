"""What the roster asks of the store: a line is added and taken off, never changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from draw_engine.roster import Shift


@dataclass(frozen=True, slots=True)
class ShiftRow:
    """A line of the roster, and who entered it (an actor) and when (ms)."""

    shift: Shift
    entered_at: int
    entered_by: str


class RosterWork(Protocol):
    """The part of a transaction that writes the roster."""

    def next_shift(self) -> int:
        """The number the next line gets."""

    def add_shift(self, row: ShiftRow) -> None: ...

    def remove_shift(self, shift: int, *, at: int, by: str) -> None:
        """Take a line off: it stays in the table with who took it off and when."""


class RosterStore(Protocol):
    """The part of the store that reads the roster: lines that stand alone."""

    def shifts(self, day: str) -> list[ShiftRow]:
        """A gaming day's lines by when they begin."""

    def roster_days(self) -> list[str]:
        """The gaming days that have lines, ascending; empty where the house keeps no roster."""
