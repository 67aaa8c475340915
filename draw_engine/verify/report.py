"""The report: one line per check, then notices, then the verdict (draw record 1, "Verifying")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

HOLDS, FAILS, NO_RECORD, KEY_NOT_COMPARED = 0, 1, 2, 3
_SHOWN_FAULTS = 5


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked. When it is not ok the sentence names what is wrong and where."""

    name: str
    ok: bool
    sentence: str

    @classmethod
    def of(cls, name: str, faults: Iterable[str], holds: str) -> Check:
        """The check that these faults, or none, make. `holds` is what is true when there are none."""
        found = list(islice(faults, _SHOWN_FAULTS + 1))
        if not found:
            return cls(name, ok=True, sentence=holds)
        more = "; and more" if len(found) > _SHOWN_FAULTS else ""
        return cls(name, ok=False, sentence="; ".join(found[:_SHOWN_FAULTS]) + more)


@dataclass(frozen=True, slots=True)
class Report:
    """All that `verify` has to say. `exit_code`: 0 holds, 1 fails, 2 no record, 3 holds but the key not compared."""

    checks: list[Check]
    notices: list[str] = field(default_factory=list)
    verdict: str = ""
    exit_code: int = FAILS

    def lines(self) -> Iterator[str]:
        """The report as it is printed."""
        width = max((len(check.name) for check in self.checks), default=0)
        for check in self.checks:
            yield printable(f"{'ok  ' if check.ok else 'FAIL'}  {check.name:<{width}}  {check.sentence}")
        yield from (printable(f"note  {notice}") for notice in self.notices)
        yield printable(self.verdict)


def verdict(checks: list[Check], *, key_compared: bool, rehearsal: bool) -> tuple[str, int]:
    """The last line and the exit code that these checks make."""
    failing = [check.name for check in checks if not check.ok]
    if failing:
        count = "1 check fails" if len(failing) == 1 else f"{len(failing)} checks fail"
        return f"NOT VERIFIED: {count}: {', '.join(failing)}.", FAILS
    if key_compared:
        return "VERIFIED: everything holds, and the property's key is the one given.", HOLDS
    if rehearsal:
        return "VERIFIED: everything holds. A rehearsal needs no key.", HOLDS
    return "EVERYTHING HOLDS, but the property's key was not compared: give it with --key.", KEY_NOT_COMPARED


def printable(text: str) -> str:
    """The text on one line, with nothing in it that could steer a terminal or fail to be encoded."""
    return "".join(c if c.isprintable() and not "\ud800" <= c <= "\udfff" else "?" for c in text)
