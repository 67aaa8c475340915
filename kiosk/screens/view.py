"""The engine's state as a floor screen's message."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from draw_engine import calendar
from draw_engine.claim_moves import ANNOUNCED, EXPIRED, HELD, VOIDED, stage_of
from draw_engine.draw_state import Claim
from draw_engine.rule_book import DrawPlan, RuleBook
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.rule_locks import lock_reasons
from kiosk.guest_names import called_in_pool, called_persons, collides, collides_among, masked_name, names_of
from web_display import screens
from web_display.catalogue import say
from web_display.messages import (
    DayPart,
    Ended,
    NextSession,
    RecentWinner,
    RunningSession,
    ScreenClaim,
    ScreenSnapshot,
    Won,
)

__all__ = [
    "House",
    "called_in_pool",
    "collides",
    "coming_sessions",
    "current_book",
    "masked_name",
    "names_of",
    "running_draw",
    "screen_pictures",
    "screen_snapshot",
]
_ENDED_SHOWN_MS = 15_000
_TAKEN_BACK_SHOWN_MS = 60_000


@dataclass(frozen=True, slots=True)
class House:
    """What stands on every screen and is no matter of the rules."""

    property_name: str
    statutory_line: str
    demo: bool
    demo_secret: str = field(default="", repr=False)
    """What the demo's made-up people sign in with; nobody else's house has one."""
    check_address: str = ""
    """Where a guest checks a published draw; a proof's QR code leads there. Empty: no code is shown."""


def screen_snapshot(engine: Engine, house: House) -> ScreenSnapshot:
    """Everything a floor screen shows, as it is now."""
    now = engine.now()
    book = current_book(engine, now)
    today = calendar.gaming_day(book, now)
    draws = [draw for draw in engine.draws.values() if draw.book.id == book.id and _on_show(draw, today)]
    running = running_draw(draws, now)
    confirmed = _confirmed(draws)
    return ScreenSnapshot(
        server_now=now,
        utc_offset_minutes=screens.utc_offset_minutes(now, book.zone),
        property_name=house.property_name,
        promotion_title=book.title,
        statutory_line=house.statutory_line,
        demo=house.demo,
        next_session=_next_session(engine, book, now),
        session=None if running is None else _running_session(running, now),
        claims=_announced(engine, draws),
        recent=tuple(
            RecentWinner(masked_name(engine, draw, claim), _amount(draw, claim)) for draw, claim in confirmed[:3]
        ),
        won=_won(engine, confirmed),
        ended=tuple(_ended(engine, draws, now)),
        taken_back=_taken_back(draws, now),
        winners_today=len(confirmed),
        day=tuple(_day(book, today, draws)),
        suspended=running is not None and running.state.suspended,
        suspended_sentence=say("session.suspended") if running is not None and running.state.suspended else "",
    )


def screen_pictures(engine: Engine, house: House, names: Iterable[str]) -> dict[str, Any]:
    """The message to the screen server (`web_display.hall`): every picture once, and which screen shows which."""
    picture = screen_snapshot(engine, house).as_json()
    now = picture.pop("server_now")  # it stands over all of them, so that two pictures that say the same are the same
    return {"server_now": now, "pictures": [picture], "of": dict.fromkeys(names, 0)}


def _on_show(draw: OpenDraw, today: date) -> bool:
    """A draw of this gaming day, or one of the day before whose claims still run: nobody's clock may vanish."""
    return draw.day == today or draw.state.closed_at is None


def current_book(engine: Engine, now: int) -> RuleBook:
    """The rule book on show: of the open draw, else of those that may open one the next, else the next of any."""
    for draw in engine.draws.values():
        if draw.state.closed_at is None:
            return draw.book
    books = [book.rules for book in engine.books.values()]

    def first(book: RuleBook) -> tuple[bool, int]:
        starts = (start for start, _, _ in coming_sessions(book, now))
        return bool(lock_reasons(engine, book)), min(starts, default=1 << 62)

    return min(books, key=first)


def running_draw(draws: list[OpenDraw], now: int) -> OpenDraw | None:
    """The open draw whose session runs now, else the last whose claims still run after its end."""
    begun = [draw for draw in draws if draw.state.closed_at is None and draw.state.start <= now]
    return max(begun, key=lambda draw: draw.state.end, default=None)


def coming_sessions(book: RuleBook, now: int) -> list[tuple[int, DrawPlan, date]]:
    """(start, plan, day) of the sessions still to start, of the next day that has any; at most one day's."""
    today = calendar.gaming_day(book, now)
    for day in calendar.promotion_days(book):
        if day < today:
            continue
        coming = [(calendar.session_bounds(book, plan, day)[0], plan, day) for plan in book.draws]
        if found := sorted((item for item in coming if item[0] > now), key=lambda item: item[0]):
            return found
    return []


def _next_session(engine: Engine, book: RuleBook, now: int) -> NextSession | None:
    """None, too, while the book is not locked, or no longer: guests are told of no session that will not open."""
    coming = [] if lock_reasons(engine, book) else coming_sessions(book, now)
    if not coming:
        return None
    start, plan, day = coming[0]
    audience = calendar.audience_on(book, day)
    return NextSession(
        title=screens.short_title(plan.title, book.title),
        starts_at=start,
        starts_text=screens.starts_text(start, now, book.zone),
        awards=plan.awards,
        prize_text=screens.prize_text(plan.awards, plan.prize.min, plan.prize.max, book.currency),
        who_text=screens.who_text(audience.tiers if audience else ()),
    )


