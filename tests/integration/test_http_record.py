"""A closed draw's two copies as downloads, and what the routes say when something is wrong with the core itself."""

from __future__ import annotations

import errno
import io
import json
import sqlite3
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from casino import MEMBERS, NALEDI, PIETER, THANDI, Session, book_toml
from loopback import FIRST, Loopback
from sqlalchemy import event
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from draw_engine.errors import Refused, RuleBroken
from draw_engine.store.journal import JournalBroken
from draw_engine.verify import verify
from draw_engine.verify.report import KEY_NOT_COMPARED
from kiosk.core import Core

SHORT = book_toml(Session("first", "14:00", "14:03", awards=2))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, migrated: Path) -> Iterator[Loopback]:
    """A session of three minutes that was played and closed."""
    made = Loopback(tmp_path_factory.mktemp("played"), migrated, now="13:49:30", book=SHORT)
    made.load_lists()
    made.seat(S_0412=THANDI, S_0088=PIETER, S_0501=NALEDI)
    made.play("14:03:05", pay=True)
    yield made
    made.close()


@pytest.fixture
def place(tmp_path: Path, migrated: Path) -> Iterator[Loopback]:
    made = Loopback(tmp_path, migrated, now="13:56")
    yield made
    made.close()


def unpacked(place: Loopback, folder: Path, copy: str) -> dict[str, bytes]:
    answer = place.client.get(f"/draws/{FIRST}/record.zip", query_string={"copy": copy} if copy else {})
    assert (answer.status_code, answer.mimetype) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
        return {name: archive.read(name) for name in archive.namelist()}


# -- copies -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", ["", "public"])
def test_anybody_can_verify_the_public_copy(played: Loopback, tmp_path: Path, asked: str) -> None:
    files = unpacked(played, tmp_path, asked)
    assert set(files) == {"record.json"}
    assert verify(tmp_path).exit_code == KEY_NOT_COMPARED
    record = json.loads(files["record.json"])
    assert len(record["selections"]) == 2
    assert all(pool["file"] is None for pool in record["pools"])


def test_the_auditor_can_judge_every_pool_again_from_the_other(played: Loopback, tmp_path: Path) -> None:
    files = unpacked(played, tmp_path, "auditor")
    report = verify(tmp_path, journal=True)
    assert report.exit_code == KEY_NOT_COMPARED, report.lines()
    assert len([name for name in files if name.endswith(".pool")]) == 2
    assert files["judging/rules.toml"] == SHORT
    assert files["judging/site.toml"] == (played.folder / "site.toml").read_bytes()
    assert MEMBERS.encode() in files.values()


def test_no_guest_stands_in_the_public_copy(played: Loopback, tmp_path: Path) -> None:
    text = unpacked(played, tmp_path, "public")["record.json"].decode()
    for number in (THANDI, PIETER, NALEDI):
        assert f'"{number}"' not in text
        assert f"70{number}" not in text
    assert not any(name in text for name in ("Thandi", "Mokoena", "Merwe", "Naledi", "0820000001"))


@pytest.mark.parametrize(("copy", "name"), [("public", "public"), ("auditor", "auditor")])
def test_a_download_s_name_says_what_it_is(played: Loopback, copy: str, name: str) -> None:
    answer = played.client.get(f"/draws/{FIRST}/record.zip?copy={copy}")
    expected = f'attachment; filename="silverstar_playtime_2023-10-07_first-{name}.zip"'
    assert answer.headers["Content-Disposition"] == expected


@pytest.mark.parametrize(
    ("draw", "copy", "status", "code"),
    [
        (FIRST, "everything", 409, "X_NO_SUCH_COPY"),
        (FIRST, "", 409, "X_NO_SUCH_COPY"),
        ("silverstar/playtime/2023-10-07/third", "public", 404, "X_NO_SUCH_DRAW"),
        ("first", "public", 404, "X_NO_SUCH_DRAW"),
    ],
)
def test_what_there_is_not_cannot_be_had(played: Loopback, draw: str, copy: str, status: int, code: str) -> None:
    answer = played.client.get(f"/draws/{draw}/record.zip", query_string={"copy": copy})
    assert (answer.status_code, answer.get_json()["code"]) == (status, code)


@pytest.mark.parametrize("copy", ["public", "auditor"])
def test_an_open_draw_has_no_record_yet(place: Loopback, copy: str) -> None:
    place.load_lists()
    answer = place.client.get(f"/draws/{FIRST}/record.zip?copy={copy}")
    assert (answer.status_code, answer.get_json()["code"]) == (409, "X_DRAW_OPEN")


def test_a_journal_that_is_gone_is_asked_for(played: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(segment: str) -> bytes:
        raise FileNotFoundError(segment)

    monkeypatch.setattr(played.pages, "read_segment", gone)
    answer = played.client.get(f"/draws/{FIRST}/record.zip?copy=auditor")
    assert (answer.status_code, answer.get_json()["code"]) == (409, "X_NO_JOURNAL")
    assert played.client.get(f"/draws/{FIRST}/record.zip?copy=public").status_code == 200


# -- trouble ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/no-such-page", 404), ("DELETE", "/console", 405), ("GET", "/lists/members", 405)],
)
def test_what_there_is_not_is_said_in_json(place: Loopback, method: str, path: str, status: int) -> None:
    answer = place.client.open(path, method=method)
    assert (answer.status_code, answer.get_json()["code"]) == (status, f"X_HTTP_{status}")
    assert answer.get_json()["sentence"]


