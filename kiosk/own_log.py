"""The application's own log: one JSON line an event on standard error, UTC, with nothing of a guest in it.

Where that is journald's, each line begins with its priority (`<3>` is an error), which journald takes off again: then
`journalctl -u draw-floor -p warning` shows what somebody should look at.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any, TextIO

import structlog

PRIORITIES: Mapping[str, int] = {"critical": 2, "exception": 3, "error": 3, "warning": 4, "info": 6, "debug": 7}
"""Syslog's number of each level (sd-daemon(3))."""


def set_up_log() -> None:
    """Everything that is said goes to standard error; libraries are heard from warnings on, without their text."""
    journal = to_journal(sys.stderr)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OfLibraries(journal=journal))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    # A foreign page's address would be printed as it came.
    logging.getLogger("engineio").setLevel(logging.CRITICAL)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _Line(journal=journal),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def to_journal(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a stream ends at journald, which names the one that it made (JOURNAL_STREAM)."""
    named = environment.get("JOURNAL_STREAM", "")
    try:
        made = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return named == f"{made.st_dev}:{made.st_ino}"


class _Line:
    """The last of structlog's steps: an event as its line."""

    def __init__(self, *, journal: bool) -> None:
        self._journal = journal
        self._as_json = structlog.processors.JSONRenderer()

    def __call__(self, logger: Any, name: str, event: MutableMapping[str, Any]) -> str:
        level = str(event.get("level", name))
        return _with_priority(level, str(self._as_json(logger, name, event)), journal=self._journal)


class _OfLibraries(logging.Formatter):
    """Who said something and how bad it is: its text may hold what must not be in a log."""

    def __init__(self, *, journal: bool) -> None:
        super().__init__('{"from": "%(name)s", "level": "%(levelname)s"}')
        self._journal = journal

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's own name
        """The kind alone: a fault's text and its lines may hold a guest's number."""
        kind = ei[0]
        return f'{{"fault": "{kind.__name__}"}}' if kind is not None else ""

    def format(self, record: logging.LogRecord) -> str:
        record.exc_text = None
        said = " ".join(super().format(record).splitlines())
        return _with_priority(record.levelname.lower(), said, journal=self._journal)


def _with_priority(level: str, line: str, *, journal: bool) -> str:
    return f"<{PRIORITIES.get(level, 5)}>{line}" if journal else line
