"""How things stand when Prometheus looks: asked of the engine in one turn, of the disk and of the clock."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from config.site import Site
from draw_engine.claim_moves import REVIEW, RUNNING, stage_of
from draw_engine.errors import Refused
from draw_engine.feed_states import DOWN, STALE, UNHEARD, UNSURE, UP
from draw_engine.service.engine import Engine
from kiosk.assembly import VERSION
from kiosk.core import Core
from kiosk.https.files import TlsFiles
from kiosk.printing.view import Printers, print_view
from kiosk.upkeep.clock_health import clock_health
from printers.states import PrinterState
from web_display.push import Pusher

FEED_STATES = (UP, STALE, DOWN, UNSURE, UNHEARD)
PRINTER_STATES = (*(state.value for state in PrinterState), "unheard", "never")
_ASK_SECONDS = 2.0
"""An engine that does not answer within this is told as such; Prometheus would not wait much longer either."""


@dataclass(frozen=True, slots=True)
class _Told:
    """What the engine said in one turn. Ages in ms."""

    now: int
    claims: Counter[str]
    pool_size: int
    feeds: dict[str, tuple[str, int | None]]
    lists: dict[str, int]
    printers: dict[str, str]
    slips_waiting: int
    slips_in_doubt: int
    log_seq: int
    clock_off_ms: int
    sessions: Counter[str] = field(default_factory=Counter)


class StandingNow(Collector):
    """The gauges. Each look asks anew; nothing is kept between two."""

    def __init__(self, core: Core, *, site: Site, printers: Printers, pusher: Callable[[], Pusher]) -> None:
        self._core, self._site, self._printers, self._pusher = core, site, printers, pusher

    def describe(self) -> Iterable[Metric]:
        """Nothing beforehand: registering must not ask an engine that has not been started."""
        return []

    def collect(self) -> Iterator[Metric]:
        yield _gauge("info", "The version that runs.", [((VERSION,), 1)], "version")
        yield from self._engine_itself()
        yield from self._machine()
        try:
            told = self._core.ask(self._tell, timeout=_ASK_SECONDS)
        except (Refused, TimeoutError):
            yield _gauge("engine_answers", _ANSWERS, [((), 0)])
            return
        yield _gauge("engine_answers", _ANSWERS, [((), 1)])
        yield from _of_draws(told)
        yield from _of_floor(told)

    def _tell(self, engine: Engine) -> _Told:
        now = engine.now()
        still_open = [draw for draw in engine.draws.values() if draw.state.closed_at is None]
        pools = [pool for draw in engine.draws.values() for pool in draw.state.pools]
        known = {feed: engine.floor.feed_at(feed, now) for feed in {*engine.settings.feeds, *engine.sequences}}
        printing = print_view(engine, self._printers)
        head = engine.store.head()
        return _Told(
            now=now,
            claims=Counter(stage_of(claim) for draw in still_open for claim in draw.state.running()),
            pool_size=max(pools, key=lambda pool: pool.frozen_at).size if pools else 0,
            feeds={feed: (state.state, state.silent_ms) for feed, state in known.items()},
            lists={kind: now - row.fresh_at for kind, row in engine.list_rows.items()},
            printers={one["id"]: one["state"] for one in printing["printers"]},
            slips_waiting=printing["waiting"],
            slips_in_doubt=printing["to_decide"],
            log_seq=0 if head is None else head.seq,
            clock_off_ms=engine.clock.disagreement(),
            sessions=Counter("suspended" if draw.state.suspended else "open" for draw in still_open),
        )

    def _engine_itself(self) -> Iterator[Metric]:
        pulse, pusher = self._core.pulse, self._pusher()
        yield _gauge("engine_queue", "Commands that wait for the engine's thread.", [((), self._core.queued)])
        yield _gauge("engine_silent_seconds", "Since its last turn began or ended.", [((), pulse.silent_seconds)])
        yield _count("engine_turns", "Turns of the engine's thread.", [((), pulse.turns)])
        yield _count("engine_busy_seconds", "How long it has worked.", [((), pulse.busy_seconds)])
        sent = [((room.namespace.strip("/"), room.name), count) for room, count in sorted(pusher.sent.items())]
        yield _count("pushes", "Messages sent to a room's pages.", sent, "namespace", "room")
        yield _count("pushes_failed", "Messages that could not be made or sent.", [((), pusher.failed)])

    def _machine(self) -> Iterator[Metric]:
        free = []
        for name, folder in (("state", self._site.state_dir), ("journal", self._site.journal_dir)):
            if folder.exists():
                free.append(((name,), shutil.disk_usage(folder).free))
        yield _gauge("disk_free_bytes", "Free space where a folder lies.", free, "folder")
        if self._site.web is not None:
            with suppress(Refused):
                left = TlsFiles(self._site).standing(now=self._core.stamp()).days_left
                yield _gauge("certificate_days_left", "How long the certificate of HTTPS is good for.", [((), left)])
        health = clock_health()
        stands = [((state,), int(health.state == state)) for state in ("synchronised", "unsynchronised", "unknown")]
        yield _gauge("clock", "Whether the kernel calls this machine's clock synchronised.", stands, "state")


_ANSWERS = "Whether the engine answered within two seconds; the gauges of draws and floor are missing when not."


def _of_draws(told: _Told) -> Iterator[Metric]:
    yield _gauge("claims_open", "Claims that run, by stage.", [((s,), told.claims[s]) for s in RUNNING], "stage")
    yield _gauge("reviews_waiting", "Claims that wait for two people.", [((), told.claims[REVIEW])])
    states = [((state,), told.sessions[state]) for state in ("open", "suspended")]
    yield _gauge("sessions", "Sessions that are not closed.", states, "state")
    yield _gauge("pool_size", "Guests in the last pool.", [((), told.pool_size)])
    yield _gauge("log_seq", "The number of the log's last entry.", [((), told.log_seq)])
    yield _gauge("clock_disagreement_seconds", "Wall clock less steady clock.", [((), told.clock_off_ms / 1_000)])


def _of_floor(told: _Told) -> Iterator[Metric]:
    silent = [((feed,), ms / 1_000) for feed, (_, ms) in sorted(told.feeds.items()) if ms is not None]
    yield _gauge("feed_silent_seconds", "How long a feed has said nothing.", silent, "feed")
    feeds = [((feed, one), int(state == one)) for feed, (state, _) in sorted(told.feeds.items()) for one in FEED_STATES]
    yield _gauge("feed_state", "1 at the state that a feed is in.", feeds, "feed", "state")
    printers = [
        ((printer, one), int(state == one)) for printer, state in told.printers.items() for one in PRINTER_STATES
    ]
    yield _gauge("printer_state", "1 at the state that a printer is in.", printers, "printer", "state")
    yield _gauge("slips_waiting", "Slips that wait for a printer.", [((), told.slips_waiting)])
    yield _gauge("slips_in_doubt", "Slips of which nobody knows whether they came out.", [((), told.slips_in_doubt)])
    ages = [((kind,), ms / 1_000) for kind, ms in sorted(told.lists.items())]
    yield _gauge("list_age_seconds", "How old a list is.", ages, "list")


_Values = Iterable[tuple[tuple[str, ...], Any]]


def _gauge(name: str, about: str, values: _Values, *labels: str) -> GaugeMetricFamily:
    made = GaugeMetricFamily(f"floordraw_{name}", about, labels=labels)
    for of, value in values:
        made.add_metric(of, value)
    return made


def _count(name: str, about: str, values: _Values, *labels: str) -> CounterMetricFamily:
    made = CounterMetricFamily(f"floordraw_{name}", about, labels=labels)
    for of, value in values:
        made.add_metric(of, value)
    return made
