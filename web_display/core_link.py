"""The screen server's one connection to the core: a Socket.IO client of the core's namespace for it.

It comes back by itself, at most half a second after the core answers again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, suppress
from typing import Any, Protocol
from urllib.parse import urlsplit

import structlog
import wsproto
from wsproto.events import AcceptConnection, CloseConnection, Ping, RejectConnection, Request, TextMessage

from web_display import packets
from web_display.core_time import CoreTime

NAMESPACE = "/screen-server"
_log = structlog.get_logger(__name__)
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 0.5
_OPEN_SECONDS = 4.0
_MOST_BYTES = 16_000_000
_ASK_AGAIN_SECONDS = 20.0
_MEASURED = 3


class LinkLost(Exception):  # noqa: N818 - it says what happened, as the engine's own do
    """The core has gone, or says what it should not. The text names no guest."""


class Listener(Protocol):
    """Who is told."""

    core_time: CoreTime

    def take(self, message: Mapping[str, Any]) -> None: ...
    def core_away(self) -> None: ...


class Socket:
    """A WebSocket of a client, in texts."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._ws = wsproto.WSConnection(wsproto.ConnectionType.CLIENT)

    async def texts(self, host: str, target: str, silent_after: Callable[[], float]) -> AsyncIterator[str]:
        """Open it and give what comes; raises LinkLost when it ends or stays silent for longer than that."""
        self._writer.write(self._ws.send(Request(host=host, target=target)))
        said = ""
        while True:
            data = await asyncio.wait_for(self._reader.read(262_144), silent_after())
            self._ws.receive_data(data or None)
            for told in self._ws.events():
                if isinstance(told, TextMessage):
                    said += told.data
                    if len(said) > _MOST_BYTES:
                        raise LinkLost("a message of the core is too long")
                    if told.message_finished:
                        yield said
                        said = ""
                elif isinstance(told, Ping):
                    self._writer.write(self._ws.send(told.response()))
                elif isinstance(told, CloseConnection | RejectConnection):
                    raise LinkLost("the core closed the connection")
                elif not isinstance(told, AcceptConnection):
                    raise LinkLost("the core says what it should not")

    def say(self, text: str) -> None:
        self._writer.write(self._ws.send(TextMessage(data=text)))


class CoreLink:
    """Follows the core at `url` and tells `listener` what it says, for as long as `follow` runs."""

    def __init__(self, url: str, listener: Listener, *, steady: Callable[[], float] = time.monotonic) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 80
        self._listener = listener
        self._steady = steady
        self._silent_after = _OPEN_SECONDS
        self._wait = _FIRST_WAIT
        self._asked: dict[int, float] = {}

    async def follow(self) -> None:
        """Until it is cancelled."""
        while True:
            try:
                await self._once()
            except (OSError, TimeoutError, LinkLost, wsproto.utilities.ProtocolError, ValueError, LookupError) as lost:
                _log.info("core.away", kind=type(lost).__name__)
            except TypeError as lost:  # a message of another form: another version's core
                _log.error("core.not_understood", kind=type(lost).__name__)
            self._listener.core_away()
            await asyncio.sleep(self._wait)
            self._wait = min(_LONGEST_WAIT, self._wait * 2)

    async def _once(self) -> None:
        opening = asyncio.open_connection(self._host, self._port)
        reader, writer = await asyncio.wait_for(opening, _OPEN_SECONDS)
        self._silent_after = _OPEN_SECONDS
        socket = Socket(reader, writer)
        clock = asyncio.create_task(self._measure(socket))
        try:
            target = "/socket.io/?EIO=4&transport=websocket"
            texts = socket.texts(f"{self._host}:{self._port}", target, lambda: self._silent_after)
            async with aclosing(texts):  # type: ignore[type-var]  # an async generator has aclose
                async for text in texts:
                    self._heard(socket, packets.read(text))
        finally:
            clock.cancel()
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    def _heard(self, socket: Socket, packet: packets.Packet) -> None:
        if packet.kind == "open":
            self._silent_after = (packet.data["pingInterval"] + packet.data["pingTimeout"]) / 1000
            socket.say(packets.connect(NAMESPACE))
        elif packet.kind == "ping":
            socket.say(packets.PONG)
        elif packet.kind == "connect":
            self._listener.core_time.restart()
            self._ask(socket, 0)
        elif packet.kind == "event" and packet.data[0] == "snapshot":
            self._listener.take(packet.data[1])
            self._wait = _FIRST_WAIT
        elif packet.kind == "answer":
            self._answered(socket, packet)
        elif packet.kind in {"close", "disconnect", "refused"}:
            raise LinkLost(f"the core ended it: {packet.kind}")

    # -- the core's time, by round trips: a few at the beginning, then now and then -----------------------------

    def _ask(self, socket: Socket, number: int) -> None:
        self._asked = {number: self._steady()}
        socket.say(packets.event(NAMESPACE, "time", ack=number))

    def _answered(self, socket: Socket, packet: packets.Packet) -> None:
        number = packet.ack
        if number is None or number not in self._asked or not isinstance(packet.data[0], int):
            return
        self._listener.core_time.measured(packet.data[0], self._asked.pop(number))
        if number + 1 < _MEASURED:
            self._ask(socket, number + 1)

    async def _measure(self, socket: Socket) -> None:
        number = _MEASURED
        while True:
            await asyncio.sleep(_ASK_AGAIN_SECONDS)
            number += 1
            self._ask(socket, number)
