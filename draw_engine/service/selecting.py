"""Selecting: why not now, and the act: judge everyone, freeze the pool, draw the ticket, open the claim.

Source: draw record "When" and "Selecting"; floor-events "Who is in the RAPS pool at t"; rules 5 to 8 and 17.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draw_engine import calendar, selection
from draw_engine.clock import SLOWER, Clock
from draw_engine.draw_state import Turn
from draw_engine.eligibility import Judgement, judge, judge_after_end
from draw_engine.pool import Pool
from draw_engine.service.engine import Engine, OpenDraw, sha256
from draw_engine.service.opening import may_carry, wins_count
from draw_engine.service.ports import Reason, SelectionRow, UnitOfWork

CLOCK_LIMIT_MS = 1_000
"""Wall and steady clock may differ by this much (draw record, "clock")."""


def reasons_not_to_select(engine: Engine, draw: OpenDraw, now: int) -> list[Reason]:
    """Everything that stands between this session and a selection at `now`, each as a sentence; the first is logged.

    An empty pool is no reason here: it is found by judging.
    """
    reasons = []
    off = engine.clock.disagreement()
    if abs(off) > CLOCK_LIMIT_MS:
        reasons.append(
            Reason(
                "X_CLOCK_UNSYNCED",
                f"The clock of this machine jumped by {off / 1000:.1f} s.",
                _until_it_agrees(engine.clock, off),
                "clock",
            )
        )
    if draw.state.suspended:
        said = ("is suspended.", "Resume it with two people.")
        if draw.state.ended_early:
            said = ("was ended by two people.", "It is not resumed; what was not awarded lapses at its end.")
        reasons.append(Reason("SS_SESSION_SUSPENDED", f"{draw.plan.title} {said[0]}", said[1], "paused"))
    if now < draw.state.end:
        reasons += feed_reasons(engine, draw, now)
    return reasons


def _until_it_agrees(clock: Clock, off: int) -> str:
    if not clock.nearing:
        return "It is taken over as soon as no claim runs. Check the clock synchronisation."
    minutes = -(-max(0, -off) * SLOWER // (SLOWER - 1) // 60_000)
    return f"It has caught up in {minutes} min, and selections go on; sooner if it is wrong and is set right."


def feed_reasons(engine: Engine, draw: OpenDraw, now: int) -> list[Reason]:
    """The needed feeds that are silent, down, unsure or were never heard, and that nobody excluded."""
    reasons = []
    for feed in needed_feeds(engine, draw):
        state = engine.floor.feed_at(feed, now)
        if feed in draw.state.excluded_feeds or not state.unknown:
            continue
        reasons.append(
            Reason(
                "SS_FEED_STALE",
                state.sentence,
                f"Start the bridge {feed} again, or exclude the feed for this session with a second person.",
                "stale_feed",
                feed,
            )
        )
    return reasons


def needed_feeds(engine: Engine, draw: OpenDraw) -> list[str]:
    """The site's feeds that bring what the draw needs; in a rehearsal, every feed of the recording."""
    if not engine.settings.feeds:
        return sorted(engine.sequences)
    return [feed for feed, brings in engine.settings.feeds.items() if set(brings) & set(draw.plan.needs)]


def note_outage(engine: Engine, now: int) -> None:
    """Log what was overdue while nothing could be tried, before anything else is logged."""
    if _overdue(engine, now):
        with engine.change() as work:
            append_outages(engine, work, now)


def append_outages(engine: Engine, work: UnitOfWork, now: int) -> None:
    """Put off every overdue try of every draw, in one transaction.

    One after the other would not do: killed between two of them and started again later, the core would find the
    first one's entry within the outage of the second (draw record, "outage": no entry lies in it).
    """
    at = work.instant(now)
    for draw, turn in _overdue(engine, now):
        _append(work, draw, at, "selection.postponed", _turn_data(turn) | {"reason": "outage"})


def _overdue(engine: Engine, now: int) -> list[tuple[OpenDraw, Turn]]:
    return [
        (draw, turn)
        for draw in engine.draws.values()
        if draw.state.closed_at is None
        for turn in draw.state.turns_due(now)
        if now > turn.due + draw.state.terms["lateness_ms"]
    ]


def select_due(engine: Engine, now: int) -> bool:
    """Take every turn that is due and not overdue; True when anything was done."""
    done = False
    for draw in list(engine.draws.values()):
        if draw.state.closed_at is None:
            for turn in draw.state.turns_due(now):
                take_turn(engine, draw, turn, now)
                done = True
    return done


