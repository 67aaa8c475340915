"""How guests behave: each visit is a story that goes on after every pause it yields (milliseconds).

A guest is a person with one or two cards. Forgotten cards stay in the machine until the next guest's card or the
system's own card-out; forgotten ratings until the pit closes them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Literal

from floor_bridge.dice import Dice
from floor_bridge.floor_spec import FloorSpec
from floor_bridge.made_floor import MadeFloor, MadePosition
from floor_bridge.made_people import MadeMember
from floor_bridge.open_sessions import OpenSession, OpenSessions

Story = Generator[int, None, None]
Kind = Literal["slot", "table"]
_FAVOURITE = 0.85
_DRAWN = 3.0


@dataclass(slots=True, eq=False)
class Guest:
    """A person: the cards in the person's name, the tier, how often such a one comes, the zones let into."""

    cards: tuple[str, ...]
    tier: str
    comes: float


@dataclass(frozen=True, slots=True, eq=False)
class Seat:
    """One place to play: a machine (`seat` empty) or a seat at a table."""

    position: str
    seat: str
    stake: int
    beside: tuple[str, ...] = ()


def guests_of(floor: MadeFloor) -> list[Guest]:
    """Every person of the floor with all cards in the person's name."""
    comes = {tier.name: tier.comes for tier in floor.spec.tiers}
    seconds: dict[str, list[str]] = {}
    for member in floor.members:
        if member.person:
            seconds.setdefault(member.person, []).append(member.member)
    firsts: list[MadeMember] = [one for one in (*floor.members, *floor.unlisted) if not one.person]
    return [Guest((one.member, *seconds.get(one.member, ())), one.tier, comes[one.tier]) for one in firsts]


class Seats:
    """The free places by zone and kind. A machine with a forgotten card in it is free."""

    def __init__(self, floor: MadeFloor) -> None:
        self._zones = floor.spec.zones
        self._free: dict[tuple[str, Kind], list[Seat]] = {}
        stakes = {zone.name: zone.stake for zone in floor.spec.zones}
        banks: dict[str, list[str]] = {}
        for position in floor.positions:
            banks.setdefault(position.bank, []).append(position.position)
        for position in floor.positions:
            self._free.setdefault((position.zone, position.kind), []).extend(_seats(position, stakes, banks))
        self._home = {seat: key for key, seats in self._free.items() for seat in seats}
        self._slots = {seat.position: seat for seat in self._home if not seat.seat}

    def zone_for(self, tier: str, kind: Kind, dice: Dice) -> str:
        """A zone with such places that this tier is let into, the larger the likelier; those for few draw them."""
        return dice.pick_by(
            [
                (zone.name, (zone.slots if kind == "slot" else zone.tables) * (_DRAWN if zone.tiers else 1.0))
                for zone in self._zones
                if not zone.tiers or tier in zone.tiers
            ]
        )

    def take(self, zone: str, kind: Kind, dice: Dice) -> Seat | None:
        """A free place in the zone, or None."""
        free = self._free.get((zone, kind))
        if not free:
            return None
        # The last one fills the gap: a list stays a list, and the order depends on nothing but the dice.
        at = int(dice.share() * len(free))
        seat, free[at] = free[at], free[-1]
        free.pop()
        return seat

    def take_beside(self, seat: Seat) -> Seat | None:
        """A free machine of the same bank, or None."""
        free = self._free[self._home[seat]]
        for name in seat.beside:
            other = self._slots[name]
            if other in free:
                free.remove(other)
                return other
        return None

    def leave(self, seat: Seat) -> None:
        self._free[self._home[seat]].append(seat)


def _seats(position: MadePosition, stakes: dict[str, int], banks: dict[str, list[str]]) -> list[Seat]:
    stake = stakes[position.zone]
    if position.kind == "slot":
        beside = tuple(name for name in banks[position.bank] if name != position.position)
        return [Seat(position.position, "", stake, beside)]
    return [Seat(position.position, str(number), stake) for number in range(1, position.seats + 1)]


