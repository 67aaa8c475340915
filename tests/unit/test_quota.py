"""The quota of an award group: worked case SS-C22 and ambiguity A-SS-02 under each of its readings."""

from dataclasses import replace
from pathlib import Path

import pytest

from draw_engine.errors import Refused
from draw_engine.quota import Taken, awards_left, places_at_opening, require_award_left
from draw_engine.rule_book import AwardGroup
from draw_engine.rule_book_toml import read

BOOK = read((Path(__file__).parents[2] / "config" / "rule_books" / "silverstar-playtime.toml").read_bytes())
FIRST, SECOND = BOOK.draws


def group(per, quota=70):
    return AwardGroup(id="bonus-jackpot", quota=quota, per=per, carry=True)


def test_ss_c22_the_seventy_first_is_refused():
    require_award_left(BOOK.group_of(SECOND), Taken(session=34, day=69, promotion=69))
    with pytest.raises(Refused) as refused:
        require_award_left(BOOK.group_of(SECOND), Taken(session=35, day=70, promotion=70))
    assert refused.value.code == "SS_SELECTION_QUOTA_REACHED"
    assert "70" in refused.value.sentence


@pytest.mark.parametrize(
    ("per", "left"),
    [
        pytest.param("day", 0, id="day"),
        pytest.param("session", 35, id="session"),
        pytest.param("promotion", 0, id="promotion"),
    ],
)
def test_a_ss_02_flips_ss_c22(per, left):
    # Both sessions of the first Saturday have filled 35.
    assert awards_left(group(per), Taken(session=35, day=70, promotion=70)) == left


@pytest.mark.parametrize(("per", "left"), [("day", 70), ("session", 70), ("promotion", 0)])
def test_the_second_saturday(per, left):
    assert awards_left(group(per), Taken(session=0, day=0, promotion=70)) == left


def test_more_taken_than_the_quota_leaves_nothing_and_never_less():
    assert awards_left(group("day"), Taken(session=1, day=71, promotion=71)) == 0


def test_a_failed_award_gives_its_place_back():
    with pytest.raises(Refused):
        require_award_left(group("day"), Taken(day=70))
    require_award_left(group("day"), Taken(day=69))


def test_places_open_with_the_carried_ones_first():
    assert places_at_opening(BOOK, FIRST) == tuple(range(1, 36))
    places = places_at_opening(BOOK, SECOND, carried=(7, 30), taken=Taken(day=33, promotion=33))
    assert places == (7, 30, *range(36, 71))


def test_places_stop_at_what_the_quota_leaves():
    book = replace(BOOK, award_groups=(group("promotion", 100),))
    assert places_at_opening(book, FIRST, taken=Taken(promotion=70)) == tuple(range(1, 31))
    assert places_at_opening(book, SECOND, taken=Taken(session=0, day=30, promotion=100)) == ()
    book = replace(BOOK, award_groups=(group("session", 35),))
    assert places_at_opening(book, SECOND, carried=(9,), taken=Taken()) == (9, *range(36, 70))
