"""How long a selection takes, next to PyPI's `consistent-sampler`, in one run and on one machine.

1. From the bytes of a sorted pool of a million to its root and 70 selections; the peer chooses 70 of the same ids.
   Peer and Floordraw take turns. The pool is checked while it is read, as the engine and `verify` do; the peer gets its
   ids as a list of text. Goal: at most a tenth of the peer's time.
2. The references of 50,000 members for one draw.

Run: python benchmarks/bench_selection.py [how many entrants] [rounds]
"""

from __future__ import annotations

import gc
import hashlib
import statistics
import sys
import time
from collections.abc import Callable

from consistent_sampler import sampler  # type: ignore[import-untyped]  # the peer ships no types

from draw_engine.pool import Pool
from draw_engine.references import references
from draw_engine.selection import public_digest, ticket

CHOSEN = 70
MEMBERS = 50_000
SEED = hashlib.sha256(b"bench").digest()
PUBLIC = public_digest([])


def ours(data: bytes) -> list[bytes]:
    """Read, check, root, and 70 selections: an electronic draw's walk, in which a repeat is a duplicate."""
    pool = Pool.read(data)
    found: dict[bytes, None] = {}
    ordinal = 0
    while len(found) < min(CHOSEN, pool.size):
        at = ticket(
            SEED, draw="bench/1", ordinal=ordinal, root=pool.root, size=pool.size, total=pool.total, public=PUBLIC
        )
        found[pool.entry_at(at)[0]] = None
        ordinal += 1
    return list(found)


def peers(ids: list[str]) -> list[str]:
    """70 of the ids without replacement, by the peer."""
    return list(sampler(ids, seed="bench", take=CHOSEN, output="id"))


def seconds(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def told(name: str, times: list[float]) -> str:
    return (
        f"{name:<42} median {statistics.median(times) * 1000:9.1f} ms"
        f"   min-max {min(times) * 1000:.1f}-{max(times) * 1000:.1f} ms"
    )


def selections(size: int, rounds: int) -> float:
    refs = sorted(hashlib.sha256(b"%d" % i).digest()[:16] for i in range(size))
    equal = Pool.equal(refs).data
    weighted = Pool.of((ref, i % 7 + 1) for i, ref in enumerate(refs)).data
    ids = [ref.hex() for ref in refs]
    mine: list[float] = []
    mine_weighted: list[float] = []
    theirs: list[float] = []
    for _ in range(rounds):
        theirs.append(seconds(lambda: peers(ids)))
        mine.append(seconds(lambda: ours(equal)))
        mine_weighted.append(seconds(lambda: ours(weighted)))
    ratio = statistics.median(mine) / statistics.median(theirs)
    print(f"{CHOSEN} of {size:,}, {rounds} rounds in turn")
    print(told("  consistent-sampler", theirs))
    print(told("  Floordraw, weights 1", mine) + f"   ratio {ratio:.3f}")
    print(
        told("  Floordraw, weights 1 to 7", mine_weighted)
        + f"   ratio {statistics.median(mine_weighted) / statistics.median(theirs):.3f}"
    )
    return ratio


def member_references(rounds: int) -> None:
    members = [str(100_000 + i) for i in range(MEMBERS)]
    times = [seconds(lambda: references(SEED, "bench/1", members)) for _ in range(rounds)]
    print(told(f"references of {MEMBERS:,} members", times))


def main() -> int:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    ratio = selections(size, rounds)
    member_references(rounds)
    met = ratio <= 0.10
    print(f"goal: ratio at most 0.10: {'met' if met else 'not met'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
