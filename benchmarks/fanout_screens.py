"""Hundreds of screens in one process: Engine.IO 4 over bare sockets, as fast as this language reads them.

What came is kept as bytes and looked at only afterwards, so that looking does not lengthen what is measured.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_UPGRADE = (
    "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def masked(text: bytes) -> bytes:
    """A client's frame; its mask is four zeros, so that it costs nothing."""
    assert len(text) < 126
    return b"\x81" + bytes([0x80 | len(text)]) + bytes(4) + text


_PONG = masked(b"3")


@dataclass(slots=True)
class Arrived:
    """One message as all screens got it: how many, the first and the last instant (steady clock, seconds)."""

    count: int
    first: float
    last: float


class Screens:
    """All screens of one server. `seen`: what came, by its bytes. Or the tablets of another `namespace`."""

    def __init__(self, namespace: str = "/screens") -> None:
        self.join = masked(f'40{namespace},{{"screen":"main"}}'.encode())
        self.snapshot = f"42{namespace},[".encode()
        self.lines: list[_Screen] = []
        self.seen: dict[bytes, Arrived] = {}
        self.joined = 0
        self.greeted = 0
        self.lost = 0

    async def connect(self, port: int, count: int, *, at_once: int = 50) -> float:
        """Connect so many more, `at_once` under way together; the seconds until every one has its picture."""
        loop = asyncio.get_running_loop()
        began, before = loop.time(), self.greeted
        for start in range(0, count, at_once):
            part = range(min(at_once, count - start))
            await asyncio.gather(*(self._one(loop, port) for _ in part))
            wanted = before + start + len(part)
            while self.greeted < wanted:
                await asyncio.sleep(0.002)
                if loop.time() - began > 60:
                    raise TimeoutError(f"{self.greeted - before} of {count} screens have their picture after a minute")
        return loop.time() - began

    async def _one(self, loop: asyncio.AbstractEventLoop, port: int) -> None:
        await loop.create_connection(lambda: _Screen(self, port), "127.0.0.1", port)

    async def everybody(self, said: Callable[[Mapping[str, Any]], bool], count: int, seconds: float = 15.0) -> Arrived:
        """Wait until `count` screens have a message of which `said` is true (a greeting differs by its time); when."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        looked: dict[bytes, bool] = {}
        while loop.time() < end:
            looked |= {text: said(read(text)) for text in self.seen if text not in looked}
            came = [arrived for text, arrived in self.seen.items() if looked[text]]
            if sum(arrived.count for arrived in came) >= count:
                return Arrived(count, min(each.first for each in came), max(each.last for each in came))
            await asyncio.sleep(0.005)
        raise TimeoutError("the message did not reach every screen")

    def close(self) -> None:
        for line in self.lines:
            line.transport.abort()
        self.lines.clear()

    def stall(self, every: int) -> int:
        """Let every so-manieth screen stop reading; how many that are."""
        stopped = self.lines[::every]
        for line in stopped:
            line.transport.pause_reading()
        return len(stopped)


class _Screen(asyncio.Protocol):
    def __init__(self, screens: Screens, port: int) -> None:
        self._screens = screens
        self._port = port
        self._held = b""
        self._open = False
        self._greeted = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._screens.lines.append(self)
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        transport.write(_UPGRADE.format(port=self._port).encode())

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's own name
        self._screens.lost += 1

    def data_received(self, data: bytes) -> None:
        held = self._held + data if self._held else data
        if not self._open:
            head, ends, held = held.partition(b"\r\n\r\n")
            if not ends:
                self._held = head
                return
            assert b" 101 " in head, head[:80]
            self._open = True
        at, whole = 0, len(held)
        while whole - at >= 2:
            length, start = held[at + 1], at + 2
            if length == 126:
                length, start = int.from_bytes(held[at + 2 : at + 4]), at + 4
            elif length == 127:
                length, start = int.from_bytes(held[at + 2 : at + 10]), at + 10
            if whole < start + length:
                break
            self._text(held[start : start + length])
            at = start + length
        self._held = held[at:]

    def _text(self, text: bytes) -> None:
        if text.startswith(self._screens.snapshot):
            now = asyncio.get_running_loop().time()
            if not self._greeted:
                self._greeted = True
                self._screens.greeted += 1
            arrived = self._screens.seen.get(text)
            if arrived is None:
                self._screens.seen[text] = Arrived(1, now, now)
            else:
                arrived.count += 1
                arrived.last = now
        elif text == b"2":
            self.transport.write(_PONG)
        elif text.startswith(b"0"):
            self.transport.write(self._screens.join)
        elif text.startswith(b"40/"):
            self._screens.joined += 1


def read(text: bytes) -> dict[str, Any]:
    """The picture that a message is."""
    message: dict[str, Any] = json.loads(text[text.index(b"[") :])[1]
    return message


def memory_kb(pid: int) -> int:
    """A process's resident memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024
