"""A rehearsal's figures in words: each draw's facts, who won, and how busy the crew was minute by minute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from config.words import long_day_words, money
from draw_engine import calendar
from draw_engine.rule_book import RuleBook
from kiosk.rehearsal.floors import OfferedFloor
from web_display.catalogue import LANGUAGES, say

_MINUTE = 60_000


def figures_of(rules: RuleBook, figures: Mapping[str, Any]) -> dict[str, Any]:
    """{says, draws: [{title, facts, load, …}], winners: [{title, rows}], notes} of what `rehearsal.figures` found."""
    kind, _, name = figures["floor"].partition(":")
    recorded = date.fromisoformat(name[:10]) if kind == "day" else None
    floor = floor_words(OfferedFloor(figures["floor"], recorded))
    day = long_day_words(date.fromisoformat(figures["day"]))
    return {
        "says": say("setup.rehearsed_on", day=day, floor=floor, n=f"{figures['events']:,}"),
        "draws": [_draw(rules, draw, figures["crews"]) for draw in figures["draws"].values()],
        "winners": [
            {"title": say(f"setup.winners.{of}"), "rows": [[_kind(name), n] for name, n in figures["winners"][of]]}
            for of in ("tier", "zone", "kind")
        ],
        "notes": [
            _counted("setup.queue", figures["longest_crew_queue"]),
            _counted("setup.repeat", figures["repeat_wins"]),
        ],
    }


def floor_words(floor: OfferedFloor, today: date | None = None) -> str:
    """What a floor is called. `today`: a recording of this day is not over."""
    if floor.kind == "day":
        assert floor.day is not None
        size = ""
        if floor.bytes:
            large = floor.bytes >= 1_000_000
            amount = floor.bytes // (1_000_000 if large else 1_000)
            size = say("setup.mb" if large else "setup.kb", n=max(1, amount))
        key = "setup.floor.today" if floor.day == today else "setup.floor.day"
        words = say(key, day=long_day_words(floor.day), size=size)
        return words.replace(" ()", "")
    if floor.kind == "folder":
        return say("setup.floor.folder", name=floor.name)
    made = f"setup.floor.made.{floor.name}"
    return say(made) if made in LANGUAGES["en"] else floor.name


def _draw(rules: RuleBook, draw: Mapping[str, Any], crews: int) -> dict[str, Any]:
    return {
        "title": draw["title"],
        "facts": [
            {"label": say(f"setup.fact.{key}"), "text": text, "bad": bad} for key, text, bad in _facts(rules, draw)
        ],
        "load": draw["load"],
        "crews": crews,
        "from_text": f"{calendar.local(rules.zone, draw['start']):%H:%M}",
        "minutes": [
            f"{calendar.local(rules.zone, draw['start'] + n * _MINUTE):%H:%M}" for n in range(len(draw["load"]))
        ],
    }


def _facts(rules: RuleBook, draw: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """(word of the catalogue, what came of it, whether to look there)."""
    filled, awards = draw["filled"], draw["awards"]
    yield "filled", say("setup.fact.of", n=filled, of=awards), filled < awards
    yield "attempts", str(draw["attempts"]), False
    yield "no_shows", str(draw["no_shows"]), False
    least_at = draw["pool"]["least_at"]
    if least_at is None:
        yield "pool", say("setup.fact.pool_none"), True
    else:
        at = f"{calendar.local(rules.zone, least_at):%H:%M}"
        yield "pool", say("setup.fact.pool_at", n=draw["pool"]["least"], time=at), False
    yield "empty", str(draw["empty_moments"]), draw["empty_moments"] > 0
    for key in ("postponed", "lapsed"):
        if draw[key]:
            yield key, "; ".join(_why(reason, n) for reason, n in draw[key]), True
    paid, least, most = (
        money(draw["prizes"][key], rules.currency) for key in ("paid", "planned_least", "planned_most")
    )
    over = draw["prizes"]["paid"] > draw["prizes"]["planned_most"]
    yield "prizes", say("setup.fact.prizes_of", paid=paid, least=least, most=most), over
    yield "load", str(max(draw["load"], default=0)), False
    yield "over", say("setup.fact.over_of", n=draw["over"], of=len(draw["load"])), draw["over"] > 0
    yield "record", draw["verdict"], not draw["verified"]


def _why(reason: str, count: int) -> str:
    key = f"setup.why.{reason}"
    return say("setup.why_n", n=count, why=say(key) if key in LANGUAGES["en"] else reason)


def _kind(name: str) -> str:
    key = f"setup.kind.{name}"
    return say(key) if key in LANGUAGES["en"] else name


def _counted(key: str, count: int) -> str:
    return say(key, n=count) if count else say(f"{key}_none")


def floors_of(floors: Sequence[OfferedFloor], today: date) -> list[dict[str, str]]:
    """The floors to choose from: [{id, text}]; the day that is not over comes last."""
    ordered = sorted(floors, key=lambda floor: floor.day == today)
    return [{"id": floor.id, "text": floor_words(floor, today)} for floor in ordered]
