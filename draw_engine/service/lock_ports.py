"""What the locks of rule books ask of the store."""

from __future__ import annotations

from typing import Protocol

from draw_engine.locked_books import KeptBook


class LockWork(Protocol):
    """The part of a transaction that writes kept rule books."""

    def add_kept_book(self, book: KeptBook) -> None: ...

    def put_kept_book(self, book: KeptBook) -> None:
        """Keep a book's rehearsal, lock and retirement. Its bytes and what they say are never written again."""


class LockStore(Protocol):
    """The part of the store that reads kept rule books."""

    def kept_books(self) -> list[KeptBook]:
        """All of them, in the order in which they were loaded."""
