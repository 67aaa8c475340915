"""Verdicts: the same bytes for the same judging, read back whole, and said in a sentence."""

from __future__ import annotations

import pytest
from floor_words import jhb
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.verdicts import (
    IN,
    Play,
    Verdict,
    bytes_of,
    duration,
    find,
    line_of,
    money,
    outcome_cells,
    persons,
    play_cells,
    read,
    sentence,
)

T = jhb("2023-10-07 14:30")
CELL = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=6)
VERDICTS = st.builds(
    Verdict, CELL, st.sampled_from([IN, "SS_NOT_ACTIVE"]), CELL, st.none() | st.integers(0, 9**9),
    st.none() | st.integers(0, 9), CELL, CELL, CELL, CELL,
)  # fmt: skip
PLAYS = st.builds(Play, st.none() | st.integers(0, 9**9), *[st.integers(0, 9**9)] * 4, st.none() | st.integers(0, 99))


@given(st.lists(st.tuples(VERDICTS, st.none() | PLAYS), max_size=5))
@settings(max_examples=25)
def test_what_is_written_is_read(made: list[tuple[Verdict, Play | None]]) -> None:
    lines = [
        line_of(v.person, outcome_cells(*v[1:5]), *v[5:]) + ("" if play is None else play_cells(play))
        for v, play in made
    ]
    assert list(read(bytes_of(T, lines))) == made
    assert persons(bytes_of(T, lines)) == {verdict.person for verdict, _ in made}


def test_the_bytes_are_plain() -> None:
    outcome = outcome_cells("SS_NOT_ACTIVE", "idle_seconds", 372_000, 300_000)
    line = line_of("1", outcome, "2", "c", "S-1", "f")
    header = b"floordraw verdicts 1\t2023-10-07T12:30:00.000Z\n"
    expected = header + b"1\tSS_NOT_ACTIVE\tidle_seconds\t372000\t300000\t2\tc\tS-1\tf\n"
    assert bytes_of(T, [line]) == expected
    assert [v.member for v, _ in find(expected, "1")] == ["2"]
    assert find(expected, "2") == []


@pytest.mark.parametrize("data", [b"", b"1\tIN\n", b"floordraw verdicts 1\tt\n1\tIN\n", b"floordraw verdicts 1\tt\n1"])
def test_other_bytes_are_no_verdicts(data: bytes) -> None:
    with pytest.raises(ValueError, match="verdict"):
        list(read(data))


def said(code: str, measure: str = "", figure: int | None = None, limit: int | None = None) -> str:
    return sentence(Verdict("1", code, measure, figure, limit, "1", "", "S-1", "f"))


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (
            ("SS_NOT_ACTIVE", "idle_seconds", 372_000, 300_000),
            "Your last game was 6 min 12 s before; it must be 5 min or less.",
        ),
        (
            ("SS_NOT_ACTIVE", "idle_seconds", 372_400, 300_000),
            "Your last game was 6 min 12 s before; it must be 5 min or less.",
        ),
        (
            ("SS_NOT_ACTIVE", "idle_seconds", 300_001, 300_000),
            "Your last game was 5 min 0.001 s before; it must be 5 min or less.",
        ),
        (("SS_NOT_ACTIVE", "idle_seconds"), "No game had been played since your card went in."),
        (("SS_NOT_ACTIVE", "paused"), "Your rating was paused."),
        (
            ("SS_NOT_ACTIVE", "minutes_since_touch", 700_000, 600_000),
            "Your rating was last touched 11 min 40 s before; it must be 10 min or less.",
        ),
        (
            ("SS_CRITERIA_NOT_MET", "minutes", 545_000, 600_000),
            "Your session had been open for 9 min 5 s; it must be 10 min or more.",
        ),
        (("SS_CRITERIA_NOT_MET", "games", 2, 3), "You had played 2 games in this session; it must be 3 or more."),
        (
            ("SS_CRITERIA_NOT_MET", "coin_in", 95_005, 90_000),
            "You had played for 950.05 in this session; it must be 900.00 or less.",
        ),
        (("SS_CRITERIA_NOT_MET", "average_bet", None, 1), "Your rating shows no average bet."),
        (("SS_UNDER_AGE", "age", 17, 18), "You must be 18 years old or more."),
        (("SS_ZONE_NOT_QUALIFYING",), "S-1 is not in one of the promotion's zones."),
        (
            ("SS_FEED_STALE", "silent", 300_500, 30_000),
            "Your machine or table had last been heard 5 min before; it must be 30 s or less.",
        ),
        (("SS_OTHER_CARD_COUNTED",), "You were in it with another of your cards, at S-1."),
        ((IN,), "You were in it, at S-1."),
    ],
)  # fmt: skip
def test_the_answer_to_why_was_i_not_in_it(verdict: tuple[str], words: str) -> None:
    assert said(*verdict) == words


def test_every_reason_has_its_words() -> None:
    codes = """SS_NOT_PROMO_DAY SS_OUTSIDE_SESSION SS_ZONE_NOT_QUALIFYING SS_NOT_MEMBER SS_TIER_NOT_TARGETED
        SS_UNDER_AGE SS_REFUSAL_OF_ENTRY SS_SELF_EXCLUDED SS_EXCLUDED_CATEGORY SS_STAFF_OR_RELATED SS_FEED_STALE
        SS_NOT_ACTIVE SS_FAILED_THIS_AWARD SS_WIN_LIMIT SS_OTHER_CARD_COUNTED"""
    words = [said(code) for code in codes.split()]
    assert len(set(words)) == len(words)
    assert sentence(None).startswith("No card of yours was in")


def test_durations_and_money() -> None:
    assert [duration(ms) for ms in (0, 999, 59_000, 60_000, 60_250, 372_000)] == [
        "0 s",
        "0.999 s",
        "59 s",
        "1 min",
        "1 min 0.250 s",
        "6 min 12 s",
    ]
    assert [money(cents) for cents in (0, 5, 1_234)] == ["0.00", "0.05", "12.34"]
