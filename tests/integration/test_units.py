"""The units of `systemd/`: sound by systemd's own judgement, little exposed, and their commands are those of ours."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from kiosk.cli.main import floordraw
from kiosk.watchdog import PATIENCE_SECONDS

UNITS = Path(__file__).parents[2] / "systemd"
SERVICES = sorted(UNITS.glob("*.service"))
STANDS_FOR = {
    "FLOORDRAW_CORE": "http://127.0.0.1:8080",
    "STATE_DIRECTORY": "/var/lib/x",
    "CREDENTIALS_DIRECTORY": "/run/credentials/x",
}
OURS = "/opt/floordraw/.venv/bin/floordraw"
MOST_EXPOSED = 2.0
"""Of 10, as `systemd-analyze security` counts; 2.0 is the last figure that it calls OK."""
ANALYZE = shutil.which("systemd-analyze")
needs_systemd = pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not on this machine: install systemd")


def of(unit: Path) -> dict[str, list[str]]:
    """A unit's settings: key -> every value it is given, in order."""
    found: dict[str, list[str]] = {}
    for line in unit.read_text(encoding="utf-8").splitlines():
        if re.match(r"[A-Za-z]+=", line):
            key, _, value = line.partition("=")
            found.setdefault(key, []).append(value)
    return found


def analyze(*said: str) -> subprocess.CompletedProcess[str]:
    assert ANALYZE is not None
    return subprocess.run([ANALYZE, *said], capture_output=True, text=True, timeout=60, check=False)


def test_there_is_a_unit_for_everything_that_runs() -> None:
    assert [unit.name for unit in sorted(UNITS.iterdir()) if unit.is_file()] == [
        *("draw-backup.service", "draw-backup.timer", "draw-floor.service", "floor-bridge@.service"),
        *("floor-screens.service", "floor.target", "print-spool@.service"),
    ]


@needs_systemd
def test_systemd_finds_no_fault_in_them(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("floordraw")
    copies = []
    for unit in sorted(UNITS.iterdir()):
        if unit.is_file():
            copy = tmp_path / unit.name.replace("@", "@one")
            copy.write_text(unit.read_text(encoding="utf-8").replace(OURS, str(program)), encoding="utf-8")
            copies.append(str(copy))
    answer = analyze("verify", "--man=no", *copies)
    assert (answer.returncode, _of_ours(answer.stderr)) == (0, [])


def _of_ours(said: str) -> list[str]:
    """What is said of our units; other units of the machine may have faults of their own."""
    return [line for line in said.splitlines() if re.search(r"draw-|floor|print-spool", line)]


@needs_systemd
@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_a_service_is_little_exposed(unit: Path) -> None:
    answer = analyze("security", "--offline=true", "--no-pager", str(unit))
    told = re.search(r"Overall exposure level for \S+: ([\d.]+)", answer.stdout)
    assert told is not None, answer.stderr
    assert float(told[1]) <= MOST_EXPOSED


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_a_service_runs_a_command_there_is_with_options_it_has(unit: Path) -> None:
    (line,) = of(unit)["ExecStart"]
    line = line.replace("$FLOORDRAW_BRIDGE", "floor simulate --token one=token")
    for name, put in STANDS_FOR.items():
        line = line.replace(f"${{{name}}}", put)
    program, *said = shlex.split(line.replace("%i", "one"))
    assert program == OURS
    command: click.Command = floordraw
    while isinstance(command, click.Group):
        command = command.commands[said.pop(0)]
    context = command.make_context("floordraw", said, resilient_parsing=False)
    assert context.params


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_no_service_runs_as_root_or_sees_the_key_s_file(unit: Path) -> None:
    settings = of(unit)
    assert settings.get("User", ["root"]) != ["root"] or settings["DynamicUser"] == ["yes"]
    assert (settings["NoNewPrivileges"], settings["CapabilityBoundingSet"]) == (["yes"], [""])
    assert settings["UMask"] == ["0077"]
    assert settings["LimitCORE"] == ["0"]  # the watchdog ends a core by SIGABRT: its memory must not be dumped


def test_the_core_tells_when_it_is_ready_and_is_started_again_when_it_stands() -> None:
    core = of(UNITS / "draw-floor.service")
    assert (core["Type"], core["NotifyAccess"], core["Restart"]) == (["notify"], ["main"], ["always"])
    assert core["LoadCredential"] == ["master.key:/etc/floordraw/master.key"]
    # A core that stands is running again before a claim that was announced just then is over (90 s).
    assert float(core["WatchdogSec"][0]) + PATIENCE_SECONDS + float(core["RestartSec"][0]) < 60
    assert core["StartLimitIntervalSec"] == ["0"]


def test_nothing_speaks_to_the_internet() -> None:
    for unit in SERVICES:
        settings = of(unit)
        assert settings["IPAddressDeny"] == ["any"]
        allowed = set(" ".join(settings["IPAddressAllow"]).split())
        assert allowed <= {"localhost", "link-local", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fd00::/8"}


def test_the_folders_are_closed_and_the_users_are_those_of_the_units() -> None:
    rows = [line.split() for line in (UNITS / "tmpfiles.d/floordraw.conf").read_text().splitlines() if line[:1] != "#"]
    assert {row[1]: row[2:5] for row in rows} == {
        "/etc/floordraw": ["0750", "root", "floordraw"],
        "/etc/floordraw/site.toml": ["0640", "root", "floordraw"],
        "/etc/floordraw/rules.toml": ["0640", "root", "floordraw"],
        "/etc/floordraw/master.key": ["0400", "root", "root"],
        "/etc/floordraw/printers": ["0700", "root", "root"],
        "/etc/floordraw/bridges": ["0700", "root", "root"],
        "/var/backups/floordraw": ["0700", "floordraw", "floordraw"],
    }
    made = {
        line.split()[1] for line in (UNITS / "sysusers.d/floordraw.conf").read_text().splitlines() if line[:1] == "u"
    }
    assert {user for unit in SERVICES for user in of(unit).get("User", [])} <= made
