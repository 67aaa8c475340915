"""What the core's answer to `POST /floor-events` means, checked before anything is moved by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from floor_bridge.core_link import Answer
from floor_bridge.outbox import SetAside

OK, TOO_LARGE = 200, 413
NOT_ALLOWED, BUSY = frozenset({401, 403}), frozenset({429, 503})

Line = tuple[int, bytes]
"""An event's number and its JSON line."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A 200 that speaks for every line sent."""

    refused: tuple[SetAside, ...]
    last_seq: int
    missing: tuple[int, ...]
    want_snapshot: bool


def read_taken(answer: Answer, lines: Sequence[Line]) -> Taken | None:
    """The answer's meaning, or None when it does not speak for every line that was sent. Lines count from 1."""
    if answer.status != OK or answer.body is None:
        return None
    body = answer.body
    try:
        refused = tuple(_refused(one, lines) for one in body["refused"])
        missing = tuple(int(seq) for seq in body["missing"])
        spoken_for = int(body["accepted"]) + int(body["repeated"]) + len(refused)
        last_seq, want_snapshot = int(body["last_seq"] or 0), bool(body["want_snapshot"])
    except (KeyError, TypeError, ValueError, IndexError):
        return None
    return Taken(refused, last_seq, missing, want_snapshot) if spoken_for == len(lines) else None


def read_last_seq(answer: Answer) -> int | None:
    """The last number the core has of a feed, of `GET /floor-feeds/F`; 0 = none; None when it could not be had."""
    try:
        return int((answer.body or {})["last_seq"] or 0) if answer.status == OK else None
    except (KeyError, TypeError, ValueError):
        return None


def _refused(one: dict[str, Any], lines: Sequence[Line]) -> SetAside:
    line = int(one["line"])
    if line < 1:
        raise ValueError("lines are counted from 1")
    seq, text = lines[line - 1]
    return SetAside(seq, text, str(one["code"]), str(one["sentence"]))
