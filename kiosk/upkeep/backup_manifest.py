"""What a backup says of itself: `manifest.json`, with the SHA-256 of each of its files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from draw_engine.clock import Millis
from draw_engine.errors import Refused

MANIFEST = "manifest.json"
FORMAT = 1
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Manifest:
    """`head`: (seq, hash) of the log; `journal`: (segment, bytes, SHA-256) of what the database had counted.

    `files`: path within the backup -> (size, SHA-256).
    """

    property: str
    made_at: Millis
    program: str
    schema: str
    database: str
    head: tuple[int, str] | None
    journal: tuple[str, int, str] | None
    files: dict[str, tuple[int, str]]

    def written(self) -> bytes:
        return (json.dumps({"format": FORMAT, **asdict(self)}, indent=1, sort_keys=True) + "\n").encode()


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a backup. Raises Refused X_NO_BACKUP."""
    try:
        value: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
        form = value.pop("format")
        head, journal = value.pop("head"), value.pop("journal")
        files = {str(name): (int(size), str(digest)) for name, (size, digest) in value.pop("files").items()}
        made = Manifest(
            **value,
            head=None if head is None else (int(head[0]), str(head[1])),
            journal=None if journal is None else (str(journal[0]), int(journal[1]), str(journal[2])),
            files=files,
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise Refused("X_NO_BACKUP", f"{folder} is no whole backup: its {MANIFEST} cannot be read.") from None
    if form != FORMAT:
        raise Refused("X_NO_BACKUP", f"{folder} was made by a later version of Floordraw. Install that one first.")
    return made


def files_in(folder: Path) -> dict[str, tuple[int, str]]:
    """Every file below the folder but the manifest: its path, size and SHA-256."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() or path.is_symlink())
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_size, digest_of(path))
        for path in found
        if path.name != MANIFEST or path.parent != folder
    }


def digest_of(path: Path, length: int | None = None) -> str:
    """SHA-256 of a file, or of its first bytes."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        left = length
        while (left is None or left > 0) and (block := file.read(_BLOCK if left is None else min(left, _BLOCK))):
            digest.update(block)
            left = None if left is None else left - len(block)
    return digest.hexdigest()


def faults_of_files(folder: Path, manifest: Manifest) -> Iterator[str]:
    """A sentence for each file that is missing, changed, or not of the backup."""
    found = files_in(folder)
    for name, said in manifest.files.items():
        if name not in found:
            yield f"{name} is missing"
        elif found[name] != said:
            yield f"{name} was changed: it is not the file that was backed up"
    yield from (f"{name} is not of this backup" for name in found.keys() - manifest.files.keys())
