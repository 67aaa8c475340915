"""The engine's state as the console's message: what has been, what runs, and why not; never a moment to come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

from draw_engine import calendar
from draw_engine.draw_state import FILLED
from draw_engine.rule_book import RuleBook
from draw_engine.service import opening, rule_locks, selecting
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.ports import Reason
from kiosk.console.claims import claim_rows, ended_rows, mark_of
from kiosk.console.crew import crew_lines
from kiosk.console.house import desk_lines, printer_lines
from kiosk.console.roster_view import roster_lines
from kiosk.printing.view import Printers
from kiosk.screens.view import House, coming_sessions, current_book
from web_display import console_messages as told
from web_display import screens
from web_display.catalogue import say

__all__ = ["console_snapshot", "mark_of", "open_draw", "shown_draw"]

_NEAR = 0.9
"""A list past this part of its age limit is called ageing: there is still time to load a new one."""
_NOT_IN_FORCE = frozenset({"X_RULES_NOT_LOCKED", "X_RULEBOOK_INACTIVE"})
_HOUR_MS = 3_600_000
_CLOCK_SHOWN_MS = 1_500
"""A feed's clock is spoken of when its events come this much late, or early, at the best."""


def console_snapshot(
    engine: Engine,
    house: House,
    staff: tuple[told.StaffMember, ...],
    printers: Printers | None = None,
    signed_in: Mapping[str, str] = MappingProxyType({}),
) -> told.ConsoleSnapshot:
    """Everything the console's first page shows, as it is now.

    `printers`: those of `site.toml`; `signed_in`: number -> role of who is.
    """
    now = engine.now()
    names = {person.id: person.name for person in staff}
    book = current_book(engine, now)
    draw = shown_draw(engine, book, now)
    is_open = draw is not None and draw.state.closed_at is None
    selectable = draw is not None and is_open and draw.state.start <= now < draw.state.end
    pool_now = _pool_now(engine, draw, now) if draw is not None and selectable else None
    reasons = _reasons(engine, draw, now)
    if pool_now is not None and pool_now.size == 0 and not any(reason.blocking for reason in reasons):
        reasons.insert(0, _nobody_qualifies())
    on_floor = {person for person, role in signed_in.items() if role == "crew"}
    ready = selectable and not any(reason.blocking for reason in reasons)
    return told.ConsoleSnapshot(
        server_now=now,
        utc_offset_minutes=screens.utc_offset_minutes(now, book.zone),
        property_name=house.property_name,
        promotion_title=book.title,
        headline=_headline(book, draw, now, ready=ready, selectable=selectable),
        ready=ready,
        staff=told.people(staff),
        reasons=tuple(reasons),
        session=None if draw is None else _session(draw, now),
        counts=told.Counts() if draw is None else _counts(draw),
        claims=tuple(claim_rows(engine, draw, names)),
        ended=() if draw is None else tuple(ended_rows(engine, draw, names)),
        pool=() if draw is None else tuple(_pool_sizes(draw)),
        pool_now=pool_now,
        feeds=tuple(_feeds(engine, book, draw, now)),
        lists=tuple(_lists(engine, book, now)),
        crew=(*crew_lines(draw, names, on_floor, now), *roster_lines(engine, names, signed_in, now)),
        desk=tuple(desk_lines(engine, book.zone, now)),
        printers=tuple(printer_lines(engine, Printers() if printers is None else printers, now)),
        log=_log_head(engine, book),
        draws=tuple(_past(engine)),
        demo=house.demo,
    )


def shown_draw(engine: Engine, book: RuleBook, now: int) -> OpenDraw | None:
    """The draw on the ruler: the one that `open_draw` acts on, else the last of this gaming day."""
    today = calendar.gaming_day(book, now)
    draws = [draw for draw in engine.draws.values() if draw.book.id == book.id]
    return open_draw(draws, now) or next((draw for draw in reversed(draws) if draw.day == today), None)


def open_draw(draws: Iterable[OpenDraw], now: int) -> OpenDraw | None:
    """Of the open draws the one that runs now, else the first: what two people suspend is what they see.

    A session opens before the one before it has ended, and that one stays open while its last claims run.
    """
    still_open = [draw for draw in draws if draw.state.closed_at is None]
    running = (draw for draw in still_open if draw.state.start <= now < draw.state.end)
    return next(running, None) or next(iter(still_open), None)


def _headline(book: RuleBook, draw: OpenDraw | None, now: int, *, ready: bool, selectable: bool) -> str:
    if selectable:
        suspended = draw is not None and draw.state.suspended
        return screens.headline(ready=ready, suspended=suspended, running=True)
    if draw is not None and draw.state.closed_at is None:
        key = "headline.opened" if now < draw.state.start else "headline.ended"
        title = screens.short_title(draw.plan.title, book.title)
        return say(key, title=title, time=screens.time_text(draw.state.start, book.zone))
    coming = coming_sessions(book, now)
    if not coming:
        return say("headline.over")
    start, plan, _ = coming[0]
    title = screens.short_title(plan.title, book.title)
    return say("headline.next", title=title, time=screens.starts_text(start, now, book.zone))


