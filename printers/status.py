"""What a printer says of itself: DLE EOT 1 to 4 asked in real time, checked bit for bit, never taken on trust.

python-escpos asks one of the four, takes any byte for the answer, a closed line for paper, and raises what the socket
raises. Here a state is always one of a closed list; silence and nonsense are `silent`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping

from printers.links import Link, LinkTrouble
from printers.states import PrinterState

ASKS = (1, 2, 3, 4)
"""DLE EOT n: the printer, why it is offline, errors, the paper."""

CONFIRM = b"\x1dr\x01"
"""GS r 1: answered when everything before it has been processed, as it waits in the queue with the print data."""


class Talk:
    """Questions and answers on an open link.

    Sorts what the printer says: answers to DLE EOT ("status"), to GS r ("confirm"), and what came unasked (ASB packets,
    XON, XOFF), which is passed over.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._heard: dict[str, deque[int]] = {"status": deque(), "confirm": deque()}
        self._unasked = 0

    def ask(self, n: int, seconds: float) -> int | None:
        """The answer to DLE EOT n, None when none came in time. Raises LinkTrouble.

        Answers that were left in the line are thrown away first: they would shift all later ones by one.
        """
        self._listen(0)
        self._heard["status"].clear()
        self._link.send_all(bytes((0x10, 0x04, n)), seconds)
        return self.wait("status", seconds)

    def wait(self, kind: str, seconds: float) -> int | None:
        """The next answer of a kind, None when none came in time. Raises LinkTrouble."""
        until = time.monotonic() + seconds
        heard = self._heard[kind]
        while not heard and (left := until - time.monotonic()) > 0:
            self._listen(left)
        return heard.popleft() if heard else None

    def confirmed(self) -> bool:
        """Whether a confirmation has come meanwhile."""
        return bool(self._heard["confirm"])

    def forget(self) -> None:
        """Throw away all that was said up to now. Raises LinkTrouble when the line is gone."""
        while self._listen(0):
            pass
        for heard in self._heard.values():
            heard.clear()

    def _listen(self, seconds: float) -> bool:
        data = self._link.receive(seconds)
        for byte in data:
            self._sort(byte)
        return bool(data)

    def _sort(self, byte: int) -> None:
        if byte in {0x11, 0x13}:
            return
        if self._unasked and byte & 0x90 == 0:
            self._unasked -= 1
            return
        self._unasked = 0
        if byte & 0x93 == 0x12:
            self._heard["status"].append(byte)
        elif byte & 0x93 == 0x10:
            self._unasked = 3  # an ASB packet: three more bytes belong to it
        elif byte & 0x90 == 0:
            self._heard["confirm"].append(byte)


def ask_state(talk: Talk, *, seconds: float) -> PrinterState:
    """The printer's state, each question waited for at most so many seconds. Never raises.

    After the first question without an answer no other is asked: its answer might still come, late.
    """
    told: dict[int, int] = {}
    try:
        for n in ASKS:
            answer = talk.ask(n, seconds)
            if answer is None:
                return judge(told) if told else PrinterState.SILENT
            told[n] = answer
    except LinkTrouble:
        return PrinterState.OFFLINE
    return judge(told)


def judge(told: Mapping[int, int]) -> PrinterState:
    """The state that answers to DLE EOT n amount to, the one that somebody must see to first. `told`: n -> byte."""
    printer, why, error, paper = (told.get(n, 0x12) for n in ASKS)
    found = (
        (why & 0x04, PrinterState.COVER_OPEN),
        (why & 0x20 or paper & 0x60, PrinterState.PAPER_OUT),
        (why & 0x40 or error & 0x68, PrinterState.ERROR),
        (printer & 0x08, PrinterState.OFFLINE),
        (paper & 0x0C, PrinterState.PAPER_LOW),
    )
    return next((state for bits, state in found if bits), PrinterState.READY)
