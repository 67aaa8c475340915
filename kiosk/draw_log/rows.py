"""The draw log's rows: selections with what became of them, narrowed by filters, read beside the engine's thread.

A reading connection sees what was committed, and holds nothing up: neither the engine nor its transactions.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, Select, and_, case, func, or_, select, tuple_

from draw_engine.draw_state import FILLED
from draw_engine.store import tables
from draw_engine.store.prize_tables import contact_attempts, held_prizes, register_entries
from draw_engine.store.repositories import TableStore
from draw_engine.store.tables import millis

_S, _C, _D, _H = tables.selections, tables.claims, tables.draws, held_prizes
_AT_ONCE = 400
"""How many members, positions or draws one statement names: the parameters of a statement are limited."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Filters:
    """What to show. Days are ISO dates; "" leaves a filter out. `outcome`: a claim's, or "running".

    `award`: an award's number, or part of a position, a pocket or a draw's title.
    """

    first_day: str = ""
    last_day: str = ""
    session: str = ""
    draw: str = ""
    crew: str = ""
    outcome: str = ""
    tier: str = ""
    zone: str = ""
    award: str = ""

    def asked(self) -> dict[str, str]:
        """Those that are set, by name."""
        return {name: value for name in Filters.__slots__ if (value := getattr(self, name))}


@dataclass(frozen=True, slots=True)
class LogRow:
    """One selection and its claim; instants in ms, None = it did not happen. `crew`: who had it last, an actor.

    `register`: the entry of the register that stood when it was made. `voided_since`: after the draw's close.
    """

    draw: str
    ordinal: int
    made_at: int
    place: int
    attempt: int
    position: str
    person: str = field(repr=False)
    member: str = field(repr=False)
    card: str | None = field(repr=False)
    pool: str
    crew: str | None
    arrival: str | None
    review: str | None
    announced_at: int | None
    deadline_at: int | None
    presented_at: int | None
    ended_at: int | None
    outcome: str | None
    prize: int | None
    pocket: str | None
    register: int | None
    held_state: str | None
    contacts: int
    voided_since: bool
    code: str
    announcer: str | None


def voided_since(connection: Connection) -> set[tuple[str, int]]:
    """The claims that were voided after their draw's close: the record does not show it, the log does."""
    log = tables.log_entries
    after = and_(log.c.draw == _D.c.id, log.c.seq > _D.c.closed_seq)  # by the index on (draw, seq): little is read
    told = select(log.c.draw, log.c.data).join(_D, after).where(log.c.kind == "award.voided")
    rows = connection.execute(told).all()
    return {(row.draw, int(json.loads(row.data)["ordinal"])) for row in rows}


# -- narrowing ----------------------------------------------------------------------------------------------------


class Narrowed:
    """The rows that filters leave, newest draw first, in it the last selection first.

    `titled`: ids of the draws whose title holds the text asked for; `in_tier`, `in_zone`: the members and positions
    the lists name for the tier and the zone asked for (None: not asked).
    """

    def __init__(
        self,
        connection: Connection,
        asked: Filters,
        *,
        titled: Collection[str] = (),
        in_tier: Collection[str] | None = None,
        in_zone: Collection[str] | None = None,
    ) -> None:
        self._connection = connection
        self._voided = voided_since(connection)
        self._where = _where(asked, self._voided, titled)
        for column, wanted in ((_S.c.member, in_tier), (_S.c.position, in_zone)):
            if wanted is not None:
                self._where.append(self._one_of(column, wanted))

    def _one_of(self, column: Any, wanted: Collection[str]) -> Any:
        """Only what was ever selected is named in the statement: a list has far more members than winners."""
        there = {value for (value,) in self._connection.execute(select(column).distinct())}
        found = sorted(value for value in there if value in wanted)
        return or_(False, *(column.in_(part) for part in _parts(found)))  # noqa: FBT003 - SQLAlchemy's own "nothing"

    def count(self) -> int:
        """How many rows there are."""
        return int(self._connection.execute(_joined(select(func.count())).where(*self._where)).scalar_one())

    def page(self, number: int, size: int) -> list[LogRow]:
        """Page `number`, from 1."""
        return self._rows(limit=size, offset=(number - 1) * size)

    def all(self) -> Iterator[LogRow]:
        """Every row, read part by part."""
        with self._connection.execute(self._asked(), execution_options={"yield_per": _AT_ONCE}) as found:
            for rows in found.partitions():
                yield from _filled(self._connection, rows, self._voided)

    def _rows(self, *, limit: int, offset: int) -> list[LogRow]:
        rows = self._connection.execute(self._asked().limit(limit).offset(offset)).all()
        return _filled(self._connection, rows, self._voided)

    def _asked(self) -> Select[Any]:
        return _joined(_columns()).where(*self._where).order_by(_D.c.opened_seq.desc(), _S.c.ordinal.desc())


