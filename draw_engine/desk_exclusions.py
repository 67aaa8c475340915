"""Exclusions entered at a desk, within the exclusions list: each a row more, kept when a file replaces the list.

A file comes from the system that guests are excluded in, and may be older than what a desk entered; so a desk's row
goes on until its last day, or until the file has a row of the same guest and category itself, which then counts.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import date

SOURCE = "floordraw:desk"
"""What the column `source` says in a row that was entered here."""


def row_of(member: str, category: str, first: date, last: date | None) -> dict[str, str]:
    """The cells of one exclusion entered at a desk; `last` None = until it is lifted."""
    return {
        "member": member,
        "category": category,
        "from": first.isoformat(),
        "to": "" if last is None else last.isoformat(),
        "source": SOURCE,
    }


def with_rows(content: bytes, rows: Iterable[Mapping[str, str]]) -> bytes:
    """The list's CSV with these rows more, in its own columns. Raises UnicodeEncodeError for half a character."""
    text = content.decode("utf-8-sig")
    header = next(csv.reader(io.StringIO(text)))
    more = io.StringIO()
    csv.writer(more, lineterminator="\n").writerows([row.get(column, "") for column in header] for row in rows)
    return ((text if text.endswith("\n") else text + "\n") + more.getvalue()).encode()


def kept_rows(old: bytes, new: bytes, today: date) -> list[dict[str, str]]:
    """The desk's rows of the `old` list that go on beside the `new` one; both are lists that can be read.

    A row of the file that was over before the desk's began is history and takes nothing back.
    """
    told = list(_rows(new))
    return [
        {name: row.get(name, "") for name in ("member", "category", "from", "to", "source")}
        for row in _rows(old)
        if row.get("source") == SOURCE
        and not _is_over(row, today)
        and not any(_of(other) == _of(row) and not _is_over(other, _first(row)) for other in told)
    ]


def _rows(content: bytes) -> Iterator[dict[str, str]]:
    return iter(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def _of(row: Mapping[str, str]) -> tuple[str, str]:
    return unicodedata.normalize("NFC", row["member"].strip()), row["category"].strip()


def _first(row: Mapping[str, str]) -> date:
    return date.fromisoformat(row["from"].strip())


def _is_over(row: Mapping[str, str], today: date) -> bool:
    last = (row.get("to") or "").strip()
    return bool(last) and date.fromisoformat(last) < today
