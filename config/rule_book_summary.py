"""A sound rule book in words, for the manager who has to lock it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import pairwise

from config.faults import names, shown
from config.rule_book_facts import Window, window
from config.toml_text import TomlText
from config.words import counted, days_words, long_day_words, money, span_words, wall
from draw_engine.calendar import award_numbers, local, opens_at, promotion_days, session_bounds
from draw_engine.cash import planned
from draw_engine.envelopes import programme_gap
from draw_engine.rule_book import AwardGroup, Criterion, DrawPlan, RuleBook

_EXCLUSIONS = {
    "refusal_of_entry": "persons refused entry",
    "self_excluded": "self-excluded persons",
    "excluded_category": "other excluded categories",
    "staff_or_related": "staff and persons related to them",
}
_PER = {"day": "a day", "session": "a session", "promotion": "in the whole promotion"}
_AFTER_END = {
    "last_pool": "from the last pool frozen before the end",
    "carry": "none; the award is carried to the next session that has not opened, or stays unfilled",
}
_ANSWERS = {
    "reselect": "another guest is selected",
    "hold": "the prize is held",
    "announce": "the guest is announced",
    "keep": "the award is spent",
}
_FAILURES = {
    "no_show": "not there in time",
    "no_show_registered": "not there in time, but in the decline register",
    "not_rightful_card": "somebody else on the selected card",
    "ineligible": "may not win after all",
    "refused": "will not take or sign for the prize",
}
_NEEDED = {"slots": "slot", "tables": "table"}


def summary(book: RuleBook, toml: TomlText) -> Iterator[str]:
    """The lines that `floordraw rules check` prints of a sound book."""
    days = promotion_days(book)
    yield f"{book.title}, version {book.version}"
    yield f"  id {book.property}/{book.id}, SHA-256 {book.sha256}"
    yield ""
    yield f"Days: {len(days)}, from {long_day_words(days[0])} to {long_day_words(days[-1])}"
    yield from (f"  {line}" for line in days_words(days))
    yield f"  All times are {book.zone}; the gaming day begins at {wall(book.day_starts_at)}."
    yield from _who(book)
    for plan in book.draws:
        yield from _session(book, plan, days[0])
    yield from _awards(book, days)
    yield from _stated(book, days)
    yield from _aside(book)
    yield from _open_points(toml)
    yield from _notices(book, days)


def _who(book: RuleBook) -> Iterator[str]:
    yield "Who may win:"
    for row in book.audiences:
        on = f" on {names([day.isoformat() for day in row.dates], 'and')}" if row.dates else ""
        yield f"  {names(row.tiers, 'and')} cardholders playing in {names(row.zones)}{on}"
    yield f"  {book.min_age} years or older"
    if book.exclude:
        yield f"  never: {names([_EXCLUSIONS[kind] for kind in book.exclude], 'and')}"


def _session(book: RuleBook, plan: DrawPlan, day: date) -> Iterator[str]:
    start, end = session_bounds(book, plan, day)
    numbers = award_numbers(book, plan)
    opens = local(book.zone, opens_at(book, plan, day))
    yield f"Session {plan.id}: {plan.title}"
    yield (
        f"  {wall(plan.starts)} to {wall(plan.ends)} (the end not included); opens at {opens:%H:%M}; "
        f"{counted(plan.awards, 'award')}, numbers {numbers[0]} to {numbers[-1]}"
    )
    part = f"{(end - start) / 1000 / plan.awards:.1f} seconds"
    yield f"  one selection in each of {plan.awards} equal parts of {part}, at a moment nobody chooses"
    for need in plan.needs:
        yield f"  {_criteria(plan, _NEEDED[need])}"
    prize = plan.prize
    yield f"  prize: a sealed envelope, {money(prize.min, book.currency)} to {money(prize.max, book.currency)}"
    claim = plan.claim
    yield f"  the crew walks up first; not found: {span_words(claim.seconds)} from the announcement, at {claim.place}"
    for failure, answer in plan.on:
        yield f"  {_FAILURES[failure]}: {_ANSWERS[answer]}"
    yield f"  a re-selection after the end: {_AFTER_END[plan.after_end]}"
    limits = names([f"{limit.max} per {limit.scope}" for limit in plan.limits], "and") if plan.limits else "no limit"
    yield f"  wins of one person: {limits}"
    given = names([source.source for source in plan.entropy], "and") if plan.entropy else "none"
    yield f"  entropy from outside: {given}"


def _criteria(plan: DrawPlan, game: str) -> str:
    rows = [row for row in plan.criteria if row.game == game]
    where = {"slot": "at a slot", "table": "at a table"}[game]
    if not rows:
        return f"{where}: {'an open rating' if game == 'table' else 'a card in and a game played'}"
    return f"{where}: {'; '.join(_criterion(row) for row in rows)}"


def _criterion(row: Criterion) -> str:
    tiers = f" ({names(row.tiers, 'and')})" if row.tiers else ""
    if row.measure in ("idle_seconds", "minutes_since_touch"):
        what = "the last game" if row.measure == "idle_seconds" else "the rating's last entry"
        seconds = (row.max or 0) * (1 if row.measure == "idle_seconds" else 60)
        return f"{what} at most {span_words(seconds)} before{tiers}"
    unit = {"games": "games", "minutes": "minutes there", "coin_in": "cents staked", "average_bet": "cents a bet"}
    low = f"at least {row.min:,}" if row.min is not None else ""
    high = f"at most {row.max:,}" if row.max is not None else ""
    return f"{' and '.join(filter(None, (low, high)))} {unit[row.measure]}{tiers}"


def _awards(book: RuleBook, days: list[date]) -> Iterator[str]:
    for group in book.award_groups:
        plans = [plan for plan in book.draws if plan.group == group.id]
        yield f"Awards {group.id}: {group.quota} {_PER[group.per]}"
        yield f"  unfilled ones are {'carried to the next session of the day' if group.carry else 'not carried'}"
        most = sum(plan.awards for plan in plans) * len(days)
        most = min(most, group.quota) if group.per == "promotion" else most
        low, high = min(plan.prize.min for plan in plans), max(plan.prize.max for plan in plans)
        yield (
            f"  at most {counted(most, 'award')} in all, {money(most * low, book.currency)} "
            f"to {money(most * high, book.currency)}"
        )


def _stated(book: RuleBook, days: list[date]) -> Iterator[str]:
    """What the printed rules state in all, and what the book's own envelopes come to of it (rule 32)."""
    if book.stated_total is None:
        return
    least, most = planned(book, len(days))
    yield f"Stated in all: over {money(book.stated_total, book.currency)}"
    yield (
        f"  the envelopes of all its days come to {money(least, book.currency)} at least "
        f"and {money(most, book.currency)} at most"
    )


