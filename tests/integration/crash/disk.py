"""A disk that keeps only what it was told to sync: rebuilt from the calls that a traced process made (R11).

Every write, cut, rename and removal of the process is read from `strace`. What was synced before the power went is
there afterwards; of the rest a `Loss` says what the disk happened to keep: nothing, everything, everything but half of
the last write, any sectors of it in any order, the files' lengths without their bytes, or another file's old bytes.
Names follow the strictest reading of POSIX: a new file, a rename and a removal last once their folder is synced.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from random import Random  # noqa: TID251 - a seed of the test's own chooses the sectors

SECTOR = 512
LOSSES = ("nothing", "everything", "torn", "scattered", "lengths", "rubbish")
_NOT_KEPT = "-shm"
"""SQLite's index of the log is shared memory: after a power cut it may hold anything, and is made anew."""


@dataclass
class _Write:
    offset: int
    data: bytes


@dataclass
class _Cut:
    length: int


@dataclass
class _File:
    """`kept`: the bytes that were synced; `pending`: what was done since, in order. A folder has neither."""

    folder: bool = False
    kept: bytes = b""
    now: bytearray = field(default_factory=bytearray)
    pending: list[_Write | _Cut] = field(default_factory=list)

    def write(self, offset: int, data: bytes) -> None:
        self.pending.append(_Write(offset, data))
        _put(self.now, offset, data)

    def cut(self, length: int) -> None:
        self.pending.append(_Cut(length))
        _resize(self.now, length)

    def synced(self) -> None:
        self.kept, self.pending = bytes(self.now), []


@dataclass
class _Renaming:
    """A change of names in one folder: `files` to put there (None takes a name away)."""

    folder: str
    names: dict[str, _File | None]


