"""The bridges of the day: they number what the floor says and keep it until it is acknowledged."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from casino import AISHA, GRACE, JOHAN, LERATO, NALEDI, PIETER, SIPHO, THANDI, iso, jhb

SNAPSHOTS_APART_MS = 2_500
FLOOR_FROM = jhb("13:49")
SEATED = {
    "S-0412": THANDI,
    "S-0088": PIETER,
    "S-0500": LERATO,
    "S-0501": SIPHO,
    "S-0502": AISHA,
    "S-0503": NALEDI,
    "S-0600": JOHAN,
}
AT_TABLE = ("BJ-03", "4", GRACE)


class Bridge:
    """A feed's bridge: numbers its events, keeps them until they are acknowledged, tells what is open when asked."""

    def __init__(self, feed: str) -> None:
        self.feed = feed
        self.waiting: list[bytes] = []
        self.snapshot_at: int | None = None
        self._last_snapshot = 0
        self._seq = 0
        self._seated_at: int | None = None

    def tell(self, kind: str, at: int, **more: Any) -> None:
        self._seq += 1
        event = {"feed": self.feed, "seq": self._seq, "at": iso(at), "kind": kind, **more}
        self.waiting.append(json.dumps(event, separators=(",", ":"), sort_keys=True).encode())

    def pulse(self, at: int) -> None:
        """Once a minute: everybody plays on, or the bridge says that it is alive."""
        if at < FLOOR_FROM:
            self.tell("heartbeat", at)
        elif self._seated_at is None:
            self._seated_at = at
            self._sit(at)
        elif self.feed == "slots-1":
            for position in SEATED:
                self.tell("played", at, position=position, games=3, coin_in=1_500)
        else:
            self.tell("heartbeat", at)

    def _sit(self, at: int) -> None:
        if self.feed == "slots-1":
            for position, member in SEATED.items():
                self.tell("card_in", at, position=position, member=member)
        else:
            position, seat, member = AT_TABLE
            self.tell("rating_opened", at, position=position, seat=seat, member=member, average_bet=10_000)

    def asked_for_snapshot(self, now: int) -> None:
        """At once, and not again before a hole has been waited for."""
        self.snapshot_at = max(now, self._last_snapshot + SNAPSHOTS_APART_MS)

    def snapshot(self, at: int) -> None:
        self.snapshot_at, self._last_snapshot = None, at
        opened = self._seated_at
        self.tell("snapshot", at, sessions=[] if opened is None else list(self._open(opened, at)))

    def _open(self, opened: int, at: int) -> Iterable[dict[str, Any]]:
        if self.feed == "tables-1":
            position, seat, member = AT_TABLE
            yield {
                "position": position,
                "seat": seat,
                "member": member,
                "opened_at": iso(opened),
                "average_bet": 10_000,
            }
            return
        for position, member in SEATED.items():
            yield {
                "position": position,
                "member": member,
                "opened_at": iso(opened),
                "last_play_at": iso(at),
                "games": 30,
                "coin_in": 15_000,
            }
