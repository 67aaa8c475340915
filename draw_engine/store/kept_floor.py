"""The floor as heard, kept in a file beside the journal: a start hears only what came after it.

It is read back only when it was written by this very code for this very journal: the digest of its bytes, of the
journal's prefix and of the code that wrote it must all agree. Otherwise the whole segment is heard again.
"""

from __future__ import annotations

import hashlib
import pickle  # the file is ours: it lies in the service's own folder, beside the database, and is digested
from functools import cache
from pathlib import Path
from typing import NamedTuple

from draw_engine import (
    canonical,
    event_fields,
    event_lines,
    feed_order,
    feed_sequence,
    feed_states,
    feeds,
    floor_events,
    sessions,
)
from draw_engine.service import hearing
from draw_engine.service.hearing import Hearing

_SUFFIX = ".floor"
_DIGEST = 32
_OF_CODE = (
    canonical,
    event_fields,
    event_lines,
    feed_order,
    feed_sequence,
    feed_states,
    feeds,
    floor_events,
    hearing,
    sessions,
)


class Kept(NamedTuple):
    """A floor, and the journal's prefix (`length` bytes with `sha256`) that it follows from."""

    length: int
    sha256: str
    heard: Hearing


@cache
def _code() -> bytes:
    """A digest of the code that the kept floor depends on: another version must not read it."""
    digest = hashlib.sha256()
    for module in _OF_CODE:
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.digest()


def keep(folder: Path, segment: str, kept: Kept) -> None:
    """Write it, whole or not at all. Raises OSError; the journal alone is enough, so the caller may go on."""
    body = _code() + pickle.dumps(kept, protocol=pickle.HIGHEST_PROTOCOL)
    part = folder / f"{segment}{_SUFFIX}.part"
    part.write_bytes(hashlib.sha256(body).digest() + body)
    part.replace(folder / f"{segment}{_SUFFIX}")


def recall(folder: Path, segment: str) -> Kept | None:
    """What was kept of the segment, or None when there is nothing that may be used."""
    try:
        data = (folder / f"{segment}{_SUFFIX}").read_bytes()
    except OSError:
        return None
    digest, body = data[:_DIGEST], data[_DIGEST:]
    if hashlib.sha256(body).digest() != digest or not body.startswith(_code()):
        return None
    kept = pickle.loads(body[_DIGEST:])  # noqa: S301 - our own file, its digest and its writer's code just compared
    return kept if isinstance(kept, Kept) else None


def forget(folder: Path, but: str) -> None:
    """Remove what was kept of other segments."""
    for file in folder.glob(f"*{_SUFFIX}"):
        if file.stem != but:
            file.unlink(missing_ok=True)
