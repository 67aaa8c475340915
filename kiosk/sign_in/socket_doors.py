"""Who may open a socket: the rules of the pages, asked again when each connects; one that loses its sign-in is cut."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Lock
from typing import Any

from flask import request
from flask_socketio import ConnectionRefusedError as RefusedToConnect
from flask_socketio import SocketIO, join_room

from draw_engine.errors import Refused, RuleBroken
from kiosk.sign_in.access import Gate, Rule, from_this_machine
from web_display.push import Room

SOCKET_RULES: Mapping[str, Rule] = {
    "/screens": Rule("screen"),
    "/screen-server": Rule("this_machine"),
    "/console": Rule("staff", frozenset({"manager", "auditor"})),
    "/crew": Rule("staff", frozenset({"crew", "manager"})),
    "/stage": Rule("staff", frozenset({"stage", "crew", "manager"})),
    "/desk": Rule("staff", frozenset({"desk", "customer_services", "marketing", "manager", "crew"})),
    "/witness": Rule("staff", frozenset({"witness", "manager", "auditor"})),
}
"""Each namespace's rule; one without a rule is not opened at all."""


class SocketDoors:
    """The doors of one application's sockets. `greet(room, sid)` shows a new page the room's present."""

    def __init__(self, sockets: SocketIO, gate: Gate, greet: Callable[[Room, str], bool]) -> None:
        self._sockets = sockets
        self._gate = gate
        self._greet = greet
        self._lock = Lock()
        self._open: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        gate.door.on_end.append(self._cut)
        _end_without_waiting(sockets)

    def watch(self, namespace: str, room_of: Callable[[Any], Room | None]) -> None:
        """Open a namespace. `room_of(auth)`: the room to join, None when there is no such room."""
        rule = SOCKET_RULES.get(namespace)
        if rule is None:
            raise RuleBroken(f"the sockets' namespace {namespace} has no access rule")

        def connects(auth: Any = None) -> bool:
            sid = request.sid  # type: ignore[attr-defined]
            self._note(sid, namespace)  # first: what ends from here on cuts it
            try:
                self._gate.require_host()
                self._gate.let_in(rule, used=False)
            except Refused as refusal:
                self._forget(sid)
                raise RefusedToConnect(refusal.code) from None
            room = room_of(auth)
            if room is None:
                self._forget(sid)
                return False
            join_room(room.name)
            return self._greet(room, sid)

        self._sockets.on_event("connect", connects, namespace=namespace)
        self._sockets.on_event("disconnect", self._closes, namespace=namespace)

    def _note(self, sid: str, namespace: str) -> None:
        """Whose socket it is: a sign-in's, a device's, or both."""
        found = [one.token_sha256 for one in (self._gate.sign_in(used=False), self._gate.device()) if one is not None]
        with self._lock:
            for token in found:
                self._open[token].add((sid, namespace))

    def _closes(self, *_why: Any) -> None:
        self._forget(request.sid)  # type: ignore[attr-defined]

    def _forget(self, sid: str) -> None:
        with self._lock:
            for token in [token for token, sockets in self._open.items() if any(one == sid for one, _ in sockets)]:
                self._open[token] = {pair for pair in self._open[token] if pair[0] != sid}
                if not self._open[token]:
                    del self._open[token]

    def _cut(self, token: str) -> None:
        with self._lock:
            gone = self._open.pop(token, set())
        for sid, namespace in gone:
            with suppress(KeyError, ValueError):  # it may just have closed by itself
                self._sockets.server.disconnect(sid, namespace=namespace)


def _end_without_waiting(sockets: SocketIO) -> None:
    """Engine.IO waits, when it ends a line that sends nonsense, until the other side has fetched what is left for it.

    Who never fetches it would keep a thread for ever, and anybody may send nonsense.
    """
    lines = sockets.server.eio

    def end(sid: str | None = None) -> None:
        for one in list(lines.sockets.values()) if sid is None else [lines.sockets.get(sid)]:
            if one is not None:
                one.close(wait=False, reason=lines.reason.SERVER_DISCONNECT)

    lines.disconnect = end


def is_at_the_stage(gate: Gate) -> bool:
    """Whether the request comes from the place of drawing: an enrolled device of the stage, or this machine."""
    device = gate.device()
    return from_this_machine() or (device is not None and device.kind == "stage")
