"""The crew on the console: who has which claims since when, who has none, and what nobody has taken."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from casino import Casino, seat_everybody
from small_book import Session, book_toml

from draw_engine.service import claims
from kiosk.console.crew import crew_lines

NAMES = {"kabelo": "Kabelo Dube", "zanele": "Zanele Ngcobo"}
JOHANNESBURG = ZoneInfo("Africa/Johannesburg")


def said(casino: Casino, *on_floor: str) -> list[tuple[str, str]]:
    lines = crew_lines(casino.draw(), NAMES, on_floor, casino.clock.now())
    return [(line.state, line.sentence) for line in lines]


def clock(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, JOHANNESBURG).strftime("%H:%M")


def test_who_has_what_and_what_waits(casinos: Callable[..., Casino]) -> None:
    casino = casinos(book=book_toml(Session("first", "14:00", "14:10", awards=3)))
    casino.load_lists()
    seat_everybody(casino)
    casino.at("14:10")
    selected = casino.draw().state.claims
    assert len(selected) == 3
    opened, now = selected[0].opened_at, casino.clock.now()
    kind = "warn" if now - opened >= 60_000 else "fine"
    waiting = f"3 claims wait for somebody to take them, the first since {clock(opened)}."
    assert said(casino) == [(kind, waiting), ("warn", "Nobody of the crew is signed in.")]
    assert said(casino, "kabelo", "zanele")[1:] == [("fine", "Without a claim: Kabelo Dube, Zanele Ngcobo.")]
    for ordinal in (0, 1):
        claims.take(casino.engine, casino.draw(), ordinal, actor="crew:kabelo", now=casino.clock.now())
    taken = casino.draw().state.claims[0].taken_at
    assert taken is not None
    assert said(casino, "kabelo", "zanele")[1:] == [
        ("fine", f"Kabelo Dube has 2 claims, the first since {clock(taken)}."),
        ("fine", "Without a claim: Zanele Ngcobo."),
    ]
    for ordinal in range(3):
        casino.pay(ordinal=ordinal)
    casino.finish("14:20")
