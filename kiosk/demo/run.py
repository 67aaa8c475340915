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
from draw_engine.service.people_ports import PIN
from draw_engine.store.repositories import TableStore
from draw_engine.store.sealing import make_master_key
from floor_bridge.floor_files import write_lists
from floor_bridge.floor_spec import CASINO
from kiosk.assembly import MASTER_KEY, house_of, open_store
from kiosk.demo.clock import DEMO_CLOCK
from kiosk.demo.crew import DemoCrew
from kiosk.demo.crew import staff as simulated_staff
from kiosk.demo.roster import plan_day
from kiosk.demo.rules import lock_act
from kiosk.screens.process import ScreenProcess
from kiosk.serving import DEMO_PIN, Serving

SEED = "silverstar"
RULES = Path(__file__).parents[2] / "config" / "rule_books" / "silverstar-demo.toml"
_SAVE_EVERY_SECONDS = 5
_BEFORE_START_MS = 60_000
_FEEDS = {"slots-1": "slots", "tables-1": "tables"}
_PRINTER = "desk"
_STAFF: tuple[dict[str, str], ...] = (
    {"id": "naledi", "name": "Naledi Khumalo", "role": "manager"},
    {"id": "deon", "name": "Deon Pillay", "role": "manager"},
    {"id": "kabelo", "name": "Kabelo Dube", "role": "crew"},
    {"id": "zanele", "name": "Zanele Ngcobo", "role": "crew"},
    {"id": "anita", "name": "Anita Botes", "role": "stage"},
    {"id": "mpho", "name": "Mpho Khoza", "role": "desk"},
    {"id": "lindiwe", "name": "Lindiwe Maseko", "role": "customer_services"},
    {"id": "riaan", "name": "Riaan Fourie", "role": "marketing"},
    {"id": "hester", "name": "Hester Louw", "role": "auditor"},
    {"id": "nkosi", "name": "Nkosi Mabena", "role": "witness"},
)
"""Made-up people, to be taken on by whoever tries the demo."""
_LISTS = ("positions", "members", "exclusions", "staff")


def run_demo(folder: Path, port: int) -> int:
    """Run the demo until Ctrl-C. Returns the exit code."""
    tokens, printer = _set_up(folder, port)
    site = load_site(folder / "site.toml")
    toml = RULES.read_bytes()
    running = house_of(site, [toml])
    store = open_store(site, SystemSeeds())
    lock_rules = lock_act(store, running.books[0], site.state_dir)
    clock = SteadyClock(_starts_at(store, running.books[0].rules) - time_now())
    serving = Serving(
        running, lambda: store, clock, port=port, demo=True, site_toml=(folder / "site.toml").read_bytes()
    )
    serving.stop_on_signals()
    _keep_time(serving, store)
    beside: list[subprocess.Popen[bytes]] = []
    screens = None
    try:
        begin = [lambda engine: _load_lists(engine, folder), lock_rules, lambda engine: _call_crew(engine, serving)]
        serving.start([*begin, plan_day])
        _give_pins(serving)
        beside = [_simulate(folder, serving.url, tokens), _print(folder, serving.url, printer)]
        screens = ScreenProcess(serving.url)
        screens.start()
        _say_where(serving, f"{screens.url}/screens/{site.screens[0].name}", folder)
        serving.wait()
    finally:
        click.echo("Stopping.")
        if screens is not None:
            screens.stop()
        for child in beside:
            _end(child)
        if beside:
            with suppress(Refused):  # a core that broke takes nothing any more
                serving.core.ask(lambda engine: _note_time(engine, store))
        serving.stop()
    return 1 if serving.failed else 0


def time_now() -> int:
    """The wall clock, in ms: what the stored offset is added to."""
    return SteadyClock().now()


def _set_up(folder: Path, port: int) -> tuple[dict[str, str], str]:
    """The demo's own site, keys and lists; made once. Returns the feeds' tokens and the printer's."""
    folder.mkdir(parents=True, exist_ok=True)
    state = folder / "state"
    state.mkdir(exist_ok=True)
    if not (state / MASTER_KEY).exists():
        make_master_key(state / MASTER_KEY)
    kept = state / "tokens.json"
    if not kept.exists():
        handle = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump({name: secrets.token_urlsafe(32) for name in (*_FEEDS, _PRINTER)}, file)
    tokens: dict[str, str] = json.loads(kept.read_text())
    printer = tokens.pop(_PRINTER)
    (folder / "site.toml").write_text(_site(tokens, printer, port))
    return tokens, printer


