"""The floor journal on disk: one file a segment, `SEGMENT.jsonl` while it runs, `.jsonl.gz` once it is turned.

The journal leads: a line is appended and synced before the transaction that counts it, so after a crash the tail is
replayed. A failed fdatasync is final: what the disk holds is unknown, and asking again would only seem to help.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Container
from contextlib import suppress
from pathlib import Path
from typing import Any

from draw_engine import event_lines
from draw_engine.errors import RuleBroken
from draw_engine.service.hearing import Hearing
from draw_engine.store import kept_floor
from draw_engine.store.kept_floor import Kept

_BLOCK = 1 << 20


class JournalBroken(RuleBroken):
    """The disk did not keep what it was given: stop taking events and start the core again."""


class FileJournal:
    """Opens (or makes) the segment in `folder`; a torn end, never acknowledged, is cut off.

    `counted`: how many bytes of it the database has counted. What lies beyond was synced by nobody's word, so a power
    cut may have left holes and rubbish in it: it is cut from the first line that no core writes. What was counted is
    never cut. Without `counted`, only a last line without its end is.
    """

    def __init__(self, folder: Path, segment: str, counted: int | None = None) -> None:
        self._folder = folder
        _make_lasting(folder)
        self._broken = False
        self._open(segment, counted)

    def _path(self, segment: str) -> Path:
        return self._folder / f"{segment}.jsonl"

    def _open(self, segment: str, counted: int | None) -> None:
        """Opens a segment; should that fail, everything is as it was."""
        path = self._path(segment)
        if not path.exists() and path.with_suffix(".jsonl.gz").exists():
            raise JournalBroken(
                f"the floor journal {segment} is packed already: the database is older than the journal"
            )
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o640)
        try:
            _sync_folder(self._folder)
            digest, whole, size = _digest_of_lines(path)
            if counted is not None and counted < whole:
                whole = counted + _sound_length(path, counted, whole)
                digest = _digest_of(path, whole)
            if whole < size:
                os.ftruncate(handle, whole)
            # Whoever wrote the last lines may have died before the sync: from now on pools are judged from them.
            os.fsync(handle)
        except OSError:
            os.close(handle)
            raise
        self._segment, self._handle = segment, handle
        self._length = whole
        self._digest = digest
        self._heard_until = 0

    @property
    def segment(self) -> str:
        return self._segment

    @property
    def length(self) -> int:
        return self._length

    def append(self, lines: bytes) -> None:
        """Append whole lines and wait until the disk has them.

        Raises OSError (disk full) with nothing kept; JournalBroken when the sync failed.
        """
        if self._broken:
            raise JournalBroken("the floor journal stopped after a failed sync; start the core again")
        try:
            self._write(lines)
        except OSError:
            self._cut_back()
            raise
        try:
            os.fdatasync(self._handle)
        except OSError as trouble:
            self._broken = True
            raise JournalBroken("the floor journal could not be synced to disk") from trouble
        self._length += len(lines)
        self._digest.update(lines)

    def _write(self, lines: bytes) -> None:
        view = memoryview(lines)
        while view:
            view = view[os.write(self._handle, view) :]

    def _cut_back(self) -> None:
        try:
            os.ftruncate(self._handle, self._length)
        except OSError:
            self._broken = True

    def prefix(self) -> dict[str, Any]:
        return {"segment": self._segment, "length": self._length, "sha256": self._digest.hexdigest()}

    def turn_to(self, segment: str) -> None:
        """Go on in `segment`; then pack what lies there of the days before. Raises OSError with nothing changed.

        Packing only saves space: where the disk is too full for it, or the core is killed in it, the older segment
        stays as it is and the next turn packs it.
        """
        if segment == self._segment:
            return
        handle = self._handle
        self._open(segment, counted=0)
        os.close(handle)
        with suppress(OSError):
            for older in sorted(self._folder.glob("*.jsonl")):
                if older.stem < segment:
                    self._pack(older)

    def _pack(self, older: Path) -> None:
        packed = older.with_suffix(".jsonl.gz")
        part = packed.with_suffix(".gz.part")
        try:
            with older.open("rb") as source, part.open("wb") as raw:
                with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as out:
                    while block := source.read(1 << 20):
                        out.write(block)
                raw.flush()
                os.fsync(raw.fileno())
        except OSError:
            part.unlink(missing_ok=True)
            raise
        part.rename(packed)
        _sync_folder(self._folder)
        older.unlink()

    def drop_before(self, segment: str, keep: Container[str]) -> None:
        """Remove packed segments older than `segment` that no record needs. What cannot be removed stays."""
        with suppress(OSError):
            for packed in self._folder.glob("*.jsonl.gz"):
                name = packed.name.removesuffix(".jsonl.gz")
                if name < segment and name not in keep:
                    packed.unlink()

    def lines(self) -> bytes:
        with self._path(self._segment).open("rb") as file:
            file.seek(self._heard_until)
            return file.read(self._length - self._heard_until)

    def recall(self) -> Hearing | None:
        self._heard_until = 0
        kept = kept_floor.recall(self._folder, self._segment)
        if kept is None or kept.length > self._length or self._sha256_of(kept.length) != kept.sha256:
            return None
        self._heard_until = kept.length
        return kept.heard

    def keep(self, heard: Hearing) -> None:
        kept_floor.keep(self._folder, self._segment, Kept(self._length, self._digest.hexdigest(), heard))
        kept_floor.forget(self._folder, self._segment)

    def _sha256_of(self, length: int) -> str:
        return _digest_of(self._path(self._segment), length).hexdigest()

    def close(self) -> None:
        os.close(self._handle)


def _make_lasting(folder: Path) -> None:
    """Make the folder, and each above it that is missing, so that a power cut does not take its name away again."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for made in missing:
        _sync_folder(made.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sound_length(path: Path, first: int, end: int) -> int:
    """How many bytes from `first` to `end` are lines as a core writes them, up to the first that is none."""
    with path.open("rb") as file:
        file.seek(first)
        tail = file.read(end - first)
    sound = 0
    for line in tail.splitlines(keepends=True):
        try:
            list(event_lines.read_journal(line))
        except event_lines.JournalBroken:
            break
        sound += len(line)
    return sound


def _digest_of(path: Path, length: int) -> hashlib._Hash:
    """SHA-256 of the file's first `length` bytes."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while length and (block := file.read(min(length, _BLOCK))):
            digest.update(block)
            length -= len(block)
    return digest


def _digest_of_lines(path: Path) -> tuple[hashlib._Hash, int, int]:
    """(SHA-256 of the whole lines, their length, the file's size)."""
    digest, whole, rest = hashlib.sha256(), 0, b""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            block = rest + block
            end = block.rfind(b"\n") + 1
            digest.update(block[:end])
            whole, rest = whole + end, block[end:]
    return digest, whole, whole + len(rest)


def read_segment(folder: Path, segment: str) -> bytes:
    """The uncompressed bytes of a segment, running or turned. Raises FileNotFoundError when it is gone."""
    running = folder / f"{segment}.jsonl"
    if running.exists():
        return running.read_bytes()
    return gzip.decompress((folder / f"{segment}.jsonl.gz").read_bytes())
