"""A device learns to trust the house: it reads `/trust` in the open, takes the certificate, and is warned no more."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ARGUMENTS, _chromium
from playwright.sync_api import Browser, Error, Page

sys.path.append(str(Path(__file__).resolve().parents[1] / "integration"))

from flask import Flask
from tls_house import NAME, Served, made_in, site_in, small_app

from kiosk.https.trust_pages import trust_routes
from kiosk.sign_in.access import Gate, guard, public

HERE = Path(__file__).parent
TOP = HERE.parents[1]
STORE = ".pki/nssdb"
"""Where Chromium keeps it, in the home folder of whoever runs it."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("house")
    files, site = made_in(folder), site_in(folder)
    app = Flask("kiosk", root_path=str(TOP / "kiosk"), static_url_path="/static/console")
    public(app.view_functions["static"])
    app.register_blueprint(trust_routes(site))
    app.add_url_rule("/said", view_func=public(small_app().view_functions["said"]))
    guard(app, Gate(None, lambda: 0, hosts=site.hosts))
    made = Served(files, app=app)
    yield made
    made.end()


@pytest.fixture
def device(browser: Browser, tmp_path: Path) -> Iterator[Browser]:
    """A browser that finds the house by its name; its home is `tmp_path`."""
    made = browser.browser_type.launch(
        executable_path=_chromium(whole=True),  # it has the store of authorities
        args=[*ARGUMENTS, f"--host-resolver-rules=MAP {NAME} 127.0.0.1, MAP other.example 127.0.0.1"],
        env={**os.environ, "HOME": str(tmp_path)},
    )
    yield made
    made.close()


@pytest.fixture
def trusted(served: Served, tmp_path: Path) -> None:
    """What `/trust` gave is trusted, as a person does it in the device's settings."""
    file = tmp_path / "silverstar-ca.crt"
    file.write_bytes(served.plainly("/trust/ca.crt").read())
    helper = [sys.executable, str(HERE / "trusting_browser.py"), str(tmp_path / STORE), str(file)]
    subprocess.run(helper, check=True, timeout=30)


def says(page: Page, url: str) -> str:
    """ "" when the page came, else what the browser says instead."""
    try:
        answer = page.goto(url)
    except Error as trouble:
        return str(trouble)
    assert answer is not None
    return "" if answer.status == 200 else str(answer.status)


def test_a_device_that_has_trusted_nothing_is_warned(served: Served, device: Browser) -> None:
    page = device.new_page()
    assert "ERR_CERT_AUTHORITY_INVALID" in says(page, f"https://{NAME}:{served.port}/said")
    page = device.new_page()  # the warning is still coming up in the other one
    assert says(page, f"http://127.0.0.1:{served.port}/trust") == ""
    assert page.get_by_role("link", name="Download certificate").is_visible()
    sizes = page.evaluate("[document.images[0].naturalWidth > 0, document.fonts.status, document.styleSheets.length]")
    assert sizes == [True, "loaded", 1]


@pytest.mark.usefixtures("trusted")
def test_once_it_trusts_the_authority_it_is_warned_no_more(served: Served, device: Browser) -> None:
    """Chromium's own verifier, name constraints and all; for the house's names and no other."""
    context = device.new_context()
    page = context.new_page()
    assert says(page, f"https://{NAME}:{served.port}/said") == ""
    assert says(page, f"https://127.0.0.1:{served.port}/said") == ""
    assert "ERR_CERT_COMMON_NAME_INVALID" in says(page, f"https://other.example:{served.port}/said")
    # It has been there by https: now it goes there by https alone (HSTS), which /trust itself does not ask for.
    request = context.new_page().goto(f"http://{NAME}:{served.port}/trust")
    assert request is not None
    assert request.url.startswith("https://")
