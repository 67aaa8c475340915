"""The command `floordraw`. What it prints are sentences; a refusal ends it with exit code 1 and its reason code."""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
import signal
import sys
import threading
import zipfile
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click
import requests

from config.rule_book_faults import RuleBookFaults, report
from config.site import SiteFaults, load_site
from draw_engine.errors import Refused, RuleBroken
from draw_engine.lists import ListFaults
from draw_engine.verify.__main__ import main as verify_main

DEFAULT_SITE = Path("config/site.toml")
DEFAULT_RULES = Path("config/rule_books/silverstar-playtime.toml")
DEFAULT_PORT = 8080
_SITE = click.option("--site", "site_file", type=click.Path(path_type=Path), default=DEFAULT_SITE, show_default=True)
_CORE = click.option("--core", "core_url", default=f"http://127.0.0.1:{DEFAULT_PORT}", show_default=True)
_BY = click.option("--by", required=True, help="who does it: an id from [[staff]]")
_SECOND = click.option("--second", required=True, help="the second person: another id")
_REASON = click.option("--reason", required=True, help="why, in a few words")


class Command(click.Group):
    """Turns refusals and faults into sentences."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Refused as refusal:
            raise click.ClickException(f"{refusal.sentence} ({refusal.code})") from None
        except (RuleBookFaults, SiteFaults) as faults:
            raise click.ClickException(str(faults)) from None
        except ListFaults as found:
            lines = [f"line {fault.line}, {fault.column or 'file'}: {fault.sentence}" for fault in found.faults]
            raise click.ClickException("\n".join([str(found), *lines])) from None
        except RuleBroken as fault:
            raise click.ClickException(f"It cannot go on: {fault}.") from None
        except requests.ConnectionError:
            raise click.ClickException("The core does not answer. Start it with `floordraw serve`.") from None
        except OSError as trouble:
            raise click.ClickException(f"{trouble.strerror}: {trouble.filename}") from None


@click.group(cls=Command)
def floordraw() -> None:
    """Casino floor promotions: selections that anyone can redo."""


@floordraw.command()
@_SITE
def init(site_file: Path) -> None:
    """Make the property's master key, and say what to write on paper."""
    from draw_engine.store.sealing import make_master_key  # noqa: PLC0415 - keeps `verify` quick to start
    from kiosk.assembly import MASTER_KEY  # noqa: PLC0415 - as above

    site = load_site(site_file)
    site.state_dir.mkdir(parents=True, exist_ok=True)
    words = make_master_key(site.state_dir / MASTER_KEY)
    click.echo(f"The master key is at {site.state_dir / MASTER_KEY}. Keep it out of every backup of the database.")
    click.echo("Write these letters on paper and put them in the safe; without the key no sealed seed can be opened:")
    click.echo(" ".join(words[i : i + 4] for i in range(0, len(words), 4)))


@floordraw.command()
@_SITE
@click.option(
    "--rules", "rules", type=click.Path(path_type=Path), multiple=True, default=[DEFAULT_RULES], show_default=True
)
@click.option("--port", default=DEFAULT_PORT, show_default=True)
def serve(site_file: Path, rules: Sequence[Path], port: int) -> None:
    """Run the core of a property: on this machine's loopback alone, until staff can sign in."""
    from draw_engine.clock import SteadyClock  # noqa: PLC0415 - keeps `verify` quick to start
    from draw_engine.seeds import SystemSeeds  # noqa: PLC0415
    from kiosk.assembly import house_of, open_store  # noqa: PLC0415
    from kiosk.serving import Serving  # noqa: PLC0415

    site = load_site(site_file)
    house = house_of(site, [file.read_bytes() for file in rules])
    serving = Serving(
        house,
        lambda: open_store(site, SystemSeeds()),
        SteadyClock(),
        port=port,
        demo=False,
        site_toml=site_file.read_bytes(),
    )
    serving.stop_on_signals()
    try:
        serving.start()
        click.echo(f"Floordraw runs. Console: {serving.url}/console")
        serving.wait()
    finally:
        serving.stop()
    sys.exit(1 if serving.failed else 0)


