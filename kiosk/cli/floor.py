"""The commands for made and recorded floors: simulate, replay, make."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click

from kiosk.cli.faults import CORE

_TOKENS = "FLOORDRAW_FEED_TOKENS"
_TIME = click.DateTime(["%H:%M"])
_STDIN = 0


@click.group()
def floor() -> None:
    """Made and recorded floors."""


def _tokens(pairs: Sequence[str]) -> dict[str, str]:
    """feed=TOKEN options, or FLOORDRAW_FEED_TOKENS as JSON: an environment is not seen in a list of processes."""
    usage = click.UsageError(f"Give --token FEED=TOKEN for each feed, or {_TOKENS} as JSON.")
    try:
        kept = json.loads(os.environ.get(_TOKENS) or "{}")
    except ValueError:
        raise usage from None
    if not isinstance(kept, dict) or not all(isinstance(token, str) for token in kept.values()):
        raise usage
    tokens: dict[str, str] = dict(kept)
    for pair in pairs:
        feed, _, token = pair.partition("=")
        tokens[feed] = token
    if not tokens or not all(feed and token for feed, token in tokens.items()):
        raise usage
    return tokens


def until_told(*, or_input_ends: bool = False) -> threading.Event:
    """Set by Ctrl-C, by SIGTERM and, if so asked, when the standard input ends."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())

    def read_on() -> None:
        while os.read(_STDIN, 4096):  # not by sys.stdin: a reader of that one stops the interpreter from ending
            pass
        stop.set()

    if or_input_ends:
        threading.Thread(target=read_on, name="input", daemon=True).start()
    return stop


@floor.command("simulate")
@CORE
@click.option("--token", "pairs", multiple=True, metavar="FEED=TOKEN")
@click.option("--seed", default="1", show_default=True)
@click.option("--spec", "spec_name", default="casino", show_default=True)
@click.option("--state", "state_dir", type=click.Path(path_type=Path), default=Path("var/bridge"), show_default=True)
@click.option("--until-input-ends", is_flag=True, help="stop, too, when standard input ends: with who started it")
def floor_simulate(
    core_url: str, pairs: Sequence[str], seed: str, spec_name: str, state_dir: Path, *, until_input_ends: bool
) -> None:
    """Run a simulated floor against the core, as a bridge of its own; its time is the core's."""
    from floor_bridge.floor_spec import SPECS  # noqa: PLC0415 - keeps `verify` quick to start
    from floor_bridge.outbox import OutboxBusy  # noqa: PLC0415
    from floor_bridge.run import simulate  # noqa: PLC0415

    if spec_name not in SPECS:
        raise click.UsageError(f"There is no made floor {spec_name}; there are {', '.join(SPECS)}.")
    tokens = _tokens(pairs)
    stop = until_told(or_input_ends=until_input_ends)
    try:
        simulate(core_url, tokens, seed=seed, spec=SPECS[spec_name], state_dir=state_dir, stop=stop)
    except (ValueError, OutboxBusy) as fault:
        raise click.ClickException(str(fault)) from None


@floor.command("replay")
@click.argument("file", type=click.Path(path_type=Path))
@CORE
@click.option("--token", "pairs", multiple=True, metavar="FEED=TOKEN")
@click.option("--speed", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True)
@click.option("--as-recorded", is_flag=True, help="keep the recording's own times")
def floor_replay(file: Path, core_url: str, pairs: Sequence[str], speed: float, *, as_recorded: bool) -> None:
    """Send a recording of floor events to the core."""
    from floor_bridge.replay import replay  # noqa: PLC0415 - keeps `verify` quick to start

    try:
        done = replay(file, core_url, _tokens(pairs), speed=speed, shift=0 if as_recorded else None, stop=until_told())
    except (ValueError, PermissionError) as fault:
        raise click.ClickException(str(fault)) from None
    click.echo(str(done))


@floor.command("make")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--seed", default="1", show_default=True)
@click.option("--spec", "spec_name", default="rehearsal", show_default=True)
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), default="2023-10-07", show_default=True)
@click.option("--from", "starts", type=_TIME, default="13:00", show_default=True, help="local time, UTC+2")
@click.option("--to", "ends", type=_TIME, default="20:10", show_default=True, help="local time, UTC+2")
def floor_make(folder: Path, seed: str, spec_name: str, day: datetime, starts: datetime, ends: datetime) -> None:
    """Make a floor for rehearsal: lists and a day's events."""
    from draw_engine.calendar import instant  # noqa: PLC0415 - keeps `verify` quick to start
    from floor_bridge.floor_files import write_floor  # noqa: PLC0415
    from floor_bridge.floor_spec import SPECS  # noqa: PLC0415

    if spec_name not in SPECS:
        raise click.UsageError(f"There is no made floor {spec_name}; there are {', '.join(SPECS)}.")
    if starts >= ends:
        raise click.UsageError("The floor must end after it begins: give --from before --to.")
    first, last = (instant("Africa/Johannesburg", day.date(), wall.time()) for wall in (starts, ends))
    count = write_floor(folder, SPECS[spec_name], seed, first, last)
    click.echo(f"{folder} holds a floor of {count} events.")
