"""Pools: files, roots, what was judged and frozen, and which pool each selection was made from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from draw_engine.canonical import format_time
from draw_engine.pool import Pool
from draw_engine.verify.record import Happening, Record

_ROW = ("id", "size", "total", "root")


class PoolFiles:
    """The pool files of the record's folder, read once each. A withheld file is no fault; a missing one is."""

    def __init__(self, record: Record) -> None:
        self.faults: list[str] = []
        self._pools = {row["id"]: pool for row in record.rows("pools") if (pool := self._read(record, row))}

    def get(self, pool: str) -> Pool | None:
        """The pool, or None where its file is withheld or faulty."""
        return self._pools.get(pool)

    def _read(self, record: Record, row: dict[str, Any]) -> Pool | None:
        name = row["file"]
        if name is None:
            return None
        try:
            pool = Pool((record.folder / name).read_bytes())
        except OSError:
            self.faults.append(f"{name}: the file is missing or cannot be read")
            return None
        except ValueError as fault:
            self.faults.append(f"{name}: {fault}")
            return None
        stated = {"size": pool.size, "total": str(pool.total), "root": pool.root}
        wrong = [f"{what} is {is_}, stated {row[what]}" for what, is_ in stated.items() if is_ != row[what]]
        if wrong:
            self.faults.append(f"{name}: {'; '.join(wrong)}")
        return None if wrong else pool


def faults_of_pools(record: Record, files: PoolFiles) -> Iterator[str]:
    """Every pool as stated, as logged and judged once; a session's used once, an electronic draw's the only one."""
    yield from files.faults
    rows, frozen = list(record.rows("pools")), record.happened("pool.frozen")
    for row, entry in zip(rows, frozen, strict=False):
        logged = {name: entry.data[name] for name in _ROW} | {"frozen_at": format_time(entry.at)}
        yield from (
            f"pool {row['id']}: its {name} is not as logged in {entry}"
            for name, value in logged.items()
            if row[name] != value
        )
    if len(rows) != len(frozen):
        yield f"the record has {len(rows)} pools, the log freezes {len(frozen)}"
    yield from _judged(record, frozen)
    yield from _used_once(record) if record.session else _only_one(record, frozen)


def _judged(record: Record, frozen: list[Happening]) -> Iterator[str]:
    """Each pool is frozen as it was judged, once: none is judged, looked at and thrown away."""
    judged: dict[str, Happening] = {}
    for entry in record.happened("pool.judged"):
        pool = entry.data["pool"]
        if pool in judged:
            yield f"{entry} judges pool {pool} again"
        elif pool is not None and pool not in record.frozen:
            yield f"{entry} judges pool {pool}, which was never frozen"
        elif pool is not None:
            judged[pool] = entry
    for entry in frozen:
        pool = entry.data["id"]
        if record.frozen[pool] is not entry:
            yield f"{entry} freezes pool {pool} again"
        elif pool not in judged or judged[pool].seq > entry.seq:
            yield f"{entry} freezes pool {pool}, which was not judged before"


def _used_once(record: Record) -> Iterator[str]:
    users: dict[str, list[Happening]] = {}
    for made in record.happened("selection.made"):
        users.setdefault(made.data["pool"], []).append(made)
    for pool, entry in record.frozen.items():
        if entry.data["total"] != str(entry.data["size"]):
            yield f"pool {pool}: its total is not its size; in a session every weight is 1"
        used = users.get(pool, [])
        if len(used) != 1:
            yield f"pool {pool} was used by {len(used)} selections, not by exactly one"
        for made in used:
            if made.at != entry.at or made.seq < entry.seq:
                yield f"pool {pool} was not frozen at its selection: {entry} at {format_time(entry.at)}, {made}"
    yield from (
        f"{u[0]} names pool {pool}, which was never frozen" for pool, u in users.items() if pool not in record.frozen
    )


def _only_one(record: Record, frozen: list[Happening]) -> Iterator[str]:
    judged = record.happened("pool.judged")
    if len(frozen) > 1 or len(judged) != 1:
        yield f"an electronic draw judges one pool and freezes it; here {len(judged)} judged, {len(frozen)} frozen"
    started = record.happened("selection.made", "selection.lapsed")
    if started and judged and started[0].seq < judged[0].seq:
        yield f"{started[0]} comes before the pool was judged"
    for made in record.happened("selection.made"):
        pool = record.frozen.get(made.data["pool"])
        if pool is None or made.seq < pool.seq:
            yield f"{made} names pool {made.data['pool']}, which was not frozen before"


def faults_of_basis(record: Record, files: PoolFiles) -> Iterator[str]:
    """A re-selection at or after a session's end is made among the members of the last pool frozen for a moment."""
    basis: str | None = None
    for made in record.happened("selection.made"):
        frozen = record.frozen.get(made.data["pool"])
        if frozen is None:
            continue
        if made.data["moment"] is not None:
            if frozen.data["basis"] is not None:
                yield f"{frozen}: a pool for a moment has no basis"
            basis = frozen.data["id"] if frozen.at < record.end else basis
            continue
        expected = basis if made.at >= record.end else None
        if frozen.data["basis"] != expected:
            yield f"{frozen}: its basis is {frozen.data['basis'] or 'null'}, it must be {expected or 'null'}"
        yield from _not_part(frozen, files)


def _not_part(frozen: Happening, files: PoolFiles) -> Iterator[str]:
    part, whole = files.get(frozen.data["id"]), files.get(frozen.data["basis"] or "")
    if part and whole:
        strangers = [ref.hex() for ref in part.refs() if ref not in whole]
        if strangers:
            yield f"pool {frozen.data['id']} holds {strangers[0]}, who is not in its basis {frozen.data['basis']}"