@floordraw.command()
@click.option("--folder", type=click.Path(path_type=Path), default=Path("var/demo"), show_default=True)
@click.option("--port", default=DEFAULT_PORT, show_default=True)
def demo(folder: Path, port: int) -> None:
    """A Silverstar Saturday with a simulated floor, every screen live."""
    from kiosk.demo import run_demo  # noqa: PLC0415 - keeps `verify` quick to start

    sys.exit(run_demo(folder, port))


# -- rules and lists --------------------------------------------------------------------------------------------


@floordraw.group()
def rules() -> None:
    """Rule books."""


@rules.command("check")
@click.argument("file", type=click.Path(path_type=Path))
def rules_check(file: Path) -> None:
    """List every fault of a rule book, each with its place and what to do."""
    sound, text = report(file.read_bytes())
    click.echo(text, nl=False)
    sys.exit(0 if sound else 1)


@floordraw.group()
def lists() -> None:
    """Members, exclusions, staff, positions."""


@lists.command("load")
@click.argument("kind", type=click.Choice(["members", "exclusions", "staff", "positions"]))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--by", default="", help="who loads it: an id from [[staff]]")
@_SITE
@_CORE
def lists_load(kind: str, file: Path, by: str, site_file: Path, core_url: str) -> None:
    """Load a new version of a list, whole or not at all; every fault is named."""
    content = file.read_bytes()
    try:
        answer = requests.post(f"{core_url}/lists/{kind}", params={"by": by}, data=content, timeout=60)
    except requests.ConnectionError:
        rows = _without_core(site_file, lambda engine: _load(engine, kind, content, by))
    else:
        rows = _answer(answer)["rows"]
    click.echo(f"The {kind} list is loaded: {rows} rows.")


@lists.command("exclude")
@click.argument("member")
@click.argument(
    "category",
    type=click.Choice(["refusal_of_entry", "self_excluded", "excluded_category", "staff_or_related"]),
)
@click.option("--from", "first", type=click.DateTime(["%Y-%m-%d"]), required=True)
@click.option("--to", "last", type=click.DateTime(["%Y-%m-%d"]), help="the last day; without it until it is lifted")
@_BY
@_CORE
def lists_exclude(member: str, category: str, first: datetime, last: datetime | None, by: str, core_url: str) -> None:
    """Enter one exclusion at a desk: it holds at once."""
    said = {"member": member, "category": category, "from": f"{first:%Y-%m-%d}", "by": by}
    if last is not None:
        said["to"] = f"{last:%Y-%m-%d}"
    _answer(requests.post(f"{core_url}/exclusions", json=said, timeout=60))
    click.echo("The exclusion holds from now on.")


def _load(engine: Any, kind: str, content: bytes, by: str) -> int:
    from draw_engine.service import house  # noqa: PLC0415 - keeps `verify` quick to start

    return house.load_list_by(engine, kind, content, by=by)


def _without_core(site_file: Path, act: Callable[[Any], Any]) -> Any:
    """Do it on the database itself, with the core's lock: no core runs."""
    from draw_engine.clock import SteadyClock  # noqa: PLC0415 - keeps `verify` quick to start
    from draw_engine.seeds import SystemSeeds  # noqa: PLC0415
    from kiosk.assembly import house_of, live_engine, lock_core, open_store  # noqa: PLC0415

    site = load_site(site_file)
    lock = lock_core(site.state_dir)
    try:
        house = house_of(site, [DEFAULT_RULES.read_bytes()] if DEFAULT_RULES.exists() else [])
        return act(live_engine(house, open_store(site, SystemSeeds()), SteadyClock()))
    finally:
        os.close(lock)


# -- feeds and the session --------------------------------------------------------------------------------------


@floordraw.group()
def feeds() -> None:
    """The floor's feeds."""


