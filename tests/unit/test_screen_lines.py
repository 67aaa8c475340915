"""A screen that does not take what it is sent, or says nothing any more, costs the others nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import h11
import pytest

from web_display.hall import Hall
from web_display.lines import Answer, Line
from web_display.messages import ScreenSnapshot

UPGRADE = (
    b"GET /socket.io/ HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
ANSWER = b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
"""What RFC 6455 1.3 gives as the answer to that key."""


def said(text: str) -> bytes:
    """A client's frame, its mask all zeros."""
    assert len(text) < 126
    return b"\x81" + bytes([0x80 | len(text)]) + bytes(4) + text.encode()


class Cable(asyncio.Transport):
    """Keeps what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.is_cut = False

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        assert high is not None
        assert high <= 1_000_000, "at most 1 MB is kept for a screen that does not read (R10)"
        assert low is None

    def abort(self) -> None:
        self.is_cut = True


class Floor:
    """A hall, its steady clock, and its screens."""

    def __init__(self) -> None:
        self.at = 50.0
        self.hall = Hall(ping_every=3.0, silent_after=3.0, steady=lambda: self.at)

    def show(self, title: str) -> None:
        picture = ScreenSnapshot(0, 120, "Silverstar", title, "No persons under 18.").as_json()
        del picture["server_now"]
        self.hall.take({"server_now": 1_000_000, "pictures": [picture], "of": {"main": 0}})

    def screen(self) -> tuple[Line, Cable]:
        line, cable = Line(self.answer, self.hall), Cable()
        line.connection_made(cable)
        line.data_received(UPGRADE)
        assert ANSWER in cable.written
        line.data_received(said('40/screens,{"screen":"main"}'))
        return line, cable

    def answer(self, _request: h11.Request) -> Answer:
        return Answer(101, [])


@pytest.fixture
def floor() -> Iterator[Floor]:
    """Lines set timers, so a loop has to be there; it never runs."""
    loop = asyncio.new_event_loop()
    asyncio._set_running_loop(loop)
    yield Floor()
    asyncio._set_running_loop(None)
    loop.close()


def test_what_a_full_line_missed_is_made_up_by_the_newest_alone(floor: Floor) -> None:
    floor.show("first")
    full, cable = floor.screen()
    _, other = floor.screen()
    assert b'"promotion_title":"first"' in cable.written
    full.pause_writing()
    cable.written = b""
    for n in range(50):
        floor.show(f"n{n}")
        floor.hall.ping(n, 1)
    assert cable.written == b"", "nothing is kept for it"
    assert other.written.count(b'"promotion_title":"n') == 50
    full.resume_writing()
    assert cable.written.count(b"42/screens,") == 1
    assert b'"promotion_title":"n49"' in cable.written


def test_a_line_that_missed_nothing_is_not_sent_anything_again(floor: Floor) -> None:
    floor.show("first")
    line, cable = floor.screen()
    line.pause_writing()
    cable.written = b""
    line.resume_writing()
    assert cable.written == b""


def test_away_is_made_up_too(floor: Floor) -> None:
    floor.show("first")
    line, cable = floor.screen()
    line.pause_writing()
    cable.written = b""
    floor.hall.core_away()
    line.resume_writing()
    assert cable.written.endswith(b'42/screens,["away"]')


def test_a_silent_screen_is_cut_and_one_that_answers_is_not(floor: Floor) -> None:
    silent, its_cable = floor.screen()
    lively, other = floor.screen()
    silent.heard_at = lively.heard_at = floor.at
    for _ in range(4):
        floor.at += 2.0
        lively.heard_at = floor.at  # as its pong does
        floor.hall.ping(0, 1)
    assert (its_cable.is_cut, other.is_cut) == (True, False)


def test_pings_are_spread_over_the_time_between_two(floor: Floor) -> None:
    cables = [floor.screen()[1] for _ in range(90)]
    for cable in cables:
        cable.written = b""
    counts = []
    for turn in range(30):
        before = sum(len(cable.written) for cable in cables)
        floor.at = 50.0
        for line in floor.hall._lines:
            line.heard_at = floor.at
        floor.hall.ping(turn, 30)
        counts.append((sum(len(cable.written) for cable in cables) - before) // 3)  # a ping is three bytes
    assert counts == [3] * 30
