"""A promotion's rule book as frozen dataclasses (design "The rule book").

Standard library only. `config/` words the faults of the TOML for people; `rule_book_toml` builds the same values from
TOML that is known to be sound (the auditor's `rules.toml`), and a test compares the two. `calendar` says which days and
instants a book means.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time


@dataclass(frozen=True, slots=True)
class CalendarSpan:
    """Weekdays (0 = Monday) from `first` to `last`, both included.

    Dated exceptions are days of the span too: `only` (when not empty, just these days) and `never` (not these).
    """

    weekdays: tuple[int, ...]
    first: date
    last: date
    only: tuple[date, ...] = ()
    never: tuple[date, ...] = ()


@dataclass(frozen=True, slots=True)
class Audience:
    """One row of `[who]`: the first whose `dates` (empty = every day) hold the gaming day counts."""

    tiers: tuple[str, ...]
    zones: tuple[str, ...]
    dates: tuple[date, ...] = ()


@dataclass(frozen=True, slots=True)
class Criterion:
    """One figure of one kind of game (`slot`, `table`) for some tiers (empty = all): `max` inclusive, `min` is >=.

    Measures: idle_seconds, games, coin_in (cents), minutes, average_bet (cents), minutes_since_touch.
    """

    game: str
    measure: str
    min: int | None = None
    max: int | None = None
    tiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AwardGroup:
    """Awards with one quota: per `day`, `session` or `promotion`; `carry` = unfilled ones go to the next session."""

    id: str
    quota: int
    per: str
    carry: bool


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `max` wins a person within `scope`: `day`, `draw`, `promotion` or an award group's id."""

    scope: str
    max: int


@dataclass(frozen=True, slots=True)
class ClaimPolicy:
    """How a selected guest comes to the prize: where, how long (seconds), from when, and what satisfies it."""

    place: str
    walk_up: bool
    clock_starts: str
    seconds: int
    satisfied_by: tuple[str, ...]
    review: bool


@dataclass(frozen=True, slots=True)
class EnvelopePrize:
    """A sealed envelope with `min` to `max` cents, both included."""

    min: int
    max: int


@dataclass(frozen=True, slots=True)
class EntropySource:
    """A source of entropy from outside: its name, the literal pattern of its text, and after what it is given."""

    source: str
    pattern: str
    after: str


@dataclass(frozen=True, slots=True)
class DrawPlan:
    """One `[[draw]]` of the book: a session of `awards` places, half-open [starts, ends) in the property's zone.

    `after_end`: then a re-selection is made from the `last_pool`, by `carry` in the next session, or by `none`.
    `on` holds (failure, answer) pairs in ascending order.
    """

    id: str
    kind: str
    group: str
    awards: int
    starts: time
    ends: time
    opens_before_minutes: int
    needs: tuple[str, ...]
    title: str
    lateness_ms: int
    retry_ms: int
    entropy: tuple[EntropySource, ...]
    criteria: tuple[Criterion, ...]
    after_end: str
    claim: ClaimPolicy
    on: tuple[tuple[str, str], ...]
    limits: tuple[Limit, ...]
    prize: EnvelopePrize

    def answer_to(self, failure: str) -> str | None:
        """What `on` says follows a `no_show`, `not_rightful_card` …; None where the book is silent."""
        return dict(self.on).get(failure)


@dataclass(frozen=True, slots=True)
class Register:
    """The decline register's windows, half-open [from, to), and what it asks for."""

    windows: tuple[tuple[time, time], ...]
    in_person: bool
    contact_required: bool


@dataclass(frozen=True, slots=True)
class Held:
    """How long and where a held prize waits, and how often its winner is to be contacted at least."""

    days: int
    desk: str
    roll_if_closed: bool
    min_contact_attempts: int


@dataclass(frozen=True, slots=True)
class RuleBook:
    """Everything a promotion's printed rules say. `sha256` is of the TOML's bytes.

    `stated_total`: the cents that they state to give in all, of sessions and draws together: over it (rule 32).
    """

    sha256: str
    id: str
    property: str
    title: str
    version: str
    zone: str
    currency: str
    day_starts_at: time
    calendar: tuple[CalendarSpan, ...]
    audiences: tuple[Audience, ...]
    min_age: int
    exclude: tuple[str, ...]
    award_groups: tuple[AwardGroup, ...]
    draws: tuple[DrawPlan, ...]
    register: Register | None
    held: Held | None
    screen_name: str
    stated_total: int | None = None

    def draw(self, plan_id: str) -> DrawPlan:
        """The draw of that id. Raises KeyError when the book has none."""
        for plan in self.draws:
            if plan.id == plan_id:
                return plan
        raise KeyError(plan_id)

    def group_of(self, plan: DrawPlan) -> AwardGroup:
        """The award group whose quota the draw's awards count against. Raises KeyError when the book has none."""
        for group in self.award_groups:
            if group.id == plan.group:
                return group
        raise KeyError(plan.group)
