"""A made casino floor that lives: the same events for the same floor, seed and start, however it is stepped."""

from __future__ import annotations

import heapq

from floor_bridge.dice import Dice
from floor_bridge.event_form import Event, Millis
from floor_bridge.floor_spec import MINUTE, FloorSpec
from floor_bridge.guests import Guest, Seats, Stories, Story, guests_of
from floor_bridge.made_floor import MadeFloor, make_floor
from floor_bridge.open_sessions import OpenSession, OpenSessions

_FILLS_IN = 10 * MINUTE
_NEXT_GUEST_MEAN = 2 * MINUTE


class Simulator:
    """The floor of `spec` and `seed` from `start` (ms UTC), when the doors open; it has filled after ten minutes."""

    def __init__(self, spec: FloorSpec, seed: int | str, start: Millis, floor: MadeFloor | None = None) -> None:
        self.floor = floor or make_floor(spec, seed)
        self._spec = spec
        self._dice = Dice(seed, "guests")
        self._sessions = OpenSessions()
        self._sessions.now = start
        self._agenda: list[tuple[Millis, int, Story]] = []
        self._turn = 0
        self._away = guests_of(self.floor)
        self._highest = max(guest.comes for guest in self._away)
        self._stories = Stories(spec, Seats(self.floor), self._sessions, self._dice, self._begin)
        for _ in range(spec.guests):
            self._begin(self._place(), after=self._dice.whole(0, _FILLS_IN))

    @property
    def now(self) -> Millis:
        """Everything up to here has been told."""
        return self._sessions.now

    def advance(self, to: Millis) -> list[Event]:
        """The events after the last call up to and with `to`, in the order they happened; without `seq`."""
        agenda = self._agenda
        while agenda and agenda[0][0] <= to:
            self._sessions.now, _, story = heapq.heappop(agenda)
            pause = next(story, None)
            if pause is not None:
                self._begin(story, after=max(1, pause))
        self._sessions.now = max(self._sessions.now, to)
        said, self._sessions.said = self._sessions.said, []
        return said

    def snapshot(self, feed: str, at: Millis) -> Event:
        """The snapshot event of the feed at `at`, to which the simulator must have been advanced."""
        if at != self._sessions.now:
            raise ValueError("advance the simulator to the time of the snapshot first")
        return self._sessions.snapshot(feed, at)

    def open_sessions(self) -> list[OpenSession]:
        """What is open now, by position and seat; to look at, not to change."""
        return self._sessions.all()

    def _begin(self, story: Story, after: Millis = 0) -> None:
        # The turn keeps stories of one millisecond in the order in which they were put there.
        self._turn += 1
        heapq.heappush(self._agenda, (self._sessions.now + after, self._turn, story))

    def _place(self) -> Story:
        """One of the floor's places for guests: when one has gone, the next comes."""
        habits = self._spec.habits
        while True:
            guest = self._comes_in()
            stay = habits.visit_least + self._dice.around(habits.visit_mean - habits.visit_least)
            yield from self._stories.visit(guest, stay)
            self._away.append(guest)
            yield self._dice.around(_NEXT_GUEST_MEAN)

    def _comes_in(self) -> Guest:
        """Somebody who is not here, the likelier the more often such a guest comes."""
        away = self._away
        while True:
            at = int(self._dice.share() * len(away))
            guest = away[at]
            if self._dice.chance(guest.comes / self._highest):
                away[at] = away[-1]
                away.pop()
                return guest
