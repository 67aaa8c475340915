"""The screen's and the console's messages where days, sessions and lists meet."""

from __future__ import annotations

from collections.abc import Callable

from casino import Casino, Session, book_toml, seat_everybody

from draw_engine.service import house
from kiosk.console.view import console_snapshot, open_draw
from kiosk.screens.view import House, screen_snapshot

Casinos = Callable[..., Casino]
HOUSE = House("Silverstar", "18 and over.", demo=False)


def opened(casinos: Casinos, *sessions: Session, day_starts_at: str = "06:00", now: str = "13:45") -> Casino:
    """A casino with everybody at play, and sessions that follow one another at once."""
    toml = book_toml(*sessions).replace(b'day_starts_at = "06:00"', f'day_starts_at = "{day_starts_at}"'.encode())
    casino = casinos(book=toml, now=now)
    casino.load_lists()
    seat_everybody(casino)
    return casino


def test_who_is_called_keeps_the_name_when_the_members_are_loaded_again(casinos: Casinos) -> None:
    """Rows of a list count as known from its load: of the instant of the selection it says nothing."""
    casino = opened(casinos)
    casino.at("13:59")
    casino.go(casino.moments()[0])
    casino.announce()
    before = screen_snapshot(casino.engine, HOUSE).claims, console_snapshot(casino.engine, HOUSE, ()).claims
    assert before[0][0].name[0].isalpha()
    casino.go(casino.clock.now() + 5_000)
    house.load_list(casino.engine, "members", casino.members.encode())
    assert (screen_snapshot(casino.engine, HOUSE).claims, console_snapshot(casino.engine, HOUSE, ()).claims) == before


def test_the_session_that_runs_is_the_one_on_show_and_the_one_acted_on(casinos: Casinos) -> None:
    """The first one's last claim still runs when the second one has begun."""
    casino = opened(casinos, Session("first", "14:00", "14:05"), Session("second", "14:05", "14:10"))
    casino.at("14:04:59.999")
    for claim in casino.draw("first").state.running()[1:]:
        casino.pay("first", claim.ordinal)
    casino.at("14:06")
    assert casino.draw("first").state.closed_at is None
    second = casino.draw("second")
    assert second.state.start <= casino.clock.now()
    assert open_draw(casino.engine.draws.values(), casino.clock.now()) is second
    console = console_snapshot(casino.engine, HOUSE, ())
    assert console.session is not None
    assert console.session.id == second.state.id
    running = screen_snapshot(casino.engine, HOUSE).session
    assert running is not None
    assert running.ends_at == second.state.end
    casino.finish("14:12")


def test_a_call_does_not_vanish_when_the_gaming_day_ends(casinos: Casinos) -> None:
    """A session up to the end of the gaming day of Saturday; somebody is called in its last minute."""
    sunday, end = "2023-10-08", "14:10"
    casino = opened(casinos, Session("first", "14:00", end), day_starts_at=end, now=f"{sunday} 13:45")
    casino.at(f"{sunday} 14:09:30")
    casino.announce()
    casino.at(f"{sunday} 14:09:59.999")
    before = screen_snapshot(casino.engine, HOUSE)
    casino.at(f"{sunday} 14:10:10")
    after = screen_snapshot(casino.engine, HOUSE)
    assert casino.engine.gaming_day(casino.clock.now()) != casino.draw().day
    assert before.claims
    assert {claim.id for claim in before.claims} <= {claim.id for claim in after.claims}
    assert after.winners_today == before.winners_today
