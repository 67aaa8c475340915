"""How the engine's thread is doing: its turns, how long the one under way has lasted, how busy it was."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class Pulse:
    """Noted by the engine's thread at each turn, read by others. `steady` gives a steady clock's seconds."""

    def __init__(self, *, steady: Callable[[], float] = time.monotonic) -> None:
        self._steady = steady
        self._moved_at = steady()
        self._busy = False
        self._busy_before = 0.0
        self.turns = 0
        """Turns that have ended."""
        self.thread: int | None = None
        """The system's number of the engine's thread."""

    @contextmanager
    def turn(self) -> Iterator[None]:
        """One command with what was due before it."""
        self.thread = threading.get_native_id()
        began = self._moved_at = self._steady()
        self._busy = True
        try:
            yield
        finally:
            self._moved_at = self._steady()
            self._busy_before += self._moved_at - began
            self._busy = False
            self.turns += 1

    @property
    def silent_seconds(self) -> float:
        """How long no turn has begun or ended. It is woken five times a second."""
        return self._steady() - self._moved_at

    @property
    def busy_seconds(self) -> float:
        """How long it has worked in all, the turn under way included."""
        return self._busy_before + (self.silent_seconds if self._busy else 0.0)


def waits_for_disk(thread: int | None) -> bool:
    """Whether a thread of this process waits for a device just now: nothing can hurry or end it."""
    if thread is None:
        return False
    try:
        said = Path(f"/proc/self/task/{thread}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return said.rpartition(")")[2].split()[:1] == ["D"]
