"""The sender, step by step, against answers made here; the feed's side of what it asks."""

import gzip
import json
import logging

import pytest

from floor_bridge import sender as sender_module
from floor_bridge.core_link import Answer
from floor_bridge.event_form import format_time
from floor_bridge.feeds import Feed
from floor_bridge.outbox import Outbox
from floor_bridge.sender import Sender

T0 = 1_696_680_000_000


class Core:
    """Takes or answers what it is told to; remembers what it was sent."""

    def __init__(self):
        self.answers = []
        self.sent = []
        self.gzipped = []

    def __call__(self, body, *, gzipped):
        self.gzipped.append(gzipped)
        lines = [json.loads(line) for line in (gzip.decompress(body) if gzipped else body).splitlines()]
        self.sent.append([line["seq"] for line in lines])
        answer = self.answers.pop(0) if self.answers else {}
        if isinstance(answer, Answer):
            return answer
        refused = answer.get("refused", [])
        fine = {"accepted": len(lines) - len(refused), "repeated": 0, "refused": [], "last_seq": lines[-1]["seq"]}
        return Answer(200, {**fine, "missing": [], "want_snapshot": False, **answer})


class Bench:
    """An outbox, a sender and time that stands until it is moved."""

    def __init__(self, path, **bounds):
        self.outbox = Outbox(path, "slots-1", **bounds)
        self.core = Core()
        self.now = 100.0
        self.asked = []
        self.waited = []
        self.sender = Sender(self.outbox, self.core, lambda: self.now, self.wait, self.asked.append)

    def wait(self, seconds):
        self.waited.append(seconds)
        self.now += seconds

    def put(self, count, **more):
        events = [{"feed": "slots-1", "at": format_time(T0), "kind": "heartbeat", **more} for _ in range(count)]
        return self.outbox.put(events)


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path / "f", limit=5_000, keep=2_000)
    yield made
    made.outbox.close()


def test_sends_in_order_and_waits_to_gather(bench):
    bench.put(3)
    assert bench.sender.step() == 0.2
    assert bench.core.sent == [[1, 2, 3]]
    assert bench.outbox.waiting == 0
    assert bench.sender.state == "up"
    assert bench.sender.step() == 0.2
    assert len(bench.core.sent) == 1


def test_at_most_a_thousand_lines_and_no_wait_while_more_is_there(bench):
    bench.put(2_100)
    assert [bench.sender.step() for _ in range(3)] == [0.0, 0.0, 0.2]
    assert [len(sent) for sent in bench.core.sent] == [1_000, 1_000, 100]


def test_at_most_a_megabyte(bench):
    bench.put(10, reason="x" * 200_000)
    bench.sender.step()
    assert bench.core.sent == [[1, 2, 3, 4]]


def test_small_bodies_go_plain_and_larger_ones_gzipped(bench):
    bench.put(2)
    bench.sender.step()
    bench.put(100)
    bench.sender.step()
    assert bench.core.gzipped == [False, True]


def test_an_unreachable_core_is_tried_again_with_the_same_lines_later_and_later(bench):
    bench.put(2)
    bench.core.answers = [Answer(0)] * 6
    pauses = [bench.sender.step() for _ in range(6)]
    assert pauses == [0.2, 0.4, 0.8, 1.6, 2.0, 2.0]
    assert bench.sender.state == "unreachable"
    bench.put(1)
    bench.sender.step()
    assert bench.core.sent == [[1, 2]] * 6 + [[1, 2, 3]]
    bench.core.answers = [Answer(0)]
    bench.put(1)
    assert bench.sender.step() == 0.2


