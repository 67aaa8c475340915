"""The bridges' routes: `POST /floor-events`, `GET /floor-feeds/<feed>`, `GET /floor-clock`."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, request

from draw_engine.canonical import format_time
from draw_engine.errors import Refused
from draw_engine.service import intake
from draw_engine.service.engine import Engine
from kiosk.core import Core
from kiosk.sign_in.access import bridge, feed_of_token
from kiosk.web_requests import whole_body


def intake_routes(core: Core, tokens: Mapping[str, str]) -> Blueprint:
    """The routes; `tokens`: feed -> SHA-256 (hex) of its token."""
    routes = Blueprint("intake", __name__)

    @routes.post("/floor-events")
    @bridge
    def floor_events() -> Response:
        feed = feed_of_token(tokens)
        body = _body()
        return jsonify(core.ask(lambda engine: intake.take(engine, feed, body).as_json()))

    @routes.get("/floor-feeds/<feed>")
    @bridge
    def floor_feed(feed: str) -> Response:
        if feed_of_token(tokens) != feed:
            raise Refused("X_WRONG_FEED", f"This token is not the feed {feed}'s; ask with that feed's own token.")
        return jsonify(core.ask(lambda engine: _feed_state(engine, feed)))

    @routes.get("/floor-clock")
    @bridge
    def floor_clock() -> Response:
        feed_of_token(tokens)
        return jsonify({"now": format_time(core.ask(lambda engine: engine.now()))})

    return routes


def _body() -> bytes:
    """The lines, unpacked when they came gzipped; never more than the limit is unpacked."""
    sentence = f"Send at most {intake.MAX_BYTES} bytes a request; split it."
    if (request.content_length or 0) > intake.MAX_BYTES:
        raise Refused("X_TOO_LARGE", sentence)
    data = whole_body(intake.MAX_BYTES, sentence)
    packed = request.headers.get("Content-Encoding", "").strip().lower()
    if packed in {"", "identity"}:
        return data
    if packed != "gzip":
        raise Refused("X_EVENT_UNREADABLE", "Send the lines as they are, or packed with gzip.")
    unpack = zlib.decompressobj(wbits=31)
    try:
        body = unpack.decompress(data, intake.MAX_BYTES + 1)
    except zlib.error:
        raise Refused("X_EVENT_UNREADABLE", "The request is not gzip as its header says; send it again.") from None
    if len(body) <= intake.MAX_BYTES:
        if not unpack.eof:
            raise Refused("X_EVENT_UNREADABLE", "The gzip data ends early; send it again.")
        if unpack.unused_data:
            raise Refused("X_EVENT_UNREADABLE", "There is more behind the gzip data; pack all lines as one.")
    return body


def _feed_state(engine: Engine, feed: str) -> dict[str, Any]:
    sequence = engine.sequences.get(feed)
    state = engine.floor.feed_at(feed, engine.now())
    return {
        "feed": feed,
        "last_seq": None if sequence is None else sequence.last_seq,
        "missing": [] if sequence is None else sequence.missing(),
        "state": state.state,
        "want_snapshot": state.wants_snapshot,
    }
