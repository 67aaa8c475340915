"""The folder `judging/` read: rules, site, references and other draws (draw record 1, "Recomputing the pools").

A member number is read here and never said again: sentences name a file, a line, a reference or a position.
"""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from draw_engine import calendar, rule_book_toml
from draw_engine.canonical import format_time
from draw_engine.references import reference
from draw_engine.rule_book import DrawPlan, RuleBook
from draw_engine.verify.record import Record

_SECRET = re.compile(r"[0-9a-f]{64}")


class PackBroken(Exception):  # noqa: N818 - it names the fact
    """A file without which nothing can be judged is missing or cannot be read; the message names it."""


def read(folder: Path, name: str) -> bytes:
    """The bytes of a file of `judging/`. Raises PackBroken."""
    try:
        return (folder / name).read_bytes()
    except OSError:
        raise PackBroken(f"judging/{name} is missing or cannot be read") from None


def csv_lines(name: str, data: bytes, columns: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    """(line, cells) of a CSV with exactly these columns. Raises PackBroken naming the first line that is wrong."""
    try:
        text = data.decode()
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise PackBroken(f"judging/{name}, line {line}: it is not UTF-8") from None
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        if next(rows, []) != list(columns):
            raise PackBroken(f"judging/{name}, line 1: the columns are not {','.join(columns)}")
        for cells in rows:
            if len(cells) != len(columns):
                raise PackBroken(f"judging/{name}, line {rows.line_num}: it has not {len(columns)} cells")
            yield rows.line_num, cells
    except csv.Error:
        raise PackBroken(f"judging/{name}, line {rows.line_num}: it is not CSV") from None


# -- rules ------------------------------------------------------------------------------------------------------


class Rules(NamedTuple):
    """The rule book, and which of its draws on which gaming day the record is of."""

    book: RuleBook
    plan: DrawPlan
    day: date


def read_rules(folder: Path, record: Record) -> Rules:
    """The rules the draw was opened under. Raises PackBroken, also where their digest is not `terms.rules_sha256`."""
    data = read(folder, "rules.toml")
    digest, stated = sha256(data).hexdigest(), record.terms["rules_sha256"]
    if digest != stated:
        raise PackBroken(f"judging/rules.toml has the SHA-256 {digest}; the terms say {stated}")
    try:
        book = rule_book_toml.read(data)
        ZoneInfo(book.zone)
    except (AttributeError, KeyError, TypeError, ValueError) as fault:
        zone = " (or this machine knows no time zones: install tzdata)" if "Zone" in type(fault).__name__ else ""
        raise PackBroken(f"judging/rules.toml is no rule book: {type(fault).__name__}{zone}") from None
    for plan in book.draws:
        day = _day_of(record.draw, f"{book.property}/{book.id}/", f"/{plan.id}")
        if day is not None:
            return Rules(book, plan, day)
    raise PackBroken(f"judging/rules.toml has no draw {record.draw}")


def _day_of(draw: str, before: str, after: str) -> date | None:
    middle = draw.removeprefix(before).removesuffix(after)
    if before + middle + after != draw:
        return None
    try:
        return date.fromisoformat(middle)
    except ValueError:
        return None


def faults_of_terms(record: Record, rules: Rules) -> Iterator[str]:
    """The terms are what the rule book says of this draw; a session that opened late starts later."""
    terms, plan = record.terms, rules.plan
    start, end = calendar.session_bounds(rules.book, plan, rules.day)
    says: dict[str, Any] = {
        "kind": plan.kind,
        "title": plan.title,
        "rules_version": rules.book.version,
        "claim_window_ms": plan.claim.seconds * 1000,
        "lateness_ms": plan.lateness_ms,
        "retry_ms": plan.retry_ms,
        "entropy": [{"source": e.source, "pattern": e.pattern, "after": e.after} for e in plan.entropy],
    }
    for name, said in says.items():
        if terms[name] != said:
            yield f"terms.{name} is not what rules.toml says"
    if terms["moments"]["end"] != format_time(end):
        yield f"terms.moments ends at {terms['moments']['end']}; by rules.toml it is {format_time(end)}"
    if terms["moments"]["start"] < format_time(start):
        yield f"terms.moments starts at {terms['moments']['start']}; by rules.toml not before {format_time(start)}"
    own = {*calendar.award_numbers(rules.book, plan), *(carried["place"] for carried in terms["carried"])}
    strange = [str(place) for place in terms["places"] if place not in own]
    if strange:
        yield f"awards {', '.join(strange)} are neither this session's by rules.toml nor carried"


# -- site -------------------------------------------------------------------------------------------------------


class Site(NamedTuple):
    """What the judging needs of the site: how old a feed may be, and what each feed brings."""

    stale_after_ms: int
    feeds: Mapping[str, tuple[str, ...]]

    def needed(self, plan: DrawPlan) -> list[str]:
        """The feeds that bring what the draw needs."""
        return [feed for feed, brings in self.feeds.items() if set(brings) & set(plan.needs)]


def read_site(folder: Path) -> Site:
    """The site's settings of the time of judging. Raises PackBroken."""
    data = read(folder, "site.toml")
    try:
        toml = tomllib.loads(data.decode())
        seconds = toml.get("stale_after_seconds", 30)
        feeds = {str(feed["id"]): tuple(map(str, feed["brings"])) for feed in toml.get("feed", [])}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise PackBroken("judging/site.toml is no site's settings: stale_after_seconds, [[feed]] id, brings") from None
    if type(seconds) is not int or not 0 < seconds <= 86_400:
        raise PackBroken("judging/site.toml: stale_after_seconds is not a whole number of seconds")
    return Site(seconds * 1000, feeds)


# -- references -------------------------------------------------------------------------------------------------


class Reference(NamedTuple):
    """A person's reference in this draw, and the line of `references.csv` it was recomputed from."""

    ref: bytes
    line: int


@dataclass(frozen=True, slots=True)
class References:
    """Every person's reference, recomputed from their `s`: by first member number, and the other way round."""

    by_person: Mapping[str, Reference]
    person_of: Mapping[bytes, str]


def read_references(folder: Path) -> References:
    """Recompute every reference of `references.csv`. Raises PackBroken at the first line that cannot be right."""
    name = "references.csv"
    by_person: dict[str, Reference] = {}
    person_of: dict[bytes, str] = {}
    for line, (member, secret) in csv_lines(name, read(folder, name), ("member", "s")):
        where = f"judging/{name}, line {line}"
        if not member or not _SECRET.fullmatch(secret):
            raise PackBroken(f"{where}: it is not a member and an s of 64 hex digits")
        ref = reference(bytes.fromhex(secret), member)
        if member in by_person or ref in person_of:
            raise PackBroken(f"{where}: its member or its reference stands in an earlier line")
        by_person[member], person_of[ref] = Reference(ref, line), member
    return References(by_person, person_of)
