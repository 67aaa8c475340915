"""The engine over its store and journal: failures that leave no trace, starts that lose nothing, events taken in."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from casino import Casino, seat_everybody
from people_words import LERATO, jhb
from sqlalchemy.exc import OperationalError

from draw_engine.errors import Refused, RuleBroken
from draw_engine.list_rows import MemberRow
from draw_engine.lists import ListFaults
from draw_engine.service import house, intake
from draw_engine.store.journal import read_segment
from draw_engine.store.repositories import TableStore
from draw_engine.store.sealing import MasterKey
from draw_engine.store.unit_of_work import TransactionOfTables

Casinos = Callable[..., Casino]


class KilledError(Exception):
    """The process ends here."""


# -- the engine over it ----------------------------------------------------------------------------------------


def test_a_failed_transaction_is_forgotten_by_memory_too(casinos: Casinos, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database fails in the middle of a selection: nothing is kept, and the next tick selects in time."""
    casino = casinos()
    casino.load_lists()
    seat_everybody(casino)
    casino.at("13:59")
    first = casino.moments()[0]
    casino.go(first - 1)
    head = casino.engine.store.head()

    def fails(*_: object, **__: object) -> None:
        raise OperationalError("INSERT", {}, Exception("database is locked"))

    monkeypatch.setattr(TransactionOfTables, "open_claim", fails)
    casino.clock.set(first)
    with pytest.raises(OperationalError):
        casino.tick()
    assert casino.engine.store.head() == head
    monkeypatch.undo()
    monkeypatch.setattr("os.fdatasync", lambda _: None)
    casino.clock.set(first + 500)
    casino.tick()
    (made,) = casino.said("selection.made")
    assert (made.at, made.data["ordinal"], len(casino.draw().rows)) == (first + 500, 0, 1)
    casino.finish("14:11")


