"""A rule book's way into force and out of it: the order, the two people, what is written, over restarts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from casino import LERATO, SIPHO, THANDI, Casino, Session, book_toml
from sqlalchemy import text

from draw_engine.errors import Refused, RuleBroken
from draw_engine.locked_books import KeptBook
from draw_engine.rule_book_toml import read
from draw_engine.service import opening, register, rule_locks
from draw_engine.service.engine import Book
from draw_engine.service.opening import reasons_not_to_start
from draw_engine.service.ports import codes
from kiosk.console.view import console_snapshot
from kiosk.screens.view import House, screen_snapshot

TWO = {"by": "nomvula", "second": "themba", "reason": "as printed"}
DAY = date(2023, 10, 7)


@pytest.fixture
def casino(tmp_path: Path, migrated: Path) -> Iterator[Casino]:
    (tmp_path / "floor.db").write_bytes(migrated.read_bytes())
    made = Casino(f"sqlite:///{tmp_path / 'floor.db'}", tmp_path, now="13:45")
    made.settings = replace(made.settings, locked_rules=True)
    made.restart()
    made.load_lists()
    yield made
    made.close()


def version(name: str, *sessions: Session) -> bytes:
    return book_toml(*sessions).replace(b'version = "test-1"', f'version = "{name}"'.encode())


def book_of(toml: bytes) -> Book:
    return Book(read(toml), toml)


def load(casino: Casino, toml: bytes) -> KeptBook:
    return rule_locks.load(casino.engine, book_of(toml), by="nomvula")


def rehearse(casino: Casino, kept: KeptBook) -> None:
    """Figures as a rehearsal of every draw gives them; how they come about is test_setup_http's."""
    draws = {plan.id: {"attempts": 3} for plan in read(kept.toml).draws}
    rule_locks.rehearsed(casino.engine, kept.sha256, {"draws": draws}, by="nomvula")


def lock(casino: Casino, toml: bytes) -> KeptBook:
    kept = load(casino, toml)
    rehearse(casino, kept)
    return rule_locks.lock(casino.engine, kept.sha256, **TWO)


def refused(code: str, act: object, *args: object, **said: object) -> None:
    with pytest.raises(Refused) as found:
        act(*args, **said)  # type: ignore[operator]
    assert found.value.code == code


def why_not(casino: Casino) -> list[str]:
    """What keeps the first session from opening at 13:56."""
    casino.at("13:56")
    book = casino.engine.books["playtime"].rules
    return codes(reasons_not_to_start(casino.engine, book, book.draws[0], DAY, casino.engine.now()))


def entries(casino: Casino) -> list[tuple[str, str, dict[str, object]]]:
    return [
        (entry.kind, entry.actor, entry.data)
        for entry in casino.engine.store.entries(1, 1 << 40)
        if entry.kind.startswith("rules.")
    ]


def test_the_whole_way_stands_in_the_log(casino: Casino) -> None:
    kept = lock(casino, version("two"))
    rule_locks.retire(casino.engine, kept.sha256, **TWO)
    digest = hashlib.sha256(version("two")).hexdigest()
    figures = hashlib.sha256(b'{"draws":{"first":{"attempts":3},"second":{"attempts":3}}}').hexdigest()
    named = {"rules_sha256": digest, "promotion": "playtime", "version": "two"}
    people = ["manager:nomvula", "manager:themba"]
    assert entries(casino) == [
        ("rules.loaded", "manager:nomvula", named),
        ("rules.rehearsed", "manager:nomvula", {"rules_sha256": digest, "sha256": figures}),
        ("rules.locked", "manager:nomvula", {**named, "by": people, "reason": "as printed"}),
        ("rules.retired", "manager:nomvula", {"rules_sha256": digest, "by": people, "reason": "as printed"}),
    ]


