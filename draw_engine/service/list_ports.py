"""A list as the store keeps it, for whoever asks the store for one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LoadedList:
    """One loaded version of a list; `content` is the CSV as it came."""

    id: int
    kind: str
    sha256: str
    row_count: int
    loaded_at: int
    content: bytes
    fresh_at: int = 0
    """When the file it began with was loaded: its age is counted from there."""
