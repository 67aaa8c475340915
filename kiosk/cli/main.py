"""The command `floordraw`. What it prints are sentences; a refusal ends it with exit code 1 and its reason code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path

import click

from config.site import load_site
from draw_engine.errors import Refused
from draw_engine.verify.__main__ import main as verify_main
from kiosk.cli import backup as cli_backup
from kiosk.cli import core as cli_core
from kiosk.cli import doctor as cli_doctor
from kiosk.cli import floor as cli_floor
from kiosk.cli import forms as cli_forms
from kiosk.cli import rules as cli_rules
from kiosk.cli import satellites as cli_satellites
from kiosk.cli import staff as cli_staff
from kiosk.cli import tls as cli_tls
from kiosk.cli import upgrade as cli_upgrade
from kiosk.cli.faults import DEFAULT_PORT, DEFAULT_SCREENS_PORT, RULES, SITE, Commands


@click.group(cls=Commands)
def floordraw() -> None:
    """Casino floor promotions: selections that anyone can redo."""


for group in (
    cli_core.lists,
    cli_core.feeds,
    cli_core.printers,
    cli_core.session,
    cli_core.record,
    cli_staff.staff,
    cli_floor.floor,
    cli_rules.rules,
    cli_satellites.print_spool,
    cli_satellites.screens,
    cli_tls.tls,
    cli_backup.backup,
    cli_doctor.doctor,
    cli_backup.key,
    cli_upgrade.upgrade,
    cli_forms.forms,
):
    floordraw.add_command(group)


@floordraw.command()
@SITE
def init(site_file: Path) -> None:
    """Make the property's master key, and say what to write on paper."""
    from draw_engine.store.paper_key import on_paper  # noqa: PLC0415 - keeps `verify` quick to start
    from draw_engine.store.sealing import make_master_key  # noqa: PLC0415
    from kiosk.assembly import MASTER_KEY  # noqa: PLC0415 - as above

    site = load_site(site_file)
    site.state_dir.mkdir(parents=True, exist_ok=True)
    words = make_master_key(site.state_dir / MASTER_KEY)
    click.echo(f"The master key is at {site.state_dir / MASTER_KEY}. Keep it out of every backup of the database.")
    click.echo("Write these letters on paper and put them in the safe; without the key no sealed seed can be opened:")
    click.echo(on_paper(words))


@floordraw.command()
@SITE
@RULES
@click.option("--port", default=DEFAULT_PORT, show_default=True)
@click.option("--screens-port", default=DEFAULT_SCREENS_PORT, show_default=True, help="Where the screens are served.")
@click.option("--screens/--no-screens", "own_screens", default=True, help="Without: `floordraw screens` runs beside.")
def serve(site_file: Path, rules: Sequence[Path], port: int, screens_port: int, *, own_screens: bool) -> None:
    """Run the core of a property and its screens."""
    from draw_engine.clock import SteadyClock  # noqa: PLC0415 - keeps `verify` quick to start
    from draw_engine.seeds import SystemSeeds  # noqa: PLC0415
    from kiosk.assembly import house_of, open_own_store  # noqa: PLC0415
    from kiosk.screens.process import ScreenProcess  # noqa: PLC0415
    from kiosk.screens.tls import SecureScreens  # noqa: PLC0415
    from kiosk.serving import Serving  # noqa: PLC0415
    from kiosk.upkeep.clock_health import trouble  # noqa: PLC0415

    site = load_site(site_file)
    house = house_of(site, [file.read_bytes() for file in rules])
    serving = Serving(
        house,
        lambda: open_own_store(site, SystemSeeds()),
        SteadyClock(trouble=trouble) if site.require_clock_sync else SteadyClock(),
        port=port,
        demo=False,
        site_toml=site_file.read_bytes(),
    )
    serving.stop_on_signals()
    screens: ScreenProcess | None = None
    try:
        serving.start()
        click.echo(f"Floordraw runs. Console: {serving.address}/console")
        if own_screens:
            secure = None if site.web is None else SecureScreens.of(site.web, site.hosts)
            screens = ScreenProcess(serving.url, port=screens_port, secure=secure)
            try:
                screens.start()
                click.echo(f"Floor screens: {screens.url}/screens/NAME")
            except Refused as refusal:  # the draws go on without: the core's own address serves a few screens, too
                click.echo(f"{refusal.sentence} Until then: {serving.url}/screens/NAME", err=True)
        serving.wait()
    finally:
        if screens is not None:
            screens.stop()
        serving.stop()
    sys.exit(1 if serving.failed else 0)


