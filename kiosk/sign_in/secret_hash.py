"""Secrets of people: what a good one is, and their argon2 hash (argon2id, RFC 9106's second recommended setting)."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from draw_engine.errors import Refused

_AT_ONCE = 2
"""Each takes 64 MiB and a core for some 50 ms: a flood of sign-ins must leave the rest of the machine to the draw."""
_WAIT_SECONDS = 10.0
_STRANGER_WAITS_SECONDS = 0.5
"""Strangers have one turn among them all: however many guess out there, the house's own devices have the other."""
_LONGEST = 200
_LETTERS = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
"""Letters and digits that nobody takes for one another."""
_EASY = frozenset({"123456", "654321", "121212", "112233", "123123", "123321", "012345", "543210"})


class Secrets:
    """Hashes and checks. `hasher`: tests may take a quick one."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher(time_cost=3, memory_cost=65_536, parallelism=1)
        self._turns = BoundedSemaphore(_AT_ONCE)
        self._strangers = BoundedSemaphore(_AT_ONCE - 1)
        self._nobodys = ""

    def hash(self, secret: str) -> str:
        """The argon2 hash of a secret."""
        with self._turns:
            return self._hasher.hash(secret)

    def is_right(self, kept: str | None, said: str, *, stranger: bool = False) -> bool:
        """Whether it is the secret; as slow for a number that nobody has. Refused X_TRY_AGAIN when many ask at once.

        `stranger`: it comes from none of the house's own devices.
        """
        if len(said) > _LONGEST:
            return False
        if stranger:
            with _turn(self._strangers, _STRANGER_WAITS_SECONDS):
                return self._verify(kept, said)
        return self._verify(kept, said)

    def _verify(self, kept: str | None, said: str) -> bool:
        with _turn(self._turns, _WAIT_SECONDS):
            if not self._nobodys:
                self._nobodys = self._hasher.hash(secrets.token_hex(16))
            try:
                return self._hasher.verify(kept or self._nobodys, said) and kept is not None
            except (VerificationError, InvalidHashError, UnicodeEncodeError):
                return False


@contextmanager
def _turn(turns: BoundedSemaphore, seconds: float) -> Iterator[None]:
    if not turns.acquire(timeout=seconds):
        raise Refused("X_TRY_AGAIN", "Many people are signing in just now. Try again in a moment.")
    try:
        yield
    finally:
        turns.release()


def kind_of(secret: str) -> str:
    """Whether a new secret is a "pin" or a "password". Refused X_SECRET_WEAK with what is asked of one."""
    if re.fullmatch(r"[0-9]{6,12}", secret):
        if len(set(secret)) <= 2 or secret in _EASY:
            raise Refused("X_SECRET_WEAK", "This PIN is easily guessed. Take six digits that are no pattern.")
        return "pin"
    if len(secret) < 12 or len(secret) > _LONGEST or len(set(secret)) < 5:
        sentence = "Take a PIN of six to twelve digits, or a password of at least twelve characters."
        raise Refused("X_SECRET_WEAK", sentence)
    return "password"


def new_code() -> str:
    """A code of eight letters and digits that is good once: for a first sign-in, or for enrolling a device."""
    return "".join(secrets.choice(_LETTERS) for _ in range(8))


def plain_code(said: str) -> str:
    """A code as it was typed, in the letters it was made of: "k7q2-mxpr " is K7Q2MXPR."""
    return re.sub(r"[\s-]", "", said).upper()