@feeds.command("add")
@click.argument("feed_id")
@_SITE
def feeds_add(feed_id: str, site_file: Path) -> None:
    """Make a feed's token, print it once, and say what to put into site.toml."""
    site = load_site(site_file)
    token = secrets.token_urlsafe(32)
    click.echo(f"Give this token to the bridge of {feed_id}; it is shown only now:\n{token}")
    known = site.feed(feed_id)
    where = f"under the [[feed]] {feed_id}" if known else f'with [[feed]], id = "{feed_id}" and brings = […]'
    click.echo(f"Put this line into {site_file} {where}, then start the core again:")
    click.echo(f'token_sha256 = "{hashlib.sha256(token.encode()).hexdigest()}"')


@feeds.command("exclude")
@click.argument("feed_id")
@_BY
@_SECOND
@_REASON
@_CORE
def feeds_exclude(feed_id: str, by: str, second: str, reason: str, core_url: str) -> None:
    """Go on without a feed for the open session: two people and a reason."""
    _press(f"{core_url}/console/feeds/{feed_id}/exclude", by, second, reason)
    click.echo(f"The feed {feed_id} is excluded for this session.")


@floordraw.group()
def session() -> None:
    """The session that is open."""


@session.command("suspend")
@_BY
@_SECOND
@_REASON
@_CORE
def session_suspend(by: str, second: str, reason: str, core_url: str) -> None:
    """Put selections off until the session is resumed: two people and a reason."""
    _press(f"{core_url}/console/session/suspend", by, second, reason)
    click.echo("The session is suspended. Running claims go on.")


@session.command("resume")
@_BY
@_SECOND
@_REASON
@_CORE
def session_resume(by: str, second: str, reason: str, core_url: str) -> None:
    """Let selections fall again: two people and a reason."""
    _press(f"{core_url}/console/session/resume", by, second, reason)
    click.echo("The session goes on.")


def _press(url: str, by: str, second: str, reason: str) -> None:
    _answer(requests.post(url, json={"by": by, "second": second, "reason": reason}, timeout=60))


