"""Certificates: a property's own authority, what it signs, and what is wrong with a certificate, in sentences.

The authority may sign for the property's own names alone (name constraints, RFC 5280 4.2.1.10), so that a device that
trusts it does not trust whoever steals its key with the whole of the internet.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from config.web import is_address
from config.words import day_words
from draw_engine.clock import Millis
from draw_engine.errors import Refused

AUTHORITY_DAYS = 3652
SERVER_DAYS = 397
"""No browser takes a certificate that lasts longer than 398 days for good."""
_BEFORE = timedelta(days=1)
"""A device's clock may be late."""
_MOST_NAME = 64
"""A common name may not be longer (RFC 5280, ub-common-name)."""
_ALL = (ipaddress.ip_network("0.0.0.0/0"), ipaddress.ip_network("::/0"))
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class Made:
    """A certificate and its private key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


def moment(now: Millis) -> datetime:
    """An instant as certificates have it: UTC, whole seconds."""
    return datetime.fromtimestamp(now // 1000, UTC)


# -- making -----------------------------------------------------------------------------------------------------


def make_authority(property_name: str, within: Sequence[str], *, now: Millis) -> Made:
    """A new authority for ten years. `within`: the names, domains and networks (`10.0.5.0/24`) it may sign for.

    Raises Refused (X_NAME_WRONG) when one of them is none.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    begins = moment(now) - _BEFORE
    end = f" Floordraw CA {begins.year}"
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"{property_name[: _MOST_NAME - len(end)]}{end}")])
    own_id = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + timedelta(days=AUTHORITY_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(_constraints(within), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(own_id, critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own_id), critical=False)
    )
    return Made(builder.sign(key, hashes.SHA256()), key)


