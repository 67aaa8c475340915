"""The guest behind a selection: never in the log or the record, asked for where a person is served."""

from __future__ import annotations

from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.service.ports import SelectionRow


def numbers(engine: Engine, row: SelectionRow, at: int) -> frozenset[str]:
    """Every number the guest is known by at an instant."""
    return frozenset({row.person, row.member, *engine.lists.at(at).person_of(row.member).numbers})


def full_name(engine: Engine, draw: OpenDraw, ordinal: int) -> str:
    """First and last name as the members' list has them now; "" when it has not."""
    member = engine.member_at(draw.rows[ordinal].member, engine.now())
    return "" if member is None else f"{member.first_name} {member.last_name}".strip()


def last_four(draw: OpenDraw, ordinal: int) -> str:
    """The last four of the card that was played, else of the member number."""
    row = draw.rows[ordinal]
    return (row.card or row.member)[-4:]
