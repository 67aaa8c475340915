"""An announcement to hundreds of screens: the screen server against stock Flask-SocketIO in threading mode, in the same
run, alternating: `python benchmarks/bench_fanout.py [--rounds 5] [--screens 500] [--crew 200]`.

Every latency runs from the moment the announcement is made in the core's process (the hop to the screen server is in
it) to the moment the LAST screen has it. Screens are one process of bare sockets, the same for both (fanout_screens).

On a machine that is busy with other things run it before them (`chrt -r 5 python …`), or it measures those.

Goals. 500 screens: the last at most 0.6 of the stock server's. 200 screens while a crew works on the product's own
core: the last within 250 ms at the 99th percentile, presses under 100 ms. All screens back within 3 s of a restart;
5 % that stop reading make the others at most 1.5 times later, and take at most 1 MB each until they are cut.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from fanout_screens import Arrived, Screens, memory_kb, read

HERE = Path(__file__).parent
WARM_UP, COUNTED = 3, 20
EVERY = 0.15
RATIO, SPREAD = 0.6, 0.30
CREW_MS, PRESS_MS = 250.0, 100.0
BACK_SECONDS, CUTS = 3.0, 20
STALLED_RATIO, STALLED_KB = 1.5, 1024.0


class Server:
    """A process that says its port first, and ends when its input does."""

    def __init__(self, *command: str, cwd: Path = HERE.parent) -> None:
        self._command, self._cwd = command, cwd
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *self._command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self._cwd
        )
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline().strip()
        self.port = int(self.said.rpartition(":")[2])

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def announce(self) -> dict[str, Any]:
        request = Request(f"http://127.0.0.1:{self.port}/announce", method="POST")
        with urlopen(request, timeout=30) as answer:
            told: dict[str, Any] = json.loads(answer.read())
            return told


def screen_server(core_port: int) -> Server:
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
    core = f"http://127.0.0.1:{core_port}"
    return Server("-m", "kiosk.screens.server", core, "127.0.0.1", str(port), "--until-input-ends")


@dataclass
class Round:
    """One server's part of a round: to the last screen in ms, the seconds to connect, its memory a screen in KB."""

    last_ms: list[float] = field(default_factory=list)
    connected_s: float = 0.0
    kb: float = 0.0

    @property
    def median(self) -> float:
        return statistics.median(self.last_ms)


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


async def announced(screens: Screens, source: Server, count: int) -> float:
    """Announce once; ms until the last of `count` screens has it."""
    screens.seen.clear()
    told = await asyncio.to_thread(source.announce)
    number = told["number"]
    arrived: Arrived = await screens.everybody(lambda shown: bool(shown["session"]["awards"] == number), count)
    return (arrived.last - float(told["at"])) * 1000


async def measured(source: Server, door: Server, count: int, *, stall: bool = False) -> Round:
    """Connect the screens to `door`, announce at `source`, leave again."""
    screens, made = Screens(), Round()
    before = memory_kb(door.process.pid)
    made.connected_s = await screens.connect(door.port, count)
    made.kb = (memory_kb(door.process.pid) - before) / count
    awake = count - (screens.stall(20) if stall else 0)
    for n in range(WARM_UP + COUNTED):
        took = await announced(screens, source, awake)
        if n >= WARM_UP:
            made.last_ms.append(took)
        await asyncio.sleep(EVERY)
    if stall:
        made.kb = (memory_kb(door.process.pid) - before) / count
    screens.close()
    await asyncio.sleep(0.5)
    return made


def show(name: str, rounds: Sequence[Round]) -> None:
    medians = [part.median for part in rounds]
    whole = [took for part in rounds for took in part.last_ms]
    print(
        f"{name:24} last screen {statistics.median(medians):6.1f} ms ({min(medians):.1f} to {max(medians):.1f}), "
        f"p99 {percentile(whole, 0.99):6.1f}; connected in {statistics.median(r.connected_s for r in rounds):.2f} s; "
        f"{rounds[0].kb:.0f} KB a screen"
    )


async def against_stock(rounds: int, count: int) -> bool:
    """The ratio to the peer."""
    stock, feeding = (
        Server(str(HERE / "fanout_servers.py"), "stock"),
        Server(str(HERE / "fanout_servers.py"), "feeding"),
    )
    own = screen_server(feeding.port)
    await asyncio.sleep(1.0)
    ours, theirs = [], []
    for n in range(rounds):
        for which in ("own", "stock") if n % 2 == 0 else ("stock", "own"):
            if which == "own":
                ours.append(await measured(feeding, own, count))
            else:
                theirs.append(await measured(stock, stock, count))
    print(f"{count} screens, {rounds} rounds of {COUNTED} announcements, alternating")
    show("screen server", ours)
    show("stock Flask-SocketIO", theirs)
    ratio = statistics.median(r.median for r in ours) / statistics.median(r.median for r in theirs)
    medians = [part.median for part in theirs]
    spread = (max(medians) - min(medians)) / statistics.median(medians)
    print(f"  ratio {ratio:.2f} (goal {RATIO}); the peer's own spread {spread:.0%}")
    if spread > SPREAD:
        print(
            f"  NOTE: the peer's spread is over {SPREAD:.0%}: this machine was not quiet enough to be sure of the ratio"
        )
    good = [verdict("ratio to the stock server", ratio, RATIO)]
    stock.kill()
    good.append(await stalled(feeding, own, count))
    good.append(await restarted(feeding, own, count))
    for each in (own, feeding):
        each.kill()
    return all(good)


