"""Copies of identification papers: sealed as they come in, opened one at a time, every reading noted (POPIA s 19).

A copy belongs to an entry of the register or to a held prize; it is a picture, and nothing of it is read by anything
but a person's eyes. The log has that one was kept, under what, and the digest of the sealed bytes: neither the picture
nor what it shows.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from draw_engine.errors import Refused
from draw_engine.service.copy_ports import PaperCopy
from draw_engine.service.engine import Engine
from draw_engine.service.held_prizes import row_of
from draw_engine.service.roles import actor_of

MOST_BYTES = 2_000_000
MOST_COPIES = 8
"""Both sides of two papers, and as many again that came out badly."""
KEEPERS = frozenset({"desk", "customer_services", "manager"})
"""Who has the guest and the paper before them; a manager answers for what is kept."""

_STARTS = {"image/jpeg": b"\xff\xd8\xff", "image/png": b"\x89PNG\r\n\x1a\n"}
_ENDS = {"image/jpeg": b"\xff\xd9", "image/png": b"IEND\xaeB`\x82"}
_ENTRY = re.compile(r"register:([1-9][0-9]{0,8})")
_PRIZE = re.compile(r"prize:([a-z0-9/_-]{1,200}):c([1-9][0-9]{0,8}|0)")


@dataclass(frozen=True, slots=True)
class Under:
    """What a copy belongs to: an `entry` of the register, or the held prize of claim c`ordinal` of `draw`."""

    entry: int = 0
    draw: str = ""
    ordinal: int = 0

    def __str__(self) -> str:
        return f"register:{self.entry}" if self.entry else f"prize:{self.draw}:c{self.ordinal}"

    @classmethod
    def read(cls, text: str) -> Under:
        """Of "register:12" or "prize:DRAW:c3". Raises Refused X_VALUE_WRONG."""
        found = _ENTRY.fullmatch(text)
        if found is not None:
            return cls(entry=int(found[1]))
        found = _PRIZE.fullmatch(text)
        if found is not None:
            return cls(draw=found[1], ordinal=int(found[2]))
        raise Refused("X_VALUE_WRONG", "What the copy belongs to cannot be read. Load the page again.")


def media_of(picture: bytes) -> str:
    """`image/jpeg` or `image/png`, by its first and last bytes. Raises Refused X_TOO_LARGE, X_VALUE_WRONG."""
    if len(picture) > MOST_BYTES:
        raise Refused("X_TOO_LARGE", "The picture is larger than 2 MB. Take it again with fewer pixels.")
    for media, start in _STARTS.items():
        if picture.startswith(start):
            if not picture.rstrip(b"\0").endswith(_ENDS[media]):
                raise Refused("X_VALUE_WRONG", "The picture's end is missing. Take or choose it again.")
            return media
    raise Refused("X_VALUE_WRONG", "This is no picture: take a photograph, or choose a JPEG or PNG file.")


def keep(engine: Engine, under: Under, picture: bytes, *, by: str, now: int) -> int:
    """Seal and keep a copy; gives its number. The same picture sent again is kept once.

    Raises Refused X_NO_PERMISSION, X_NO_SUCH_ENTRY, X_CLAIM_STATE, X_TOO_LARGE, X_VALUE_WRONG.
    """
    actor = actor_of(engine, by, KEEPERS)
    media = media_of(picture)
    _require_there(engine, under)
    before = engine.store.paper_copies(str(under))
    for one in before:
        if opened(engine, one) == picture:
            return one.id
    if len(before) >= MOST_COPIES:
        raise Refused("X_VALUE_WRONG", f"{MOST_COPIES} copies are kept here already. Look whether one of them serves.")
    sealed = engine.vault.seal(_label(str(under)), picture)
    with engine.change() as work:
        at = work.instant(now)
        number = work.add_paper_copy(at=at, by=actor, under=str(under), media=media, sealed=sealed)
        data = {"under": str(under), "n": number, "sha256": hashlib.sha256(sealed).hexdigest()}
        work.append(at=at, kind="paper.kept", draw=None, actor=actor, data=data)
    return number


def copies(engine: Engine, under: Under) -> Sequence[PaperCopy]:
    """The copies kept under this, oldest first, sealed. Raises Refused X_NO_SUCH_ENTRY, X_CLAIM_STATE."""
    _require_there(engine, under)
    return engine.store.paper_copies(str(under))


def copy(engine: Engine, under: Under, number: int) -> PaperCopy:
    """One of them. Raises Refused X_NO_SUCH_PAPER, and as `copies`."""
    found = next((one for one in copies(engine, under) if one.id == number), None)
    if found is None:
        raise Refused("X_NO_SUCH_PAPER", "This copy is not kept here. Load the page again.")
    return found


def opened(engine: Engine, kept: PaperCopy) -> bytes:
    """The picture. Whoever shows it to somebody notes it in the table of look-ups first."""
    return engine.vault.unseal(_label(kept.under), kept.sealed)


def _label(under: str) -> str:
    return f"paper:{under}"


def _require_there(engine: Engine, under: Under) -> None:
    if under.entry:
        if engine.store.register_entry(under.entry) is None:
            raise Refused("X_NO_SUCH_ENTRY", "The register has no such entry. Load the page again.")
        return
    row_of(engine, engine.draw(under.draw), under.ordinal)
