"""The reports' page as values: what the figures come to, its parts, and the tables for a spreadsheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from draw_engine.errors import Refused
from draw_engine.reports import Filter
from draw_engine.reports_chance import Overall
from draw_engine.reports_facts import DIMENSIONS, DrawFacts
from draw_engine.reports_operators import ANNOUNCER, CREW, MANAGER
from draw_engine.reports_whole import HOUR, Report, all_of, report_of
from kiosk.reports.monitor import Monitor
from kiosk.reports.monitor_view import barred_section, change_section, envelope_section, judged_amounts, void_section
from kiosk.reports.sections import Names, again_section, group_section, operator_section, presented_section
from kiosk.reports.tables import Section, Table, grouped
from web_display.catalogue import say

_REPORTS_KEPT = 8


@dataclass(frozen=True, slots=True)
class Choice:
    """What a filter offers: (value, text) of the promotions and the sessions there are."""

    promotions: Sequence[tuple[str, str]]
    sessions: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Page:
    """The page. `rare`: whether something on it is further out than chance explains; `notes`: what is not counted."""

    headline: str
    what: str
    rare: bool
    scope: str
    notes: Sequence[str]
    sections: Sequence[Section]

    def table(self, table_id: str) -> Table:
        """A table by its id. Raises Refused X_NO_SUCH_TABLE."""
        for section in self.sections:
            for table in section.tables:
                if table.id == table_id:
                    return table
        raise Refused("X_NO_SUCH_TABLE", say("reports.no_such_table"))


def filter_of(said: Mapping[str, str]) -> Filter:
    """The filter of a query: from, to (ISO dates), promotion, session; empty = no bound. Raises Refused."""
    first, last = (_day(said.get(name, "")) for name in ("from", "to"))
    if first is not None and last is not None and last < first:
        raise Refused("X_VALUE_WRONG", say("reports.bad_order"))
    return Filter(first, last, said.get("promotion", ""), said.get("session", ""))


def _day(text: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Refused("X_VALUE_WRONG", say("reports.bad_day")) from None


def choice_of(draws: Sequence[DrawFacts]) -> Choice:
    """What the closed draws are of."""
    promotions = dict.fromkeys(draw.promotion for draw in draws)
    sessions = {draw.session: draw.title for draw in draws}
    return Choice([(name, name) for name in promotions], sorted(sessions.items(), key=lambda each: each[1]))


class ReportsMade:
    """The last few reports, by the records they are of: the same draws give the same report."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, ...], Report] = {}

    def of(self, draws: Sequence[DrawFacts]) -> Report:
        name = tuple(draw.record for draw in draws)
        report = self._made.pop(name, None) or report_of(draws)
        self._made[name] = report
        while len(self._made) > _REPORTS_KEPT:
            self._made.pop(next(iter(self._made)), None)
        return report


def page_of(
    draws: Sequence[DrawFacts], report: Report, found: Monitor, names: Names, *, unread: int, still_open: int
) -> Page:
    """The whole page of some closed draws."""
    notes = [say(f"reports.{key}", n=n) for key, n in (("open", still_open), ("unread", unread)) if n]
    if not draws:
        return Page(say("reports.head.none"), say("reports.head.none_what"), False, "", notes, ())  # noqa: FBT003 - a page of nothing
    whole = all_of(report, judged_amounts(found))
    headline, what = _headline(whole)
    sections = _sections(draws, report, found, names, whole)
    return Page(headline, what, whole.rare > 0, _scope(draws, report), notes, sections)


def _sections(
    draws: Sequence[DrawFacts], report: Report, found: Monitor, names: Names, whole: Overall
) -> list[Section]:
    many = whole.comparisons
    by_id = {draw.id: draw for draw in draws}
    last = draws[-1]
    return [
        *(group_section(report, dimension, many) for dimension in (*DIMENSIONS, HOUR)),
        again_section(report, by_id, many),
        *(operator_section(report, role, names, many) for role in (CREW, ANNOUNCER, MANAGER)),
        presented_section(report),
        envelope_section(found, last.currency, last.zone, names, many),
        barred_section(found),
        void_section(found, names),
        change_section(found, draws, names),
    ]


def _headline(whole: Overall) -> tuple[str, str]:
    many, outside, by_chance = whole.comparisons, whole.outside, _by_chance(whole.comparisons)
    if not many:
        return say("reports.head.no_room"), say("reports.head.no_room_what")
    if whole.rare:
        return say("reports.head.rare", n=whole.rare), say("reports.head.rare_what", m=many)
    if outside > 2 + 2 * many / 100:
        return say("reports.head.many", n=outside, m=many), say("reports.head.many_what", by_chance=by_chance)
    return say("reports.head.few"), say("reports.head.few_what", n=outside, m=many, by_chance=by_chance)


def _by_chance(comparisons: int) -> str:
    return f"{comparisons / 100:.1f}" if comparisons < 950 else str(round(comparisons / 100))


def _scope(draws: Sequence[DrawFacts], report: Report) -> str:
    days = sorted(draw.day for draw in draws)
    return say(
        "reports.scope",
        sessions=say("reports.scope.sessions", n=report.draws),
        selections=say("reports.scope.selections", n=grouped(report.selections)),
        won=say("reports.scope.won", n=grouped(report.won)),
        first=days[0],
        last=days[-1],
    )
