"""The machine under a property: its clock, its disks, the programs, the ports, and whether a core runs."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import requests
from prometheus_client.parser import text_string_to_metric_families

from config.site import Site
from config.words import counted
from kiosk.assembly import CORE_LOCK
from kiosk.upkeep.clock_health import ClockHealth, clock_health
from kiosk.upkeep.findings import Finding, bad, fine, warn

_GIB = 1 << 30
_LITTLE, _LEAST = 5 * _GIB, _GIB
_SYNCS = 15
_SLOW_MS, _TOO_SLOW_MS = 50.0, 1_000.0
_ANSWER_SECONDS = 2.0
_LOCK_FILE = Path(__file__).parents[2] / "requirements.lock"
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)")


def clock(health: ClockHealth | None = None) -> Finding:
    """Whether the machine's clock is synchronised (X-02)."""
    said = health or clock_health()
    if said.state == "synchronised":
        return fine("clock", said.sentence)
    if said.state == "unknown":
        return warn("clock", "X_CLOCK_UNKNOWN", said.sentence, said.todo)
    return bad("clock", "X_CLOCK_UNSYNCED", said.sentence, said.todo)


def programs(lock_file: Path = _LOCK_FILE) -> Iterator[Finding]:
    """The versions that run, against those that were tried together."""
    ours = version("floordraw")
    python = ".".join(map(str, sys.version_info[:3]))
    if not lock_file.exists():
        # Installed from a bundle, whose every package was held against its hash.
        yield fine("versions", f"Floordraw {ours}, Python {python}.")
        return
    other = sorted(_not_as_locked(lock_file.read_text(encoding="utf-8")))
    if other:
        sentence = f"{counted(len(other), 'package')} not as locked: {', '.join(other[:5])}."
        todo = "Install again from the bundle, or: pip install --require-hashes -r requirements.lock."
        yield warn("versions", "X_NOT_AS_LOCKED", sentence, todo)
    else:
        yield fine("versions", f"Floordraw {ours}, Python {python}, all packages as locked.")


def _not_as_locked(lock: str) -> Iterator[str]:
    """Installed packages whose version is another. One that is missing is not for this system, or its import fails."""
    for line in lock.splitlines():
        pinned = _PINNED.match(line)
        if pinned is None:
            continue
        try:
            installed = version(pinned[1])
        except PackageNotFoundError:
            continue
        if installed != pinned[2]:
            yield f"{pinned[1]} {installed} for {pinned[2]}"


def core_lock(site: Site) -> tuple[bool, Finding]:
    """Whether a core of this property runs: it holds its lock.

    The lock is asked for, shared, and let go at once: on some file systems the system's list of locks names a device
    by other numbers than the file does.
    """
    down = warn("core", "X_CORE_DOWN", "The core does not run.", "Start it: systemctl start draw-floor.")
    try:
        handle = os.open(site.state_dir / CORE_LOCK, os.O_RDONLY)
    except FileNotFoundError:
        return False, down
    except OSError:
        todo = "Run this as root, or as the core's user."
        return False, bad("core", "X_NO_STATE", f"{site.state_dir} cannot be entered.", todo)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True, fine("core", "The core runs.")
    finally:
        os.close(handle)
    return False, down


def disks(site: Site) -> Iterator[Finding]:
    """Free space and how long a sync takes, where database, journal and state lie; once for each folder."""
    folders = {"state": site.state_dir, "journal": site.journal_dir}
    if site.database.startswith("sqlite:///"):
        folders["database"] = Path(site.database.removeprefix("sqlite:///")).parent
    seen: set[int] = set()
    for name, folder in folders.items():
        if not folder.is_dir():
            todo = "The first start makes it. If it was there before, look what became of its disk."
            yield warn(f"disk {name}", "X_NO_FOLDER", f"There is no folder {folder}.", todo)
            continue
        device = folder.stat().st_dev
        if device not in seen:
            seen.add(device)
            yield free_space(name, shutil.disk_usage(folder).free)
            yield _sync_time(name, folder)


