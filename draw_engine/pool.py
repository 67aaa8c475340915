"""The pool: a set of (reference, weight), its file, its root and who holds which ticket (draw record 1, "The pool")."""

from __future__ import annotations

import operator
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import accumulate, chain, islice

REF_BYTES = 16
RECORD_BYTES = 24
LEAF_RECORDS = 16
LEAF_BYTES = RECORD_BYTES * LEAF_RECORDS
NODE_BYTES = 40  # hash (32) and sum (8)
LIMIT = 2**63  # weights and totals stay below

_ONE = (1).to_bytes(8, "big")


@dataclass(frozen=True, repr=False)
class Pool:
    """A frozen pool. `data` is its file: records of ref (16 bytes) and weight (8, big-endian), ascending by ref.

    Made from bytes that are not exactly such a file it raises ValueError, which says what is wrong and in which
    record (counted from 0). An empty pool can be computed with; a draw never freezes one.
    """

    data: bytes

    def __post_init__(self) -> None:
        if len(self.data) % RECORD_BYTES:
            raise ValueError(f"a pool file is records of {RECORD_BYTES} bytes; {len(self.data)} bytes are not")
        words = array("Q", self.data)
        if sys.byteorder == "little":
            words.byteswap()
        self._check_order(words[0::3])
        weights = words[2::3]
        equal = weights == array("Q", _native_ones(len(weights)))
        if not equal:
            _check_weights(weights)
        self.__dict__["_weights"] = None if equal else weights

    def _check_order(self, heads: array[int]) -> None:
        # Eight bytes decide nearly every comparison; only where two are equal are whole references compared.
        if all(map(operator.lt, heads, islice(heads, 1, None))):
            return
        before = b""
        for i, ref in enumerate(self.refs()):
            if ref == before:
                raise ValueError(f"record {i}: its reference is the same as the one before")
            if ref < before:
                raise ValueError(f"record {i}: its reference is below the one before; a pool is ascending")
            before = ref

    def __repr__(self) -> str:
        return f"Pool(size={self.size}, total={self.total})"

    @classmethod
    def of(cls, entries: Iterable[tuple[bytes, int]]) -> Pool:
        """The pool of (ref, weight) in any order. Raises ValueError for a repeat, a wrong length, a wrong weight."""
        ordered = sorted(entries)
        for i, (ref, weight) in enumerate(ordered):
            _check_ref(ref, i)
            if not 1 <= weight < LIMIT:
                raise ValueError(f"record {i}: the weight {weight} is not from 1 to 2^63-1")
        return cls(b"".join(ref + weight.to_bytes(8, "big") for ref, weight in ordered))

    @classmethod
    def equal(cls, refs: Iterable[bytes]) -> Pool:
        """The pool in which everyone has one entry: a session's. Raises ValueError for a repeat or a wrong length."""
        ordered = sorted(refs)
        if set(map(len, ordered)) - {REF_BYTES}:
            for i, ref in enumerate(ordered):
                _check_ref(ref, i)
        return cls(_ONE.join(ordered) + _ONE if ordered else b"")

    @classmethod
    def read(cls, data: bytes) -> Pool:
        """The pool whose file this is. Raises ValueError saying what is wrong and where."""
        return cls(bytes(data))

    @property
    def size(self) -> int:
        """How many references."""
        return len(self.data) // RECORD_BYTES

    @cached_property
    def total(self) -> int:
        """The sum of the weights: how many tickets."""
        weights = self._weights_unless_equal
        return self.size if weights is None else sum(weights)

    @property
    def root(self) -> str:
        """The tree's root hash, lower-case hex; of an empty pool that of nothing, as RFC 9162 2.1.1 has it."""
        return self.levels[-1][:32].hex() if self.data else sha256(b"").hexdigest()

    @cached_property
    def levels(self) -> tuple[bytes, ...]:
        """The tree from its leaves to its root: every level its nodes in order, hash and sum (40 bytes) each.

        Pairing neighbours and carrying an odd last one upwards gives the shape of RFC 9162 2.1.
        """
        if not self.data:
            return ()
        data = self.data
        hashes = [sha256(b"\0" + data[i : i + LEAF_BYTES]).digest() for i in range(0, len(data), LEAF_BYTES)]
        sums = self._leaf_sums()
        made = [_level(hashes, sums)]
        while len(hashes) > 1:
            below = made[-1]
            width = 2 * NODE_BYTES
            whole = len(below) - len(below) % width
            hashes = [sha256(b"\1" + below[i : i + width]).digest() for i in range(0, whole, width)]
            paired = list(map(operator.add, sums[0::2], sums[1::2]))
            if len(sums) % 2:
                hashes.append(below[whole : whole + 32])
                paired.append(sums[-1])
            sums = paired
            made.append(_level(hashes, sums))
        return tuple(made)

    def entry_at(self, ticket: int) -> tuple[bytes, int]:
        """The (ref, weight) whose running range of weights, in pool order, holds the ticket."""
        if not 0 <= ticket < self.total:
            raise ValueError(f"ticket {ticket} is not in 0 to {self.total - 1}")
        weights = self._weights_unless_equal
        if weights is None:
            return self._ref(ticket), 1
        i = bisect_right(self._running, ticket)
        return self._ref(i), weights[i]

    def index(self, ref: bytes) -> int:
        """The place of a reference in pool order, from 0. Raises KeyError when it is not in the pool."""
        i = self.below(ref)
        if i == self.size or self._ref(i) != ref:
            raise KeyError("the reference is not in the pool")
        return i

    def below(self, ref: bytes) -> int:
        """How many references lie below this one, be it in the pool or not."""
        return bisect_left(range(self.size), ref, key=self._ref)

    def tickets_of(self, ref: bytes) -> tuple[int, int]:
        """First and last ticket of a reference. Raises KeyError when it is not in the pool."""
        i = self.index(ref)
        if self._weights_unless_equal is None:
            return i, i
        return (self._running[i - 1] if i else 0), self._running[i] - 1

    def refs(self) -> Iterator[bytes]:
        """Every reference, ascending."""
        data = self.data
        return (data[i : i + REF_BYTES] for i in range(0, len(data), RECORD_BYTES))

    def __contains__(self, ref: object) -> bool:
        if not isinstance(ref, bytes):
            return False
        i = self.below(ref)
        return i < self.size and self._ref(i) == ref

    def _ref(self, i: int) -> bytes:
        return self.data[RECORD_BYTES * i : RECORD_BYTES * i + REF_BYTES]

    @property
    def _weights_unless_equal(self) -> array[int] | None:
        weights: array[int] | None = self.__dict__["_weights"]
        return weights

    @cached_property
    def _running(self) -> list[int]:
        weights = self._weights_unless_equal
        return list(accumulate(weights)) if weights is not None else list(range(1, self.size + 1))

    def _leaf_sums(self) -> list[int]:
        weights = self._weights_unless_equal
        if weights is not None:
            return [sum(weights[i : i + LEAF_RECORDS]) for i in range(0, self.size, LEAF_RECORDS)]
        whole, rest = divmod(self.size, LEAF_RECORDS)
        return [LEAF_RECORDS] * whole + ([rest] if rest else [])


def _native_ones(count: int) -> bytes:
    return (1).to_bytes(8, sys.byteorder) * count


def _check_ref(ref: bytes, i: int) -> None:
    if len(ref) != REF_BYTES:
        raise ValueError(f"record {i}: a reference is {REF_BYTES} bytes, not {len(ref)}")


def _check_weights(weights: array[int]) -> None:
    if min(weights) < 1 or max(weights) >= LIMIT:
        i = next(i for i, weight in enumerate(weights) if not 1 <= weight < LIMIT)
        raise ValueError(f"record {i}: the weight {weights[i]} is not from 1 to 2^63-1")
    if sum(weights) >= LIMIT:
        raise ValueError("the sum of the weights is not below 2^63")


def _level(hashes: list[bytes], sums: list[int]) -> bytes:
    big = array("Q", sums)
    if sys.byteorder == "little":
        big.byteswap()
    packed = big.tobytes()
    return b"".join(
        chain.from_iterable(zip(hashes, (packed[i : i + 8] for i in range(0, len(packed), 8)), strict=True))
    )
