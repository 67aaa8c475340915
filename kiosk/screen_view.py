"""The engine's state as a floor screen's message."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from draw_engine import calendar
from draw_engine.draw_state import Claim
from draw_engine.rule_book import DrawPlan, RuleBook
from draw_engine.service.engine import Engine, OpenDraw
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

_ENDED_SHOWN_MS = 15_000
_DAYS_AHEAD = 400


@dataclass(frozen=True, slots=True)
class House:
    """What stands on every screen and is no matter of the rules."""

    property_name: str
    statutory_line: str
    demo: bool


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
        next_session=_next_session(book, now),
        session=None if running is None else _running_session(running, now),
        claims=_announced(engine, draws),
        recent=tuple(
            RecentWinner(masked_name(engine, draw, claim), _amount(draw, claim)) for draw, claim in confirmed[:3]
        ),
        won=_won(engine, confirmed),
        ended=tuple(_ended(engine, draws, now)),
        winners_today=len(confirmed),
        day=tuple(_day(book, today, draws)),
        suspended=running is not None and running.state.suspended,
        suspended_sentence=say("session.suspended") if running is not None and running.state.suspended else "",
    )


def _on_show(draw: OpenDraw, today: date) -> bool:
    """A draw of this gaming day, or one of the day before whose claims still run: nobody's clock may vanish."""
    return draw.day == today or draw.state.closed_at is None


def current_book(engine: Engine, now: int) -> RuleBook:
    """The rule book on show: of the open draw, else the one whose next session comes first."""
    for draw in engine.draws.values():
        if draw.state.closed_at is None:
            return draw.book
    books = [book.rules for book in engine.books.values()]
    return min(books, key=lambda book: min((start for start, _, _ in coming_sessions(book, now)), default=1 << 62))


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


def _next_session(book: RuleBook, now: int) -> NextSession | None:
    coming = coming_sessions(book, now)
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


def names_of(engine: Engine, draw: OpenDraw, ordinal: int) -> tuple[str, str, str]:
    """(first name, last name, last four) of a selection's guest: of the session's card, else of the member number.

    The name is what the list says now: one loaded since the selection is not known to have been in force then.
    """
    row = draw.rows[ordinal]
    member = engine.member_at(row.member, engine.now())
    last4 = screens.last_four(row.card, row.member)
    return ("", "", last4) if member is None else (member.first_name, member.last_name, last4)


def masked_name(engine: Engine, draw: OpenDraw, claim: Claim) -> str:
    """The guest as the rule book lets screens name them."""
    return screens.screen_name(draw.book.screen_name, *names_of(engine, draw, claim.ordinal))


def _announced(engine: Engine, draws: list[OpenDraw]) -> tuple[ScreenClaim, ...]:
    """The running announcements; marked where somebody else in the claim's own pool could take the call for theirs."""
    shown: list[ScreenClaim] = []
    for draw, claim in _claims(draws):
        others = _called_in_pool(engine, draw, claim.ordinal)
        shown += screens.mark_collisions((_shown(engine, draw, claim),), others)
    twice = screens.mark_collisions(tuple(shown))
    return tuple(
        replace(one, collision=one.collision or again.collision) for one, again in zip(shown, twice, strict=True)
    )


def _called_in_pool(engine: Engine, draw: OpenDraw, ordinal: int) -> list[str]:
    """First name and initial of everybody else in the pool a claim was drawn from; worked out once a pool."""
    pool, person = draw.rows[ordinal].pool, draw.rows[ordinal].person
    called = draw.called.get(pool)
    if called is None:
        called = draw.called[pool] = {}
        for other, basis in engine.members_of(draw, pool).items():
            member = engine.member_at(basis.member, engine.now())
            if member is not None:
                called[other] = screens.called_name(member.first_name, member.last_name)
    return [name for other, name in called.items() if other != person]


def _claims(draws: list[OpenDraw]) -> list[tuple[OpenDraw, Claim]]:
    running = [
        (draw, claim)
        for draw in draws
        for claim in draw.state.running()
        if claim.deadline_at is not None and claim.presented_at is None
    ]
    return sorted(running, key=lambda pair: pair[1].announced_at or 0)


def _shown(engine: Engine, draw: OpenDraw, claim: Claim) -> ScreenClaim:
    assert claim.announced_at is not None
    assert claim.deadline_at is not None
    return ScreenClaim(
        id=f"{draw.plan.id}/{claim.id}",
        name=masked_name(engine, draw, claim),
        place=draw.plan.claim.place,
        announced_at=claim.announced_at,
        deadline_at=claim.deadline_at,
    )


def _confirmed(draws: list[OpenDraw]) -> list[tuple[OpenDraw, Claim]]:
    won = [(draw, claim) for draw in draws for claim in draw.state.claims if claim.outcome == "confirmed"]
    return sorted(won, key=lambda pair: pair[1].ended_at or 0, reverse=True)


def _amount(draw: OpenDraw, claim: Claim) -> str:
    return "" if claim.prize is None else screens.money(claim.prize, draw.book.currency)


def _won(engine: Engine, confirmed: list[tuple[OpenDraw, Claim]]) -> Won | None:
    if not confirmed:
        return None
    draw, claim = confirmed[0]
    first, last, last4 = names_of(engine, draw, claim.ordinal)
    return Won(
        id=f"{draw.state.id}/{claim.id}",
        name=screens.called_name(first, last),
        last4=last4,
        amount_text=_amount(draw, claim),
        at=claim.ended_at or 0,
    )


def _ended(engine: Engine, draws: list[OpenDraw], now: int) -> list[Ended]:
    return [
        Ended(f"{draw.plan.id}/{claim.id}", masked_name(engine, draw, claim), claim.ended_at)
        for draw in draws
        for claim in draw.state.claims
        if claim.outcome in {"expired", "held"}
        and claim.ended_at is not None
        and now - claim.ended_at < _ENDED_SHOWN_MS
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
