"""The pages over HTTPS on real sockets: silent callers, wrong ones, plain ones, and a certificate that is renewed."""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from screen_floor import until
from tls_house import NAME, Served, made_in, site_in, trusting

from draw_engine.clock import SteadyClock
from draw_engine.errors import Refused
from kiosk.https.files import TlsFiles
from kiosk.https.live_certificate import LiveCertificate
from kiosk.https.server import TlsServer, serve_tls

HELLO = bytes.fromhex("160301")  # how a handshake begins (RFC 8446, 5.1)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TlsFiles:
    return made_in(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def served(files: TlsFiles) -> Iterator[Served]:
    made = Served(files)
    yield made
    made.end()


# -- what is served ---------------------------------------------------------------------------------------------


def test_a_page_comes_over_tls_and_knows_it(served: Served) -> None:
    answer = served.ask()
    assert json.load(answer) == {"scheme": "https", "secure": True, "from": "127.0.0.1"}
    assert answer.headers["Strict-Transport-Security"] == "max-age=15552000"


def test_large_things_go_both_ways_whole(served: Served) -> None:
    assert served.ask("/large").read() == b"x" * 5_000_000
    assert json.load(served.ask("/taken", "POST", body=b"y" * 3_000_000)) == {"length": 3_000_000}


def test_it_speaks_tls_1_2_and_1_3_with_forward_secrecy_alone(served: Served, files: TlsFiles) -> None:
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        context = trusting(files)
        context.minimum_version = context.maximum_version = version
        with served.secure(context=context) as line:
            (name, _, _) = line.cipher() or ("", "", 0)
            assert name.startswith(("ECDHE-", "TLS_AES_", "TLS_CHACHA20_"))
            assert "GCM" in name or "CHACHA20" in name


def test_it_speaks_nothing_older(served: Served, files: TlsFiles) -> None:
    context = trusting(files)
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(OSError):  # noqa: PT011 - whichever way it is told no
        served.secure(context=context)


def test_a_name_that_is_not_the_house_s_is_refused_by_the_browser(served: Served) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        served.secure("casino.example")


def test_who_does_not_trust_the_authority_does_not_come_in(served: Served) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        served.secure(context=ssl.create_default_context())


# -- silent, slow and broken callers ----------------------------------------------------------------------------


def test_fifty_stalled_handshakes_hold_up_nobody(served: Served) -> None:
    """Open and silent, or in the middle of a handshake: the accept loop must not care."""
    stalled = [served.raw() for _ in range(50)]
    for line in stalled[::2]:
        line.sendall(HELLO)
    began = time.monotonic()
    with ThreadPoolExecutor(4) as several:
        answers = list(several.map(lambda _: served.ask().status, range(12)))
    assert answers == [200] * 12
    assert time.monotonic() - began < 8.0, "nobody waits for the ten seconds of a stalled one"
    assert len(served.lines) >= 50, "they were still there"
    for line in stalled:
        line.close()
    until(lambda: not len(served.lines))


def test_a_stalled_handshake_is_ended(files: TlsFiles) -> None:
    served = Served(files, handshake_seconds=0.3)
    try:
        silent, half = served.raw(), served.raw()
        half.sendall(HELLO)
        # Shaken hands, but then a letter at a time.
        slow = served.secure()
        slow.sendall(b"GET /said HT")
        for line in (silent, half, slow):
            assert line.recv(100) == b""
            line.close()
        until(lambda: not len(served.lines))
        assert served.ask().status == 200
    finally:
        served.end()


def test_a_broken_caller_is_only_its_own_trouble(served: Served) -> None:
    for nonsense in (HELLO + b"\xff" * 400, b"\x16" * 9, b"\x00\x01\x02", b"SSH-2.0-x\r\n\r\n", b"\r\n\r\n", b"GET"):
        with served.raw() as line:
            line.sendall(nonsense)
            line.shutdown(socket.SHUT_WR)
            with_end = b""
            while part := _rest(line):
                with_end += part
            assert len(with_end) < 2_000
    assert served.ask().status == 200


def _rest(line: socket.socket) -> bytes:
    try:
        return line.recv(4_096)
    except ConnectionResetError:
        return b""


def test_a_page_that_breaks_is_answered(served: Served) -> None:
    assert served.ask("/breaks").status == 500
    assert served.ask().status == 200


# -- limits -----------------------------------------------------------------------------------------------------


def test_the_oldest_silent_line_makes_way(files: TlsFiles) -> None:
    served = Served(files, limits={"per_address": 5})
    try:
        silent = [served.raw() for _ in range(5)]
        until(lambda: len(served.lines) == 5)
        assert served.ask().status == 200
        assert silent[0].recv(1) == b"", "the oldest is put out"
        silent[1].settimeout(0.05)
        with pytest.raises(TimeoutError):
            silent[1].recv(1)
        for line in silent:
            line.close()
    finally:
        served.end()


def test_strangers_that_dawdle_over_a_request_keep_nobody_out_who_is_known(files: TlsFiles) -> None:
    """A head that is sent and a body that never comes held a line for five minutes, and 512 of them held all."""

    def reads(environ: Any, start: Any) -> list[bytes]:
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        start("200 OK", [("Content-Length", "0")])
        return []

    limits = {"per_address": 4, "in_all": 4}
    served = Served(files, app=reads, limits=limits, knows=lambda cookies: cookies == "known")
    slow = b"POST /said HTTP/1.1\r\nHost: x\r\n%sContent-Length: 9\r\n\r\n{"
    try:
        known = served.secure()
        known.sendall(slow % b"Cookie: known\r\n")
        until(lambda: any(one.proven for one in served.lines._open.values()))
        strangers = [served.secure() for _ in range(3)]
        for line in strangers:
            line.sendall(slow % b"Cookie: x\r\n")
        assert served.ask().status == 200
        assert served.ask().status == 200
        assert len([one for one in served.lines._open.values() if one.proven]) == 1
        for line in (known, *strangers):
            line.close()
    finally:
        served.end()


# -- plain http -------------------------------------------------------------------------------------------------


def test_plain_http_is_led_to_https(served: Served) -> None:
    answer = served.plainly("/said?x=1", host=f"{NAME}:{served.port}")
    assert (answer.status, answer.headers["Location"]) == (307, f"https://{NAME}:{served.port}/said?x=1")
    assert "Strict-Transport-Security" not in answer.headers, "RFC 6797, 7.2: not over plain http"


def test_over_plain_http_there_is_the_trust_page_alone(served: Served) -> None:
    assert served.plainly("/trust").read() == b"trust http"
    assert served.plainly("/trustful").status == 307
    for path in ("/socket.io/?EIO=4&transport=websocket", "/sign-in", "/static/console/vendor/console.js"):
        assert served.plainly(path).status == 307


def test_over_plain_http_nothing_is_taken(served: Served) -> None:
    for path in ("/taken", "/trust"):
        answer = served.plainly(path, "POST")
        assert (answer.status, json.load(answer)["code"]) == (403, "X_NO_PERMISSION")


@pytest.mark.parametrize("host", ["evil.example", "10.9.9.9", "", "[", "floor.casino.example.evil.example"])
def test_over_plain_http_another_name_is_refused(served: Served, host: str) -> None:
    answer = served.plainly("/trust", host=host)
    assert (answer.status, json.load(answer)["code"]) == (403, "X_NO_PERMISSION")


# -- renewing ---------------------------------------------------------------------------------------------------


def test_a_renewed_certificate_is_taken_while_it_runs(tmp_path: Path) -> None:
    files = made_in(tmp_path)
    served = Served(files)
    try:
        with served.secure() as open_before:
            first = open_before.getpeercert(binary_form=True)
            files.renew(None, now=SteadyClock().now())
            assert _shown(served) == first, "files are looked at once a second"
            served.steady += 1.0
            second = _shown(served)
            assert second != first
            # What is open goes on.
            open_before.sendall(b"GET /said HTTP/1.1\r\nHost: floor.casino.example\r\n\r\n")
            assert open_before.recv(12) == b"HTTP/1.1 200"
        # A half-written pair does no harm, and is taken once it is whole.
        key = files.web.key.read_bytes()
        files.web.key.chmod(0o600)
        files.web.key.write_text("half a key")
        served.steady += 1.0
        assert _shown(served) == second
        files.web.key.write_bytes(key + b"\n")
        served.steady += 1.0
        assert _shown(served) == second
    finally:
        served.end()


def _shown(served: Served) -> bytes | None:
    with served.secure() as line:
        return line.getpeercert(binary_form=True)


# -- starting ---------------------------------------------------------------------------------------------------


def test_without_a_certificate_it_says_what_to_do(tmp_path: Path) -> None:
    site = site_in(tmp_path)
    assert site.web is not None
    with pytest.raises(Refused) as refused:
        serve_tls(lambda _environ, _start: [], site.web, site.hosts)
    assert refused.value.code == "X_NO_CERTIFICATE"
    assert "floordraw tls init" in refused.value.sentence


def test_a_port_that_is_taken_is_said(files: TlsFiles, served: Served) -> None:
    certificate = LiveCertificate(files.web.certificate, files.web.key)
    for listen, port in (("127.0.0.1", served.port), ("203.0.113.7", 0)):
        with pytest.raises(Refused) as refused:
            TlsServer(lambda _environ, _start: [], certificate, listen=listen, port=port, hosts=frozenset())
        assert refused.value.code == "X_PORT_TAKEN"
