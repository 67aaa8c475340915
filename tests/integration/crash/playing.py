"""A small casino in play, and what a test asks of its core."""

from __future__ import annotations

import json
from pathlib import Path

from casino import Casino, seat_everybody
from crash.trouble import Running

from draw_engine.service import house, intake
from draw_engine.service.engine import Engine
from draw_engine.store.journal import read_segment

BY = {"by": "nomvula", "second": "themba", "reason": "an alarm"}
FIRST = "silverstar/playtime/2023-10-07/first"


def in_play(folder: Path, database: Path | None = None, until: str = "13:59") -> Casino:
    """Everybody plays; at 13:59 the first session is open and its first moment is yet to come."""
    casino = Casino(f"sqlite:///{(database or folder) / 'core.db'}", folder)
    casino.load_lists()
    seat_everybody(casino)
    casino.at(until)
    return casino


def beat(casino: Casino, feed: str = "slots-1") -> bytes:
    """One heartbeat, as a bridge sends it; the caller may send it again."""
    casino.tell("heartbeat", feed=feed)
    return b"\n".join(casino._waiting.pop(feed))


def take(running: Running, body: bytes, feed: str = "slots-1") -> intake.Answer:
    return running.core.ask(lambda engine: intake.take(engine, feed, body))


def suspend(engine: Engine) -> None:
    house.suspend(engine, engine.draw(FIRST), **BY)


def journalled(casino: Casino) -> list[tuple[str, int]]:
    lines = read_segment(casino.folder / "journal", casino.journal.segment).splitlines()
    events = [json.loads(line)["event"] for line in lines]
    return [(event["feed"], event["seq"]) for event in events]


def key(body: bytes) -> tuple[str, int]:
    event = json.loads(body)
    return event["feed"], event["seq"]


def ends_well(casino: Casino) -> None:
    """The session goes on to its end, and its record verifies."""
    assert len(set(journalled(casino))) == len(journalled(casino))
    casino.finish("14:15")
    assert casino.draw().state.closed_at is not None
    casino.verify_closed()