def test_no_draw_opens_by_a_book_that_is_not_locked(casino: Casino) -> None:
    assert why_not(casino) == ["X_RULES_NOT_LOCKED"]
    assert casino.engine.draws == {}
    lock(casino, casino.books[0].toml)
    assert why_not(casino) == []
    casino.tick()
    assert casino.draw().book.sha256 == casino.books[0].rules.sha256


def test_where_the_house_does_not_ask_for_it_the_given_book_opens(casino: Casino) -> None:
    casino.settings = replace(casino.settings, locked_rules=False)
    casino.restart()
    assert why_not(casino) == []


def test_a_book_that_was_never_rehearsed_is_not_locked(casino: Casino) -> None:
    kept = load(casino, version("two"))
    refused("X_NOT_REHEARSED", rule_locks.lock, casino.engine, kept.sha256, **TWO)
    one_draw = {"draws": {"first": {"attempts": 3}}}
    nobody = {"draws": {"first": {"attempts": 3}, "second": {"attempts": 0}}}
    for figures in (one_draw, nobody):
        refused("X_NOT_REHEARSED", rule_locks.rehearsed, casino.engine, kept.sha256, figures, by="nomvula")
    refused("X_NOT_REHEARSED", rule_locks.lock, casino.engine, kept.sha256, **TWO)
    assert [kind for kind, _, _ in entries(casino)] == ["rules.loaded"]


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"second": "nomvula"}, "X_SAME_PERSON"),
        ({"second": ""}, "X_SECOND_PERSON_REQUIRED"),
        ({"by": "kabelo"}, "X_NO_PERMISSION"),
        ({"second": "a-stranger"}, "X_NO_PERMISSION"),
        ({"reason": "  "}, "X_REASON_REQUIRED"),
    ],
)
def test_two_people_and_a_reason(casino: Casino, said: dict[str, str], code: str) -> None:
    kept = load(casino, version("two"))
    rehearse(casino, kept)
    refused(code, rule_locks.lock, casino.engine, kept.sha256, **(TWO | said))
    rule_locks.lock(casino.engine, kept.sha256, **TWO)
    refused(code, rule_locks.retire, casino.engine, kept.sha256, **(TWO | said))
    assert [kind for kind, _, _ in entries(casino)] == ["rules.loaded", "rules.rehearsed", "rules.locked"]


def test_only_a_manager_loads_and_rehearses(casino: Casino) -> None:
    refused("X_NO_PERMISSION", rule_locks.load, casino.engine, book_of(version("two")), by="zanele")
    kept = load(casino, version("two"))
    refused("X_NO_PERMISSION", rule_locks.rehearsed, casino.engine, kept.sha256, {"draws": {}}, by="kabelo")


def test_what_is_locked_stays_as_it_is(casino: Casino) -> None:
    kept = lock(casino, version("two"))
    refused("X_RULES_LOCKED", rule_locks.lock, casino.engine, kept.sha256, **TWO)
    refused("X_RULES_LOCKED", rule_locks.rehearsed, casino.engine, kept.sha256, {"draws": {}}, by="nomvula")
    other = version("two", Session("first", "14:00", "14:10", awards=4))
    refused("X_VERSION_TAKEN", rule_locks.load, casino.engine, book_of(other), by="nomvula")
    assert load(casino, version("two")) == kept  # the same bytes are the same book
    assert [row.toml for row in casino.engine.store.kept_books()] == [version("two")]


def test_two_drafts_of_a_version_one_is_locked_the_other_not_any_more(casino: Casino) -> None:
    draft = load(casino, version("two", Session("first", "14:00", "14:10", awards=4)))
    rehearse(casino, draft)
    lock(casino, version("two"))
    refused("X_VERSION_TAKEN", rule_locks.lock, casino.engine, draft.sha256, **TWO)


