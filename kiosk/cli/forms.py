"""`floordraw forms`: the paper forms for a total outage, to be printed before it."""

from __future__ import annotations

from pathlib import Path

import click

from config.site import load_site
from kiosk.cli.faults import SITE


@click.command("forms")
@SITE
@click.option("--out", type=click.Path(path_type=Path), required=True, help="the folder the page is written to")
@click.option("--first", type=click.IntRange(1, 999), default=1, show_default=True, help="the first form's number")
@click.option("--copies", type=click.IntRange(1, 40), default=2, show_default=True, help="how many of each form")
def forms(site_file: Path, out: Path, first: int, copies: int) -> None:
    """Write numbered forms as a page to print, for what is written by hand while everything stands still."""
    from kiosk.upkeep.paper_forms import write_forms  # noqa: PLC0415 - keeps `verify` quick to start

    file, free = write_forms(load_site(site_file), out, first=first, copies=copies)
    click.echo(f"Print {file}, A4 across. The next number is {free}; docs/paper-forms.md tells how they are used.")
