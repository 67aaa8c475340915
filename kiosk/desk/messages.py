"""What the server sends to the desks' page: the register, held prizes, envelopes and slips, as they are now.

Texts are finished words. No paper of a guest's is in it: identification, telephone and e-mail are asked for one prize
at a time, by POST, and what an envelope holds is nowhere before it is opened (rule 14).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from draw_engine.clock import Millis
from web_display.console_messages import StaffMember
from web_display.messages import VERSION, plain


@dataclass(frozen=True, slots=True)
class RegisterState:
    """Whether the register takes entries: `sentence` "Open until 18:00" or "Opens at 16:00"; what an entry `covers`.

    `covers` are titles; `covers_text` the same as a sentence; `keeps_text` how long a prize is kept.
    """

    open: bool
    sentence: str
    covers: tuple[str, ...] = ()
    covers_text: str = ""
    keeps_text: str = ""


@dataclass(frozen=True, slots=True)
class RegisterLine:
    """An entry of today: its `entry` number, the `guest` with `last4`, who took it and when, and its withdrawal."""

    entry: int
    guest: str
    last4: str
    signed_text: str
    clerk: str
    withdrawn_text: str = ""


@dataclass(frozen=True, slots=True)
class HeldLine:
    """A held prize: its claim, the guest, until when, who has the envelope, what was done to reach the guest.

    `acts` = what can be done with it now: draw, move, contact, hand_over, give_back. `moves_to` = where custody may go.
    `overdue` = its last day has passed; `alarm` = too little was done to reach the guest while days run out.
    """

    draw: str
    ordinal: int
    claim: str
    award: int
    of: str
    guest: str
    last4: str
    state: str
    state_sentence: str
    custody: str
    custody_text: str
    pocket: str
    claim_by_text: str
    days_left: int
    days_text: str
    contact_text: str
    alarm: bool = False
    overdue: bool = False
    acts: tuple[str, ...] = ()
    moves_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchLine:
    """A counted batch: its `id`, when, how many envelopes, its pockets, who counted.

    `total_text` is "" until the day is closed (rule 14).
    """

    id: str
    counted_text: str
    envelopes: int
    total_text: str
    pockets_text: str
    by: str
    left: int


@dataclass(frozen=True, slots=True)
class WhereLine:
    """How many envelopes are in one place or were given; `total_text` is "" until it may be known."""

    place: str
    envelopes: int
    total_text: str = ""


@dataclass(frozen=True, slots=True)
class Tray:
    """The trays: how many pockets are left and which; where every envelope is; the day's count, once made, in words.

    `programme`: the running totals over the promotion, of a closed day (rule 32); empty before. `stated_text`: what the
    printed rules state, and what is still to be given for it. `cash_open`: the day is closed, and its cash can be
    counted; `cash_most`: how many envelopes may be opened for it; `cash_text`: the day's count of it in words.
    `least_cents` to `most_cents` are what an envelope may hold; the form offers amounts `step_cents` apart.
    """

    left: int
    pockets_text: str
    range_text: str
    least_cents: int
    most_cents: int
    step_cents: int
    batches: tuple[BatchLine, ...] = ()
    where: tuple[WhereLine, ...] = ()
    programme: tuple[WhereLine, ...] = ()
    stated_text: str = ""
    day_text: str = ""
    day_short: bool = False
    cash_open: bool = False
    cash_most: int = 0
    cash_text: str = ""
    cash_short: bool = False


@dataclass(frozen=True, slots=True)
class PrinterLine:
    """A printer in words: `id`, `title`, `state` ("ready", "paper_out", ...), `sentence`."""

    id: str
    title: str
    state: str
    sentence: str


@dataclass(frozen=True, slots=True)
class SlipLine:
    """A slip that waits, or was printed lately: `job`, what it is, its state, `acts` a person may take.

    `acts` of an unknown one: came_out, reprint, drop; of a printed one: again. `todo`: what helps.
    """

    job: int
    title: str
    about: str
    state: str
    state_sentence: str
    at_text: str
    todo: str = ""
    acts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeskSnapshot:
    """Everything the page shows.

    `desk_names`: the desks in words; `roles`: who may draw or keep an envelope; `today_text` for what a guest signs.
    """

    server_now: Millis
    utc_offset_minutes: int
    property_name: str
    promotion_title: str
    currency: str
    today_text: str
    register: RegisterState
    staff: tuple[StaffMember, ...] = ()
    desk_names: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    entries: tuple[RegisterLine, ...] = ()
    held: tuple[HeldLine, ...] = ()
    tray: Tray | None = None
    printers: tuple[PrinterLine, ...] = ()
    slips: tuple[SlipLine, ...] = ()
    demo: bool = False
    version: int = VERSION

    def as_json(self) -> dict[str, Any]:
        """The message of the event `snapshot` in the namespace `/desk`."""
        made: dict[str, Any] = plain(self)
        return made
