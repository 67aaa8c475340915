"""How an event is written in the bridge: a plain dict in the page's form, one compact JSON line on the wire.

Times are whole milliseconds since 1970 UTC inside, `YYYY-MM-DDTHH:MM:SS.mmmZ` in an event.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

Millis = int
Event = dict[str, Any]
"""One event: `feed`, `at`, `kind`, what the kind brings, and `seq` once the outbox has numbered it."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TIME = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})\.([0-9]{3})Z")
_GZIP_MARK = b"\x1f\x8b"


@lru_cache(maxsize=64)
def _second(seconds: int) -> str:
    # Many events share a second; writing the date is most of the work of making a line.
    return f"{_EPOCH + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%S}"


def format_time(at: Millis) -> str:
    """`YYYY-MM-DDTHH:MM:SS.mmmZ` of milliseconds since 1970, UTC."""
    return f"{_second(at // 1000)}.{at % 1000:03d}Z"


def parse_time(text: str) -> Millis:
    """Milliseconds since 1970 of `YYYY-MM-DDTHH:MM:SS.mmmZ`. Raises ValueError for anything else."""
    form = _TIME.fullmatch(text)
    if form is None:
        raise ValueError(f"{text[:40]!r} is not a time of the form 2023-10-07T12:00:00.000Z")
    return _seconds(form[1]) * 1_000 + int(form[2])


@lru_cache(maxsize=64)
def _seconds(text: str) -> int:
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(seconds=1)


def line_of(event: Event) -> bytes:
    """The event's one line, without the line end; the same event gives the same bytes."""
    return json.dumps(event, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def read_lines(file: Path) -> Iterator[Event]:
    """The events of a recording, in the file's order; gzipped or not. Raises ValueError naming the bad line."""
    with file.open("rb") as opened:
        gzipped = opened.read(2) == _GZIP_MARK
    with gzip.open(file, "rb") if gzipped else file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _read_line(line, number)


def _read_line(line: bytes, number: int) -> Event:
    try:
        event = json.loads(line)
    except ValueError:
        raise ValueError(f"line {number} of the recording is not JSON; mend the file or take the line out") from None
    if not isinstance(event, dict):
        raise ValueError(f"line {number} of the recording is not an event; mend the file or take the line out")  # noqa: TRY004 - the text is at fault
    return event
