"""A connection as the pages' server reads and writes it, plain or in TLS, with a time by which it must be through.

Python's own TLS sockets lend OpenSSL's state to two threads at once when one reads and another writes, as a page's
WebSocket does. Here bytes and TLS are kept apart: the state is touched under a lock, and never while anybody waits.
"""

from __future__ import annotations

import io
import select
import socket
import ssl
import threading
import time
from contextlib import suppress

_PART = 65_536
STALL_SECONDS = 10.0
"""Whoever takes nothing of what is sent for so long is cut off."""


class Line:
    """A plain connection. `allow(seconds)` says how long it may go on; None: as long as it likes (a WebSocket)."""

    def __init__(self, raw: socket.socket) -> None:
        raw.settimeout(0)
        self.raw = raw
        self._until: float | None = None
        self._closed = False
        self._out = threading.Lock()  # what is sent goes out whole and in order

    def allow(self, seconds: float | None) -> None:
        """From now on."""
        self._until = None if seconds is None else time.monotonic() + seconds

    def peek(self) -> bytes:
        """The first byte, left where it is; b"" at the end. Raises TimeoutError, ConnectionError."""
        while True:
            try:
                return self.raw.recv(1, socket.MSG_PEEK)
            except (BlockingIOError, InterruptedError):
                self._wait(select.POLLIN, None)

    # -- what the server and simple-websocket ask a socket for ---------------------------------------------------

    def recv(self, most: int) -> bytes:
        """Up to `most` bytes, b"" at the end. Raises TimeoutError, ConnectionError."""
        return self._hear(most)

    def sendall(self, data: bytes | bytearray | memoryview) -> None:
        """Send all of it. Raises TimeoutError, ConnectionError."""
        with self._out:
            self._say(data)

    def send(self, data: bytes | bytearray | memoryview) -> int:
        """Sends all of it, as simple-websocket takes for granted."""
        self.sendall(data)
        return len(data)

    def makefile(self, mode: str = "rb", buffering: int = -1) -> io.BufferedReader:
        """What reads a request. Only for reading."""
        assert mode == "rb"
        return io.BufferedReader(_Reader(self), _PART if buffering < 1 else buffering)

    def fileno(self) -> int:
        return self.raw.fileno()

    def setsockopt(self, level: int, option: int, value: int) -> None:
        self.raw.setsockopt(level, option, value)

    def shutdown(self, how: int) -> None:
        self.raw.shutdown(how)

    def close(self) -> None:
        """End it; whoever waits on it is woken."""
        if not self._closed:
            self._closed = True
            with suppress(OSError):
                self.raw.shutdown(socket.SHUT_RDWR)
            self.raw.close()

    # -- bytes -----------------------------------------------------------------------------------------------------

    def _hear(self, most: int) -> bytes:
        while True:
            try:
                return self.raw.recv(most)
            except (BlockingIOError, InterruptedError):
                self._wait(select.POLLIN, None)

    def _say(self, data: bytes | bytearray | memoryview) -> None:
        left = memoryview(data)
        while left:
            try:
                left = left[self.raw.send(left[:_PART]) :]
            except (BlockingIOError, InterruptedError):
                self._wait(select.POLLOUT, STALL_SECONDS)

    def _wait(self, for_what: int, most: float | None) -> None:
        times = [] if most is None else [most]
        if self._until is not None:
            times.append(self._until - time.monotonic())
        timeout = min(times) if times else None
        if self._closed or (number := self.raw.fileno()) < 0:
            raise ConnectionAbortedError("it was ended")
        poll = select.poll()
        poll.register(number, for_what)
        if (timeout is not None and timeout <= 0) or not poll.poll(None if timeout is None else timeout * 1000):
            raise TimeoutError("it took too long")


class TlsLine(Line):
    """A connection in TLS, the server's side. `handshake` comes first."""

    def __init__(self, raw: socket.socket, context: ssl.SSLContext) -> None:
        super().__init__(raw)
        self._came, self._goes = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._came, self._goes, server_side=True)
        self._state = threading.Lock()
        self._open = False

    def handshake(self) -> None:
        """Raises TimeoutError, ConnectionError, ssl.SSLError."""
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self._flush()
                heard = self._hear(_PART)
                if not heard:
                    raise ConnectionResetError("it left") from None
                self._came.write(heard)
            except ssl.SSLError:
                with suppress(OSError):
                    self._flush()  # says why: the other side may show it
                raise
            else:
                self._flush()
                self._open = True
                return

    def recv(self, most: int) -> bytes:
        while True:
            with self._state:
                try:
                    return self._tls.read(most)
                except ssl.SSLWantReadError:
                    pass
                except ssl.SSLZeroReturnError:
                    return b""
                except ssl.SSLError:
                    raise ConnectionResetError("what came is no TLS") from None
            if self._goes.pending and self._out.acquire(blocking=False):
                # An answer of TLS's own. Whoever is sending just now takes it along.
                try:
                    self._flush()
                finally:
                    self._out.release()
            heard = self._hear(_PART)
            if not heard:
                return b""
            with self._state:
                self._came.write(heard)

    def sendall(self, data: bytes | bytearray | memoryview) -> None:
        with self._out:
            view = memoryview(data).cast("B")
            for start in range(0, len(view), _PART):
                with self._state:
                    try:
                        self._tls.write(view[start : start + _PART])
                    except ssl.SSLError:
                        raise ConnectionResetError("its TLS has ended") from None
                self._flush()

    def close(self) -> None:
        """Say goodbye, when nobody is in the middle of a sentence, and end it."""
        if self._open and not self._closed and self._out.acquire(blocking=False):
            try:
                with self._state, suppress(ssl.SSLError):
                    self._tls.unwrap()
                with suppress(OSError):
                    self.raw.send(self._goes.read())
            finally:
                self._out.release()
        super().close()

    def _flush(self) -> None:
        while True:
            with self._state:
                ready = self._goes.read()
            if not ready:
                return
            self._say(ready)


class _Reader(io.RawIOBase):
    """A line as a stream."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        heard = self._line.recv(len(buffer))
        buffer[: len(heard)] = heard
        return len(heard)
