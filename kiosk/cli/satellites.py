"""The commands that run beside the core: a printer's spool, and the server of many screens."""

from __future__ import annotations

import os
from pathlib import Path

import click

from config.site import Printer, load_site
from draw_engine.errors import Refused
from kiosk.cli.faults import CORE, DEFAULT_SCREENS_PORT, SITE
from kiosk.cli.floor import until_told
from kiosk.own_log import set_up_log
from printers.links import PrinterPlace

_TOKEN = "FLOORDRAW_PRINTER_TOKEN"  # noqa: S105 - the variable's name


@click.command("print-spool")
@click.argument("printer_id", metavar="PRINTER")
@SITE
@CORE
@click.option("--state", type=click.Path(path_type=Path), help="Where it keeps what it has not reported yet.")
@click.option("--until-input-ends", is_flag=True, help="Stop when the standard input is closed.")
def print_spool(printer_id: str, site_file: Path, core_url: str, state: Path | None, *, until_input_ends: bool) -> None:
    """Fetch PRINTER's slips from the core, print them and say what became of them.

    Its token, as `floordraw printers add PRINTER` printed it, is read from FLOORDRAW_PRINTER_TOKEN.
    """
    from kiosk.printing import spool  # noqa: PLC0415 - keeps `verify` quick to start

    set_up_log()
    site = load_site(site_file)
    printer = site.printer(printer_id)
    if printer is None:
        raise Refused("X_NO_SUCH_PRINTER", f"There is no [[printer]] {printer_id} in {site_file}. Name one that is.")
    token = os.environ.get(_TOKEN, "")
    if not token:
        raise Refused(
            "X_NO_PERMISSION", f"Put the token of {printer_id} into {_TOKEN}: floordraw printers add prints one."
        )
    stop = until_told(or_input_ends=until_input_ends)
    folder = state or site.state_dir / "spool"
    spool.run(printer_id, place_of(printer), core=core_url, token=token, folder=folder, stop=stop)


def place_of(printer: Printer) -> PrinterPlace:
    """Where a printer of the site's settings is."""
    return PrinterPlace(
        device=printer.device,
        host=printer.host,
        port=printer.port,
        path=printer.path,
        baud=printer.baud,
        vendor=int(printer.vendor or "0", 16),
        product=int(printer.product or "0", 16),
    )


_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("screens")
@CORE
@click.option("--port", default=DEFAULT_SCREENS_PORT, show_default=True)
@click.option("--site", "site_file", type=_FILE, help="site.toml: serve them over HTTPS as its [web] says, too")
@click.option("--certificate", type=_FILE, help="a copy of the certificate, where the site's own may not be read")
@click.option("--key", type=_FILE, help="a copy of its key")
def screens(core_url: str, port: int, site_file: Path | None, certificate: Path | None, key: Path | None) -> None:
    """Serve the floor screens to hundreds, from a process of its own: it hears the core as one of them."""
    from kiosk.screens import server as screen_server  # noqa: PLC0415 - keeps `verify` quick to start
    from kiosk.screens.tls import SecureScreens  # noqa: PLC0415

    site = None if site_file is None else load_site(site_file)
    secure = None
    if site is not None and site.web is not None:
        secure = SecureScreens.of(site.web, site.hosts, certificate=certificate, key=key)
    ready = lambda url: click.echo(f"Screens: {url}/screens/NAME")  # noqa: E731 - a line of its own would say no more
    screen_server.run(core_url, port=port, ready=ready, secure=secure)
