"""What a look at the installation found: one line for each thing, with a stable code and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

OK, WARN, BAD = "ok", "warn", "bad"
_EXIT = {OK: 0, WARN: 1, BAD: 2}


@dataclass(frozen=True, slots=True)
class Finding:
    """`check`: what was looked at; `level`: ok, warn or bad; `code`: stable, "" when all is well. No secret in it."""

    check: str
    level: str
    sentence: str
    code: str = ""
    todo: str = ""


def fine(check: str, sentence: str) -> Finding:
    """All is well."""
    return Finding(check, OK, sentence)


def warn(check: str, code: str, sentence: str, todo: str) -> Finding:
    """The day can go on; somebody should see to it."""
    return Finding(check, WARN, sentence, code, todo)


def bad(check: str, code: str, sentence: str, todo: str) -> Finding:
    """A session would not open, would stop, or could not be proven."""
    return Finding(check, BAD, sentence, code, todo)


def exit_code(findings: Sequence[Finding]) -> int:
    """0 all well, 1 something to see to, 2 something bad: as monitoring programs read it."""
    return max((_EXIT[finding.level] for finding in findings), default=0)


def as_json(findings: Sequence[Finding]) -> dict[str, Any]:
    """{ok, checks}: `ok` is false when anything is bad."""
    return {"ok": exit_code(findings) < _EXIT[BAD], "checks": [asdict(finding) for finding in findings]}


def as_lines(findings: Sequence[Finding]) -> list[str]:
    """For people: level, what, sentence; below it what to do and the code."""
    lines = []
    for finding in findings:
        lines.append(f"{finding.level.upper():<5}{finding.check:<14}{finding.sentence}")
        if finding.level != OK:
            lines.append(f"{'':<19}{finding.todo} ({finding.code})")
    return lines