def _answer(response: requests.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        body = {}
    if response.status_code != 200:
        raise Refused(str(body.get("code", "X_REFUSED")), str(body.get("sentence", "The core did not take it.")))
    return dict(body)


# -- the floor --------------------------------------------------------------------------------------------------


@floordraw.group()
def floor() -> None:
    """Made and recorded floors."""


def _tokens(pairs: Sequence[str]) -> dict[str, str]:
    """feed=TOKEN options, or FLOORDRAW_FEED_TOKENS as JSON: an environment is not seen in a list of processes."""
    kept = os.environ.get("FLOORDRAW_FEED_TOKENS")
    tokens: dict[str, str] = json.loads(kept) if kept else {}
    for pair in pairs:
        feed, _, token = pair.partition("=")
        tokens[feed] = token
    if not tokens:
        raise click.UsageError("Give --token FEED=TOKEN for each feed, or FLOORDRAW_FEED_TOKENS as JSON.")
    return tokens


def _until_told() -> threading.Event:
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop


@floor.command("simulate")
@_CORE
@click.option("--token", "pairs", multiple=True, metavar="FEED=TOKEN")
@click.option("--seed", default="1", show_default=True)
@click.option("--spec", "spec_name", default="casino", show_default=True)
@click.option("--state", "state_dir", type=click.Path(path_type=Path), default=Path("var/bridge"), show_default=True)
def floor_simulate(core_url: str, pairs: Sequence[str], seed: str, spec_name: str, state_dir: Path) -> None:
    """Run a simulated floor against the core, as a bridge of its own; its time is the core's."""
    from floor_bridge.floor_spec import SPECS  # noqa: PLC0415 - keeps `verify` quick to start
    from floor_bridge.run import simulate  # noqa: PLC0415

    if spec_name not in SPECS:
        raise click.UsageError(f"There is no made floor {spec_name}; there are {', '.join(SPECS)}.")
    simulate(core_url, _tokens(pairs), seed=seed, spec=SPECS[spec_name], state_dir=state_dir, stop=_until_told())


@floor.command("replay")
@click.argument("file", type=click.Path(path_type=Path))
@_CORE
@click.option("--token", "pairs", multiple=True, metavar="FEED=TOKEN")
@click.option("--speed", default=1.0, show_default=True)
@click.option("--as-recorded", is_flag=True, help="keep the recording's own times")
def floor_replay(file: Path, core_url: str, pairs: Sequence[str], speed: float, *, as_recorded: bool) -> None:
    """Send a recording of floor events to the core."""
    from floor_bridge.replay import replay  # noqa: PLC0415 - keeps `verify` quick to start

    try:
        done = replay(file, core_url, _tokens(pairs), speed=speed, shift=0 if as_recorded else None, stop=_until_told())
    except (ValueError, PermissionError) as fault:
        raise click.ClickException(str(fault)) from None
    click.echo(str(done))


@floor.command("make")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--seed", default="1", show_default=True)
@click.option("--spec", "spec_name", default="rehearsal", show_default=True)
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), default="2023-10-07", show_default=True)
@click.option("--from", "starts", default="13:00", show_default=True, help="local time, UTC+2")
@click.option("--to", "ends", default="20:10", show_default=True, help="local time, UTC+2")
def floor_make(folder: Path, seed: str, spec_name: str, day: datetime, starts: str, ends: str) -> None:
    """Make a floor for rehearsal: lists and a day's events."""
    from draw_engine.calendar import instant  # noqa: PLC0415 - keeps `verify` quick to start
    from floor_bridge.floor_files import write_floor  # noqa: PLC0415
    from floor_bridge.floor_spec import SPECS  # noqa: PLC0415

    if spec_name not in SPECS:
        raise click.UsageError(f"There is no made floor {spec_name}; there are {', '.join(SPECS)}.")
    zone = "Africa/Johannesburg"
    first, last = (instant(zone, day.date(), datetime.strptime(t, "%H:%M").time()) for t in (starts, ends))  # noqa: DTZ007 - a wall time
    count = write_floor(folder, SPECS[spec_name], seed, first, last)
    click.echo(f"{folder} holds a floor of {count} events.")


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
    from kiosk.rehearse import RehearsalOrder  # noqa: PLC0415 - keeps `verify` quick to start
    from kiosk.rehearse import rehearse as play  # noqa: PLC0415

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
@_SITE
@click.option("--slip", "slips", type=click.Path(path_type=Path), multiple=True, help="printed slips as text")
def log_verify(site_file: Path, slips: Sequence[Path]) -> None:
    """Check the whole log: every entry, every checkpoint, and printed slips; names the first bad entry."""
    from kiosk.log_check import check_log  # noqa: PLC0415 - keeps `verify` quick to start

    sound, lines = check_log(load_site(site_file), [file.read_bytes().decode("utf-8", "replace") for file in slips])
    for line in lines:
        click.echo(line)
    sys.exit(0 if sound else 1)


@floordraw.group()
def record() -> None:
    """Published records."""


@record.command("publish")
@click.argument("draw_id")
@click.option("--copy", type=click.Choice(["public", "auditor"]), default="public", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), required=True)
@_CORE
def record_publish(draw_id: str, copy: str, out: Path, core_url: str) -> None:
    """Write a closed draw's public or auditor's copy."""
    response = requests.get(f"{core_url}/draws/{draw_id}/record.zip", params={"copy": copy}, timeout=120)
    if response.status_code != 200:
        _answer(response)
    with zipfile.ZipFile(io.BytesIO(response.content)) as packed:
        packed.extractall(out)
    click.echo(f"The {copy} copy is in {out}. Check it: floordraw verify {out}")


def main() -> None:
    """The command's entry."""
    floordraw(prog_name="floordraw")


if __name__ == "__main__":
    main()