def _stated_notice(book: RuleBook, days: list[date]) -> Iterator[str]:
    """A warning alone: the book is as sound as before, and what is given in other draws is not said in it."""
    if book.stated_total is None:
        return
    _, most = planned(book, len(days))
    gap = programme_gap(most, book.stated_total)
    if gap is not None:
        most_text, stated, more = (money(cents, book.currency) for cents in (most, book.stated_total, gap))
        yield f"Notice: even the most, {most_text}, is not over {stated}: other draws must give more than {more}."


def _aside(book: RuleBook) -> Iterator[str]:
    register, held = book.register, book.held
    if register:
        windows = names([f"{wall(opens)} to {wall(closes)}" for opens, closes in register.windows], "and")
        contact = "with a way to be reached" if register.contact_required else "a way to be reached may be missing"
        yield f"Decline register: {windows}, in person, {contact}"
    if held:
        rolls = "moved on when the desk is closed" if held.roll_if_closed else "not moved when the desk is closed"
        yield f"Held prizes: {counted(held.days, 'day')} at the {held.desk}, the day of the draw not counted; {rolls}"
        yield f"  an alarm when the winner was contacted fewer than {held.min_contact_attempts} times"
    yield 'Winners are shown by first name, initial and last four digits: "Thandi M. 1001"'


def _open_points(toml: TomlText) -> Iterator[str]:
    if toml.marks:
        yield "What the printed rules leave open is settled by:"
    for mark in sorted(toml.marks, key=lambda mark: (mark.ambiguity, mark.line)):
        value = toml.value_at(mark.place)
        said = "" if isinstance(value, dict | list) else f" = {shown(value)}"
        yield f"  {mark.ambiguity}: {mark.place}{said} (line {mark.line})"


def _notices(book: RuleBook, days: list[date]) -> Iterator[str]:
    yield from _stated_notice(book, days)
    for group in book.award_groups:
        yield from _group_notices(book, group, len(days))
    for plan in book.draws:
        idle = any(row.game == "slot" and row.measure == "idle_seconds" for row in plan.criteria)
        if "slots" in plan.needs and not idle:
            yield f"Notice: {plan.id} has no max idle_seconds: a card left in a machine counts as playing all day."
        yield from _clock_notices(book, plan, days)


def _group_notices(book: RuleBook, group: AwardGroup, days: int) -> Iterator[str]:
    plans = [plan for plan in book.draws if plan.group == group.id]
    planned = sum(plan.awards for plan in plans)
    if group.per == "day" and planned < group.quota:
        yield f"Notice: {group.id} has {group.quota} awards a day, and its draws plan only {planned}."
    if group.per == "promotion" and planned * days > group.quota:
        use = f"{planned} a day for {days} days, {group.quota} in all"
        yield f"Notice: {group.id} may be used up before the last day: {use}."
    if not group.carry:
        return
    windows = sorted((_window(book, plan) for plan in plans), key=lambda some: some.first)
    opens = {plan.id: plan.opens_before_minutes for plan in plans}
    for before, after in pairwise(windows):
        if after.first - opens[after.name] < before.last:
            yield f"Notice: {after.name} opens before {before.name} ends: what that leaves at its end is not carried."
    if group.per == "session":
        full = [plan.id for plan in plans if plan.awards == group.quota]
        if full and len(plans) > 1:
            which = names(full, "and")
            yield f"Notice: {which}: their own awards make up the session's quota, and none can be carried in."


def _window(book: RuleBook, plan: DrawPlan) -> Window:
    return window(book.day_starts_at, "", plan.id, (plan.starts, plan.ends))


def _clock_notices(book: RuleBook, plan: DrawPlan, days: list[date]) -> Iterator[str]:
    some = _window(book, plan)
    for day in days:
        start, end = session_bounds(book, plan, day)
        if end - start != (some.last - some.first) * 60_000:
            length = span_words((end - start) // 1000)
            yield f"Notice: the clocks change during {plan.id} of {long_day_words(day)}: it lasts {length}."
        for at, moment in ((start, plan.starts), (end, plan.ends)):
            shown_at = local(book.zone, at)
            if _second(book, at) != at:
                yield f"Notice: {wall(moment)} comes twice on {long_day_words(shown_at.date())}: the first is meant."


def _second(book: RuleBook, at: int) -> int:
    """The instant at which the clocks show the same again (`at` itself on every day but one)."""
    again = local(book.zone, at).replace(fold=1)
    return round(again.timestamp() * 1000)