@pytest.mark.parametrize(
    ("answer", "state", "pause"),
    [
        (Answer(401), "not_allowed", 15.0),
        (Answer(403, {"code": "X_WRONG_FEED"}), "not_allowed", 15.0),
        (Answer(503), "busy", 0.2),
        (Answer(503, None, 7.0), "busy", 7.0),
        (Answer(429, None, 3600.0), "busy", 30.0),
        (Answer(500), "unclear", 0.2),
        (Answer(404), "unclear", 0.2),
        (Answer(302), "unclear", 0.2),
        (Answer(200), "unclear", 0.2),
        (Answer(200, {}), "unclear", 0.2),
    ],
)
def test_what_is_no_answer_moves_nothing(bench, answer, state, pause):
    bench.put(2)
    bench.core.answers = [answer]
    assert bench.sender.step() == pause
    assert bench.sender.state == state
    assert bench.outbox.answered == 0
    bench.sender.step()
    assert bench.core.sent == [[1, 2], [1, 2]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"accepted": 1},
        {"accepted": 3},
        {"accepted": "many"},
        {"missing": None},
        {"missing": ["x"]},
        {"refused": [{"line": 0, "code": "X", "sentence": "s"}], "accepted": 1},
        {"refused": [{"line": 3, "code": "X", "sentence": "s"}], "accepted": 1},
        {"refused": [{"line": 1}], "accepted": 1},
        {"last_seq": "x"},
    ],
)
def test_an_answer_that_does_not_speak_for_every_line_is_none(bench, wrong):
    bench.put(2)
    bench.core.answers = [wrong]
    bench.sender.step()
    assert bench.outbox.answered == 0
    assert bench.outbox.set_aside() == []
    assert bench.sender.state == "unclear"


def test_repeats_count_as_answered(bench):
    bench.put(2)
    bench.core.answers = [{"accepted": 0, "repeated": 2}]
    bench.sender.step()
    assert bench.outbox.answered == 2


def test_a_refused_line_is_set_aside_blocks_nothing_and_brings_a_snapshot(bench):
    bench.put(3)
    refused = [{"line": 2, "code": "X_EVENT_INVALID", "sentence": "Mend it."}]
    bench.core.answers = [{"refused": refused, "missing": [2], "want_snapshot": True}]
    bench.sender.step()
    assert [(one.seq, one.code, one.sentence) for one in bench.outbox.set_aside()] == [
        (2, "X_EVENT_INVALID", "Mend it.")
    ]
    assert json.loads(bench.outbox.set_aside()[0].line)["seq"] == 2
    assert bench.asked == ["snapshot"]
    bench.put(1)
    bench.core.answers = [{"missing": [2]}]
    bench.sender.step()
    # The core goes on naming the hole: it is known, and nothing can fill it.
    assert bench.core.sent == [[1, 2, 3], [4]]
    assert bench.asked == ["snapshot"]


def test_a_feed_that_is_refused_whole_is_not_flooded_with_snapshots(bench):
    """The token of another feed, a clock that is ahead: a snapshot would be refused like the rest."""
    for _ in range(5):
        seq = bench.put(1)
        bench.core.answers = [{"refused": [{"line": 1, "code": "X_CLOCK_AHEAD", "sentence": "Ahead."}], "last_seq": 0}]
        bench.sender.step()
        assert bench.outbox.answered == seq
    assert bench.asked == []


def test_too_large_is_halved_until_it_fits_and_grows_again(bench):
    bench.put(8)
    bench.core.answers = [Answer(413), Answer(413)]
    assert [bench.sender.step() for _ in range(4)] == [0.0, 0.0, 0.0, 0.0]
    assert bench.core.sent == [[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4], [1, 2], [3, 4, 5, 6]]


def test_one_event_that_is_too_large_is_set_aside(bench):
    bench.put(2)
    bench.core.answers = [Answer(413), Answer(413)]
    bench.sender.step()
    bench.sender.step()
    assert [(one.seq, one.code) for one in bench.outbox.set_aside()] == [(1, "X_EVENT_TOO_LARGE")]
    bench.sender.step()
    assert bench.core.sent == [[1, 2], [1], [2]]
    assert bench.asked == ["snapshot"]


def test_missing_numbers_that_are_held_are_sent_again_first(bench):
    bench.put(6)
    bench.core.answers = [{"missing": [2, 5]}, {"missing": []}]
    assert bench.sender.step() == 0.0
    bench.put(1)
    assert bench.sender.step() == 0.0
    bench.sender.step()
    assert bench.core.sent == [[1, 2, 3, 4, 5, 6], [2, 5], [7]]
    assert bench.asked == []
    assert bench.outbox.answered == 7


