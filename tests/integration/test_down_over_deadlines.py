"""A served core that is killed, or stopped, while a claim's seconds run (R4, X-13): settled with the start.

At the engine's level, for every downtime up to seven days: `test_claims_over_downtime.py`.
"""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

from crash.served import killed, now_ms
from live_claims import LiveClaims, ended

GRACE, BEAT_GAP = 250, 2_000


def pass_by(instant: int) -> None:
    """Wait until this machine's clock is past it."""
    while (left := instant - now_ms()) > 0:
        threading.Event().wait(left / 1000)


def test_killed_within_the_window_and_back_after_the_deadline_two_people_decide(tmp_path: Path) -> None:
    live = LiveClaims(tmp_path, seconds=12)
    core = live.start()
    with live.seated():
        one, other = live.untaken(2)[:2]
        deadlines = [live.announce(other), live.announce(one)]
        killed(core)
        pass_by(deadlines[-1] + 50)
        core = live.start()
        with ended(core):
            told = live.entries()
            start = [n for n, entry in enumerate(told) if entry[2] == "core.started"][1]
            reviews = [entry for entry in told[start:] if entry[2] == "claim.review"]
            assert [entry[3]["ordinal"] for entry in reviews] == [other, one], "in the order of the deadlines"
            assert {entry[3]["reason"] for entry in reviews} == {"SS_TIMER_INTERRUPTED"}
            assert {entry[1] for entry in reviews} == {told[start][1]}, "in the start's own transaction"
            late = live.press("present", one)
            assert (late.status_code, late.json()["code"]) == (409, "SS_LATE_AFTER_90S")
            assert live.decided(one, "absent") == "expired"
            assert live.decided(other, "present") == "presented"
            gone = live.press("present", one)
            assert gone.json()["code"] == "SS_LATE_AFTER_90S"
    assert live.asked(f"SELECT outcome FROM claims WHERE ordinal = {one}") == [("expired",)]
    live.log_holds()


def test_killed_and_back_within_the_window_the_stored_deadline_holds(tmp_path: Path) -> None:
    live = LiveClaims(tmp_path, seconds=90)
    core = live.start()
    with live.seated():
        ordinal, deadline = live.announced()
        number = "pressed-over-a-restart"
        killed(core)
        core = live.start()
        with ended(core):
            assert live.asked(f"SELECT deadline_at FROM claims WHERE ordinal = {ordinal}") == [(deadline,)]
            assert not live.entries("claim.review")
            for _ in range(2):
                answer = live.press("present", ordinal, number=number)
                assert (answer.status_code, answer.json()["stage"]) == (200, "presented")
            assert answer.json()["repeated"]
    assert len(live.entries("claim.presented", ordinal=ordinal)) == 1
    live.log_holds()


def test_stopped_over_the_deadline_nobody_could_press(tmp_path: Path) -> None:
    """SIGSTOP, as when a machine hangs: the process is the same, and no start says that something was amiss."""
    live = LiveClaims(tmp_path, seconds=8)
    core = live.start()
    with ended(core), live.seated():
        ordinal, deadline = live.announced()
        pass_by(deadline - 1_500)
        os.kill(core.pid, signal.SIGSTOP)
        try:
            pass_by(deadline - 1_500 + BEAT_GAP + 1_500)
        finally:
            os.kill(core.pid, signal.SIGCONT)
        _, at, kind, told = live.wait_for("claim.review", "claim.expired", ordinal=ordinal)
        assert (kind, told.get("reason")) == ("claim.review", "SS_TIMER_INTERRUPTED")
        assert at >= deadline + GRACE
        assert live.decided(ordinal, "again") == "not_there"
        answer = live.press("announce", ordinal)
        assert answer.json()["deadline_at"] > deadline
        assert live.press("present", ordinal).json()["stage"] == "presented"
    assert len(live.entries("core.started")) == 1
    live.log_holds()
