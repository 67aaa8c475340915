"""A property's own things: its key, database, journal, lists, feeds, printers, certificate and backups."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import Connection, func, select

from config.site import Site
from config.words import counted
from draw_engine.errors import Refused, RuleBroken
from draw_engine.store import tables
from draw_engine.store.database import newest_schema
from draw_engine.store.sealing import MasterKey, read_master_key
from kiosk.demo.clock import DEMO_CLOCK
from kiosk.https.files import TlsFiles
from kiosk.upkeep.backup import backups_in
from kiosk.upkeep.findings import Finding, bad, fine, warn
from kiosk.upkeep.log_rows import snapshot

_HOUR_MS = 3_600_000
_DAYS_LEFT, _DAYS_LEAST = 30, 7
_BACKUP_HOURS = 36
_NEEDED = ("members", "exclusions", "staff", "positions")
_START = "Start its bridge: systemctl status floor-bridge@{feed}."
_SPOOL = "Look at it, then at its spool: systemctl status print-spool@{printer}."
_PRINTS = frozenset({"ready", "silent"})


def _key_of(files: list[Path]) -> tuple[Path, MasterKey]:
    """The first file that is there, and its key. Raises Refused as the reader does."""
    file = next((file for file in files if file.exists()), files[0])
    return file, read_master_key(file)


def master_key(site: Site, files: list[Path]) -> Finding:
    """Whether it is there, closed to others, and the one that the database was made with."""
    try:
        file, key = _key_of(files)
    except Refused as refusal:
        return bad("master key", refusal.code, refusal.sentence, "Without the key no session opens.")
    try:
        with snapshot(site.database) as connection:
            asked = select(tables.sealed_keys.c.sealed).where(tables.sealed_keys.c.name == "signing")
            sealed = connection.execute(asked).scalar_one_or_none()
    except Refused:
        sealed = None
    if sealed is None:
        return fine("master key", f"{file} is there; nothing is sealed with it yet.")
    try:
        key.unseal("signing", sealed)
    except RuleBroken:
        todo = "Put back the key that this database was made with: the file, or the letters from the safe."
        return bad("master key", "X_WRONG_MASTER_KEY", f"{file} is the key of another database.", todo)
    return fine("master key", f"{file} opens what is sealed.")


def in_database(site: Site, now: int, *, running: bool, heard: Mapping[str, str]) -> list[Finding]:
    """The database itself, and what the core wrote into it of lists, feeds and printers.

    `heard`: printer -> its state, as a core that runs has it: that a spool has fallen silent is written nowhere.
    """
    try:
        with snapshot(site.database) as connection:
            return [
                _database(connection, running=running),
                *_lists(connection, site, _time_of(connection, now)),
                *_feeds(connection, site, running=running),
                *_printers(connection, site, heard, running=running),
            ]
    except Refused as refusal:
        if running:
            return [bad("database", refusal.code, refusal.sentence, "Stop the core; put back the newest backup.")]
        return [warn("database", refusal.code, refusal.sentence, "The first start of the core makes it.")]


def _database(connection: Connection, *, running: bool) -> Finding:
    if connection.dialect.name == "sqlite":
        said = connection.exec_driver_sql("PRAGMA quick_check(3)").scalars().all()
        if said != ["ok"]:
            todo = "Stop the core and put back the newest backup: docs/backup.md. Keep the damaged file."
            return bad("database", "X_DATABASE_DAMAGED", "The database is damaged.", todo)
        mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar_one()
        if mode != "wal":
            todo = "Stop whatever else opens it; the core puts it right at its start."
            if not running:  # as it is after a restore
                return warn(
                    "database", "X_DATABASE_NOT_WAL", f"It is in {mode} mode.", "The core's start puts it right."
                )
            return bad("database", "X_DATABASE_NOT_WAL", f"The database is in {mode} mode instead of WAL.", todo)
    schema = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one_or_none()
    if schema != newest_schema():
        sentence = f"Its schema is {schema}, this program's is {newest_schema()}."
        todo = "It is brought up to date at the core's start; `floordraw upgrade check` tells whether it may be now."
        found = bad if running else warn
        return found("database", "X_OTHER_SCHEMA", sentence, todo)
    head = connection.execute(select(tables.log_head.c.seq)).scalar_one_or_none()
    return fine("database", f"Whole, of this program's schema; the log has {head or 0:,} entries.")


def _time_of(connection: Connection, now: int) -> int:
    """What time it is for this database: a demo has a clock of its own, and writes down where it stands."""
    kept = tables.settings.c
    said = connection.execute(select(kept.value).where(kept.name == DEMO_CLOCK)).scalar_one_or_none()
    return now if said is None else int(said)


def _lists(connection: Connection, site: Site, now: int) -> list[Finding]:
    kept = tables.list_versions.c
    asked = select(kept.kind, func.max(kept.fresh_at).label("fresh_at")).group_by(kept.kind)
    newest = {row.kind: row.fresh_at for row in connection.execute(asked)}
    limits = {
        "members": site.list_age_hours.members,
        "exclusions": site.list_age_hours.exclusions,
        "staff": site.list_age_hours.staff,
    }
    found = []
    for kind in _NEEDED:
        load = f"Load it: floordraw lists load {kind} FILE."
        fresh_at = newest.get(kind)
        if fresh_at is None:
            found.append(bad("lists", "X_LIST_TOO_OLD", f"The {kind} list has not been loaded.", load))
            continue
        hours, limit = (now - tables.millis(fresh_at)) // _HOUR_MS, limits.get(kind)
        sentence = f"The {kind} list is {hours} h old" + (f"; the limit is {limit} h." if limit else ".")
        if limit is not None and hours >= limit:
            found.append(bad("lists", "X_LIST_TOO_OLD", sentence, load))
        else:
            found.append(fine("lists", sentence))
    return found


def _feeds(connection: Connection, site: Site, *, running: bool) -> list[Finding]:
    log = tables.log_entries.c
    kinds = [f"feed.{state}" for state in ("up", "stale", "down", "unsure", "unheard")]
    asked = select(log.kind, log.data).where(log.draw.is_(None), log.kind.in_(kinds)).order_by(log.seq)
    states = {json.loads(data)["feed"]: kind.removeprefix("feed.") for kind, data in connection.execute(asked)}
    last = "" if running else " when the core was last there"
    found = []
    for feed in site.feeds:
        state = states.get(feed.id, "unheard")
        if feed.token_sha256 is None:
            todo = f"Make one: floordraw feeds add {feed.id}."
            found.append(warn("feeds", "X_NO_TOKEN", f"{feed.id} has no token: it cannot post.", todo))
        elif state == "up":
            found.append(fine("feeds", f"{feed.id} was heard{last}."))
        else:
            found.append(warn("feeds", "SS_FEED_STALE", f"{feed.id} is {state}{last}.", _START.format(feed=feed.id)))
    if not site.feeds:
        todo = "Name them in site.toml under [[feed]]; without one nobody can be selected."
        found.append(bad("feeds", "X_NO_FEED", "The settings name no feed.", todo))
    return found


def _printers(connection: Connection, site: Site, heard: Mapping[str, str], *, running: bool) -> list[Finding]:
    kept = tables.settings.c
    asked = select(kept.name, kept.value).where(kept.name.startswith("printer.", autoescape=True))
    states = {
        name.removeprefix("printer."): json.loads(value)["state"] for name, value in connection.execute(asked)
    } | dict(heard)
    last = "" if running else " when the core was last there"
    found = []
    for printer in site.printers:
        state, todo_spool = states.get(printer.id), _SPOOL.format(printer=printer.id)
        if printer.token_sha256 is None:
            todo = f"Make one: floordraw printers add {printer.id}."
            found.append(warn("printers", "X_NO_TOKEN", f"{printer.id} has no token: its spool cannot fetch.", todo))
        elif state in {"unheard", "never"}:
            found.append(warn("printers", "X_SPOOL_DOWN", f"{printer.id}: its spool does not run.", todo_spool))
        elif state in _PRINTS:
            found.append(fine("printers", f"{printer.id} was ready{last}."))
        else:
            sentence = f"{printer.id}: {state.replace('_', ' ')}{last}." if state else f"{printer.id} was never heard."
            found.append(warn("printers", "X_PRINTER_NOT_READY", sentence, todo_spool))
    return found


def floor_journal(site: Site) -> Finding:
    """Whether the journal has what the database counted."""
    try:
        with snapshot(site.database) as connection:
            counted_to = connection.execute(
                select(tables.journal_head.c.segment, tables.journal_head.c.length)
            ).one_or_none()
    except Refused:
        counted_to = None
    if counted_to is None:
        return fine("journal", "Nothing has been heard yet.")
    segment, length = counted_to
    file = site.journal_dir / f"{segment}.jsonl"
    size = file.stat().st_size if file.exists() else 0
    if size < length:
        todo = f"Put back the folder {site.journal_dir} as it was: the core does not start without it."
        return bad("journal", "X_JOURNAL_SHORT", f"{segment} has {size} bytes; {length} were counted.", todo)
    return fine("journal", f"{segment} has the {length} bytes that were counted.")


def certificate(site: Site, now: int) -> Finding:
    """How long the certificate of HTTPS is good for, and whether browsers take it."""
    if site.web is None:
        todo = "Write [web] into site.toml, then: floordraw tls init."
        return warn("certificate", "X_NO_WEB", "No HTTPS: tablets and desks cannot reach the core.", todo)
    standing = TlsFiles(site).standing(now=now)
    renew = "Renew it: floordraw tls renew (or floordraw tls use, where it is the house's own)."
    if standing.faults:
        return bad("certificate", "X_CERTIFICATE_WRONG", " ".join(standing.faults), renew)
    sentence = f"The certificate is good for {counted(standing.days_left, 'day')} more."
    if standing.days_left < _DAYS_LEAST:
        return bad("certificate", "X_CERTIFICATE_ENDS", sentence, renew)
    if standing.days_left < _DAYS_LEFT:
        return warn("certificate", "X_CERTIFICATE_ENDS", sentence, renew)
    return fine("certificate", sentence)


def backups(site: Site, folder: Path, now: int) -> Finding:
    """How old the newest whole backup is. Whether it holds, `floordraw backup check` tells."""
    kept = backups_in(folder, site.property)
    if not kept:
        todo = f"Make one: floordraw backup make --to {folder}, and enable draw-backup.timer."
        return warn("backup", "X_NO_BACKUP", f"There is no backup in {folder}.", todo)
    hours = (now - kept[-1][1].made_at) // _HOUR_MS
    sentence = f"The newest of {len(kept)} is {hours} h old."
    if hours >= _BACKUP_HOURS:
        todo = "See why: systemctl status draw-backup.timer draw-backup.service."
        return warn("backup", "X_BACKUP_OLD", sentence, todo)
    return fine("backup", sentence)
