"""A floor that was kept beside its journal is the floor that hearing the whole journal again gives."""

import pickle
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.canonical import parse_time
from draw_engine.event_lines import event_bytes, line_of
from draw_engine.floor_events import read_event
from draw_engine.service.hearing import Hearing
from draw_engine.store import kept_floor
from draw_engine.store.journal import FileJournal
from floor_bridge.floor_files import recorded_events
from floor_bridge.floor_spec import REHEARSAL

SEGMENT = "2023-10-07-1"
START = parse_time("2023-10-07T11:00:00.000Z")
STALE_MS = 30_000
EVENTS = list(recorded_events(REHEARSAL, 5, START, START + 150_000))


def arrivals(swaps, lost):
    """The events with the times they arrive: some swapped with the next, some never coming."""
    told = [value for n, value in enumerate(EVENTS) if n not in lost]
    for n in swaps:
        if n + 1 < len(told):
            told[n], told[n + 1] = told[n + 1], told[n]
    received = START
    for value in told:
        received = max(received, parse_time(value["at"]))
        yield value, received


def hear(hearing, journal, values):
    lines = []
    for value, received_at in values:
        plain = event_bytes(value)
        lines.append(line_of(plain, received_at))
        hearing.hear(read_event(value), sha256(plain).digest(), received_at)
    journal.append(b"".join(lines))


def seen(hearing, t):
    """Everything the floor and the numbers say at an instant."""
    view = hearing.floor.at(t)
    return (
        {feed: (state.state, state.cause, state.hole, state.since) for feed, state in view.feeds.items()},
        sorted(view.open_sessions(), key=lambda session: (session.feed, session.place)),
        {feed: (one.last_seq, one.missing()) for feed, one in hearing.sequences.items()},
        hearing.position_feeds,
        hearing.last_received_at,
    )


@settings(max_examples=25, deadline=None)
@given(
    swaps=st.lists(st.integers(0, len(EVENTS) - 1), max_size=12),
    lost=st.sets(st.integers(2, len(EVENTS) - 1), max_size=3),
    cut=st.integers(0, len(EVENTS)),
    later=st.integers(0, 35_000),
)
def test_recalled_and_heard_on_it_is_the_floor_of_the_whole_journal(tmp_path_factory, swaps, lost, cut, later):
    folder = tmp_path_factory.mktemp("journal")
    journal = FileJournal(folder, SEGMENT)
    values = list(arrivals(swaps, lost))
    live = Hearing(STALE_MS, recording=False)
    hear(live, journal, values[:cut])
    journal.keep(live)
    hear(live, journal, values[cut:])
    journal.close()

    again = FileJournal(folder, SEGMENT)
    recalled = again.recall()
    assert recalled is not None
    rest = again.lines()
    assert rest.count(b"\n") == len(values) - min(cut, len(values))
    recalled.replay(rest)
    again.close()

    whole = Hearing(STALE_MS, recording=False)
    whole.replay((folder / f"{SEGMENT}.jsonl").read_bytes())
    t = whole.last_received_at + later
    assert seen(recalled, t) == seen(whole, t) == seen(live, t)


def kept(tmp_path):
    journal = FileJournal(tmp_path, SEGMENT)
    hearing = Hearing(STALE_MS, recording=False)
    hear(hearing, journal, list(arrivals([], set()))[:500])
    journal.keep(hearing)
    journal.close()
    return tmp_path / f"{SEGMENT}.floor"


@pytest.mark.parametrize("at", [0, 40, 80, -1])
def test_a_kept_floor_that_was_changed_is_not_used(tmp_path, at):
    file = kept(tmp_path)
    data = bytearray(file.read_bytes())
    data[at] ^= 1
    file.write_bytes(data)
    journal = FileJournal(tmp_path, SEGMENT)
    assert journal.recall() is None
    assert journal.lines().count(b"\n") == 500
    journal.close()


def test_a_kept_floor_of_other_code_is_not_used(tmp_path, monkeypatch):
    kept(tmp_path)
    monkeypatch.setattr(kept_floor, "_code", lambda: b"\x00" * 32)
    journal = FileJournal(tmp_path, SEGMENT)
    assert journal.recall() is None
    journal.close()


def test_a_kept_floor_of_another_journal_is_not_used(tmp_path):
    kept(tmp_path)
    file = tmp_path / f"{SEGMENT}.jsonl"
    lines = file.read_bytes().split(b"\n")
    lines[10], lines[11] = lines[11], lines[10]
    file.write_bytes(b"\n".join(lines))
    journal = FileJournal(tmp_path, SEGMENT)
    assert journal.recall() is None
    assert journal.lines() == file.read_bytes()
    journal.close()


def test_a_kept_floor_of_a_longer_journal_is_not_used(tmp_path):
    kept(tmp_path)
    file = tmp_path / f"{SEGMENT}.jsonl"
    file.write_bytes(b"\n".join(file.read_bytes().split(b"\n")[:100]) + b"\n")
    journal = FileJournal(tmp_path, SEGMENT)
    assert journal.recall() is None
    journal.close()


def test_what_is_no_kept_floor_is_not_used(tmp_path):
    file = kept(tmp_path)
    body = kept_floor._code() + pickle.dumps("a text")
    file.write_bytes(sha256(body).digest() + body)
    journal = FileJournal(tmp_path, SEGMENT)
    assert journal.recall() is None
    journal.close()
