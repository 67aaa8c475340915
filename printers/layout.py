"""A slip as a printer with 42 columns sets it: its parts, and the lines and codes they become.

The lines are worked out once; the bytes (`printers.escpos_bytes`) and the text picture both follow from them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

COLUMNS = 42
LABEL_COLUMNS = 13
Align = Literal["left", "center"]


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph. `big`: letters of twice the width and height, so half as many in a line."""

    text: str
    align: Align = "left"
    bold: bool = False
    big: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """A label and what it says, beside each other."""

    label: str
    text: str
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across the slip."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Empty lines."""

    lines: int = 1


@dataclass(frozen=True, slots=True)
class Qr:
    """A QR code; `name` says in the picture what it is for."""

    data: str
    name: str


Part = Text | Field | Rule | Gap | Qr


@dataclass(frozen=True, slots=True)
class Sheet:
    """What hangs together and is cut off. `end`: its last line; a sheet without it is torn."""

    parts: tuple[Part, ...]
    end: str


@dataclass(frozen=True, slots=True)
class Slip:
    """One print job: its sheets, in the order in which they are cut."""

    sheets: tuple[Sheet, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line that fits: at most 42 columns, 21 when `big`; only letters that the printer has."""

    text: str
    align: Align = "left"
    bold: bool = False
    big: bool = False


def set_sheet(sheet: Sheet) -> Iterator[Line | Qr]:
    """The sheet's lines and codes from top to bottom, its end line last."""
    for part in sheet.parts:
        yield from _set(part)
    yield Line(printable(sheet.end)[:COLUMNS], align="center")


def _set(part: Part) -> Iterator[Line | Qr]:
    match part:
        case Text():
            for text in wrap(part.text, COLUMNS // 2 if part.big else COLUMNS):
                yield Line(text, part.align, part.bold, part.big)
        case Field():
            for n, text in enumerate(wrap(part.text, COLUMNS - LABEL_COLUMNS)):
                label = printable(part.label)[: LABEL_COLUMNS - 1] if n == 0 else ""
                yield Line(f"{label:{LABEL_COLUMNS}}{text}", bold=part.bold)
        case Rule():
            yield Line("-" * COLUMNS)
        case Gap():
            for _ in range(part.lines):
                yield Line("")
        case Qr():
            yield part


def wrap(text: str, columns: int) -> list[str]:
    """The text in lines of at most so many columns, broken at spaces; a longer word is broken where the line ends."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in printable(paragraph).split(" "):
            joined = f"{line} {word}" if line else word
            if len(joined) <= columns:
                line = joined
                continue
            if line:
                lines.append(line)
            *whole, line = _pieces(word, columns)
            lines += whole
        lines.append(line)
    return lines


def _pieces(word: str, columns: int) -> list[str]:
    """A word in pieces that fit: addresses and draw numbers broken behind a slash, hex wherever the line ends."""
    pieces = []
    while len(word) > columns:
        cut = word.rfind("/", 0, columns) + 1 or columns
        pieces.append(word[:cut])
        word = word[cut:]
    return [*pieces, word]


# -- letters ----------------------------------------------------------------------------------------------------

PAGE = "cp1252"
"""Python's name of the code page that slips are written in: Western European letters, one byte each."""

_LIKE = {
    "\u01c0": "|",  # latin letter dental click
    "\u01c1": "||",  # latin letter lateral click
    "\u01c2": "|",  # latin letter alveolar click
    "\u01c3": "!",  # latin letter retroflex click
    "\u0142": "l",  # latin small letter l with stroke
    "\u0141": "L",  # latin capital letter l with stroke
    "\u0111": "d",  # latin small letter d with stroke
    "\u0110": "D",  # latin capital letter d with stroke
    "\u0127": "h",  # latin small letter h with stroke
    "\u0131": "i",  # latin small letter dotless i
    "\u014b": "ng",  # latin small letter eng
    "\u014a": "Ng",  # latin capital letter eng
    "\u02bc": "'",  # modifier letter apostrophe
    "\u02bb": "'",  # modifier letter turned comma
    "\u2212": "-",  # minus sign
    "\u2010": "-",  # hyphen
    "\u2011": "-",  # non-breaking hyphen
    "\u202f": " ",  # narrow no-break space
    "\u00a0": " ",  # no-break space
    "\u00ad": "",  # soft hyphen
}
"""Letters the page lacks (the clicks of Khoekhoe among them), and signs with a plain equal."""


def printable(text: str) -> str:
    """The text in letters the printer has: accents stay where the page has them, else the bare letter, else `?`.

    No control character is left, so that nothing in a name can command the printer.
    """
    return "".join(_like(letter) for letter in unicodedata.normalize("NFC", text))


def _like(letter: str) -> str:
    if letter in _LIKE:
        return _LIKE[letter]
    if unicodedata.category(letter)[0] == "C" or letter in "\t\r\n\v\f":
        return " " if letter.isspace() else ""
    if _has(letter):
        return letter
    bare = "".join(c for c in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(c))
    return bare if bare and all(_has(c) for c in bare) else ("" if unicodedata.combining(letter) else "?")


def _has(letter: str) -> bool:
    try:
        code = letter.encode(PAGE)[0]
    except UnicodeEncodeError:
        return False
    return code >= 0x20 and code != 0x7F


# -- the picture ------------------------------------------------------------------------------------------------


def picture_of(item: Line | Qr) -> list[str]:
    """What a person sees of a line or a code, in 42 columns; big letters are spaced out."""
    if isinstance(item, Qr):
        side = min(12, COLUMNS - 2)
        frame = ["+" + "-" * side + "+", *(["|" + "QR".center(side) + "|"] * 3), "+" + "-" * side + "+"]
        return [row.center(COLUMNS).rstrip() for row in [*frame, f"({item.name})"]]
    text = " ".join(item.text) if item.big else item.text
    return [text.center(COLUMNS).rstrip() if item.align == "center" else text.rstrip()]
