"""The floor as heard: order, holes, the beginning, silence, links; what is known at t follows from what came."""

from __future__ import annotations

import pytest
from floor_words import Teller, utc

from draw_engine.feeds import Floor
from draw_engine.sessions import PlaySession

T = 1_696_681_085_000
WAIT = 2_000


def floor_of(*, recording: bool = False) -> tuple[Floor, Teller]:
    floor = Floor(30_000, recording=recording)
    return floor, Teller(floor, "f")


def open_at(floor: Floor, t: int) -> dict[str, str]:
    """Position and member of what is open."""
    return {session.place: session.member for session in floor.at(t).open_sessions()}


def state(floor: Floor, t: int) -> str:
    return floor.feed_at("f", t).state


def begun() -> tuple[Floor, Teller]:
    """A feed heard from its beginning, with one guest, past the two seconds in which lower numbers may still come."""
    floor, teller = floor_of()
    teller.tell("card_in", T - 10_000, position="S-1", member="1")
    teller.tell("heartbeat", T - 5_000)
    return floor, teller


def test_nothing_heard() -> None:
    floor, _ = floor_of()
    assert floor.feed_at("f", T).state == floor.at(T).feed("f").state == "unheard"
    assert floor.want_snapshot("f", T)
    assert floor.feed_states(T) == {}
    assert list(floor.at(T).open_sessions()) == []


def test_an_event_happens_at_its_own_millisecond() -> None:
    floor, teller = begun()
    teller.tell("card_out", T + 500, received_at=T, position="S-1")
    assert open_at(floor, T) == open_at(floor, T + 499) == {"S-1": "1"}
    assert open_at(floor, T + 500) == {}


def test_what_has_not_happened_yet_does_not_hold_up_what_has() -> None:
    floor, teller = begun()
    teller.tell("card_in", T + 500, received_at=T, position="S-2", member="2")
    teller.tell("card_in", T, position="S-3", member="3")
    assert open_at(floor, T) == {"S-1": "1", "S-3": "3"}
    assert open_at(floor, T + 500) == {"S-1": "1", "S-2": "2", "S-3": "3"}


def test_the_order_is_that_of_the_numbers_once_both_have_happened() -> None:
    floor, teller = begun()
    teller.tell("card_in", T + 500, received_at=T, position="S-2", member="2")
    teller.tell("card_out", T, position="S-2")  # the later number: it closes what opened before it
    assert open_at(floor, T + 499) == {"S-1": "1"}
    assert open_at(floor, T + 500) == {"S-1": "1"}


def test_looking_ahead_changes_nothing() -> None:
    floor, teller = begun()
    teller.tell("card_out", T + 500, received_at=T, position="S-1")
    assert open_at(floor, T + 900) == {}
    assert open_at(floor, T + 100) == {"S-1": "1"}


def test_a_view_does_not_change_afterwards() -> None:
    floor, teller = begun()
    view = floor.at(T)
    before = list(view.open_sessions())
    teller.tell("played", T, position="S-1", games=1, coin_in=5)
    teller.tell("card_out", T, position="S-1")
    assert list(view.open_sessions()) == before


def test_the_floor_cannot_be_asked_about_the_past() -> None:
    floor, _ = begun()
    with pytest.raises(ValueError, match="before its last arrival"):
        floor.at(T - 5_001)


# -- holes ---------------------------------------------------------------------------------------------------------


def test_a_hole_is_waited_for() -> None:
    floor, teller = begun()
    teller.tell("card_out", T, position="S-1", seq=4)
    for t in (T, T + WAIT):
        assert (open_at(floor, t), state(floor, t)) == ({"S-1": "1"}, "up")
    t = T + WAIT + 1
    assert (open_at(floor, t), state(floor, t)) == ({}, "unsure")
    found = floor.feed_at("f", t)
    assert (found.cause, found.hole, found.since, found.wants_snapshot) == ("hole", (3, 3), T + WAIT, True)
    assert "number 3;" in found.sentence


@pytest.mark.parametrize(("after_ms", "in_time"), [(WAIT, True), (WAIT + 1, False)])
def test_a_number_that_fills_the_hole(after_ms: int, in_time: bool) -> None:  # noqa: FBT001 - a table of cases
    floor, teller = begun()
    teller.tell("card_out", T, position="S-1", seq=4)
    teller.tell("card_in", T - 1, received_at=T + after_ms, position="S-2", member="2", seq=3)
    t = T + WAIT + 1
    assert open_at(floor, t) == ({"S-2": "2"} if in_time else {})
    assert state(floor, t) == ("up" if in_time else "unsure")
    assert floor.late("f") == (0 if in_time else 1)


def test_the_wait_is_counted_from_the_first_arrival_after_the_hole() -> None:
    floor, teller = begun()
    teller.tell("heartbeat", T, seq=5)
    teller.tell("card_out", T - 1, received_at=T + 1_500, position="S-1", seq=4)  # part of the hole 3 to 4
    assert state(floor, T + WAIT) == "up"
    assert floor.feed_at("f", T + WAIT + 1).hole == (3, 3)
    assert open_at(floor, T + WAIT + 1) == {}


