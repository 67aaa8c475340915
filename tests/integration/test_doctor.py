"""`floordraw doctor`: a sound house, and each thing that can be wrong with one, the core running or not."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from crash.served import HEARTBEAT, LISTS, TOKENS, Property, free_port, serving_of, utc_now

from config.site import load_site
from draw_engine.clock import SteadyClock
from draw_engine.service import house, intake
from draw_engine.service.engine import Engine
from kiosk.assembly import MASTER_KEY
from kiosk.upkeep import backup, doctor, doctor_machine
from kiosk.upkeep.clock_health import FAR_OFF_MS, ClockHealth, KernelClock, clock_health, kernel_clock
from kiosk.upkeep.doctor_machine import free_space, sync_time

PRINTER = f"""
[[printer]]
id = "receipts"
title = "Receipts"
uses = ["receipts"]
device = "file"
path = "paper"
token_sha256 = "{hashlib.sha256(b"token-of-the-printer").hexdigest()}"
"""
SYNCED = ClockHealth("synchronised", "The clock is synchronised, to within 2 ms.", "", 0.1, 2.0)


def _fill(engine: Engine) -> None:
    for kind, content in LISTS.items():
        house.load_list(engine, kind, content.encode())
    intake.take(engine, "slots-1", HEARTBEAT)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Property:
    """A property that has run once and has a backup; its core is down."""
    made = Property.made(tmp_path_factory.mktemp("sound") / "property", utc_now())
    file = made.folder / "site.toml"
    file.write_text(file.read_text(encoding="utf-8") + PRINTER, encoding="utf-8")
    serving = serving_of(made)
    serving.start()
    serving.core.ask(_fill)
    serving.stop()
    backup.make(load_site(file), file.read_bytes(), made.folder / "backups", now=SteadyClock().now())
    return made


class Looked:
    """What a look at a property found: check -> its levels and codes."""

    def __init__(self, place: Property, *said: str, ports: tuple[int, int] | None = None) -> None:
        port, screens = ports or (free_port(), free_port())
        options = ["--backups", place.folder / "backups", "--port", port, "--screens-port", screens]
        answer = run("doctor", "--site", place.folder / "site.toml", *options, "--json", *said)
        self.exit_code, self.text = answer.exit_code, answer.output
        self.told: dict[str, Any] = json.loads(answer.output)

    def of(self, check: str) -> list[tuple[str, str]]:
        return [(one["level"], one["code"]) for one in self.told["checks"] if one["check"] == check]

    @property
    def bad(self) -> list[tuple[str, str]]:
        return [(one["check"], one["code"]) for one in self.told["checks"] if one["level"] == "bad"]


@pytest.fixture
def place(sound: Property, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Property:
    """A copy of the sound one, on a machine whose clock is right."""
    monkeypatch.setattr(doctor, "clock", lambda: doctor_machine.clock(SYNCED))
    shutil.copytree(sound.folder, tmp_path / "property")
    return Property(tmp_path / "property")


def test_a_sound_house_whose_core_is_down(place: Property) -> None:
    looked = Looked(place)
    assert (looked.exit_code, looked.bad, looked.told["ok"]) == (1, [], True)
    assert looked.of("core") == [("warn", "X_CORE_DOWN")]
    assert looked.of("lists") == [("ok", "")] * 4
    assert looked.of("feeds") == [("warn", "SS_FEED_STALE")] * 2
    assert looked.of("printers") == [("warn", "X_PRINTER_NOT_READY")]
    for check in ("clock", "settings", "master key", "database", "journal", "backup"):
        assert looked.of(check) == [("ok", "")], check


def test_every_finding_has_a_sentence_and_what_is_not_well_says_what_to_do(place: Property) -> None:
    for one in Looked(place).told["checks"]:
        assert one["sentence"].endswith("."), one
        assert (one["level"] == "ok") == (one["code"] == "") == (one["todo"] == ""), one
        assert one["level"] == "ok" or one["todo"].rstrip().endswith((".", ")")), one


def test_in_words_each_trouble_has_its_code_below_it(place: Property) -> None:
    answer = run("doctor", "--site", place.folder / "site.toml", "--backups", place.folder / "none")
    lines = answer.output.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("WARN backup"))
    assert lines[at + 1].strip().endswith("(X_NO_BACKUP)")
    assert "OK   settings" in answer.output


def test_a_core_that_runs(place: Property) -> None:
    serving = serving_of(place)
    serving.start()
    try:
        port = int(serving.url.rpartition(":")[2])
        looked = Looked(place, ports=(port, free_port()))
    finally:
        serving.stop()
    assert looked.of("core") == [("ok", "")]
    assert looked.of("ports") == [("ok", ""), ("bad", "X_NOT_LISTENING")]
    assert looked.of("printers") == [("warn", "X_SPOOL_DOWN")]


def test_another_program_at_the_core_s_port(place: Property, unused: tuple[int, int]) -> None:
    assert ("ports", "X_PORT_TAKEN") in Looked(place, ports=unused).bad


@pytest.fixture
def unused() -> Iterator[tuple[int, int]]:
    """(a port that something else listens at, a free one)."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1], free_port()


