"""What the server sends to the console: the promotions manager's day, in the past and the present tense only.

Instants are `Millis`; texts are finished words. A part of a session that has not begun carries no mark: the
constructor refuses it, because a mark there would tell a moment to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from draw_engine.clock import Millis
from draw_engine.errors import RuleBroken
from web_display.messages import VERSION, plain

SessionState = Literal["before", "open", "running", "suspended", "ended", "closed"]
PartState = Literal["past", "now", "to_come"]
MarkKind = Literal["confirmed", "held", "announced", "with_crew", "ended"]
FeedState = Literal["up", "stale", "down", "unsure", "unheard", "excluded"]
ListState = Literal["fine", "ageing", "old", "missing"]


@dataclass(frozen=True, slots=True)
class StaffMember:
    """Somebody who may decide: `id` as staff log in with, `name` in full, `role`."""

    id: str
    name: str
    role: str
    simulated: bool = False
    """One of the demo's own people: named where they act, offered to nobody as a name to take on."""


def people(staff: Iterable[StaffMember]) -> tuple[StaffMember, ...]:
    """Those of the staff whom somebody at a page may be."""
    return tuple(person for person in staff if not person.simulated)


@dataclass(frozen=True, slots=True)
class ReasonAction:
    """What can be done about a reason on this page: to the `feed` of that id, or to the session of that `draw`."""

    kind: Literal["exclude_feed", "open_session"]
    feed: str = ""
    draw: str = ""


@dataclass(frozen=True, slots=True)
class Reason:
    """One answer to "why can't I start?": stable `code`, `sentence` with figure and limit, `todo` what helps.

    `blocking` = it stands in the way now; otherwise it will.
    """

    code: str
    sentence: str
    todo: str
    blocking: bool
    action: ReasonAction | None = None


@dataclass(frozen=True, slots=True)
class PartMark:
    """One selection within a part: `kind`, the selection's `ordinal` and a `sentence` (`screens.mark_sentence`)."""

    kind: MarkKind
    ordinal: int
    sentence: str


@dataclass(frozen=True, slots=True)
class SessionPart:
    """One of a session's equal parts: `n` from 1, `from_text` "14:03", `marks` in the order of selection.

    The marks stand in the part, never at a place within it.
    """

    n: int
    from_text: str
    state: PartState
    marks: tuple[PartMark, ...] = ()

    def __post_init__(self) -> None:
        if self.state == "to_come" and self.marks:
            raise RuleBroken(f"part {self.n} has not begun and cannot carry a selection")


@dataclass(frozen=True, slots=True)
class ConsoleSession:
    """The session on the ruler: `id` of the draw, short `title`, `from_text` to `to_text`, `state`, its `parts`."""

    id: str
    title: str
    from_text: str
    to_text: str
    state: SessionState
    parts: tuple[SessionPart, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """How many selections of the session are in which state; `to_come` counts parts without a filled award."""

    confirmed: int = 0
    held: int = 0
    announced: int = 0
    with_crew: int = 0
    ended: int = 0
    to_come: int = 0


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A running claim: selection `ordinal`, `award` number, `position`, `guest` in full with last four.

    `state` a mark's kind; `state_sentence` "Announced", "Crew on the way"; `crew` a name or ""; `deadline_at` while
    a clock runs; `since` when it came to where it stands. `draw` it is of, `of` its title where that is not the
    session shown. `acts`: void, exchange while an envelope is drawn, and decide where `review` says
    why it waits for two people.
    Sorted by the server: clocks first, the shortest on top.
    """

    ordinal: int
    award: int
    position: str
    guest: str
    state: MarkKind
    state_sentence: str
    crew: str
    deadline_at: Millis | None = None
    since: Millis | None = None
    draw: str = ""
    of: str = ""
    review: str = ""
    acts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EndedRow:
    """A claim that has ended: what came of it (`outcome`, in words `outcome_text` and `detail`), when, and who had it.

    Times are texts, "" where there is none; `presented_text` says how much was left. `acts`: void, reselect (a void
    may order a new selection).
    """

    draw: str
    ordinal: int
    award: int
    attempt: int
    position: str
    guest: str
    state: MarkKind
    outcome: str
    outcome_text: str
    detail: str
    selected_text: str
    announced_text: str
    presented_text: str
    ended_text: str
    crew: str
    acts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HouseLine:
    """A fact of the desk or of a printer: `id`, `state`, a `sentence`; `href` where something is done about it."""

    id: str
    state: Literal["fine", "warn", "bad"]
    sentence: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class PoolSize:
    """How many guests a pool held: `at` its instant, `at_text` "14:41:56", `size`."""

    at: Millis
    at_text: str
    size: int


@dataclass(frozen=True, slots=True)
class FeedLine:
    """A feed in words: `id`, `state`, `sentence` with an absolute time (nothing is sent again as it ages)."""

    id: str
    state: FeedState
    sentence: str


@dataclass(frozen=True, slots=True)
class ListLine:
    """A list in words: `kind` ("members"), `state`, `sentence`."""

    kind: str
    state: ListState
    sentence: str


@dataclass(frozen=True, slots=True)
class LogHead:
    """The log's end: `seq` of the last entry, `hash_short` ("dc37 82eb … 3f05 9e12"), `checkpoint_text`."""

    seq: int
    hash_short: str
    checkpoint_text: str


@dataclass(frozen=True, slots=True)
class DrawLine:
    """A draw of the past: `id`, `title`, `state` in words, `records` = name of a download to its address."""

    id: str
    title: str
    state: str
    records: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ConsoleSnapshot:
    """Everything the console's first page shows.

    `staff` for the two picks; `headline` whether it can select, in one line, and `ready` the same as a fact;
    `reasons` blocking ones first; `may_act` false for an auditor: the page then has no buttons.
    """

    server_now: Millis
    utc_offset_minutes: int
    property_name: str
    promotion_title: str
    headline: str
    ready: bool
    staff: tuple[StaffMember, ...] = ()
    reasons: tuple[Reason, ...] = ()
    session: ConsoleSession | None = None
    counts: Counts = Counts()
    claims: tuple[ClaimRow, ...] = ()
    ended: tuple[EndedRow, ...] = ()
    pool: tuple[PoolSize, ...] = ()
    pool_now: PoolSize | None = None
    feeds: tuple[FeedLine, ...] = ()
    lists: tuple[ListLine, ...] = ()
    crew: tuple[HouseLine, ...] = ()
    desk: tuple[HouseLine, ...] = ()
    printers: tuple[HouseLine, ...] = ()
    log: LogHead | None = None
    draws: tuple[DrawLine, ...] = ()
    demo: bool = False
    may_act: bool = True
    version: int = VERSION

    def as_json(self) -> dict[str, Any]:
        """The message of the event `snapshot` in the namespace `/console`."""
        made: dict[str, Any] = plain(self)
        return made