def _running_session(draw: OpenDraw, now: int) -> RunningSession:
    book, state = draw.book, draw.state
    to_come = sum(1 for place in state.places.values() if place.state == "waiting")
    ends = screens.time_text(state.end, book.zone)
    audience = calendar.audience_on(book, draw.day)
    return RunningSession(
        title=screens.short_title(draw.plan.title, book.title),
        ends_at=state.end,
        ends_text=ends,
        awards=len(state.places),
        to_come=to_come,
        sentence=screens.session_sentence(to_come if now < state.end else 0, ends),
        prize_text=screens.prize_text(len(state.places), draw.plan.prize.min, draw.plan.prize.max, book.currency),
        who_text=screens.who_text(audience.tiers if audience else ()),
    )


# -- running clocks ---------------------------------------------------------------------------------------------


def _announced(engine: Engine, draws: Sequence[OpenDraw]) -> tuple[ScreenClaim, ...]:
    """The running announcements, oldest first."""
    running = [(draw, claim) for draw in draws for claim in draw.state.running() if stage_of(claim) == ANNOUNCED]
    called = called_persons(engine, draws) if running else {}
    return tuple(
        _shown(engine, draw, claim, collision=collides_among(engine, draw, claim, called))
        for draw, claim in sorted(running, key=lambda pair: pair[1].announced_at or 0)
    )


def _shown(engine: Engine, draw: OpenDraw, claim: Claim, *, collision: bool) -> ScreenClaim:
    assert claim.announced_at is not None
    assert claim.deadline_at is not None
    return ScreenClaim(
        id=f"{draw.plan.id}/{claim.id}",
        name=masked_name(engine, draw, claim),
        place=draw.plan.claim.place,
        announced_at=claim.announced_at,
        deadline_at=claim.deadline_at,
        collision=collision,
    )


# -- what is over -----------------------------------------------------------------------------------------------


def _confirmed(draws: list[OpenDraw]) -> list[tuple[OpenDraw, Claim]]:
    won = [(draw, claim) for draw in draws for claim in draw.state.claims if claim.outcome == "confirmed"]
    return sorted(won, key=lambda pair: pair[1].ended_at or 0, reverse=True)


def _amount(draw: OpenDraw, claim: Claim) -> str:
    return "" if claim.prize is None else screens.money(claim.prize, draw.book.currency)


def _won(engine: Engine, confirmed: list[tuple[OpenDraw, Claim]]) -> Won | None:
    if not confirmed:
        return None
    draw, claim = confirmed[0]
    named, (first, last, last4) = draw.book.screen_name, names_of(engine, draw, claim.ordinal)
    return Won(
        id=_won_id(draw, claim),
        name=screens.spoken_name(named, first, last, last4),
        last4=screens.shown_digits(named, last4),
        amount_text=_amount(draw, claim),
        at=claim.ended_at or 0,
    )


def _won_id(draw: OpenDraw, claim: Claim) -> str:
    return f"{draw.state.id}/{claim.id}"


def _taken_back(draws: Sequence[OpenDraw], now: int) -> tuple[str, ...]:
    """Winners whom two people have just voided: whoever shows one still takes it off."""
    return tuple(
        _won_id(draw, claim)
        for draw in draws
        for claim in draw.state.claims
        if claim.outcome == VOIDED and claim.ended_at is not None and now - claim.ended_at < _TAKEN_BACK_SHOWN_MS
    )


def _ended(engine: Engine, draws: Sequence[OpenDraw], now: int) -> list[Ended]:
    """Claims whose time has just run out. What two people decide long after the deadline is no matter of the floor."""
    return [
        Ended(f"{draw.plan.id}/{claim.id}", masked_name(engine, draw, claim), claim.ended_at)
        for draw in draws
        for claim in draw.state.claims
        if claim.outcome in {EXPIRED, HELD}
        and claim.ended_at is not None
        and now - claim.ended_at < _ENDED_SHOWN_MS
        and claim.deadline_at is not None
        and claim.ended_at - claim.deadline_at < _ENDED_SHOWN_MS
    ]


def _day(book: RuleBook, today: date, draws: list[OpenDraw]) -> list[DayPart]:
    if not calendar.is_promotion_day(book, today):
        return []
    by_plan = {draw.plan.id: draw for draw in draws if draw.day == today}
    parts = []
    for plan in book.draws:
        title = screens.short_title(plan.title, book.title)
        starts = f"{plan.starts:%H:%M}"
        draw = by_plan.get(plan.id)
        if draw is None:
            parts.append(screens.day_part(title, starts, to_come=plan.awards))
            continue
        outcomes = [claim.outcome for claim in draw.state.claims]
        states = [place.state for place in draw.state.places.values()]
        parts.append(
            screens.day_part(
                title,
                starts,
                won=outcomes.count("confirmed"),
                held=outcomes.count("held") + outcomes.count("refused"),
                running=states.count("running"),
                to_come=states.count("waiting"),
            )
        )
    return parts
