"""The commands that act through the running core: lists, feeds, the open session, records."""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import zipfile
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from config.site import load_site
from draw_engine.errors import Refused
from kiosk.cli.faults import CORE, RULES, SITE, answer_of, no_core
from kiosk.cli.signed import BY, answers, as_machine, second_of, signed_in

_SECOND = click.option("--second", required=True, help="the second person, who types their secret, too")
_REASON = click.option("--reason", required=True, help="why, in a few words")
_CATEGORIES = ["refusal_of_entry", "self_excluded", "excluded_category", "staff_or_related"]


@click.group()
def lists() -> None:
    """Members, exclusions, staff, positions."""


@lists.command("load")
@click.argument("kind", type=click.Choice(["members", "exclusions", "staff", "positions"]))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--by", default="", help="who loads it: they sign in; without it whoever runs the core")
@SITE
@RULES
@CORE
def lists_load(kind: str, file: Path, by: str, site_file: Path, rules: Sequence[Path], core_url: str) -> None:
    """Load a new version of a list, whole or not at all; every fault is named.

    It goes to the core that runs, which must be this site's; where none runs, to the database itself by --rules.
    """
    content = file.read_bytes()
    if answers(core_url):
        with signed_in(core_url, by) if by else as_machine(site_file) as core:
            whose = {"core": _core_of(site_file)}
            rows = answer_of(core.post(f"{core_url}/lists/{kind}", params=whose, data=content, timeout=60))["rows"]
    elif by:
        raise Refused("X_NOT_SIGNED_IN", "Nobody can sign in while no core runs: start it, or leave --by out.")
    else:
        rows = _without_core(site_file, rules, lambda engine: _load(engine, kind, content))
    click.echo(f"The {kind} list is loaded: {rows} rows.")


@lists.command("exclude")
@click.argument("member")
@click.argument("category", type=click.Choice(_CATEGORIES))
@click.option("--from", "first", type=click.DateTime(["%Y-%m-%d"]), required=True)
@click.option("--to", "last", type=click.DateTime(["%Y-%m-%d"]), help="the last day; without it until it is lifted")
@BY
@CORE
def lists_exclude(member: str, category: str, first: datetime, last: datetime | None, by: str, core_url: str) -> None:
    """Enter one exclusion at a desk: it holds at once."""
    said = {"member": member, "category": category, "from": f"{first:%Y-%m-%d}"}
    if last is not None:
        said["to"] = f"{last:%Y-%m-%d}"
    with signed_in(core_url, by) as core:
        answer_of(core.post(f"{core_url}/exclusions", json=said, timeout=60))
    until = f" to {last:%d %B %Y}" if last is not None else ", until it is lifted"
    click.echo(f"The exclusion is entered: from {first:%d %B %Y}{until}. A new exclusions file does not take it back.")


def _core_of(site_file: Path) -> str:
    """Where the core of this site keeps its state; "" without a site file: then any core may answer."""
    return str(load_site(site_file).state_dir.resolve()) if site_file.exists() else ""


def _load(engine: Any, kind: str, content: bytes) -> int:
    from draw_engine.service import house  # noqa: PLC0415 - keeps `verify` quick to start

    return house.load_list_by(engine, kind, content, by="")


def _without_core(site_file: Path, rules: Sequence[Path], act: Callable[[Any], Any]) -> Any:
    """Do it on the database itself, with the core's lock: no core runs. Refused X_SESSION_OPEN while a draw is open."""
    from draw_engine.clock import SteadyClock  # noqa: PLC0415 - keeps `verify` quick to start
    from draw_engine.seeds import SystemSeeds  # noqa: PLC0415
    from kiosk.assembly import house_of, live_engine, lock_core, open_store  # noqa: PLC0415

    site = load_site(site_file)
    house = house_of(site, [file.read_bytes() for file in rules])
    lock = lock_core(site.state_dir)
    try:
        store = open_store(site, SystemSeeds())
        try:
            engine = live_engine(house, store, SteadyClock())
            if any(draw.state.closed_at is None for draw in engine.draws.values()):
                # What was due meanwhile must be logged before anything else: the core does that at its start.
                raise Refused("X_SESSION_OPEN", "A session is open: start the core with `floordraw serve`, then again.")
            return act(engine)
        finally:
            store.database.dispose()
    finally:
        os.close(lock)


# -- feeds and the session --------------------------------------------------------------------------------------


@click.group()
def feeds() -> None:
    """The floor's feeds."""


