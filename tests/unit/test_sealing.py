"""The master key: what it seals, what it refuses, and how its file may lie on the disk."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from draw_engine.ed25519 import verify
from draw_engine.errors import Refused, RuleBroken
from draw_engine.store.sealing import MasterKey, Signer, make_master_key, read_master_key

SECRET = bytes(range(32))


def test_what_is_sealed_can_be_opened_with_the_same_label_and_key() -> None:
    key = MasterKey(b"k" * 32)
    sealed = key.seal("seed:a", SECRET)
    assert SECRET not in sealed
    assert len(sealed) == 12 + 32 + 16
    assert MasterKey(b"k" * 32).unseal("seed:a", sealed) == SECRET
    assert key.seal("seed:a", SECRET) != sealed


@pytest.mark.parametrize(
    ("key", "label", "flipped"),
    [
        pytest.param(b"x" * 32, "seed:a", None, id="another-key"),
        pytest.param(b"k" * 32, "seed:b", None, id="another-label"),
        pytest.param(b"k" * 32, "seed:a", 0, id="nonce"),
        pytest.param(b"k" * 32, "seed:a", 20, id="secret"),
        pytest.param(b"k" * 32, "seed:a", -1, id="tag"),
    ],
)
def test_anything_else_is_not_opened(key: bytes, label: str, flipped: int | None) -> None:
    sealed = bytearray(MasterKey(b"k" * 32).seal("seed:a", SECRET))
    if flipped is not None:
        sealed[flipped] ^= 1
    with pytest.raises(RuleBroken) as broken:
        MasterKey(key).unseal(label, bytes(sealed))
    assert SECRET.hex() not in str(broken.value)


def test_the_key_file_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "master.key"
    words = make_master_key(file)
    assert file.stat().st_mode & 0o777 == 0o400
    key = base64.b64decode(file.read_bytes())
    assert base64.b32decode(words + "=" * (-len(words) % 8)) == key
    assert len(key) == 32
    assert read_master_key(file).unseal("a", MasterKey(key).seal("a", SECRET)) == SECRET
    with pytest.raises(Refused, match="X_KEY_EXISTS"):
        make_master_key(file)
    assert base64.b64decode(file.read_bytes()) == key


def test_two_keys_are_never_the_same(tmp_path: Path) -> None:
    assert make_master_key(tmp_path / "a") != make_master_key(tmp_path / "b")


@pytest.mark.parametrize("content", [b"", b"hello\n", base64.b64encode(b"k" * 31), b"\xff\xfe", b"A"])
def test_a_damaged_key_file_is_refused_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "master.key"
    file.write_bytes(content)
    file.chmod(0o400)
    with pytest.raises(Refused, match="X_NO_MASTER_KEY"):
        read_master_key(file)


@pytest.mark.parametrize("mode", [0o440, 0o404, 0o420, 0o666])
def test_a_key_file_that_others_can_open_is_refused(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "master.key"
    make_master_key(file)
    file.chmod(mode)
    with pytest.raises(Refused, match="chmod 400"):
        read_master_key(file)


def test_a_missing_key_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="X_NO_MASTER_KEY"):
        read_master_key(tmp_path / "none")


def test_a_signature_holds_for_both_verifiers_and_only_for_its_text() -> None:
    signer = Signer(SECRET)
    signature = signer.sign(b"text")
    Ed25519PublicKey.from_public_bytes(signer.public_key).verify(signature, b"text")
    assert verify(signer.public_key, signature, b"text")
    assert not verify(signer.public_key, signature, b"another")
