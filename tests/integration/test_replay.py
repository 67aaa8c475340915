"""A recording told to a live core, the core's time as the bridge knows it, and the line between them."""

import gzip
import json
import threading
import time

import pytest
from fake_core import T0, TOKENS, FakeCore

from floor_bridge.core_clock import CoreClock
from floor_bridge.core_link import Answer, CoreLink
from floor_bridge.event_form import format_time, parse_time
from floor_bridge.replay import replay


@pytest.fixture
def core():
    made = FakeCore()
    yield made
    made.close()


# The core's time.


class Steady:
    def __init__(self):
        self.at = 50.0

    def __call__(self):
        return self.at


def test_the_core_s_time_is_carried_between_answers_and_never_goes_back():
    answers, steady = [T0, T0 + 60_000 - 900, None, T0 + 126_000], Steady()
    clock = CoreClock(lambda: answers.pop(0), steady)
    with pytest.raises(ValueError, match="not said its time"):
        clock.now()
    assert clock.read()
    steady.at += 59.9
    assert clock.read()
    assert clock.now() == T0 + 59_900
    assert len(answers) == 3
    steady.at += 0.1
    assert clock.read()
    assert clock.now() == T0 + 59_900
    steady.at += 1.0
    assert clock.now() == T0 + 60_100
    steady.at += 59.0
    assert clock.read()
    assert len(answers) == 1
    steady.at += 5.0
    clock.read()
    assert clock.now() == T0 + 126_000
    assert not clock.was_moved()


def test_a_leap_of_the_core_s_time_is_followed_and_said_once():
    answers, steady = [T0, T0 - 3_600_000], Steady()
    clock = CoreClock(lambda: answers.pop(0), steady)
    clock.read()
    assert clock.now() == T0
    steady.at += 60.0
    clock.read()
    assert clock.was_moved()
    assert not clock.was_moved()
    assert clock.now() == T0 - 3_600_000


def test_a_link_gives_answers_and_no_exceptions(core):
    link = CoreLink(core.url, TOKENS["slots-1"])
    assert T0 <= link.clock() <= core.now()
    assert link.feed("slots-1") == Answer(
        200, {"feed": "slots-1", "state": "up", "last_seq": 0, "missing": [], "want_snapshot": False}
    )
    assert link.feed("../x").status == 404
    link.close()
    stranger = CoreLink(core.url, "another")
    assert stranger.clock() is None
    assert stranger.post_events(b"{}", gzipped=False).status == 401
    stranger.close()
    nobody = CoreLink("http://127.0.0.1:9", "x", connect=0.2)
    assert nobody.feed("x") == Answer(0)
    nobody.close()


# The recording.


def recording(file, events, *, packed=False):
    data = b"".join(json.dumps(event).encode() + b"\n" for event in events)
    file.write_bytes(gzip.compress(data) if packed else data)
    return file


def told(seq, seconds, kind="card_out", feed="slots-1", **more):
    at = format_time(T0 - 86_400_000 + int(seconds * 1_000))
    more = more or {"position": f"S-{seq}"}
    return {"feed": feed, "seq": seq, "at": at, "kind": kind, **more}


def test_a_recording_is_told_as_if_it_happened_now(core, tmp_path):
    session = {"position": "S-1", "member": "1", "opened_at": told(1, -600)["at"], "last_play_at": told(1, -5)["at"]}
    file = recording(
        tmp_path / "r.jsonl.gz",
        [
            told(41, 0, "snapshot", sessions=[session]),
            told(42, 0.2),
            told(42, 0.2),
            told(45, 0.4),
            told(44, 0.5),
            told(1, 0.6, "heartbeat", feed="tables-1"),
        ],
        packed=True,
    )
    core.stored["slots-1"][900] = b"{}"
    report = replay(file, core.url, TOKENS)
    assert (report.sent, dict(report.refused), report.finished) == (7, {}, True)
    slots = core.arrived["slots-1"]
    # The repeat is a repeat, the hole a hole, and what came out of order comes so again.
    assert [event["seq"] for event in slots] == [901, 902, 905, 904]
    first = parse_time(slots[0]["at"])
    assert T0 <= first <= core.now()
    assert [parse_time(event["at"]) - first for event in slots] == [0, 200, 400, 500]
    live = slots[0]["sessions"][0]
    assert parse_time(live["opened_at"]) == first - 600_000
    assert parse_time(live["last_play_at"]) == first - 5_000
    assert core.ahead == 0
    # The tables' part begins without a snapshot: nothing is known to be open there.
    assert [(event["seq"], event["kind"]) for event in core.arrived["tables-1"]] == [(1, "snapshot"), (2, "heartbeat")]


def test_a_recording_goes_faster_when_told(core, tmp_path):
    file = recording(tmp_path / "r", [told(seq, seq * 10, "snapshot", sessions=[]) for seq in range(1, 6)])
    began = time.monotonic()
    assert replay(file, core.url, TOKENS, speed=100).finished
    assert 0.3 < time.monotonic() - began < 3.0
    times = [parse_time(event["at"]) for event in core.arrived["slots-1"]]
    assert [at - times[0] for at in times] == [0, 100, 200, 300, 400]


def test_a_recording_may_keep_its_times(core, tmp_path):
    file = recording(tmp_path / "r", [told(seq, seq * 10, "snapshot", sessions=[]) for seq in range(1, 2_001)])
    began = time.monotonic()
    report = replay(file, core.url, TOKENS, shift=-86_400_000)
    assert time.monotonic() - began < 10
    assert (report.sent, report.finished) == (2_000, True)
    assert core.arrived["slots-1"][0]["at"] == format_time(T0 - 2 * 86_400_000 + 10_000)


def test_a_replay_stands_faults_and_counts_refusals(core, tmp_path, monkeypatch):
    monkeypatch.setattr("floor_bridge.replay._RETRY_SECONDS", 0.05)
    core.faults = ["die", "refuse", "busy"]
    file = recording(tmp_path / "r", [told(1, 0, "snapshot", sessions=[]), told(2, 0.1), told(3, 0.2)])
    report = replay(file, core.url, TOKENS)
    assert (report.sent, dict(report.refused), report.finished) == (3, {"X_EVENT_INVALID": 1}, True)
    assert str(report) == "3 events were sent, 1 refused with X_EVENT_INVALID; to the end."


def test_a_replay_stops_when_told(core, tmp_path):
    file = recording(tmp_path / "r", [told(1, 0, "snapshot", sessions=[]), told(2, 3_600)])
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    report = replay(file, core.url, TOKENS, stop=stop)
    assert (report.sent, report.finished) == (1, False)


def test_a_replay_with_a_wrong_token_says_so(core, tmp_path):
    file = recording(tmp_path / "r", [told(1, 0)])
    with pytest.raises(PermissionError, match="floordraw feeds add"):
        replay(file, core.url, {"slots-1": "another"})


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([], "no event of a feed"),
        ([told(1, 0, feed="cms-9")], "no event of a feed"),
        ([told(1, 0), {"feed": "slots-1", "seq": 2}], "event 2 of the recording"),
        ([told("x", 0)], "event 1 of the recording"),
    ],
)
def test_a_recording_that_cannot_be_told_is_refused(tmp_path, events, words):
    with pytest.raises(ValueError, match=words):
        replay(recording(tmp_path / "r", events), "http://127.0.0.1:9", TOKENS)


def test_a_speed_of_nothing_is_refused(tmp_path):
    with pytest.raises(ValueError, match="above 0"):
        replay(tmp_path / "r", "http://127.0.0.1:9", TOKENS, speed=0)
