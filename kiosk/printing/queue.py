"""The print queue's routes: for the printers' spools with their tokens, and for people on this machine.

A spool asks `POST /print-jobs/next` and reports `POST /print-jobs/ID/report`; people look, settle and reprint.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask import Blueprint, Response, jsonify, request

from config.site import Printer
from draw_engine.errors import Refused
from draw_engine.service import printing
from draw_engine.service.engine import Engine
from draw_engine.service.print_ports import PrintJob
from kiosk.core import Core
from kiosk.printing.view import Printers, print_view
from kiosk.screens.view import House
from kiosk.sign_in.access import bridge, feed_of_token, staff
from kiosk.sign_in.whom import acting
from printers.feelings import Feeling, set_feeling
from printers.states import PrinterState

__all__ = ["Printers", "print_routes", "print_view"]


def print_routes(core: Core, house: House, printers: Printers) -> Blueprint:
    """The routes. `house`: what stands on every slip; `printers`: those of `site.toml`."""
    routes = Blueprint("print_queue", __name__)
    _spool_routes(routes, core, house, printers)
    _people_routes(routes, core, printers)
    return routes


def _spool_routes(routes: Blueprint, core: Core, house: House, printers: Printers) -> None:
    @routes.post("/print-jobs/next")
    @bridge
    def next_job() -> Response:
        printer = _printer_of_token(printers)
        said = _said()
        state = _state(said.get("state"))
        ask, at_work = str(said.get("ask") or "")[:64], bool(said.get("at_work"))

        def give(engine: Engine) -> dict[str, Any]:
            now = engine.now()
            printers.heard[printer.id] = now
            printing.printer_said(engine, printer.id, state.value, now)
            job = None
            if ask:
                job = printing.take(engine, printer.id, printer.uses, now, ask=ask)
            elif not at_work:
                printing.lose(engine, printer.id, now)
            waiting = printing.waiting(engine, printer.uses, now)
            return {"waiting": waiting, "job": None if job is None else _order(job, house, printers)}

        return jsonify(core.ask(give))

    @routes.post("/print-jobs/<int(max=2147483647):job>/report")
    @bridge
    def report(job: int) -> Response:
        printer = _printer_of_token(printers)
        said = _said()
        outcome, detail, attempt = said.get("outcome"), str(said.get("detail") or ""), said.get("attempt")
        if not isinstance(attempt, int):
            raise Refused("X_VALUE_WRONG", "Report the attempt as the number that was given out.")

        def note(engine: Engine) -> str:
            now = engine.now()
            printers.heard[printer.id] = now
            return printing.report(
                engine, job, printer=printer.id, attempt=attempt, outcome=str(outcome), detail=detail, now=now
            ).state

        return jsonify({"ok": True, "state": core.ask(note)})


_WORKS = ("crew", "desk", "customer_services", "manager")
"""Who sees to slips; what each may is judged by the engine."""


def _people_routes(routes: Blueprint, core: Core, printers: Printers) -> None:
    @routes.get("/print-jobs")
    @staff(*_WORKS)
    def list_jobs() -> Response:
        return jsonify(core.ask(lambda engine: print_view(engine, printers)))

    @routes.post("/print-jobs/<int(max=2147483647):job>/settle")
    @staff(*_WORKS)
    def settle(job: int) -> Response:
        said = acting(_said())
        by, decision = str(said.get("by") or ""), str(said.get("decision") or "")
        told = core.ask(lambda engine: printing.settle(engine, job, by=by, decision=decision, now=engine.now()))
        return jsonify({"ok": True, "job": told.id, "state": told.state})

    @routes.post("/print-jobs/<int(max=2147483647):job>/reprint")
    @staff(*_WORKS)
    def reprint(job: int) -> Response:
        by = acting(_said())["by"]
        told = core.ask(lambda engine: printing.reprint(engine, job, by=by, now=engine.now()))
        return jsonify({"ok": True, "job": told.id, "state": told.state, "reprints": told.reprints})

    @routes.post("/printers/<printer>/state")
    @staff("manager", machine=True)
    def set_state(printer: str) -> Response:
        """How a file printer is set, for trying things out: {state, fails_after?, then?}."""
        found = printers.of(printer)
        if found is None or found.device != "file" or not found.path:
            raise Refused("X_NO_SUCH_PRINTER", "Only the state of a printer that is a folder can be set here.")
        said = _said()
        after = said.get("fails_after")
        if after is not None and (not isinstance(after, int) or after < 0):
            raise Refused("X_VALUE_WRONG", "Say after how many bytes it fails, or leave it out.")
        feeling = Feeling(_state(said.get("state")), after, _state(said.get("then") or "offline"))
        set_feeling(Path(found.path), feeling)
        return jsonify({"ok": True, "state": feeling.state.value})


def _printer_of_token(printers: Printers) -> Printer:
    """The printer whose token the request bears. Refused X_NO_PERMISSION."""
    try:
        found = printers.of(feed_of_token(printers.tokens))
    except Refused:
        found = None
    if found is None:
        raise Refused("X_NO_PERMISSION", "Send this printer's token: site.toml has its SHA-256 under [[printer]].")
    return found


_PEOPLE = ("staff", "clerk", "rep", "witness")
"""Which facts of a slip are a person of the house: kept as an id, printed as a name."""


def _order(job: PrintJob, house: House, printers: Printers) -> dict[str, Any]:
    """A job as its spool gets it: the raw facts, and what stands on every slip of the house."""
    named = {fact: printers.names.get(who, who) for fact in _PEOPLE if isinstance(who := job.data.get(fact), str)}
    return {
        "job": job.id,
        "attempt": job.attempt,
        "kind": job.kind,
        "data": {**job.data, **named},
        "reprints": job.reprints,
        "first_printed_at": job.first_printed_at,
        "house": {
            "property_name": house.property_name,
            "statutory_line": house.statutory_line,
            "check_address": printers.check_address,
        },
    }


def _state(value: object) -> PrinterState:
    try:
        return PrinterState(str(value))
    except ValueError:
        known = ", ".join(state.value for state in PrinterState)
        raise Refused("X_VALUE_WRONG", f"A printer's state is one of {known}.") from None


def _said() -> dict[str, Any]:
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise Refused("X_VALUE_WRONG", "Send a JSON object.")
    return body
