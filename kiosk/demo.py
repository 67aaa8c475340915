"""`floordraw demo`: a Silverstar Saturday on an embedded database, with a simulated floor and every screen live.

The clock stands at Saturday 7 October 2023, 13:59, by a stored offset, and stands still while the demo is stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import subprocess
import sys
from contextlib import suppress
from datetime import date
from pathlib import Path

import click

from config.site import load_site
from draw_engine import calendar
from draw_engine.clock import SteadyClock
from draw_engine.errors import Refused
from draw_engine.rule_book import RuleBook
from draw_engine.seeds import SystemSeeds
from draw_engine.service import house
from draw_engine.service.engine import Engine
from draw_engine.store.repositories import TableStore
from draw_engine.store.sealing import make_master_key
from floor_bridge.floor_files import write_lists
from floor_bridge.floor_spec import CASINO
from kiosk.assembly import MASTER_KEY, house_of, open_store
from kiosk.demo_crew import DemoCrew
from kiosk.serving import Serving

SEED = "silverstar"
RULES = Path(__file__).parent.parent / "config" / "rule_books" / "silverstar-demo.toml"
_CLOCK = "demo.clock"
_SAVE_EVERY_SECONDS = 5
_BEFORE_START_MS = 60_000
_FEEDS = {"slots-1": "slots", "tables-1": "tables"}
_LISTS = ("positions", "members", "exclusions", "staff")


def run_demo(folder: Path, port: int) -> int:
    """Run the demo until Ctrl-C. Returns the exit code."""
    tokens = _set_up(folder)
    site = load_site(folder / "site.toml")
    toml = RULES.read_bytes()
    running = house_of(site, [toml])
    store = open_store(site, SystemSeeds())
    clock = SteadyClock(_starts_at(store, running.books[0].rules) - time_now())
    serving = Serving(
        running, lambda: store, clock, port=port, demo=True, site_toml=(folder / "site.toml").read_bytes()
    )
    serving.stop_on_signals()
    _keep_time(serving, store)
    simulator: subprocess.Popen[bytes] | None = None
    try:
        serving.start([lambda engine: _load_lists(engine, folder), lambda engine: _call_crew(engine, serving)])
        simulator = _simulate(folder, serving.url, tokens)
        _say_where(serving, site.screens[0].name)
        serving.wait()
    finally:
        click.echo("Stopping.")
        if simulator is not None:
            _end(simulator)
            with suppress(Refused):  # a core that broke takes nothing any more
                serving.core.ask(lambda engine: _note_time(engine, store))
        serving.stop()
    return 1 if serving.failed else 0


def time_now() -> int:
    """The wall clock, in ms: what the stored offset is added to."""
    return SteadyClock().now()


def _set_up(folder: Path) -> dict[str, str]:
    """The demo's own site, keys and lists; made once. Returns the feeds' tokens."""
    folder.mkdir(parents=True, exist_ok=True)
    state = folder / "state"
    state.mkdir(exist_ok=True)
    if not (state / MASTER_KEY).exists():
        make_master_key(state / MASTER_KEY)
    kept = state / "feed-tokens.json"
    if not kept.exists():
        handle = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump({feed: secrets.token_urlsafe(32) for feed in _FEEDS}, file)
    tokens: dict[str, str] = json.loads(kept.read_text())
    (folder / "site.toml").write_text(_site(tokens))
    return tokens


def _site(tokens: dict[str, str]) -> str:
    feeds = "".join(
        f'\n[[feed]]\nid = "{feed}"\nbrings = ["{brings}"]\n'
        f'token_sha256 = "{hashlib.sha256(tokens[feed].encode()).hexdigest()}"\n'
        for feed, brings in _FEEDS.items()
    )
    return f"""# The demo's settings, written by `floordraw demo` at each start.