async def stalled(source: Server, own: Server, count: int) -> bool:
    """Every twentieth screen stops reading."""
    none, some = [], []
    for _ in range(3):
        none.append(await measured(source, own, count))
        some.append(await measured(source, own, count, stall=True))
    a, b = (statistics.median(percentile(r.last_ms, 0.99) for r in rounds) for rounds in (none, some))
    print(f"every twentieth screen stalled: p99 to the last of the others {b:.1f} ms, none stalled {a:.1f} ms")
    kb = max(0.0, max(r.kb for r in some) - max(r.kb for r in none)) * 20
    later = verdict("stalled screens make the others later", b / a, STALLED_RATIO)
    return verdict("KB a stalled screen", kb, STALLED_KB) and later


async def restarted(source: Server, own: Server, count: int) -> bool:
    """Cut every screen's line and announce something; every fifth time the screen server itself is killed as well."""
    took: dict[str, list[float]] = {"cut": [], "killed": []}
    for n in range(CUTS):
        kind = "killed" if n % 5 == 0 else "cut"
        if kind == "killed":
            own.kill()
        number = source.announce()["number"]
        if kind == "killed":
            own.start()
        screens, began = Screens(), time.monotonic()
        await screens.connect(own.port, count, at_once=count)
        arrived = await screens.everybody(
            lambda shown, number=number: bool(shown["session"]["awards"] == number), count
        )
        took[kind].append(arrived.last - began)
        screens.close()
        await asyncio.sleep(0.3)
    print(
        f"{count} screens back at once, all with what was announced meanwhile: after a cut {max(took['cut']):.2f} s, "
        f"after the server was killed and started {max(took['killed']):.2f} s (worst of {CUTS})"
    )
    good = verdict("seconds until all are right after a cut", max(took["cut"]), BACK_SECONDS)
    return verdict("seconds until all are right after a restart", max(took["killed"]), BACK_SECONDS) and good


async def with_crew(count: int) -> bool:
    """The product's own core, its crew pressing, and the screens of the screen server."""
    core = Server(str(HERE / "fanout_core.py"))
    claims, draw = core.said.split()[:2]
    own = screen_server(core.port)
    await asyncio.sleep(1.0)
    screens = Screens()
    await screens.connect(own.port, count)
    pages = {namespace: Screens(namespace) for namespace in ("/crew", "/stage", "/console", "/desk")}
    for namespace, open_pages in pages.items():
        await open_pages.connect(core.port, 4 if namespace == "/crew" else 1)
    command = [sys.executable, str(HERE / "fanout_crew.py"), str(core.port), draw, claims]
    crew = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    told, _ = await crew.communicate()
    await asyncio.sleep(0.5)
    presses = [json.loads(line) for line in told.splitlines()]
    refused = [press for press in presses if press["status"] != 200]
    late = reached(screens, presses, count)
    took = [press["ms"] for press in presses]
    print(
        f"{count} screens, a crew of four at work: {len(late)} announcements reached the last after "
        f"{statistics.median(late):.1f} ms (p99 {percentile(late, 0.99):.1f}, worst {max(late):.1f}); "
        f"{len(presses)} presses in {statistics.median(took):.1f} ms (p99 {percentile(took, 0.99):.1f}, "
        f"worst {max(took):.1f}), {len(refused)} refused"
    )
    for each in (screens, *pages.values()):
        each.close()
    own.kill()
    core.kill()
    good = verdict("ms to the last screen, p99", percentile(late, 0.99), CREW_MS)
    good &= verdict("ms a press, p99", percentile(took, 0.99), PRESS_MS)
    return good and not refused and len(late) >= int(claims) * 0.95


def reached(screens: Screens, presses: Sequence[dict[str, Any]], count: int) -> list[float]:
    """For each announcement: ms from its press until the last screen had a message with that claim's clock."""
    seen = sorted(((arrived, read(text)) for text, arrived in screens.seen.items()), key=lambda one: one[0].first)
    shown = [(arrived, {claim["id"] for claim in message["claims"]}) for arrived, message in seen]
    late = []
    for press in presses:
        if press["verb"] == "announce" and press["status"] == 200:
            wanted = f"first/c{press['claim']}"
            came = [arrived.last for arrived, claims in shown if wanted in claims and arrived.count == count]
            if came:  # else it was presented before a busy push came to it
                late.append((came[0] - press["at"]) * 1000)
    return late


def verdict(what: str, value: float, most: float) -> bool:
    good = value <= most
    print(f"  {'good' if good else 'BAD '}  {what}: {value:.2f}, at most {most}")
    return good


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--screens", type=int, default=500)
    parser.add_argument("--crew", type=int, default=200)
    asked = parser.parse_args()
    began = time.monotonic()
    parts = [against_stock(asked.rounds, asked.screens)] if asked.rounds else []
    parts += [with_crew(asked.crew)] if asked.crew else []
    good = min([asyncio.run(part) for part in parts])  # every part is run, whatever the others gave
    print(f"{'all goals met' if good else 'a goal was missed'} in {time.monotonic() - began:.0f} s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
