"""A property's certificates in a folder, a small application served with them, and clients that trust them or not."""

from __future__ import annotations

import http.client
import socket
import ssl
from pathlib import Path
from typing import Any

from flask import Flask, request

from config.site import Site, read_site
from draw_engine.clock import SteadyClock
from kiosk.https.files import TlsFiles
from kiosk.https.live_certificate import LiveCertificate
from kiosk.https.server import TlsServer
from kiosk.open_lines import OpenLines

NAME = "floor.casino.example"
SHIPPED = (Path(__file__).parents[2] / "config" / "site.toml").read_text()


def site_in(folder: Path, *names: str, more: str = "") -> Site:
    """The shipped settings with [web], its state in `folder`."""
    listed = ", ".join(f'"{name}"' for name in names or (NAME, "127.0.0.1"))
    web = f'\n[web]\nlisten = "127.0.0.1"\nnames = [{listed}]\n{more}'
    return read_site((SHIPPED.replace("../var/state", "state") + web).encode(), folder)


def made_in(folder: Path, *names: str) -> TlsFiles:
    """An authority and a certificate as `floordraw tls init` makes them."""
    files = TlsFiles(site_in(folder, *names))
    files.init([], anew=False, now=SteadyClock().now())
    return files


def trusting(files: TlsFiles) -> ssl.SSLContext:
    """A client that trusts the property's authority alone."""
    context = ssl.create_default_context(cafile=str(files.authority))
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    return context


class Served:
    """A small application over HTTPS; `said` is what it answers to /said."""

    def __init__(self, files: TlsFiles, *, app: Any = None, **said: Any) -> None:
        self.files = files
        self.lines = OpenLines(**said.pop("limits", {}))
        self.steady = 0.0
        self.certificate = LiveCertificate(files.web.certificate, files.web.key, steady=lambda: self.steady)
        hosts = frozenset({"127.0.0.1", "localhost", *files.web.names})
        self.server = TlsServer(
            small_app() if app is None else app,
            self.certificate,
            listen="127.0.0.1",
            port=0,
            hosts=hosts,
            lines=self.lines,
            **said,
        )
        self.port = self.server.port
        self._asked: list[http.client.HTTPConnection] = []
        self.server.start()

    def end(self) -> None:
        for line in self._asked:
            line.close()
        self.server.shutdown()

    def raw(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)

    def secure(self, name: str = NAME, context: ssl.SSLContext | None = None) -> ssl.SSLSocket:
        return (context or trusting(self.files)).wrap_socket(self.raw(), server_hostname=name)

    def ask(self, path: str = "/said", method: str = "GET", **said: Any) -> http.client.HTTPResponse:
        """One request over TLS; `headers`, `body` as http.client has them."""
        line = http.client.HTTPConnection(NAME, self.port)
        self._asked.append(line)
        line.sock = self.secure()
        line.request(method, path, **said)
        return line.getresponse()

    def plainly(self, path: str, method: str = "GET", *, host: str | None = None) -> http.client.HTTPResponse:
        """The same without TLS."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        self._asked.append(line)
        line.request(method, path, headers={} if host is None else {"Host": host})
        return line.getresponse()


def small_app() -> Flask:
    app = Flask("small", static_folder=None)

    @app.get("/said")
    def said() -> dict[str, Any]:
        return {"scheme": request.scheme, "secure": request.is_secure, "from": request.remote_addr}

    @app.post("/taken")
    def taken() -> dict[str, int]:
        return {"length": len(request.get_data())}

    @app.get("/large")
    def large() -> bytes:
        return b"x" * 5_000_000

    @app.get("/trust")
    def trust() -> str:
        return f"trust {request.scheme}"

    @app.get("/breaks")
    def breaks() -> str:
        raise ValueError("of a test")

    return app
