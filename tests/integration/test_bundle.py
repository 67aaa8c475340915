"""The offline bundle: whole or not installed, the version in use stays where the new one may not be put in.

`make bundle` makes the real one and installs it in an empty folder with no network; here a small one stands for it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from draw_engine.errors import Refused
from kiosk.upkeep.bundle import SUMS, make_bundle, pack, requirements_of, sums_of

PROJECT = Path(__file__).parents[2]
PROGRAM = """\
import sys
def main():
    print("{version}", *sys.argv[1:])
    sys.exit({code})
"""


def wheel(folder: Path, version: str, code: int) -> None:
    """A wheel with a command `floordraw` that says its version and ends with a code."""
    info = f"floordraw-{version}.dist-info"
    files = {
        "small_floordraw.py": PROGRAM.format(version=version, code=code),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: floordraw\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\nfloordraw = small_floordraw:main\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"floordraw-{version}-py3-none-any.whl", "w") as packed:
        for name, text in [*files.items(), (f"{info}/RECORD", record)]:
            packed.writestr(name, text)


def bundle(folder: Path, version: str, code: int = 0) -> Path:
    for part in ("wheels", "docs", "systemd", "config"):
        (folder / part).mkdir(parents=True)
    wheel(folder / "wheels", version, code)
    (folder / "docs" / "a page.md").write_text(version)
    (folder / "VERSION").write_text(f"{version}\n")
    (folder / "PYTHON").write_text("{}.{}\n".format(*sys.version_info[:2]))
    (folder / "requirements.txt").write_text(requirements_of(folder / "wheels"))
    shutil.copy(PROJECT / "offline" / "install.sh", folder)
    (folder / SUMS).write_text(sums_of(folder))
    return folder


def install(made: Path, into: Path, site: Path) -> subprocess.CompletedProcess[str]:
    told = os.environ | {"PYTHON": sys.executable, "PIP_INDEX_URL": "http://127.0.0.1:9/"}
    command = ["sh", str(made / "install.sh"), str(into), str(site)]
    return subprocess.run(command, env=told, capture_output=True, text=True, check=False)


def test_it_is_installed_and_a_new_version_only_where_it_may_be_put_in(tmp_path: Path) -> None:
    into, site = tmp_path / "opt", tmp_path / "site.toml"
    told = install(bundle(tmp_path / "one", "1.0"), into, site)
    assert told.returncode == 0, told.stderr
    command = [str(into / ".venv" / "bin" / "floordraw")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "1.0\n"
    assert (into / "docs" / "a page.md").read_text() == "1.0"
    site.touch()
    told = install(bundle(tmp_path / "two", "2.0", code=1), into, site)
    assert told.returncode == 1
    assert told.stdout == f"2.0 upgrade check --site {site}\n"
    assert told.stderr.endswith("Not installed: what is in use stays as it is.\n")
    assert (into / "docs" / "a page.md").read_text() == "1.0"
    assert len(list((into / "versions").iterdir())) == 1


@pytest.mark.parametrize("harm", ["changed", "missing", "added", "python"])
def test_what_is_not_whole_or_not_for_this_machine_is_not_installed(tmp_path: Path, harm: str) -> None:
    made = bundle(tmp_path / "one", "1.0")
    if harm == "changed":
        (made / "docs" / "a page.md").write_text("1.1")
    elif harm == "missing":
        (made / "VERSION").unlink()
    elif harm == "added":
        (made / "wheels" / "other-1.0-py3-none-any.whl").touch()
    else:
        (made / "PYTHON").write_text("2.7\n")
        (made / SUMS).write_text(sums_of(made))
    told = install(made, tmp_path / "opt", tmp_path / "site.toml")
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.strip()
    assert not (tmp_path / "opt").exists()


def test_it_is_the_same_whenever_it_is_packed(tmp_path: Path) -> None:
    digests = set()
    for name in ("first", "second"):
        made = bundle(tmp_path / name / "floordraw-1.0", "1.0")
        pack(made, tmp_path / name / "packed.tar")
        with tarfile.open(tmp_path / name / "packed.tar") as archive:
            members = archive.getmembers()
        assert {(member.mtime, member.uid, member.uname) for member in members} == {(0, 0, "")}
        assert {member.name for member in members} >= {"floordraw-1.0/install.sh", "floordraw-1.0/docs/a page.md"}
        digests.add(hashlib.sha256(b"".join(sorted(member.name.encode() for member in members))).hexdigest())
    assert len(digests) == 1


def test_without_built_pages_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="X_NOT_BUILT"):
        make_bundle(tmp_path, tmp_path / "out", "1.0")
