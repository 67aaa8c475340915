"""A Saturday of a small property as it is really served: core, pages, screen server and a printer's spool.

Its clock is this machine's, moved to the Saturday, and a test may let it run ahead. While a clock runs it goes ahead in
steps of a second at most, and the stage is heard at each: the core would rightly take a leap for a standstill.
"""

from __future__ import annotations

import hashlib
import json
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import requests
from moved_clock import MovedClock
from page_signing import employ_all
from wire import Wire

sys.path.append(str(Path(__file__).resolve().parents[1] / "integration"))

from casino import LERATO, NALEDI, THANDI, Session, book_toml, iso, jhb
from loopback import FIRST, LISTS, SLOTS, TABLES, TOKENS, site_toml

from config.site import load_site
from draw_engine.claim_moves import stage_of
from draw_engine.draw_state import Claim
from draw_engine.log import Entry
from draw_engine.seeds import SystemSeeds
from draw_engine.service import envelopes
from draw_engine.service.engine import Engine
from draw_engine.store.sealing import make_master_key
from kiosk.assembly import MASTER_KEY, house_of, open_store
from kiosk.printing import spool as print_spool
from kiosk.screens.process import ScreenProcess
from kiosk.serving import Serving
from printers.feelings import Feeling, set_feeling
from printers.links import PrinterPlace, Timing

T = TypeVar("T")
BOOK = book_toml(Session("first", "14:00", "14:10", awards=3))
"""Three winners in ten minutes: while one claim runs its ninety seconds, no queue of others grows."""
SEATED = {"S-0412": THANDI, "S-0088": LERATO, "S-0501": NALEDI}
NAMES = {THANDI: "Thandi Mokoena", LERATO: "Lerato Dlamini", NALEDI: "Naledi Khumalo"}
AMOUNT = 75_000
_SPEAKS_EVERY_MS = 5_000
_STEP_MS = 1_000
_PRINTER_TOKEN = "token-of-the-desk-printer"
_QUICK = Timing(connect=1.0, answer=0.5, send=1.0, confirm=0.5, patience=0.0, poll=0.1, look=0.2)


