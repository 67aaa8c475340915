"""The bridge over real sockets: a core that misbehaves, and a made floor that plays live."""

import random  # noqa: TID251 - which fault comes next, from a fixed seed
import threading
import time
from collections import Counter
from contextlib import contextmanager

import pytest
from fake_core import BUSY, T0, TOKENS, FakeCore, until

from floor_bridge import sender
from floor_bridge.core_link import CoreLink
from floor_bridge.event_form import format_time, parse_time
from floor_bridge.feeds import Feed
from floor_bridge.floor_spec import MINUTE
from floor_bridge.outbox import Outbox, OutboxBusy
from floor_bridge.run import FeedLine, simulate


@pytest.fixture
def core():
    made = FakeCore()
    yield made
    made.close()


# The sender against a core that misbehaves.


def card_out(n):
    return {"feed": "slots-1", "at": format_time(T0 - 10_000), "kind": "card_out", "position": f"S-{n}"}


def open_snapshot(_at):
    return {"feed": "slots-1", "at": format_time(T0 - 10_000), "kind": "snapshot", "sessions": []}


@contextmanager
def sending(core, path, *, patience=0.3):
    """A feed with its sender in a thread of its own, on a line that waits `patience` seconds for an answer."""
    outbox = Outbox(path, "slots-1")
    link = CoreLink(core.url, TOKENS["slots-1"], connect=1.0, answer=patience)
    feed = Feed(outbox, open_snapshot)
    stopping = threading.Event()
    own = sender.Sender(outbox, link.post_events, time.monotonic, lambda seconds: stopping.wait(seconds / 10), feed.ask)
    thread = threading.Thread(target=own.run, args=(stopping.is_set,))
    thread.start()
    try:
        yield outbox, feed, own
    finally:
        stopping.set()
        thread.join()
        link.close()
        outbox.close()


@pytest.mark.parametrize("fault", ["die", "lose", "late", "busy", "broken", "nonsense", "forget"])
def test_a_fault_loses_and_doubles_nothing(core, tmp_path, fault):
    core.faults = [fault] * 3
    with sending(core, tmp_path / "f") as (outbox, _, own):
        outbox.put([card_out(n) for n in range(1_500)])
        until(lambda: outbox.waiting == 0 and len(core.numbers("slots-1")) == 1_500 and not core.faults)
        until(lambda: own.state == "up")
    assert [event["position"] for event in core.events("slots-1")] == [f"S-{n}" for n in range(1_500)]
    assert core.reused == 0
    assert core.numbers("slots-1") == list(range(1, 1_501))


def test_a_storm_of_faults(core, tmp_path):
    dice = random.Random(5)
    core.faults = [dice.choice(["die", "lose", "late", "busy", "broken", "forget", "", ""]) for _ in range(30)]
    with sending(core, tmp_path / "f") as (outbox, feed, _):
        bursts = 0
        while core.faults or bursts < 60:
            feed.hear([card_out(bursts * 50 + n) for n in range(50)], T0 + bursts)
            bursts += 1
            time.sleep(0.05)
            assert bursts < 1_000
        until(lambda: outbox.waiting == 0)
        until(lambda: core.numbers("slots-1") == list(range(1, outbox.next_seq)))
    said = [event for event in core.events("slots-1") if event["kind"] == "card_out"]
    assert [event["position"] for event in said] == [f"S-{n}" for n in range(bursts * 50)]
    assert core.reused == 0


def test_a_refused_line_is_a_hole_that_a_snapshot_closes(core, tmp_path):
    core.faults = ["refuse"]
    with sending(core, tmp_path / "f") as (outbox, feed, _):
        feed.hear([card_out(1), card_out(2)], T0)
        until(lambda: outbox.waiting == 0)
        feed.hear([], T0 + 3_000)
        until(lambda: core.events("slots-1")[-1]["kind"] == "snapshot")
        assert [one.code for one in outbox.set_aside()] == ["X_EVENT_INVALID"]
    assert core.numbers("slots-1") == [2, 3]


