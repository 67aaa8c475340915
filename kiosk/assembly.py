"""The wiring: settings, keys, database and journal made into an engine, and one core a property (a lock says so)."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

from config.rule_book_faults import check
from config.site import Site
from draw_engine.clock import Clock
from draw_engine.errors import Refused, RuleBroken
from draw_engine.rule_book import RuleBook
from draw_engine.seeds import SystemSeeds
from draw_engine.service.engine import Book, Engine, PropertySettings
from draw_engine.service.intake import segment_of_day
from draw_engine.service.ports import SeedSource
from draw_engine.store.database import open_database
from draw_engine.store.journal import FileJournal
from draw_engine.store.repositories import TableStore
from draw_engine.store.sealing import MasterKey, Signer, read_master_key
from kiosk.upkeep.upgrade import keep_before, refuse_while_open

MASTER_KEY = "master.key"
CORE_LOCK = "core.lock"
VERSION = version("floordraw")


@dataclass(frozen=True, slots=True)
class House:
    """A property ready to run: its settings and its rule books."""

    site: Site
    books: tuple[Book, ...]


def house_of(site: Site, rules: Sequence[bytes]) -> House:
    """The property with its rule books.

    Raises RuleBookFaults; Refused when a book is another property's, or two books cannot run side by side.
    """
    books = tuple(Book(check(toml), toml) for toml in rules)
    for book in books:
        if book.rules.property != site.property:
            raise Refused(
                "X_OTHER_PROPERTY",
                f"The rule book {book.rules.id} is {book.rules.property}'s, this site is {site.property}. "
                "Take the right file.",
            )
    _side_by_side([book.rules for book in books])
    return House(site, books)


def _side_by_side(books: Sequence[RuleBook]) -> None:
    """A property has one clock and one gaming day: its lists' dates, its journal and its pools go by them."""
    for book in books[1:]:
        if book.id in {other.id for other in books if other is not book}:
            raise Refused("X_BOOKS_DISAGREE", f"Two rule books are called {book.id}. Name one file of each promotion.")
        if (book.zone, book.day_starts_at) != (books[0].zone, books[0].day_starts_at):
            raise Refused(
                "X_BOOKS_DISAGREE",
                f"{book.id} and {books[0].id} have other zones or begin their day at other times. "
                "A property has one of each: correct promotion.zone or promotion.day_starts_at.",
            )


def settings_of(site: Site) -> PropertySettings:
    """What the engine needs of the site's settings."""
    ages = site.list_age_hours
    return PropertySettings(
        id=site.property,
        stale_after_ms=site.stale_after_seconds * 1000,
        list_age_hours={"members": ages.members, "exclusions": ages.exclusions, "staff": ages.staff},
        feeds={feed.id: feed.brings for feed in site.feeds},
        staff={person.id: person.role for person in site.staff},
        locked_rules=site.rules_must_be_locked,
    )


def open_store(site: Site, seeds: SeedSource) -> TableStore:
    """The property's database, its schema brought up to date; before that it is copied. Refused as `migrate` says.

    From here on this process writes files for its own user alone: they name guests.
    """
    os.umask(0o077)
    database = open_database(site.database, before_migrating=partial(keep_before, site))
    return TableStore(database, salt=seeds.salt, property_id=site.property)


def open_own_store(site: Site, seeds: SeedSource) -> TableStore:
    """As `open_store`, for a start: Refused X_DRAW_OPEN when another version of the program has a draw open."""
    refuse_while_open(site, VERSION)
    return open_store(site, seeds)


def master_key_of(state_dir: Path) -> MasterKey:
    """The master key that systemd hands on (`LoadCredential`), else the state folder's. Refused as by its reader."""
    given = os.environ.get("CREDENTIALS_DIRECTORY", "")
    handed_on = Path(given) / MASTER_KEY
    if given and handed_on.exists():
        return read_master_key(handed_on, closed_to=0o007)
    return read_master_key(state_dir / MASTER_KEY)


def open_engine(house: House, store: TableStore, clock: Clock, *, seeds: SeedSource) -> Engine:
    """The engine over the property's database and journal.

    Raises Refused when a key or the journal is missing, or a given rule book disagrees with a locked one.
    """
    site = house.site
    journal = _open_journal(house, store, clock)
    engine = Engine(
        settings=settings_of(site),
        books=house.books,
        store=store,
        journal=journal,
        vault=master_key_of(site.state_dir),
        seeds=seeds,
        clock=clock,
        make_signer=Signer,
    )
    _side_by_side([book.rules for book in engine.books.values()])
    return engine


def live_engine(house: House, store: TableStore, clock: Clock) -> Engine:
    """The live engine: everything random comes from the operating system, and nothing can change that."""
    return open_engine(house, store, clock, seeds=SystemSeeds())


def _open_journal(house: House, store: TableStore, clock: Clock) -> FileJournal:
    counted = store.journal()
    segment = counted[0] if counted else segment_of_day([book.rules for book in house.books], clock.now())
    journal = FileJournal(house.site.journal_dir, segment, counted[1] if counted else 0)
    if counted and journal.length < counted[1]:
        raise RuleBroken(
            f"the floor journal {segment} holds less than was counted: put back the folder {house.site.journal_dir}"
        )
    return journal


def lock_core(state_dir: Path) -> int:
    """Take the property's lock: the one writer. Raises Refused (X_CORE_RUNS) when another process holds it."""
    state_dir.mkdir(parents=True, exist_ok=True)
    handle = os.open(state_dir / CORE_LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise Refused("X_CORE_RUNS", "The core of this property runs already; only one may write.") from None
    return handle
