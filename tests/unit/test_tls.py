"""Certificates: what is made stands up to cryptography's own path validation, and what is wrong is said in words.

The path is judged by `cryptography.x509.verification` (RFC 5280 and the web's profile), which shares nothing with the
code that builds it.
"""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from draw_engine.errors import Refused
from kiosk.https.certificates import Made, covers, faults, fingerprint, grouped, issue, make_authority, permits
from kiosk.https.fingerprint_words import THINGS, in_words

NOW = 1_796_083_200_000  # 2026-12-01T00:00:00Z
THEN = datetime(2026, 12, 1, tzinfo=UTC)
DAY = 86_400_000
NAMES = ("floor.casino.example", "10.0.5.20", "fd00::5")


@pytest.fixture(scope="module")
def authority() -> Made:
    return make_authority("Silverstar Casino", NAMES, now=NOW)


@pytest.fixture(scope="module")
def server(authority: Made) -> Made:
    return issue(authority.certificate, authority.key, NAMES, now=NOW)


def named(name: str) -> x509.DNSName | x509.IPAddress:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def verified(certificate: x509.Certificate, authority: x509.Certificate, name: str, at: datetime = THEN) -> bool:
    """Whether a browser that trusts the authority takes the certificate for that name, at that time."""
    builder = PolicyBuilder().store(Store([authority])).time(at)
    try:
        builder.build_server_verifier(named(name)).verify(certificate, [])
    except VerificationError:
        return False
    return True


def signed_by(authority: Made, names: Sequence[str], **changed: object) -> x509.Certificate:
    """A certificate such as somebody with the authority's key could make, whatever the authority may sign."""
    key = changed.get("key") or ec.generate_private_key(ec.SECP256R1())
    assert isinstance(key, ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey)
    general = [named(name) for name in names]
    begins = changed.get("begins", THEN - timedelta(days=1))
    ends = changed.get("ends", THEN + timedelta(days=90))
    use = changed.get("use", ExtendedKeyUsageOID.SERVER_AUTH)
    assert isinstance(begins, datetime)
    assert isinstance(ends, datetime)
    assert isinstance(use, x509.ObjectIdentifier)
    own = authority.certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "theirs")]))
        .issuer_name(authority.certificate.subject)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(begins)
        .not_valid_after(ends)
        .add_extension(x509.SubjectAlternativeName(general), critical=False)
        .add_extension(x509.ExtendedKeyUsage([use]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own), critical=False)
        .sign(authority.key, hashes.SHA256())
    )


# -- what is made -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_browser_takes_the_certificate_for_every_name(authority: Made, server: Made, name: str) -> None:
    assert verified(server.certificate, authority.certificate, name)


@pytest.mark.parametrize("name", ["casino.example", "other.casino.example", "10.0.5.21", "localhost"])
def test_and_for_no_other(authority: Made, server: Made, name: str) -> None:
    assert not verified(server.certificate, authority.certificate, name)


def test_it_lasts_397_days_at_most_and_a_late_clock_takes_it_too(authority: Made, server: Made) -> None:
    own = server.certificate
    # Both ends count (RFC 5280, 4.1.2.5).
    assert own.not_valid_after_utc - own.not_valid_before_utc + timedelta(seconds=1) <= timedelta(days=397)
    for days, good in ((-1.5, False), (-0.9, True), (395.9, True), (396.1, False)):
        at = THEN + timedelta(days=days)
        assert verified(own, authority.certificate, NAMES[0], at) is good, days


def test_the_authority_lasts_ten_years(authority: Made) -> None:
    lasts = authority.certificate.not_valid_after_utc - authority.certificate.not_valid_before_utc
    assert timedelta(days=3650) <= lasts <= timedelta(days=3653)


def test_no_certificate_outlives_its_authority(authority: Made) -> None:
    late = NOW + 3600 * DAY
    made = issue(authority.certificate, authority.key, NAMES, now=late).certificate
    assert made.not_valid_after_utc <= authority.certificate.not_valid_after_utc


def test_keys_are_p_256_and_each_certificate_has_its_own(authority: Made, server: Made) -> None:
    again = issue(authority.certificate, authority.key, NAMES, now=NOW)
    assert {one.key.curve.name for one in (authority, server, again)} == {"secp256r1"}
    assert server.key.private_numbers() != again.key.private_numbers()
    assert server.certificate.serial_number != again.certificate.serial_number


def test_the_authority_signs_no_authority(authority: Made) -> None:
    told = authority.certificate.extensions
    basic = told.get_extension_for_class(x509.BasicConstraints)
    assert (basic.critical, basic.value.ca, basic.value.path_length) == (True, True, 0)
    usage = told.get_extension_for_class(x509.KeyUsage)
    assert (usage.critical, usage.value.key_cert_sign, usage.value.digital_signature) == (True, True, False)


def test_a_long_house_s_name_still_makes_an_authority() -> None:
    made = make_authority("The Very Grand and Long Named Riverside Casino and Entertainment Kingdom", NAMES, now=NOW)
    [name] = made.certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    assert len(name.value) <= 64
    assert str(name.value).endswith("Floordraw CA 2026")


# -- what a stolen authority can do ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bank.example", "casino.example", "10.0.5.21", "8.8.8.8", "fd00::6"])
def test_a_stolen_authority_vouches_for_nobody_else(authority: Made, name: str) -> None:
    stolen = signed_by(authority, [name])
    assert not verified(stolen, authority.certificate, name)
    assert not permits(authority.certificate, name)


def test_what_it_may_sign_is_signed_alike(authority: Made) -> None:
    """The forger's certificate is refused for its name alone, not for how it is made."""
    assert verified(signed_by(authority, [NAMES[0]]), authority.certificate, NAMES[0])


