"""Print jobs: queued with what they print, given to a printer's spool, reported, and decided by people where in doubt.

    queued -> sending -> printed
                      -> failed   no byte left: given out again after a while, as the next attempt
                      -> unknown  bytes left and nobody knows: a person says came_out, reprint or drop
    unknown -> printed | queued (REPRINT) | dropped;   printed -> queued (REPRINT);   queued, failed -> dropped

Nothing here waits for a printer. A slip of which a byte may have left is never given out again by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from draw_engine.errors import Refused, RuleBroken
from draw_engine.service.engine import Engine
from draw_engine.service.ports import UnitOfWork
from draw_engine.service.print_ports import (
    DROPPED,
    FAILED,
    PRINTED,
    QUEUED,
    SENDING,
    UNKNOWN,
    PrinterRow,
    PrintJob,
    PrintWork,
)

RECEIPTS, LABELS, SLIPS = "receipts", "labels", "slips"
USES = (RECEIPTS, LABELS, SLIPS)
KINDS = {
    "winner_receipt": RECEIPTS,
    "claim_receipt": RECEIPTS,
    "decline_slip": SLIPS,
    "envelope_label": LABELS,
    "checkpoint": SLIPS,
    "return_list": SLIPS,
}
"""What can be printed, and the use of a printer it usually goes to."""

CAME_OUT, REPRINT, DROP = "came_out", "reprint", "drop"
DECISIONS = (CAME_OUT, REPRINT, DROP)

ATTENTION = (UNKNOWN, FAILED, QUEUED, SENDING)
"""The states of a slip that is not in anybody's hand yet."""

SENDING_LIMIT_MS = 120_000
"""A spool that said nothing of a slip for so long is not believed to be at it any more."""

_FIRST_WAIT_MS, _LONGEST_WAIT_MS = 2_000, 30_000
_MAY_SETTLE = frozenset({"crew", "stage", "desk", "customer_services", "marketing", "manager"})


def queue(
    work: PrintWork,
    *,
    kind: str,
    use: str,
    data: Mapping[str, Any],
    at: int,
    draw: str | None = None,
    ordinal: int | None = None,
) -> int:
    """Queue a slip in the transaction of what it prints; gives the job's number. `data`: the raw facts of its kind."""
    if kind not in KINDS or use not in USES:
        raise RuleBroken(f"there is no slip {kind} for {use}")
    return work.add_print_job(kind=kind, use=use, data=data, at=at, draw=draw, ordinal=ordinal)


# -- the spools -------------------------------------------------------------------------------------------------


def take(engine: Engine, printer: str, uses: Collection[str], now: int, *, ask: str) -> PrintJob | None:
    """The next slip for a printer, now `sending`; None when there is none.

    `ask` marks this asking: the same one again (its answer was lost) gives the same slip. Another one means that the
    printer's spool has nothing in hand: what it was sending is unknown from here on.
    """
    held = [job for job in engine.store.print_jobs([SENDING]) if job.printer == printer]
    again = next((job for job in held if ask and job.detail == ask), None)
    if again is not None:
        return again
    lose(engine, printer, now)
    job = next((job for job in engine.store.print_jobs([QUEUED, FAILED], uses=uses) if due_at(job) <= now), None)
    if job is None:
        return None
    taken = replace(
        job, state=SENDING, printer=printer, attempt=job.attempt + 1, changed_at=max(now, job.changed_at), detail=ask
    )
    _keep(engine, taken)
    return taken


def waiting(engine: Engine, uses: Collection[str], now: int) -> int:
    """How many slips a printer of these uses could take now."""
    return sum(1 for job in engine.store.print_jobs([QUEUED, FAILED], uses=uses) if due_at(job) <= now)


def lose(engine: Engine, printer: str, now: int) -> None:
    """The printer's spool has nothing in hand: a slip it was sending may or may not have come out."""
    for job in engine.store.print_jobs([SENDING]):
        if job.printer == printer:
            _keep(engine, replace(job, state=UNKNOWN, changed_at=max(now, job.changed_at), detail="spool_ended"))


def report(engine: Engine, job_id: int, *, printer: str, attempt: int, outcome: str, detail: str, now: int) -> PrintJob:
    """What became of a sending: printed, failed (no byte left) or unknown. Gives the job as it is then.

    Sent twice it is done once; what came too late for a later sending or a person's decision changes nothing. A slip
    taken for unknown because nothing was heard of it follows the report.
    """
    job = _job(engine, job_id)
    if outcome not in {PRINTED, FAILED, UNKNOWN}:
        raise Refused("X_VALUE_WRONG", "Report printed, failed or unknown.")
    in_doubt = job.state == UNKNOWN and job.detail == "spool_ended"
    if job.attempt != attempt or job.printer != printer or not (job.state == SENDING or in_doubt):
        return job
    at = max(now, job.changed_at)
    first = at if outcome == PRINTED and job.first_printed_at is None else job.first_printed_at
    told = replace(job, state=outcome, changed_at=at, first_printed_at=first, detail=detail[:40])
    _keep(engine, told)
    return told


