"""A log in which everything has happened to claims that can: no edit of it or of its record goes unnoticed (R12)."""

from __future__ import annotations

import importlib.util
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from random import Random  # noqa: TID251 - which edit; nothing of the engine's is drawn from it
from types import ModuleType
from typing import Any

import pytest
from casino import Casino
from eventful_day import KINDS, eventful
from log_of_a_day import ChangedLog, first_named

from draw_engine.canonical import jcs
from draw_engine.log import slip_text
from draw_engine.service.publishing import shown
from draw_engine.verify import verify
from kiosk.upkeep.log_check import check_log

EDIT_RECORD = Path(__file__).parents[2] / "benchmarks" / "edit_record.py"
IN_A_RECORD = frozenset(
    {
        "claim.announced",
        "claim.review",
        "claim.reviewed",
        "claim.voided",
        "claim.held",
        "claim.refused",
        "claim.expired",
    }
)


@pytest.fixture(scope="module")
def edits() -> ModuleType:
    spec = importlib.util.spec_from_file_location("edit_record", EDIT_RECORD)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Casino]:
    made = eventful(tmp_path_factory.mktemp("eventful"))
    file = sqlite3.connect(made.folder / "day.db")
    file.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # all of it stands in the one file that is copied
    file.close()
    yield made
    made.close()


@pytest.fixture
def log(day: Casino, tmp_path: Path) -> ChangedLog:
    return ChangedLog(day.folder / "day.db", tmp_path)


def test_everything_has_happened(day: Casino) -> None:
    assert {entry.kind for entry in day.log()} >= KINDS


# -- the published record -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("record", ["claims", "claims-public"])
def test_the_record_holds_and_has_the_claims_own_entries(edits: ModuleType, tmp_path: Path, record: str) -> None:
    folder, key = edits.copy_of(record, tmp_path)
    assert verify(folder, key).exit_code == 0
    kinds = {entry["kind"] for entry in json.loads((folder / "record.json").read_bytes())["log"]}
    assert kinds >= IN_A_RECORD


@pytest.mark.parametrize("record", ["claims", "claims-public"])
def test_every_random_edit_of_the_record_is_noticed_and_named(edits: ModuleType, tmp_path: Path, record: str) -> None:
    folder, key = edits.copy_of(record, tmp_path)
    noticed = 0
    for number in range(160):
        name, report = edits.judged(folder, key, edits.Dice(f"claims {number}"))
        if report is not None:
            assert edits.noticed(report), (number, name)
            noticed += 1
    assert noticed > 140


@pytest.mark.parametrize("record", ["claims", "claims-public"])
def test_every_entry_about_a_claim_left_out_or_put_elsewhere_is_noticed(
    edits: ModuleType, tmp_path: Path, record: str
) -> None:
    folder, key = edits.copy_of(record, tmp_path)
    file = folder / "record.json"
    whole = json.loads(file.read_bytes())
    told = whole["log"]
    for i, entry in enumerate(told):
        if not entry["kind"].startswith(("claim.re", "claim.v", "claim.a", "claim.h")):
            continue
        for changed in (told[:i] + told[i + 1 :], [*told[:i], told[i + 1], entry, *told[i + 2 :]]):
            file.write_bytes(jcs(whole | {"log": changed}))
            assert edits.noticed(verify(folder, key)), (i, entry["kind"])


def test_every_value_in_a_review_a_void_and_an_announcement_counts(edits: ModuleType, tmp_path: Path) -> None:
    folder, key = edits.copy_of("claims", tmp_path)
    file = folder / "record.json"
    whole = json.loads(file.read_bytes())
    for i, entry in enumerate(whole["log"]):
        if entry["kind"] not in IN_A_RECORD or not entry.get("data"):
            continue
        for member, value in entry["data"].items():
            changed = {**entry, "data": {**entry["data"], member: _other(value)}}
            file.write_bytes(jcs(whole | {"log": [*whole["log"][:i], changed, *whole["log"][i + 1 :]]}))
            assert edits.noticed(verify(folder, key)), (entry["kind"], member)


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return list(reversed(value)) if len(value) > 1 else [*value, "manager:somebody"]
    return "absent" if value is None else f"{value[:-1]}{'0' if value[-1:] != '0' else '1'}"


# -- the property's log -------------------------------------------------------------------------------------------

FIELDS = ("at", "kind", "draw", "actor", "data", "salt", "prev", "body", "hash")


def test_the_log_and_all_its_slips_hold(day: Casino, log: ChangedLog) -> None:
    slips = [slip_text(shown(one), rehearsal=False) for one in day.engine.store.checkpoints(1, 1 << 40)]
    assert len(slips) == 2, "the opening one and the closing one"
    sound, lines = check_log(log.site, slips)
    assert sound, lines


def test_three_hundred_random_edits_of_the_log_are_found_and_the_first_bad_entry_is_named(
    day: Casino, log: ChangedLog
) -> None:
    chance, length = Random(3), len(day.log())
    rows = log.rows()
    new = [row["seq"] for row in rows if row["kind"] in KINDS]
    for _ in range(200):
        row = rows[chance.choice(new) - 1]
        field = chance.choice(FIELDS)
        value = _edited(chance, row[field])
        log.run(f"UPDATE log_entries SET {field} = ? WHERE seq = ?", value, row["seq"])
        assert first_named(log) == row["seq"], (field, row["kind"])
        log.run(f"UPDATE log_entries SET {field} = ? WHERE seq = ?", row[field], row["seq"])
    for _ in range(50):
        one, other = sorted(chance.sample(range(1, length + 1), 2))
        _swap(log, one, other)
        assert first_named(log) == one
        _swap(log, one, other)
    for _ in range(50):
        gone = chance.choice(new)
        log.run("UPDATE log_entries SET seq = -1 WHERE seq = ?", gone)
        assert first_named(log) in {gone, gone + 1, 1}
        log.run("UPDATE log_entries SET seq = ? WHERE seq = -1", gone)
    assert check_log(log.site, [])[0]


def _swap(log: ChangedLog, one: int, other: int) -> None:
    for seq, to in ((one, 0), (other, one), (0, other)):
        log.move(seq, to)


def _edited(chance: Random, value: Any) -> Any:
    if value is None:
        return "silverstar/playtime/2023-10-07/first"
    if isinstance(value, int):
        return value + chance.choice([-1, 1, 1_000, 3_600_000])
    place = chance.randrange(len(value))
    letter = chance.choice([one for one in "0123456789abcdef{}:" if one != value[place]])
    return value[:place] + letter + value[place + 1 :]
