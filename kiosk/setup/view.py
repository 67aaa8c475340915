"""The rule books' page in words: which books there are, what one says beside what is locked, and when it runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from config.faults import Fault
from config.rule_book_faults import RuleBookFaults, check
from config.rule_book_summary import summary
from config.toml_text import TomlText
from config.words import WEEKDAYS, day_words, wall
from draw_engine import calendar
from draw_engine.locked_books import KeptBook, in_force, state_of
from draw_engine.rule_book import RuleBook
from draw_engine.rule_book_toml import read
from draw_engine.service.engine import Book, Engine
from web_display.catalogue import say

_LINE = re.compile(r" \(line \d+\)$")
_SHOWN = 160
Namer = Callable[[str], str]
"""Actor (`manager:nomvula`) -> the name the house calls them by."""


@dataclass(frozen=True, slots=True)
class SetUp:
    """What the engine is asked for: the kept books, those given at the start and not kept, and what the house says."""

    now: int
    zone: str
    today: date
    kept: tuple[KeptBook, ...]
    given: tuple[Book, ...]
    must_be_locked: bool

    def locked_of(self, promotion: str) -> KeptBook | None:
        """The version of a promotion that is in force."""
        return in_force(self.kept).get(promotion)


def taken(engine: Engine) -> SetUp:
    """The set-up as it is now; all else is worked out beside the engine's thread."""
    kept = {book.sha256 for book in engine.kept_books}
    return SetUp(
        now=engine.now(),
        zone=engine.zone,
        today=engine.gaming_day(engine.now()),
        kept=tuple(engine.kept_books),
        given=tuple(book for book in engine.books.values() if book.rules.sha256 not in kept),
        must_be_locked=engine.settings.locked_rules,
    )


def books_of(setup: SetUp, named: Namer) -> list[dict[str, Any]]:
    """The books as rows: what is in force first, then what may come to be, then what has been."""
    order = ("in_force", "rehearsed", "loaded", "given", "replaced", "retired")
    rows = [_kept_row(setup, book, named) for book in reversed(setup.kept)] + [
        _row(book.rules, "given", say("setup.since.given" if setup.must_be_locked else "setup.since.given_opens"))
        for book in setup.given
    ]
    return sorted(rows, key=lambda row: order.index(row["state"]))


def _row(book: RuleBook | KeptBook, state: str, since: str) -> dict[str, Any]:
    return {
        "sha256": book.sha256,
        "promotion": book.id if isinstance(book, RuleBook) else book.promotion,
        "title": book.title,
        "version": book.version,
        "state": state,
        "state_text": say(f"setup.state.{state}"),
        "since_text": since,
    }


def _kept_row(setup: SetUp, book: KeptBook, named: Namer) -> dict[str, Any]:
    said = [say("setup.since.loaded", time=time_words(setup.zone, book.loaded_at), who=named(book.loaded_by))]
    if book.locked_at is not None:
        first, second = (named(actor) for actor in book.locked_by)
        who = say("setup.and", first=first, second=second)
        said = [say("setup.since.locked", time=time_words(setup.zone, book.locked_at), who=who)]
    if book.retired_at is not None:
        said.append(say("setup.since.retired", time=time_words(setup.zone, book.retired_at)))
    return _row(book, state_of(book, setup.kept), " ".join(said))


def headline(setup: SetUp) -> str:
    """Which book opens the draws, in a sentence."""
    ruling = sorted(in_force(setup.kept).values(), key=lambda book: book.title)
    if not ruling:
        return say("setup.none_in_force" if setup.must_be_locked else "setup.none_must")
    if len(ruling) == 1:
        return say("setup.in_force", title=ruling[0].title, version=ruling[0].version)
    return say("setup.in_force_n", n=len(ruling))


def time_words(zone: str, at: int) -> str:
    """`7 October 2023, 14:05`."""
    shown = calendar.local(zone, at)
    return f"{day_words(shown.date())}, {shown:%H:%M}"


# -- one book -------------------------------------------------------------------------------------------------------


def book_of(setup: SetUp, digest: str) -> bytes | None:
    """The bytes of a book that is kept or was given; None where there is none such."""
    kept = next((book.toml for book in setup.kept if book.sha256 == digest), None)
    return kept or next((book.toml for book in setup.given if book.rules.sha256 == digest), None)


