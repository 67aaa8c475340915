"""The roster: who works which duty when, as a manager plans a gaming day. It stops nothing: a session runs without one.

Times are instants (ms, UTC); a shift holds from its start up to, but not at, its end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from draw_engine.clock import Millis
from draw_engine.errors import Refused

DUTIES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "crew": frozenset({"crew"}),
        "stage": frozenset({"stage"}),
        "desk": frozenset({"desk", "customer_services", "marketing"}),
        "manager": frozenset({"manager"}),
    }
)
"""Duty -> the roles that can do it: a sign-in's role decides what its pages offer."""
NEAR_MS = 15 * 60_000
"""So long before a shift begins its people are looked for."""


@dataclass(frozen=True, slots=True)
class Shift:
    """One person's duty on a gaming day (ISO date). `zone`: of the floor, for the crew alone; None = all of it."""

    id: int
    day: str
    person: str
    duty: str
    zone: str | None
    starts_at: Millis
    ends_at: Millis


def require_sound(shift: Shift, *, role: str, zones: Collection[str], others: Iterable[Shift]) -> None:
    """Raise Refused X_DUTY_NOT_FIT, X_NO_SUCH_ZONE, X_SHIFT_EMPTY or X_SHIFT_OVERLAPS.

    `role`: the person's; `zones`: of the list of positions; `others`: the shifts that stand beside it.
    """
    if shift.duty not in DUTIES:
        raise Refused("X_DUTY_NOT_FIT", "Choose what they do: crew, stage, desk or manager.")
    if role not in DUTIES[shift.duty]:
        raise Refused("X_DUTY_NOT_FIT", "Their role cannot do that. Choose another duty, or change their role first.")
    if shift.zone is not None and (shift.duty != "crew" or shift.zone not in zones):
        raise Refused("X_NO_SUCH_ZONE", "Choose a zone of the floor for the crew, or the whole floor.")
    if shift.ends_at <= shift.starts_at:
        raise Refused("X_SHIFT_EMPTY", "It ends before it begins. Correct the times; a gaming day is not crossed.")
    for other in others:
        if other.person == shift.person and overlap(other, shift):
            raise Refused("X_SHIFT_OVERLAPS", "They are on the roster at that time already. Change that line instead.")


def overlap(one: Shift, other: Shift) -> bool:
    """Whether the two hold at one instant."""
    return one.starts_at < other.ends_at and other.starts_at < one.ends_at


@dataclass(frozen=True, slots=True)
class Attendance:
    """Who should be here and is not signed in; who begins soon and is not; who is here without being on the roster."""

    missing: tuple[Shift, ...]
    soon: tuple[Shift, ...]
    extra: tuple[str, ...]


def attendance(shifts: Iterable[Shift], signed_in: Mapping[str, str], now: Millis) -> Attendance:
    """How the roster and the sign-ins agree at `now`. `signed_in`: person -> role."""
    planned = sorted(shifts, key=lambda shift: (shift.starts_at, shift.person))
    absent = [shift for shift in planned if shift.person not in signed_in]
    near = {shift.person for shift in planned if shift.starts_at - NEAR_MS <= now < shift.ends_at}
    floor = {person for person, role in signed_in.items() if role in {"crew", "stage"}}
    return Attendance(
        missing=tuple(shift for shift in absent if shift.starts_at <= now < shift.ends_at),
        soon=tuple(shift for shift in absent if shift.starts_at - NEAR_MS <= now < shift.starts_at),
        extra=tuple(sorted(floor - near)),
    )
