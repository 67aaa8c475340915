"""The draw log: `/console/draws`, one draw, one selection; verified in place, looked up, noted, saved as CSV.

Everything is read beside the engine's thread: it is asked for one glance, and for what must be written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, current_app, jsonify, render_template, request

from draw_engine.errors import Refused
from draw_engine.service import access_notes, notes
from draw_engine.service.engine import Engine
from kiosk.console.pages import nav
from kiosk.core import Core
from kiosk.draw_log.as_csv import as_csv
from kiosk.draw_log.draw import draw_lines, draw_page
from kiosk.draw_log.rows import Narrowed, crew_of, reading
from kiosk.draw_log.selection import selection_page
from kiosk.draw_log.verify import RECORD_FILES, Verified, Verifier
from kiosk.draw_log.view import Glance, People, choices, glance, narrowing, read_filters, row_words
from kiosk.draw_log.why import why
from kiosk.screens.view import House
from kiosk.sign_in.access import staff, the_gate
from kiosk.sign_in.whom import me, me_for_page
from web_display import screens
from web_display.catalogue import page_words, say
from web_display.console_messages import StaffMember

PAGE_ROWS = 50
_SEES_GUESTS = frozenset({"manager", "auditor"})
"""Who may look guests up and read notes. A witness reads the draws."""


class DrawLog:
    """What the routes share. `listed`: the staff of `site.toml`."""

    def __init__(self, core: Core, house: House, listed: Sequence[StaffMember]) -> None:
        self.core = core
        self.house = house
        self.listed = listed
        self.verifier = Verifier()

    def seen(self) -> tuple[Glance, People]:
        """The engine at a glance, and the people by name."""
        seen = self.core.ask(glance)
        return seen, People(seen.store, self.listed)

    def page(self, template: str, **values: Any) -> str:
        """A page in the console's frame."""
        who = me_for_page()
        return render_template(
            template,
            assets="/static/console",
            bundle="draw_log",
            property_name=self.house.property_name,
            words=page_words("draw_log"),
            pages=nav("draws", who.get("role", "")),
            me=who,
            sees_guests=who.get("role") in _SEES_GUESTS,
            writes=who.get("role") in notes.WRITERS,
            **values,
        )


def draw_log_routes(core: Core, house: House, listed: Sequence[StaffMember]) -> Blueprint:
    """`/console/draws` and what is below it."""
    log = DrawLog(core, house, listed)
    routes = Blueprint("draw_log", __name__)

    @routes.after_request
    def keep_nothing(response: Response) -> Response:
        response.headers["Cache-Control"] = "no-store"
        return response

    _list_routes(routes, log)
    _draw_routes(routes, log)
    _act_routes(routes, log)
    return routes


# -- the list -------------------------------------------------------------------------------------------------------


def _list_routes(routes: Blueprint, log: DrawLog) -> None:
    @routes.get("/console/draws")
    @staff("manager", "auditor", "witness")
    def every() -> str:
        if request.args.get("show") == "draws":
            return log.page("draw_log_draws.html", **_draws(log))
        return log.page("draw_log.html", **_selections(log))

    @routes.get("/console/draws.csv")
    @staff("manager", "auditor")
    def as_file() -> Response:
        seen, people = log.seen()
        asked = read_filters(request.args)
        with reading(seen.store) as connection:
            narrowed = Narrowed(connection, asked, **narrowing(seen, asked))
            text = as_csv(row_words(seen, people, row) for row in narrowed.all())
        headers = {"Content-Disposition": 'attachment; filename="draw-log.csv"'}
        return Response(text.encode(), mimetype="text/csv", headers=headers)


def _selections(log: DrawLog) -> dict[str, Any]:
    seen, people = log.seen()
    asked = read_filters(request.args)
    with reading(seen.store) as connection:
        narrowed = Narrowed(connection, asked, **narrowing(seen, asked))
        found = narrowed.count()
        page, pages = _paged(found)
        rows = [row_words(seen, people, row) for row in narrowed.page(page, PAGE_ROWS)]
        crew = crew_of(connection)
    of_page = dict.fromkeys(row.draw for row in rows)
    return {
        "asked": asked.asked(),
        "choices": choices(seen, people, crew),
        "found": say("draws.found", n=found),
        "groups": [(seen.draw(one), [row for row in rows if row.draw == one]) for one in of_page],
        "csv": f"/console/draws.csv?{urlencode(asked.asked())}",
        "narrowed_to": seen.draws.get(asked.draw),
        **_links(asked.asked(), page, pages),
    }


