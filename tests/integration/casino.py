"""A small casino around an engine: its lists, feeds, crew and clock, on any database, stopped and started at will.

The clock stands where it is put; seeds, keys and salts follow from one text, so two casinos that are told the same
write the same log.
"""

from __future__ import annotations

import base64
import itertools
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from people_words import (
    AISHA,
    GRACE,
    HOUR,
    JOHAN,
    LERATO,
    MEMBERS,
    NALEDI,
    NOBODY,
    PIETER,
    POSITIONS,
    SIGNED_HEADER,
    SIPHO,
    THANDI,
    THANDI_SECOND,
    iso,
    jhb,
)
from small_book import FIRST, SECOND, ZONE, Session, book_toml
from sqlalchemy import select
from stand_ins import FixedSeeds, hurry

from draw_engine import claim_moves
from draw_engine.clock import SetClock
from draw_engine.draw_state import Claim
from draw_engine.log import Entry, slip_text
from draw_engine.records import AUDITOR, PUBLIC
from draw_engine.rule_book_toml import read
from draw_engine.scripted_crew import Press, ScriptedCrew
from draw_engine.service import claims, envelopes, house, intake, scripted
from draw_engine.service.engine import Book, Engine, OpenDraw, PropertySettings
from draw_engine.service.publishing import published_copy, shown
from draw_engine.store import tables
from draw_engine.store.database import open_database
from draw_engine.store.journal import FileJournal
from draw_engine.store.repositories import TableStore
from draw_engine.store.sealing import MasterKey, Signer
from draw_engine.verify import verify
from draw_engine.verify.report import HOLDS, Report

__all__ = [
    "AISHA",
    "FIRST",
    "GRACE",
    "HOUR",
    "JOHAN",
    "LERATO",
    "MEMBERS",
    "NALEDI",
    "NOBODY",
    "PIETER",
    "POSITIONS",
    "PULSE_MS",
    "SECOND",
    "SIGNED_HEADER",
    "SIPHO",
    "STAFF",
    "THANDI",
    "THANDI_SECOND",
    "ZONE",
    "Casino",
    "FixedSeeds",
    "Session",
    "book_toml",
    "iso",
    "jhb",
    "seat_everybody",
]

STAFF = {
    "nomvula": "manager",
    "themba": "manager",
    "kabelo": "crew",
    "zanele": "auditor",
    "bheki": "guest_relations",
}
PULSE_MS = 20_000
"""How often the feeds of this casino speak; the limit of their silence is 30 s."""


