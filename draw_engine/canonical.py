"""Canonical JSON (RFC 8785, "JCS") and the record's common forms (draw record 1, "Common forms").

Whole numbers up to 2^53-1 in size, strings, true, false, null, arrays and objects; anything else is refused, not
repaired. Standard library only: `verify` is built from this.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

MAX_NUMBER = 2**53 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PLAIN = (str, bool)  # as a tuple: this check is most of the cost of a ticket, and a union is twice as slow
_WRITER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")


class NotCanonical(ValueError):  # noqa: N818 - it names the fact
    """The bytes or the value are not what this page allows; the message says which and where."""


def jcs(value: Any) -> bytes:
    """The canonical bytes of a value. Raises NotCanonical for a float, a too large number, a lone surrogate."""
    try:
        _check(value, ())
        return _WRITER.encode(value).encode()
    except UnicodeEncodeError:
        raise NotCanonical("a text holds half a character (a lone surrogate)") from None
    except RecursionError:
        raise NotCanonical("it is nested deeper than any record is") from None


def _check(value: Any, path: tuple[Any, ...]) -> None:
    """`path` is the way in as (way to the parent, name): put into words only where something is wrong."""
    if value is None or isinstance(value, _PLAIN):
        return
    if isinstance(value, int):
        if abs(value) > MAX_NUMBER:
            raise NotCanonical(f"{_where(path)}: a number larger than 2^53-1; totals and tickets are decimal strings")
    elif isinstance(value, dict):
        for key, member in value.items():
            # sort_keys orders by code point, JCS by UTF-16 unit: the same for the ASCII names the page allows.
            if not isinstance(key, str) or not key.isascii():
                raise NotCanonical(f"{_where(path)}: a member name is not ASCII text")
            _check(member, (path, key))
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            _check(item, (path, i))
    else:
        raise NotCanonical(f"{_where(path)}: {type(value).__name__} has no canonical form")


def _where(path: tuple[Any, ...]) -> str:
    names: list[str] = []
    while path:
        path, name = path
        names.append(f"[{name}]" if isinstance(name, int) else f".{name}")
    return "$" + "".join(reversed(names))


def _whole(text: str) -> int:
    if text == "-0" or len(text) > 17 or abs(int(text)) > MAX_NUMBER:
        raise NotCanonical(f"the number {text[:24]} is not a whole number of at most 2^53-1")
    return int(text)


def _no_float(text: str) -> Any:
    raise NotCanonical(f"the number {text[:24]} is not a plain whole number")


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise NotCanonical("an object has the same member twice")
    return made


def read_json(data: bytes) -> Any:
    """The value of JSON text with plain whole numbers and no member twice; ValueError says what is wrong."""
    try:
        return json.loads(
            data.decode(),
            parse_float=_no_float,
            parse_int=_whole,
            parse_constant=_no_float,
            object_pairs_hook=_no_repeats,
        )
    except RecursionError:
        raise NotCanonical("it is nested deeper than any record is") from None


def read_jcs(data: bytes) -> Any:
    """The value whose canonical bytes these are. Raises ValueError (NotCanonical) when they are not exactly that."""
    value = read_json(data)
    if jcs(value) != data:
        raise NotCanonical("the bytes are not the canonical form of what they say")
    return value


def format_time(at: int) -> str:
    """`YYYY-MM-DDTHH:MM:SS.mmmZ` of milliseconds since 1970, UTC."""
    return (_EPOCH + timedelta(milliseconds=at)).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def parse_time(text: str) -> int:
    """Milliseconds since 1970 of exactly `YYYY-MM-DDTHH:MM:SS.mmmZ`. Raises ValueError otherwise."""
    if not _TIME.fullmatch(text):
        raise NotCanonical(f"{text[:40]!r} is not a time of the form 2023-10-07T12:00:00.000Z")
    since = datetime.fromisoformat(text) - _EPOCH  # it refuses the 30th of February and a 60th second
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000