# -- what may be wrong ------------------------------------------------------------------------------------------


def test_no_key_an_open_key_and_another_s_key(place: Property) -> None:
    key = place.folder / "state" / MASTER_KEY
    key.chmod(0o444)
    assert Looked(place).bad == [("master key", "X_MASTER_KEY_OPEN")]
    key.unlink()
    assert Looked(place).bad == [("master key", "X_NO_MASTER_KEY")]
    beside = place.folder / MASTER_KEY
    beside.write_bytes(base64.b64encode(b"m" * 32))
    beside.chmod(0o400)
    assert Looked(place).bad == [("master key", "X_WRONG_MASTER_KEY")]


def test_a_key_beside_the_settings_is_found(place: Property) -> None:
    (place.folder / "state" / MASTER_KEY).rename(place.folder / MASTER_KEY)
    assert Looked(place).of("master key") == [("ok", "")]


def test_a_damaged_database(place: Property) -> None:
    base = sqlite3.connect(place.folder / "core.db")
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # else good pages may still lie in the WAL
    base.close()
    file = place.folder / "core.db"
    kept = file.read_bytes()
    file.write_bytes(kept[:4096] + b"\xff" * (len(kept) - 4096))
    looked = Looked(place)
    assert (looked.exit_code, {check for check, _ in looked.bad} >= {"database"}) == (2, True)


def test_a_database_of_another_version(place: Property) -> None:
    base = sqlite3.connect(place.folder / "core.db")
    base.execute("UPDATE alembic_version SET version_num = '0001'")
    base.commit()
    base.close()
    assert Looked(place).of("database") == [("warn", "X_OTHER_SCHEMA")]


def test_a_journal_that_lost_its_end(place: Property) -> None:
    (segment,) = place.journal()
    segment.write_bytes(segment.read_bytes()[:-5])
    assert Looked(place).bad == [("journal", "X_JOURNAL_SHORT")]


def test_lists_that_are_too_old(place: Property) -> None:
    base = sqlite3.connect(place.folder / "core.db")
    base.execute("UPDATE list_versions SET fresh_at = fresh_at - 25 * 3600 * 1000 WHERE kind = 'members'")
    base.execute("DELETE FROM list_versions WHERE kind = 'positions'")
    base.commit()
    base.close()
    assert Looked(place).bad == [("lists", "X_LIST_TOO_OLD")] * 2


def test_a_backup_of_the_day_before_yesterday(place: Property) -> None:
    (made,) = (place.folder / "backups").iterdir()
    manifest = json.loads((made / "manifest.json").read_bytes())
    manifest["made_at"] -= 37 * 3_600_000
    (made / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert Looked(place).of("backup") == [("warn", "X_BACKUP_OLD")]


def test_faults_of_the_settings_are_all_told_and_the_rest_goes_on(place: Property) -> None:
    file = place.folder / "site.toml"
    text = file.read_text(encoding="utf-8").replace('property_name = "Silverstar"', "").replace('"manager"', '"boss"')
    file.write_text(text, encoding="utf-8")
    looked = Looked(place)
    assert looked.exit_code == 2
    assert len(looked.of("settings")) == 3 + 1
    assert looked.of("clock") == [("ok", "")]
    assert looked.of("database") == []


def test_no_settings_at_all(tmp_path: Path) -> None:
    answer = run("doctor", "--site", tmp_path / "none.toml", "--json")
    checks = {one["check"]: one["code"] for one in json.loads(answer.output)["checks"]}
    assert (answer.exit_code, checks["settings"]) == (2, "X_NO_SETTINGS")


def test_a_feed_and_a_printer_without_a_token(place: Property) -> None:
    file = place.folder / "site.toml"
    kept = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("token_sha256")]
    file.write_text("\n".join(kept), encoding="utf-8")
    looked = Looked(place)
    assert looked.of("feeds") == [("warn", "X_NO_TOKEN")] * 2
    assert looked.of("printers") == [("warn", "X_NO_TOKEN")]


