"""The lines to printers: network, serial and USB, with explicit time limits; python-escpos opens what it opens well.

Every trouble is a LinkTrouble. `send` says how many bytes were taken: none before an exception means that none left.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import struct
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from escpos.exceptions import Error as EscposError
from escpos.printer import Serial, Usb


class LinkTrouble(Exception):  # noqa: N818 - it names the fact
    """The line does not work. `code`: unreachable, closed, stuck; `maybe_sent`: bytes of this call may have left."""

    def __init__(self, code: str, *, maybe_sent: bool = False) -> None:
        super().__init__(code)
        self.code = code
        self.maybe_sent = maybe_sent


class Link(Protocol):
    """An open line to a printer."""

    def send(self, data: bytes, seconds: float) -> int:
        """Hand over some of the bytes, at least one; how many. Raises LinkTrouble: `stuck` when none in time."""

    def send_all(self, data: bytes, seconds: float) -> None: ...

    def receive(self, seconds: float) -> bytes:
        """What the printer said, waiting at most so long; b"" when nothing. Raises LinkTrouble (closed)."""

    def close(self) -> None:
        """End the line; what was handed over still goes out."""

    def abandon(self) -> None:
        """End the line and throw away what has not left yet: it must not come out after a person's decision."""


@dataclass(frozen=True, slots=True)
class PrinterPlace:
    """Where a printer is: `device` network (host, port), serial (path, baud), usb (vendor, product) or file (path)."""

    device: str
    host: str = ""
    port: int = 9100
    path: str = ""
    baud: int = 9600
    vendor: int = 0
    product: int = 0


@dataclass(frozen=True, slots=True)
class Timing:
    """How long to wait, in seconds. `patience`: for somebody to see to paper or cover in the middle of a slip."""

    connect: float = 3.0
    answer: float = 1.0
    send: float = 10.0
    confirm: float = 8.0
    patience: float = 60.0
    poll: float = 1.0
    look: float = 10.0
    """How often an idle printer is asked for its state."""


def open_link(place: PrinterPlace, timing: Timing) -> Link:
    """The open line to a printer. Raises LinkTrouble (unreachable)."""
    if place.device == "network":
        return NetworkLink(place.host, place.port, timing)
    if place.device == "serial":
        return SerialLink(place.path, place.baud)
    if place.device == "usb":
        return UsbLink(place.vendor, place.product, timing)
    raise LinkTrouble("unreachable")


class _Sending:
    def send(self, data: bytes, seconds: float) -> int:
        raise NotImplementedError

    def send_all(self, data: bytes, seconds: float) -> None:
        until = time.monotonic() + seconds
        while data:
            data = data[self.send(data, max(0.0, until - time.monotonic())) :]


class _FileLink(_Sending):
    """A line that is a file descriptor: ready when `select` says so, and exact about what was taken."""

    def __init__(self, number: int) -> None:
        self._number = number

    def send(self, data: bytes, seconds: float) -> int:
        until = time.monotonic() + seconds
        try:
            while select.select([], [self._number], [], max(0.0, until - time.monotonic()))[1]:
                with suppress(BlockingIOError):
                    return os.write(self._number, data)
        except (OSError, ValueError) as trouble:
            raise LinkTrouble("closed") from trouble
        raise LinkTrouble("stuck")

    def receive(self, seconds: float) -> bytes:
        try:
            if not select.select([self._number], [], [], seconds)[0]:
                return b""
            said = os.read(self._number, 4096)
        except BlockingIOError:
            return b""
        except (OSError, ValueError) as trouble:
            raise LinkTrouble("closed") from trouble
        if not said:
            raise LinkTrouble("closed")
        return said


class NetworkLink(_FileLink):
    """A printer's port 9100. The kernel gives up on a dead one within seconds instead of a quarter of an hour.

    Not python-escpos' `Network`: it leaves the socket open when connecting fails, and its closing cannot abandon.
    """

    def __init__(self, host: str, port: int, timing: Timing) -> None:
        try:
            self._line = socket.create_connection((host, port), timeout=timing.connect)
        except OSError as trouble:
            raise LinkTrouble("unreachable") from trouble
        self._line.settimeout(0)
        self._line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in (
            (socket.TCP_KEEPIDLE, 5),
            (socket.TCP_KEEPINTVL, 2),
            (socket.TCP_KEEPCNT, 3),
            (socket.TCP_USER_TIMEOUT, int(timing.send * 1000)),
        ):
            self._line.setsockopt(socket.IPPROTO_TCP, option, value)
        super().__init__(self._line.fileno())

    def close(self) -> None:
        self._line.close()

    def abandon(self) -> None:
        with suppress(OSError):
            self._line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._line.close()


class SerialLink(_FileLink):
    """A serial printer set to XON/XOFF: none of its status bytes is one of the two, and Linux has no DSR handshake."""

    def __init__(self, path: str, baud: int) -> None:
        self._printer = Serial(path, baudrate=baud, timeout=0, xonxoff=True, dsrdtr=False)
        try:
            self._printer.open()
            number = self._printer.device.fileno()
        except (EscposError, OSError) as trouble:
            raise LinkTrouble("unreachable") from trouble
        super().__init__(number)

    def close(self) -> None:
        """Close without python-escpos' flush, which never comes back from a line that takes nothing."""
        line = self._printer.device
        if line:
            with suppress(OSError):
                line.close()

    def abandon(self) -> None:
        with suppress(Exception):  # termios.error is no OSError; a line that is gone has nothing to throw away
            self._printer.device.reset_output_buffer()
        self.close()


class UsbLink(_Sending):
    """A USB printer through python-escpos' `Usb`. Needs pyusb, which is not installed by itself.

    What of a call that failed was taken cannot be known, so every failed sending may have sent.
    """

    def __init__(self, vendor: int, product: int, timing: Timing) -> None:
        if not Usb.is_usable():
            raise LinkTrouble("unreachable")  # without pyusb even throwing a `Usb` away would raise
        self._printer = Usb(vendor, product, timeout=int(timing.send * 1000))
        try:
            self._printer.open()
        except Exception as trouble:  # pyusb's own, and DeviceNotFoundError
            raise LinkTrouble("unreachable") from trouble

    def send(self, data: bytes, seconds: float) -> int:
        try:
            return int(self._printer.device.write(self._printer.out_ep, data, int(max(seconds, 0.001) * 1000)))
        except Exception as trouble:  # pyusb's errors are known only where it is installed
            gone = getattr(trouble, "errno", None) == errno.ENODEV
            raise LinkTrouble("closed" if gone else "stuck", maybe_sent=True) from trouble

    def receive(self, seconds: float) -> bytes:
        try:
            said: Any = self._printer.device.read(self._printer.in_ep, 64, int(max(seconds, 0.001) * 1000))
        except Exception as trouble:
            if getattr(trouble, "errno", None) in {errno.ETIMEDOUT, 110}:
                return b""
            raise LinkTrouble("closed") from trouble
        return bytes(said)

    def close(self) -> None:
        self._printer.close()

    def abandon(self) -> None:
        self._printer.close()
