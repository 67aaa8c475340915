"""The demo: its clock over stops and kills, and a short real run of the command, its simulated floor with it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
from casino import FixedSeeds, jhb

from config.site import load_site
from draw_engine.canonical import parse_time
from draw_engine.rule_book_toml import read
from draw_engine.service.ports import DrawRow
from draw_engine.store.database import open_database
from draw_engine.store.repositories import TableStore
from kiosk.demo.run import RULES, _set_up, _starts_at

BOOK = read(RULES.read_bytes())
FIRST_START = jhb("2023-10-07 13:59")


# -- where its clock goes on ------------------------------------------------------------------------------------


@dataclass
class Stopped:
    """What a demo left behind, as the store tells it."""

    kept: int | None = None
    logged: int | None = None
    opened: str | None = None
    closed: bool = False

    def head(self) -> Any:
        return None if self.logged is None else type("Head", (), {"at": self.logged})

    def setting(self, _name: str) -> str | None:
        return None if self.kept is None else str(self.kept)

    def draws(self) -> list[DrawRow]:
        if self.opened is None:
            return []
        return [DrawRow("d", "p", self.opened, "s", 1, 1, "", b"", 2 if self.closed else None, 2)]


def starts(left: Stopped) -> int:
    return _starts_at(left, BOOK)  # type: ignore[arg-type]  # as much of a store as it asks


def test_the_first_start_is_a_minute_before_the_first_session() -> None:
    assert starts(Stopped()) == FIRST_START


@pytest.mark.parametrize("at", ["13:59:07", "14:00", "14:11:30", "14:19:59.999", "14:20", "14:35"])
def test_it_goes_on_where_it_was_stopped_while_the_draw_is_open(at: str) -> None:
    assert starts(Stopped(kept=jhb(at), logged=jhb("13:59:01"), opened="2023-10-07")) == jhb(at)


def test_killed_it_goes_on_from_the_log_when_that_is_later() -> None:
    left = Stopped(kept=jhb("14:05:00"), logged=jhb("14:05:04.321"), opened="2023-10-07")
    assert starts(left) == jhb("14:05:04.321")
    assert starts(Stopped(logged=jhb("13:59:01"))) == jhb("13:59:01")


@pytest.mark.parametrize(
    "at", ["14:21", "2023-10-07 23:30", "2023-10-08 03:00", "2023-10-09 12:00", "2023-10-14 09:00"]
)
def test_after_the_session_the_next_saturday_begins(at: str) -> None:
    left = Stopped(kept=jhb(at), logged=jhb("14:20:30"), opened="2023-10-07", closed=True)
    assert starts(left) == jhb("2023-10-14 13:59")


def test_a_session_that_was_never_opened_is_not_waited_for_again() -> None:
    """Left running, or standing, past the end without lists: the next start shows the next session all the same."""
    assert starts(Stopped(kept=jhb("14:30"), logged=jhb("13:59"))) == jhb("2023-10-14 13:59")
    assert starts(Stopped(kept=jhb("14:10"), logged=jhb("13:59"))) == jhb("14:10")


def test_after_the_last_session_time_goes_on() -> None:
    left = Stopped(kept=jhb("2023-12-09 15:00"), logged=jhb("2023-12-09 14:21"), opened="2023-12-09", closed=True)
    assert starts(left) == jhb("2023-12-09 15:00")


def test_a_receipt_of_the_demo_leads_to_the_demo_itself(tmp_path: Path) -> None:
    _set_up(tmp_path, 8093)
    assert load_site(tmp_path / "site.toml").check_address == "http://127.0.0.1:8093/check"


# -- the command ------------------------------------------------------------------------------------------------


class Demo:
    """`floordraw demo` as a process; it is killed with its floor, whatever the test came to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "kiosk.cli", "demo", "--folder", str(folder), "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines = self._said_until("Ctrl-C")
        self.bridge = children(self.process.pid)
        addresses = re.findall(r"http://127\.0\.0\.1:\d+/\S+", "".join(self.lines))
        self.screen, self.crew, self.stage, self.desk, self.console, self.check = addresses
        self.url = self.console.removesuffix("/console")

    def _said_until(self, last: str) -> list[str]:
        assert self.process.stdout is not None
        too_long = threading.Timer(60, self.process.kill)
        too_long.start()
        lines: list[str] = []
        for line in self.process.stdout:
            lines.append(line)
            if line.startswith(last):
                too_long.cancel()
                return lines
        too_long.cancel()
        raise AssertionError(f"it did not start: {lines} {self.process.communicate()[1]}")

    def now(self) -> int:
        return parse_time(self._asked("floor-clock")["now"])

    def heard(self) -> int:
        return int(self._asked("floor-feeds/slots-1")["last_seq"] or 0)

    def _asked(self, path: str) -> dict[str, Any]:
        tokens = json.loads((self.folder / "state" / "tokens.json").read_text())
        told = requests.get(f"{self.url}/{path}", headers={"Authorization": f"Bearer {tokens['slots-1']}"}, timeout=10)
        answer: dict[str, Any] = told.json()
        return answer

    def end(self, number: int) -> tuple[int, str, str]:
        self.process.send_signal(number)
        out, errors = self.process.communicate(timeout=30)
        return self.process.returncode, out, errors


