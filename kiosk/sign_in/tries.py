"""Wrong secrets are counted, and after some of them nobody may try for a while: the longer the more often.

Counted by person and place, where a place is an enrolled device, this machine, or "elsewhere": whoever guesses from the
floor's Wi-Fi locks that person out there, and never at the tablet in the crew's hands. An address that asks too often
is told to wait whatever number it tries, so that guessing costs the core next to nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from threading import Lock

WRONG_ALLOWED = 5
FIRST_LOCK_MS = 60_000
LONGEST_LOCK_MS = 3_600_000
FORGOTTEN_AFTER_MS = 12 * 3_600_000
TRIES_A_MINUTE = 30
_MINUTE_MS = 60_000
_MOST_KEPT = 10_000


@dataclass(slots=True)
class _Count:
    wrong: int = 0
    locks: int = 0
    locked_until: int = 0
    last_at: int = 0


class Tries:
    """The counts of one core; times in ms, passed in. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: OrderedDict[Hashable, _Count] = OrderedDict()
        self._unknown: OrderedDict[Hashable, _Count] = OrderedDict()
        """Of numbers that nobody has: guessing many must not push a person's lock-out out of memory."""
        self._asked: OrderedDict[str, tuple[int, int]] = OrderedDict()

    def may_ask(self, address: str, now: int) -> bool:
        """Whether an address may try once more in this minute; asking counts."""
        address = _network(address)
        with self._lock:
            began, asked = self._asked.get(address, (now, 0))
            if not 0 <= now - began < _MINUTE_MS:
                began, asked = now, 0
            self._asked[address] = (began, asked + 1)
            self._asked.move_to_end(address)
            _keep_few(self._asked)
            return asked < TRIES_A_MINUTE

    def locked_until(self, person: str, place: str, now: int) -> int | None:
        """Until when that person is locked out at that place; None when they are not."""
        with self._lock:
            count = self._counts.get((person, place)) or self._unknown.get((person, place))
            return count.locked_until if count is not None and now < count.locked_until else None

    def wrong(self, person: str, place: str, now: int, *, known: bool = True) -> int | None:
        """Count a wrong secret. Gives until when they are locked out now, or None. `known`: somebody has the number."""
        with self._lock:
            counts = self._counts if known else self._unknown
            count = counts.setdefault((person, place), _Count())
            counts.move_to_end((person, place))
            if now - count.last_at > FORGOTTEN_AFTER_MS:
                count.wrong = count.locks = 0
            count.last_at = now
            count.wrong += 1
            _keep_few(counts)
            if count.wrong < WRONG_ALLOWED:
                return None
            count.locked_until = now + min(LONGEST_LOCK_MS, FIRST_LOCK_MS << min(count.locks, 10))
            count.locks += 1
            count.wrong = 0
            return count.locked_until

    def right(self, person: str, place: str) -> None:
        """Forget what was wrong before."""
        with self._lock:
            self._counts.pop((person, place), None)

    def unlock(self, person: str) -> None:
        """A manager lets them try again everywhere."""
        with self._lock:
            for key in [key for key in self._counts if isinstance(key, tuple) and key[0] == person]:
                del self._counts[key]

    def locked(self, now: int) -> dict[str, int]:
        """Who is locked out somewhere, and until when at the latest."""
        with self._lock:
            found: dict[str, int] = {}
            for key, count in self._counts.items():
                if isinstance(key, tuple) and now < count.locked_until:
                    found[key[0]] = max(found.get(key[0], 0), count.locked_until)
            return found


def _network(address: str) -> str:
    """Whose the address is: of IPv6 one device has a whole /64 to choose from."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address) and found.ipv4_mapped is None:
        return str(IPv6Address(int(found) >> 64 << 64))
    return str(getattr(found, "ipv4_mapped", None) or found)


def _keep_few(counts: OrderedDict[Hashable, _Count] | OrderedDict[str, tuple[int, int]]) -> None:
    while len(counts) > _MOST_KEPT:
        counts.popitem(last=False)
