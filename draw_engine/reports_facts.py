"""What the reports need of one closed draw, gathered once: its selections and claims, and what each pool was made of.

Nobody is named: a person is a pseudonym. A pool knows each group's weight and who was in it (a bit a person).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Protocol

from draw_engine import verdicts
from draw_engine.draw_state import FAILED, DrawState
from draw_engine.log import Entry

DIMENSIONS = ("tier", "zone", "kind")
"""How the guests of a pool are told apart: by the played card's tier, the zone, and the kind of game."""
UNLISTED = "-"
"""The group of who or what stood in no list."""
Groups = tuple[str, str, str]
"""A person's groups in a pool, in the order of DIMENSIONS."""

_HAPPENINGS = frozenset(
    {
        *("list.loaded", "clock.stepped", "feed.excluded", "feed.seq_reused"),
        *("session.suspended", "session.resumed", "session.ended_early"),
        *("rules.loaded", "rules.locked", "rules.retired"),
    }
)
"""What is told of a draw's span beside its claims: whatever could have been changed while the pools were open."""


@dataclass(frozen=True, slots=True)
class SelectionFact:
    """One selection and its claim. `person`: a pseudonym; `groups` in the order of DIMENSIONS; times in ms.

    `again`: its place was to be selected again. `taken_by`, `announced_by`: actors; `arrival`: as in `Claim`.
    `came_late`: somebody pressed Presented after the deadline, and was refused.
    """

    ordinal: int
    at: int
    place: int
    moment: int | None
    pool: int
    person: str
    groups: Groups
    outcome: str
    again: bool
    prize: int | None
    taken_by: str | None
    arrival: str | None
    announced_by: str | None
    announced_at: int | None
    deadline_at: int | None
    presented_at: int | None
    came_late: bool
    ended_at: int

    @property
    def won(self) -> bool:
        """Paid, or held for a guest who had signed the register."""
        return self.outcome in {"confirmed", "held"}

    @property
    def no_show(self) -> bool:
        """Announced, and nobody came in time: expired, or held."""
        return self.outcome in {"expired", "held"}


@dataclass(frozen=True, slots=True)
class PoolFact:
    """A frozen pool: its total weight, the weight of each group of the draw's `groups`, and who was in it.

    `members`: a number whose bit n says whether person n of the draw was in. `weights`: by person of the draw, where
    not everybody's is 1.
    """

    total: int
    shares: tuple[tuple[int, ...], ...]
    members: int
    weights: tuple[int, ...] | None = None

    def weight_of(self, persons: int) -> int:
        """The weight in this pool of some persons, given as such a number."""
        inside = self.members & persons
        if self.weights is None:
            return inside.bit_count()
        return sum(weight for n, weight in enumerate(self.weights) if inside >> n & 1)


