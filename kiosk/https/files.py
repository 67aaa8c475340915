"""The certificates of a property in their files: made, renewed, taken over, looked at (`floordraw tls`).

`state_dir/tls/`: `ca.crt` and `ca.key` of the property's own authority, `server.crt` and `server.key`; `brought-ca.crt`
is what devices are to trust where the property brought its own certificate.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from config.site import Site
from config.web import Web
from draw_engine.clock import Millis
from draw_engine.errors import Refused
from kiosk.https import certificates as tls

_KEY_MODE, _CERTIFICATE_MODE = 0o400, 0o444


@dataclass(frozen=True, slots=True)
class Standing:
    """How a property's certificate stands. `fingerprint`: of `authority` where there is one, else of `certificate`.

    `faults`: what stops browsers from taking it, in sentences; `days_left`: whole days, negative once it has expired.
    """

    certificate: x509.Certificate
    authority: x509.Certificate | None
    names: tuple[str, ...]
    begins: datetime
    ends: datetime
    days_left: int
    fingerprint: bytes
    faults: tuple[str, ...]


def web_of(site: Site) -> Web:
    """The site's `[web]`. Raises Refused (X_NO_WEB) when it has none."""
    if site.web is None:
        raise Refused(
            "X_NO_WEB", "site.toml has no [web]: write there what address to listen on and what names it is called by."
        )
    return site.web


class TlsFiles:
    """The folder of one site. Raises Refused X_NO_WEB when its settings have no `[web]`."""

    def __init__(self, site: Site) -> None:
        self.web = web_of(site)
        self._property_name = site.property_name
        self._state_dir = site.state_dir
        folder = site.state_dir / "tls"
        self.authority, self.authority_key = folder / "ca.crt", folder / "ca.key"
        self.brought_authority = folder / "brought-ca.crt"

    # -- making ------------------------------------------------------------------------------------------------

    def init(self, within: Sequence[str], *, anew: bool, now: Millis) -> None:
        """Make the property's authority and a server's certificate.

        `within`: domains and networks that the authority may sign for beside the site's names. Raises Refused
        X_CERTIFICATE_EXISTS when there is one already and `anew` was not said.
        """
        self._ours_to_write()
        there = [path for path in (self.authority, self.authority_key, self.web.certificate) if path.exists()]
        if there and not anew:
            raise Refused(
                "X_CERTIFICATE_EXISTS",
                f"There is {there[0].name} in {there[0].parent} already; nothing was changed. `floordraw tls renew` "
                "renews the server's certificate; with --anew a new authority is made, which every device must trust.",
            )
        authority = tls.make_authority(self._property_name, [*self.web.names, *within], now=now)
        server = tls.issue(authority.certificate, authority.key, self.web.names, now=now)
        self._write(self.authority_key, _key_pem(authority.key), _KEY_MODE)
        self._write(self.authority, _pem([authority.certificate]), _CERTIFICATE_MODE)
        self._put(server)

    def renew(self, authority_key: Path | None, *, now: Millis) -> None:
        """A new certificate and key of the server, for the site's names as they are now.

        `authority_key`: where the authority's key is kept, when it is not beside its certificate. Raises Refused.
        """
        self._ours_to_write()
        source = authority_key or self.authority_key
        if not self.authority.exists() or not source.exists():
            raise Refused(
                "X_NO_CERTIFICATE",
                f"The authority's {self.authority.name} or {source.name} is not there. Put back both, or name the key "
                "with --ca-key. A certificate that the property brought is renewed with `floordraw tls use`.",
            )
        [authority, *_] = read_chain(self.authority)
        if self.web.certificate.exists() and not _leads_to(read_chain(self.web.certificate), authority):
            raise Refused(
                "X_OWN_CERTIFICATE",
                "The certificate is one that the property brought: `floordraw tls use` takes its successor. To go back "
                "to an authority of Floordraw's own: `floordraw tls init --anew`.",
            )
        self._put(tls.issue(authority, read_key(source), self.web.names, now=now))

    def use(self, certificate: Path, key: Path, authority: Path | None, *, now: Millis) -> None:
        """Take a certificate that the property brings. `authority`: what its devices have to trust, for `/trust`.

        Raises Refused (X_CERTIFICATE_WRONG) with every reason for which browsers would not take it.
        """
        self._ours_to_write()
        chain, private = read_chain(certificate), read_key(key)
        wrong = tls.faults(chain, private, self.web.names, now=now)
        trusted = [] if authority is None else read_chain(authority)
        if trusted and not _leads_to(chain, trusted[0]):
            wrong.append(f"{authority} did not sign the last certificate in {certificate}: give the one that did.")
        if wrong:
            raise Refused("X_CERTIFICATE_WRONG", "The certificate is not taken. " + " ".join(wrong))
        self.brought_authority.unlink(missing_ok=True)
        if trusted:
            self._write(self.brought_authority, _pem(trusted[:1]), _CERTIFICATE_MODE)
        self._write(self.web.key, _key_pem(private), _KEY_MODE)
        self._write(self.web.certificate, _pem(chain), _CERTIFICATE_MODE)

    def _ours_to_write(self) -> None:
        if self.web.own_files:
            raise Refused(
                "X_OWN_CERTIFICATE",
                f"site.toml says that the certificate is {self.web.certificate}: put the new one there, it is taken "
                "within seconds. Or take certificate and key out of [web], then again.",
            )

    def _put(self, made: tls.Made) -> None:
        self._write(self.web.key, _key_pem(made.key), _KEY_MODE)
        self._write(self.web.certificate, _pem([made.certificate]), _CERTIFICATE_MODE)

    def _write(self, path: Path, content: bytes, mode: int) -> None:
        """Whole or not at all, and for the owner of the state folder: `sudo floordraw tls` must leave it readable."""
        if not path.parent.exists():
            path.parent.mkdir(mode=0o700, parents=True)
            self._to_owner(path.parent)
        new = path.with_name(f".{path.name}.new")
        new.unlink(missing_ok=True)
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        self._to_owner(new)
        new.replace(path)

    def _to_owner(self, path: Path) -> None:
        if os.geteuid() == 0 and self._state_dir.exists():
            owner = self._state_dir.stat()
            os.chown(path, owner.st_uid, owner.st_gid)

    # -- looking -----------------------------------------------------------------------------------------------

    def standing(self, *, now: Millis) -> Standing:
        """How the certificate stands. Raises Refused X_NO_CERTIFICATE when there is none that can be read."""
        chain = read_chain(self.web.certificate)
        authority = self.trusted()
        own = chain[0]
        said = own.extensions.get_extension_for_class(x509.SubjectAlternativeName).value if _has_names(own) else None
        names = () if said is None else tuple(str(name.value) for name in said)
        return Standing(
            certificate=own,
            authority=authority,
            names=names,
            begins=own.not_valid_before_utc,
            ends=own.not_valid_after_utc,
            days_left=(own.not_valid_after_utc - tls.moment(now)).days,
            fingerprint=tls.fingerprint(authority or own),
            faults=tuple(tls.faults(chain, read_key(self.web.key), self.web.names, now=now)),
        )

    def trusted(self) -> x509.Certificate | None:
        """What devices have to trust: the authority behind the certificate that is served; None where there is none."""
        chain = read_chain(self.web.certificate)
        for path in (self.authority, self.brought_authority):
            if path.exists():
                [authority, *_] = read_chain(path)
                if _leads_to(chain, authority):
                    return authority
        return None


