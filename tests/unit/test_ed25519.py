import hashlib

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_engine.ed25519 import verify

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493

# RFC 8032 7.1: TEST 1, 2, 3 and SHA(abc): public key, message, and the two halves of the signature, R and S.
RFC_8032 = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155",
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da",
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac",
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        hashlib.sha512(b"abc").hexdigest(),
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589",
        "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ),
]


def parts(vector):
    key, message, r, s = (bytes.fromhex(part) for part in vector)
    return key, message, r + s


@pytest.mark.parametrize("vector", RFC_8032)
def test_vectors_of_rfc_8032(vector):
    key, message, signature = parts(vector)
    assert verify(key, signature, message)
    assert not verify(key, signature, message + b"x")
    for other, *_ in RFC_8032:
        assert verify(bytes.fromhex(other), signature, message) == (other == vector[0])


@settings(max_examples=25)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200))
def test_what_another_implementation_signs_verifies(secret, message):
    key = Ed25519PrivateKey.from_private_bytes(secret)
    assert verify(key.public_key().public_bytes_raw(), key.sign(message), message)


@settings(max_examples=60)
@given(st.integers(0, 96 * 8 + 8 * 4 - 1))
def test_one_bit_changed_in_key_signature_or_message_fails(bit):
    message = b"\xaf\x82\0\0"
    secret = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
    key, signature = secret.public_key().public_bytes_raw(), secret.sign(message)
    whole = bytearray(key + signature + message)
    whole[bit // 8] ^= 1 << bit % 8
    assert not verify(bytes(whole[:32]), bytes(whole[32:96]), bytes(whole[96:]))


def test_s_at_or_above_the_group_order_is_refused():
    key, message, signature = parts(RFC_8032[1])
    s = int.from_bytes(signature[32:], "little")
    for wrong in (s + ORDER, s + 2 * ORDER, ORDER, 2**256 - 1):
        assert not verify(key, signature[:32] + wrong.to_bytes(32, "little"), message)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_other_lengths_are_refused(length):
    key, message, signature = parts(RFC_8032[0])
    assert not verify((key * 2)[:length], signature, message)
    assert not verify(key, (signature * 2)[: length + 32], message)


def encoding(y, sign=0):
    return (y | sign << 255).to_bytes(32, "little")


def test_encodings_that_are_not_canonical_are_refused():
    # The neutral point as key makes R = [S]B for every message: with S = 0, R is the neutral point again.
    s_zero = bytes(32)
    assert verify(encoding(1), encoding(1) + s_zero, b"any")  # RFC 8032 forbids it nowhere; no property publishes it
    assert not verify(encoding(P + 1), encoding(1) + s_zero, b"any")  # y not below p
    assert not verify(encoding(1, sign=1), encoding(1) + s_zero, b"any")  # x = 0 with the sign of a negative
    assert not verify(encoding(1), encoding(P + 1) + s_zero, b"any")
    assert not verify(encoding(1), encoding(1, sign=1) + s_zero, b"any")


def test_a_key_that_is_no_point_is_refused():
    off_curve = [y for y in range(2, 40) if pow(squared_x(y), (P - 1) // 2, P) == P - 1]
    assert len(off_curve) > 5
    for y in off_curve:
        assert not verify(encoding(y), encoding(1) + bytes(32), b"any")


def squared_x(y):
    d = -121665 * pow(121666, -1, P)
    return (y * y - 1) * pow(d * y * y + 1, -1, P) % P


@settings(max_examples=40)
@given(st.binary(min_size=32, max_size=32), st.binary(min_size=64, max_size=64), st.integers(0, 40))
def test_both_implementations_agree_about_made_up_signatures(key, signature, small):
    """Keys of small numbers are often points; S small is in range: so the equation itself is reached."""
    key = encoding(small) if small % 2 else key
    signature = signature[:32] + small.to_bytes(32, "little")
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, b"m")
        expected = True
    except (InvalidSignature, ValueError):
        expected = False
    assert verify(key, signature, b"m") == expected