class FloorDay:
    """The property, its floor and its paper. `stage_heard`: whether somebody stands at the stage while time goes on."""

    def __init__(
        self, folder: Path, *, now: str = "13:59:40", seated: Mapping[str, str] = SEATED, tray: int = 10
    ) -> None:
        self.folder, self.seated = folder, dict(seated)
        self.paper = folder / "paper"
        (folder / "state").mkdir()
        make_master_key(folder / "state" / MASTER_KEY)
        (folder / "site.toml").write_text(_site(), encoding="utf-8")
        self.site = load_site(folder / "site.toml")
        self.clock = MovedClock(jhb(now))
        self.stage_heard = True
        self._wires: list[Wire] = []
        self._screens: ScreenProcess | None = None
        store = open_store(self.site, SystemSeeds())
        toml = (folder / "site.toml").read_bytes()
        house = house_of(self.site, [BOOK])
        self.serving = Serving(house, lambda: store, self.clock, port=0, demo=False, site_toml=toml)
        self.serving.start()
        self.url = self.serving.url
        employ_all(self.serving, folder / "state", LISTS)
        if tray:
            self.ask(
                lambda engine: envelopes.count_batch(
                    engine, amounts={AMOUNT: tray}, by="nomvula", second="themba", now=engine.now()
                )
            )
        self._bridge = _Bridge(self)
        self._stopped = threading.Event()
        self._beside = [threading.Thread(target=self._bridge.keep_speaking, args=(self._stopped,), daemon=True)]
        self._beside.append(threading.Thread(target=self._print, daemon=True))
        for thread in self._beside:
            thread.start()

    def close(self) -> None:
        self._stopped.set()
        for thread in self._beside:
            thread.join(10)
        if self._screens is not None:
            self._screens.stop()
        for wire in self._wires:
            wire.close()
        self.serving.stop()

    # -- the ways in -----------------------------------------------------------------------------------------------

    def wire(self) -> Wire:
        """A network of its own to the core's pages."""
        self._wires.append(Wire(int(self.url.rpartition(":")[2])))
        return self._wires[-1]

    def screen_wire(self) -> Wire:
        """A network of its own to the screens' server, which is a process as in a property."""
        if self._screens is None:
            self._screens = ScreenProcess(self.url)
            self._screens.start()
        self._wires.append(Wire(int(self._screens.url.rpartition(":")[2])))
        return self._wires[-1]

    # -- time ------------------------------------------------------------------------------------------------------

    def go(self, ms: int, *, until: Callable[[], bool] = lambda: False) -> None:
        """Let so much time pass at once, second by second: the floor plays on, the core beats. Stops when `until`."""
        ends = self.clock.now() + ms
        while (left := ends - self.clock.now()) > 0 and not until():
            self.clock.move(min(_STEP_MS, left))
            now = self.clock.now()
            self.serving.core.beats.note(now)
            if self.stage_heard:
                self.serving.core.stage.heard(now)
            self._bridge.speak_if_due()
            self.ask(_nothing)
        self.tell_pages()

    def leap(self, text: str) -> None:
        """It is this day and time at once; for days on which no claim runs."""
        self.clock.move(jhb(text) - self.clock.now())
        self.ask(_nothing)
        self.tell_pages()

    def tell_pages(self) -> None:
        """Every page hears what time it is; by itself it would ask within twenty seconds."""
        pusher = self.serving.pages.pusher
        pusher._sent.clear()
        pusher.changed()

    def go_until(self, claim: int, left_ms: int) -> None:
        """Until so much of the claim's window is left."""
        deadline = self.claim(claim).deadline_at
        assert deadline is not None
        self.go(deadline - left_ms - self.clock.now())

    # -- the draw --------------------------------------------------------------------------------------------------

    def ask(self, command: Callable[[Engine], T]) -> T:
        return self.serving.core.ask(command)

    def claims(self) -> Sequence[Claim]:
        return self.ask(lambda engine: tuple(engine.draws[FIRST].state.claims) if FIRST in engine.draws else ())

    def claim(self, ordinal: int) -> Claim:
        return self.claims()[ordinal]

    def places(self) -> Sequence[int]:
        """Which award each selection was for."""
        return self.ask(lambda engine: [one.place for one in engine.draw(FIRST).state.selections])

    def stage_of(self, ordinal: int) -> str:
        return self.ask(lambda engine: stage_of(engine.draw(FIRST).state.claims[ordinal]))

    def selected(self, ordinal: int = 0) -> int:
        """Let time pass until this selection has been made."""
        self.go(600_000, until=lambda: len(self.claims()) > ordinal)
        assert len(self.claims()) > ordinal, "nobody was selected"
        return ordinal

    def selected_again(self, ordinal: int) -> int:
        """Let time pass until somebody has been selected in this one's stead: another award's may come before."""

        def again() -> list[int]:
            places = self.places()
            return [n for n, place in enumerate(places) if n > ordinal and place == places[ordinal]]

        self.go(600_000, until=lambda: bool(again()))
        assert again(), "nobody was selected again"
        return again()[0]

    def member(self, ordinal: int) -> str:
        return str(self.ask(lambda engine: engine.draw(FIRST).rows[ordinal].member))

    def leaves(self, ordinal: int) -> None:
        """Whoever was selected takes the card and goes: they will not be found, nor be selected again."""
        position = str(self.ask(lambda engine: engine.draw(FIRST).rows[ordinal].position))
        del self.seated[position]
        self._bridge.tell("card_out", position=position)

    def until(self, ordinal: int, stage: str, seconds: float = 15) -> None:
        """Wait, in real time, for a press to arrive."""
        ends = time.monotonic() + seconds
        while (now := self.stage_of(ordinal)) != stage:
            assert time.monotonic() < ends, f"c{ordinal} is {now}, not {stage}"
            time.sleep(0.05)

    def said(self, ordinal: int, *kinds: str) -> list[Entry]:
        """The log's entries of these kinds about a claim, while the draw is open and afterwards."""
        entries = self.ask(lambda engine: list(engine.store.entries(1, 1 << 40)))
        return [one for one in entries if one.data.get("claim") == f"c{ordinal}" and one.kind in kinds]

    def closed(self) -> bool:
        return bool(self.ask(lambda engine: engine.draw(FIRST).state.closed_at is not None))

    # -- paper -----------------------------------------------------------------------------------------------------

    def _print(self) -> None:
        print_spool.run(
            "desk",
            PrinterPlace("file", path=str(self.paper)),
            core=self.url,
            token=_PRINTER_TOKEN,
            folder=self.folder / "spool",
            stop=self._stopped,
            timing=_QUICK,
        )

    def set_printer(self, feeling: Feeling) -> None:
        set_feeling(self.paper, feeling)

    def slip(self, *words: str, seconds: float = 20) -> str:
        """The text of the one slip on the paper that has all these words; it comes by itself within the time."""
        ends = time.monotonic() + seconds
        while True:
            slips = [file.read_text(encoding="utf-8") for file in self.paper.glob("*.txt")]
            found = [text for text in slips if all(word in text for word in words)]
            if found:
                assert len(found) == 1, found
                return found[0]
            assert time.monotonic() < ends, f"no slip with {words} among {len(slips)}"
            time.sleep(0.1)


