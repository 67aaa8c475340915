"""Which numbers a feed has told, and which are missing (design "Taking it in").

`feed` and `seq` identify an event: a repeat is a seq already stored, not merely a lower one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import deque
from itertools import chain, islice

from draw_engine.errors import Refused

REMEMBERED = 65_536
"""How many (seq, digest) pairs a feed's sequence keeps; an older event is answered as a repeat."""


class FeedSequence:
    """One feed's stored numbers. Built again from the journal at a start, by `store` in the journal's order."""

    def __init__(self, feed: str, remembered: int = REMEMBERED) -> None:
        self.feed = feed
        self._remembered = remembered
        self._digests: dict[int, bytes] = {}
        self._order: deque[int] = deque()  # the keys of _digests, ascending
        self._holes: list[tuple[int, int]] = []  # (first, last), ascending, never touching
        self._forgotten_below = 0
        self.last_seq: int | None = None

    def status(self, seq: int, digest: bytes) -> str:
        """`new`, `repeat` (stored with this content, or older than what is remembered) or `reused`."""
        stored = self._digests.get(seq)
        if stored is not None:
            return "repeat" if stored == digest else "reused"
        return "repeat" if seq < self._forgotten_below else "new"

    def reused(self, seq: int) -> Refused:
        """The refusal of an event whose number already stands for another one."""
        return Refused(
            "X_SEQ_REUSED",
            f"Number {seq} of feed {self.feed} was already used for another event; an alarm was raised. "
            "Number the event anew: the bridge's outbox may have been put back from a copy.",
        )

    def store(self, seq: int, digest: bytes) -> None:
        """Keep a new event's number; `status` said `new`."""
        if self.last_seq is None or seq > self.last_seq:
            if self.last_seq is not None and seq > self.last_seq + 1:
                self._holes.append((self.last_seq + 1, seq - 1))
            self._order.append(seq)
            self.last_seq = seq
        else:
            self._fill(seq)
            insort(self._order, seq)
        self._digests[seq] = digest
        if len(self._order) > self._remembered:
            self._forget(self._order.popleft())

    def missing(self, limit: int = 1000) -> list[int]:
        """The missing numbers between those stored, ascending, at most `limit`."""
        return list(islice(chain.from_iterable(range(first, last + 1) for first, last in self._holes), limit))

    def missing_count(self) -> int:
        return sum(last - first + 1 for first, last in self._holes)

    def _fill(self, seq: int) -> None:
        at = bisect_right(self._holes, seq, key=lambda hole: hole[0]) - 1
        if at < 0 or seq > self._holes[at][1]:
            # It lies below the first number heard: what lies between them is now known to be missing.
            lowest = self._order[0]
            if seq < lowest - 1:
                self._holes.insert(0, (seq + 1, lowest - 1))
            return
        first, last = self._holes[at]
        left = [(first, seq - 1)] if first < seq else []
        right = [(seq + 1, last)] if seq < last else []
        self._holes[at : at + 1] = left + right

    def _forget(self, seq: int) -> None:
        del self._digests[seq]
        self._forgotten_below = seq + 1
        kept = bisect_left(self._holes, self._forgotten_below, key=lambda hole: hole[1])
        del self._holes[:kept]
        if self._holes and self._holes[0][0] < self._forgotten_below:
            self._holes[0] = (self._forgotten_below, self._holes[0][1])
