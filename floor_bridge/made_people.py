"""Made-up members: no name, number or address here is meant to be anybody's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from floor_bridge.dice import Dice
from floor_bridge.floor_spec import FloorSpec

_FIRST_NAMES = (
    "Thandi Sipho Lerato Naledi Bongani Zanele Themba Nomsa Kagiso Palesa Mandla Ayanda Busisiwe Tshepo Lindiwe "
    "Vusi Precious Sibusiso Nokuthula Lebogang Katlego Refilwe Nandi Jabulani Dineo Mpho Karabo Zodwa Xolani Unathi "
    "Khanyi Thabo Johan Pieter Anneke Willem Marietjie Hendrik Elsabe Gerhard Riana Francois Chantal Deon Ilse "
    "Kobus Sune Aisha Fatima Yusuf Priya Rajesh Kavitha Imraan Nazreen Vikash Shanaaz Devan Grace David Sarah "
    "Michael Linda Trevor Michelle Craig Natasha Warren Candice Ashwin Charlene Ricardo Bianca"
)
_FIRST = _FIRST_NAMES.split()
_LAST_NAMES = (
    "Mokoena Nkosi Dlamini Khumalo Molefe Zulu Ndlovu Sithole Mahlangu Radebe Tshabalala Mabaso Maseko Ngcobo Cele "
    "Mthembu Zwane Shabalala Motaung Sebola Modise Phiri Baloyi Chauke Mashaba Nxumalo Buthelezi Khoza Mofokeng "
    "Pillay Naidoo Govender Patel Moodley Reddy Singh Maharaj Ebrahim Essop Cassim Botha Nel Venter Pretorius "
    "Coetzee Fourie Kruger Steyn Visser Marais Swanepoel Erasmus Jacobs Adams Petersen Hendricks Davids Isaacs "
    "Williams Smith Brown Taylor Robertson Campbell Marshall Abrahams Fortuin September"
)
_LAST = _LAST_NAMES.split()
_LAST_WORDS = ("van der Merwe", "van Wyk", "du Plessis", "le Roux", "van Niekerk", "de Villiers")
_REASONS = ("refusal_of_entry", "self_excluded", "excluded_category", "staff_or_related")
_MAJORITY = 18


@dataclass(frozen=True, slots=True)
class MadeMember:
    """One row of members.csv. `person` is empty where the member is the person's own number."""

    member: str
    first_name: str
    last_name: str
    tier: str
    born: date
    phone: str
    email: str
    person: str = ""


@dataclass(frozen=True, slots=True)
class MadeExclusion:
    """One row of exclusions.csv or staff.csv; `until` None is open."""

    member: str
    category: str
    since: date
    until: date | None
    source: str


def make_members(spec: FloorSpec, dice: Dice, day: date) -> tuple[list[MadeMember], list[MadeMember]]:
    """The members of the lists, and cardholders that no list knows. Ages are as on `day`."""
    numbers = _numbers(dice, spec.members + spec.unlisted)
    people = [_person(spec, dice, number, day) for number in numbers]
    listed, unlisted = people[: spec.members], people[spec.members :]
    # Two who are at the border: one comes of age on the day, one the day after.
    for at in (0, 1):
        listed[at] = replace(listed[at], tier="Gold", born=_comes_of_age(day + timedelta(days=at)))
    # The last of the listed are second cards of persons further up.
    firsts = dice.sample(listed[: -spec.two_cards], spec.two_cards)
    for at, first in enumerate(firsts, len(listed) - spec.two_cards):
        listed[at] = _second_card(listed[at], first, dice)
    return listed, unlisted


def make_exclusions(
    spec: FloorSpec, dice: Dice, members: Sequence[MadeMember], day: date
) -> tuple[list[MadeExclusion], list[MadeExclusion]]:
    """Exclusions of all categories, some open, some ended, some not begun; and staff or related persons."""
    chosen = dice.sample(members[2:], spec.excluded + spec.staff)
    excluded = [
        _exclusion(dice, one, _REASONS[at % len(_REASONS)], day) for at, one in enumerate(chosen[: spec.excluded])
    ]
    staff = [
        MadeExclusion(one.member, "staff_or_related", day - timedelta(days=dice.whole(30, 3000)), None, "HR")
        for one in chosen[spec.excluded :]
    ]
    return excluded, staff


def _numbers(dice: Dice, count: int) -> list[str]:
    number, numbers = 100_000, []
    for _ in range(count):
        number += dice.whole(1, 9)
        numbers.append(str(number))
    return numbers


def _person(spec: FloorSpec, dice: Dice, number: str, day: date) -> MadeMember:
    first = dice.pick(_FIRST)
    last = dice.pick(_LAST_WORDS) if dice.chance(0.08) else dice.pick(_LAST)
    tier = dice.pick_by([(tier.name, tier.share) for tier in spec.tiers])
    born = day - timedelta(days=dice.whole(19 * 366, 82 * 365))
    # No telephone in South Africa begins with +27 00, and no mail is delivered to .example.
    phone = f"+2700{dice.whole(0, 9_999_999):07d}"
    email = f"{first}.{last.replace(' ', '')}{number[-3:]}@guests.example".lower() if dice.chance(0.8) else ""
    return MadeMember(number, first, last, tier, born, phone, email)


def _second_card(card: MadeMember, first: MadeMember, dice: Dice) -> MadeMember:
    tier = first.tier if dice.chance(0.5) else card.tier
    return replace(first, member=card.member, tier=tier, person=first.member)


def _comes_of_age(day: date) -> date:
    if (day.month, day.day) == (2, 29):
        return date(day.year - _MAJORITY, 3, 1)
    return day.replace(year=day.year - _MAJORITY)


def _exclusion(dice: Dice, member: MadeMember, category: str, day: date) -> MadeExclusion:
    since = day - timedelta(days=dice.whole(1, 900))
    until = None
    if dice.chance(0.3):
        until = day + timedelta(days=dice.whole(0, 180))
    elif dice.chance(0.2):
        until = max(since, day - timedelta(days=dice.whole(1, 60)))
    elif dice.chance(0.1):
        since = day + timedelta(days=dice.whole(1, 20))
    return MadeExclusion(member.member, category, since, until, "made up")