def test_a_screen_that_is_not_named_is_said_to_be_none(place: Loopback) -> None:
    answer = place.client.get("/screens/bar")
    assert (answer.status_code, answer.get_json()["code"]) == (404, "X_NO_SUCH_SCREEN")


def fail(place: Loopback, monkeypatch: pytest.MonkeyPatch, fault: Exception) -> tuple[int, str, str]:
    """(status, code, text) of a page whose question to the core ends in this fault."""

    def ask(_command: Any, **_more: Any) -> Any:
        raise fault

    monkeypatch.setattr(place.core, "ask", ask)
    with capture_logs() as logged:
        answer = place.client.get("/console")
    text = answer.text + json.dumps(logged)
    monkeypatch.undo()
    return answer.status_code, answer.get_json()["code"], text


def test_a_fault_tells_nothing_of_itself(place: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    status, code, text = fail(place, monkeypatch, ValueError("member 100001, card 70100001, Thandi Mokoena"))
    assert (status, code) == (500, "X_FAULT")
    assert not any(word in text for word in ("100001", "Mokoena", "Traceback"))
    assert '"kind": "ValueError"' in text


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        (OperationalError("UPDATE", {"member": "100001"}, sqlite3.OperationalError("locked")), 503, "X_TRY_AGAIN"),
        (OSError(errno.ENOSPC, "full", "/var/100001"), 503, "X_DISK_FULL"),
        (OSError(errno.EDQUOT, "full"), 503, "X_DISK_FULL"),
        (PermissionError(errno.EACCES, "no", "/var/100001"), 500, "X_FAULT"),
        (TimeoutError("100001"), 503, "X_TRY_AGAIN"),
        (RuleBroken("100001"), 503, "X_CORE_STOPPED"),
        (JournalBroken("100001"), 503, "X_CORE_STOPPED"),
    ],
)
def test_each_trouble_says_what_to_do(
    place: Loopback, monkeypatch: pytest.MonkeyPatch, fault: Exception, status: int, code: str
) -> None:
    seen = fail(place, monkeypatch, fault)
    assert seen[:2] == (status, code)
    assert "100001" not in seen[2]


def test_a_database_that_another_holds_is_tried_again_later(place: Loopback) -> None:
    @event.listens_for(place.store.database, "connect")
    def _hurry(connection: Any, _record: Any) -> None:
        connection.execute("PRAGMA busy_timeout=50")

    place.ask(lambda _engine: place.store.database.dispose())
    other = sqlite3.connect(place.folder / "floordraw.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    before = place.ask(lambda engine: engine.list_rows.get("members"))
    answer = place.client.post("/lists/members", data=MEMBERS)
    assert (answer.status_code, answer.get_json()["code"]) == (503, "X_TRY_AGAIN")
    assert place.ask(lambda engine: engine.list_rows.get("members")) is before
    other.execute("ROLLBACK")
    other.close()
    assert place.client.post("/lists/members", data=MEMBERS).status_code == 200
    assert not place.broken


def test_a_core_that_stopped_says_so_until_it_is_started_again(
    place: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_sync(_handle: int) -> None:
        raise OSError(errno.EIO, "no")

    monkeypatch.setattr("os.fdatasync", no_sync)
    answer = place.post([place.line("heartbeat")])
    assert (answer.status_code, answer.get_json()["code"]) == (503, "X_CORE_STOPPED")
    assert place.broken
    monkeypatch.undo()
    answer = place.client.post("/lists/members", data=MEMBERS)
    assert (answer.status_code, answer.get_json()["code"]) == (503, "X_CORE_STOPPED")
    assert answer.get_json()["sentence"] == place.core.broken


def test_a_core_that_is_busy_for_too_long_does_not_do_it_later(
    place: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = Core.ask
    monkeypatch.setattr(Core, "ask", lambda self, command, **_more: patient(self, command, timeout=0.05))
    gate = threading.Event()
    place.core._todo.put((lambda _engine: gate.wait(10), Future()))
    answer = place.client.post("/lists/members", data=MEMBERS)
    assert (answer.status_code, answer.get_json()["code"]) == (503, "X_TRY_AGAIN")
    gate.set()
    monkeypatch.undo()
    assert place.ask(lambda engine: engine.list_rows.get("members")) is None


def test_a_core_that_was_stopped_keeps_nobody_waiting(tmp_path: Path, migrated: Path) -> None:
    place = Loopback(tmp_path, migrated)
    gate, asked = threading.Event(), threading.Event()
    busy: Future[bool] = Future()
    place.core._todo.put((lambda _engine: asked.set() or gate.wait(10), busy))
    assert asked.wait(10)
    place.core._todo.put(None)
    late: list[str] = []

    def ask() -> None:
        with pytest.raises(Refused) as refusal:
            place.core.ask(lambda engine: engine.now())
        late.append(refusal.value.code)

    waiting = threading.Thread(target=ask)
    waiting.start()
    gate.set()
    place.core.stop()
    waiting.join(10)
    assert late == ["X_CORE_STOPPED"]
    with pytest.raises(Refused, match="X_CORE_STOPPED"):
        place.core.ask(lambda engine: engine.now())
    place.core.stop()
    place.store.database.dispose()
