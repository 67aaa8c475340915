"""A live session of twenty minutes played on a set clock: two bridges over a bad line, a crew, two people, a journal.

What goes wrong on purpose, by the clock of Johannesburg: 14:01 events of the slots feed are lost for good; 14:04 an
exclusion is loaded; 14:08 to 14:13 the tables feed is cut off; 14:13:30 to 14:15:40 a list excludes everybody; from
14:16 the tables feed is gone, and at 14:17 two people exclude it. All along batches come out of order, and twice.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlalchemy import Engine as Database
from sqlalchemy import event

from draw_engine.clock import SetClock
from draw_engine.log import Entry
from draw_engine.rule_book_toml import read
from draw_engine.scripted_crew import CrewPlan, Scripted, ScriptedCrew
from draw_engine.service import envelopes, house, intake, scripted
from draw_engine.service.engine import Book, Engine, OpenDraw, PropertySettings
from draw_engine.service.publishing import auditor_pack, published_copy
from draw_engine.store.database import open_database
from draw_engine.store.journal import FileJournal, read_segment
from draw_engine.store.repositories import TableStore
from draw_engine.store.sealing import MasterKey, Signer
from floor_bridge.event_form import format_time, line_of
from floor_bridge.floor_files import WARM_UP, write_lists
from floor_bridge.floor_spec import FEEDS, REHEARSAL, SECOND, SLOTS_FEED, TABLES_FEED
from floor_bridge.simulator import Simulator

SPEC = replace(
    REHEARSAL,
    members=200,
    guests=70,
    habits=replace(REHEARSAL.habits, play_every=(20 * SECOND, 50 * SECOND), second_machine=0.15),
)
SITE = b"""\
property = "silverstar"
stale_after_seconds = 30
[[feed]]
id = "slots-1"
brings = ["slots"]
[[feed]]
id = "tables-1"
brings = ["tables"]
"""
BOOK = Path(__file__).parents[2] / "config" / "rule_books" / "silverstar-demo.toml"
DRAW = "silverstar/playtime-demo/2023-10-07/bonus-jackpot-demo"
AWARDS = 10


def noon(clock: str) -> int:
    """Milliseconds of `14:08:30` in Johannesburg on the day."""
    hours, minutes, seconds = (int(part) for part in clock.split(":"))
    moment = datetime(2023, 10, 7, hours - 2, minutes, seconds, tzinfo=UTC)
    return round(moment.timestamp() * 1000)


class LiveSeeds:
    """A live engine's seeds, from one text, so that every run of the tests is the same."""

    rehearsal = False

    def _of(self, what: str) -> bytes:
        return hmac.digest(b"live session", what.encode(), hashlib.sha256)

    def house_seed(self, draw: str) -> bytes:
        return self._of(f"house {draw}")

    def reference_key(self) -> bytes:
        return self._of("reference")

    def signing_key(self) -> bytes:
        return self._of("signing")

    def salt(self, seq: int) -> bytes:
        return self._of(f"salt {seq}")[:16]


class BadLine:
    """One feed's bridge: numbers its events and sends them in batches, out of order, some twice, some never."""

    def __init__(self, feed: str) -> None:
        self.feed = feed
        self.sent = 0
        self._next = 1
        self._outbox: deque[bytes] = deque()
        self._again: list[bytes] = []
        self._spoke_at = 0

    def tell(self, event: dict[str, Any]) -> None:
        self._spoke_at = max(self._spoke_at, _at(event))
        self._outbox.append(line_of({**event, "seq": self._next}))
        self._next += 1

    def beat(self, now: int) -> None:
        if now - self._spoke_at >= 10_000:
            self.tell({"feed": self.feed, "at": format_time(now), "kind": "heartbeat"})

    def lose(self) -> None:
        """What waits is lost for good."""
        self._outbox.clear()

    def batch(self, *, hold_back: bool) -> bytes:
        """All that waits but the second half of it in every other batch; backwards, and what was sent before."""
        self.sent += 1
        keep = len(self._outbox) // 2 if hold_back else 0
        lines = [self._outbox.popleft() for _ in range(len(self._outbox) - keep)]
        # Out of order within the two seconds a hole is waited for: the newest first.
        newest_first, again = lines[::-1], self._again
        self._again = lines[:2] if self.sent % 3 == 0 else []
        return b"\n".join([*newest_first[:900], *again])


