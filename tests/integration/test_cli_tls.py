"""`floordraw tls`: made, renewed, the property's own taken or refused with reasons, shown; keys for their owner."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest
from command_line import failed, run
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from tls_house import SHIPPED

from draw_engine.clock import SteadyClock
from kiosk.https.certificates import Made, issue, make_authority

NAMES = ("floor.casino.example", "10.0.5.20")


def site_file(folder: Path, *names: str, more: str = "") -> Path:
    listed = ", ".join(f'"{name}"' for name in names or NAMES)
    file = folder / "site.toml"
    web = f'\n[web]\nlisten = "127.0.0.1"\nnames = [{listed}]\n{more}'
    file.write_text(SHIPPED.replace("../var/", "") + web, encoding="utf-8")
    return file


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return site_file(tmp_path)


@pytest.fixture
def tls(tmp_path: Path) -> Path:
    return tmp_path / "state" / "tls"


def certificate(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


def brought(folder: Path, *names: str) -> tuple[Path, Path, Path, Made]:
    """What a property's own authority made: certificate, key, authority."""
    now = SteadyClock().now()
    authority = make_authority("Head office", ["casino.example", "10.0.0.0/8"], now=now)
    made = issue(authority.certificate, authority.key, names or NAMES, now=now)
    files = (folder / "theirs.pem", folder / "theirs.key", folder / "office.pem")
    files[0].write_bytes(made.certificate.public_bytes(Encoding.PEM))
    files[1].write_bytes(made.key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()))
    files[2].write_bytes(authority.certificate.public_bytes(Encoding.PEM))
    return *files, made


def test_init_makes_an_authority_and_a_certificate_and_keys_for_their_owner_alone(site: Path, tls: Path) -> None:
    said = run("tls", "init", "--site", site)
    assert said.exit_code == 0, said.output
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in tls.iterdir()} == {
        "ca.crt": 0o444, "ca.key": 0o400, "server.crt": 0o444, "server.key": 0o400,
    }  # fmt: skip
    assert stat.S_IMODE(tls.stat().st_mode) == 0o700
    certificate(tls / "server.crt").verify_directly_issued_by(certificate(tls / "ca.crt"))
    assert "floor.casino.example, 10.0.5.20" in said.output
    assert "http://10.0.5.20:8443/trust" in said.output
    assert "PRIVATE" not in said.output


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_root_makes_belongs_to_whom_the_state_folder_belongs(site: Path, tls: Path) -> None:
    tls.parent.mkdir()
    os.chown(tls.parent, 12_345, 12_346)
    assert run("tls", "init", "--site", site).exit_code == 0
    assert {(path.stat().st_uid, path.stat().st_gid) for path in (tls, *tls.iterdir())} == {(12_345, 12_346)}


def test_a_second_init_changes_nothing_unless_told(site: Path, tls: Path) -> None:
    run("tls", "init", "--site", site)
    before = {path.name: path.read_bytes() for path in tls.iterdir()}
    assert "nothing was changed" in failed("tls", "init", "--site", site)
    assert {path.name: path.read_bytes() for path in tls.iterdir()} == before
    assert run("tls", "init", "--anew", "--site", site).exit_code == 0
    assert all(path.read_bytes() != before[path.name] for path in tls.iterdir())


def test_renew_keeps_the_authority_and_takes_a_new_name_within(site: Path, tls: Path, tmp_path: Path) -> None:
    run("tls", "init", "--within", "casino.example", "--site", site)
    authority, first = (tls / "ca.crt").read_bytes(), certificate(tls / "server.crt")
    site_file(tmp_path, "floor.casino.example", "draws.casino.example")
    assert "does not cover draws.casino.example" in run("tls", "show", "--site", site).output
    assert run("tls", "renew", "--site", site).exit_code == 0
    second = certificate(tls / "server.crt")
    assert (tls / "ca.crt").read_bytes() == authority
    assert second.serial_number != first.serial_number
    assert run("tls", "show", "--site", site).exit_code == 0
    site_file(tmp_path, "floor.other.example")
    assert "may not sign for floor.other.example" in failed("tls", "renew", "--site", site)
    assert certificate(tls / "server.crt") == second


def test_renew_when_it_is_time_alone(site: Path, tls: Path) -> None:
    run("tls", "init", "--site", site)
    first = certificate(tls / "server.crt")
    assert "nothing was changed" in run("tls", "renew", "--if-within", 60, "--site", site).output
    assert certificate(tls / "server.crt") == first
    assert run("tls", "renew", "--if-within", 397, "--site", site).exit_code == 0
    assert certificate(tls / "server.crt") != first


