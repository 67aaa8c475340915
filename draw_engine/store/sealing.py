"""The master key and what it wraps: house seeds, reference keys, the signing key (architecture, "State: keys")."""

from __future__ import annotations

import base64
import os
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from draw_engine.errors import Refused, RuleBroken

_NONCE = 12


class MasterKey:
    """Seals and opens small secrets with AES-256-GCM; the label is bound in, so a seed cannot pass for a key."""

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def seal(self, label: str, secret: bytes) -> bytes:
        nonce = secrets.token_bytes(_NONCE)
        return nonce + self._cipher.encrypt(nonce, secret, label.encode())

    def unseal(self, label: str, sealed: bytes) -> bytes:
        """The secret. Raises RuleBroken when the master key is not the one it was sealed with."""
        try:
            return self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], label.encode())
        except InvalidTag:
            raise RuleBroken(
                f"the master key does not open {label}: put back the key file this database was made with"
            ) from None


def make_master_key(path: Path) -> str:
    """Make the key file, readable by its owner alone (0400). Returns the words for the paper copy.

    Raises Refused when there is one already: a new key would make every sealed seed unreadable.
    """
    key = secrets.token_bytes(32)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
    except FileExistsError:
        raise Refused(
            "X_KEY_EXISTS", f"There is a master key at {path} already; it is kept. Nothing was changed."
        ) from None
    with os.fdopen(handle, "wb") as file:
        file.write(base64.b64encode(key) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    return base64.b32encode(key).decode().rstrip("=")


def read_master_key(path: Path, *, closed_to: int = 0o077) -> MasterKey:
    """The key of the file. Raises Refused with what to do when it is missing, open to others, or damaged.

    `closed_to`: the mode's bits that must not be set. A credential of systemd has an access list, whose mask looks
    like the group's bits, and stands in a folder that its service alone can enter.
    """
    try:
        mode = path.stat().st_mode & closed_to
        text = path.read_bytes()
    except OSError:
        raise Refused(
            "X_NO_MASTER_KEY",
            f"The master key {path} cannot be read. Put the file back, or type in the paper copy: "
            "`floordraw key restore`. A new property has none yet: `floordraw init`.",
        ) from None
    if mode:
        raise Refused("X_MASTER_KEY_OPEN", f"Others can read the master key. Run `chmod 400 {path}`, then start again.")
    try:
        key = base64.b64decode(text, validate=False)
    except ValueError:
        key = b""
    if len(key) != 32:
        raise Refused(
            "X_NO_MASTER_KEY", f"{path} does not hold a master key. Put back the right file, or type in the paper copy."
        )
    return MasterKey(key)


class Signer:
    """The property's Ed25519 key for checkpoints."""

    def __init__(self, seed: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public_key = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    def sign(self, text: bytes) -> bytes:
        return self._key.sign(text)
