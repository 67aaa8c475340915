"""The integrity monitor on the page: envelopes, wins of people who may not win, voids, late changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from draw_engine import cash
from draw_engine.reports_chance import Judged
from draw_engine.reports_envelopes import BatchReport
from draw_engine.reports_facts import DrawFacts
from draw_engine.service.prize_ports import CashCountRow
from kiosk.reports.monitor import Monitor, Void
from kiosk.reports.plots import against_plot
from kiosk.reports.sections import Names
from kiosk.reports.tables import (
    Cell,
    Section,
    Table,
    band,
    lasted,
    money,
    part,
    reading_cell,
    selection,
    time_of,
    whole,
    words,
)
from web_display.catalogue import say


def _head(figures: Iterable[str], *columns: str) -> list[tuple[str, bool]]:
    figured = set(figures)
    return [(say(f"reports.col.{name}"), name in figured) for name in columns]


def judged_amounts(found: Monitor) -> list[Judged]:
    """The envelopes' figures that are held against chance."""
    return [row.opened for batch in found.batches for row in batch.amounts if row.opened is not None]


# -- envelopes ----------------------------------------------------------------------------------------------------


def envelope_section(found: Monitor, currency: str, zone: str, names: Names, comparisons: int) -> Section:
    """The batches, each amount against chance, and the counts of the trays that did not agree."""
    figures = ("envelopes", "total", "left", "held", "opened", "paid", "average", "difference", "deviation")
    batches = Table(
        "batches",
        say("reports.envelopes.caption"),
        _head(figures, "batch", *figures),
        [_batch_cells(batch, currency) for batch in found.batches],
        say("reports.envelopes.none"),
    )
    amounts = [_amounts(batch, currency, comparisons) for batch in found.batches if batch.opened]
    faults = [
        say(
            "reports.envelopes.faults",
            batch=batch.batch,
            amounts=", ".join(money(amount, currency).text for amount in batch.faults),
        )
        for batch in found.batches
        if batch.faults
    ]
    plot = None
    judged = judged_amounts(found)
    if judged:
        several = len(found.batches) > 1
        labels = [
            f"{batch.batch} {money(row.amount, currency).text}" if several else money(row.amount, currency).text
            for batch in found.batches
            for row in batch.amounts
            if row.opened is not None
        ]
        plot = against_plot(labels, [(say("reports.col.opened"), judged)], comparisons)
    tables = [batches, *amounts, _days(found, zone, names), _cash(found, currency, zone, names)]
    title, what = say("reports.envelopes.title"), say("reports.envelopes.what")
    return Section("envelopes", title, what, tables, plot, faults)


def _batch_cells(batch: BatchReport, currency: str) -> list[Cell]:
    now = batch.now
    deviation = Cell("", number=True)
    if batch.variance > 0:
        sigmas = float(batch.difference) / float(batch.variance) ** 0.5
        deviation = Cell(f"{sigmas:+.1f}".replace("-", "\u2212"), round(sigmas, 2), number=True)
    return [
        words(batch.batch),
        whole(now.counted),
        money(now.total, currency),
        whole(now.tray),
        whole(now.held),
        whole(batch.opened),
        money(now.opened_total, currency),
        money(batch.mean, currency),
        money(batch.difference, currency),
        deviation,
    ]


def _amounts(batch: BatchReport, currency: str, comparisons: int) -> Table:
    rows = []
    for row in batch.amounts:
        cells = [money(row.amount, currency), whole(row.counted), whole(row.typed)]
        if row.opened is None:
            too_often = row.amount in batch.faults
            said = Cell(say("reports.typed_too_often"), mark="late") if too_often else words("")
            cells += [Cell("", number=True), Cell("", number=True), said]
        else:
            cells += [part(row.opened.mean), band(row.opened), reading_cell(row.opened, comparisons)]
        rows.append(cells)
    figures = ("amount", "counted", "opened", "chance", "band")
    caption = say("reports.amounts.caption", batch=batch.batch)
    return Table(f"amounts-{batch.batch}", caption, _head(figures, *figures, "reading"), rows)


