"""Paying while the core and the printer's spool are killed, each on its own and both at once (R1, R6).

Six guests have their envelope open before them. A tablet sends each payment with its own number until it is answered,
the core dies at points of the transactions, the spool in the middle of slips; people decide what was left in doubt by
looking at the paper. Then: every prize is paid once, from one envelope, with one receipt, and what is on paper twice
says REPRINT because somebody asked for it.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import signal
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random  # noqa: TID251 - where to kill; nothing of the engine's is drawn from it
from typing import Any

import requests
from casino import Casino, Session, book_toml, jhb, seat_everybody
from claim_steps import SIGNED, move
from crash.points import DyingStore, Points
from crash.served import free_port
from loopback import site_toml
from signing import PIN

from config.site import load_site
from draw_engine.clock import SteadyClock
from draw_engine.seeds import SystemSeeds
from draw_engine.store.database import open_database
from kiosk.assembly import MASTER_KEY, house_of
from kiosk.printing.spool import run as run_spool
from kiosk.serving import Serving
from kiosk.upkeep.log_check import check_log
from printers.links import PrinterPlace, Timing

CLAIMS, AMOUNT, TOKEN = 6, 75_000, "token-of-the-desk-printer"
BEGINS = jhb("14:10:05")
QUICK = Timing(connect=1.0, answer=0.5, send=1.0, confirm=0.5, patience=0.0, poll=0.01, look=0.2)
SHEETS = 2
"""Of a receipt: the guest's and the one for the file; each has its end line."""
SETTLED = "X_PRINT_STATE"
"""What a decision is told that is sent again: it had been taken when the core died behind it."""
PATIENCE_SECONDS = 90.0
_PRINTER = f"""
[[printer]]
id = "desk-1"
title = "Desk"
uses = ["receipts", "labels", "slips"]
device = "file"
path = "paper"
token_sha256 = "{hashlib.sha256(TOKEN.encode()).hexdigest()}"
"""


@dataclass
class Paid:
    """What became of a run. `faults` empty = all holds."""

    faults: list[str] = field(default_factory=list)
    core_deaths: int = 0
    spool_deaths: int = 0
    decided: int = 0
    reached: int = 0


def prepare(folder: Path) -> Path:
    """A property at 14:10 with six checked guests, each with an envelope open; copied for every run."""
    (folder / "state").mkdir(parents=True)
    key = folder / "state" / MASTER_KEY
    key.write_bytes(base64.b64encode(b"m" * 32) + b"\n")  # the casino's own
    key.chmod(0o400)
    (folder / "site.toml").write_text(site_toml() + _PRINTER, encoding="utf-8")
    book = book_toml(Session("first", "14:00", "14:10", awards=CLAIMS))
    (folder / "book.toml").write_bytes(book)
    casino = Casino(f"sqlite:///{folder / 'floordraw.db'}", folder, book=book)
    casino.load_lists()
    casino.tray(amounts={AMOUNT: 2 * CLAIMS})
    seat_everybody(casino)
    casino.at("14:10")
    for claim in casino.draw().state.running():
        for name in ("take", "found", "check", "envelope"):
            move(casino, name, ordinal=claim.ordinal)
    assert len(casino.draw().state.running()) == CLAIMS
    casino.close()
    return folder


COOKIE = "cookie.txt"


