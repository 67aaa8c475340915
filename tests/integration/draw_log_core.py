"""A small session as people worked it, its pages served to whoever is signed in: what the draw log is asked about.

Six guests play; all of them have signed the register. Selection 0 is found at the device and paid; 1 is announced,
comes with seconds to spare, and is the wrong person; 2 (the same award) is announced and does not come, so it is held,
its envelope drawn and its guest called twice; the next is found and paid.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from casino import AISHA, LERATO, NALEDI, PIETER, SIPHO, THANDI, jhb
from claim_steps import CREW, SIGNED, STAGE
from flask.testing import FlaskClient
from loopback import FIRST, LISTS, Loopback, pressed
from small_book import Session, book_toml

from draw_engine.clock import Millis
from draw_engine.service import claims, envelopes, house, prizes, register, staffing
from draw_engine.service.engine import Engine
from draw_engine.service.people_ports import SignInRow
from draw_engine.store.journal import read_segment
from kiosk import floor_pages
from kiosk.app import Pages
from kiosk.printing.view import Printers
from kiosk.screens.view import House

PLAYING = {"S_0412": THANDI, "S_0088": PIETER, "S_0500": AISHA, "S_0501": NALEDI, "S_0502": SIPHO, "S_0600": LERATO}
"""The last one plays outside the promotion's zones."""
CAME_AFTER_MS = 51_000
CHECK = "https://draws.example/check"
HOUSE = House("Silverstar", "No persons under 18.", demo=False, check_address=CHECK)
PEOPLE = {
    "nomvula": "manager",
    "themba": "manager",
    "kabelo": "crew",
    "zodwa": "stage",
    "zanele": "auditor",
    "wim": "witness",
    "mpho": "desk",
    "lindiwe": "customer_services",
}


class DrawLogCore(Loopback):
    """A core whose further pages are there; `client_of` signs anybody in, `play_day` plays the story."""

    def __init__(self, folder: Path, empty: Path) -> None:
        super().__init__(folder, empty, now="13:40", book=book_toml(Session("first", "14:00", "14:10", awards=3)))
        people: list[Any] = []
        self.served = Pages(
            self.core,
            house=HOUSE,
            tokens={feed.id: str(feed.token_sha256) for feed in self.site.feeds},
            screens={},
            staff=people,
            read_segment=lambda segment: read_segment(self.site.journal_dir, segment),
            site_toml=(folder / "site.toml").read_bytes(),
            blueprints=floor_pages.blueprints(self.core, HOUSE, people, Printers()),
            rooms=floor_pages.rooms(HOUSE, people, Printers()),
        )
        self.midway: Callable[[], None] = lambda: None
        """Called when the second claim has ended and the draw is still open."""
        self.ask(_enter)
        self.client = self.served.app.test_client()

    def load_lists(self, **lists: str) -> None:
        for kind, content in (LISTS | lists).items():
            self.ask(lambda engine, kind=kind, content=content: house.load_list(engine, kind, content.encode()))

    def cookie(self, person: str) -> str:
        """A sign-in of theirs, as a browser shows it."""
        token = f"token-of-{person}"
        now = self.clock.now()
        row = SignInRow(hashlib.sha256(token.encode()).hexdigest(), person, None, now, now, now + 12 * 3_600_000)

        def keep(engine: Engine) -> None:
            staffing.keep_sign_in(engine, row)
            self.served.door.load(engine)

        self.ask(keep)
        return token

    def client_of(self, person: str) -> FlaskClient:
        """A browser in which they are signed in."""
        client = self.served.app.test_client()
        client.set_cookie("floordraw", self.cookie(person))
        return client

    # -- the story --------------------------------------------------------------------------------------------------

    def play_day(self) -> None:
        """Until the draw has closed."""
        self.load_lists()
        self.ask(_sign_register)
        self.at("13:48")
        self.seat(**PLAYING)
        while self.clock.now() < jhb("13:59:50"):
            self.clock.set(self.clock.now() + 10_000)
            self.core.beats.note(self.clock.now())
            self.heard([self.line("played", position=one, games=1, coin_in=500) for one in self._playing])
        done = 0
        while self.ask(_is_open):
            self.play_on()
            done += self._work(done)
            assert self.clock.now() < jhb("14:30"), "the session does not come to its end"
        self.ask(_look_for)

    def _work(self, done: int) -> int:
        """Do with the newest claim what the story says, once; gives whether there was a new one."""
        if self.ask(lambda engine: len(engine.draw(FIRST).state.claims) if FIRST in engine.draws else 0) <= done:
            return 0
        step = {1: _wrong_person, 2: _nobody_comes}.get(done, _paid)
        step(self, done)
        if done == 1:
            self.midway()
        return 1


def _enter(engine: Engine) -> None:
    known = {row.id for row in engine.store.staff()}
    for person, role in PEOPLE.items():
        if person not in known:
            staffing.enter(engine, person, person.title(), role, actor=staffing.TECHNICIAN)


def _is_open(engine: Engine) -> bool:
    return FIRST not in engine.draws or engine.draw(FIRST).state.closed_at is None


def _sign_register(engine: Engine) -> None:
    now = engine.now()
    envelopes.count_batch(engine, amounts={75_000: 20}, by="nomvula", second="themba", now=now)
    for member in PLAYING.values():
        paper = {"id_type": "passport", "id_number": "DEMO0000", "phone": "0820000001", "email": ""}
        register.sign(engine, member=member, by="mpho", in_person=True, signature=SIGNED, now=now, **paper)


def _paid(core: DrawLogCore, ordinal: int) -> None:
    core.ask(lambda engine: pressed(engine, FIRST, ordinal, "found", "confirmed"))


def _called(core: DrawLogCore, ordinal: int) -> None:
    def call(engine: Engine) -> None:
        draw, now = engine.draw(FIRST), engine.now()
        claims.take(engine, draw, ordinal, actor=CREW, now=now)
        claims.not_there(engine, draw, ordinal, actor=CREW, now=now)
        claims.announce(engine, draw, ordinal, actor=STAGE, now=now)

    core.ask(call)


def _wait(core: DrawLogCore, ms: Millis) -> None:
    until = core.clock.now() + ms
    while core.clock.now() < until:
        core.play_on()


def _wrong_person(core: DrawLogCore, ordinal: int) -> None:
    _called(core, ordinal)
    _wait(core, CAME_AFTER_MS)

    def come(engine: Engine) -> None:
        draw, now = engine.draw(FIRST), engine.now()
        claims.present(engine, draw, ordinal, actor=STAGE, stamped_at=now, now=now)
        claims.mismatch(engine, draw, ordinal, reason="card", actor=CREW, now=now)

    core.ask(come)


def _nobody_comes(core: DrawLogCore, ordinal: int) -> None:
    _called(core, ordinal)
    _wait(core, 91_000)


def _look_for(engine: Engine) -> None:
    draw, now = engine.draw(FIRST), engine.now()
    pocket = next(iter(envelopes.tray(engine)))
    prizes.draw_on_behalf(engine, draw, 2, pocket=pocket, by="nomvula", second="themba", now=now)
    for outcome in ("no_answer", "message_left"):
        prizes.contact(engine, draw, 2, channel="phone", outcome=outcome, by="lindiwe", now=now)