def take_turn(engine: Engine, draw: OpenDraw, turn: Turn, now: int) -> None:
    """One try of one turn: a selection, a postponement or a lapse, whichever the rules ask for at `now`."""
    state = draw.state
    if turn.moment is not None and now >= state.end and turn.tries:
        lapse_moment(engine, draw, turn, now)
    elif reasons := reasons_not_to_select(engine, draw, now):
        postpone(engine, draw, turn, now, reasons[0].postpones)
    elif turn.after_outage and _just_selected(draw, now):
        postpone(engine, draw, turn, now, "queue")
    else:
        select(engine, draw, turn, now)


def _just_selected(draw: OpenDraw, now: int) -> bool:
    """After an outage the crews are handed one selection every `retry_ms`, not six at once."""
    last = draw.state.last_made_at()
    return last is not None and now - last < int(draw.state.terms["retry_ms"])


def postpone(engine: Engine, draw: OpenDraw, turn: Turn, now: int, reason: str) -> None:
    """Log that this try was put off; the next is due `retry_ms` later."""
    with engine.change() as work:
        at = work.instant(now)
        _append(work, draw, at, "selection.postponed", _turn_data(turn) | {"reason": reason})


def lapse_moment(engine: Engine, draw: OpenDraw, turn: Turn, now: int) -> None:
    """A moment that found no winner before the end: carried to the next session, or lost with the session."""
    with engine.change() as work:
        at = work.instant(now)
        _append(work, draw, at, "selection.lapsed", _turn_data(turn) | _lapse(engine, draw, at, "session_end"))


def _lapse(engine: Engine, draw: OpenDraw, at: int, otherwise: str) -> dict[str, Any]:
    target = may_carry(engine, draw, at)
    return {"reason": otherwise} if target is None else {"reason": "carried", "to": target}


def _turn_data(turn: Turn) -> dict[str, Any]:
    return {"place": turn.place, "moment": turn.moment, "after": turn.after}


def _append(work: UnitOfWork, draw: OpenDraw, at: int, kind: str, data: Mapping[str, Any]) -> int:
    return work.append(at=at, kind=kind, draw=draw.state.id, actor="engine", data=data).seq


def judge_floor(engine: Engine, draw: OpenDraw, place: int | None, now: int) -> Judgement:
    """Everyone carded on the floor at `now`, judged for an award (None: for the pool size alone)."""
    book, plan = draw.book, draw.plan
    day = calendar.gaming_day(book, now)
    audience = calendar.audience_on(book, day)
    start, end = calendar.session_bounds(book, plan, draw.day)
    return judge(
        engine.floor.at(now),
        engine.lists,
        t=now,
        promotion_day=calendar.is_promotion_day(book, day),
        start=start,
        end=end,
        tiers=audience.tiers if audience else (),
        zones=audience.zones if audience else (),
        criteria=plan.criteria,
        min_age=book.min_age,
        exclude=book.exclude,
        excluded_feeds=frozenset(draw.state.excluded_feeds),
        failed=failed_persons(engine, draw, place),
        at_limit=persons_at_limit(engine, draw, now),
    )


def _judge_basis(engine: Engine, draw: OpenDraw, place: int, now: int) -> Judgement:
    """A re-selection at or after the end: the members of the last pool before it, less who may not win any more."""
    basis = draw.state.last_pool_before_end
    members = {} if basis is None or draw.plan.after_end != "last_pool" else engine.members_of(draw, basis.id)
    return judge_after_end(
        members,
        engine.lists,
        t=now,
        exclude=draw.book.exclude,
        failed=failed_persons(engine, draw, place),
        at_limit=persons_at_limit(engine, draw, now),
    )


def failed_persons(engine: Engine, draw: OpenDraw, place: int | None) -> frozenset[str]:
    """Persons whose claim failed on this award of this day, in this draw or the one it was carried from."""
    return frozenset(
        other.rows[ordinal].person
        for other in engine.draws.values()
        if other.book.id == draw.book.id and other.plan.group == draw.plan.group  # each group counts from award 1
        if other.day == draw.day and place in other.state.places
        for ordinal in other.state.failed_ordinals(place or 0)
    )


def persons_at_limit(engine: Engine, draw: OpenDraw, now: int) -> frozenset[str]:
    """Persons who have won as often as a limit allows; a running claim counts.

    Counted by whom the lists know at `now`: a lower number that joined since a win must not begin the count anew.
    """
    person_of = engine.lists.at(now).person_of
    reached: set[str] = set()
    for limit in draw.plan.limits:
        wins: dict[str, int] = {}
        for other in engine.draws.values():
            if other.book.id == draw.book.id and _in_scope(limit.scope, other, draw):
                for ordinal, row in other.rows.items():
                    if wins_count(other, ordinal):
                        m = person_of(row.person).m
                        wins[m] = wins.get(m, 0) + 1
        reached |= {person for person, count in wins.items() if count >= limit.max}
    return frozenset(reached)


