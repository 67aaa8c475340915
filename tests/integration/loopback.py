"""A property's core and pages as `floordraw serve` wires them, on a set clock, with known seeds and Flask's client."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from casino import MEMBERS, NOBODY, POSITIONS, FixedSeeds, book_toml, iso, jhb
from signing import employ, quick_secrets, signed_client
from werkzeug.test import TestResponse

from config.site import load_site
from draw_engine.clock import SetClock
from draw_engine.log import Entry
from draw_engine.scripted_crew import Press
from draw_engine.service import envelopes, scripted
from draw_engine.service.engine import Engine
from draw_engine.store.journal import read_segment
from draw_engine.store.sealing import make_master_key
from kiosk.app import Pages
from kiosk.assembly import MASTER_KEY, house_of, open_engine, open_store
from kiosk.core import Core
from kiosk.screens import view as screen_view
from kiosk.sign_in.machine_token import make_machine_token
from web_display.console_messages import StaffMember

T = TypeVar("T")
SLOTS, TABLES = "slots-1", "tables-1"
TOKENS = {SLOTS: "token-of-the-slots", TABLES: "token-of-the-tables"}
FIRST = "silverstar/playtime/2023-10-07/first"
LISTS = {"positions": POSITIONS, "members": MEMBERS, "exclusions": NOBODY, "staff": NOBODY}
STAFF = [("nomvula", "manager"), ("themba", "manager"), ("kabelo", "crew"), ("zanele", "auditor"), ("mpho", "desk")]


def site_toml(*, tokens: Mapping[str, str] = TOKENS) -> str:
    feeds = "".join(
        f'[[feed]]\nid = "{feed}"\nbrings = ["{feed.partition("-")[0]}"]\n'
        f'token_sha256 = "{hashlib.sha256(token.encode()).hexdigest()}"\n'
        for feed, token in tokens.items()
    )
    staff = "".join(f'[[staff]]\nid = "{one}"\nname = "{one.title()}"\nrole = "{role}"\n' for one, role in STAFF)
    return f"""\
