"""Published draws as anybody may read them: found beside the engine's thread, kept, and given in bounded answers.

A closed draw changes no more. Its pools, the references of whoever was judged in it and its public copy are read once
and kept for the few draws that guests ask about; the newest ones are never pushed out by questions about old ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock, Semaphore
from typing import Any, Generic, TypeVar

from draw_engine import verdicts
from draw_engine.canonical import jcs
from draw_engine.errors import Refused
from draw_engine.pool import REF_BYTES, Pool
from draw_engine.proofs import prove, prove_absent
from draw_engine.records import PUBLIC, record_of
from draw_engine.references import references
from draw_engine.service.publishing import published_copy, shown
from draw_engine.verify.bundle import bundle
from kiosk.core import Core
from kiosk.draw_log.view import DrawFacts, Glance, glance
from web_display import screens
from web_display.catalogue import say

LISTED = 24
"""So many published draws are listed, the newest first; any other is found by its code."""
_GLANCE_MS = 1_000
_KEPT_BESIDE = 2
"""Draws that are kept beside the newest two: a Saturday has two sessions."""
_NEWEST = 2
_AT_ONCE = 4
T = TypeVar("T")


class Kept(Generic[T]):
    """What is made of a draw, for the newest draws and the few that were asked for last. One is made at a time."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._making = Lock()
        self._made: dict[str, T] = {}

    def get(self, draw_id: str, newest: tuple[str, ...], make: Callable[[], T]) -> T:
        """Refused X_TRY_AGAIN when others' are being made for too long."""
        found = self._made.get(draw_id)
        if found is not None:
            return found
        if not self._making.acquire(timeout=self._patience):
            raise Refused("X_TRY_AGAIN", say("check.busy"))
        try:
            found = self._made.get(draw_id)
            if found is None:
                found = make()
                older = [name for name in self._made if name not in newest]
                stays = _KEPT_BESIDE - (draw_id not in newest)
                for name in older[: max(0, len(older) - stays)]:
                    del self._made[name]
                self._made[draw_id] = found
            return found
        finally:
            self._making.release()


@dataclass(frozen=True, slots=True)
class Pools:
    """A draw's pools by id, and the reference of everybody who was judged in it."""

    by_id: Mapping[str, Pool] = field(repr=False)
    judged: frozenset[bytes] = field(repr=False)

    def knows(self, ref: bytes) -> bool:
        """Whether it is somebody's. References are not to be guessed: nobody leafs through a pool with made-up ones."""
        return ref in self.judged or any(ref in pool for pool in self.by_id.values())


