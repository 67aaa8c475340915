"""When: the due time of every try of a session, how late it may be, and the reasons that allow more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from draw_engine.canonical import format_time, parse_time
from draw_engine.verify.record import Happening, Record, Turn, has_failed

_FAILURES = (
    "claim.expired",
    "claim.not_rightful_card",
    "claim.ineligible",
    "claim.voided",
)


@dataclass(frozen=True, slots=True)
class Try:
    """A selection made, postponed or lapsed, the time it was due (ms), and how often it had been postponed."""

    entry: Happening
    due: int
    postponed: int


def tries(record: Record) -> list[Try]:
    """A session's tries in log order. Those of a turn that is not due at all are left out: others name them."""
    due: dict[Turn, int] = {("moment", n): at for n, at in enumerate(record.moments)}
    postponed: dict[Turn, int] = {}
    found: list[Try] = []
    for happening in record.happened("selection.made", "selection.postponed", "selection.lapsed", *_FAILURES):
        if happening.kind in _FAILURES:
            if has_failed(happening):
                due["after", happening.data["ordinal"]] = happening.at
            continue
        turn = happening.turn
        if turn in due:
            found.append(Try(happening, due[turn], postponed.get(turn, 0)))
        if turn in due and happening.kind == "selection.postponed":
            due[turn] = happening.at + record.terms["retry_ms"]
            postponed[turn] = postponed.get(turn, 0) + 1
    return found


def faults_of_tries(record: Record) -> Iterator[str]:
    """Every try logged when due or at most `lateness_ms` later; an outage and a queue as the page allows them."""
    made = tries(record)
    lateness: int = record.terms["lateness_ms"]
    outages = [t.entry.seq for t in made if _reason(t) == "outage"]
    for attempt in made:
        entry, due = attempt.entry, attempt.due
        if entry.kind == "selection.lapsed":
            continue  # faults_of_lapses has their times
        what = f"{entry} of {_named(entry.turn)}, due {_written(due)}"
        if entry.at < due:
            yield f"{what}, came early, at {format_time(entry.at)}"
        elif _reason(attempt) == "outage":
            yield from (f"{what}: {fault}" for fault in _outage(record, attempt))
        elif entry.at > due + lateness:
            yield f"{what}, came late, at {format_time(entry.at)}: more than {lateness} ms after"
        if _reason(attempt) == "queue":
            yield from (f"{what}: {fault}" for fault in _queue(record, attempt, made, outages))


def _outage(record: Record, attempt: Try) -> Iterator[str]:
    if attempt.entry.at == attempt.due:
        yield "an outage is given as the reason, though it was tried when due"
    lateness = record.terms["lateness_ms"]
    for entry in record.log:
        if attempt.due + lateness < parse_time(entry["at"]) < attempt.entry.at - lateness:
            yield f"an outage is given as the reason, but entry {entry['seq']} at {entry['at']} was logged in it"
            return


def _queue(record: Record, attempt: Try, made: list[Try], outages: list[int]) -> Iterator[str]:
    entry = attempt.entry
    if not any(seq < entry.seq for seq in outages):
        yield "a queue is given as the reason, though there was no outage before"
    retry = record.terms["retry_ms"]
    ahead = [
        other.entry
        for other in made
        if other.entry.kind == "selection.made" and other.entry.seq < entry.seq and entry.at - other.entry.at < retry
    ]
    if not ahead:
        yield f"a queue is given as the reason, though no selection was made less than {retry} ms before"
    for other in ahead:
        if attempt.due <= other.at and _goes_first(entry.turn, other.turn):
            yield f"{_named(other.turn)} was taken before it ({other}): re-selections go first, then the oldest moment"


def _goes_first(turn: Turn, other: Turn) -> bool:
    if turn[0] == "after":
        return other[0] == "moment"
    return other[0] == "moment" and turn[1] < other[1]


def _reason(attempt: Try) -> str | None:
    return attempt.entry.data["reason"] if attempt.entry.kind == "selection.postponed" else None


def _named(turn: Turn) -> str:
    return f"moment {turn[1]}" if turn[0] == "moment" else f"the re-selection after ordinal {turn[1]}"


def _written(at: int) -> str:
    try:
        return format_time(at)
    except OverflowError:
        return "after the end of the calendar"


def faults_of_lapses(record: Record) -> Iterator[str]:
    """Lapses by the rules: not before the end, after a try or an empty pool, in time, for the right reason."""
    for entry in record.happened("selection.lapsed"):
        if entry.data["place"] not in record.terms["places"]:
            yield f"{entry} is for place {entry.data['place']}, which the terms do not have"
        if entry.data["reason"] == "carried":
            yield from (f"{entry}: {fault}" for fault in _carried(record, entry))
    lapses = _session_lapses(record) if record.session else _electronic_lapses(record)
    yield from lapses


def _carried(record: Record, entry: Happening) -> Iterator[str]:
    to = entry.data["to"]
    if to == record.draw or to in {c["from"] for c in record.terms["carried"]}:
        yield f"it is carried to {to}, which is no later draw"
    for other in record.log:
        if other["kind"] == "draw.opened" and other["draw"] == to and other["seq"] < entry.seq:
            yield f"it is carried to {to}, which had opened in entry {other['seq']}"


def _session_lapses(record: Record) -> Iterator[str]:
    empty = {h.at for h in record.happened("pool.judged") if h.data["pool"] is None}
    for attempt in tries(record):
        entry = attempt.entry
        if entry.kind != "selection.lapsed":
            continue
        what = f"{entry} of {_named(entry.turn)}"
        if entry.at < record.end:
            yield f"{what} came before the end of the session"
        if entry.at > attempt.due + record.terms["lateness_ms"]:
            yield f"{what} came late: its next try was due {_written(attempt.due)}"
        moment = entry.turn[0] == "moment"
        if moment and not attempt.postponed:
            yield f"{what} was never tried"
        if not moment and entry.at not in empty:
            yield f"{what}: no empty pool was judged in its millisecond"
        if entry.data["reason"] not in ("carried", "session_end" if moment else "unfilled"):
            yield f"{what} cannot lapse for the reason {entry.data['reason']}"


def _electronic_lapses(record: Record) -> Iterator[str]:
    size = next((h.data["size"] for h in record.happened("pool.frozen")), 0)
    drawn: set[str] = set()
    for entry in record.happened("selection.made", "selection.lapsed"):
        if entry.kind == "selection.made":
            drawn.add(entry.data["ref"])
            continue
        if entry.data["reason"] != "unfilled":
            yield f"{entry}: an electronic draw lapses only as unfilled, not {entry.data['reason']}"
        if len(drawn) != size:
            yield f"{entry}: {len(drawn)} different references were drawn of {size}: the pool was not used up"
