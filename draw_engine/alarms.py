"""What wakes the engine: APScheduler by the wall clock, and a watchdog on the steady one.

The alarm only wakes; what is due stands in the database and is found by `tick`. No job carries the time of a moment:
listing the alarms tells nothing. A claim's deadline is no secret: the watchdog sleeps until the next one at most. It is
there because APScheduler sleeps by the wall clock, and a step back would make it late (measured: 6 s back is 6 s late).
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

ALARM_SECONDS = 0.5
WATCHDOG_SECONDS = 0.2


class Alarms:
    """Calls `wake` at least every 0.2 s until stopped. `wake` must return soon and may be called at any time.

    `pause` gives how long the watchdog may sleep (seconds): a claim's deadline is met to the millisecond.
    """

    def __init__(self, wake: Callable[[], None], pause: Callable[[], float] = lambda: WATCHDOG_SECONDS) -> None:
        self._wake = wake
        self._pause = pause
        self._scheduler = BackgroundScheduler(
            timezone="UTC",
            executors={"default": ThreadPoolExecutor(1)},
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1},
        )
        self._stop = threading.Event()
        self._watchdog = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def start(self) -> None:
        self._scheduler.add_job(self._wake, "interval", seconds=ALARM_SECONDS, id="tick")
        self._scheduler.start()
        self._watchdog.start()

    def _watch(self) -> None:
        while not self._stop.wait(self._pause()):
            self._wake()

    def stop(self) -> None:
        """Wake no more; harmless when never started."""
        self._stop.set()
        if self._scheduler.running:
            self._scheduler.shutdown(wait=True)
            self._watchdog.join(timeout=5)