def _days(found: Monitor, zone: str, names: Names) -> Table:
    rows = [
        [
            words(row.day),
            whole(row.expected),
            whole(row.left),
            whole(row.left - row.expected),
            words(", ".join(names(actor) for actor in row.by.split())),
            words(time_of(row.counted_at, zone)),
        ]
        for row in found.day_counts
        if row.left != row.expected
    ]
    figures = ("expected", "found", "difference")
    head = _head(figures, "day", *figures, "by", "at")
    return Table("days", say("reports.days.caption"), head, rows, say("reports.days.none"))


def _cash(found: Monitor, currency: str, zone: str, names: Names) -> Table:
    """Every count of the cash, against what as many closed envelopes can hold."""
    rows = [
        [
            words(row.day),
            whole(row.envelopes),
            money(row.cents, currency),
            money(row.least, currency),
            money(row.most, currency),
            _cash_says(row, currency),
            words(", ".join(names(actor) for actor in row.by.split())),
            words(time_of(row.counted_at, zone)),
        ]
        for row in found.cash_counts
    ]
    figures = ("envelopes", "found", "least", "most")
    head = _head(figures, "day", *figures, "reading", "by", "at")
    return Table("cash", say("reports.cash.caption"), head, rows, say("reports.cash.none"))


def _cash_says(row: CashCountRow, currency: str) -> Cell:
    said = cash.verdict(row.cents, row.least, row.most)
    text = say(f"reports.cash.{said.finding}", by=money(said.by, currency).text)
    mark = "late" if said.by or not row.agree else "plain"
    return Cell(text, mark=mark, small="" if row.agree else say("reports.cash.doubt"))


# -- what no chance speaks of -------------------------------------------------------------------------------------


def barred_section(found: Monitor) -> Section:
    """Wins of people whom today's lists bar on that day."""
    rows = []
    for one in found.barred:
        when = "before" if one.known_from <= one.selection.at else "after"
        known = say(f"reports.barred.{when}", at=time_of(one.known_from, one.draw.zone))
        mark = "late" if when == "before" else "pause"
        rows.append(
            [
                words(one.selection.person),
                words(one.draw.title),
                words(one.draw.day),
                selection(one.draw.id, one.selection.ordinal),
                words(say(f"reports.category.{one.category}")),
                Cell(known, mark=mark),
            ]
        )
    head = _head(["selection"], "person", "session", "day", "selection", "category", "known")
    table = Table("barred", say("reports.barred.title"), head, rows, say("reports.barred.none"))
    return Section("barred", table.caption, say("reports.barred.what"), [table])


def void_section(found: Monitor, names: Names) -> Section:
    """Every void: what had been drawn was known by then."""
    rows = [
        [
            words(one.draw.title),
            words(one.draw.day),
            selection(one.draw.id, one.ordinal),
            words(time_of(one.at, one.draw.zone)),
            words(lasted(one.seen_for_ms)),
            words(", ".join(names(actor) for actor in one.by)),
            words(_then(one)),
        ]
        for one in found.voids
    ]
    head = _head(["selection"], "session", "day", "selection", "at", "after", "by", "then")
    table = Table("voids", say("reports.voids.title"), head, rows, say("reports.voids.none"))
    return Section("voids", table.caption, say("reports.voids.what"), [table])


def _then(one: Void) -> str:
    return say(f"reports.voids.{'after_close' if one.after_close else 'again' if one.again else 'given_up'}")


def change_section(found: Monitor, draws: Sequence[DrawFacts], names: Names) -> Section:
    """What was changed while a session was open, and sessions under other rules than the one before."""
    new_rules: Mapping[str, DrawFacts] = {after.id: before for before, after in found.new_rules}
    rows: list[list[Cell]] = []
    for draw in draws:
        where = [words(draw.title), words(draw.day)]
        if draw.id in new_rules:
            said = say("reports.changes.rules")
            rows.append([*where, words(time_of(draw.opened_at, draw.zone)), words(said), words(""), words("")])
        for one in draw.happenings:
            at, what = words(time_of(one.at, draw.zone)), words(say(f"reports.change.{one.kind}"))
            rows.append([*where, at, what, words(one.about), words(names(one.actor))])
    head = _head([], "session", "day", "at", "what", "about", "by")
    table = Table("changes", say("reports.changes.title"), head, rows, say("reports.changes.none"))
    return Section("changes", table.caption, say("reports.changes.what"), [table])
