"""The floor screens over HTTPS: a second door of the screen server, with the core's certificate and names.

Whoever comes is let in by a task of its own: a caller who is silent, or stops in the middle of a handshake, holds up
nobody.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import urlsplit

import h11

from config.web import Web, bracketed
from kiosk.https.live_certificate import LiveCertificate
from kiosk.https.server import HANDSHAKE_SECONDS, HELLO, STRICT, listening
from kiosk.open_lines import OpenLines
from web_display.hall import Hall
from web_display.lines import Answer, Line

MOST_SCREENS = 2_048
DEVICE_COOKIE = "floordraw_device"
"""As `kiosk/sign_in/access.py` gives it; a cookie goes to every port of a host."""
_TOO_MANY_FILES_SECONDS = 0.1
_REFUSED = frozenset({403, 405})
Answering = Callable[[h11.Request], Answer]


@dataclass(frozen=True, slots=True)
class SecureScreens:
    """Where screens are served over HTTPS. `hosts`: every name they may be called by."""

    listen: str
    port: int
    certificate: str
    key: str
    hosts: tuple[str, ...]

    @classmethod
    def of(
        cls, web: Web, hosts: frozenset[str], *, certificate: Path | None = None, key: Path | None = None
    ) -> SecureScreens:
        """As the settings say; other files where the process has copies of its own."""
        return cls(
            web.listen,
            web.screens_port,
            str(certificate or web.certificate),
            str(key or web.key),
            tuple(sorted(hosts)),
        )

    @classmethod
    def from_text(cls, text: str) -> SecureScreens:
        """Of what `text` gives."""
        told = json.loads(text)
        return cls(**{**told, "hosts": tuple(told["hosts"])})

    def text(self) -> str:
        """For the command line of a process."""
        return json.dumps(asdict(self))


class _CountedLine(Line):
    """A screen's line that makes room when it ends, and is not put out once it has said which screen it is."""

    def __init__(self, answer: Answering, hall: Hall, raw: socket.socket, lines: OpenLines) -> None:
        super().__init__(answer, hall)
        self._raw, self._lines = raw, lines

    def joined(self, room: str) -> None:
        super().joined(room)
        self._lines.proven(self._raw)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._lines.leave(self._raw)


class SecureDoor:
    """Lets screens in over TLS until `close`. `pages` answers what they ask.

    Raises Refused when it is made: X_PORT_TAKEN, X_NO_CERTIFICATE.
    """

    def __init__(self, where: SecureScreens, hall: Hall, pages: Answering) -> None:
        self._hosts = frozenset(where.hosts)
        self._hall, self._pages = hall, pages
        self._certificate = LiveCertificate(Path(where.certificate), Path(where.key))
        self._lines = OpenLines(in_all=MOST_SCREENS)
        self._door = listening(where.listen, where.port, backlog=1_024)
        self._door.settimeout(0)
        self.port: int = self._door.getsockname()[1]
        self._coming: set[asyncio.Task[None]] = set()

    async def let_in(self) -> None:
        """Until it is cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                line, address = await loop.sock_accept(self._door)
            except OSError:  # it left again, or this process has as many files as it may have
                await asyncio.sleep(_TOO_MANY_FILES_SECONDS)
                continue
            if not self._lines.enter(line, address[0].removeprefix("::ffff:")):
                line.close()
                continue
            task = loop.create_task(self._welcome(line))
            self._coming.add(task)
            task.add_done_callback(self._coming.discard)

    def close(self) -> None:
        self._door.close()

    async def _welcome(self, line: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        counted = False
        try:
            first = await asyncio.wait_for(_peek(line), HANDSHAKE_SECONDS)
            secure = first == HELLO
            context = self._certificate.context() if secure else None
            answer = self._strictly if secure else self._to_tls
            await loop.connect_accepted_socket(
                lambda: _CountedLine(answer, self._hall, line, self._lines),
                line,
                ssl=context,
                ssl_handshake_timeout=HANDSHAKE_SECONDS if secure else None,
            )
            counted = True
        except OSError:
            pass  # it left, said nothing in time or speaks something else; TLS's own faults are among these
        finally:
            if not counted:
                self._lines.leave(line)
                line.close()

    def _strictly(self, request: h11.Request) -> Answer:
        answer = self._pages(request)
        if answer.status not in _REFUSED:  # a foreign name or page is told nothing else, not even that it may enrol
            answer = self._not_enrolled(request) or answer
        return answer._replace(headers=[*answer.headers, STRICT])

    def _not_enrolled(self, request: h11.Request) -> Answer | None:
        """In the network a screen shows itself to the house's own screens alone; their files are no secret."""
        path = urlsplit(request.target.decode("latin-1")).path
        if not path.startswith(("/screens/", "/socket.io/")):
            return None
        enrolled = self._hall.enrolled
        if enrolled is None:
            return Answer(503, [("Content-Type", "text/plain"), ("Refresh", "3")], b"The core is not heard yet.")
        cookies = SimpleCookie()
        with suppress(CookieError):
            cookies.load("; ".join(value.decode("latin-1") for name, value in request.headers if name == b"cookie"))
        token = cookies[DEVICE_COOKIE].value if DEVICE_COOKIE in cookies else ""
        if hashlib.sha256(token.encode()).hexdigest() in enrolled:
            return None
        said = "This screen is not enrolled. Open the console's address with /enrol on it and type a code for a screen."
        body = json.dumps({"code": "X_NOT_SIGNED_IN", "sentence": said}).encode()
        return Answer(401, [("Content-Type", "application/json")], body)

    def _to_tls(self, request: h11.Request) -> Answer:
        said = next((value for name, value in request.headers if name == b"host"), b"").decode("latin-1")
        host = None
        with suppress(ValueError):
            host = urlsplit(f"//{said}").hostname
        path = request.target.decode("latin-1")
        if host not in self._hosts or not path.startswith("/"):
            return Answer(
                403, [("Content-Type", "text/plain")], b"Open this page by the address that the house gave it."
            )
        return Answer(307, [("Location", f"https://{bracketed(str(host))}:{self.port}{path}")])


async def _peek(line: socket.socket) -> bytes:
    """The first byte, left where it is; b"" at the end. Raises OSError."""
    loop = asyncio.get_running_loop()
    line.settimeout(0)
    there = asyncio.Event()
    number = line.fileno()
    loop.add_reader(number, there.set)
    try:
        await there.wait()
    finally:
        loop.remove_reader(number)
    return line.recv(1, socket.MSG_PEEK)
