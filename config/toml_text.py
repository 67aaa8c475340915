"""TOML text with the lines its values stand on, so that a fault can say where to look."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import Any

from config.faults import UNREADABLE, Fault

_STRING = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'")
_HEADER = re.compile(r"\s*(\[\[?)\s*([\w-]+(?:\s*\.\s*[\w-]+)*)\s*\]", re.ASCII)
_KEY = re.compile(r"\s*([\w-]+(?:\s*\.\s*[\w-]+)*)\s*=", re.ASCII)
_AT = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")
_AMBIGUITY = re.compile(r"\bA-[A-Z]{2}-[0-9]{2}\b")
_LONGEST_LINE = 4_000
"""Letters. One long line of dotted keys takes gigabytes to read, one of quotation marks minutes while all else waits,
and a number of more than 4 300 digits is no TOML error but a fault."""
_INDEX = re.compile(r"(\[[0-9]+\]|\.?[^.\[\]]+)$")


@dataclass(frozen=True, slots=True)
class Mark:
    """A comment that names an open point of the printed rules, and the place it stands beside."""

    ambiguity: str
    place: str
    line: int


class TomlText:
    """The values of a TOML file and where they stand; `fault` says why there are none."""

    def __init__(self, data: bytes) -> None:
        self.values: dict[str, Any] = {}
        self.fault: Fault | None = None
        self.marks: list[Mark] = []
        self._lines: dict[str, int] = {}
        try:
            text = data.decode()
            self.fault = _too_long(text)
            if self.fault is not None:
                return
            self.values = tomllib.loads(text)
        except UnicodeDecodeError:
            self.fault = Fault("the file", UNREADABLE, "Save the file as UTF-8 text.")
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            self.fault = _unreadable(data, str(error))
        else:
            _Scanner(self._lines, self.marks).scan(text)

    def value_at(self, place: str) -> object:
        """The value that stands at the place; None where there is none."""
        value: Any = self.values
        for part in re.findall(r"[^.\[\]]+", place):
            if isinstance(value, list):
                value = value[int(part) - 1] if part.isdigit() and 1 <= int(part) <= len(value) else None
            else:
                value = value.get(part) if isinstance(value, dict) else None
        return value

    def line_of(self, place: str) -> int | None:
        """The line of the place, or of the nearest table around it."""
        while place:
            if place in self._lines:
                return self._lines[place]
            place = _INDEX.sub("", place)
        return None


def _too_long(text: str) -> Fault | None:
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > _LONGEST_LINE:
            sentence = f"A line has at most {_LONGEST_LINE} letters. Break it, or see whether it is the right file."
            return Fault("the file", UNREADABLE, sentence, number)
    return None


def _unreadable(data: bytes, message: str) -> Fault:
    if data.startswith(b"\xef\xbb\xbf"):
        return Fault("the file", UNREADABLE, "Save the file as UTF-8 without a byte order mark.", 1)
    found = _AT.search(message)
    line = int(found[1]) if found and found[1] else None
    cause = _AT.sub("", message).strip().rstrip(".")
    return Fault("the file", UNREADABLE, f"This is no TOML from here on: {cause}.", line)


class _Scanner:
    """Walks the lines once. Knows strings, comments and open brackets; a quoted key has its table's line."""

    def __init__(self, lines: dict[str, int], marks: list[Mark]) -> None:
        self._lines, self._marks = lines, marks
        self._counts: dict[str, int] = {}
        self._table = ""
        self._place = ""
        self._depth = 0
        self._waiting: list[tuple[str, int]] = []

    def scan(self, text: str) -> None:
        fence: str | None = None
        for number, line in enumerate(text.split("\n"), start=1):
            if fence is None:
                fence = self._line(number, line)
            elif fence in line:
                fence = None

    def _line(self, number: int, line: str) -> str | None:
        """Reads one line; gives the fence of a text of several lines that it opens."""
        bare = _STRING.sub('""', line)
        code, _, comment = bare.partition("#")
        inside = self._depth > 0
        if not inside:
            self._statement(number, code)
        self._depth = max(0, self._depth + sum(code.count(c) for c in "[{") - sum(code.count(c) for c in "]}"))
        self._waiting += [(ambiguity, number) for ambiguity in _AMBIGUITY.findall(comment)]
        if code.strip() or inside:
            self._marks += [Mark(ambiguity, self._place, at) for ambiguity, at in self._waiting]
            self._waiting = []
        return next((fence for fence in ('"""', "'''") if line.count(fence) % 2), None)

    def _statement(self, number: int, code: str) -> None:
        if header := _HEADER.match(code):
            self._table = self._resolved(_parts(header[2]), new=header[1] == "[[")
            self._place = self._table
        elif key := _KEY.match(code):
            self._place = ".".join(filter(None, [self._table, *_parts(key[1])]))
        else:
            return
        self._lines.setdefault(self._place, number)

    def _resolved(self, parts: list[str], *, new: bool) -> str:
        """`draw[2].claim` of the header [draw.claim] after the second [[draw]]."""
        place = ""
        for n, part in enumerate(parts):
            place = f"{place}.{part}" if place else part
            if new and n == len(parts) - 1:
                self._counts[place] = self._counts.get(place, 0) + 1
            if place in self._counts:
                place += f"[{self._counts[place]}]"
        return place


def _parts(dotted: str) -> list[str]:
    return [part.strip() for part in dotted.split(".")]
