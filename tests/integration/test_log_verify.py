"""`floordraw log verify`: whatever is changed in a property's log is found, and the first bad entry is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from casino import Casino, seat_everybody
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from log_of_a_day import SITE, ChangedLog, LoggedDay, first_named

from config.site import read_site
from draw_engine.errors import Refused
from draw_engine.log import slip_text
from draw_engine.service.publishing import shown
from kiosk.upkeep.log_check import check_log

FIELDS = ("at", "kind", "draw", "actor", "data", "salt", "prev", "body", "hash")


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> LoggedDay:
    return LoggedDay(tmp_path_factory.mktemp("day"))


@pytest.fixture
def log(day: LoggedDay, tmp_path: Path) -> ChangedLog:
    return day.copied(tmp_path)


# -- what holds -------------------------------------------------------------------------------------------------


def test_the_day_has_what_the_other_tests_need(day: LoggedDay) -> None:
    assert list(day.kinds.values()).count("draw.opened") == list(day.kinds.values()).count("draw.closed") == 2
    assert len(day.slips) >= 4
    assert day.length > 50


def test_an_unchanged_log_holds_and_says_what_was_looked_at(log: ChangedLog, day: LoggedDay) -> None:
    sound, lines = check_log(log.site, [])
    assert sound
    assert lines[0] == f"{day.length} entries hold, each follows from the one before."
    assert lines[1] == f"{len(day.slips)} checkpoints hold."
    assert lines[2].startswith(f"They are signed with the key {day.slips[max(day.slips)].splitlines()[5]}:")
    assert lines[3] == "No slip was compared: whoever holds the key could have written all of it anew."


@pytest.mark.parametrize("between", ["\n", "\r\n\r\n"])
def test_every_printed_slip_holds_against_it_one_a_file_or_all_in_one(
    log: ChangedLog, day: LoggedDay, between: str
) -> None:
    texts = list(day.slips.values())
    assert check_log(log.site, texts)[0]
    sound, lines = check_log(log.site, [between.join(texts)])
    assert (sound, lines[-1]) == (True, f"{len(texts)} slips compared.")


def test_reading_changes_nothing(log: ChangedLog, tmp_path: Path) -> None:
    log.database.close()
    before = (tmp_path / "floordraw.db").read_bytes()
    assert check_log(log.site, [])[0]
    assert (tmp_path / "floordraw.db").read_bytes() == before


def test_it_holds_on_either_database_while_the_core_writes(casinos: Callable[..., Casino], tmp_path: Path) -> None:
    casino = casinos()
    casino.load_lists()
    seat_everybody(casino)
    casino.at("14:05")
    site = replace(read_site(SITE.encode(), tmp_path), database=casino.url)
    (opening,) = casino.engine.store.checkpoints(1, 1 << 40)
    sound, lines = check_log(site, [slip_text(shown(opening), rehearsal=False)])
    assert sound, lines
    with casino.database.begin() as connection:
        connection.exec_driver_sql("UPDATE log_entries SET actor = 'engine ' WHERE seq = 4")
    assert check_log(site, [])[1][0].startswith("FAILS at entry 4: ")


def test_a_log_without_entries_is_empty_and_no_slip_is_of_it(log: ChangedLog, day: LoggedDay) -> None:
    for table in ("log_entries", "log_head", "checkpoints"):
        log.run(f"DELETE FROM {table}")
    assert check_log(log.site, []) == (True, ["The log is empty."])
    assert first_named(log, day.slips[min(day.slips)]) == 1


def test_a_database_that_is_not_there_is_no_empty_log(log: ChangedLog, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="X_NO_DATABASE"):
        check_log(replace(log.site, database=f"sqlite:///{tmp_path / 'other.db'}"), [])
    assert not (tmp_path / "other.db").exists()


@pytest.mark.parametrize("content", [b"", b"this is no database, and it is longer than a header is " * 9])
def test_a_file_that_holds_no_log_is_said_to_be_unreadable(log: ChangedLog, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other.db").write_bytes(content)
    sound, lines = check_log(replace(log.site, database=f"sqlite:///{tmp_path / 'other.db'}"), [])
    assert (sound, len(lines)) == (False, 1)
    assert lines[0].startswith("FAILS: the log cannot be read from the database")


# -- entries ----------------------------------------------------------------------------------------------------


def changed(value: Any) -> Any:
    """Something near to a value: a figure more, another last character, something where there was nothing."""
    if value is None:
        return "silverstar"
    if isinstance(value, int):
        return value + 1
    return value[:-1] + ("}" if value.endswith("0") else "0")


@pytest.mark.parametrize("field", FIELDS)
def test_any_field_of_any_entry_counts(log: ChangedLog, field: str) -> None:
    # Every second entry, the odd ones for one field and the even ones for the next.
    for row in log.rows()[FIELDS.index(field) % 2 :: 2]:
        log.run(f"UPDATE log_entries SET {field} = ? WHERE seq = ?", changed(row[field]), row["seq"])
        named = first_named(log)
        log.run(f"UPDATE log_entries SET {field} = ? WHERE seq = ?", row[field], row["seq"])
        assert named == row["seq"], field
    assert check_log(log.site, [])[0]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(lambda text: text + " ", id="a-space-behind"),
        pytest.param(lambda text: text.replace(":", ": ", 1), id="a-space-within"),
        pytest.param(lambda text: text.replace('"list"', '"l\\u0069st"', 1), id="another-way-to-write-a-letter"),
        pytest.param(lambda text: text.replace('"rows":', '"rows":1,"rows":', 1), id="a-member-twice"),
        pytest.param(lambda text: json.dumps(dict(reversed(json.loads(text).items()))), id="another-order"),
        pytest.param(lambda _text: "{", id="no-json"),
        pytest.param(lambda _text: "[]", id="no-object"),
        pytest.param(lambda _text: "", id="nothing"),
        pytest.param(lambda text: text.encode()[:-2] + b"\xff}", id="no-utf-8"),
        pytest.param(lambda _text: 17, id="a-number"),
    ],
)
def test_data_that_says_the_same_in_other_bytes_is_a_change(log: ChangedLog, data: Callable[[str], Any]) -> None:
    seq, text = log.database.execute("SELECT seq, data FROM log_entries WHERE kind = 'list.loaded'").fetchone()
    value = data(text)
    log.run("UPDATE log_entries SET data = CAST(? AS TEXT) WHERE seq = ?", value, seq)
    assert first_named(log) == seq


@pytest.mark.parametrize("at", ["soon", -(1 << 62), 1 << 62, 1.5, b"\xff"])
def test_a_time_that_is_none_is_a_change(log: ChangedLog, at: Any) -> None:
    log.run("UPDATE log_entries SET at = ? WHERE seq = 9", at)
    assert first_named(log) == 9


def test_a_missing_entry_is_named(log: ChangedLog, day: LoggedDay, tmp_path: Path) -> None:
    for seq in (1, 2, day.length // 2, day.length):
        log = day.copied(tmp_path)
        log.run("DELETE FROM log_entries WHERE seq = ?", seq)
        assert first_named(log) in {seq, seq + 1}


def test_a_missing_entry_is_named_when_the_numbers_close_up(log: ChangedLog, day: LoggedDay) -> None:
    log.run("DELETE FROM log_entries WHERE seq = 20")
    for seq in range(21, day.length + 1):
        log.move(seq, seq - 1)
    assert first_named(log) == 20


@pytest.mark.parametrize(("one", "other"), [(1, 2), (7, 8), (5, 40)])
def test_swapped_entries_are_named(log: ChangedLog, one: int, other: int) -> None:
    for seq, to in ((one, 0), (other, one), (0, other)):
        log.move(seq, to)
    assert first_named(log) == one


@pytest.mark.parametrize("at", [1, 12])
def test_an_entry_put_between_is_named(log: ChangedLog, day: LoggedDay, at: int) -> None:
    for seq in range(day.length, at - 1, -1):
        log.move(seq, seq + 1)
    log.run(
        "INSERT INTO log_entries SELECT ?, at, kind, draw, actor, data, salt, prev, body, 'x' || hash"
        " FROM log_entries WHERE seq = ?",
        at,
        at + 1,
    )
    assert first_named(log) == at


@pytest.mark.parametrize("seq", [0, -3])
def test_an_entry_before_the_first_is_found(log: ChangedLog, seq: int) -> None:
    log.run(
        "INSERT INTO log_entries SELECT ?, at, kind, draw, actor, data, salt, prev, body, 'x' || hash"
        " FROM log_entries WHERE seq = 1",
        seq,
    )
    assert first_named(log) == 1


def test_an_entry_under_another_number_is_named(log: ChangedLog, day: LoggedDay) -> None:
    log.move(day.length, day.length + 1)
    assert first_named(log) == day.length + 1


def test_an_entry_that_follows_well_but_stands_behind_the_end_is_named(log: ChangedLog) -> None:
    log.run("UPDATE log_head SET (seq, at, hash) = (SELECT seq, at, hash FROM log_entries WHERE seq = ?)", 30)
    assert first_named(log) == 31


# -- the end ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("column", "value"), [("at", 1), ("hash", "0" * 64), ("seq", "the last")])
def test_the_note_of_the_end_is_compared(log: ChangedLog, day: LoggedDay, column: str, value: Any) -> None:
    log.run(f"UPDATE log_head SET {column} = ?", value)
    assert first_named(log) in {day.length, day.length + 1}


def test_a_log_whose_end_is_noted_nowhere_is_not_empty(log: ChangedLog, day: LoggedDay) -> None:
    log.run("DELETE FROM log_head")
    assert first_named(log) == day.length


def test_a_cut_is_found_by_the_end(log: ChangedLog) -> None:
    log.cut_after(33, with_end=False)
    assert first_named(log) == 34


def test_a_cut_with_a_new_end_is_found_by_the_first_checkpoint_after_it(log: ChangedLog) -> None:
    log.cut_after(33, with_checkpoints=False)
    assert first_named(log) == 34


def test_a_cut_right_behind_a_signed_entry_is_found(log: ChangedLog, day: LoggedDay) -> None:
    for seq in day.slips:
        log = ChangedLog(day.file, Path(log.site.state_dir).parent)
        log.cut_after(seq)
        assert first_named(log) == seq + 1


def test_a_cut_without_any_other_trace_is_found_by_the_first_slip_after_it(log: ChangedLog, day: LoggedDay) -> None:
    kept, after = min(day.slips), sorted(day.slips)[1]
    log.cut_after(after - 2)
    assert check_log(log.site, [])[0]
    assert check_log(log.site, [day.slips[kept]])[0]
    assert first_named(log, *day.slips.values()) == after - 1
    assert str(after) in check_log(log.site, [day.slips[after]])[1][0]


# -- anything at all --------------------------------------------------------------------------------------------

SOME_TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFF), max_size=12)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_change_of_any_cell_is_found_and_named(log: ChangedLog, data: st.DataObject) -> None:
    table = data.draw(st.sampled_from(["log_entries", "log_entries", "log_entries", "checkpoints", "log_head"]))
    rows = [dict(row) for row in log.database.execute(f"SELECT * FROM {table}")]
    row = data.draw(st.sampled_from(rows))
    column = data.draw(st.sampled_from([name for name in row if name not in {"id", "seq"}]))
    old = row[column]
    new: Any
    if isinstance(old, int):
        new = data.draw(st.integers(-(2**63), 2**63 - 1).filter(lambda value: value != old))
    else:
        place = data.draw(st.integers(0, len(old or "")))
        cut = data.draw(st.integers(0, 2))
        new = ((old or "")[:place] + data.draw(SOME_TEXT) + (old or "")[place + cut :]) or None
    if new == old or (new is None and column != "draw"):
        return
    log.run(f"UPDATE {table} SET {column} = ? WHERE seq = ?", new, row["seq"])
    try:
        assert first_named(log) == row["seq"]
    finally:
        log.run(f"UPDATE {table} SET {column} = ? WHERE seq = ?", old, row["seq"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_entries_in_another_order_are_found(log: ChangedLog, day: LoggedDay, data: st.DataObject) -> None:
    first = data.draw(st.integers(1, day.length - 1))
    last = data.draw(st.integers(first + 1, min(day.length, first + 5)))
    order = list(range(first, last + 1))
    mixed = data.draw(st.permutations(order))
    if mixed == order:
        return
    for seq, to in zip(order, mixed, strict=True):
        log.move(seq, -to)
    for to in order:
        log.move(-to, to)
    named = first_named(log)
    for seq, to in zip(order, mixed, strict=True):
        log.move(to, -seq)
    for seq in order:
        log.move(-seq, seq)
    assert check_log(log.site, [])[0]
    assert named == next(now for now, was in zip(order, mixed, strict=True) if was != now)