class PayingRun:
    """One run in a copy of what was prepared. `points`: when each life of the core dies (None: it lives on)."""

    def __init__(self, prepared: Path, folder: Path, chance: Random, points: list[int | None], *, quiet: bool) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(prepared, folder)
        self.folder, self._chance, self._points, self._quiet = folder, chance, points, quiet
        self.paid = Paid()
        self._port = free_port()
        self._url = f"http://127.0.0.1:{self._port}"
        self._draw = "silverstar/playtime/2023-10-07/first"
        self._begun = time.monotonic()
        self._core = self._spool = 0
        self._life = 0

    def run(self) -> Paid:
        self._start_core()
        self._start_spool()
        try:
            for ordinal in range(CLAIMS):
                if not self._quiet and self._chance.random() < 0.4:
                    self._later(self._chance.random() * 0.06)
                    self._kill_spool()
                self._until_answered("/presses", self._payment(ordinal))
                self._start_spool()
            self._print_everything()
        finally:
            self._end(self._spool, signal.SIGKILL)
            self._end(self._core, signal.SIGKILL)
        self.paid.faults += faults_of(self.folder)
        return self.paid

    def _payment(self, ordinal: int) -> dict[str, Any]:
        said = {"id": f"pay-number-{ordinal}", "verb": "pay", "draw": self._draw, "ordinal": ordinal, "by": "kabelo"}
        return {**said, "amount": AMOUNT, "signature": SIGNED}

    # -- processes -------------------------------------------------------------------------------------------------

    def _start_core(self) -> None:
        point = self._points[self._life] if self._life < len(self._points) else None
        self._life += 1
        at = BEGINS + int((time.monotonic() - self._begun) * 1000)
        self._core = _forked(self.folder, lambda: _serve(self.folder, self._port, at, point))

    def _start_spool(self) -> None:
        if not self._spool:
            self._spool = _forked(self.folder, lambda: _spool(self.folder, self._url))

    def _kill_spool(self) -> None:
        self._end(self._spool, signal.SIGKILL)
        self.paid.spool_deaths += 1 if self._spool else 0
        self._spool = 0

    def _end(self, process: int, by: signal.Signals) -> None:
        if process:
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(process, by)
                os.waitpid(process, 0)

    def _core_is_dead(self) -> bool:
        gone, status = os.waitpid(self._core, os.WNOHANG)
        if gone:
            assert os.WIFSIGNALED(status), f"the core ended by itself: {(self.folder / 'said.txt').read_text()[-800:]}"
            assert os.WTERMSIG(status) == signal.SIGKILL
        return bool(gone)

    # -- people ----------------------------------------------------------------------------------------------------

    def _until_answered(self, path: str, said: dict[str, Any]) -> dict[str, Any]:
        """As a tablet does: the same again until there is an answer. A dead core is started; its spool may die, too."""
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            with suppress(requests.RequestException, FileNotFoundError):  # before the first core has let them in
                headers = {"X-Floordraw": "1", "Cookie": (self.folder / COOKIE).read_text()}
                answer = requests.post(self._url + path, json=said, headers=headers, timeout=10)
                if answer.status_code != 503:
                    told: dict[str, Any] = answer.json()
                    if told.get("code") not in {None, SETTLED}:
                        self.paid.faults.append(f"{path} was refused: {told.get('code')}")
                    return told
            if self._core_is_dead():
                self.paid.core_deaths += 1
                if self._chance.random() < 0.5:
                    self._kill_spool()
                self._start_core()
                self._start_spool()
            self._later(0.02)
        raise AssertionError("no answer came")

    def _print_everything(self) -> None:
        """Until every slip has come out; a person looks at the paper where nobody knows."""
        until = time.monotonic() + PATIENCE_SECONDS
        while waiting := _asked(self.folder, "SELECT id, state, attempt FROM print_jobs WHERE state != 'printed'"):
            assert time.monotonic() < until, f"slips that never came out: {waiting}"
            for job, state, attempt in waiting:
                if state == "unknown":
                    decision = "came_out" if whole(self.folder, job, attempt) else "reprint"
                    self._until_answered(f"/print-jobs/{job}/settle", {"by": "kabelo", "decision": decision})
                    self.paid.decided += 1
            if self._core_is_dead():
                self.paid.core_deaths += 1
                self._start_core()
            self._later(0.02)

    def _later(self, seconds: float) -> None:
        threading.Event().wait(seconds)


