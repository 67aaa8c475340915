"""A segment of the floor journal, heard again as the core heard it (draw record, "Recomputing the pools")."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from hashlib import sha256

from draw_engine.canonical import format_time
from draw_engine.errors import Refused
from draw_engine.event_lines import JournalBroken, read_journal
from draw_engine.feeds import Floor
from draw_engine.floor_events import FloorEvent, read_event

_MOST_FAULTS = 20  # of broken lines: one says enough, a thousand say no more


class Segment:
    """`data`: the uncompressed bytes. Goes forward only; what has been heard so far is `length` bytes, `lines` lines.

    `sound`: up to which line a logged digest held. `faults`: of lines. `late`: for each judging in the order of
    `judged_at`, (feed, seq) of what came after it though it had happened.
    """

    def __init__(self, name: str, data: bytes, stale_after_ms: int) -> None:
        self.name = name
        self.size = len(data)
        self.floor = Floor(stale_after_ms)
        self.length = 0
        self.lines = 0
        self.received_at = 0
        self.sound = 0
        self.faults: list[str] = []
        self.late: list[list[tuple[str, int]]] = []
        self._data = data
        self._judged: list[int] = []
        self._digest = sha256()
        self._digested = 0
        self._next: tuple[FloorEvent, int] | None = None
        self._next_end = 0
        self._peek()

    def digest(self, length: int) -> str:
        """SHA-256 of the first `length` bytes, hex; lengths in any order, ascending ones fast."""
        if length < self._digested:
            return sha256(self._data[:length]).hexdigest()
        self._digest.update(memoryview(self._data)[self._digested : length])
        self._digested = length
        return self._digest.hexdigest()

    def hear_bytes(self, length: int) -> None:
        """Hear every line that ends within the first `length` bytes."""
        while self._next_end and self._next_end <= length:
            self._hear()

    def hear_before(self, t: int, most: int) -> None:
        """Hear every line received before `t`, and no line that ends behind `most` bytes."""
        while self._next_end and self._next_end <= most and (self._next is None or self._next[1] < t):
            self._hear()

    def hear_received_at(self, t: int, most: int) -> bool:
        """Hear the lines received in the millisecond `t` itself; False when there is none within `most` bytes."""
        before = self.lines
        while self._next_end and self._next_end <= most and self._next is not None and self._next[1] == t:
            self._hear()
        return self.lines > before

    def judged_at(self, t: int) -> None:
        """A pool has been judged at `t` from what has been heard: what comes from now on came too late for it."""
        self._judged.append(t)
        self.late.append([])

    def _hear(self) -> None:
        heard, self.length = self._next, self._next_end
        self.lines += 1
        if heard is not None:
            event, received_at = heard
            self.received_at = max(self.received_at, received_at)
            self.floor.take(event, received_at)
            for judging in range(bisect_left(self._judged, event.at), len(self._judged)):
                self.late[judging].append((event.feed, event.seq))
            if self._judged and received_at < self._judged[-1]:
                self._fault(
                    self.lines,
                    f"it was received at {format_time(received_at)} and held back from the pool judged "
                    f"at {format_time(self._judged[-1])}",
                )
        self._peek()

    def _peek(self) -> None:
        """Read the next line; a broken one is a fault, and says nothing to the floor."""
        self._next, start = None, self.length
        if start == self.size:
            self._next_end = 0
            return
        end = self._data.find(b"\n", start) + 1
        self._next_end = end or self.size
        try:
            for value, received_at in read_journal(self._data[start : self._next_end]):
                self._next = read_event(value), received_at
        except JournalBroken as broken:
            self._fault(self.lines + 1, str(broken).partition(": ")[2] or "it has no end")
        except Refused as refusal:
            self._fault(self.lines + 1, refusal.sentence)

    def _fault(self, line: int, sentence: str) -> None:
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(f"judging/journal/{self.name}.jsonl, line {line}: {sentence}")


def numbers(events: Iterable[tuple[str, int]]) -> str:
    """(feed, seq) pairs in words: `cms-1 17, 19 to 23; tables-1 4`."""
    by_feed: dict[str, list[int]] = {}
    for feed, seq in events:
        by_feed.setdefault(feed, []).append(seq)
    return "; ".join(f"{feed} {_runs(sorted(set(seqs)))}" for feed, seqs in sorted(by_feed.items()))


def _runs(seqs: list[int]) -> str:
    runs: list[list[int]] = []
    for seq in seqs:
        if runs and seq == runs[-1][1] + 1:
            runs[-1][1] = seq
        else:
            runs.append([seq, seq])
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in runs)
