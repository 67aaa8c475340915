"""Whether the machine's clock is synchronised, as the kernel knows it (`adjtimex`, the same that timedatectl shows).

Source: requirement X-02: the server's clock is the only timekeeper. Reading needs no right; no clock is set here.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

_UNSYNC = 0x0040
_NANO = 0x2000
_ERROR_STATE = 5
_SEE_TO_IT = "See that chrony or systemd-timesyncd runs and reaches its servers: timedatectl, chronyc tracking."
FAR_OFF_MS = 1_000.0
"""An error that may be this large is no synchronised clock: a session would wait for it (draw record, "clock")."""


class _Timex(ctypes.Structure):
    """`struct timex` of the kernel, 208 bytes on 64 bits."""

    _fields_: ClassVar = [
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("constant", ctypes.c_long),
        ("precision", ctypes.c_long),
        ("tolerance", ctypes.c_long),
        ("seconds", ctypes.c_long),
        ("micros", ctypes.c_long),
        ("tick", ctypes.c_long),
        ("ppsfreq", ctypes.c_long),
        ("jitter", ctypes.c_long),
        ("shift", ctypes.c_int),
        ("stabil", ctypes.c_long),
        ("jitcnt", ctypes.c_long),
        ("calcnt", ctypes.c_long),
        ("errcnt", ctypes.c_long),
        ("stbcnt", ctypes.c_long),
        ("tai", ctypes.c_int),
        ("spare", ctypes.c_int * 11),
    ]


@dataclass(frozen=True, slots=True)
class KernelClock:
    """What the kernel says: synchronised or not, what is still to be made up, and the error that it may have (ms)."""

    synchronised: bool
    offset_ms: float
    most_off_ms: float


@dataclass(frozen=True, slots=True)
class ClockHealth:
    """`state`: synchronised, unsynchronised, or unknown where the kernel does not say. Words are for people."""

    state: Literal["synchronised", "unsynchronised", "unknown"]
    sentence: str
    todo: str = ""
    offset_ms: float | None = None
    most_off_ms: float | None = None


def kernel_clock() -> KernelClock:
    """Ask the kernel. Raises OSError where it is not allowed or not known."""
    told = _Timex()
    try:
        state = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(told))
    except AttributeError:
        raise OSError(0, "this system has no adjtimex") from None
    if state < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    unit = 1_000_000.0 if told.status & _NANO else 1_000.0
    synchronised = state != _ERROR_STATE and not told.status & _UNSYNC
    return KernelClock(synchronised, told.offset / unit, told.maxerror / 1_000.0)


def trouble(ask: Callable[[], KernelClock] = kernel_clock) -> str:
    """Why the clock is not to be trusted, for `draw_engine.clock`; "" when it is, or where the kernel does not say."""
    health = clock_health(ask)
    return health.sentence if health.state == "unsynchronised" else ""


def clock_health(ask: Callable[[], KernelClock] = kernel_clock) -> ClockHealth:
    """The clock's health now, with a sentence and what to do; it takes microseconds."""
    try:
        kernel = ask()
    except OSError:
        sentence = "It cannot be asked whether this machine's clock is synchronised."
        return ClockHealth("unknown", sentence, "Look on the machine itself: timedatectl.")
    if kernel.synchronised and kernel.most_off_ms <= FAR_OFF_MS:
        sentence = f"The clock is synchronised, to within {max(1, round(kernel.most_off_ms))} ms."
        return ClockHealth("synchronised", sentence, "", kernel.offset_ms, kernel.most_off_ms)
    sentence = "This machine's clock is not synchronised."
    if kernel.synchronised:
        sentence = f"This machine's clock may be {kernel.most_off_ms / 1_000:.0f} s off: its servers do not answer."
    return ClockHealth("unsynchronised", sentence, _SEE_TO_IT, kernel.offset_ms, kernel.most_off_ms)