def read_chain(path: Path) -> list[x509.Certificate]:
    """The certificates of a PEM file, at least one. Raises Refused X_NO_CERTIFICATE or X_CERTIFICATE_WRONG."""
    try:
        return x509.load_pem_x509_certificates(path.read_bytes())
    except OSError:
        raise Refused(
            "X_NO_CERTIFICATE",
            f"The certificate {path} cannot be read. `floordraw tls init` makes one, `floordraw tls use` takes yours.",
        ) from None
    except ValueError:
        raise Refused(
            "X_CERTIFICATE_WRONG", f"{path} is no certificate in PEM, the form with the line BEGIN CERTIFICATE."
        ) from None


def read_key(path: Path) -> PrivateKeyTypes:
    """The private key of a PEM file. Raises Refused X_NO_CERTIFICATE or X_CERTIFICATE_WRONG."""
    try:
        return load_pem_private_key(path.read_bytes(), password=None)
    except OSError:
        raise Refused(
            "X_NO_CERTIFICATE", f"The key {path} cannot be read. See that it is there and belongs to this user."
        ) from None
    except TypeError:
        raise Refused(
            "X_CERTIFICATE_WRONG", f"The key {path} has a password, and nobody is there to type it. Take it off first."
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        raise Refused(
            "X_CERTIFICATE_WRONG", f"{path} is no private key in PEM, the form with the line BEGIN PRIVATE KEY."
        ) from None


def _has_names(certificate: x509.Certificate) -> bool:
    return any(isinstance(one.value, x509.SubjectAlternativeName) for one in certificate.extensions)


def _leads_to(chain: Sequence[x509.Certificate], authority: x509.Certificate) -> bool:
    return chain[-1] == authority or tls.signed(chain[-1], authority)


def _key_pem(key: PrivateKeyTypes) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _pem(chain: Sequence[x509.Certificate]) -> bytes:
    return b"".join(certificate.public_bytes(Encoding.PEM) for certificate in chain)
