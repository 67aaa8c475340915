"""Sessions and register windows of one gaming day: they fit into it, do not meet, and exist on every clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, time
from itertools import combinations

from config.faults import CONFLICT, NOT_SUPPORTED, Fault
from config.rule_book_facts import (
    Table,
    Window,
    as_wall,
    day_start,
    get,
    inner,
    promotion_dates,
    session_windows,
    sessions,
    window,
    zone_of,
)
from config.words import day_words, wall
from draw_engine.calendar import civil_dates, instant, local


def window_conflicts(toml: Table) -> Iterator[Fault]:
    """Every fault of the day's windows."""
    begins = day_start(toml)
    if begins is None:
        return
    drawn, declined = session_windows(toml), _register_windows(toml, begins)
    for some in (*drawn, *declined):
        yield from _fits(some, begins)
    drawn = [some for some in drawn if some.first < some.last]
    declined = [some for some in declined if some.first < some.last]
    yield from _sessions_apart(toml, drawn)
    yield from _register_apart(drawn, declined)
    yield from _opens_within(toml, drawn, begins)
    yield from _on_the_clock(toml, (*drawn, *declined), begins)


def _register_windows(toml: Table, begins: time) -> list[Window]:
    found = []
    for n, pair in enumerate(get(inner(toml, "register"), "windows", list) or [], start=1):
        times = [as_wall(value) for value in pair] if isinstance(pair, list) else []
        if len(times) == 2 and times[0] is not None and times[1] is not None:
            found.append(window(begins, f"register.windows[{n}]", "the register", (times[0], times[1])))
    return found


def _hours(some: Window) -> str:
    return f"{wall(some.starts)} to {wall(some.ends)}"


def _fits(some: Window, begins: time) -> Iterator[Fault]:
    end = some.place if some.place.startswith("register") else f"{some.place}.to"
    if some.last == some.first:
        yield Fault(end, CONFLICT, f"{_hours(some)} lasts no time: correct the end.")
    elif some.last < some.first:
        sentence = (
            f"{_hours(some)} runs over {wall(begins)}, when the next gaming day begins (promotion.day_starts_at): "
            f"correct the end, or let the day begin at another hour."
        )
        yield Fault(end, CONFLICT, sentence)


def _sessions_apart(toml: Table, drawn: list[Window]) -> Iterator[Fault]:
    groups = {place: draw.get("group") for place, draw in sessions(toml)}
    for one, other in combinations(drawn, 2):
        if not one.overlaps(other):
            continue
        meets = f"{_hours(other)} overlaps {one.name}, {_hours(one)}"
        if groups[one.place] == groups[other.place]:
            yield Fault(f"{other.place}.from", CONFLICT, f"{meets}: move one of them.")
        else:
            sentence = f"{meets}: two sessions at a time are not supported yet."
            yield Fault(f"{other.place}.from", NOT_SUPPORTED, sentence)


def _register_apart(drawn: list[Window], declined: list[Window]) -> Iterator[Fault]:
    for some in declined:
        for session in drawn:
            if some.overlaps(session):
                sentence = f"{_hours(some)} overlaps {session.name}, {_hours(session)}: the register is closed then."
                yield Fault(some.place, CONFLICT, f"{sentence} Shorten the window.")
    for one, other in combinations(declined, 2):
        if one.overlaps(other):
            yield Fault(other.place, CONFLICT, f"{_hours(other)} overlaps {_hours(one)}: make one window of them.")


def _opens_within(toml: Table, drawn: list[Window], begins: time) -> Iterator[Fault]:
    minutes = {place: get(draw, "opens_before_minutes", int) or 0 for place, draw in sessions(toml)}
    for some in drawn:
        if minutes[some.place] > some.first:
            sentence = (
                f"The draw would open {minutes[some.place]} minutes before {wall(some.starts)}, and so before its "
                f"gaming day begins at {wall(begins)}: write at most {some.first}."
            )
            yield Fault(f"{some.place}.opens_before_minutes", CONFLICT, sentence)


def _on_the_clock(toml: Table, windows: tuple[Window, ...], begins: time) -> Iterator[Fault]:
    zone, days = zone_of(toml), promotion_dates(toml)
    if zone is None or days is None:
        return
    for some in windows:
        for key, moment, skipped in _skipped(zone, days, some, begins):
            place = some.place if some.place.startswith("register") else f"{some.place}.{key}"
            sentence = f"On {day_words(skipped)} the clocks of {zone} skip {wall(moment)}: choose another time."
            yield Fault(place, CONFLICT, sentence)


def _skipped(zone: str, days: list[date], some: Window, begins: time) -> Iterator[tuple[str, time, date]]:
    """The times of a window that do not exist on one of its dates, each with the first such date."""
    for n, (key, moment) in enumerate((("from", some.starts), ("to", some.ends))):
        on = (civil_dates(begins, day, some.starts, some.ends)[n] for day in days)
        for civil in on:
            if local(zone, instant(zone, civil, moment)).time() != moment:
                yield key, moment, civil
                break
