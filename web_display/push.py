"""The push: after any change every room with somebody in it gets its full message; who changes anything never waits.

`changed` and `greet` only leave a note; one thread of the pusher's own builds the messages and sends them. Notes of
the same room that come while it is busy become one, so a room gets the newest state and no backlog. A message that
says nothing new is not sent, except now and then, so that a page's clock does not drift away from the server's.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

Message = Mapping[str, Any]
Producer = Callable[[], Message]
EVENT = "snapshot"

_log = logging.getLogger(__name__)


class Room(NamedTuple):
    """Who gets the same message: `namespace` "/screens" or "/console", `name` a screen's name or "console"."""

    namespace: str
    name: str


class Emit(Protocol):
    """Socket.IO's `emit` (Flask-SocketIO's or python-socketio's server): hands over and returns."""

    def __call__(self, event: str, data: Message, *, namespace: str, room: str) -> Any: ...


class Pusher:
    """Sends each room its full message, in the order of `producers`: the first is the first to hear.

    `producers` builds a room's current message (a whole new mapping each time, with `server_now`); it runs on the
    pusher's thread. Nothing is built for a room of which `is_empty` says that nobody is in it: who comes is greeted.
    `pace`: seconds at least between two messages of a room whose readers do not mind; a clock's room has none.
    `again_after` seconds without a send, an unchanged message is sent all the same; `retry_after`
    seconds after a producer or a send failed it is tried again.
    """

    def __init__(
        self,
        emit: Emit,
        producers: Mapping[Room, Producer],
        *,
        is_empty: Callable[[Room], bool] = lambda _room: False,
        pace: Mapping[Room, float] = MappingProxyType({}),
        again_after: float = 300.0,
        retry_after: float = 1.0,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._emit = emit
        self._producers = dict(producers)
        self._is_empty = is_empty
        self._pace = dict(pace)
        self._again_after = again_after
        self._retry_after = retry_after
        self._steady = steady
        self._wake = threading.Condition()
        self._due: dict[Room, float] = {}  # when to look at a room, on the steady clock
        self._looked: dict[Room, float] = {}  # when it was looked at last
        self._greet: dict[Room, list[str]] = {}  # who has just connected
        self._sent: dict[Room, Message] = {}
        self._stopping = False
        self.sent: Counter[Room] = Counter()
        """Messages sent so far: to a room one, to whoever came one each."""
        self.failed = 0
        """How often a room's message could not be made or sent."""
        self._thread = threading.Thread(target=self._run, name="pusher", daemon=True)

    def start(self) -> None:
        """Begin to send, every room once. Until then notes are kept."""
        self.changed()
        self._thread.start()

    def stop(self, timeout: float = 5.0) -> None:
        """Send nothing more, and wait for the thread at most `timeout` seconds."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        if self._thread.is_alive():
            self._thread.join(timeout)

    def changed(self, *rooms: Room) -> None:
        """Something was committed: these rooms (all when none is named) get their message if it says something new."""
        now = self._steady()
        with self._wake:
            for room in rooms or self._producers:
                if room in self._producers:
                    self._due[room] = (
                        max(now, self._looked[room] + self._pace.get(room, 0.0)) if room in self._looked else now
                    )
            self._wake.notify()

    def greet(self, room: Room, sid: str) -> bool:
        """Send the room's current message to one that has just connected. False: there is no such room."""
        if room not in self._producers:
            return False
        with self._wake:
            self._greet.setdefault(room, []).append(sid)
            self._wake.notify()
        return True

    def _run(self) -> None:
        while (work := self._next()) is not None:
            greeted, rooms = work
            for room, sids in greeted.items():
                self._send_to(room, sids)
            for room in rooms:
                self._send_all(room)

    def _next(self) -> tuple[dict[Room, list[str]], list[Room]] | None:
        """Wait for notes and take them; None when it is to stop."""
        with self._wake:
            while not self._stopping:
                now = self._steady()
                rooms = [room for room in self._producers if self._due.get(room, now + 1) <= now]
                if rooms or self._greet:
                    greeted, self._greet = self._greet, {}
                    for room in rooms:
                        del self._due[room]
                        self._looked[room] = now
                    return greeted, rooms
                self._wake.wait(min(self._due.values()) - now if self._due else None)
        return None

    def _send_to(self, room: Room, sids: list[str]) -> None:
        """The message as it is now, built once for all who came at the same time."""
        try:
            message = self._producers[room]()
            for sid in sids:
                self._emit(EVENT, message, namespace=room.namespace, room=sid)
                self.sent[room] += 1
        except Exception as fault:  # noqa: BLE001 - one room's trouble must not end the push to the others
            self._note(room, fault)
            with self._wake:
                self._sent.pop(room, None)  # they are in the room by now: the next try goes to all of it
                again = self._steady() + self._retry_after
                self._due[room] = min(self._due.get(room, again), again)

    def _send_all(self, room: Room) -> None:
        wait = self._again_after
        try:
            if self._is_empty(room):
                self._sent.pop(room, None)
            elif self._is_news(room, message := self._producers[room]()):
                self._emit(EVENT, message, namespace=room.namespace, room=room.name)
                self._sent[room] = message
                self.sent[room] += 1
        except Exception as fault:  # noqa: BLE001 - as above
            self._note(room, fault)
            wait = self._retry_after
        with self._wake:
            self._due.setdefault(room, self._steady() + wait)

    def _is_news(self, room: Room, message: Message) -> bool:
        """Whether anything but the server's time differs from what the room has, or that time is long ago."""
        before = self._sent.get(room)
        if before is None:
            return True
        if {**before, "server_now": 0} != {**message, "server_now": 0}:
            return True
        passed: float = message.get("server_now", 0) - before.get("server_now", 0)
        return passed >= self._again_after * 1000

    def _note(self, room: Room, fault: Exception) -> None:
        self.failed += 1
        # The kind of fault only: its text may hold a guest's name.
        _log.error("no message for %s %s: %s", room.namespace, room.name, type(fault).__name__)
