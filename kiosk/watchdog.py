"""What systemd is told: ready, alive, stopping, and how it is going in words.

Alive means that the engine's thread turns. It may be long at one thing, on a slow disk longer still; when it turns no
more at all, nothing is said, and systemd starts the core again (`WatchdogSec` of draw-floor.service).
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

import structlog

from draw_engine.service.engine import Engine
from kiosk.console.view import open_draw
from kiosk.pulse import Pulse, waits_for_disk
from kiosk.screens.view import coming_sessions, current_book
from web_display import screens

PATIENCE_SECONDS = 30.0
"""One turn may last so long: ten thousand guests are judged in less than one, a locked database is let go after ten."""
DISK_PATIENCE_SECONDS = 600.0
"""A turn that waits for a device: to start again would not hurry the disk, and would lose what the core knows."""
_LOOK_SECONDS = 1.0
_DISK_SEEN_SECONDS = 10.0
_log = structlog.get_logger(__name__)


def notify(state: str, environment: Mapping[str, str] = os.environ) -> None:
    """Tell systemd, when it is there; nobody hears it otherwise."""
    address = environment.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.sendto(state.encode(), address)


def watchdog_seconds(environment: Mapping[str, str] = os.environ) -> float | None:
    """How often systemd must hear that this process lives; None when it does not wait for it."""
    meant_for = environment.get("WATCHDOG_PID", "")
    micros = environment.get("WATCHDOG_USEC", "")
    if not micros.isdecimal() or not int(micros) or meant_for not in {"", str(os.getpid())}:
        return None
    return int(micros) / 1_000_000


class Vigil:
    """Whether the engine's thread turns, asked about once a second."""

    def __init__(
        self,
        pulse: Pulse,
        *,
        patience: float = PATIENCE_SECONDS,
        disk_patience: float = DISK_PATIENCE_SECONDS,
        on_disk: Callable[[int | None], bool] = waits_for_disk,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pulse = pulse
        self._patience, self._disk_patience = patience, disk_patience
        self._on_disk, self._steady = on_disk, steady
        self._disk_seen: float | None = None

    def turns(self) -> bool:
        """It does, or is at something that may take long."""
        now, silent = self._steady(), self._pulse.silent_seconds
        if silent >= _LOOK_SECONDS and self._on_disk(self._pulse.thread):
            self._disk_seen = now
        on_disk = self._disk_seen is not None and now - self._disk_seen < _DISK_SEEN_SECONDS
        return silent < (self._disk_patience if on_disk else self._patience)


class Watchdog:
    """Tells systemd every few seconds that the core lives, from a thread of its own. `note` goes on the engine's."""

    def __init__(self, pulse: Pulse, *, vigil: Vigil | None = None, look: float = _LOOK_SECONDS) -> None:
        self._pulse = pulse
        self._vigil = vigil or Vigil(pulse)
        self._look = look
        self._said = ""
        self._words = "Running."
        self._noted = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="systemd", daemon=True)

    def start(self) -> None:
        """Say that it is ready, and then that it lives."""
        notify("READY=1")
        if os.environ.get("NOTIFY_SOCKET"):
            self._thread.start()

    def stop(self) -> None:
        """Say that it stops, and no more."""
        self._stop.set()
        notify("STOPPING=1\nSTATUS=Stopping: what is being done is finished first.")

    def note(self, engine: Engine) -> None:
        """After a tick: how it is going, once a second."""
        now = time.monotonic()
        if now - self._noted < _LOOK_SECONDS:
            return
        self._noted = now
        try:
            self._words = words_of(engine)
        except Exception as fault:  # noqa: BLE001 - words that cannot be made must not stop a draw
            _log.warning("status.not_made", kind=type(fault).__name__)

    def _run(self) -> None:
        every = watchdog_seconds()
        told = -1e9
        lived = True
        while not self._stop.is_set():
            lives = self._vigil.turns()
            if every is not None and lives and time.monotonic() - told >= every / 3:
                notify("WATCHDOG=1")
                told = time.monotonic()
            if lived and not lives:
                _log.error("engine.stands", seconds=int(self._pulse.silent_seconds))
            lived = lives
            self._say(lives=lives)
            self._stop.wait(min(self._look, self._look if every is None else every / 6))

    def _say(self, *, lives: bool) -> None:
        words = self._words if lives else f"The engine has stood for {int(self._pulse.silent_seconds)} s."
        if words != self._said and not self._stop.is_set():
            notify(f"STATUS={words}")
            self._said = words


def words_of(engine: Engine) -> str:
    """How it is going, as `systemctl status` shows it: sessions, awards, feeds. Nobody is named."""
    now = engine.now()
    said = []
    draw = open_draw(engine.draws.values(), now)
    if draw is not None:
        state, zone = draw.state, draw.book.zone
        filled = sum(1 for place in state.places.values() if place.state == "filled")
        times = f"{screens.time_text(state.start, zone)} to {screens.time_text(state.end, zone)}"
        said.append(f"{draw.plan.title}, {times}: {filled} of {len(state.places)} awards filled")
        said.append(f"{len(state.running())} claims run" + (", suspended" if state.suspended else ""))
    elif engine.books:
        book = current_book(engine, now)
        coming = coming_sessions(book, now)
        said.append(
            f"No session is open; next: {screens.starts_text(coming[0][0], now, book.zone)}"
            if coming
            else "No session is open, none is to come"
        )
    silent = sorted(feed for feed in engine.settings.feeds if engine.floor.feed_at(feed, now).unknown)
    if silent:
        said.append(f"feeds not up: {', '.join(silent)}")
    return "; ".join(said) + "."
