"""How many awards a group may still give (rule 5; ambiguity A-SS-02: a day's, a session's or the promotion's quota).

What counts is an award that is filled (paid, held or refused at the signature) or has a claim running, never an
attempt: a failed one gives its award back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from draw_engine.calendar import award_numbers
from draw_engine.errors import Refused
from draw_engine.rule_book import AwardGroup, DrawPlan, RuleBook


@dataclass(frozen=True, slots=True)
class Taken:
    """The group's awards that are filled or have a claim running: in this draw, this gaming day, the whole promotion.

    A carried award counts in the draw and on the day that filled it. The wider number holds the narrower one.
    """

    session: int = 0
    day: int = 0
    promotion: int = 0

    def of(self, scope: str) -> int:
        """The count for a group's `per`."""
        return {"session": self.session, "day": self.day, "promotion": self.promotion}[scope]


def awards_left(group: AwardGroup, taken: Taken) -> int:
    """How many more claims may be opened before the quota is reached; 0 or more."""
    return max(0, group.quota - taken.of(group.per))


def require_award_left(group: AwardGroup, taken: Taken) -> None:
    """Refuses `SS_SELECTION_QUOTA_REACHED` when filled and running awards already make up the quota."""
    if awards_left(group, taken) == 0:
        span = {"session": "this session", "day": "today", "promotion": "this promotion"}[group.per]
        raise Refused(
            "SS_SELECTION_QUOTA_REACHED",
            f"All {group.quota} awards of {group.id} for {span} are won or being claimed; make no further selection.",
        )


def places_at_opening(
    book: RuleBook, plan: DrawPlan, *, carried: Sequence[int] = (), taken: Taken | None = None
) -> tuple[int, ...]:
    """The award numbers a draw opens with: those carried to it first, then its own, no more than the quota leaves."""
    left = awards_left(book.group_of(plan), taken or Taken())
    return (*carried, *award_numbers(book, plan))[:left]
