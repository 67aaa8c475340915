"""The way of a rule book into force: loaded, rehearsed, locked by two people; and out of it (design "The rule book").

What is loaded has been checked by `config`; here stands who may, in what order, and that what is locked stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from draw_engine import calendar
from draw_engine.canonical import jcs
from draw_engine.errors import Refused, RuleBroken
from draw_engine.locked_books import KeptBook, newest_locked, state_of
from draw_engine.rule_book import RuleBook
from draw_engine.rule_book_toml import read
from draw_engine.service.engine import Book, Engine, sha256
from draw_engine.service.people import said_reason, two_people
from draw_engine.service.ports import Reason
from draw_engine.service.roles import actor_of

_MAY_LOAD = frozenset({"manager"})


def load(engine: Engine, book: Book, *, by: str) -> KeptBook:
    """Keep a sound rule book, so that it can be rehearsed and locked. The same bytes twice are one book.

    Raises Refused: X_OTHER_PROPERTY, X_BOOKS_DISAGREE, X_VERSION_TAKEN (locked with other contents),
    X_RULEBOOK_INACTIVE (retired), X_NO_PERMISSION.
    """
    actor = actor_of(engine, by, _MAY_LOAD)
    rules = book.rules
    if sha256(book.toml) != rules.sha256:
        raise RuleBroken("a rule book was read from other bytes than those given")
    known = next((each for each in engine.kept_books if each.sha256 == rules.sha256), None)
    if known is not None:
        _not_retired(known)
        return known
    _fits(engine, rules)
    _version_is_free(engine, rules.id, rules.version, rules.sha256)
    with engine.change() as work:
        at = work.instant(engine.now())
        kept = KeptBook(rules.sha256, rules.id, rules.version, rules.title, book.toml, at, actor)
        work.append(at=at, kind="rules.loaded", draw=None, actor=actor, data=_named(kept))
        work.add_kept_book(kept)
    engine.load_books()
    return kept


def rehearsed(engine: Engine, digest: str, figures: Mapping[str, Any], *, by: str) -> KeptBook:
    """Note a rehearsal of the whole book; its figures are what two people see when they lock it.

    `figures` is a rehearsal's summary: `draws` holds every draw of the book by its id, with its `attempts`. A locked
    book keeps the figures it was locked with: X_RULES_LOCKED. Raises Refused X_NOT_REHEARSED when a draw was left out,
    or nobody was selected in one.
    """
    actor = actor_of(engine, by, _MAY_LOAD)
    kept = kept_book(engine, digest)
    _not_retired(kept)
    if kept.locked_at is not None:
        raise Refused("X_RULES_LOCKED", "The book is locked: it keeps the rehearsal that it was locked with.")
    draws = figures.get("draws", {})
    left_out = [plan.id for plan in read(kept.toml).draws if plan.id not in draws]
    if left_out:
        raise Refused("X_NOT_REHEARSED", f"The rehearsal left out {', '.join(left_out)}. Rehearse every draw.")
    idle = [name for name, draw in draws.items() if not draw.get("attempts")]
    if idle:
        sentence = f"Nobody was selected in {', '.join(idle)}, so nothing was tried. Take a floor on which people play."
        raise Refused("X_NOT_REHEARSED", sentence)
    with engine.change() as work:
        at = work.instant(engine.now())
        data = {"rules_sha256": digest, "sha256": sha256(jcs(dict(figures)))}
        work.append(at=at, kind="rules.rehearsed", draw=None, actor=actor, data=data)
        noted = replace(kept, rehearsal=dict(figures))
        work.put_kept_book(noted)
    engine.load_books()
    return noted


def lock(engine: Engine, digest: str, *, by: str, second: str, reason: str) -> KeptBook:
    """Lock a rehearsed book: from now on it opens its promotion's draws, from the next session that is not open yet.

    Raises Refused: X_NO_SUCH_RULES, X_RULES_LOCKED, X_RULEBOOK_INACTIVE, X_NOT_REHEARSED, X_VERSION_TAKEN,
    X_BOOKS_DISAGREE, X_AWARDS_TAKEN (not before the day is over), and those of `two_people` and `said_reason`.
    """
    people = two_people(engine, by, second)
    said = said_reason(reason)
    kept = kept_book(engine, digest)
    _not_retired(kept)
    if kept.locked_at is not None:
        raise Refused("X_RULES_LOCKED", f"{kept.title}, version {kept.version}, is locked already.")
    if kept.rehearsal is None:
        raise Refused("X_NOT_REHEARSED", "The book was never rehearsed. Rehearse it, look at what came of it, lock it.")
    rules = read(kept.toml)
    _fits(engine, rules)
    _version_is_free(engine, kept.promotion, kept.version, digest)
    _numbers_are_free(engine, rules)
    with engine.change() as work:
        at = max(work.instant(engine.now()), _last_lock(engine, kept.promotion) + 1)
        data = {**_named(kept), "by": people, "reason": said}
        work.append(at=at, kind="rules.locked", draw=None, actor=actor_of(engine, by), data=data)
        locked = replace(kept, locked_at=at, locked_by=tuple(people))
        work.put_kept_book(locked)
    engine.load_books()
    return locked


def retire(engine: Engine, digest: str, *, by: str, second: str, reason: str) -> KeptBook:
    """Take a book out: no draw opens by it any more; one that is open is played to its end.

    No older version comes back: the promotion rests until another one is locked. Raises Refused as `lock`;
    X_RULES_REPLACED for a locked book that another version has replaced.
    """
    people = two_people(engine, by, second)
    said = said_reason(reason)
    kept = kept_book(engine, digest)
    _not_retired(kept)
    if state_of(kept, engine.kept_books) == "replaced":
        newest = newest_locked(engine.kept_books)[kept.promotion]
        raise Refused(
            "X_RULES_REPLACED", f"Version {newest.version} has replaced it already; nothing opens by this one any more."
        )
    with engine.change() as work:
        at = work.instant(engine.now())
        data = {"rules_sha256": digest, "by": people, "reason": said}
        work.append(at=at, kind="rules.retired", draw=None, actor=actor_of(engine, by), data=data)
        retired = replace(kept, retired_at=at)
        work.put_kept_book(retired)
    engine.load_books()
    return retired


def kept_book(engine: Engine, digest: str) -> KeptBook:
    """A loaded book by its SHA-256. Raises Refused X_NO_SUCH_RULES."""
    for kept in engine.kept_books:
        if kept.sha256 == digest:
            return kept
    raise Refused("X_NO_SUCH_RULES", "No such rule book is loaded. Load its file first.")


def lock_reasons(engine: Engine, rules: RuleBook) -> list[Reason]:
    """Why no draw may open by this book: it is not locked, or it was retired or replaced."""
    kept = next((each for each in engine.kept_books if each.sha256 == rules.sha256), None)
    named = f"{rules.title}, version {rules.version},"
    if kept is None or kept.locked_at is None:
        if kept is not None and kept.retired_at is not None:
            return [_inactive(f"{named} was taken out before it was locked.", "Load another version and lock it.")]
        if engine.settings.locked_rules:
            todo = "Rehearse it and lock it with a second person: Console, Rule books."
            return [Reason("X_RULES_NOT_LOCKED", f"{named} is not locked.", todo)]
        return []
    if kept.retired_at is not None:
        return [_inactive(f"{named} was retired.", "Lock another version, if the promotion is to go on.")]
    newest = newest_locked(engine.kept_books)[rules.id]
    if newest.sha256 != rules.sha256:
        return [_inactive(f"{named} has been replaced by version {newest.version}.", "Nothing is to be done.")]
    return []


def _inactive(sentence: str, todo: str) -> Reason:
    return Reason("X_RULEBOOK_INACTIVE", sentence, todo)


def _named(kept: KeptBook) -> dict[str, object]:
    return {"rules_sha256": kept.sha256, "promotion": kept.promotion, "version": kept.version}


def _not_retired(kept: KeptBook) -> None:
    if kept.retired_at is not None:
        raise Refused(
            "X_RULEBOOK_INACTIVE",
            f"{kept.title}, version {kept.version}, was retired. Give the file a new version and load that.",
        )


def _fits(engine: Engine, rules: RuleBook) -> None:
    """The property's own, and of one clock and one gaming day with the others: lists, journal and pools go by them."""
    if rules.property != engine.settings.id:
        raise Refused(
            "X_OTHER_PROPERTY",
            f"The rule book is {rules.property}'s, this site is {engine.settings.id}. Take the right file.",
        )
    for book in engine.books.values():
        if (book.rules.zone, book.rules.day_starts_at) != (rules.zone, rules.day_starts_at):
            raise Refused(
                "X_BOOKS_DISAGREE",
                f"{book.rules.title} runs in {book.rules.zone} and begins its day at {book.rules.day_starts_at:%H:%M}. "
                "A property has one of each: correct promotion.zone or promotion.day_starts_at.",
            )


