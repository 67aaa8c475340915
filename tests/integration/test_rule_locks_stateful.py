"""Anybody loads, rehearses, locks and retires rule books in any order, and the core starts again at any time.

What must hold: no lock without a rehearsal, never one person alone, locked bytes never change, at most one book of a
promotion is in force and it is the newest that was locked, and the log alone tells the same as the table.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from casino import Casino, book_toml
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from draw_engine.errors import Refused
from draw_engine.locked_books import in_force
from draw_engine.rule_book_toml import read
from draw_engine.service import rule_locks
from draw_engine.service.engine import Book

EXAMPLES = int(os.environ.get("FLOORDRAW_TEST_EXAMPLES", "25"))
PLAIN = book_toml()
FILES = [
    PLAIN.replace(b'id = "playtime"', f'id = "{promotion}"'.encode())
    .replace(b'"test-1"', f'"{version}"'.encode())
    .replace(b"max = 100000", f"max = {most}".encode())
    for promotion in ("playtime", "evening")
    for version in ("1", "2")
    for most in (100_000, 90_000)
]
"""Two promotions, two versions of each, two wordings of each version."""
PEOPLE = ["nomvula", "themba", "kabelo", "zanele", "", "stranger"]
MANAGERS = {"nomvula", "themba"}
DECIDES = {"nomvula", "themba", "kabelo"}


@dataclass
class Fate:
    """What this test knows of a file, by the rules on the page alone."""

    loaded: bool = False
    rehearsed: bool = False
    locked: int = 0
    retired: bool = False


class Office(RuleBasedStateMachine):
    """The office and its files. `make` gives the URL of an empty database and a folder."""

    make: Callable[[], tuple[str, Path]]

    def __init__(self) -> None:
        super().__init__()
        url, folder = type(self).make()
        self.casino = Casino(url, folder, now="09:00")
        self.casino.settings = replace(self.casino.settings, locked_rules=True)
        self.fates = [Fate() for _ in FILES]
        self.locks = 0

    def teardown(self) -> None:
        self.casino.close()

    @initialize()
    def starts(self) -> None:
        self.casino.restart()

    def _same_version(self, n: int) -> list[int]:
        return [other for other in range(len(FILES)) if other // 2 == n // 2 and other != n]

    def _version_locked(self, n: int) -> bool:
        return any(self.fates[other].locked for other in self._same_version(n))

    def _newest(self, n: int) -> int:
        """The newest locked file of the promotion; -1 when there is none."""
        mine = [other for other in range(len(FILES)) if other // 4 == n // 4 and self.fates[other].locked]
        return max(mine, key=lambda other: self.fates[other].locked, default=-1)

    def _does(self, act: Callable[[], object], *, expected: bool) -> None:
        try:
            act()
        except Refused:
            assert not expected
        else:
            assert expected

    @rule(n=st.integers(0, len(FILES) - 1), by=st.sampled_from(PEOPLE))
    def load(self, n: int, by: str) -> None:
        fate = self.fates[n]
        may = by in MANAGERS and not fate.retired and (fate.loaded or not self._version_locked(n))
        book = Book(read(FILES[n]), FILES[n])
        self._does(lambda: rule_locks.load(self.casino.engine, book, by=by), expected=may)
        fate.loaded = fate.loaded or may

    @rule(n=st.integers(0, len(FILES) - 1), by=st.sampled_from(PEOPLE), whole=st.booleans())
    def rehearse(self, n: int, by: str, *, whole: bool) -> None:
        fate = self.fates[n]
        may = by in MANAGERS and fate.loaded and not fate.retired and not fate.locked and whole
        figures = {
            "draws": {"first": {"attempts": 1}, "second": {"attempts": 2}} if whole else {"first": {"attempts": 1}}
        }
        self._does(lambda: rule_locks.rehearsed(self.casino.engine, digest(n), figures, by=by), expected=may)
        fate.rehearsed = fate.rehearsed or may

    @rule(
        n=st.integers(0, len(FILES) - 1),
        by=st.sampled_from(PEOPLE),
        second=st.sampled_from(PEOPLE),
        reason=st.sampled_from(["as printed", "as printed", " "]),
    )
    def lock(self, n: int, by: str, second: str, reason: str) -> None:
        fate = self.fates[n]
        two = by in MANAGERS and second in DECIDES and by != second and bool(reason.strip())
        may = two and fate.rehearsed and not fate.locked and not fate.retired and not self._version_locked(n)
        said = {"by": by, "second": second, "reason": reason}
        self._does(lambda: rule_locks.lock(self.casino.engine, digest(n), **said), expected=may)
        if may:
            self.locks += 1
            fate.locked = self.locks

    @rule(n=st.integers(0, len(FILES) - 1))
    def two_people_do_what_comes_next(self, n: int) -> None:
        """So that books come to be locked often."""
        fate = self.fates[n]
        if not fate.loaded:
            self.load(n, "nomvula")
        elif not fate.rehearsed:
            self.rehearse(n, "themba", whole=True)
        else:
            self.lock(n, "nomvula", "kabelo", "as printed")

    @rule(n=st.integers(0, len(FILES) - 1), by=st.sampled_from(PEOPLE), second=st.sampled_from(PEOPLE))
    def retire(self, n: int, by: str, second: str) -> None:
        fate = self.fates[n]
        two = by in MANAGERS and second in DECIDES and by != second
        replaced = bool(fate.locked) and self._newest(n) != n
        may = two and fate.loaded and not fate.retired and not replaced
        said = {"by": by, "second": second, "reason": "over"}
        self._does(lambda: rule_locks.retire(self.casino.engine, digest(n), **said), expected=may)
        fate.retired = fate.retired or may

    @rule()
    def the_core_starts_again(self) -> None:
        self.casino.restart()

    @rule(seconds=st.integers(0, 3600))
    def time_passes(self, seconds: int) -> None:
        self.casino.clock.set(self.casino.clock.now() + seconds * 1000)

    # -- what must hold ---------------------------------------------------------------------------------------------

    @invariant()
    def the_newest_locked_book_rules(self) -> None:
        expected = {}
        for first, promotion in ((0, "playtime"), (4, "evening")):
            newest = self._newest(first)
            if newest >= 0 and not self.fates[newest].retired:
                expected[promotion] = digest(newest)
        engine = self.casino.engine
        assert {name: kept.sha256 for name, kept in in_force(engine.kept_books).items()} == expected
        for promotion, sha in expected.items():
            book = engine.books[promotion]
            assert (book.rules.sha256, hashlib.sha256(book.toml).hexdigest()) == (sha, sha)
            assert rule_locks.lock_reasons(engine, book.rules) == []
        others = [book.rules for promotion, book in engine.books.items() if promotion not in expected]
        assert all(rule_locks.lock_reasons(engine, rules) for rules in others)

    @invariant()
    def the_table_holds_what_was_loaded_and_the_bytes_as_they_were(self) -> None:
        rows = {row.sha256: row for row in self.casino.engine.store.kept_books()}
        known = {digest(n): fate for n, fate in enumerate(self.fates) if fate.loaded}
        assert set(rows) == set(known)
        for n, fate in enumerate(self.fates):
            if fate.loaded:
                row = rows[digest(n)]
                assert row.toml == FILES[n]
                assert (row.locked_at is not None, row.retired_at is not None) == (bool(fate.locked), fate.retired)
                assert row.locked_at is None or row.rehearsal is not None
                assert len({actor.partition(":")[2] for actor in row.locked_by}) == (2 if fate.locked else 0)

    @invariant()
    def the_log_tells_the_same(self) -> None:
        told: dict[str, list[str]] = {}
        for entry in self.casino.engine.store.entries(1, 1 << 40):
            if entry.kind.startswith("rules."):
                told.setdefault(entry.data["rules_sha256"], []).append(entry.kind)
        for n, fate in enumerate(self.fates):
            kinds = told.get(digest(n), [])
            assert kinds[:1] == (["rules.loaded"] if fate.loaded else [])
            assert kinds.count("rules.loaded") == int(fate.loaded)
            assert ("rules.rehearsed" in kinds) == fate.rehearsed
            assert kinds.count("rules.locked") == (1 if fate.locked else 0)
            assert kinds.count("rules.retired") == int(fate.retired)
            if fate.locked:
                assert "rules.rehearsed" in kinds[: kinds.index("rules.locked")]


def digest(n: int) -> str:
    return hashlib.sha256(FILES[n]).hexdigest()


def test_any_order_of_acts_keeps_one_book_in_force(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> None:
    def make() -> tuple[str, Path]:
        folder = tmp_path_factory.mktemp("office")
        shutil.copy(migrated, folder / "floor.db")
        return f"sqlite:///{folder / 'floor.db'}", folder

    Office.make = staticmethod(make)  # type: ignore[assignment]
    run_state_machine_as_test(
        Office,
        settings=settings(
            max_examples=EXAMPLES, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
