"""The engine's own secret keys: made when they are first needed, sealed in the database, in memory once read."""

from __future__ import annotations

from collections.abc import Callable

from draw_engine.service.ports import SeedSource, Store, Vault


class SealedKeys:
    """`now()` in ms UTC, for when a key was made. To make a key takes a transaction: never ask first within another."""

    def __init__(self, store: Store, vault: Vault, seeds: SeedSource, now: Callable[[], int]) -> None:
        self._store = store
        self._vault = vault
        self._seeds = seeds
        self._now = now
        self._read: dict[str, bytes] = {}

    def signing(self) -> bytes:
        """The checkpoint key, 32 bytes."""
        return self._key("signing", self._seeds.signing_key)

    def reference(self, promotion: str) -> bytes:
        """The promotion's reference key, 32 bytes (draw record, "References")."""
        return self._key(f"reference:{promotion}", self._seeds.reference_key)

    def presses(self) -> bytes:
        """What the digests of presses are keyed with, 32 bytes."""
        return self._key("presses", self._seeds.reference_key)

    def _key(self, name: str, make: Callable[[], bytes]) -> bytes:
        if name not in self._read:
            self._read[name] = self._kept(name, make)
        return self._read[name]

    def _kept(self, name: str, make: Callable[[], bytes]) -> bytes:
        sealed = self._store.sealed(name)
        if sealed is not None:
            return self._vault.unseal(name, sealed)
        secret = make()
        with self._store.transaction() as work:
            work.put_sealed(name, self._vault.seal(name, secret), at=self._now())
        return secret