def crew_of(connection: Connection) -> list[str]:
    """The actors that ever had a claim."""
    asked = select(_C.c.taken_by).where(_C.c.taken_by.is_not(None)).distinct()
    return [actor for (actor,) in connection.execute(asked)]


def counts_of(connection: Connection, draws: Sequence[str]) -> dict[str, tuple[int, int]]:
    """By draw (selections, awards filled); one without a selection is left out."""
    filled = func.sum(case((_C.c.outcome.in_(sorted(FILLED)), 1), else_=0))
    found: dict[str, tuple[int, int]] = {}
    for part in _parts(draws):
        asked = _joined(select(_S.c.draw, func.count(), filled)).where(_S.c.draw.in_(part)).group_by(_S.c.draw)
        found |= {row[0]: (row[1], row[2]) for row in connection.execute(asked)}
    return found


def contacts_of(connection: Connection, draw: str) -> Sequence[Row[Any]]:
    """Every attempt to reach a guest of the draw, oldest first: ordinal, attempted_at, channel, outcome, by."""
    tried = contact_attempts
    asked = select(*(tried.c[name] for name in ("ordinal", "attempted_at", "channel", "outcome", "by")))
    return connection.execute(asked.where(tried.c.draw == draw).order_by(tried.c.id)).all()


def rows_of_draw(connection: Connection, draw: str) -> list[LogRow]:
    """Every selection of one draw, the first one first."""
    asked = _joined(_columns()).where(_S.c.draw == draw).order_by(_S.c.ordinal)
    return _filled(connection, connection.execute(asked).all(), voided_since(connection))


def _joined(asked: Select[Any]) -> Select[Any]:
    of_claim = and_(_C.c.draw == _S.c.draw, _C.c.ordinal == _S.c.ordinal)
    of_prize = and_(_H.c.draw == _S.c.draw, _H.c.ordinal == _S.c.ordinal)
    return asked.select_from(_S).join(_D, _D.c.id == _S.c.draw).outerjoin(_C, of_claim).outerjoin(_H, of_prize)


def _columns() -> Select[Any]:
    registered = (
        select(func.max(register_entries.c.id))
        .where(
            register_entries.c.day == _D.c.gaming_day,
            or_(register_entries.c.person == _S.c.person, register_entries.c.member == _S.c.member),
            register_entries.c.signed_at < _S.c.made_at,
            or_(register_entries.c.withdrawn_at.is_(None), register_entries.c.withdrawn_at >= _S.c.made_at),
        )
        .scalar_subquery()
    )
    return select(
        *(
            _S.c[name]
            for name in ("draw", "ordinal", "made_at", "place", "position", "person", "member", "card", "pool")
        ),
        *(_C.c[name] for name in ("taken_by", "arrival", "review", "announced_at", "deadline_at", "presented_at")),
        *(_C.c[name] for name in ("ended_at", "outcome", "prize")),
        func.coalesce(_C.c.pocket, _H.c.pocket).label("pocket"),
        _H.c.state.label("held_state"),
        registered.label("register"),
    )


def _where(asked: Filters, voided: Collection[tuple[str, int]], titled: Collection[str]) -> list[Any]:
    promotion, _, plan = asked.session.rpartition("/")
    given = {
        _D.c.promotion: promotion,
        _D.c.plan: plan,
        _S.c.draw: asked.draw,
        _C.c.taken_by: asked.crew,
    }
    where: list[Any] = [column == value for column, value in given.items() if value]
    if asked.first_day:
        where.append(_D.c.gaming_day >= asked.first_day)
    if asked.last_day:
        where.append(_D.c.gaming_day <= asked.last_day)
    if asked.outcome:
        where.append(_outcome(asked.outcome, voided))
    if asked.award:
        where.append(_award(asked.award, titled))
    return where


def _outcome(outcome: str, voided: Collection[tuple[str, int]]) -> Any:
    if outcome == "running":
        return _C.c.outcome.is_(None)
    if outcome == "voided" and voided:
        return or_(_C.c.outcome == "voided", tuple_(_S.c.draw, _S.c.ordinal).in_(sorted(voided)))
    return _C.c.outcome == outcome


