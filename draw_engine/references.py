"""References: what stands for a person in a pool, for one draw only (draw record 1, "References")."""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from collections.abc import Iterable

_TAG = b"floordraw/1/ref\n"
_BLOCK = 64  # SHA-256 works in blocks of 64 bytes, and so does HMAC's padding (RFC 2104)


def guest_secret(reference_key: bytes, draw: str, member: str) -> bytes:
    """`s`: 32 bytes given to the guest alone, with which they recompute their reference.

    `member` is the person's first member number in ascending byte order; it is taken in its NFC form.
    """
    return hmac.digest(_checked_key(reference_key), draw.encode() + b"\n" + _bytes_of(member), "sha256")


def reference(secret: bytes, member: str) -> bytes:
    """`ref`: the 16 bytes that stand for the guest in this draw's pools."""
    return hashlib.sha256(_TAG + secret + _bytes_of(member)).digest()[:16]


def references(reference_key: bytes, draw: str, members: Iterable[str]) -> dict[str, bytes]:
    """The reference of every member, by member number as given; the same values as one by one, several times faster.

    The keyed beginning of the two hashes of HMAC is the same for all members of a draw: it is computed once.
    """
    key = _checked_key(reference_key).ljust(_BLOCK, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + draw.encode() + b"\n")
    outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in key))
    sha256 = hashlib.sha256
    made: dict[str, bytes] = {}
    for member in members:
        m = _bytes_of(member)
        first = inner.copy()
        first.update(m)
        second = outer.copy()
        second.update(first.digest())
        made[member] = sha256(_TAG + second.digest() + m).digest()[:16]
    return made


def _bytes_of(member: str) -> bytes:
    return (member if member.isascii() else unicodedata.normalize("NFC", member)).encode()


def _checked_key(reference_key: bytes) -> bytes:
    if len(reference_key) != 32:
        raise ValueError(f"a reference key is 32 bytes, not {len(reference_key)}")
    return reference_key
