"""Turns: each moment used once or lapsed; each failure followed once, at its place; nobody drawn again unduly."""

from __future__ import annotations

from collections.abc import Iterator

from draw_engine import proofs
from draw_engine.verify.entry_data import ENDINGS
from draw_engine.verify.pools import PoolFiles
from draw_engine.verify.record import FILLED, Happening, Record, has_failed

_TRIES = ("selection.made", "selection.postponed", "selection.lapsed")


def faults_of_moments(record: Record) -> Iterator[str]:
    """A session: every moment is used exactly once, or lapsed, at the place that it is the moment of."""
    places, done = record.terms["places"], dict[int, Happening]()
    for happening in record.happened(*_TRIES):
        n = happening.data["moment"]
        if n is None:
            continue
        if n >= len(places):
            yield f"{happening} is for moment {n}; there are {len(places)}, from 0"
            continue
        if happening.data["place"] != places[n]:
            yield f"{happening}: moment {n} is of place {places[n]}, not {happening.data['place']}"
        if n in done:
            yield f"{happening} is for moment {n}, which {done[n]} had ended"
        elif happening.kind != "selection.postponed":
            done[n] = happening
    for n in range(len(places)):
        if n not in done:
            yield f"moment {n} (place {places[n]}) was neither used nor lapsed"


def faults_of_reselections(record: Record) -> Iterator[str]:
    """Each failed selection is followed by exactly one of the same place, or its lapse; and nothing else is."""
    done: dict[int, Happening] = {}
    for happening in record.happened(*_TRIES):
        after = happening.data["after"]
        if after is None:
            continue
        failure, failed = record.failures.get(after), record.made.get(after)
        if failure is None or failed is None or failure.seq > happening.seq:
            yield f"{happening} follows ordinal {after}, which had not failed before"
        elif failed.data["place"] != happening.data["place"]:
            yield f"{happening} is for place {happening.data['place']}; ordinal {after} was for {failed.data['place']}"
        if after in done:
            yield f"{happening} follows ordinal {after}, which {done[after]} had followed"
        elif happening.kind != "selection.postponed":
            done[after] = happening
    for ordinal, failure in record.failures.items():
        if ordinal in record.made and ordinal not in done:
            place = record.made[ordinal].data["place"]
            yield f"ordinal {ordinal} (place {place}) failed in {failure} and has neither re-selection nor lapse"


def faults_of_repeats(record: Record, files: PoolFiles) -> Iterator[str]:
    """A session: a reference that failed for a place stands in no later pool for it.

    Where the file is withheld only the proof's leaf can be looked through; a notice says so.
    """
    rows = {row["ordinal"]: row for row in record.rows("selections")}
    for ordinal, made in record.made.items():
        frozen = record.frozen.get(made.data["pool"])
        pool = files.get(made.data["pool"])
        refs = pool if pool is not None else _leaf(rows[ordinal]["proof"] if ordinal in rows else None, frozen)
        for earlier, failure in record.failures.items():
            failed = record.made.get(earlier)
            if (
                failed is None
                or frozen is None
                or failure.seq > frozen.seq
                or failed.data["place"] != made.data["place"]
            ):
                continue
            if bytes.fromhex(failed.data["ref"]) in refs:
                yield (
                    f"pool {made.data['pool']} of ordinal {ordinal} holds {failed.data['ref']}, "
                    f"who failed for place {made.data['place']} as ordinal {earlier}"
                )


def _leaf(proof: str | None, frozen: Happening | None) -> dict[bytes, tuple[int, int]]:
    if proof is None or frozen is None:
        return {}
    stated = frozen.data
    try:
        return proofs.check(proof, root=stated["root"], size=stated["size"], total=int(stated["total"]))
    except ValueError:
        return {}  # faults_of_tickets names it


def faults_of_duplicates(record: Record) -> Iterator[str]:
    """An electronic draw: a reference drawn before is a duplicate, of its first ordinal, and only then."""
    first: dict[str, int] = {}
    for ordinal, made in record.made.items():
        of, duplicate = first.setdefault(made.data["ref"], ordinal), record.duplicates.get(ordinal)
        if of == ordinal and duplicate is not None:
            yield f"{duplicate} calls ordinal {ordinal} a duplicate; its reference had not been drawn before"
        elif of != ordinal and duplicate is None:
            yield f"ordinal {ordinal} drew the reference of ordinal {of} again and is not logged as its duplicate"
        elif of != ordinal and duplicate is not None and duplicate.data["of"] != of:
            yield f"{duplicate}: ordinal {ordinal} repeats ordinal {of}, not {duplicate.data['of']}"
    yield from faults_of_duplicate_entries(record)


def faults_of_duplicate_entries(record: Record) -> Iterator[str]:
    """Each `selection.duplicate` is of an electronic draw, follows its selection, and stands once."""
    for entry in record.happened("selection.duplicate"):
        made = record.made.get(entry.data["ordinal"])
        if record.session:
            yield f"{entry}: a session has no duplicates; its repeat winners are kept out of the pool or win again"
        elif record.duplicates[entry.data["ordinal"]] is not entry:
            yield f"{entry} calls ordinal {entry.data['ordinal']} a duplicate again"
        elif made is None or made.seq > entry.seq:
            yield f"{entry} is of ordinal {entry.data['ordinal']}, which was not selected before"


def faults_of_order(record: Record) -> Iterator[str]:
    """An electronic draw takes its places in the order of the terms; a re-selection comes before the next place."""
    places: list[int] = record.terms["places"]
    state = dict.fromkeys(places, "untouched")
    for happening in record.happened("selection.made", "selection.lapsed", "selection.duplicate", *ENDINGS):
        place = _place(record, happening)
        if place not in state:
            continue
        if happening.kind == "selection.made":
            yield from _out_of_order(happening, places, state)
        elif happening.kind == "selection.lapsed" and happening.data["after"] is None and state[place] != "untouched":
            yield f"{happening} lapses place {place} as never selected, though it was"
        state[place] = _state_after(happening, state[place])
    yield from (f"place {place} is {state[place]} at the close" for place in places if state[place] != "settled")


def _place(record: Record, happening: Happening) -> int | None:
    if "place" in happening.data:
        return int(happening.data["place"])
    made = record.made.get(happening.data["ordinal"])
    return int(made.data["place"]) if made else None


def _state_after(happening: Happening, before: str) -> str:
    if happening.kind == "selection.made":
        return "running"
    if happening.kind == "selection.lapsed":
        return "settled"
    if has_failed(happening):
        return "failed, not selected again"
    ended = happening.kind == "claim.voided" or happening.kind.removeprefix("claim.") in FILLED
    return "settled" if ended else before


def _out_of_order(made: Happening, places: list[int], state: dict[int, str]) -> Iterator[str]:
    place = made.data["place"]
    if made.data["after"] is not None:
        return  # faults_of_reselections sees that it follows a failure of this place
    i = places.index(place)
    if state[place] != "untouched":
        yield f"{made} takes place {place} for the first time, though it is {state[place]}"
    elif i > 0 and state[places[i - 1]] != "settled":
        yield f"{made} takes place {place} while place {places[i - 1]} is {state[places[i - 1]]}"
    waiting = [p for p in places[: max(i - 1, 0)] if state[p].startswith("failed")]
    if waiting:
        yield f"{made} takes place {place} before the re-selection of place {waiting[0]}"