property = "silverstar"
property_name = "Silverstar"
database = "sqlite:///floordraw.db"
journal_dir = "journal"
state_dir = "state"
check_address = "http://127.0.0.1:8080/check"
statutory_line = "No persons under 18."
rules_must_be_locked = false
{feeds}
[[screen]]
name = "main"
title = "Main floor"
{staff}"""


class Loopback:
    """The core runs on a thread of its own, as it does live; `at` moves its clock, and what is due is done."""

    def __init__(self, folder: Path, empty: Path, *, now: str = "13:45", book: bytes | None = None) -> None:
        self.folder = folder
        (folder / "state").mkdir()
        make_master_key(folder / "state" / MASTER_KEY)
        (folder / "site.toml").write_text(site_toml(), encoding="utf-8")
        shutil.copy(empty, folder / "floordraw.db")
        self.site = load_site(folder / "site.toml")
        self.clock = SetClock(jhb(now))
        self.broken = False
        seeds = FixedSeeds("seed")
        self.house = house_of(self.site, [book_toml() if book is None else book])
        self.store = open_store(self.site, seeds)
        self.core = Core(
            lambda: open_engine(self.house, self.store, self.clock, seeds=seeds),
            clock=self.clock,
            version="test",
            on_broken=self._broken,
        )
        self.pages = Pages(
            self.core,
            house=screen_view.House("Silverstar", "No persons under 18.", demo=False),
            tokens={feed.id: str(feed.token_sha256) for feed in self.site.feeds},
            screens={screen.name: screen.title for screen in self.site.screens},
            staff=[StaffMember(person.id, person.name, person.role) for person in self.site.staff],
            read_segment=lambda segment: read_segment(self.site.journal_dir, segment),
            site_toml=(folder / "site.toml").read_bytes(),
            machine_token=make_machine_token(folder / "state"),
            secrets_kept=quick_secrets(),
        )
        self.core.stage.always = True
        self._numbers = dict.fromkeys(TOKENS, 0)
        self._playing: list[str] = []
        self.core.start()
        employ(self.pages, [(person.id, person.name, person.role) for person in self.site.staff])
        self.client = signed_client(self.pages)
        self.client.keys.cookie("nomvula", self.clock.now())  # signed in before a test makes trouble
        self.bare = self.pages.app.test_client()

    def _broken(self) -> None:
        self.broken = True

    def close(self) -> None:
        self.core.stop()
        self.store.database.dispose()

    def ask(self, command: Callable[[Engine], T]) -> T:
        return self.core.ask(command)

    def at(self, text: str) -> None:
        """Let it be this time; what was due in between is done late, as after a pause of the machine."""
        self.clock.set(jhb(text))
        self.ask(_nothing)

    def said(self, *kinds: str) -> list[Entry]:
        """The log's entries of these kinds."""
        return [
            entry for entry in self.ask(lambda engine: list(engine.store.entries(1, 1 << 40))) if entry.kind in kinds
        ]

    def load_lists(self, **lists: str) -> None:
        for kind, content in (LISTS | lists).items():
            answer = self.client.post(f"/lists/{kind}", data=content)
            assert answer.status_code == 200, answer.text

    # -- the floor -------------------------------------------------------------------------------------------------

    def line(
        self, kind: str, *, feed: str = SLOTS, seq: int | None = None, at: int | None = None, **more: Any
    ) -> bytes:
        """An event of a feed, with its next number unless one is given."""
        if seq is None:
            seq = self._numbers[feed] = self._numbers[feed] + 1
        spoken_at = self.clock.now() if at is None else at
        told = {"feed": feed, "seq": seq, "at": iso(spoken_at), "kind": kind, **more}
        return json.dumps(told).encode()

    def post(self, lines: Sequence[bytes] | bytes, *, feed: str = SLOTS, **said: Any) -> TestResponse:
        headers = {"Authorization": f"Bearer {TOKENS[feed]}"} | said.pop("headers", {})
        body = lines if isinstance(lines, bytes) else b"\n".join(lines)
        return self.client.post("/floor-events", data=body, headers=headers, **said)

    def get(self, path: str, *, feed: str = SLOTS) -> TestResponse:
        return self.client.get(path, headers={"Authorization": f"Bearer {TOKENS[feed]}"})

    def seat(self, **guests: str) -> None:
        """`S_0412="100001"` and so on: each puts a card in and plays; both feeds speak."""
        told = []
        for position, member in guests.items():
            named = position.replace("_", "-")
            self._playing.append(named)
            told += [self.line("card_in", position=named, member=member, card=f"70{member}")]
            told += [self.line("played", position=named, games=1, coin_in=500)]
        self.heard(told or [self.line("heartbeat")])

    def heard(self, told: Sequence[bytes]) -> None:
        for feed, lines in ((SLOTS, told), (TABLES, [self.line("heartbeat", feed=TABLES)])):
            answer = self.post(lines, feed=feed)
            assert (answer.status_code, answer.get_json()["refused"]) == (200, [])

    def play(self, until: str, *, pay: bool = False) -> None:
        """Time passes second by second; whoever was seated plays on. `pay`: every claim is found and paid at once."""
        while self.clock.now() < jhb(until):
            self.play_on()
            if pay:
                self.ask(_pay)

    def play_on(self) -> None:
        """One second passes."""
        self.clock.set(self.clock.now() + 1_000)
        self.core.beats.note(self.clock.now())
        if self.clock.now() % 10_000 == 0:
            self.heard([self.line("played", position=one, games=1, coin_in=500) for one in self._playing])
        self.ask(_nothing)


def _nothing(_engine: Engine) -> None:
    return None


def _pay(engine: Engine) -> None:
    """Everybody selected is found at the device and paid."""
    for draw in engine.draws.values():
        for claim in draw.state.running():
            pressed(engine, draw.state.id, claim.ordinal, "found", "confirmed")


def pressed(engine: Engine, draw: str, ordinal: int, *verbs: str) -> None:
    """What a crew does with a claim, as a script names it; there are always envelopes of R750 in the tray."""
    now = engine.now()
    if not engine.store.envelopes(state="tray"):
        envelopes.count_batch(engine, amounts={75_000: 100}, by="nomvula", second="themba", now=now)
    for verb in verbs:
        press = Press(now, 0, draw, ordinal, verb, 75_000 if verb == "confirmed" else None)
        scripted.carry_out(engine, press, actor="crew:kabelo", now=now)
