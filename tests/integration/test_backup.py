"""Backups: made in a running session under presses, put back elsewhere with the key from paper, and gone on with."""

from __future__ import annotations

import base64
import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from casino import NALEDI, SIPHO, THANDI, Casino, Session, book_toml, jhb, seat_everybody
from click.testing import CliRunner
from command_line import failed, run
from loopback import FIRST, Loopback, pressed, site_toml
from sqlalchemy import create_engine

from config.site import load_site
from draw_engine.clock import SetClock
from draw_engine.errors import Refused
from draw_engine.log import slip_text
from draw_engine.seeds import SystemSeeds
from draw_engine.service.engine import Engine
from draw_engine.service.publishing import published_copy, shown
from draw_engine.store.database import open_database
from draw_engine.store.paper_key import on_paper
from draw_engine.store.people_tables import metadata
from draw_engine.verify import verify
from draw_engine.verify.report import HOLDS
from kiosk.assembly import house_of, lock_core, open_engine, open_store
from kiosk.cli.main import floordraw
from kiosk.core import Core
from kiosk.printing.slip_files import SlipFiles
from kiosk.upkeep import backup, restore
from kiosk.upkeep.backup_manifest import MANIFEST, read_manifest

BOOK = book_toml(Session("first", "14:00", "14:06", awards=3))
NOW = jhb("14:02")
CUT = 8
"""Selections and presses go on while the backup is made."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[Loopback]:
    """A session that runs: somebody has been paid, and the slips of its opening lie beside the database."""
    made = Loopback(tmp_path_factory.mktemp("property"), migrated, now="13:49:30", book=BOOK)
    made.core.ask(lambda engine: SlipFiles(engine, made.site.state_dir / "slips"))
    made.load_lists()
    made.seat(S_0412=THANDI, S_0501=NALEDI, S_0502=SIPHO)
    made.play("13:59", pay=True)
    while not made.said("claim.confirmed"):
        made.play_on()
        made.ask(_pay)
    yield made
    made.close()


@pytest.fixture(scope="module")
def made(place: Loopback, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup, made while a thread presses on the same core without end."""
    stop, pressed_on = threading.Event(), threading.Event()
    asked: list[int] = []

    def press() -> None:
        while not stop.is_set():
            place.play_on()
            asked.append(place.clock.now())
            if len(asked) >= CUT:
                pressed_on.set()

    presser = threading.Thread(target=press)
    presser.start()
    try:
        assert pressed_on.wait(30)
        begun = len(asked)
        done = backup.make(place.site, _toml(place), tmp_path_factory.mktemp("backups"), now=NOW)
        assert len(asked) > begun  # nobody waited for it
    finally:
        stop.set()
        presser.join()
    return done


def _pay(engine: Engine) -> None:
    for draw in engine.draws.values():
        for claim in draw.state.running():
            pressed(engine, draw.state.id, claim.ordinal, "found", "confirmed")


def _toml(place: Loopback) -> bytes:
    return (place.folder / "site.toml").read_bytes()


def _paper(place: Loopback) -> str:
    key = base64.b64decode((place.folder / "state" / "master.key").read_bytes())
    return on_paper(base64.b32encode(key).decode().rstrip("="))


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    return tmp_path / "elsewhere" / "site.toml"


# -- making -----------------------------------------------------------------------------------------------------


def test_it_holds_everything_but_keys(place: Loopback, made: Path) -> None:
    manifest = read_manifest(made)
    assert backup.check(made) == []
    tops = {name.partition("/")[0] for name in manifest.files}
    assert tops == {"database.db", "journal", "site.toml", "rules", "slips"}
    assert (made / "rules" / f"{place.house.books[0].rules.sha256}.toml").read_bytes() == BOOK
    key = base64.b64decode((place.folder / "state" / "master.key").read_bytes())
    forms = [key, key.hex().encode(), base64.b64encode(key), base64.b32encode(key).rstrip(b"=")]
    for file in (path for path in made.rglob("*") if path.is_file()):
        data = file.read_bytes()
        assert not any(form in data for form in forms), file
        assert file.stat().st_mode & 0o077 == 0
    assert made.stat().st_mode & 0o077 == 0


