"""Running the core of a property: engine, pages, alarms, until told to stop. Loopback alone, until sign-in comes."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import structlog
from sqlalchemy.exc import OperationalError
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from draw_engine.clock import Clock
from draw_engine.errors import Refused
from draw_engine.service.engine import Engine
from draw_engine.store.journal import read_segment
from draw_engine.store.repositories import TableStore
from kiosk import screen_view
from kiosk.app import Pages
from kiosk.assembly import VERSION, House, live_engine, lock_core
from kiosk.core import Core
from kiosk.floor_keeping import FloorKeeping
from kiosk.list_folder import ListFolder
from kiosk.own_log import set_up_log
from kiosk.slip_files import SlipFiles
from web_display.console_messages import StaffMember

LOOPBACK = "127.0.0.1"
_log = structlog.get_logger(__name__)


class QuietRequests(WSGIRequestHandler):
    """A line a request would drown what matters, and an address may hold what must not be in a log."""

    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002, ARG002 - werkzeug's own names
        if type == "error":
            _log.error("request.failed", kind=message.partition(" ")[0])


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
        self.core = Core(lambda: live_engine(house, store, clock), version=VERSION, on_broken=self._broken)
        self.pages = Pages(
            self.core,
            house=screen_view.House(site.property_name, site.statutory_line, demo),
            tokens={feed.id: feed.token_sha256 for feed in site.feeds if feed.token_sha256},
            screens={screen.name: screen.title for screen in site.screens},
            staff=[StaffMember(person.id, person.name, person.role) for person in site.staff],
            read_segment=lambda segment: read_segment(site.journal_dir, segment),
            site_toml=site_toml,
            state_dir=site.state_dir,
        )
        self._floor = FloorKeeping()
        self.core.after_tick += [self.pages.mind_phase, ListFolder(site.state_dir / "lists").look, self._floor.note]
        self._slips = site.state_dir / "slips"
        self._port = port
        self._server: BaseWSGIServer | None = None

    def start(self, also: Sequence[Callable[[Engine], None]] = ()) -> None:
        """Start everything. `also`: what to do on the engine's thread before the pages are opened."""
        with _database_answers():
            self.core.start()
        self.core.ask(self.pages.follow)
        self.core.ask(lambda engine: SlipFiles(engine, self._slips))
        for act in also:
            self.core.ask(act)
        self._server = make_server(LOOPBACK, self._port, self.pages.app, threaded=True, request_handler=QuietRequests)
        self._server.daemon_threads = True  # type: ignore[attr-defined]  # an open socket must not hold up the end
        threading.Thread(target=self._server.serve_forever, name="pages", daemon=True).start()
        self.pages.pusher.start()
        _notify("READY=1")

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://{LOOPBACK}:{self._server.port}"

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
        _notify("STOPPING=1")
        self.pages.pusher.stop()
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


def _notify(state: str) -> None:
    """Tell systemd, when it is there."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.sendto(state.encode(), address)
