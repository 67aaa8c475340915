"""The child: a real engine on a real database and journal, told over a pipe what the floor and the crew do.

It does as the core's own thread does: what is due first, then the command; after a failed sync it ends.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from casino import STAFF, FixedSeeds, Session, book_toml
from crash.points import DyingJournal, DyingStore, Points, watch_syncs
from sqlalchemy import Engine as Database
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from draw_engine import claim_moves
from draw_engine.clock import SetClock
from draw_engine.errors import Refused
from draw_engine.log import Entry
from draw_engine.rule_book_toml import read
from draw_engine.scripted_crew import Press
from draw_engine.service import envelopes, house, intake, pressing, reviews, scripted
from draw_engine.service.engine import Book, Engine, PropertySettings
from draw_engine.service.pressing import StaffPress
from draw_engine.service.publishing import auditor_pack, published_copy
from draw_engine.store.database import open_database
from draw_engine.store.journal import JournalBroken, read_segment
from draw_engine.store.sealing import MasterKey, Signer
from kiosk.core import _is_final

PROPERTY = "silverstar"
STOPPED = 3
"""The exit code of a core that stopped by itself because a sync had failed."""
FEEDS = {"slots-1": ("slots",), "tables-1": ("tables",)}
LIMITS = '[{ scope = "day", max = 1 }]'
BOOK = book_toml(
    Session("first", "14:00", "14:10", awards=3, limits=LIMITS),
    Session("second", "14:12", "14:20", awards=2, limits=LIMITS),
    opens_before=1,
)
SITE = b"""\
property = "silverstar"
property_name = "Silverstar"
database = "sqlite:///core.db"
journal_dir = "journal"
state_dir = "state"
check_address = "http://127.0.0.1:8080/check"
statutory_line = "No persons under 18. Winners know when to stop. 0800 006 008"
rules_must_be_locked = false
stale_after_seconds = 90
[[feed]]
id = "slots-1"
brings = ["slots"]
[[feed]]
id = "tables-1"
brings = ["tables"]
"""
SETTINGS = PropertySettings(
    id=PROPERTY,
    stale_after_ms=90_000,
    list_age_hours={"members": 24, "exclusions": 24, "staff": 168},
    feeds=FEEDS,
    staff=dict(STAFF),
)


def database_url(folder: Path) -> str:
    return f"sqlite:///{folder / 'core.db'}"


def seeds_of(seed: str) -> FixedSeeds:
    return FixedSeeds(seed)


class CoreProcess:
    """One life of a core in `folder`. `die_at`: the point at which it ends; `wrap_os`: file calls are points too."""

    def __init__(
        self,
        folder: Path,
        *,
        url: str,
        seed: str,
        now: int,
        die_at: int | None,
        wrap_os: bool,
        checkpoint_pages: int | None = None,
    ) -> None:
        self.points = Points(die_at)
        self._checkpoint_pages = checkpoint_pages
        if wrap_os:
            watch_syncs(self.points)
        self.clock = SetClock(now)
        self.folder = folder
        self.engine = self._open(url, seed)
        self.engine.listeners.append(lambda entries: self.points.reach("push of " + " ".join(e.kind for e in entries)))
        self.engine.listeners.append(_show)
        house.start_log(self.engine, "test")
        house.tick(self.engine)

    def _open(self, url: str, seed: str) -> Engine:
        book = Book(read(BOOK), BOOK)
        seeds = seeds_of(seed)
        database = open_database(url)
        if self._checkpoint_pages is not None:
            _checkpoint_after(database, self._checkpoint_pages)
        store = DyingStore(database, salt=seeds.salt, property_id=PROPERTY, points=self.points)
        self.points.reach("database open")
        counted = store.journal()
        segment = counted[0] if counted else intake.segment_of_day([book.rules], self.clock.now())
        journal = DyingJournal(self.folder / "journal", segment, self.points, counted[1] if counted else 0)
        assert counted is None or journal.length >= counted[1], "the journal holds less than was counted"
        self.points.reach("journal open")
        return Engine(
            settings=SETTINGS,
            books=[book],
            store=store,
            journal=journal,
            vault=MasterKey(b"m" * 32),
            seeds=seeds,
            clock=self.clock,
            make_signer=Signer,
        )

    def serve(self, heard: IO[str], said: IO[str]) -> None:
        """Answer commands until there are no more."""
        self._say(said, {"ok": None})
        for line in heard:
            self._say(said, self._answer(json.loads(line)))

    def _say(self, said: IO[str], answer: dict[str, Any]) -> None:
        said.write(json.dumps({**answer, "reached": self.points.take_names()}) + "\n")
        said.flush()

    def _answer(self, command: dict[str, Any]) -> dict[str, Any]:
        self.clock.set(command.pop("now"))
        do = command.pop("do")
        self.points.doing = "tick"
        house.tick(self.engine)
        self.points.doing = do
        try:
            act: Callable[..., Any] = getattr(self, f"do_{do}")
            return {"ok": act(**command)}
        except Refused as refusal:
            return {"refused": refusal.code}

    # -- what it may be told -----------------------------------------------------------------------------------

    def do_tick(self) -> None:
        """Nothing more than what is due."""

    def do_take(self, feed: str, body: str) -> dict[str, Any]:
        return intake.take(self.engine, feed, body.encode()).as_json()

    def do_keep(self) -> None:
        """Now and then the core keeps the floor as heard, so that a start is quick."""
        self.engine.keep_floor()

    def do_load(self, kind: str, content: str) -> int:
        return house.load_list(self.engine, kind, content.encode())

    def do_count(self) -> str:
        """Two people count envelopes into the tray."""
        amounts = {50_000 + 5_000 * n: 10 for n in range(11)}
        return envelopes.count_batch(self.engine, amounts=amounts, by="nomvula", second="themba", now=self.engine.now())

    def do_press(self, draw: str, ordinal: int, verb: str, prize: int | None) -> None:
        self.points.doing = f"press {verb}"
        now = self.clock.now()
        press = Press(now, 0, draw, ordinal, verb, prize)
        scripted.carry_out(self.engine, press, actor="crew:kabelo", now=now)

    def do_tablet(self, **press: Any) -> dict[str, Any]:
        """A tablet's press, by its number: the answer, whether it is the first or a repeat."""
        self.points.doing = f"press {press['verb']}"
        return pressing.press(self.engine, StaffPress(stamped_at=self.clock.now(), **press))

    def do_void(self, draw: str, ordinal: int, *, reselect: bool) -> None:
        said = {"by": "nomvula", "second": "themba", "reason": "a drill", "now": self.engine.now()}
        reviews.void(self.engine, self.engine.draw(draw), ordinal, reselect=reselect, **said)

    def do_review(self, draw: str, ordinal: int, decision: str) -> str:
        now = self.engine.now()
        said = {"by": "nomvula", "second": "themba", "reason": "the core was down"}
        return reviews.decide(self.engine, self.engine.draw(draw), ordinal, decision, now=now, **said)

    def do_suspend(self, draw: str) -> None:
        house.suspend(self.engine, self.engine.draw(draw), by="nomvula", second="themba", reason="an alarm")

    def do_resume(self, draw: str) -> None:
        house.resume(self.engine, self.engine.draw(draw), by="nomvula", second="themba", reason="it is over")

    def do_publish(self, draw: str, copy: str) -> None:
        """As the command does: file by file. A record half written is written again, the same."""
        files = published_copy(self.engine, self.engine.draw(draw), copy)
        if copy == "auditor":
            journal = self.folder / "journal"
            files |= auditor_pack(
                self.engine,
                self.engine.draw(draw),
                read_segment=lambda segment: read_segment(journal, segment),
                site_toml=SITE,
            )
        into = self.folder / "published" / copy / draw.rpartition("/")[2]
        into.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            with (into / name).open("wb") as file:
                file.write(data[: len(data) // 2])
                file.flush()
                self.points.reach("half of a published file")
                file.write(data[len(data) // 2 :])
            self.points.reach("a published file")

    def do_look(self) -> dict[str, Any]:
        """What the console shows the crew, and when something is due next (a test may know)."""
        return {
            "next": house.next_instant(self.engine),
            "tray": len(envelopes.tray(self.engine)),
            "lists": {kind: row.sha256 for kind, row in self.engine.list_rows.items()},
            "draws": [self._look_at(draw_id) for draw_id in self.engine.draws],
        }

    def _look_at(self, draw_id: str) -> dict[str, Any]:
        draw = self.engine.draw(draw_id)
        state = draw.state
        running = [
            {
                "ordinal": claim.ordinal,
                "award": state.selections[claim.ordinal].place,
                "attempt": state.places[state.selections[claim.ordinal].place].ordinals.index(claim.ordinal) + 1,
                "stage": claim_moves.stage_of(claim),
                "opened_at": claim.opened_at,
                "deadline_at": claim.deadline_at,
            }
            for claim in state.running()
        ]
        return {
            "id": draw_id,
            "plan": draw.plan.id,
            "closed": state.closed_at is not None,
            "suspended": state.suspended,
            "running": running,
        }


_NOWHERE = os.open(os.devnull, os.O_WRONLY)


def _show(entries: Sequence[Entry]) -> None:
    """Whoever traces the core sees up to where its log had been shown to people."""
    os.write(_NOWHERE, f"shown {entries[-1].seq} {entries[-1].hash}".encode())


def _checkpoint_after(database: Database, pages: int) -> None:
    """SQLite moves its write-ahead log into the database after so many pages, instead of after a thousand."""
    sql = f"PRAGMA wal_autocheckpoint={pages:d}"

    @event.listens_for(database, "connect")
    def _settings(connection: sqlite3.Connection, _record: Any) -> None:
        connection.execute(sql)

    with database.connect() as already:
        already.exec_driver_sql(sql)


Watch = Callable[[int], Callable[[], object]]
"""Begins to watch a process; what it gives is to be called when that process has ended."""


def fork_core(
    folder: Path,
    *,
    url: str,
    seed: str,
    now: int,
    die_at: int | None,
    wrap_os: bool = True,
    watch: Watch | None = None,
    checkpoint_pages: int | None = None,
) -> CoreLine:
    """A new life of the core, as a process of its own. `watch(pid)` is done before it does anything."""
    to_core, from_core, gate = os.pipe(), os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        for handle in (to_core[1], from_core[0], gate[1]):
            os.close(handle)
        code = 1
        try:
            os.read(gate[0], 1)
            said: dict[str, Any] = {"die_at": die_at, "wrap_os": wrap_os, "checkpoint_pages": checkpoint_pages}
            core = CoreProcess(folder, url=url, seed=seed, now=now, **said)
            core.serve(os.fdopen(to_core[0]), os.fdopen(from_core[1], "w"))
            code = 0
        except (JournalBroken, OperationalError) as fault:
            code = STOPPED if isinstance(fault, JournalBroken) or _is_final(fault) else 1
            if code != STOPPED:
                sys.excepthook(*sys.exc_info())
        except BaseException:  # noqa: BLE001 - nothing of the parent may run on in the child
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(code)
    for handle in (to_core[0], from_core[1], gate[0]):
        os.close(handle)
    over = None if watch is None else watch(child)
    os.close(gate[1])

    def ended() -> int:
        _, status = os.waitpid(child, 0)
        if over is not None:
            over()
        return status

    return CoreLine(os.fdopen(to_core[1], "w"), os.fdopen(from_core[0]), ended)


class CoreDied(Exception):  # noqa: N818 - it names the fact
    """The core was killed, or stopped after a failed sync; whether it did what it was last asked, nobody knows."""


class CoreLine:
    """The parent's end of the pipe. `ended()` waits for the process and gives its wait status."""

    def __init__(self, to_core: IO[str], from_core: IO[str], ended: Callable[[], int]) -> None:
        self._to_core, self._from_core, self._ended = to_core, from_core, ended
        self.reached: list[str] = []

    def started(self) -> None:
        """Wait until the core serves. Raises CoreDied."""
        self._hear()

    def ask(self, do: str, now: int, **more: Any) -> dict[str, Any]:
        """Ask one thing. Raises CoreDied; the answer is {"ok": …} or {"refused": code}."""
        with suppress(BrokenPipeError):
            self._to_core.write(json.dumps({"do": do, "now": now, **more}) + "\n")
            self._to_core.flush()
        return self._hear()

    def _hear(self) -> dict[str, Any]:
        line = self._from_core.readline()
        if not line.endswith("\n"):
            self._gone()
        answer: dict[str, Any] = json.loads(line)
        self.reached += answer.pop("reached")
        return answer

    def _gone(self) -> None:
        self._shut()
        status = self._ended()
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        if not killed and os.waitstatus_to_exitcode(status) != STOPPED:
            raise AssertionError(f"the core ended by itself (wait status {status}); it says why on standard error")
        raise CoreDied

    def stop(self) -> None:
        self._shut()
        status = self._ended()
        assert status == 0, f"the core ended with wait status {status}"

    def _shut(self) -> None:
        with suppress(BrokenPipeError):
            self._to_core.close()
        self._from_core.close()