def test_the_newest_lock_opens_the_next_session_and_the_open_one_keeps_its_own(casino: Casino) -> None:
    first = lock(casino, version("two"))
    casino.at("13:56")
    assert casino.draw("first").book.sha256 == first.sha256
    newer = version(
        "three", Session("first", "14:00", "14:10", awards=5), Session("second", "14:30", "14:40", awards=2)
    )
    second = lock(casino, newer)
    casino.restart()
    casino.load_lists()
    assert casino.draw("first").book.sha256 == first.sha256
    assert len(casino.draw("first").state.places) == 3
    casino.at("14:26")
    assert casino.draw("second").state.terms["rules_sha256"] == second.sha256
    old = read(version("two"))
    assert codes(reasons_not_to_start(casino.engine, old, old.draws[0], DAY, casino.engine.now()))[-1] == (
        "X_RULEBOOK_INACTIVE"
    )
    assert casino.engine.store.rule_book(second.sha256) == newer


def test_awards_of_a_day_are_not_numbered_twice(casino: Casino) -> None:
    """Carried awards keep their numbers: a second session that began at 3 would have the first one's award 3 twice."""
    lock(casino, version("two"))
    casino.at("13:56")
    shorter = version("three", Session("first", "14:00", "14:10", awards=2), Session("second", "14:30", "14:40"))
    kept = load(casino, shorter)
    rehearse(casino, kept)
    refused("X_AWARDS_TAKEN", rule_locks.lock, casino.engine, kept.sha256, **TWO)
    casino.at("14:45")
    casino.clock.set(casino.clock.now() + 86_400_000)
    assert rule_locks.lock(casino.engine, kept.sha256, **TWO).locked_at


def test_a_session_that_is_open_is_played_out_when_its_book_is_retired(casino: Casino) -> None:
    for member, position in ((LERATO, "S-0412"), (THANDI, "S-0413"), (SIPHO, "S-0500")):
        casino.sits(member, position)
    kept = lock(casino, version("two"))
    casino.at("13:56")
    rule_locks.retire(casino.engine, kept.sha256, **TWO)
    casino.at("14:05")
    assert casino.draw("first").state.selections
    casino.at("14:30")
    assert f"silverstar/playtime/{DAY}/second" not in casino.engine.draws
    book = casino.engine.books["playtime"].rules
    # What the core was started with stands there again, and it is not locked.
    assert codes(reasons_not_to_start(casino.engine, book, book.draws[1], DAY, casino.engine.now())) == [
        "X_RULES_NOT_LOCKED"
    ]


def test_retired_is_for_good_and_no_older_version_comes_back(casino: Casino) -> None:
    older = lock(casino, version("two"))
    newest = lock(casino, version("three"))
    refused("X_RULES_REPLACED", rule_locks.retire, casino.engine, older.sha256, **TWO)
    rule_locks.retire(casino.engine, newest.sha256, **TWO)
    refused("X_RULEBOOK_INACTIVE", rule_locks.retire, casino.engine, newest.sha256, **TWO)
    refused("X_RULEBOOK_INACTIVE", rule_locks.load, casino.engine, book_of(version("three")), by="nomvula")
    assert [kept.version for kept in casino.engine.kept_books if kept.locked_at and not kept.retired_at] == ["two"]
    assert "X_RULES_NOT_LOCKED" in why_not(casino)
    casino.restart()
    assert casino.engine.books["playtime"].rules.version == "test-1"


def test_a_retired_book_that_was_also_given_says_so(casino: Casino) -> None:
    kept = lock(casino, casino.books[0].toml)
    rule_locks.retire(casino.engine, kept.sha256, **TWO)
    assert why_not(casino) == ["X_RULEBOOK_INACTIVE"]
    casino.settings = replace(casino.settings, locked_rules=False)
    casino.restart()
    assert why_not(casino) == ["X_RULEBOOK_INACTIVE"]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (b'property = "silverstar"', b'property = "elsewhere"', "X_OTHER_PROPERTY"),
        (b'zone = "Africa/Johannesburg"', b'zone = "Europe/Paris"', "X_BOOKS_DISAGREE"),
        (b'day_starts_at = "06:00"', b'day_starts_at = "05:00"', "X_BOOKS_DISAGREE"),
    ],
)
def test_a_book_that_cannot_run_here_is_not_loaded(casino: Casino, old: bytes, new: bytes, code: str) -> None:
    other = version("two").replace(old, new)
    assert other != version("two")
    refused(code, rule_locks.load, casino.engine, book_of(other), by="nomvula")