@dataclass(frozen=True, slots=True)
class Decision:
    """Two people decided about a claim. `what`: void, present, absent or again; `by`: two actors."""

    at: int
    ordinal: int
    what: str
    by: tuple[str, ...]
    again: bool


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that was changed, or went wrong, while the draw was open."""

    at: int
    kind: str
    actor: str
    about: str


@dataclass(frozen=True, slots=True)
class DrawFacts:
    """One closed draw. `session`: the plan's id; `record`: its record's digest; `groups`: names, as DIMENSIONS."""

    id: str
    promotion: str
    session: str
    title: str
    day: str
    zone: str
    currency: str
    day_starts_hour: int
    opened_at: int
    closed_at: int
    record: str
    rules_sha256: str
    how: str
    start: int
    end: int
    count: int
    lapsed: int
    postponed: int
    groups: tuple[tuple[str, ...], ...]
    persons: tuple[str, ...]
    pools: tuple[PoolFact, ...]
    selections: tuple[SelectionFact, ...]
    decisions: tuple[Decision, ...]
    happenings: tuple[Happening, ...]


class Chosen(Protocol):
    """Who stands behind a selection (`service.ports.SelectionRow`)."""

    @property
    def person(self) -> str: ...
    @property
    def member(self) -> str: ...
    @property
    def position(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Lookups:
    """What the facts are read with. `groups_of(at, member, position)`; `pseudonym(person)`.

    `weights_of(pool id)`: person -> weight where not everybody has one entry, else None.
    """

    groups_of: Callable[[int, str, str], Groups]
    pseudonym: Callable[[str], str]
    weights_of: Callable[[str], Mapping[str, int] | None] = lambda _pool: None


@dataclass(frozen=True, slots=True)
class Told:
    """What says which draw it is."""

    promotion: str
    session: str
    title: str
    day: str
    zone: str
    currency: str
    day_starts_hour: int


def facts_of(
    told: Told,
    state: DrawState,
    entries: Sequence[Entry],
    judged: Iterable[tuple[int, str | None, bytes]],
    chosen: Mapping[int, Chosen],
    look: Lookups,
) -> DrawFacts:
    """The facts of a closed draw. `entries`: of the log, from its opening to its closing; `judged`: as the store has
    them, (at, pool id, verdicts); `chosen`: by ordinal.
    """
    assert state.closed_at is not None
    own = [entry for entry in entries if entry.draw == state.id]
    pools = _Pools(look)
    for at, pool_id, data in judged:
        if pool_id is not None:
            pools.add(at, pool_id, data)
    terms, moments = state.terms, state.terms["moments"]
    return DrawFacts(
        id=state.id,
        **{field.name: getattr(told, field.name) for field in fields(told)},
        opened_at=state.opened_at,
        closed_at=state.closed_at,
        record=next(str(entry.data["record"]) for entry in own if entry.kind == "draw.closed"),
        rules_sha256=terms["rules_sha256"],
        how=moments["how"],
        start=state.start,
        end=state.end,
        count=len(state.places),
        lapsed=sum(1 for place in state.places.values() if place.lapse),
        postponed=sum(1 for entry in own if entry.kind == "selection.postponed"),
        selections=tuple(_selections(state, chosen, pools, look, _late(own))),
        groups=pools.groups(),
        persons=tuple(pools.persons),
        pools=pools.made(),
        decisions=tuple(_decisions(own)),
        happenings=tuple(_happenings(state.id, entries)),
    )


class _Pools:
    """The pools of a draw as they are read, each person and group numbered as it is met."""

    def __init__(self, look: Lookups) -> None:
        self._look = look
        self.persons: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        self._named: tuple[dict[str, int], ...] = ({}, {}, {})
        self._read: list[tuple[tuple[dict[int, int], ...], dict[int, int]]] = []
        self.at: dict[str, int] = {}

    def add(self, at: int, pool_id: str, data: bytes) -> None:
        weights = self._look.weights_of(pool_id)
        shares: tuple[dict[int, int], ...] = ({}, {}, {})
        members: dict[int, int] = {}
        for person, member, position in entrants(data):
            weight = 1 if weights is None else weights[person]
            members[self._number(person)] = weight
            for dimension, group in enumerate(self._look.groups_of(at, member, position)):
                n = self._group(dimension, group)
                shares[dimension][n] = shares[dimension].get(n, 0) + weight
        self.at[pool_id] = len(self._read)
        self._read.append((shares, members))

    def _number(self, person: str) -> int:
        number = self._numbers.get(person)
        if number is None:
            number = self._numbers[person] = len(self._numbers)
            self.persons[self._look.pseudonym(person)] = number
        return number

    def _group(self, dimension: int, group: str) -> int:
        return self._named[dimension].setdefault(group, len(self._named[dimension]))

    def groups(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(named) for named in self._named)

    def made(self) -> tuple[PoolFact, ...]:
        return tuple(self._pool(*read) for read in self._read)

    def _pool(self, shares: tuple[dict[int, int], ...], members: dict[int, int]) -> PoolFact:
        bits = bytearray(len(self._numbers) // 8 + 1)
        for n in members:
            bits[n >> 3] |= 1 << (n & 7)
        weights = None
        if any(weight != 1 for weight in members.values()):
            weights = tuple(members.get(n, 0) for n in range(len(self._numbers)))
        return PoolFact(
            total=sum(members.values()),
            shares=tuple(
                tuple(found.get(n, 0) for n in range(len(named)))
                for named, found in zip(self._named, shares, strict=True)
            ),
            members=int.from_bytes(bits, "little"),
            weights=weights,
        )


def entrants(data: bytes) -> Iterable[tuple[str, str, str]]:
    """(person, member, position) of everybody a judging let in: of `verdicts.read`, only what is needed here."""
    inside = f"\t{verdicts.IN}\t"
    for line in data.decode().split("\n"):
        if inside in line:
            person, code, _, _, _, member, _, position, _ = line.split("\t", 8)
            if code == verdicts.IN:
                yield person, member, position


def _late(entries: Iterable[Entry]) -> set[str]:
    """The claims of refused presses that came after the deadline."""
    pressed = (entry.data for entry in entries if entry.kind == "press.refused")
    return {str(data["claim"]) for data in pressed if data["code"] == "SS_LATE_AFTER_90S"}


def _selections(
    state: DrawState, chosen: Mapping[int, Chosen], pools: _Pools, look: Lookups, late: set[str]
) -> Iterable[SelectionFact]:
    for made, claim in zip(state.selections, state.claims, strict=True):
        who = chosen[made.ordinal]
        assert claim.outcome is not None
        assert claim.ended_at is not None
        yield SelectionFact(
            ordinal=made.ordinal,
            at=made.at,
            place=made.place,
            moment=made.moment,
            pool=pools.at[made.pool],
            person=look.pseudonym(who.person),
            groups=look.groups_of(made.at, who.member, who.position),
            outcome=claim.outcome,
            again=claim.outcome in FAILED or claim.reselect,
            prize=claim.prize,
            taken_by=claim.taken_by,
            arrival=claim.arrival,
            announced_by=claim.announced_by,
            announced_at=claim.announced_at,
            deadline_at=claim.deadline_at,
            presented_at=claim.presented_at,
            came_late=claim.id in late,
            ended_at=claim.ended_at,
        )


def _decisions(entries: Iterable[Entry]) -> Iterable[Decision]:
    for entry in entries:
        if entry.kind == "claim.voided":
            said = ("void", bool(entry.data["reselect"]))
        elif entry.kind == "claim.reviewed":
            said = (str(entry.data["decision"]), False)
        else:
            continue
        yield Decision(entry.at, entry.data["ordinal"], said[0], tuple(entry.data["by"]), said[1])


def _happenings(draw: str, entries: Iterable[Entry]) -> Iterable[Happening]:
    for entry in entries:
        if entry.kind in _HAPPENINGS and entry.draw in {None, draw}:
            about = next((str(entry.data[name]) for name in ("list", "feed", "version") if name in entry.data), "")
            yield Happening(entry.at, entry.kind, entry.actor, about)
