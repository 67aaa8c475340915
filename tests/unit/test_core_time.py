"""The core's time in another process: right within half the shortest question, whatever the line does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from web_display.core_time import CoreTime


class Line:
    """A steady clock and a core whose clock is `ahead` of it (ms), over a line of any delay."""

    def __init__(self, ahead: float = 1_000_000) -> None:
        self.at, self.ahead = 100.0, ahead
        self.time = CoreTime(lambda: self.at)

    def core(self) -> int:
        return round(self.at * 1000 + self.ahead)

    def message(self, way: float) -> None:
        made = self.core()
        self.at += way / 1000
        self.time.heard(made)

    def question(self, there: float, back: float) -> None:
        asked = self.at
        self.at += there / 1000
        answered = self.core()
        self.at += back / 1000
        self.time.measured(answered, asked)

    def error(self) -> float:
        now = self.time.now()
        assert now is not None
        return abs(now - self.core())


def test_nothing_is_known_before_anything_was_said():
    assert Line().time.now() is None


def test_a_message_alone_is_late_by_its_way_and_a_question_by_half_of_what_its_ways_differ():
    line = Line()
    line.message(400)
    assert line.error() == pytest.approx(400, abs=1)
    line.question(300, 300)
    assert line.error() <= 1
    line.question(10, 800)
    assert line.error() <= 1, "the shorter question counts"


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("message"), st.floats(0, 3_000), st.just(0.0)),
            st.tuples(st.just("question"), st.floats(0, 1_500), st.floats(0, 1_500)),
            st.tuples(st.just("step"), st.floats(-3_600_000, 3_600_000), st.just(0.0)),
            st.tuples(st.just("wait"), st.floats(0, 30_000), st.just(0.0)),
        ),
        max_size=30,
    ),
    st.floats(0, 100),
    st.floats(0, 100),
)
@settings(max_examples=150)
def test_after_a_question_it_is_right_within_half_of_it_whatever_came_before(moves, there, back):
    line = Line()
    for what, one, two in moves:
        if what == "message":
            line.message(one)
        elif what == "question":
            line.question(one, two)
        elif what == "step":
            line.ahead += one
        else:
            line.at += one / 1000
    line.question(there, back)
    # A clock that was set by less than older questions can tell from their own doubt is told by the newest alone,
    # once it is the shortest; until then by no more than both doubts together.
    doubt = (there + back) / 2
    assert line.error() <= 2 * doubt + 4 or line.error() <= doubt + 3_000 / 2 + 4
    line.message(0)
    for _ in range(8):
        line.question(there, back)
    assert line.error() <= doubt + 4


def test_another_core_is_believed_at_once():
    line = Line()
    line.question(5, 5)
    for step in (-600_000, 600_000):
        line.time.restart()
        line.ahead += step
        line.message(20)
        assert line.error() == pytest.approx(20, abs=1)
        line.question(5, 5)
        assert line.error() <= 1