def test_a_number_the_core_goes_on_missing_is_not_sent_for_ever(bench):
    bench.put(3)
    bench.core.answers = [{"missing": [2]} for _ in range(10)]
    for _ in range(8):
        bench.sender.step()
    assert bench.core.sent == [[1, 2, 3], [2], [2], [2]]


def test_missing_numbers_that_are_gone_bring_one_snapshot(tmp_path):
    bench = Bench(tmp_path / "f", limit=100, keep=3)
    bench.put(10)
    bench.sender.step()
    bench.put(1)
    bench.core.answers = [{"missing": [2, 10]}, {"missing": [2]}, {"missing": [2]}]
    bench.sender.step()
    bench.sender.step()
    bench.put(1)
    bench.sender.step()
    assert bench.core.sent[1:] == [[11], [10], [12]]
    assert bench.asked == ["snapshot"]
    bench.outbox.close()


def test_numbers_not_sent_yet_are_not_missing(bench):
    bench.put(1_500)
    bench.core.answers = [{"missing": [1_200]}]
    bench.sender.step()
    bench.sender.step()
    assert [sent[0] for sent in bench.core.sent] == [1, 1_001]
    assert bench.asked == []


def test_a_wanted_snapshot_is_asked_of_the_source(bench):
    bench.put(1)
    bench.core.answers = [{"want_snapshot": True}]
    bench.sender.step()
    assert bench.asked == ["snapshot"]


def test_a_core_that_is_further_moves_the_numbers_on(bench):
    bench.put(1)
    reused = [{"line": 1, "code": "X_SEQ_REUSED", "sentence": "Other content."}]
    bench.core.answers = [{"refused": reused, "last_seq": 900}]
    bench.sender.step()
    assert bench.put(1) == 901
    assert bench.asked == ["snapshot"]


def test_a_quiet_source_is_asked_for_a_heartbeat_every_five_seconds(bench):
    asked_at = []
    for _ in range(80):
        bench.wait(bench.sender.step())
        if bench.asked:
            asked_at.append(round(bench.now - 100.0, 1))
            bench.asked.clear()
    assert len(asked_at) == 3
    assert all(4.9 <= later - earlier <= 5.4 for earlier, later in zip([0.0, *asked_at], asked_at, strict=False))


def test_no_heartbeat_is_asked_while_the_core_is_lost(bench):
    bench.put(1)
    bench.core.answers = [Answer(0)] * 50
    for _ in range(40):
        bench.wait(bench.sender.step())
    assert bench.now > 150
    assert bench.asked == []
    assert bench.outbox.waiting == 1


def test_flush_ends_with_the_last_answer_or_in_time(bench):
    bench.put(2_500)
    assert bench.sender.flush(2.0)
    assert bench.outbox.waiting == 0
    bench.put(1)
    bench.core.answers = [Answer(0)] * 100
    before = bench.now
    assert not bench.sender.flush(2.0)
    assert 2.0 <= bench.now - before < 2.1
    assert bench.outbox.waiting == 1


def test_run_stops_when_told(bench):
    bench.put(1)
    bench.sender.run(lambda: bool(bench.waited))
    assert bench.core.sent == [[1]]


def test_changes_are_logged_once_without_contents(bench, caplog):
    caplog.set_level(logging.INFO, logger=sender_module.__name__)
    bench.put(2, member="100001")
    bench.core.answers = [
        Answer(0),
        Answer(0),
        {"refused": [{"line": 1, "code": "X_EVENT_INVALID", "sentence": "100001"}]},
    ]
    for _ in range(3):
        bench.sender.step()
    assert [record.getMessage() for record in caplog.records] == [
        "feed slots-1: the core does not answer; its events are kept and sent again",
        "feed slots-1: the core takes its events",
        "feed slots-1: the core refused event 1: X_EVENT_INVALID",
    ]


# The feed: what the source puts, and how it answers the sender.


def snapshot(at):
    return {"feed": "slots-1", "at": format_time(at), "kind": "snapshot", "sessions": []}


def beat(at, kind="card_out"):
    return {"feed": "slots-1", "at": format_time(at), "kind": kind, "position": "S-0001"}


def held(outbox):
    return [json.loads(line) for _, line in outbox.batch(10_000, 10**7)]


