"""The form of a rule book's TOML: its keys, the kind of each value, and which variants are built.

A sound form builds the same `RuleBook` as `draw_engine.rule_book_toml`. What two values together may not say is in
`rule_book_checks.py`. To build a variant is to move its word from `later` to the built ones here.
"""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from config.fields import Day, Days, Form, Id, Once, PartId, Text, Texts, WallTime, closed, not_supported, wrong
from draw_engine import rule_book as sound

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
EXCLUSIONS = ("refusal_of_entry", "self_excluded", "excluded_category", "staff_or_related")
GAMES = {"slot": "slots", "table": "tables"}
"""What a draw needs to hear of for each kind of game."""
MEASURES = {
    "slot": ("idle_seconds", "games", "coin_in", "minutes"),
    "table": ("minutes", "average_bet", "minutes_since_touch"),
}
MOST = 2**53 - 1
_LATER_ANSWERS = ("redraw", "lapse", "return_entry", "jackpot", "consolation", "announce")
# ISO 4217 currencies whose smallest unit is not a hundredth: amounts are shown with two decimals everywhere.
_NO_HUNDREDTHS = re.compile("BHD|BIF|CLP|DJF|GNF|IQD|ISK|JOD|JPY|KMF|KRW|KWD|LYD|OMR|PYG|RWF|TND|UGX|VND|VUV|X[AOP]F")
_DICE = re.compile(r"\[0-9\]\{([0-9]{1,3})\}")
_BEACON = re.compile(r"[0-9]{1,20}:\[0-9a-f\]\{64\}:\[0-9a-f\]\{96,192\}")


def _currency(value: str) -> str:
    if not re.fullmatch(r"[A-Z]{3}", value):
        raise wrong("Write the currency's three capital letters, as ZAR.")
    if _NO_HUNDREDTHS.fullmatch(value):
        raise not_supported(f"{value}, a currency without hundredths,")
    return value


def _pattern(value: str) -> str:
    dice = _DICE.fullmatch(value)
    if (dice and 20 <= int(dice[1]) <= 60) or _BEACON.fullmatch(value):
        return value
    raise wrong("Write [0-9]{N} with N from 20 to 60 (dice), or ROUND:[0-9a-f]{64}:[0-9a-f]{96,192} (a beacon).")


def _built_only(built: bool) -> AfterValidator:  # noqa: FBT001 - it is the value that is built
    def check(value: bool) -> bool:  # noqa: FBT001 - pydantic calls it
        if value is not built:
            raise not_supported(str(value).lower(), instead=f": write {str(built).lower()}")
        return value

    return AfterValidator(check)


Only = Annotated[bool, _built_only(built=True)]
Count = Annotated[int, Field(ge=1, le=10_000)]
Cents = Annotated[int, Field(ge=1, le=MOST)]
Figure = Annotated[int, Field(ge=0, le=MOST)]


class PromotionForm(Form):
    """`[promotion]`: what it is called, where it is, and when its day begins."""

    id: PartId
    property: PartId
    title: Text
    version: Text
    zone: Text
    currency: Annotated[str, AfterValidator(_currency)]
    day_starts_at: WallTime


class CalendarForm(Form):
    """One `[[calendar]]`: weekdays of a span, and dated exceptions."""

    weekdays: Annotated[list[Annotated[str, closed(WEEKDAYS)]], Once, Field(min_length=1)]
    first: Day = Field(alias="from")
    last: Day = Field(alias="to")
    only: Days = Field(default_factory=list)
    never: Days = Field(default_factory=list)

    def built(self) -> sound.CalendarSpan:
        weekdays = tuple(WEEKDAYS.index(name) for name in self.weekdays)
        return sound.CalendarSpan(weekdays, self.first, self.last, tuple(self.only), tuple(self.never))


class AudienceForm(Form):
    """One row of `who.rows`."""

    tiers: Texts
    zones: Texts
    dates: Days = Field(default_factory=list)

    def built(self) -> sound.Audience:
        return sound.Audience(tuple(self.tiers), tuple(self.zones), tuple(self.dates))


