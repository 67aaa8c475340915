"""The pages over HTTPS: every connection shakes hands in a thread of its own, so that a silent one holds up nobody.

Who speaks plain http at the same port is led to https, except for the page `/trust` and what it needs: a device has to
read it before it can trust the certificate.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import structlog
from werkzeug.serving import ThreadedWSGIServer

from config.web import Web, bracketed
from draw_engine.errors import Refused
from kiosk.https.lines import Line, TlsLine
from kiosk.https.live_certificate import LiveCertificate
from kiosk.open_lines import OpenLines
from kiosk.web_requests import QuietRequests

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

HANDSHAKE_SECONDS = 10.0
"""From the first byte until the handshake is done and the request's head is there."""
REQUEST_SECONDS = 300.0
"""Until a request is read and answered whole: a record or a list of members over a slow line."""
STRICT = ("Strict-Transport-Security", f"max-age={180 * 86_400}")
"""For half a year browsers use https for this name without asking (RFC 6797). Names below it are others'."""
SOCKETS = "/socket.io/"
"""Where a request may become a WebSocket, which goes on until one of the two ends it."""
GONE_MS = 20_000
"""Whoever has not even acknowledged what was sent for so long has gone: out of the Wi-Fi, or switched off."""
HELLO = b"\x16"
"""How a TLS handshake begins."""
_FILES = "/static/console"
_OF_TRUST = frozenset({f"{_FILES}/mark.svg", f"{_FILES}/vendor/trust.css"})
_log = structlog.get_logger(__name__)


class _Requests(QuietRequests):
    """A request on a line, plain or in TLS."""

    server: TlsServer

    def parse_request(self) -> bool:
        if not super().parse_request():
            return False
        is_socket = self.headers.get("Upgrade", "").lower() == "websocket" and self.path.startswith(SOCKETS)
        said = self.headers.get("Cookie", "")
        self.server.asked(cast("Line", self.connection), for_good=is_socket, cookies=said)
        return True

    def make_environ(self) -> WSGIEnvironment:
        environ = super().make_environ()
        environ["wsgi.url_scheme"] = "https" if isinstance(self.connection, TlsLine) else "http"
        return environ


class TlsServer(ThreadedWSGIServer):
    """`app` over HTTPS on `listen`:`port` (0 takes a free one). `hosts`: the names it may be called by over plain http.

    `knows`: whether a Cookie header is of somebody signed in or of an enrolled device; a stranger's line makes way
    for a newcomer when all are taken, however much it has asked for.
    Raises Refused: X_PORT_TAKEN, X_NO_CERTIFICATE.
    """

    daemon_threads = True  # an open socket must not hold up the end
    block_on_close = False

    def __init__(
        self,
        app: WSGIApplication,
        certificate: LiveCertificate,
        *,
        listen: str,
        port: int,
        hosts: frozenset[str],
        lines: OpenLines | None = None,
        knows: Callable[[str], bool] = lambda _cookies: True,
        handshake_seconds: float = HANDSHAKE_SECONDS,
    ) -> None:
        self._certificate = certificate
        self._lines = OpenLines() if lines is None else lines
        self._handshake_seconds = handshake_seconds
        self._knows = knows
        with listening(listen, port) as door:
            super().__init__(listen, port, _Front(app, hosts, door.getsockname()[1]), _Requests, fd=door.fileno())
        # A caller who is gone by the time it is let in would else hold up all others.
        self.socket.settimeout(0)

    def start(self) -> None:
        """Serve from a thread of its own, until `shutdown`."""
        threading.Thread(target=self.serve_forever, args=(0.1,), name="pages over TLS", daemon=True).start()

    # -- letting in ------------------------------------------------------------------------------------------------

    def get_request(self) -> tuple[socket.socket, Any]:
        line, address = super().get_request()
        if address[0].startswith("::ffff:"):
            address = (address[0].removeprefix("::ffff:"), *address[1:])
        return line, address

    def verify_request(self, request: Any, client_address: Any) -> bool:
        return self._lines.enter(request, client_address[0])

    def close_request(self, request: Any) -> None:
        self._lines.leave(request)
        super().close_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - werkzeug's own names
        # What goes wrong on one line is that line's own; an address must not be in the log.
        _log.warning("tls.line_failed")

    # -- a connection's own thread ---------------------------------------------------------------------------------

    def finish_request(self, request: Any, client_address: Any) -> None:
        line = Line(request)
        line.allow(self._handshake_seconds)
        try:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, GONE_MS)
            line = self._shaken(request, line)
            _Requests(cast("socket.socket", line), client_address, self)
        except OSError:
            pass  # it left, said nothing in time or speaks something else; TLS's own faults are among these
        finally:
            line.close()

    def _shaken(self, request: socket.socket, line: Line) -> Line:
        """The line in TLS, when that is how it begins."""
        if line.peek() != HELLO:
            return line
        secure = TlsLine(request, self._certificate.context())
        secure.allow(self._handshake_seconds)
        secure.handshake()
        return secure

    def asked(self, line: Line, *, for_good: bool, cookies: str) -> None:
        """A request's head is there. `for_good`: it becomes a WebSocket."""
        line.allow(None if for_good else REQUEST_SECONDS)
        if self._knows(cookies):
            self._lines.proven(line.raw)