def _in_scope(scope: str, other: OpenDraw, draw: OpenDraw) -> bool:
    return {
        "draw": other.state.id == draw.state.id,
        "day": other.day == draw.day,
        "promotion": True,
    }.get(scope, other.plan.group == scope)


def select(engine: Engine, draw: OpenDraw, turn: Turn, now: int) -> None:
    """Judge first, then in one transaction freeze the pool, select and open the claim; or note an empty pool."""
    after_end = turn.after is not None and now >= draw.state.end
    began = engine.clock.now()
    judged = _judge_basis(engine, draw, turn.place, now) if after_end else judge_floor(engine, draw, turn.place, now)
    engine.judging_ms = engine.clock.now() - began
    refs = engine.refs_of(draw, [entrant.person for entrant in judged.entrants])
    pool = Pool.equal(refs[entrant.person] for entrant in judged.entrants) if judged.entrants else None
    with engine.change() as work:
        at = work.instant(now)
        pool_id = None if pool is None else f"p{len(draw.state.pools)}"
        digest = sha256(judged.verdicts)
        seq = _append(work, draw, at, "pool.judged", {"pool": pool_id, "verdicts": digest})
        work.add_judgement(seq=seq, draw=draw.state.id, at=at, pool_id=pool_id, verdicts=judged.verdicts)
        if pool is None or pool_id is None:
            _nobody(engine, work, draw, turn, at, after_end=after_end)
            return
        basis = draw.state.last_pool_before_end.id if after_end and draw.state.last_pool_before_end else None
        _freeze(engine, work, draw, pool_id, pool, judged, at, basis)
        row = _draw_one(work, draw, turn, pool_id, pool, judged, at)
        draw.rows[row.ordinal] = row  # should the transaction fail, memory is read again


def _nobody(engine: Engine, work: UnitOfWork, draw: OpenDraw, turn: Turn, at: int, *, after_end: bool) -> None:
    if after_end and draw.plan.after_end == "none":
        _append(work, draw, at, "selection.lapsed", _turn_data(turn) | {"reason": "unfilled"})
    elif after_end:
        _append(work, draw, at, "selection.lapsed", _turn_data(turn) | _lapse(engine, draw, at, "unfilled"))
    else:
        _append(work, draw, at, "selection.postponed", _turn_data(turn) | {"reason": "empty_pool"})


def _freeze(
    engine: Engine,
    work: UnitOfWork,
    draw: OpenDraw,
    pool_id: str,
    pool: Pool,
    judged: Judgement,
    at: int,
    basis: str | None,
) -> None:
    data = {
        "id": pool_id,
        "size": pool.size,
        "total": str(pool.total),
        "root": pool.root,
        "left_out": dict(judged.left_out),
        "journal": None if engine.journal is None else engine.journal.prefix(),
        "basis": basis,
    }
    _append(work, draw, at, "pool.frozen", data)
    work.add_pool(draw.state.id, pool_id, frozen_at=at, pool=pool)


def _draw_one(
    work: UnitOfWork,
    draw: OpenDraw,
    turn: Turn,
    pool_id: str,
    pool: Pool,
    judged: Judgement,
    at: int,
) -> SelectionRow:
    ordinal = len(draw.state.selections)
    texts = [text for _, _, text in draw.state.public]
    ticket = selection.ticket(
        draw.seed,
        draw=draw.state.id,
        ordinal=ordinal,
        root=pool.root,
        size=pool.size,
        total=pool.total,
        public=selection.public_digest(texts),
    )
    ref, _ = pool.entry_at(ticket)
    chosen = next(entrant for entrant in judged.entrants if draw.refs[entrant.person] == ref)
    made = {
        **_turn_data(turn),
        "ordinal": ordinal,
        "pool": pool_id,
        "public_count": len(texts),
        "ticket": str(ticket),
        "ref": ref.hex(),
        "position": chosen.position,
    }
    _append(work, draw, at, "selection.made", made)
    row = SelectionRow(
        draw=draw.state.id,
        ordinal=ordinal,
        made_at=at,
        place=turn.place,
        pool=pool_id,
        ref=ref.hex(),
        position=chosen.position,
        person=chosen.person,
        member=chosen.member,
        card=chosen.card,
    )
    work.add_selection(row)
    _append(work, draw, at, "claim.opened", {"claim": f"c{ordinal}", "ordinal": ordinal})
    work.open_claim(draw.state.id, ordinal, at=at)
    return row
