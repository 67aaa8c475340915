"""Edit a record in every way that comes to mind and count the edits that `verify` does not notice: there must be none.

    python benchmarks/edit_record.py --edits 10000 --seed 1

Records: the published examples, and both copies of a day played here on which everything happens to claims that can
(announcements, reviews, voids, refusals, held prizes). Edits are of bytes (change, insert, delete, swap) of
record.json, of pool files, and of values, members, rows and log entries of the record, written canonically again. An
edit that leaves every byte as it was does not count.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "integration"))

from eventful_day import eventful, published  # found through the path above

from draw_engine.canonical import jcs
from draw_engine.verify import Report, checkpoints, verify

EXAMPLES = Path(__file__).parent.parent / "tests" / "examples"
RECORDS = ("electronic-draw", "electronic-draw-public", "session", "session-public")
CLAIMS = {"claims": "auditor", "claims-public": "public"}
"""A record that is played here -> which copy of it."""
OTHER_VALUES = (None, True, False, 0, 1, -1, 2**53 - 1, "", "0", "engine", [], {})

# The same signature of the same text is verified once: edits that leave the checkpoints alone would all repeat it.
checkpoints.verify = lru_cache(maxsize=4096)(checkpoints.verify)


class Dice:
    """Whole numbers from a seed, the same ones every time."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._throws = 0

    def below(self, limit: int) -> int:
        self._throws += 1
        return int.from_bytes(sha256(f"{self._seed}/{self._throws}".encode()).digest()[:8], "big") % limit

    def one_of(self, things: Any) -> Any:
        return things[self.below(len(things))]


def change_byte(data: bytes, dice: Dice) -> bytes:
    i = dice.below(len(data))
    return data[:i] + bytes([data[i] ^ (1 + dice.below(255))]) + data[i + 1 :]


def change_character(data: bytes, dice: Dice) -> bytes:
    """To one that often stands there: most such records are still canonical JSON of the right shape."""
    i = dice.below(len(data))
    return data[:i] + dice.one_of([b"%x" % n for n in range(16)] + [b"a", b",", b'"']) + data[i + 1 :]


def insert_byte(data: bytes, dice: Dice) -> bytes:
    i = dice.below(len(data) + 1)
    return data[:i] + bytes([dice.below(256)]) + data[i:]


def delete_bytes(data: bytes, dice: Dice) -> bytes:
    i = dice.below(len(data))
    return data[:i] + data[i + 1 + dice.below(4) :]


def swap_bytes(data: bytes, dice: Dice) -> bytes:
    made = bytearray(data)
    i, j = dice.below(len(data)), dice.below(len(data))
    made[i], made[j] = made[j], made[i]
    return bytes(made)


