"""The floor's vocabulary (design "The floor's vocabulary"): what every feed is turned into.

`read_event` is strict: whole numbers, exact times, ids of 1 to 128 characters, no member the page does not name.
A kind that is not on the page is an `UnknownKind`: kept, counted, without effect.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from draw_engine import event_fields as fields
from draw_engine.canonical import MAX_NUMBER, NotCanonical, format_time, jcs
from draw_engine.clock import Millis
from draw_engine.errors import Refused

CLOCK_AHEAD_ALLOWED: Millis = 2_000
"""How far an event's `at` may lie ahead of the core's clock."""
MOST_NESTED = 32
"""How deep an event of an unknown kind may be: a line that only some stacks can read again would stop every start."""


@dataclass(frozen=True, slots=True)
class Told:
    """What every event has: which feed told it, its number there, and the source's time."""

    feed: str
    seq: int
    at: Millis


@dataclass(frozen=True, slots=True)
class CardIn(Told):
    """A slot session opens at `position` for `member`; the card's own number where the feed knows it."""

    position: str
    member: str
    card: str | None


@dataclass(frozen=True, slots=True)
class Played(Told):
    """Since the last one at that position: whole games, and cents put in."""

    position: str
    games: int
    coin_in: int


@dataclass(frozen=True, slots=True)
class CardOut(Told):
    """The slot session at `position` closes."""

    position: str


@dataclass(frozen=True, slots=True)
class RatingOpened(Told):
    """A table session opens at a seat; average bet in cents."""

    position: str
    seat: str
    member: str
    average_bet: int


@dataclass(frozen=True, slots=True)
class RatingChanged(Told):
    """The rating at a seat has another average bet, in cents."""

    position: str
    seat: str
    average_bet: int


@dataclass(frozen=True, slots=True)
class RatingPaused(Told):
    """A paused rating is not playing."""

    position: str
    seat: str


@dataclass(frozen=True, slots=True)
class RatingResumed(Told):
    """The paused rating plays again."""

    position: str
    seat: str


@dataclass(frozen=True, slots=True)
class RatingClosed(Told):
    """The table session at a seat closes."""

    position: str
    seat: str


@dataclass(frozen=True, slots=True)
class Heartbeat(Told):
    """The feed is alive and has nothing else to say."""


@dataclass(frozen=True, slots=True)
class SnapshotSession:
    """One session of a snapshot; `seat` is None at a slot. Amounts in cents."""

    position: str
    seat: str | None
    member: str
    card: str | None
    opened_at: Millis
    last_play_at: Millis | None
    games: int
    coin_in: int
    average_bet: int | None
    paused: bool


@dataclass(frozen=True, slots=True)
class Snapshot(Told):
    """All that is open now on this feed: replaces what was known of it."""

    sessions: tuple[SnapshotSession, ...]


@dataclass(frozen=True, slots=True)
class FeedDown(Told):
    """The link behind the bridge is lost: its sessions are unknown."""

    reason: str


@dataclass(frozen=True, slots=True)
class FeedUp(Told):
    """The link is back, or the bridge restarted: unsure until the next snapshot."""

    reason: str


@dataclass(frozen=True, slots=True)
class UnknownKind(Told):
    """An event of a kind this core does not know: kept in the journal, counted, without effect."""

    kind: str


FloorEvent = (
    CardIn
    | Played
    | CardOut
    | RatingOpened
    | RatingChanged
    | RatingPaused
    | RatingResumed
    | RatingClosed
    | Heartbeat
    | Snapshot
    | FeedDown
    | FeedUp
    | UnknownKind
)


def read_event(value: Any) -> FloorEvent:
    """The event a JSON value says. Raises Refused `X_EVENT_INVALID`; the sentence names the member at fault."""
    if type(value) is not dict:
        raise fields.invalid("An event is a JSON object; send one object a line.")
    try:
        feed, seq, at, kind = value["feed"], value["seq"], value["at"], value["kind"]
    except KeyError as missing:
        raise fields.invalid(
            f"The event has no {missing.args[0]!r}; every event needs feed, seq, at and kind."
        ) from None
    if type(seq) is not int or not 0 <= seq <= MAX_NUMBER:
        raise fields.invalid("'seq' must be a whole number from 0 to 2^53-1.")
    read = _READERS.get(kind) if type(kind) is str else None
    if read is not None:
        return read(value, fields.name(feed, "feed"), seq, fields.time(at, "at"))
    return _unknown(value, fields.name(feed, "feed"), seq, fields.time(at, "at"), kind)


