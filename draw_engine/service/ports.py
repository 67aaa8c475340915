"""What the service asks of the world: a store, a journal, secrets. The adapters answer; tests may stand in."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from draw_engine.log import Entry, Head
from draw_engine.pool import Pool
from draw_engine.service.copy_ports import CopyStore, CopyWork
from draw_engine.service.hearing import Hearing
from draw_engine.service.list_ports import LoadedList
from draw_engine.service.lock_ports import LockStore, LockWork
from draw_engine.service.note_ports import NoteStore, NoteWork
from draw_engine.service.people_ports import PeopleStore, PeopleWork
from draw_engine.service.print_ports import PrintStore, PrintWork
from draw_engine.service.prize_ports import PrizeStore, PrizeWork
from draw_engine.service.report_ports import ReportStore
from draw_engine.service.roster_ports import RosterStore, RosterWork


@dataclass(frozen=True, slots=True)
class DrawRow:
    """A draw as kept: its ids, its span in the log, its sealed seed."""

    id: str
    promotion: str
    gaming_day: str
    plan: str
    opened_at: int
    opened_seq: int
    rules_sha256: str
    sealed_seed: bytes
    closed_at: int | None = None
    closed_seq: int | None = None


@dataclass(frozen=True, slots=True)
class SelectionRow:
    """Who stands behind a selection: never in the log or the record."""

    draw: str
    ordinal: int
    made_at: int
    place: int
    pool: str
    ref: str
    position: str
    person: str
    member: str
    card: str | None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A signed head of the log; key and signature in canonical padded base64."""

    property: str
    seq: int
    hash: str
    at: int
    public_key: str
    signature: str


class UnitOfWork(PrizeWork, PrintWork, PeopleWork, CopyWork, LockWork, NoteWork, RosterWork, Protocol):
    """One transaction. Leaving it by an exception keeps nothing; `entries` are what it appended."""

    entries: list[Entry]

    def instant(self, now: int) -> int:
        """The `at` of entries written now: the later of the clock and the entry before."""

    def append(self, *, at: int, kind: str, draw: str | None, actor: str, data: Mapping[str, Any]) -> Entry: ...

    def add_draw(self, row: DrawRow) -> None: ...

    def close_draw(self, draw: str, *, at: int, seq: int) -> None: ...

    def add_pool(self, draw: str, pool_id: str, *, frozen_at: int, pool: Pool) -> None: ...

    def add_judgement(self, *, seq: int, draw: str, at: int, pool_id: str | None, verdicts: bytes) -> None: ...

    def add_selection(self, row: SelectionRow) -> None: ...

    def open_claim(self, draw: str, ordinal: int, *, at: int) -> None: ...

    def put_claim(self, draw: str, *ordinals: int, **values: int | str | None) -> None:
        """The same values for some claims of a draw, in one statement."""

    def add_press(self, press_id: str, *, stamped_at: int, digest: str, answer: str) -> None: ...

    def add_checkpoint(self, checkpoint: Checkpoint) -> None: ...

    def add_list(
        self, kind: str, *, sha256: str, row_count: int, loaded_at: int, fresh_at: int, content: bytes
    ) -> None: ...

    def add_rule_book(self, sha256: str, content: bytes, *, at: int) -> None: ...

    def put_sealed(self, name: str, sealed: bytes, *, at: int) -> None: ...


class Store(PrizeStore, PrintStore, PeopleStore, CopyStore, LockStore, NoteStore, RosterStore, ReportStore, Protocol):
    """Reading, and the transactions."""

    def transaction(self) -> AbstractContextManager[UnitOfWork]: ...

    def head(self) -> Head | None: ...

    def entries(self, first: int, last: int) -> Iterator[Entry]: ...

    def entries_of(self, draw: str) -> list[Entry]: ...

    def last_of_kind(self, kind: str) -> Entry | None:
        """The log's youngest entry of a kind, of those that belong to no draw."""

    def feed_states(self) -> dict[str, str]:
        """Each feed's state as the log last told it."""

    def draws(self) -> list[DrawRow]: ...

    def pool(self, draw: str, pool_id: str) -> bytes: ...

    def verdicts(self, draw: str, pool_id: str | None = None) -> list[tuple[int, str | None, bytes]]:
        """(judged at, pool id, verdicts) of every judging of the draw, or of the one that gave a pool."""

    def selections(self, draw: str) -> list[SelectionRow]: ...

    def checkpoints(self, first: int, last: int) -> list[Checkpoint]: ...

    def last_checkpoint_at(self) -> int | None: ...

    def lists(self) -> list[LoadedList]:
        """Every version of every list, oldest first."""

    def rule_book(self, sha256: str) -> bytes | None: ...

    def sealed(self, name: str) -> bytes | None: ...

    def journal(self) -> tuple[str, int] | None: ...

    def press(self, press_id: str) -> tuple[str, str] | None:
        """(digest, answer) of a press that was answered before."""

    def setting(self, name: str) -> str | None: ...

    def put_setting(self, name: str, value: str) -> None: ...

    def count_journal(self, segment: str, length: int) -> None:
        """One transaction that stores how much of the journal has been taken in."""


class Journal(Protocol):
    """The floor journal: append, fdatasync, and only then a transaction and the acknowledgement."""

    @property
    def segment(self) -> str: ...

    @property
    def length(self) -> int: ...

    def append(self, lines: bytes) -> None: ...

    def prefix(self) -> dict[str, Any]:
        """{segment, length, sha256} of what it holds now."""

    def turn_to(self, segment: str) -> None: ...

    def drop_before(self, segment: str, keep: Container[str]) -> None:
        """Remove packed segments older than `segment`, but those in `keep`."""

    def lines(self) -> bytes:
        """The running segment, from where what was recalled ends; all of it when nothing was."""

    def recall(self) -> Hearing | None:
        """The floor as it was kept of this segment, where that can be trusted; `lines` then gives the rest."""

    def keep(self, heard: Hearing) -> None:
        """Keep the floor as it is at the journal's present length. Raises OSError."""


class Vault(Protocol):
    """Wraps small secrets with the master key."""

    def seal(self, label: str, secret: bytes) -> bytes: ...

    def unseal(self, label: str, sealed: bytes) -> bytes: ...


class SeedSource(Protocol):
    """Where everything otherwise random comes from: the operating system, or in a rehearsal one seed."""

    rehearsal: bool

    def house_seed(self, draw: str) -> bytes: ...

    def reference_key(self) -> bytes: ...

    def signing_key(self) -> bytes: ...

    def salt(self, seq: int) -> bytes: ...


class Signer(Protocol):
    """The property's checkpoint key."""

    public_key: bytes

    def sign(self, text: bytes) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is not possible now: a stable code, a sentence, what to do, and what it may name."""

    code: str
    sentence: str
    todo: str
    postpones: str = ""
    feed: str | None = None


def codes(reasons: Sequence[Reason]) -> list[str]:
    """The codes of some reasons, in order."""
    return [reason.code for reason in reasons]
