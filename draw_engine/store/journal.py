"""The floor journal on disk: one file a segment, `SEGMENT.jsonl` while it runs, `.jsonl.gz` once it is turned.

The journal leads: a line is appended and synced before the transaction that counts it, so after a crash the tail is
replayed. A failed fdatasync is final: what the disk holds is unknown, and asking again would only seem to help.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from pathlib import Path
from typing import Any

from draw_engine.errors import RuleBroken


class JournalBroken(RuleBroken):
    """The disk did not keep what it was given: stop taking events and start the core again."""


class FileJournal:
    """Opens (or makes) the segment in `folder`; a torn last line, never acknowledged, is cut off."""

    def __init__(self, folder: Path, segment: str) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._broken = False
        self._open(segment)

    def _path(self, segment: str) -> Path:
        return self._folder / f"{segment}.jsonl"

    def _open(self, segment: str) -> None:
        path = self._path(segment)
        if not path.exists() and path.with_suffix(".jsonl.gz").exists():
            raise JournalBroken(
                f"the floor journal {segment} is packed already: the database is older than the journal"
            )
        self._segment = segment
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o640)
        self._sync_folder()
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            os.ftruncate(self._handle, whole)
            os.fsync(self._handle)
        self._length = whole
        self._digest = hashlib.sha256(data[:whole])

    def _sync_folder(self) -> None:
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

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
        """Close this segment, compress it, and go on in `segment`."""
        if segment == self._segment:
            return
        os.close(self._handle)
        old = self._path(self._segment)
        packed = old.with_suffix(".jsonl.gz.part")
        with old.open("rb") as source, packed.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as out:
            while block := source.read(1 << 20):
                out.write(block)
        with packed.open("rb") as done:
            os.fsync(done.fileno())
        packed.rename(old.with_suffix(".jsonl.gz"))
        old.unlink()
        self._open(segment)

    def lines(self) -> bytes:
        return self._path(self._segment).read_bytes()[: self._length]

    def close(self) -> None:
        os.close(self._handle)


def read_segment(folder: Path, segment: str) -> bytes:
    """The uncompressed bytes of a segment, running or turned. Raises FileNotFoundError when it is gone."""
    running = folder / f"{segment}.jsonl"
    if running.exists():
        return running.read_bytes()
    return gzip.decompress((folder / f"{segment}.jsonl.gz").read_bytes())
