"""The four worked records verify as they are, with the verifier's own Ed25519."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from draw_engine.verify import Report, verify

EXAMPLES = Path(__file__).parent.parent / "examples"
NAMES = ("session", "session-public", "electronic-draw", "electronic-draw-public")


def key_of(folder: Path) -> str:
    key: str = json.loads((folder / "slips.json").read_text())["public_key"]
    return key


def the(report: Report, check: str) -> str:
    return next(c.sentence for c in report.checks if c.name == check)


@pytest.mark.parametrize("name", NAMES)
def test_verifies_with_its_key_and_slips(name):
    folder = EXAMPLES / name
    report = verify(folder, key_of(folder), [folder / "slips.json"])
    assert [c for c in report.checks if not c.ok] == []
    assert report.exit_code == 0
    assert report.verdict.startswith("VERIFIED")
    assert not any("slip" in notice or "key" in notice for notice in report.notices)


@pytest.mark.parametrize("name", NAMES)
def test_without_the_key_everything_holds_but_is_not_called_verified(name):
    report = verify(EXAMPLES / name / "record.json")
    assert all(c.ok for c in report.checks)
    assert report.exit_code == 3
    assert "VERIFIED" not in report.verdict
    assert any("no slip was compared" in notice for notice in report.notices)
    assert any("key was not compared" in notice for notice in report.notices)


def test_with_another_key_it_is_refused():
    report = verify(EXAMPLES / "session", "A" * 43 + "=")
    assert report.exit_code == 1
    assert [c.name for c in report.checks if not c.ok] == ["key"]


def test_the_session_s_checks_count_what_they_covered():
    report = verify(EXAMPLES / "session", slips=[EXAMPLES / "session" / "slips.json"])
    assert "2 to 58" in the(report, "chain")
    assert "signed: 2" in the(report, "checkpoints")
    assert "as logged: 8; pool files read: 8" in the(report, "pools")
    assert the(report, "tickets").endswith(": 8")
    assert "moments recomputed: 6" in the(report, "moments")
    assert "failures: 2" in the(report, "re-selections")
    assert the(report, "slips").endswith(": 2")


def test_the_session_s_notices():
    notices = "\n".join(verify(EXAMPLES / "session").notices)
    assert "1 reviewed: 1 present" in notices
    assert "1 ended because the card was not the holder's own" in notices
    assert "1 postponed: 1 paused" in notices
    assert "withheld" not in notices
    assert "rehearsal" not in notices


def test_the_public_copy_says_what_could_not_be_checked():
    notices = "\n".join(verify(EXAMPLES / "session-public").notices)
    assert "pool files withheld: 8" in notices
    assert "stayed out of later pools was not checked" in notices


def test_the_electronic_draw_s_notices():
    notices = "\n".join(verify(EXAMPLES / "electronic-draw-public").notices)
    assert "2 drew a reference again (duplicate)" in notices
    assert "pool files withheld: 1 (p0)" in notices
    assert "later pools" not in notices


def test_one_digest_serves_both_copies():
    for name in ("session", "electronic-draw"):
        auditor, public = (json.loads((EXAMPLES / n / "record.json").read_text()) for n in (name, f"{name}-public"))
        assert auditor["log"] == public["log"]
        assert verify(EXAMPLES / f"{name}-public").exit_code == 3
