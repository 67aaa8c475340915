"""The form of a rule book's TOML: its keys, the kind of each value, and which variants are built.

A sound form builds the same `RuleBook` as `draw_engine.rule_book_toml`. What two values together may not say is in
`rule_book_checks.py`, and a draw's own keys are in `draw_form.py`.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from config.draw_form import Cents, DrawForm
from config.fields import Day, Days, Form, Once, PartId, Text, Texts, TrueAlone, WallTime, closed, not_supported, wrong
from draw_engine import rule_book as sound

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
EXCLUSIONS = ("refusal_of_entry", "self_excluded", "excluded_category", "staff_or_related")
# ISO 4217 currencies whose smallest unit is not a hundredth: amounts are shown with two decimals everywhere.
_NO_HUNDREDTHS = re.compile("BHD|BIF|CLP|DJF|GNF|IQD|ISK|JOD|JPY|KMF|KRW|KWD|LYD|OMR|PYG|RWF|TND|UGX|VND|VUV|X[AOP]F")


def _currency(value: str) -> str:
    if not re.fullmatch(r"[A-Z]{3}", value):
        raise wrong("Write the currency's three capital letters, as ZAR.")
    if _NO_HUNDREDTHS.fullmatch(value):
        raise not_supported(f"{value}, a currency without hundredths,")
    return value


class PromotionForm(Form):
    """`[promotion]`: what it is called, where it is, and when its day begins."""

    id: PartId
    property: PartId
    title: Text
    version: Text
    zone: Text
    currency: Annotated[str, AfterValidator(_currency)]
    day_starts_at: WallTime
    stated_total: Cents | None = None


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


class RegisterForm(Form):
    """`[register]`: the decline register."""

    windows: Annotated[list[Annotated[list[WallTime], Field(min_length=2, max_length=2)]], Field(min_length=1)]
    in_person: TrueAlone
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
            stated_total=about.stated_total,
        )