def _reasons(engine: Engine, draw: OpenDraw | None, now: int) -> list[told.Reason]:
    if draw is not None and draw.state.closed_at is None:
        found = selecting.reasons_not_to_select(engine, draw, now)
        blocking = [_reason(_lasting(engine, draw, reason, now), blocking=True) for reason in found]
    else:
        blocking = []
        for due, plan, day in opening.due_sessions(engine, now):
            found = opening.reasons_not_to_start(engine, due.rules, plan, day, now)
            draw_id = calendar.draw_id(due.rules, plan, day)
            blocking += [_overridable(_reason(reason, blocking=True), found, draw_id) for reason in found]
    ahead = [] if any(r.code == "X_LIST_TOO_OLD" for r in blocking) else opening.list_reasons(engine, now)
    if not any(r.code == opening.UNSYNCHRONISED for r in blocking):
        ahead = [*opening.clock_reasons(engine), *ahead]
    book = current_book(engine, now)
    if coming_sessions(book, now) and not any(r.code in _NOT_IN_FORCE for r in blocking):
        ahead = [*rule_locks.lock_reasons(engine, book), *ahead]
    soon = [_reason(reason, blocking=False) for reason in ahead]
    return [*blocking, *soon, *_ageing(engine, now)]


def _lasting(engine: Engine, draw: OpenDraw, reason: Reason, now: int) -> Reason:
    """A feed's reason with the time since when, instead of an age: nothing is sent again as it grows."""
    if reason.feed is None:
        return reason
    return replace(reason, sentence=_feed_words(engine, reason.feed, draw.book.zone, now))


def _feed_words(engine: Engine, feed: str, zone: str, now: int) -> str:
    known = engine.floor.feed_at(feed, now)
    blind = known.state == "stale" and known.limit_ms is not None and (known.silent_ms or 0) <= known.limit_ms
    return screens.feed_sentence(feed, "behind" if blind else known.state, known.since, zone)


def _reason(reason: Reason, *, blocking: bool) -> told.Reason:
    action = told.ReasonAction("exclude_feed", reason.feed) if reason.feed else None
    return told.Reason(reason.code, reason.sentence, reason.todo, blocking, action)


def _overridable(reason: told.Reason, all_of_them: list[Reason], draw_id: str) -> told.Reason:
    """The clock's reason with what a manager can do about it, where nothing else stands in the way (X-02)."""
    if reason.code != opening.UNSYNCHRONISED or len(all_of_them) > 1:
        return reason
    return replace(reason, action=told.ReasonAction("open_session", draw=draw_id))


def _nobody_qualifies() -> told.Reason:
    return told.Reason(
        "SS_POOL_EMPTY",
        "Nobody on the floor qualifies just now.",
        "It is tried again by itself. If it lasts, look at the criteria and the lists.",
        blocking=True,
    )


def _ageing(engine: Engine, now: int) -> list[told.Reason]:
    return [
        told.Reason(
            "X_LIST_TOO_OLD",
            f"The {kind} list is {(now - row.fresh_at) // _HOUR_MS} h old. The limit is {limit} h.",
            "Load a new one before the next session opens.",
            blocking=False,
        )
        for kind, limit in engine.settings.list_age_hours.items()
        if (row := engine.list_rows.get(kind)) is not None and limit * _NEAR < (now - row.fresh_at) / _HOUR_MS <= limit
    ]


# -- the session ------------------------------------------------------------------------------------------------


def _state(draw: OpenDraw, now: int) -> told.SessionState:
    state = draw.state
    if state.closed_at is not None:
        return "closed"
    if now >= state.end or state.ended_early:
        return "ended"
    if state.suspended:
        return "suspended"
    return "open" if now < state.start else "running"


def _session(draw: OpenDraw, now: int) -> told.ConsoleSession:
    state, zone = draw.state, draw.book.zone
    count = len(state.places)
    parts = []
    for n, place in enumerate(state.places.values()):
        begins = state.start + n * (state.end - state.start) // count
        over = now >= state.start + (n + 1) * (state.end - state.start) // count
        where: told.PartState = "past" if over else "now" if now >= begins else "to_come"
        marks = tuple(
            told.PartMark(mark, ordinal, screens.mark_sentence(mark, place.number, ordinal))
            for ordinal in place.ordinals
            for mark in [mark_of(state.claims[ordinal])]
        )
        parts.append(told.SessionPart(n + 1, screens.time_text(begins, zone), where, marks))
    return told.ConsoleSession(
        id=state.id,
        title=screens.short_title(draw.plan.title, draw.book.title),
        from_text=screens.time_text(state.start, zone),
        to_text=screens.time_text(state.end, zone),
        state=_state(draw, now),
        parts=tuple(parts),
    )


