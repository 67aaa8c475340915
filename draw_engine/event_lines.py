"""Events as lines: what a bridge sends, and what the floor journal holds (draw record 1, "Recomputing the pools").

A journal line is the canonical bytes of `{"event": …, "received_at": …}` and a line feed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from draw_engine.canonical import format_time, parse_time
from draw_engine.clock import Millis
from draw_engine.errors import Refused

# The same settings as canonical.jcs; an event that was read holds nothing else that its checks would refuse.
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode

_seconds: dict[int, str] = {}


class JournalBroken(ValueError):  # noqa: N818 - it names the fact
    """A line of the journal is not what a core writes; the message names the line."""


def read_line(line: bytes) -> Any:
    """The JSON value of one line from a bridge. Raises Refused `X_EVENT_UNREADABLE`.

    Numbers with a fraction stay what they are: `read_event` refuses them with the member's name.
    """
    try:
        return json.loads(line.decode(), object_pairs_hook=_no_member_twice)
    except (ValueError, RecursionError):
        raise Refused("X_EVENT_UNREADABLE", "The line is not JSON in UTF-8; send one JSON object a line.") from None


def _no_member_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("an object has the same member twice")
    return made


def event_bytes(event_value: dict[str, Any]) -> bytes:
    """The canonical bytes of an event that `read_event` has accepted."""
    return _encode(event_value).encode()


def digest(event_value: dict[str, Any]) -> bytes:
    """SHA-256 of the event's canonical bytes: the same seq with another digest is `X_SEQ_REUSED`."""
    return sha256(_encode(event_value).encode()).digest()


def journal_line(event_value: dict[str, Any], received_at: Millis) -> bytes:
    """The event's line in the journal, with its line feed; the event is one that `read_event` has accepted."""
    return line_of(_encode(event_value).encode(), received_at)


def line_of(event: bytes, received_at: Millis) -> bytes:
    """The journal line around `event_bytes`, for a caller that needs the digest of the same bytes too."""
    return b'{"event":%b,"received_at":"%b"}\n' % (event, _time(received_at))


def _time(at: Millis) -> bytes:
    second, rest = divmod(at, 1000)
    text = _seconds.get(second)
    if text is None:
        if len(_seconds) >= 64:
            _seconds.clear()
        text = _seconds[second] = format_time(second * 1000)[:20]
    return f"{text}{rest:03d}Z".encode()


def read_journal(data: bytes) -> Iterator[tuple[dict[str, Any], Millis]]:
    """The (event value, received_at) of every line. Raises JournalBroken at the first that a core would not write.

    What the event says is for `read_event` to read.
    """
    *lines, rest = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        yield _read_journal_line(line, number)
    if rest:
        raise JournalBroken(f"line {len(lines) + 1} of the journal has no end")


def _read_journal_line(line: bytes, number: int) -> tuple[dict[str, Any], Millis]:
    try:
        return _event_and_time(line)
    except (ValueError, TypeError, RecursionError) as fault:
        raise JournalBroken(f"line {number} of the journal: {fault}") from None


def _event_and_time(line: bytes) -> tuple[dict[str, Any], Millis]:
    value = json.loads(
        line.decode(), object_pairs_hook=_no_member_twice, parse_float=_no_fraction, parse_constant=_no_fraction
    )
    if type(value) is not dict or value.keys() != {"event", "received_at"} or type(value["event"]) is not dict:
        raise ValueError("not an event with the time it was received")
    if _encode(value).encode() != line:
        raise ValueError("the bytes are not the canonical form of what they say")
    return value["event"], parse_time(value["received_at"])


def _no_fraction(text: str) -> Any:
    raise ValueError(f"the number {text[:24]} is not a plain whole number")