class Stories:
    """Tells the visits. `begin(story)` starts another one beside the one that is being told."""

    def __init__(
        self, spec: FloorSpec, seats: Seats, sessions: OpenSessions, dice: Dice, begin: Callable[[Story], None]
    ) -> None:
        self._habits = spec.habits
        self._seats, self._sessions, self._dice, self._begin = seats, sessions, dice, begin

    def visit(self, guest: Guest, stay: int) -> Story:
        """From the door to the door: stints at machines or tables with walks between, for about `stay`."""
        dice, until = self._dice, self._sessions.now + stay
        likes: Kind = "table" if dice.chance(self._habits.plays_tables) else "slot"
        home = self._seats.zone_for(guest.tier, likes, dice)
        while self._sessions.now < until:
            kind = likes if dice.chance(_FAVOURITE) else "slot"
            zone = home if kind == likes and dice.chance(_FAVOURITE) else self._seats.zone_for(guest.tier, kind, dice)
            seat = self._seats.take(zone, kind, dice)
            if seat is None:
                yield 20_000
                continue
            stint = self._habits.stint_least + dice.around(self._habits.stint_mean - self._habits.stint_least)
            yield from self._at_table(guest, seat, stint) if seat.seat else self._at_slot(guest, seat, stint)
            yield 15_000 + dice.around(self._habits.between_stints)

    def _at_slot(self, guest: Guest, seat: Seat, stint: int) -> Story:
        card = guest.cards[0] if self._dice.chance(0.7) else self._dice.pick(guest.cards)
        if self._dice.chance(self._habits.second_machine):
            other = self._seats.take_beside(seat)
            if other is not None:
                # With two cards the second one goes into the second machine; with one the same card does.
                second = guest.cards[-1] if card == guest.cards[0] else guest.cards[0]
                self._begin(self._play(other, second, stint))
        yield from self._play(seat, card, stint)

    def _play(self, seat: Seat, card: str, stint: int) -> Story:
        """One card in one machine from card in to card out, or to its being forgotten."""
        dice, habits = self._dice, self._habits
        until = self._sessions.now + stint
        bet = dice.whole(3, 30) * 50 * seat.stake
        session = self._sessions.card_in(seat.position, card, _card_number(card))
        while self._sessions.now < until:
            pause = dice.whole(*habits.play_every)
            yield pause
            games = max(1, pause // dice.whole(3_500, 6_000))
            self._sessions.played(session, games, games * bet)
            if dice.chance(habits.pause):
                yield dice.around(habits.pause_mean)
        if dice.chance(habits.forgets_card):
            self._begin(self._forgotten_card(session))
        else:
            yield dice.whole(1_000, 20_000)
            self._sessions.card_out(session)
        self._seats.leave(seat)

    def _forgotten_card(self, session: OpenSession) -> Story:
        yield self._dice.whole(*self._habits.card_out_after)
        if not session.closed:
            self._sessions.card_out(session)

    def _at_table(self, guest: Guest, seat: Seat, stint: int) -> Story:
        """A rating from opening to closing, looked at by the pit every few minutes."""
        dice, habits = self._dice, self._habits
        until = self._sessions.now + stint
        yield dice.whole(10_000, 90_000)
        bet = dice.whole(2, 40) * 2_500 * seat.stake
        session = self._sessions.rating_opened(seat.position, seat.seat, guest.cards[0], bet)
        while self._sessions.now < until:
            yield dice.whole(*habits.rating_look_every)
            if dice.chance(habits.rating_paused):
                self._sessions.rating_paused(session, paused=True)
                yield 30_000 + dice.around(habits.rating_pause_mean)
                self._sessions.rating_paused(session, paused=False)
            elif dice.chance(0.5):
                self._sessions.rating_changed(session, dice.whole(2, 40) * 2_500 * seat.stake)
        if dice.chance(habits.forgets_rating):
            # The seat stays taken in the pit's book although nobody sits there.
            self._begin(self._forgotten_rating(session, seat))
        else:
            self._sessions.rating_closed(session)
            self._seats.leave(seat)

    def _forgotten_rating(self, session: OpenSession, seat: Seat) -> Story:
        yield self._dice.whole(*self._habits.card_out_after)
        self._sessions.rating_closed(session)
        self._seats.leave(seat)


def _card_number(member: str) -> str:
    # It ends like the member number, so that a guest reads the same last four either way.
    return f"2601{member}"
