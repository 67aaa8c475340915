"""`floordraw doctor`: everything a session needs, looked at in a few seconds."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from kiosk.cli.faults import DEFAULT_PORT, DEFAULT_SCREENS_PORT, SITE

_PATH = click.Path(path_type=Path)


@click.command()
@SITE
@click.option("--backups", type=_PATH, default=Path("/var/backups/floordraw"), show_default=True)
@click.option(
    "--key", "key_file", type=_PATH, help="the master key, where it lies neither beside SITE nor in the state"
)
@click.option("--port", default=DEFAULT_PORT, show_default=True)
@click.option("--screens-port", default=DEFAULT_SCREENS_PORT, show_default=True)
@click.option("--json", "in_json", is_flag=True, help="for programs: {ok, checks: [{check, level, code, …}]}")
def doctor(
    site_file: Path, backups: Path, key_file: Path | None, port: int, screens_port: int, *, in_json: bool
) -> None:
    """Look at clock, disk, key, database, journal, lists, feeds, printers, certificate, backup and ports.

    Changes nothing, shows no secret, works with the core down. Ends with 0 when all is well, 1 when something should
    be seen to, 2 when something is bad.
    """
    from draw_engine.clock import SteadyClock  # noqa: PLC0415 - keeps `verify` quick to start
    from kiosk.upkeep import findings  # noqa: PLC0415
    from kiosk.upkeep.doctor import Place, examine  # noqa: PLC0415

    keys = () if key_file is None else (key_file,)
    place = Place(site_file, SteadyClock().now, backups, port, screens_port, keys)
    found = examine(place)
    if in_json:
        click.echo(json.dumps(findings.as_json(found), indent=1))
    else:
        for line in findings.as_lines(found):
            click.echo(line)
    sys.exit(findings.exit_code(found))
