"""Sending a slip over a line: every byte counted, and nothing called printed before the printer has said so.

What can become of it is one of three: `printed` (the printer confirmed), `failed` (not one byte left, so it can be
tried again), `unknown` (bytes left, and what came out only a person can see).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from printers.escpos_bytes import PrintedSlip
from printers.links import Link, LinkTrouble, PrinterPlace, Timing, open_link
from printers.states import PrinterState
from printers.status import CONFIRM, Talk, ask_state

CHUNK = 256
Outcome = Literal["printed", "failed", "unknown"]
Watch = Callable[[PrinterState], None]
"""Told of the printer's state while a slip waits for somebody's hands."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a sending. `detail`: a plain code why; `sent`: how many bytes the line took."""

    outcome: Outcome
    detail: str = ""
    sent: int = 0


class Device(Protocol):
    """A printer as the spool sees it. Neither method raises."""

    def state(self) -> PrinterState: ...

    def print_slip(self, name: str, slip: PrintedSlip, watch: Watch) -> Sent:
        """Print one slip. `name`: a file's stem, unlike that of any other sending."""


class LineDevice:
    """A printer on a line, opened for each slip and each look: an idle connection dies unseen, or keeps others out."""

    def __init__(self, place: PrinterPlace, timing: Timing) -> None:
        self._place = place
        self._timing = timing

    def state(self) -> PrinterState:
        try:
            link = open_link(self._place, self._timing)
        except LinkTrouble:
            return PrinterState.OFFLINE
        try:
            return ask_state(Talk(link), seconds=self._timing.answer)
        finally:
            link.close()

    def print_slip(self, name: str, slip: PrintedSlip, watch: Watch) -> Sent:
        _ = name
        try:
            link = open_link(self._place, self._timing)
        except LinkTrouble as trouble:
            return Sent("failed", trouble.code)
        sent = self._send(link, slip.data, watch)
        if sent.outcome == "unknown" and sent.detail != PrinterState.SILENT:
            link.abandon()
        else:
            link.close()
        return sent

    def _send(self, link: Link, data: bytes, watch: Watch) -> Sent:
        talk = Talk(link)
        state = ask_state(talk, seconds=self._timing.answer)
        if not state.can_print:
            return Sent("failed", state.value)
        return send_slip(link, talk, data, self._timing, talks=state is not PrinterState.SILENT, watch=watch)


def send_slip(link: Link, talk: Talk, data: bytes, timing: Timing, *, talks: bool, watch: Watch) -> Sent:
    """Send the bytes and have them confirmed. `talks`: whether the printer answers questions as it should."""
    sent = 0
    try:
        talk.forget()  # a line that was closed in the meantime says so here, before a byte is lost in it
        while sent < len(data):
            sent += link.send(data[sent : sent + CHUNK], timing.send)
    except LinkTrouble as trouble:
        if sent or trouble.maybe_sent:
            return Sent("unknown", trouble.code, sent)
        return Sent("failed", trouble.code)
    if not talks:
        return Sent("unknown", PrinterState.SILENT.value, sent)
    try:
        return _confirmed(link, talk, timing, watch, sent)
    except LinkTrouble as trouble:
        return Sent("unknown", trouble.code, sent)


def _confirmed(link: Link, talk: Talk, timing: Timing, watch: Watch, sent: int) -> Sent:
    """Ask for the confirmation. Out of paper, a printer keeps the rest and goes on when it is refilled: so wait."""
    talk.forget()
    link.send_all(CONFIRM, timing.send)
    until = time.monotonic() + timing.patience
    answer = talk.wait("confirm", timing.confirm)
    while answer is None:
        state = ask_state(talk, seconds=timing.answer)
        if talk.confirmed():
            break
        watch(state)
        if not state.waits_for_hands or time.monotonic() >= until:
            return Sent("unknown", "not_confirmed" if state.can_print else state.value, sent)
        answer = talk.wait("confirm", timing.answer)
    return Sent("printed", "", sent)
