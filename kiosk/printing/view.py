"""Printers and slips as people see them: what waits, what is in doubt, and what to do about it.

`print_view` is plain JSON; the desk's page and the console show it, `GET /print-jobs` gives it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from config.site import Printer
from draw_engine.clock import Millis
from draw_engine.service import printing
from draw_engine.service.engine import Engine
from draw_engine.service.print_ports import DROPPED, FAILED, PRINTED, QUEUED, SENDING, UNKNOWN, PrintJob
from web_display import screens
from web_display.catalogue import say

UNHEARD_MS = 15_000
"""A spool of which nothing was heard for so long does not run, or cannot reach the core."""
_RECENT = 50

_TITLES = {
    "winner_receipt": "Winner's receipt",
    "claim_receipt": "Receipt for a held prize",
    "decline_slip": "Register slip",
    "envelope_label": "Envelope label",
    "checkpoint": "Checkpoint slip",
    "return_list": "Return list",
}
_PRINTERS = {
    "ready": ("Ready.", ""),
    "paper_low": ("The paper is nearly finished.", "Put in a new roll at the next quiet moment."),
    "paper_out": ("Out of paper.", "Put in a new roll and close the cover; it goes on by itself."),
    "cover_open": ("The cover is open.", "Close it; it goes on by itself."),
    "offline": ("It cannot be reached.", "See that it is switched on, on line and plugged in."),
    "error": ("It reports an error.", "Switch it off and on; look for a jam at the cutter."),
    "silent": ("It takes slips but answers no question.", "Look after each slip whether it came out, and say so."),
    "unheard": ("Its spool does not run.", "Start it: floordraw print-spool {printer}"),
    "never": ("Nothing was heard of it yet.", "Start its spool: floordraw print-spool {printer}"),
}
_IN_DOUBT = "It is not known whether the slip came out."
_LOOK = (
    "Look at the printer. The whole slip is there: it came out. Torn or missing: print it again, marked REPRINT. "
    "Not needed any more: drop it."
)
_SLIPS = {
    QUEUED: ("Waits for a printer.", ""),
    SENDING: ("Printing.", ""),
    PRINTED: ("Printed.", ""),
    UNKNOWN: (_IN_DOUBT, _LOOK),
    FAILED: ("Not printed yet: {why}", "It is tried again by itself once the printer is seen to."),
    DROPPED: ("Dropped.", ""),
}
_WHY = {
    "unreachable": "the printer could not be reached.",
    "closed": "the printer closed the line.",
    "stuck": "the printer took nothing.",
    "paper_out": "the printer is out of paper.",
    "cover_open": "the printer's cover is open.",
    "offline": "the printer cannot be reached.",
    "error": "the printer reports an error.",
    "unreadable": "the slip could not be made. Tell the technician its number.",
}


class Printers:
    """The property's printers, and when the core last heard of each one's spool (memory alone).

    `check_address`: where a guest checks a draw; it stands on receipts. `names`: of the staff, by id.
    """

    def __init__(
        self, printers: Sequence[Printer] = (), *, check_address: str = "", names: Mapping[str, str] | None = None
    ) -> None:
        self.listed = tuple(printers)
        self.check_address = check_address
        self.names: Mapping[str, str] = {} if names is None else names  # filled, and changed, while the house works
        self.heard: dict[str, Millis] = {}

    def of(self, printer: str) -> Printer | None:
        return next((one for one in self.listed if one.id == printer), None)

    @property
    def tokens(self) -> Mapping[str, str]:
        """Printer -> SHA-256 (hex) of its token, of those that have one."""
        return {one.id: one.token_sha256 for one in self.listed if one.token_sha256}


def print_view(engine: Engine, printers: Printers) -> dict[str, Any]:
    """{printers, slips, to_decide, waiting}: each printer and slip with its state in words and what to do.

    Slips: what needs a person first, then what waits, then the latest others. They name guests: for staff alone.
    """
    now = engine.now()
    open_jobs = printing.jobs(engine)
    doubtful = [job for job in open_jobs if printing.in_doubt(job, now)]
    under_way = [job for job in open_jobs if job not in doubtful]
    shown = {job.id for job in open_jobs}
    lately = [job for job in engine.store.recent_print_jobs(_RECENT) if job.id not in shown]
    return {
        "printers": printers_view(engine, printers, now),
        "slips": [_slip(job, now) for job in (*doubtful, *under_way, *lately)],
        "to_decide": len(doubtful),
        "waiting": len(under_way),
    }


def printers_view(engine: Engine, printers: Printers, now: Millis) -> list[dict[str, Any]]:
    """Each printer of the property: its state, since when, in words, and what to do."""
    told = {row.printer: row for row in engine.store.printer_rows()}
    views = []
    for printer in printers.listed:
        row = told.get(printer.id)
        heard = printers.heard.get(printer.id)
        state = "never" if row is None else row.state
        if row is not None and (heard is None or now - heard > UNHEARD_MS):
            state = "unheard"
        sentence, todo = _PRINTERS[state]
        views.append(
            {
                "id": printer.id,
                "title": printer.title,
                "uses": list(printer.uses),
                "device": printer.device,
                "state": state,
                "since": heard if state == "unheard" else None if row is None else row.since,
                "sentence": sentence,
                "todo": todo.format(printer=printer.id),
            }
        )
    return views


def printer_sentence(printer: Mapping[str, Any], now: Millis, zone: str) -> str:
    """A printer of `printers_view` in one line: its title, its state since when, what to do."""
    state = str(printer["sentence"])
    if printer["since"] is not None:
        since = screens.starts_text(printer["since"], now, zone)
        state = say("printer.since", state=state.rstrip("."), time=since)
    return " ".join(part for part in (f"{printer['title']}:", state, printer["todo"]) if part)


def _slip(job: PrintJob, now: Millis) -> dict[str, Any]:
    doubtful = printing.in_doubt(job, now)
    sentence, todo = _SLIPS[UNKNOWN if doubtful else job.state]
    return {
        "job": job.id,
        "kind": job.kind,
        "title": _TITLES[job.kind],
        "guest": str(job.data.get("guest") or ""),
        "draw": job.draw,
        "ordinal": job.ordinal,
        "state": UNKNOWN if doubtful else job.state,
        "sentence": sentence.format(why=_WHY.get(job.detail, "the printer did not take it.")),
        "todo": todo,
        "acts": _acts(job, doubtful=doubtful),
        "printer": job.printer,
        "attempt": job.attempt,
        "reprints": job.reprints,
        "made_at": job.made_at,
        "changed_at": job.changed_at,
        "first_printed_at": job.first_printed_at,
    }


def _acts(job: PrintJob, *, doubtful: bool) -> list[str]:
    """What a person may do: decisions for `settle`, or `again` for `reprint`."""
    if doubtful:
        return list(printing.DECISIONS)
    if job.state in {PRINTED, DROPPED}:
        return ["again"]
    return [printing.DROP] if job.state in {QUEUED, FAILED} else []
