"""Canned days for the preview and the page tests, made through the real messages and words.

People, cards and amounts are made up. Every scene is a function of `now`, so that its clocks run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from web_display import screens
from web_display.catalogue import say
from web_display.messages import (
    Ended,
    NextSession,
    RecentWinner,
    RunningSession,
    ScreenClaim,
    ScreenSnapshot,
    Won,
)

ZONE = "Africa/Johannesburg"
STAGE = "Promotions Stage"
PROMOTION = "Playtime Bonus Jackpots"
# Saturday 2023-10-07, 14:42:10 in Johannesburg: when the previews' clock starts.
PREVIEW_START = 1_696_682_530_000

Guest = tuple[str, str, str]
GUESTS: list[Guest] = [
    ("Thandi", "Mokoena", "1001"),
    ("Pieter", "van Wyk", "8830"),
    ("Lindiwe", "Khumalo", "3358"),
    ("Annelie", "Botha", "0913"),
    ("Nomvula", "Dlamini", "5520"),
    ("Fatima", "Adams", "7302"),
    ("Sipho", "Ndlovu", "4417"),
    ("Johan", "Steyn", "2096"),
]
LONGEST = [
    ("Nkosinathi-Bhekizizwe", "Wessels", "8888"),
    ("Maria Magdalena Wilhelmina", "Mmabatho", "0000"),
    ("WWWWWWWWWWWWWWWWWWWW", "Wu", "9999"),
]


def name_of(guest: Guest) -> str:
    return screens.screen_name("first_initial_last4", *guest)


def at_day(now: int, hour: int, minute: int = 0) -> int:
    """That time of the day `now` lies in, at the property."""
    day = screens.local(now, ZONE).replace(hour=hour, minute=minute, second=0, microsecond=0)
    return int(day.timestamp()) * 1000


def blank(now: int) -> ScreenSnapshot:
    return ScreenSnapshot(
        server_now=now,
        utc_offset_minutes=screens.utc_offset_minutes(now, ZONE),
        property_name="Silverstar",
        promotion_title=PROMOTION,
        statutory_line="No persons under 18. Winners know when to stop. 0800\u00a0006\u00a0008",
    )


def recent() -> tuple[RecentWinner, ...]:
    amounts = (70_000, 85_000, 100_000)
    return tuple(RecentWinner(name_of(GUESTS[n]), screens.money(amounts[n - 5])) for n in (5, 6, 7))


def idle(now: int) -> ScreenSnapshot:
    start = now + (72 * 60 + 40) * 1000
    text = screens.starts_text(start, now, ZONE)
    second = NextSession(
        "Session 2",
        start,
        text,
        35,
        screens.prize_text(35, 50_000, 100_000),
        screens.who_text(["Black", "Platinum", "Gold"]),
    )
    return replace(
        blank(now),
        next_session=second,
        recent=recent(),
        winners_today=33,
        day=(
            screens.day_part("Session 1", "14:00", won=33, held=2),
            screens.day_part("Session 2", "18:00", to_come=35),
        ),
    )


def days_away(now: int) -> ScreenSnapshot:
    start = at_day(now, 14) + 7 * 86_400_000
    first = replace(
        _next(idle(now)), title="Session 1", starts_at=start, starts_text=screens.starts_text(start, now, ZONE)
    )
    return replace(blank(now), next_session=first)


def _next(snapshot: ScreenSnapshot) -> NextSession:
    assert snapshot.next_session
    return snapshot.next_session


def over(now: int) -> ScreenSnapshot:
    done = (
        screens.day_part("Session 1", "14:00", won=33, held=2),
        screens.day_part("Session 2", "18:00", won=34, held=1),
    )
    return replace(idle(now), next_session=None, winners_today=67, day=done)


def session(now: int) -> ScreenSnapshot:
    running = RunningSession(
        "Session 1",
        at_day(now, 16),
        "16:00",
        35,
        22,
        screens.session_sentence(22, "16:00"),
        screens.prize_text(35, 50_000, 100_000),
        screens.who_text(["Black", "Platinum", "Gold"]),
    )
    return replace(
        blank(now),
        session=running,
        recent=recent(),
        winners_today=8,
        day=(
            screens.day_part("Session 1", "14:00", won=8, held=1, running=4, to_come=22),
            screens.day_part("Session 2", "18:00", to_come=35),
        ),
    )


def session_empty(now: int) -> ScreenSnapshot:
    return replace(
        session(now),
        recent=(),
        winners_today=0,
        day=(screens.day_part("Session 1", "14:00", to_come=35), screens.day_part("Session 2", "18:00", to_come=35)),
    )


def suspended(now: int) -> ScreenSnapshot:
    return replace(session(now), suspended=True, suspended_sentence=say("session.suspended"))


def claims(*lefts: int, guests: list[Guest] = GUESTS, place: str = STAGE) -> Callable[[int], ScreenSnapshot]:
    """A scene with a running announcement for each number of seconds left at its beginning."""
    begun: list[int] = []

    def scene(now: int) -> ScreenSnapshot:
        begun[:] = begun or [now]
        running = tuple(
            ScreenClaim(f"c{n}", name_of(guests[n]), place, begun[0] + (left - 90) * 1000, begun[0] + left * 1000)
            for n, left in enumerate(lefts)
            if now < begun[0] + left * 1000 + 250
        )
        return replace(session(now), claims=screens.mark_collisions(running))

    return scene


def won(now: int) -> ScreenSnapshot:
    return replace(claims(34, guests=GUESTS[1:])(now), won=Won("c50", "Thandi M.", "1001", screens.money(85_000), now))


def won_many(now: int) -> ScreenSnapshot:
    return replace(
        claims(12, 34, 40, 61, 70)(now), won=Won("c51", "Lindiwe K.", "3358", screens.money(100_000), now), demo=True
    )


def won_long(now: int) -> ScreenSnapshot:
    first, last, digits = LONGEST[1]
    return replace(session(now), won=Won("c52", screens.called_name(first, last), digits, screens.money(100_000), now))


def twins(now: int) -> ScreenSnapshot:
    pair = [GUESTS[0], ("Thandi", "Mahlangu", "4417"), GUESTS[1]]
    return claims(31, 62, guests=pair)(now)


def nameless(now: int) -> ScreenSnapshot:
    """Where the rule book lets screens show the digits alone."""
    shown = claims(31, 62)(now)
    only = tuple(replace(claim, name=claim.name[claim.name.index(screens.DOTS) :]) for claim in shown.claims)
    return replace(shown, claims=only)


def digitless(now: int) -> ScreenSnapshot:
    """Where it lets them show the name alone, and two have the same."""
    shown = twins(now)
    only = tuple(replace(claim, name=claim.name.partition(screens.DOTS)[0].strip()) for claim in shown.claims)
    return replace(shown, claims=only)


def twins_many(now: int) -> ScreenSnapshot:
    return claims(12, 31, 62, 71, guests=[("Thandi", "Mahlangu", "4417"), GUESTS[0], GUESTS[1], GUESTS[2]])(now)


def time_up(now: int) -> ScreenSnapshot:
    return replace(claims(61)(now), ended=(Ended("c40", name_of(GUESTS[0]), now),))


def demo(now: int) -> ScreenSnapshot:
    return replace(idle(now), demo=True)


CLAIMS: dict[str, tuple[int, ...]] = {
    "claims-1": (61,),
    "claims-2": (12, 61),
    "claims-3": (12, 34, 61),
    "claims-4": (12, 34, 40, 61),
    "claims-5": (12, 34, 40, 61, 70),
    "claims-6": (12, 34, 40, 61, 70, 80),
    "claims-7": (3, 12, 34, 40, 61, 70, 80),
    "claims-8": (3, 12, 34, 40, 55, 61, 70, 80),
    "claims-long": (12, 34, 61),
    "claims-long-1": (61,),
    "claims-long-2": (12, 61),
    "claims-long-5": (12, 34, 40, 61, 70),
    "claims-long-8": (3, 12, 34, 40, 55, 61, 70, 80),
}


def claims_named(name: str) -> Callable[[int], ScreenSnapshot]:
    """One of CLAIMS, its clocks beginning when it is first looked at."""
    guests = LONGEST * 3 if "long" in name else GUESTS
    return claims(*CLAIMS[name], guests=guests[1:] if name.startswith("claims-long-") else guests)


def long_winners(scene: Callable[[int], ScreenSnapshot]) -> Callable[[int], ScreenSnapshot]:
    long = tuple(RecentWinner(name_of(guest), screens.money(100_000)) for guest in LONGEST)
    return lambda now: replace(scene(now), recent=long)


def title_long(now: int) -> ScreenSnapshot:
    title = "Summer Festival Weekend Progressive Mystery Jackpots and Birthday Celebration"
    return replace(idle(now), promotion_title=title, demo=True)


SCREENS: dict[str, Callable[[int], ScreenSnapshot]] = {
    "idle": idle,
    "title-long": title_long,
    "idle-long": long_winners(idle),
    "session-long": long_winners(session),
    "claims-long-foot": long_winners(claims(34, 61)),
    "demo": demo,
    "days": days_away,
    "over": over,
    "session": session,
    "session-empty": session_empty,
    "suspended": suspended,
    **{name: claims_named(name) for name in CLAIMS},
    "twins": twins,
    "twins-many": twins_many,
    "nameless": nameless,
    "digitless": digitless,
    "won": won,
    "won-many": won_many,
    "won-long": won_long,
    "time-up": time_up,
}


def fresh(name: str, now: int) -> Callable[[int], ScreenSnapshot]:
    """A scene as it is at `now`, for a page that has to see it from the beginning."""
    scene = claims_named(name) if name in CLAIMS else SCREENS[name]
    picture = scene(now)
    return lambda at: replace(picture, server_now=at)
