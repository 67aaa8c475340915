"""Where everything random comes from: the operating system's generator, and nothing else, in the live engine."""

from __future__ import annotations

import secrets

from draw_engine import selection


class SystemSeeds:
    """32 bytes of the operating system a seed or key, 16 a salt. There is no way to give it a seed."""

    rehearsal = False

    def house_seed(self, draw: str) -> bytes:
        _ = draw
        return secrets.token_bytes(32)

    def reference_key(self) -> bytes:
        return secrets.token_bytes(32)

    def signing_key(self) -> bytes:
        return secrets.token_bytes(32)

    def salt(self, seq: int) -> bytes:
        _ = seq
        return secrets.token_bytes(16)


class RehearsalSeeds:
    """Everything from the one seed of a rehearsal (draw record, "A rehearsal")."""

    rehearsal = True

    def __init__(self, seed: bytes) -> None:
        self._seed = seed

    def house_seed(self, draw: str) -> bytes:
        return selection.house_seed_of_rehearsal(self._seed, draw)

    def reference_key(self) -> bytes:
        return selection.reference_key_of_rehearsal(self._seed)

    def signing_key(self) -> bytes:
        return selection.signing_key_of_rehearsal(self._seed)

    def salt(self, seq: int) -> bytes:
        return selection.salt_of_rehearsal(self._seed, seq)
