"""The master key's copy on paper: letters in groups of four, the last group made from the others so that slips show."""

from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path

from draw_engine.errors import Refused

_LETTERS, _CHECK = 52, 4
_READ_AS = str.maketrans("018", "OIB")
"""Digits that are no letters of base 32 are what somebody took a letter for."""


def check_letters(letters: str) -> str:
    """The four letters that follow the 52 of the key."""
    digest = hashlib.sha256(b"floordraw/master-key/" + letters.encode()).digest()
    return base64.b32encode(digest).decode()[:_CHECK]


def on_paper(letters: str) -> str:
    """What to write on paper: the key's 52 letters and the four that check them, in groups of four."""
    whole = letters + check_letters(letters)
    return " ".join(whole[n : n + 4] for n in range(0, len(whole), 4))


def key_from_paper(text: str) -> bytes:
    """The key's 32 bytes. Copies made without the four letters that check them are taken, too.

    Raises Refused X_KEY_MISTYPED; nothing of what was typed is in the sentence.
    """
    typed = "".join(text.split()).replace("-", "").upper().translate(_READ_AS)
    if len(typed) not in {_LETTERS, _LETTERS + _CHECK}:
        raise Refused(
            "X_KEY_MISTYPED",
            f"That is {len(typed)} letters; the paper has {_LETTERS + _CHECK} in groups of four. Type them again.",
        )
    letters, check = typed[:_LETTERS], typed[_LETTERS:]
    try:
        key = base64.b32decode(letters + "=" * (-_LETTERS % 8))
    except ValueError:
        raise Refused("X_KEY_MISTYPED", "The paper has letters and the digits 2 to 7 alone. Type it again.") from None
    if base64.b32encode(key).decode().rstrip("=") != letters or (check and check != check_letters(letters)):
        raise Refused("X_KEY_MISTYPED", "A letter is not as it is on paper: its last group tells. Type it again.")
    return key


def write_master_key(path: Path, key: bytes) -> None:
    """The key file, readable by its owner alone. Raises Refused X_KEY_EXISTS when there is one already."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
    except FileExistsError:
        raise Refused("X_KEY_EXISTS", f"There is a master key at {path} already; nothing was changed.") from None
    with os.fdopen(handle, "wb") as file:
        file.write(base64.b64encode(key) + b"\n")
        file.flush()
        os.fsync(file.fileno())
