"""Troubles for a core: a database another process holds, a disk that is full, a commit whose answer is lost."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from casino import Casino
from sqlalchemy.exc import OperationalError

from draw_engine.service.engine import Engine
from draw_engine.service.ports import UnitOfWork
from kiosk.core import Core

_HOLDS_IT = """
import sqlite3, sys
base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute("BEGIN EXCLUSIVE")
base.execute("UPDATE journal_head SET length = length")
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Another process holds the database with BEGIN EXCLUSIVE."""
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDS_IT, str(database)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    try:
        yield
    finally:
        holder.communicate()


class Quiet:
    """No alarms: what wakes the core is asked of it, so that a test knows when."""

    def __init__(self, wake: Callable[[], None], _pause: Callable[[], float]) -> None:
        self.wake = wake

    def start(self) -> None: ...

    def stop(self) -> None: ...


class Running:
    """A core over a casino's engine. `breaks` counts how often it said that it must stop."""

    def __init__(self, casino: Casino) -> None:
        self.breaks = 0
        self.core = Core(lambda: casino.engine, clock=casino.clock, version="test", on_broken=self._broke)

    def _broke(self) -> None:
        self.breaks += 1

    def see_to_it(self) -> None:
        """What is due, and nothing else."""
        self.core.ask(lambda _: None)


@contextmanager
def running(casino: Casino) -> Iterator[Running]:
    """A core for a while."""
    made = Running(casino)
    made.core.start()
    try:
        yield made
    finally:
        made.core.stop()


Transactions = Callable[[], AbstractContextManager[UnitOfWork]]


def not_begun(engine: Engine, monkeypatch: pytest.MonkeyPatch, times: int = 1) -> None:
    """The next `times` transactions find the database locked."""
    left = [times]

    def around(whole: Transactions) -> Iterator[UnitOfWork]:
        if left[0]:
            left[0] -= 1
            raise OperationalError("BEGIN IMMEDIATE", None, Exception("database is locked"))
        with whole() as work:
            yield work

    _replace(engine, monkeypatch, around)


def answer_lost(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next transaction is committed, but the line breaks before its answer comes."""
    left = [1]

    def around(whole: Transactions) -> Iterator[UnitOfWork]:
        with whole() as work:
            yield work
        if left[0]:
            left[0] -= 1
            raise OperationalError("COMMIT", None, Exception("server closed the connection unexpectedly"))

    _replace(engine, monkeypatch, around)


def _replace(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, around: Callable[[Transactions], Iterator[UnitOfWork]]
) -> None:
    whole: Transactions = engine.store.transaction
    monkeypatch.setattr(engine.store, "transaction", contextmanager(lambda: around(whole)))


def fails(number: int) -> Callable[..., Any]:
    """A call of the operating system that always fails with this error."""

    def call(*_said: Any, **_more: Any) -> Any:
        raise OSError(number, os.strerror(number))

    return call


@contextmanager
def small_disk(folder: Path, size: str = "3m") -> Iterator[Path]:
    """A file system of its own, `size` large. Skips where this machine does not let a test mount one."""
    folder.mkdir(exist_ok=True)
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no file system may be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """A file that takes all the space there is; remove it to free the space."""
    filler = folder / "filler"
    handle = os.open(filler, os.O_WRONLY | os.O_CREAT)
    block = b"x" * 65_536
    while block:
        try:
            os.write(handle, block)
        except OSError as full:
            if full.errno != errno.ENOSPC:
                raise
            block = block[: len(block) // 2]
    os.close(handle)
    return filler
