"""`/console/reports`: what chance gives and what happened, for managers and auditors; and its tables as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from flask import Blueprint, Response, render_template, request

from draw_engine.reports import Filter
from draw_engine.service.engine import Engine
from kiosk.console.claims import person_of
from kiosk.console.pages import nav
from kiosk.core import Core
from kiosk.reports.gather import FactsKept
from kiosk.reports.monitor import monitor
from kiosk.reports.tables import as_csv
from kiosk.reports.view import Choice, Page, ReportsMade, choice_of, filter_of, page_of
from kiosk.screens.view import House
from kiosk.sign_in.access import staff
from kiosk.sign_in.whom import me_for_page
from web_display.catalogue import page_words, say
from web_display.console_messages import StaffMember

_FILTERS = ("from", "to", "promotion", "session")


class Reports:
    """The reports of one core. `folder`: where the closed draws' facts outlast a restart."""

    def __init__(self, core: Core, staff_list: Sequence[StaffMember], folder: Path | None) -> None:
        self._core = core
        self._names = {person.id: person.name for person in staff_list}
        self._facts = FactsKept(core, folder)
        self._made = ReportsMade()

    def page(self, asked: Filter) -> tuple[Page, Choice]:
        """The page of the closed draws a filter takes, and what can be filtered by. Off the engine's thread."""
        engine: Engine = self._core.ask(lambda engine: engine)
        names = self._names | {row.id: row.name for row in engine.store.staff()}
        gathered = self._facts.gather()
        draws = [draw for draw in gathered.draws if asked.takes(draw)]
        found = monitor(engine, draws, all_batches=asked == Filter())
        page = page_of(
            draws,
            self._made.of(draws),
            found,
            lambda actor: say("reports.engine") if actor == "engine" else person_of(actor, names),
            unread=gathered.unread,
            still_open=gathered.still_open,
        )
        return page, choice_of(gathered.draws)


def reports_routes(core: Core, house: House, staff_list: Sequence[StaffMember], state_dir: Path | None) -> Blueprint:
    """The page and its tables. `state_dir`: whose core this is; None: nothing outlasts a restart."""
    routes = Blueprint("reports", __name__)
    reports = Reports(core, staff_list, None if state_dir is None else state_dir / "reports")

    @routes.get("/console/reports")
    @staff("manager", "auditor")
    def page() -> str:
        asked = _asked()
        made, choice = reports.page(filter_of(asked))
        who = me_for_page()
        return render_template(
            "reports.html",
            assets="/static/console",
            bundle="reports",
            property_name=house.property_name,
            words=page_words("reports"),
            pages=nav("reports", who.get("role", "")),
            me=who,
            page=made,
            choice=choice,
            asked=asked,
            query=urlencode({name: value for name, value in asked.items() if value}),
        )

    @routes.get("/console/reports/<table>.csv")
    @staff("manager", "auditor")
    def table_csv(table: str) -> Response:
        made, _ = reports.page(filter_of(_asked()))
        return Response(
            as_csv(made.table(table)),
            mimetype="text/csv",
            headers={"Content-Disposition": f'attachment; filename="floordraw-{table}.csv"'},
        )

    return routes


def _asked() -> dict[str, str]:
    return {name: request.args.get(name, "") for name in _FILTERS}
