"""A core served as `floordraw serve` does, on a wall clock that its standard input moves: FOLDER PORT.

Each line on standard input is how far (ms) the wall clock is put from this machine's own.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from config.site import load_site
from draw_engine.clock import SteadyClock
from draw_engine.seeds import SystemSeeds
from kiosk.assembly import house_of, open_store
from kiosk.serving import Serving


class Wall:
    """This machine's wall clock, put somewhere else."""

    off_ms = 0

    def __call__(self) -> int:
        return time.clock_gettime_ns(time.CLOCK_REALTIME) + self.off_ms * 1_000_000

    def follow(self) -> None:
        for line in sys.stdin:
            self.off_ms = int(line)


def main(folder: Path, port: int) -> None:
    wall = Wall()
    site = load_site(folder / "site.toml")
    house = house_of(site, [(folder / "book.toml").read_bytes()])
    toml = (folder / "site.toml").read_bytes()
    clock = SteadyClock(wall=wall)
    serving = Serving(house, lambda: open_store(site, SystemSeeds()), clock, port=port, demo=False, site_toml=toml)
    serving.core.stage.always = True
    serving.start()
    threading.Thread(target=wall.follow, daemon=True).start()
    serving.stop_on_signals()
    print(f"serves at {serving.url}", flush=True)
    serving.wait()
    serving.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