def _site(tokens: dict[str, str], printer_token: str, port: int) -> str:
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
check_address = "http://127.0.0.1:{port}/check"
statutory_line = "No persons under 18. Winners know when to stop. 0800 006 008"
{feeds}
[[screen]]
name = "main"
title = "Main floor"

[[printer]]
id = "desk"
title = "Rewards desk"
uses = ["receipts", "labels", "slips"]
device = "file"
path = "printer"
token_sha256 = "{hashlib.sha256(printer_token.encode()).hexdigest()}"
{"".join(_staff_row(**row) for row in (*_STAFF, *simulated_staff()))}"""


def _staff_row(id: str, name: str, role: str) -> str:  # noqa: A002 - the file's own word
    return f'\n[[staff]]\nid = "{id}"\nname = "{name}"\nrole = "{role}"\n'


def _starts_at(store: TableStore, book: RuleBook) -> int:
    """Where the demo's clock goes on: where it was stopped within a session, else a minute before the next one."""
    head = store.head()
    kept = store.setting(DEMO_CLOCK)
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
    store.put_setting(DEMO_CLOCK, str(engine.now()))


def _load_lists(engine: Engine, folder: Path) -> None:
    """The floor's lists, loaded again at each start: they are then as fresh as the rules ask."""
    write_lists(folder / "lists", CASINO, SEED)
    for kind in _LISTS:
        house.load_list(engine, kind, (folder / "lists" / f"{kind}.csv").read_bytes())


def _give_pins(serving: Serving) -> None:
    """Whoever tries the demo signs in as any of its people with one PIN; who chose another keeps it."""
    made_up = {row["id"] for row in _STAFF}
    for person in serving.pages.door.people():
        if person.id in made_up and person.secret is None:
            serving.pages.door.put_secret(person.id, DEMO_PIN, PIN)


def _call_crew(engine: Engine, serving: Serving) -> None:
    crew = DemoCrew(engine)
    serving.core.stage.always = True  # a simulated announcer stands there
    serving.core.after_tick.append(crew.work)


def _simulate(folder: Path, url: str, tokens: dict[str, str]) -> subprocess.Popen[bytes]:
    """The simulated floor is a bridge of its own, in a process of its own."""
    command = ["floor", "simulate", "--core", url, "--seed", SEED, "--state", str(folder / "bridge")]
    return _beside(folder, command, {"FLOORDRAW_FEED_TOKENS": json.dumps(tokens)})


def _print(folder: Path, url: str, token: str) -> subprocess.Popen[bytes]:
    """The desk's printer is a folder: each slip as its bytes and as a picture of text."""
    command = ["print-spool", _PRINTER, "--site", str(folder / "site.toml"), "--core", url]
    return _beside(folder, command, {"FLOORDRAW_PRINTER_TOKEN": token})


def _beside(folder: Path, command: list[str], secrets_of: dict[str, str]) -> subprocess.Popen[bytes]:
    """A process of the demo's own; what it logs goes into a file, so that the addresses stay in sight."""
    # A process group of its own: Ctrl-C goes to the demo, which ends the bridge in order. Its input ends with the demo,
    # however that ends: it would go on and keep the outboxes from the next start.
    with (folder / f"{command[0]}.log").open("ab") as said:
        return subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "kiosk.cli", *command, "--until-input-ends"],
            env={**os.environ, **secrets_of},
            start_new_session=True,
            stdout=said,
            stderr=said,
            stdin=subprocess.PIPE,
        )


def _end(simulator: subprocess.Popen[bytes]) -> None:
    simulator.terminate()
    try:
        simulator.wait(timeout=10)
    except subprocess.TimeoutExpired:
        simulator.kill()


def _say_where(serving: Serving, screen: str, folder: Path) -> None:
    now = serving.core.ask(lambda engine: calendar.local(engine.zone, engine.now()))
    lines = [
        f"Floordraw demo. It is {now:%A %d %B %Y, %H:%M} on this floor.",
        f"  Floor screen  {screen}",
        f"  Crew tablet   {serving.url}/crew",
        f"  Stage         {serving.url}/stage",
        f"  Desks         {serving.url}/desk",
        f"  Console       {serving.url}/console",
        f"  Guests check  {serving.url}/check",
        f"  Slips         {folder / 'printer'}",
        f"Sign in as naledi (manager), kabelo (crew), anita (stage), mpho (desk) … with the PIN {DEMO_PIN}.",
        f"Guests and their numbers, to sign one or to ask about one: {folder / 'lists' / 'members.csv'}",
        "What nobody takes within 15 seconds the simulated crew takes.",
        "Ctrl-C stops it; the next start goes on from there.",
    ]
    for line in lines:
        click.echo(line)
