"""What a rule book's values may not say together: calendar, audience, awards, criteria, answers."""

from __future__ import annotations

import difflib
import zoneinfo
from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import combinations

from config.draw_form import GAMES, MEASURES
from config.faults import CALENDAR, CONFLICT, WRONG, Fault, names, shown
from config.fields import YEARS
from config.rule_book_facts import (
    LONGEST_SPAN_DAYS,
    Table,
    dates,
    get,
    inner,
    known_zone,
    promotion_dates,
    sessions,
    sound_span,
    tables,
    texts,
)
from config.words import WEEKDAYS, day_of_year_words, day_words

SCOPES = ("day", "draw", "promotion")


def conflicts(toml: Table) -> Iterator[Fault]:
    """Every fault of values that are sound one by one; the windows' are in rule_book_windows.py."""
    yield from _zone(toml)
    for place, span in tables(toml, "calendar", "calendar"):
        yield from _calendar(place, span)
    yield from _audiences(toml)
    yield from _ids(toml)
    yield from _quotas(toml)
    for place, draw in sessions(toml):
        yield from _criteria(toml, place, draw)
        yield from _limits(toml, place, draw)
        yield from _entropy(place, draw)
        yield from _prize(place, inner(draw, "prize"))
        yield from _answers(toml, place, draw)


