"""The application's own log: one JSON line an event on standard error, UTC, with nothing of a guest in it."""

from __future__ import annotations

import logging
import sys

import structlog


def set_up_log() -> None:
    """Everything that is said goes to standard error; libraries are heard from warnings on."""
    logging.basicConfig(
        level=logging.WARNING, stream=sys.stderr, format='{"from": "%(name)s", "level": "%(levelname)s"}'
    )
    # A foreign page's address would be printed as it came.
    logging.getLogger("engineio").setLevel(logging.CRITICAL)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
