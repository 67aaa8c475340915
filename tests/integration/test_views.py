"""What console and floor screen are told of an engine, in every state a session can be in."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from casino import HOUR, LERATO, PIETER, THANDI, Casino, jhb, seat_everybody

from draw_engine.service import house
from kiosk.console.view import console_snapshot
from kiosk.screens.view import House, screen_snapshot
from web_display.console_messages import ConsoleSnapshot, StaffMember
from web_display.messages import ScreenSnapshot

Casinos = Callable[..., Casino]
HOUSE = House("Silverstar", "No persons under 18.", demo=False)
STAFF = (StaffMember("nomvula", "Nomvula Maseko", "manager"),)
BY_TWO = {"by": "nomvula", "second": "kabelo", "reason": "a burst pipe"}
NB = "\u00a0"


def console(casino: Casino) -> ConsoleSnapshot:
    return console_snapshot(casino.engine, HOUSE, STAFF)


def screen(casino: Casino) -> ScreenSnapshot:
    return screen_snapshot(casino.engine, HOUSE)


def reasons(casino: Casino) -> list[tuple[str, bool]]:
    return [(reason.code, reason.blocking) for reason in console(casino).reasons]


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    """Its lists are loaded and six guests who may win are seated since 13:45; nothing is open yet."""
    made = casinos()
    made.load_lists()
    seat_everybody(made)
    made.at("13:50")
    return made


@pytest.fixture
def selected(casino: Casino) -> Casino:
    """The first selection of the first session was made just now."""
    casino.at("14:00")
    casino.go(casino.moments()[0])
    assert len(casino.draw().state.claims) == 1
    return casino


# -- before -----------------------------------------------------------------------------------------------------


def test_before_anything_both_say_what_comes(casinos: Casinos) -> None:
    told, shown = console(casinos()), screen(casinos())
    assert told.headline == "No session is open. Next: First, 14:00"
    assert (told.ready, told.session, told.claims, told.pool, told.pool_now, told.draws) == (
        False,
        None,
        (),
        (),
        None,
        (),
    )
    assert told.staff == STAFF
    assert shown.session is None
    assert shown.next_session is not None
    assert shown.next_session.title == "First"
    assert (shown.next_session.starts_at, shown.next_session.starts_text) == (jhb("14:00"), "14:00")
    assert shown.next_session.prize_text == f"3 envelopes, R{NB}500 to R{NB}1{NB}000 each."
    assert shown.next_session.who_text == "For Black, Platinum and Gold."
    assert [part.caption for part in shown.day] == ["First: 3 to come", "Second: 3 to come"]
    assert (shown.statutory_line, shown.property_name, shown.promotion_title) == (
        "No persons under 18.",
        "Silverstar",
        "Playtime",
    )
    assert (shown.utc_offset_minutes, shown.demo, shown.suspended, shown.won) == (120, False, False, None)


def test_lists_that_are_missing_will_stand_in_the_way_and_then_do(casinos: Casinos) -> None:
    casino = casinos()
    assert reasons(casino) == [("X_LIST_TOO_OLD", False)] * 4
    assert [(line.kind, line.state) for line in console(casino).lists] == [
        ("members", "missing"),
        ("exclusions", "missing"),
        ("staff", "missing"),
        ("positions", "missing"),
    ]
    casino.at("13:56")
    assert reasons(casino) == [("X_LIST_TOO_OLD", True)] * 4
    first = console(casino).reasons[0]
    assert first.sentence == "The members list has not been loaded."
    assert "floordraw lists load members" in first.todo


def test_on_another_day_the_next_session_has_its_date(casinos: Casinos) -> None:
    casino = casinos(now="2023-10-08 12:00")
    assert console(casino).headline == "No session is open. Next: First, Saturday 14 October, 14:00"
    assert screen(casino).day == ()
    over = casinos(now="2023-12-09 20:00")
    assert console(over).headline == "The day's sessions are over"
    assert screen(over).next_session is None


@pytest.mark.parametrize(
    ("hours", "state", "blocking"), [(21.5, "fine", None), (21.7, "ageing", False), (24.0, "ageing", False)]
)
def test_a_list_is_called_ageing_before_it_is_too_old(
    casinos: Casinos,
    hours: float,
    state: str,
    blocking: bool | None,  # noqa: FBT001 - a case
) -> None:
    casino = casinos(now="2023-10-06 13:58")
    casino.load_lists()
    casino.clock.set(jhb("2023-10-06 13:58") + int(hours * HOUR))
    (members,) = (line for line in console(casino).lists if line.kind == "members")
    assert members.state == state
    about = [reason for reason in console(casino).reasons if "members" in reason.sentence]
    assert [reason.blocking for reason in about] == ([] if blocking is None else [blocking])


def test_a_list_past_its_limit_is_old_wherever_it_is_named(casinos: Casinos) -> None:
    """A minute over the limit no session opens: line and reason must say so alike."""
    casino = casinos(now="2023-10-06 13:58")
    casino.load_lists()
    casino.clock.set(jhb("2023-10-07 13:59"))
    casino.tick()
    assert not casino.engine.draws
    (members,) = (line for line in console(casino).lists if line.kind == "members")
    assert (members.state, members.sentence) == ("old", f"The members list is 24{NB}h old. The limit is 24{NB}h.")
    about = [reason for reason in console(casino).reasons if "members" in reason.sentence]
    assert [(reason.code, reason.blocking) for reason in about] == [("X_LIST_TOO_OLD", True)]


# -- opened and running -----------------------------------------------------------------------------------------


def test_an_open_session_that_has_not_begun(casino: Casino) -> None:
    casino.at("13:56")
    told = console(casino)
    assert told.headline == "First is open. It starts at 14:00"
    assert (told.ready, told.reasons, told.pool_now) == (False, (), None)
    assert told.session is not None
    assert (told.session.state, told.session.from_text, told.session.to_text) == ("open", "14:00", "14:10")
    assert [(part.n, part.from_text, part.state, part.marks) for part in told.session.parts] == [
        (1, "14:00", "to_come", ()),
        (2, "14:03", "to_come", ()),
        (3, "14:06", "to_come", ()),
    ]
    assert told.counts.to_come == 3
    assert told.log is not None
    assert told.log.checkpoint_text.startswith("Checkpoint at 13:55:00 covers entry ")
    assert screen(casino).session is None
    assert screen(casino).next_session is not None


def test_a_running_session_says_who_would_be_in_the_pool(casino: Casino) -> None:
    casino.at("14:00")
    told, shown = console(casino), screen(casino)
    assert (told.headline, told.ready, told.reasons) == ("Selections can be made", True, ())
    assert told.pool_now is not None
    assert (told.pool_now.size, told.pool_now.at_text) == (6, "14:00:00")
    assert told.session is not None
    assert told.session.state == "running"
    assert [part.state for part in told.session.parts] == ["now", "to_come", "to_come"]
    assert shown.session is not None
    assert (shown.session.title, shown.session.awards, shown.session.to_come) == ("First", 3, 3)
    assert shown.session.sentence == "A winner may be selected at any moment until 14:10."
    assert [(feed.id, feed.state, feed.sentence) for feed in told.feeds] == [
        ("slots-1", "up", "slots-1 is sending."),
        ("tables-1", "up", "tables-1 is sending."),
    ]


def test_a_claim_goes_through_its_states(selected: Casino) -> None:
    guest = {THANDI: "Thandi Mokoena", PIETER: "Pieter van der Merwe", LERATO: "Lerato Dlamini"}
    row = selected.draw().rows[0]
    (claim,) = console(selected).claims
    name = selected.engine.member_at(row.member, selected.clock.now())
    assert name is not None
    last4 = (row.card or row.member)[-4:]
    assert claim.guest == f"{guest.get(row.member, f'{name.first_name} {name.last_name}')} ···{last4}"
    assert (claim.ordinal, claim.award, claim.position) == (0, 1, row.position)
    assert (claim.state, claim.deadline_at, claim.crew) == ("with_crew", None, "")
    assert screen(selected).claims == ()
    deadline = selected.announce()
    (claim,) = console(selected).claims
    assert (claim.state, claim.state_sentence, claim.deadline_at) == ("announced", "Announced", deadline)
    (called,) = screen(selected).claims
    assert (called.deadline_at - called.announced_at, called.place) == (90_000, "Promotions Stage")
    assert called.name == f"{name.first_name} {'M' if row.member == PIETER else name.last_name[0]}. ···{last4}"
    selected.present()
    (claim,) = console(selected).claims
    assert (claim.state_sentence, claim.deadline_at) == ("Presented in time", None)
    assert screen(selected).claims == ()
    selected.end("confirmed", prize=75_000)
    told, shown = console(selected), screen(selected)
    assert (told.claims, told.counts.confirmed, told.counts.to_come) == ((), 1, 2)
    assert shown.won is not None
    assert (shown.won.name, shown.won.last4, shown.won.amount_text) == (
        called.name.partition(" ···")[0],
        last4,
        f"R{NB}750",
    )
    assert [(winner.name, winner.amount_text) for winner in shown.recent] == [(called.name, f"R{NB}750")]
    assert shown.winners_today == 1
    assert shown.day[0].caption == "First: 1 won, 2 to come"


def test_found_at_the_device_is_said_and_needs_no_call(selected: Casino) -> None:
    selected.found()
    (claim,) = console(selected).claims
    assert (claim.state, claim.state_sentence) == ("with_crew", "Found at the device")
    assert screen(selected).claims == ()
    assert screen(selected).day[0].caption == "First: 1 running, 2 to come"


def test_a_claim_whose_time_is_up_is_shown_as_ended_for_a_while(selected: Casino) -> None:
    deadline = selected.announce()
    selected.go(deadline + 250)
    shown = screen(selected)
    assert [ended.at for ended in shown.ended] == [deadline + 250]
    assert all(claim.deadline_at != deadline for claim in shown.claims)
    told = console(selected)
    assert told.session is not None
    assert [mark.kind for mark in told.session.parts[0].marks] == ["ended", "with_crew"]
    assert told.session.parts[0].marks[0].sentence == "Award 1, selection 0: ended, selected again"
    selected.go(deadline + 250 + 15_000)
    assert screen(selected).ended == ()


# -- what stands in the way -------------------------------------------------------------------------------------


def test_a_suspended_session_says_so_on_both(selected: Casino) -> None:
    selected.announce()
    house.suspend(selected.engine, selected.draw(), **BY_TWO)
    told, shown = console(selected), screen(selected)
    assert (told.headline, told.ready) == ("The session is suspended", False)
    assert reasons(selected) == [("SS_SESSION_SUSPENDED", True)]
    assert told.session is not None
    assert told.session.state == "suspended"
    assert (shown.suspended, shown.suspended_sentence) == (True, "The session is suspended.")
    assert len(shown.claims) == 1, "a running clock goes on"
    house.resume(selected.engine, selected.draw(), **BY_TWO)
    assert not screen(selected).suspended
    assert console(selected).headline == "Selections can be made"


def test_a_silent_feed_postpones_until_it_is_excluded(casino: Casino) -> None:
    casino.at("14:00:20")
    casino.silent = {"tables-1"}
    casino.at("14:00:51")
    told = console(casino)
    assert (told.headline, told.ready) == ("Selections are postponed", False)
    (reason,) = told.reasons
    assert (reason.code, reason.blocking) == ("SS_FEED_STALE", True)
    assert reason.sentence == "tables-1 has sent nothing since 14:00:20."
    assert reason.action is not None
    assert (reason.action.kind, reason.action.feed) == ("exclude_feed", "tables-1")
    assert [feed.state for feed in told.feeds] == ["up", "stale"]
    before = reason
    casino.at("14:00:55")
    assert console(casino).reasons == (before,), "an age would be news every second"
    house.exclude_feed(casino.engine, casino.draw(), "tables-1", **BY_TWO)
    told = console(casino)
    assert (told.headline, told.reasons) == ("Selections can be made", ())
    assert [(feed.state, feed.sentence) for feed in told.feeds][1] == (
        "excluded",
        "tables-1 is excluded from this session.",
    )


def test_a_pool_with_nobody_in_it_is_said_to_be_empty(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    casino.at("14:00")
    told = console(casino)
    assert (told.headline, told.ready) == ("Selections are postponed", False)
    assert reasons(casino) == [("SS_POOL_EMPTY", True)]
    assert told.pool_now is not None
    assert told.pool_now.size == 0
    shown = screen(casino)
    assert shown.session is not None
    assert shown.session.sentence == "A winner may be selected at any moment until 14:10."


def test_a_clock_that_jumped_is_said(selected: Casino) -> None:
    selected.clock.off = 5_000
    assert ("X_CLOCK_UNSYNCED", True) in reasons(selected)
    assert console(selected).headline == "Selections are postponed"


# -- after ------------------------------------------------------------------------------------------------------


def test_after_the_end_running_claims_go_on(casino: Casino) -> None:
    casino.at("14:10")
    assert casino.draw().state.running()
    told, shown = console(casino), screen(casino)
    assert told.headline == "First has ended. Running claims go on"
    assert told.session is not None
    assert told.session.state == "ended"
    assert {part.state for part in told.session.parts} == {"past"}
    assert (told.ready, told.pool_now) == (False, None)
    assert shown.session is not None
    assert shown.session.sentence == "Every selection of this session has been made."
    assert casino.announce()
    assert len(screen(casino).claims) == 1
    casino.pay_running()


def test_a_closed_session_stands_in_the_past(casino: Casino) -> None:
    casino.finish("14:11")
    told, shown = console(casino), screen(casino)
    assert told.headline == "No session is open. Next: Second, 14:30"
    assert told.session is not None
    assert told.session.state == "closed"
    assert [mark.kind for part in told.session.parts for mark in part.marks] == ["confirmed"] * 3
    assert [pool.size for pool in told.pool] == [6, 6, 6]
    (past,) = told.draws
    assert (past.title, past.state) == ("Playtime, first, 07 October 2023", "3 of 3 awards filled")
    assert past.records == {
        "Public copy": "/draws/silverstar/playtime/2023-10-07/first/record.zip?copy=public",
        "Auditor's copy": "/draws/silverstar/playtime/2023-10-07/first/record.zip?copy=auditor",
    }
    assert shown.session is None
    assert shown.next_session is not None
    assert shown.next_session.title == "Second"
    assert [part.caption for part in shown.day] == ["First: 3 won", "Second: 3 to come"]
    assert (shown.winners_today, len(shown.recent)) == (3, 3)
    casino.finish("14:41")
    assert [part.caption for part in screen(casino).day] == ["First: 3 won", "Second: 3 won"]
    assert console(casino).headline == "No session is open. Next: First, Saturday 14 October, 14:00"


def test_it_is_the_same_after_a_restart(selected: Casino) -> None:
    selected.announce()
    before = console(selected).as_json(), screen(selected).as_json()
    selected.restart()
    assert (console(selected).as_json(), screen(selected).as_json()) == before
