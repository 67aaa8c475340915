"""Which version of each list was in force when a pool was judged, from `judging/lists/` and the record's log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from draw_engine.canonical import parse_time
from draw_engine.list_rows import KINDS, MemberRow, PositionRow
from draw_engine.lists import ListFaults, ListsInForce, ListVersion, read_list
from draw_engine.verify.judging_files import PackBroken
from draw_engine.verify.record import Record

_FILE = re.compile(r"([a-z]+)\.([0-9a-f]{64})\.csv")
_NEEDED = ("members", "positions", "exclusions")  # without these no session opens
_JUDGED_BY = (*_NEEDED, "staff")
_LONG_KNOWN = 0  # known-from of rows loaded at some time before the opening that nothing tells


class _Load(NamedTuple):
    """A version comes into force: entry `seq` of the log (0: before the opening), its rows known from `at`."""

    seq: int
    sha256: str
    at: int


class ListHistory:
    """The lists at each entry of the log. `faults`, `notices`: what is to be said of the files."""

    def __init__(self, folder: Path, record: Record, zone: str) -> None:
        self.faults: list[str] = []
        self.notices: list[str] = []
        self._zone = zone
        self._files = self._read_files(folder / "lists")
        self._loads = {kind: self._loads_of(kind, record) for kind in _JUDGED_BY}
        self._versions: dict[tuple[str, _Load], ListVersion | None] = {}
        self._in_force: dict[tuple[_Load | None, ...], ListsInForce] = {}

    @property
    def count(self) -> int:
        """How many files there are."""
        return sum(len(files) for files in self._files.values())

    def at(self, seq: int) -> ListsInForce:
        """The lists that entry `seq` was judged by. Raises PackBroken when one is missing."""
        loads = [next((one for one in reversed(self._loads[kind]) if one.seq < seq), None) for kind in _JUDGED_BY]
        for kind, load in zip(_JUDGED_BY, loads, strict=True):
            if load is None and kind in _NEEDED:
                raise PackBroken(f"no file in judging/lists is the version of {kind} in force at entry {seq}")
        key = tuple(loads)
        if key not in self._in_force:
            versions = [self._version(kind, load) for kind, load in zip(_JUDGED_BY, loads, strict=True)]
            members, positions, exclusions, staff = versions
            self._in_force[key] = ListsInForce(
                members=members, exclusions=exclusions, staff=staff, positions=positions, zone=self._zone
            )
        return self._in_force[key]

    def _read_files(self, folder: Path) -> dict[str, dict[str, bytes]]:
        found: dict[str, dict[str, bytes]] = {}
        try:
            paths = sorted(folder.iterdir())
        except OSError:
            raise PackBroken("judging/lists is missing or cannot be read") from None
        for path in paths:
            named = _FILE.fullmatch(path.name)
            if named is None or named[1] not in KINDS:
                self.faults.append(f"judging/lists/{path.name} is not named KIND.SHA256.csv")
                continue
            try:
                data = path.read_bytes()
            except OSError:
                self.faults.append(f"judging/lists/{path.name} cannot be read")
                continue
            digest = sha256(data).hexdigest()
            if digest != named[2]:
                self.faults.append(f"judging/lists/{path.name} was changed: its bytes have the SHA-256 {digest}")
            found.setdefault(named[1], {})[named[2]] = data
        return found

    def _loads_of(self, kind: str, record: Record) -> list[_Load]:
        logged = list(self._logged(kind, record))
        opening = self._opening(kind, record, logged)
        return ([opening] if opening else []) + logged

    def _logged(self, kind: str, record: Record) -> Iterator[_Load]:
        for entry in record.log:
            if entry["kind"] != "list.loaded":
                continue
            if "data" not in entry:
                raise PackBroken(f"entry {entry['seq']} (list.loaded) is withheld: take the auditor's copy")
            if entry["data"].get("list") == kind:
                yield _Load(entry["seq"], str(entry["data"].get("sha256")), parse_time(entry["at"]))

    def _opening(self, kind: str, record: Record, logged: list[_Load]) -> _Load | None:
        """The version in force when the draw opened: told by its `lists.in_force`, else the one the log loads not."""
        told = _told_at_opening(kind, record)
        if told is not None:
            return told
        files = list(self._files.get(kind, {}))
        unnamed = [digest for digest in files if digest not in {load.sha256 for load in logged}]
        if len(unnamed) > 1:
            self.faults.append(f"which list of {kind} was in force at the opening cannot be told: {len(unnamed)} might")
            return None
        if not unnamed and len(files) == 1:
            self.notices.append(f"the list of {kind} loaded during the draw is taken to have been in force before, too")
            unnamed = files
        return _Load(0, unnamed[0], _LONG_KNOWN) if unnamed else None

    def _version(self, kind: str, load: _Load | None) -> ListVersion | None:
        if load is None:
            return None
        key = (kind, load)
        if key not in self._versions:
            self._versions[key] = self._read_version(kind, load)
        return self._versions[key]

    def _read_version(self, kind: str, load: _Load) -> ListVersion:
        name = f"judging/lists/{kind}.{load.sha256}.csv"
        data = self._files.get(kind, {}).get(load.sha256)
        if data is None:
            raise PackBroken(f"{name} is missing")
        try:
            version = read_list(kind, data, load.at, self._zone)
        except ListFaults as found:
            first = found.faults[0]
            raise PackBroken(f"{name}, line {first.line}: {first.sentence}") from None
        if load.at == _LONG_KNOWN and _mixed(version):
            self.notices.append(
                f"{name}: when it was loaded is not told; rows with a known_from of their own are newer"
            )
        return version


def _told_at_opening(kind: str, record: Record) -> _Load | None:
    for happening in record.happened("lists.in_force"):
        lists: Any = happening.data.get("lists")
        for one in lists if isinstance(lists, list) else ():
            if isinstance(one, dict) and one.get("list") == kind:
                return _Load(0, str(one.get("sha256")), _time_of(one.get("loaded_at")))
    return None


def _time_of(written: Any) -> int:
    try:
        return parse_time(written)
    except (TypeError, ValueError):
        return _LONG_KNOWN


def _mixed(version: ListVersion) -> bool:
    """Whether a member or position stands both in rows that say since when they are known and in one that does not."""
    default: set[str] = set()
    said: set[str] = set()
    for row in version.rows:
        if isinstance(row, MemberRow | PositionRow):
            number = row.member if isinstance(row, MemberRow) else row.position
            (default if row.known_from == _LONG_KNOWN else said).add(number)
    return not default.isdisjoint(said)
