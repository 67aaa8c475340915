"""Opening a session although the machine's clock is not synchronised: a manager's decision and reason (X-02, X-06)."""

from __future__ import annotations

from draw_engine import calendar
from draw_engine.errors import Refused
from draw_engine.service import opening
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.people import said_reason


def open_all_the_same(engine: Engine, draw_id: str, *, by: str, reason: str, now: int) -> OpenDraw:
    """Open a session that the clock alone keeps from opening; who decided it and why stands in the log before it.

    Raises Refused: X_NO_PERMISSION; X_NO_SUCH_DRAW when no such session is due; X_ALREADY_DONE when nothing is wrong
    with the clock; else the code of what else stands in its way.
    """
    said = said_reason(reason)
    if engine.settings.staff.get(by) != "manager":
        raise Refused("X_NO_PERMISSION", "Only a manager may do this. Ask the promotions manager.")
    due = opening.due_sessions(engine, now)
    found = next((one for one in due if calendar.draw_id(one[0].rules, one[1], one[2]) == draw_id), None)
    if found is None:
        raise Refused("X_NO_SUCH_DRAW", f"No session {draw_id} waits to be opened. The console says which one does.")
    book, plan, day = found
    reasons = opening.reasons_not_to_start(engine, book.rules, plan, day, now)
    others = [one for one in reasons if one.code != opening.UNSYNCHRONISED]
    if others:
        raise Refused(others[0].code, f"{others[0].sentence} {others[0].todo}")
    if not reasons:
        raise Refused("X_ALREADY_DONE", "The clock is synchronised again; the session opens by itself.")
    engine.reference_key(book.rules.id)  # should it have to be made: not within the transaction below
    with engine.change() as work:
        data = {"session": draw_id, "reason": said}
        work.append(at=work.instant(now), kind="clock.overridden", draw=None, actor=f"manager:{by}", data=data)
        return opening.open_draw(engine, book, plan, day, now)
