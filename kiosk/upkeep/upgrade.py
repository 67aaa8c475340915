"""Another version over the same database: never while a draw is open, never without a copy, never back."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from config.site import Site
from draw_engine.errors import Refused
from draw_engine.store.database import newest_schema, schemas
from kiosk.upkeep.database_copy import Standing, copy_database, private_files, standing_of, sync_file
from kiosk.upkeep.log_rows import snapshot

KEPT = "before-upgrade"


def known_schema(revision: str) -> bool:
    """Whether this program knows a database of that schema: its own, or one it can bring up to date."""
    return revision in schemas()


def keep_before(site: Site, current: str, newest: str) -> None:
    """Copy the database to `state_dir/before-upgrade/` before its schema changes. Raises Refused as `copy_database`."""
    kept = site.state_dir / KEPT
    done, part = kept / f"{current}-to-{newest}", kept / f"{current}-to-{newest}.part"
    with private_files():
        for old in (part, done):  # of a try that did not come to its end: the database was as it is now
            shutil.rmtree(old, ignore_errors=True)
        part.mkdir(parents=True)
        copy_database(site.database, part)
        part.rename(done)
        sync_file(kept)


def refuse_while_open(site: Site, version: str) -> None:
    """Raises Refused X_DRAW_OPEN when a draw is open that another version of the program has been running."""
    standing = _standing(site)
    if standing is not None and standing.open_draws and standing.started_by not in {None, version}:
        raise Refused(
            "X_DRAW_OPEN",
            f"{_draws(standing.open_draws)} under version {standing.started_by}, and this is {version}. "
            f"Start version {standing.started_by} again and change it after the close.",
        )


@dataclass(frozen=True, slots=True)
class Report:
    """Whether the program may be put in now, and why, line by line."""

    now: bool
    lines: tuple[str, ...]


def check_upgrade(site: Site, version: str) -> Report:
    """What would become of this site's database under this program. It reads and changes nothing."""
    standing = _standing(site)
    if standing is None or standing.schema is None:
        return Report(now=True, lines=("There is no database yet: the first start makes it.",))
    lines, now = [f"The core was last started by version {standing.started_by}; this is {version}."], True
    if not known_schema(standing.schema):
        lines.append(
            f"The database is of schema {standing.schema}, which this version does not know: it is older than what "
            "wrote it. Nothing goes back: put the newer program in, or restore a backup of before."
        )
        now = False
    elif standing.schema != newest_schema():
        lines.append(
            f"The database would be brought from schema {standing.schema} to {newest_schema()}, after a copy of it."
        )
        free, needed = shutil.disk_usage(site.state_dir).free, _size(site) * 3
        if free < needed:
            lines.append(f"The disk has {free >> 20} MB free and needs {needed >> 20} MB for the copy and the change.")
            now = False
    else:
        lines.append("The database's schema stays as it is.")
    if standing.open_draws:
        lines.append(f"{_draws(standing.open_draws)}: not before its close.")
        now = False
    return Report(now, tuple(lines))


def _standing(site: Site) -> Standing | None:
    try:
        with snapshot(site.database) as connection:
            return standing_of(connection)
    except Refused:  # there is no file yet
        return None


def _draws(ids: tuple[str, ...]) -> str:
    return f"The draw {ids[0]} is open" if len(ids) == 1 else f"{len(ids)} draws are open"


def _size(site: Site) -> int:
    """In bytes, of a database in a file; a server keeps its own room."""
    file = site.database.removeprefix("sqlite:///")
    try:
        return Path(file).stat().st_size
    except OSError:
        return 0