class Casino:
    """An engine and the people, machines and clocks around it. `start` makes the engine, `restart` another one.

    `go(until)` lets time pass as the live core does: the feeds speak every 20 s, every due instant has its tick,
    `late_by` ms after it. `crew` (None: nobody) presses as its script says.
    """

    def __init__(
        self,
        url: str,
        folder: Path,
        *,
        book: bytes | None = None,
        seed: str = "seed",
        feeds: Mapping[str, tuple[str, ...]] | None = None,
        stale_after_ms: int = 30_000,
        list_age_hours: Mapping[str, int] | None = None,
        now: str = "13:45",
        members: str = MEMBERS,
        positions: str = POSITIONS,
    ) -> None:
        toml = book_toml() if book is None else book
        ages = {"members": 24, "exclusions": 24, "staff": 168} if list_age_hours is None else list_age_hours
        self.url, self.folder = url, folder
        self.books = [Book(read(toml), toml)]
        self.seeds = FixedSeeds(seed)
        self.clock = SetClock(jhb(now))
        self.settings = PropertySettings(
            id="silverstar",
            stale_after_ms=stale_after_ms,
            list_age_hours=ages,
            feeds={"slots-1": ("slots",), "tables-1": ("tables",)} if feeds is None else feeds,
            staff=dict(STAFF),
        )
        self.members, self.positions = members, positions
        self.crew: ScriptedCrew | None = None
        self.late_by = 0
        self.silent: set[str] = set()
        self.playing: dict[str, str] = {}
        self.restarts = 0
        self.restart_before: Callable[[], bool] = lambda: False
        self._numbers: dict[str, Iterator[int]] = {}
        self._waiting: dict[str, list[bytes]] = {}
        self._pulse = self.clock.now()
        self.database = open_database(url)
        hurry(self.database)
        self.start()

    # -- the core ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        store = TableStore(self.database, salt=self.seeds.salt, property_id="silverstar")
        kept = store.journal()
        segment = kept[0] if kept is not None else "2023-10-07-1"
        self.journal = FileJournal(self.folder / "journal", segment, kept[1] if kept else 0)
        self.engine = Engine(
            settings=self.settings,
            books=self.books,
            store=store,
            journal=self.journal,
            vault=MasterKey(b"m" * 32),
            seeds=self.seeds,
            clock=self.clock,
            make_signer=Signer,
        )
        self.engine.listeners.append(self._saw)

    def restart(self) -> None:
        """Forget everything in memory and build the engine again from what is kept."""
        self.restarts += 1
        self.journal.close()
        self.start()

    def close(self) -> None:
        self.journal.close()
        self.database.dispose()

    def _saw(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if entry.kind == "claim.opened" and entry.draw is not None and self.crew is not None:
                ordinal = entry.data["ordinal"]
                state = self.engine.draw(entry.draw).state
                place = state.places[state.selections[ordinal].place]
                attempt = place.ordinals.index(ordinal) + 1
                self.crew.selected(entry.draw, ordinal=ordinal, award=place.number, attempt=attempt, at=entry.at)

    # -- lists -------------------------------------------------------------------------------------------------

    def load_lists(self, **lists: str) -> None:
        """The four lists, each as it is named or as the casino has it."""
        usual = {"positions": self.positions, "members": self.members, "exclusions": NOBODY, "staff": NOBODY}
        for kind, content in (usual | lists).items():
            house.load_list(self.engine, kind, content.encode())

    # -- the floor ---------------------------------------------------------------------------------------------

    def tell(
        self, kind: str, *, feed: str = "slots-1", at: int | None = None, seq: int | None = None, **more: Any
    ) -> None:
        """Note an event for the feed's next sending."""
        numbers = self._numbers.setdefault(feed, itertools.count(1))
        value = {
            "feed": feed,
            "seq": next(numbers) if seq is None else seq,
            "at": iso(self.clock.now() if at is None else at),
            "kind": kind,
            **more,
        }
        self._waiting.setdefault(feed, []).append(json.dumps(value).encode())

    def send(self) -> dict[str, intake.Answer]:
        """Send what was noted; a feed with nothing to say sends a heartbeat unless it is silent."""
        answers = {}
        for feed in self.settings.feeds:
            if feed in self.silent:
                continue
            if not self._waiting.get(feed):
                self.tell("heartbeat", feed=feed)
            answers[feed] = intake.take(self.engine, feed, b"\n".join(self._waiting.pop(feed)))
            assert not answers[feed].refused, answers[feed].refused
        return answers

    def sits(self, member: str, position: str, *, card: str | None = None, plays_on: bool = True) -> None:
        """A guest puts the card in and, unless told otherwise, plays at every pulse from then on."""
        shown: dict[str, Any] = {} if card is None else {"card": card}
        self.tell("card_in", position=position, member=member, **shown)
        self.tell("played", position=position, games=1, coin_in=500)
        if plays_on:
            self.playing[position] = member

    def leaves(self, position: str) -> None:
        self.playing.pop(position, None)
        self.tell("card_out", position=position)

    def rated(self, member: str, position: str = "BJ-03", seat: str = "4") -> None:
        self.tell("rating_opened", feed="tables-1", position=position, seat=seat, member=member, average_bet=10_000)

    def _speak(self) -> None:
        for position in self.playing:
            self.tell("played", position=position, games=1, coin_in=500)
        self.send()

    # -- time --------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        house.tick(self.engine)

    def at(self, text: str) -> None:
        """Let time pass up to and with this instant of the day."""
        self.go(jhb(text))

    def go(self, until: int) -> None:
        while True:
            at = min(until, self._next_instant())
            self.clock.set(max(at, self.clock.now()))
            if self.restart_before():
                self.restart()
            if self._pulse <= self.clock.now():
                self._pulse += PULSE_MS * (1 + (self.clock.now() - self._pulse) // PULSE_MS)
                self._speak()
            self._press()
            self.tick()
            self._nothing_is_left()
            if self.clock.now() >= until:
                return

    def _nothing_is_left(self) -> None:
        """A tick does all that is due: else a rehearsal would stand still and the live core would fall behind."""
        due = house.next_instant(self.engine)
        assert due is None or due > self.clock.now(), f"left at {iso(self.clock.now())}, due {iso(due or 0)}"

    def _next_instant(self) -> int:
        now = self.clock.now()
        due = [self._pulse, *(at for at in self.engine.next_opening_try.values() if at > now)]
        if self.crew is not None and (pressed := self.crew.next_at()) is not None:
            due.append(pressed)
        if (engine_due := house.next_instant(self.engine)) is not None:
            due.append(engine_due + self.late_by)
        return min(due)

    def _press(self) -> None:
        if self.crew is not None:
            self.tray()
            for press in self.crew.due(self.clock.now()):
                actor = "engine" if press.verb in {"expired", "held"} else "crew:kabelo"
                scripted.carry_out(self.engine, press, actor=actor, now=self.clock.now())

    # -- a session ---------------------------------------------------------------------------------------------

    def draw(self, plan: str = "first") -> OpenDraw:
        return self.engine.draw(f"silverstar/playtime/2023-10-07/{plan}")

    def moments(self, plan: str = "first") -> list[int]:
        """The moments not yet taken; the test alone knows them."""
        return [place.turn.due for place in self.draw(plan).state.places.values() if place.turn is not None]

    def last_claim(self, plan: str = "first") -> Claim:
        return self.draw(plan).state.claims[-1]

    def found(self, plan: str = "first", ordinal: int | None = None) -> None:
        n = self.last_claim(plan).ordinal if ordinal is None else ordinal
        self._walk(plan, n)
        claims.found(self.engine, self.draw(plan), n, actor="crew:kabelo", now=self.clock.now())

    def announce(self, plan: str = "first", ordinal: int | None = None) -> int:
        n = self.last_claim(plan).ordinal if ordinal is None else ordinal
        self._walk(plan, n)
        if self._stage(plan, n) == "taken":
            claims.not_there(self.engine, self.draw(plan), n, actor="crew:kabelo", now=self.clock.now())
        return claims.announce(self.engine, self.draw(plan), n, actor="crew:kabelo", now=self.clock.now())

    def present(self, plan: str = "first", ordinal: int | None = None, stamped_at: int | None = None) -> None:
        n = self.last_claim(plan).ordinal if ordinal is None else ordinal
        now = self.clock.now()
        stamped = now if stamped_at is None else stamped_at
        claims.present(self.engine, self.draw(plan), n, actor="stage:zanele", stamped_at=stamped, now=now)

    def end(self, outcome: str, plan: str = "first", ordinal: int | None = None, prize: int | None = None) -> None:
        n = self.last_claim(plan).ordinal if ordinal is None else ordinal
        self.tray()
        press = Press(self.clock.now(), 0, self.draw(plan).state.id, n, outcome, prize)
        scripted.carry_out(self.engine, press, actor="crew:kabelo", now=press.at)

    def _stage(self, plan: str, ordinal: int) -> str:
        return claim_moves.stage_of(self.draw(plan).state.claims[ordinal])

    def _walk(self, plan: str, ordinal: int) -> None:
        if self._stage(plan, ordinal) == "selected":
            claims.take(self.engine, self.draw(plan), ordinal, actor="crew:kabelo", now=self.clock.now())

    def tray(self, *, amounts: Mapping[int, int] | None = None) -> None:
        """Envelopes in the tray: counted in when there are none left."""
        if not self.engine.seeds.rehearsal and not self.engine.store.envelopes(state="tray"):
            made = {50_000: 40, 75_000: 40, 100_000: 20} if amounts is None else amounts
            envelopes.count_batch(self.engine, amounts=made, by="nomvula", second="themba", now=self.clock.now())

    def pay(self, plan: str = "first", ordinal: int | None = None, prize: int = 75_000) -> None:
        """Found at the device on the own card, or presented where that was announced; and paid."""
        claim = self.last_claim(plan) if ordinal is None else self.draw(plan).state.claims[ordinal]
        if claim_moves.stage_of(claim) in {"selected", "taken"}:
            self.found(plan, claim.ordinal)
        elif claim_moves.stage_of(claim) == "announced":
            self.present(plan, claim.ordinal)
        self.end("confirmed", plan, claim.ordinal, prize=prize)

    def pay_running(self, plan: str = "first") -> None:
        for claim in self.draw(plan).state.running():
            self.pay(plan, claim.ordinal)

    def finish(self, until: str) -> None:
        """Let time pass to this instant of the day; whoever is, or comes to be, selected is found and paid at once."""
        opened: list[Entry] = []
        self.engine.listeners.append(lambda entries: opened.extend(e for e in entries if e.kind == "claim.opened"))
        for draw in list(self.engine.draws.values()):
            self.pay_running(draw.plan.id)
        while self.clock.now() < jhb(until):
            due = house.next_instant(self.engine)
            self.go(min(jhb(until), self._pulse, jhb(until) if due is None else max(due, self.clock.now())))
            while opened:
                entry = opened.pop()
                self.pay(str(entry.draw).rsplit("/", 1)[-1], entry.data["ordinal"])
                self.tick()

    # -- what is kept ------------------------------------------------------------------------------------------

    def log(self) -> list[Entry]:
        head = self.engine.store.head()
        return [] if head is None else list(self.engine.store.entries(1, head.seq))

    def said(self, *kinds: str, plan: str | None = None) -> list[Entry]:
        draw = None if plan is None else self.draw(plan).state.id
        return [entry for entry in self.log() if entry.kind in kinds and (plan is None or entry.draw == draw)]

    def draws_closed(self) -> list[OpenDraw]:
        return [draw for draw in self.engine.draws.values() if draw.state.closed_at is not None]

    def claim_rows(self, draw: str) -> list[tuple[Any, ...]]:
        """The claims of a draw as the table has them: ordinal, six instants (ms or None), outcome, prize."""
        kept = tables.claims.c
        with self.database.connect() as connection:
            rows = connection.execute(select(tables.claims).where(kept.draw == draw).order_by(kept.ordinal)).all()
        return [
            (row.ordinal, *(None if at is None else tables.millis(at) for at in row[2:8]), row.outcome, row.prize)
            for row in rows
        ]

    def verify_closed(self) -> dict[str, Report]:
        """Verify both copies of every closed draw, with the key and every slip; fails with what does not hold."""
        return {
            f"{draw.plan.id} {copy}": self._verified(draw, copy)
            for draw in self.draws_closed()
            for copy in (PUBLIC, AUDITOR)
        }

    def _verified(self, draw: OpenDraw, copy: str) -> Report:
        state = draw.state
        assert state.closed_seq is not None
        slips = self.engine.store.checkpoints(state.opened_seq, state.closed_seq)
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            folder = Path(name)
            for file, data in published_copy(self.engine, draw, copy).items():
                (folder / file).write_bytes(data)
            papers = []
            for slip in slips:
                papers.append(folder / f"slip-{slip.seq}.txt")
                papers[-1].write_text(slip_text(shown(slip), self.seeds.rehearsal), encoding="utf-8")
            key = base64.b64encode(self.engine.signer.public_key).decode()
            report = verify(folder, key, papers)
        assert report.exit_code == HOLDS, "\n".join(report.lines())
        return report


def seat_everybody(casino: Casino) -> None:
    """Six guests who may win, at five machines and a table; Johan's tier is none of the promotion's."""
    for member, position in (
        (THANDI, "S-0412"),
        (PIETER, "S-0088"),
        (SIPHO, "S-0500"),
        (NALEDI, "S-0501"),
        (GRACE, "S-0502"),
        (JOHAN, "S-0503"),
    ):
        casino.sits(member, position, card=f"70{member}")
    casino.rated(LERATO)
