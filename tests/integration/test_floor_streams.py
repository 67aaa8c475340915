"""A bridge that repeats, mixes up, loses and restarts: the floor ends as the clean stream leaves it, every gap is told.

The way in is the real one: lines, `read_event`, the feed's sequence, the journal, the floor; a restart reads the
journal again. `FLOORDRAW_EXAMPLES=10000` makes the long run.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from draw_engine.errors import Refused
from draw_engine.event_lines import event_bytes, line_of, read_journal, read_line
from draw_engine.feed_sequence import FeedSequence
from draw_engine.feeds import Floor
from draw_engine.floor_events import admit, read_event

EXAMPLES = int(os.environ.get("FLOORDRAW_EXAMPLES", "300"))
START = 1_697_286_600_000
FEED = "cms-1"

Value = dict[str, Any]


def utc(at: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


class Core:
    """What takes lines in: the journal leads, and everything else can be built from it again."""

    def __init__(self) -> None:
        self.journal = b""
        self.alarms: list[int] = []
        self.restart()

    def restart(self) -> None:
        self.floor = Floor(30_000)
        self.sequence = FeedSequence(FEED)
        for value, received_at in read_journal(self.journal):
            event = read_event(value)
            self.sequence.store(event.seq, sha256(event_bytes(value)).digest())
            self.floor.take(event, received_at)

    def take(self, line: bytes, now: int) -> str:
        try:
            value = read_line(line)
            event = read_event(value)
            admit(event, feed=FEED, now=now, owner=lambda _: None)
        except Refused as refusal:
            return refusal.code
        plain = event_bytes(value)
        digest = sha256(plain).digest()
        status = self.sequence.status(event.seq, digest)
        if status == "new":
            self.journal += line_of(plain, now)
            self.sequence.store(event.seq, digest)
            self.floor.take(event, now)
        elif status == "reused":
            self.alarms.append(event.seq)
        return status

    def open_at(self, t: int) -> dict[Any, Any]:
        return dict(self.floor.at(t).sessions.get(FEED, {}))


@dataclass(frozen=True)
class Fate:
    """What becomes of one event on its way: lost, or so many ms late; copies as many ms after it; its number reused."""

    lost: bool
    delay: int
    copies: tuple[int, ...]
    reused: bool


@dataclass(frozen=True)
class Stream:
    """Clean events with the instant each is sent, and the fate of each."""

    events: list[tuple[int, Value]]
    fates: list[Fate]
    restarts: frozenset[int]


@st.composite
def bodies(draw: st.DrawFn, at: int) -> Value:
    position = draw(st.sampled_from(["S-1", "S-2", "S-3"]))
    kind = draw(st.sampled_from(["card_in", "card_in", "played", "played", "card_out", "heartbeat", "rating", "other"]))
    if kind == "rating":
        seated = {"position": "BJ-1", "seat": draw(st.sampled_from(["1", "2"]))}
        kind = draw(st.sampled_from(["rating_opened", "rating_changed", "rating_paused", "rating_closed"]))
        bet = {"average_bet": draw(st.sampled_from([100, 200]))} if kind in {"rating_opened", "rating_changed"} else {}
        who = {"member": draw(st.sampled_from(["1", "2"]))} if kind == "rating_opened" else {}
        return {"kind": kind, **seated, **bet, **who}
    if kind == "other":
        kind = draw(st.sampled_from(["feed_down", "feed_up", "snapshot", "novelty"]))
        if kind == "snapshot":
            one = {"position": position, "member": "9", "opened_at": utc(at - 1_000), "games": 2}
            return {"kind": kind, "sessions": draw(st.sampled_from([[], [one]]))}
        return {"kind": kind, "reason": "link"} if kind != "novelty" else {"kind": kind, "more": [1, None, "x"]}
    members: Value = {
        "card_in": {"member": draw(st.sampled_from(["1", "2", "3"]))},
        "played": {"games": draw(st.integers(0, 3)), "coin_in": draw(st.integers(0, 900))},
    }.get(kind, {})
    return {"kind": kind} | ({} if kind == "heartbeat" else {"position": position}) | members


@st.composite
def streams(draw: st.DrawFn, *, losing: bool) -> Stream:
    delays = [0, 0, 0, 1, 700, 1_999, 2_000] + ([2_001, 5_000] if losing else [])
    now, events, fates = START, [], []
    ahead = draw(st.sampled_from([0, 0, -300, 1_500, 2_000]))
    for seq in range(1, draw(st.integers(2, 18)) + 1):
        now += draw(st.sampled_from([0, 1, 200, 900, 2_500]))
        at = now + ahead
        events.append((now, {"feed": FEED, "seq": seq, "at": utc(at), **draw(bodies(at))}))
        fates.append(
            Fate(
                losing and draw(st.sampled_from([False, False, False, True])),
                draw(st.sampled_from(delays)),
                draw(st.sampled_from([(), (), (0,), (1, 1_500), (9_000,)])),
                draw(st.sampled_from([False, False, False, True])),
            )
        )
    return Stream(events, fates, frozenset(draw(st.lists(st.integers(0, 40), max_size=3))))


def deliveries(stream: Stream) -> list[tuple[int, int, bytes]]:
    """(when, seq, line) in the order of arrival."""
    out = []
    for (sent, value), fate in zip(stream.events, stream.fates, strict=True):
        if fate.lost:
            continue
        arrives = sent + fate.delay
        line = json.dumps(value).encode()
        out.append((arrives, 0, value["seq"], line))
        out += [(arrives + later, 1, value["seq"], line) for later in fate.copies]
        if fate.reused:
            other = json.dumps({"feed": FEED, "seq": value["seq"], "at": value["at"], "kind": "other_content"})
            out.append((arrives + 5, 2, value["seq"], other.encode()))
    return [(when, seq, line) for when, _, seq, line in sorted(out)]


def clean(stream: Stream) -> Core:
    core = Core()
    for sent, value in stream.events:
        assert core.take(json.dumps(value).encode(), sent) == "new"
    return core


def deliver(stream: Stream) -> tuple[Core, int]:
    """The core after everything arrived, restarted on the way; what it holds is looked at after every line."""
    core, stored, last = Core(), set(), START
    for n, (when, seq, line) in enumerate(deliveries(stream)):
        status = core.take(line, when)
        fresh = seq not in stored
        assert status == ("new" if fresh else "reused" if b"other_content" in line else "repeat")
        stored.add(seq)
        last = when
        assert core.sequence.missing() == sorted(set(range(min(stored), max(stored))) - stored)
        assert core.sequence.last_seq == max(stored)
        if n in stream.restarts:
            before = (core.floor.at(when), core.sequence.missing(), core.sequence.last_seq, core.floor.late(FEED))
            core.restart()
            assert before == (
                core.floor.at(when),
                core.sequence.missing(),
                core.sequence.last_seq,
                core.floor.late(FEED),
            )
    return core, last


QUICK = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUICK
@given(streams(losing=False))
def test_repeats_and_disorder_leave_no_trace(stream: Stream) -> None:
    core, last = deliver(stream)
    undisturbed = clean(stream)
    t = max(last, stream.events[-1][0]) + 2_001
    assert core.open_at(t) == undisturbed.open_at(t)
    found, expected = core.floor.feed_at(FEED, t), undisturbed.floor.feed_at(FEED, t)
    assert (found.state, found.since, found.cause, found.wants_snapshot) == (
        expected.state,
        expected.since,
        expected.cause,
        expected.wants_snapshot,
    )
    assert core.sequence.missing() == []
    assert core.floor.late(FEED) == 0
    assert core.floor.unknown_kinds == undisturbed.floor.unknown_kinds
    assert sorted(core.alarms) == [
        v["seq"] for (_, v), fate in zip(stream.events, stream.fates, strict=True) if fate.reused
    ]


@QUICK
@given(streams(losing=True))
def test_a_gap_is_told_and_a_snapshot_heals_it(stream: Stream) -> None:
    core, last = deliver(stream)
    undisturbed = clean(stream)
    kept = [value for (_, value), fate in zip(stream.events, stream.fates, strict=True) if not fate.lost]
    lost = {value["seq"] for (_, value), fate in zip(stream.events, stream.fates, strict=True) if fate.lost}
    if not kept:
        return
    first, highest = kept[0]["seq"], kept[-1]["seq"]
    t = max(last, stream.events[-1][0]) + 2_001
    assert core.sequence.missing() == sorted(seq for seq in lost if first < seq < highest)

    state = core.floor.feed_at(FEED, t)
    snapshots = [value["seq"] for value in kept if value["kind"] == "snapshot"]
    gaps = [seq for seq in lost if seq < highest]
    if gaps and max(gaps) > max(snapshots, default=0):
        assert state.state in {"unsure", "down"}
        assert state.wants_snapshot or state.state == "down"

    # The link is up and everything open is told: from here on both have the same floor.
    following = stream.events[-1][1]["seq"] + 1
    heal(core, t, following)
    heal(undisturbed, t, following)
    later = t + 2_001  # the last events of the stream may be missing too: a hole is waited for
    assert core.open_at(later) == undisturbed.open_at(later)
    assert core.floor.feed_at(FEED, later).state == undisturbed.floor.feed_at(FEED, later).state == "up"


def heal(core: Core, t: int, seq: int) -> None:
    one = {"position": "S-2", "member": "3", "opened_at": utc(t - 60_000), "last_play_at": utc(t - 1), "games": 7}
    for n, body in enumerate([{"kind": "feed_up", "reason": "back"}, {"kind": "snapshot", "sessions": [one]}]):
        value = {"feed": FEED, "seq": seq + n, "at": utc(t), **body}
        assert core.take(json.dumps(value).encode(), t) == "new"