def _counts(draw: OpenDraw) -> told.Counts:
    marks = [mark_of(claim) for claim in draw.state.claims]
    return told.Counts(
        confirmed=marks.count("confirmed"),
        held=marks.count("held"),
        announced=marks.count("announced"),
        with_crew=marks.count("with_crew"),
        ended=marks.count("ended"),
        to_come=sum(1 for place in draw.state.places.values() if place.state == "waiting"),
    )


def _pool_sizes(draw: OpenDraw) -> list[told.PoolSize]:
    zone = draw.book.zone
    return [
        told.PoolSize(pool.frozen_at, screens.time_text_seconds(pool.frozen_at, zone), pool.size)
        for pool in draw.state.pools
    ]


def _pool_now(engine: Engine, draw: OpenDraw, now: int) -> told.PoolSize:
    """How many would be in a pool frozen now; nothing is kept of it."""
    judged = selecting.judge_floor(engine, draw, None, now)
    return told.PoolSize(now, screens.time_text_seconds(now, draw.book.zone), len(judged.entrants))


# -- feeds, lists, log ------------------------------------------------------------------------------------------


def _feeds(engine: Engine, book: RuleBook, draw: OpenDraw | None, now: int) -> list[told.FeedLine]:
    excluded = draw.state.excluded_feeds if draw is not None else set()
    lines = []
    for feed in sorted({*engine.settings.feeds, *engine.sequences}):
        if feed in excluded:
            lines.append(told.FeedLine(feed, "excluded", screens.feed_sentence(feed, "excluded", None, book.zone)))
            continue
        state: told.FeedState = engine.floor.feed_at(feed, now).state  # type: ignore[assignment]  # its five
        sentence = " ".join([_feed_words(engine, feed, book.zone, now), *_feed_remarks(engine, feed, now)])
        lines.append(told.FeedLine(feed, state, sentence))
    return lines


def _feed_remarks(engine: Engine, feed: str, now: int) -> list[str]:
    """What else the technician should know of a feed: its clock, events nobody understands, a number used twice."""
    remarks = []
    _, least = engine.floor.clock_offset(feed, now) or (0, None)
    if least is not None and abs(least) >= _CLOCK_SHOWN_MS:
        words = "feed.clock_behind" if least > 0 else "feed.clock_ahead"
        remarks.append(say(words, n=(abs(least) + 500) // 1000))
    unknown = sum(count for (of, _), count in engine.floor.unknown_kinds.items() if of == feed)
    if unknown:
        remarks.append(say("feed.unknown_kinds", n=unknown))
    if feed in engine.reused:
        remarks.append(say("feed.reused"))
    return remarks


def _lists(engine: Engine, book: RuleBook, now: int) -> list[told.ListLine]:
    lines = []
    for kind in ("members", "exclusions", "staff", "positions"):
        row = engine.list_rows.get(kind)
        limit = engine.settings.list_age_hours.get(kind, 0)
        aged = 0 if row is None else now - row.fresh_at
        state: Literal["fine", "ageing", "old", "missing"]
        if row is None:
            state = "missing"
        elif not limit or aged <= limit * _HOUR_MS * _NEAR:
            state = "fine"
        else:
            state = "ageing" if aged <= limit * _HOUR_MS else "old"
        loaded = "" if row is None else screens.starts_text(row.loaded_at, now, book.zone)
        rows = 0 if row is None else row.row_count
        sentence = screens.list_sentence(
            kind, state, age_hours=aged // _HOUR_MS, limit_hours=limit, rows=rows, loaded=loaded
        )
        lines.append(told.ListLine(kind, state, sentence))
    return lines


def _log_head(engine: Engine, book: RuleBook) -> told.LogHead | None:
    head = engine.store.head()
    if head is None:
        return None
    made = engine.store.checkpoints(1, head.seq)
    text = say("log.no_checkpoint")
    if made:
        text = say("log.checkpoint", time=screens.time_text_seconds(made[-1].at, book.zone), seq=made[-1].seq)
    return told.LogHead(head.seq, screens.hash_short(head.hash), text)


def _past(engine: Engine) -> list[told.DrawLine]:
    closed = [draw for draw in engine.draws.values() if draw.state.closed_at is not None]
    return [
        told.DrawLine(
            id=draw.state.id,
            title=f"{draw.plan.title}, {draw.day:%d %B %Y}",
            state=f"{_filled(draw)} of {len(draw.state.places)} awards filled",
            records={
                "Public copy": f"/draws/{draw.state.id}/record.zip?copy=public",
                "Auditor's copy": f"/draws/{draw.state.id}/record.zip?copy=auditor",
            },
        )
        for draw in reversed(closed[-20:])
    ]


def _filled(draw: OpenDraw) -> int:
    return sum(1 for claim in draw.state.claims if claim.outcome in FILLED)