def _zone(toml: Table) -> Iterator[Fault]:
    name = get(inner(toml, "promotion"), "zone", str)
    if name is not None and not known_zone(name):
        close = difflib.get_close_matches(name, zoneinfo.available_timezones(), n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        yield Fault("promotion.zone", WRONG, f"{shown(name)} is no zone: write it as Africa/Johannesburg{hint}.")


def _calendar(place: str, span: Table) -> Iterator[Fault]:
    first, last = get(span, "from", date), get(span, "to", date)
    if first and last and last < first:
        yield Fault(f"{place}.to", CONFLICT, f"{day_words(last)} lies before `from`: exchange or correct them.")
    elif first and last and {first.year, last.year} <= set(YEARS) and (last - first).days > LONGEST_SPAN_DAYS:
        yield Fault(
            f"{place}.to", CONFLICT, "`from` and `to` lie more than three years apart: write shorter calendars."
        )
    sound = sound_span(span)
    if sound is None:
        return
    ends = ((f"{place}.from", sound.first), (f"{place}.to", sound.last))
    for where, day in ends:
        if day.weekday() not in sound.weekdays:
            yield Fault(where, CALENDAR, _other_weekday(day, sound.weekdays))
    for key in ("only", "never"):
        for n, day in dates(span, key):
            if day.weekday() not in sound.weekdays or not sound.first <= day <= sound.last:
                sentence = f"{day_words(day)}, a {WEEKDAYS[day.weekday()]}, is no day of this calendar: take it out."
                yield Fault(f"{place}.{key}[{n}]", CALENDAR, sentence)
    if promotion_dates({"calendar": [span]}) == []:
        yield Fault(place, CONFLICT, "No day is left in this calendar: correct its exceptions.")


def _other_weekday(day: date, weekdays: tuple[int, ...]) -> str:
    runs = names([f"{WEEKDAYS[n]}s" for n in sorted(set(weekdays))], "and")
    years = [year for year in range(day.year - 6, day.year + 7) if _weekday_in(year, day) in weekdays]
    hint = f" ({day_of_year_words(day)} is such a day in {names(map(str, years), 'and')})" if years else ""
    return (
        f"{day_words(day)} is a {WEEKDAYS[day.weekday()]} and this calendar runs on {runs}: "
        f"correct the year or the date{hint}."
    )


def _weekday_in(year: int, day: date) -> int | None:
    try:
        return day.replace(year=year).weekday()
    except ValueError:  # 29 February, or a year that does not exist
        return None


def _audiences(toml: Table) -> Iterator[Fault]:
    days = promotion_dates(toml)
    covered: set[date] = set()
    every_day = False
    for place, row in tables(inner(toml, "who"), "rows", "who.rows"):
        of_row = {day for _, day in dates(row, "dates")}
        if every_day or (of_row and of_row <= covered):
            yield Fault(place, CONFLICT, "This row is never read: a row above it holds all its days. Move it up.")
        for n, day in dates(row, "dates"):
            if days is not None and day not in days:
                sentence = f"{day_words(day)} is no day of this promotion: take it out or correct it."
                yield Fault(f"{place}.dates[{n}]", CONFLICT, sentence)
        covered |= of_row
        every_day = every_day or not row.get("dates")
    uncovered = [day for day in days or [] if day not in covered]
    if uncovered and not every_day and get(inner(toml, "who"), "rows", list):
        sentence = f"No row holds {day_words(uncovered[0])}, so nobody could win then: add a row without dates."
        yield Fault("who.rows", CONFLICT, sentence)


def _ids(toml: Table) -> Iterator[Fault]:
    groups = [get(group, "id", str) for _, group in tables(toml, "award_group", "award_group")]
    for key in ("award_group", "draw"):
        seen: set[str] = set()
        for place, table in tables(toml, key, key):
            name = get(table, "id", str)
            if name in seen:
                yield Fault(f"{place}.id", CONFLICT, f"{shown(name)} is taken: give each its own id.")
            seen |= {name} if name else set()
            if key == "award_group" and name in SCOPES:
                yield Fault(
                    f"{place}.id", CONFLICT, f"{shown(name)} means something else in limits: choose another id."
                )
    for place, draw in tables(toml, "draw", "draw"):
        group = get(draw, "group", str)
        if group is not None and group not in groups:
            known = f" Known: {names([shown(g) for g in groups if g], 'and')}." if any(groups) else ""
            yield Fault(f"{place}.group", CONFLICT, f"There is no award group {shown(group)}.{known}")
        yield from _whole_id(toml, place, draw)


def _whole_id(toml: Table, place: str, draw: Table) -> Iterator[Fault]:
    about = inner(toml, "promotion")
    parts = [get(about, "property", str), get(about, "id", str), get(draw, "id", str)]
    length = sum(len(part or "") for part in parts) + len("//2023-10-07/")
    if length > 128 and all(part and len(part) <= 60 for part in parts):
        sentence = f"property/promotion/day/draw come to {length} characters and may have 128: shorten an id."
        yield Fault(f"{place}.id", CONFLICT, sentence)


def _quotas(toml: Table) -> Iterator[Fault]:
    for place, group in tables(toml, "award_group", "award_group"):
        name, quota, per = get(group, "id", str), get(group, "quota", int), get(group, "per", str)
        draws = [(at, draw) for at, draw in tables(toml, "draw", "draw") if name and draw.get("group") == name]
        if name and not draws:
            yield Fault(place, CONFLICT, f"No draw gives awards of {shown(name)}: name it in a draw or take it out.")
        if quota is None:
            continue
        awards = [(at, get(draw, "awards", int) or 0) for at, draw in draws]
        if per == "session":
            for at, count in awards:
                if count > quota:
                    yield Fault(f"{at}.awards", CONFLICT, f"{count} awards are over the quota of {quota} a session.")
        elif (total := sum(count for _, count in awards)) > quota and per in ("day", "promotion"):
            sentence = f"The draws of {shown(name)} give {total} awards a day, over the quota of {quota} per {per}."
            yield Fault(f"{place}.quota", CONFLICT, f"{sentence} Lower a draw's awards or raise the quota.")


def _criteria(toml: Table, place: str, draw: Table) -> Iterator[Fault]:
    needs = get(inner(draw, "source"), "needs", list)
    targeted = {tier for _, row in tables(inner(toml, "who"), "rows", "") for tier in texts(row, "tiers")}
    rows = tables(draw, "criteria", f"{place}.criteria")
    for at, row in rows:
        game, measure = get(row, "game", str) or "", get(row, "measure", str) or ""
        low, high = get(row, "min", int), get(row, "max", int)
        if game in MEASURES and any(measure in some for some in MEASURES.values()) and measure not in MEASURES[game]:
            fitting = names(map(shown, MEASURES[game]))
            yield Fault(f"{at}.measure", CONFLICT, f"A {game} has no {measure}: write {fitting}.")
        if needs is not None and game in GAMES and GAMES[game] not in needs:
            sentence = f"The draw does not need {GAMES[game]}: add it to source.needs or take the row out."
            yield Fault(f"{at}.game", CONFLICT, sentence)
        if "min" not in row and "max" not in row:
            yield Fault(at, CONFLICT, "Give the row a min or a max.")
        elif measure in ("idle_seconds", "minutes_since_touch") and "min" in row:
            yield Fault(f"{at}.min", CONFLICT, f"{measure} takes a max alone: a guest must play, not have stopped.")
        elif low is not None and high is not None and low > high:
            yield Fault(f"{at}.min", CONFLICT, f"min {low} is over max {high}, so nobody qualifies: exchange them.")
        for tier in texts(row, "tiers"):
            if tier not in targeted:
                yield Fault(f"{at}.tiers", CONFLICT, f"No row of who.rows has the tier {shown(tier)}: correct it.")
    for (_, one), (at, other) in combinations(rows, 2):
        yield from _said_twice(at, one, other)


def _said_twice(at: str, one: Table, other: Table) -> Iterator[Fault]:
    game, measure = get(other, "game", str), get(other, "measure", str)
    if game is None or measure is None or (one.get("game"), one.get("measure")) != (game, measure):
        return
    tiers, others = set(texts(one, "tiers")), set(texts(other, "tiers"))
    if not tiers or not others or tiers & others:
        sentence = "A row above says this measure for the same tier: give each tier one row, or put min and max in one."
        yield Fault(at, CONFLICT, sentence)


def _limits(toml: Table, place: str, draw: Table) -> Iterator[Fault]:
    groups = [get(group, "id", str) or "" for _, group in tables(toml, "award_group", "award_group")]
    seen: Counter[str] = Counter()
    for at, limit in tables(draw, "limits", f"{place}.limits"):
        scope = get(limit, "scope", str)
        if scope is None:
            continue
        if scope not in (*SCOPES, *groups):
            known = names(map(shown, (*SCOPES, *filter(None, groups))))
            yield Fault(f"{at}.scope", CONFLICT, f"Write {known} instead of {shown(scope)}.")
        if seen[scope]:
            yield Fault(at, CONFLICT, f"{shown(scope)} has a limit already: keep one.")
        seen[scope] += 1


def _entropy(place: str, draw: Table) -> Iterator[Fault]:
    seen: Counter[str] = Counter()
    for at, source in tables(draw, "entropy", f"{place}.entropy"):
        name = get(source, "source", str) or ""
        if name and seen[name]:
            yield Fault(f"{at}.source", CONFLICT, f"{shown(name)} stands twice: each source gives one text.")
        seen[name] += 1


def _prize(place: str, prize: Table) -> Iterator[Fault]:
    low, high = get(prize, "min", int), get(prize, "max", int)
    if low is not None and high is not None and low > high:
        yield Fault(f"{place}.prize.min", CONFLICT, f"min {low} is over max {high} (cents): exchange them.")


def _answers(toml: Table, place: str, draw: Table) -> Iterator[Fault]:
    answer = inner(draw, "on").get("no_show_registered")
    if answer == "reselect" and "register" in toml:
        sentence = "Then the register would change nothing: write hold, or take [register] out."
        yield Fault(f"{place}.on.no_show_registered", CONFLICT, sentence)
    if answer != "hold":
        return
    for key, why in (("register", "when guests can register"), ("held", "how long and where the prize waits")):
        if key not in toml:
            sentence = f'"hold" needs [{key}], which says {why}: add it.'
            yield Fault(f"{place}.on.no_show_registered", CONFLICT, sentence)
