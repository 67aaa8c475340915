"""A machine whose clock is not synchronised opens no session, unless a manager says why it should (X-02, X-06)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback import FIRST, Loopback

from config.site import read_site
from draw_engine.clock import SteadyClock
from kiosk.upkeep.clock_health import KernelClock, trouble

SHIPPED = Path(__file__).parents[2] / "config" / "site.toml"
TROUBLE = "This machine's clock is not synchronised."
OPEN = "/console/session/open"


@pytest.fixture
def place(tmp_path: Path, migrated: Path) -> Iterator[Loopback]:
    """Everything is ready for the session but the clock."""
    made = Loopback(tmp_path, migrated, now="13:44")
    made.clock.unsynchronised = TROUBLE
    made.load_lists()
    made.seat(S_0412="100001")
    made.at("13:56")
    yield made
    made.close()


def reasons(place: Loopback) -> list[tuple[str, bool]]:
    shown = place.ask(place.pages._for_console)
    return [(one["code"], one["blocking"]) for one in shown["reasons"]]


def test_the_session_waits_and_the_console_says_why(place: Loopback) -> None:
    assert place.said("draw.opened") == []
    assert ("X_CLOCK_UNSYNCED", True) in reasons(place)
    place.clock.unsynchronised = ""
    place.at("13:57")
    assert len(place.said("draw.opened")) == 1
    assert "X_CLOCK_UNSYNCED" not in dict(reasons(place))


def test_a_manager_opens_it_all_the_same_and_the_log_says_who_and_why(place: Loopback) -> None:
    answer = place.client.post(OPEN, json={"draw": FIRST, "reason": "The line to the time servers is cut."})
    assert (answer.status_code, answer.get_json()) == (200, {"ok": True})
    overridden, opened = place.said("clock.overridden", "draw.opened")
    assert (overridden.actor, overridden.draw) == ("manager:nomvula", None)
    assert overridden.data == {"session": FIRST, "reason": "The line to the time servers is cut."}
    assert (opened.draw, opened.seq) == (FIRST, overridden.seq + 1)
    # The banner stays, and stops nothing.
    assert ("X_CLOCK_UNSYNCED", False) in reasons(place)
    again = place.client.post(OPEN, json={"draw": FIRST, "reason": "Again."})
    assert again.get_json()["code"] == "X_NO_SUCH_DRAW"


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"draw": FIRST, "reason": "  "}, "X_REASON_REQUIRED"),
        ({"draw": FIRST}, "X_REASON_REQUIRED"),
        ({"draw": "silverstar/playtime/2023-10-07/no-such", "reason": "Why."}, "X_NO_SUCH_DRAW"),
        ([1], "X_REASON_REQUIRED"),
    ],
)
def test_it_takes_a_reason_and_a_session_that_waits(place: Loopback, said: object, code: str) -> None:
    assert place.client.post(OPEN, json=said).get_json()["code"] == code
    assert place.said("draw.opened", "clock.overridden") == []


@pytest.mark.parametrize("person", ["kabelo", "zanele", "mpho"])
def test_it_is_a_manager_s(place: Loopback, person: str) -> None:
    answer = place.client.post(OPEN, json={"draw": FIRST, "reason": "Why.", "by": person})
    assert (answer.status_code, answer.get_json()["code"]) == (403, "X_NO_PERMISSION")
    assert place.said("draw.opened", "clock.overridden") == []


def test_what_else_stands_in_the_way_is_not_overridden(tmp_path: Path, migrated: Path) -> None:
    house = Loopback(tmp_path, migrated, now="13:56")
    try:
        house.clock.unsynchronised = TROUBLE
        answer = house.client.post(OPEN, json={"draw": FIRST, "reason": "Why."})
        assert (answer.status_code, answer.get_json()["code"]) == (409, "X_LIST_TOO_OLD")
        assert house.said("draw.opened", "clock.overridden") == []
    finally:
        house.close()


def test_a_property_asks_for_it_and_a_core_s_clock_answers() -> None:
    text = SHIPPED.read_bytes()
    assert read_site(text).require_clock_sync
    assert not read_site(text.replace(b"require_clock_sync = true", b"")).require_clock_sync
    off = KernelClock(synchronised=False, offset_ms=0.0, most_off_ms=16_000.0)
    assert SteadyClock(trouble=lambda: trouble(lambda: off)).unsynchronised == TROUBLE
    right = KernelClock(synchronised=True, offset_ms=0.0, most_off_ms=3.0)
    assert (trouble(lambda: right), SteadyClock().unsynchronised) == ("", "")


def test_a_kernel_that_does_not_say_stops_nothing() -> None:
    def ask() -> KernelClock:
        raise PermissionError

    assert trouble(ask) == ""