@feeds.command("add")
@click.argument("feed_id")
@SITE
def feeds_add(feed_id: str, site_file: Path) -> None:
    """Make a feed's token, print it once, and say what to put into site.toml."""
    site = load_site(site_file)
    token = secrets.token_urlsafe(32)
    click.echo(f"Give this token to the bridge of {feed_id}; it is shown only now:\n{token}")
    known = site.feed(feed_id)
    where = f"under the [[feed]] {feed_id}" if known else f'with [[feed]], id = "{feed_id}" and brings = […]'
    click.echo(f"Put this line into {site_file} {where}, then start the core again:")
    click.echo(f'token_sha256 = "{hashlib.sha256(token.encode()).hexdigest()}"')


@click.group()
def printers() -> None:
    """The slip printers."""


@printers.command("add")
@click.argument("printer_id")
@SITE
def printers_add(printer_id: str, site_file: Path) -> None:
    """Make a printer's token, print it once, and say what to put into site.toml."""
    site = load_site(site_file)
    token = secrets.token_urlsafe(32)
    click.echo(f"Give this token to the spool of {printer_id}; it is shown only now:\n{token}")
    known = site.printer(printer_id)
    where = f"under the [[printer]] {printer_id}" if known else f'with [[printer]], id = "{printer_id}" and its device'
    click.echo(f"Put this line into {site_file} {where}, then start the core again:")
    click.echo(f'token_sha256 = "{hashlib.sha256(token.encode()).hexdigest()}"')


@feeds.command("exclude")
@click.argument("feed_id")
@BY
@_SECOND
@_REASON
@CORE
def feeds_exclude(feed_id: str, by: str, second: str, reason: str, core_url: str) -> None:
    """Go on without a feed for the open session: two people and a reason."""
    _press(core_url, f"/console/feeds/{feed_id}/exclude", by, second, reason)
    click.echo(f"The feed {feed_id} is excluded for this session.")


@click.group()
def session() -> None:
    """The session that is open."""


@session.command("open")
@click.argument("draw")
@BY
@_REASON
@CORE
def session_open(draw: str, by: str, reason: str, core_url: str) -> None:
    """Open DRAW although the machine's clock is not synchronised: a manager, with a reason."""
    with signed_in(core_url, by) as core:
        answer_of(core.post(f"{core_url}/console/session/open", json={"draw": draw, "reason": reason}, timeout=60))
    click.echo(f"{draw} is open.")


@session.command("suspend")
@BY
@_SECOND
@_REASON
@CORE
def session_suspend(by: str, second: str, reason: str, core_url: str) -> None:
    """Put selections off until the session is resumed: two people and a reason."""
    _press(core_url, "/console/session/suspend", by, second, reason)
    click.echo("The session is suspended. Running claims go on.")


@session.command("end")
@BY
@_SECOND
@_REASON
@CORE
def session_end(by: str, second: str, reason: str, core_url: str) -> None:
    """End the session before its time, for good: two people and a reason."""
    _press(core_url, "/console/session/end", by, second, reason)
    click.echo("The session has ended. Running claims go on; no selection is made any more.")


@session.command("resume")
@BY
@_SECOND
@_REASON
@CORE
def session_resume(by: str, second: str, reason: str, core_url: str) -> None:
    """Let selections fall again: two people and a reason."""
    _press(core_url, "/console/session/resume", by, second, reason)
    click.echo("The session goes on.")


def _press(core_url: str, path: str, by: str, second: str, reason: str) -> None:
    with signed_in(core_url, by) as core:
        answer_of(core.post(f"{core_url}{path}", json={**second_of(second), "reason": reason}, timeout=60))


# -- records ----------------------------------------------------------------------------------------------------


@click.group()
def record() -> None:
    """Published records."""


@record.command("publish")
@click.argument("draw_id")
@click.option("--copy", type=click.Choice(["public", "auditor"]), default="public", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), required=True)
@BY
@CORE
def record_publish(draw_id: str, copy: str, out: Path, by: str, core_url: str) -> None:
    """Write a closed draw's public or auditor's copy."""
    with signed_in(core_url, by) as core:
        response = core.get(f"{core_url}/draws/{draw_id}/record.zip", params={"copy": copy}, timeout=120)
    if response.status_code != 200:
        answer_of(response)
    if out.exists() and any(out.iterdir()):
        raise Refused(
            "X_FOLDER_NOT_EMPTY", f"{out} holds something already; the two copies must not mix. Give another folder."
        )
    try:
        with zipfile.ZipFile(io.BytesIO(response.content)) as packed:
            packed.extractall(out)
    except zipfile.BadZipFile:
        raise no_core(response) from None
    click.echo(f"The {copy} copy is in {out}. Check it: floordraw verify {out}")
