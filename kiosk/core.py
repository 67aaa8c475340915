"""The core: one thread that runs every command on the engine, woken by the alarms.

Pages and bridges ask through `ask`; what is due runs first, so that no log entry of a command can come between a
selection that is due and its try.
"""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

import structlog
from sqlalchemy.exc import OperationalError

from draw_engine.alarms import WATCHDOG_SECONDS, Alarms
from draw_engine.clock import Clock
from draw_engine.errors import Refused, RuleBroken
from draw_engine.service import expiry, house
from draw_engine.service.engine import Engine
from draw_engine.store.journal import JournalBroken
from kiosk.hearing_people import Beats, StageEar, WaitingPresses
from kiosk.pulse import Pulse

T = TypeVar("T")
_log = structlog.get_logger(__name__)
_SWITCH_SECONDS = 0.0005
"""The engine's thread gets its turn within this, however busy others are; Python's own is ten times as long."""
_SHORTEST_PAUSE = 0.01
"""In seconds: an engine that is busy at a deadline is not woken faster than this."""


class Core:
    """Owns the engine's thread. `on_broken` is told when the core must stop: a failed sync is never tried again."""

    def __init__(
        self, make_engine: Callable[[], Engine], *, clock: Clock, version: str, on_broken: Callable[[], None]
    ) -> None:
        self._make_engine = make_engine
        self._version = version
        self._on_broken = on_broken
        self._todo: queue.SimpleQueue[tuple[Callable[[Engine], Any], Future[Any]] | None] = queue.SimpleQueue()
        self._tick_waits = threading.Event()
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._started: Future[None] = Future()
        self._alarms = Alarms(self.wake, self._pause)
        self._clock = clock
        self._next_expiry: int | None = None
        self.waiting = WaitingPresses()
        self.beats = Beats()
        self.stage = StageEar()
        self.pulse = Pulse()
        self.broken: str | None = None
        self.after_tick: list[Callable[[Engine], None]] = []

    def start(self) -> None:
        """Start the engine's thread and the alarms; raises what went wrong in starting."""
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._thread.start()
        self._started.result()
        self._alarms.start()

    def stop(self) -> None:
        """Finish what is being done, then stop. Whoever asks afterwards is told so, instead of waiting."""
        self._alarms.stop()
        self._todo.put(None)
        if self._thread.ident is not None:
            self._thread.join(timeout=30)
        self.broken = self.broken or "The core has been stopped. Start it again."
        with suppress(queue.Empty):
            while True:
                left = self._todo.get_nowait()
                if left is not None and left[1].set_running_or_notify_cancel():
                    left[1].set_exception(Refused("X_CORE_STOPPED", self.broken))

    def ask(self, command: Callable[[Engine], T], *, timeout: float = 60.0) -> T:
        """Run a command on the engine's thread and give back what it gives, or raise what it raises.

        Raises Refused X_TRY_AGAIN when its turn did not come within `timeout` seconds: it will not be run any more.
        """
        if self.broken:
            raise Refused("X_CORE_STOPPED", self.broken)
        done: Future[T] = Future()
        self._todo.put((command, done))
        try:
            return done.result(timeout)
        except TimeoutError:
            if done.cancel():
                said = "The core was busy and did not get to it; nothing was changed. Try again in a moment."
                raise Refused("X_TRY_AGAIN", said) from None
            return done.result(0)  # it has just been done; or it is being done, and what becomes of it is not known

    def wake(self) -> None:
        """See to what is due, soon; many calls at once are one."""
        if not self._tick_waits.is_set():
            self._tick_waits.set()
            self._todo.put((_nothing, Future()))

    @property
    def queued(self) -> int:
        """How many commands wait for the engine's thread."""
        return self._todo.qsize()

    def stamp(self) -> int:
        """The instant, for a press that has just come in. It may be asked from any thread."""
        return self._clock.now()

    def _pause(self) -> float:
        """How long the watchdog may sleep: until the next deadline's grace is over, a fifth of a second at most."""
        now = self._clock.now()
        self.beats.note(now)
        if self._next_expiry is None:
            return WATCHDOG_SECONDS
        return min(WATCHDOG_SECONDS, max(_SHORTEST_PAUSE, (self._next_expiry - now) / 1000))

    def _press_waits(self, draw: str, ordinal: int, deadline: int) -> bool:
        return self.waiting.waits(draw, ordinal, deadline, self._clock.now())

    def _interrupted(self, draw: str, ordinal: int, deadline: int) -> str | None:
        """Why nobody could press at a deadline: the core stood still, or the stage was not heard (X-13, A22).

        Or somebody did press, and the core could not keep it.
        """
        if self.beats.missed(deadline, self._clock.now()) or self.waiting.lost(draw, ordinal, deadline):
            return "SS_TIMER_INTERRUPTED"
        return None if self.stage.was_there(deadline) else "SS_STAGE_UNHEARD"

    def _run(self) -> None:
        try:
            engine = self._make_engine()
            engine.press_waits, engine.interrupted = self._press_waits, self._interrupted
            self.beats.note(engine.now())
            house.start_log(engine, self._version)
            self._tick(engine)
        except Exception as fault:  # noqa: BLE001 - handed to whoever starts the core
            self.broken = "The core did not start. See why, then start it again."
            self._started.set_exception(fault)
            return
        self._started.set_result(None)
        while (work := self._todo.get()) is not None:
            with self.pulse.turn():
                self._tick_waits.clear()
                engine.not_now = None
                engine.not_now = self._tick(engine)
                if work[1].set_running_or_notify_cancel():
                    self._do(engine, *work)
                self._next_expiry = expiry.next_expiry(engine)

    def _do(self, engine: Engine, command: Callable[[Engine], Any], done: Future[Any]) -> None:
        if self.broken:
            done.set_exception(Refused("X_CORE_STOPPED", self.broken))
            return
        try:
            engine.ready()
            done.set_result(command(engine))
        except (JournalBroken, RuleBroken) as fault:
            self._break(fault)
            done.set_exception(fault)
        except OperationalError as trouble:
            if _is_final(trouble):
                self._break(trouble)
            done.set_exception(trouble)
        except Exception as fault:  # noqa: BLE001 - it belongs to whoever asked
            done.set_exception(fault)

    def _tick(self, engine: Engine) -> Exception | None:
        """See to what is due. Gives what kept it from being written, if something did."""
        if self.broken:
            return None
        try:
            house.tick(engine)
            for also in self.after_tick:
                also(engine)
        except OperationalError as trouble:
            if _is_final(trouble):
                self._break(trouble)
            else:
                # Locked or full: nothing was kept, memory is read again, the next tick tries once more.
                _log.warning("database.not_written", kind=type(trouble.orig).__name__)
            return trouble
        except OSError as trouble:
            # A watched folder that cannot be written: what was due is done, and nothing of the log hangs on it.
            _log.warning("disk.not_written", kind=type(trouble).__name__)
        except Exception as fault:  # noqa: BLE001 - the engine's thread must say so and stop, not die silently
            self._break(fault)
            return fault
        return None

    def _break(self, fault: Exception) -> None:
        self.broken = "The core has stopped taking anything because it could not keep it. Start it again."
        _log.error("core.broken", kind=type(fault).__name__, where=where(fault))
        self._on_broken()


def _is_final(trouble: OperationalError) -> bool:
    """A failed write or sync of the disk: what it holds is unknown, so nothing is tried again (R7)."""
    return "disk I/O error" in str(trouble.orig) or "malformed" in str(trouble.orig)


def _nothing(_engine: Engine) -> None:
    return None


def where(fault: BaseException) -> str:
    """File and line of a fault: its text could hold a guest's number."""
    trace = fault.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{trace.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno}"
