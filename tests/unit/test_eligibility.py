"""Judging: the order of the tests, which session speaks for a person, the edges of the figures, and after the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from floor_words import Teller, jhb, lists

from draw_engine.eligibility import Basis, Judgement, judge, judge_after_end
from draw_engine.feeds import Floor
from draw_engine.lists import ListsInForce
from draw_engine.rule_book import Criterion
from draw_engine.verdicts import IN, Verdict, find, read

T = jhb("2023-10-07 14:30")
EXCLUDE = ("refusal_of_entry", "self_excluded", "excluded_category", "staff_or_related")
CRITERIA = (Criterion("slot", "idle_seconds", max=300), Criterion("slot", "games", min=2))
PLACES = "S-1,slot,MAIN,,\nS-2,slot,MAIN,,\nS-3,slot,PRIVE,,\nBJ-1,table,MAIN,,7\n"
GOLD = "1,A,B,Gold,1985-03-12,,,\n"
RULES: dict[str, Any] = {
    "promotion_day": True,
    "start": T - 1_800_000,
    "end": T + 5_400_000,
    "tiers": ("Gold", "Black"),
    "zones": ("MAIN",),
    "criteria": CRITERIA,
    "min_age": 18,
    "exclude": EXCLUDE,
}


@dataclass
class Guests:
    """A floor on which guests sit down; every slot guest plays two games ten seconds before T."""

    floor: Floor = field(default_factory=lambda: Floor(30_000))
    tellers: dict[str, Teller] = field(default_factory=dict)

    def teller(self, feed: str) -> Teller:
        return self.tellers.setdefault(feed, Teller(self.floor, feed))

    def slot(
        self, member: str, position: str, *, feed: str = "f", opened: int = T - 900_000, last: int | None = T - 10_000,
        games: int = 2, coin_in: int = 900,
    ) -> Guests:  # fmt: skip
        self.teller(feed).tell("card_in", opened, position=position, member=member)
        if last is not None:
            self.teller(feed).tell("played", last, position=position, games=games, coin_in=coin_in)
        return self

    def table(self, member: str, seat: str, *, bet: int = 5_000, feed: str = "t", opened: int = T - 900_000) -> Guests:
        self.teller(feed).tell("rating_opened", opened, position="BJ-1", seat=seat, member=member, average_bet=bet)
        return self

    def judged(self, known: ListsInForce, t: int = T, **changed: Any) -> Judgement:
        for teller in self.tellers.values():
            teller.alive(t)
        return judge(self.floor.at(t), known, t=t, **(RULES | changed))


def verdict(judgement: Judgement, person: str) -> Verdict:
    return find(judgement.verdicts, person)[0][0]


# -- the order of the tests ----------------------------------------------------------------------------------------

# Each line mends the first thing that stands in the way of the one before, in the page's order.
STEPS: list[tuple[str, dict[str, Any]]] = [
    ("SS_NOT_PROMO_DAY", {}),
    ("SS_OUTSIDE_SESSION", {"promotion_day": True}),
    ("SS_ZONE_NOT_QUALIFYING", {"end": T + 1}),
    ("SS_NOT_MEMBER", {"zones": ("MAIN", "PRIVE")}),
    ("SS_TIER_NOT_TARGETED", {"members": "1,A,B,Silver,2010-01-01,,,\n"}),
    ("SS_UNDER_AGE", {"tiers": ("Silver",)}),
    ("SS_REFUSAL_OF_ENTRY", {"min_age": 13}),
    ("SS_SELF_EXCLUDED", {"exclude": EXCLUDE[1:]}),
    ("SS_EXCLUDED_CATEGORY", {"exclude": EXCLUDE[2:]}),
    ("SS_STAFF_OR_RELATED", {"exclude": EXCLUDE[3:]}),
    ("SS_FEED_STALE", {"exclude": ()}),
    ("SS_NOT_ACTIVE", {"excluded_feeds": frozenset()}),
    ("SS_CRITERIA_NOT_MET", {"criteria": (Criterion("slot", "idle_seconds", max=600), CRITERIA[1])}),
    ("SS_FAILED_THIS_AWARD", {"criteria": ()}),
    ("SS_WIN_LIMIT", {"failed": frozenset()}),
    (IN, {"at_limit": frozenset()}),
]  # fmt: skip


@pytest.mark.parametrize("step", range(len(STEPS)), ids=[code for code, _ in STEPS])
def test_the_tests_have_an_order(step: int) -> None:
    asked: dict[str, Any] = {
        "promotion_day": False,
        "end": T,
        "members": "",
        "excluded_feeds": frozenset({"f"}),
        "failed": frozenset({"1"}),
        "at_limit": frozenset({"1"}),
    }
    for _, mended in STEPS[: step + 1]:
        asked |= mended
    everything = "".join(f"1,{category},2023-01-01,,\n" for category in reversed(EXCLUDE))
    known = lists(asked.pop("members"), PLACES, everything)
    found = Guests().slot("1", "S-3", last=T - 400_000, games=1).judged(known, **asked)
    code = STEPS[step][0]
    assert verdict(found, "1").code == code
    assert dict(found.left_out) == ({} if code == IN else {code: 1})


def test_a_position_in_no_list_is_in_no_zone() -> None:
    found = Guests().slot("1", "S-99").judged(lists(GOLD, PLACES))
    assert verdict(found, "1").code == "SS_ZONE_NOT_QUALIFYING"


def test_no_audience_leaves_everybody_out() -> None:
    found = Guests().slot("1", "S-1").judged(lists(GOLD, PLACES), tiers=(), zones=())
    assert dict(found.left_out) == {"SS_ZONE_NOT_QUALIFYING": 1}


def test_an_exclusion_on_any_of_a_persons_numbers_counts_for_all() -> None:
    two = "1,A,B,Gold,1985-03-12,,,P\n2,A,B,Gold,1985-03-12,,,P\n"
    found = Guests().slot("2", "S-1").judged(lists(two, PLACES, "1,self_excluded,2023-01-01,,\n"))
    assert verdict(found, "1").code == "SS_SELF_EXCLUDED"


@pytest.mark.parametrize("told", ["feed_down", "feed_up"])
def test_an_unknown_feed_leaves_its_players_out(told: str) -> None:
    guests = Guests().slot("1", "S-1").slot("2", "S-2", feed="g")
    guests.teller("f").tell(told, T, reason="r")
    found = guests.judged(lists(GOLD + "2,A,B,Gold,1985-03-12,,,\n", PLACES))
    assert [entrant.person for entrant in found.entrants] == ["2"]
    assert verdict(found, "1").code == "SS_FEED_STALE"


def test_a_feed_left_out_by_two_people() -> None:
    found = Guests().slot("1", "S-1").judged(lists(GOLD, PLACES), excluded_feeds=frozenset({"f"}))
    assert verdict(found, "1")[1:5] == ("SS_FEED_STALE", "excluded", None, None)


# -- figures -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("criteria", "guest", "expected"),
    [
        ((), {"last": T - 86_000_000, "opened": T - 87_000_000}, (IN, "", None, None)),
        ((), {"last": None}, ("SS_NOT_ACTIVE", "idle_seconds", None, None)),
        ((), {"games": 0}, ("SS_NOT_ACTIVE", "idle_seconds", None, None)),
        ((("idle_seconds", None, 300),), {"last": T - 300_000}, (IN, "", None, None)),
        ((("idle_seconds", None, 300),), {"last": T - 300_001}, ("SS_NOT_ACTIVE", "idle_seconds", 300_001, 300_000)),
        (
            (("idle_seconds", None, 300), ("idle_seconds", None, 9)),
            {},
            ("SS_NOT_ACTIVE", "idle_seconds", 10_000, 9_000),
        ),
        ((("idle_seconds", 11, None),), {}, ("SS_CRITERIA_NOT_MET", "idle_seconds", 10_000, 11_000)),
        ((("minutes", 15, None),), {}, (IN, "", None, None)),
        ((("minutes", 15, None),), {"opened": T - 899_999}, ("SS_CRITERIA_NOT_MET", "minutes", 899_999, 900_000)),
        ((("minutes", None, 15),), {"opened": T - 900_001}, ("SS_CRITERIA_NOT_MET", "minutes", 900_001, 900_000)),
        ((("games", 3, None),), {}, ("SS_CRITERIA_NOT_MET", "games", 2, 3)),
        ((("games", None, 2), ("coin_in", 901, None)), {}, ("SS_CRITERIA_NOT_MET", "coin_in", 900, 901)),
        ((("coin_in", 900, 900),), {}, (IN, "", None, None)),
    ],
)
def test_the_figures_of_a_slot(criteria: Any, guest: dict[str, Any], expected: Any) -> None:
    asked = tuple(Criterion("slot", measure, least, most) for measure, least, most in criteria)
    found = Guests().slot("1", "S-1", **guest).judged(lists(GOLD, PLACES), criteria=asked)
    assert verdict(found, "1")[1:5] == expected


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [
        (("minutes", 15, None), (IN, "", None, None)),
        (("minutes", 16, None), ("SS_CRITERIA_NOT_MET", "minutes", 900_000, 960_000)),
        (("average_bet", 5_000, None), (IN, "", None, None)),
        (("average_bet", 5_001, None), ("SS_CRITERIA_NOT_MET", "average_bet", 5_000, 5_001)),
        (("minutes_since_touch", None, 5), (IN, "", None, None)),
        (("minutes_since_touch", None, 4), ("SS_NOT_ACTIVE", "minutes_since_touch", 300_000, 240_000)),
    ],
)
def test_the_figures_of_a_table(criterion: Any, expected: Any) -> None:
    guests = Guests().table("1", "4", bet=1)
    guests.teller("t").tell("rating_changed", T - 300_000, position="BJ-1", seat="4", average_bet=5_000)
    found = guests.judged(lists(GOLD, PLACES), criteria=(Criterion("table", *criterion),))
    assert verdict(found, "1")[1:5] == expected


def test_a_rating_without_criteria_needs_only_to_be_open_and_not_paused() -> None:
    guests = Guests().table("1", "4", opened=T)
    assert guests.judged(lists(GOLD, PLACES)).entrants[0].position == "BJ-1/4"
    paused = Guests().table("1", "4", opened=T)
    paused.teller("t").tell("rating_paused", T, position="BJ-1", seat="4")
    assert verdict(paused.judged(lists(GOLD, PLACES)), "1")[1:5] == ("SS_NOT_ACTIVE", "paused", None, None)


def test_an_average_bet_that_is_not_known_does_not_meet_one_that_is_asked() -> None:
    guests = Guests()
    seat = {"position": "BJ-1", "seat": "4", "member": "1", "opened_at": "2023-10-07T12:00:00.000Z"}
    guests.teller("t").tell("snapshot", T - 1, sessions=[seat])
    found = guests.judged(lists(GOLD, PLACES), criteria=(Criterion("table", "average_bet", min=1),))
    assert verdict(found, "1")[1:5] == ("SS_CRITERIA_NOT_MET", "average_bet", None, 1)


def test_criteria_of_a_tier_hold_for_that_tier_alone() -> None:
    criteria = (Criterion("slot", "games", min=9, tiers=("Black",)),)
    members = GOLD + "2,A,B,Black,1985-03-12,,,\n"
    found = Guests().slot("1", "S-1").slot("2", "S-2").judged(lists(members, PLACES), criteria=criteria)
    assert [verdict(found, person).code for person in "12"] == [IN, "SS_CRITERIA_NOT_MET"]


@pytest.mark.parametrize(
    ("born", "when", "code"),
    [
        ("2004-02-29", "2022-02-28 23:59:59.999", "SS_UNDER_AGE"),
        ("2004-02-29", "2022-03-01 00:00", IN),
        ("2006-02-28", "2024-02-29 12:00", IN),
        ("2006-03-01", "2024-02-29 12:00", "SS_UNDER_AGE"),
        ("2005-10-08", "2023-10-07 23:59:59.999", "SS_UNDER_AGE"),
        ("2005-10-08", "2023-10-08 00:00", IN),
    ],
)
def test_age_is_that_of_the_local_date(born: str, when: str, code: str) -> None:
    t = jhb(when)
    guests = Guests().slot("1", "S-1", opened=t - 900_000, last=t - 1)
    found = guests.judged(lists(f"1,A,B,Gold,{born},,,\n", PLACES), t, start=t, end=t + 1)
    assert verdict(found, "1").code == code


# -- one person, several sessions ----------------------------------------------------------------------------------

FAMILY = "1,A,B,Gold,1985-03-12,,,P\n2,A,B,Gold,1985-03-12,,,P\n3,A,B,Silver,1985-03-12,,,P\n"


def test_the_latest_play_gives_card_and_position() -> None:
    found = Guests().slot("2", "S-1", last=T - 10_000).slot("1", "S-2", last=T - 9_999).judged(lists(FAMILY, PLACES))
    assert [(e.person, e.member, e.position) for e in found.entrants] == [("1", "1", "S-2")]
    assert dict(found.left_out) == {"SS_OTHER_CARD_COUNTED": 1}
    assert [(v.code, v.member, v.position) for v, _ in find(found.verdicts, "1")] == [
        (IN, "1", "S-2"),
        ("SS_OTHER_CARD_COUNTED", "2", "S-2"),
    ]


def test_a_table_plays_at_t_itself() -> None:
    found = Guests().slot("1", "S-1", last=T - 1).table("2", "4").judged(lists(FAMILY, PLACES))
    assert found.entrants[0].position == "BJ-1/4"
    found = Guests().slot("1", "S-1", last=T).table("2", "4").judged(lists(FAMILY, PLACES))
    assert found.entrants[0].position == "BJ-1/4"  # both at t: the position's name


def test_ties_are_settled_by_the_positions_name() -> None:
    for first, second in (("S-1", "S-2"), ("S-2", "S-1")):
        found = Guests().slot("1", first).slot("2", second).judged(lists(FAMILY, PLACES))
        assert found.entrants[0].position == "S-1"


def test_the_same_number_twice_is_no_other_card() -> None:
    found = Guests().slot("1", "S-1").slot("1", "S-2").judged(lists(FAMILY, PLACES))
    assert (len(found.entrants), dict(found.left_out)) == (1, {})


def test_every_other_card_is_counted_whatever_it_does() -> None:
    guests = Guests().slot("1", "S-1").slot("2", "S-3").slot("3", "S-2").table("2", "1").table("3", "2")
    found = guests.judged(lists(FAMILY, PLACES))
    assert [(e.member, e.position) for e in found.entrants] == [("2", "BJ-1/1")]
    assert dict(found.left_out) == {"SS_OTHER_CARD_COUNTED": 2}


def test_the_reason_is_that_of_the_session_that_got_furthest() -> None:
    guests = Guests().slot("3", "S-1").slot("2", "S-3").slot("1", "S-2", last=T - 372_000)
    found = guests.judged(lists(FAMILY, PLACES))
    assert find(found.verdicts, "1") == [
        (Verdict("1", "SS_NOT_ACTIVE", "idle_seconds", 372_000, 300_000, "1", "", "S-2", "f"), None)
    ]
    assert dict(found.left_out) == {"SS_NOT_ACTIVE": 1}


def test_of_several_as_far_the_latest_play_speaks() -> None:
    guests = Guests().slot("1", "S-2", last=T - 400_000).slot("2", "S-1", last=T - 500_000)
    assert verdict(guests.judged(lists(FAMILY, PLACES)), "1").position == "S-2"


@pytest.mark.parametrize("given", ["1", "2"])
def test_what_a_person_won_or_failed_counts_for_every_card(given: str) -> None:
    for name, code in (("failed", "SS_FAILED_THIS_AWARD"), ("at_limit", "SS_WIN_LIMIT")):
        found = Guests().slot("2", "S-1").judged(lists(FAMILY, PLACES), **{name: frozenset({given})})
        assert verdict(found, "1").code == code


def test_entrants_come_ascending_and_with_what_was_judged() -> None:
    members = "".join(f"{n},A,B,Gold,1985-03-12,,,\n" for n in ("10", "9", "100"))
    found = Guests().slot("9", "S-2").slot("100", "S-1").table("10", "1").judged(lists(members, PLACES))
    assert [entrant.person for entrant in found.entrants] == ["10", "100", "9"]
    assert found.entrants[1].session is not None
    assert found.entrants[1].session.games == 2
    assert found.at == T
    play = next(play for v, play in read(found.verdicts) if v.person == "100")
    assert play == (10_000, 900_000, 10_000, 2, 900, None)


def test_the_floor_is_judged_at_the_instant_it_was_looked_at() -> None:
    view = Guests().slot("1", "S-1").floor.at(T)
    with pytest.raises(ValueError, match="at the instant"):
        judge(view, lists(GOLD, PLACES), t=T + 1, **RULES)


# -- after the end -------------------------------------------------------------------------------------------------

BASIS = {"1": Basis("2", "c2", "S-1"), "4": Basis("4", None, "BJ-1/2"), "5": Basis("5", None, "S-2")}
KNOWN = FAMILY + "4,A,B,Silver,1985-03-12,,,\n"


def after_end(exclusions: str = "", staff: str = "", **asked: Any) -> Judgement:
    return judge_after_end(BASIS, lists(KNOWN, "", exclusions, staff), t=T, **({"exclude": EXCLUDE} | asked))


def test_after_the_end_nobodys_play_is_asked_for() -> None:
    found = after_end()
    assert [tuple(entrant) for entrant in found.entrants] == [
        ("1", "2", "c2", "S-1", None),
        ("4", "4", None, "BJ-1/2", None),
        ("5", "5", None, "S-2", None),
    ]
    assert dict(found.left_out) == {}
    assert [(v.person, v.code, v.card, play) for v, play in read(found.verdicts)] == [
        ("1", IN, "c2", None),
        ("4", IN, "", None),
        ("5", IN, "", None),
    ]


def test_after_the_end_less_those_who_may_not_win_any_more() -> None:
    found = after_end("3,self_excluded,2023-01-01,,\n", failed=frozenset({"4"}), at_limit=frozenset({"5"}))
    assert found.entrants == ()
    assert dict(found.left_out) == {"SS_FAILED_THIS_AWARD": 1, "SS_SELF_EXCLUDED": 1, "SS_WIN_LIMIT": 1}
    assert dict(after_end(staff="5,staff_or_related,2023-01-01,,\n").left_out) == {"SS_STAFF_OR_RELATED": 1}


def test_after_the_end_only_exclusions_the_book_names_count() -> None:
    assert len(after_end("4,self_excluded,2023-01-01,,\n", exclude=EXCLUDE[:1]).entrants) == 3


def test_after_the_end_an_exclusion_is_named_before_a_failure() -> None:
    found = after_end("4,refusal_of_entry,2023-01-01,,\n", failed=frozenset({"4"}), at_limit=frozenset({"4"}))
    assert verdict(found, "4").code == "SS_REFUSAL_OF_ENTRY"
