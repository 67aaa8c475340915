"""The draw log in words: what the engine is asked for in one glance, and each selection as a row to read.

The glance takes what does not change any more once it is taken (a closed draw's facts, the lists of this instant); all
else is read beside the engine's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, cast

from draw_engine.errors import Refused
from draw_engine.lists import ListsAt
from draw_engine.service.engine import Engine, OpenDraw
from draw_engine.store.repositories import TableStore
from kiosk.draw_log.rows import Filters, LogRow
from web_display import screens
from web_display.catalogue import LANGUAGES, say
from web_display.console_messages import StaffMember

OUTCOMES = ("running", "confirmed", "held", "refused", "expired", "not_rightful_card", "ineligible", "voided")
_MARKS = {"running": "wait", "confirmed": "won", "held": "held", "refused": "held"}


@dataclass(frozen=True, slots=True)
class DrawFacts:
    """What is fixed of a draw from its opening on, and when it closed (None: open). `session`: "promotion/plan"."""

    id: str
    title: str
    session: str
    day: date
    zone: str
    currency: str
    named: str
    places: tuple[int, ...]
    opened_at: int
    opened_seq: int
    closed_at: int | None
    closed_seq: int | None

    @property
    def title_day(self) -> str:
        """As "Session 1, Saturday 7 October 2023"."""
        return say("draws.title_day", title=self.title, day=day_text(self.day))

    @property
    def href(self) -> str:
        """The address of its page."""
        return f"/console/draws/{self.id}"

    def time(self, at: int | None) -> str:
        """As "14:18:05"; "" for what did not happen."""
        return "" if at is None else screens.time_text_seconds(at, self.zone)


@dataclass(frozen=True, slots=True)
class Glance:
    """The engine at one instant, for whoever goes on reading beside its thread. `draws`: newest first.

    Of `engine` nothing may be asked but what any thread may ask: its store, its vault, a closed draw.
    """

    engine: Engine = field(repr=False)
    now: int
    lists: ListsAt = field(repr=False)
    draws: Mapping[str, DrawFacts]

    @property
    def store(self) -> TableStore:
        return cast("TableStore", self.engine.store)

    def draw(self, draw_id: str) -> DrawFacts:
        """A draw's facts. Raises Refused X_NO_SUCH_DRAW."""
        found = self.draws.get(draw_id)
        if found is None:
            raise Refused("X_NO_SUCH_DRAW", "There is no such draw. The draw log lists the draws there are.")
        return found

    def zone_of(self, position: str) -> str:
        """The zone of a position as the list has it now; a table's seat lies where the table does."""
        row = self.lists.positions.get(position) or self.lists.positions.get(position.rpartition("/")[0])
        return "" if row is None else row.zone

    def tier_of(self, member: str) -> str:
        """The tier of a member number as the list has it now."""
        row = self.lists.members.get(member)
        return "" if row is None else row.tier

    def guest(self, facts: DrawFacts, member: str, card: str | None) -> str:
        """The guest's masked name, as the rule book lets it be shown."""
        row = self.lists.members.get(member)
        last4 = screens.last_four(card, member)
        names = ("", "") if row is None else (row.first_name, row.last_name)
        return screens.screen_name(facts.named, *names, last4)


def glance(engine: Engine) -> Glance:
    """To be asked on the engine's thread; it takes about three microseconds a draw."""
    now = engine.now()
    draws = {draw.state.id: _facts(draw) for draw in reversed(engine.draws.values())}
    return Glance(engine, now, engine.lists.at(now), draws)


def _facts(draw: OpenDraw) -> DrawFacts:
    state = draw.state
    return DrawFacts(
        id=state.id,
        title=screens.short_title(draw.plan.title, draw.book.title),
        session=f"{draw.book.id}/{draw.plan.id}",
        day=draw.day,
        zone=draw.book.zone,
        currency=draw.book.currency,
        named=draw.book.screen_name,
        places=tuple(state.terms["places"]),
        opened_at=state.opened_at,
        opened_seq=state.opened_seq,
        closed_at=state.closed_at,
        closed_seq=state.closed_seq,
    )


def day_text(day: date) -> str:
    """As "Saturday 7 October 2023"."""
    return f"{day:%A} {day.day} {day:%B} {day.year}"


def word(key: str, otherwise: str = "") -> str:
    """The catalogue's word, or `otherwise` for what has none."""
    return LANGUAGES["en"].get(key, otherwise)


# -- people ---------------------------------------------------------------------------------------------------------


class People:
    """The house's people by id, as the staff table has them, else `site.toml`."""

    def __init__(self, store: TableStore, listed: Sequence[StaffMember]) -> None:
        self._names = {person.id: person.name for person in listed} | {row.id: row.name for row in store.staff()}

    def named(self, actor: str | None) -> str:
        """The name of "crew:lerato"; "" for nobody."""
        return self._names.get((actor or "").partition(":")[2], (actor or "").partition(":")[2])

    def actor(self, actor: str) -> str:
        """As "Lerato Dlamini, crew" of "crew:lerato"; the engine's own acts are Floordraw's."""
        role, _, person = actor.partition(":")
        if not person:
            return say("draws.engine")
        return say("draws.actor", name=self._names.get(person, person), role=word(f"draws.role.{role}", role))

    def two(self, actors: Sequence[str]) -> str:
        """The names of two people."""
        return say("draws.two", first=self.named(actors[0]), second=self.named(actors[1])) if actors else ""