property = "silverstar"
property_name = "Silverstar"
database = "sqlite:///floordraw.db"
journal_dir = "journal"
state_dir = "state"
check_address = "http://127.0.0.1:8080/check"
statutory_line = "No persons under 18. Winners know when to stop. 0800 006 008"
{feeds}
[[screen]]
name = "main"
title = "Main floor"

[[staff]]
id = "naledi"
name = "Naledi Khumalo"
role = "manager"

[[staff]]
id = "deon"
name = "Deon Pillay"
role = "manager"

[[staff]]
id = "kabelo"
name = "Kabelo Dube"
role = "crew"

[[staff]]
id = "hester"
name = "Hester Louw"
role = "auditor"
"""


def _starts_at(store: TableStore, book: RuleBook) -> int:
    """Where the demo's clock goes on: where it was stopped within a session, else a minute before the next one."""
    head = store.head()
    kept = store.setting(_CLOCK)
    # Killed, the demo's time was written down some seconds before its last entry.
    stopped = max(int(kept or 0), 0 if head is None else head.at)
    draws = store.draws()
    if any(draw.closed_at is None for draw in draws):
        return stopped
    drawn = {draw.gaming_day for draw in draws}
    for day in calendar.promotion_days(book):
        if stopped < calendar.session_bounds(book, book.draws[-1], day)[1] and day.isoformat() not in drawn:
            return max(stopped, _before_session(book, day))
    return stopped


def _before_session(book: RuleBook, day: date) -> int:
    return calendar.session_bounds(book, book.draws[0], day)[0] - _BEFORE_START_MS


def _keep_time(serving: Serving, store: TableStore) -> None:
    """Write down the demo's time now and then: while it is stopped its clock stands still."""
    last = [0]

    def note(engine: Engine) -> None:
        now = engine.now()
        if now - last[0] >= _SAVE_EVERY_SECONDS * 1000:
            last[0] = now
            _note_time(engine, store)

    serving.core.after_tick.append(note)


def _note_time(engine: Engine, store: TableStore) -> None:
    store.put_setting(_CLOCK, str(engine.now()))


def _load_lists(engine: Engine, folder: Path) -> None:
    """The floor's lists, loaded again at each start: they are then as fresh as the rules ask."""
    write_lists(folder / "lists", CASINO, SEED)
    for kind in _LISTS:
        house.load_list(engine, kind, (folder / "lists" / f"{kind}.csv").read_bytes())


def _call_crew(engine: Engine, serving: Serving) -> None:
    serving.core.after_tick.append(DemoCrew(engine).work)


def _simulate(folder: Path, url: str, tokens: dict[str, str]) -> subprocess.Popen[bytes]:
    """The simulated floor is a bridge of its own, in a process of its own."""
    environment = {**os.environ, "FLOORDRAW_FEED_TOKENS": json.dumps(tokens)}
    command = [sys.executable, "-m", "kiosk.cli", "floor", "simulate", "--core", url, "--seed", SEED]
    command += ["--state", str(folder / "bridge"), "--until-input-ends"]
    # A process group of its own: Ctrl-C goes to the demo, which ends the bridge in order. Its input ends with the demo,
    # however that ends: it would go on and keep the outboxes from the next start.
    return subprocess.Popen(  # noqa: S603 - our own command
        command, env=environment, start_new_session=True, stdin=subprocess.PIPE
    )


def _end(simulator: subprocess.Popen[bytes]) -> None:
    simulator.terminate()
    try:
        simulator.wait(timeout=10)
    except subprocess.TimeoutExpired:
        simulator.kill()


def _say_where(serving: Serving, screen: str) -> None:
    now = serving.core.ask(lambda engine: calendar.local(engine.zone, engine.now()))
    lines = [
        f"Floordraw demo. It is {now:%A %d %B %Y, %H:%M} on this floor.",
        f"  Floor screen  {serving.url}/screens/{screen}",
        f"  Console       {serving.url}/console",
        "Ctrl-C stops it; the next start goes on from there.",
    ]
    for line in lines:
        click.echo(line)