def _at(event: dict[str, Any]) -> int:
    return round(datetime.fromisoformat(event["at"]).timestamp() * 1000)


def _hurry(database: Database) -> None:
    """Let SQLite not wait for the disk: how it is kept is not what is tried here."""
    database.dispose()

    @event.listens_for(database, "connect")
    def _settings(connection: Any, _record: Any) -> None:
        connection.execute("PRAGMA synchronous=OFF")


class LiveSession:
    """The house, its floor and its clock. `play` runs the whole story; `write` publishes the auditor's copy."""

    def __init__(self, folder: Path, *, seed: str = "live", limits: str = "[]") -> None:
        self.folder = folder
        self.clock = SetClock(noon("13:40:00"))
        toml = BOOK.read_bytes().replace(b"awards = 35", b"awards = %d" % AWARDS)
        toml = toml.replace(b"limits = []", f"limits = {limits}".encode())
        self.book = Book(read(toml), toml)
        self.floor = write_lists(folder / "lists", SPEC, seed)
        self.simulator = Simulator(SPEC, seed, self.clock.now() - WARM_UP, self.floor)
        self.simulator.advance(self.clock.now())
        self.lines = {feed: BadLine(feed) for feed in FEEDS}
        self.cut: set[str] = set()
        self.answers: list[intake.Answer] = []
        self.database = open_database(f"sqlite:///{folder / 'floordraw.db'}")
        _hurry(self.database)
        self.engine = self._engine()
        script = {
            (1, 1): Scripted("expired", 20),
            (2, 1): Scripted("not_rightful_card", 30),
            (3, 1): Scripted("ineligible", 30),
            (AWARDS, 1): Scripted("expired", 90),
            (AWARDS, 2): Scripted("expired", 20),
            (AWARDS, 3): Scripted("confirmed", 20),
        }
        self.crew = ScriptedCrew(CrewPlan(crews=4, script=script))

    def _engine(self) -> Engine:
        self.journal = FileJournal(self.folder / "journal", "2023-10-07-1")
        seeds = LiveSeeds()
        engine = Engine(
            settings=PropertySettings(
                id="silverstar",
                stale_after_ms=30_000,
                list_age_hours={},
                feeds={"slots-1": ("slots",), "tables-1": ("tables",)},
                staff={"naledi": "manager", "deon": "manager"},
            ),
            books=[self.book],
            store=TableStore(self.database, salt=seeds.salt, property_id="silverstar"),
            journal=self.journal,
            vault=MasterKey(b"k" * 32),
            seeds=seeds,
            clock=self.clock,
            make_signer=Signer,
        )
        engine.listeners.append(self._saw)
        return engine

    def restart(self) -> None:
        """Another core over the same database and journal."""
        self.journal.close()
        self.engine = self._engine()

    def close(self) -> None:
        self.journal.close()
        self.database.dispose()

    @property
    def draw(self) -> OpenDraw:
        return self.engine.draw(DRAW)

    def list_of(self, kind: str) -> bytes:
        return (self.folder / "lists" / f"{kind}.csv").read_bytes()

    def load(self, kind: str, content: bytes | None = None) -> None:
        house.tick(self.engine)
        house.load_list(self.engine, kind, self.list_of(kind) if content is None else content)

    def _saw(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if entry.kind == "claim.opened" and entry.draw is not None:
                state = self.engine.draw(entry.draw).state
                ordinal = entry.data["ordinal"]
                place = state.places[state.selections[ordinal].place]
                attempt = place.ordinals.index(ordinal) + 1
                self.crew.selected(entry.draw, ordinal=ordinal, award=place.number, attempt=attempt, at=entry.at)

    # -- the story -----------------------------------------------------------------------------------------------

    def play(self, story: dict[str, Callable[[], None]]) -> None:
        """Play until the session is closed; `story`: what happens at which time, besides."""
        for kind in ("positions", "members", "exclusions", "staff", "register"):
            self.load(kind)
        amounts = dict.fromkeys((50_000, 75_000, 100_000), 40)
        envelopes.count_batch(self.engine, amounts=amounts, by="naledi", second="deon", now=self.engine.now())
        for feed in FEEDS:
            self.lines[feed].tell(self.simulator.snapshot(feed, self.clock.now()))
        events = [(noon(clock), act) for clock, act in sorted(story.items())]
        step = 0
        with patch("os.fdatasync"):
            while DRAW not in self.engine.draws or self.draw.state.closed_at is None:
                step += 1
                self._wait_until(self.clock.now() + 1_000, events)
                self._floor(step)
                assert self.clock.now() < noon("15:30:00"), "the session does not come to its end"

    def _wait_until(self, until: int, events: list[tuple[int, Callable[[], None]]]) -> None:
        """Everything that is due before `until`, each at its own millisecond."""
        while True:
            due = [at for at in (house.next_instant(self.engine), self.crew.next_at()) if at is not None]
            due += [at for at, _ in events[:1]]
            instant = max(self.clock.now(), min([*due, until]))
            self.clock.set(instant)
            for press in self.crew.due(instant):
                actor = "engine" if press.verb in {"expired", "held"} else "crew:kabelo"
                scripted.carry_out(self.engine, press, actor=actor, now=instant)
            house.tick(self.engine)
            while events and events[0][0] <= instant:
                events.pop(0)[1]()
            if instant >= until:
                return

    def _floor(self, step: int) -> None:
        now = self.clock.now()
        for told in self.simulator.advance(now):
            self.lines[told["feed"]].tell(told)
        for feed, line in self.lines.items():
            line.beat(now)
            if feed in self.cut or step % 2:
                continue
            house.tick(self.engine)
            answer = intake.take(self.engine, feed, line.batch(hold_back=step % 4 == 0))
            self.answers.append(answer)
            if answer.want_snapshot:
                line.tell(self.simulator.snapshot(feed, now))

    def write(self, out: Path, copy: str = "auditor") -> Path:
        """Publish a copy into `out`, the auditor's with `judging/`."""
        files = published_copy(self.engine, self.draw, copy)
        if copy == "auditor":
            folder = self.folder / "journal"
            files |= auditor_pack(
                self.engine, self.draw, read_segment=lambda name: read_segment(folder, name), site_toml=SITE
            )
        for name, data in files.items():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_bytes(data)
        return out


def story(live: LiveSession) -> dict[str, Callable[[], None]]:
    """The disturbances of the module's docstring."""

    def one_more() -> None:
        playing = next(one for one in live.simulator.open_sessions() if one.position.startswith("S-"))
        row = f"{playing.member},self_excluded,2023-10-07,,desk\n".encode()
        live.load("exclusions", live.list_of("exclusions") + row)

    def everybody() -> None:
        rows = "".join(f"{member.member},refusal_of_entry,2023-10-07,,desk\n" for member in live.floor.members)
        live.load("exclusions", live.list_of("exclusions") + rows.encode())

    def exclude() -> None:
        said = "the tables' link is dead"
        house.exclude_feed(live.engine, live.draw, TABLES_FEED, by="naledi", second="deon", reason=said)

    return {
        "14:01:00": live.lines[SLOTS_FEED].lose,
        "14:04:00": one_more,
        "14:08:00": lambda: live.cut.add(TABLES_FEED),
        "14:13:00": lambda: live.cut.discard(TABLES_FEED),
        "14:13:30": everybody,
        "14:15:40": lambda: live.load("exclusions"),
        "14:16:00": lambda: live.cut.add(TABLES_FEED),
        "14:17:00": exclude,
    }


def entries(folder: Path, kind: str) -> list[dict[str, Any]]:
    """The entries of a kind in a published record."""
    log: list[dict[str, Any]] = json.loads((folder / "record.json").read_bytes())["log"]
    return [entry for entry in log if entry["kind"] == kind and "data" in entry]
