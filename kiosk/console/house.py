"""The desk and the printers on the console: whether the register is open, what is held, what waits for a person."""

from __future__ import annotations

from draw_engine import envelopes as envelope_rules
from draw_engine import held as rules
from draw_engine.clock import Millis
from draw_engine.service import printing, register
from draw_engine.service.engine import Engine
from kiosk.printing.view import Printers, printer_sentence, printers_view
from web_display import screens
from web_display.catalogue import say
from web_display.console_messages import HouseLine

_FINE = frozenset({"ready"})
_WARN = frozenset({"paper_low", "silent", "never"})


def desk_lines(engine: Engine, zone: str, now: Millis) -> list[HouseLine]:
    """The register, the held prizes and the trays in words."""
    lines = [] if (found := _register(engine, zone, now)) is None else [found]
    states = [row.state for row in engine.store.held_prizes()]
    to_draw, waiting = states.count(rules.TO_DRAW), states.count(rules.HELD)
    back = len(engine.store.envelopes(state=envelope_rules.TO_RETURN))
    said = say("console.held", n=waiting) if waiting else "" if to_draw or back else say("console.held_none")
    if said:
        lines.append(HouseLine("held", "fine", said, "/desk#held"))
    if to_draw:
        lines.append(HouseLine("to_draw", "warn", say("console.to_draw", n=to_draw), "/desk#held"))
    if back:
        lines.append(HouseLine("to_return", "warn", say("console.to_return", n=back), "/desk#held"))
    lines.append(_trays(engine))
    return lines


def _register(engine: Engine, zone: str, now: Millis) -> HouseLine | None:
    if all(book.rules.register is None for book in engine.books.values()):
        return None
    hours = register.hours(engine, now)
    if hours.until is not None:
        return HouseLine(
            "register",
            "fine",
            say("console.register_open", time=screens.time_text(hours.until, zone)),
            "/desk#register",
        )
    if hours.opens_at is None:
        return HouseLine("register", "fine", say("console.register_over"), "/desk#register")
    today = screens.local(hours.opens_at, zone).date() == screens.local(now, zone).date()
    key = "console.register_opens_at" if today else "console.register_opens"
    opens = say(key, time=screens.starts_text(hours.opens_at, now, zone))
    return HouseLine("register", "fine", opens, "/desk#register")


def _trays(engine: Engine) -> HouseLine:
    left = len(engine.store.envelopes(state=envelope_rules.TRAY))
    sentence = say("console.trays", n=left) if left else say("console.trays_none")
    return HouseLine("trays", "fine" if left else "warn", sentence, "/desk#envelopes")


def printer_lines(engine: Engine, printers: Printers, now: Millis) -> list[HouseLine]:
    """The slips that wait, then each printer with its state in words."""
    jobs = printing.jobs(engine)
    doubt = sum(1 for job in jobs if printing.in_doubt(job, now))
    waiting = len(jobs) - doubt
    lines = []
    if doubt:
        lines.append(HouseLine("doubt", "bad", say("console.slips_decide", n=doubt), "/desk#slips"))
    if waiting:
        lines.append(HouseLine("waiting", "fine", say("console.slips_wait", n=waiting), "/desk#slips"))
    for printer in printers_view(engine, printers, now):
        sentence, state = printer_sentence(printer, now, engine.zone), printer["state"]
        lines.append(
            HouseLine(printer["id"], "fine" if state in _FINE else "warn" if state in _WARN else "bad", sentence)
        )
    if not printers.listed:
        lines.append(HouseLine("none", "warn", say("console.no_printers")))
    return lines
