"""The screens' own server: a process of its own, so that no number of open screens can hold up a press on the core.

It serves `/screens/NAME`, the page's files and the Socket.IO namespace `/screens`, and only ever tells: nothing that a
screen sends changes anything. It is one client of the core. `python -m kiosk.screens.server CORE_URL HOST PORT` runs
it; with `--secure` it has a second door, over HTTPS (`kiosk.screens.tls`).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import mimetypes
import resource
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import SplitResult, parse_qs, urlsplit

import h11
import structlog
from jinja2 import Environment, FileSystemLoader

import web_display
from config.web import LOOPBACK_HOSTS
from draw_engine.errors import Refused
from kiosk.own_log import set_up_log
from kiosk.screens.tls import SecureDoor, SecureScreens
from web_display.catalogue import page_words
from web_display.core_link import CoreLink
from web_display.hall import Hall
from web_display.lines import Answer, Line

LOOPBACK = "127.0.0.1"
ASSETS = "/static/screens"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = (
    ("Content-Security-Policy", _POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()"),
    ("Cache-Control", "no-cache"),
)
_HERE = Path(web_display.__file__).parent
_PING_TURNS = 30
_MOST_FILES = 16_384
_BACKLOG = 1_024
_log = structlog.get_logger(__name__)


class ScreenPages:
    """What is answered to a request. `hosts`: the names this server may be called by."""

    def __init__(self, hall: Hall, hosts: frozenset[str] = LOOPBACK_HOSTS) -> None:
        self._hall = hall
        self._hosts = hosts
        self._files = _files(_HERE / "static")
        environment = Environment(loader=FileSystemLoader(_HERE / "templates"), autoescape=True)
        self._page = environment.get_template("screen.html")

    def answer(self, request: h11.Request) -> Answer:
        """The answer to one request; 101 where it becomes a screen's socket."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in request.headers}
        return self._refused(request, headers) or self._found(urlsplit(request.target.decode("latin-1")), headers)

    def _refused(self, request: h11.Request, headers: Mapping[str, str]) -> Answer | None:
        """As the core's own guard: foreign names, foreign pages and anything that would change something."""
        host = headers.get("host", "")
        if _hostname(host) not in self._hosts:
            return _no(403, "X_NO_PERMISSION", "Open this page by the address that the house gave it.")
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            return _no(403, "X_NO_PERMISSION", "This request came from another site's page; it was not carried out.")
        if request.method not in {b"GET", b"HEAD"}:
            return _no(405, "X_HTTP_405", "Screens are only looked at here; the core takes what is pressed.")
        return None

    def _found(self, parts: SplitResult, headers: Mapping[str, str]) -> Answer:
        if parts.path == "/socket.io/":
            return _socket(parts.query, headers)
        if parts.path.startswith(f"{ASSETS}/"):
            return self._file(parts.path.removeprefix(f"{ASSETS}/"), headers)
        if parts.path.startswith("/screens/"):
            return self._screen(parts.path.removeprefix("/screens/"))
        return _no(404, "X_HTTP_404", "There is nothing here. A screen's address ends with /screens/ and its name.")

    def _screen(self, name: str) -> Answer:
        picture = self._hall.picture(name)
        if picture is None and (self._hall.knows_core or not _is_name(name)):
            return _no(404, "X_NO_SUCH_SCREEN", "There is no such screen. Name it in site.toml under [[screen]].")
        page = self._page.render(
            assets=ASSETS,
            screen=name,
            # Until the core has been heard the page stands without its titles: its script fills them in.
            property_name="" if picture is None else picture.property_name,
            promotion_title="" if picture is None else picture.promotion_title,
            words=page_words("screen"),
        )
        return Answer(200, [*HEADERS, ("Content-Type", "text/html; charset=utf-8")], page.encode())

    def _file(self, name: str, headers: Mapping[str, str]) -> Answer:
        found = self._files.get(name)
        if found is None:
            return _no(404, "X_HTTP_404", "There is no such file.")
        kind, tag, content = found
        told = [*HEADERS, ("Content-Type", kind), ("ETag", tag)]
        return Answer(304, told) if headers.get("if-none-match") == tag else Answer(200, told, content)


