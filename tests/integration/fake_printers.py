"""Printers that behave and misbehave: on a TCP port, and on a pseudo-terminal. They know ESC/POS from its own pages."""

from __future__ import annotations

import contextlib
import os
import pty
import socket
import struct
import termios
import threading
import tty
from collections.abc import Callable
from dataclasses import dataclass, field

FINE = {1: b"\x12", 2: b"\x12", 3: b"\x12", 4: b"\x12"}
OUT_OF_PAPER = FINE | {1: b"\x1a", 2: b"\x32", 4: b"\x7e"}
_ALL = 1 << 40


@dataclass
class Habits:
    """How a fake printer is. Byte counts go over all bytes of one connection, questions included.

    `ends_after` with `how` "fin" or "rst"; `reads_until`: then it reads no more; `answers` to DLE EOT n; `confirms`
    whether GS r 1 is answered; `unasked`: what it says with every answer, before it.
    """

    answers: dict[int, bytes] = field(default_factory=lambda: dict(FINE))
    confirms: bool = True
    confirm: bytes = b"\x00"
    unasked: bytes = b""
    echo: bytes = b""
    ends_after: int = _ALL
    how: str = "fin"
    reads_until: int = _ALL


class Paper:
    """What a printer got of one connection: the slip's bytes, without questions and confirmations."""

    def __init__(self, habits: Habits, say: Callable[[bytes], None]) -> None:
        self.habits, self._say = habits, say
        self.printed = bytearray()
        self.confirmed = False
        self._part = b""

    def take(self, byte: int) -> None:
        part = self._part + bytes([byte])
        if part in {b"\x10", b"\x10\x04", b"\x1d", b"\x1dr"}:
            self._part = part
            return
        self._part = b""
        if part[:2] == b"\x10\x04":
            self._say(self.habits.unasked + self.habits.answers.get(part[2], b""))
        elif part[:2] == b"\x1dr":
            if self.habits.confirms:
                self.confirmed = True
                self._say(self.habits.unasked + self.habits.confirm)
        else:
            self.printed += part
            if self.habits.echo:
                self._say(self.habits.echo)


class TcpPrinter:
    """A printer on a port of this machine. `next_habits`: for the connections to come, one each; then `habits`."""

    def __init__(self, habits: Habits | None = None, *, one_client: bool = False) -> None:
        self.habits = habits or Habits()
        self.next_habits: list[Habits] = []
        self.papers: list[Paper] = []
        self._one_client = one_client
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.port = self._listener.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._open: list[socket.socket] = []
        self._idle = threading.Condition()
        self._serving = 0
        self._closing = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._closing.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for line in self._open:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)

    def wait_idle(self) -> None:
        """Until every connection has been served to its end."""
        with self._idle:
            assert self._idle.wait_for(lambda: self._serving == 0, timeout=5)

    @property
    def slips(self) -> list[bytes]:
        """What was printed, by connection; those that only asked for the state left out."""
        return [bytes(paper.printed) for paper in self.papers if paper.printed]

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            habits = self.next_habits.pop(0) if self.next_habits else self.habits
            paper = Paper(habits, lambda said, to=line: _say(to, said))
            self.papers.append(paper)
            self._open.append(line)
            with self._idle:
                self._serving += 1
            if self._one_client:
                self._serve(line, paper)
            else:
                thread = threading.Thread(target=self._serve, args=(line, paper), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _serve(self, line: socket.socket, paper: Paper) -> None:
        try:
            self._read(line, paper)
        except OSError:
            pass
        finally:
            line.close()
            with self._idle:
                self._serving -= 1
                self._idle.notify_all()

    def _read(self, line: socket.socket, paper: Paper) -> None:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        got = 0
        while got < min(paper.habits.ends_after, paper.habits.reads_until):
            data = line.recv(1)
            if not data:
                return
            paper.take(data[0])
            got += 1
        if paper.habits.reads_until <= got:
            self._closing.wait(10)
        elif paper.habits.how == "rst":
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            # Closing with bytes unread would be a reset: end one's own side, and let the rest run into nothing.
            line.shutdown(socket.SHUT_WR)
            while line.recv(4096):
                pass


def _say(line: socket.socket, said: bytes) -> None:
    if said:
        with contextlib.suppress(OSError):
            line.sendall(said)


class SerialPrinter:
    """A printer behind a pseudo-terminal; `path` is its port. Pulled after `habits.ends_after` bytes of its life."""

    def __init__(self, habits: Habits | None = None) -> None:
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave, termios.TCSANOW)
        self.path = os.ttyname(self._slave)
        self.habits = habits or Habits()
        self.paper = Paper(self.habits, self._say)
        self._gone = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._slave)
        self._thread.join(5)
        self._pull()

    def _say(self, said: bytes) -> None:
        if said:
            os.write(self._master, said)

    def _run(self) -> None:
        got = 0
        with contextlib.suppress(OSError):
            while got < min(self.habits.ends_after, self.habits.reads_until):
                self.paper.take(os.read(self._master, 1)[0])
                got += 1
        if got >= self.habits.ends_after:
            self._pull()

    def _pull(self) -> None:
        if not self._gone.is_set():
            self._gone.set()
            os.close(self._master)
