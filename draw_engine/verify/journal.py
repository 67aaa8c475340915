"""`verify --journal`: every pool judged again from the folder `judging/` (draw record 1, "Recomputing the pools")."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from draw_engine.verify.judging_claims import Claims, faults_of_before, needs_before, read_before
from draw_engine.verify.judging_files import (
    PackBroken,
    faults_of_terms,
    read_references,
    read_rules,
    read_site,
)
from draw_engine.verify.judging_lists import ListHistory
from draw_engine.verify.judging_pools import Judge
from draw_engine.verify.judging_walk import Walk
from draw_engine.verify.record import Record
from draw_engine.verify.report import Check

_FOLDER = "judging"
_NOT_CHECKED = (
    "who had failed for a carried award or won in another draw was not checked: judging/before.csv is missing"
)


class Judged(NamedTuple):
    """The checks that judging again makes, and what holds but should be known."""

    checks: list[Check]
    notices: list[str]


def judge_again(folder: Path, raw: dict[str, Any]) -> Judged:
    """Every pool of the record `raw` (its shape holds) in `folder`, judged again.

    Never raises for anything that the folder holds.
    """
    record = Record(raw, folder)
    nothing = _nothing_to_judge(record)
    if nothing:
        return Judged([], [nothing])
    checks: list[Check] = []
    notices: list[str] = []
    try:
        checks += _checks(record, folder / _FOLDER, notices)
    except PackBroken as broken:
        checks.append(Check(_FOLDER, ok=False, sentence=str(broken)))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as fault:
        # What `floordraw rules check` or the intake would refuse can stand in a forged pack under the right digest.
        sentence = f"nothing can be judged by what stands in judging/ ({type(fault).__name__})"
        checks.append(Check(_FOLDER, ok=False, sentence=sentence))
    return Judged(checks, notices)


def _nothing_to_judge(record: Record) -> str | None:
    if record.rehearsal:
        return "a rehearsal keeps no floor journal: there is nothing to judge its pools again from"
    if not record.session:
        return "an electronic draw's pool is not judged from the floor: there is nothing to judge it again from"
    if not record.happened("pool.frozen"):
        return "no pool was frozen, so nothing names a floor journal: there is nothing to judge again"
    return None


def _checks(record: Record, folder: Path, notices: list[str]) -> Iterator[Check]:
    if not folder.is_dir():
        raise PackBroken("the folder judging/ is missing: it belongs to the auditor's copy alone")
    rules = read_rules(folder, record)
    yield Check.of(
        "rules", faults_of_terms(record, rules), "rules.toml is what the draw opened under, and so its terms"
    )
    site = read_site(folder)
    references = read_references(folder)
    yield Check("references", ok=True, sentence=f"recomputed from s: {len(references.by_person)}")
    lists = ListHistory(folder, record, rules.book.zone)
    yield Check.of("lists", lists.faults, f"versions in force in the draw's span: {lists.count}, each with its digest")
    before = read_before(folder)
    if before is not None:
        yield Check.of("other draws", faults_of_before(record, rules, before), f"selections: {len(before)}, as logged")
    elif needs_before(record, rules.plan):
        notices.append(_NOT_CHECKED)
    claims = Claims(record, rules, references, before or [])
    walk = Walk(Judge(record, rules, site, references, lists, claims), folder)
    yield from walk.checks()
    yield Check.of("postponed", walk.postponed, f"empty pools and stale feeds found again: {walk.rederived}")
    notices += [*lists.notices, *walk.notices]
