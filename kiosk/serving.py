"""Running the core of a property: engine, pages, alarms, until told to stop.

Commands and the screen server reach it by plain http on the loopback address, people by https as `[web]` says.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from sqlalchemy.exc import OperationalError
from werkzeug.serving import BaseWSGIServer, make_server

from draw_engine.clock import Clock
from draw_engine.errors import Refused
from draw_engine.service import staffing
from draw_engine.service.engine import Engine
from draw_engine.store.journal import read_segment
from draw_engine.store.repositories import TableStore
from kiosk import floor_pages
from kiosk.app import Pages
from kiosk.assembly import VERSION, House, live_engine, lock_core
from kiosk.core import Core
from kiosk.floor_keeping import FloorKeeping
from kiosk.https.server import TlsServer, serve_tls
from kiosk.https.trust_pages import trust_routes
from kiosk.list_folder import ListFolder
from kiosk.own_log import set_up_log
from kiosk.printing.slip_files import SlipFiles
from kiosk.printing.view import Printers
from kiosk.screens import view as screen_view
from kiosk.setup.rehearsals import Rehearsals
from kiosk.sign_in.machine_token import make_machine_token
from kiosk.upkeep.metrics import Metrics
from kiosk.watchdog import Watchdog
from kiosk.web_requests import QuietRequests
from web_display.console_messages import StaffMember

LOOPBACK = "127.0.0.1"
DEMO_PIN = "246813"
"""What the demo's made-up people sign in with: nothing is at stake there."""
_SIMULATED = "demo-"
"""How the ids of the demo's simulated people begin."""


class Serving:
    """A running property. `start` returns when pages answer; `stop` ends it cleanly; `wait` until one of them."""

    def __init__(
        self,
        house: House,
        store_of: Callable[[], TableStore],
        clock: Clock,
        *,
        port: int,
        demo: bool,
        site_toml: bytes,
    ) -> None:
        site = house.site
        set_up_log()
        self._lock = lock_core(site.state_dir)
        with _database_answers():
            store = store_of()  # with the lock: opening it may bring its schema up to date
        self._stopped = threading.Event()
        self.failed = False
        self.core = Core(lambda: live_engine(house, store, clock), clock=clock, version=VERSION, on_broken=self._broken)
        secret = DEMO_PIN if demo else ""
        on_show = screen_view.House(site.property_name, site.statutory_line, demo, secret, site.check_address)
        self._demo = demo
        self._people = [(person.id, person.name, person.role) for person in site.staff]
        # Filled from the database when the core starts, and again whenever somebody comes or goes.
        staff: list[StaffMember] = []
        names: dict[str, str] = {}
        self._staff, self._names = staff, names
        printers = Printers(site.printers, check_address=site.check_address, names=names)
        self.metrics = Metrics(self.core, site=site, printers=printers, pusher=lambda: self.pages.pusher)
        self._rehearsals = Rehearsals(self.core, site.state_dir, site.journal_dir)
        self.pages = Pages(
            self.core,
            house=on_show,
            tokens={feed.id: feed.token_sha256 for feed in site.feeds if feed.token_sha256},
            screens={screen.name: screen.title for screen in site.screens},
            staff=staff,
            read_segment=lambda segment: read_segment(site.journal_dir, segment),
            site_toml=site_toml,
            state_dir=site.state_dir,
            blueprints=[
                *floor_pages.blueprints(
                    self.core, on_show, staff, printers, state_dir=site.state_dir, rehearsals=self._rehearsals
                ),
                self.metrics.routes(),
                trust_routes(site),
            ],
            rooms=floor_pages.rooms(on_show, staff, printers),
            printers=printers,
            machine_token=make_machine_token(site.state_dir),
            hosts=site.hosts,
        )
        self.pages.door.on_load.append(self._know_people)
        self._floor = FloorKeeping()
        self._watchdog = Watchdog(self.core.pulse)
        self.core.after_tick += [
            self._watchdog.note,
            self.pages.mind_phase,
            ListFolder(site.state_dir / "lists").look,
            self._floor.note,
        ]
        self._slips = site.state_dir / "slips"
        self._port = port
        self._server: BaseWSGIServer | None = None
        self._site = site
        self._secure: TlsServer | None = None

    def start(self, also: Sequence[Callable[[Engine], None]] = ()) -> None:
        """Start everything. `also`: what to do on the engine's thread before the pages are opened."""
        with _database_answers():
            self.core.start()
        self.core.ask(lambda engine: staffing.begin(engine, self._people))
        self.core.ask(self.pages.follow)
        self.core.ask(self.metrics.follow)
        self.core.ask(lambda engine: SlipFiles(engine, self._slips))
        for act in also:
            self.core.ask(act)
        # First, for it may be refused: nothing has been opened yet then.
        web, hosts = self._site.web, self._site.hosts
        self._secure = None if web is None else serve_tls(self.pages.app, web, hosts, knows=self.pages.gate.knows)
        self._server = make_server(LOOPBACK, self._port, self.pages.app, threaded=True, request_handler=QuietRequests)
        self._server.daemon_threads = True  # type: ignore[attr-defined]  # an open socket must not hold up the end
        threading.Thread(target=self._server.serve_forever, name="pages", daemon=True).start()
        if self._secure is not None:
            self._secure.start()
        self.pages.pusher.start()
        self._watchdog.start()

    def _know_people(self) -> None:
        """What the pages call the people of the house, as the database has them now."""
        people = self.pages.door.people()
        self._staff[:] = [
            StaffMember(row.id, row.name, row.role, simulated=self._demo and row.id.startswith(_SIMULATED))
            for row in people
        ]
        self._names.update({row.id: row.name for row in people})

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://{LOOPBACK}:{self._server.port}"

    @property
    def address(self) -> str:
        """Where people reach it: over https where the settings say so, else on this machine alone."""
        web = self._site.web
        return self.url if web is None else f"https://{web.first_name}:{web.port}"

    def stop_on_signals(self) -> None:
        """Ctrl-C and SIGTERM end it cleanly."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: self._stopped.set())

    def wait(self) -> None:
        """Until somebody asks it to stop, or the core breaks."""
        self._stopped.wait()

    def _broken(self) -> None:
        self.failed = True
        self._stopped.set()

    def stop(self) -> None:
        """Let what is being done be finished, then end."""
        self._watchdog.stop()
        self.pages.pusher.stop()
        self._rehearsals.stop()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
        with suppress(Refused):  # a core that broke takes nothing any more
            self.core.ask(self._floor.keep)
        self.core.stop()
        os.close(self._lock)


@contextmanager
def _database_answers() -> Iterator[None]:
    """A start needs the database. Raises Refused (X_TRY_AGAIN) while it cannot be had."""
    try:
        yield
    except OperationalError:
        raise Refused(
            "X_TRY_AGAIN",
            "The database cannot be opened or written: another process holds it, or its server does not answer. "
            "See to that, then start the core again.",
        ) from None
