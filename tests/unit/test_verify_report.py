"""The report's lines, the command's arguments and its exit codes."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest

from draw_engine.verify import Check, Report, verify
from draw_engine.verify.__main__ import MISUSED, main
from draw_engine.verify.report import printable, verdict

EXAMPLES = Path(__file__).parent.parent / "examples"
KEY = "2Ptv1/sR1D0bNvfquVUpRUWKRJmbxt4tItQjWflx2AU="


def run(*argv):
    out = io.StringIO()
    code = main([str(argument) for argument in argv], out)
    return code, out.getvalue().splitlines()


def test_one_line_a_check_then_notices_then_the_verdict():
    code, lines = run(EXAMPLES / "session", "--key", KEY, "--slip", EXAMPLES / "session" / "slips.json")
    kinds = [line.split()[0] for line in lines]
    assert code == 0
    assert kinds == sorted(kinds, key=["ok", "note", "VERIFIED:"].index)
    assert kinds.count("ok") == 22
    assert kinds[-1] == "VERIFIED:"


def test_without_a_key():
    code, lines = run(EXAMPLES / "electronic-draw-public")
    assert code == 3
    assert lines[-1] == "EVERYTHING HOLDS, but the property's key was not compared: give it with --key."


def test_several_slip_files():
    folder = EXAMPLES / "session"
    code, lines = run(folder, "--slip", folder / "slips.json", "--slip", folder / "slips.json")
    assert code == 3
    assert any(line.startswith("ok    slips") and line.endswith(": 4") for line in lines)


def test_a_failing_check_is_named_in_its_line_and_in_the_verdict(tmp_path):
    shutil.copy(EXAMPLES / "electronic-draw" / "record.json", tmp_path)
    code, lines = run(tmp_path, "--key", KEY)
    assert code == 1
    assert lines[-1] == "NOT VERIFIED: 1 check fails: pools."
    assert any(line.startswith("FAIL  pools") and "p0.pool" in line for line in lines)


@pytest.mark.parametrize("missing", ["record.json", "nowhere"])
def test_a_missing_record_is_named(tmp_path, missing):
    code, lines = run(tmp_path if missing == "record.json" else tmp_path / missing)
    assert code == 1
    assert missing in lines[0]


def test_something_else_than_a_record(tmp_path):
    (tmp_path / "record.json").write_text("{}")
    code, lines = run(tmp_path)
    assert code == 2
    assert lines == ["NO RECORD: record.json is no object with v = 1."]


@pytest.mark.parametrize("argv", [[], ["a", "b"], ["--nonsense", "a"]])
def test_arguments_without_sense_are_no_verdict(argv, capsys):
    assert run(*argv)[0] == MISUSED
    assert "usage" in capsys.readouterr().err


def test_help(capsys):
    assert run("--help")[0] == 0
    assert "--slip FILE" in capsys.readouterr().out


def test_an_out_that_knows_no_such_letter(tmp_path):
    folder = tmp_path / "É"
    folder.mkdir()
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    assert main([str(folder)], out) == 1
    out.flush()
    assert b"/?/record.json" in raw.getvalue()


def test_nothing_steers_the_terminal():
    report = Report([Check("a", ok=False, sentence="x\x1b[2J\ny\ud800")], ["n\r"], "v\u202e")
    assert list(report.lines()) == ["FAIL  a  x?[2J?y?", "note  n?", "v?"]
    assert printable("É") == "É"


def test_many_faults_make_one_line():
    check = Check.of("name", (f"fault {i}" for i in range(9)), "holds")
    assert check.sentence == "fault 0; fault 1; fault 2; fault 3; fault 4; and more"
    assert Check.of("name", [], "holds") == Check("name", ok=True, sentence="holds")


@pytest.mark.parametrize(
    ("ok", "key", "rehearsal", "code"),
    [
        (True, True, False, 0),
        (True, False, False, 3),
        (True, False, True, 0),
        (False, True, False, 1),
        (False, False, True, 1),
    ],
)
def test_the_exit_codes_of_the_page(ok, key, rehearsal, code):
    assert verdict([Check("a", ok=ok, sentence="")], key_compared=key, rehearsal=rehearsal)[1] == code


def test_the_journal_is_judged_only_when_asked_for():
    report = verify(EXAMPLES / "session", KEY, journal=True)
    assert report.exit_code == 1  # the example has no folder judging/
    assert report.checks[-1].name == "judging"
    assert verify(EXAMPLES / "session", KEY).exit_code == 0
