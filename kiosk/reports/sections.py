"""The parts of the reports that chance has a say in: groups, hours, repeats, operators, and how quickly guests came."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from draw_engine.reports import GroupRow
from draw_engine.reports_chance import Judged
from draw_engine.reports_facts import DrawFacts
from draw_engine.reports_operators import MANAGER, MEASURES, Presented
from draw_engine.reports_whole import HOUR, Report
from kiosk.reports.plots import against_plot, bars_plot
from kiosk.reports.tables import (
    Cell,
    Section,
    Table,
    band,
    group_name,
    lasted,
    part,
    percent,
    reading_cell,
    two_readings,
    whole,
    words,
)
from web_display.catalogue import say

Names = Callable[[str], str]
"""What an actor (`crew:kabelo`) is called."""


def _col(name: str) -> str:
    return say(f"reports.col.{name}")


def group_section(report: Report, dimension: str, comparisons: int) -> Section:
    """A dimension's rows: selections and wins against chance."""
    rows = report.groups[dimension]
    names = [group_name(dimension, row.group) for row in rows]
    head = [(say(f"reports.{dimension}.head"), False)]
    if dimension == HOUR:
        head.append((_col("every"), True))
    seen = "timed" if dimension == HOUR else "seen"
    head += [(_col(name), True) for name in (seen, "chance", "band", "won", "chance", "band")]
    table = Table(
        dimension,
        say(f"reports.{dimension}.title"),
        [*head, (_col("reading"), False)],
        [_group_cells(name, row, dimension, comparisons) for name, row in zip(names, rows, strict=True)],
    )
    series = [
        (_col("seen"), [row.selected for row in rows if row.selected is not None]),
        (_col("won"), [row.won for row in rows]),
    ]
    plot = against_plot(names, series, comparisons)
    return Section(dimension, table.caption, say(f"reports.{dimension}.what"), [table], plot)


def _group_cells(name: str, row: GroupRow, dimension: str, comparisons: int) -> list[Cell]:
    assert row.selected is not None
    cells = [words(name)]
    if dimension == HOUR:
        cells.append(whole(row.selections))
    for judged in (row.selected, row.won):
        cells += [whole(judged.observed), part(judged.mean), band(judged)]
    return [*cells, two_readings(row.selected, row.won, comparisons)]


# -- the same person again ----------------------------------------------------------------------------------------


def again_section(report: Report, draws: Mapping[str, DrawFacts], comparisons: int) -> Section:
    """Repeats against chance, and those selected most often."""
    repeated = [row for row in report.repeats if row.persons.mean or row.persons.observed]
    names = [_time(row.times) for row in repeated]
    head = [_col("times"), *(_col(name) for name in ("persons", "chance", "band", "reading"))]
    repeats = Table(
        "repeats",
        say("reports.again.title"),
        [(word, 1 <= n <= 3) for n, word in enumerate(head)],
        [
            [
                words(name),
                whole(row.persons.observed),
                part(row.persons.mean),
                band(row.persons),
                reading_cell(row.persons, comparisons),
            ]
            for name, row in zip(names, repeated, strict=True)
        ],
    )
    plot = against_plot(names, [(_col("seen"), [row.persons for row in repeated])], comparisons)
    what = say("reports.again.what")
    return Section("again", repeats.caption, what, [repeats, _most(report, draws)], plot)


def _step(told: Presented, n: int) -> str:
    """The end of a tenth of the window: in seconds, where every window was as long."""
    if told.window_ms is None:
        return say("reports.presented.part", n=10 * n)
    return f"{told.window_ms * n // 10_000}\u00a0s"


def _time(times: int) -> str:
    return say(f"reports.again.time_{times}") if times in {2, 3} else say("reports.again.time", n=times)


def _most(report: Report, draws: Mapping[str, DrawFacts]) -> Table:
    columns = ("person", "seen", "chance", "won", "reading", "which")
    rows = [
        [
            words(row.person),
            whole(row.selected.observed),
            part(row.selected.mean),
            whole(row.won),
            reading_cell(row.selected, report.persons),
            words("; ".join(_which(draws[draw], ordinal) for draw, ordinal in row.which[:8])),
        ]
        for row in report.most
    ]
    head = [(_col(name), name in {"seen", "chance", "won"}) for name in columns]
    return Table("most", say("reports.most.caption"), head, rows, say("reports.most.none"))


def _which(draw: DrawFacts, ordinal: int) -> str:
    return say("reports.most.which", session=draw.title, day=draw.day, ordinal=ordinal)


# -- people at work -----------------------------------------------------------------------------------------------


def operator_section(report: Report, role: str, names: Names, comparisons: int) -> Section:
    """What became of each person's claims or decisions, against the house's rate."""
    told, measures = report.operators[role], MEASURES[role]
    who = [names(row.actor) for row in told.rows]
    head = [(_col("who"), False), (_col("decisions" if role == MANAGER else "cases"), True)]
    head += [(say(f"reports.measure.{name}"), True) for name in measures]
    rows = [
        [words(name), whole(row.cases), *(_rate(row.measures[measure], comparisons) for measure in measures)]
        for name, row in zip(who, told.rows, strict=True)
    ]
    if told.rows:
        rows.append([words(say("reports.house")), whole(told.cases)])
        rows[-1] += [_share(told.house[measure], told.cases) for measure in measures]
    shown = ("again", "no_show") if role != MANAGER else ("void", "absent")
    series = [
        (say(f"reports.measure.{measure}"), [row.measures[measure] for row in told.rows])
        for measure in shown
        if measure in measures
    ]
    table = Table(role, say(f"reports.{role}.title"), head, rows, say("reports.operators.none"))
    return Section(role, table.caption, say(f"reports.{role}.what"), [table], against_plot(who, series, comparisons))


def _share(count: int, of: int) -> Cell:
    share = percent(count, of)
    return Cell(f"{count} ({share.text})", share.raw, number=True)


def _rate(judged: Judged, comparisons: int) -> Cell:
    share = _share(judged.observed, judged.of)
    mark = reading_cell(judged, comparisons)
    return share if mark.mark == "plain" else Cell(share.text, share.raw, mark.mark, number=True, small=mark.text)


# -- presented ----------------------------------------------------------------------------------------------------


def presented_section(report: Report) -> Section:
    """The distribution of how quickly guests came to the stage."""
    told = report.presented
    ends = [_step(told, n + 1) for n in range(len(told.steps))]
    rest = [say("reports.presented.late"), say("reports.presented.never")]
    names = [*(say("reports.presented.within", time=end) for end in ends), *rest]
    counts = [*told.steps, told.late, told.never]
    rows: Sequence[Sequence[Cell]] = (
        [[words(name), whole(n), percent(n, told.announced)] for name, n in zip(names, counts, strict=True)]
        if told.announced
        else []
    )
    head = [(_col("when"), False), (_col("guests"), True), (_col("share"), True)]
    table = Table("presented", say("reports.presented.title"), head, rows, say("reports.presented.none"))
    what = say("reports.presented.what_none")
    if told.middle_ms is not None:
        what = say("reports.presented.what", middle=lasted(told.middle_ms))
    return Section("presented", table.caption, what, [table], bars_plot([*ends, *rest], counts, 2))
