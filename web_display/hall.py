"""All screens of a property and what each one shows: the newest picture of the core, encoded once for all who show it.

A screen that comes gets the picture at once, whether the core is there or not, with the core's time as it is now. Each
message is a whole picture, so whoever missed some needs only the newest.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

import structlog

from draw_engine.clock import Millis
from web_display import packets
from web_display.core_time import CoreTime
from web_display.lines import MOST_HEARD, Line

NAMESPACE = "/screens"
_log = structlog.get_logger(__name__)
_AWAY = packets.frame(packets.event(NAMESPACE, "away"))
_PING = packets.frame(packets.PING)


class Picture:
    """One message, in words already but for the time it is sent at."""

    def __init__(self, message: Mapping[str, Any]) -> None:
        self.property_name = str(message["property_name"])
        self.promotion_title = str(message["promotion_title"])
        self.rest = json.dumps(message, ensure_ascii=False, separators=(",", ":"))[1:]

    def frame(self, now: Millis) -> bytes:
        """The event `snapshot` as a frame, as of `now` on the core's clock."""
        return packets.frame(packets.event(NAMESPACE, "snapshot", f'{{"server_now":{now},{self.rest}'))


class Hall:
    """`ping_every` seconds a screen is asked whether it is there; `silent_after` seconds more and it is given up."""

    def __init__(
        self,
        *,
        ping_every: float = 3.0,
        silent_after: float = 3.0,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self.core_time = CoreTime(steady)
        self._steady = steady
        self.ping_every = ping_every
        self._silent_after = silent_after
        self._pictures: dict[str, Picture] = {}  # by screen; the same object for all that show the same
        self._lines: dict[Line, int] = {}  # every socket, with its turn to be pinged
        self._rooms: dict[str, set[Line]] = {}
        self._turns = count()
        self._away = True
        self.enrolled: frozenset[str] | None = None
        """SHA-256 (hex) of the tokens of the house's enrolled screens; None until the core has been heard."""

    # -- what the core says ------------------------------------------------------------------------------------

    def take(self, message: Mapping[str, Any]) -> None:
        """The core's newest: `server_now`, its `pictures`, and `of` each screen's name which of them (its index).

        `enrolled`: the digests of the tokens of the screens' devices.

        Raises KeyError, IndexError or TypeError when it is no such message; then nothing has changed.
        """
        made = [Picture(picture) for picture in message["pictures"]]
        pictures = {str(name): made[index] for name, index in message["of"].items()}
        self.enrolled = frozenset(str(digest) for digest in message.get("enrolled", ()))
        self.core_time.heard(message["server_now"])
        before, self._pictures = self._pictures, pictures
        was_away, self._away = self._away, False
        for name in self._rooms.keys() - pictures.keys():
            self._send_out(name)
        frames: dict[int, bytes] = {}
        now = self._now()
        for name, picture in pictures.items():
            if was_away or name not in before or before[name].rest != picture.rest:
                frame = frames.setdefault(id(picture), picture.frame(now))
                for line in self._rooms.get(name, ()):
                    line.send(frame)

    def core_away(self) -> None:
        """The core does not answer: say so once; what runs on the screens goes on from its deadlines."""
        if not self._away:
            self._away = True
            for line in self._lines:
                if line.room:
                    line.send(_AWAY)

    @property
    def knows_core(self) -> bool:
        """Whether the core has ever said anything."""
        return bool(self._pictures)

    def picture(self, name: str) -> Picture | None:
        """What the screen shows, as far as the core has said."""
        return self._pictures.get(name)

    # -- what the screens say ----------------------------------------------------------------------------------

    def came(self, line: Line) -> None:
        self._lines[line] = next(self._turns)
        line.send(
            packets.frame(
                packets.opened(
                    secrets.token_hex(10),
                    ping_every=self.ping_every,
                    answer_within=self._silent_after,
                    most_bytes=MOST_HEARD,
                )
            )
        )

    def heard(self, line: Line, text: str) -> None:
        packet = packets.read(text)
        if packet.kind == "connect" and not line.room:
            self._enter(line, packet)
        elif packet.kind == "event" and packet.ack is not None and packet.data == ["time"]:
            line.send(packets.frame(packets.answer(NAMESPACE, packet.ack, self.core_time.now())))
        elif packet.kind in {"close", "disconnect"}:
            line.cut()

    def left(self, line: Line) -> None:
        self._lines.pop(line, None)
        if line.room:
            self._rooms[line.room].discard(line)

    def can_take(self, line: Line) -> None:
        """It was full and is not any more: the newest picture makes up for all that it missed."""
        if line.room:
            self._greet(line)

    def _enter(self, line: Line, packet: packets.Packet) -> None:
        name = packet.data.get("screen") if isinstance(packet.data, dict) else None
        if packet.namespace != NAMESPACE or not isinstance(name, str) or not self._may_be(name):
            line.send(packets.frame(packets.refuse(packet.namespace, "There is no such screen.")))
            return
        line.joined(name)
        self._rooms.setdefault(name, set()).add(line)
        line.send(packets.frame(packets.connect(NAMESPACE, {"sid": secrets.token_hex(10)})))
        self._greet(line)

    def _now(self) -> Millis:
        """The core's time; only where there is a picture, with which its time came."""
        now = self.core_time.now()
        assert now is not None
        return now

    def _may_be(self, name: str) -> bool:
        """Until the core has said which screens there are, every name may be one."""
        return bool(name) and (not self._pictures or name in self._pictures)

    def _greet(self, line: Line) -> None:
        picture = self._pictures.get(line.room)
        if picture is not None:
            line.send(picture.frame(self._now()))
        if self._away:
            line.send(_AWAY)

    def _send_out(self, name: str) -> None:
        """The site has no such screen any more."""
        for line in list(self._rooms.pop(name)):
            line.room = ""
            line.send(packets.frame(packets.leave(NAMESPACE)))

    # -- who is still there ------------------------------------------------------------------------------------

    def ping(self, turn: int, turns: int) -> None:
        """Ping those whose turn it is of `turns` in a ping interval, and cut who has been silent for too long."""
        given_up = self._steady() - self.ping_every - self._silent_after
        silent: list[Line] = []
        for line, number in self._lines.items():
            if number % turns != turn % turns:
                continue
            if line.heard_at < given_up:
                silent.append(line)
            else:
                line.send(_PING)
        if silent:
            _log.info("screens.cut", screens=len(silent))
        for line in silent:
            line.cut()

    def cut_all(self) -> None:
        """The server stops."""
        for line in list(self._lines):
            line.cut()

    @property
    def present(self) -> Sequence[str]:
        """The rooms of all sockets that are here."""
        return [line.room for line in self._lines]
