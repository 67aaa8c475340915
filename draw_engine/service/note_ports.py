"""What dispute notes ask of the store: a row is added and read, never changed, never taken away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class NoteRow:
    """One note of a dispute about a claim, as kept: numbered from 1, `by` an actor, the text sealed.

    `sha256` (hex) is that of what was sealed; the log has it, too.
    """

    n: int
    at: int
    by: str
    draw: str
    ordinal: int
    sha256: str
    sealed: bytes = field(repr=False)


class NoteWork(Protocol):
    """The part of a transaction that writes notes."""

    def next_note(self) -> int:
        """The number the next note gets."""

    def add_note(self, row: NoteRow) -> None: ...


class NoteStore(Protocol):
    """The part of the store that reads notes."""

    def notes_of(self, draw: str, ordinal: int) -> list[NoteRow]:
        """The notes of one claim, in the order of writing."""

    def note_counts(self, draws: Sequence[str]) -> dict[tuple[str, int], int]:
        """How many notes each claim of some draws has; claims without one are left out."""