def test_a_core_that_wants_a_snapshot_gets_one(core, tmp_path):
    core.want_snapshot["slots-1"] = True
    with sending(core, tmp_path / "f") as (outbox, feed, _):
        for tick in range(30):
            feed.hear([card_out(tick)] if tick % 5 == 0 else [], T0 + tick * 200)
            time.sleep(0.03)
        until(lambda: outbox.waiting == 0)
    assert Counter(event["kind"] for event in core.events("slots-1"))["snapshot"] == 1


def test_a_lost_core_never_blocks_the_source(core, tmp_path):
    with sending(core, tmp_path / "f") as (outbox, feed, own):
        feed.hear([card_out(0)], T0)
        until(lambda: outbox.waiting == 0)
        port = core.server.server_port
        core.close()
        began = time.monotonic()
        for n in range(1, 40):
            feed.hear([card_out(n)], T0 + n)
        assert time.monotonic() - began < 3.0
        until(lambda: own.state == "unreachable")
        assert outbox.waiting == 39
        back = FakeCore(port)
        try:
            until(lambda: outbox.waiting == 0)
            # This one remembers nothing of the first event: it is there all the same, sent again from what was held.
            assert back.numbers("slots-1") == list(range(2, 41))
        finally:
            back.close()


def test_a_wrong_token_moves_nothing_and_is_said(core, tmp_path, caplog):
    outbox = Outbox(tmp_path / "f", "slots-1")
    outbox.put([card_out(1)])
    link = CoreLink(core.url, "another")
    own = sender.Sender(outbox, link.post_events, time.monotonic, lambda _: None, lambda _: None)
    assert own.step() > 5
    assert (own.state, outbox.waiting) == ("not_allowed", 1)
    assert "does not know this token" in caplog.text
    assert "another" not in caplog.text
    link.close()
    outbox.close()


def test_a_restored_outbox_says_nothing_under_a_number_that_is_taken(core, tmp_path):
    """The outbox was put back from an old copy; the core is further. What it holds is refused, what comes is taken."""
    with sending(core, tmp_path / "f") as (outbox, _, _own):
        outbox.put([card_out(n) for n in range(20)])
        until(lambda: outbox.waiting == 0)
    with sending(core, tmp_path / "old") as (outbox, feed, _):
        outbox.put([card_out(100 + n) for n in range(5)])
        until(lambda: outbox.waiting == 0)
        assert [one.code for one in outbox.set_aside()] == ["X_SEQ_REUSED"] * 5
        feed.hear([card_out(7)], T0)
        until(lambda: outbox.waiting == 0)
    assert core.numbers("slots-1") == list(range(1, 23))
    assert [event["kind"] for event in core.events("slots-1")[-2:]] == ["card_out", "snapshot"]


# A made floor, live.


@contextmanager
def playing(core, state_dir, **more):
    """`simulate` in a thread; gives the function that stops it and says how long that took."""
    stop = threading.Event()
    failed = []

    def play():
        try:
            simulate(core.url, TOKENS, seed=1, spec=BUSY, state_dir=state_dir, stop=stop, **more)
        except Exception as failure:  # noqa: BLE001 - shown below
            failed.append(failure)

    thread = threading.Thread(target=play)
    thread.start()

    def end():
        began = time.monotonic()
        stop.set()
        thread.join(10)
        return time.monotonic() - began

    try:
        yield end
    finally:
        end()
        assert not failed, failed


def kinds(core, feed):
    return [event["kind"] for event in core.events(feed)]