def _award(text: str, titled: Collection[str]) -> Any:
    if text.isascii() and text.isdigit() and len(text) < 10:
        return _S.c.place == int(text)
    pocket = func.lower(func.coalesce(_C.c.pocket, _H.c.pocket, ""))
    low = text.lower()
    return or_(
        func.lower(_S.c.position).contains(low, autoescape=True),
        pocket.contains(low, autoescape=True),
        *(_S.c.draw.in_(part) for part in _parts(sorted(titled))),
    )


def _parts(values: Sequence[T]) -> Iterator[Sequence[T]]:
    for first in range(0, len(values), _AT_ONCE):
        yield values[first : first + _AT_ONCE]


# -- what the log and other tables add ----------------------------------------------------------------------------

_CODES = {"claim.mismatch": "code", "claim.card_misused": "code", "claim.review": "reason"}
"""Kinds of the log that say why, and the member that has the code. A later one stands for an earlier one."""
_BY_OUTCOME = {
    "held": "SS_NO_SHOW_REGISTERED",
    "expired": "SS_NO_SHOW_NOT_REGISTERED",
    "refused": "SS_SIGNATURE_REFUSED",
}


def _filled(connection: Connection, rows: Sequence[Row[Any]], voided: Collection[tuple[str, int]]) -> list[LogRow]:
    draws = sorted({row.draw for row in rows})
    attempts = _attempts(connection, draws)
    codes, announcers = _told(connection, draws)
    contacts = _contacts(connection, draws)
    return [
        LogRow(
            draw=row.draw,
            ordinal=row.ordinal,
            made_at=millis(row.made_at),
            place=row.place,
            attempt=attempts[row.draw, row.ordinal],
            position=row.position,
            person=row.person,
            member=row.member,
            card=row.card,
            pool=row.pool,
            crew=row.taken_by,
            arrival=row.arrival,
            review=row.review,
            announced_at=_at(row.announced_at),
            deadline_at=_at(row.deadline_at),
            presented_at=_at(row.presented_at),
            ended_at=_at(row.ended_at),
            outcome=row.outcome,
            prize=row.prize,
            pocket=row.pocket,
            register=row.register,
            held_state=row.held_state,
            contacts=contacts.get((row.draw, row.ordinal), 0),
            voided_since=(row.draw, row.ordinal) in voided,
            code=_BY_OUTCOME.get(row.outcome or "") or codes.get((row.draw, row.ordinal), ""),
            announcer=announcers.get((row.draw, row.ordinal)),
        )
        for row in rows
    ]


def _at(moment: Any) -> int | None:
    return None if moment is None else millis(moment)


def _attempts(connection: Connection, draws: Sequence[str]) -> dict[tuple[str, int], int]:
    """Which try at its award each selection of these draws was, from 1."""
    seen: dict[tuple[str, int], int] = defaultdict(int)
    attempts = {}
    for part in _parts(draws):
        asked = select(_S.c.draw, _S.c.ordinal, _S.c.place).where(_S.c.draw.in_(part))
        for row in connection.execute(asked.order_by(_S.c.draw, _S.c.ordinal)):
            seen[row.draw, row.place] += 1
            attempts[row.draw, row.ordinal] = seen[row.draw, row.place]
    return attempts


def _told(
    connection: Connection, draws: Sequence[str]
) -> tuple[dict[tuple[str, int], str], dict[tuple[str, int], str]]:
    """Of each claim the code the log has for it, and who announced it: what the claims' table does not hold."""
    log = tables.log_entries
    codes: dict[tuple[str, int], str] = {}
    announcers: dict[tuple[str, int], str] = {}
    for part in _parts(draws):
        kinds = [*_CODES, "claim.announced"]
        asked = select(log.c.draw, log.c.kind, log.c.actor, log.c.data).where(log.c.draw.in_(part))
        for row in connection.execute(asked.where(log.c.kind.in_(kinds)).order_by(log.c.seq)):
            data = json.loads(row.data)
            if row.kind in _CODES:
                codes[row.draw, data["ordinal"]] = data[_CODES[row.kind]]
            else:
                announcers[row.draw, data["ordinal"]] = row.actor
    return codes, announcers


def _contacts(connection: Connection, draws: Sequence[str]) -> Mapping[tuple[str, int], int]:
    tried = contact_attempts
    found: dict[tuple[str, int], int] = {}
    for part in _parts(draws):
        asked = select(tried.c.draw, tried.c.ordinal, func.count()).where(tried.c.draw.in_(part))
        found |= {(row[0], row[1]): row[2] for row in connection.execute(asked.group_by(tried.c.draw, tried.c.ordinal))}
    return found


def reading(store: TableStore) -> Any:
    """A connection that reads, as a context: one view of the database from its first statement on."""
    return store._reading()  # noqa: SLF001 - the store has no other name for it yet
