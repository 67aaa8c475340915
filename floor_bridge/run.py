"""A made floor that plays live: one simulator, and for each of its feeds an outbox, a line to the core and a sender."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from floor_bridge.answers import read_last_seq
from floor_bridge.core_clock import CoreClock
from floor_bridge.core_link import CoreLink
from floor_bridge.event_form import Event, Millis
from floor_bridge.feeds import Asked, Feed
from floor_bridge.floor_files import WARM_UP
from floor_bridge.floor_spec import FEEDS, FloorSpec
from floor_bridge.made_floor import make_floor
from floor_bridge.outbox import Outbox
from floor_bridge.sender import Sender
from floor_bridge.simulator import Simulator

TICK_SECONDS = 0.2
FLUSH_SECONDS = 1.5
_STOP_SECONDS = 2.0
_log = logging.getLogger(__name__)


class FeedLine:
    """One feed from its source to the core: outbox, line, sender and the sender's thread."""

    def __init__(self, feed: str, core_url: str, token: str, state_dir: Path) -> None:
        self.outbox = Outbox(state_dir / f"{feed}.outbox", feed)
        # An answer that takes longer than a stop may take would hold the stop up.
        self.link = CoreLink(core_url, token, connect=_STOP_SECONDS, answer=_STOP_SECONDS * 2)
        self._stopping, self._wake = threading.Event(), threading.Event()
        self.sender = Sender(self.outbox, self.link.post_events, time.monotonic, self._wake.wait, self._ask)
        self.feed: Feed | None = None
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name=f"sender-{feed}", daemon=True)

    def greet(self) -> bool:
        """Asks where the core stands with this feed; False while it cannot say. To be done before the first event."""
        last_seq = read_last_seq(self.link.feed(self.outbox.feed))
        if last_seq is None:
            return False
        self.outbox.go_on_after(last_seq)
        return True

    def open(self, snapshot: Callable[[Millis], Event], now: Millis) -> None:
        """The source is there: says so and begins to send."""
        self.feed = Feed(self.outbox, snapshot)
        self.feed.start(now)
        self._thread.start()

    def hear(self, events: list[Event], now: Millis) -> None:
        """What the source says. Raises what ended the sender's thread, if something did."""
        if self._failure is not None:
            raise self._failure
        assert self.feed is not None
        self.feed.hear(events, now)

    def restart(self, now: Millis) -> None:
        """The source began anew."""
        if self.feed is not None:
            self.feed.start(now, "the core's time was moved")

    def stop(self, now: Millis) -> None:
        """Says that nothing more comes and lets the sender send what it has, without waiting for it."""
        if self.feed is not None:
            self.feed.stop(now)
        self._stopping.set()
        self._wake.set()

    def close(self, seconds: float) -> bool:
        """Waits for the sender for at most so long; whether the core has everything. What is left goes next time."""
        if self._thread.is_alive():
            self._thread.join(seconds)
        done = not self._thread.is_alive()
        if done:
            self.outbox.close()
            self.link.close()
        return done

    def _run(self) -> None:
        try:
            self.sender.run(self._stopping.is_set)
            self._wake.clear()
            self.sender.flush(FLUSH_SECONDS)
        except Exception as failure:  # noqa: BLE001 - a disk that is full, a file that is gone: for the source to raise
            self._failure = failure

    def _ask(self, what: Asked) -> None:
        if self.feed is not None:
            self.feed.ask(what)


def simulate(
    core_url: str,
    tokens: Mapping[str, str],
    *,
    seed: int | str,
    spec: FloorSpec,
    state_dir: Path,
    stop: threading.Event,
) -> None:
    """Runs the made floor against the core until `stop` is set; returns within about two seconds of that.

    `tokens`: feed id to bearer token, for the feeds of the floor that are to run. Time is the core's (`GET
    /floor-clock`); while the core has not answered once, this waits. `state_dir` keeps the outboxes.
    Raises OutboxBusy when another bridge runs one of the feeds, ValueError for a feed that a made floor has not.
    """
    unknown = sorted(set(tokens) - set(FEEDS))
    if unknown or not tokens:
        raise ValueError(f"a made floor has the feeds {' and '.join(FEEDS)}; give the token of one or both")
    state_dir.mkdir(parents=True, exist_ok=True)
    link = CoreLink(core_url, next(iter(tokens.values())), connect=_STOP_SECONDS, answer=_STOP_SECONDS)
    clock = CoreClock(link.clock, time.monotonic)
    lines: dict[str, FeedLine] = {}
    floor = None
    try:
        for feed in tokens:
            lines[feed] = FeedLine(feed, core_url, tokens[feed], state_dir)
        if _core_is_there(clock, list(lines.values()), stop):
            threading.Thread(target=_keep_time, args=(clock, stop), name="core-clock", daemon=True).start()
            floor = LiveFloor(spec, seed, clock)
            _live(floor, lines, stop)
    finally:
        _close(lines, floor)


class LiveFloor:
    """The simulator on the core's clock; begun anew when the core's time was moved."""

    def __init__(self, spec: FloorSpec, seed: int | str, clock: CoreClock) -> None:
        self._spec, self._seed, self._clock = spec, seed, clock
        self._floor = make_floor(spec, seed)
        self._simulator = self._begin()

    @property
    def now(self) -> Millis:
        """The time up to which it was played."""
        return self._simulator.now

    def play(self) -> list[Event]:
        """What happened since the last call."""
        return self._simulator.advance(self._clock.now())

    def time_was_moved(self) -> bool:
        """Whether the core's time was moved; then the floor has begun anew at its new time."""
        if not self._clock.was_moved():
            return False
        self._simulator = self._begin()
        return True

    def snapshot(self, feed: str, at: Millis) -> Event:
        return self._simulator.snapshot(feed, at)

    def _begin(self) -> Simulator:
        now = self._clock.now()
        simulator = Simulator(self._spec, self._seed, now - WARM_UP, self._floor)
        simulator.advance(self._clock.now())
        return simulator


def _core_is_there(clock: CoreClock, lines: list[FeedLine], stop: threading.Event) -> bool:
    """Waits until the core has said its time and where each feed stands; False when stopped before."""
    while not stop.is_set():
        lines = [line for line in lines if not line.greet()]
        if not lines and clock.read():
            return True
        _log.warning("the core does not answer, or does not know a token; trying again")
        stop.wait(1.0)
    return False


def _keep_time(clock: CoreClock, stop: threading.Event) -> None:
    while not stop.wait(1.0):
        clock.read()


def _live(floor: LiveFloor, lines: Mapping[str, FeedLine], stop: threading.Event) -> None:
    for feed, line in lines.items():
        line.open(partial(floor.snapshot, feed), floor.now)
    while not stop.wait(TICK_SECONDS):
        if floor.time_was_moved():
            _log.warning("the core's time was moved; the made floor begins anew")
            for line in lines.values():
                line.restart(floor.now)
        events = floor.play()
        for feed, line in lines.items():
            line.hear([event for event in events if event["feed"] == feed], floor.now)


def _close(lines: Mapping[str, FeedLine], floor: LiveFloor | None) -> None:
    until = time.monotonic() + _STOP_SECONDS
    for line in lines.values():
        line.stop(floor.now if floor else 0)
    for feed, line in lines.items():
        if not line.close(max(0.0, until - time.monotonic())):
            _log.warning("feed %s: not all was answered; the rest is kept and goes when the bridge starts again", feed)
