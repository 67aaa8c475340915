"""Whatever is edited, `verify` notices and names it; whatever JSON it is given, it answers."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from draw_engine.canonical import jcs
from draw_engine.verify import verify
from draw_engine.verify.bundle import bundle
from draw_engine.verify.shape import faults_of_shape

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "tests" / "examples"
SLOW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def edits():
    return load(ROOT / "benchmarks" / "edit_record.py")


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_every_edit_is_noticed_and_named(edits, tmp_path, seed):
    counts, missed = edits.run(150, seed, tmp_path)
    assert missed == []
    assert counts.total() == 150


def test_the_copies_are_whole_before_and_after(edits, tmp_path):
    folder, key = edits.copy_of("session", tmp_path)
    assert verify(folder, key).exit_code == 0
    assert edits.judged(folder, key, edits.Dice("a"))[1].exit_code != 0
    assert verify(folder, key).exit_code == 0
    assert not edits.noticed(verify(folder, key))


@pytest.mark.parametrize("example", ["session", "electronic-draw"])
def test_every_pool_byte_matters(edits, tmp_path, example):
    folder, key = edits.copy_of(example, tmp_path)
    for file in sorted(folder.glob("*.pool"))[:2]:
        data = file.read_bytes()
        for i in range(0, len(data), 5 if len(data) < 300 else 97):
            file.write_bytes(data[:i] + bytes([data[i] ^ 0x01]) + data[i + 1 :])
            report = verify(folder, key)
            assert any(file.name in c.sentence for c in report.checks if not c.ok), i
        file.write_bytes(data)


def test_every_entry_swapped_dropped_or_repeated_is_found(edits, tmp_path):
    folder, key = edits.copy_of("electronic-draw", tmp_path)
    file = folder / "record.json"
    whole = json.loads(file.read_bytes())
    log = whole["log"]
    for i in range(len(log)):
        for changed in (
            log[:i] + log[i + 1 :],
            log[: i + 1] + log[i:],
            log[: i - 1] + log[i : i + 1] + log[i - 1 : i] + log[i + 1 :],
        ):
            if changed != log:
                file.write_bytes(jcs(whole | {"log": changed}))
                assert edits.noticed(verify(folder, key)), i


def form_of(value):
    """Values of one form may stand for each other without breaking the shape."""
    if isinstance(value, str):
        return ("text", len(value), value[:4].isdigit(), "." in value, ":" in value)
    return type(value)


@pytest.mark.parametrize("example", ["session", "session-public", "electronic-draw"])
def test_records_shaken_within_their_shape_get_an_answer(edits, tmp_path, example):
    folder, key = edits.copy_of(example, tmp_path)
    file = folder / "record.json"
    whole = file.read_bytes()
    kept_shape = 0
    for round_ in range(120):
        record, dice = json.loads(whole), edits.Dice(f"shake {round_}")
        places = [(holder, name) for holder, name in edits.places(record) if not isinstance(holder[name], dict | list)]
        for _ in range(1 + dice.below(30)):
            one, a = dice.one_of(places)
            alike = [(other, b) for other, b in places if form_of(other[b]) == form_of(one[a])]
            other, b = dice.one_of(alike)
            one[a], other[b] = other[b], one[a]
        for _ in range(dice.below(4)):
            rows = record[dice.one_of(["log", "log", "selections", "claims", "pools", "checkpoints"])]
            rows.insert(dice.below(len(rows)), rows.pop(dice.below(len(rows))))
        kept_shape += not list(faults_of_shape(record))
        if jcs(record) == whole:
            continue
        file.write_bytes(jcs(record))
        assert edits.noticed(verify(folder, key)), round_
    assert kept_shape > 10  # many get past the shape, to the checks that read what it has let pass


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)


@SLOW
@given(JSON)
def test_any_json_gets_an_answer(tmp_path, value):
    (tmp_path / "record.json").write_text(json.dumps(value))
    assert verify(tmp_path, "key", journal=False).exit_code in (1, 2)


@SLOW
@given(st.binary(max_size=200))
def test_any_bytes_get_an_answer(tmp_path, data):
    (tmp_path / "record.json").write_bytes(data)
    (tmp_path / "slip.txt").write_bytes(data)
    assert verify(tmp_path).exit_code == 2
    assert verify(EXAMPLES / "session-public", slips=[tmp_path / "slip.txt"]).exit_code == 1


@SLOW
@given(JSON, st.integers(min_value=0))
def test_any_json_anywhere_in_a_record_gets_an_answer(edits, tmp_path, value, where):
    record = json.loads((EXAMPLES / "session" / "record.json").read_bytes())
    places = list(edits.places(record))
    holder, name = places[where % len(places)]
    was, holder[name] = holder[name], value
    if json.dumps(was) == json.dumps(value):
        return
    (tmp_path / "record.json").write_text(json.dumps(record))
    assert verify(tmp_path).exit_code in (1, 2)


# The bundle


def test_the_bundle_is_the_same_each_time():
    assert bundle() == bundle()


def test_the_bundle_runs_alone_with_a_bare_python(tmp_path):
    made = tmp_path / "verify.pyz"
    built = subprocess.run(
        [sys.executable, "-m", "draw_engine.verify.bundle", str(made)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert made.read_bytes() == bundle()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for example in ("session", "electronic-draw-public"):
        folder = EXAMPLES / example
        key = json.loads((folder / "slips.json").read_text())["public_key"]
        ran = subprocess.run(
            [sys.executable, "-I", "-S", str(made), str(folder), "--key", key, "--slip", str(folder / "slips.json")],
            cwd=elsewhere, env={}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert ran.stdout.splitlines()[-1].startswith("VERIFIED")


def test_the_bundle_s_writer_wants_one_name():
    ran = subprocess.run(
        [sys.executable, "-m", "draw_engine.verify.bundle"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 64
    assert "usage" in ran.stdout
