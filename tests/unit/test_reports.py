"""The reports' counting by hand, on two draws of two and three selections; and tables that no spreadsheet runs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from report_facts_made import BLACK, FIRST, GOLD, HOUR, NOON, SECOND, WITHOUT_A, selection

from draw_engine.reports import Filter, by_group, by_hour, most_selected, repeats
from draw_engine.reports_envelopes import batch_report
from draw_engine.reports_facts import Decision, PoolFact, entrants
from draw_engine.reports_kept import from_json, to_json
from draw_engine.reports_operators import CREW, MANAGER, operators, presented
from draw_engine.reports_whole import all_of, report_of
from draw_engine.verdicts import IN, bytes_of, line_of, outcome_cells
from kiosk.reports.tables import Table, as_csv, money, safe, whole, words


def test_a_tier_s_chances_are_its_shares() -> None:
    """Black: 1/4 and 1/3 in the first draw, thrice 1/4 in the second: 4/3; variance 4 * 3/16 + 2/9."""
    black, gold = by_group([FIRST, SECOND], "tier")
    assert (black.group, gold.group) == ("Black", "Gold")
    assert black.selected is not None
    assert (black.selected.observed, black.selected.mean) == (2, Fraction(4, 3))
    assert black.selected.variance == 4 * Fraction(3, 16) + Fraction(2, 9)
    assert gold.won.mean == 5 - Fraction(4, 3)


def test_wins_are_held_against_the_pools_of_wins_alone() -> None:
    lost = replace(FIRST.selections[1], outcome="expired", again=True)
    (black, _) = by_group([replace(FIRST, selections=(FIRST.selections[0], lost))], "tier")
    assert (black.won.observed, black.won.of, black.won.mean) == (0, 1, Fraction(1, 4))


def test_tickets_weigh() -> None:
    """Three entries of six: half the chance, however many persons there are."""
    weighed = PoolFact(6, ((3, 3), (6,), (3, 3)), 0b1111, weights=(1, 1, 1, 3))
    (black, _) = by_group([replace(FIRST, pools=(weighed, WITHOUT_A))], "tier")
    assert black.selected is not None
    assert black.selected.mean == Fraction(1, 2) + Fraction(1, 3)
    assert weighed.weight_of(0b1001) == 4


def test_the_second_and_the_third_time() -> None:
    """Before each selection, whoever had been selected k times: none; A of BCD is out: 0; A, D of four: 2/4; then D
    twice, A once: 1/4 for a second time, 1/4 for a third; then both twice: nothing, and 2/4.
    """
    second, third, *_ = repeats([FIRST, SECOND])
    assert (second.persons.observed, second.persons.mean) == (2, Fraction(3, 4))
    assert (third.persons.observed, third.persons.mean) == (1, Fraction(3, 4))
    assert third.persons.variance == Fraction(3, 16) + Fraction(1, 4)


def test_a_draw_that_runs_beside_another_counts_in_order() -> None:
    beside = replace(SECOND, selections=tuple(replace(one, at=one.at - 24 * HOUR + 1) for one in SECOND.selections))
    second = repeats([FIRST, beside])[0]
    # A, then D of four (A: 1/4), then D of three (D: 1/3), then A of four (D twice, A once: 1/4), then A (no one).
    assert (second.persons.observed, second.persons.mean) == (2, Fraction(1, 4) + Fraction(1, 3) + Fraction(1, 4))


def test_the_most_selected_have_their_own_chances() -> None:
    rows, persons = most_selected([FIRST, SECOND])
    assert persons == 4
    assert [(row.person, row.selected.observed, row.selected.mean) for row in rows] == [
        ("A", 3, Fraction(1)),
        ("D", 2, Fraction(4, 4) + Fraction(1, 3)),
    ]
    assert rows[0].which == ((FIRST.id, 0), (SECOND.id, 1), (SECOND.id, 2))


def test_a_moment_lies_in_the_hours_of_its_part() -> None:
    """13:40 to 14:10 in two parts of 15 minutes: the first in 13, the second 5 minutes of 15 in 13."""
    over = replace(FIRST, start=NOON + 100 * 60_000, end=NOON + 130 * 60_000)
    thirteen, fourteen = by_hour([over])
    assert thirteen.selected is not None
    assert fourteen.selected is not None
    assert (thirteen.selected.mean, fourteen.selected.mean) == (1 + Fraction(1, 3), Fraction(2, 3))
    assert (thirteen.selected.variance, thirteen.selected.observed) == (Fraction(2, 9), 2)


def test_hours_are_the_property_s_and_begin_with_its_day() -> None:
    """An hour after midnight belongs to the evening before: it stands last."""
    late = replace(selection(1, "D", BLACK), at=NOON + 13 * HOUR)
    rows = by_hour([replace(FIRST, how="fixed", selections=(FIRST.selections[0], late))])
    assert [row.group for row in rows] == ["13", "01"]


def test_operators_against_the_house() -> None:
    """Kabelo 3 claims, Ayanda 2; 2 of 5 failed, both Ayanda's: 1 in C(5,2) = 10."""
    ayanda = tuple(
        replace(one, taken_by="crew:ayanda", outcome="expired", again=True, arrival="not_there")
        for one in SECOND.selections[:2]
    )
    second = replace(SECOND, selections=(*ayanda, SECOND.selections[2]))
    told = operators([FIRST, second], CREW)
    assert (told.cases, told.house["again"], told.house["won"]) == (5, 2, 3)
    first_row, second_row = told.rows
    assert (first_row.actor, first_row.measures["again"].observed) == ("crew:ayanda", 2)
    assert first_row.measures["again"].rarity == pytest.approx(2 / 10)
    assert second_row.measures["no_show"].mean == Fraction(6, 5)


