"""`/trust`: what is offered, in the words of `floordraw tls show`, read over plain http by who trusts nothing yet."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import zxingcpp
from command_line import run
from cryptography import x509
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image, ImageDraw
from tls_house import NAME, SHIPPED, Served, made_in, site_in

import kiosk
from config.site import Site, read_site
from kiosk.https.files import TlsFiles
from kiosk.https.server import may_be_plain
from kiosk.https.trust_pages import ordered, trust_routes
from kiosk.https.trust_words import ENGLISH, KINDS
from kiosk.qr_code import qr_svg
from kiosk.refusals import refusals
from kiosk.sign_in.access import Gate, guard, public


def pages(site: Site) -> Flask:
    app = Flask("kiosk", root_path=str(Path(kiosk.__file__).parent), static_url_path="/static/console")
    public(app.view_functions["static"])
    app.register_blueprint(trust_routes(site))
    refusals(app, None)
    guard(app, Gate(None, lambda: 0, hosts=site.hosts))
    return app


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TlsFiles:
    return made_in(tmp_path_factory.mktemp("trust"))


@pytest.fixture(scope="module")
def site(files: TlsFiles) -> Site:
    return site_in(files.authority.parents[2])


@pytest.fixture
def client(site: Site) -> FlaskClient:
    return pages(site).test_client()


@pytest.fixture(scope="module")
def served(files: TlsFiles, site: Site) -> Iterator[Served]:
    made = Served(files, app=pages(site))
    yield made
    made.end()


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_what_is_downloaded_is_the_authority_and_its_hash_the_fingerprint(client: FlaskClient, files: TlsFiles) -> None:
    answer = client.get("/trust/ca.crt")
    assert answer.mimetype == "application/x-x509-ca-cert"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="silverstar-ca.crt"'
    assert x509.load_der_x509_certificate(answer.data) == x509.load_pem_x509_certificate(files.authority.read_bytes())
    # Windows' Get-FileHash of the file is what the page says.
    digits = hashlib.sha256(answer.data).hexdigest().upper()
    page = text_of(client.get("/trust").text)
    assert digits in page.replace(":", "").replace(" ", "")


def test_the_page_says_what_the_command_says(client: FlaskClient, tmp_path: Path, files: TlsFiles) -> None:
    settings = SHIPPED.replace("../var/state", str(files.authority.parents[1]))
    (tmp_path / "site.toml").write_text(f'{settings}\n[web]\nlisten = "127.0.0.1"\nnames = ["{NAME}", "127.0.0.1"]\n')
    shown = run("tls", "show", "--site", tmp_path / "site.toml").output
    found = re.search(r"In words: (.+)", shown)
    assert found
    assert found.group(1) in text_of(client.get("/trust").text)


def test_a_device_that_trusts_nothing_reads_all_of_it_over_plain_http(served: Served) -> None:
    page = served.plainly("/trust").read().decode()
    used = re.findall(r'(?:src|href)="(/[^"]+)"', page)
    assert {"/trust/ca.crt", "/trust/qr.svg"} <= set(used)
    for path in used:
        assert may_be_plain(path), path
        if "/vendor/" not in path:  # made by `node build.mjs`
            assert served.plainly(path).status == 200, path
    style = (Path(kiosk.__file__).parent / "static" / "trust.css").read_text()
    assert "url(" not in style, "what it fetches must be allowed over plain http"


def test_nothing_is_on_the_page_that_its_policy_forbids(client: FlaskClient) -> None:
    answer = client.get("/trust")
    assert "<script" not in answer.text
    assert " style=" not in answer.text
    assert "<style" not in answer.text
    assert "img-src 'self'" in answer.headers["Content-Security-Policy"]


def test_the_code_leads_to_the_page_by_its_address(client: FlaskClient) -> None:
    """Read by zxing-cpp from a picture of the SVG's squares."""
    svg = client.get("/trust/qr.svg").text
    size = int(re.findall(r"viewBox=\"0 0 (\d+)", svg)[0])
    picture = Image.new("L", (size * 6, size * 6), 255)
    draw = ImageDraw.Draw(picture)
    for column, line in re.findall(r"M(\d+) (\d+)h1v1h-1z", svg):
        left, top = int(column) * 6, int(line) * 6
        draw.rectangle((left, top, left + 5, top + 5), fill=0)
    (found,) = zxingcpp.read_barcodes(picture)
    assert found.text == "http://127.0.0.1:8443/trust"
    assert qr_svg("http://127.0.0.1:8443/trust").decode() == svg


@pytest.mark.parametrize(
    ("agent", "first"),
    [
        ("Mozilla/5.0 (Linux; Android 14; SM-X200) Chrome/128", "android"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/17.5 Safari/605.1.15", "ipad"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)", "ipad"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Edg/128", "windows"),
        ("", "android"),
    ],
)
def test_the_reader_s_own_device_comes_first(client: FlaskClient, agent: str, first: str) -> None:
    assert ordered(agent)[0] == first
    assert sorted(ordered(agent)) == sorted(KINDS)
    page = client.get("/trust", headers={"User-Agent": agent}).text
    assert re.findall(r'<h2 id="(android|ipad|windows)"', page)[0] == first


def test_every_word_of_the_page_is_filled_in(client: FlaskClient) -> None:
    page = text_of(client.get("/trust").text)
    assert "{" not in page
    assert "trust." not in page.replace("/trust.", "")
    for kind in KINDS:
        assert sum(key.startswith(f"trust.{kind}.") for key in ENGLISH) >= 4


# -- where there is nothing to install --------------------------------------------------------------------------


def test_a_core_without_https_says_so() -> None:
    client = pages(read_site(SHIPPED.encode())).test_client()
    page = client.get("/trust")
    assert page.status_code == 200
    assert "reached from its own machine alone" in page.text
    assert client.get("/trust/qr.svg").get_json()["code"] == "X_NO_WEB"
    assert client.get("/trust/ca.crt").get_json()["code"] == "X_NO_CERTIFICATE"


def test_a_certificate_that_devices_trust_already_needs_nothing(tmp_path: Path) -> None:
    files = made_in(tmp_path)
    files.authority.unlink()  # as when an authority that everybody knows has signed it
    client = pages(site_in(tmp_path)).test_client()
    page = client.get("/trust")
    assert page.status_code == 200
    assert "Nothing to install" in page.text
    assert f"https://{NAME}:8443/sign-in" in page.text
    assert client.get("/trust/ca.crt").get_json()["code"] == "X_NO_CERTIFICATE"