def test_each_hole_has_its_own_wait() -> None:
    floor, teller = begun()
    teller.tell("heartbeat", T, seq=4)
    teller.tell("card_out", T + 1_000, position="S-1", seq=6)
    assert open_at(floor, T + WAIT + 1) == {"S-1": "1"}
    assert floor.feed_at("f", T + WAIT + 1).hole == (3, 3)
    assert open_at(floor, T + 3_000) == {"S-1": "1"}
    assert open_at(floor, T + 3_001) == {}
    assert floor.feed_at("f", T + 3_001).hole == (5, 5)


def test_a_snapshot_above_the_hole_heals() -> None:
    floor, teller = begun()
    teller.tell("heartbeat", T, seq=4)
    teller.tell("snapshot", T + 100, sessions=[{"position": "S-7", "member": "7", "opened_at": utc(T)}], seq=5)
    assert state(floor, T + WAIT) == "up"
    assert open_at(floor, T + WAIT) == {"S-1": "1"}
    assert (open_at(floor, T + WAIT + 1), state(floor, T + WAIT + 1)) == ({"S-7": "7"}, "up")


def test_a_late_event_below_the_snapshot_changes_nothing() -> None:
    floor, teller = begun()
    teller.tell("heartbeat", T, seq=4)
    teller.tell("snapshot", T + 100, sessions=[], seq=5)
    teller.tell("card_in", T - 1, received_at=T + 4_000, position="S-2", member="2", seq=3)
    assert (open_at(floor, T + 4_000), state(floor, T + 4_000)) == ({}, "up")


def test_a_repeat_of_what_waits_changes_nothing() -> None:
    floor, teller = begun()
    for _ in range(2):
        teller.tell("card_in", T, position="S-2", member="2", seq=4)
    teller.tell("heartbeat", T, seq=2)
    teller.tell("heartbeat", T, seq=3)
    assert open_at(floor, T) == {"S-1": "1", "S-2": "2"}
    assert floor.late("f") == 2


def test_a_hole_whose_end_has_not_happened_yet_is_given_up_all_the_same() -> None:
    floor, teller = begun()
    teller.tell("card_out", T + 2_000, received_at=T, position="S-1", seq=4)
    teller.tell("heartbeat", T + 1_900, seq=5)
    teller.tell("card_in", T, received_at=T + WAIT + 1, position="S-2", member="2", seq=3)
    assert floor.late("f") == 1
    assert state(floor, T + WAIT + 1) == "unsure"
    assert open_at(floor, T + WAIT + 1) == {}


# -- the beginning -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1])
def test_a_feed_that_begins_is_up_at_once(first: int) -> None:
    floor, teller = floor_of()
    teller.tell("card_in", T, position="S-1", member="1", seq=first)
    assert (open_at(floor, T), state(floor, T)) == ({"S-1": "1"}, "up")


def test_lower_numbers_may_come_for_two_seconds() -> None:
    floor, teller = floor_of()
    teller.tell("card_out", T, position="S-1", seq=1)
    teller.tell("card_in", T, received_at=T + WAIT, position="S-1", member="1", seq=0)
    assert open_at(floor, T + WAIT) == {}
    assert floor.late("f") == 0
    teller.tell("heartbeat", T + WAIT + 1, seq=2)
    teller.tell("card_in", T, received_at=T + WAIT + 1, position="S-9", member="9", seq=0)
    assert floor.late("f") == 1


def test_the_last_millisecond_in_which_lower_numbers_may_come() -> None:
    floor, teller = floor_of()
    teller.tell("card_out", T, position="S-1", seq=1)
    teller.tell("heartbeat", T + WAIT, seq=2)
    teller.tell("card_in", T, received_at=T + WAIT, position="S-1", member="1", seq=0)
    assert floor.late("f") == 0


def test_what_came_before_is_not_known() -> None:
    floor, teller = floor_of()
    teller.tell("card_in", T, position="S-1", member="1", seq=7)
    assert (open_at(floor, T + WAIT), state(floor, T + WAIT)) == ({}, "unsure")
    assert (open_at(floor, T + WAIT + 1), state(floor, T + WAIT + 1)) == ({"S-1": "1"}, "unsure")
    found = floor.feed_at("f", T + WAIT + 1)
    assert (found.cause, found.hole, found.since) == ("beginning", (1, 6), T)
    teller.tell("snapshot", T + 3_000, sessions=[])
    assert (open_at(floor, T + 3_000), state(floor, T + 3_000)) == ({}, "up")


def test_a_snapshot_first_is_enough() -> None:
    floor, teller = floor_of()
    teller.tell("snapshot", T, sessions=[], seq=7)
    assert state(floor, T + WAIT) == "unsure"
    assert state(floor, T + WAIT + 1) == "up"


def test_a_beginning_that_comes_late_but_in_time() -> None:
    floor, teller = floor_of()
    teller.tell("card_in", T, position="S-2", member="2", seq=2)
    teller.tell("card_in", T, received_at=T + 900, position="S-1", member="1", seq=1)
    assert (open_at(floor, T + 900), state(floor, T + 900)) == ({"S-1": "1", "S-2": "2"}, "up")


