"""A property of its own on this machine's real time: `floordraw serve` as a command, lists, and a feed's bridge."""

from __future__ import annotations

import hashlib
import os
import re
import select
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import requests
from casino import MEMBERS, NOBODY, POSITIONS, iso

from config.site import load_site
from draw_engine.clock import SteadyClock
from draw_engine.seeds import SystemSeeds
from draw_engine.store.sealing import make_master_key
from floor_bridge.run import FeedLine
from kiosk.assembly import MASTER_KEY, house_of, open_store
from kiosk.serving import Serving
from kiosk.sign_in.machine_token import read_machine_token

BOOKS = Path(__file__).parents[3] / "config" / "rule_books"
TOKENS = {"slots-1": "token-of-the-slots", "tables-1": "token-of-the-tables"}
HEARTBEAT = b'{"feed":"slots-1","seq":1,"at":"2023-10-07T12:00:00.000Z","kind":"heartbeat"}'
LISTS = {"positions": POSITIONS, "members": MEMBERS, "exclusions": NOBODY, "staff": NOBODY}


@dataclass
class Property:
    """A folder with a site's settings, a rule book whose session runs now, and a master key."""

    folder: Path

    @classmethod
    def made(cls, folder: Path, now: datetime, *, begun_minutes_ago: int = 1) -> Property:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "state").mkdir()
        make_master_key(folder / "state" / MASTER_KEY)
        (folder / "site.toml").write_text(_site(), encoding="utf-8")
        (folder / "book.toml").write_text(_book(now, begun_minutes_ago), encoding="utf-8")
        return cls(folder)

    def command(self, *said: str) -> list[str]:
        return [sys.executable, "-m", "kiosk.cli", *said, "--site", str(self.folder / "site.toml")]

    def serve(self, port: int = 0) -> subprocess.Popen[str]:
        """`floordraw serve`; its first line says where it is."""
        return subprocess.Popen(
            [*self.command("serve"), "--rules", str(self.folder / "book.toml"), "--port", str(port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def journal(self) -> list[Path]:
        return sorted((self.folder / "journal").glob("*.jsonl"))

    def selections(self) -> list[tuple[int, str, str]]:
        """(ordinal, ref, person) of what is committed."""
        return self._asked("SELECT ordinal, ref, person FROM selections ORDER BY ordinal")

    def kinds(self, kind: str) -> int:
        """How many entries of a kind the log has."""
        return int(self._asked(f"SELECT count(*) FROM log_entries WHERE kind = '{kind}'")[0][0])

    def _asked(self, query: str) -> list[Any]:
        base = sqlite3.connect(self.folder / "core.db")
        try:
            return base.execute(query).fetchall()
        finally:
            base.close()


def _site() -> str:
    feeds = "".join(
        f'\n[[feed]]\nid = "{feed}"\nbrings = ["{feed.partition("-")[0]}"]\n'
        f'token_sha256 = "{hashlib.sha256(token.encode()).hexdigest()}"\n'
        for feed, token in TOKENS.items()
    )
    return f"""property = "silverstar"
property_name = "Silverstar"
database = "sqlite:///core.db"
journal_dir = "journal"
state_dir = "state"
check_address = "http://127.0.0.1:8080/check"
statutory_line = "No persons under 18. Winners know when to stop. 0800 006 008"
rules_must_be_locked = false
{feeds}
[[screen]]
name = "main"
title = "Main floor"

[[staff]]
id = "nomvula"
name = "Nomvula Sithole"
role = "manager"

[[staff]]
id = "themba"
name = "Themba Radebe"
role = "manager"
"""


def _book(now: datetime, begun_minutes_ago: int) -> str:
    """The demo's book, on every day of this week, its session at this minute; a zone in which it is about two."""
    zone = now.hour - 14
    start = now.replace(hour=14) - timedelta(minutes=begun_minutes_ago)
    end = start + timedelta(minutes=5)
    day = now.date()
    text = (BOOKS / "silverstar-demo.toml").read_text(encoding="utf-8")
    for pattern, put in {
        r"^zone = .*$": f'zone = "Etc/GMT{zone:+d}"' if zone else 'zone = "UTC"',
        r"^weekdays = .*$": 'weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]',
        r"^from = 2023.*$": f"from = {day - timedelta(days=2)}",
        r"^to = 2023.*$": f"to = {day + timedelta(days=2)}",
        r'^from = "14:00"$': f'from = "{start:%H:%M}"',
        r'^to = "14:20".*$': f'to = "{end:%H:%M}"',
        r"^windows = .*$": 'windows = [["08:00", "13:00"]]',
        r"^opens_before_minutes = .*$": "opens_before_minutes = 5",
        r", max = 300 }": ", max = 600 }",
        r", min = 10 }": ", min = 0 }",
    }.items():
        text, count = re.subn(pattern, put, text, flags=re.MULTILINE)
        assert count == 1, pattern
    return text


def serving_of(place: Property) -> Serving:
    """The property's core in this process."""
    site_file = place.folder / "site.toml"
    site = load_site(site_file)
    house = house_of(site, [(place.folder / "book.toml").read_bytes()])
    seeds = SystemSeeds()
    toml = site_file.read_bytes()
    return Serving(house, lambda: open_store(site, seeds), SteadyClock(), port=0, demo=False, site_toml=toml)


def first_line(process: subprocess.Popen[str], seconds: float = 60.0) -> str:
    """What it says first. Raises AssertionError with its errors when it ends or says nothing."""
    assert process.stdout is not None
    readable, _, _ = select.select([process.stdout], [], [], seconds)
    line = process.stdout.readline() if readable else ""
    if not line:
        process.kill()
        _, errors = process.communicate()
        raise AssertionError(f"it did not start: {errors}")
    return line


def url_of(process: subprocess.Popen[str]) -> str:
    found = re.search(r"http://127\.0\.0\.1:\d+", first_line(process))
    assert found is not None
    return found.group()


def killed(process: subprocess.Popen[str]) -> None:
    """`kill -9`."""
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL


def free_port() -> int:
    """A port of the loopback that nobody uses just now."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


def load_lists(url: str, place: Property) -> None:
    """As the nightly job does: by the machine's own token."""
    headers = {"X-Floordraw": "1", "Authorization": f"Bearer {read_machine_token(place.folder / 'state')}"}
    for kind, content in LISTS.items():
        answer = requests.post(f"{url}/lists/{kind}", data=content.encode(), headers=headers, timeout=30)
        assert answer.status_code == 200, answer.text


class LiveFeed:
    """A real bridge's line for one feed, and its source: guests who play a game every half second."""

    def __init__(self, feed: str, url: str, state: Path, seated: Mapping[str, str]) -> None:
        self.line = FeedLine(feed, url, TOKENS[feed], state)
        self.feed, self._seated = feed, seated
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._play, name=f"source-{feed}")

    def start(self) -> None:
        assert self.line.greet()
        self.line.open(self._snapshot, now_ms())
        self._thread.start()

    def stop(self) -> int:
        """Nothing more comes; what is left is sent. Gives the number up to which the core has answered."""
        self._stop.set()
        self._thread.join()
        self.line.stop(now_ms())
        answered = self.line.outbox.answered
        self.line.close(10)
        return answered

    def _play(self) -> None:
        while not self._stop.wait(0.5):
            at = now_ms()
            self.line.hear([self._event(at, "played", position=p, games=1, coin_in=500) for p in self._seated], at)

    def _event(self, at: int, kind: str, **more: Any) -> dict[str, Any]:
        return {"feed": self.feed, "at": iso(at), "kind": kind, **more}

    def _snapshot(self, at: int) -> dict[str, Any]:
        sessions = [
            {"position": position, "member": member, "opened_at": iso(at - 60_000), "last_play_at": iso(at)}
            for position, member in self._seated.items()
        ]
        return self._event(at, "snapshot", sessions=sessions)


def now_ms() -> int:
    """This machine's time in milliseconds since 1970."""
    return time.clock_gettime_ns(time.CLOCK_REALTIME) // 1_000_000


def utc_now() -> datetime:
    """This machine's time: the command under test reads it too."""
    return datetime.fromtimestamp(time.clock_gettime(time.CLOCK_REALTIME), UTC)
