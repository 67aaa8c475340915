"""The record: its members, its digest, and what each of its two copies shows and withholds."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from draw_engine.canonical import jcs, parse_time
from draw_engine.draw_state import DrawState
from draw_engine.log import Entry
from draw_engine.proofs import check
from draw_engine.records import AUDITOR, PUBLIC, published, record_digest, record_of
from draw_engine.selection import spread_moments

EXAMPLE = Path(__file__).parents[1] / "examples" / "session"


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    """The worked record that came with the page, as the auditor has it."""
    record: dict[str, Any] = json.loads((EXAMPLE / "record.json").read_bytes())
    return record


def entries_of(record: dict[str, Any]) -> list[Entry]:
    return [
        Entry(
            e["seq"], parse_time(e["at"]), e["kind"], e["draw"], e.get("actor", ""), e.get("data", {}),
            e.get("salt", ""), e["prev"], e.get("body", ""), e["hash"],
        )
        for e in record["log"]
    ]  # fmt: skip


def folded(record: dict[str, Any]) -> DrawState:
    """The state that folding the record's own entries gives."""
    terms = record["terms"]
    own = [entry for entry in entries_of(record) if entry.draw == terms["draw"]]
    start, end = parse_time(terms["moments"]["start"]), parse_time(terms["moments"]["end"])
    seed = bytes.fromhex(record["house_seed"])
    count = terms["moments"]["count"]
    state = DrawState(own[0], spread_moments(seed, draw=terms["draw"], start=start, end=end, count=count))
    for entry in own[1:]:
        state.apply(entry)
    return state


def test_the_worked_session_s_record_follows_from_its_log(example: dict[str, Any]) -> None:
    """Everything but the files, proofs, checkpoints and the log itself, to the byte."""
    seed = bytes.fromhex(example["house_seed"])
    made = record_of(folded(example), house_seed=seed, closed_at=parse_time(example["closed_at"]))
    bare = {name: value for name, value in example.items() if name not in {"checkpoints", "log"}}
    bare["pools"] = [{**pool, "file": None} for pool in bare["pools"]]
    bare["selections"] = [{**made_, "proof": None} for made_ in bare["selections"]]
    assert jcs(made) == jcs(bare)


def test_the_digest_is_the_one_the_worked_log_closed_with(example: dict[str, Any]) -> None:
    (closed,) = (e for e in example["log"] if e["kind"] == "draw.closed" and e["draw"] == example["terms"]["draw"])
    assert record_digest(example) == closed["data"]["record"]
    public = json.loads((EXAMPLE.parent / "session-public" / "record.json").read_bytes())
    assert record_digest(public) == closed["data"]["record"]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda r: r["terms"].update(title="Another"), id="terms"),
        pytest.param(lambda r: r.update(closed_at=r["opened_at"]), id="closed-at"),
        pytest.param(lambda r: r["pools"][0].update(size=r["pools"][0]["size"] + 1), id="pool"),
        pytest.param(lambda r: r["selections"][0].update(ref="0" * 32), id="selection"),
        pytest.param(lambda r: r["claims"][0].update(prize=1), id="claim"),
    ],
)
def test_the_digest_is_of_everything_that_both_copies_have(example: dict[str, Any], change: Any) -> None:
    changed = copy.deepcopy(example)
    change(changed)
    assert record_digest(changed) != record_digest(example)


def test_the_digest_leaves_out_what_the_copies_differ_in(example: dict[str, Any]) -> None:
    changed = copy.deepcopy(example)
    changed["checkpoints"], changed["log"] = [], []
    for pool in changed["pools"]:
        pool["file"] = None
    for made in changed["selections"]:
        made["proof"] = "FD1:x"
    assert record_digest(changed) == record_digest(example)
    bare = {name: value for name, value in changed.items() if name not in {"checkpoints", "log"}}
    bare["selections"] = [{**made, "proof": None} for made in bare["selections"]]
    text = json.dumps(bare, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert record_digest(example) == hashlib.sha256(text).hexdigest()


def copies(example: dict[str, Any], which: str) -> tuple[dict[str, Any], dict[str, bytes]]:
    seed = bytes.fromhex(example["house_seed"])
    bare = record_of(folded(example), house_seed=seed, closed_at=parse_time(example["closed_at"]))
    return published(
        bare,
        copy=which,
        entries=entries_of(example),
        checkpoints=example["checkpoints"],
        pool_of=lambda pool_id: (EXAMPLE / f"{pool_id}.pool").read_bytes(),
    )


def test_the_auditor_has_the_files_and_no_proofs(example: dict[str, Any]) -> None:
    record, files = copies(example, AUDITOR)
    assert (
        set(files) == {pool["file"] for pool in record["pools"]} == {f"{pool['id']}.pool" for pool in record["pools"]}
    )
    assert all(made["proof"] is None for made in record["selections"])
    assert record["pools"] == example["pools"]


def test_the_public_have_each_winner_s_proof_and_no_file(example: dict[str, Any]) -> None:
    record, files = copies(example, PUBLIC)
    assert files == {}
    assert all(pool["file"] is None for pool in record["pools"])
    pools = {pool["id"]: pool for pool in record["pools"]}
    for made in record["selections"]:
        pool = pools[made["pool"]]
        held = check(made["proof"], root=pool["root"], size=pool["size"], total=int(pool["total"]))
        first, weight = held[bytes.fromhex(made["ref"])]
        assert first <= int(made["ticket"]) < first + weight
    public = json.loads((EXAMPLE.parent / "session-public" / "record.json").read_bytes())
    assert [made["proof"] for made in record["selections"]] == [made["proof"] for made in public["selections"]]


def entry(seq: int, kind: str, draw: str | None) -> Entry:
    return Entry(seq, 0, kind, draw, "engine", {"n": seq}, "00" * 16, "0" * 64, "b" * 64, "c" * 64)


SHOWN = [
    pytest.param(entry(1, "selection.made", "own"), (True, True), id="own"),
    pytest.param(entry(2, "selection.made", "other"), (False, False), id="another-draw's"),
    pytest.param(entry(3, "list.loaded", None), (False, True), id="no-draw's"),
    pytest.param(entry(4, "checkpoint.made", None), (True, True), id="checkpoint"),
]


@pytest.mark.parametrize(("one", "shown"), SHOWN)
def test_what_stands_withheld(one: Entry, shown: tuple[bool, bool]) -> None:
    bare = {"terms": {"draw": "own"}, "pools": [], "selections": []}
    for which, is_shown in zip((PUBLIC, AUDITOR), shown, strict=True):
        record, _ = published(bare, copy=which, entries=[one], checkpoints=[], pool_of=lambda _: b"")
        (told,) = record["log"]
        assert told == (one.shown() if is_shown else one.withheld())
        assert ("data" in told) == is_shown
        assert ("body" in told) != is_shown
