"""Whom the push works for first, and for whom it does not work at all."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from web_display.push import Pusher, Room

FLOOR, DESK, CONSOLE = Room("/screen-server", "all"), Room("/desk", "desk"), Room("/console", "console")

PACE = 0.1


class Rooms:
    """Three rooms, who of them is empty, and what was built and sent."""

    def __init__(self) -> None:
        self.empty: set[Room] = set()
        self.built: list[Room] = []
        self.sent: list[Room] = []
        self.shown: dict[Room, int] = {}
        self.state = 0
        self._news = threading.Condition()
        producers = {room: self._producer(room) for room in (FLOOR, DESK, CONSOLE)}
        self.pusher = Pusher(self._emit, producers, is_empty=lambda room: room in self.empty, pace={DESK: PACE})

    def _producer(self, room: Room) -> Callable[[], dict[str, Any]]:
        def build() -> dict[str, Any]:
            self.built.append(room)
            return {"server_now": 0, "state": self.state}

        return build

    def _emit(self, _event: str, data: Any, *, namespace: str, room: str) -> None:
        with self._news:
            self.sent += [Room(namespace, room)]
            self.shown[Room(namespace, room)] = data["state"]
            self._news.notify()

    def change(self) -> None:
        self.sent.clear()
        self.state += 1
        self.pusher.changed()

    def wait_for(self, *sent: Room) -> None:
        with self._news:
            assert self._news.wait_for(lambda: self.sent[-len(sent) :] == [*sent], 3), self.sent


@pytest.fixture
def rooms() -> Iterator[Rooms]:
    made = Rooms()
    made.pusher.start()
    made.wait_for(FLOOR, DESK, CONSOLE)
    yield made
    made.pusher.stop()


def test_a_room_with_a_pace_gets_the_newest_and_the_others_do_not_wait_for_it(rooms: Rooms) -> None:
    began = time.monotonic()
    for _ in range(20):
        rooms.change()
        rooms.wait_for(CONSOLE)
    passed = time.monotonic() - began
    assert rooms.built.count(CONSOLE) == 21
    assert rooms.built.count(DESK) <= 2 + passed / PACE
    while rooms.shown.get(DESK) != rooms.state:
        assert time.monotonic() - began < 5, "the newest never came"
        time.sleep(0.01)


def test_the_first_room_is_the_first_to_hear_whatever_came_before(rooms: Rooms) -> None:
    rooms.pusher.changed(FLOOR)  # says nothing new: it is only looked at again, and noted last
    time.sleep(PACE * 1.2)
    rooms.change()
    rooms.wait_for(FLOOR, DESK, CONSOLE)


def test_nothing_is_built_for_a_room_with_nobody_in_it(rooms: Rooms) -> None:
    rooms.empty = {DESK}
    rooms.built.clear()
    rooms.change()
    rooms.wait_for(FLOOR, CONSOLE)
    assert rooms.built == [FLOOR, CONSOLE]
    rooms.empty = set()
    rooms.pusher.changed(DESK)
    rooms.wait_for(DESK)  # unchanged since, but whoever is there now has not had it
    rooms.pusher.greet(DESK, "sid-1")
    rooms.wait_for(Room("/desk", "sid-1"))