def test_a_refused_list_changes_nothing(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    head = casino.engine.store.head()
    with pytest.raises(ListFaults) as faults:
        house.load_list(casino.engine, "members", b"member,tier\n1,Gold\n")
    assert faults.value.faults
    assert casino.engine.store.head() == head
    assert casino.engine.lists.at(casino.clock.now()).members[LERATO].tier == "Black"


def test_a_list_is_in_the_log_by_its_digest_and_survives_a_restart(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    entry = next(entry for entry in casino.said("list.loaded") if entry.data["list"] == "members")
    assert sorted(entry.data) == ["list", "rows", "sha256"]
    assert entry.data["rows"] == 9
    casino.restart()
    row = casino.engine.lists.at(casino.clock.now()).members[LERATO]
    assert isinstance(row, MemberRow)
    assert row.last_name == "Dlamini"


# -- the floor over restarts -----------------------------------------------------------------------------------


def test_the_floor_is_heard_again_at_a_start(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    seat_everybody(casino)
    casino.at("13:52")
    before = casino.engine.floor.at(casino.clock.now())
    casino.restart()
    after = casino.engine.floor.at(casino.clock.now())
    assert after == before
    assert len(list(after.open_sessions())) == 7
    assert casino.engine.store.journal() == ("2023-10-07-1", casino.journal.length)


def test_events_on_disk_but_not_counted_are_replayed_and_are_repeats(
    casinos: Casinos, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the sync and before the transaction: the bridge had no answer and sends again."""
    casino = casinos()
    casino.load_lists()
    casino.send()
    counted = casino.engine.store.journal()
    casino.sits(LERATO, "S-0412")
    body = b"\n".join(casino._waiting["slots-1"])

    def killed(*_: object) -> None:
        raise OperationalError("UPDATE", {}, Exception("killed"))

    monkeypatch.setattr(TableStore, "count_journal", killed)
    with pytest.raises(OperationalError):
        casino.send()
    monkeypatch.undo()
    assert casino.engine.store.journal() == counted
    casino.restart()
    assert [session.member for session in casino.engine.floor.at(casino.clock.now()).open_sessions()] == [LERATO]
    answer = intake.take(casino.engine, "slots-1", body)
    assert (answer.accepted, answer.repeated, answer.last_seq) == (0, 2, 3)


def test_killed_while_a_segment_is_turned_the_core_starts_and_nothing_is_lost(
    casinos: Casinos, monkeypatch: pytest.MonkeyPatch
) -> None:
    casino = casinos()
    casino.load_lists()
    seat_everybody(casino)
    casino.finish("14:41")
    kept = casino.journal.lines()

    def killed(*_: object) -> None:
        raise KilledError

    casino.clock.set(jhb("2023-10-08 06:00"))
    monkeypatch.setattr("draw_engine.service.intake._sort_out", killed)
    with pytest.raises(KilledError):
        casino.send()
    monkeypatch.undo()
    casino.restart()
    assert casino.journal.segment == "2023-10-08-1"
    assert read_segment(casino.folder / "journal", "2023-10-07-1") == kept
    counted = casino.engine.store.journal()
    assert counted is not None
    assert counted[1] <= casino.journal.length


def test_a_segment_is_turned_with_the_gaming_day_but_not_under_an_open_draw(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    seat_everybody(casino)
    casino.at("14:00")
    casino.go(casino.moments()[-1])
    casino.playing.clear()
    casino.clock.set(jhb("2023-10-08 06:00"))
    casino.send()
    assert casino.journal.segment == "2023-10-07-1"
    casino.tick()
    casino.finish("2023-10-08 06:02")
    assert casino.draw().state.closed_at is not None
    casino.send()
    assert casino.journal.segment == "2023-10-08-1"
    assert not list(casino.engine.floor.at(casino.clock.now()).open_sessions())
    assert casino.engine.floor.feed_at("slots-1", casino.clock.now()).unknown


def test_a_start_with_a_clock_behind_the_journal_does_not_stop_the_core(casinos: Casinos) -> None:
    """The machine's clock was set back while the core was down: time stands still until it has caught up."""
    casino = casinos()
    casino.load_lists()
    seat_everybody(casino)
    casino.at("13:59")
    first = casino.moments()[0]
    casino.go(first - 1)
    casino.tell("heartbeat")
    casino.clock.set(first)
    casino.send()
    casino.clock.at = first - 5_000
    casino.restart()
    casino.tick()
    assert casino.engine.now() == first
    (made,) = casino.said("selection.made")
    assert made.at == first
    casino.clock.set(first)
    casino.finish("14:11")


def test_a_database_sealed_with_another_key_is_refused(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    casino.at("13:55")
    casino.engine.vault = MasterKey(b"x" * 32)
    with pytest.raises(RuleBroken, match="master key"):
        casino.engine.load()


# -- taking events ---------------------------------------------------------------------------------------------


def test_what_was_accepted_is_on_the_disk_in_the_journal_s_form(casinos: Casinos) -> None:
    casino = casinos(now="13:50")
    casino.load_lists()
    casino.tell("card_in", position="S-0412", member=LERATO)
    answer = casino.send()["slots-1"]
    assert answer.as_json() == {
        "accepted": 1,
        "repeated": 0,
        "refused": [],
        "last_seq": 1,
        "missing": [],
        "want_snapshot": False,
    }
    first = casino.journal.lines().split(b"\n")[0]
    assert first == (
        b'{"event":{"at":"2023-10-07T11:50:00.000Z","feed":"slots-1","kind":"card_in","member":"100003",'
        b'"position":"S-0412","seq":1},"received_at":"2023-10-07T11:50:00.000Z"}'
    )


def test_a_bad_line_is_refused_with_its_number_and_blocks_nothing(casinos: Casinos) -> None:
    casino = casinos(now="13:50")
    casino.load_lists()
    at = b'"at":"2023-10-07T11:50:00.000Z"'
    body = b"\n".join(
        [
            b'{"feed":"slots-1","seq":1,%b,"kind":"heartbeat"}' % at,
            b"",
            b"nonsense",
            b'{"feed":"slots-1","seq":2,%b,"kind":"card_in","position":"S-0412","member":7}' % at,
            b'{"feed":"tables-1","seq":3,%b,"kind":"heartbeat"}' % at,
            b'{"feed":"slots-1","seq":1,%b,"kind":"feed_down","reason":"x"}' % at,
            b"",
            b'{"feed":"slots-1","seq":4,%b,"kind":"heartbeat"}' % at,
            b'{"feed":"slots-1","seq":4,%b,"kind":"heartbeat"}' % at,
        ]
    )
    answer = intake.take(casino.engine, "slots-1", body)
    assert (answer.accepted, answer.repeated, answer.last_seq) == (2, 1, 4)
    assert [(line["line"], line["code"]) for line in answer.refused] == [
        (3, "X_EVENT_UNREADABLE"),
        (4, "X_EVENT_INVALID"),
        (5, "X_WRONG_FEED"),
        (6, "X_SEQ_REUSED"),
    ]
    assert answer.missing == [2, 3]
    assert casino.journal.lines().count(b"\n") == 2


@pytest.mark.parametrize("body", [b"\n".join([b"{}"] * 1_001), b" " * 1_000_001])
def test_too_much_at_once_is_refused_whole(casinos: Casinos, body: bytes) -> None:
    casino = casinos()
    with pytest.raises(Refused, match="X_TOO_LARGE"):
        intake.take(casino.engine, "slots-1", body)
    assert casino.journal.length == 0


def test_a_full_disk_takes_nothing_and_the_same_can_be_sent_again(
    casinos: Casinos, monkeypatch: pytest.MonkeyPatch
) -> None:
    casino = casinos()
    casino.load_lists()
    casino.sits(LERATO, "S-0412")
    body = b"\n".join(casino._waiting.pop("slots-1"))

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.write", full)
    with pytest.raises(OSError, match="No space"):
        intake.take(casino.engine, "slots-1", body)
    monkeypatch.undo()
    assert not list(casino.engine.floor.at(casino.clock.now()).open_sessions())
    assert intake.take(casino.engine, "slots-1", body).accepted == 2


def test_an_empty_request_is_answered_and_changes_nothing(casinos: Casinos) -> None:
    casino = casinos()
    answer = intake.take(casino.engine, "slots-1", b"\n\n")
    assert (answer.accepted, answer.last_seq, answer.want_snapshot) == (0, None, True)
    assert casino.engine.store.journal() is None


def test_a_number_taken_before_the_segment_was_turned_is_a_repeat_after_it(casinos: Casinos) -> None:
    casino = casinos()
    casino.load_lists()
    seat_everybody(casino)
    casino.at("14:00")
    casino.go(casino.moments()[-1])
    casino.playing.clear()
    casino.finish("2023-10-08 05:50")
    sequence = casino.engine.sequences["slots-1"]
    last, digest = sequence.last_seq, sequence._digests[sequence.last_seq or 0]
    casino.clock.set(jhb("2023-10-08 06:01"))
    casino.send()
    assert casino.journal.segment == "2023-10-08-1"
    for engine in (casino.engine, casino.restart() or casino.engine):
        taken = engine.sequences["slots-1"]
        assert (taken.last_seq or 0) >= (last or 0)
        assert taken.status(last or 0, digest) == "repeat"
        assert taken.status(last or 0, b"another event's") == "reused"
