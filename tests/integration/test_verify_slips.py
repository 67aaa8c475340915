"""Slips and the key: one forged fault each."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from verify_forger import PUBLIC_KEY, Forger, a_won_session, assert_fails, assert_holds
from verify_forger_arithmetic import time

OTHER_KEY = Ed25519PrivateKey.from_private_bytes(sha256(b"another key").digest())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("record")


# Slips and the key


def slip_file(folder, *slips, name="slips.txt"):
    file = folder / name
    file.write_text("\n".join(slips))
    return file


def test_slips_in_any_of_their_forms(folder):
    draw = a_won_session()
    record = draw.write(folder)
    first, last = (draw.slip(checkpoint) for checkpoint in record["checkpoints"])
    files = [
        slip_file(folder, first, last),
        slip_file(folder, last.strip(), name="one.txt"),
        slip_file(folder, first.replace("\n", " \r\n"), name="typed.txt"),
        slip_file(folder, json.dumps({"public_key": PUBLIC_KEY, "slips": [first, last]}), name="slips.json"),
    ]
    draw.entries.pop()
    report = assert_holds(draw, folder, slips=files)
    assert next(c.sentence for c in report.checks if c.name == "slips").endswith(": 6")
    assert not any("slip" in notice for notice in report.notices)


@pytest.mark.parametrize(("name", "line"), [("hash", 3), ("at", 4)])
def test_a_slip_that_was_printed_of_another_log(folder, name, line):
    draw = a_won_session()
    record = draw.write(folder)
    old = record["checkpoints"][1]
    other = {"hash": "0" * 64, "at": time(1)}
    bent = draw.sign(
        old["seq"], other["hash"] if name == "hash" else old["hash"], other["at"] if name == "at" else old["at"]
    )
    draw.entries.pop()
    file = slip_file(folder, draw.slip(bent))
    assert file.read_text().split("\n")[line] == other[name]
    assert_fails(draw, folder, "slips", f"slips.txt, slip 1: its {name} is not that of", slips=[file])


def test_a_slip_signed_with_another_key(folder):
    draw = a_won_session()
    old = draw.write(folder)["checkpoints"][1]
    draw.entries.pop()
    file = slip_file(folder, draw.slip(draw.sign(old["seq"], old["hash"], old["at"], key=OTHER_KEY)))
    assert_fails(draw, folder, "slips", "its public_key is not that of the record's checkpoint", slips=[file])


def test_a_slip_with_a_broken_signature(folder):
    draw = a_won_session()
    slip = draw.slip(draw.sign(16, "0" * 64, time(0)))
    file = slip_file(folder, slip.replace("0" * 64, "1" * 64))
    assert_fails(draw, folder, "slips", "its signature does not hold", slips=[file])


def test_a_slip_of_which_the_record_has_no_checkpoint(folder):
    draw = a_won_session()
    file = slip_file(folder, draw.slip(draw.sign(7, "0" * 64, time(0))))
    assert_fails(draw, folder, "slips", "the record has no checkpoint of entry 7", slips=[file])


@pytest.mark.parametrize(("seq", "side"), [(3, "before this draw opened"), (99, "after this draw closed")])
def test_a_slip_from_outside_the_record_cannot_be_compared(folder, seq, side):
    draw = a_won_session()
    draw.first_seq = 5
    file = slip_file(folder, draw.slip(draw.sign(seq, "0" * 64, time(0))))
    report = assert_holds(draw, folder, slips=[file])
    assert any(side in notice for notice in report.notices)
    assert any("no slip was compared" in notice for notice in report.notices)


def test_slips_of_another_property_and_of_a_rehearsal(folder):
    draw = a_won_session()
    elsewhere = draw.slip(draw.sign(99, "0" * 64, time(0), property="elsewhere"))
    rehearsed = Forger(rehearsal=True)
    files = [
        slip_file(folder, elsewhere),
        slip_file(folder, rehearsed.slip(rehearsed.sign(1, "0" * 64, time(0))), name="r"),
    ]
    assert_fails(draw, folder, "slips", "it is a slip of elsewhere, the record is of forged", slips=files[:1])
    draw.entries.pop()
    assert_fails(draw, folder, "slips", "it is a slip of a rehearsal, the record is not", slips=files[1:])


@pytest.mark.parametrize(
    ("held", "says"),
    [
        ("", "holds no slip"),
        ("six\nlines\n", "slip 1: a slip is seven lines"),
        ('{"slips": 3}', "neither slips of seven lines nor a JSON list"),
        ("{", "neither slips of seven lines nor a JSON list"),
        ("[" * 100_000, "neither slips of seven lines nor a JSON list"),
    ],
)
def test_a_file_that_holds_no_slips(folder, held, says):
    assert_fails(a_won_session(), folder, "slips", says, slips=[slip_file(folder, held)])


def test_a_slip_file_that_is_missing_or_no_text(folder):
    draw = a_won_session()
    assert_fails(draw, folder, "slips", "gone.txt: the file is missing", slips=[folder / "gone.txt"])
    (folder / "slips.bin").write_bytes(b"\xff\xfe")
    draw.entries.pop()
    assert_fails(draw, folder, "slips", "slips.bin is neither", slips=[folder / "slips.bin"])


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("A" * 43 + "=", "not with the key given"),
        ("AAAA", "is not 32 bytes"),
        (PUBLIC_KEY + "=", "is not 32 bytes"),
        ("é", "is not"),
    ],
)
def test_a_key_that_is_not_the_record_s(folder, key, says):
    assert_fails(a_won_session(), folder, "key", says, key=key)


def test_a_rehearsal_given_another_key(folder):
    assert_fails(a_won_session(rehearsal=True), folder, "key", "not with the key given", key="A" * 43 + "=")
