"""The scripted crew: what its file may say, what it presses and when, and that it takes turns."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.errors import Refused
from draw_engine.scripted_crew import CrewPlan, Press, Scripted, ScriptedCrew, read_crew

AT = 1_700_000_000_000
SURE: dict[str, Any] = {"walk_seconds": (10, 10), "found": 1.0, "other_person": 0.0}


def presses(plan: CrewPlan, *, award: int = 1, attempt: int = 1, **terms: Any) -> list[tuple[int, str, int | None]]:
    crew = ScriptedCrew(plan)
    crew.selected("d", ordinal=0, award=award, attempt=attempt, at=AT, **terms)
    return [(press.at - AT, press.verb, press.prize) for press in crew.due(AT + 10**9)]


def drawn(seed: str, what: str) -> int:
    """The page: each thing drawn is HMAC(crew seed, award/attempt/what)."""
    return int.from_bytes(hmac.digest(seed.encode(), what.encode(), hashlib.sha256)[:8], "big")


def test_a_guest_who_is_found_is_paid_after_the_check_and_the_envelope() -> None:
    (found, confirmed) = presses(CrewPlan(**SURE, verify_seconds=20, envelope_seconds=40))
    assert found == (10_000, "found", None)
    assert confirmed[:2] == (70_000, "confirmed")
    assert confirmed[2] == 50_000 + 5_000 * (drawn("crew", "1/1/envelope") * 11 >> 64)


def test_another_person_on_the_card_ends_it_at_the_machine() -> None:
    assert presses(CrewPlan(**SURE | {"other_person": 1.0})) == [(10_000, "not_rightful_card", None)]


def test_a_guest_who_is_not_there_is_announced_and_comes_or_does_not() -> None:
    gone = SURE | {"found": 0.0, "announce_seconds": 5}
    assert presses(CrewPlan(**gone, presents=0.0)) == [(15_000, "announce", None)]
    announced, presented, confirmed = presses(CrewPlan(**gone, presents=1.0, verify_seconds=1, envelope_seconds=1))
    assert announced == (15_000, "announce", None)
    after = drawn("crew", "1/1/presents after") * 90_001 >> 64
    assert presented == (15_000 + after, "present", None)
    assert confirmed[:2] == (17_000 + after, "confirmed")


@settings(max_examples=40)
@given(
    seed=st.text(min_size=1, max_size=8),
    award=st.integers(1, 70),
    attempt=st.integers(1, 5),
    window=st.integers(0, 200_000),
)
def test_who_presents_does_so_within_the_draw_s_own_window_and_for_its_own_envelope(
    seed: str, award: int, attempt: int, window: int
) -> None:
    plan = CrewPlan(**SURE | {"found": 0.0}, presents=1.0, seed=seed)
    terms = {"window_ms": window, "prize": (1_000, 21_000)} if window else {"prize": (1_000, 21_000)}
    announced, presented, confirmed = presses(plan, award=award, attempt=attempt, **terms)
    assert 0 <= presented[0] - announced[0] <= (window or 90_000)
    assert confirmed[2] in {1_000, 6_000, 11_000, 16_000, 21_000}


def test_the_same_file_presses_the_same_and_the_draw_s_name_makes_no_difference() -> None:
    plan = CrewPlan()
    for award in range(1, 20):
        one, two = ScriptedCrew(plan), ScriptedCrew(plan)
        one.selected("a", ordinal=0, award=award, attempt=1, at=AT)
        two.selected("b", ordinal=7, award=award, attempt=1, at=AT)
        assert [p.at for p in one.due(AT * 2)] == [p.at for p in two.due(AT * 2)]
    assert presses(CrewPlan(seed="a")) != presses(CrewPlan(seed="b"))
    assert presses(plan, attempt=1) != presses(plan, attempt=2)


SCRIPTS = [
    ("confirmed", [(7_000, "found"), (7_000, "confirmed")]),
    ("refused", [(7_000, "found"), (7_000, "refused")]),
    ("not_rightful_card", [(7_000, "not_rightful_card")]),
    ("ineligible", [(7_000, "ineligible")]),
    ("expired", [(7_000, "announce"), (97_250, "expired")]),
    ("held", [(7_000, "announce"), (97_250, "held")]),
    ("voided", [(7_000, "voided")]),
    ("reselected", [(7_000, "reselected")]),
    ("review_absent", [(7_000, "announce"), (97_250, "interrupted"), (157_250, "review_absent")]),
    (
        "review_present",
        [(7_000, "announce"), (97_250, "interrupted"), (157_250, "review_present"), (217_250, "confirmed")],
    ),
    (
        "review_again",
        [
            *[(7_000, "announce"), (97_250, "interrupted"), (157_250, "review_again")],
            *[(167_250, "announce"), (212_250, "present"), (272_250, "confirmed")],
        ],
    ),
]


@pytest.mark.parametrize(("outcome", "expected"), SCRIPTS)
def test_a_script_fixes_one_attempt_of_one_award(outcome: str, expected: list[tuple[int, str]]) -> None:
    plan = CrewPlan(**SURE, script={(3, 2): Scripted(outcome, 7)})
    assert [(at, verb) for at, verb, _ in presses(plan, award=3, attempt=2)] == expected
    assert [verb for _, verb, _ in presses(plan, award=3, attempt=1)] == ["found", "confirmed"]
    assert all((prize is not None) == (verb == "confirmed") for _, verb, prize in presses(plan, award=3, attempt=2))


def test_crews_take_turns_and_the_queue_is_measured() -> None:
    crew = ScriptedCrew(CrewPlan(**SURE, crews=2, verify_seconds=20, envelope_seconds=30))
    for ordinal in range(5):
        crew.selected("d", ordinal=ordinal, award=ordinal + 1, attempt=1, at=AT)
    found = sorted((press.at - AT, press.ordinal) for press in crew.due(AT + 10**9) if press.verb == "found")
    # Each walk and its prize take a minute: two crews, five selections at once.
    assert found == [(10_000, 0), (10_000, 1), (70_000, 2), (70_000, 3), (130_000, 4)]
    assert crew.longest_queue == 3


def test_a_crew_that_announced_is_free_again() -> None:
    crew = ScriptedCrew(CrewPlan(**SURE | {"found": 0.0, "announce_seconds": 5}, presents=0.0, crews=1))
    for ordinal in range(2):
        crew.selected("d", ordinal=ordinal, award=ordinal + 1, attempt=1, at=AT)
    assert [press.at - AT for press in crew.due(AT + 10**9)] == [15_000, 30_000]


def test_presses_come_due_in_order_and_once() -> None:
    crew = ScriptedCrew(CrewPlan(**SURE))
    assert crew.next_at() is None
    crew.selected("d", ordinal=0, award=1, attempt=1, at=AT)
    assert crew.next_at() == AT + 10_000
    assert crew.due(AT + 9_999) == []
    assert crew.due(AT + 10_000) == [Press(AT + 10_000, 0, "d", 0, "found", None)]
    assert crew.due(AT + 10_000) == []
    assert crew.next_at() == AT + 70_000


def test_the_file_is_read_whole() -> None:
    text = b"""
