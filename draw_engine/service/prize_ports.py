"""What the desk's service asks of the store: register entries, envelopes, held prizes, custody, contact, signatures.

`PrizeWork` is within one transaction and reads through it; `PrizeStore` reads what is kept. Personal papers come here
sealed and leave sealed: no row shows them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

Numbered = Literal["register_entries", "custody_moves", "contact_attempts", "signatures"]
"""Tables whose rows are counted from 1."""


@dataclass(frozen=True, slots=True)
class BatchRow:
    """A counted batch of envelopes: `amounts` is JCS of {cents: how many}, `total` in cents, `by` two actors."""

    id: str
    counted_at: int
    envelopes: int
    total: int
    amounts: str = field(repr=False)
    counted_by: str


@dataclass(frozen=True, slots=True)
class EnvelopeRow:
    """One tray pocket. `state`: tray, presented, given, held, handed_over, to_return, returned, withdrawn."""

    pocket: str
    batch: str
    state: str
    draw: str | None
    ordinal: int | None
    amount: int | None
    changed_at: int


@dataclass(frozen=True, slots=True)
class EntryRow:
    """One signing of the decline register; `sealed` holds the papers and the contact."""

    id: int
    day: str
    signed_at: int
    member: str = field(repr=False)
    person: str = field(repr=False)
    clerk: str
    sealed: bytes = field(repr=False)
    withdrawn_at: int | None = None


@dataclass(frozen=True, slots=True)
class HeldRow:
    """One held prize. `state`: to_draw, held, handed_over, to_return, returned, void; `claim_by` an ISO date."""

    draw: str
    ordinal: int
    held_at: int
    claim_by: str
    state: str
    custody: str
    pocket: str | None = None
    amount: int | None = None
    settled_at: int | None = None


@dataclass(frozen=True, slots=True)
class MoveRow:
    """An envelope changed hands: two places, two actors."""

    id: int
    draw: str
    ordinal: int
    moved_at: int
    from_place: str
    to_place: str
    given_by: str
    received_by: str


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One attempt to contact a winner; `sealed` holds the number or address used."""

    id: int
    draw: str
    ordinal: int
    attempted_at: int
    channel: str
    outcome: str
    by: str
    sealed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class DayCountRow:
    """What two people counted in the trays on a gaming day, against what should have been there."""

    day: str
    counted_at: int
    left: int
    expected: int
    by: str


@dataclass(frozen=True, slots=True)
class CashCountRow:
    """What two people found in opened envelopes at a day's end (cents), between what it had to come to.

    `agree` is False where amounts typed and batches cannot both be right.
    """

    day: str
    counted_at: int
    envelopes: int
    cents: int
    least: int
    most: int
    agree: bool
    by: str


class PrizeWork(Protocol):
    """The part of a transaction that the register, the envelopes and the held prizes need."""

    def next_id(self, table: Numbered) -> int:
        """The number of the table's next row."""

    def batch_count(self) -> int: ...

    def envelope_count(self) -> int: ...

    def add_batch(self, row: BatchRow, pockets: Sequence[str]) -> None:
        """The batch and its pockets, all in the tray."""

    def envelope(self, pocket: str) -> EnvelopeRow | None: ...

    def envelope_of(self, draw: str, ordinal: int) -> EnvelopeRow | None: ...

    def draw_envelope(self, pocket: str, state: str, *, draw: str, ordinal: int, at: int) -> None:
        """A pocket leaves the tray for a claim, for ever."""

    def take_out_envelope(self, pocket: str, *, at: int) -> None:
        """A drawn pocket is no claim's any more and in no tray: withdrawn."""

    def put_envelope(self, pocket: str, state: str, *, at: int, amount: int | None = None) -> None:
        """The pocket's next state; `amount` once it has been opened (None leaves it)."""

    def add_register_entry(self, row: EntryRow) -> None: ...

    def withdraw_register_entry(self, entry: int, *, at: int) -> None: ...

    def add_held(self, row: HeldRow) -> None: ...

    def held_prize(self, draw: str, ordinal: int) -> HeldRow | None: ...

    def put_held(self, draw: str, ordinal: int, **values: int | str | None) -> None: ...

    def add_move(self, row: MoveRow) -> None: ...

    def add_attempt(self, row: AttemptRow) -> None: ...

    def add_signature(self, number: int, *, under: str, sealed: bytes, at: int) -> None: ...

    def put_day_count(self, row: DayCountRow) -> None:
        """The day's count of the trays; a later one of the same day takes its place."""

    def put_cash_count(self, row: CashCountRow) -> None:
        """The day's count of the cash; a later one of the same day takes its place."""


class PrizeStore(Protocol):
    """Reading the same; every list in the order of its making."""

    def batches(self) -> list[BatchRow]: ...

    def envelopes(self, *, state: str | None = None, batch: str | None = None) -> list[EnvelopeRow]: ...

    def envelope(self, pocket: str) -> EnvelopeRow | None: ...

    def envelope_of(self, draw: str, ordinal: int) -> EnvelopeRow | None: ...

    def day_count(self, day: str) -> DayCountRow | None: ...

    def cash_count(self, day: str) -> CashCountRow | None: ...

    def register_entries(self, day: str, *, of: Collection[str] | None = None) -> list[EntryRow]:
        """A gaming day's entries (ISO date); `of` these member numbers only, when they are given."""

    def register_entry(self, entry: int) -> EntryRow | None: ...

    def held_prizes(self) -> list[HeldRow]: ...

    def held_prize(self, draw: str, ordinal: int) -> HeldRow | None: ...

    def held_overdue(self, today: str) -> list[HeldRow]:
        """Held prizes nobody has collected whose last day lies before `today` (ISO date)."""

    def moves(self) -> list[MoveRow]: ...

    def attempts(self) -> list[AttemptRow]: ...

    def signature(self, under: str) -> tuple[int, bytes] | None:
        """(number, sealed) of the last signature under this name."""