def _hostname(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _files(folder: Path) -> dict[str, tuple[str, str, bytes]]:
    """The page's files, read once: their kind, tag and content by their path. Nothing else can be asked for."""
    found = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            content = file.read_bytes()
            kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
            tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
            found[file.relative_to(folder).as_posix()] = (kind, tag, content)
    return found


def _socket(query: str, headers: Mapping[str, str]) -> Answer:
    said = parse_qs(query)
    is_socket = headers.get("upgrade", "").lower() == "websocket" and said.get("transport") == ["websocket"]
    if not is_socket or said.get("EIO") != ["4"]:
        return _no(400, "X_HTTP_400", "A screen connects by WebSocket and Engine.IO 4 alone.")
    return Answer(101, [])


def _is_name(name: str) -> bool:
    return 0 < len(name) <= 100 and name.replace("-", "").replace("_", "").isalnum()


def _no(status: int, code: str, sentence: str) -> Answer:
    body = json.dumps({"code": code, "sentence": sentence}).encode()
    return Answer(status, [*HEADERS, ("Content-Type", "application/json")], body)


# -- the process ------------------------------------------------------------------------------------------------


def run(
    core_url: str,
    host: str = LOOPBACK,
    port: int = 8081,
    *,
    ready: Callable[[str], None] = lambda _url: None,
    until_input_ends: bool = False,
    ping_every: float = 3.0,
    silent_after: float = 3.0,
    secure: SecureScreens | None = None,
) -> None:
    """Serve the screens of the core at `core_url` until SIGTERM or Ctrl-C, or, if so asked, until the input ends.

    `secure`: over HTTPS, too. Raises Refused then: X_PORT_TAKEN, X_NO_CERTIFICATE.

    `ready` is told the address once screens can connect (`port` 0 takes a free one). A screen is pinged every
    `ping_every` seconds and cut when it is silent for `silent_after` more: within that a dead line is noticed on both
    sides. Raises OSError when the port is taken. The core may be started before or after.
    """
    set_up_log()
    _more_files()
    hall = Hall(ping_every=ping_every, silent_after=silent_after)
    serving = _serve(hall, core_url, host, port, ready, until_input_ends=until_input_ends, secure=secure)
    asyncio.run(serving)


async def _serve(
    hall: Hall,
    core_url: str,
    host: str,
    port: int,
    ready: Callable[[str], None],
    *,
    until_input_ends: bool,
    secure: SecureScreens | None,
) -> None:
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    if until_input_ends:
        await loop.connect_read_pipe(lambda: _InputEnd(stopped.set), sys.stdin)
    pages = ScreenPages(hall, LOOPBACK_HOSTS | frozenset(secure.hosts if secure else ()))
    door = None if secure is None else SecureDoor(secure, hall, pages.answer)
    server = await loop.create_server(lambda: Line(pages.answer, hall), host, port, backlog=_BACKLOG)
    about = [asyncio.create_task(work) for work in (CoreLink(core_url, hall).follow(), _keep_pinging(hall))]
    if door is not None:
        about.append(asyncio.create_task(door.let_in()))
    for task in about:
        task.add_done_callback(lambda ended: _must_not_end(ended, stopped.set))
    ready(f"http://{host}:{server.sockets[0].getsockname()[1]}")
    await stopped.wait()
    server.close()
    if door is not None:
        door.close()
    for task in about:
        task.cancel()
    hall.cut_all()


async def _keep_pinging(hall: Hall) -> None:
    turn = 0
    while True:
        await asyncio.sleep(hall.ping_every / _PING_TURNS)
        turn += 1
        hall.ping(turn, _PING_TURNS)


def _must_not_end(ended: asyncio.Task[None], stop: Callable[[], None]) -> None:
    """A server that no longer hears the core or pings would look alive: better it ends, and is started again."""
    if not ended.cancelled():
        fault = ended.exception()
        _log.error("screen_server.broken", kind=type(fault).__name__)
        stop()


class _InputEnd(asyncio.Protocol):
    """Whoever started this process has gone when its input ends, however that ended."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop

    def eof_received(self) -> None:
        self._stop()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's own name
        self._stop()


def _more_files() -> None:
    """A socket is a file to the system, and many allow a process no more than 1,024."""
    with suppress(ValueError, OSError):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))


def main(arguments: list[str]) -> int:
    """`CORE_URL HOST PORT [--until-input-ends] [--secure TEXT]`; prints the address once screens can connect.

    TEXT as `SecureScreens.text` gives it.
    """
    core_url, host, port, *more = arguments
    secure = SecureScreens.from_text(more[more.index("--secure") + 1]) if "--secure" in more else None

    def ready(url: str) -> None:
        sys.stdout.write(f"{url}\n")
        sys.stdout.flush()

    try:
        run(core_url, host, int(port), ready=ready, until_input_ends="--until-input-ends" in more, secure=secure)
    except Refused as refusal:
        sys.stderr.write(f"{refusal.sentence}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
