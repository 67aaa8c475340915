"""The made floor's sessions as they stand, and the events that change them. Nothing is said that cannot happen:
no play without a session, one member at a position, a time never before the last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from floor_bridge.event_form import Event, Millis, format_time
from floor_bridge.floor_spec import SLOTS_FEED, TABLES_FEED


@dataclass(slots=True, eq=False)
class OpenSession:
    """One open session; `seat` is empty at a slot. Money in cents."""

    position: str
    seat: str
    member: str
    opened_at: Millis
    last_play_at: Millis | None = None
    games: int = 0
    coin_in: int = 0
    average_bet: int = 0
    paused: bool = False
    closed: bool = False


class OpenSessions:
    """Every open session by place, and `said`: the events since they were last taken."""

    def __init__(self) -> None:
        self.now: Millis = 0
        self.said: list[Event] = []
        self._open: dict[tuple[str, str], OpenSession] = {}

    def at(self, position: str, seat: str = "") -> OpenSession | None:
        return self._open.get((position, seat))

    def all(self) -> list[OpenSession]:
        """Every open session, by position and seat."""
        return [self._open[place] for place in sorted(self._open)]

    def card_in(self, position: str, member: str, card: str) -> OpenSession:
        """A card goes in; somebody else's that was left there is closed by it, the same member's goes on."""
        old = self.at(position)
        session = OpenSession(position, "", member, self.now)
        if old is not None:
            if old.member == member:
                session = replace(old)
            old.closed = True
        self._open[position, ""] = session
        self._say(SLOTS_FEED, "card_in", position, member=member, card=card)
        return session

    def played(self, session: OpenSession, games: int, coin_in: int) -> None:
        assert not session.closed
        session.last_play_at = self.now
        session.games += games
        session.coin_in += coin_in
        self._say(SLOTS_FEED, "played", session.position, games=games, coin_in=coin_in)

    def card_out(self, session: OpenSession) -> None:
        self._close(session)
        self._say(SLOTS_FEED, "card_out", session.position)

    def rating_opened(self, position: str, seat: str, member: str, average_bet: int) -> OpenSession:
        assert self.at(position, seat) is None
        session = self._open[position, seat] = OpenSession(position, seat, member, self.now, average_bet=average_bet)
        self._say(TABLES_FEED, "rating_opened", position, seat=seat, member=member, average_bet=average_bet)
        return session

    def rating_changed(self, session: OpenSession, average_bet: int) -> None:
        assert not session.closed
        session.average_bet = average_bet
        self._say(TABLES_FEED, "rating_changed", session.position, seat=session.seat, average_bet=average_bet)

    def rating_paused(self, session: OpenSession, *, paused: bool) -> None:
        assert not session.closed
        assert session.paused != paused
        session.paused = paused
        kind = "rating_paused" if paused else "rating_resumed"
        self._say(TABLES_FEED, kind, session.position, seat=session.seat)

    def rating_closed(self, session: OpenSession) -> None:
        self._close(session)
        self._say(TABLES_FEED, "rating_closed", session.position, seat=session.seat)

    def snapshot(self, feed: str, at: Millis) -> Event:
        """The snapshot event of that feed's open sessions."""
        shown = _shown_slot if feed == SLOTS_FEED else _shown_rating
        here = [session for session in self.all() if bool(session.seat) == (feed == TABLES_FEED)]
        return {"feed": feed, "at": format_time(at), "kind": "snapshot", "sessions": [shown(one) for one in here]}

    def _close(self, session: OpenSession) -> None:
        assert not session.closed
        session.closed = True
        del self._open[session.position, session.seat]

    def _say(self, feed: str, kind: str, position: str, **more: str | int) -> None:
        self.said.append({"feed": feed, "at": format_time(self.now), "kind": kind, "position": position, **more})


def _shown_slot(session: OpenSession) -> Event:
    shown: Event = {"position": session.position, "member": session.member, "opened_at": format_time(session.opened_at)}
    if session.last_play_at is not None:
        shown["last_play_at"] = format_time(session.last_play_at)
    return {**shown, "games": session.games, "coin_in": session.coin_in}


def _shown_rating(session: OpenSession) -> Event:
    return {
        "position": session.position,
        "seat": session.seat,
        "member": session.member,
        "opened_at": format_time(session.opened_at),
        "average_bet": session.average_bet,
        "paused": session.paused,
    }
