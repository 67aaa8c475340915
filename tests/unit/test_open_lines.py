"""Where there is no room for another connection: who makes way, and who is sent away."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from kiosk.open_lines import OpenLines


@pytest.fixture
def made() -> Iterator[list[socket.socket]]:
    sockets: list[socket.socket] = []
    yield sockets
    for one in sockets:
        one.close()


def line(made: list[socket.socket]) -> socket.socket:
    ours, theirs = socket.socketpair()
    made += [ours, theirs]
    return ours


def is_open(one: socket.socket) -> bool:
    one.settimeout(0)
    try:
        return one.recv(1) != b""
    except BlockingIOError:
        return True


def test_the_oldest_silent_one_of_an_address_makes_way(made: list[socket.socket]) -> None:
    lines = OpenLines(per_address=3, in_all=10)
    several = [line(made) for _ in range(4)]
    assert all(lines.enter(one, "10.0.5.1") for one in several[:3])
    lines.proven(several[0])
    assert lines.enter(several[3], "10.0.5.1")
    assert [is_open(one) for one in several] == [True, False, True, True]
    assert len(lines) == 3


def test_who_has_asked_is_not_put_out_and_the_newcomer_is_sent_away(made: list[socket.socket]) -> None:
    lines = OpenLines(per_address=2, in_all=10)
    first, second, third, other = (line(made) for _ in range(4))
    for one in (first, second):
        assert lines.enter(one, "10.0.5.1")
        lines.proven(one)
    assert not lines.enter(third, "10.0.5.1")
    assert lines.enter(other, "10.0.5.2"), "another address has its own room"
    lines.leave(first)
    assert lines.enter(third, "10.0.5.1")


def test_when_all_is_full_the_address_with_most_silent_ones_makes_way(made: list[socket.socket]) -> None:
    lines = OpenLines(per_address=5, in_all=6)
    tablet, newcomer = line(made), line(made)
    assert lines.enter(tablet, "10.0.5.1")
    flood = [line(made) for _ in range(5)]
    assert all(lines.enter(one, "10.0.5.66") for one in flood)
    assert lines.enter(newcomer, "10.0.5.2")
    assert is_open(tablet)
    assert [is_open(one) for one in flood] == [False, True, True, True, True]
    assert len(lines) == 6


def test_leaving_twice_and_without_having_come_does_no_harm(made: list[socket.socket]) -> None:
    lines = OpenLines(per_address=1, in_all=1)
    one, other = line(made), line(made)
    lines.leave(one)
    assert lines.enter(one, "10.0.5.1")
    lines.leave(one)
    lines.leave(one)
    assert len(lines) == 0
    assert lines.enter(other, "10.0.5.1")