def admit(event: FloorEvent, *, feed: str, now: Millis, owner: Callable[[str], str | None]) -> None:
    """Refuse what the sender may not say: `feed` is the token's, `owner` gives the feed a position belongs to.

    Raises Refused `X_WRONG_FEED`, `X_CLOCK_AHEAD` or `X_POSITION_OTHER_FEED`.
    """
    if event.feed != feed:
        raise Refused("X_WRONG_FEED", f"This token is feed {feed}'s; send {event.feed}'s events with its own token.")
    if event.at > now + CLOCK_AHEAD_ALLOWED:
        raise Refused(
            "X_CLOCK_AHEAD",
            f"The event's time is {event.at - now} ms ahead of the core, {CLOCK_AHEAD_ALLOWED} ms are allowed; "
            "set the source's clock.",
        )
    for position in positions_of(event):
        owned_by = owner(position)
        if owned_by is not None and owned_by != feed:
            raise Refused(
                "X_POSITION_OTHER_FEED",
                f"Position {position} belongs to feed {owned_by}; mend the list of positions or the bridge's settings.",
            )


def positions_of(event: FloorEvent) -> tuple[str, ...]:
    """The positions an event speaks of."""
    if isinstance(event, Snapshot):
        return tuple([session.position for session in event.sessions])
    position = getattr(event, "position", None)
    return () if position is None else (position,)


_HEAD = frozenset({"feed", "seq", "at", "kind"})
_CARD_IN = _HEAD | {"position", "member", "card"}
_PLAYED = _HEAD | {"position", "games", "coin_in"}
_CARD_OUT = _HEAD | {"position"}
_SEATED = _HEAD | {"position", "seat"}
_CHANGED = _SEATED | {"average_bet"}
_OPENED = _CHANGED | {"member"}
_SNAPSHOT = _HEAD | {"sessions"}
_FEED = _HEAD | {"reason"}
_SESSION = frozenset(
    "position seat member card opened_at last_play_at games coin_in average_bet paused".split()  # noqa: SIM905 - a row
)


def _card_in(value: dict[str, Any], feed: str, seq: int, at: Millis) -> CardIn:
    fields.only(value, _CARD_IN)
    card = fields.number(value, "card") if "card" in value else None
    return CardIn(feed, seq, at, fields.position(value), fields.number(value, "member"), card)


def _played(value: dict[str, Any], feed: str, seq: int, at: Millis) -> Played:
    fields.only(value, _PLAYED)
    return Played(feed, seq, at, fields.position(value), fields.amount(value, "games"), fields.amount(value, "coin_in"))


def _card_out(value: dict[str, Any], feed: str, seq: int, at: Millis) -> CardOut:
    fields.only(value, _CARD_OUT)
    return CardOut(feed, seq, at, fields.position(value))


def _rating_opened(value: dict[str, Any], feed: str, seq: int, at: Millis) -> RatingOpened:
    fields.only(value, _OPENED)
    bet = fields.amount(value, "average_bet")
    return RatingOpened(
        feed, seq, at, fields.position(value), fields.seat(value.get("seat")), fields.number(value, "member"), bet
    )


def _rating_changed(value: dict[str, Any], feed: str, seq: int, at: Millis) -> RatingChanged:
    fields.only(value, _CHANGED)
    return RatingChanged(
        feed, seq, at, fields.position(value), fields.seat(value.get("seat")), fields.amount(value, "average_bet")
    )


def _seated(
    made: type[RatingPaused | RatingResumed | RatingClosed],
) -> Callable[[dict[str, Any], str, int, Millis], FloorEvent]:
    def read(value: dict[str, Any], feed: str, seq: int, at: Millis) -> FloorEvent:
        fields.only(value, _SEATED)
        return made(feed, seq, at, fields.position(value), fields.seat(value.get("seat")))

    return read


