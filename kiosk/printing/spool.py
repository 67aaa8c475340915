"""A printer's spool, a process of its own: asks the core for a slip, prints it, reports what became of it.

It survives the core's restarts: an asking and a report are sent again until they are answered, and count once. It may
be killed at any point: what it was sending is then unknown to the core, which asks a person; what it knows already
stands in a small file until the core has it.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
import structlog

from draw_engine.errors import Refused
from printers.devices import device_of
from printers.escpos_bytes import PrintedSlip, encode
from printers.links import PrinterPlace, Timing
from printers.sending import Device, Sent
from printers.slip_facts import HouseFacts
from printers.slips import slip_of
from printers.states import PrinterState

_log = structlog.get_logger(__name__)
_ANSWER_SECONDS = (3.0, 10.0)
_FRESH_SECONDS = 0.5
"""A state heard so lately is good enough to ask for a slip; the device asks again before it sends one."""


class CoreLine:
    """One printer's line to the core at `core`, with its bearer token. No answer is None, not an exception."""

    def __init__(self, core: str, token: str) -> None:
        self._core = core.rstrip("/")
        self._session = requests.Session()
        # Neither a proxy nor a password file of this machine may stand between the spool and its core.
        self._session.trust_env = False
        self._session.headers["Authorization"] = f"Bearer {token}"

    def post(self, path: str, said: Mapping[str, Any]) -> tuple[int, dict[str, Any]] | None:
        """(status, object) of the answer; None when none came or it is no JSON object."""
        try:
            got = self._session.post(self._core + path, json=dict(said), timeout=_ANSWER_SECONDS, allow_redirects=False)
            body = got.json()
        except (requests.RequestException, ValueError):
            return None
        return (got.status_code, body) if isinstance(body, dict) else None


@dataclass(frozen=True, slots=True)
class Order:
    """A slip to print, as the core gave it out."""

    job: int
    attempt: int
    kind: str
    data: Mapping[str, Any]
    reprints: int
    first_printed_at: int | None
    house: HouseFacts

    @property
    def name(self) -> str:
        return f"job-{self.job}-{self.attempt}"

    @staticmethod
    def read(said: Mapping[str, Any]) -> Order:
        return Order(
            int(said["job"]),
            int(said["attempt"]),
            str(said["kind"]),
            said["data"],
            int(said["reprints"]),
            said["first_printed_at"],
            HouseFacts(**said["house"]),
        )

    def slip(self) -> PrintedSlip:
        """The slip's bytes and picture. Raises when the facts are not those of its kind."""
        return encode(
            slip_of(
                self.kind,
                self.data,
                self.house,
                job=self.job,
                reprints=self.reprints,
                first_printed_at=self.first_printed_at,
            )
        )


class Outcome:
    """What is known of the last sending and not yet reported, in a file that outlives the spool."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def keep(self, order: Order, sent: Sent) -> None:
        """Write it down, synced, before the core is told."""
        said = {"job": order.job, "attempt": order.attempt, "outcome": sent.outcome, "detail": sent.detail}
        part = self._file.with_suffix(".part")
        with part.open("w", encoding="utf-8") as file:
            json.dump(said, file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(self._file)

    def read(self) -> dict[str, Any] | None:
        """What was kept; None when there is nothing, or nobody can read it: the core then asks a person."""
        try:
            said = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return None
        return said if isinstance(said, dict) and isinstance(said.get("job"), int) else None

    def drop(self) -> None:
        self._file.unlink(missing_ok=True)


class Spool:
    """The loop of one printer."""

    def __init__(self, line: CoreLine, device: Device, outcome: Outcome, timing: Timing, stop: threading.Event) -> None:
        self._line = line
        self._device = device
        self._outcome = outcome
        self._timing = timing
        self._stop = stop
        self._looked_at: float | None = None
        self._state = PrinterState.OFFLINE

    def run(self) -> None:
        """Print what there is until told to stop; a slip that is being sent is finished first."""
        while not self._stop.is_set():
            if not (self._reported() and self._one()):
                self._stop.wait(self._timing.poll)

    def _one(self) -> bool:
        """Print one slip if there is one and the printer takes it; whether one was."""
        self._look(every=self._timing.look)
        answer = self._next({})
        if answer is None or not answer.get("waiting"):
            return False
        self._look(every=_FRESH_SECONDS)
        if not self._state.can_print:
            self._next({})
            return False
        order = self._take()
        if order is None:
            return False
        self._print(order)
        return True

    def _look(self, *, every: float) -> None:
        now = time.monotonic()
        if self._looked_at is None or now - self._looked_at >= every:
            self._state = self._device.state()
            self._looked_at = now

    def _next(self, said: Mapping[str, Any]) -> dict[str, Any] | None:
        answer = self._line.post("/print-jobs/next", {"state": self._state.value, **said})
        if answer is None or answer[0] != requests.codes.ok:
            if answer is not None and answer[0] == requests.codes.forbidden:
                _log.warning("spool.token_refused")
            return None
        return answer[1]

    def _take(self) -> Order | None:
        """Ask for a slip under one mark until there is an answer: a lost answer must not lose the slip."""
        ask = secrets.token_hex(16)
        while (answer := self._next({"ask": ask})) is None:
            if self._stop.wait(self._timing.poll):
                return None
        return None if answer.get("job") is None else Order.read(answer["job"])

    def _print(self, order: Order) -> None:
        try:
            slip = order.slip()
        except (KeyError, TypeError, ValueError, AttributeError) as fault:
            _log.error("spool.slip_unreadable", job=order.job, kind=order.kind, fault=type(fault).__name__)
            sent = Sent("failed", "unreadable")
        else:
            sent = self._device.print_slip(order.name, slip, self._watch)
        _log.info("spool.sent", job=order.job, attempt=order.attempt, outcome=sent.outcome, detail=sent.detail)
        self._looked_at = None
        self._outcome.keep(order, sent)

    def _watch(self, state: PrinterState) -> None:
        """Tell the core what the slip waits for; that it is not heard changes nothing."""
        self._state = state
        self._next({"at_work": True})

    def _reported(self) -> bool:
        """Report what is known; whether nothing is left to report."""
        said = self._outcome.read()
        if said is None:
            return True
        answer = self._line.post(f"/print-jobs/{said['job']}/report", said)
        if answer is None or (answer[0] != requests.codes.ok and answer[1].get("code") != "X_NO_SUCH_JOB"):
            return False
        self._outcome.drop()
        return True


def run(
    printer: str,
    place: PrinterPlace,
    *,
    core: str,
    token: str,
    folder: Path,
    stop: threading.Event,
    timing: Timing | None = None,
) -> None:
    """Run a printer's spool until `stop` is set. `folder` keeps its lock and what it has not reported yet.

    Raises Refused X_SPOOL_RUNS when another spool of this printer runs, OSError when the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder / f"{printer}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refused("X_SPOOL_RUNS", f"The spool of {printer} runs already; one printer has one.") from None
        timing = timing or Timing()
        outcome = Outcome(folder / f"{printer}.outcome.json")
        Spool(CoreLine(core, token), device_of(place, timing), outcome, timing, stop).run()
    finally:
        os.close(lock)
