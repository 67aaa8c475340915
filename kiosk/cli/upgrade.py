"""`floordraw upgrade check`: whether this version of the program may take over now."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from config.site import load_site
from kiosk.cli.faults import SITE


@click.group()
def upgrade() -> None:
    """Putting another version in."""


@upgrade.command("check")
@SITE
def upgrade_check(site_file: Path) -> None:
    """Say what this version would do to the database; exit code 1 when it must not be put in now."""
    from kiosk.assembly import VERSION  # noqa: PLC0415 - keeps `verify` quick to start
    from kiosk.upkeep.upgrade import check_upgrade  # noqa: PLC0415

    report = check_upgrade(load_site(site_file), VERSION)
    for line in report.lines:
        click.echo(line)
    click.echo("It may be put in now." if report.now else "Not now: nothing was changed.")
    sys.exit(0 if report.now else 1)
