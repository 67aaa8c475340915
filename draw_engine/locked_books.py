"""Rule books as they are kept: loaded, rehearsed, locked by two people, retired; and which of them is in force.

A locked book never changes: another wording is another version, with its own bytes and its own lock. The newest locked
version of a promotion opens its draws; once that one is retired nothing does, and no older one comes back by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from draw_engine.clock import Millis

B = TypeVar("B")
BookState = Literal["loaded", "rehearsed", "in_force", "replaced", "retired"]


@dataclass(frozen=True, slots=True)
class KeptBook:
    """A rule book that was loaded, with what became of it; times in ms. `sha256` is of the bytes of its TOML.

    `rehearsal`: the figures of the last rehearsal before the lock. `locked_by`: the two actors, ascending.
    """

    sha256: str
    promotion: str
    version: str
    title: str
    toml: bytes = field(repr=False)
    loaded_at: Millis
    loaded_by: str
    rehearsal: Mapping[str, Any] | None = None
    locked_at: Millis | None = None
    locked_by: tuple[str, ...] = ()
    retired_at: Millis | None = None


def newest_locked(kept: Iterable[KeptBook]) -> dict[str, KeptBook]:
    """Promotion -> its newest locked version, retired or not."""
    newest: dict[str, KeptBook] = {}
    for book in kept:
        before = newest.get(book.promotion)
        if book.locked_at is not None and (before is None or (before.locked_at or 0) < book.locked_at):
            newest[book.promotion] = book
    return newest


def in_force(kept: Iterable[KeptBook]) -> dict[str, KeptBook]:
    """Promotion -> the one version that opens its draws; a promotion whose newest version is retired has none."""
    return {promotion: book for promotion, book in newest_locked(kept).items() if book.retired_at is None}


def ruling(given: Mapping[str, B], kept: Iterable[KeptBook], read: Callable[[KeptBook], B]) -> dict[str, B]:
    """Promotion -> the book its draws are judged by: the one in force, else the one given at the start.

    A promotion whose newest version is retired and that was given nothing else keeps that one, so that whoever asks
    why nothing opens is told.
    """
    locked = {promotion: (read(book), book.retired_at is None) for promotion, book in newest_locked(kept).items()}
    retired = {promotion: book for promotion, (book, rules) in locked.items() if not rules}
    return retired | dict(given) | {promotion: book for promotion, (book, rules) in locked.items() if rules}


def state_of(book: KeptBook, kept: Iterable[KeptBook]) -> BookState:
    """What a kept book is by now."""
    if book.retired_at is not None:
        return "retired"
    if book.locked_at is None:
        return "loaded" if book.rehearsal is None else "rehearsed"
    newest = newest_locked(kept).get(book.promotion)
    return "in_force" if newest is not None and newest.sha256 == book.sha256 else "replaced"
