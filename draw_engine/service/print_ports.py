"""What printing asks of the store: the rows of the print jobs and what was last heard of each printer."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

QUEUED, SENDING, PRINTED, UNKNOWN, FAILED, DROPPED = "queued", "sending", "printed", "unknown", "failed", "dropped"
"""A job's life: waits; bytes may be leaving; came out; nobody knows; no byte left, tried again; given up."""


@dataclass(frozen=True, slots=True)
class PrintJob:
    """A slip to print, as kept. `data` holds the raw facts of its kind; it names guests and goes into no log.

    `attempt` counts the sendings begun, `reprints` the times a person asked for another one. `detail` is the mark of
    the spool's asking while a job is `sending`, else why it is where it is: one of a few plain codes, or "".
    """

    id: int
    kind: str
    use: str
    made_at: int
    draw: str | None
    ordinal: int | None
    data: Mapping[str, Any]
    state: str = QUEUED
    printer: str | None = None
    attempt: int = 0
    reprints: int = 0
    first_printed_at: int | None = None
    changed_at: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PrinterRow:
    """A printer's state as its spool last told it, and since when (ms)."""

    printer: str
    state: str
    since: int


class PrintWork(Protocol):
    """The part of a transaction that writes print jobs."""

    def add_print_job(
        self, *, kind: str, use: str, data: Mapping[str, Any], at: int, draw: str | None, ordinal: int | None
    ) -> int:
        """Queue a job; gives its number, from 1 without a gap."""

    def put_print_job(self, job: PrintJob) -> None:
        """Keep a job's state, printer, attempt, reprints, first_printed_at, changed_at and detail."""

    def put_printer(self, row: PrinterRow) -> None: ...


class PrintStore(Protocol):
    """The part of the store that reads print jobs."""

    def print_job(self, job: int) -> PrintJob | None: ...

    def print_jobs(self, states: Collection[str], *, uses: Collection[str] | None = None) -> list[PrintJob]:
        """Every job in one of these states, oldest first; of some uses only, when they are given."""

    def recent_print_jobs(self, limit: int) -> list[PrintJob]:
        """The youngest jobs of all states, youngest first."""

    def print_jobs_of(self, draw: str, ordinal: int) -> Sequence[PrintJob]:
        """Every slip of one claim, oldest first."""

    def printer_rows(self) -> list[PrinterRow]: ...
