"""The engine's state as the desks' message: the register and the slips.

Held prizes: held_view.py; envelopes: tray_view.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from draw_engine import calendar
from draw_engine import register as register_rules
from draw_engine.rule_book import RuleBook
from draw_engine.service import paper_copies, prizes, register
from draw_engine.service.engine import Engine
from kiosk.desk import messages as told
from kiosk.desk.guest import entries_today
from kiosk.desk.held_view import held_lines
from kiosk.desk.tray_view import name_of, tray_of
from kiosk.desk.words import say
from kiosk.printing.view import UNHEARD_MS, Printers, print_view, printer_sentence, printers_view
from kiosk.screens.view import House, current_book
from web_display import screens
from web_display.console_messages import StaffMember, people

_SLIPS_SHOWN = 25


def desk_names(book: RuleBook) -> Mapping[str, str]:
    """The desks a machine may stand at (SS-116), by their short names; the claim desk is named by the book."""
    names = {desk: say(f"desk.desk.{desk}") for desk in ("rewards", "customer_services", "marketing", "cash")}
    return names if book.held is None else {**names, "customer_services": book.held.desk}


def roles() -> Mapping[str, tuple[str, ...]]:
    """Who may do what, for the page's choices; the verbs judge by themselves."""
    keepers = {f"keep.{place}": found for place, found in prizes.KEEPERS.items()}
    found = {"draw": prizes.REPRESENTATIVES, "papers": paper_copies.KEEPERS, **keepers}
    return {name: tuple(sorted(who)) for name, who in found.items()}


def desk_snapshot(
    engine: Engine, house: House, staff: Sequence[StaffMember], printers: Printers | None = None
) -> Mapping[str, Any]:
    """Everything the desks' page shows, as it is now. `printers`: those of `site.toml`; None = none is set up."""
    now = engine.now()
    book = current_book(engine, now)
    names = {person.id: person.name for person in staff}
    listed = Printers() if printers is None else printers
    return told.DeskSnapshot(
        server_now=now,
        utc_offset_minutes=screens.utc_offset_minutes(now, book.zone),
        property_name=house.property_name,
        promotion_title=book.title,
        currency=book.currency,
        today_text=date_text(now, book.zone),
        register=_register(engine, book, now),
        staff=people(staff),
        desk_names=desk_names(book),
        roles=roles(),
        entries=tuple(_entries(engine, book, names)),
        held=tuple(held_lines(engine, desk_names(book))),
        tray=tray_of(engine, book, names, now),
        printers=tuple(_printers(engine, listed, now)),
        slips=tuple(_slips(engine, listed)),
        demo=house.demo,
    ).as_json()


def desk_phase(engine: Engine, now: int, printers: Printers | None = None) -> tuple[object, ...]:
    """What time alone changes of the message: the register's hours, the days that are left, a printer unheard."""
    listed = Printers() if printers is None else printers
    heard = tuple(now - listed.heard.get(one.id, now - UNHEARD_MS - 1) <= UNHEARD_MS for one in listed.listed)
    return (register.hours(engine, now), screens.local(now, engine.zone).date(), heard)


def date_text(at: int, zone: str) -> str:
    """A date as a guest signs under it: "7 October 2023"."""
    there = screens.local(at, zone)
    return f"{there.day} {there:%B %Y}"


# -- the register -------------------------------------------------------------------------------------------------


def _register(engine: Engine, book: RuleBook, now: int) -> told.RegisterState:
    books = [each.rules for each in engine.books.values()]
    if all(each.register is None for each in books):
        return told.RegisterState(open=False, sentence=say("desk.no_register"))
    hours = register.hours(engine, now)
    if hours.until is not None:
        sentence = say("desk.open_until", time=screens.time_text(hours.until, book.zone))
    elif hours.opens_at is not None:
        today = screens.local(hours.opens_at, book.zone).date() == screens.local(now, book.zone).date()
        key = "desk.opens_at" if today else "desk.opens_on"
        sentence = say(key, time=screens.starts_text(hours.opens_at, now, book.zone))
    else:
        sentence = say("desk.opens_never")
    asked = now if hours.opens_at is None else hours.opens_at
    covers = tuple(_covered(books, asked)) if hours.open or hours.opens_at is not None else ()
    return told.RegisterState(
        open=hours.open,
        sentence=sentence,
        covers=covers,
        covers_text=say("desk.covers", list=screens.listed(covers)) if covers else "",
        keeps_text="" if book.held is None else say("desk.keeps", n=book.held.days),
    )


def _covered(books: Iterable[RuleBook], at: int) -> list[str]:
    """What an entry signed at `at` covers, in short titles: "session 1"."""
    found = []
    for book in books:
        day = calendar.gaming_day(book, at)
        if calendar.is_promotion_day(book, day):
            titles = [screens.short_title(title, book.title) for title in register_rules.covered_by(book, day, at)]
            found += [title[:1].lower() + title[1:] for title in titles]
    return found


def _entries(engine: Engine, book: RuleBook, names: Mapping[str, str]) -> list[told.RegisterLine]:
    return [
        told.RegisterLine(
            entry=entry.id,
            guest=entry.guest,
            last4=entry.member[-4:],
            signed_text=screens.time_text_seconds(entry.signed_at, book.zone),
            clerk=name_of(entry.clerk, names),
            withdrawn_text=""
            if entry.withdrawn_at is None
            else say("desk.withdrawn", time=screens.time_text(entry.withdrawn_at, book.zone)),
        )
        for entry in entries_today(engine)
    ]


# -- slips --------------------------------------------------------------------------------------------------------


def _slips(engine: Engine, printers: Printers) -> list[told.SlipLine]:
    """What waits for a person first, then what waits for a printer, then the latest; each without a name."""
    told_of = print_view(engine, printers)
    shown = max(_SLIPS_SHOWN, told_of["to_decide"])
    return [_slip(engine, slip) for slip in told_of["slips"][:shown]]


def _slip(engine: Engine, slip: Mapping[str, Any]) -> told.SlipLine:
    again = say("desk.again", n=slip["reprints"]) if slip["reprints"] else ""
    return told.SlipLine(
        job=slip["job"],
        title=slip["title"],
        about=_about(engine, slip),
        state=slip["state"],
        state_sentence=" ".join(part for part in (slip["sentence"], again) if part),
        todo=slip["todo"],
        at_text=screens.time_text_seconds(slip["made_at"], engine.zone),
        acts=tuple(slip["acts"]),
    )


def _about(engine: Engine, slip: Mapping[str, Any]) -> str:
    draw = engine.draws.get(slip["draw"])
    if draw is not None and slip["ordinal"] is not None:
        title = screens.short_title(draw.plan.title, draw.book.title)
        made = draw.state.selections[slip["ordinal"]]
        return say("desk.award", award=made.place, title=title[:1].lower() + title[1:])
    job = engine.store.print_job(slip["job"])
    if job is None:
        return ""
    if job.kind == "decline_slip":
        return say("desk.entry", entry=job.data["entry"])
    return str(job.data.get("title") or job.data.get("promotion") or "")


def _printers(engine: Engine, printers: Printers, now: int) -> list[told.PrinterLine]:
    return [
        told.PrinterLine(
            id=printer["id"],
            title=printer["title"],
            state=printer["state"],
            sentence=printer_sentence(printer, now, engine.zone),
        )
        for printer in printers_view(engine, printers, now)
    ]
