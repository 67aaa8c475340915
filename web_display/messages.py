"""What the server sends to a floor screen: one full picture of now, never a difference.

Every instant is in milliseconds since 1970 UTC (`Millis`) and only ever past or a clock's end: no field can hold a
moment of selection that is still to come, a running claim's amount, a reason, or a name of staff. Texts are
finished words; what the page counts by itself (rings, countdown, clock) it counts from `server_now`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from draw_engine.clock import Millis

VERSION = 1


def plain(value: Any) -> Any:
    """A message as dictionaries, lists, strings, whole numbers, booleans and None: what JSON can say."""
    kind = type(value)
    if kind in _AS_IS:
        return value
    if kind is tuple or kind is list:
        return [plain(item) for item in value]
    names = _names_of(kind)
    if names is not None:
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    return value


# Every commit makes every open page's message on the engine's thread, thousands of values: what can be known of a
# type once is not asked again of each value.
_AS_IS = frozenset({str, int, bool, float, type(None)})


_NAMES: dict[type, tuple[str, ...] | None] = {}


def _names_of(kind: type) -> tuple[str, ...] | None:
    if kind not in _NAMES:
        _NAMES[kind] = tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None
    return _NAMES[kind]


@dataclass(frozen=True, slots=True)
class NextSession:
    """The session that comes next: when it starts, never when anything in it falls.

    `title` "Session 2"; `starts_at` instant; `starts_text` "18:00" (with the date when not today); `awards` how many;
    `prize_text` "35 envelopes, R 500 to R 1 000 each."; `who_text` "For Black, Platinum and Gold."
    """

    title: str
    starts_at: Millis
    starts_text: str
    awards: int
    prize_text: str
    who_text: str


@dataclass(frozen=True, slots=True)
class RunningSession:
    """The session that runs: `ends_at`, `ends_text` "16:00", its `awards`, how many are still `to_come`.

    `sentence` is the line under the title (`screens.session_sentence`); `prize_text` and `who_text` as above.
    """

    title: str
    ends_at: Millis
    ends_text: str
    awards: int
    to_come: int
    sentence: str
    prize_text: str = ""
    who_text: str = ""


@dataclass(frozen=True, slots=True)
class ScreenClaim:
    """An announcement whose clock runs.

    `id` the claim's ("c12"); `name` masked; `place` where to go ("Promotions Stage"); `announced_at` and
    `deadline_at` instants; `collision` = somebody else on the floor has the same first name and initial.
    """

    id: str
    name: str
    place: str
    announced_at: Millis
    deadline_at: Millis
    collision: bool = False


@dataclass(frozen=True, slots=True)
class RecentWinner:
    """One of the last confirmed: masked `name` and `amount_text` "R 850" ("" until the envelope has been opened)."""

    name: str
    amount_text: str


@dataclass(frozen=True, slots=True)
class Won:
    """The newest confirmed winner, shown once for eight seconds.

    `id` the claim's; `name` what is called out ("Thandi M."); `last4` "1001", or "" where the rule book shows no digits
    beside a name; `amount_text` "R 850" or ""; `at` instant
    of the confirmation. A page that hears of it later than half a minute does not show it.
    """

    id: str
    name: str
    last4: str
    amount_text: str
    at: Millis


@dataclass(frozen=True, slots=True)
class Ended:
    """A claim whose time is up, shown for four seconds: `id`, masked `name`, `at` the instant it ended.

    The server may leave it in the list for some seconds: a page shows each id once, within 15 s of `at`.
    """

    id: str
    name: str
    at: Millis


@dataclass(frozen=True, slots=True)
class DayPart:
    """One session of the day in awards: `won`, `held`, `running`, `to_come`; `caption` says the same in words."""

    title: str
    from_text: str
    won: int
    held: int
    running: int
    to_come: int
    caption: str


@dataclass(frozen=True, slots=True)
class ScreenSnapshot:
    """Everything a floor screen shows.

    `server_now` the instant it was made; `utc_offset_minutes` of the property's zone at that instant, for the clock
    in the corner; `claims` oldest first; `recent` at most three, newest first; `winners_today` confirmed today;
    `taken_back` the ids of winners that have just been voided: one that is still on show is taken off at once;
    `day` today's sessions in order; `statutory_line` as the site's settings have it; `suspended` and the
    `suspended_sentence` that says so.
    """

    server_now: Millis
    utc_offset_minutes: int
    property_name: str
    promotion_title: str
    statutory_line: str
    demo: bool = False
    next_session: NextSession | None = None
    session: RunningSession | None = None
    claims: tuple[ScreenClaim, ...] = ()
    recent: tuple[RecentWinner, ...] = ()
    won: Won | None = None
    ended: tuple[Ended, ...] = ()
    taken_back: tuple[str, ...] = ()
    winners_today: int = 0
    day: tuple[DayPart, ...] = ()
    suspended: bool = False
    suspended_sentence: str = ""
    version: int = VERSION

    def as_json(self) -> dict[str, Any]:
        """The message of the event `snapshot` in the namespace `/screens`."""
        made: dict[str, Any] = plain(self)
        return made