@contextmanager
def demo(folder: Path) -> Iterator[Demo]:
    made = Demo(folder)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.process.kill()
            made.process.communicate()
        for child in made.bridge:
            if runs(child):
                os.kill(child, signal.SIGKILL)


def children(parent: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def runs(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def within(seconds: float, told: Callable[[], bool]) -> bool:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if told():
            return True
        time.sleep(0.1)
    return False


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "demo"
    shutil.rmtree(tmp_path / "demo", ignore_errors=True)


def signed_in(demo: Demo, person: str) -> requests.Session:
    """A browser of somebody who has signed in with the PIN the demo says."""
    said = next(line for line in demo.lines if "PIN" in line)
    session = requests.Session()
    session.headers["X-Floordraw"] = "1"
    body = {"number": person, "secret": said.rstrip(".\n").split()[-1]}
    assert session.post(f"{demo.url}/sign-in", json=body, timeout=10).json()["ok"]
    return session


def test_it_runs_stops_goes_on_and_survives_a_kill(folder: Path) -> None:
    with demo(folder) as first:
        assert first.lines[0] == "Floordraw demo. It is Saturday 07 October 2023, 13:59 on this floor.\n"
        assert requests.get(first.screen, timeout=10).status_code == 200
        assert requests.get(first.check, timeout=10).status_code == 200
        for page, person in (
            (first.console, "naledi"),
            (first.crew, "kabelo"),
            (first.stage, "anita"),
            (first.desk, "mpho"),
        ):
            answer = signed_in(first, person).get(page, timeout=10)
            assert (answer.status_code, person in answer.text) == (200, True)
        assert len(first.bridge) == 3, "the simulated floor, the printer's spool, the screens' server"
        paper = folder / "printer"
        assert within(20, lambda: any(paper.glob("job-*.txt"))), "slips come out"
        assert within(20, lambda: first.heard() > 0), "the simulated floor speaks"
        stood_at, asked = first.now(), time.monotonic()
        assert FIRST_START <= stood_at < FIRST_START + 60_000
        code, out, errors = first.end(signal.SIGINT)
        assert (code, out) == (0, "Stopping.\n"), errors
        assert "Traceback" not in errors
        assert not any(runs(child) for child in first.bridge)
    ran = time.monotonic() - asked
    time.sleep(2)
    begun = time.monotonic()
    with demo(folder) as second:
        passed = second.now() - stood_at
        ran += time.monotonic() - begun
        assert 0 <= passed <= (ran + 1) * 1000, "it stood still while it was stopped"
        heard = second.heard()
        assert within(20, lambda: second.heard() > heard)
        stood_at = second.now()
        second.end(signal.SIGKILL)
        assert within(10, lambda: not any(runs(child) for child in second.bridge)), "the floor ends with the demo"
    with demo(folder) as third:
        assert third.now() >= stood_at - 5_000
        assert third.heard() >= heard, "nothing that was heard is forgotten"
        assert third.end(signal.SIGTERM)[0] == 0
        assert not any(runs(child) for child in third.bridge)
    assert list_of_kinds(folder)[0] == "core.started"
    assert list_of_kinds(folder).count("core.started") == 3
    assert list_of_kinds(folder).count("draw.opened") == 1


def list_of_kinds(folder: Path) -> list[str]:
    database = open_database(f"sqlite:///{folder / 'floordraw.db'}")
    store = TableStore(database, salt=FixedSeeds("x").salt, property_id="silverstar")
    kinds = [entry.kind for entry in store.entries(1, 1 << 40)]
    database.dispose()
    return kinds
