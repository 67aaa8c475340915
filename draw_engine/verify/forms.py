"""The forms that a record's values have (draw record 1, "Common forms").

A form takes a value and where it stands, and yields a sentence for each thing that is wrong with it.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from draw_engine.canonical import MAX_NUMBER, parse_time

Form = Callable[[Any, str], Iterator[str]]

MOST_WEIGHT = 2**63 - 1


def matching(pattern: str, what: str) -> Form:
    """A text that the whole of the pattern matches; `what` says in words what it should be."""
    compiled = re.compile(pattern)

    def form(value: Any, where: str) -> Iterator[str]:
        if not isinstance(value, str) or not compiled.fullmatch(value):
            yield f"{where} is not {what}"

    return form


def whole(least: int = 0) -> Form:
    """A whole number from `least` to 2^53-1."""

    def form(value: Any, where: str) -> Iterator[str]:
        if type(value) is not int or not least <= value <= MAX_NUMBER:
            yield f"{where} is not a whole number from {least} on"

    return form


def decimal(least: int) -> Form:
    """A whole number from `least` to 2^63-1 as a decimal string, without a leading zero."""

    def form(value: Any, where: str) -> Iterator[str]:
        written = isinstance(value, str) and re.fullmatch(r"0|[1-9][0-9]{0,18}", value)
        if not written or not least <= int(value) <= MOST_WEIGHT:
            yield f"{where} is not a decimal string from {least} to 2^63-1"

    return form


def time(value: Any, where: str) -> Iterator[str]:
    """Exactly `YYYY-MM-DDTHH:MM:SS.mmmZ`."""
    try:
        parse_time(value if isinstance(value, str) else "")
    except ValueError:
        yield f"{where} is not a time of the form 2023-10-07T12:00:00.000Z"


def text(value: Any, where: str) -> Iterator[str]:
    """Any text but the empty one."""
    if not isinstance(value, str) or not value:
        yield f"{where} is not a text"


def flag(value: Any, where: str) -> Iterator[str]:
    """True or false."""
    if not isinstance(value, bool):
        yield f"{where} is neither true nor false"


def absent(value: Any, where: str) -> Iterator[str]:
    """Null."""
    if value is not None:
        yield f"{where} is not null"


def one_of(*words: str) -> Form:
    """One of these words."""

    def form(value: Any, where: str) -> Iterator[str]:
        if not isinstance(value, str) or value not in words:
            yield f"{where} is none of {', '.join(words)}"

    return form


def canonical_base64(length: int, what: str) -> Form:
    """Canonical padded base64 of exactly `length` bytes."""

    def form(value: Any, where: str) -> Iterator[str]:
        if not isinstance(value, str) or from_base64(value, length) is None:
            yield f"{where} is not {what}, {length} bytes in canonical base64"

    return form


def from_base64(value: str, length: int) -> bytes | None:
    """The bytes of canonical padded base64, or None when it is not that, or not `length` bytes."""
    try:
        raw = base64.b64decode(value, validate=True)
    except ValueError:
        return None
    return raw if len(raw) == length and base64.b64encode(raw).decode() == value else None


def maybe(form: Form) -> Form:
    """Null or this form."""

    def either(value: Any, where: str) -> Iterator[str]:
        if value is not None:
            yield from form(value, where)

    return either


def array(form: Form) -> Form:
    """An array of this form."""

    def each(value: Any, where: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield f"{where} is not an array"
            return
        for i, item in enumerate(value):
            yield from form(item, f"{where}[{i}]")

    return each


def members(forms: Mapping[str, Form]) -> Form:
    """An object with exactly these members."""

    def form(value: Any, where: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{where} is not an object"
            return
        yield from _names(value, forms, where)
        for name, of in forms.items():
            if name in value:
                yield from of(value[name], f"{where}.{name}")

    return form


def _names(value: Mapping[str, Any], expected: Iterable[str], where: str) -> Iterator[str]:
    missing, extra = sorted(set(expected) - set(value)), sorted(set(value) - set(expected))
    if missing:
        yield f"{where} lacks {', '.join(missing)}"
    if extra:
        yield f"{where} has {', '.join(extra)[:80]}, which a record has not"


def plain(value: Any, where: str, names: str = "[a-z0-9_]+") -> Iterator[str]:
    """Free data: every member name as the page has them; inside `left_out`, reason codes."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if not re.fullmatch(names, name):
                yield f"{where} has the member name {name[:40]!r}"
            yield from plain(inner, f"{where}.{name[:40]}", "[A-Z0-9_]+" if name == "left_out" else "[a-z0-9_]+")
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from plain(inner, f"{where}[{i}]")


an_id = matching(r"[A-Za-z0-9._/:-]{1,128}", "an id")
pool_id = matching(r"[A-Za-z0-9_-]{1,64}", "a pool id")
an_actor = matching(r"engine|(?=.{3,128}\Z)[A-Za-z0-9._/-]+:[A-Za-z0-9._/:-]+", "engine or role:id")
digest = matching(r"[0-9a-f]{64}", "64 lower-case hex digits")
sixteen_bytes = matching(r"[0-9a-f]{32}", "32 lower-case hex digits")
pool_total = decimal(1)
