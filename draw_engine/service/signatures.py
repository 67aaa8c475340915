"""A guest's signature on the glass: checked, sealed, kept under what was signed (rule 31; SS-044)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draw_engine.canonical import jcs
from draw_engine.errors import Refused
from draw_engine.service.engine import Engine
from draw_engine.service.ports import UnitOfWork

MOST_POINTS = 20_000


def keep(engine: Engine, work: UnitOfWork, under: str, signature: Mapping[str, Any] | None, at: int) -> None:
    """Keep a signature: {width, height, strokes: [[[x, y], …], …]} in whole pixels of the pad.

    Raises Refused SS_SIGNATURE_REQUIRED when nobody has signed, X_VALUE_WRONG when it cannot be read.
    """
    strokes = _strokes(signature)
    size = {name: _whole(signature, name) for name in ("width", "height")}
    sealed = engine.vault.seal(f"signature:{under}", jcs({**size, "strokes": strokes}))
    work.add_signature(work.next_id("signatures"), under=under, sealed=sealed, at=at)


def _strokes(signature: Mapping[str, Any] | None) -> list[list[list[int]]]:
    given = [] if signature is None else signature.get("strokes")
    if not given:
        raise Refused("SS_SIGNATURE_REQUIRED", "The guest signs on the glass first; without it nothing counts as paid.")
    try:
        strokes = [[[_pixel(x), _pixel(y)] for x, y in stroke] for stroke in given]
    except (TypeError, ValueError):
        raise _unreadable() from None
    points = sum(len(stroke) for stroke in strokes)
    if points < 2:
        raise Refused("SS_SIGNATURE_REQUIRED", "That is a dot, not a signature. Ask the guest to sign again.")
    if points > MOST_POINTS:
        raise _unreadable()
    return strokes


def _pixel(value: Any) -> int:
    if type(value) not in {int, float} or not -10_000 <= value <= 10_000:
        raise ValueError
    return int(value)


def _whole(signature: Mapping[str, Any] | None, name: str) -> int:
    value: Any = (signature or {}).get(name)
    if type(value) not in {int, float} or not 1 <= value <= 10_000:
        raise _unreadable()
    return int(value)


def _unreadable() -> Refused:
    return Refused("X_VALUE_WRONG", "The signature could not be read. Clear the glass and ask the guest to sign again.")