def issue(authority: x509.Certificate, signing_key: PrivateKeyTypes, names: Sequence[str], *, now: Millis) -> Made:
    """A server's certificate with a key of its own. `names`: host names and IP addresses.

    Raises Refused: X_NOT_WITHIN when the authority may not sign for a name, X_CERTIFICATE_WRONG when it has expired or
    `signing_key` is not its own.
    """
    outside = [name for name in names if not permits(authority, name)]
    if outside:
        raise Refused(
            "X_NOT_WITHIN",
            f"The property's authority may not sign for {', '.join(outside)}. `floordraw tls init --anew` makes one "
            "that may; every device must then trust it anew.",
        )
    begins = moment(now) - _BEFORE
    ends = min(begins + timedelta(days=SERVER_DAYS), authority.not_valid_after_utc)
    if not isinstance(signing_key, ec.EllipticCurvePrivateKey) or _spki(signing_key) != _spki(authority):
        raise Refused("X_CERTIFICATE_WRONG", "The authority's key is another one's: put back the key that is its own.")
    if ends <= moment(now):
        raise Refused("X_CERTIFICATE_WRONG", "The property's authority has expired: `floordraw tls init --anew`.")
    key = ec.generate_private_key(ec.SECP256R1())
    authority_id = authority.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0][:_MOST_NAME])]))
        .issuer_name(authority.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        # The last second counts as valid, too.
        .not_valid_after(ends - timedelta(seconds=1))
        .add_extension(x509.SubjectAlternativeName([_general(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(authority_id),
            critical=False,
        )
    )
    return Made(builder.sign(signing_key, hashes.SHA256()), key)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _general(name: str) -> x509.GeneralName:
    return x509.IPAddress(ipaddress.ip_address(name)) if is_address(name) else x509.DNSName(name)


def _constraints(within: Sequence[str]) -> x509.NameConstraints:
    networks = [network for network in map(_network, within) if network is not None]
    domains = [domain.lower().lstrip(".") for domain in within if _network(domain) is None]
    for domain in domains:
        if not domain.isascii() or not domain.replace("-", "").replace(".", "").isalnum() or ".." in domain:
            raise Refused(
                "X_NAME_WRONG", f"{domain} is neither a domain nor a network. Write casino.example or 10.0.5.0/24."
            )
    # A kind of name that nothing is said of would be free: so each kind that is not named is shut. A permitted
    # "invalid", which no name may end with (RFC 6761), leaves no host name.
    permitted = [*map(x509.DNSName, domains or ["invalid"]), *map(x509.IPAddress, networks)]
    shut = [whole for whole in _ALL if whole.version not in {network.version for network in networks}]
    return x509.NameConstraints(permitted, [x509.IPAddress(network) for network in shut] or None)


def _network(text: str) -> Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


def permits(authority: x509.Certificate, name: str) -> bool:
    """Whether an authority's name constraints let it sign for a host name or IP address."""
    try:
        limits = authority.extensions.get_extension_for_class(x509.NameConstraints).value
    except x509.ExtensionNotFound:
        return True
    kind = x509.IPAddress if is_address(name) else x509.DNSName
    permitted = [one for one in limits.permitted_subtrees or [] if isinstance(one, kind)]
    excluded = [one for one in limits.excluded_subtrees or [] if isinstance(one, kind)]
    if any(_in(name, one) for one in excluded):
        return False
    return not permitted or any(_in(name, one) for one in permitted)


def _in(name: str, subtree: x509.IPAddress | x509.DNSName) -> bool:
    if isinstance(subtree, x509.DNSName):
        return f".{name}".endswith(f".{subtree.value.lstrip('.')}")
    address, network = ipaddress.ip_address(name), subtree.value
    return isinstance(network, Network) and address.version == network.version and address in network


# -- checking ---------------------------------------------------------------------------------------------------


def faults(
    chain: Sequence[x509.Certificate], key: PrivateKeyTypes | None, names: Sequence[str], *, now: Millis
) -> list[str]:
    """What stops browsers from taking a server's certificate, a sentence each. `chain`: its own first, never empty.

    `key`: its private key; None leaves that unsaid.
    """
    own = chain[0]
    found = [*_of_the_dates(own, now), *_of_the_names(own, names), *_of_its_kind(own)]
    if key is not None and _spki(key) != _spki(own):
        found.insert(0, "The key is not the certificate's: give the two that belong together.")
    found += [
        f"{_called(issuer)} did not sign {_called(issued)}: "
        "put the server's own certificate first, then the one that signed it, and so on."
        for issued, issuer in pairwise(chain)
        if not signed(issued, issuer)
    ]
    return found


def signed(issued: x509.Certificate, issuer: x509.Certificate) -> bool:
    """Whether one certificate was signed by another's key, and names it."""
    try:
        issued.verify_directly_issued_by(issuer)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def _of_the_dates(own: x509.Certificate, now: Millis) -> list[str]:
    if own.not_valid_after_utc < moment(now):
        return [f"It expired on {day_words(own.not_valid_after_utc.date())}: make or fetch a new one."]
    if own.not_valid_before_utc > moment(now):
        begins = day_words(own.not_valid_before_utc.date())
        return [f"It is valid from {begins} only: see whether this machine's clock is right."]
    return []


def _of_the_names(own: x509.Certificate, names: Sequence[str]) -> list[str]:
    missing = [name for name in names if not covers(own, name)]
    if not missing:
        return []
    return [
        f"It does not cover {', '.join(missing)}: it must have every name of [web] names as a subject alternative name."
    ]


def _of_its_kind(own: x509.Certificate) -> list[str]:
    found = []
    key = own.public_key()
    if not isinstance(key, ec.EllipticCurvePublicKey | rsa.RSAPublicKey) or (
        isinstance(key, rsa.RSAPublicKey) and key.key_size < 2048
    ):
        found.append(
            "Browsers do not take its kind of key: it must be RSA of 2,048 bits or more, or EC P-256 or P-384."
        )
    if isinstance(own.signature_hash_algorithm, hashes.SHA1 | hashes.MD5):
        found.append("It is signed with SHA-1 or MD5, which browsers refuse: have it signed with SHA-256.")
    try:
        uses = own.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    except x509.ExtensionNotFound:
        return found
    if ExtendedKeyUsageOID.SERVER_AUTH not in uses:
        found.append("It is no server's certificate: its extended key usage must name server authentication.")
    return found


def covers(own: x509.Certificate, name: str) -> bool:
    """Whether a certificate is for a host name or IP address; a `*` stands for one whole first part."""
    try:
        said = own.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return False
    if is_address(name):
        return ipaddress.ip_address(name) in said.get_values_for_type(x509.IPAddress)
    hosts = {host.lower() for host in said.get_values_for_type(x509.DNSName)}
    _, dot, rest = name.partition(".")
    return name in hosts or ("." in rest and f"*{dot}{rest}" in hosts)


def _called(certificate: x509.Certificate) -> str:
    return f"“{certificate.subject.rfc4514_string()}”"


def _spki(holder: x509.Certificate | PrivateKeyTypes) -> bytes:
    return holder.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


# -- comparing --------------------------------------------------------------------------------------------------


def fingerprint(certificate: x509.Certificate) -> bytes:
    """The SHA-256 of the whole certificate: what devices show."""
    return certificate.fingerprint(hashes.SHA256())


def grouped(digest: bytes) -> str:
    """A fingerprint as devices show it: `3F:A0:…`."""
    return digest.hex(":").upper()
