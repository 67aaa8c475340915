"""What must hold after a run, however often its core was killed. Each fault is a sentence; none = all holds."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from casino import iso
from crash.core_process import PROPERTY, database_url, seeds_of
from crash.world import Told

from draw_engine.log import Entry, first_break, slip_text
from draw_engine.service.publishing import shown
from draw_engine.store.database import open_database
from draw_engine.store.journal import read_segment
from draw_engine.store.repositories import TableStore
from draw_engine.store.sealing import Signer
from draw_engine.verify import verify
from draw_engine.verify.report import HOLDS

LATENESS_MS = 2_000


class Kept:
    """Everything that was kept by the end of a run."""

    def __init__(self, folder: Path, seed: str, url: str | None = None) -> None:
        self.folder, self.seed = folder, seed
        self.database = open_database(url or database_url(folder))
        self.store = TableStore(self.database, salt=seeds_of(seed).salt, property_id=PROPERTY)
        head = self.store.head()
        assert head is not None
        self.head = head
        self.entries: list[Entry] = list(self.store.entries(1, head.seq))
        self.draws = self.store.draws()

    def close(self) -> None:
        self.database.dispose()

    def said(self, *kinds: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.kind in kinds]

    def digests(self) -> dict[str, str]:
        """Draw -> the digest of its record, which holds every selection, claim, prize and time of it."""
        return {str(entry.draw): entry.data["record"] for entry in self.said("draw.closed")}

    def persons(self) -> Persons:
        return [
            (row.draw, row.ordinal, row.person, row.ref)
            for draw in self.draws
            for row in self.store.selections(draw.id)
        ]


Persons = list[tuple[str, int, str, str]]


def faults_of(
    kept: Kept,
    told: Told,
    digests: dict[str, str] | None = None,
    persons: Persons | None = None,
    *,
    judge_again: bool = True,
) -> list[str]:
    """Everything that does not hold. `digests` and `persons`: the undisturbed run's, which a core that was started
    again at once must have, too. `judge_again`: every pool, from the auditor's copy of the journal.
    """
    found = [
        *_journal(kept, told),
        *_log(kept),
        *_selections(kept),
        *_committed(kept, told),
        *_records(kept, told, judge_again=judge_again),
        *_outages(kept, told),
    ]
    # Dead between a deadline and its expiry, the claim waits for two people instead: a press may have been lost.
    if told.downtime == 0 and not kept.said("claim.review"):
        if digests not in (None, kept.digests()):
            found.append("a record differs from the undisturbed run's")
        if persons not in (None, kept.persons()):
            found.append("a selection has another person than in the undisturbed run")
    return found


def _journal(kept: Kept, told: Told) -> Iterator[str]:
    """Every acknowledged event stands in the journal, once in a segment, and nothing that was never sent.

    A segment stands alone: what was not answered before the gaming day turned is sent again and stands in both.
    """
    places: dict[tuple[str, int], list[str]] = {}
    folder = kept.folder / "journal"
    for segment in sorted({path.name.partition(".")[0] for path in folder.glob("*.jsonl*")}):
        last = ""
        for line in read_segment(folder, segment).splitlines():
            value = json.loads(line)
            event, received_at = value["event"], value["received_at"]
            key = (event["feed"], event["seq"])
            places.setdefault(key, []).append(segment)
            if key not in told.sent or json.loads(told.sent[key]) != event:
                yield f"the journal holds an event that was never sent: {key}"
            if received_at < last:
                yield f"the journal goes back in time at {key}"
            last = received_at
    yield from (f"an acknowledged event is lost: {key}" for key in told.acknowledged.keys() - places.keys())
    for key, found in places.items():
        if len(found) > len(set(found)) or (len(found) > 1 and key not in told.sent_again):
            yield f"an event stands in the journal more than once: {key} in {found}"


def _log(kept: Kept) -> Iterator[str]:
    if [entry.seq for entry in kept.entries] != list(range(1, kept.head.seq + 1)):
        yield "the log has a gap or a double"
    broken = first_break(entry.shown() for entry in kept.entries)
    if broken is not None:
        yield f"the log's chain breaks at {broken}"
    elif kept.entries[-1].hash != kept.head.hash:
        yield "the log's head is not its last entry"


def _selections(kept: Kept) -> Iterator[str]:
    """Ordinals without gap or double, and the tables say what the log says."""
    for draw in kept.draws:
        rows = kept.store.selections(draw.id)
        if [row.ordinal for row in rows] != list(range(len(rows))):
            yield f"{draw.id}: ordinals {[row.ordinal for row in rows]}"
        made = [entry for entry in kept.said("selection.made") if entry.draw == draw.id]
        logged = [(entry.data["ordinal"], entry.data["ref"], entry.data["place"], entry.at) for entry in made]
        if logged != [(row.ordinal, row.ref, row.place, row.made_at) for row in rows]:
            yield f"{draw.id}: the log and the table of selections differ"
        if draw.closed_at is None:
            yield f"{draw.id} is not closed"
    ends = [
        (entry.draw, entry.data["ordinal"])
        for entry in kept.entries
        if entry.kind.startswith("claim.") and "prize" in entry.data
    ]
    if len(ends) != len(set(ends)):
        yield "a claim ended twice"
    if len(ends) != len(kept.said("selection.made")):
        yield "a selection has no ended claim"
    opened = [str(entry.draw) for entry in kept.said("draw.opened")]
    if len(opened) != len(set(opened)):
        yield "a draw was opened twice"


def _committed(kept: Kept, told: Told) -> Iterator[str]:
    """What was committed when a core died is what is kept in the end."""
    final = {(row.draw, row.ordinal): row for draw in kept.draws for row in kept.store.selections(draw.id)}
    hashes = {entry.seq: entry.hash for entry in kept.entries}
    ended = {
        (str(entry.draw), entry.data["ordinal"]): (entry.kind.removeprefix("claim."), entry.data["prize"])
        for entry in kept.entries
        if entry.kind.startswith("claim.") and "prize" in entry.data
    }
    for left in told.kept:
        if left["sound"] != ["ok"]:
            yield f"the database was damaged: {left['sound'][:3]}"
        for row in left["selections"]:
            now = final.get((row[0], row[1]))
            if now is None or (row[4], row[5], row[7], row[8]) != (now.pool, now.ref, now.person, now.member):
                yield f"a committed selection was changed: {row[0]} {row[1]}"
        for draw, ordinal, outcome, prize in left["claims"]:
            if ended.get((draw, ordinal)) != (outcome, prize):
                yield f"a claim that had ended was changed: {draw} {ordinal}"
        if left["head"] is not None and hashes.get(left["head"][0]) != left["head"][1]:
            yield f"the log was rewritten at {left['head'][0]}"


def _records(kept: Kept, told: Told, *, judge_again: bool) -> Iterator[str]:
    """Both copies of every draw verify, with the key and every slip; told to, every pool is judged again."""
    if set(told.closed) != {draw.id for draw in kept.draws}:
        yield "not every draw was published"
    key = base64.b64encode(Signer(seeds_of(kept.seed).signing_key()).public_key).decode()
    for draw in kept.draws:
        if draw.closed_seq is None:
            continue
        slips = _slips(kept, draw.opened_seq, draw.closed_seq)
        for copy in ("public", "auditor"):
            report = verify(
                kept.folder / "published" / copy / draw.plan, key, slips, journal=judge_again and copy == "auditor"
            )
            if report.exit_code != HOLDS:
                yield f"{draw.id}, {copy}: " + "; ".join(check.sentence for check in report.checks if not check.ok)


def _slips(kept: Kept, first: int, last: int) -> list[Path]:
    papers = []
    for slip in kept.store.checkpoints(first, last):
        papers.append(kept.folder / f"slip-{slip.seq}.txt")
        papers[-1].write_text(slip_text(shown(slip), rehearsal=False), encoding="utf-8")
    return papers


def _outages(kept: Kept, told: Told) -> Iterable[str]:
    """A core that was back in time has nothing to excuse."""
    outages = [entry for entry in kept.said("selection.postponed") if entry.data["reason"] == "outage"]
    if told.downtime <= LATENESS_MS and outages:
        yield f"an outage at {iso(outages[0].at)} though the core was back in time"
