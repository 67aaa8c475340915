"""The outbox: every event of one feed, numbered and on disk before anything is sent, until the core has it.

* `seq` starts at 1 and rises by one. The number and the event are written in one transaction (SQLite, WAL,
  `synchronous=FULL`): a kill or a power cut leaves both or neither.
* What the core has answered stays as well, the last `keep` of it, for the numbers the core says it misses. The
  default is the core's own memory of 65,536 numbers.
* What the core refused is set aside with its code and sentence, the last `ASIDE` of it, for people to look at
  (`look_into`); it is not sent again.
* At `limit` events that the core has not answered the outbox is *full*: it says so, takes nothing more and keeps
  what it has. Nothing is thrown away to make room. `take_again` ends that state, with a gap declared in the feed's
  own words (`feed_down`, `feed_up`, `snapshot`), never with a silent hole.
* One bridge a feed: a second one is refused while the first lives.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from floor_bridge.event_form import Event, Millis, line_of, parse_time

LIMIT = 65_000
KEEP = 65_536
ASIDE = 500
LARGEST_LINE = 900_000

_SCHEMA = """
CREATE TABLE IF NOT EXISTS line (seq INTEGER PRIMARY KEY, line BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS set_aside (
  seq INTEGER PRIMARY KEY, line BLOB NOT NULL, code TEXT NOT NULL, sentence TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS state (
  one INTEGER PRIMARY KEY CHECK (one = 1), feed TEXT NOT NULL, next_seq INTEGER NOT NULL,
  answered INTEGER NOT NULL, full_since INTEGER);
"""


class OutboxFull(Exception):  # noqa: N818 - it names the fact
    """Nothing was taken: as many events wait for the core as the outbox may hold."""


class OutboxBusy(Exception):  # noqa: N818 - it names the fact
    """Another bridge runs this feed from the same file."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """A line that the core refused, with its reason code and sentence."""

    seq: int
    line: bytes
    code: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Standing:
    """How an outbox stands: `waiting` events the core has not answered; `full_since` as of Outbox."""

    feed: str
    next_seq: int
    answered: int
    waiting: int
    full_since: Millis | None
    set_aside: tuple[SetAside, ...]


def look_into(path: Path) -> Standing:
    """How the outbox in the file stands, also while its bridge runs. Raises FileNotFoundError."""
    if not path.exists():
        raise FileNotFoundError(f"there is no outbox {path.name}")
    base = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        feed, next_seq, answered, full_since = base.execute(
            "SELECT feed, next_seq, answered, full_since FROM state"
        ).fetchone()
        waiting = base.execute("SELECT count(*) FROM line WHERE seq > ?", (answered,)).fetchone()[0]
        aside = base.execute("SELECT seq, line, code, sentence FROM set_aside ORDER BY seq").fetchall()
    finally:
        base.close()
    return Standing(feed, next_seq, answered, waiting, full_since, tuple(SetAside(*one) for one in aside))


class Outbox:
    """The durable outbox of `feed` in the file `path`. May be used from several threads."""

    def __init__(self, path: Path, feed: str, *, limit: int = LIMIT, keep: int = KEEP) -> None:
        self.feed = feed
        self._limit, self._keep = limit, keep
        self._mutex = threading.Lock()
        self._lock_file = _lock(path)
        self._base = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._base.execute("PRAGMA journal_mode=WAL")
        self._base.execute("PRAGMA synchronous=FULL")
        self._base.executescript(_SCHEMA)
        self._base.execute("INSERT OR IGNORE INTO state VALUES (1, ?, 1, 0, NULL)", (feed,))
        kept: tuple[str, int, int, Millis | None] = self._base.execute(
            "SELECT feed, next_seq, answered, full_since FROM state"
        ).fetchone()
        kept_feed, self._next, self._answered, self._full_since = kept
        self._waiting = self._count_waiting()
        if kept_feed != feed:
            self.close()
            raise ValueError(f"the outbox {path.name} belongs to the feed {kept_feed}; give {feed} a file of its own")

    def close(self) -> None:
        self._base.close()
        os.close(self._lock_file)

    @property
    def next_seq(self) -> int:
        """The number the next event will get."""
        return self._next

    @property
    def answered(self) -> int:
        """The core has answered every event up to this number."""
        return self._answered

    @property
    def waiting(self) -> int:
        """How many events the core has not answered yet."""
        return self._waiting

    @property
    def full_since(self) -> Millis | None:
        """The time of the first event that was not taken; None while the outbox takes events."""
        return self._full_since

    @property
    def has_room(self) -> bool:
        """At most half of what the outbox may hold waits for the core."""
        return self._waiting * 2 <= self._limit

    @property
    def is_new(self) -> bool:
        """Nothing was ever numbered here: ask the core where the feed stands before the first event."""
        return self._next == 1

    def put(self, events: Sequence[Event]) -> int:
        """Numbers and keeps the events, all or none; they are on disk when this returns. Gives the last number.

        Raises OutboxFull when they do not fit: from then on nothing is taken until `take_again`.
        """
        with self._mutex:
            if not events:
                return self._next - 1
            if self._full_since is None and self.waiting + len(events) > self._limit:
                self._say_full(parse_time(events[0]["at"]))
            if self._full_since is not None:
                raise OutboxFull(
                    f"the outbox of {self.feed} holds {self.waiting} events that the core has not answered and takes "
                    "no more; see to the core or the line to it"
                )
            return self._append(events)

    def take_again(self, events: Sequence[Event]) -> int:
        """Ends the full state with the events that declare the gap: `feed_down`, `feed_up`, `snapshot`."""
        with self._mutex:
            return self._append(events)

    def go_on_after(self, last_seq: int) -> None:
        """Numbers from here on are above `last_seq`: for a bridge that was reinstalled, or restored from a copy."""
        with self._mutex:
            if last_seq < self._next:
                return
            with self._transaction():
                self._base.execute("UPDATE state SET next_seq = ?", (last_seq + 1,))
            self._next = last_seq + 1

    def batch(self, count: int, size: int) -> list[tuple[int, bytes]]:
        """The next events to send, oldest first: at most `count`, and `size` bytes with their line ends."""
        if self.waiting == 0:
            return []
        with self._mutex:
            rows = self._base.execute(
                "SELECT seq, line FROM line WHERE seq > ? ORDER BY seq LIMIT ?", (self._answered, count)
            ).fetchall()
        return _fitting(rows, size)

    def kept(self, seqs: Iterable[int], count: int, size: int) -> list[tuple[int, bytes]]:
        """Those of these numbers that were sent before and are still held, in order; as `batch` bounded."""
        wanted = sorted(seq for seq in set(seqs) if seq <= self._answered)[:count]
        with self._mutex:
            rows = self._base.execute(
                "SELECT seq, line FROM line WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq",
                (json.dumps(wanted),),
            ).fetchall()
        return _fitting(rows, size)

    def find(self, seqs: Iterable[int]) -> tuple[set[int], set[int]]:
        """Of these numbers: those still held, and those that are gone. One that was set aside is neither."""
        wanted = set(seqs)
        if not wanted:
            return set(), set()
        held, aside = self._which("line", wanted), self._which("set_aside", wanted)
        return held, wanted - held - aside

    def answer(self, up_to: int, refused: Sequence[SetAside] = ()) -> None:
        """The core has answered everything up to `up_to`, and refused these."""
        with self._mutex:
            answered = max(self._answered, up_to)
            with self._transaction():
                self._base.executemany(
                    "INSERT OR REPLACE INTO set_aside VALUES (?, ?, ?, ?)",
                    [(one.seq, one.line, one.code, one.sentence) for one in refused],
                )
                self._base.executemany("DELETE FROM line WHERE seq = ?", [(one.seq,) for one in refused])
                if refused:
                    self._base.execute(
                        "DELETE FROM set_aside WHERE seq NOT IN (SELECT seq FROM set_aside ORDER BY seq DESC LIMIT ?)",
                        (ASIDE,),
                    )
                self._base.execute("DELETE FROM line WHERE seq <= ?", (answered - self._keep,))
                self._base.execute("UPDATE state SET answered = ?", (answered,))
            self._answered = answered
            self._waiting = self._count_waiting()

    def set_aside(self) -> list[SetAside]:
        """What the core refused, oldest first."""
        with self._mutex:
            rows = self._base.execute("SELECT seq, line, code, sentence FROM set_aside ORDER BY seq").fetchall()
        return [SetAside(*row) for row in rows]

    def _which(self, table: str, wanted: set[int]) -> set[int]:
        query = f"SELECT seq FROM {table} WHERE seq IN (SELECT value FROM json_each(?))"  # noqa: S608 - our own names
        with self._mutex:
            return {seq for (seq,) in self._base.execute(query, (json.dumps(sorted(wanted)),))}

    def _append(self, events: Sequence[Event]) -> int:
        rows = [(seq, line_of({**event, "seq": seq})) for seq, event in enumerate(events, self._next)]
        for _, line in rows:
            if len(line) > LARGEST_LINE:
                raise ValueError(f"one event of {len(line)} bytes is more than a request may hold")
        after = self._next + len(rows)
        with self._transaction():
            self._base.executemany("INSERT INTO line VALUES (?, ?)", rows)
            self._base.execute("UPDATE state SET next_seq = ?, full_since = NULL", (after,))
        self._next, self._full_since = after, None
        self._waiting += len(rows)
        return after - 1

    def _count_waiting(self) -> int:
        count: int = self._base.execute("SELECT count(*) FROM line WHERE seq > ?", (self._answered,)).fetchone()[0]
        return count

    def _say_full(self, at: Millis) -> None:
        with self._transaction():
            self._base.execute("UPDATE state SET full_since = ?", (at,))
        self._full_since = at

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._base.execute("COMMIT")
        except BaseException:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            raise


def _fitting(rows: list[tuple[int, bytes]], size: int) -> list[tuple[int, bytes]]:
    taken: list[tuple[int, bytes]] = []
    held = 0
    for seq, line in rows:
        held += len(line) + 1
        if taken and held > size:
            break
        taken.append((seq, line))
    return taken


def _lock(path: Path) -> int:
    handle = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise OutboxBusy(f"another bridge already runs from {path.name}; stop it first, or leave it be") from None
    return handle
