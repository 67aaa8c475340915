"""Taking the floor's events in: each line read, the new ones journalled and synced, then counted, then answered.

Source: floor-events "Taking it in". A repeat is harmless, a bad line is refused with its reason and blocks nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from draw_engine import calendar
from draw_engine.errors import Refused, RuleBroken
from draw_engine.event_lines import event_bytes, line_of, read_line
from draw_engine.feed_sequence import FeedSequence
from draw_engine.floor_events import FloorEvent, admit, read_event
from draw_engine.rule_book import RuleBook
from draw_engine.service.engine import Engine

MAX_EVENTS = 1_000
MAX_BYTES = 1_000_000
REUSED_AGAIN_MS = 3_600_000
KEPT_MS = 48 * 3_600_000
"""How long a segment that no record needs is kept (floor-events, "Taking it in")."""


@dataclass(slots=True)
class Answer:
    """What a bridge is told: counts, the refused lines (from 1), the feed's last number and what is missing."""

    accepted: int = 0
    repeated: int = 0
    refused: list[dict[str, Any]] = field(default_factory=list)
    last_seq: int | None = None
    missing: list[int] = field(default_factory=list)
    want_snapshot: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "accepted": self.accepted,
            "repeated": self.repeated,
            "refused": self.refused,
            "last_seq": self.last_seq,
            "missing": self.missing,
            "want_snapshot": self.want_snapshot,
        }


def take(engine: Engine, feed: str, body: bytes) -> Answer:
    """Take JSON lines from a feed's bridge. When this returns, what it counts as accepted is on the disk.

    Raises Refused X_TOO_LARGE (nothing taken), OSError (disk full: nothing taken, send again later).
    """
    lines = [(number, line) for number, line in enumerate(body.split(b"\n"), 1) if line.strip()]
    if len(body) > MAX_BYTES or len(lines) > MAX_EVENTS:
        raise Refused("X_TOO_LARGE", f"Send at most {MAX_EVENTS} events and {MAX_BYTES} bytes a request; split it.")
    now = engine.now()
    turn_segment(engine, now)
    sequence = engine.hearing.sequence_of(feed)
    answer = Answer()
    taken, journal = _sort_out(engine, feed, lines, sequence, now, answer)
    if taken:
        if engine.journal is not None:
            engine.journal.append(b"".join(journal))
        _hear(engine, taken, now)
        if engine.journal is not None:
            # Should this fail, the events are kept all the same: sent again they are repeats, and a start replays them.
            engine.store.count_journal(engine.journal.segment, engine.journal.length)
    _alarm(engine, feed, answer, now)
    answer.accepted = len(taken)
    answer.last_seq, answer.missing = sequence.last_seq, sequence.missing()
    answer.want_snapshot = engine.floor.feed_at(feed, now).wants_snapshot
    return answer


def _sort_out(
    engine: Engine, feed: str, lines: Sequence[tuple[int, bytes]], sequence: FeedSequence, now: int, answer: Answer
) -> tuple[list[tuple[FloorEvent, bytes]], list[bytes]]:
    taken: list[tuple[FloorEvent, bytes]] = []
    journal: list[bytes] = []
    fresh: dict[int, bytes] = {}
    for number, line in lines:
        try:
            value = read_line(line)
            event = read_event(value)
            admit(event, feed=feed, now=now, owner=engine.owner_of)
            plain = event_bytes(value)
            digest = sha256(plain).digest()
            status = sequence.status(event.seq, digest)
            if event.seq in fresh:
                status = "repeat" if fresh[event.seq] == digest else "reused"
            if status == "reused":
                raise sequence.reused(event.seq)
        except Refused as refusal:
            answer.refused.append({"line": number, "code": refusal.code, "sentence": refusal.sentence})
            continue
        if status == "repeat":
            answer.repeated += 1
            continue
        fresh[event.seq] = digest
        taken.append((event, digest))
        journal.append(line_of(plain, now))
    return taken, journal


def _hear(engine: Engine, taken: Sequence[tuple[FloorEvent, bytes]], now: int) -> None:
    """What stands in the journal must be heard: a gap would be judged by, and a kept floor would make it last."""
    try:
        for event, digest in taken:
            engine.hearing.hear(event, digest, now)
    except Exception as fault:
        raise RuleBroken("an event that was journalled could not be heard") from fault


def _alarm(engine: Engine, feed: str, answer: Answer, now: int) -> None:
    """A number used twice is logged, once an hour a feed: two bridges may be sending, or an outbox was put back."""
    reused = any(one["code"] == "X_SEQ_REUSED" for one in answer.refused)
    if reused and now - engine.reused.get(feed, -REUSED_AGAIN_MS) >= REUSED_AGAIN_MS:
        with engine.change() as work:
            data = {"feed": feed}
            work.append(at=work.instant(now), kind="feed.seq_reused", draw=None, actor="engine", data=data)
        engine.reused[feed] = now


def turn_segment(engine: Engine, now: int) -> None:
    """A gaming day has a segment of its own: a pool's journal prefix stands alone, so each feed begins anew in it.

    Until its first snapshot in the new segment a feed is unsure, and its bridge is asked for one. A segment is not
    turned while a draw is open.
    """
    journal = engine.journal
    if journal is None:
        return
    segment = segment_of(engine, now)
    if segment <= journal.segment or any(draw.state.closed_at is None for draw in engine.draws.values()):
        return
    # Counted first: killed between the two, the core starts in the new segment, and the old one lies there unpacked.
    engine.store.count_journal(segment, 0)
    journal.turn_to(segment)
    journal.drop_before(segment_of(engine, now - KEPT_MS), keep=_in_records(engine))
    engine.begin_hearing()


def _in_records(engine: Engine) -> set[str]:
    """The segments that pools were judged from: an auditor needs them for as long as the records are kept."""
    return {
        entry.data["journal"]["segment"]
        for draw in engine.draws
        for entry in engine.store.entries_of(draw)
        if entry.kind == "pool.frozen" and entry.data["journal"] is not None
    }


def segment_of(engine: Engine, at: int) -> str:
    """The name of the journal segment of an instant's gaming day."""
    return segment_of_day([book.rules for book in engine.books.values()], at)


def segment_of_day(books: Sequence[RuleBook], at: int) -> str:
    """As `segment_of`, by the property's rule books alone (without any, the day is UTC's)."""
    day = calendar.gaming_day(books[0], at) if books else calendar.local("UTC", at).date()
    return f"{day.isoformat()}-1"


def hear(engine: Engine, value: dict[str, Any]) -> bool:
    """A rehearsal's event: heard at its own time; False for a repeat. Raises Refused when it cannot be read."""
    event = read_event(value)
    sequence = engine.hearing.sequence_of(event.feed)
    digest = sha256(event_bytes(value)).digest()
    status = sequence.status(event.seq, digest)
    if status == "reused":
        raise sequence.reused(event.seq)
    if status == "repeat":
        return False
    engine.hearing.hear(event, digest, event.at)
    return True
