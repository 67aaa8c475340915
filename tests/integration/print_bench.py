"""A casino's print queue behind its routes, and a printer's spool that asks it without a network between them."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

from casino import Casino
from flask import Flask
from signing import trust
from slip_facts_made import ALL, HOUSE
from werkzeug.test import TestResponse

from config.site import USES, Printer
from draw_engine.service import printing
from draw_engine.service.engine import Engine
from draw_engine.service.print_ports import PrintJob
from kiosk.printing.queue import Printers, print_routes
from kiosk.printing.spool import Outcome, Spool
from kiosk.refusals import refusals
from kiosk.screens.view import House
from printers.links import Timing
from printers.sending import Device

T = TypeVar("T")
TOKEN = "token-of-the-desk-printer"
QUICK = Timing(connect=1.0, answer=0.3, send=0.6, confirm=0.3, patience=0.0, poll=0.01, look=1000.0)


def a_printer(name: str = "desk-1", *, token: str = TOKEN, uses: Sequence[str] = USES, path: str = "") -> Printer:
    """A printer of site.toml: a folder where a path is given."""
    digest = hashlib.sha256(token.encode()).hexdigest()
    device = "file" if path else "network"
    return Printer(name, "Desk printer", tuple(uses), device, host="127.0.0.1", path=path, token_sha256=digest)


class PrintBench:
    """`casino` with its print routes; the engine is asked by one thread at a time, as the core does."""

    def __init__(self, casino: Casino, *printers: Printer) -> None:
        self.casino = casino
        self.printers = Printers(printers or (a_printer(),), check_address=HOUSE.check_address)
        self._one = threading.Lock()
        self.app = Flask(__name__)
        core: Any = SimpleNamespace(ask=self.ask, broken=None)
        house = House(HOUSE.property_name, HOUSE.statutory_line, demo=False)
        self.app.register_blueprint(print_routes(core, house, self.printers))
        refusals(self.app, core)
        trust(self.app, casino.engine.settings.staff)
        self.client = self.app.test_client()

    def ask(self, command: Callable[[Engine], T]) -> T:
        with self._one:
            self.casino.engine.ready()
            return command(self.casino.engine)

    @property
    def engine(self) -> Engine:
        return self.casino.engine

    def queue(self, kind: str = "decline_slip", *, use: str | None = None, **said: Any) -> int:
        def put(engine: Engine) -> int:
            with engine.change() as work:
                return printing.queue(
                    work,
                    kind=kind,
                    use=use or printing.KINDS[kind],
                    data=ALL[kind] | said,
                    at=engine.now(),
                )

        return self.ask(put)

    def job(self, job: int) -> PrintJob:
        found = self.ask(lambda engine: engine.store.print_job(job))
        assert found is not None
        return found

    def entries(self, *kinds: str) -> list[Any]:
        return [
            entry for entry in self.ask(lambda engine: list(engine.store.entries(1, 1 << 40))) if entry.kind in kinds
        ]

    def post(self, path: str, said: Mapping[str, Any], *, token: str | None = TOKEN) -> TestResponse:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return self.client.post(path, json=dict(said), headers=headers)

    def settle(self, job: int, decision: str, *, by: str = "kabelo") -> TestResponse:
        return self.post(f"/print-jobs/{job}/settle", {"by": by, "decision": decision}, token=None)

    def spool(self, device: Device, folder: Path, *, line: Any = None, timing: Timing = QUICK) -> Spool:
        """A spool that has just begun."""
        line = line or SpoolLine(self)
        return Spool(line, device, Outcome(folder / "desk-1.outcome.json"), timing, threading.Event())


class SpoolLine:
    """The spool's line to the bench. `lost`: how many of the next answers never arrive; `refused`: nor the asking."""

    def __init__(self, bench: PrintBench, token: str = TOKEN) -> None:
        self.bench, self.token = bench, token
        self.lost = 0
        self.refused = 0
        self.asked: list[tuple[str, Mapping[str, Any]]] = []

    def post(self, path: str, said: Mapping[str, Any]) -> tuple[int, dict[str, Any]] | None:
        self.asked.append((path, said))
        if self.refused:
            self.refused -= 1
            return None
        got = self.bench.post(path, said, token=self.token)
        if self.lost:
            self.lost -= 1
            return None
        return got.status_code, dict(got.get_json())


def turn(spool: Spool) -> bool:
    """One turn of the spool's loop: report what is known, then print one slip; whether one was printed."""
    return spool._reported() and spool._one()


def settle_down(spool: Spool) -> None:
    """Report what the last turn left."""
    assert spool._reported()