def test_a_floor_plays_live_and_stops_cleanly(core, tmp_path):
    with playing(core, tmp_path) as end:
        until(lambda: all(len(core.numbers(feed)) > 5 for feed in TOKENS) and len(core.numbers("slots-1")) > 100)
        assert end() < 2.5
    for feed in TOKENS:
        events = core.events(feed)
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        assert [event["kind"] for event in events[:2]] == ["feed_up", "snapshot"]
        assert events[0]["reason"] == "bridge started"
        assert (events[-1]["kind"], events[-1]["reason"]) == ("feed_down", "bridge stopped")
        assert [event["at"] for event in events] == sorted(event["at"] for event in events)
    # Sessions were running before: the floor had been open for three quarters of an hour.
    opened = [parse_time(one["opened_at"]) for one in core.events("slots-1")[1]["sessions"]]
    assert len(opened) >= 10
    assert min(opened) < T0 - 5 * MINUTE
    assert core.ahead == 0
    assert core.reused == 0


def test_a_floor_that_starts_again_goes_on_with_the_numbers(core, tmp_path):
    for _ in range(2):
        with playing(core, tmp_path):
            before = len(core.numbers("slots-1"))
            until(lambda before=before: len(core.numbers("slots-1")) > before + 20)
    events = core.events("slots-1")
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert [event["kind"] for event in events if event["kind"].startswith("feed_")] == ["feed_up", "feed_down"] * 2
    assert core.reused == 0


def test_a_reinstalled_bridge_goes_on_where_the_core_stands(core, tmp_path):
    for folder in ("old", "new"):
        with playing(core, tmp_path / folder):
            before = len(core.numbers("slots-1"))
            until(lambda before=before: len(core.numbers("slots-1")) > before + 20)
    assert core.numbers("slots-1") == list(range(1, len(core.numbers("slots-1")) + 1))
    assert core.reused == 0


def test_without_a_core_a_floor_waits_and_stops_at_once(tmp_path):
    gone = FakeCore()
    port = gone.server.server_port
    gone.close()
    with playing(gone, tmp_path) as end:
        time.sleep(0.3)
        assert end() < 2.5
    with playing(gone, tmp_path):
        time.sleep(0.2)
        back = FakeCore(port)
        try:
            until(lambda: len(back.numbers("slots-1")) > 10)
            assert kinds(back, "slots-1")[:2] == ["feed_up", "snapshot"]
        finally:
            back.close()


def test_a_core_whose_time_was_moved_sees_the_floor_begin_anew(core, tmp_path, monkeypatch):
    monkeypatch.setattr("floor_bridge.core_clock.ASK_EVERY_SECONDS", 0.5)
    with playing(core, tmp_path):
        until(lambda: len(core.numbers("slots-1")) > 20)
        core.base += 7 * 24 * 60 * MINUTE
        until(lambda: "the core's time was moved" in [event.get("reason") for event in core.events("slots-1")])
        until(lambda: kinds(core, "slots-1")[-1] == "played")
    events = core.events("slots-1")
    moved = next(at for at, event in enumerate(events) if event.get("reason") == "the core's time was moved")
    assert events[moved + 1]["kind"] == "snapshot"
    assert events[moved + 1]["at"].startswith("2023-10-14")
    assert all(event["at"].startswith("2023-10-14") for event in events[moved:])
    assert core.ahead == 0


def test_a_feed_of_its_own_is_one_bridge_s_alone(core, tmp_path):
    with playing(core, tmp_path):
        until(lambda: len(core.numbers("slots-1")) > 2)
        with pytest.raises(OutboxBusy):
            FeedLine("slots-1", core.url, TOKENS["slots-1"], tmp_path)


def test_a_token_for_a_feed_the_floor_has_not_is_refused(tmp_path):
    with pytest.raises(ValueError, match="slots-1 and tables-1"):
        simulate("http://127.0.0.1:9", {"cms-1": "x"}, seed=1, spec=BUSY, state_dir=tmp_path, stop=threading.Event())


def test_a_sender_that_broke_ends_the_bridge_aloud(core, tmp_path, monkeypatch):
    def broken(_self):
        raise OSError("the disk is full")

    stop = threading.Event()
    monkeypatch.setattr(sender.Sender, "step", broken)
    with pytest.raises(OSError, match="the disk is full"):
        simulate(core.url, TOKENS, seed=1, spec=BUSY, state_dir=tmp_path, stop=stop)
