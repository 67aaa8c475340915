"""Who had failed on an award or won too often when a pool was judged: from the draw's own log and `before.csv`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from draw_engine.lists import ListsAt
from draw_engine.rule_book import DrawPlan, Limit
from draw_engine.verify.judging_files import PackBroken, References, Rules, csv_lines, read
from draw_engine.verify.record import FILLED, Record, has_failed

COLUMNS = ("member", "draw", "group", "award", "selected_seq", "ended_seq", "outcome")
"""Of `before.csv`: one row for each selection that another draw of the promotion made before this one closed.

`member`: the person's first number; `group`: the award group; `selected_seq`, `ended_seq`: the log's entries (the
latter empty while the claim runs); `outcome`: as in the record, `voided_reselect` where a void was followed by another
selection, empty while the claim runs.
"""
_RESELECT = "voided_reselect"
_FAILED = ("expired", "not_rightful_card", "ineligible", _RESELECT)
_OUTCOMES = (*FILLED, *_FAILED, "voided")


class Won(NamedTuple):
    """One selection and what became of it. `ended_seq` None: its claim runs. `line`: of `before.csv`."""

    person: str
    draw: str
    group: str
    award: int
    selected_seq: int
    ended_seq: int | None
    outcome: str
    line: int = 0

    def failed_by(self, seq: int) -> bool:
        """Whether it had failed before entry `seq`."""
        return self.ended_seq is not None and self.ended_seq < seq and self.outcome in _FAILED

    def counts_at(self, seq: int) -> bool:
        """Whether it counts against a win limit at entry `seq`: its claim ran, or it filled its place."""
        if self.selected_seq >= seq:
            return False
        return self.ended_seq is None or self.ended_seq >= seq or self.outcome in FILLED


def needs_before(record: Record, plan: DrawPlan) -> bool:
    """Whether what other draws did decides who may be in a pool: a carried award, a limit wider than the draw."""
    return bool(record.terms["carried"]) or any(limit.scope != "draw" for limit in plan.limits)


def read_before(folder: Path) -> list[Won] | None:
    """What other draws did; None when the file is not there. Raises PackBroken naming a line."""
    name = "before.csv"
    if not (folder / name).exists():
        return None
    rows = []
    for line, (member, draw, group, award, selected, ended, outcome) in csv_lines(name, read(folder, name), COLUMNS):
        numbers = [award, selected, *([ended] if ended else [])]
        whole = all(number.isascii() and number.isdigit() and len(number) <= 16 for number in numbers)
        if not (member and draw and whole) or (outcome not in _OUTCOMES if ended else outcome):
            raise PackBroken(f"judging/{name}, line {line}: it is not a selection and what became of it")
        ended_seq = int(ended) if ended else None
        rows.append(Won(member, draw, group, int(award), int(selected), ended_seq, outcome, line))
    return rows


def faults_of_before(record: Record, rules: Rules, rows: Sequence[Won]) -> Iterator[str]:
    """The rows agree with the log as far as the record shows it: every selection of another draw has its row."""
    entries = {entry["seq"]: entry for entry in record.log}
    first, ours = record.log[0]["seq"], f"{rules.book.property}/{rules.book.id}/"
    for row in rows:
        where = f"judging/before.csv, line {row.line}"
        if row.draw == record.draw or not row.draw.startswith(ours):
            yield f"{where}: it is not of another draw of this promotion"
        ending = f"claim.{'voided' if row.outcome == _RESELECT else row.outcome}"
        for seq, kind in ((row.selected_seq, "selection.made"), (row.ended_seq, ending)):
            entry = entries.get(seq) if seq is not None else None
            if seq is not None and seq >= first and (entry is None or entry["draw"] != row.draw):
                yield f"{where}: entry {seq} is not of {row.draw}"
            elif entry is not None and entry["kind"] != kind:
                yield f"{where}: entry {seq} is {entry['kind']}, not {kind}"
    told = {row.selected_seq for row in rows}
    for entry in record.log:
        other = entry["draw"] is not None and entry["draw"] != record.draw and entry["draw"].startswith(ours)
        if other and entry["kind"] == "selection.made" and entry["seq"] not in told:
            yield f"judging/before.csv has no line for entry {entry['seq']}, a selection of {entry['draw']}"


class Claims:
    """The draw's own selections and other draws', asked at entries of the log."""

    def __init__(self, record: Record, rules: Rules, references: References, before: Sequence[Won]) -> None:
        self._record = record
        self._rules = rules
        self._references = references
        self._before = before

    def failed(self, seq: int, place: int) -> frozenset[str]:
        """Persons whose claim on this award of this day had failed before entry `seq`, here or where it came from."""
        here = [row.person for row in self._own(seq) if row.award == place and row.failed_by(seq)]
        group, day = self._rules.plan.group, self._rules.day
        there = [
            row.person
            for row in self._before
            if row.award == place and row.group == group and _day(row) == day and row.failed_by(seq)
        ]
        return frozenset(here + there)

    def at_limit(self, seq: int, lists: ListsAt) -> frozenset[str]:
        """Persons who had won as often as a limit of the draw allows, counted by whom the lists knew then."""
        reached: set[str] = set()
        for limit in self._rules.plan.limits:
            wins = Counter(
                lists.person_of(row.person).m
                for row in (*self._own(seq), *self._before)
                if row.counts_at(seq) and self._in_scope(limit, row)
            )
            reached |= {person for person, count in wins.items() if count >= limit.max}
        return frozenset(reached)

    def _in_scope(self, limit: Limit, row: Won) -> bool:
        if limit.scope == "draw":
            return row.draw == self._record.draw
        if limit.scope == "day":
            return _day(row) == self._rules.day
        return limit.scope in {"promotion", row.group}

    def _own(self, seq: int) -> Iterator[Won]:
        """The draw's own selections as they stood before entry `seq`; one without a known reference is nobody's."""
        for ordinal, made in self._record.made.items():
            person = self._references.person_of.get(bytes.fromhex(made.data["ref"]))
            if made.seq >= seq or person is None:
                continue
            endings = [ending for ending in self._record.endings.get(ordinal, []) if ending.seq < seq]
            outcome = endings[-1].kind.removeprefix("claim.") if endings else ""
            if outcome == "voided" and has_failed(endings[-1]):
                outcome = _RESELECT
            ended = endings[-1].seq if endings else None
            yield Won(person, self._record.draw, self._rules.plan.group, made.data["place"], made.seq, ended, outcome)


def _day(row: Won) -> date | None:
    """The gaming day in a draw's id: property/promotion/day/draw."""
    parts = row.draw.split("/")
    try:
        return date.fromisoformat(parts[2])
    except (IndexError, ValueError):
        return None
