"""`floordraw log verify`: checkpoints that were changed, and printed slips against a log written anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from log_of_a_day import ChangedLog, LoggedDay, first_named

from kiosk.upkeep.log_check import check_log


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> LoggedDay:
    return LoggedDay(tmp_path_factory.mktemp("day"))


@pytest.fixture
def log(day: LoggedDay, tmp_path: Path) -> ChangedLog:
    return day.copied(tmp_path)


# -- checkpoints ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["at", "hash", "public_key", "signature"])
def test_any_column_of_any_checkpoint_counts(log: ChangedLog, day: LoggedDay, column: str) -> None:
    for seq in day.slips:
        value = log.value(f"SELECT {column} FROM checkpoints WHERE seq = ?", seq)
        other = value + 1 if isinstance(value, int) else "A" + value[1:] if value[0] != "A" else "B" + value[1:]
        log.run(f"UPDATE checkpoints SET {column} = ? WHERE seq = ?", other, seq)
        assert first_named(log) == seq
        log.run(f"UPDATE checkpoints SET {column} = ? WHERE seq = ?", value, seq)
    assert check_log(log.site, [])[0]


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda text: text + "\n", id="a-line-more"),
        pytest.param(lambda text: "*" + text, id="a-sign-that-decoding-would-skip"),
        pytest.param(lambda text: text[:-3] + chr(ord(text[-3]) + 1) + "==", id="bits-that-say-nothing"),
        pytest.param(lambda _text: "", id="empty"),
        pytest.param(lambda _text: "===", id="no-base64"),
        pytest.param(lambda _text: None, id="null"),
    ],
)
def test_a_signature_has_one_form(log: ChangedLog, day: LoggedDay, spoil: Callable[[str], Any]) -> None:
    seq = min(day.slips)
    text = log.value("SELECT signature FROM checkpoints WHERE seq = ?", seq)
    rows = [tuple(row) for row in log.database.execute("SELECT * FROM checkpoints")]
    log.run("DROP TABLE checkpoints")
    log.run("CREATE TABLE checkpoints (seq BIGINT, at BIGINT, hash TEXT, public_key TEXT, signature TEXT)")
    for row in rows:
        log.run("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?)", *row)
    log.run("UPDATE checkpoints SET signature = ? WHERE seq = ?", spoil(text), seq)
    assert first_named(log) == seq


def test_a_checkpoint_taken_out_is_found(log: ChangedLog, day: LoggedDay, tmp_path: Path) -> None:
    for seq in day.slips:
        log = day.copied(tmp_path)
        log.run("DELETE FROM checkpoints WHERE seq = ?", seq)
        assert first_named(log) in {seq, seq + 1}


def test_a_checkpoint_of_another_entry_is_found(log: ChangedLog, day: LoggedDay) -> None:
    seq = min(day.slips)
    log.run("UPDATE checkpoints SET seq = ? WHERE seq = ?", seq + 4, seq)
    assert first_named(log) in {seq, seq + 1}


def test_a_checkpoint_with_a_key_of_its_own_is_found(log: ChangedLog, day: LoggedDay) -> None:
    other = ChangedLog(day.file, Path(log.site.state_dir).parent)
    kept = [tuple(row) for row in other.database.execute("SELECT * FROM checkpoints ORDER BY seq")]
    other.write_anew(lambda _row: None, key=b"k" * 32)
    assert check_log(other.site, [])[0], "only a slip, or the published key, tells that another key signed it all"
    seq, at, digest, key, signature = kept[0]
    other.run("UPDATE checkpoints SET at = ?, hash = ?, public_key = ?, signature = ? WHERE seq = ?",
              at, digest, key, signature, seq)  # fmt: skip
    assert first_named(other) == sorted(day.slips)[1]


def test_the_property_is_the_site_s_own(log: ChangedLog, day: LoggedDay) -> None:
    sound, lines = check_log(replace(log.site, property="goldstar"), [])
    assert (sound, lines[0]) == (
        False,
        f"FAILS at entry {min(day.slips)}: its checkpoint's signature does not hold.",
    )


# -- slips ------------------------------------------------------------------------------------------------------


def change_an_actor(row: dict[str, Any]) -> None:
    if row["seq"] == 15:
        row["actor"] = "manager:nomvula"


def test_a_log_written_anew_by_the_key_s_holder_is_found_by_any_slip_printed_before(
    log: ChangedLog, day: LoggedDay
) -> None:
    log.write_anew(change_an_actor)
    sound, lines = check_log(log.site, [])
    assert sound, lines
    for seq, slip in day.slips.items():
        if seq < 15:
            assert check_log(log.site, [slip])[0]
        else:
            assert first_named(log, slip) == seq
    after = next(seq for seq in sorted(day.slips) if seq >= 15)
    assert first_named(log, *reversed(day.slips.values())) == after


def test_a_log_written_anew_without_the_key_is_found_by_its_checkpoints(log: ChangedLog, day: LoggedDay) -> None:
    rows = [tuple(row) for row in log.database.execute("SELECT at, hash, public_key, signature, seq FROM checkpoints")]
    log.write_anew(change_an_actor)
    for row in rows:
        log.run("UPDATE checkpoints SET at = ?, hash = ?, public_key = ?, signature = ? WHERE seq = ?", *row)
    assert first_named(log) == next(seq for seq in sorted(day.slips) if seq >= 15)


def test_a_log_rid_of_its_checkpoints_is_found_by_its_draws(log: ChangedLog, day: LoggedDay) -> None:
    log.run("DELETE FROM checkpoints")

    def rename(row: dict[str, Any]) -> None:
        if row["kind"] == "checkpoint.made":
            row["kind"] = "note.made"

    log.write_anew(rename)
    assert first_named(log) == min(day.slips)


def test_a_slip_is_named_before_a_later_break(log: ChangedLog, day: LoggedDay) -> None:
    """Written anew up to a point and clumsily changed behind it: the slip tells of the earlier entry."""
    log.write_anew(change_an_actor)
    log.run("UPDATE log_entries SET actor = 'nobody' WHERE seq = ?", day.length)
    after = next(seq for seq in sorted(day.slips) if seq >= 15)
    assert first_named(log, *day.slips.values()) == after
    assert first_named(log) == day.length


@pytest.mark.parametrize("line", range(7))
def test_a_slip_with_any_line_changed_is_no_slip_of_this_log(log: ChangedLog, day: LoggedDay, line: int) -> None:
    lines = day.slips[max(day.slips)].splitlines()
    last = lines[line][-2]
    lines[line] = lines[line][:-2] + ("A" if last != "A" else "B") + lines[line][-1]
    sound, told = check_log(log.site, ["\n".join(lines)])
    assert not sound
    assert told[0].startswith("FAILS: ")


@pytest.mark.parametrize(
    "text", ["", "\n\n", "seven\nlines", "floordraw/1/checkpoint\n" * 7, "{}", '{"slips":[7]}', "["]
)
def test_what_is_no_slip_is_said_to_be_none(log: ChangedLog, text: str) -> None:
    sound, lines = check_log(log.site, [text])
    assert not sound
    assert lines[0].startswith("FAILS: a ")


def test_a_rehearsal_s_slip_proves_nothing_here(log: ChangedLog, day: LoggedDay) -> None:
    text = day.slips[max(day.slips)].replace("floordraw/1/checkpoint", "floordraw/1/rehearsal-checkpoint")
    sound, lines = check_log(log.site, [text])
    assert not sound
    assert "rehearsal" in lines[0]
