"""The certificate that is served: read from its files, and again when they change, without a restart."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path

import structlog

from draw_engine.errors import Refused

_LOOK_SECONDS = 1.0
_log = structlog.get_logger(__name__)
# TLS 1.2 with forward secrecy and authenticated encryption alone; 1.3 has nothing else.
_CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"
_Signature = tuple[tuple[int, int, int], ...]


def read_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """A server's TLS context, 1.2 or later. Raises Refused (X_NO_CERTIFICATE) when the files cannot be used."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(_CIPHERS)
    context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    load(context, certificate, key)
    return context


def load(context: ssl.SSLContext, certificate: Path, key: Path) -> None:
    """Put certificate and key into a context. Raises Refused (X_NO_CERTIFICATE) when the files cannot be used."""
    try:
        # A key with a password is refused; without this OpenSSL would wait for somebody to type it.
        context.load_cert_chain(certificate, key, password=lambda: b"")
    except (OSError, ValueError):  # what OpenSSL finds is an OSError, too
        raise Refused(
            "X_NO_CERTIFICATE",
            f"HTTPS cannot be served with {certificate} and {key}: see `floordraw tls show`. "
            "`floordraw tls init` makes a certificate, `floordraw tls use` takes yours.",
        ) from None


class LiveCertificate:
    """The context of the newest files. One that cannot be used is logged, and the one before goes on.

    `context` may be asked by any thread. Raises Refused (X_NO_CERTIFICATE) when the files cannot be used at the start.
    """

    def __init__(self, certificate: Path, key: Path, *, steady: Callable[[], float] = time.monotonic) -> None:
        self._certificate, self._key = certificate, key
        self._steady = steady
        self._one_at_a_time = threading.Lock()
        self._seen = self._signature()
        self._context = read_context(certificate, key)
        self._looked_at = steady()

    def context(self) -> ssl.SSLContext:
        """For a connection that begins now."""
        if self._steady() - self._looked_at >= _LOOK_SECONDS and self._one_at_a_time.acquire(blocking=False):
            try:
                self._look()
            finally:
                self._one_at_a_time.release()
        return self._context

    def _look(self) -> None:
        self._looked_at = self._steady()
        now = self._signature()
        if now == self._seen:
            return
        # A new context and not a change of the old one: other threads begin connections with it meanwhile.
        try:
            self._context = read_context(self._certificate, self._key)
        except Refused:
            # Perhaps only one of the two files is new yet: each further change is looked at again.
            _log.error("tls.certificate_not_taken")
        else:
            _log.info("tls.certificate_taken")
        self._seen = now

    def _signature(self) -> _Signature:
        found = []
        for path in (self._certificate, self._key):
            try:
                told = path.stat()
            except OSError:
                found.append((0, 0, 0))
            else:
                found.append((told.st_mtime_ns, told.st_size, told.st_ino))
        return tuple(found)
