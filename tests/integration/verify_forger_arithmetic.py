"""The forger's own arithmetic, written from the draw record's page with `hashlib`, `hmac`, `json`, `cryptography`.

It shares nothing with the engine's, so that a mistake there does not cancel out here.
"""

from __future__ import annotations

import base64
import hmac
import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

NOON = datetime(2024, 3, 2, 12, tzinfo=UTC)


def jcs(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def time(seconds: float) -> str:
    """The written form of so many seconds after noon."""
    at = NOON + timedelta(milliseconds=round(seconds * 1000))
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def ref(person: str) -> bytes:
    return sha256(person.encode()).digest()[:16]


def fast_verify(key: bytes, signature: bytes, message: bytes) -> bool:
    """What the pure verification answers, from `cryptography`: some thousand verifications fit into a second."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


class Tree:
    """A pool's file, root and holders, by the page's recursive definition."""

    def __init__(self, weights: dict[bytes, int]) -> None:
        self.entries = sorted(weights.items())
        self.file = b"".join(r + w.to_bytes(8, "big") for r, w in self.entries)
        self.size, self.total = len(self.entries), sum(weights.values())
        self.leaves = [self.file[i : i + 384] for i in range(0, len(self.file), 384)]
        self.root = self._node(0, len(self.leaves))[0].hex()

    def _node(self, start: int, stop: int) -> tuple[bytes, int]:
        if stop - start == 1:
            leaf = self.leaves[start]
            weights = [int.from_bytes(leaf[i + 16 : i + 24], "big") for i in range(0, len(leaf), 24)]
            return sha256(b"\0" + leaf).digest(), sum(weights)
        split = 1
        while split * 2 < stop - start:
            split *= 2
        left, right = self._node(start, start + split), self._node(start + split, stop)
        both = b"".join(h + s.to_bytes(8, "big") for h, s in (left, right))
        return sha256(b"\1" + both).digest(), left[1] + right[1]

    def holder(self, ticket: int) -> bytes:
        for r, weight in self.entries:
            ticket -= weight
            if ticket < 0:
                return r
        raise AssertionError("no such ticket")

    def proof(self, r: bytes) -> str:
        """For a pool of a single leaf: nothing but the leaf."""
        assert len(self.leaves) == 1
        assert r in dict(self.entries)
        raw = (
            bytes.fromhex(self.root) + bytes(4) + (1).to_bytes(4, "big") + len(self.file).to_bytes(2, "big") + self.file
        )
        return "FD1:" + base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def keyed(seed: bytes, message: Any) -> bytes:
    return hmac.digest(seed, jcs(message), "sha256")


def spread_moment(seed: bytes, draw: str, moments: dict[str, Any], n: int) -> float:
    """The n-th moment in seconds after noon: floor((n * 2^64 + M) * span / (count * 2^64)) ms after the start."""
    start, end = (datetime.fromisoformat(moments[edge]) for edge in ("start", "end"))
    span = round((end - start).total_seconds() * 1000)
    m = int.from_bytes(keyed(seed, {"draw": draw, "moment": n, "v": 1})[:8], "big")
    offset = (n * 2**64 + m) * span // (moments["count"] * 2**64)
    return ((start - NOON).total_seconds() * 1000 + offset) / 1000


def ticket(seed: bytes, draw: str, ordinal: int, tree: Tree, texts: list[str]) -> int:
    pool = {"root": tree.root, "size": tree.size, "total": str(tree.total)}
    public = sha256(jcs(texts)).hexdigest()
    key = keyed(seed, {"draw": draw, "ordinal": ordinal, "pool": pool, "public": public, "v": 1})
    x = int.from_bytes(hmac.digest(key, bytes(4), "sha256"), "big")
    assert x < 2**256 - 2**256 % tree.total  # in these small pools a rejected first x is not to be expected
    return x % tree.total