@pytest.mark.parametrize(
    ("within", "good", "bad"),
    [
        (["floor.example"], ["floor.example"], ["10.0.5.20", "fd00::5", "example"]),
        (["10.0.5.20"], ["10.0.5.20"], ["floor.example", "10.0.5.21", "fd00::5"]),
        (["fd00::5"], ["fd00::5"], ["floor.example", "10.0.5.20", "fd00::6"]),
        (["casino.example", "10.0.5.0/24"], ["a.casino.example", "10.0.5.99"], ["acasino.example", "10.0.6.1"]),
    ],
)
def test_a_kind_of_name_that_is_not_named_is_shut(within: list[str], good: list[str], bad: list[str]) -> None:
    made = make_authority("Casino", within, now=NOW)
    for name in [*good, *bad]:
        assert permits(made.certificate, name) is (name in good), name
        assert verified(signed_by(made, [name]), made.certificate, name) is (name in good), name


def test_a_name_outside_is_not_signed(authority: Made) -> None:
    with pytest.raises(Refused, match=r"may not sign for 10\.9\.9\.9") as refused:
        issue(authority.certificate, authority.key, [NAMES[0], "10.9.9.9"], now=NOW)
    assert refused.value.code == "X_NOT_WITHIN"


@pytest.mark.parametrize(
    "within", ["https://casino.example", "*.casino.example", "casino..example", "käsino.example", ""]
)
def test_what_is_no_domain_is_refused(within: str) -> None:
    with pytest.raises(Refused) as refused:
        make_authority("Casino", [within], now=NOW)
    assert refused.value.code == "X_NAME_WRONG"


def test_another_s_key_signs_nothing(authority: Made) -> None:
    other = make_authority("Casino", NAMES, now=NOW)
    with pytest.raises(Refused, match="the key that is its own"):
        issue(authority.certificate, other.key, NAMES, now=NOW)


def test_an_authority_that_is_over_signs_nothing(authority: Made) -> None:
    with pytest.raises(Refused, match="has expired"):
        issue(authority.certificate, authority.key, NAMES, now=NOW + 3700 * DAY)


# -- what is wrong with one -------------------------------------------------------------------------------------


def test_what_is_made_has_no_fault(server: Made) -> None:
    assert faults([server.certificate], server.key, NAMES, now=NOW) == []


WRONG = {
    "expired": ({"ends": THEN - timedelta(hours=1)}, "expired on 30 November 2026"),
    "not yet": ({"begins": THEN + timedelta(days=3)}, "valid from 4 December 2026 only"),
    "a client's": ({"use": ExtendedKeyUsageOID.CLIENT_AUTH}, "no server's certificate"),
}


@pytest.mark.parametrize(("changed", "said"), WRONG.values(), ids=WRONG)
def test_a_fault_is_said_and_browsers_agree(authority: Made, changed: dict[str, object], said: str) -> None:
    made = signed_by(authority, NAMES, **changed)
    [fault] = faults([made], None, NAMES, now=NOW)
    assert said in fault
    assert not verified(made, authority.certificate, NAMES[0])


def test_a_name_that_is_missing_is_named(authority: Made) -> None:
    [fault] = faults([signed_by(authority, [NAMES[0]])], None, NAMES, now=NOW)
    assert "does not cover 10.0.5.20, fd00::5" in fault


def test_another_key_is_found(authority: Made, server: Made) -> None:
    [fault] = faults([server.certificate], authority.key, NAMES, now=NOW)
    assert "The key is not the certificate's" in fault


def test_a_short_rsa_key_is_refused_and_a_long_one_taken(authority: Made) -> None:
    short = rsa.generate_private_key(65537, 1024)
    [fault] = faults([signed_by(authority, NAMES, key=short)], short, NAMES, now=NOW)
    assert "RSA of 2,048 bits" in fault
    usual = rsa.generate_private_key(65537, 2048)
    assert faults([signed_by(authority, NAMES, key=usual)], usual, NAMES, now=NOW) == []


def test_a_chain_in_the_wrong_order_is_found(authority: Made, server: Made) -> None:
    assert faults([server.certificate, authority.certificate], server.key, NAMES, now=NOW) == []
    other = make_authority("Casino", NAMES, now=NOW)
    [fault] = faults([server.certificate, other.certificate], server.key, NAMES, now=NOW)
    assert "did not sign" in fault


@pytest.mark.parametrize(
    ("said", "name", "good"),
    [
        ("*.casino.example", "floor.casino.example", True),
        ("*.casino.example", "casino.example", False),
        ("*.casino.example", "a.floor.casino.example", False),
        ("*.example", "casino.example", False),
        ("FLOOR.casino.example", "floor.casino.example", True),
    ],
)
def test_a_star_stands_for_one_part(authority: Made, said: str, name: str, good: bool) -> None:  # noqa: FBT001
    assert covers(signed_by(authority, [said]), name) is good


# -- fingerprints -----------------------------------------------------------------------------------------------


def test_a_fingerprint_is_the_sha_256_of_the_der(server: Made) -> None:
    digest = hashlib.sha256(server.certificate.public_bytes(Encoding.DER)).digest()
    assert fingerprint(server.certificate) == digest
    assert grouped(digest) == ":".join(f"{byte:02X}" for byte in digest)


def test_each_byte_has_a_word_of_its_own() -> None:
    assert len(set(THINGS)) == 256
    assert all(word.isascii() and word.islower() and word.isalpha() and 3 <= len(word) <= 9 for word in THINGS)
    assert in_words(bytes([0, 1, 255, 254, 128, 7, 64, 32]) + bytes(24)).split() == [
        THINGS[at] for at in (0, 1, 255, 254, 128, 7, 64, 32)
    ]
    with pytest.raises(ValueError, match="longer"):
        in_words(bytes(7))