def test_a_decision_of_two_is_one_of_each() -> None:
    decided = (Decision(NOON, 0, "void", ("manager:n", "manager:t"), again=True),)
    told = operators([replace(FIRST, decisions=decided)], MANAGER)
    assert (told.cases, [row.actor for row in told.rows]) == (1, ["manager:n", "manager:t"])


def test_how_quickly_guests_came() -> None:
    called = {"announced_at": NOON, "deadline_at": NOON + 90_000}
    claims = [
        selection(0, "A", GOLD, **called, presented_at=NOON),
        selection(1, "A", GOLD, **called, presented_at=NOON + 90_000),
        selection(2, "A", GOLD, **called, presented_at=NOON + 90_001),
        selection(3, "A", GOLD, **called, came_late=True),
        selection(4, "A", GOLD, **called),
        selection(5, "A", GOLD),
    ]
    told = presented([replace(FIRST, selections=tuple(claims))])
    assert (told.announced, told.late, told.never, told.middle_ms, told.window_ms) == (5, 2, 1, 0, 90_000)
    assert told.steps == (1, 0, 0, 0, 0, 0, 0, 0, 0, 1)


def test_envelopes_are_a_sample_of_their_batch() -> None:
    """Two of R 500, two of R 1 000; one of each opened: mean 2 * 750, variance 2 * 250^2 * 2/3 (in rand)."""
    states = [("given", 50_000), ("handed_over", 100_000), ("tray", None), ("held", None)]
    told = batch_report("B-001", NOON, {50_000: 2, 100_000: 2}, states)
    assert (told.opened, told.mean, told.difference) == (2, 150_000, 0)
    assert told.variance == 2 * Fraction(25_000**2) * Fraction(2, 3)
    assert [(row.typed, row.opened.mean) for row in told.amounts if row.opened] == [(1, 1), (1, 1)]
    assert (told.now.held, told.now.sealed_total, told.faults) == (1, 150_000, ())


def test_an_amount_typed_more_often_than_it_was_counted_is_a_fault() -> None:
    told = batch_report("B-001", NOON, {50_000: 1, 75_000: 2}, [("given", 50_000), ("given", 50_000), ("tray", None)])
    assert told.faults == (50_000,)
    assert all(row.opened is None for row in told.amounts)


def test_filters() -> None:
    taken = [Filter(session="second"), Filter(promotion="other"), Filter(promotion="playtime", session="first")]
    assert [one.takes(FIRST) for one in taken] == [False, False, True]


def test_kept_facts_come_back_the_same() -> None:
    weighed = replace(FIRST, pools=(PoolFact(6, ((3, 3), (6,), (3, 3)), 0b1111, weights=(1, 1, 1, 3)), WITHOUT_A))
    assert from_json(to_json(weighed)) == weighed


def test_entrants_are_those_let_in() -> None:
    lines = [
        line_of("100001", outcome_cells(IN), "200001", "70", "BJ-03/4", "tables-1"),
        line_of("IN", outcome_cells("SS_NOT_MEMBER"), "IN", None, "S-1", "slots-1"),
    ]
    assert list(entrants(bytes_of(NOON, lines))) == [("100001", "200001", "BJ-03/4")]


def test_a_whole_report_counts_its_comparisons() -> None:
    told = all_of(report_of([FIRST, SECOND]))
    assert told.rare == 0
    assert told.comparisons > 5
    assert all_of(report_of([])).comparisons == 0


@pytest.mark.parametrize("text", ["=1+1", "+27 82", "-", "@x", "\tx", "\rx", " =1+1", "|x", "＝1"])  # noqa: RUF001 - wide, too
def test_no_text_becomes_a_formula(text: str) -> None:
    assert safe(text) == f"'{text}"


def test_figures_stay_figures_in_csv() -> None:
    table = Table(
        "t", "T", [("=a", False), ("n", True)], [[words("@b"), whole(12_480)], [words("c"), money(-5000, "ZAR")]]
    )
    assert as_csv(table).decode("utf-8-sig") == "'=a,n\r\n'@b,12480\r\nc,-50.0\r\n"
