"""The engine's state as the crew's and the stage's messages: what runs now, and never a moment to come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from draw_engine.claim_moves import ANNOUNCED, NOT_THERE, REVIEW, SELECTED, stage_of
from draw_engine.draw_state import Claim
from draw_engine.service import envelopes
from draw_engine.service.engine import Engine, OpenDraw
from kiosk.crew.floor import floor_version, place_of, where_text
from kiosk.crew.messages import (
    CrewClaim,
    CrewEnd,
    CrewSnapshot,
    Guest,
    StageCall,
    StageClock,
    StageLate,
    StageReview,
    StageSnapshot,
)
from kiosk.crew.words import ENGLISH, say
from kiosk.screens.view import House, called_in_pool, current_book, masked_name, names_of, running_draw
from web_display import screens
from web_display.console_messages import StaffMember, people
from web_display.messages import ScreenClaim

_ENDED_TOLD_MS = 300_000
_MOST_ENDED = 8
_ON_TABLETS = frozenset({"crew", "stage", "manager"})
_HELD_OR_GONE = frozenset({"expired", "held"})
Named = Mapping[str, StaffMember]


# -- crew -------------------------------------------------------------------------------------------------------


def crew_snapshot(engine: Engine, house: House, staff: Sequence[StaffMember]) -> Mapping[str, Any]:
    """Everything a crew tablet shows, as it is now."""
    now = engine.now()
    book = current_book(engine, now)
    named = {person.id: person for person in staff}
    today = screens.local(now, book.zone)
    shown = CrewSnapshot(
        server_now=now,
        utc_offset_minutes=screens.utc_offset_minutes(now, book.zone),
        property_name=house.property_name,
        promotion_title=book.title,
        day_text=f"{today.day} {today:%B %Y}",
        money_prefix=screens.money(0, book.currency)[:-1],
        staff=_on_tablets(staff),
        claims=tuple(_crew_claim(engine, draw, claim, named) for draw, claim in _running(engine)),
        ended=tuple(_ended(engine, now)),
        tray=tuple(envelopes.tray(engine)),
        floor=floor_version(engine),
        suspended=_suspended(engine, now),
        demo=house.demo,
    )
    return shown.as_json()


def _on_tablets(staff: Iterable[StaffMember]) -> tuple[StaffMember, ...]:
    return tuple(person for person in people(staff) if person.role in _ON_TABLETS)


def _running(engine: Engine) -> list[tuple[OpenDraw, Claim]]:
    """The claims that run, of every open draw, as they were selected."""
    open_draws = [draw for draw in engine.draws.values() if draw.state.closed_at is None]
    pairs = [(draw, claim) for draw in open_draws for claim in draw.state.running()]
    return sorted(pairs, key=lambda pair: pair[1].opened_at)


def _suspended(engine: Engine, now: int) -> bool:
    running = running_draw(list(engine.draws.values()), now)
    return running is not None and running.state.suspended


def _key(draw: OpenDraw, claim: Claim) -> str:
    return f"{draw.day}/{draw.plan.id}/{claim.id}"


def _crew_claim(engine: Engine, draw: OpenDraw, claim: Claim, named: Named) -> CrewClaim:
    position = draw.rows[claim.ordinal].position or ""
    row = place_of(engine, position)
    taken_by = _person(claim.taken_by)
    stage = stage_of(claim)
    return CrewClaim(
        key=_key(draw, claim),
        draw=draw.state.id,
        ordinal=claim.ordinal,
        award=draw.state.selections[claim.ordinal].place,
        stage=stage,
        position=position,
        where=where_text(row),
        opened_at=claim.opened_at,
        zone=row.zone if row else "",
        bank=row.bank if row else "",
        x=row.x if row else None,
        y=row.y if row else None,
        taken_by=taken_by,
        taken_name=_name(named, taken_by),
        taken_at=claim.taken_at,
        guest=None if stage == SELECTED else _guest(engine, draw, claim),
        arrived_at=claim.arrived_at,
        announced_at=claim.announced_at,
        deadline_at=claim.deadline_at,
        window_ms=int(draw.state.terms["claim_window_ms"]),
        presented_at=claim.presented_at,
        review=claim.review or "",
        checked_at=claim.checked_at,
        pocket=claim.pocket or "",
        place=draw.plan.claim.place,
        low=draw.plan.prize.min,
        high=draw.plan.prize.max,
        other_loses=draw.plan.answer_to("not_rightful_card") != "announce",
    )


def _guest(engine: Engine, draw: OpenDraw, claim: Claim) -> Guest:
    first, last, last4 = names_of(engine, draw, claim.ordinal)
    return Guest(f"{first} {last}".strip(), screens.called_name(first, last), last4)


def _person(actor: str | None) -> str:
    """The staff id of an actor `crew:kabelo`."""
    return "" if actor is None else actor.partition(":")[2]


def _name(named: Named, person: str) -> str:
    """A colleague as the floor calls them: "Lerato K."."""
    known = named.get(person)
    if known is None:
        return person
    first, _, last = known.name.rpartition(" ")
    if not last[:1].isalpha():
        return known.name  # a number is no family name
    return screens.called_name(first or last, last if first else "")


def _ended(engine: Engine, now: int) -> list[CrewEnd]:
    """The last claims that ended, newest first: what became of them in a sentence."""
    return [
        CrewEnd(
            key=_key(draw, claim),
            position=draw.rows[claim.ordinal].position or "",
            outcome=str(claim.outcome),
            ended_at=ended_at,
            sentence=say(
                f"crew.ended.{claim.outcome}",
                time=screens.time_text_seconds(ended_at, draw.book.zone),
                amount=screens.money(claim.prize or 0, draw.book.currency),
            ),
        )
        for ended_at, draw, claim in _lately_ended(engine, now)[:_MOST_ENDED]
    ]


def _lately_ended(engine: Engine, now: int) -> list[tuple[int, OpenDraw, Claim]]:
    found = [
        (claim.ended_at, draw, claim)
        for draw in engine.draws.values()
        if draw.state.closed_at is None or now - draw.state.closed_at < _ENDED_TOLD_MS
        for claim in draw.state.claims
        if claim.ended_at is not None and now - claim.ended_at < _ENDED_TOLD_MS
    ]
    return sorted(found, key=lambda each: each[0], reverse=True)


# -- stage ------------------------------------------------------------------------------------------------------


def stage_snapshot(engine: Engine, house: House, staff: Sequence[StaffMember]) -> Mapping[str, Any]:
    """Everything the stage shows, as it is now."""
    now = engine.now()
    book = current_book(engine, now)
    running = [(draw, claim) for draw, claim in _running(engine) if stage_of(claim) in {NOT_THERE, ANNOUNCED}]
    twins = _twins(engine, running)
    calls = [pair for pair in running if stage_of(pair[1]) == NOT_THERE]
    clocks = [pair for pair in running if stage_of(pair[1]) == ANNOUNCED]
    named = {person.id: person for person in staff}
    shown = StageSnapshot(
        server_now=now,
        utc_offset_minutes=screens.utc_offset_minutes(now, book.zone),
        property_name=house.property_name,
        promotion_title=book.title,
        place=_places(engine, calls + clocks),
        staff=_on_tablets(staff),
        deciders=people(staff),
        calls=tuple(
            _call(engine, draw, claim, named, twin=_key(draw, claim) in twins)
            for draw, claim in sorted(calls, key=lambda pair: _waits_since(pair[1]))
        ),
        clocks=tuple(
            _clock(engine, draw, claim, twin=_key(draw, claim) in twins)
            for draw, claim in sorted(clocks, key=lambda pair: pair[1].announced_at or 0)
        ),
        reviews=tuple(_review(engine, draw, claim) for draw, claim in _running(engine) if stage_of(claim) == REVIEW),
        late=tuple(_late(engine, now)),
        suspended=_suspended(engine, now),
        demo=house.demo,
    )
    return shown.as_json()


def _places(engine: Engine, pairs: Sequence[tuple[OpenDraw, Claim]]) -> str:
    """Where guests are called to: of what runs, else as the book of the day has it."""
    names = [draw.plan.claim.place for draw, _ in pairs]
    names = names or [plan.claim.place for plan in current_book(engine, engine.now()).draws]
    return ", ".join(dict.fromkeys(names))


def _twins(engine: Engine, running: Sequence[tuple[OpenDraw, Claim]]) -> set[str]:
    """Those whose first name and initial another guest of their pool, of another call or another clock has, too."""
    shown = [
        ScreenClaim(_key(draw, claim), masked_name(engine, draw, claim), "", claim.announced_at or 0, 0)
        for draw, claim in running
    ]
    twice = {one.id for one in screens.mark_collisions(shown) if one.collision}
    for one, (draw, claim) in zip(shown, running, strict=True):
        if screens.mark_collisions((one,), called_in_pool(engine, draw, claim.ordinal))[0].collision:
            twice.add(one.id)
    return twice


def _waits_since(claim: Claim) -> int:
    return claim.deadline_at or claim.arrived_at or claim.opened_at


def _call(engine: Engine, draw: OpenDraw, claim: Claim, named: Named, *, twin: bool) -> StageCall:
    guest = _guest(engine, draw, claim)
    return StageCall(
        key=_key(draw, claim),
        draw=draw.state.id,
        ordinal=claim.ordinal,
        called=guest.called,
        last4=guest.last4,
        place=draw.plan.claim.place,
        seconds=int(draw.state.terms["claim_window_ms"]) // 1000,
        position=draw.rows[claim.ordinal].position or "",
        crew=_name(named, _person(claim.taken_by)),
        waits_since=_waits_since(claim),
        twin=twin,
        again=claim.announced_at is not None,
    )


def _clock(engine: Engine, draw: OpenDraw, claim: Claim, *, twin: bool) -> StageClock:
    assert claim.announced_at is not None
    assert claim.deadline_at is not None
    member = engine.member_at(draw.rows[claim.ordinal].member, engine.now())
    return StageClock(
        key=_key(draw, claim),
        draw=draw.state.id,
        ordinal=claim.ordinal,
        name=masked_name(engine, draw, claim),
        tier="" if member is None else member.tier,
        place=draw.plan.claim.place,
        announced_at=claim.announced_at,
        deadline_at=claim.deadline_at,
        window_ms=int(draw.state.terms["claim_window_ms"]),
        twin=twin,
    )


def _review(engine: Engine, draw: OpenDraw, claim: Claim) -> StageReview:
    code = claim.review or ""
    return StageReview(
        key=_key(draw, claim),
        draw=draw.state.id,
        ordinal=claim.ordinal,
        name=masked_name(engine, draw, claim),
        code=code,
        sentence=ENGLISH.get(f"crew.review.{code}", ""),
        announced_at=claim.announced_at or 0,
        deadline_at=claim.deadline_at or 0,
    )


def _late(engine: Engine, now: int) -> list[StageLate]:
    """The clocks that ran out lately, newest first."""
    return [
        StageLate(
            _key(draw, claim), masked_name(engine, draw, claim), claim.deadline_at, ended_at, claim.outcome == "held"
        )
        for ended_at, draw, claim in _lately_ended(engine, now)
        if claim.outcome in _HELD_OR_GONE and claim.deadline_at is not None
    ][:_MOST_ENDED]
