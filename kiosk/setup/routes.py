"""`/console/setup`: rule books are loaded, read, rehearsed, locked by two people, retired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from draw_engine.errors import Refused
from draw_engine.locked_books import KeptBook, state_of
from draw_engine.rule_book_toml import read
from draw_engine.service import rule_locks
from draw_engine.service.engine import Book
from kiosk.console.pages import nav
from kiosk.core import Core
from kiosk.screens.view import House
from kiosk.setup import view as setup_view
from kiosk.setup.figures import figures_of, floors_of
from kiosk.setup.rehearsals import Rehearsals, Run
from kiosk.sign_in.access import staff
from kiosk.sign_in.whom import acting, me, me_for_page
from kiosk.web_requests import whole_body
from web_display.catalogue import page_words, say
from web_display.console_messages import StaffMember

MOST_BYTES = 64_000
"""A rule book may not be larger; the longest one known has 7 KB."""


def setup_routes(
    core: Core, house: House, people: Sequence[StaffMember], rehearsals: Rehearsals | None = None
) -> Blueprint:
    """The routes. `people`: the house's, for their names; without `rehearsals` nothing can be rehearsed here."""
    routes = Blueprint("setup", __name__)

    @routes.get("/console/setup")
    @staff("manager", "auditor")
    def page() -> str:
        who = me_for_page()
        return render_template(
            "setup.html",
            assets="/static/console",
            bundle="setup",
            property_name=house.property_name,
            words=page_words("setup"),
            pages=nav("setup", who.get("role", "")),
            me=who,
        )

    @routes.get("/console/setup.json")
    @staff("manager", "auditor")
    def books() -> Response:
        run = _run(rehearsals)  # first: a rehearsal that has ended by now is then in the set-up, too
        setup = core.ask(setup_view.taken)
        return _unkept(
            {
                "ok": True,
                "headline": setup_view.headline(setup),
                "may_act": me().role == "manager",
                "books": setup_view.books_of(setup, _named(people)),
                "floors": floors_of(rehearsals.floors() if rehearsals else [], setup.today),
                "run": run,
            }
        )

    @routes.get("/console/setup/<digest>.json")
    @staff("manager", "auditor")
    def book(digest: str) -> Response:
        return _unkept(_book(core.ask(setup_view.taken), digest, rehearsals, may_act=me().role == "manager"))

    @routes.get("/console/setup/<digest>/rules.toml")
    @staff("manager", "auditor")
    def toml(digest: str) -> Response:
        return _file(_bytes(core.ask(setup_view.taken), digest), f"rules-{digest[:12]}.toml", "application/toml")

    @routes.get("/console/setup/<digest>/rehearsal.zip")
    @staff("manager", "auditor")
    def records(digest: str) -> Response:
        core.ask(lambda engine: rule_locks.kept_book(engine, digest))
        return _file(_needed(rehearsals).packed(digest), f"rehearsal-{digest[:12]}.zip", "application/zip")

    _act_routes(routes, core, rehearsals)
    return routes


def _act_routes(routes: Blueprint, core: Core, rehearsals: Rehearsals | None) -> None:
    @routes.post("/console/setup/check")
    @staff("manager", "auditor")
    def check() -> Response:
        found, faults = setup_view.checked(_upload())
        told = None if found is None else {"title": found.rules.title, "version": found.rules.version}
        digest = "" if found is None else found.rules.sha256
        known = bool(digest) and any(kept.sha256 == digest for kept in core.ask(setup_view.taken).kept)
        return _unkept({"ok": True, "faults": faults, "book": told, "sha256": digest, "known": known})

    @routes.post("/console/setup/load")
    @staff("manager")
    def load() -> Response:
        return _loaded(core, _upload())

    @routes.post("/console/setup/<digest>/load")
    @staff("manager")
    def load_given(digest: str) -> Response:
        return _loaded(core, _bytes(core.ask(setup_view.taken), digest))

    @routes.post("/console/setup/<digest>/rehearse")
    @staff("manager")
    def rehearse(digest: str) -> Response:
        said = acting(_said())
        day, floor, crews = _day(said), str(said.get("floor") or ""), said.get("crews", 2)
        if type(crews) is not int or not 1 <= crews <= 20:
            raise Refused("X_VALUE_WRONG", "Say how many crews walk: 1 to 20.")
        _needed(rehearsals).start(digest, day=day, floor=floor, crews=crews, by=said["by"])
        return jsonify({"ok": True})

    @routes.post("/console/setup/<digest>/lock")
    @staff("manager")
    def lock(digest: str) -> Response:
        two = _two(acting(_said()))
        core.ask(lambda engine: rule_locks.lock(engine, digest, **two))
        return jsonify({"ok": True})

    @routes.post("/console/setup/<digest>/retire")
    @staff("manager")
    def retire(digest: str) -> Response:
        two = _two(acting(_said()))
        core.ask(lambda engine: rule_locks.retire(engine, digest, **two))
        return jsonify({"ok": True})


