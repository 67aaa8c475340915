"""What has been heard of the floor: the feeds in order, the numbers taken, who owns which position.

All of it follows from the journal's lines. It may be kept beside the journal as it was at some length, so that a start
in the evening need not hear the whole day again; what is kept is only ever a shorter way to the same.
"""

from __future__ import annotations

from hashlib import sha256

from draw_engine.event_lines import event_bytes, read_journal
from draw_engine.feed_sequence import FeedSequence
from draw_engine.feeds import Floor
from draw_engine.floor_events import FloorEvent, positions_of, read_event


class Hearing:
    """The floor as heard. `recording`: a rehearsal's, where the first number found is each feed's beginning."""

    def __init__(self, stale_after_ms: int, *, recording: bool) -> None:
        self.floor = Floor(stale_after_ms, recording=recording)
        self.sequences: dict[str, FeedSequence] = {}
        self.position_feeds: dict[str, str] = {}
        self.last_received_at = 0

    def sequence_of(self, feed: str) -> FeedSequence:
        """The feed's numbers; an empty sequence for one not heard yet."""
        return self.sequences.setdefault(feed, FeedSequence(feed))

    def hear(self, event: FloorEvent, digest: bytes, received_at: int) -> None:
        """Take an event that is new: its number, its positions' owner, and what it says."""
        self.sequence_of(event.feed).store(event.seq, digest)
        for position in positions_of(event):
            self.position_feeds[position] = event.feed
        self.floor.take(event, received_at)
        self.last_received_at = max(self.last_received_at, received_at)

    def replay(self, lines: bytes) -> None:
        """Hear a journal's lines again, one by one, as they were heard."""
        for value, received_at in read_journal(lines):
            self.hear(read_event(value), sha256(event_bytes(value)).digest(), received_at)