def serve_tls(
    app: WSGIApplication, web: Web, hosts: frozenset[str], *, knows: Callable[[str], bool] = lambda _cookies: True
) -> TlsServer:
    """The pages over HTTPS as the settings say. Raises Refused: X_PORT_TAKEN, X_NO_CERTIFICATE."""
    certificate = LiveCertificate(web.certificate, web.key)
    return TlsServer(app, certificate, listen=web.listen, port=web.port, hosts=hosts, knows=knows)


def listening(listen: str, port: int, *, backlog: int = 128) -> socket.socket:
    """A socket that listens. Raises Refused (X_PORT_TAKEN)."""
    family = socket.AF_INET6 if ":" in listen else socket.AF_INET
    try:
        return socket.create_server((listen, port), family=family, backlog=backlog, dualstack_ipv6=listen == "::")
    except OSError as trouble:
        raise Refused(
            "X_PORT_TAKEN",
            f"HTTPS cannot be served on {bracketed(listen)}:{port} ({trouble.strerror}). See whether another program "
            "has the port and whether the address is this machine's, or change [web] in site.toml.",
        ) from None


class _Front:
    """Before the application: over TLS it adds what browsers keep, over plain http it leads to TLS."""

    def __init__(self, app: WSGIApplication, hosts: frozenset[str], port: int) -> None:
        self._app, self._hosts, self._port = app, hosts, port

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["wsgi.url_scheme"] == "https":
            return self._app(environ, _strictly(start_response))
        host = _host(environ.get("HTTP_HOST", ""))
        if host is None or host not in self._hosts:
            return _no(start_response, "Open this page by the address that the house gave it.")
        if environ["REQUEST_METHOD"] not in {"GET", "HEAD"}:
            return _no(start_response, "This was sent in the open and was not carried out: use https.")
        if may_be_plain(environ["PATH_INFO"]):
            return self._app(environ, start_response)
        path = environ["RAW_URI"] if environ["RAW_URI"].startswith("/") else "/"
        to = f"https://{bracketed(host)}:{self._port}{path}"
        start_response("307 Temporary Redirect", [("Location", to), ("Content-Length", "0")])
        return []


def may_be_plain(path: str) -> bool:
    """Whether a page may be read without TLS: `/trust` and the files it is made of."""
    is_font = path.startswith(f"{_FILES}/vendor/") and path.endswith(".woff2")
    return path == "/trust" or path.startswith("/trust/") or path in _OF_TRUST or is_font


def _strictly(start_response: StartResponse) -> Callable[..., Any]:
    def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
        return start_response(status, [*headers, STRICT], *more)

    return start


def _host(said: str) -> str | None:
    with suppress(ValueError):
        return urlsplit(f"//{said}").hostname
    return None


def _no(start_response: StartResponse, sentence: str) -> list[bytes]:
    body = json.dumps({"code": "X_NO_PERMISSION", "sentence": sentence}).encode()
    status = HTTPStatus.FORBIDDEN
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    start_response(f"{status.value} {status.phrase}", headers)
    return [body]