class _Bridge:
    """Tells who sits where since twenty minutes, and that they play on: every five seconds of the floor's own time."""

    def __init__(self, day: FloorDay) -> None:
        self._day = day
        self._numbers = dict.fromkeys(TOKENS, 0)
        self._lock = threading.Lock()
        self._spoken_at: int | None = None

    def keep_speaking(self, stopped: threading.Event) -> None:
        while not stopped.wait(0.25):
            self.speak_if_due()

    def speak_if_due(self) -> None:
        with self._lock:
            now = self._day.clock.now()
            if self._spoken_at is not None and now - self._spoken_at < _SPEAKS_EVERY_MS:
                return
            told = self._snapshot(now) if self._spoken_at is None else self._played() or [("heartbeat", {})]
            tables: tuple[str, dict[str, Any]] = ("heartbeat", {})
            if self._spoken_at is None:
                tables = ("snapshot", {"sessions": []})
            self._spoken_at = now
            self._post(SLOTS, told)
            self._post(TABLES, [tables])

    def tell(self, kind: str, **more: Any) -> None:
        with self._lock:
            self._post(SLOTS, [(kind, more)])

    def _played(self) -> list[tuple[str, dict[str, Any]]]:
        return [("played", {"position": one, "games": 1, "coin_in": 100}) for one in self._day.seated]

    def _snapshot(self, now: int) -> list[tuple[str, dict[str, Any]]]:
        since = {"opened_at": iso(now - 1_200_000), "last_play_at": iso(now - 1_000), "games": 9, "coin_in": 900}
        seated = self._day.seated.items()
        who = [{"position": place, "member": member, "card": f"70{member}"} for place, member in seated]
        return [("snapshot", {"sessions": [one | since for one in who]})]

    def _post(self, feed: str, told: Sequence[tuple[str, dict[str, Any]]]) -> None:
        lines = []
        for kind, more in told:
            self._numbers[feed] += 1
            lines.append(
                {"feed": feed, "seq": self._numbers[feed], "at": iso(self._day.clock.now()), "kind": kind} | more
            )
        body = "\n".join(map(json.dumps, lines))
        headers = {"Authorization": f"Bearer {TOKENS[feed]}"}
        answer = requests.post(f"{self._day.url}/floor-events", data=body, headers=headers, timeout=30)
        assert (answer.status_code, answer.json()["refused"]) == (200, [])


def _site() -> str:
    return f"""{site_toml()}
[[staff]]
id = "anita"
name = "Anita"
role = "stage"
[[staff]]
id = "lindiwe"
name = "Lindiwe"
role = "customer_services"
[[staff]]
id = "riaan"
name = "Riaan"
role = "marketing"
[[printer]]
id = "desk"
title = "Rewards desk"
uses = ["receipts", "labels", "slips"]
device = "file"
path = "paper"
token_sha256 = "{hashlib.sha256(_PRINTER_TOKEN.encode()).hexdigest()}"
"""


def _nothing(_engine: Engine) -> None:
    return None