def _version_is_free(engine: Engine, promotion: str, version: str, digest: str) -> None:
    for other in engine.kept_books:
        same = (other.promotion, other.version) == (promotion, version)
        if same and other.sha256 != digest and other.locked_at is not None:
            raise Refused(
                "X_VERSION_TAKEN",
                f"Version {version} is locked with other contents, and what is locked stays as it is. "
                "Give promotion.version another name.",
            )


def _numbers_are_free(engine: Engine, rules: RuleBook) -> None:
    """A later session of the same day must not number its awards as one that was opened by the older version did.

    Carried awards keep their numbers: the same one would stand in a draw twice.
    """
    today = engine.gaming_day(engine.now())
    opened = [draw for draw in engine.draws.values() if draw.book.id == rules.id and draw.day == today]
    taken = {(draw.plan.group, number) for draw in opened for number in draw.state.places}
    for plan in rules.draws:
        to_come = plan.id not in {draw.plan.id for draw in opened}
        if to_come and any((plan.group, number) in taken for number in calendar.award_numbers(rules, plan)):
            raise Refused(
                "X_AWARDS_TAKEN",
                f"{plan.title} would number its awards as a session that was opened today by another version. "
                "Lock the book when the day's last session has closed.",
            )


def _last_lock(engine: Engine, promotion: str) -> int:
    """When the promotion's newest version was locked, so that the next one is later; 0 before the first."""
    newest = newest_locked(engine.kept_books).get(promotion)
    return 0 if newest is None else newest.locked_at or 0
