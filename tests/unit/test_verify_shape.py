"""Shape, to the byte: every member's form, and what is refused before anything else is looked at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from draw_engine.verify import verify
from draw_engine.verify.entry_data import DATA, data_faults
from draw_engine.verify.shape import faults_of_shape

EXAMPLES = Path(__file__).parent.parent / "examples"
NAMES = ("session", "session-public", "electronic-draw", "electronic-draw-public")


def read(name="session"):
    return json.loads((EXAMPLES / name / "record.json").read_bytes())


def objects(value, path=()):
    """Every object of a record with its path."""
    if isinstance(value, dict):
        yield path, value
    for name, inner in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from objects(inner, (*path, name))


def one_of_each(record):
    """One object of every place and kind."""
    seen = set()
    for path, value in objects(record):
        kind = record["log"][path[1]]["kind"] if path[:1] == ("log",) and len(path) > 1 else None
        place = (kind, "body" in value, *(step for step in path if isinstance(step, str)))
        if fixed(path) and place not in seen:
            seen.add(place)
            yield path, value


def fixed(path):
    """Whether shape fixes this object's members: not the reason codes, nor the opening's data (compared with terms)."""
    return "left_out" not in path and path[:3] != ("log", 0, "data")


@pytest.mark.parametrize("name", NAMES)
def test_no_fault_in_the_examples(name):
    assert list(faults_of_shape(read(name))) == []


@pytest.mark.parametrize("name", ["session", "electronic-draw-public"])
def test_every_object_has_exactly_its_members(name):
    record = read(name)
    for path, value in list(one_of_each(record)):
        value["surplus"] = 1
        assert list(faults_of_shape(record)), path
        del value["surplus"]
        for member in list(value):
            kept = value.pop(member)
            assert list(faults_of_shape(record)), (path, member)
            value[member] = kept
    assert list(faults_of_shape(record)) == []


def with_terms(kind="session", **changes):
    return read("session" if kind == "session" else "electronic-draw")["terms"] | changes


def failing(report):
    return {check.name: check.sentence for check in report.checks if not check.ok}


@pytest.mark.parametrize(
    ("kind", "changes", "says"),
    [
        ("session", {"pool": "keep"}, "terms.pool is keep, which a session has not"),
        ("electronic", {"pool": "refreeze"}, "terms.pool is refreeze, which an electronic draw has not"),
        ("session", {"lateness_ms": None}, "terms.lateness_ms must be set in a session"),
        ("session", {"moments": None}, "terms.moments must be set in a session"),
        ("electronic", {"retry_ms": 1}, "terms.retry_ms must be null in an electronic draw"),
        ("session", {"places": []}, "terms.places is empty"),
        ("session", {"places": [1, 1]}, "names a place twice"),
        ("session", {"places": [1, 2, 3]}, "has 6 parts for 3 places"),
        ("session", {"carried": [{"place": 2, "from": "a"}]}, "carried places come first"),
        (
            "session",
            {"carried": [{"place": 1, "from": "silverstar/playtime/2023-10-07/bonus-jackpot-1"}]},
            "names the draw itself",
        ),
        ("electronic", {"carried": [{"place": 1, "from": "a"}]}, "only a session takes what is carried"),
        ("session", {"entropy": [{"source": "a", "pattern": "[0-9]{20}", "after": "frozen"}]}, "it must be opened"),
        (
            "session",
            {"entropy": [{"source": "a", "pattern": "[0-9]{20}", "after": "opened"}] * 2},
            "names a source twice",
        ),
        ("session", {"entropy": [{"source": "a", "pattern": "[0-9]{19}", "after": "opened"}]}, "is neither [0-9]{N}"),
        ("session", {"entropy": [{"source": "a", "pattern": "[0-9]{61}", "after": "opened"}]}, "is neither [0-9]{N}"),
        ("session", {"entropy": [{"source": "a", "pattern": ".*", "after": "opened"}]}, "is neither [0-9]{N}"),
    ],
)
def test_terms_that_contradict_themselves(kind, changes, says):
    record = read("session" if kind == "session" else "electronic-draw")
    record["terms"] = with_terms(kind, **changes)
    assert any(says in fault for fault in faults_of_shape(record)), list(faults_of_shape(record))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"end": "2024-03-02T12:00:00.000Z"}, "ends before it starts"),
        ({"how": "fixed", "at": ["2024-03-02T12:10:00.000Z"]}, "fixes 1 moments for 2 places"),
        ({"how": "fixed", "at": ["2024-03-02T12:10:00.000Z"] * 2}, "must ascend"),
        ({"how": "fixed", "at": ["2024-03-02T12:09:59.999Z", "2024-03-02T12:11:00.000Z"]}, "from start on"),
        ({"how": "fixed", "at": ["2024-03-02T12:10:00.000Z", "2024-03-02T12:20:00.000Z"]}, "before end"),
        ({"how": "drawn"}, "none of spread, fixed"),
        ({"start": "2024-03-02T12:10:00Z"}, "is not a time"),
        ({"start": "2024-02-30T12:10:00.000Z"}, "is not a time"),
    ],
)
def test_moments_that_contradict_themselves(changes, says):
    moments = {"how": "spread", "start": "2024-03-02T12:10:00.000Z", "end": "2024-03-02T12:20:00.000Z", "count": 2}
    moments |= changes
    if moments["how"] == "fixed":
        del moments["count"]
    record = read()
    record["terms"] = with_terms(moments=moments, places=[1, 2])
    assert any(says in fault for fault in faults_of_shape(record)), list(faults_of_shape(record))


TURN = {"place": 1, "moment": 0, "after": None}
MADE = TURN | {"ordinal": 0, "pool": "p0", "public_count": 0, "ticket": "0", "ref": "0" * 32, "position": "S-1"}
FROZEN = {"id": "p0", "size": 1, "total": "1", "root": "0" * 64, "left_out": {}, "basis": None}
JOURNAL = {"segment": "s", "length": 0, "sha256": "0" * 64}


@pytest.mark.parametrize(
    ("kind", "entry", "data", "says"),
    [
        ("session", "selection.made", MADE | {"position": None}, "the position must be set"),
        ("session", "selection.made", MADE | {"after": 0}, "exactly one of moment and after"),
        ("session", "selection.made", MADE | {"moment": None}, "exactly one of moment and after"),
        ("session", "selection.made", MADE | {"ticket": "01"}, "is not a decimal string"),
        ("session", "selection.made", MADE | {"ticket": str(2**63)}, "is not a decimal string"),
        ("electronic", "selection.made", MADE | {"position": None}, "has no moments"),
        ("electronic", "selection.made", MADE | {"moment": None}, "the position must be null"),
        ("electronic", "selection.postponed", TURN | {"moment": None, "reason": "paused"}, "postpones nothing"),
        ("session", "selection.postponed", TURN | {"reason": "lunch"}, "none of stale_feed"),
        ("session", "selection.lapsed", TURN | {"reason": "carried"}, "lacks to"),
        ("session", "selection.lapsed", TURN | {"reason": "session_end", "to": "a"}, "has to, which"),
        (
            "session",
            "selection.lapsed",
            TURN | {"after": 1, "reason": "session_end"},
            "exactly one of moment and after",
        ),
        ("session", "pool.frozen", FROZEN | {"journal": None}, "names the floor journal"),
        ("electronic", "pool.frozen", FROZEN | {"journal": JOURNAL}, "has no journal"),
        ("electronic", "pool.frozen", FROZEN | {"journal": None, "basis": "p1"}, "has no basis"),
        ("session", "pool.frozen", FROZEN | {"journal": JOURNAL, "left_out": {"lower": 1}}, "is no reason code"),
        ("session", "pool.frozen", FROZEN | {"journal": JOURNAL, "size": 0}, "is not a whole number from 1"),
        ("session", "pool.frozen", FROZEN | {"journal": JOURNAL, "total": "0"}, "is not a decimal string from 1"),
        (
            "session",
            "claim.reviewed",
            {"claim": "c", "ordinal": 0, "decision": "maybe", "by": ["a:1", "b:1"]},
            "none of present",
        ),
    ],
)
def test_data_that_its_kind_does_not_have(kind, entry, data, says):
    found = list(data_faults(entry, data, "entry", with_terms(kind)))
    assert any(says in fault for fault in found), found


def test_a_rehearsal_s_pool_has_no_journal():
    terms = with_terms(rehearsal=True)
    assert list(data_faults("pool.frozen", FROZEN | {"journal": None}, "entry", terms)) == []
    assert list(data_faults("pool.frozen", FROZEN | {"journal": JOURNAL}, "entry", terms)) != []


def test_every_kind_of_the_page_has_its_data():
    page = """draw.opened entropy.given pool.judged pool.frozen selection.made selection.postponed selection.lapsed
        selection.duplicate claim.opened claim.found claim.announced claim.presented claim.review claim.reviewed
        claim.confirmed claim.held claim.expired claim.not_rightful_card claim.ineligible claim.refused claim.voided
        draw.certified draw.closed checkpoint.made"""
    assert DATA.keys() == set(page.split())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda r: r["pools"][0].update(id="p1"), "the id p1 stands twice"),
        (lambda r: r["pools"][0].update(file="p1.pool"), "the file of p0 is named p1.pool"),
        (lambda r: r["pools"][0].update(file="../p0.pool"), "is not a pool file's name"),
        (lambda r: r["pools"][0].update(file=None), "its proof must be set"),
        (lambda r: r["selections"][0].update(proof="FD1:"), "its proof must be null"),
        (lambda r: r["selections"][0].update(pool="p9"), "the pool p9 is not among the pools"),
        (lambda r: r["log"][0].update(draw=None), "(draw.opened): its draw must be named"),
        (lambda r: r["log"][1].update(draw="a"), "(checkpoint.made): its draw must be null"),
        (lambda r: r["log"].clear(), "is not an array of entries"),
        (lambda r: r["log"][5]["data"].update(Upper=1), "has the member name 'Upper'"),
    ],
)
def test_parts_that_contradict_each_other(change, says):
    record = read()
    change(record)
    assert any(says in fault for fault in faults_of_shape(record)), list(faults_of_shape(record))


# Bytes


@pytest.mark.parametrize(
    ("spoil", "check", "says"),
    [
        (lambda data: data + b"\n", "bytes", "differs at byte 22048"),
        (lambda data: b" " + data, "bytes", "differs at byte 0"),
        (lambda data: data.replace(b'"v":1', b'"v": 1'), "bytes", "is not canonical JSON"),
        (lambda data: data.replace(b'"v":1', b'"v":1.0'), "bytes", "not a plain whole number"),
        (lambda data: data.replace(b'"v":1', b'"v":1e0'), "bytes", "not a plain whole number"),
        (lambda data: data.replace(b'"ordinal":0', b'"ordinal":-0'), "bytes", "whole number"),
        (lambda data: data.replace(b'"ordinal":0', b'"ordinal":9007199254740992'), "bytes", "whole number"),
        (lambda data: data.replace(b'"ordinal":0', b'"ordinal":' + b"9" * 5000), "bytes", "whole number"),
        (lambda data: data.replace(b'"v":1', b'"v":1,"v":1'), "bytes", "the same member twice"),
        (lambda data: data.replace(b"Play Time", b"Pl\\u0061y Time"), "bytes", "is not canonical JSON"),
        (lambda data: data.replace(b"Play Time", b"\\ud800"), "bytes", "lone surrogate"),
        (lambda data: data.replace(b'"v":1', b'"v":1,"w":' + b"[" * 500 + b"]" * 500), "shape", "has w"),
        (lambda data: data.replace(b'"v":1', b'"v":1,"w":' + b"[" * 900 + b"]" * 900), None, None),
    ],
)
def test_bytes_that_are_not_canonical(tmp_path, spoil, check, says):
    data = (EXAMPLES / "electronic-draw-public" / "record.json").read_bytes()
    (tmp_path / "record.json").write_bytes(spoil((EXAMPLES / "electronic-draw" / "record.json").read_bytes()))
    (tmp_path / "p0.pool").write_bytes((EXAMPLES / "electronic-draw" / "p0.pool").read_bytes())
    report = verify(tmp_path)
    assert spoil(data) != data
    assert report.exit_code in ((1,) if check else (1, 2))
    if check:
        assert says in failing(report)[check]


def test_other_checks_are_made_on_what_white_space_surrounds(tmp_path):
    data = (EXAMPLES / "session-public" / "record.json").read_bytes()
    (tmp_path / "record.json").write_bytes(data + b"\n")
    report = verify(tmp_path)
    assert failing(report).keys() == {"bytes"}
    assert len(report.checks) > 15


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b"null",
        b"1",
        b"[]",
        b"{}",
        b'{"v":1}',
        b'{"v":2}',
        b'{"v":true}',
        b'{"v":NaN}',
        b'{"v":1,"public":[],"pools":[],"selections":[],"claims":[],"checkpoints":[]}',
        b'{"v":1,"public":[],"pools":[],"selections":[],"claims":[],"checkpoints":[],"log":{}}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_record(tmp_path, data):
    (tmp_path / "record.json").write_bytes(data)
    report = verify(tmp_path / "record.json")
    assert report.exit_code == 2
    assert report.verdict.startswith("NO RECORD: record.json ")


def test_an_empty_record_with_its_arrays_is_one_that_fails(tmp_path):
    arrays = {name: [] for name in ("public", "pools", "selections", "claims", "checkpoints", "log")}
    (tmp_path / "record.json").write_text(json.dumps({"v": 1} | arrays))
    assert verify(tmp_path).exit_code == 1