def words_of(toml: bytes, locked: KeptBook | None) -> dict[str, Any]:
    """What the book says, line by line, beside the locked version: {against, lines: [{text, head, mark, was}]}."""
    new = _lines(toml)
    old = None if locked is None else _lines(locked.toml)
    rows = compared(new, old)
    return {
        "against": "" if locked is None else locked.version,
        "differ": sum(1 for row in rows if row["mark"]),
        "lines": rows,
    }


def _lines(toml: bytes) -> list[str]:
    """The summary without its title, id and SHA-256, which always differ."""
    said = list(summary(read(toml), TomlText(toml)))
    return [line for line in said[2:] if line]


def compared(new: Sequence[str], old: Sequence[str] | None) -> list[dict[str, Any]]:
    """Each line with its mark: "" the same, `changed` (with what it was), `new`, `gone`. Line numbers do not count."""
    if old is None:
        return [_said(line) for line in new]
    bare_new, bare_old = ([_LINE.sub("", line) for line in lines] for lines in (new, old))
    rows: list[dict[str, Any]] = []
    for what, a, b, c, d in SequenceMatcher(None, bare_old, bare_new, autojunk=False).get_opcodes():
        if what == "equal":
            rows += [_said(line) for line in new[c:d]]
            continue
        for was, now in zip_longest(bare_old[a:b], new[c:d]):
            if now is None:
                rows.append(_said(was, "gone"))
            else:
                rows.append(_said(now, "new" if was is None else "changed", was or ""))
    return rows


def _said(line: str, mark: str = "", was: str = "") -> dict[str, Any]:
    return {"text": line.strip(), "head": not line.startswith("  "), "mark": mark, "was": was.strip()}


def calendar_of(rules: RuleBook, now: int) -> dict[str, Any]:
    """Which sessions when: {sessions, months: [{name, days: [{day, text, past, next}]}], register, count}."""
    today = calendar.gaming_day(rules, now)
    days = calendar.promotion_days(rules)
    coming = next((day for day in days if day >= today), None)
    months: dict[str, list[dict[str, Any]]] = {}
    for day in days:
        month = day_words(day).partition(" ")[2]
        text = f"{WEEKDAYS[day.weekday()][:3]} {day.day}"
        told = {"day": day.isoformat(), "text": text, "past": day < today, "next": day == coming}
        months.setdefault(month, []).append(told)
    return {
        "count": len(days),
        "sessions": [_session(rules, plan.id, days[0]) for plan in rules.draws],
        "months": [{"name": name, "days": told} for name, told in months.items()],
        "register": [f"{wall(opens)}\u2013{wall(closes)}" for opens, closes in rules.register.windows]
        if rules.register
        else [],
    }


def _session(rules: RuleBook, plan_id: str, day: date) -> dict[str, Any]:
    plan = rules.draw(plan_id)
    opens = calendar.local(rules.zone, calendar.opens_at(rules, plan, day))
    return {
        "title": plan.title,
        "opens": f"{opens:%H:%M}",
        "from": wall(plan.starts),
        "to": wall(plan.ends),
        "awards": plan.awards,
    }


# -- what was uploaded ----------------------------------------------------------------------------------------------


def checked(data: bytes) -> tuple[Book | None, list[dict[str, Any]]]:
    """The book, or every fault with the line it stands on and what stands there."""
    try:
        return Book(check(data), data), []
    except RuleBookFaults as found:
        lines = data.decode("utf-8", "replace").splitlines()
        return None, [_fault(fault, lines) for fault in found.faults]


def _fault(fault: Fault, lines: Sequence[str]) -> dict[str, Any]:
    number = fault.line or 0
    there = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    shown = "".join(letter if letter.isprintable() else " " for letter in there[:_SHOWN])
    return {"line": number, "place": fault.place, "code": fault.code, "sentence": fault.sentence, "text": shown}


def namer(names: Mapping[str, str]) -> Namer:
    """Actors by name; one that nobody knows keeps its id."""
    return lambda actor: names.get(actor.partition(":")[2], actor.partition(":")[2] or actor)


def days_of(rules: RuleBook) -> Iterator[str]:
    """The days a book can be rehearsed on."""
    return (day.isoformat() for day in calendar.promotion_days(rules))
