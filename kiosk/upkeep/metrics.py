"""`GET /metrics` for Prometheus, to this machine alone: how draws, feeds, printers, disk and engine are doing.

Names of feeds, printers, rooms and rules' codes; no guest, no member of the staff, and no moment that has not come.
docs/metrics.md says what each one is and when to be alarmed. What happened is counted here as it happens; how things
stand is asked at each look (`kiosk.upkeep.metrics_now`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import structlog
from flask import Blueprint, Response, request
from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from config.site import Site
from draw_engine.draw_state import FAILED, FILLED
from draw_engine.log import Entry
from draw_engine.service.engine import Engine
from draw_engine.service.expiry import GRACE_MS
from draw_engine.service.pressing import VERBS
from kiosk.core import Core
from kiosk.crew.presses import MOST_BYTES
from kiosk.printing.view import Printers
from kiosk.sign_in.access import this_machine
from kiosk.upkeep.metrics_now import StandingNow
from web_display.push import Pusher

_LATE = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
_JUDGING = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_ENDINGS = {f"claim.{outcome}": outcome for outcome in FILLED | FAILED | {"voided"}}
_AT_A_DEADLINE = frozenset({"claim.expired", "claim.held"})
_KNOWN_CODE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_log = structlog.get_logger(__name__)


class Metrics:
    """The counts of one core, in a registry of their own.

    `follow` is to be run once on the engine's thread; `pusher` gives the pages' pusher once there is one.
    """

    def __init__(self, core: Core, *, site: Site, printers: Printers, pusher: Callable[[], Pusher]) -> None:
        self.registry = CollectorRegistry()
        self.selections = self._counter(
            "selections",
            "Selections made, put off or lapsed; the reason of those that were not made.",
            "result",
            "reason",
        )
        self.endings = self._counter("claims_ended", "Claims that have ended, by outcome.", "outcome")
        self.presses = self._counter("presses", "Presses of crew and stage, by verb and answer.", "verb", "code")
        self.sign_ins_failed = self._counter("sign_ins_failed", "Sign-ins that were refused, by code.", "code")
        self.lateness = Histogram(
            "floordraw_deadline_lateness_seconds",
            "How long after a claim's deadline and its grace of 0.25 s it was ended.",
            buckets=_LATE,
            registry=self.registry,
        )
        self.judging = Histogram(
            "floordraw_judging_seconds",
            "How long it took to judge the floor.",
            buckets=_JUDGING,
            registry=self.registry,
        )
        self.registry.register(StandingNow(core, site=site, printers=printers, pusher=pusher))
        ProcessCollector(registry=self.registry)

    def _counter(self, name: str, about: str, *labels: str) -> Counter:
        return Counter(f"floordraw_{name}", about, labels, registry=self.registry)

    def follow(self, engine: Engine) -> None:
        """Count what this engine commits."""
        engine.listeners.append(lambda entries: self._committed(engine, entries))

    def _committed(self, engine: Engine, entries: Sequence[Entry]) -> None:
        try:
            for entry in entries:
                self._count(engine, entry)
        except Exception as fault:  # noqa: BLE001 - a listener in trouble would make the engine read everything again
            _log.warning("metrics.not_counted", kind=type(fault).__name__)

    def _count(self, engine: Engine, entry: Entry) -> None:
        outcome = _ENDINGS.get(entry.kind)
        if entry.kind == "pool.judged":
            self.judging.observe(engine.judging_ms / 1_000)
        elif entry.kind.startswith("selection."):
            self.selections.labels(entry.kind.partition(".")[2], str(entry.data.get("reason", ""))).inc()
        elif outcome is not None:
            self.endings.labels(outcome).inc()
            if entry.kind in _AT_A_DEADLINE and entry.draw is not None:
                deadline = engine.draw(entry.draw).state.claims[entry.data["ordinal"]].deadline_at
                if deadline is not None:
                    self.lateness.observe(max(0, engine.clock.now() - deadline - GRACE_MS) / 1_000)

    def routes(self) -> Blueprint:
        """`GET /metrics`; and every answer to a press or a sign-in is counted."""
        routes = Blueprint("metrics", __name__)

        @routes.get("/metrics")
        @this_machine
        def metrics() -> Response:
            return Response(generate_latest(self.registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)

        @routes.after_app_request
        def answered(response: Response) -> Response:
            if request.method == "POST" and request.path == "/presses":
                self.presses.labels(_verb(), _code(response)).inc()
            elif request.method == "POST" and request.path == "/sign-in" and response.status_code >= 400:
                self.sign_ins_failed.labels(_code(response)).inc()
            return response

        return routes


def _verb() -> str:
    """The verb of the press at hand; "other" when it is none of ours: a stranger must not make names here."""
    if (request.content_length or 0) > MOST_BYTES:
        return "other"
    try:
        said = request.get_json(silent=True)
    except Exception:  # noqa: BLE001 - what cannot be read has its refusal already
        return "other"
    verb = said.get("verb") if isinstance(said, Mapping) else None
    return verb if isinstance(verb, str) and verb in VERBS else "other"


def _code(response: Response) -> str:
    if response.status_code < 400:
        return "ok"
    said: Any = response.get_json(silent=True)
    code = said.get("code") if isinstance(said, Mapping) else None
    return code if isinstance(code, str) and code and set(code) <= _KNOWN_CODE else f"X_HTTP_{response.status_code}"