def test_it_shows_no_secret_and_changes_nothing(place: Property) -> None:
    def kept() -> dict[str, tuple[str, int]]:
        return {
            str(file): (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mode)
            for file in sorted(place.folder.rglob("*"))
            if file.is_file() and not file.name.endswith(("-shm", "-wal"))
        }

    before = kept()
    looked = Looked(place)
    assert kept() == before
    key = (place.folder / "state" / MASTER_KEY).read_text(encoding="ascii").strip()
    secrets = [key, base64.b64decode(key).hex(), *TOKENS.values()]
    secrets += [hashlib.sha256(token.encode()).hexdigest() for token in TOKENS.values()]
    members = [row.split(",")[0] for row in LISTS["members"].splitlines()[1:]]
    assert not [one for one in [*secrets, *members] if one in looked.text]


def test_a_certificate_and_the_days_that_it_has_left(place: Property, monkeypatch: pytest.MonkeyPatch) -> None:
    file = place.folder / "site.toml"
    web = f'[web]\nlisten = "127.0.0.1"\nnames = ["127.0.0.1"]\nport = {free_port()}\nscreens_port = {free_port()}\n'
    file.write_text(file.read_text(encoding="utf-8") + web, encoding="utf-8")
    assert Looked(place).of("certificate") == [("bad", "X_NO_CERTIFICATE")]
    assert run("tls", "init", "--site", file).exit_code == 0
    assert Looked(place).of("certificate") == [("ok", "")]
    monkeypatch.setattr("kiosk.upkeep.doctor_property._DAYS_LEFT", 10_000)
    assert Looked(place).of("certificate") == [("warn", "X_CERTIFICATE_ENDS")]


# -- clock and disk ---------------------------------------------------------------------------------------------


def test_the_kernel_is_asked_and_answers() -> None:
    told = kernel_clock()
    # The kernel calls a clock unsynchronised when its error may be 16 s (adjtimex(2)); it counts up to there.
    assert 0 < told.most_off_ms <= 16_000


@pytest.mark.parametrize(
    ("kernel", "state", "level"),
    [
        (KernelClock(synchronised=True, offset_ms=-0.2, most_off_ms=4), "synchronised", "ok"),
        (KernelClock(synchronised=True, offset_ms=0, most_off_ms=FAR_OFF_MS + 1), "unsynchronised", "bad"),
        (KernelClock(synchronised=False, offset_ms=0, most_off_ms=16_000), "unsynchronised", "bad"),
        (None, "unknown", "warn"),
    ],
)
def test_a_clock_in_words(kernel: KernelClock | None, state: str, level: str) -> None:
    def ask() -> KernelClock:
        if kernel is None:
            raise PermissionError
        return kernel

    health = clock_health(ask)
    found = doctor_machine.clock(health)
    assert (health.state, found.level) == (state, level)
    assert (found.code == "X_CLOCK_UNSYNCED") == (level == "bad")


def test_space_and_syncs_have_limits() -> None:
    gib = 1 << 30
    assert [free_space("x", n).code for n in (6 * gib, 4 * gib, gib // 2)] == ["", "X_DISK_LOW", "X_DISK_FULL"]
    assert [sync_time("x", *times).level for times in ((5, 40), (5, 1_500), (80, 90), (1_200, 1_300))] == [
        *("ok", "warn", "warn", "bad")
    ]


def test_a_demo_s_lists_are_as_old_as_they_are_on_its_own_clock(place: Property) -> None:
    """Its floor is of 2023, whatever the machine's clock says."""
    base = sqlite3.connect(place.folder / "core.db")
    base.execute("UPDATE list_versions SET fresh_at = 1696679940000, loaded_at = 1696679940000")  # 13:59 on 7 October
    assert base.execute("INSERT INTO settings VALUES ('demo.clock', '1696680000000')").rowcount == 1
    base.commit()
    base.close()
    assert Looked(place).of("lists") == [("ok", "")] * 4


def test_a_restored_database_is_put_right_by_the_core_s_start(place: Property) -> None:
    base = sqlite3.connect(place.folder / "core.db")
    base.execute("PRAGMA journal_mode = DELETE")
    base.close()
    assert Looked(place).of("database") == [("warn", "X_DATABASE_NOT_WAL")]