@floordraw.command()
@click.option("--folder", type=click.Path(path_type=Path), default=Path("var/demo"), show_default=True)
@click.option("--port", default=DEFAULT_PORT, show_default=True)
def demo(folder: Path, port: int) -> None:
    """A Silverstar Saturday with a simulated floor, every screen live."""
    from kiosk.demo.run import run_demo  # noqa: PLC0415 - keeps `verify` quick to start

    sys.exit(run_demo(folder, port))


# -- rehearsing and verifying -----------------------------------------------------------------------------------


@floordraw.command()
@click.option("--rules", "rules_file", type=click.Path(path_type=Path), required=True)
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), required=True)
@click.option("--floor", "floor_dir", type=click.Path(path_type=Path), required=True)
@click.option("--out", type=click.Path(path_type=Path), required=True)
@click.option("--session", "session_id", help="one draw of the rule book alone")
@click.option("--house-seed", metavar="HEX", help="32 bytes; without it one is made and written to summary.json")
@click.option("--crew", "crew_file", type=click.Path(path_type=Path), help="CREW.toml")
def rehearse(
    rules_file: Path,
    day: datetime,
    floor_dir: Path,
    out: Path,
    session_id: str | None,
    house_seed: str | None,
    crew_file: Path | None,
) -> None:
    """Play a day of a rule book over a recorded floor."""
    from kiosk.rehearsal.rehearse import RehearsalOrder  # noqa: PLC0415 - keeps `verify` quick to start
    from kiosk.rehearsal.rehearse import rehearse as play  # noqa: PLC0415

    order = RehearsalOrder(
        rules=rules_file.read_bytes(),
        day=_day(day),
        floor=floor_dir,
        session=session_id,
        seed=_seed(house_seed),
        crew=None if crew_file is None else crew_file.read_bytes(),
    )
    told = play(order, out)
    for name, draw in told["draws"].items():
        click.echo(f"{name}: {draw['filled']} of {draw['awards']} awards filled in {draw['attempts']} selections.")
    click.echo(f"The records are in {out}; summary.json tells the rest. Check one: floordraw verify {out}/NAME")


def _day(moment: datetime) -> date:
    return moment.date()


def _seed(text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if len(seed) != 32:
        raise click.UsageError("--house-seed needs 64 hex digits (32 bytes).")
    return seed


@floordraw.command(context_settings={"ignore_unknown_options": True, "help_option_names": []}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def verify(arguments: Sequence[str]) -> None:
    """Redo a draw from its published record; `floordraw verify --help` tells how."""
    sys.exit(verify_main(arguments, sys.stdout))


@floordraw.group()
def log() -> None:
    """The property's log."""


@log.command("verify")
@SITE
@click.option("--slip", "slips", type=click.Path(path_type=Path), multiple=True, help="printed slips as text")
def log_verify(site_file: Path, slips: Sequence[Path]) -> None:
    """Check the whole log: every entry, every checkpoint, and printed slips; names the first bad entry."""
    from kiosk.upkeep.log_check import check_log  # noqa: PLC0415 - keeps `verify` quick to start

    sound, lines = check_log(load_site(site_file), [file.read_bytes().decode("utf-8", "replace") for file in slips])
    for line in lines:
        click.echo(line)
    sys.exit(0 if sound else 1)


def main() -> None:
    """The command's entry."""
    floordraw(prog_name="floordraw")