def swap_pool_records(data: bytes, dice: Dice) -> bytes:
    records = [data[i : i + 24] for i in range(0, len(data), 24)]
    i, j = dice.below(len(records)), dice.below(len(records))
    records[i], records[j] = records[j], records[i]
    return b"".join(records)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (holder, name or index) in a JSON value."""
    for name in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, name
        yield from places(value[name])


def change_value(record: Any, dice: Dice) -> None:
    holder, name = dice.one_of(list(places(record)))
    old = holder[name]
    if isinstance(old, str) and old and dice.below(4):
        i = dice.below(len(old))
        holder[name] = old[:i] + dice.one_of("0123456789abcdefAZ-:.") + old[i + 1 :]
    elif type(old) is int and dice.below(4):
        holder[name] = max(0, old + dice.one_of([-1, 1, 2, 1000]))
    else:
        holder[name] = dice.one_of(OTHER_VALUES)


def exchange_values(record: Any, dice: Dice) -> None:
    every = list(places(record))
    (one, a), (other, b) = dice.one_of(every), dice.one_of(every)
    if isinstance(one[a], dict | list) or isinstance(other[b], dict | list):
        return  # one might hold the other
    one[a], other[b] = other[b], one[a]


def delete_member(record: Any, dice: Dice) -> None:
    holder, name = dice.one_of(list(places(record)))
    del holder[name]


def add_member(record: Any, dice: Dice) -> None:
    holders = [holder[name] for holder, name in places(record) if isinstance(holder[name], dict)]
    dice.one_of(holders)[dice.one_of(["to", "body", "note", "draw"])] = dice.one_of(OTHER_VALUES)


def _array(record: Any, dice: Dice) -> list[Any]:
    arrays = [holder[name] for holder, name in places(record) if isinstance(holder[name], list) and holder[name]]
    array: list[Any] = record["log"] if dice.below(2) else dice.one_of(arrays)
    return array


def swap_rows(record: Any, dice: Dice) -> None:
    rows = _array(record, dice)
    i, j = dice.below(len(rows)), dice.below(len(rows))
    rows[i], rows[j] = rows[j], rows[i]


def delete_row(record: Any, dice: Dice) -> None:
    rows = _array(record, dice)
    del rows[dice.below(len(rows))]


def repeat_row(record: Any, dice: Dice) -> None:
    rows = _array(record, dice)
    rows.insert(dice.below(len(rows) + 1), dice.one_of(rows))


OF_BYTES = (change_byte, change_character, change_character, insert_byte, delete_bytes, swap_bytes)
OF_POOLS = (change_byte, insert_byte, delete_bytes, swap_bytes, swap_pool_records)
OF_VALUES = (change_value, change_value, exchange_values, delete_member, add_member, swap_rows, delete_row, repeat_row)


def edited(folder: Path, dice: Dice) -> tuple[str, Path, bytes]:
    """One edit: what it is called, which file of the folder it is of, and that file's bytes afterwards."""
    pools = sorted(folder.glob("*.pool"))
    what = dice.below(8)
    if pools and what == 0:
        edit: Callable[[bytes, Dice], bytes] = dice.one_of(OF_POOLS)
        file: Path = dice.one_of(pools)
        return f"pool: {edit.__name__}", file, edit(file.read_bytes(), dice)
    file = folder / "record.json"
    if what < 4:
        edit = dice.one_of(OF_BYTES)
        return f"bytes: {edit.__name__}", file, edit(file.read_bytes(), dice)
    record = json.loads(file.read_bytes())
    change: Callable[[Any, Dice], None] = dice.one_of(OF_VALUES)
    change(record, dice)
    return f"record: {change.__name__}", file, jcs(record)


def judged(folder: Path, key: str, dice: Dice) -> tuple[str, Report | None]:
    """Make one edit, verify, undo it. None: the edit left the bytes as they were."""
    name, file, data = edited(folder, dice)
    before = file.read_bytes()
    if data == before:
        return name, None
    file.write_bytes(data)
    try:
        return name, verify(folder, key)
    finally:
        file.write_bytes(before)


def noticed(report: Report) -> bool:
    """Whether the report refuses the record and names what is wrong."""
    if report.exit_code == 2:
        return report.verdict.startswith("NO RECORD")
    return report.exit_code == 1 and any(not check.ok and check.sentence for check in report.checks)


@cache
def _claims_record(copy: str) -> dict[str, bytes]:
    """The files of an eventful day's record."""
    with tempfile.TemporaryDirectory() as name:
        casino = eventful(Path(name))
        published(casino, copy, Path(name) / copy)
        casino.close()
        return {file.name: file.read_bytes() for file in (Path(name) / copy).iterdir()}


def copy_of(record: str, into: Path) -> tuple[Path, str]:
    """A copy to edit, and its property's key."""
    folder = into / record
    if record in CLAIMS:
        folder.mkdir()
        for name, data in _claims_record(CLAIMS[record]).items():
            (folder / name).write_bytes(data)
    else:
        shutil.copytree(EXAMPLES / record, folder)
    return folder, json.loads((folder / "slips.json").read_text())["public_key"]


def run(edits: int, seed: int, into: Path) -> tuple[Counter[str], list[str]]:
    """How many edits of each kind were noticed, and the name and number of each that was not."""
    copies = [copy_of(record, into) for record in (*RECORDS, *CLAIMS)]
    counts: Counter[str] = Counter()
    missed: list[str] = []
    i = 0
    while counts.total() < edits:
        i += 1
        folder, key = copies[i % len(copies)]
        name, report = judged(folder, key, Dice(f"{seed}/{i}"))
        if report is None:
            continue
        counts[name] += 1
        if not noticed(report):
            missed.append(f"edit {i} of {folder.name}: {name}: exit {report.exit_code}")
    return counts, missed


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Count the edits of a record that verify does not notice.")
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as into:
        counts, missed = run(arguments.edits, arguments.seed, Path(into))
    for name, count in sorted(counts.items()):
        print(f"{count:7}  {name}")
    print(f"{counts.total():7}  edits, {len(missed)} not noticed")
    for line in missed[:20]:
        print(line)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
