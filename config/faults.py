"""A fault of a TOML file, with its place and what to do about it; and pydantic's findings put into such words.

Codes: `X_TOML_UNREADABLE` the file is no TOML; `X_KEY_UNKNOWN`, `X_KEY_MISSING`; `X_VALUE_WRONG` a value of the wrong
kind or outside its bounds; `X_NOT_SUPPORTED_YET` a known variant that nobody built; `X_RULES_CONFLICT` two values
that cannot both be meant; `SS_CALENDAR_MISMATCH` a date that is not the weekday the calendar says.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

UNREADABLE = "X_TOML_UNREADABLE"
UNKNOWN = "X_KEY_UNKNOWN"
MISSING = "X_KEY_MISSING"
WRONG = "X_VALUE_WRONG"
NOT_SUPPORTED = "X_NOT_SUPPORTED_YET"
CONFLICT = "X_RULES_CONFLICT"
CALENDAR = "SS_CALENDAR_MISMATCH"

# The error types of our own validators (fields.py); their messages are sentences already.
WRONG_TYPE = "value_wrong"
NOT_SUPPORTED_TYPE = "not_supported_yet"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: where (`draw[1].to`; lists are counted from 1), its code, a sentence, the line where it is known."""

    place: str
    code: str
    sentence: str
    line: int | None = None

    def __str__(self) -> str:
        where = f"line {self.line}, {self.place}" if self.line else self.place
        return f"{where}: {self.sentence} ({self.code})"


def shown(value: object, length: int = 40) -> str:
    """A value as TOML would write it, short and on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    text = str(value)
    text = "".join(c if c.isprintable() else "?" for c in text[: length + 1])
    text = text if len(text) <= length else text[:length] + "…"
    return f'"{text}"' if isinstance(value, str) else text


def names(values: Iterable[str], last: str = "or") -> str:
    """Words in a row: `a, b or c`."""
    row = list(values)
    return row[0] if len(row) == 1 else f"{', '.join(row[:-1])} {last} {row[-1]}"


def place_of(loc: Sequence[int | str]) -> str:
    """`draw[2].to` of ("draw", 1, "to"): people count from one."""
    place = ""
    for part in loc:
        if isinstance(part, int):
            place += f"[{part + 1}]"
        else:
            key = "".join(c if c.isprintable() else "?" for c in part[:60])
            place += f".{key}" if place else key
    return place or "the file"


_SENTENCES: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "missing": lambda _v, _c: "This key is missing: add it.",
    "string_type": lambda v, _c: f"Write a text in quotes instead of {v}.",
    "int_type": lambda v, _c: f"Write a whole number, without quotes or a decimal point, instead of {v}.",
    "int_parsing_size": lambda _v, _c: "This number is too large.",
    "bool_type": lambda v, _c: f"Write true or false, without quotes, instead of {v}.",
    "list_type": lambda v, _c: f"Write a list in [ ] instead of {v}.",
    "tuple_type": lambda v, _c: f"Write a list in [ ] instead of {v}.",
    "model_type": lambda v, _c: f"Write a table here instead of {v}.",
    "greater_than_equal": lambda v, c: f"Write at least {c['ge']} instead of {v}.",
    "less_than_equal": lambda v, c: f"Write at most {c['le']} instead of {v}.",
    "too_short": lambda _v, c: f"The list must hold at least {c['min_length']}, and holds {c['actual_length']}.",
    "too_long": lambda _v, c: f"The list may hold at most {c['max_length']}.",
    "literal_error": lambda v, c: f"Write {c['expected']} instead of {v}.".replace("'", '"'),
}
_CODES = {"missing": MISSING, "extra_forbidden": UNKNOWN, NOT_SUPPORTED_TYPE: NOT_SUPPORTED}


def faults_of(error: ValidationError, form: type[BaseModel], secret: frozenset[str] = frozenset()) -> list[Fault]:
    """Every finding of pydantic as a fault. `form`: of the whole file; `secret`: keys whose values are not shown."""
    keys = sorted(_known_keys(form))
    return [_fault(found, keys, secret) for found in error.errors(include_url=False)]


@cache
def _known_keys(form: type[BaseModel]) -> frozenset[str]:
    whole = form.model_json_schema(by_alias=True)
    schemas = [whole, *whole.get("$defs", {}).values()]
    return frozenset(key for schema in schemas for key in schema.get("properties", {}))


def _fault(found: ErrorDetails, known: list[str], secret: frozenset[str]) -> Fault:
    kind, context = found["type"], found.get("ctx", {})
    loc = (*found["loc"], *([context["key"]] if "key" in context else []))
    hidden = any(part in secret for part in loc)
    value = "what is there" if hidden else shown(found["input"])
    if kind == "extra_forbidden":
        sentence = _unknown_key(str(loc[-1]), known)
    elif kind in (WRONG_TYPE, NOT_SUPPORTED_TYPE):
        sentence = found["msg"]
    else:
        word = _SENTENCES.get(kind)
        sentence = word(value, context) if word else f"{found['msg']}."
    return Fault(place_of(loc), _CODES.get(kind, WRONG), sentence)


def _unknown_key(key: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, [other for other in known if other != key], n=1, cutoff=0.75)
    return f"There is no such key here: {f'did you mean {close[0]}?' if close else 'take it out.'}"


def with_lines(faults: Iterable[Fault], line_of: Callable[[str], int | None]) -> list[Fault]:
    """The faults with their lines, each once, in the order of the file."""
    placed = {replace(fault, line=fault.line or line_of(fault.place)): None for fault in faults}
    return sorted(placed, key=lambda fault: fault.line or 0)
