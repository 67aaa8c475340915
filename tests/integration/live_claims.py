"""Claims on a core that runs by itself on this machine's real time, their window made a few seconds short."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import requests
from crash.bridges import SEATED
from crash.served import LiveFeed, Property, free_port, load_lists, url_of, utc_now
from signing import SignedCore

T = TypeVar("T")
PATIENCE_SECONDS = 120
FLOOR = {"slots-1": SEATED, "tables-1": {}}
MOVED = Path(__file__).parent / "moved_core.py"


class LiveClaims:
    """A property whose session has just begun. `seconds`: the claims' window. Its core is started with `start`."""

    def __init__(self, folder: Path, *, seconds: int) -> None:
        self.place = Property.made(folder / "property", utc_now())
        book = folder / "property" / "book.toml"
        text = book.read_text(encoding="utf-8")
        assert text.count("\nseconds = 90 ") == 1
        book.write_text(text.replace("\nseconds = 90 ", f"\nseconds = {seconds} "), encoding="utf-8")
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self._folder = folder
        self.signed = SignedCore(self.url, self.place.folder / "state")

    def start(self) -> subprocess.Popen[str]:
        """`floordraw serve`."""
        core = self.place.serve(self._port)
        assert url_of(core) == self.url
        return core

    def start_moved(self) -> subprocess.Popen[str]:
        """The same core with a wall clock that `set_wall` puts where it likes."""
        command = [sys.executable, str(MOVED), str(self.place.folder), str(self._port)]
        core = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert url_of(core) == self.url
        return core

    @contextmanager
    def seated(self) -> Iterator[None]:
        """The lists are loaded; everybody plays."""
        load_lists(self.url, self.place)
        feeds = [LiveFeed(feed, self.url, self._folder, seats) for feed, seats in FLOOR.items()]
        for feed in feeds:
            feed.start()
        try:
            yield
        finally:
            for feed in feeds:
                feed.stop()

    # -- people ----------------------------------------------------------------------------------------------------

    @property
    def draw(self) -> str:
        (row,) = self.asked("SELECT id FROM draws")
        return str(row[0])

    def post(self, path: str, **said: Any) -> requests.Response:
        return self.signed.post(path, **said)

    def press(self, verb: str, ordinal: int, *, number: str = "", **said: Any) -> requests.Response:
        body = {"id": number or uuid.uuid4().hex, "verb": verb, "draw": self.draw, "ordinal": ordinal, "by": "nomvula"}
        return self.post("/presses", **body, **said)

    def announced(self) -> tuple[int, int]:
        """The newest claim that nobody has taken, announced: (ordinal, deadline)."""
        ordinal = self.untaken(1)[-1]
        return ordinal, self.announce(ordinal)

    def announce(self, ordinal: int) -> int:
        """Taken, not there, announced; gives the deadline."""
        for verb in ("take", "not_there", "announce"):
            answer = self.press(verb, ordinal)
            assert answer.status_code == 200, answer.text
        return int(answer.json()["deadline_at"])

    def untaken(self, count: int) -> list[int]:
        """Claims that nobody has taken, once there are so many."""
        query = "SELECT ordinal FROM claims WHERE taken_by IS NULL AND ended_at IS NULL ORDER BY ordinal"

        def enough() -> list[int] | None:
            found = [ordinal for (ordinal,) in self.asked(query)]
            return found if len(found) >= count else None

        return until(enough)

    def decided(self, ordinal: int, decision: str) -> str:
        two = {"by": "nomvula", "second": "themba", "reason": "the core was down"}
        answer = self.post("/claims/review", draw=self.draw, ordinal=ordinal, decision=decision, **two)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["stage"])

    # -- what is kept ----------------------------------------------------------------------------------------------

    def asked(self, query: str) -> list[Any]:
        return self.place._asked(query)

    def entries(self, *kinds: str, ordinal: int | None = None) -> list[tuple[int, int, str, dict[str, Any]]]:
        """(number, instant, kind, data) of the log's entries of some kinds, or of all."""
        rows = self.asked("SELECT seq, at, kind, data FROM log_entries ORDER BY seq")
        told = [(seq, at, kind, json.loads(data)) for seq, at, kind, data in rows]
        return [
            entry
            for entry in told
            if (not kinds or entry[2] in kinds) and (ordinal is None or entry[3].get("ordinal") == ordinal)
        ]

    def wait_for(self, *kinds: str, ordinal: int | None = None) -> tuple[int, int, str, dict[str, Any]]:
        """The first entry of these kinds, once it is there."""
        return until(lambda: next(iter(self.entries(*kinds, ordinal=ordinal)), None))

    def log_holds(self) -> None:
        checked = subprocess.run(self.place.command("log", "verify"), capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stdout


def set_wall(core: subprocess.Popen[str], ms: int) -> None:
    """Somebody puts the wall clock of a moved core this far from the true one."""
    assert core.stdin is not None
    core.stdin.write(f"{ms}\n")
    core.stdin.flush()


def until(found: Callable[[], T | None]) -> T:
    """What is found, once it is there."""
    begun = time.monotonic()
    while (it := found()) is None:
        assert time.monotonic() - begun < PATIENCE_SECONDS, "it never came"
        threading.Event().wait(0.05)
    return it


@contextmanager
def ended(core: subprocess.Popen[str]) -> Iterator[None]:
    """The core is stopped in the end, whatever becomes of the test."""
    try:
        yield
    finally:
        core.terminate()
        core.communicate(timeout=60)
