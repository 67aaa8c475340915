"""`floordraw backup …` and `floordraw key restore`: a property's life, and its key apart from it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from config.site import load_site
from draw_engine.errors import Refused
from kiosk.cli.faults import SITE

_SLIPS = click.option("--slip", "slips", type=click.Path(path_type=Path), multiple=True, help="printed slips as text")
_PATH = click.Path(path_type=Path)


@click.group()
def backup() -> None:
    """Backups, without the key."""


@backup.command("make")
@SITE
@click.option("--to", type=_PATH, required=True, help="the folder that backups are kept in")
@click.option("--keep", type=click.IntRange(1), help="how many to keep: older ones are removed")
@click.option("--rules", "rules", type=_PATH, multiple=True, help="a rule book file that no draw has used yet")
def backup_make(site_file: Path, to: Path, keep: int | None, rules: Sequence[Path]) -> None:
    """Make one, while the core runs or not; it is checked before it counts and before an older one goes."""
    from draw_engine.clock import SteadyClock  # noqa: PLC0415 - keeps `verify` quick to start
    from kiosk.upkeep import backup as backups  # noqa: PLC0415
    from kiosk.upkeep.backup_manifest import read_manifest  # noqa: PLC0415

    site = load_site(site_file)
    made = backups.make(site, site_file.read_bytes(), to, now=SteadyClock().now(), rules=rules)
    click.echo(f"The backup is {made}, and holds. {_where(read_manifest(made).head)}")
    if keep is not None:
        gone = backups.prune(to, site.property, keep)
        click.echo(f"{len(gone)} older removed.")
    click.echo("The master key is not in it: that is on paper, in the safe.")


@backup.command("check")
@click.argument("folder", type=_PATH)
@click.option("--max-age-hours", type=click.IntRange(1), help="fail when it is older")
@_SLIPS
def backup_check(folder: Path, max_age_hours: int | None, slips: Sequence[Path]) -> None:
    """Check every digest, the database, the log's chain and the journal of a backup, or of the newest in FOLDER."""
    from draw_engine.clock import SteadyClock  # noqa: PLC0415 - keeps `verify` quick to start
    from kiosk.upkeep import backup as backups  # noqa: PLC0415
    from kiosk.upkeep.backup_manifest import MANIFEST, read_manifest  # noqa: PLC0415

    if not (folder / MANIFEST).exists():
        found = backups.backups_in(folder)
        if not found:
            raise Refused("X_NO_BACKUP", f"There is no backup in {folder}.")
        folder = found[-1][0]
    manifest = read_manifest(folder)
    faults = backups.check(folder, _texts(slips))
    hours = (SteadyClock().now() - manifest.made_at) // 3_600_000
    if max_age_hours is not None and hours >= max_age_hours:
        faults.append(f"it is {hours} hours old, and may be {max_age_hours}")
    for fault in faults:
        click.echo(f"{folder.name}: {fault}")
    if not faults:
        click.echo(f"{folder.name} holds: {len(manifest.files)} files. {_where(manifest.head)}")
    sys.exit(1 if faults else 0)


@backup.command("list")
@click.argument("folder", type=_PATH)
def backup_list(folder: Path) -> None:
    """The backups in FOLDER, the oldest first."""
    from kiosk.upkeep import backup as backups  # noqa: PLC0415 - keeps `verify` quick to start

    for path, manifest in backups.backups_in(folder):
        size = sum(size for size, _ in manifest.files.values())
        made = datetime.fromtimestamp(manifest.made_at // 1000, UTC)
        click.echo(f"{path.name}  {made:%Y-%m-%d %H:%M} UTC  {size / 1e6:.1f} MB  {_where(manifest.head)}")


@backup.command("restore")
@click.argument("folder", type=_PATH, metavar="BACKUP")
@SITE
@_SLIPS
def backup_restore(folder: Path, site_file: Path, slips: Sequence[Path]) -> None:
    """Put BACKUP where site.toml says, if nothing is there; without a site.toml the backup's own is put there first."""
    from kiosk.upkeep.restore import restore  # noqa: PLC0415 - keeps `verify` quick to start

    restored = restore(folder, site_file, _texts(slips))
    click.echo(f"It is put back, by {site_file}. {_where(restored.manifest.head)}")
    for line in restored.lines:
        click.echo(line)
    if not slips:
        click.echo("Give the newest printed slip to `floordraw log verify --slip`: it shows what is lost.")
    click.echo("Next: `floordraw key restore`, with the key's paper; then certificates, then start the core.")
    click.echo(f"Rule books and certificates are in {restored.site.state_dir / 'restored'}.")
    sys.exit(0 if restored.holds else 1)


def _texts(slips: Sequence[Path]) -> list[str]:
    return [file.read_bytes().decode("utf-8", "replace") for file in slips]


def _where(head: tuple[int, str] | None) -> str:
    return "The log is empty." if head is None else f"The log comes to entry {head[0]}, {head[1][:16]}…"


@click.group()
def key() -> None:
    """The master key."""


@key.command("restore")
@SITE
@click.option("--to", type=_PATH, help="Where the key file goes; without it into state_dir.")
def key_restore(site_file: Path, to: Path | None) -> None:
    """Make the key file anew from its paper, typed in; it is tried on the property's database first."""
    from draw_engine.store.paper_key import key_from_paper, write_master_key  # noqa: PLC0415 - `verify` starts quickly
    from kiosk.assembly import MASTER_KEY  # noqa: PLC0415
    from kiosk.upkeep.restore import key_opens  # noqa: PLC0415

    site = load_site(site_file)
    place = to or site.state_dir / MASTER_KEY
    if place.exists():
        raise Refused("X_KEY_EXISTS", f"There is a master key at {place} already; nothing was changed.")
    typed = key_from_paper(click.prompt("The letters on the paper, all groups", hide_input=True))
    opened = key_opens(site, typed)
    place.parent.mkdir(parents=True, exist_ok=True)
    write_master_key(place, typed)
    tried = "There is no database to try it on." if opened is None else f"It opens all {opened} seals of the database."
    click.echo(f"The master key is at {place}. {tried}")
