"""What becomes of prizes nobody came for: their last day ends, their envelopes go back (SS-077; ambiguity A-SS-20)."""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from typing import Any

from draw_engine import calendar
from draw_engine import envelopes as envelope_rules
from draw_engine import held as rules
from draw_engine.errors import Refused
from draw_engine.service import envelopes, printing
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.held_prizes import about, note_move, terms_of
from draw_engine.service.ports import UnitOfWork
from draw_engine.service.prize_ports import HeldRow
from draw_engine.service.roles import two_actors

_RETURNED = "returned"


def give_back(engine: Engine, draw: OpenDraw, ordinal: int, *, by: str, second: str, now: int) -> None:
    """Two people return an envelope nobody is to have any more: expired, refused by its winner, or voided.

    One of them is from marketing or a manager. Raises Refused X_CLAIM_STATE where none is to be returned.
    """
    people = envelopes.counters(engine, by, second)
    kept = engine.store.envelope_of(draw.state.id, ordinal)
    if kept is None or kept.state != envelope_rules.TO_RETURN:
        raise Refused("X_CLAIM_STATE", f"Claim c{ordinal} has no envelope that is to be returned.")
    row = engine.store.held_prize(draw.state.id, ordinal)
    giver, taker = two_actors(engine, by, second)
    with engine.change() as work:
        at = work.instant(now)
        work.put_envelope(kept.pocket, envelope_rules.RETURNED, at=at)
        if row is not None:
            note_move(work, row, row.custody, _RETURNED, giver, taker, at)
        if row is not None and row.state == rules.TO_RETURN:
            work.put_held(draw.state.id, ordinal, state=rules.RETURNED, settled_at=at)
        data = {"claim": f"c{ordinal}", "ordinal": ordinal, "pocket": kept.pocket, "by": people}
        work.append(at=at, kind="prize.returned", draw=draw.state.id, actor=giver, data=data)


def expire_due(engine: Engine, now: int) -> bool:
    """Prizes whose last day is over are not paid out any more: to be returned, and on a printed list (SS-077).

    Nothing is selected again. Idempotent; asked at every tick, it looks into the database only when it must.
    """
    today = calendar.local(engine.zone, now).date()
    if not any(_may_be_over(draw, today) for draw in engine.draws.values()):
        return False
    rows = engine.store.held_overdue(today.isoformat())
    if not rows:
        return False
    with engine.change() as work:
        at = work.instant(now)
        for row in rows:
            if row.pocket is None:
                work.put_held(row.draw, row.ordinal, state=rules.RETURNED, settled_at=at)
            else:
                work.put_held(row.draw, row.ordinal, state=rules.TO_RETURN)
                envelopes.take_back(engine, work, row.pocket, at)
            work.append(at=at, kind="prize.overdue", draw=None, actor="engine", data=about(row))
        _queue_return_lists(engine, work, [row for row in rows if row.pocket is not None], today, at)
    return True


def _may_be_over(draw: OpenDraw, today: date) -> bool:
    return draw.book.held is not None and (today - draw.day).days > draw.book.held.days


def _queue_return_lists(engine: Engine, work: UnitOfWork, rows: list[HeldRow], today: date, at: int) -> None:
    """One list for each desk of each promotion, of the envelopes it has to give back."""
    lists: defaultdict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        draw = engine.draw(row.draw)
        award = draw.state.selections[row.ordinal].place
        line = {"pocket": row.pocket, "claim": f"c{row.ordinal}", "award": award, "claim_by": row.claim_by}
        lists[draw.book.title, terms_of(draw).desk].append(line)
    for (promotion, desk), pockets in lists.items():
        data = {"promotion": promotion, "desk": desk, "day": today.isoformat(), "pockets": pockets}
        printing.queue(work, kind="return_list", use=printing.SLIPS, data=data, at=at)
