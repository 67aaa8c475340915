"""Engine.IO 4 and Socket.IO 5 as texts: what a screen's socket says and hears. Text over WebSocket only.

Sources: socket.io/docs/v4/engine-io-protocol and /socket-io-protocol. A frame is made once and sent to any number of
sockets: no extension is ever agreed on, so the bytes are the same for all of them.
"""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple

from wsproto.frame_protocol import FrameProtocol

Kind = Literal["open", "close", "ping", "pong", "connect", "disconnect", "event", "answer", "refused", "other"]

_ENGINE: dict[str, Kind] = {"0": "open", "1": "close", "2": "ping", "3": "pong"}
_SOCKET: dict[str, Kind] = {"0": "connect", "1": "disconnect", "2": "event", "3": "answer", "4": "refused"}
PING, PONG = "2", "3"


class Packet(NamedTuple):
    """One packet: `data` is its JSON (None without any), `ack` the number an answer is asked for under, or answers."""

    kind: Kind
    namespace: str = "/"
    ack: int | None = None
    data: Any = None


def read(text: str) -> Packet:
    """The packet that a text is. Raises ValueError when it is none."""
    try:
        return _read(text)
    except RecursionError:
        raise ValueError("a packet is not nested so deep") from None


def _read(text: str) -> Packet:
    if text[:1] != "4":
        kind = _ENGINE.get(text[:1], "other")
        return Packet(kind, data=json.loads(text[1:]) if kind == "open" else None)
    kind, rest = _SOCKET.get(text[1:2], "other"), text[2:]
    namespace = "/"
    if rest.startswith("/"):
        namespace, _, rest = rest.partition(",")
    digits = len(rest) - len(rest.lstrip("0123456789"))
    ack = int(rest[:digits]) if 0 < digits < 16 else None
    body = rest[digits:]
    return Packet(kind, namespace, ack, json.loads(body) if body else None)


def opened(sid: str, *, ping_every: float, answer_within: float, most_bytes: int) -> str:
    """The server's first packet; seconds and bytes."""
    told = {
        "sid": sid,
        "upgrades": [],
        "pingInterval": int(ping_every * 1000),
        "pingTimeout": int(answer_within * 1000),
        "maxPayload": most_bytes,
    }
    return "0" + _json(told)


def connect(namespace: str, said: Any = None) -> str:
    """A client asks to join a namespace; the server's own answer has the same form, with the socket's `sid`."""
    return f"40{namespace}," + ("" if said is None else _json(said))


def refuse(namespace: str, sentence: str) -> str:
    """The server does not let a client into the namespace."""
    return f"44{namespace}," + _json({"message": sentence})


def leave(namespace: str) -> str:
    """The server sends a client out of the namespace."""
    return f"41{namespace},"


def event(namespace: str, name: str, body: str | None = None, *, ack: int | None = None) -> str:
    """An event; `body` is its one argument as JSON already, so that a message is put into words once for all."""
    asked = "" if ack is None else str(ack)
    return f"42{namespace},{asked}[{_json(name)}{'' if body is None else ',' + body}]"


def answer(namespace: str, ack: int, data: Any) -> str:
    """What was asked for under that number."""
    return f"43{namespace},{ack}" + _json([data])


def frame(text: str) -> bytes:
    """The text as a server's WebSocket frame."""
    return bytes(FrameProtocol(client=False, extensions=[]).send_data(text, fin=True))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
