"""The worked cases of eligibility and the pool, at the level of judging; each interpretation with its key flipped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from floor_words import Teller, jhb, lists

from draw_engine import calendar
from draw_engine.eligibility import Judgement, judge
from draw_engine.feeds import Floor
from draw_engine.rule_book import Criterion, RuleBook
from draw_engine.rule_book_toml import read
from draw_engine.verdicts import IN, find

BOOK = Path(__file__).parents[2] / "config" / "rule_books" / "silverstar-playtime.toml"

THANDI, PIETER, LERATO, SIPHO = "100001", "100002", "100003", "100004"
AISHA, JOHAN, NALEDI, GRACE = "100005", "100006", "100007", "100008"
THANDI_SECOND = "200001"

MEMBERS = """\
100001,Thandi,Mokoena,Gold,1985-03-12,,,100001
100002,Pieter,van der Merwe,Platinum,1970-06-01,,,
100003,Lerato,Dlamini,Black,1979-01-20,,,
100004,Sipho,Nkosi,Gold,1988-08-08,,,
100005,Aisha,Patel,Platinum,1990-11-30,,,
100006,Johan,Botha,Silver,1966-02-02,,,
100007,Naledi,Khumalo,Gold,{naledi},,,
100008,Grace,Molefe,Gold,1983-04-04,,,
200001,Thandi,Mokoena,Gold,1985-03-12,,,100001
"""
POSITIONS = """\
S-0412,slot,MAIN,,
S-0088,slot,SMOKING,,
S-0500,slot,MAIN,,
S-0501,slot,MAIN,,
S-0600,slot,PRIVE,,
BJ-03,table,MAIN,,7
"""


@pytest.fixture(scope="module")
def book() -> RuleBook:
    return read(BOOK.read_bytes())


def known(*, naledi: str = "1990-01-01", exclusions: str = "", staff: str = "") -> Any:
    return lists(MEMBERS.format(naledi=naledi), POSITIONS, exclusions, staff)


def judged(book: RuleBook, floor: Floor, at_hand: Any, t: int, **changed: Any) -> Judgement:
    """What the service does: the session of the day whose window holds t, else the first one."""
    day = calendar.gaming_day(book, t)
    audience = calendar.audience_on(book, day)
    windows = [(plan, *calendar.session_bounds(book, plan, day)) for plan in book.draws]
    plan, start, end = next((one for one in windows if one[1] <= t < one[2]), windows[0])
    asked: dict[str, Any] = {
        "promotion_day": calendar.is_promotion_day(book, day),
        "start": start,
        "end": end,
        "tiers": audience.tiers if audience else (),
        "zones": audience.zones if audience else (),
        "criteria": plan.criteria,
        "min_age": book.min_age,
        "exclude": book.exclude,
    }
    return judge(floor.at(t), at_hand, t=t, **(asked | changed))


def playing(t: int, *guests: tuple[str, str]) -> Floor:
    """A floor where each (member, position) has played for half an hour and last ten seconds ago."""
    floor = Floor(30_000)
    teller = Teller(floor, "cms-1")
    for member, position in guests:
        teller.plays(position, member, t - 1_800_000, t - 10_000)
    teller.alive(t)
    return floor


def persons(judgement: Judgement) -> list[str]:
    return [entrant.person for entrant in judgement.entrants]


def code_of(judgement: Judgement, person: str) -> str:
    return find(judgement.verdicts, person)[0][0].code


BIRTHDAYS = [
    pytest.param("2005-10-07", "2023-10-07 14:30", IN, id="SS-C01"),
    pytest.param("2005-10-08", "2023-10-07 14:30", "SS_UNDER_AGE", id="SS-C02"),
    pytest.param("2005-10-08", "2023-10-14 14:30", IN, id="SS-C02-a-week-later"),
]


@pytest.mark.parametrize(("born", "when", "expected"), BIRTHDAYS)
def test_age_is_reached_on_the_birthday(book: RuleBook, born: str, when: str, expected: str) -> None:
    t = jhb(when)
    assert code_of(judged(book, playing(t, (NALEDI, "S-0412")), known(naledi=born), t), NALEDI) == expected


def test_the_verdict_of_someone_too_young_says_how_old(book: RuleBook) -> None:
    t = jhb("2023-10-07 14:30")
    found = judged(book, playing(t, (NALEDI, "S-0412")), known(naledi="2005-10-08"), t)
    verdict, _ = find(found.verdicts, NALEDI)[0]
    assert (verdict.figure, verdict.limit) == (17, 18)


@pytest.mark.parametrize(
    ("rows", "excluded", "expected"),
    [
        pytest.param("100005,self_excluded,2023-10-13,,desk\n", None, "SS_SELF_EXCLUDED", id="SS-C04"),
        pytest.param("100005,self_excluded,2023-10-15,,desk\n", None, IN, id="SS-C04-from-the-day-after"),
        pytest.param("100005,self_excluded,2023-10-13,,desk\n", ("refusal_of_entry",), IN, id="SS-C04-not-asked-for"),
    ],
)
def test_a_self_exclusion_keeps_out_of_the_pool(book: RuleBook, rows: str, excluded: Any, expected: str) -> None:
    t = jhb("2023-10-14 14:30")
    asked = {} if excluded is None else {"exclude": excluded}
    found = judged(book, playing(t, (AISHA, "S-0412")), known(exclusions=rows), t, **asked)
    assert code_of(found, AISHA) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param({"staff": "100008,staff_or_related,2023-01-01,,marketing\n"}, "SS_STAFF_OR_RELATED", id="SS-C05"),
        pytest.param(
            {"exclusions": "100008,staff_or_related,2023-01-01,,hr\n"}, "SS_STAFF_OR_RELATED", id="SS-C05-exclusion"
        ),
        pytest.param({}, IN, id="SS-C05-no-row"),
    ],
)
def test_family_of_a_service_provider(book: RuleBook, lines: dict[str, str], expected: str) -> None:
    t = jhb("2023-10-07 18:20")
    assert code_of(judged(book, playing(t, (GRACE, "S-0412")), known(**lines), t), GRACE) == expected


@pytest.mark.parametrize(
    ("tiers", "expected"),
    [
        pytest.param(None, "SS_TIER_NOT_TARGETED", id="SS-C06"),
        pytest.param(("Silver",), IN, id="SS-C06-silver-targeted"),
    ],
)
def test_tier(book: RuleBook, tiers: Any, expected: str) -> None:
    t = jhb("2023-10-07 14:30")
    asked = {} if tiers is None else {"tiers": tiers}
    assert code_of(judged(book, playing(t, (JOHAN, "S-0412")), known(), t, **asked), JOHAN) == expected


@pytest.mark.parametrize(
    "when", ["2023-09-30 14:30", "2023-10-13 14:30", "2023-12-16 14:30"], ids=["SS-C09-Sep", "SS-C09-Fri", "SS-C09-Dec"]
)
def test_other_days(book: RuleBook, when: str) -> None:
    t = jhb(when)
    found = judged(book, playing(t, (THANDI, "S-0412")), known(), t)
    assert not found.entrants
    assert found.left_out == {"SS_NOT_PROMO_DAY": 1}


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        pytest.param("14:00:00.000", IN, id="SS-C12"),
        pytest.param("15:59:59.999", IN, id="SS-C13-last-millisecond"),
        pytest.param("16:00:00.000", "SS_OUTSIDE_SESSION", id="SS-C13-end"),
        pytest.param("17:59:59.999", "SS_OUTSIDE_SESSION", id="SS-C14-before"),
        pytest.param("18:00:00.000", IN, id="SS-C14-start"),
        pytest.param("19:59:59.999", IN, id="SS-C14-last-millisecond"),
        pytest.param("20:00:00.000", "SS_OUTSIDE_SESSION", id="SS-C14-end"),
    ],
)
def test_the_edges_of_the_sessions(book: RuleBook, when: str, expected: str) -> None:
    t = jhb(f"2023-10-07 {when}")
    assert code_of(judged(book, playing(t, (THANDI, "S-0412")), known(), t), THANDI) == expected


T_C16 = jhb("2023-10-07 14:12")


def floor_of_c16() -> Floor:
    floor, t = Floor(30_000), T_C16
    slots, tables = Teller(floor, "cms-1"), Teller(floor, "tables-1")
    slots.plays("S-0412", THANDI, t - 1_200_000, t - 40_000, "6001001")
    slots.plays("S-0088", PIETER, t - 1_200_000, t - 120_000)
    slots.plays("S-0600", AISHA, t - 1_200_000, t - 5_000)
    slots.plays("S-0500", SIPHO, t - 1_200_000, t - 540_000)
    slots.plays("S-0501", JOHAN, t - 1_200_000, t - 1_000)
    slots.alive(t)
    tables.tell("rating_opened", t - 60_000, position="BJ-03", seat="4", member=LERATO, average_bet=20_000)
    tables.alive(t)
    return floor


def test_ss_c16_the_pool_at_12_past(book: RuleBook) -> None:
    found = judged(book, floor_of_c16(), known(), T_C16)
    assert persons(found) == [THANDI, PIETER, LERATO]
    assert [code_of(found, person) for person in (AISHA, SIPHO, JOHAN)] == [
        "SS_ZONE_NOT_QUALIFYING",
        "SS_NOT_ACTIVE",
        "SS_TIER_NOT_TARGETED",
    ]
    assert found.left_out == {"SS_NOT_ACTIVE": 1, "SS_TIER_NOT_TARGETED": 1, "SS_ZONE_NOT_QUALIFYING": 1}


IDLE = Criterion("slot", "idle_seconds", max=300)
MINUTES = Criterion("slot", "minutes", min=10)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        pytest.param({"zones": ("MAIN", "SMOKING", "PRIVE")}, [THANDI, PIETER, LERATO, AISHA], id="SS-C16-zones"),
        pytest.param({"zones": ("MAIN",)}, [THANDI, LERATO], id="SS-C16-no-smoking"),
        pytest.param(
            {"criteria": (replace(IDLE, max=540), MINUTES)}, [THANDI, PIETER, LERATO, SIPHO], id="SS-C16-nine-minutes"
        ),
        pytest.param({"criteria": (replace(IDLE, max=539), MINUTES)}, [THANDI, PIETER, LERATO], id="SS-C16-idle-539"),
        pytest.param({"criteria": (replace(IDLE, max=119), MINUTES)}, [THANDI, LERATO], id="SS-C16-idle-119"),
        pytest.param({"criteria": (IDLE, replace(MINUTES, min=20))}, [THANDI, PIETER, LERATO], id="SS-C16-20-minutes"),
        pytest.param({"criteria": (IDLE, replace(MINUTES, min=21))}, [LERATO], id="SS-C16-21-minutes"),
        pytest.param(
            {"criteria": (IDLE, MINUTES, Criterion("table", "minutes", min=2))},
            [THANDI, PIETER],
            id="SS-C16-rating-age",
        ),
    ],
)
def test_the_same_floor_under_other_settings(book: RuleBook, changed: Any, expected: list[str]) -> None:
    assert persons(judged(book, floor_of_c16(), known(), T_C16, **changed)) == expected


def test_ss_c17_the_table_and_seat_are_recorded(book: RuleBook) -> None:
    found = judged(book, floor_of_c16(), known(), T_C16)
    lerato = next(entrant for entrant in found.entrants if entrant.person == LERATO)
    assert lerato.position == "BJ-03/4"
    assert lerato.session is not None
    assert (lerato.session.position, lerato.session.seat, lerato.session.game) == ("BJ-03", "4", "table")
    thandi = found.entrants[0]
    assert (thandi.position, thandi.card) == ("S-0412", "6001001")


def test_ss_c18_two_cards_in_two_machines_are_one_chance(book: RuleBook) -> None:
    t = jhb("2023-10-07 14:30")
    floor = playing(t, (THANDI, "S-0412"), (PIETER, "S-0088"))
    Teller(floor, "cms-2").plays("S-0500", THANDI_SECOND, t - 1_800_000, t - 3_000)
    found = judged(book, floor, known(), t)
    assert persons(found) == [THANDI, PIETER]
    assert (found.entrants[0].member, found.entrants[0].position) == (THANDI_SECOND, "S-0500")
    assert found.left_out == {"SS_OTHER_CARD_COUNTED": 1}


def test_ss_c18_two_cards_of_two_persons_are_two_chances(book: RuleBook) -> None:
    t = jhb("2023-10-07 14:30")
    floor = playing(t, (THANDI, "S-0412"), (THANDI_SECOND, "S-0500"))
    apart = lists(MEMBERS.format(naledi="1990-01-01").replace(",,,100001\n", ",,,\n"), POSITIONS)
    assert persons(judged(book, floor, apart, t)) == [THANDI, THANDI_SECOND]


@pytest.mark.parametrize(
    ("at_limit", "expected"),
    [
        pytest.param(frozenset(), IN, id="SS-C20"),
        pytest.param(frozenset({THANDI}), "SS_WIN_LIMIT", id="SS-C20-limit-one-a-day"),
    ],
)
def test_a_second_win(book: RuleBook, at_limit: frozenset[str], expected: str) -> None:
    t = jhb("2023-10-07 15:10")
    found = judged(book, playing(t, (THANDI, "S-0412")), known(), t, at_limit=at_limit)
    assert code_of(found, THANDI) == expected


@pytest.mark.parametrize(
    ("silent_ms", "expected"),
    [
        pytest.param(300_000, "SS_FEED_STALE", id="SS-C24"),
        pytest.param(30_001, "SS_FEED_STALE", id="SS-C24-just-over"),
        pytest.param(30_000, IN, id="SS-C24-limit"),
    ],
)
def test_a_silent_feed(book: RuleBook, silent_ms: int, expected: str) -> None:
    t = jhb("2023-10-07 14:30")
    floor = playing(t - silent_ms, (THANDI, "S-0412"))
    found = judged(book, floor, known(), t)
    assert code_of(found, THANDI) == expected
    assert floor.feed_at("cms-1", t).state == ("up" if expected == IN else "stale")
