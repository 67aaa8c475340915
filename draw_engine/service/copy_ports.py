"""What sealed copies of papers ask of the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PaperCopy:
    """A sealed copy: who made it (an actor) and when, what for (`under`: "register:12", "certificate:DRAW")."""

    id: int
    at: int
    by: str
    under: str
    media: str
    sealed: bytes = field(repr=False)


class CopyWork(Protocol):
    """The part of a transaction that keeps copies."""

    def add_paper_copy(self, *, at: int, by: str, under: str, media: str, sealed: bytes) -> int:
        """Keep a sealed copy; gives its number, from 1 without a gap."""


class CopyStore(Protocol):
    """The part of the store that reads copies."""

    def paper_copies(self, under: str) -> Sequence[PaperCopy]:
        """Every copy kept under this, oldest first; still sealed."""
