"""The product's own core with a hundred selections waiting for a crew: `python benchmarks/fanout_core.py`.

A session is played on a set clock until every selection of it is made; then the clock runs as a clock does, and the
process says its port and the draw, and serves until its input ends.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from unittest.mock import patch

from werkzeug.serving import make_server

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "integration"))

import loopback
from casino import Session, book_toml
from loopback import Loopback, site_toml

from draw_engine.clock import SetClock
from draw_engine.store.database import open_database
from kiosk import floor_pages
from kiosk.app import Pages
from kiosk.printing.view import Printers
from kiosk.screens.view import House
from kiosk.serving import QuietRequests
from web_display.console_messages import StaffMember

AWARDS, GUESTS = 100, 160
BOOK = book_toml(Session("first", "14:00", "14:10", awards=AWARDS), quota=AWARDS)
MEMBERS = "member,first_name,last_name,tier,born,phone,email,person\n" + "".join(
    f"{100_000 + n},Guest{n},Number{n},Gold,1980-01-01,,,{100_000 + n}\n" for n in range(GUESTS)
)
POSITIONS = "position,kind,zone,bank,seats,feed\n" + "".join(f"S-{n:04d},slot,MAIN,,,slots-1\n" for n in range(GUESTS))


def played(folder: Path) -> Loopback:
    """A property whose session is over and whose claims all wait."""
    open_database(f"sqlite:///{folder / 'empty.db'}").dispose()
    core = Loopback(folder, folder / "empty.db", book=BOOK)
    core.load_lists(members=MEMBERS, positions=POSITIONS)
    core.seat(**{f"S_{n:04d}": f"{100_000 + n}" for n in range(GUESTS)})
    core.play("14:10:05")
    return core


def run_clock(clock: SetClock) -> None:
    """From now on it runs."""
    stood_at, began = clock.now(), time.monotonic()
    patch.object(SetClock, "now", lambda _clock: stood_at + int((time.monotonic() - began) * 1000)).start()


def serve(folder: Path) -> None:
    core = played(folder)
    site = core.site
    house = House("Silverstar", "No persons under 18.", demo=False)
    staff = [StaffMember(person.id, person.name, person.role) for person in site.staff]
    printers = Printers(site.printers, check_address="")
    pages = Pages(
        core.core,
        house=house,
        tokens={},
        screens={screen.name: screen.title for screen in site.screens},
        staff=staff,
        read_segment=lambda _segment: b"",
        site_toml=site_toml().encode(),
        blueprints=floor_pages.blueprints(core.core, house, staff, printers),
        rooms=floor_pages.rooms(house, staff, printers),
        printers=printers,
    )
    core.ask(pages.follow)
    waiting = core.ask(lambda engine: len(engine.draw(loopback.FIRST).state.running()))
    server = make_server("127.0.0.1", 0, pages.app, threaded=True, request_handler=QuietRequests)
    server.daemon_threads = True  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pages.pusher.start()
    run_clock(core.clock)
    print(f"{waiting} {loopback.FIRST} :{server.server_port}", flush=True)
    sys.stdin.read()
    pages.pusher.stop()
    core.close()


if __name__ == "__main__":
    made = Path(tempfile.mkdtemp(prefix="fanout-"))
    try:
        serve(made)
    finally:
        shutil.rmtree(made, ignore_errors=True)
