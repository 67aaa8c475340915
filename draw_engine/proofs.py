"""Inclusion proofs: that a reference stood in a pool, and which tickets were its own (draw record 1, "The pool")."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise

from draw_engine.pool import LEAF_BYTES, LEAF_RECORDS, LIMIT, NODE_BYTES, RECORD_BYTES, REF_BYTES, Pool

_PREFIX = "FD1:"
_HEADER_BYTES = 42  # root (32), leaf index (4), leaf count (4), data length (2)
_MOST_BYTES = _HEADER_BYTES + LEAF_BYTES + 32 * NODE_BYTES  # a leaf count of four bytes has at most 32 levels above it
_BASE64URL = re.compile(r"[A-Za-z0-9_-]*")
_HASH = re.compile(r"[0-9a-f]{64}")


def prove(pool: Pool, ref: bytes) -> str:
    """The text that proves `ref` in the pool. Raises KeyError when it is not in it."""
    return prove_leaf(pool, pool.index(ref) // LEAF_RECORDS)


def prove_absent(pool: Pool, ref: bytes) -> tuple[str, ...]:
    """The proofs that show the place where `ref` would stand: one leaf, or two where it falls between them.

    Raises ValueError when it is in the pool. They bind what stands right below and right above it, not that all of the
    pool is ascending: that is seen in the pool file alone.
    """
    if ref in pool:
        raise ValueError("the reference is in the pool")
    above = pool.below(ref)
    beside = {i // LEAF_RECORDS for i in (above - 1, above) if 0 <= i < pool.size}
    return tuple(prove_leaf(pool, leaf) for leaf in sorted(beside))


def prove_leaf(pool: Pool, leaf: int) -> str:
    """The text that proves a leaf's sixteen records, by the leaf's number from 0."""
    levels = pool.levels
    count = len(levels[0]) // NODE_BYTES
    data = pool.data[leaf * LEAF_BYTES : (leaf + 1) * LEAF_BYTES]
    parts = [levels[-1][:32], leaf.to_bytes(4, "big"), count.to_bytes(4, "big"), len(data).to_bytes(2, "big"), data]
    for nodes, sibling in zip(levels, _siblings(leaf, count), strict=False):
        if sibling is not None:
            parts.append(nodes[sibling * NODE_BYTES : (sibling + 1) * NODE_BYTES])
    return _PREFIX + base64.urlsafe_b64encode(b"".join(parts)).rstrip(b"=").decode()


def check(text: str, *, root: str, size: int, total: int) -> dict[bytes, tuple[int, int]]:
    """Check a proof against what was printed: ref -> (first, last) ticket of every record of its leaf, in order.

    Raises ValueError naming the fault. `size` is bound by the number of leaves, and to the record by a proof of the
    last leaf; `root` and `total` are bound wholly.
    """
    proof = _Proof.read(text)
    if not _HASH.fullmatch(root) or proof.root != bytes.fromhex(root):
        raise ValueError("the proof is for another root than the one printed")
    proof.check_shape(size)
    weights = _weights(proof.data)
    before, whole = proof.climb(sum(weights.values()))
    if whole != total:
        raise ValueError(f"the proof's weights sum to {whole}, not to the printed total {total}")
    ranges: dict[bytes, tuple[int, int]] = {}
    for ref, weight in weights.items():
        ranges[ref] = (before, before + weight - 1)
        before += weight
    return ranges


@dataclass(frozen=True, slots=True)
class _Proof:
    root: bytes
    leaf: int
    count: int
    data: bytes
    siblings: tuple[bytes, ...]

    @classmethod
    def read(cls, text: str) -> _Proof:
        raw = _decoded(text)
        length = int.from_bytes(raw[40:42], "big")
        rest = raw[_HEADER_BYTES + length :]
        if len(raw) < _HEADER_BYTES + length or len(rest) % NODE_BYTES:
            raise ValueError("the proof is cut short or has bytes left over")
        return cls(
            root=raw[:32],
            leaf=int.from_bytes(raw[32:36], "big"),
            count=int.from_bytes(raw[36:40], "big"),
            data=raw[_HEADER_BYTES : _HEADER_BYTES + length],
            siblings=tuple(rest[i : i + NODE_BYTES] for i in range(0, len(rest), NODE_BYTES)),
        )

    def check_shape(self, size: int) -> None:
        """Leaf count, leaf index, the leaf's length and the number of siblings follow from the size."""
        if size < 1 or self.count != -(-size // LEAF_RECORDS):
            raise ValueError(f"a pool of {size} does not have the proof's {self.count} leaves")
        if self.leaf >= self.count:
            raise ValueError(f"the proof's leaf {self.leaf} is not one of {self.count}, counted from 0")
        records = LEAF_RECORDS if self.leaf < self.count - 1 else size - LEAF_RECORDS * (self.count - 1)
        if len(self.data) != records * RECORD_BYTES:
            raise ValueError(f"leaf {self.leaf} of a pool of {size} holds {records} records; the proof's does not")
        if len(self.siblings) != sum(sibling is not None for sibling in _siblings(self.leaf, self.count)):
            raise ValueError("the proof has not one neighbour for every level that has one")

    def climb(self, leaf_sum: int) -> tuple[int, int]:
        """The sum of all weights before the leaf, and of all. Raises ValueError when the root is not reached."""
        node = sha256(b"\0" + self.data).digest() + _packed(leaf_sum)
        before, whole, left = 0, leaf_sum, iter(self.siblings)
        for level, sibling in enumerate(_siblings(self.leaf, self.count)):
            if sibling is None:
                continue
            other = next(left)
            other_sum = int.from_bytes(other[32:], "big")
            whole += other_sum
            if sibling < self.leaf >> level:
                before += other_sum
                pair = other + node
            else:
                pair = node + other
            node = sha256(b"\1" + pair).digest() + _packed(whole)
        if node[:32] != self.root:
            raise ValueError("the proof does not lead to the root it names")
        return before, whole


def _decoded(text: str) -> bytes:
    if not text.startswith(_PREFIX):
        raise ValueError("a proof begins with FD1:")
    body = text[len(_PREFIX) :]
    if len(body) > -(-_MOST_BYTES * 4 // 3) or not _BASE64URL.fullmatch(body):
        raise ValueError("the proof is not base64url without padding, or too long to be one")
    try:
        raw = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
    except binascii.Error:
        raise ValueError("the proof is not base64url: its length is impossible") from None
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != body:
        raise ValueError("the proof is not canonical base64url: bits are left over")
    if len(raw) < _HEADER_BYTES:
        raise ValueError("the proof is cut short")
    return raw


def _siblings(leaf: int, count: int) -> Iterator[int | None]:
    """For each level from the bottom the index of the sibling, or None where an odd last node is carried upwards."""
    while count > 1:
        sibling = leaf ^ 1
        yield sibling if sibling < count else None
        leaf, count = leaf >> 1, (count + 1) >> 1


def _weights(data: bytes) -> dict[bytes, int]:
    records = [data[i : i + RECORD_BYTES] for i in range(0, len(data), RECORD_BYTES)]
    weights = {record[:REF_BYTES]: int.from_bytes(record[REF_BYTES:], "big") for record in records}
    if any(a[:REF_BYTES] >= b[:REF_BYTES] for a, b in pairwise(records)):
        raise ValueError("the references in the proof's leaf are not ascending")
    if not all(1 <= weight < LIMIT for weight in weights.values()):
        raise ValueError("a weight in the proof's leaf is not from 1 to 2^63-1")
    return weights


def _packed(weights_sum: int) -> bytes:
    if weights_sum >= LIMIT:
        raise ValueError("the proof's weights do not sum to less than 2^63")
    return weights_sum.to_bytes(8, "big")