def _heartbeat(value: dict[str, Any], feed: str, seq: int, at: Millis) -> Heartbeat:
    fields.only(value, _HEAD)
    return Heartbeat(feed, seq, at)


def _link(made: type[FeedDown | FeedUp]) -> Callable[[dict[str, Any], str, int, Millis], FloorEvent]:
    def read(value: dict[str, Any], feed: str, seq: int, at: Millis) -> FloorEvent:
        fields.only(value, _FEED)
        return made(feed, seq, at, fields.reason(value))

    return read


def _snapshot(value: dict[str, Any], feed: str, seq: int, at: Millis) -> Snapshot:
    fields.only(value, _SNAPSHOT)
    listed = value.get("sessions")
    if type(listed) is not list:
        raise fields.invalid("'sessions' must be a list of the open sessions; an empty one when nothing is open.")
    sessions = tuple([_session(one, at, number) for number, one in enumerate(listed, 1)])
    if len({(session.position, session.seat) for session in sessions}) != len(sessions):
        raise fields.invalid("The snapshot lists a position twice; each slot and each seat stands in it at most once.")
    return Snapshot(feed, seq, at, sessions)


def _session(value: Any, at: Millis, number: int) -> SnapshotSession:
    if type(value) is not dict:
        raise fields.invalid(f"Session {number} of the snapshot is not an object.")
    try:
        return _read_session(value, at)
    except Refused as fault:
        raise fields.invalid(f"Session {number} of the snapshot: {fault.sentence}") from None


def _read_session(value: dict[str, Any], at: Millis) -> SnapshotSession:
    fields.only(value, _SESSION)
    opened_at = fields.time(value.get("opened_at"), "opened_at")
    last_play_at = fields.time(value["last_play_at"], "last_play_at") if "last_play_at" in value else None
    paused = value.get("paused", False)
    if type(paused) is not bool:
        raise fields.invalid("'paused' must be true or false.")
    if opened_at > at or (last_play_at is not None and last_play_at > at):
        raise fields.invalid(f"it opened or was played after the snapshot's own time, {format_time(at)}.")
    return SnapshotSession(
        fields.position(value),
        fields.seat(value["seat"]) if "seat" in value else None,
        fields.number(value, "member"),
        fields.number(value, "card") if "card" in value else None,
        opened_at,
        last_play_at,
        fields.amount(value, "games") if "games" in value else 0,
        fields.amount(value, "coin_in") if "coin_in" in value else 0,
        fields.amount(value, "average_bet") if "average_bet" in value else None,
        paused,
    )


def _unknown(value: dict[str, Any], feed: str, seq: int, at: Millis, kind: Any) -> UnknownKind:
    kind = fields.name(kind, "kind")
    if _deeper_than(MOST_NESTED, value):
        raise fields.invalid(f"The event is nested deeper than {MOST_NESTED} levels; send it flatter.")
    try:
        jcs(value)
    except NotCanonical:
        raise fields.invalid(
            "The event holds what the journal cannot keep; use whole numbers and whole texts."
        ) from None
    return UnknownKind(feed, seq, at, kind)


def _deeper_than(levels: int, value: Any) -> bool:
    """Level by level: what is to be measured here may be deeper than any stack."""
    inside = [value]
    for _ in range(levels + 1):
        holders = [one for one in inside if isinstance(one, dict | list)]
        if not holders:
            return False
        inside = [part for one in holders for part in (one.values() if isinstance(one, dict) else one)]
    return True


_READERS: dict[str, Callable[[dict[str, Any], str, int, Millis], FloorEvent]] = {
    "card_in": _card_in,
    "played": _played,
    "card_out": _card_out,
    "rating_opened": _rating_opened,
    "rating_changed": _rating_changed,
    "rating_paused": _seated(RatingPaused),
    "rating_resumed": _seated(RatingResumed),
    "rating_closed": _seated(RatingClosed),
    "heartbeat": _heartbeat,
    "snapshot": _snapshot,
    "feed_down": _link(FeedDown),
    "feed_up": _link(FeedUp),
}
