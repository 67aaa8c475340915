"""The engine: the floor as heard, the lists, the draws, and the way every change is made.

One thread runs its verbs (architecture, "One writer"). What stands here in memory is rebuilt from the database and the
journal at a start, and again after a transaction that failed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from draw_engine import calendar, selection, verdicts
from draw_engine.canonical import parse_time
from draw_engine.clock import Clock
from draw_engine.draw_state import DrawState
from draw_engine.eligibility import Basis
from draw_engine.errors import Refused, RuleBroken
from draw_engine.feed_sequence import FeedSequence
from draw_engine.feeds import Floor
from draw_engine.list_rows import MemberRow
from draw_engine.lists import ListsInForce, ListVersion, read_list
from draw_engine.locked_books import ruling
from draw_engine.log import NO_ENTRY, Entry
from draw_engine.log_kinds import require_known
from draw_engine.references import references
from draw_engine.rule_book import DrawPlan, RuleBook
from draw_engine.rule_book_toml import read as read_book
from draw_engine.service.hearing import Hearing
from draw_engine.service.keys import SealedKeys
from draw_engine.service.list_ports import LoadedList
from draw_engine.service.ports import (
    DrawRow,
    Journal,
    SeedSource,
    SelectionRow,
    Signer,
    Store,
    UnitOfWork,
    Vault,
)


@dataclass(frozen=True, slots=True)
class PropertySettings:
    """What the engine needs of the site's settings. `feeds`: what each feed brings; ages in hours by list kind."""

    id: str
    stale_after_ms: int
    list_age_hours: Mapping[str, int]
    feeds: Mapping[str, tuple[str, ...]]
    staff: dict[str, str] = field(default_factory=dict)
    locked_rules: bool = False  # a draw opens by a rule book that two people have locked, and by no other


@dataclass(slots=True)
class OpenDraw:
    """A draw in memory: its book and plan, its state from the log, its secrets, its guests' references."""

    book: RuleBook
    plan: DrawPlan
    day: date
    seed: bytes = field(repr=False)
    state: DrawState = field(repr=False)
    refs: dict[str, bytes] = field(default_factory=dict, repr=False)
    rows: dict[int, SelectionRow] = field(default_factory=dict, repr=False)
    called: dict[str, dict[str, str]] = field(default_factory=dict, repr=False)
    """By pool, what a screen would call each person in it: kept for those who ask again."""


@dataclass(frozen=True, slots=True)
class Book:
    """A rule book and the bytes of its TOML."""

    rules: RuleBook
    toml: bytes