def _forked(folder: Path, act: Callable[[], None]) -> int:
    """A process of its own; what it says goes into a file."""
    child = os.fork()
    if child:
        return child
    try:
        said = os.open(folder / "said.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(said, 1)
        os.dup2(said, 2)
        act()
    finally:
        os._exit(1)


def _serve(folder: Path, port: int, at: int, point: int | None) -> None:
    site = load_site(folder / "site.toml")
    house = house_of(site, [(folder / "book.toml").read_bytes()])
    points = Points(None)

    def store() -> DyingStore:
        return DyingStore(
            open_database(site.database), salt=SystemSeeds().salt, property_id="silverstar", points=points
        )

    clock = SteadyClock(at - SteadyClock().now())
    toml = (folder / "site.toml").read_bytes()
    serving = Serving(house, store, clock, port=port, demo=False, site_toml=toml)
    serving.core.stage.always = True
    serving.start()
    if not (folder / COOKIE).exists():
        _let_in(serving, folder)
    points.count, points._die_at = 0, point  # the start has its own runs
    threading.Event().wait()


def _let_in(serving: Serving, folder: Path) -> None:
    """Who pays is signed in, over every death of the core."""
    door = serving.pages.door
    door.put_secret("kabelo", PIN, "pin")
    token = door.sign_in("kabelo", PIN, device=None, address="127.0.0.1", here=True)
    made = folder / f"{COOKIE}.new"
    made.write_text(f"floordraw={token}")
    made.rename(folder / COOKIE)


def _spool(folder: Path, url: str) -> None:
    place = PrinterPlace(device="file", path=str(folder / "paper"))
    run_spool("desk-1", place, core=url, token=TOKEN, folder=folder / "spool", stop=threading.Event(), timing=QUICK)


# -- what must hold ---------------------------------------------------------------------------------------------------


def whole(folder: Path, job: int, attempt: int) -> bool:
    """Whether a sending lies on the paper with every sheet's end line."""
    file = folder / "paper" / f"job-{job}-{attempt}.bin"
    return file.exists() and file.read_bytes().count(f"- end of slip {job} -".encode()) >= SHEETS


def faults_of(folder: Path) -> list[str]:
    """Everything that does not hold after a run, as sentences."""
    return [*_payments(folder), *_paper(folder), *_log(folder)]


def _payments(folder: Path) -> Iterator[str]:
    claims = _asked(folder, "SELECT ordinal, outcome, prize, pocket FROM claims ORDER BY ordinal")
    if [row[:3] for row in claims] != [(n, "confirmed", AMOUNT) for n in range(CLAIMS)]:
        yield f"not every guest was paid: {claims}"
    logged = _asked(folder, "SELECT count(*) FROM log_entries WHERE kind = 'claim.confirmed'")
    if logged != [(CLAIMS,)]:
        yield f"payments in the log: {logged}"
    given = [pocket for (pocket,) in _asked(folder, "SELECT pocket FROM envelopes WHERE state = 'given'")]
    if sorted(given) != sorted(row[3] for row in claims):
        yield f"the envelopes given are not those of the claims: {given}"
    kept = _asked(folder, "SELECT count(*) FROM presses WHERE id LIKE 'pay-number-%'")
    if kept != [(CLAIMS,)]:
        yield f"presses kept: {kept}"
    receipts = Counter(row[0] for row in _asked(folder, "SELECT ordinal FROM print_jobs WHERE kind = 'winner_receipt'"))
    if receipts != Counter(range(CLAIMS)):
        yield f"receipts by claim: {dict(receipts)}"


def _paper(folder: Path) -> Iterator[str]:
    for job, reprints in _asked(folder, "SELECT id, reprints FROM print_jobs WHERE kind = 'winner_receipt'"):
        sent = [file.read_bytes() for file in (folder / "paper").glob(f"job-{job}-*.bin")]
        full = [data for data in sent if data.count(f"- end of slip {job} -".encode()) >= SHEETS]
        firsts = [data for data in full if b"REPRINT" not in data]
        if not full:
            yield f"slip {job} counts as printed and is not on the paper"
        if len(firsts) > 1:
            yield f"slip {job} came out twice without saying so"
        if len(full) - len(firsts) > reprints:
            yield f"slip {job} was printed again though nobody asked"


def _log(folder: Path) -> Iterator[str]:
    sound, lines = check_log(load_site(folder / "site.toml"), [])
    if not sound:
        yield lines[0]


def _asked(folder: Path, query: str) -> list[Any]:
    base = sqlite3.connect(folder / "floordraw.db", timeout=10)
    try:
        return base.execute(query).fetchall()
    finally:
        base.close()


def disturbed(prepared: Path, folder: Path, seed: str, *, most_points: int = 90) -> Paid:
    """A run with one to three deaths of the core and any number of the spool, by the seed."""
    chance = Random(seed)
    points = [chance.randrange(1, most_points) for _ in range(chance.choice((1, 1, 2, 3)))]
    return PayingRun(prepared, folder, chance, [*points], quiet=False).run()
