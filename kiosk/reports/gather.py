"""The facts of every closed draw, read off the engine's thread and kept: a closed draw changes no more.

They are kept in memory and, where there is a folder, in one file a draw, named by its record's digest and authenticated
with a key of the property: a file that was edited is read anew from the database.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import sys
import threading
import time
import zlib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from draw_engine.lists import ListsInForce, ListVersion
from draw_engine.pool import Pool
from draw_engine.references import references
from draw_engine.reports_facts import UNLISTED, DrawFacts, Groups, Lookups, Told, facts_of
from draw_engine.reports_kept import from_json, to_json
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.list_ports import LoadedList
from kiosk.core import Core

_FORM = b"floordraw reports 1\n"
"""Before what a file's authenticity is computed over: another form of the facts is another file."""
_LISTS_KEPT = 6
_SECONDS = 3.0
"""A page waits this long for draws that have not been read; the rest follows with the next one."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The facts of the closed draws that have been read, oldest first; how many are not yet, and how many are open."""

    draws: tuple[DrawFacts, ...]
    unread: int
    still_open: int


class FactsKept:
    """The facts of a property's closed draws. `folder`: where they outlast a restart; None: they do not."""

    def __init__(self, core: Core, folder: Path | None, *, seconds: float = _SECONDS) -> None:
        self._core = core
        self._folder = folder
        self._seconds = seconds
        self._known: dict[tuple[str, int], DrawFacts] = {}
        self._reading = threading.Lock()
        self._versions: dict[tuple[str, str, int], ListVersion] = {}

    def gather(self) -> Gathered:
        """What is known of the closed draws; those not yet read are read now, as many as the time allows."""
        engine, draws, key = self._core.ask(_state)
        closed = [draw for draw in draws if draw.state.closed_seq is not None]
        until = time.monotonic() + self._seconds
        with self._reading:
            for draw in closed:
                if _key(draw) not in self._known and time.monotonic() < until:
                    self._known[_key(draw)] = self._facts(engine, draw, key)
        found = [self._known[_key(draw)] for draw in closed if _key(draw) in self._known]
        found.sort(key=lambda facts: (facts.opened_at, facts.id))
        return Gathered(tuple(found), len(closed) - len(found), len(draws) - len(closed))

    def _facts(self, engine: Engine, draw: OpenDraw, key: bytes) -> DrawFacts:
        closed_seq = draw.state.closed_seq
        assert closed_seq is not None
        (closing,) = engine.store.entries(closed_seq, closed_seq)
        digest = str(closing.data["record"])
        facts = self._from_file(digest, key)
        if facts is None:
            facts = self._read(engine, draw, key)
            self._keep(digest, key, facts)
        return facts

    # -- files -------------------------------------------------------------------------------------------------

    def _from_file(self, digest: str, key: bytes) -> DrawFacts | None:
        if self._folder is None:
            return None
        try:
            kept = (self._folder / f"{digest}.facts").read_bytes()
        except OSError:
            return None
        seal, packed = kept[:32], kept[32:]
        if not hmac.compare_digest(seal, _seal(key, digest, packed)):
            return None
        return from_json(json.loads(zlib.decompress(packed)), sys.intern)

    def _keep(self, digest: str, key: bytes, facts: DrawFacts) -> None:
        if self._folder is None:
            return
        packed = zlib.compress(json.dumps(to_json(facts), separators=(",", ":")).encode(), 6)
        name = self._folder / f"{digest}.facts"
        with suppress(OSError):  # the page does without: it is read again after a restart
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            beside = name.with_suffix(".new")
            beside.write_bytes(_seal(key, digest, packed) + packed)
            os.replace(beside, name)  # noqa: PTH105 - one call of the operating system, and the name stays a Path

    # -- the database ------------------------------------------------------------------------------------------

    def _read(self, engine: Engine, draw: OpenDraw, key: bytes) -> DrawFacts:
        state = draw.state
        assert state.closed_at is not None
        assert state.closed_seq is not None
        versions = engine.store.lists_between(("members", "positions"), state.opened_at, state.closed_at)
        over = _ListsOver([(row, self._version(engine, row)) for row in versions], draw.book.zone)
        told = Told(
            promotion=draw.book.id,
            session=draw.plan.id,
            title=draw.plan.title,
            day=draw.day.isoformat(),
            zone=draw.book.zone,
            currency=draw.book.currency,
            day_starts_hour=draw.book.day_starts_at.hour,
        )
        look = Lookups(over.groups_of, _pseudonyms(key), lambda pool: _weights(engine, draw, pool))
        entries = list(engine.store.entries(state.opened_seq, state.closed_seq))
        return facts_of(told, state, entries, engine.store.verdicts(state.id), draw.rows, look)

    def _version(self, engine: Engine, row: LoadedList) -> ListVersion:
        """A list's rows; the last few are kept, because most draws were judged by the same."""
        name = (row.kind, row.sha256, row.loaded_at)
        version = self._versions.pop(name, None) or engine.read_version(row.kind, row.content, row.loaded_at)
        self._versions[name] = version
        while len(self._versions) > _LISTS_KEPT:
            del self._versions[next(iter(self._versions))]
        return version


