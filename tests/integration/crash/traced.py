"""A core whose n-th call of the operating system kills it, or fails, by `strace -e inject` (R2, R7)."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from crash.core_process import CoreLine, Watch, database_url, fork_core
from crash.world import StartCore, World

CALLS = ("pwrite64", "fdatasync")
"""How SQLite writes and syncs; the journal syncs by the second, too."""
KILLS = "signal=SIGKILL"
FAILS = "error=EIO"


def why_not() -> str | None:
    """Why no core can be traced here; None where it can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    tried = subprocess.run(["strace", "-qq", "-e", "trace=none", "true"], capture_output=True, check=False)
    return None if tried.returncode == 0 else f"strace may not trace here: {tried.stderr.decode().strip()}"


def traced_lives(folder: Path, seed: str, call: str, what: str, number: int) -> StartCore:
    """Cores of which the first meets `what` (KILLS or FAILS) at its `number`-th `call`; those after it live on."""

    def start(now: int, life: int) -> CoreLine:
        injection = f"inject={call}:{what}:when={number}"
        watch = tracing(["-e", f"trace={call}", "-e", injection]) if life == 0 else None
        return fork_core(folder, url=database_url(folder), seed=seed, now=now, die_at=None, wrap_os=False, watch=watch)

    return start


def count_of_calls(folder: Path, seed: str, call: str) -> int:
    """How many of these calls an undisturbed run makes."""
    counted = folder.with_suffix(".calls")

    def start(now: int, _life: int) -> CoreLine:
        watch = tracing(["-e", f"trace={call}", "-o", str(counted)])
        return fork_core(folder, url=database_url(folder), seed=seed, now=now, die_at=None, wrap_os=False, watch=watch)

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    World(folder, start).run()
    return len(re.findall(rf"\b{call}\(", counted.read_text(encoding="utf-8")))


def tracing(said: list[str]) -> Watch:
    """Has a process traced from before it does anything; what is said goes to strace."""
    into = [] if "-o" in said else ["-o", "/dev/null"]

    def watch(pid: int) -> Callable[[], object]:
        command = ["strace", "-f", "-p", str(pid), *said, *into]
        tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert tracer.stderr is not None
        attached = tracer.stderr.readline()
        assert "attached" in attached, attached
        return tracer.communicate

    return watch
