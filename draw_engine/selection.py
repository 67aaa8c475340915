"""Selecting: commitment, public entropy, tickets, moments, and a rehearsal's randomness (draw record 1).

Every value follows from the house seed and what is printed: nothing here asks the machine for randomness or time.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from draw_engine.canonical import jcs

_HOUSE = b"floordraw/1/house\n"
_REHEARSAL = b"floordraw/1/rehearsal\n"
_SPACE = 2**256  # what one HMAC-SHA-256 can be


def commitment(draw: str, seed: bytes, *, rehearsal: bool = False) -> str:
    """What is printed before any pool exists: hex of the tagged hash of draw id and house seed (32 bytes)."""
    return sha256((_REHEARSAL if rehearsal else _HOUSE) + draw.encode() + b"\n" + _checked(seed)).hexdigest()


def public_digest(texts: Sequence[str]) -> str:
    """`public`: hex of the hash of the entropy texts given so far, in order."""
    return sha256(jcs(list(texts))).hexdigest()


def ticket(seed: bytes, *, draw: str, ordinal: int, root: str, size: int, total: int, public: str) -> int:
    """The ticket, 0 to total-1, that ordinal `ordinal` of the draw selects in this pool; `public` as public_digest."""
    message = jcs(
        {
            "draw": draw,
            "ordinal": ordinal,
            "pool": {"root": root, "size": size, "total": str(total)},
            "public": public,
            "v": 1,
        }
    )
    return first_below(total, _throws(hmac.digest(_checked(seed), message, "sha256")))


def first_below(total: int, xs: Iterable[int]) -> int:
    """The first x below the largest multiple of `total` that fits in 256 bits, modulo `total`.

    The x above it are thrown away: taken modulo `total` they would favour the low tickets.
    """
    if total < 1:
        raise ValueError("nobody can be selected from a pool without entries")
    limit = _SPACE - _SPACE % total
    return next(x for x in xs if x < limit) % total


def _throws(key: bytes) -> Iterator[int]:
    for i in range(2**32):
        yield int.from_bytes(hmac.digest(key, i.to_bytes(4, "big"), "sha256"), "big")


def spread_moments(seed: bytes, *, draw: str, start: int, end: int, count: int) -> list[int]:
    """One moment in each of `count` equal parts of start ≤ at < end, ascending; milliseconds since 1970."""
    if count < 1 or end <= start:
        raise ValueError("moments are spread over at least one part of a span that ends after it starts")
    parts = count * 2**64
    moments = []
    for n in range(count):
        message = jcs({"draw": draw, "moment": n, "v": 1})
        m = int.from_bytes(hmac.digest(_checked(seed), message, "sha256")[:8], "big")
        moments.append(start + (n * 2**64 + m) * (end - start) // parts)
    return moments


def house_seed_of_rehearsal(S: bytes, draw: str) -> bytes:  # noqa: N803 - the page's letter for it
    """A rehearsal draw's house seed, 32 bytes, from the rehearsal's seed S."""
    return hmac.digest(S, draw.encode(), "sha256")


def reference_key_of_rehearsal(S: bytes) -> bytes:  # noqa: N803 - the page's letter for it
    """A rehearsal's reference key, 32 bytes."""
    return hmac.digest(S, b"floordraw/1/rehearsal-reference", "sha256")


def signing_key_of_rehearsal(S: bytes) -> bytes:  # noqa: N803 - the page's letter for it
    """The 32 bytes of a rehearsal's Ed25519 private key."""
    return hmac.digest(S, b"floordraw/1/rehearsal-key", "sha256")


def salt_of_rehearsal(S: bytes, seq: int) -> bytes:  # noqa: N803 - the page's letter for it
    """The salt, 16 bytes, of a rehearsal's log entry `seq`."""
    return hmac.digest(S, b"floordraw/1/rehearsal-salt\n" + str(seq).encode(), "sha256")[:16]


def _checked(seed: bytes) -> bytes:
    if len(seed) != 32:
        raise ValueError(f"a house seed is 32 bytes, not {len(seed)}")
    return seed
