"""What the lists alone say of a member number and a position: worked out once for as long as the lists say the same."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from draw_engine.list_rows import MemberRow
from draw_engine.lists import ListsAt, Person
from draw_engine.play_tests import Outcome, Tests, outcome_of
from draw_engine.rule_book import Criterion
from draw_engine.sessions import SLOT, TABLE

ZONE_NOT_QUALIFYING = outcome_of(2, "SS_ZONE_NOT_QUALIFYING")
NOT_MEMBER = outcome_of(3, "SS_NOT_MEMBER")
TIER_NOT_TARGETED = outcome_of(4, "SS_TIER_NOT_TARGETED")
EXCLUSIONS = {
    "refusal_of_entry": outcome_of(6, "SS_REFUSAL_OF_ENTRY"),
    "self_excluded": outcome_of(6, "SS_SELF_EXCLUDED"),
    "excluded_category": outcome_of(6, "SS_EXCLUDED_CATEGORY"),
    "staff_or_related": outcome_of(7, "SS_STAFF_OR_RELATED"),
}
"""By category, in the order in which the reason is named when several are in force."""
FAILED_THIS_AWARD = outcome_of(11, "SS_FAILED_THIS_AWARD")
WIN_LIMIT = outcome_of(12, "SS_WIN_LIMIT")


class Standing(NamedTuple):
    """A member number before anybody looks at play: whose it is, what stops it (None: nothing), its tier's tests."""

    person: Person
    stopped: Outcome | None
    slot: Tests
    table: Tests


class Asked(NamedTuple):
    """What one rule book asks of the lists and of play."""

    tiers: tuple[str, ...]
    zones: tuple[str, ...]
    criteria: tuple[Criterion, ...]
    min_age: int
    exclude: tuple[str, ...]


class Screen:
    """One rule book's questions to the lists of one instant; the answers are kept."""

    def __init__(self, at: ListsAt, asked: Asked) -> None:
        self._at = at
        self._asked = asked
        self._born_by = born_by(at.local_date, asked.min_age)
        self._exclusions = {category: outcome for category, outcome in EXCLUSIONS.items() if category in asked.exclude}
        self._tests: dict[str, tuple[Tests, Tests]] = {}
        self.standings: dict[str, Standing] = {}
        self.in_zone = {position for position, row in at.positions.items() if row.zone in asked.zones}

    def stand(self, member: str) -> Standing:
        """What the lists say of a member number; kept in `standings` from then on."""
        row = self._at.members.get(member)
        if row is None:
            standing = Standing(self._at.person_of(member), NOT_MEMBER, *self._tests_of(""))
        else:
            person = self._at.persons[member]
            standing = Standing(person, self._stopped(row, person), *self._tests_of(row.tier))
        self.standings[member] = standing
        return standing

    def _tests_of(self, tier: str) -> tuple[Tests, Tests]:
        tests = self._tests.get(tier)
        if tests is None:
            criteria = self._asked.criteria
            tests = self._tests[tier] = (Tests(SLOT, tier, criteria), Tests(TABLE, tier, criteria))
        return tests

    def exclusion(self, numbers: Iterable[str]) -> Outcome | None:
        """The first exclusion in force, in the order of `EXCLUSIONS`, on any of a person's numbers."""
        categories = self._at.categories(numbers)
        if categories:
            for category, outcome in self._exclusions.items():
                if category in categories:
                    return outcome
        return None

    def _stopped(self, row: MemberRow, person: Person) -> Outcome | None:
        if row.tier not in self._asked.tiers:
            return TIER_NOT_TARGETED
        if row.born > self._born_by:
            age = years(row.born, self._at.local_date)
            return outcome_of(5, "SS_UNDER_AGE", "age", age, self._asked.min_age)
        return self.exclusion(person.numbers)


def born_by(today: date, age: int) -> date:
    """The last birthday of those who are `age` years old on `today` (C9: one of 29 February comes on 1 March)."""
    try:
        return today.replace(year=today.year - age)
    except ValueError:
        return date(today.year - age, 2, 28)  # today is 29 February, and that year had none


def years(born: date, today: date) -> int:
    """Full years on `today`, a new one from 00:00 on the birthday; 29 February's is 1 March in other years (C9)."""
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))