def test_another_promotion_runs_beside(casino: Casino) -> None:
    lock(casino, casino.books[0].toml)
    other = version("one").replace(b'id = "playtime"', b'id = "evening"')
    lock(casino, other)
    assert sorted(casino.engine.books) == ["evening", "playtime"]
    casino.at("13:56")
    assert sorted(casino.engine.draws) == [
        f"silverstar/evening/{DAY}/first",
        f"silverstar/playtime/{DAY}/first",
    ]


def test_a_lock_is_always_later_than_the_one_before(casino: Casino) -> None:
    """On a clock that stands still, too: else it would not be known which is the newest."""
    for name in ("two", "three", "four"):
        lock(casino, version(name))
    at = [kept.locked_at or 0 for kept in sorted(casino.engine.kept_books, key=lambda kept: kept.locked_at or 0)]
    assert at == sorted(set(at))
    assert casino.engine.books["playtime"].rules.version == "four"


def test_a_book_changed_in_the_database_stops_the_core(casino: Casino) -> None:
    lock(casino, version("two"))
    with casino.database.begin() as connection:
        changed = version("two").replace(b"max = 100000", b"max = 900000")
        connection.execute(text("UPDATE rule_book_locks SET toml = :toml"), {"toml": changed})
    with pytest.raises(RuleBroken, match="its bytes were changed"):
        casino.start()


def test_a_lock_whose_entry_was_not_written_is_no_lock(casino: Casino, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = load(casino, version("two"))
    rehearse(casino, kept)

    def broken(*_args: object) -> None:
        raise RuntimeError("the disk")

    with monkeypatch.context() as patch:
        patch.setattr("draw_engine.service.engine.require_known", broken)
        with pytest.raises(RuntimeError):
            rule_locks.lock(casino.engine, kept.sha256, **TWO)
    casino.engine.ready()
    assert casino.engine.books["playtime"].rules.version == "test-1"
    assert opening.due_sessions(casino.engine, casino.engine.now()) == []
    rule_locks.lock(casino.engine, kept.sha256, **TWO)
    assert casino.engine.books["playtime"].rules.version == "two"


def test_guests_are_told_of_no_session_that_will_not_open_and_managers_what_to_do(casino: Casino) -> None:
    house = House("Silverstar", "No persons under 18.", demo=False)
    casino.at("13:20")

    def shown() -> tuple[bool, list[tuple[str, bool]]]:
        screen = screen_snapshot(casino.engine, house)
        told = [(reason.code, reason.blocking) for reason in console_snapshot(casino.engine, house, ()).reasons]
        return screen.next_session is not None, [one for one in told if one[0].startswith("X_RULE")]

    assert shown() == (False, [("X_RULES_NOT_LOCKED", False)])
    kept = lock(casino, version("two"))
    assert shown() == (True, [])
    rule_locks.retire(casino.engine, kept.sha256, **TWO)
    assert shown()[0] is False


def test_the_register_is_open_for_what_can_be_drawn_alone(casino: Casino) -> None:
    """Nobody declines a session that no book opens; while one is played out its guests still may."""
    toml = version("one", Session("first", "14:00", "14:10"))
    assert not register.hours(casino.engine, casino.clock.now()).open
    kept = lock(casino, toml)
    casino.at("13:50")
    assert register.hours(casino.engine, casino.clock.now()).open
    rule_locks.retire(casino.engine, kept.sha256, **TWO)
    assert not register.hours(casino.engine, casino.clock.now()).open
    assert register.hours(casino.engine, casino.clock.now()).opens_at is None
