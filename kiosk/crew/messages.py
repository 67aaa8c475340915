"""What the server sends to the crew's tablets and to the stage: one full picture of now, never a difference.

Instants are milliseconds since 1970 UTC, only ever past or a clock's end: no field can hold a moment of selection to
come. A guest's name is in it from the take on (crew), or once there is somebody to call (stage), never before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from draw_engine.clock import Millis
from web_display.console_messages import StaffMember
from web_display.messages import VERSION, plain


@dataclass(frozen=True, slots=True)
class Guest:
    """Who was selected: `name` in full, `called` "Thandi M.", the card's `last4`."""

    name: str
    called: str
    last4: str


@dataclass(frozen=True, slots=True)
class CrewClaim:
    """A claim that runs.

    `key` "first/c12" for the page alone; `stage` of claim_moves; `where` "Main floor, bank MA07"; `bank`, `x`, `y` its
    place on the map (None where the list has none); `taken_by` the staff id and `taken_name` the name; `guest` None
    until it is taken; `window_ms` the whole of the ring; `low`, `high` what an envelope may hold, in cents;
    `other_loses` = somebody else on the card costs the guest the prize (else the guest is announced all the same).
    """

    key: str
    draw: str
    ordinal: int
    award: int
    stage: str
    position: str
    where: str
    opened_at: Millis
    zone: str = ""
    bank: str = ""
    x: float | None = None
    y: float | None = None
    taken_by: str = ""
    taken_name: str = ""
    taken_at: Millis | None = None
    guest: Guest | None = None
    arrived_at: Millis | None = None
    announced_at: Millis | None = None
    deadline_at: Millis | None = None
    window_ms: int = 90_000
    presented_at: Millis | None = None
    review: str = ""
    checked_at: Millis | None = None
    pocket: str = ""
    place: str = ""
    low: int = 0
    high: int = 0
    other_loses: bool = True


@dataclass(frozen=True, slots=True)
class CrewEnd:
    """One of the last claims that ended: `outcome` of claim_moves, `sentence` "Confirmed at 14:49:30: R 850"."""

    key: str
    position: str
    outcome: str
    ended_at: Millis
    sentence: str


@dataclass(frozen=True, slots=True)
class CrewSnapshot:
    """Everything a crew tablet shows. `tray` = pockets left; `floor` = version of the map, "" when there is none."""

    server_now: Millis
    utc_offset_minutes: int
    property_name: str
    promotion_title: str
    day_text: str
    money_prefix: str
    staff: tuple[StaffMember, ...] = ()
    claims: tuple[CrewClaim, ...] = ()
    ended: tuple[CrewEnd, ...] = ()
    tray: tuple[str, ...] = ()
    floor: str = ""
    suspended: bool = False
    demo: bool = False
    version: int = VERSION

    def as_json(self) -> dict[str, Any]:
        """The message of the event `snapshot` in the namespace `/crew`."""
        made: dict[str, Any] = plain(self)
        return made


@dataclass(frozen=True, slots=True)
class Bank:
    """A bank of machines or a pit on the map: its corners, in the positions list's own units, y growing northwards."""

    zone: str
    name: str
    kind: str
    west: float
    south: float
    east: float
    north: float


@dataclass(frozen=True, slots=True)
class FloorMap:
    """The floor as the positions list draws it. `zones` = name in the list to its words."""

    version: str
    zones: dict[str, str]
    banks: tuple[Bank, ...]

    def as_json(self) -> dict[str, Any]:
        """The answer of `/crew/floor.json`."""
        made: dict[str, Any] = plain(self)
        return made


@dataclass(frozen=True, slots=True)
class StageCall:
    """Somebody to announce: `called` "Thandi M.", `last4` to be read digit by digit, `place`, `seconds` allowed.

    `twin` = somebody else who could take the call for theirs plays under the same name: said before it is called.
    `again` = two people ordered it to be announced once more. `position` and `crew` say whence it comes.
    """

    key: str
    draw: str
    ordinal: int
    called: str
    last4: str
    place: str
    seconds: int
    position: str
    crew: str = ""
    waits_since: Millis = 0
    twin: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class StageClock:
    """A clock that runs: the guest's masked `name` and `tier`."""

    key: str
    draw: str
    ordinal: int
    name: str
    tier: str
    place: str
    announced_at: Millis
    deadline_at: Millis
    window_ms: int = 90_000
    twin: bool = False


@dataclass(frozen=True, slots=True)
class StageReview:
    """A clock that two people decide about: `code` why, `sentence` the same in words."""

    key: str
    draw: str
    ordinal: int
    name: str
    code: str
    sentence: str
    announced_at: Millis
    deadline_at: Millis


@dataclass(frozen=True, slots=True)
class StageLate:
    """A clock that ran out: `held` when the guest had declined to be present and the prize is kept."""

    key: str
    name: str
    deadline_at: Millis
    ended_at: Millis
    held: bool = False


@dataclass(frozen=True, slots=True)
class StageSnapshot:
    """Everything the stage shows; `calls` and `clocks` oldest first, `late` newest first."""

    server_now: Millis
    utc_offset_minutes: int
    property_name: str
    promotion_title: str
    place: str
    staff: tuple[StaffMember, ...] = ()
    deciders: tuple[StaffMember, ...] = ()
    calls: tuple[StageCall, ...] = ()
    clocks: tuple[StageClock, ...] = ()
    reviews: tuple[StageReview, ...] = ()
    late: tuple[StageLate, ...] = ()
    suspended: bool = False
    demo: bool = False
    version: int = VERSION

    def as_json(self) -> dict[str, Any]:
        """The message of the event `snapshot` in the namespace `/stage`."""
        made: dict[str, Any] = plain(self)
        return made