class WhoForm(Form):
    """`[who]`: who may win, and who never."""

    rows: Annotated[list[AudienceForm], Field(min_length=1)]
    min_age: Annotated[int, Field(ge=0, le=120)]
    exclude: Annotated[list[Annotated[str, closed(EXCLUSIONS)]], Once]


class AwardGroupForm(Form):
    """One `[[award_group]]`: awards with one quota."""

    id: PartId
    quota: Annotated[int, Field(ge=1, le=1_000_000)]
    per: Annotated[str, closed(("day", "session", "promotion"))]
    carry: bool

    def built(self) -> sound.AwardGroup:
        return sound.AwardGroup(self.id, self.quota, self.per, self.carry)


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
    walk_up: Only
    clock_starts: Annotated[str, closed(("announced",), ("selected", "called", "walk_up_failed"))]
    seconds: Annotated[int, Field(ge=1, le=3600)]
    satisfied_by: Annotated[
        list[
            Annotated[str, closed(("present_at_stage",), ("at_device", "told_staff", "registered", "proxy", "in_zone"))]
        ],
        Once,
        Field(min_length=1),
    ]
    review: Only

    def built(self) -> sound.ClaimPolicy:
        return sound.ClaimPolicy(
            self.place, self.walk_up, self.clock_starts, self.seconds, tuple(self.satisfied_by), self.review
        )


_Reselect = Annotated[str, closed(("reselect",), (*_LATER_ANSWERS, "hold", "keep"))]


class AnswersForm(Form):
    """`on`: what follows each failure."""

    no_show: _Reselect
    no_show_registered: Annotated[str, closed(("hold", "reselect"), (*_LATER_ANSWERS, "keep"))]
    not_rightful_card: _Reselect
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
    lateness_ms: Annotated[int, Field(ge=1, le=60_000)]
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


class RegisterForm(Form):
    """`[register]`: the decline register."""

    windows: Annotated[list[Annotated[list[WallTime], Field(min_length=2, max_length=2)]], Field(min_length=1)]
    in_person: Only
    contact_required: bool

    def built(self) -> sound.Register:
        windows = tuple((opens, closes) for opens, closes in self.windows)
        return sound.Register(windows, self.in_person, self.contact_required)


class HeldForm(Form):
    """`[held]`: how a held prize waits."""

    days: Annotated[int, Field(ge=1, le=366)]
    desk: Text
    roll_if_closed: bool
    min_contact_attempts: Annotated[int, Field(ge=0, le=100)]

    def built(self) -> sound.Held:
        return sound.Held(self.days, self.desk, self.roll_if_closed, self.min_contact_attempts)


class PublicityForm(Form):
    """`[publicity]`: how a winner is named in public."""

    screen_name: Annotated[
        str, closed(("first_initial_last4",), ("first_initial", "first_last", "first_last4", "last4", "full_name"))
    ]


class RuleBookForm(Form):
    """The whole file."""

    schema_version: Literal[1] = Field(alias="schema")
    promotion: PromotionForm
    calendar: Annotated[list[CalendarForm], Field(min_length=1)]
    who: WhoForm
    award_group: Annotated[list[AwardGroupForm], Field(min_length=1)]
    draw: Annotated[list[DrawForm], Field(min_length=1)]
    register_: RegisterForm | None = Field(default=None, alias="register")
    held: HeldForm | None = None
    publicity: PublicityForm

    def built(self, sha256: str) -> sound.RuleBook:
        """The rule book; `sha256` is of the file's bytes."""
        about, who = self.promotion, self.who
        return sound.RuleBook(
            sha256=sha256,
            id=about.id,
            property=about.property,
            title=about.title,
            version=about.version,
            zone=about.zone,
            currency=about.currency,
            day_starts_at=about.day_starts_at,
            calendar=tuple(span.built() for span in self.calendar),
            audiences=tuple(row.built() for row in who.rows),
            min_age=who.min_age,
            exclude=tuple(who.exclude),
            award_groups=tuple(group.built() for group in self.award_group),
            draws=tuple(draw.built() for draw in self.draw),
            register=self.register_.built() if self.register_ else None,
            held=self.held.built() if self.held else None,
            screen_name=self.publicity.screen_name,
        )
