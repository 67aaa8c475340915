"""One draw of the log, and the list of draws: what is fixed of it, its awards with every try, what happened besides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Row

from draw_engine.canonical import parse_time
from draw_engine.draw_state import DrawState
from draw_engine.log import Entry
from draw_engine.store.tables import millis
from kiosk.draw_log.rows import LogRow, contacts_of, counts_of, reading, rows_of_draw
from kiosk.draw_log.steps import events
from kiosk.draw_log.verify import Verified, folded
from kiosk.draw_log.view import DrawFacts, Glance, People, row_words, word
from web_display import screens
from web_display.catalogue import say

_AWAY = ("waiting", "lapsed", "given_up")


def draw_lines(seen: Glance, shown: Sequence[DrawFacts]) -> list[dict[str, Any]]:
    """A line for each of some draws: its state, its counts, its place in the log, its copies."""
    with reading(seen.store) as connection:
        counts = counts_of(connection, [facts.id for facts in shown])
    return [_line(facts, *counts.get(facts.id, (0, 0))) for facts in shown]


def _line(facts: DrawFacts, selections: int, filled: int) -> dict[str, Any]:
    return {
        "id": facts.id,
        "href": facts.href,
        "title": facts.title_day,
        "state": state_text(facts),
        "open": facts.closed_at is None,
        "counts": say("draws.filled", filled=filled, of=len(facts.places), n=selections),
        "log": _span(facts),
    }


def state_text(facts: DrawFacts) -> str:
    """Open since when, or closed when."""
    if facts.closed_at is None:
        return say("draws.open", time=facts.time(facts.opened_at))
    return say("draws.closed", time=facts.time(facts.closed_at))


def _span(facts: DrawFacts) -> str:
    if facts.closed_seq is None:
        return say("draws.entries_open", first=facts.opened_seq)
    return say("draws.entries", first=facts.opened_seq, last=facts.closed_seq)


def draw_page(seen: Glance, people: People, draw_id: str, verified: Verified | None) -> dict[str, Any]:
    """All that the page of a draw shows. Raises Refused X_NO_SUCH_DRAW."""
    facts = seen.draw(draw_id)
    entries = seen.store.entries_of(draw_id)
    state = folded(entries)
    with reading(seen.store) as connection:
        rows = rows_of_draw(connection, draw_id)
        contacts = contacts_of(connection, draw_id)
    filled = sum(1 for place in state.places.values() if place.state == "filled")
    return {
        "draw": facts,
        "line": _line(facts, len(rows), filled),
        "rows": [row_words(seen, people, row) for row in sheet(rows)],
        "tried": _tried(facts, people, contacts),
        "left": list(_left(facts, state)),
        "events": events(facts, people, entries),
        "facts": _facts(seen, facts, state, entries[0]),
        "verified": verified,
    }


def sheet(rows: Sequence[LogRow]) -> list[LogRow]:
    """The rows by award, in it by try: as the sheet of SS-115 reads."""
    return sorted(rows, key=lambda row: (row.place, row.attempt))


def _tried(facts: DrawFacts, people: People, contacts: Sequence[Row[Any]]) -> dict[int, list[str]]:
    """By ordinal how each held prize's guest was looked for: the contact log of SS-115."""
    told: dict[int, list[str]] = defaultdict(list)
    for one in contacts:
        there = screens.local(millis(one.attempted_at), facts.zone)
        channel, outcome = word(f"desk.channel.{one.channel}", one.channel), word(f"desk.outcome.{one.outcome}")
        time = f"{there.day} {there:%B %H:%M}"
        said = say("draws.contact", time=time, channel=channel, outcome=outcome, who=people.named(one.by))
        told[one.ordinal].append(said)
    return dict(told)


def _left(facts: DrawFacts, state: DrawState) -> Iterator[str]:
    """The awards that are not filled and for which nothing runs. Of a moment to come is said that it is to come."""
    for away in _AWAY:
        numbers = [str(number) for number in facts.places if state.places[number].state == away]
        if numbers:
            yield say(f"draws.left_state.{away}", list=", ".join(numbers), n=len(numbers))


def _facts(seen: Glance, facts: DrawFacts, state: DrawState, opened: Entry) -> list[tuple[str, str]]:
    terms = opened.data
    start, end = (screens.time_text(parse_time(terms["moments"][name]), facts.zone) for name in ("start", "end"))
    closed = facts.closed_at is not None
    made = seen.store.checkpoints(facts.opened_seq, facts.closed_seq if facts.closed_seq is not None else 1 << 60)
    return [
        ("draw", facts.id),
        ("hours", say("draws.hours", start=start, end=end)),
        ("of_log", _span(facts)),
        ("checkpoints", say("draws.checkpoints", n=len(made))),
        ("rules", say("draws.rules", version=terms["rules_version"], sha=terms["rules_sha256"])),
        ("commitment", str(terms["commitment"])),
        ("house_seed", seen.engine.draws[state.id].seed.hex() if closed else say("draws.sealed")),
    ]