def printer_said(engine: Engine, printer: str, state: str, now: int) -> None:
    """Keep and log a printer's state when it is another one than before."""
    before = next((row for row in engine.store.printer_rows() if row.printer == printer), None)
    if before is not None and before.state == state:
        return
    with engine.change() as work:
        at = work.instant(now)
        data = {"printer": printer, "state": state}
        work.append(at=at, kind="printer.changed", draw=None, actor="engine", data=data)
        work.put_printer(PrinterRow(printer, state, at))


def due_at(job: PrintJob) -> int:
    """From when on a waiting job may be given out: a failed one after 2, 4, 8, 16, then 30 seconds."""
    if job.state != FAILED:
        return job.changed_at if job.state == QUEUED else job.changed_at + SENDING_LIMIT_MS
    wait = min(_LONGEST_WAIT_MS, _FIRST_WAIT_MS << min(10, max(0, job.attempt - 1)))
    return job.changed_at + wait


def drop_waiting(engine: Engine, work: UnitOfWork, draw: str, ordinal: int, kind: str, at: int) -> None:
    """A claim's slips of a kind that no printer has yet are not wanted any more."""
    for job in engine.store.print_jobs_of(draw, ordinal):
        if job.kind == kind and job.state in {QUEUED, FAILED}:
            work.put_print_job(replace(job, state=DROPPED, changed_at=at, detail="voided"))


# -- people -----------------------------------------------------------------------------------------------------


def jobs(engine: Engine, states: Collection[str] = ATTENTION) -> list[PrintJob]:
    """The jobs in some states, oldest first; without states: every slip that is in nobody's hand yet."""
    return engine.store.print_jobs(states)


def in_doubt(job: PrintJob, now: int) -> bool:
    """Whether a person must say what became of a slip."""
    return job.state == UNKNOWN or (job.state == SENDING and now >= due_at(job))


def settle(engine: Engine, job_id: int, *, by: str, decision: str, now: int) -> PrintJob:
    """A person says what becomes of a slip: it came out, it is printed again as a REPRINT, or it is dropped.

    `came_out` and `reprint` settle a slip in doubt; `drop` gives up one that waits, too. Refused X_PRINT_STATE,
    X_NO_PERMISSION, X_VALUE_WRONG, X_NO_SUCH_JOB.
    """
    actor = _person(engine, by)
    job = _job(engine, job_id)
    if decision not in DECISIONS:
        raise Refused("X_VALUE_WRONG", "Say came_out, reprint or drop.")
    if not (in_doubt(job, now) or (decision == DROP and job.state in {QUEUED, FAILED})):
        raise Refused("X_PRINT_STATE", f"Slip {job.id} is not in doubt any more. Look at the list of slips again.")
    with engine.change() as work:
        at = work.instant(now)
        data = {"decision": decision, "job": job.id, "kind": job.kind}
        work.append(at=at, kind="slip.settled", draw=None, actor=actor, data=data)
        return _decide(work, job, decision, actor, at)


def _decide(work: UnitOfWork, job: PrintJob, decision: str, actor: str, at: int) -> PrintJob:
    if decision == REPRINT:
        return _again(work, job, actor, at)
    state = PRINTED if decision == CAME_OUT else DROPPED
    decided = replace(job, state=state, changed_at=at, first_printed_at=_first_copy(job), detail="by_hand")
    work.put_print_job(decided)
    return decided


def _first_copy(job: PrintJob) -> int | None:
    """When the first copy came out, whole or torn: of a slip in doubt when it was sent. None: no byte ever left."""
    if job.first_printed_at is None and job.state in {SENDING, UNKNOWN}:
        return job.changed_at
    return job.first_printed_at


def reprint(engine: Engine, job_id: int, *, by: str, now: int) -> PrintJob:
    """Print a slip that came out, is in doubt or was dropped once more: the same serial, marked REPRINT n."""
    actor = _person(engine, by)
    job = _job(engine, job_id)
    if in_doubt(job, now):
        return settle(engine, job_id, by=by, decision=REPRINT, now=now)
    if job.state not in {PRINTED, DROPPED}:
        raise Refused("X_PRINT_STATE", f"Slip {job.id} waits to be printed already. See that its printer is ready.")
    with engine.change() as work:
        return _again(work, job, actor, work.instant(now))


def _again(work: UnitOfWork, job: PrintJob, actor: str, at: int) -> PrintJob:
    """One more copy. A slip of which no byte ever left is no reprint: n stays 0."""
    first = _first_copy(job)
    n = job.reprints if first is None else job.reprints + 1
    again = replace(job, state=QUEUED, reprints=n, first_printed_at=first, changed_at=at, detail="")
    data = {"job": job.id, "kind": job.kind, "n": n}
    work.append(at=at, kind="slip.reprinted", draw=None, actor=actor, data=data)
    work.put_print_job(again)
    return again


def _person(engine: Engine, by: str) -> str:
    role = engine.settings.staff.get(by)
    if role not in _MAY_SETTLE:
        raise Refused("X_NO_PERMISSION", "Pick who you are from the list of the crew, the desks and the managers.")
    return f"{role}:{by}"


def _job(engine: Engine, job_id: int) -> PrintJob:
    job = engine.store.print_job(job_id)
    if job is None:
        raise Refused("X_NO_SUCH_JOB", f"There is no slip {job_id}. Look at the list of slips again.")
    return job


def _keep(engine: Engine, job: PrintJob) -> None:
    with engine.change() as work:
        work.put_print_job(job)