def kinds(outbox):
    return [event["kind"] for event in held(outbox)]


@pytest.fixture
def feed(bench):
    return Feed(bench.outbox, snapshot)


def test_a_bridge_that_starts_says_so_and_what_is_open(bench, feed):
    feed.start(T0)
    up, shot = held(bench.outbox)
    assert (up["kind"], up["reason"], up["at"]) == ("feed_up", "bridge started", format_time(T0))
    assert (shot["kind"], shot["seq"]) == ("snapshot", 2)


def test_a_heartbeat_is_said_only_when_there_is_nothing_else(bench, feed):
    feed.ask("heartbeat")
    feed.hear([beat(T0)], T0 + 200)
    feed.hear([], T0 + 400)
    assert kinds(bench.outbox) == ["card_out"]
    feed.ask("heartbeat")
    feed.hear([], T0 + 600)
    feed.hear([], T0 + 800)
    assert held(bench.outbox)[1:] == [{"feed": "slots-1", "seq": 2, "at": format_time(T0 + 600), "kind": "heartbeat"}]


def test_a_snapshot_comes_after_the_events_it_holds(bench, feed):
    feed.ask("snapshot")
    feed.hear([beat(T0)], T0 + 200)
    assert kinds(bench.outbox) == ["card_out", "snapshot"]


def test_one_snapshot_under_way_answers_every_wish(bench, feed):
    feed.ask("snapshot")
    feed.hear([], T0)
    for later in range(1, 50):
        feed.ask("snapshot")
        feed.hear([], T0 + later * 200)
    assert kinds(bench.outbox) == ["snapshot"]
    bench.outbox.answer(1)
    feed.hear([], T0 + 20_000)
    assert kinds(bench.outbox) == []
    feed.ask("snapshot")
    feed.hear([], T0 + 20_200)
    assert kinds(bench.outbox) == ["snapshot"]


def test_snapshots_stay_two_seconds_apart(bench, feed):
    feed.start(T0)
    bench.outbox.answer(2)
    feed.ask("snapshot")
    feed.hear([], T0 + 1_900)
    assert kinds(bench.outbox) == []
    feed.hear([], T0 + 2_000)
    assert kinds(bench.outbox) == ["snapshot"]


def test_a_full_outbox_declares_its_gap_when_there_is_room_again(tmp_path, caplog):
    bench = Bench(tmp_path / "f", limit=10, keep=100)
    feed = Feed(bench.outbox, snapshot)
    for n in range(15):
        feed.hear([beat(T0 + n * 1_000)], T0 + n * 1_000)
    assert bench.outbox.waiting == 10
    assert "takes no more" in caplog.text
    assert caplog.text.count("takes no more") == 1
    bench.outbox.answer(5)
    feed.hear([beat(T0 + 20_000)], T0 + 20_000)
    said = held(bench.outbox)[5:]
    assert [(event["seq"], event["kind"], event["at"]) for event in said] == [
        (11, "feed_down", format_time(T0 + 10_000)),
        (12, "feed_up", format_time(T0 + 20_000)),
        (13, "snapshot", format_time(T0 + 20_000)),
    ]
    feed.hear([], T0 + 21_000)
    bench.outbox.answer(13)
    feed.hear([beat(T0 + 22_000)], T0 + 22_000)
    assert kinds(bench.outbox) == ["card_out"]
    bench.outbox.close()


def test_a_bridge_that_starts_with_a_full_outbox_waits_for_room(tmp_path):
    bench = Bench(tmp_path / "f", limit=4)
    Feed(bench.outbox, snapshot).hear([beat(T0)] * 5, T0)
    bench.put_refused = bench.outbox.waiting
    feed = Feed(bench.outbox, snapshot)
    feed.start(T0 + 60_000)
    assert kinds(bench.outbox) == []
    feed.hear([], T0 + 60_000)
    assert kinds(bench.outbox) == ["feed_down", "feed_up", "snapshot"]
    bench.outbox.close()


def test_a_bridge_that_stops_says_so(bench, feed):
    feed.stop(T0)
    assert [(event["kind"], event["reason"]) for event in held(bench.outbox)] == [("feed_down", "bridge stopped")]