# -- what is shown --------------------------------------------------------------------------------------------------


def _book(setup: setup_view.SetUp, digest: str, rehearsals: Rehearsals | None, *, may_act: bool) -> dict[str, Any]:
    toml = _bytes(setup, digest)
    rules = read(toml)
    kept = next((each for each in setup.kept if each.sha256 == digest), None)
    locked = setup.locked_of(rules.id)
    state = "given" if kept is None else state_of(kept, setup.kept)
    beside = locked if locked is not None and locked.sha256 != digest and state != "replaced" else None
    figures = _figures(kept, digest, rehearsals)
    return {
        "ok": True,
        "sha256": digest,
        "title": rules.title,
        "version": rules.version,
        "state": state,
        "is_locked": kept is not None and kept.locked_at is not None,
        "words": setup_view.words_of(toml, beside),
        "calendar": setup_view.calendar_of(rules, setup.now),
        "figures": None if figures is None else figures_of(rules, figures),
        "records": rehearsals is not None and rehearsals.has_records(digest),
        "missing": _missing(kept, digest, rehearsals, may_act=may_act),
        "replaces": "" if beside is None else beside.version,
    }


def _figures(kept: KeptBook | None, digest: str, rehearsals: Rehearsals | None) -> Mapping[str, Any] | None:
    """Those of the last rehearsal since the start; else those that were kept with the book."""
    last = None if rehearsals is None else rehearsals.last
    if last is not None and last.book == digest and not last.runs and last.figures is not None:
        return last.figures
    return None if kept is None else kept.rehearsal


def _missing(kept: KeptBook | None, digest: str, rehearsals: Rehearsals | None, *, may_act: bool) -> str:
    """What stands between a book and its lock; "" when two people may lock it now."""
    last = None if rehearsals is None else rehearsals.last
    if not may_act:
        return say("setup.lock.manager")
    if last is not None and last.book == digest and last.runs:
        return say("setup.lock.runs")
    return say("setup.lock.rehearse") if kept is None or kept.rehearsal is None else ""


def _run(rehearsals: Rehearsals | None) -> dict[str, Any] | None:
    run: Run | None = None if rehearsals is None else rehearsals.last
    if run is None:
        return None
    return {
        "book": run.book,
        "runs": run.runs,
        "step": run.step,
        "text": say(f"setup.step.{run.step}"),
        "code": run.code,
        "sentence": run.sentence,
    }


def _named(people: Sequence[StaffMember]) -> setup_view.Namer:
    return setup_view.namer({person.id: person.name for person in people})


# -- what is asked --------------------------------------------------------------------------------------------------


def _upload() -> bytes:
    """The file that was sent. Raises Refused X_TOO_LARGE, X_VALUE_WRONG."""
    sentence = "A rule book has at most 64 KB. Choose the TOML file."
    if (request.content_length or 0) > MOST_BYTES:
        raise Refused("X_TOO_LARGE", sentence)
    data = whole_body(MOST_BYTES, sentence)
    if not data:
        raise Refused("X_VALUE_WRONG", "The file is empty. Choose the rule book's TOML file.")
    return data


def _loaded(core: Core, data: bytes) -> Response:
    found, faults = setup_view.checked(data)
    if found is None:
        first = faults[0]
        raise Refused("X_RULES_FAULTY", f"{len(faults)} faults, the first in line {first['line']}: {first['sentence']}")
    by, book = me().id, Book(found.rules, data)
    kept = core.ask(lambda engine: rule_locks.load(engine, book, by=by))
    return jsonify({"ok": True, "sha256": kept.sha256, "title": kept.title, "version": kept.version})


def _said() -> dict[str, Any]:
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise Refused("X_VALUE_WRONG", "What was sent cannot be read. Load the page again.")
    return body


def _two(said: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(said.get(name) or "") for name in ("by", "second", "reason")}


def _day(said: Mapping[str, Any]) -> date:
    try:
        return date.fromisoformat(str(said.get("day") or ""))
    except ValueError:
        raise Refused("X_VALUE_WRONG", "Choose a day of the book.") from None


def _needed(rehearsals: Rehearsals | None) -> Rehearsals:
    if rehearsals is None:
        raise Refused("X_NOT_REHEARSED", "Nothing can be rehearsed here. Use `floordraw rehearse`.")
    return rehearsals


def _bytes(setup: setup_view.SetUp, digest: str) -> bytes:
    toml = setup_view.book_of(setup, digest)
    if toml is None:
        raise Refused("X_NO_SUCH_RULES", "No such rule book is loaded. Load its file first.")
    return toml


def _unkept(told: Mapping[str, Any]) -> Response:
    answer = jsonify(told)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _file(data: bytes, name: str, mimetype: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(data, mimetype=mimetype, headers=headers)