def test_the_authority_s_key_may_lie_elsewhere(site: Path, tls: Path, tmp_path: Path) -> None:
    run("tls", "init", "--site", site)
    away = (tls / "ca.key").rename(tmp_path / "stick.key")
    assert "--ca-key" in failed("tls", "renew", "--site", site)
    assert run("tls", "renew", "--ca-key", away, "--site", site).exit_code == 0
    away.chmod(0o600)
    away.write_bytes(brought(tmp_path)[1].read_bytes())
    assert "another one's" in failed("tls", "renew", "--ca-key", away, "--site", site)


# -- the property's own -----------------------------------------------------------------------------------------


def test_the_property_s_own_is_taken(site: Path, tls: Path, tmp_path: Path) -> None:
    run("tls", "init", "--site", site)
    chain, key, office, made = brought(tmp_path)
    said = run("tls", "use", chain, key, "--ca", office, "--site", site)
    assert said.exit_code == 0, said.output
    assert certificate(tls / "server.crt") == made.certificate
    assert stat.S_IMODE((tls / "server.key").stat().st_mode) == 0o400
    shown = run("tls", "show", "--site", site)
    digest = re.search(r"([0-9A-F]{2}:){31}[0-9A-F]{2}", shown.output)
    assert digest
    office_digest = certificate(office).fingerprint(SHA256())
    assert digest.group().replace(":", "").lower() == office_digest.hex()
    # Renewing it by our own authority would take it away again by surprise.
    assert "floordraw tls use" in failed("tls", "renew", "--site", site)
    assert certificate(tls / "server.crt") == made.certificate


def test_every_reason_not_to_take_it_is_said_and_nothing_changes(site: Path, tls: Path, tmp_path: Path) -> None:
    run("tls", "init", "--site", site)
    before = {path.name: path.read_bytes() for path in tls.iterdir()}
    chain, key, office, _ = brought(tmp_path, "floor.casino.example")
    said = failed("tls", "use", chain, tls / "ca.key", "--ca", tls / "ca.crt", "--site", site)
    assert "The key is not the certificate's" in said
    assert "does not cover 10.0.5.20" in said
    assert "did not sign the last certificate" in said
    assert "line BEGIN CERTIFICATE" in failed("tls", "use", key, key, "--site", site)
    assert "line BEGIN PRIVATE KEY" in failed("tls", "use", chain, office, "--site", site)
    assert "cannot be read" in failed("tls", "use", tmp_path / "none.pem", key, "--site", site)
    assert {path.name: path.read_bytes() for path in tls.iterdir()} == before


def test_a_key_with_a_password_is_refused(site: Path, tmp_path: Path) -> None:
    chain, key, _, made = brought(tmp_path)
    key.write_bytes(made.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")))
    said = failed("tls", "use", chain, key, "--site", site)
    assert "has a password" in said
    assert "secret" not in said


def test_files_that_the_settings_name_are_left_alone(tmp_path: Path, tls: Path) -> None:
    chain, key, _, _ = brought(tmp_path)
    site = site_file(tmp_path, more=f'certificate = "{chain}"\nkey = "{key}"\n')
    assert run("tls", "show", "--site", site).exit_code == 0
    for verb in (["init"], ["renew"], ["use", chain, key]):
        assert "put the new one there" in failed("tls", *verb, "--site", site)
    assert not tls.exists()


# -- looking ----------------------------------------------------------------------------------------------------


def test_show_says_what_a_person_compares(site: Path, tls: Path) -> None:
    run("tls", "init", "--site", site)
    shown = run("tls", "show", "--site", site)
    assert shown.exit_code == 0
    assert "395 days" in shown.output or "396 days" in shown.output
    words = re.search(r"In words: (.+)", shown.output)
    assert words
    assert len(words.group(1).split()) == 8
    (tls / "server.crt").unlink()
    assert "floordraw tls init" in failed("tls", "show", "--site", site)


def test_without_web_it_says_what_to_write(tmp_path: Path) -> None:
    site = tmp_path / "site.toml"
    site.write_text(SHIPPED, encoding="utf-8")
    for verb in ("init", "renew", "show"):
        assert "site.toml has no [web]" in failed("tls", verb, "--site", site)