# -- rows -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RowWords:
    """A selection as a row of the log shows it, and its CSV has it. All text; "" = it did not happen."""

    draw: str
    ordinal: int
    href: str
    day: str
    selected: str
    award: str
    guest: str
    tier: str
    position: str
    zone: str
    outcome: str
    outcome_text: str
    mark: str
    code: str
    reason: str
    crew: str
    announcer: str
    announced: str
    left: str
    ended: str
    register: str
    prize: str
    pocket: str
    contacts: str


def row_words(seen: Glance, people: People, row: LogRow) -> RowWords:
    """One row in words."""
    facts = seen.draw(row.draw)
    outcome = row.outcome or "running"
    return RowWords(
        draw=row.draw,
        ordinal=row.ordinal,
        href=f"{facts.href}/selections/{row.ordinal}",
        day=facts.day.isoformat(),
        selected=facts.time(row.made_at),
        award=_award(row),
        guest=seen.guest(facts, row.member, row.card),
        tier=seen.tier_of(row.member),
        position=row.position,
        zone=seen.zone_of(row.position),
        outcome=outcome,
        outcome_text=say("draws.voided_since") if row.voided_since else outcome_text(outcome),
        mark="gone" if row.voided_since else mark_of(outcome),
        code=row.code,
        reason=word(f"draws.code.{row.code}"),
        crew=people.named(row.crew),
        announcer=people.named(row.announcer),
        announced=facts.time(row.announced_at),
        left=left_text(row),
        ended=facts.time(row.ended_at),
        register=say("draws.registered", entry=row.register) if row.register is not None else "",
        prize=screens.money(row.prize, facts.currency) if row.prize is not None else "",
        pocket=row.pocket or "",
        contacts=say("draws.tried", n=row.contacts) if row.contacts else "",
    )


def _award(row: LogRow) -> str:
    return say("draws.award_again" if row.attempt > 1 else "draws.award", award=row.place, attempt=row.attempt)


def outcome_text(outcome: str) -> str:
    """An outcome as the console words it."""
    return say("draws.running") if outcome == "running" else say(f"console.outcome.{outcome}")


def mark_of(outcome: str) -> str:
    """The mark beside it (`web_display/static/marks.js`)."""
    return _MARKS.get(outcome, "gone")


def left_text(row: LogRow) -> str:
    """How much of the time was left when the guest presented (SS-115): whole seconds, the rest cut."""
    if row.presented_at is None or row.deadline_at is None:
        return ""
    ms = row.deadline_at - row.presented_at
    return say("draws.left", n=ms // 1000) if ms >= 0 else say("draws.late", n=-ms // 1000)


# -- filters --------------------------------------------------------------------------------------------------------


def read_filters(given: Mapping[str, str]) -> Filters:
    """The filters of an address. Raises Refused X_VALUE_WRONG for a day that is none."""
    asked = Filters(**{name: given.get(name, "").strip()[:200] for name in Filters.__slots__})
    for day in (asked.first_day, asked.last_day):
        _require_day(day)
    if asked.outcome and asked.outcome not in OUTCOMES:
        raise Refused("X_VALUE_WRONG", "There is no such outcome. Choose one from the list.")
    return asked


def _require_day(day: str) -> None:
    try:
        fine = not day or date.fromisoformat(day).isoformat() == day
    except ValueError:
        fine = False
    if not fine:
        raise Refused("X_VALUE_WRONG", "Write the day as 2023-10-13.")


def narrowing(seen: Glance, asked: Filters) -> dict[str, Any]:
    """What `Narrowed` needs of the lists and titles for these filters."""
    text = asked.award.casefold()
    return {
        "titled": [facts.id for facts in seen.draws.values() if text and text in facts.title.casefold()],
        "in_tier": _named(asked.tier, seen.lists.members, lambda row: row.tier),
        "in_zone": _in_zone(seen, asked.zone),
    }


def _named(wanted: str, rows: Mapping[str, Any], of: Callable[[Any], str]) -> set[str] | None:
    return {name for name, row in rows.items() if of(row) == wanted} if wanted else None


class _Seats(set[str]):
    """Positions of a zone; a seat of one of its tables is in it, too."""

    def __contains__(self, position: object) -> bool:
        whole = str(position)
        return set.__contains__(self, whole) or set.__contains__(self, whole.rpartition("/")[0])


def _in_zone(seen: Glance, zone: str) -> set[str] | None:
    found = _named(zone, seen.lists.positions, lambda row: row.zone)
    return None if found is None else _Seats(found)


def choices(seen: Glance, people: People, crew: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """What each filter offers: (value, text). `crew`: the actors that ever had a claim."""
    sessions = {facts.session: facts.title for facts in seen.draws.values()}
    tiers = sorted({row.tier for row in seen.lists.members.values()})
    zones = sorted({row.zone for row in seen.lists.positions.values()})
    return {
        "session": sorted(sessions.items(), key=lambda pair: pair[1]),
        "crew": sorted(((actor, people.named(actor)) for actor in crew), key=lambda pair: pair[1]),
        "outcome": [(outcome, outcome_text(outcome)) for outcome in OUTCOMES],
        "tier": [(tier, tier) for tier in tiers],
        "zone": [(zone, zone) for zone in zones],
    }
