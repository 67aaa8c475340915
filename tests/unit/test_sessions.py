"""What each event does to the sessions of one feed (design "The floor's vocabulary")."""

from __future__ import annotations

from typing import Any

from floor_words import utc

from draw_engine.floor_events import read_event
from draw_engine.sessions import OpenSessions, PlaySession, apply

T = 1_696_681_085_000


def after(*told: tuple[int, str, dict[str, Any]]) -> tuple[OpenSessions, list[bool]]:
    """Open sessions after (ms after T, kind, members), and which events found what they spoke of."""
    sessions: OpenSessions = {}
    found = []
    for seq, (later, kind, members) in enumerate(told):
        value = {"feed": "f", "seq": seq, "at": utc(T + later), "kind": kind, **members}
        found.append(apply(sessions, read_event(value)))
    return sessions, found


SLOT = {"position": "S-1"}
SEAT = {"position": "BJ-1", "seat": "4"}
IN = (0, "card_in", SLOT | {"member": "1", "card": "c1"})
OPENED = (0, "rating_opened", SEAT | {"member": "1", "average_bet": 500})


def test_a_card_goes_in() -> None:
    sessions, found = after(IN)
    expected = PlaySession("f", "S-1", None, "slot", "1", "c1", T, None, 0, 0, None, paused=False, touched_at=T)
    assert sessions == {"S-1": expected}
    assert expected.place == "S-1"
    assert found == [True]


def test_the_same_members_card_again_changes_nothing() -> None:
    sessions, _ = after(IN, (5, "played", SLOT | {"games": 1, "coin_in": 7}), (9, "card_in", SLOT | {"member": "1"}))
    assert sessions["S-1"][5:10] == ("c1", T, T + 5, 1, 7)


def test_another_members_card_closes_the_earlier_session() -> None:
    sessions, _ = after(IN, (5, "played", SLOT | {"games": 1, "coin_in": 7}), (9, "card_in", SLOT | {"member": "2"}))
    assert sessions["S-1"][4:10] == ("2", None, T + 9, None, 0, 0)


def test_play_is_credited_to_the_open_session() -> None:
    sessions, found = after(
        IN,
        (5, "played", SLOT | {"games": 2, "coin_in": 7}),
        (8, "played", SLOT | {"games": 0, "coin_in": 30}),
        (6, "played", SLOT | {"games": 1, "coin_in": 0}),
        (4, "played", SLOT | {"games": 1, "coin_in": 0}),
    )
    session = sessions["S-1"]
    assert (session.games, session.coin_in) == (4, 37)
    assert session.last_play_at == T + 6  # the latest with games, whatever the order of numbers
    assert found == [True] * 5


def test_play_without_a_session_is_credited_to_nobody() -> None:
    sessions, found = after((5, "played", SLOT | {"games": 2, "coin_in": 7}), (6, "card_in", SLOT | {"member": "1"}))
    assert (sessions["S-1"].games, found) == (0, [False, True])


def test_a_card_goes_out() -> None:
    sessions, found = after(IN, (5, "card_out", SLOT), (6, "card_out", SLOT))
    assert (sessions, found) == ({}, [True, True, False])


def test_a_rating_from_opening_to_close() -> None:
    sessions, _ = after(OPENED)
    first = sessions["BJ-1", "4"]
    assert first == PlaySession("f", "BJ-1", "4", "table", "1", None, T, None, 0, 0, 500, paused=False, touched_at=T)
    assert first.place == "BJ-1/4"
    changed = (5, "rating_changed", SEAT | {"average_bet": 900})
    sessions, _ = after(OPENED, changed)
    assert sessions["BJ-1", "4"] == first._replace(average_bet=900, touched_at=T + 5)
    sessions, _ = after(OPENED, changed, (7, "rating_paused", SEAT))
    assert sessions["BJ-1", "4"] == first._replace(average_bet=900, paused=True, touched_at=T + 7)
    sessions, _ = after(OPENED, (7, "rating_paused", SEAT), (9, "rating_resumed", SEAT))
    assert sessions["BJ-1", "4"] == first._replace(touched_at=T + 9)
    sessions, found = after(OPENED, (9, "rating_closed", SEAT))
    assert (sessions, found) == ({}, [True, True])


def test_an_occupied_seat() -> None:
    again = (5, "rating_opened", SEAT | {"member": "1", "average_bet": 900})
    sessions, _ = after(OPENED, again)
    assert sessions["BJ-1", "4"][6:] == (T, None, 0, 0, 500, False, T)
    sessions, _ = after(OPENED, (5, "rating_opened", SEAT | {"member": "2", "average_bet": 900}))
    assert sessions["BJ-1", "4"][4:] == ("2", None, T + 5, None, 0, 0, 900, False, T + 5)


def test_words_about_a_rating_that_is_not_open_change_nothing() -> None:
    words = [
        (1, "rating_changed", SEAT | {"average_bet": 1}),
        (2, "rating_paused", SEAT),
        (3, "rating_resumed", SEAT),
        (4, "rating_closed", SEAT),
    ]
    assert after(*words) == ({}, [False] * 4)


def test_a_slot_and_a_table_of_the_same_name_are_two() -> None:
    sessions, _ = after((0, "card_in", {"position": "BJ-1", "member": "2"}), OPENED)
    assert len(sessions) == 2


def test_a_snapshot_replaces_everything() -> None:
    one = {"position": "S-9", "member": "3", "opened_at": utc(T - 50), "last_play_at": utc(T - 3), "games": 5}
    seat = {"position": "BJ-1", "seat": "4", "member": "1", "opened_at": utc(T - 60), "average_bet": 7, "paused": True}
    sessions, _ = after(IN, OPENED, (5, "snapshot", {"sessions": [one, seat]}))
    assert sessions == {
        "S-9": PlaySession(
            "f", "S-9", None, "slot", "3", None, T - 50, T - 3, 5, 0, None, paused=False, touched_at=T - 3
        ),
        ("BJ-1", "4"): PlaySession(
            "f", "BJ-1", "4", "table", "1", None, T - 60, None, 0, 0, 7, paused=True, touched_at=T - 60
        ),
    }
    emptied, _ = after(IN, OPENED, (5, "snapshot", {"sessions": []}))
    assert emptied == {}


def test_signs_of_life_and_unknown_kinds_change_nothing() -> None:
    before, _ = after(IN)
    sessions, found = after(
        IN, (5, "heartbeat", {}), (6, "jackpot", {"position": "S-1"}), (7, "feed_up", {"reason": "r"})
    )
    assert (sessions, found) == (before, [True] * 4)
