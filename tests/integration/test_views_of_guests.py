"""What console and floor screen say of guests, and that neither ever tells a moment to come."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from casino import GRACE, MEMBERS, NALEDI, NOBODY, THANDI, Casino, jhb, seat_everybody

from draw_engine.canonical import format_time
from draw_engine.scripted_crew import CrewPlan, ScriptedCrew
from kiosk.console.view import console_snapshot
from kiosk.screens.view import House, screen_snapshot

Casinos = Callable[..., Casino]
HOUSE = House("Silverstar", "No persons under 18.", demo=False)


# -- names ------------------------------------------------------------------------------------------------------

ANOTHER_THANDI = "300001,Thandi,Mabena,Gold,1980-01-01,,,\n"


@pytest.mark.parametrize(
    ("members", "seated", "collides"),
    [
        pytest.param(MEMBERS + ANOTHER_THANDI, {"S-0412": THANDI, "S-0500": "300001"}, True, id="two-of-one-name"),
        pytest.param(MEMBERS, {"S-0412": THANDI, "S-0500": NALEDI}, False, id="two-names"),
        pytest.param(MEMBERS, {"S-0412": THANDI, "S-0500": "200001"}, False, id="one-person-on-two-cards"),
        pytest.param(
            MEMBERS + ANOTHER_THANDI, {"S-0412": THANDI, "S-0600": "300001"}, False, id="the-other-could-not-win"
        ),
    ],
)
def test_a_name_that_another_in_the_pool_could_take_for_theirs_is_marked(
    casinos: Casinos,
    members: str,
    seated: dict[str, str],
    collides: bool,  # noqa: FBT001 - a case
) -> None:
    casino = casinos(members=members)
    casino.load_lists()
    for position, member in seated.items():
        casino.sits(member, position, card=f"70{member}")
    casino.at("14:00")
    casino.go(casino.moments()[0])
    casino.announce()
    (claim,) = screen_snapshot(casino.engine, HOUSE).claims
    assert claim.collision is collides


def test_a_guest_of_no_list_any_more_is_shown_by_the_last_four(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    seat_everybody(casino)
    casino.at("14:00")
    casino.go(casino.moments()[0])
    casino.announce()
    row = casino.draw().rows[0]
    casino.load_lists(members=MEMBERS.partition("\n")[0] + "\n")
    (claim,) = screen_snapshot(casino.engine, HOUSE).claims
    assert claim.name == f"···{(row.card or row.member)[-4:]}"


# -- through a whole day ----------------------------------------------------------------------------------------


def numbers(told: Any) -> Iterator[int]:
    if isinstance(told, dict):
        for value in told.values():
            yield from numbers(value)
    elif isinstance(told, list):
        for value in told:
            yield from numbers(value)
    elif isinstance(told, int):
        yield told


def test_no_message_of_a_day_tells_a_moment_to_come_or_more_of_a_guest_than_its_name(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists(exclusions=f"{NOBODY}{GRACE},self_excluded,2023-01-01,,\n")
    seat_everybody(casino)
    casino.crew = ScriptedCrew(CrewPlan(found=0.2, presents=0.5, announce_seconds=4))
    hidden = [row.split(",") for row in MEMBERS.splitlines()[1:]]
    secret = {number for row in hidden for number in (row[0], f"70{row[0]}", row[5], row[6], row[4]) if number}
    surnames = {row[2] for row in hidden}
    seen: set[str] = set()
    for at in range(jhb("13:50"), jhb("14:45"), 7_000):
        casino.go(at)
        told, shown = (
            console_snapshot(casino.engine, HOUSE, ()).as_json(),
            screen_snapshot(casino.engine, HOUSE).as_json(),
        )
        future = {m for draw in casino.engine.draws.values() for m in casino.moments(draw.plan.id) if m > at}
        for message in (told, shown):
            assert not future & set(numbers(message))
            assert not any(format_time(moment)[:19] in json.dumps(message) for moment in future)
            assert not any(one in json.dumps(message) for one in secret)
        assert not any(one in json.dumps(shown, ensure_ascii=False) for one in surnames)
        for part in (told["session"] or {"parts": []})["parts"]:
            assert part["state"] != "to_come" or part["marks"] == []
        seen.add(told["session"]["state"] if told["session"] else "none")
    assert seen >= {"none", "open", "running", "closed"}
    assert len(casino.draws_closed()) == 2
