"""The offline bundle: everything that a machine without a network needs, in one file (`make bundle`).

Wheels by the lock file's hashes, this package's own with its pages built, docs, units, examples, `SHA256SUMS` over all
of it and `install.sh`. It is for the Python and the processor that it was made with.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

from draw_engine.errors import Refused

_PAGES = (
    "kiosk/static/vendor/console.js",
    "kiosk/static/vendor/crew.js",
    "web_display/static/vendor/screen.js",
)
_FOLDERS = ("docs", "systemd")
SUMS = "SHA256SUMS"


def make_bundle(project: Path, out: Path, version: str) -> Path:
    """Make `floordraw-VERSION-….tar.gz` in `out`. Raises Refused X_NOT_BUILT without built pages, or when pip fails."""
    missing = [page for page in _PAGES if not (project / page).is_file()]
    if missing:
        raise Refused("X_NOT_BUILT", f"The pages are not built ({missing[0]} is missing): run `make pages` first.")
    name = f"floordraw-{version}-{sys.platform}-{platform.machine()}-py{sys.version_info[0]}{sys.version_info[1]}"
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "wheels").mkdir(parents=True)
    _gather_wheels(project, folder / "wheels")
    (folder / "requirements.txt").write_text(requirements_of(folder / "wheels"), encoding="ascii")
    for part in _FOLDERS:
        shutil.copytree(project / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "config").mkdir()
    shutil.copy(project / "config" / "site.toml", folder / "config")
    shutil.copytree(project / "config" / "rule_books", folder / "config" / "rule_books")
    shutil.copy(project / "offline" / "install.sh", folder)
    (folder / "VERSION").write_text(f"{version}\n", encoding="ascii")
    (folder / "PYTHON").write_text(f"{sys.version_info[0]}.{sys.version_info[1]}\n", encoding="ascii")
    (folder / SUMS).write_text(sums_of(folder), encoding="utf-8")
    packed = out / f"{name}.tar.gz"
    pack(folder, packed)
    return packed


def _gather_wheels(project: Path, into: Path) -> None:
    """What the lock file names, fetched and checked by hash; what has no wheel is built; then this package's own."""
    lock = str(project / "requirements.lock")
    _pip(["wheel", "--require-hashes", "--no-deps", "-r", lock, "-w", str(into)])
    _pip(["wheel", "--no-deps", "--no-build-isolation", "-w", str(into), str(project)])


def _pip(said: Sequence[str]) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *said]
    done = subprocess.run(command, check=False)  # noqa: S603 - our own words
    if done.returncode:
        raise Refused("X_NOT_BUILT", "pip could not fetch or build a wheel; it says why above.")


def requirements_of(wheels: Path) -> str:
    """Each wheel of the folder by name, version and SHA-256, for `pip install --no-index --require-hashes`."""
    lines = []
    for wheel in sorted(wheels.glob("*.whl")):
        name, version, *_ = wheel.name.split("-")
        lines.append(f"{name}=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n")
    return "".join(lines)


def sums_of(folder: Path) -> str:
    """The lines of SHA256SUMS: every file of the folder but itself, as `sha256sum -c` reads them."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    return "".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(folder).as_posix()}\n" for file in files
    )


def pack(folder: Path, packed: Path) -> None:
    """The folder as a tar.gz that is the same whoever packs it, and when."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = member.mtime = 0
        member.uname = member.gname = ""
        member.mode = 0o755 if member.isdir() or member.name.endswith(".sh") else 0o644
        return member

    part = packed.with_name(f"{packed.name}.part")
    with tarfile.open(part, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in [folder, *sorted(folder.rglob("*"))]:
            archive.add(path, f"{folder.name}/{path.relative_to(folder)}".rstrip("/."), recursive=False, filter=plain)
    part.replace(packed)


def try_bundle(packed: Path, folder: Path) -> str:
    """Install the bundle into an empty folder with no network to be had, and run what was installed. Gives its version.

    Raises CalledProcessError when it does not install or does not run.
    """
    with tarfile.open(packed) as archive:
        # Python 3.11 before its fourth release, as Debian 12 has it, knows no filter; the archive is our own.
        if hasattr(tarfile, "data_filter"):
            archive.extractall(folder, filter="data")
        else:
            archive.extractall(folder)  # noqa: S202 - as above
    unpacked = folder / packed.name.removesuffix(".tar.gz")
    alone = {"PATH": os.environ["PATH"], "HOME": str(folder), "PIP_CONFIG_FILE": os.devnull}
    alone |= {"PIP_INDEX_URL": "http://127.0.0.1:9/", "http_proxy": "http://127.0.0.1:9", "PYTHON": sys.executable}
    into = folder / "floordraw"

    def run(*command: str) -> str:
        done = subprocess.run(command, check=True, env=alone, cwd=folder, capture_output=True, text=True)  # noqa: S603 - our own words
        return done.stdout.strip()

    site = folder / "site.toml"
    run("sh", str(unpacked / "install.sh"), str(into), str(site))
    shutil.copy(into / "config" / "site.toml", site)
    command = str(into / ".venv" / "bin" / "floordraw")
    run(command, "init", "--site", str(site))
    rules = str(into / "config" / "rule_books" / "silverstar-playtime.toml")
    run(command, "rules", "check", rules)
    asked = (
        "import pathlib, kiosk.assembly; "
        "assert (pathlib.Path(kiosk.assembly.__file__).parent / 'static/vendor/console.js').is_file(); "
        "print(kiosk.assembly.VERSION)"
    )
    return run(str(into / ".venv" / "bin" / "python"), "-c", asked)


def main(arguments: Sequence[str]) -> int:
    """`python -m kiosk.upkeep.bundle OUT [--try FOLDER]`, from the project's own folder."""
    from kiosk.assembly import VERSION  # noqa: PLC0415 - not needed to make the sums

    try:
        packed = make_bundle(Path.cwd(), Path(arguments[0]), VERSION)
    except Refused as refusal:
        sys.stderr.write(f"{refusal.sentence} ({refusal.code})\n")
        return 1
    sys.stdout.write(f"{packed} ({packed.stat().st_size / 1e6:.1f} MB)\n")
    if len(arguments) == 3:
        folder = Path(arguments[2])
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            tried = try_bundle(packed, folder.absolute())
            sys.stdout.write(f"It installs and runs without a network: version {tried}.\n")
        except subprocess.CalledProcessError as fault:
            sys.stderr.write(f"It does not: {fault.stdout}{fault.stderr}\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
