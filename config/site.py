"""The property's settings: `site.toml` read into frozen dataclasses, or every fault of it.

Says nothing of the rules and knows nothing of the engine, so that a bridge may read it too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, ValidationError, model_validator

from config.faults import CONFLICT, Fault, faults_of, shown, with_lines
from config.fields import Form, Once, PartId, Text, closed, wrong
from config.toml_text import TomlText
from config.web import LOOPBACK_HOSTS, Web, WebForm
from config.words import counted

ROLES = ("crew", "stage", "desk", "customer_services", "marketing", "manager", "auditor", "witness")
"""Who uses staff pages: promotions crew, the announcer, the rewards desk, Customer Services, marketing, managers …"""
USES = ("receipts", "labels", "slips")
"""What a printer may be for."""
DEVICES = ("network", "serial", "usb", "file")
BRINGS = ("slots", "tables")
_SECRET = frozenset({"database", "token_sha256"})
_USB_ID = re.compile(r"[0-9a-f]{4}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SQLITE = "sqlite:///"
_POSTGRESQL = ("postgresql://", "postgresql+psycopg://")
_OWN_MACHINE = ("localhost", "127.0.0.1", "::1")


class SiteFaults(Exception):  # noqa: N818 - it names what it carries
    """The site's settings have faults: all of them, in the order of the file."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__(f"{counted(len(faults), 'fault')} in the site's settings:\n" + "\n".join(map(str, faults)))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class ListAges:
    """How old a list may be when a draw starts, in hours."""

    members: int = 24
    exclusions: int = 24
    staff: int = 168


@dataclass(frozen=True, slots=True)
class Feed:
    """A source of floor events: what it brings (`slots`, `tables`) and its token's SHA-256, None before it has one."""

    id: str
    brings: tuple[str, ...]
    token_sha256: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Screen:
    """A floor screen: `/screens/<name>`."""

    name: str
    title: str


@dataclass(frozen=True, slots=True)
class Printer:
    """A slip printer: what it prints, how it is reached, and its spool's token's SHA-256 (None before it has one).

    network: `host`, `port`; serial: `path`, `baud`; usb: `vendor`, `product` (hexadecimal); file: `path`, a folder.
    """

    id: str
    title: str
    uses: tuple[str, ...]
    device: str
    host: str = ""
    port: int = 9100
    path: str = ""
    baud: int = 9600
    vendor: str = ""
    product: str = ""
    token_sha256: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class StaffMember:
    """A person of the house; in the log the actor is `role:id`."""

    id: str
    name: str
    role: str

    @property
    def actor(self) -> str:
        return f"{self.role}:{self.id}"


@dataclass(frozen=True, slots=True)
class Site:
    """One property's settings; paths are absolute or from the working directory, those of the file already resolved."""

    property: str
    property_name: str
    database: str = field(repr=False)
    journal_dir: Path
    state_dir: Path
    check_address: str
    statutory_line: str
    stale_after_seconds: int
    list_age_hours: ListAges
    feeds: tuple[Feed, ...]
    screens: tuple[Screen, ...]
    staff: tuple[StaffMember, ...]
    printers: tuple[Printer, ...] = ()
    require_clock_sync: bool = False
    """A session opens only while the machine's clock is synchronised, unless a manager decides otherwise."""
    rules_must_be_locked: bool = True
    """A draw opens by a rule book that two people have locked; false: by the file given at the start, too."""
    web: Web | None = None
    """HTTPS for tablets and desks; None: this machine alone, by plain http."""
    hosts: frozenset[str] = LOOPBACK_HOSTS
    """Every name this property's servers may be called by, as `urlsplit` gives a Host header's hostname."""

    def printer(self, printer_id: str) -> Printer | None:
        """The printer of that id; None when there is none."""
        return next((printer for printer in self.printers if printer.id == printer_id), None)

    def staff_by_id(self, staff_id: str) -> StaffMember | None:
        """The person of that id; None when the house has none."""
        return next((person for person in self.staff if person.id == staff_id), None)

    def feed(self, feed_id: str) -> Feed | None:
        """The feed of that id; None when there is none."""
        return next((feed for feed in self.feeds if feed.id == feed_id), None)

    def feeds_bringing(self, what: str) -> tuple[Feed, ...]:
        """The feeds that bring `slots` or `tables`."""
        return tuple(feed for feed in self.feeds if what in feed.brings)

    def screen(self, name: str) -> Screen | None:
        """The screen of that name; None when there is none."""
        return next((screen for screen in self.screens if screen.name == name), None)


