"""A feed's numbers: new, repeated, reused, missing."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.feed_sequence import REMEMBERED, FeedSequence

A, B = b"a" * 32, b"b" * 32


def stored(*seqs: int, remembered: int = REMEMBERED) -> FeedSequence:
    sequence = FeedSequence("cms-1", remembered)
    for seq in seqs:
        assert sequence.status(seq, A) == "new"
        sequence.store(seq, A)
    return sequence


def test_the_window_is_that_of_the_page() -> None:
    assert REMEMBERED == 65_536


def test_a_repeat_is_a_number_already_stored_not_merely_a_lower_one() -> None:
    sequence = stored(1, 2, 5)
    assert [sequence.status(seq, A) for seq in range(1, 7)] == ["repeat", "repeat", "new", "new", "repeat", "new"]


def test_the_same_number_with_other_content_is_reused() -> None:
    sequence = stored(1, 2)
    assert sequence.status(2, B) == "reused"
    refusal = sequence.reused(2)
    assert (refusal.code, "cms-1" in refusal.sentence) == ("X_SEQ_REUSED", True)


def test_holes_are_listed_and_filled() -> None:
    sequence = stored(1, 5, 9)
    assert sequence.missing() == [2, 3, 4, 6, 7, 8]
    assert sequence.missing(4) == [2, 3, 4, 6]
    sequence.store(3, A)
    sequence.store(6, A)
    assert sequence.missing() == [2, 4, 7, 8]
    assert sequence.missing_count() == 4
    assert sequence.last_seq == 9


def test_nothing_is_missing_before_the_first_number_heard() -> None:
    sequence = stored(500)
    assert sequence.missing() == []
    assert sequence.status(499, A) == "new"
    sequence.store(496, A)
    assert sequence.missing() == [497, 498, 499]


def test_an_unheard_feed_has_no_last_number() -> None:
    assert FeedSequence("cms-1").last_seq is None
    assert FeedSequence("cms-1").missing() == []


def test_a_huge_hole_costs_nothing() -> None:
    sequence = stored(1, 2**53 - 1)
    assert sequence.missing(3) == [2, 3, 4]
    assert sequence.missing_count() == 2**53 - 3


def test_what_is_older_than_the_window_is_a_repeat() -> None:
    sequence = stored(1, 2, 5, 6, 7, 8, remembered=4)
    assert sequence.status(3, A) == "new"  # 2 is the newest forgotten; 3 and 4 are still missing
    assert sequence.missing() == [3, 4]
    sequence.store(9, A)
    sequence.store(10, A)
    assert [sequence.status(seq, B) for seq in (1, 3, 5, 6)] == ["repeat"] * 4
    assert sequence.status(7, B) == "reused"
    assert sequence.missing() == []


@given(st.lists(st.integers(0, 40), max_size=40), st.integers(3, 12))
@settings(max_examples=60)
def test_against_a_plain_set(arrivals: list[int], remembered: int) -> None:
    sequence = FeedSequence("cms-1", remembered)
    kept: set[int] = set()
    forgotten_below = 0
    for seq in arrivals:
        expected = "repeat" if seq in kept or seq < forgotten_below else "new"
        assert sequence.status(seq, A) == expected
        if expected == "new":
            sequence.store(seq, A)
            kept.add(seq)
        while len(kept) > remembered:
            forgotten_below = min(kept) + 1
            kept.remove(min(kept))
        lowest = max(min(kept), forgotten_below) if forgotten_below == 0 else forgotten_below
        assert sequence.missing() == [n for n in range(lowest, max(kept)) if n not in kept]
        assert sequence.last_seq == max(kept)
