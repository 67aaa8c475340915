"""Test words for a floor: `Teller` tells a feed's events in the page's form, `jhb` gives instants of Johannesburg."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from draw_engine.feeds import Floor
from draw_engine.floor_events import read_event
from draw_engine.lists import ListsInForce, read_list

ZONE = "Africa/Johannesburg"
KNOWN = 0

MEMBERS_HEADER = "member,first_name,last_name,tier,born,phone,email,person"
EXCLUSIONS_HEADER = "member,category,from,to,source"
POSITIONS_HEADER = "position,kind,zone,bank,seats"


def jhb(text: str) -> int:
    """Milliseconds of `2023-10-07 14:30:00.000` in Johannesburg, two hours ahead of UTC; seconds may be left out."""
    form = "%Y-%m-%d %H:%M:%S.%f" if "." in text else "%Y-%m-%d %H:%M:%S" if text.count(":") == 2 else "%Y-%m-%d %H:%M"
    moment = datetime.strptime(text, form).replace(tzinfo=UTC) - timedelta(hours=2)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def utc(at: int) -> str:
    """The page's form of an instant."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


class Teller:
    """One feed that tells a floor, numbered from 1; heard when it happened unless `received_at` says otherwise."""

    def __init__(self, floor: Floor, feed: str) -> None:
        self.floor = floor
        self.feed = feed
        self.seq = 0

    def tell(
        self, kind: str, at: int, *, received_at: int | None = None, seq: int | None = None, **members: Any
    ) -> None:
        self.seq = self.seq + 1 if seq is None else seq
        value = {"feed": self.feed, "seq": self.seq, "at": utc(at), "kind": kind, **members}
        self.floor.take(read_event(value), at if received_at is None else received_at)

    def plays(self, position: str, member: str, opened: int, last: int, card: str | None = None) -> None:
        """A slot session with one game."""
        self.tell("card_in", opened, position=position, member=member, **({"card": card} if card else {}))
        self.tell("played", last, position=position, games=1, coin_in=500)

    def alive(self, at: int) -> None:
        self.tell("heartbeat", at)


def lists(
    members: str = "", positions: str = "", exclusions: str = "", staff: str = "", zone: str = ZONE
) -> ListsInForce:
    """Lists from their lines, known always."""
    return ListsInForce(
        members=read_list("members", f"{MEMBERS_HEADER}\n{members}".encode(), KNOWN, zone),
        exclusions=read_list("exclusions", f"{EXCLUSIONS_HEADER}\n{exclusions}".encode(), KNOWN, zone),
        staff=read_list("staff", f"{EXCLUSIONS_HEADER}\n{staff}".encode(), KNOWN, zone),
        positions=read_list("positions", f"{POSITIONS_HEADER}\n{positions}".encode(), KNOWN, zone),
        zone=zone,
    )