def _draws(log: DrawLog) -> dict[str, Any]:
    seen = log.core.ask(glance)
    every = list(seen.draws.values())
    page, pages = _paged(len(every))
    shown = every[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
    return {
        "found": say("draws.found_draws", n=len(every)),
        "lines": draw_lines(seen, shown),
        **_links({"show": "draws"}, page, pages),
    }


def _paged(found: int) -> tuple[int, int]:
    """(page asked for, pages there are): a page that is not there is the nearest one that is."""
    pages = max(1, -(-found // PAGE_ROWS))
    asked = request.args.get("page", "1")
    page = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 8 else 1
    return min(max(1, page), pages), pages


def _links(asked: Mapping[str, str], page: int, pages: int) -> dict[str, str]:
    def link(to: int) -> str:
        return f"/console/draws?{urlencode({**asked, 'page': to})}" if 1 <= to <= pages else ""

    paged = say("draws.pages", page=page, pages=pages) if pages > 1 else ""
    return {"paged": paged, "newer": link(page - 1), "older": link(page + 1)}


# -- one draw, one selection ----------------------------------------------------------------------------------------


def _draw_routes(routes: Blueprint, log: DrawLog) -> None:
    @routes.get("/console/draws/<path:draw_id>")
    @staff("manager", "auditor", "witness")
    def draw(draw_id: str) -> str:
        seen, people = log.seen()
        shown = draw_page(seen, people, draw_id, log.verifier.last(draw_id))
        csv = f"/console/draws.csv?{urlencode({'draw': draw_id})}"
        return log.page("draw_log_draw.html", **_worded(seen, shown), csv=csv)

    @routes.get("/console/draws/<path:draw_id>/selections/<int:ordinal>")
    @staff("manager", "auditor", "witness")
    def selection(draw_id: str, ordinal: int) -> str:
        seen, people = log.seen()
        person = me()
        sees = person.role in _SEES_GUESTS
        last = log.verifier.last(draw_id)
        shown = selection_page(seen, people, draw_id, ordinal, last, play=sees)
        noted = shown.pop("noted")
        written = _notes(log, seen, people, (draw_id, ordinal), person.actor, noted) if sees else []
        lost = sees and len(noted) > len(written)
        return log.page("draw_log_selection.html", **_worded(seen, shown), notes=written, lost_note=lost)


def _worded(seen: Glance, shown: dict[str, Any]) -> dict[str, Any]:
    return {**shown, "verified": _verified(seen, shown["draw"].id, shown["verified"])}


def _verified(seen: Glance, draw_id: str, said: Verified | None) -> dict[str, Any] | None:
    if said is None:
        return None
    time = seen.draw(draw_id).time(said.at)
    seconds = f"{said.took_ms / 1000:.1f}"
    key = say("draws.verify.key", public=said.key) if said.whole else ""
    return {**said.as_json(), "took": say("draws.verify.took", time=time, seconds=seconds), "key": key}


def _notes(
    log: DrawLog, seen: Glance, people: People, of: tuple[str, int], who: str, noted: Sequence[str]
) -> list[dict[str, Any]]:
    """A claim's notes, opened; that they were read is kept. `noted`: the hashes that the log has of them."""
    draw_id, ordinal = of
    written = notes.notes_of(seen.engine, draw_id, ordinal)
    if written:
        device = _device()

        def note(engine: Engine) -> None:
            about = access_notes.about_of(engine, f"{draw_id} c{ordinal}")
            access_notes.note(engine, who=who, device=device, act="notes.read", about=about)

        log.core.ask(note)
    zone = seen.draw(draw_id).zone
    return [
        {
            "n": one.n,
            "meta": say("draws.note_meta", who=people.actor(one.by), time=_day_time(one.at, zone)),
            "lines": one.text.split("\n"),
            "whole": one.whole and one.sha256 in noted,
            "sha256": one.sha256,
        }
        for one in written
    ]


def _day_time(at: int, zone: str) -> str:
    there = screens.local(at, zone)
    return f"{there.day} {there:%B %Y}, {there:%H:%M:%S}"


def _device() -> str:
    device = the_gate().device()
    return "" if device is None else device.id


# -- acts -----------------------------------------------------------------------------------------------------------


def _act_routes(routes: Blueprint, log: DrawLog) -> None:
    @routes.post("/console/draws/verify")
    @staff("manager", "auditor", "witness")
    def verify() -> Response:
        said = _said()
        files = current_app.extensions.get(RECORD_FILES) if said.get("journal") is True else None
        seen = log.core.ask(glance)
        draw_id = _text(said, "draw")
        done = log.verifier.verify(seen, draw_id, files)
        return jsonify({"answered": True, **(_verified(seen, draw_id, done) or {})})

    @routes.post("/console/draws/why")
    @staff("manager", "auditor")
    def why_not() -> Response:
        said, person = _said(), me()
        where = (_text(said, "draw"), _ordinal(said))
        answer = why(
            log.core,
            *where,
            _text(said, "number"),
            who=person.actor,
            device=_device(),
            check_address=log.house.check_address,
        )
        return jsonify({"ok": True, **answer.as_json()})

    @routes.post("/console/draws/note")
    @staff("manager")
    def note() -> Response:
        said, person = _said(), me()
        draw_id, ordinal, text = _text(said, "draw"), _ordinal(said), _text(said, "text")

        def write(engine: Engine) -> int:
            draw = engine.draw(draw_id)
            return notes.add(engine, draw, ordinal, text=text, by=person.id, now=engine.now())

        return jsonify({"ok": True, "note": log.core.ask(write)})


def _said() -> Mapping[str, Any]:
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise Refused("X_VALUE_WRONG", "What was sent cannot be read. Load the page again.")
    return body


def _text(said: Mapping[str, Any], name: str) -> str:
    text = said.get(name)
    if not isinstance(text, str) or len(text) > 20_000 or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise Refused("X_VALUE_WRONG", f"Send {name} as text.")
    return text


def _ordinal(said: Mapping[str, Any]) -> int:
    ordinal = said.get("ordinal")
    if type(ordinal) is not int or not 0 <= ordinal < 2**31:
        raise Refused("X_VALUE_WRONG", "Send the selection's ordinal as a whole number.")
    return ordinal
