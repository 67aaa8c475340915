"""The outbox: numbers without a gap, nothing lost over a restart, full said aloud."""

import json
import sqlite3

import pytest

from floor_bridge.outbox import LARGEST_LINE, Outbox, OutboxBusy, OutboxFull, SetAside, Standing, look_into


def event(n=0, **more):
    return {
        "feed": "slots-1",
        "at": f"2023-10-07T12:00:{n % 60:02d}.000Z",
        "kind": "card_out",
        "position": f"S-{n}",
        **more,
    }


@pytest.fixture
def outbox(tmp_path):
    made = Outbox(tmp_path / "slots-1.outbox", "slots-1", limit=10, keep=4)
    yield made
    made.close()


def seqs(lines):
    return [seq for seq, _ in lines]


def test_numbers_start_at_one_and_rise_by_one(outbox):
    assert outbox.is_new
    assert outbox.put([event(1), event(2)]) == 2
    assert outbox.put([event(3)]) == 3
    assert not outbox.is_new
    sent = outbox.batch(10, 10_000)
    assert seqs(sent) == [1, 2, 3]
    assert [json.loads(line)["seq"] for _, line in sent] == [1, 2, 3]
    assert json.loads(sent[2][1]) == {**event(3), "seq": 3}


def test_putting_nothing_uses_no_number(outbox):
    assert outbox.put([]) == 0
    assert outbox.is_new


def test_what_was_answered_is_not_sent_again_but_held(outbox):
    outbox.put([event(n) for n in range(6)])
    outbox.answer(3)
    assert seqs(outbox.batch(10, 10_000)) == [4, 5, 6]
    assert outbox.waiting == 3
    assert seqs(outbox.kept([1, 3, 5], 10, 10_000)) == [1, 3]


def test_an_older_answer_takes_nothing_back(outbox):
    outbox.put([event(n) for n in range(6)])
    outbox.answer(5)
    outbox.answer(2)
    assert outbox.answered == 5
    assert seqs(outbox.batch(10, 10_000)) == [6]


def test_only_the_last_answered_are_held(outbox):
    outbox.put([event(n) for n in range(8)])
    outbox.answer(7)
    assert outbox.find([1, 3, 4, 7, 8]) == ({4, 7, 8}, {1, 3})


def test_a_batch_is_bounded_by_count_and_by_bytes_with_line_ends(outbox):
    outbox.put([event(n) for n in range(9)])
    one = len(outbox.batch(1, 10)[0][1]) + 1
    assert seqs(outbox.batch(4, 10_000)) == [1, 2, 3, 4]
    assert seqs(outbox.batch(9, 2 * one)) == [1, 2]
    assert seqs(outbox.batch(9, 2 * one - 1)) == [1]


def test_one_event_larger_than_the_bound_still_goes_alone(outbox):
    outbox.put([event(1), event(2)])
    assert seqs(outbox.batch(9, 3)) == [1]


def test_a_refused_line_is_set_aside_and_never_sent_again(outbox):
    outbox.put([event(n) for n in range(4)])
    line = outbox.batch(4, 10_000)[1][1]
    refused = SetAside(2, line, "X_EVENT_INVALID", "games is not a whole number")
    outbox.answer(4, [refused])
    assert outbox.set_aside() == [refused]
    assert outbox.find([1, 2, 3]) == ({1, 3}, set())


def test_only_the_last_that_were_set_aside_are_kept(tmp_path):
    outbox = Outbox(tmp_path / "f", "slots-1")
    outbox.put([event(n) for n in range(700)])
    outbox.answer(700, [SetAside(seq, b"{}", "X_CLOCK_AHEAD", "no") for seq in range(1, 701)])
    assert [one.seq for one in outbox.set_aside()] == list(range(201, 701))
    assert outbox.waiting == 0
    outbox.close()


def test_it_can_be_looked_into_while_its_bridge_runs(outbox, tmp_path):
    outbox.put([event(n) for n in range(5)])
    refused = SetAside(2, b"{}", "X_EVENT_INVALID", "no")
    outbox.answer(3, [refused])
    assert look_into(tmp_path / "slots-1.outbox") == Standing("slots-1", 6, 3, 2, None, (refused,))
    with pytest.raises(FileNotFoundError, match="no outbox other"):
        look_into(tmp_path / "other")