def free_space(name: str, free: int) -> Finding:
    """`free` in bytes. A Saturday's journal and its log take a few hundred megabytes."""
    sentence = f"{free / _GIB:.1f} GiB free."
    todo = "Free some space: old backups and journal files that were copied elsewhere; journalctl --vacuum-size=1G."
    if free < _LEAST:
        return bad(f"disk {name}", "X_DISK_FULL", sentence, todo)
    return warn(f"disk {name}", "X_DISK_LOW", sentence, todo) if free < _LITTLE else fine(f"disk {name}", sentence)


def _sync_time(name: str, folder: Path) -> Finding:
    try:
        times = _synced(folder)
    except OSError as trouble:
        sentence = f"Nothing can be written into {folder}: {trouble.strerror}."
        todo = "Run this as root, or as the core's user; else look at the disk: dmesg, mount."
        return bad(f"sync {name}", "X_DISK_NOT_WRITTEN", sentence, todo)
    return sync_time(name, statistics.median(times), max(times))


def _synced(folder: Path) -> list[float]:
    """Milliseconds of some syncs of a small file that is gone afterwards."""
    times = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(_SYNCS):
            file.write(b"x" * 4096)
            file.flush()
            began = time.monotonic()
            os.fdatasync(file.fileno())
            times.append((time.monotonic() - began) * 1_000)
    return times


def sync_time(name: str, usual_ms: float, worst_ms: float) -> Finding:
    """Every press waits for a sync or two."""
    sentence = f"A sync takes {usual_ms:.1f} ms, {worst_ms:.0f} ms at worst."
    todo = "Put database and journal on a solid-state disk of this machine, and see what else writes there: iotop."
    if usual_ms > _TOO_SLOW_MS:
        return bad(f"sync {name}", "X_DISK_SLOW", sentence, todo)
    slow = usual_ms > _SLOW_MS or worst_ms > _TOO_SLOW_MS
    return warn(f"sync {name}", "X_DISK_SLOW", sentence, todo) if slow else fine(f"sync {name}", sentence)


def ports(site: Site, port: int, screens_port: int, *, running: bool) -> list[Finding]:
    """Whether what listens is what should."""
    wanted = [("pages", port), ("screens", screens_port)]
    if site.web is not None:
        wanted += [("https", site.web.port), ("https screens", site.web.screens_port)]
    return [_port(name, number, running=running) for name, number in wanted]


def _port(name: str, port: int, *, running: bool) -> Finding:
    there = listens(port)
    about = f"Port {port} ({name})"
    if running and not there:
        unit = "floor-screens" if "screens" in name else "draw-floor"
        return bad("ports", "X_NOT_LISTENING", f"{about}: nothing listens.", f"Look: systemctl status {unit}.")
    if not running and there and "screens" not in name:
        sentence = f"{about}: something else listens there."
        return bad("ports", "X_PORT_TAKEN", sentence, f"See what it is: ss -ltnp sport = :{port}. Then stop it.")
    return fine("ports", f"{about}: {'listens' if there else 'free'}.")


def listens(port: int) -> bool:
    """Whether anything takes connections at this port of the machine's loopback."""
    try:
        with socket.create_connection(("127.0.0.1", port), _ANSWER_SECONDS):
            return True
    except OSError:
        return False


def printers_heard(port: int) -> dict[str, str]:
    """Printer -> its state as the running core has it now; {} when it does not answer."""
    try:
        told = requests.get(f"http://127.0.0.1:{port}/metrics", timeout=_ANSWER_SECONDS + 1)
        families = list(text_string_to_metric_families(told.text)) if told.status_code == 200 else []
    except (requests.RequestException, ValueError):
        return {}
    return {
        sample.labels["printer"]: sample.labels["state"]
        for family in families
        if family.name == "floordraw_printer_state"
        for sample in family.samples
        if sample.value == 1
    }
