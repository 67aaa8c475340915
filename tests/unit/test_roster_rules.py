"""The roster's rules: what a line may be, and how lines and sign-ins agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draw_engine.errors import Refused
from draw_engine.roster import DUTIES, NEAR_MS, Shift, attendance, overlap, require_sound

HOUR = 3_600_000
ROLES = ("crew", "stage", "desk", "customer_services", "marketing", "manager", "auditor", "witness")


def shift(
    n: int = 1, person: str = "kabelo", duty: str = "crew", zone: str | None = None, *, of: tuple[int, int]
) -> Shift:
    return Shift(n, "2023-10-07", person, duty, zone, of[0] * HOUR, of[1] * HOUR)


def why(made: Shift, role: str = "crew", others: tuple[Shift, ...] = ()) -> str:
    try:
        require_sound(made, role=role, zones={"A", "B"}, others=others)
    except Refused as refused:
        return refused.code
    return ""


@pytest.mark.parametrize(
    ("made", "role", "code"),
    [
        (shift(of=(13, 18)), "crew", ""),
        (shift(zone="A", of=(13, 18)), "crew", ""),
        (shift(zone="C", of=(13, 18)), "crew", "X_NO_SUCH_ZONE"),
        (shift(duty="desk", zone="A", of=(13, 18)), "desk", "X_NO_SUCH_ZONE"),
        (shift(duty="desk", of=(13, 18)), "customer_services", ""),
        (shift(duty="stage", of=(13, 18)), "crew", "X_DUTY_NOT_FIT"),
        (shift(duty="guard", of=(13, 18)), "crew", "X_DUTY_NOT_FIT"),
        (shift(of=(13, 18)), "auditor", "X_DUTY_NOT_FIT"),
        (shift(of=(18, 18)), "crew", "X_SHIFT_EMPTY"),
        (shift(of=(18, 13)), "crew", "X_SHIFT_EMPTY"),
    ],
)
def test_what_a_line_may_be(made: Shift, role: str, code: str) -> None:
    assert why(made, role) == code


def test_nobody_works_twice_at_one_time_and_may_one_after_the_other() -> None:
    early = shift(of=(13, 15))
    assert why(shift(2, of=(15, 18)), others=(early,)) == ""
    assert why(shift(2, of=(14, 18)), others=(early,)) == "X_SHIFT_OVERLAPS"
    assert why(shift(2, "zanele", of=(14, 18)), others=(early,)) == ""


spans = st.tuples(st.integers(0, 23), st.integers(1, 24)).filter(lambda span: span[0] < span[1])


@given(spans, spans)
def test_two_overlap_when_an_hour_is_in_both(one: tuple[int, int], other: tuple[int, int]) -> None:
    both = set(range(*one)) & set(range(*other))
    assert overlap(shift(of=one), shift(of=other)) == bool(both)


@given(st.sampled_from(ROLES))
def test_who_watches_is_on_no_duty(role: str) -> None:
    fit = [duty for duty, roles in DUTIES.items() if role in roles]
    assert len(fit) == (0 if role in {"auditor", "witness"} else 1)


def test_who_is_missed_who_is_soon_due_and_who_is_here_unplanned() -> None:
    planned = [
        shift(1, "kabelo", of=(13, 18)),
        shift(2, "zanele", of=(14, 18)),
        shift(3, "anita", "stage", of=(13, 18)),
        shift(4, "thabo", of=(8, 12)),
    ]
    signed_in = {"anita": "stage", "thabo": "crew", "nomvula": "manager"}
    at_13 = attendance(planned, signed_in, 13 * HOUR)
    assert [one.person for one in at_13.missing] == ["kabelo"]
    assert at_13.soon == ()
    assert at_13.extra == ("thabo",)  # over since noon; a manager needs no line
    near = attendance(planned, signed_in, 14 * HOUR - NEAR_MS)
    assert [one.person for one in near.soon] == ["zanele"]
    assert [one.person for one in attendance(planned, signed_in, 18 * HOUR).missing] == []
