"""The form of one `[[draw]]` of a rule book: its keys, the kind of each value, and which variants are built.

To build a variant is to move its word from `later` to the built ones here.
"""

from __future__ import annotations

import re
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from config.fields import Form, Id, Once, PartId, Text, TrueAlone, WallTime, closed, wrong
from draw_engine import rule_book as sound

GAMES = {"slot": "slots", "table": "tables"}
"""What a draw needs to hear of for each kind of game."""
MEASURES = {
    "slot": ("idle_seconds", "games", "coin_in", "minutes"),
    "table": ("minutes", "average_bet", "minutes_since_touch"),
}
MOST = 2**53 - 1
_LATER_ANSWERS = ("redraw", "lapse", "return_entry", "jackpot", "consolation", "announce")
_DICE = re.compile(r"\[0-9\]\{([0-9]{1,3})\}")
_BEACON = re.compile(r"[0-9]{1,20}:\[0-9a-f\]\{64\}:\[0-9a-f\]\{96,192\}")


def _pattern(value: str) -> str:
    dice = _DICE.fullmatch(value)
    if (dice and 20 <= int(dice[1]) <= 60) or _BEACON.fullmatch(value):
        return value
    raise wrong("Write [0-9]{N} with N from 20 to 60 (dice), or ROUND:[0-9a-f]{64}:[0-9a-f]{96,192} (a beacon).")


Count = Annotated[int, Field(ge=1, le=10_000)]
Cents = Annotated[int, Field(ge=1, le=MOST)]
Figure = Annotated[int, Field(ge=0, le=MOST)]


class SourceForm(Form):
    """`source`: whom a selection is made from."""

    later: ClassVar = {"type": ("entries", "positions", "member_numbers")}
    type: Annotated[str, closed(("active_players",))]
    needs: Annotated[list[Annotated[str, closed(tuple(GAMES.values()))]], Once, Field(min_length=1)]


class EntropyForm(Form):
    """One source of entropy from outside."""

    source: Id
    pattern: Annotated[str, AfterValidator(_pattern)]
    after: Annotated[str, closed(("opened",), ("frozen",))]

    def built(self) -> sound.EntropySource:
        return sound.EntropySource(self.source, self.pattern, self.after)


class CriterionForm(Form):
    """One row of `criteria`."""

    game: Annotated[str, closed(tuple(GAMES))]
    measure: Annotated[str, closed(tuple(dict.fromkeys(m for some in MEASURES.values() for m in some)))]
    min: Figure | None = None
    max: Figure | None = None
    tiers: Annotated[list[Text], Once] = Field(default_factory=list)

    def built(self) -> sound.Criterion:
        return sound.Criterion(self.game, self.measure, self.min, self.max, tuple(self.tiers))


class PlanForm(Form):
    """`plan`: when the selections of a draw fall."""

    later: ClassVar = {"type": ("fixed", "hosted", "random_in_hour")}
    type: Annotated[str, closed(("spread",))]


class PoolForm(Form):
    """`pool`: what a selection is made from, and what after the end."""

    later: ClassVar = {"type": ("frozen", "without_replacement")}
    type: Annotated[str, closed(("rebuild",))]
    after_end: Annotated[str, closed(("last_pool", "carry", "none"))]


class ClaimForm(Form):
    """`claim`: how a selected guest comes to the prize."""

    place: Text
    walk_up: TrueAlone
    clock_starts: Annotated[str, closed(("announced",), ("selected", "called", "walk_up_failed"))]
    seconds: Annotated[int, Field(ge=1, le=3600)]
    satisfied_by: Annotated[
        list[
            Annotated[str, closed(("present_at_stage",), ("at_device", "told_staff", "registered", "proxy", "in_zone"))]
        ],
        Once,
        Field(min_length=1),
    ]
    review: TrueAlone

    def built(self) -> sound.ClaimPolicy:
        return sound.ClaimPolicy(
            self.place, self.walk_up, self.clock_starts, self.seconds, tuple(self.satisfied_by), self.review
        )


_Reselect = Annotated[str, closed(("reselect",), (*_LATER_ANSWERS, "hold", "keep"))]


class AnswersForm(Form):
    """`on`: what follows each failure."""

    no_show: _Reselect
    no_show_registered: Annotated[str, closed(("hold", "reselect"), (*_LATER_ANSWERS, "keep"))]
    not_rightful_card: Annotated[str, closed(("reselect", "announce"), (*_LATER_ANSWERS, "hold", "keep"))]
    ineligible: _Reselect
    refused: Annotated[str, closed(("keep",), (*_LATER_ANSWERS, "reselect", "hold"))]

    def built(self) -> tuple[tuple[str, str], ...]:
        return tuple(sorted(self.model_dump().items()))


class LimitForm(Form):
    """One row of `limits`."""

    scope: PartId
    max: Annotated[int, Field(ge=1, le=10_000)]

    def built(self) -> sound.Limit:
        return sound.Limit(self.scope, self.max)


class PrizeForm(Form):
    """`prize`: what an award is."""

    later: ClassVar = {"type": ("fixed", "by_place", "progressive", "multiplier", "choice")}
    type: Annotated[str, closed(("envelope",))]
    min: Cents
    max: Cents

    def built(self) -> sound.EnvelopePrize:
        return sound.EnvelopePrize(self.min, self.max)


class DrawForm(Form):
    """One `[[draw]]`."""

    later: ClassVar = {"kind": ("electronic",)}
    id: PartId
    kind: Annotated[str, closed(("session",))]
    group: PartId
    title: Text
    awards: Count
    starts: WallTime = Field(alias="from")
    ends: WallTime = Field(alias="to")
    opens_before_minutes: Annotated[int, Field(ge=0, le=720)]
    source: SourceForm
    criteria: list[CriterionForm]
    plan: PlanForm
    pool: PoolForm
    # The core wakes several times a second: what it may not be late by, it would put off for ever as an outage.
    lateness_ms: Annotated[int, Field(ge=1000, le=60_000)]
    retry_ms: Annotated[int, Field(ge=1000, le=3_600_000)]
    entropy: list[EntropyForm]
    claim: ClaimForm
    on: AnswersForm
    limits: list[LimitForm]
    prize: PrizeForm

    def built(self) -> sound.DrawPlan:
        return sound.DrawPlan(
            id=self.id,
            kind=self.kind,
            group=self.group,
            awards=self.awards,
            starts=self.starts,
            ends=self.ends,
            opens_before_minutes=self.opens_before_minutes,
            needs=tuple(self.source.needs),
            title=self.title,
            lateness_ms=self.lateness_ms,
            retry_ms=self.retry_ms,
            entropy=tuple(source.built() for source in self.entropy),
            criteria=tuple(row.built() for row in self.criteria),
            after_end=self.pool.after_end,
            claim=self.claim.built(),
            on=self.on.built(),
            limits=tuple(limit.built() for limit in self.limits),
            prize=self.prize.built(),
        )