def test_everything_is_there_after_opening_again(tmp_path):
    path = tmp_path / "f"
    first = Outbox(path, "slots-1")
    first.put([event(n) for n in range(5)])
    first.answer(2, [SetAside(2, b"{}", "X_EVENT_INVALID", "no")])
    before = first.batch(10, 10_000)
    first.close()
    second = Outbox(path, "slots-1")
    assert (second.next_seq, second.answered, second.waiting) == (6, 2, 3)
    assert second.batch(10, 10_000) == before
    assert [one.seq for one in second.set_aside()] == [2]
    second.close()


def test_full_takes_none_says_so_and_stays_full_over_a_restart(tmp_path):
    path = tmp_path / "f"
    outbox = Outbox(path, "slots-1", limit=10)
    outbox.put([event(n) for n in range(9)])
    with pytest.raises(OutboxFull, match="slots-1 holds 9 events"):
        outbox.put([event(20), event(21)])
    assert (outbox.next_seq, outbox.waiting, outbox.full_since) == (10, 9, 1696680020000)
    # One more would fit, but a hole in what was said must be declared first.
    with pytest.raises(OutboxFull):
        outbox.put([event(22)])
    outbox.close()
    again = Outbox(path, "slots-1", limit=10)
    assert again.full_since == 1696680020000
    again.answer(9)
    assert again.has_room
    assert again.take_again([event(30)]) == 10
    assert again.full_since is None
    assert again.put([event(31)]) == 11
    again.close()


def test_there_is_room_again_when_half_is_answered(outbox):
    outbox.put([event(n) for n in range(10)])
    assert not outbox.has_room
    outbox.answer(4)
    assert not outbox.has_room
    outbox.answer(5)
    assert outbox.has_room


def test_65_000_events_fit_by_default(tmp_path):
    outbox = Outbox(tmp_path / "f", "slots-1")
    assert outbox.put([event(n) for n in range(65_000)]) == 65_000
    with pytest.raises(OutboxFull):
        outbox.put([event()])
    outbox.close()


def test_a_reinstalled_bridge_goes_on_where_the_core_stands(outbox):
    outbox.go_on_after(4711)
    assert outbox.put([event()]) == 4712
    assert outbox.waiting == 1


def test_a_core_that_has_less_moves_nothing(outbox):
    outbox.put([event(n) for n in range(5)])
    outbox.go_on_after(5)
    outbox.go_on_after(2)
    assert outbox.put([event()]) == 6


def test_a_restored_outbox_still_sends_what_it_holds(outbox):
    outbox.put([event(n) for n in range(5)])
    outbox.go_on_after(100)
    outbox.put([event()])
    assert seqs(outbox.batch(10, 10_000)) == [1, 2, 3, 4, 5, 101]
    assert outbox.waiting == 6
    outbox.answer(101)
    assert outbox.waiting == 0


def test_a_second_bridge_of_the_same_feed_is_refused(tmp_path):
    first = Outbox(tmp_path / "f", "slots-1")
    with pytest.raises(OutboxBusy, match="stop it first"):
        Outbox(tmp_path / "f", "slots-1")
    first.close()
    Outbox(tmp_path / "f", "slots-1").close()


def test_the_file_of_another_feed_is_refused(tmp_path):
    Outbox(tmp_path / "f", "slots-1").close()
    with pytest.raises(ValueError, match="belongs to the feed slots-1"):
        Outbox(tmp_path / "f", "tables-1")


def test_an_event_no_request_can_hold_is_refused_and_uses_no_number(outbox):
    outbox.put([event(1)])
    with pytest.raises(ValueError, match="more than a request may hold"):
        outbox.put([event(2), event(3, reason="x" * LARGEST_LINE)])
    assert (outbox.next_seq, outbox.waiting) == (2, 1)


def test_it_waits_for_the_disk_at_every_commit(outbox):
    assert outbox._base.execute("PRAGMA synchronous").fetchone() == (2,)
    assert outbox._base.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_full_disk_is_not_swallowed_and_leaves_the_outbox_as_it_was(outbox):
    outbox.put([event(1)])
    pages = outbox._base.execute("PRAGMA page_count").fetchone()[0]
    outbox._base.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(sqlite3.OperationalError, match="full"):
        outbox.put([event(2, reason="x" * 20_000)])
    assert (outbox.next_seq, outbox.waiting) == (2, 1)
    outbox._base.execute("PRAGMA max_page_count=1000000")
    assert outbox.put([event(2)]) == 2


def test_the_lock_file_is_for_its_owner_alone(tmp_path):
    outbox = Outbox(tmp_path / "f", "slots-1")
    assert (tmp_path / "f.lock").stat().st_mode & 0o777 == 0o600
    outbox.close()