def test_its_journal_ends_where_the_database_had_counted(made: Path) -> None:
    manifest = read_manifest(made)
    assert manifest.journal is not None
    segment, length, _ = manifest.journal
    with sqlite3.connect(f"file:{made / 'database.db'}?mode=ro", uri=True) as base:
        assert base.execute("SELECT segment, length FROM journal_head").fetchone() == (segment, length)
        assert base.execute("SELECT seq, hash FROM log_head").fetchone() == manifest.head
    data = (made / "journal" / f"{segment}.jsonl").read_bytes()
    assert len(data) == length
    assert all(json.loads(line)["event"] for line in data.splitlines())


def test_a_certificate_that_devices_trust_is_in_it_and_no_key_of_one(
    place: Loopback, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    tls = place.folder / "state" / "tls"
    tls.mkdir()
    request.addfinalizer(lambda: shutil.rmtree(tls))
    for name in ("ca.crt", "ca.key", "server.crt", "server.key"):
        (tls / name).write_text(name)
    done = backup.make(place.site, _toml(place), tmp_path, now=NOW)
    assert [path.name for path in (done / "certificates").iterdir()] == ["ca.crt"]
    assert not list(done.rglob("*.key"))


def test_the_oldest_go_and_another_property_s_stay(place: Loopback, tmp_path: Path) -> None:
    for second in range(3):
        backup.make(place.site, _toml(place), tmp_path, now=NOW + second * 1000)
    other = shutil.copytree(backup.backups_in(tmp_path)[0][0], tmp_path / "other")
    text = (other / MANIFEST).read_text()
    (other / MANIFEST).write_text(text.replace('"property": "silverstar"', '"property": "other"'))
    (tmp_path / "half.part").mkdir()
    gone = backup.prune(tmp_path, "silverstar", 2)
    assert [path.name for path in gone] == ["silverstar-20231007T120200Z"]
    left = [path.name for path, _ in backup.backups_in(tmp_path, "silverstar")]
    assert left == ["silverstar-20231007T120201Z", "silverstar-20231007T120202Z"]
    assert other.exists()


def test_one_that_does_not_hold_is_not_kept(place: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup, "check", lambda _: ["the disk lied"])
    with pytest.raises(Refused, match="the disk lied"):
        backup.make(place.site, _toml(place), tmp_path, now=NOW)
    assert list(tmp_path.iterdir()) == []


# -- checking ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["database.db", "site.toml", "journal", "slips", "rules"])
def test_a_byte_that_changed_anywhere_is_found(made: Path, tmp_path: Path, name: str) -> None:
    copy = shutil.copytree(made, tmp_path / "copy")
    file = copy / name if (copy / name).is_file() else next((copy / name).iterdir())
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    assert "was changed" in " ".join(backup.check(copy))
    assert "was changed" in failed("backup", "restore", copy, "--site", tmp_path / "new" / "site.toml")
    assert not (tmp_path / "new").exists()


def test_a_file_more_or_less_is_found(made: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(made, tmp_path / "copy")
    (copy / "extra").touch()
    (copy / "site.toml").unlink()
    assert sorted(backup.check(copy)) == ["extra is not of this backup", "site.toml is missing"]


def test_a_changed_log_is_found_though_the_manifest_was_made_to_fit(made: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(made, tmp_path / "copy")
    with sqlite3.connect(copy / "database.db") as base:
        base.execute("UPDATE log_entries SET actor = 'crew:nobody' WHERE seq = 5")
    base.close()
    value = json.loads((copy / MANIFEST).read_bytes())
    value["files"] = backup.files_in(copy)
    (copy / MANIFEST).write_text(json.dumps(value))
    assert backup.check(copy)[0].startswith("FAILS at entry 5")


def test_the_command_looks_at_the_newest_and_its_age(made: Path) -> None:
    told = run("backup", "check", made.parent)
    assert (told.exit_code, f"{made.name} holds" in told.output) == (0, True)
    told = run("backup", "check", made, "--max-age-hours", "26")
    assert (told.exit_code, "hours old, and may be 26" in told.output) == (1, True)
    assert made.name in run("backup", "list", made.parent).output


def test_a_slip_printed_after_it_shows_what_it_lacks(place: Loopback, made: Path, tmp_path: Path) -> None:
    """Whoever restores must know what the paper says that the log does not."""
    place.ask(lambda engine: engine.draw(FIRST))
    assert run("backup", "check", made, "--slip", _slip_of(place, tmp_path, 0)).exit_code == 0
    manifest = read_manifest(made)
    assert manifest.head is not None
    later = _later_slip(place, tmp_path, manifest.head[0])
    told = run("backup", "check", made, "--slip", later)
    assert (told.exit_code, "the log was cut, a printed slip names its entry" in told.output) == (1, True)


def _slip_of(place: Loopback, folder: Path, number: int) -> Path:
    slips = place.ask(lambda engine: engine.store.checkpoints(1, 1 << 40))
    file = folder / f"slip-{number}.txt"
    file.write_text(slip_text(shown(slips[number]), rehearsal=False))
    return file


def _later_slip(place: Loopback, folder: Path, than: int) -> Path:
    """The slip of the draw's close, which comes after the backup."""
    _to_the_end(place)
    slips = place.ask(lambda engine: engine.store.checkpoints(1, 1 << 40))
    assert slips[-1].seq > than
    return _slip_of(place, folder, len(slips) - 1)


def _to_the_end(place: Loopback) -> None:
    while place.ask(lambda engine: engine.draw(FIRST).state.closed_at) is None:
        place.play_on()
        place.ask(_pay)
        assert place.clock.now() < jhb("14:30")


# -- putting it back --------------------------------------------------------------------------------------------


def test_it_is_put_back_elsewhere_gets_its_key_from_paper_and_goes_on(
    place: Loopback, made: Path, elsewhere: Path
) -> None:
    told = run("backup", "restore", made, "--site", elsewhere)
    manifest = read_manifest(made)
    assert manifest.head is not None
    assert told.exit_code == 0
    assert f"The log comes to entry {manifest.head[0]}, {manifest.head[1][:16]}" in told.output
    assert f"{manifest.head[0]} entries hold" in told.output
    new = elsewhere.parent
    assert not (new / "state" / "master.key").exists()
    typed = CliRunner().invoke(floordraw, ["key", "restore", "--site", str(elsewhere)], input=_paper(place) + "\n")
    assert "seals of the database" in typed.output
    assert (new / "state" / "master.key").read_bytes() == (place.folder / "state" / "master.key").read_bytes()
    opening = place.ask(lambda engine: engine.store.checkpoints(1, 1 << 40))[0]
    _goes_on(elsewhere, manifest.head, opening.public_key)
    assert run("log", "verify", "--site", elsewhere).exit_code == 0


def _goes_on(site_file: Path, head: tuple[int, str], public_key: str) -> None:
    """The core starts over what was put back, knows the draw as it was, and brings it to its end."""
    site = load_site(site_file)
    (book,) = (site.state_dir / "restored" / "rules").iterdir()
    house, clock = house_of(site, [book.read_bytes()]), SetClock(jhb("14:05"))
    store = open_store(site, SystemSeeds())
    engines = lambda: open_engine(house, store, clock, seeds=SystemSeeds())  # noqa: E731 - as the core wants it
    core = Core(engines, clock=clock, version="test", on_broken=lambda: None)
    core.start()
    try:
        assert core.ask(lambda engine: next(iter(engine.store.entries(head[0], head[0]))).hash) == head[1]
        assert core.ask(lambda engine: engine.draw(FIRST).state.closed_at) is None
        assert core.ask(lambda engine: len(engine.draw(FIRST).state.selections)) >= 1
        core.ask(_pay)
        while core.ask(lambda engine: engine.draw(FIRST).state.closed_at) is None:
            clock.set(clock.now() + 1_000)
            core.beats.note(clock.now())
            core.ask(_pay)
            assert clock.now() < jhb("14:30")
        files = core.ask(lambda engine: published_copy(engine, engine.draw(FIRST), "public"))
    finally:
        core.stop()
        store.database.dispose()
    out = site_file.parent / "record"
    for name, data in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)
    assert verify(out, public_key).exit_code == HOLDS


def test_a_restore_says_what_the_slips_have_that_the_log_lacks(
    place: Loopback, made: Path, elsewhere: Path, tmp_path: Path
) -> None:
    slip = _later_slip(place, tmp_path, 0)
    told = run("backup", "restore", made, "--site", elsewhere, "--slip", slip)
    assert (told.exit_code, "it is missing: the log was cut" in told.output) == (1, True)


def test_it_is_never_put_over_anything(place: Loopback, made: Path, elsewhere: Path, tmp_path: Path) -> None:
    lock = lock_core(place.site.state_dir)
    try:
        assert failed("backup", "restore", made, "--site", place.folder / "site.toml").endswith("(X_CORE_RUNS)")
    finally:
        os.close(lock)
    assert failed("backup", "restore", made, "--site", place.folder / "site.toml").endswith("(X_FOLDER_NOT_EMPTY)")
    (elsewhere.parent / "journal").mkdir(parents=True)
    (elsewhere.parent / "journal" / "2023-10-01-1.jsonl.gz").touch()
    assert failed("backup", "restore", made, "--site", elsewhere).endswith("(X_FOLDER_NOT_EMPTY)")
    assert not (elsewhere.parent / "floordraw.db").exists()
    assert failed("backup", "restore", tmp_path, "--site", elsewhere).endswith("(X_NO_BACKUP)")


def test_a_manifest_of_nothing_but_brackets_is_no_backup(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("[" * 100_000)
    assert failed("backup", "check", tmp_path).endswith("(X_NO_BACKUP)")


def test_another_property_s_and_a_later_program_s_are_refused(made: Path, elsewhere: Path, tmp_path: Path) -> None:
    elsewhere.parent.mkdir()
    text = (made / "site.toml").read_text()
    elsewhere.write_text(text.replace('property = "silverstar"', 'property = "goldreef"'))
    assert failed("backup", "restore", made, "--site", elsewhere).endswith("(X_OTHER_PROPERTY)")
    copy = shutil.copytree(made, tmp_path / "copy")
    manifest = (copy / MANIFEST).read_text()
    (copy / MANIFEST).write_text(manifest.replace('"schema": "', '"schema": "9'))
    assert failed("backup", "restore", copy, "--site", tmp_path / "x" / "site.toml").endswith("(X_DATABASE_NEWER)")


# -- the key ----------------------------------------------------------------------------------------------------


def _type(site: Path, text: str) -> str:
    return CliRunner().invoke(floordraw, ["key", "restore", "--site", str(site)], input=text + "\n").output


def test_a_key_is_tried_on_the_database_before_it_is_kept(place: Loopback, made: Path, elsewhere: Path) -> None:
    restore.restore(made, elsewhere)
    key = elsewhere.parent / "state" / "master.key"
    other = on_paper(base64.b32encode(bytes(32)).decode().rstrip("="))
    assert "X_OTHER_KEY" in _type(elsewhere, other)
    assert "X_KEY_MISTYPED" in _type(elsewhere, _paper(place)[:-1])
    assert not key.exists()
    assert "It opens all" in _type(elsewhere, _paper(place).lower().replace(" ", "-"))
    assert "X_KEY_EXISTS" in _type(elsewhere, _paper(place))
    assert key.stat().st_mode & 0o777 == 0o400


# -- on a database server ---------------------------------------------------------------------------------------


@pytest.mark.postgres
def test_a_server_s_database_is_dumped_as_of_one_instant_and_loaded_whole_or_not_at_all(
    new_postgres: Callable[[], str], tmp_path: Path
) -> None:
    casino = Casino(new_postgres(), tmp_path)
    casino.load_lists()
    seat_everybody(casino)
    casino.finish("14:11")
    text = site_toml().replace('database = "sqlite:///floordraw.db"', f'database = "{casino.url}"')
    (tmp_path / "site.toml").write_text(text)
    site = load_site(tmp_path / "site.toml")
    done = backup.make(site, text.encode(), tmp_path / "backups", now=NOW)
    head = casino.engine.store.head()
    assert head is not None
    assert read_manifest(done).head == (head.seq, head.hash)
    casino.close()
    elsewhere = tmp_path / "elsewhere" / "site.toml"
    assert failed("backup", "restore", done, "--site", elsewhere).endswith("(X_FOLDER_NOT_EMPTY)")
    emptied = create_engine(casino.url)
    with emptied.begin() as connection:
        for table in [*metadata.tables, "alembic_version"]:
            connection.exec_driver_sql(f"DROP TABLE {table} CASCADE")
    emptied.dispose()
    told = run("backup", "restore", done, "--site", elsewhere)
    assert (told.exit_code, f"{head.seq} entries hold" in told.output) == (0, True)
    again = open_database(casino.url)
    again.dispose()
    (done / "database.dump").write_bytes(b"PGDMP and nothing more")
    assert backup.check(done) == ["database.dump was changed: it is not the file that was backed up"]