class Disk:
    """The files under `root` as a traced process changes them. What lies there at the beginning is on the disk."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._names: dict[str, _File] = {self._root: _File(folder=True)}
        for path in sorted(root.rglob("*")):
            if path.is_dir():
                self._names[str(path)] = _File(folder=True)
            elif not path.name.endswith(_NOT_KEPT):
                data = path.read_bytes()
                self._names[str(path)] = _File(kept=data, now=bytearray(data))
        self._kept = dict(self._names)
        self._renamings: list[_Renaming] = []
        self._open: dict[str, _Handle] = {}
        self._last: tuple[_File, _Write] | None = None
        self.shown: list[tuple[int, str]] = []
        """(seq, hash) of the log's head each time the core had shown what it committed."""

    def replay(self, trace: str) -> Disk:
        for line in trace.splitlines():
            if (call := _CALL.match(line)) is not None and (do := getattr(self, f"_{call['name']}", None)) is not None:
                do(call["said"], int(call["gave"]), _text(call["path"] or ""))
        return self

    # -- what the process did ------------------------------------------------------------------------------------

    def _openat(self, said: str, gave: int, path: str) -> None:
        if not self._ours(path):
            return
        flags = said.rpartition('"')[2]
        if (file := self._names.get(path)) is None:
            if "O_CREAT" not in flags:
                return
            file = self._named(path, _File())
        if "O_TRUNC" in flags and file.now:
            file.cut(0)
        self._open[str(gave)] = _Handle(file, appends="O_APPEND" in flags)

    def _close(self, said: str, _gave: int, _path: str) -> None:
        self._open.pop(_number(said), None)

    def _write(self, said: str, gave: int, _path: str) -> None:
        data = _strings(said)[0][:gave]
        if data.startswith(b"shown ") and "/dev/null" in _text(said.partition(",")[0]):
            _, seq, digest = data.decode().split()
            self.shown.append((int(seq), digest))
        if (handle := self._open.get(_number(said))) is not None:
            at = len(handle.file.now) if handle.appends else handle.at
            self._put(handle.file, at, data)
            handle.at = at + len(data)

    def _pwrite64(self, said: str, gave: int, _path: str) -> None:
        if (handle := self._open.get(_number(said))) is not None:
            self._put(handle.file, int(said.rpartition(",")[2]), _strings(said)[0][:gave])

    def _lseek(self, said: str, gave: int, _path: str) -> None:
        if (handle := self._open.get(_number(said))) is not None:
            handle.at = gave

    def _ftruncate(self, said: str, _gave: int, _path: str) -> None:
        if (handle := self._open.get(_number(said))) is not None:
            handle.file.cut(int(said.rpartition(",")[2]))

    def _fsync(self, said: str, _gave: int, _path: str) -> None:
        if (handle := self._open.get(_number(said))) is None:
            return
        if not handle.file.folder:
            handle.file.synced()
            return
        folder = next(path for path, file in self._names.items() if file is handle.file)
        for change in self._renamings:
            if change.folder == folder:
                _apply(self._kept, change)
        self._renamings = [change for change in self._renamings if change.folder != folder]

    _fdatasync = _fsync

    def _mkdir(self, said: str, _gave: int, _path: str) -> None:
        path = _strings(said)[0].decode()
        if self._ours(path):
            self._named(path, _File(folder=True))

    def _unlink(self, said: str, _gave: int, _path: str) -> None:
        path = _strings(said)[0].decode()
        if self._ours(path):
            self._change(path, {path: None})

    def _rename(self, said: str, _gave: int, _path: str) -> None:
        old, new = (one.decode() for one in _strings(said))
        if self._ours(old):
            self._change(new, {old: None, new: self._names[old]})

    def _put(self, file: _File, offset: int, data: bytes) -> None:
        file.write(offset, data)
        last = file.pending[-1]
        assert isinstance(last, _Write)
        self._last = (file, last)

    def _ours(self, path: str) -> bool:
        return (path.startswith(f"{self._root}/") and not path.endswith(_NOT_KEPT)) or path == self._root

    def _named(self, path: str, file: _File) -> _File:
        self._change(path, {path: file})
        return file

    def _change(self, path: str, names: dict[str, _File | None]) -> None:
        change = _Renaming(path.rpartition("/")[0], names)
        _apply(self._names, change)
        self._renamings.append(change)

    # -- what is left of it --------------------------------------------------------------------------------------

    def leave(self, into: Path, loss: str, seed: str) -> None:
        """Make `into` what a machine finds there after the cut. `seed`: which sectors a "scattered" loss kept."""
        chance = Random(f"{seed} {loss}")
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir(parents=True)
        names = dict(self._kept)
        for change in self._renamings[: self._names_kept(loss, chance)]:
            _apply(names, change)
        for path, file in sorted(names.items()):
            place = into / path.removeprefix(self._root).lstrip("/")
            if file.folder:
                place.mkdir(exist_ok=True, parents=place == into)
            elif place.parent.is_dir():  # a file whose folder was lost is lost
                place.write_bytes(self._bytes_of(file, loss, chance))
                if place.suffix == ".db" and loss != "nothing":
                    place.with_name(place.name + _NOT_KEPT).write_bytes(chance.randbytes(32_768))

    def _names_kept(self, loss: str, chance: Random) -> int:
        if loss in {"scattered", "rubbish"}:
            return chance.randint(0, len(self._renamings))
        return 0 if loss == "nothing" else len(self._renamings)

    def _bytes_of(self, file: _File, loss: str, chance: Random) -> bytes:
        data = bytearray(file.kept)
        for step in file.pending if loss != "nothing" else ():
            if isinstance(step, _Cut):
                if loss != "scattered" or chance.random() < 0.5:
                    _resize(data, step.length)
                continue
            torn = loss == "torn" and self._last is not None and step is self._last[1]
            for offset, sector in _sectors(step, cut_at=len(step.data) // 2 if torn else None):
                _keep(data, offset, sector, loss, chance)
        return bytes(data)


@dataclass
class _Handle:
    file: _File
    appends: bool
    at: int = 0


def _sectors(step: _Write, cut_at: int | None) -> list[tuple[int, bytes]]:
    """The write in pieces of a disk's sectors; of a torn one the sectors before `cut_at`, and a part of that one."""
    data = step.data if cut_at is None else step.data[:cut_at]
    first = SECTOR - step.offset % SECTOR
    starts = [0, *range(first, len(data), SECTOR)]
    ends = [*starts[1:], len(data)]
    return [(step.offset + a, data[a:b]) for a, b in zip(starts, ends, strict=True) if a < b]


def _keep(data: bytearray, offset: int, sector: bytes, loss: str, chance: Random) -> None:
    """Write one sector of what was not synced as the loss has it."""
    if loss in {"everything", "torn"}:
        _put(data, offset, sector)
    elif loss == "scattered":
        if chance.random() < 0.5:
            _put(data, offset, sector)
    elif loss == "lengths":  # the length was written, the bytes were not
        if offset + len(sector) > len(data):
            _resize(data, offset + len(sector))
    elif chance.random() < 0.7:
        _put(data, offset, sector)
    else:
        old = chance.randbytes(len(sector)) if chance.random() < 0.5 else (b'x"}\n' * len(sector))[: len(sector)]
        _put(data, offset, old)


def _put(data: bytearray, offset: int, piece: bytes) -> None:
    if offset > len(data):
        _resize(data, offset)
    data[offset : offset + len(piece)] = piece


def _resize(data: bytearray, length: int) -> None:
    if length < len(data):
        del data[length:]
    else:
        data.extend(bytes(length - len(data)))


def _apply(names: dict[str, _File], change: _Renaming) -> None:
    for path, file in change.names.items():
        if file is None:
            names.pop(path, None)
        else:
            names[path] = file


_CALL = re.compile(r"\d+ +(?P<name>\w+)\((?P<said>.*)\) += (?P<gave>\d+)(?:<(?P<path>[^>]*)>)?")
_STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


def _strings(said: str) -> list[bytes]:
    return [bytes.fromhex(found.replace("\\x", "")) for found in _STRING.findall(said)]


def _text(path: str) -> str:
    return re.sub(r"\\x([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), path)


def _number(said: str) -> str:
    found = re.match(r"\d+", said)
    assert found is not None, said[:80]
    return found.group()
