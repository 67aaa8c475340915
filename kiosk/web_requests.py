"""How a request is read, and what is said of it in the log."""

from __future__ import annotations

import structlog
from flask import request
from werkzeug.serving import WSGIRequestHandler

from draw_engine.errors import Refused

_log = structlog.get_logger(__name__)


def whole_body(most: int, sentence: str) -> bytes:
    """All that was sent. Refused X_TOO_LARGE with the sentence when it is more than `most` bytes.

    What comes in pieces without saying its length is cut off at the limit without a word: so one byte more is let in
    and then counted. A list of which the end is missing would be taken for the whole one.
    """
    request.max_content_length = most + 1
    data = request.get_data(cache=False)
    if len(data) > most:
        raise Refused("X_TOO_LARGE", sentence)
    return data


class QuietRequests(WSGIRequestHandler):
    """A line a request would drown what matters, and an address may hold what must not be in a log."""

    disable_nagle_algorithm = True  # a small message must not wait for the answer to the one before

    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002, ARG002 - werkzeug's own names
        if type == "error":
            _log.error("request.failed", kind=message.partition(" ")[0])
