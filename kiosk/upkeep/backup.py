"""Backups of a property: made while the core runs, checked before they count, the oldest removed.

One folder a backup, `SITE-20261130T073000Z`: the database, the floor journal up to what the database had counted,
site.toml, every rule book, the slips, and the certificate that devices trust. No key of any kind: not the master key,
without which sealed seeds and papers stay shut, and not those of the certificates.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from sqlalchemy import inspect, make_url, select

from config.site import Site, read_site
from draw_engine.canonical import format_time
from draw_engine.clock import Millis
from draw_engine.errors import Refused
from draw_engine.store import people_tables, tables
from draw_engine.store.journal import read_segment
from kiosk.assembly import VERSION
from kiosk.upkeep.backup_manifest import (
    MANIFEST,
    Manifest,
    digest_of,
    faults_of_files,
    files_in,
    read_manifest,
)
from kiosk.upkeep.database_copy import (
    SERVER_FILE,
    SQLITE_FILE,
    Standing,
    copy_database,
    faults_of_dump,
    faults_of_file,
    private_files,
    sync_file,
)
from kiosk.upkeep.log_check import check_log
from kiosk.upkeep.log_rows import snapshot

JOURNAL, RULES, SLIPS, CERTIFICATES = "journal", "rules", "slips", "certificates"
_TRUSTED = ("ca.crt", "brought-ca.crt")
_PART = ".part"


def make(site: Site, site_toml: bytes, to: Path, *, now: Millis, rules: Sequence[Path] = ()) -> Path:
    """Make a backup in `to` and give its folder; it is there only once it has been checked.

    `rules`: rule book files that no draw has used yet. Raises Refused: X_NO_DATABASE, X_NO_PG_DUMP, X_NOT_COPIED when
    it does not hold; OSError when the disk does not take it.
    """
    stamp = format_time(now)[:19].replace("-", "").replace(":", "")
    name = f"{site.property}-{stamp}Z"
    part, done = to / f"{name}{_PART}", to / name
    with private_files():
        to.mkdir(parents=True, exist_ok=True)
        if done.exists():
            raise Refused("X_ALREADY_DONE", f"There is a backup {done} already. Try again in a second.")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        try:
            _fill(part, site, site_toml, rules, now)
            _refuse_unless_sound(part)
            part.rename(done)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
        sync_file(to)
    return done


def _refuse_unless_sound(part: Path) -> None:
    faults = check(part)
    if faults:
        raise Refused("X_NOT_COPIED", f"The backup does not hold and was not kept: {faults[0]}.")


def _fill(part: Path, site: Site, site_toml: bytes, rules: Sequence[Path], now: Millis) -> None:
    standing = copy_database(site.database, part)
    if standing.schema is None:
        raise Refused("X_NO_DATABASE", "The database has nothing in it yet: start the core first.")
    journal = _copy_journal(site.journal_dir, part / JOURNAL, standing)
    (part / "site.toml").write_bytes(site_toml)
    _copy_rules(site, part / RULES, rules)
    _copy_files(site.state_dir / "slips", part / SLIPS, "*.txt")
    for trusted in _TRUSTED:
        _copy_files(site.state_dir / "tls", part / CERTIFICATES, trusted)
    manifest = Manifest(
        property=site.property,
        made_at=now,
        program=VERSION,
        schema=standing.schema,
        database=make_url(site.database).get_backend_name(),
        head=standing.head,
        journal=journal,
        files=files_in(part),
    )
    for folder in [part, *(path for path in part.rglob("*") if path.is_dir())]:
        for file in folder.iterdir():
            sync_file(file)
    (part / MANIFEST).write_bytes(manifest.written())
    sync_file(part / MANIFEST)
    sync_file(part)


def _copy_journal(journal: Path, into: Path, standing: Standing) -> tuple[str, int, str] | None:
    """Every segment up to the one that the database counts, and of that one as much as it had counted.

    The journal leads, so it holds that much; the core may turn and pack the segment meanwhile, and drop old ones.
    """
    if standing.journal is None:
        return None
    segment, length = standing.journal
    into.mkdir()
    for packed in sorted(journal.glob("*.jsonl*")):
        name = packed.name.partition(".")[0]
        if name < segment and packed.suffix in {".gz", ".jsonl"}:
            _copy_files(journal, into, packed.name)
    try:
        running = read_segment(journal, segment)[:length]
    except FileNotFoundError:
        running = b""
    if len(running) < length:
        raise Refused("X_NOT_COPIED", f"The floor journal {segment} holds less than the database counted. See to it.")
    file = into / f"{segment}.jsonl"
    file.write_bytes(running)
    return segment, length, digest_of(file)


def _copy_rules(site: Site, into: Path, files: Sequence[Path]) -> None:
    """The rule books that the database has, by their digest, and the files that were named."""
    into.mkdir()
    with snapshot(site.database) as connection:
        books, locks = tables.rule_books, people_tables.rule_book_locks
        for row in connection.execute(select(books.c.sha256, books.c.content)):
            (into / f"{row.sha256}.toml").write_bytes(row.content)
        if inspect(connection).has_table(locks.name):
            for row in connection.execute(select(locks.c.rules_sha256, locks.c.toml)):
                (into / f"{row.rules_sha256}.toml").write_bytes(row.toml)
    for file in files:
        (into / file.name).write_bytes(file.read_bytes())


def _copy_files(folder: Path, into: Path, pattern: str) -> None:
    for file in sorted(folder.glob(pattern)):
        into.mkdir(exist_ok=True)
        try:
            shutil.copyfile(file, into / file.name)
        except FileNotFoundError:  # removed while we looked
            (into / file.name).unlink(missing_ok=True)


# -- looking at backups -----------------------------------------------------------------------------------------


def check(folder: Path, slips: Sequence[str] = ()) -> list[str]:
    """Everything that does not hold of a backup, as sentences; none = it can be put back.

    Digests, the database's own integrity, the log's chain with its checkpoints and the slips, the journal's prefix.
    Of a database server's dump only that it can be read: its log is checked when it has been put back.
    """
    manifest = read_manifest(folder)
    faults = list(faults_of_files(folder, manifest))
    if faults:
        return faults
    if (folder / SERVER_FILE).exists():
        faults += faults_of_dump(folder / SERVER_FILE)
    else:
        faults += faults_of_file(folder / SQLITE_FILE) or _faults_of_log(folder, manifest, slips)
    if manifest.journal is not None:
        segment, length, digest = manifest.journal
        if digest_of(folder / JOURNAL / f"{segment}.jsonl", length) != digest:
            faults.append(f"the floor journal {segment} is not what the database counted")
    return faults


def _faults_of_log(folder: Path, manifest: Manifest, slips: Sequence[str]) -> list[str]:
    site = read_site((folder / "site.toml").read_bytes(), folder)
    copy = replace(site, database=f"sqlite:///{folder / SQLITE_FILE}")
    sound, lines = check_log(copy, slips)
    if not sound:
        return lines
    with snapshot(copy.database) as connection:
        head = connection.execute(select(tables.log_head.c.seq, tables.log_head.c.hash)).first()
    return [] if (None if head is None else tuple(head)) == manifest.head else ["its log ends elsewhere than it says"]


def backups_in(to: Path, property_id: str | None = None) -> list[tuple[Path, Manifest]]:
    """The backups in a folder, the oldest first; of one property where it is named. What is none is passed over."""

    def found() -> Iterator[tuple[Path, Manifest]]:
        for folder in to.glob("*"):
            if folder.name.endswith(_PART):
                continue
            with suppress(Refused):
                manifest = read_manifest(folder)
                if property_id in {None, manifest.property}:
                    yield folder, manifest

    return sorted(found(), key=lambda one: one[1].made_at)


def prune(to: Path, property_id: str, keep: int) -> list[Path]:
    """Remove a property's oldest backups so that `keep` are left. Gives what was removed."""
    old = [folder for folder, _ in backups_in(to, property_id)[:-keep]]
    for folder in old:
        shutil.rmtree(folder)
    return old
