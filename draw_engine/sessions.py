"""Play sessions, and what each event does to them (design "The floor's vocabulary", "What a session was doing").

Events come here in the feed's own order and only once they have happened; the rest is `feeds.py`.
A session is a value: whoever holds one holds it as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from draw_engine import floor_events as told
from draw_engine.clock import Millis

SLOT = "slot"
TABLE = "table"

SeatKey = str | tuple[str, str]
"""Where at most one session of a feed can be open: a slot's position, or a table's position and seat."""


class PlaySession(NamedTuple):
    """One open session. `place` is the position as a selection records it, a table's with its seat (`BJ-03/4`).

    Times in ms; coin in and average bet in cents; sums since it opened. `last_play_at`: the latest `played` with
    games. `touched_at`: a rating's last event; of one known from a snapshot alone, its last play or its opening.
    """

    feed: str
    position: str
    seat: str | None
    game: str
    member: str
    card: str | None
    opened_at: Millis
    last_play_at: Millis | None
    games: int
    coin_in: int
    average_bet: int | None
    paused: bool
    touched_at: Millis

    @property
    def place(self) -> str:
        return self.position if self.seat is None else f"{self.position}/{self.seat}"


OpenSessions = dict[SeatKey, PlaySession]


def apply(sessions: OpenSessions, event: told.FloorEvent) -> bool:
    """Change what is open on one feed by its next event; False when the event spoke of a session that is not open."""
    change = _CHANGES.get(type(event))
    return True if change is None else change(sessions, event)


def _card_in(sessions: OpenSessions, event: told.CardIn) -> bool:
    open_there = sessions.get(event.position)
    if open_there is None or open_there.member != event.member:
        sessions[event.position] = PlaySession(
            event.feed, event.position, None, SLOT, event.member, event.card, event.at, None, 0, 0, None,
            paused=False, touched_at=event.at,
        )  # fmt: skip
    return True


def _played(sessions: OpenSessions, event: told.Played) -> bool:
    was = sessions.get(event.position)
    if was is None:
        return False
    feed, position, seat, game, member, card, opened_at, last, games, coin_in, bet, paused, _ = was
    at = event.at
    if event.games and (last is None or at > last):
        last = at
    sessions[event.position] = PlaySession(
        feed, position, seat, game, member, card, opened_at, last,
        games + event.games, coin_in + event.coin_in, bet, paused, at,
    )  # fmt: skip
    return True


def _card_out(sessions: OpenSessions, event: told.CardOut) -> bool:
    return sessions.pop(event.position, None) is not None


def _rating_opened(sessions: OpenSessions, event: told.RatingOpened) -> bool:
    key = (event.position, event.seat)
    open_there = sessions.get(key)
    if open_there is None or open_there.member != event.member:
        sessions[key] = PlaySession(
            event.feed, event.position, event.seat, TABLE, event.member, None, event.at, None, 0, 0,
            event.average_bet, paused=False, touched_at=event.at,
        )  # fmt: skip
    return True


def _rating_changed(sessions: OpenSessions, event: told.RatingChanged) -> bool:
    key = (event.position, event.seat)
    was = sessions.get(key)
    if was is not None:
        sessions[key] = was._replace(average_bet=event.average_bet, touched_at=event.at)
    return was is not None


def _rating_paused(sessions: OpenSessions, event: told.RatingPaused) -> bool:
    return _set_paused(sessions, (event.position, event.seat), paused=True, at=event.at)


def _rating_resumed(sessions: OpenSessions, event: told.RatingResumed) -> bool:
    return _set_paused(sessions, (event.position, event.seat), paused=False, at=event.at)


def _set_paused(sessions: OpenSessions, key: SeatKey, *, paused: bool, at: Millis) -> bool:
    was = sessions.get(key)
    if was is not None:
        sessions[key] = was._replace(paused=paused, touched_at=at)
    return was is not None


def _rating_closed(sessions: OpenSessions, event: told.RatingClosed) -> bool:
    return sessions.pop((event.position, event.seat), None) is not None


def _snapshot(sessions: OpenSessions, event: told.Snapshot) -> bool:
    sessions.clear()
    for one in event.sessions:
        key = one.position if one.seat is None else (one.position, one.seat)
        touched_at = one.opened_at if one.last_play_at is None else one.last_play_at
        sessions[key] = PlaySession(
            event.feed, one.position, one.seat, SLOT if one.seat is None else TABLE, one.member, one.card,
            one.opened_at, one.last_play_at, one.games, one.coin_in, one.average_bet, one.paused, touched_at,
        )  # fmt: skip
    return True


# Each function takes the one kind it stands beside; a type for that would only repeat the table.
_CHANGES: dict[type, Callable[..., bool]] = {
    told.CardIn: _card_in,
    told.Played: _played,
    told.CardOut: _card_out,
    told.RatingOpened: _rating_opened,
    told.RatingChanged: _rating_changed,
    told.RatingPaused: _rating_paused,
    told.RatingResumed: _rating_resumed,
    told.RatingClosed: _rating_closed,
    told.Snapshot: _snapshot,
}
