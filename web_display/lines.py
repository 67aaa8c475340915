"""A connection to the screen server: HTTP for the pages, then, once it is upgraded, a screen's WebSocket.

A line that does not take what it is sent is not queued for: it gets the newest picture when it can take one again, and
is cut when it stays silent. So one stalled screen holds up nobody and holds little memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import h11
import wsproto
from wsproto.events import AcceptConnection, CloseConnection, Ping, TextMessage
from wsproto.events import Request as Upgrade

SEND_BUFFER = 65_536
"""How much the kernel, and how much this process, keeps for a line that does not read."""
MOST_HEARD = 4_096
"""A screen says nothing longer."""
HTTP_SECONDS = 60.0
"""A connection that never becomes a socket is cut after this."""
JOIN_SECONDS = 10.0
"""A socket that never says which screen it is is cut after this."""

Headers = Sequence[tuple[bytes, bytes]]


class Answer(NamedTuple):
    """What a request is answered; `headers` without Content-Length. Status 101 lets the connection become a socket."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes = b""


class Hall(Protocol):
    """Where lines come together."""

    def came(self, line: Line) -> None: ...
    def heard(self, line: Line, text: str) -> None: ...
    def can_take(self, line: Line) -> None: ...
    def left(self, line: Line) -> None: ...


class Line(asyncio.Protocol):
    """One connection. `answer` is asked for every request; `hall` hears of it once it is a socket.

    `room` the screen it is, "" until it said; `full` while it does not take what is sent; `missed` = something was not
    sent meanwhile; `heard_at` when it last said something (steady clock, seconds).
    """

    def __init__(self, answer: Callable[[h11.Request], Answer], hall: Hall) -> None:
        self._answer = answer
        self._hall = hall
        self._http: h11.Connection | None = h11.Connection(h11.SERVER)
        self._socket: wsproto.WSConnection | None = None
        self._said = ""
        self._patience: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport | None = None
        self.room = ""
        self.full = False
        self.missed = False
        self.heard_at = 0.0

    # -- what asyncio tells ------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=SEND_BUFFER)
        own = transport.get_extra_info("socket")
        if own is not None:
            with contextlib.suppress(OSError):
                own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self._wait(HTTP_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's own name
        self._transport = None
        if self._patience is not None:
            self._patience.cancel()
        if self._socket is not None:
            self._hall.left(self)

    def pause_writing(self) -> None:
        self.full = True

    def resume_writing(self) -> None:
        self.full = False
        if self.missed and self._socket is not None:
            self.missed = False
            self._hall.can_take(self)

    def data_received(self, data: bytes) -> None:
        try:
            if self._socket is not None:
                self._hear(self._socket, data)
            elif self._http is not None:
                self._request(self._http, data)
        except (h11.RemoteProtocolError, wsproto.utilities.RemoteProtocolError, ValueError):
            self.cut()

    # -- what the hall does ------------------------------------------------------------------------------------

    def send(self, frame: bytes) -> None:
        """Hand over a whole frame, unless the line is full: then it is noted that it missed one."""
        if self._transport is None:
            return
        if self.full:
            self.missed = True
        else:
            self._transport.write(frame)

    def joined(self, room: str) -> None:
        """It has said which screen it is."""
        self.room = room
        if self._patience is not None:
            self._patience.cancel()

    def cut(self) -> None:
        """End it at once; what it had not taken is thrown away."""
        if self._transport is not None:
            self._transport.abort()

    # -- HTTP --------------------------------------------------------------------------------------------------

    def _wait(self, seconds: float) -> None:
        if self._patience is not None:
            self._patience.cancel()
        self._patience = asyncio.get_running_loop().call_later(seconds, self.cut)

    def _request(self, http: h11.Connection, data: bytes) -> None:
        http.receive_data(data)
        while self._transport is not None:
            told = http.next_event()
            if told is h11.NEED_DATA or told is h11.PAUSED or isinstance(told, h11.ConnectionClosed):
                return
            if isinstance(told, h11.Request) and self._answered(http, told):
                return
            if isinstance(told, h11.EndOfMessage):
                if http.our_state is not h11.DONE:
                    self._transport.close()
                    return
                http.start_next_cycle()

    def _answered(self, http: h11.Connection, request: h11.Request) -> bool:
        """Answer a request; True when the connection has become a socket."""
        assert self._transport is not None
        answer = self._answer(request)
        if answer.status == 101:
            self._upgrade(http, request)
            return True
        headers = [*answer.headers, ("Content-Length", str(len(answer.body)))]
        parts: list[h11.Event] = [h11.Response(status_code=answer.status, headers=headers)]
        if request.method != b"HEAD":
            parts.append(h11.Data(data=answer.body))
        out = [http.send(part) for part in [*parts, h11.EndOfMessage()]]
        self._transport.write(b"".join(sent for sent in out if sent))
        return False

    # -- WebSocket ---------------------------------------------------------------------------------------------

    def _upgrade(self, http: h11.Connection, request: h11.Request) -> None:
        assert self._transport is not None
        opened = wsproto.WSConnection(wsproto.ConnectionType.SERVER)
        opened.initiate_upgrade_connection(list(request.headers), request.target)
        for told in opened.events():
            if isinstance(told, Upgrade):
                self._transport.write(opened.send(AcceptConnection()))
        self._http, self._socket = None, opened
        self.heard_at = time.monotonic()
        self._wait(JOIN_SECONDS)
        self._hall.came(self)
        trailing, _ = http.trailing_data
        if trailing:
            self._hear(opened, trailing)

    def _hear(self, opened: wsproto.WSConnection, data: bytes) -> None:
        self.heard_at = time.monotonic()
        opened.receive_data(data)
        for told in opened.events():
            if isinstance(told, TextMessage):
                self._said += told.data
                if len(self._said) > MOST_HEARD:
                    raise ValueError("a screen says nothing so long")
                if told.message_finished:
                    said, self._said = self._said, ""
                    self._hall.heard(self, said)
            elif isinstance(told, Ping):
                self.send(opened.send(told.response()))
            elif isinstance(told, CloseConnection):
                self._close(opened, told)
                return
            else:
                raise ValueError("a screen sends text alone")  # noqa: TRY004 - a fault of the other side's

    def _close(self, opened: wsproto.WSConnection, told: CloseConnection) -> None:
        if self._transport is not None:
            with contextlib.suppress(wsproto.utilities.LocalProtocolError):
                self._transport.write(opened.send(told.response()))
            self._transport.close()
