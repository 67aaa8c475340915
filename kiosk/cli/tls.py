"""`floordraw tls`: the certificate by which tablets and desks know the core."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from config.site import load_site
from config.words import counted, day_words
from kiosk.cli.faults import SITE

if TYPE_CHECKING:
    from kiosk.https.files import Standing, TlsFiles

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.group()
def tls() -> None:
    """The certificate of the property's HTTPS."""


@tls.command("init")
@click.option("--within", multiple=True, metavar="NAME", help="a domain or network it may sign for later")
@click.option("--anew", is_flag=True, help="replace what is there: every device must then trust it again")
@SITE
def tls_init(site_file: Path, within: Sequence[str], *, anew: bool) -> None:
    """Make the property's own certificate authority and the server's certificate.

    The authority lasts ten years and may sign for the names of [web] alone, and for what --within adds.
    """
    files, now = _files(site_file), _now()
    files.init(within, anew=anew, now=now)
    click.echo(f"The property's authority is in {files.authority}; its key {files.authority_key.name} is beside it.")
    click.echo("Whoever has that key can pass for this core: keep it out of every backup that leaves the house.")
    _tell(files.standing(now=now))
    click.echo(
        f"Start the core; then tablets learn to trust it at http://{files.web.trust_name}:{files.web.port}/trust"
    )


@tls.command("renew")
@click.option("--ca-key", type=_FILE, help="where the authority's key is kept, if not in the state folder")
@click.option("--if-within", "days", type=click.IntRange(min=1), help="only when it ends within so many days")
@SITE
def tls_renew(site_file: Path, ca_key: Path | None, days: int | None) -> None:
    """Make a new server's certificate for the names of [web]; a running core takes it within seconds."""
    files, now = _files(site_file), _now()
    if days is not None and files.web.certificate.exists():
        standing = files.standing(now=now)
        if standing.days_left > days and not standing.faults:
            click.echo(f"It is valid for {counted(standing.days_left, 'day')} more; nothing was changed.")
            return
    files.renew(ca_key, now=now)
    _tell(files.standing(now=now))


@tls.command("use")
@click.argument("certificate", type=_FILE)
@click.argument("key", type=_FILE)
@click.option("--ca", "authority", type=_FILE, help="what the property's devices must trust, to be offered at /trust")
@SITE
def tls_use(certificate: Path, key: Path, authority: Path | None, site_file: Path) -> None:
    """Take the property's own CERTIFICATE, the server's first and then what signed it, and its KEY. Both are PEM."""
    files, now = _files(site_file), _now()
    files.use(certificate, key, authority, now=now)
    click.echo(f"Certificate and key are taken. Copies are in {files.web.certificate.parent}.")
    _tell(files.standing(now=now))


@tls.command("show")
@SITE
@click.pass_context
def tls_show(context: click.Context, site_file: Path) -> None:
    """Say what the certificate is for, until when, its fingerprint, and what is wrong with it."""
    standing = _files(site_file).standing(now=_now())
    _tell(standing)
    if standing.faults:
        context.exit(1)


def _files(site_file: Path) -> TlsFiles:
    from kiosk.https.files import TlsFiles  # noqa: PLC0415 - keeps `verify` quick to start

    return TlsFiles(load_site(site_file))


def _now() -> int:
    from draw_engine.clock import SteadyClock  # noqa: PLC0415 - keeps `verify` quick to start

    return SteadyClock().now()


def _tell(standing: Standing) -> None:
    from kiosk.https.certificates import grouped  # noqa: PLC0415
    from kiosk.https.fingerprint_words import in_words  # noqa: PLC0415 - keeps `verify` quick to start

    left = standing.days_left
    click.echo(f"Names: {', '.join(standing.names) or 'none'}")
    ends = f"until {day_words(standing.ends.date())}"
    click.echo(
        f"Valid: from {day_words(standing.begins.date())} {ends}, {counted(left, 'day') if left >= 0 else 'over'}"
    )
    whose = "the authority, which devices trust" if standing.authority else "the certificate itself"
    click.echo(f"Fingerprint (SHA-256) of {whose}:\n  {grouped(standing.fingerprint)}")
    click.echo(f"In words: {in_words(standing.fingerprint)}")
    for fault in standing.faults:
        click.echo(f"Wrong: {fault}")