class Published:
    """The published draws of a core. `patience`: for so many seconds a question waits for its turn."""

    def __init__(self, core: Core, patience: float = 3) -> None:
        self._core = core
        self._patience = patience
        self._seen: Glance | None = None
        self._looked_at = 0
        self._looking = Lock()
        self._answering = Semaphore(_AT_ONCE)
        self._pools: Kept[Pools] = Kept(patience)
        self._records: Kept[bytes] = Kept(patience)
        self._answers: Kept[dict[str, Any]] = Kept(patience)
        self._indexing = Lock()
        self._roots: dict[str, list[tuple[str, int]]] = {}
        self._indexed: set[str] = set()

    # -- which there are --------------------------------------------------------------------------------------------

    def seen(self) -> Glance:
        """The engine at a glance, one glance a second however many ask: while one looks, others take the last one.

        Refused X_TRY_AGAIN when there is none yet and the core is busy. What was published stays so.
        """
        if not self._is_fresh() and self._looking.acquire(timeout=self._patience if self._seen is None else 0):
            try:
                self._look()
            finally:
                self._looking.release()
        if self._seen is None:
            raise Refused("X_TRY_AGAIN", say("check.busy"))
        return self._seen

    def _look(self) -> None:
        if self._is_fresh():
            return
        self._looked_at = self._core.stamp()
        try:
            self._seen = self._core.ask(glance, timeout=self._patience)
        except Refused as refusal:
            if refusal.code != "X_TRY_AGAIN":
                raise

    def _is_fresh(self) -> bool:
        return self._seen is not None and 0 <= self._core.stamp() - self._looked_at < _GLANCE_MS

    def closed(self) -> list[DrawFacts]:
        """The newest published draws, newest first."""
        return [facts for facts in self.seen().draws.values() if facts.closed_at is not None][:LISTED]

    def listed(self) -> list[dict[str, str]]:
        """The same as the page shows them. `commitment`: of the seed, before any pool of it."""
        draws = self.seen().engine.draws
        return [
            {
                "id": facts.id,
                "title": facts.title_day,
                "closed": screens.time_text(facts.closed_at or 0, facts.zone),
                "commitment": str(draws[facts.id].state.terms["commitment"]),
            }
            for facts in self.closed()
        ]

    def waiting(self) -> list[tuple[DrawFacts, str]]:
        """The open draws, with the time before which none of them is published: the session's end, as screens show."""
        seen = self.seen()
        return [(facts, self._end_of(seen, facts)) for facts in seen.draws.values() if facts.closed_at is None]

    @staticmethod
    def _end_of(seen: Glance, facts: DrawFacts) -> str:
        return screens.time_text(seen.engine.draws[facts.id].state.end, facts.zone)

    def _newest(self) -> tuple[str, ...]:
        return tuple(facts.id for facts in self.closed()[:_NEWEST])

    def _published(self, draw_id: str) -> tuple[Glance, DrawFacts]:
        """Raises Refused X_NO_SUCH_DRAW; X_DRAW_OPEN, which says when it will be published."""
        seen = self.seen()
        facts = seen.draws.get(draw_id)
        if facts is None:
            raise Refused("X_NO_SUCH_DRAW", say("check.no_such_draw"))
        if facts.closed_at is None:
            end = self._end_of(seen, facts)
            raise Refused("X_DRAW_OPEN", say("check.open", title=facts.title_day, time=end))
        return seen, facts

    # -- what is given ----------------------------------------------------------------------------------------------

    def draw(self, draw_id: str) -> dict[str, Any]:
        """A draw's bare record as the text whose SHA-256 stands in its `draw.closed`, its checkpoints, its names."""
        seen, facts = self._published(draw_id)
        return self._answers.get(draw_id, self._newest(), lambda: _answer(seen, facts))

    def record(self, draw_id: str) -> bytes:
        """The public copy's `record.json`, byte for byte."""
        seen, facts = self._published(draw_id)
        draw = seen.engine.draws[facts.id]
        return self._records.get(
            draw_id, self._newest(), lambda: published_copy(seen.engine, draw, PUBLIC)["record.json"]
        )

    def proofs(self, draw_id: str, ref: str) -> dict[str, Any]:
        """For each pool the proof of a reference, or of the place where it would stand; none where nobody has it."""
        if len(ref) != 2 * REF_BYTES or set(ref) - set("0123456789abcdef"):
            raise Refused("X_VALUE_WRONG", say("check.no_reference"))
        seen, facts = self._published(draw_id)
        pools = self._pools.get(draw_id, self._newest(), lambda: self._read(seen, facts))
        sought = bytes.fromhex(ref)
        with self._turn():
            known = pools.knows(sought)
            of = pools.by_id.items() if known else ()
            given = [{"id": name, "proofs": list(_proofs(pool, sought))} for name, pool in of]
        return {"draw": draw_id, "ref": ref, "known": known, "pools": given}

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """So many are answered at once that the others of the house get their turn, too."""
        if not self._answering.acquire(timeout=self._patience):
            raise Refused("X_TRY_AGAIN", say("check.busy"))
        try:
            yield
        finally:
            self._answering.release()

    def _read(self, seen: Glance, facts: DrawFacts) -> Pools:
        draw = seen.engine.draws[facts.id]
        pools = {pool.id: Pool(seen.store.pool(facts.id, pool.id)) for pool in draw.state.pools}
        persons: set[str] = set()
        for _, _, data in seen.store.verdicts(facts.id):
            persons |= verdicts.persons(data)
        key = self._core.ask(lambda engine: engine.reference_key(draw.book.id), timeout=self._patience)
        return Pools(pools, frozenset(references(key, facts.id, persons).values()))

    def root(self, root: str) -> list[dict[str, Any]]:
        """For which selections of which published draws a pool with this root was frozen; empty for none."""
        seen = self.seen()
        with self._indexing:
            for facts in seen.draws.values():
                if facts.closed_at is not None and facts.id not in self._indexed:
                    self._indexed.add(facts.id)
                    for n, pool in enumerate(seen.engine.draws[facts.id].state.pools):
                        self._roots.setdefault(pool.root, []).append((facts.id, n))
        return [_frozen(seen, draw_id, n) for draw_id, n in self._roots.get(root, [])]


def _proofs(pool: Pool, ref: bytes) -> tuple[str, ...]:
    return (prove(pool, ref),) if ref in pool else prove_absent(pool, ref)


def _answer(seen: Glance, facts: DrawFacts) -> dict[str, Any]:
    draw = seen.engine.draws[facts.id]
    state = draw.state
    assert state.closed_at is not None
    assert state.closed_seq is not None
    record = jcs(record_of(state, house_seed=draw.seed, closed_at=state.closed_at))
    (closed,) = seen.store.entries(state.closed_seq, state.closed_seq)
    return {
        "id": facts.id,
        "title": facts.title_day,
        "zone": facts.zone,
        "closed": screens.time_text(state.closed_at, facts.zone),
        "digest": closed.data["record"],
        "seq": closed.seq,
        "record": record.decode(),
        "checkpoints": [shown(one) for one in seen.store.checkpoints(state.opened_seq, state.closed_seq)],
    }


def _frozen(seen: Glance, draw_id: str, n: int) -> dict[str, Any]:
    facts = seen.draw(draw_id)
    state = seen.engine.draws[draw_id].state
    pool = state.pools[n]
    made = [one for one in state.selections if one.pool == pool.id]
    return {
        "draw": draw_id,
        "title": facts.title_day,
        "times": [screens.time_text(one.at, facts.zone) for one in made],
        "size": pool.size,
        "total": pool.total,
    }


class VerifierFile:
    """`verify.pyz`, made when it is first asked for, and the SHA-256 by which two copies are compared."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._data = b""

    def data(self) -> bytes:
        """The file's bytes; the same sources make the same."""
        with self._lock:
            self._data = self._data or bundle()
            return self._data

    def sha256(self) -> str:
        """Of the file, in hex."""
        return hashlib.sha256(self.data()).hexdigest()
