"""The draw log as CSV, for a spreadsheet: every filtered row, none of its cells a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import fields

from kiosk.draw_log.view import RowWords

_LEFT_OUT = frozenset({"href", "mark"})
COLUMNS = tuple(one.name for one in fields(RowWords) if one.name not in _LEFT_OUT)
_BEGINS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠")  # noqa: RUF001 - these, too


def safe_cell(value: object) -> str:
    """The cell as text: one that a spreadsheet could take for a formula begins with an apostrophe."""
    text = str(value)
    return f"'{text}" if text.lstrip(" \u00a0").startswith(_BEGINS_A_FORMULA) else text


def as_csv(rows: Iterable[RowWords]) -> str:
    """The whole file, with the mark by which spreadsheets know UTF-8."""
    out = io.StringIO()
    out.write("\ufeff")
    writer = csv.writer(out, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(safe_cell(getattr(row, name)) for name in COLUMNS)
    return out.getvalue()
