"""The page for strangers says what is: its Python runs as printed, its table has every line of the report."""

from __future__ import annotations

import re
from pathlib import Path

from draw_engine.verify import verify

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "tests" / "examples"
PAGE = (ROOT / "docs" / "verify-a-draw.md").read_text()


def test_the_page_s_python_runs_as_printed(monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 4
    exec("".join(blocks), {})


def test_the_page_explains_every_line_and_nothing_else():
    before_judging_again, _, _ = PAGE.partition("With `--journal`")
    explained = re.findall(r"^\| `([a-z-]+)` \|", before_judging_again, re.MULTILINE)
    printed = set()
    for example in ("session", "electronic-draw"):
        folder = EXAMPLES / example
        printed |= {check.name for check in verify(folder, "", [folder / "slips.json"]).checks}
    assert len(explained) == len(set(explained))
    assert set(explained) == printed


def test_the_page_s_verdicts_are_those_printed(tmp_path):
    (tmp_path / "record.json").write_text("{}")
    begins = dict(re.findall(r"^\| ([0-9]) \| `([A-Z ]+)` \|", PAGE, re.MULTILINE))
    key = "2Ptv1/sR1D0bNvfquVUpRUWKRJmbxt4tItQjWflx2AU="
    reports = [
        verify(tmp_path),
        verify(EXAMPLES / "session"),
        verify(EXAMPLES / "session", key),
        verify(EXAMPLES / "session", ""),
    ]
    assert {str(report.exit_code) for report in reports} == begins.keys()
    for report in reports:
        assert report.verdict.startswith(begins[str(report.exit_code)])
