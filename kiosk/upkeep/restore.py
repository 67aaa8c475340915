"""Putting a backup back, into places where nothing is: the key comes from paper, never with it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import inspect, make_url

from config.site import Site, load_site
from draw_engine.errors import Refused, RuleBroken
from draw_engine.store.sealing import MasterKey
from kiosk.assembly import lock_core
from kiosk.upkeep import backup
from kiosk.upkeep.backup_manifest import Manifest, digest_of, read_manifest
from kiosk.upkeep.database_copy import (
    SERVER_FILE,
    SQLITE_FILE,
    Standing,
    load_dump,
    private_files,
    standing_of,
    sync_file,
)
from kiosk.upkeep.log_check import check_log
from kiosk.upkeep.log_rows import snapshot
from kiosk.upkeep.upgrade import known_schema


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back: the site, the backup's manifest, and what the check of the log said, line by line."""

    site: Site
    manifest: Manifest
    holds: bool
    lines: tuple[str, ...]


def restore(folder: Path, site_file: Path, slips: Sequence[str] = ()) -> Restored:
    """Put a backup where site.toml says; without a site.toml the backup's own is put there first.

    Raises Refused: X_NOT_SOUND when the backup does not hold, X_OTHER_PROPERTY, X_DATABASE_NEWER when another program
    made it, X_FOLDER_NOT_EMPTY when anything lies there already, X_CORE_RUNS. A slip that the log lacks is no reason to
    refuse: it is told in the lines, and `holds` is False.
    """
    manifest = read_manifest(folder)
    faults = backup.check(folder)
    if faults:
        raise Refused("X_NOT_SOUND", f"This backup does not hold: {faults[0]}. Nothing was put back; take another one.")
    if not known_schema(manifest.schema):
        raise Refused(
            "X_DATABASE_NEWER",
            f"This backup was made by a later version of Floordraw ({manifest.program}). Install that version first.",
        )
    with private_files():
        site = _site_of(folder, site_file, manifest)
        lock = lock_core(site.state_dir)
        try:
            _refuse_unless_empty(site)
            _put_files(folder, site, manifest)
            _put_database(folder, site)
            _same_as_said(site, manifest)
        finally:
            os.close(lock)
    holds, lines = check_log(site, slips)
    return Restored(site, manifest, holds, tuple(lines))


def _site_of(folder: Path, site_file: Path, manifest: Manifest) -> Site:
    if not site_file.exists():
        site_file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / "site.toml", site_file)
    site = load_site(site_file)
    if site.property != manifest.property:
        raise Refused(
            "X_OTHER_PROPERTY",
            f"The backup is {manifest.property}'s, {site_file} {site.property}'s. Take the right one.",
        )
    if make_url(site.database).get_backend_name() != manifest.database:
        raise Refused(
            "X_OTHER_DATABASE",
            f"The backup is of a {manifest.database} database: let {site_file} name one of that kind.",
        )
    return site


def _refuse_unless_empty(site: Site) -> None:
    taken: list[Path] = [*site.journal_dir.glob("*")]
    taken += list((site.state_dir / "slips").glob("*"))
    if make_url(site.database).get_backend_name() == "sqlite":
        taken += list(_file_of(site).parent.glob(f"{_file_of(site).name}*"))
    else:
        with snapshot(site.database) as connection:
            if inspect(connection).get_table_names():
                raise Refused("X_FOLDER_NOT_EMPTY", "The database that site.toml names has tables. Name an empty one.")
    if taken:
        raise Refused(
            "X_FOLDER_NOT_EMPTY",
            f"{taken[0]} is there already. A backup is put back where nothing is: move what is there away first.",
        )


def _file_of(site: Site) -> Path:
    return Path(str(make_url(site.database).database))


def _put_files(folder: Path, site: Site, manifest: Manifest) -> None:
    places = {
        backup.JOURNAL: site.journal_dir,
        backup.SLIPS: site.state_dir / "slips",
        backup.RULES: site.state_dir / "restored" / "rules",
        backup.CERTIFICATES: site.state_dir / "restored" / "certificates",
    }
    for name in manifest.files:
        top, _, rest = name.partition("/")
        if top in places and rest:
            to = places[top] / rest
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / name, to)
            sync_file(to)
            sync_file(to.parent)


def _put_database(folder: Path, site: Site) -> None:
    """The database comes last, and under its own name only when it is whole: without it nothing starts."""
    if (folder / SERVER_FILE).exists():
        load_dump(site.database, folder / SERVER_FILE)
        return
    file = _file_of(site)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.part")
    shutil.copyfile(folder / SQLITE_FILE, part)
    sync_file(part)
    part.rename(file)
    sync_file(file.parent)


def _same_as_said(site: Site, manifest: Manifest) -> None:
    with snapshot(site.database) as connection:
        standing: Standing = standing_of(connection)
    if standing.head != manifest.head:
        raise RuleBroken("the log that was put back ends elsewhere than the backup says: take another backup")
    if manifest.journal is not None:
        segment, length, digest = manifest.journal
        if digest_of(site.journal_dir / f"{segment}.jsonl", length) != digest:
            raise RuleBroken("the floor journal that was put back is not the backup's: take another backup")


def key_opens(site: Site, key: bytes) -> int | None:
    """How many sealed keys of the property's database the master key opens: all, or it is another property's.

    None where there is no database to try it on. Raises Refused X_OTHER_KEY.
    """
    from sqlalchemy import select  # noqa: PLC0415 - the one query of this module

    from draw_engine.store.tables import sealed_keys  # noqa: PLC0415 - as above

    try:
        with snapshot(site.database) as connection:
            if not inspect(connection).has_table(sealed_keys.name):
                return None
            rows = connection.execute(select(sealed_keys.c.name, sealed_keys.c.sealed)).all()
    except Refused:
        return None
    vault = MasterKey(key)
    for row in rows:
        try:
            vault.unseal(row.name, row.sealed)
        except RuleBroken:
            raise Refused(
                "X_OTHER_KEY", "That is a whole key, but not this property's: it does not open its seals."
            ) from None
    return len(rows)
