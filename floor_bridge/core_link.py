"""The bridge's line to the core over HTTP. Trouble on it is an answer, not an exception."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import requests

from floor_bridge.event_form import Millis, parse_time

UNREACHABLE = 0
"""The status of an answer that never came: no connection, no answer in time, a connection that broke."""

_CONNECT_SECONDS, _ANSWER_SECONDS = 3.0, 10.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What the core said: the HTTP status (0 = nothing came), the JSON object or None, seconds it asks to wait."""

    status: int
    body: dict[str, Any] | None = None
    retry_after: float | None = None


class CoreLink:
    """One feed's line to the core at `core_url`, with its bearer token. One thread each: it keeps a connection."""

    def __init__(
        self, core_url: str, token: str, *, connect: float = _CONNECT_SECONDS, answer: float = _ANSWER_SECONDS
    ) -> None:
        self._url = core_url.rstrip("/")
        self._timeout = (connect, answer)
        self._session = requests.Session()
        # Neither a proxy nor a password file of this machine may stand between the bridge and its core.
        self._session.trust_env = False
        self._session.headers["Authorization"] = f"Bearer {token}"

    def post_events(self, body: bytes, *, gzipped: bool) -> Answer:
        """POST /floor-events with JSON lines."""
        headers = {"Content-Type": "application/x-ndjson"}
        if gzipped:
            headers["Content-Encoding"] = "gzip"
        return self._ask("POST", "/floor-events", data=body, headers=headers)

    def feed(self, feed: str) -> Answer:
        """GET /floor-feeds/F: {feed, last_seq, missing, want_snapshot, state}."""
        return self._ask("GET", f"/floor-feeds/{quote(feed, safe='')}")

    def clock(self) -> Millis | None:
        """GET /floor-clock: the core's time, or None when it cannot be had."""
        answer = self._ask("GET", "/floor-clock")
        try:
            return parse_time((answer.body or {})["now"]) if answer.status == requests.codes.ok else None
        except (KeyError, TypeError, ValueError):
            return None

    def close(self) -> None:
        self._session.close()

    def _ask(self, method: str, path: str, **sent: Any) -> Answer:
        try:
            got = self._session.request(method, self._url + path, timeout=self._timeout, allow_redirects=False, **sent)
        except requests.RequestException:
            return Answer(UNREACHABLE)
        try:
            body = got.json()
        except ValueError:
            body = None
        return Answer(
            got.status_code, body if isinstance(body, dict) else None, _seconds(got.headers.get("Retry-After"))
        )


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.isascii() and text.isdigit() else None
