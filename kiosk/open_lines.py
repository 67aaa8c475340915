"""How many connections are open, and whose: nobody may fill the house's server with lines that say nothing."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass

PER_ADDRESS = 128
"""A desk with every page open has some thirty; a tablet far fewer."""
IN_ALL = 512


@dataclass(slots=True)
class _Open:
    address: str
    line: socket.socket
    proven: bool = False


class OpenLines:
    """Where there is no room, the oldest that has not yet asked for anything makes way, of the same address first."""

    def __init__(self, *, per_address: int = PER_ADDRESS, in_all: int = IN_ALL) -> None:
        self._per_address, self._in_all = per_address, in_all
        self._open: dict[int, _Open] = {}  # by identity, the oldest first
        self._count: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._open)

    def enter(self, line: socket.socket, address: str) -> bool:
        """Whether there is room for it. Never waits."""
        with self._lock:
            if self._count[address] >= self._per_address and not self._put_out(address):
                return False
            if len(self._open) >= self._in_all and not self._put_out(self._busiest()):
                return False
            self._open[id(line)] = _Open(address, line)
            self._count[address] += 1
            return True

    def proven(self, line: socket.socket) -> None:
        """It has asked for something."""
        with self._lock:
            if (one := self._open.get(id(line))) is not None:
                one.proven = True

    def leave(self, line: socket.socket) -> None:
        """It has ended. May be said more than once, and of one that never entered."""
        with self._lock:
            self._forget(id(line), line)

    def _forget(self, number: int, line: socket.socket) -> None:
        one = self._open.get(number)
        if one is not None and one.line is line:
            del self._open[number]
            self._count[one.address] -= 1
            if not self._count[one.address]:
                del self._count[one.address]

    def _busiest(self) -> str | None:
        """The address with most lines that say nothing."""
        silent = Counter(one.address for one in self._open.values() if not one.proven)
        return silent.most_common(1)[0][0] if silent else None

    def _put_out(self, address: str | None) -> bool:
        found = next((one for one in self._open.values() if one.address == address and not one.proven), None)
        if found is None:
            return False
        self._forget(id(found.line), found.line)
        with suppress(OSError):
            found.line.shutdown(socket.SHUT_RDWR)  # wakes its thread, which closes it
        return True