def test_a_recording_begins_with_what_is_found() -> None:
    floor, teller = floor_of(recording=True)
    teller.tell("card_in", T, position="S-1", member="1", seq=700)
    assert (open_at(floor, T), state(floor, T)) == ({"S-1": "1"}, "up")


# -- states --------------------------------------------------------------------------------------------------------


def test_a_silent_feed_is_stale() -> None:
    floor, _ = begun()
    last = T - 5_000
    assert state(floor, last + 30_000) == "up"
    found = floor.feed_at("f", last + 30_001)
    assert (found.state, found.since, found.silent_ms, found.limit_ms) == ("stale", last, 30_001, 30_000)
    assert found.unknown
    assert "31 s ago, 30 s are allowed" in found.sentence
    assert not found.wants_snapshot


def test_a_feed_that_works_off_a_backlog_is_stale_however_much_it_talks() -> None:
    floor, teller = begun()
    newest = T - 5_000
    teller.tell("played", T - 6_000, received_at=newest + 30_001, position="S-1", games=1, coin_in=1)
    found = floor.feed_at("f", newest + 30_001)
    assert (found.state, found.silent_ms, found.behind_ms, found.since) == ("stale", 0, 30_001, newest)
    assert "backlog" in found.sentence


def test_a_lost_link_and_what_follows() -> None:
    floor, teller = begun()
    teller.tell("feed_down", T, reason="no answer")
    teller.tell("feed_down", T + 10, reason="still none")
    found = floor.feed_at("f", T + 20)
    assert (found.state, found.since, found.wants_snapshot) == ("down", T, False)
    assert "no answer" in found.sentence
    assert open_at(floor, T + 20) == {"S-1": "1"}  # listed, though unknown
    teller.tell("snapshot", T + 30, sessions=[])
    assert state(floor, T + 30) == "down"
    teller.tell("feed_up", T + 40, reason="answers")
    found = floor.feed_at("f", T + 40)
    assert (found.state, found.since, found.cause, found.wants_snapshot) == ("unsure", T + 40, "link_back", True)
    teller.tell("snapshot", T + 50, sessions=[])
    assert state(floor, T + 50) == "up"


def test_a_bridge_that_started_again_is_unsure() -> None:
    floor, teller = begun()
    teller.tell("feed_up", T, reason="bridge started")
    assert state(floor, T) == "unsure"


def test_a_bridge_whose_link_is_lost_is_not_asked_for_a_snapshot() -> None:
    floor, teller = begun()
    teller.tell("feed_up", T, reason="bridge started")
    assert floor.want_snapshot("f", T)
    teller.tell("feed_down", T + 1, reason="no answer")
    assert not floor.want_snapshot("f", T + 1)


def test_a_lost_link_is_named_before_silence_and_silence_before_a_missing_snapshot() -> None:
    floor, teller = begun()
    teller.tell("feed_up", T, reason="bridge started")
    assert state(floor, T + 30_001) == "stale"
    assert floor.want_snapshot("f", T + 30_001)
    teller.tell("feed_down", T + 30_001, reason="no answer")
    assert state(floor, T + 90_000) == "down"


def test_one_feed_says_nothing_about_another() -> None:
    floor, _ = begun()
    Teller(floor, "g").tell("feed_down", T, reason="no answer")
    assert {feed: found.state for feed, found in floor.feed_states(T).items()} == {"f": "up", "g": "down"}
    assert {session.feed for session in floor.at(T).open_sessions()} == {"f"}


# -- counts and clocks ---------------------------------------------------------------------------------------------


def test_what_changes_nothing_is_counted() -> None:
    floor, teller = begun()
    teller.tell("jackpot", T)
    teller.tell("jackpot", T)
    teller.tell("played", T, position="S-9", games=1, coin_in=1)
    teller.tell("rating_paused", T, position="BJ-1", seat="1")
    assert floor.unknown_kinds == {("f", "jackpot"): 2}
    assert (floor.orphans("f"), floor.late("f")) == (2, 0)
    assert (floor.orphans("g"), floor.late("g")) == (0, 0)


def test_the_clock_is_measured() -> None:
    floor, teller = floor_of()
    assert floor.clock_offset("f", T) is None
    for later, offset in ((0, 250), (300, 90), (1_000, 400)):
        teller.tell("heartbeat", T + later - offset, received_at=T + later)
    assert floor.clock_offset("f", T + 1_000) == (400, 90)
    assert floor.clock_offset("f", T + 59_999) == (400, 90)
    assert floor.clock_offset("f", T + 60_000) == (400, 400)
    assert floor.clock_offset("f", T + 61_000) == (400, None)
    teller.tell("heartbeat", T + 62_000, received_at=T + 61_000)
    assert floor.clock_offset("f", T + 61_000) == (-1_000, -1_000)


def test_sessions_are_values() -> None:
    floor, _ = begun()
    (session,) = floor.at(T).open_sessions()
    assert isinstance(session, PlaySession)
    assert hash(session) == hash(session._replace())
