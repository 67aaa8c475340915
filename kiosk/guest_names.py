"""How guests are named in public, and whether a call could be taken by somebody else of the same name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from draw_engine.claim_moves import ANNOUNCED, NOT_THERE, stage_of
from draw_engine.draw_state import Claim
from draw_engine.service.engine import Engine, OpenDraw
from web_display import screens


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


def collides(engine: Engine, draw: OpenDraw, claim: Claim) -> bool:
    """Whether another guest could take the claim's call for theirs: one of the pool it was drawn from, or another whom
    the stage calls now or next. To be asked before the claim is announced as well as after.
    """
    return collides_among(engine, draw, claim, called_persons(engine, list(engine.draws.values())))


def collides_among(engine: Engine, draw: OpenDraw, claim: Claim, called: Mapping[str, set[str]]) -> bool:
    """As `collides`, where who is called by which name (`called_persons`) is known already."""
    own, person = _called(engine, draw, claim.ordinal), draw.rows[claim.ordinal].person
    if called.get(own, set()) - {person}:
        return True
    return any(name == own and other != person for other, name in _pool_called(engine, draw, claim.ordinal).items())


def called_persons(engine: Engine, draws: Sequence[OpenDraw]) -> dict[str, set[str]]:
    """Who is called by which name, of those whose call waits or whose clock runs."""
    called: dict[str, set[str]] = {}
    for draw in draws:
        for claim in draw.state.running():
            if stage_of(claim) in {NOT_THERE, ANNOUNCED}:
                called.setdefault(_called(engine, draw, claim.ordinal), set()).add(draw.rows[claim.ordinal].person)
    return called


def _called(engine: Engine, draw: OpenDraw, ordinal: int) -> str:
    return screens.spoken_name(draw.book.screen_name, *names_of(engine, draw, ordinal)).casefold()


def _pool_called(engine: Engine, draw: OpenDraw, ordinal: int) -> Mapping[str, str]:
    """Person -> what is called out for them, of the pool a claim was drawn from; worked out once a pool."""
    pool = draw.rows[ordinal].pool
    called = draw.called.get(pool)
    if called is None:
        called = draw.called[pool] = {}
        for person, basis in engine.members_of(draw, pool).items():
            member = engine.member_at(basis.member, engine.now())
            if member is not None:
                last4 = screens.last_four(basis.card, basis.member)
                spoken = screens.spoken_name(draw.book.screen_name, member.first_name, member.last_name, last4)
                called[person] = spoken.casefold()
    return called


def called_in_pool(engine: Engine, draw: OpenDraw, ordinal: int) -> list[str]:
    """What is called out for everybody else in the pool a claim was drawn from."""
    person = draw.rows[ordinal].person
    return [name for other, name in _pool_called(engine, draw, ordinal).items() if other != person]