class Engine:
    """Holds everything; the verbs in this package work on it.

    `journal` is None in a rehearsal. `make_signer(seed)` gives the checkpoint key of 32 bytes.
    """

    def __init__(
        self,
        *,
        settings: PropertySettings,
        books: Sequence[Book],
        store: Store,
        journal: Journal | None,
        vault: Vault,
        seeds: SeedSource,
        clock: Clock,
        make_signer: Callable[[bytes], Signer],
    ) -> None:
        self.settings = settings
        self._given = {book.rules.id: book for book in books}
        self.store = store
        self.journal = journal
        self.vault = vault
        self.seeds = seeds
        self.clock = clock
        self._make_signer = make_signer
        self.listeners: list[Callable[[Sequence[Entry]], None]] = []
        self.next_opening_try: dict[str, int] = {}
        self.only_plans: frozenset[str] | None = None
        """A rehearsal may play some sessions of the book alone; None = all."""
        self.reused: dict[str, int] = {}
        """Feeds that used a number twice, and when that was last logged."""
        self.press_waits: Callable[[str, int, int], bool] = lambda _draw, _ordinal, _deadline: False
        """(draw, ordinal, deadline) -> whether a press stamped by then still waits to be carried out: it wins."""
        self.interrupted: Callable[[str, int, int], str | None] = lambda _draw, _ordinal, _deadline: None
        """(draw, ordinal, deadline) -> why nobody could press then (SS_STAGE_UNHEARD, SS_TIMER_INTERRUPTED) or None."""
        self.judging_ms = 0  # how long the last judging of the floor took
        self._last_at = 0
        self.hearing = Hearing(settings.stale_after_ms, recording=journal is None)
        self._keys = SealedKeys(store, vault, seeds, self.now)
        self.load()
        clock.go_on_from(self.now())  # put back while nothing ran, it must not stand still: running claims go by it

    # -- starting ----------------------------------------------------------------------------------------------

    def load(self) -> None:
        """Build everything in memory from the database and the journal."""
        self.signer = self._make_signer(self._keys.signing())
        self._load_database()
        self.hear_again()

    def _load_database(self) -> None:
        head = self.store.head()
        self._head = head.hash if head else NO_ENTRY
        self._last_at = max(self._last_at, head.at if head else 0)
        self.last_checkpoint_at = self.store.last_checkpoint_at() or 0
        self.feed_states: dict[str, str] = self.store.feed_states()
        self.load_books()
        self._load_lists()
        self.draws: dict[str, OpenDraw] = {}
        for row in self.store.draws():
            self._load_draw(row)
        self.must_load = False

    def reference_key(self, promotion: str) -> bytes:
        """The promotion's reference key, made when it is first needed."""
        return self._keys.reference(promotion)

    def press_key(self) -> bytes:
        """What the digests of presses are keyed with, made when it is first needed."""
        return self._keys.presses()

    def load_books(self) -> None:
        """Read the kept rule books: what two people have locked takes the place of the book given at the start."""
        self.kept_books = self.store.kept_books()
        self.books = ruling(self._given, self.kept_books, lambda kept: Book(read_book(kept.toml), kept.toml))
        self.next_opening_try.clear()

    def _load_lists(self) -> None:
        self.list_rows: dict[str, LoadedList] = {row.kind: row for row in self.store.lists()}
        self.versions: dict[str, ListVersion] = {
            kind: self.read_version(kind, row.content, row.loaded_at) for kind, row in self.list_rows.items()
        }
        self._lists_changed()

    def read_version(self, kind: str, content: bytes, known_from: int) -> ListVersion:
        """A list's rows, or ListFaults with every fault in it."""
        return read_list(kind, content, known_from, self.zone)

    def _lists_changed(self) -> None:
        self.lists = ListsInForce(
            members=self.versions.get("members"),
            exclusions=self.versions.get("exclusions"),
            staff=self.versions.get("staff"),
            positions=self.versions.get("positions"),
            zone=self.zone,
        )

    def _load_draw(self, row: DrawRow) -> None:
        book = self._book_of(row)
        plan = next(plan for plan in book.draws if plan.id == row.plan)
        entries = self.store.entries_of(row.id)
        seed = self.vault.unseal(f"seed:{row.id}", row.sealed_seed)
        draw = OpenDraw(book, plan, date.fromisoformat(row.gaming_day), seed, self.state_of(entries[0], seed))
        for entry in entries[1:]:
            draw.state.apply(entry)
        draw.rows = {made.ordinal: made for made in self.store.selections(row.id)}
        self.draws[row.id] = draw

    def _book_of(self, row: DrawRow) -> RuleBook:
        """The book the draw was opened under, even when the file has another version by now."""
        loaded = self.books.get(row.promotion)
        if loaded is not None and loaded.rules.sha256 == row.rules_sha256:
            return loaded.rules
        kept = self.store.rule_book(row.rules_sha256)
        if kept is None:
            raise RuleBroken(f"the rule book of {row.id} is not in the database")
        return read_book(kept)

    def state_of(self, opened: Entry, seed: bytes) -> DrawState:
        """The state right after the opening entry, its moments worked out from the seed."""
        return DrawState(opened, moments_of(opened.data, seed))

    def hear_again(self) -> None:
        """Read the floor again from the journal's running segment; its tail beyond the stored offset included."""
        self.hearing = Hearing(self.settings.stale_after_ms, recording=self.journal is None)
        if self.journal is not None:
            kept = self.journal.recall()
            if kept is not None and kept.floor.stale_after_ms == self.settings.stale_after_ms:
                self.hearing = kept
            self.hearing.replay(self.journal.lines())

    def begin_hearing(self) -> None:
        """Begin anew in the journal's new segment: nothing is known of the floor, but the numbers taken stay taken."""
        numbers = self.hearing.sequences
        self.hear_again()
        self.hearing.sequences = numbers
        with suppress(OSError):
            self.keep_floor()

    def keep_floor(self) -> None:
        """Keep the floor beside the journal, so that the next start is quick. Raises OSError; nothing depends on it."""
        if self.journal is not None:
            self.journal.keep(self.hearing)

    @property
    def floor(self) -> Floor:
        return self.hearing.floor

    @property
    def sequences(self) -> dict[str, FeedSequence]:
        return self.hearing.sequences

    # -- time and place ----------------------------------------------------------------------------------------

    def now(self) -> int:
        """The engine's instant: the clock's, and never before the log's last entry or the journal's last line.

        What was written down stays past, even when the machine's clock was put back in between.
        """
        return max(self.clock.now(), self._last_at, self.hearing.last_received_at)

    @property
    def zone(self) -> str:
        return next((book.rules.zone for book in self.books.values()), "UTC")

    def gaming_day(self, at: int) -> date:
        """The property's gaming day at an instant."""
        for book in self.books.values():
            return calendar.gaming_day(book.rules, at)
        return calendar.local("UTC", at).date()

    def draw(self, draw_id: str) -> OpenDraw:
        """A draw by id. Raises Refused (X_NO_SUCH_DRAW)."""
        found = self.draws.get(draw_id)
        if found is None:
            raise Refused("X_NO_SUCH_DRAW", f"There is no draw {draw_id}. The console lists the draws there are.")
        return found

    # -- changing ----------------------------------------------------------------------------------------------

    @contextmanager
    def change(self) -> Iterator[UnitOfWork]:
        """A transaction; after it is kept, memory follows the entries it appended and the listeners are told.

        A verb within a verb joins its transaction, and finds the claims as the outer one has left them.
        When it fails, what memory held may be ahead of the database: the next verb reads it again. Raises `not_now`.
        """
        if self._work is not None:
            yield self._work
            self._follow_draws(self._work.entries)
            return
        if self.not_now is not None:
            raise self.not_now
        try:
            with self.store.transaction() as work:
                self._work, self._followed = work, 0
                yield work
                require_known(work.entries)
                self._still_alone(work.entries)
            self._follow(work.entries)
        except Refused:
            self.must_load = self.must_load or self._followed > 0
            raise
        except Exception:
            self.must_load = True
            raise
        finally:
            self._work = None
        self._tell(work.entries)

    def _tell(self, entries: Sequence[Entry]) -> None:
        """Tell the listeners. One in trouble keeps the verb from finishing: what was committed is read again."""
        try:
            for listener in self.listeners:
                listener(entries)
        except Exception:
            self.must_load = True
            raise

    _work: UnitOfWork | None = None
    _followed = 0
    must_load = False
    not_now: Exception | None = None
    """Why nothing may be written now: what is due could not be tried, and no entry may come before its try."""

    def _still_alone(self, entries: Sequence[Entry]) -> None:
        """Stop rather than write on what another process has written: this engine has not judged by it."""
        if entries and entries[0].prev != self._head:
            raise RuleBroken("another process writes this property's log: only one core may run on a database")

    def ready(self) -> None:
        """Read the database again if a transaction failed since. What the floor said is not touched by that."""
        if self.must_load:
            self._load_database()

    def _follow(self, entries: Sequence[Entry]) -> None:
        self._follow_draws(entries)
        for entry in entries:
            self._head = entry.hash
            self._last_at = max(self._last_at, entry.at)
            if entry.kind == "checkpoint.made":
                self.last_checkpoint_at = entry.at

    def _follow_draws(self, entries: Sequence[Entry]) -> None:
        new, self._followed = entries[self._followed :], len(entries)
        for entry in new:
            draw = self.draws.get(entry.draw) if entry.draw else None
            if draw is not None and entry.seq > draw.state.opened_seq:
                draw.state.apply(entry)

    def took_list(self, kind: str, row: LoadedList, version: ListVersion) -> None:
        """Memory follows a loaded list."""
        self.list_rows[kind] = row
        self.versions[kind] = version
        self._lists_changed()

    # -- guests ------------------------------------------------------------------------------------------------

    def ref_of(self, draw: OpenDraw, person: str) -> bytes:
        """A person's reference in a draw; kept from the opening on."""
        return self.refs_of(draw, [person])[person]

    def refs_of(self, draw: OpenDraw, persons: Sequence[str]) -> Mapping[str, bytes]:
        """References of some persons (their first member numbers), worked out once a draw."""
        missing = [person for person in persons if person not in draw.refs]
        if missing:
            draw.refs.update(references(self.reference_key(draw.book.id), draw.state.id, missing))
        return draw.refs

    def owner_of(self, position: str) -> str | None:
        """The feed a position belongs to: what the positions list says, else the first that spoke of it."""
        row = self.lists.at(self.now()).positions.get(position)
        return (row.feed if row else "") or self.hearing.position_feeds.get(position)

    def members_of(self, draw: OpenDraw, pool_id: str) -> dict[str, Basis]:
        """Person (m) -> on which number and card, and where, they were in a pool of this draw."""
        ((_, _, judged),) = self.store.verdicts(draw.state.id, pool_id)
        return {
            verdict.person: Basis(verdict.member, verdict.card or None, verdict.position)
            for verdict, _ in verdicts.read(judged)
            if verdict.code == verdicts.IN
        }

    def member_at(self, member: str, at: int) -> MemberRow | None:
        """What the members' list says of a number at an instant."""
        return self.lists.at(at).members.get(member)


def moments_of(terms: Mapping[str, Any], seed: bytes) -> list[int]:
    """The moments of a session's terms, in ms; only the holder of the seed can tell them."""
    moments = terms["moments"]
    if moments["how"] == "fixed":
        return [parse_time(at) for at in moments["at"]]
    return selection.spread_moments(
        seed,
        draw=terms["draw"],
        start=parse_time(moments["start"]),
        end=parse_time(moments["end"]),
        count=moments["count"],
    )


def sha256(data: bytes) -> str:
    """Lower-case hex SHA-256."""
    return hashlib.sha256(data).hexdigest()