def load_site(path: Path) -> Site:
    """The settings of a file; its relative paths start from its folder. Raises SiteFaults, or OSError."""
    return read_site(path.read_bytes(), path.resolve().parent)


def read_site(data: bytes, folder: Path = Path()) -> Site:
    """The settings of the file's bytes; its relative paths start from `folder`. Raises SiteFaults with every fault."""
    toml = TomlText(data)
    if toml.fault is not None:
        raise SiteFaults([toml.fault])
    faults: list[Fault] = []
    form: _SiteForm | None = None
    try:
        form = _SiteForm.model_validate(toml.values)
    except ValidationError as error:
        faults += faults_of(error, _SiteForm, _SECRET)
    faults += _conflicts(toml.values)
    if form is None or faults:
        raise SiteFaults(with_lines(faults, toml.line_of))
    return form.built(folder)


# The form of the file.


def _database(value: str) -> str:
    path = value.removeprefix(_SQLITE)
    if value.startswith(_SQLITE) and path.strip() and "?" not in path and "\0" not in path:
        return value
    if value.startswith(_POSTGRESQL) and _parts(value).path.strip("/"):
        return value
    raise wrong("Write sqlite:///FILE or postgresql://USER@HOST/DATABASE.")


def _parts(address: str) -> Any:
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def _check_address(value: str) -> str:
    parts = _parts(value)
    if parts.fragment or value.endswith("#") or any(c.isspace() for c in value):
        raise wrong("Leave out the # and what follows it: the proof is put there.")
    own = parts.scheme == "http" and parts.hostname in _OWN_MACHINE
    if not parts.hostname or not (parts.scheme == "https" or own):
        raise wrong("Write an address that begins with https:// (http:// only for this machine itself).")
    return value


def _digest(value: str) -> str:
    if not _DIGEST.fullmatch(value):
        raise wrong("Write the token's SHA-256 as 64 of 0-9 a-f; `floordraw feeds add ID` makes one.")
    return value


def _usb_id(value: str) -> str:
    if value and not _USB_ID.fullmatch(value):
        raise wrong("Write the USB number as four of 0-9 a-f, as lsusb shows it.")
    return value


def _path(value: str) -> str:
    if not value.strip() or "\0" in value:
        raise wrong("Write a folder's path.")
    return value


_Path = Annotated[str, AfterValidator(_path)]
_Hours = Annotated[int, Field(ge=1, le=8760)]


class _ListAgesForm(Form):
    members: _Hours = 24
    exclusions: _Hours = 24
    staff: _Hours = 168


class _FeedForm(Form):
    id: PartId
    brings: Annotated[list[Annotated[str, closed(BRINGS)]], Once, Field(min_length=1)]
    token_sha256: Annotated[str, AfterValidator(_digest)] | None = None


class _ScreenForm(Form):
    name: PartId
    title: Text