seed = "saturday"
crews = 3
walk_seconds = [5, 15]
announce_seconds = 8
verify_seconds = 9
envelope_seconds = 11
review_seconds = 12
found = 0.5
other_person = 0
presents = 1
[[script]]
award = 12
attempt = 1
outcome = "expired"
after_seconds = 40
[[script]]
award = 12
attempt = 2
outcome = "confirmed"
"""
    assert read_crew(text) == CrewPlan(
        seed="saturday",
        crews=3,
        walk_seconds=(5, 15),
        announce_seconds=8,
        verify_seconds=9,
        envelope_seconds=11,
        review_seconds=12,
        found=0.5,
        other_person=0,
        presents=1,
        script={(12, 1): Scripted("expired", 40), (12, 2): Scripted("confirmed", 60)},
    )
    assert read_crew(b"") == CrewPlan()
    assert read_crew(b"seed = 7\n").seed == "7"


FAULTS = [
    pytest.param(b"crew = 2\n", "unknown key crew", id="unknown"),
    pytest.param(b"crews = 0\n", "crews must be", id="no-crew"),
    pytest.param(b"crews = 1.5\n", "crews must be", id="half-a-crew"),
    pytest.param(b"crews = true\n", "crews must be", id="no-number"),
    pytest.param(b"walk_seconds = [9, 3]\n", "walk_seconds needs", id="walk-backwards"),
    pytest.param(b"walk_seconds = [-1, 3]\n", "walk_seconds must be", id="walk-negative"),
    pytest.param(b"walk_seconds = [1]\n", "X_CREW_FILE", id="walk-short"),
    pytest.param(b"walk_seconds = 5\n", "X_CREW_FILE", id="walk-number"),
    pytest.param(b"announce_seconds = 1.5\n", "announce_seconds must be", id="half-a-second"),
    pytest.param(b'verify_seconds = "9"\n', "verify_seconds must be", id="text"),
    pytest.param(b"review_seconds = -1\n", "review_seconds must be", id="decided-before"),
    pytest.param(b"found = 1.1\n", "found must be", id="too-likely"),
    pytest.param(b'found = "often"\n', "found must be", id="often"),
    pytest.param(b"presents = -0.1\n", "presents must be", id="too-unlikely"),
    pytest.param(b"other_person = true\n", "other_person must be", id="truth"),
    pytest.param(b'[[script]]\naward = 1\noutcome = "held"\n', "needs attempt", id="script-short"),
    pytest.param(b'[[script]]\naward = 1\nattempt = 1\noutcome = "lost"\n', "outcome 'lost'", id="script-outcome"),
    pytest.param(b'[[script]]\naward = 0\nattempt = 1\noutcome = "held"\n', "award must be", id="script-award"),
    pytest.param(
        b'[[script]]\naward = 1\nattempt = 1\noutcome = "held"\nafter_seconds = -1\n', "after_seconds", id="early"
    ),
    pytest.param(b"found = \n", "X_CREW_FILE", id="no-toml"),
    pytest.param(b"\xff", "X_CREW_FILE", id="no-text"),
]


@pytest.mark.parametrize(("text", "said"), FAULTS)
def test_a_file_that_cannot_be_used_says_what_is_wrong(text: bytes, said: str) -> None:
    with pytest.raises(Refused) as refusal:
        read_crew(text)
    assert refusal.value.code == "X_CREW_FILE"
    assert said in str(refusal.value)