def _state(engine: Engine) -> tuple[Engine, list[OpenDraw], bytes]:
    return engine, list(engine.draws.values()), report_key(engine)


def report_key(engine: Engine) -> bytes:
    """The key of the pseudonyms and of the kept files. It leaves the machine as little as the others."""
    return hmac.digest(engine.press_key(), b"floordraw/1/reports", "sha256")


def pseudonym(key: bytes, person: str) -> str:
    """What a person is called in every report of this property, `3F7A-91C2-0B5D`: not to be traced back without it."""
    digits = hmac.digest(key, b"person\n" + person.encode(), hashlib.sha256)[:6].hex().upper()
    return f"{digits[:4]}-{digits[4:8]}-{digits[8:]}"


def _pseudonyms(key: bytes) -> Callable[[str], str]:
    known: dict[str, str] = {}

    def of(person: str) -> str:
        if person not in known:
            known[person] = sys.intern(pseudonym(key, person))
        return known[person]

    return of


def _key(draw: OpenDraw) -> tuple[str, int]:
    return draw.state.id, draw.state.closed_seq or 0


def _seal(key: bytes, digest: str, packed: bytes) -> bytes:
    return hmac.digest(key, _FORM + digest.encode() + b"\n" + packed, "sha256")


def _weights(engine: Engine, draw: OpenDraw, pool_id: str) -> dict[str, int] | None:
    """Person -> weight in a pool, or None where everybody has one entry: a session's pools are such."""
    frozen = next(pool for pool in draw.state.pools if pool.id == pool_id)
    if int(frozen.total) == frozen.size:
        return None
    pool = Pool.read(engine.store.pool(draw.state.id, pool_id))
    persons = list(engine.members_of(draw, pool_id))
    refs = references(engine.reference_key(draw.book.id), draw.state.id, persons)
    tickets = {person: pool.tickets_of(refs[person]) for person in persons}
    return {person: last - first + 1 for person, (first, last) in tickets.items()}


class _ListsOver:
    """What the members' and the positions' list said over a draw's span, each version from when it was loaded."""

    def __init__(self, versions: Sequence[tuple[LoadedList, ListVersion]], zone: str) -> None:
        self._zone = zone
        self._changes = sorted({row.loaded_at for row, _ in versions})
        self._versions = versions
        self._made: dict[int, ListsInForce] = {}

    def _in_force(self, at: int) -> ListsInForce:
        epoch = bisect_right(self._changes, at)
        if epoch not in self._made:
            now = {row.kind: version for row, version in self._versions if row.loaded_at <= at}
            self._made[epoch] = ListsInForce(
                members=now.get("members"), exclusions=None, staff=None, positions=now.get("positions"), zone=self._zone
            )
        return self._made[epoch]

    def groups_of(self, at: int, member: str, position: str) -> Groups:
        """The tier of the played card, the zone and the kind of game of the position, as listed at that instant."""
        lists = self._in_force(at).at(at)
        row = lists.members.get(member)
        place = lists.positions.get(position.partition("/")[0])
        tier = row.tier if row else UNLISTED
        return (tier, place.zone, place.kind) if place else (tier, UNLISTED, UNLISTED)