class _PrinterForm(Form):
    id: PartId
    title: Text
    uses: Annotated[list[Annotated[str, closed(USES)]], Once, Field(min_length=1)]
    device: Annotated[str, closed(DEVICES)]
    host: str = ""
    port: Annotated[int, Field(ge=1, le=65535)] = 9100
    path: str = ""
    baud: Annotated[int, Field(ge=300, le=921_600)] = 9600
    vendor: Annotated[str, AfterValidator(_usb_id)] = ""
    product: Annotated[str, AfterValidator(_usb_id)] = ""
    token_sha256: Annotated[str, AfterValidator(_digest)] | None = None

    @model_validator(mode="after")
    def _reachable(self) -> _PrinterForm:
        asked = {"network": self.host, "serial": self.path, "file": self.path, "usb": self.vendor and self.product}
        if not asked[self.device]:
            needs = {"network": "host", "serial": "path", "file": "path", "usb": "vendor and product"}
            raise wrong(f"A {self.device} printer needs its {needs[self.device]}.")
        return self


class _StaffForm(Form):
    id: PartId
    name: Text
    role: Annotated[str, closed(ROLES)]


class _SiteForm(Form):
    property: PartId
    property_name: Text
    database: Annotated[str, AfterValidator(_database)]
    journal_dir: _Path
    state_dir: _Path
    check_address: Annotated[str, AfterValidator(_check_address)]
    statutory_line: Text
    stale_after_seconds: Annotated[int, Field(ge=1, le=600)] = 30
    rules_must_be_locked: bool = True
    require_clock_sync: bool = False
    list_age_hours: _ListAgesForm = Field(default_factory=_ListAgesForm)
    feed: list[_FeedForm] = Field(default_factory=list)
    screen: list[_ScreenForm] = Field(default_factory=list)
    printer: list[_PrinterForm] = Field(default_factory=list)
    staff: list[_StaffForm] = Field(default_factory=list)
    web: WebForm | None = None

    def built(self, folder: Path) -> Site:
        ages = self.list_age_hours
        return Site(
            property=self.property,
            property_name=self.property_name,
            database=_resolved(self.database, folder),
            journal_dir=folder / self.journal_dir,
            state_dir=folder / self.state_dir,
            check_address=self.check_address,
            statutory_line=self.statutory_line,
            stale_after_seconds=self.stale_after_seconds,
            list_age_hours=ListAges(ages.members, ages.exclusions, ages.staff),
            rules_must_be_locked=self.rules_must_be_locked,
            require_clock_sync=self.require_clock_sync,
            feeds=tuple(Feed(feed.id, tuple(feed.brings), feed.token_sha256) for feed in self.feed),
            screens=tuple(Screen(screen.name, screen.title) for screen in self.screen),
            printers=tuple(_printer(printer, folder) for printer in self.printer),
            staff=tuple(StaffMember(person.id, person.name, person.role) for person in self.staff),
            web=None if self.web is None else self.web.built(folder, folder / self.state_dir),
            hosts=LOOPBACK_HOSTS | frozenset(self.web.names if self.web else ()),
        )


def _printer(form: _PrinterForm, folder: Path) -> Printer:
    path = str(folder / form.path) if form.device == "file" else form.path
    return Printer(**{**form.model_dump(), "uses": tuple(form.uses), "path": path})


def _resolved(database: str, folder: Path) -> str:
    if not database.startswith(_SQLITE):
        return database
    return f"{_SQLITE}{folder / database.removeprefix(_SQLITE)}"


def _conflicts(toml: dict[str, Any]) -> Iterator[Fault]:
    """What may not stand twice."""
    for table, key in (
        ("feed", "id"),
        ("feed", "token_sha256"),
        ("screen", "name"),
        ("staff", "id"),
        ("printer", "id"),
        ("printer", "token_sha256"),
    ):
        rows = toml.get(table)
        seen: Counter[str] = Counter()
        for n, row in enumerate(rows if isinstance(rows, list) else [], start=1):
            value = row.get(key) if isinstance(row, dict) else None
            if not isinstance(value, str):
                continue
            if seen[value]:
                what = f"The token of another {table}" if key in _SECRET else shown(value)
                yield Fault(f"{table}[{n}].{key}", CONFLICT, f"{what} stands here again: give each its own.")
            seen[value] += 1
