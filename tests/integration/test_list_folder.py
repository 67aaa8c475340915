"""The folder that another system puts lists into: taken when they stopped changing, whole, or set aside with faults."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from casino import MEMBERS, NOBODY, POSITIONS, Casino
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from draw_engine.service import house
from kiosk.list_folder import ListFolder

CASINOS = Callable[..., Casino]


class Folder:
    """The watched folder of a casino, and the watch that its looks go by."""

    def __init__(self, casino: Casino, path: Path) -> None:
        self.casino, self.path, self.seconds = casino, path, 0.0
        self.watched = ListFolder(path, steady=lambda: self.seconds)

    def put(self, kind: str, content: str | bytes) -> Path:
        file = self.path / f"{kind}.csv"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def look(self, times: int = 1) -> None:
        for _ in range(times):
            self.seconds += 2.0
            self.watched.look(self.casino.engine)

    def loaded(self) -> list[str]:
        return [entry.data["list"] for entry in self.casino.said("list.loaded")]

    def names(self) -> set[str]:
        return {str(file.relative_to(self.path)) for file in self.path.rglob("*") if file.is_file()}


@pytest.fixture
def folder(casinos: CASINOS, tmp_path: Path) -> Folder:
    return Folder(casinos(), tmp_path / "state" / "lists")


def test_the_folder_is_made(folder: Folder) -> None:
    assert folder.path.is_dir()
    folder.look(3)
    assert folder.names() == set()


def test_a_list_is_taken_at_the_second_look_and_moved(folder: Folder) -> None:
    folder.put("members", MEMBERS)
    folder.look()
    assert folder.loaded() == []
    folder.look()
    assert folder.loaded() == ["members"]
    assert folder.names() == {"loaded/members.csv"}
    assert folder.casino.engine.list_rows["members"].content == MEMBERS.encode()
    folder.look(3)
    assert folder.loaded() == ["members"]


def test_it_looks_every_two_seconds_however_often_it_is_called(folder: Folder) -> None:
    folder.put("members", MEMBERS)
    folder.look()
    for _ in range(50):
        folder.watched.look(folder.casino.engine)
    assert folder.loaded() == []


def test_a_file_that_is_still_written_is_waited_for(folder: Folder) -> None:
    half = len(MEMBERS) // 2
    folder.put("members", MEMBERS[:half])
    folder.look()
    folder.put("members", MEMBERS)
    folder.look()
    assert folder.loaded() == []
    folder.look()
    assert folder.loaded() == ["members"]
    assert folder.casino.engine.list_rows["members"].row_count == 9


def test_a_file_that_was_replaced_by_one_of_the_same_length_is_waited_for(folder: Folder) -> None:
    file = folder.put("members", MEMBERS)
    folder.look()
    folder.put("members", MEMBERS.replace("Mokoena", "Mokwena"))
    os.utime(file, ns=(1, file.stat().st_mtime_ns + 1))
    folder.look()
    assert folder.loaded() == []


def test_a_list_with_faults_is_set_aside_beside_what_is_wrong_with_it(folder: Folder) -> None:
    folder.casino.load_lists()
    before = folder.casino.engine.list_rows["members"]
    rows = MEMBERS + "100009,Jan,Nel,,1985-13-01,,,\n"
    folder.put("members", rows)
    with capture_logs() as logged:
        folder.look(4)
    assert folder.names() == {"refused/members.csv", "refused/members.faults.txt"}
    assert (folder.path / "refused" / "members.csv").read_text() == rows
    said = (folder.path / "refused" / "members.faults.txt").read_text().splitlines()
    assert said[0] == "the list of members was not taken: 2 faults"
    assert [line.partition(":")[0] for line in said[1:]] == ["line 11, tier", "line 11, born"]
    assert folder.casino.engine.list_rows["members"] is before
    assert logged == [{"event": "list.refused", "kind": "members", "faults": 2, "log_level": "warning"}]


def test_a_mended_list_is_taken_and_the_next_one_too(folder: Folder) -> None:
    folder.put("exclusions", "member\n")
    folder.look(2)
    folder.put("exclusions", NOBODY)
    folder.look(2)
    folder.put("exclusions", NOBODY + "100008,self_excluded,2023-10-07,,desk\n")
    folder.look(2)
    assert folder.loaded() == ["exclusions", "exclusions"]
    assert folder.casino.engine.list_rows["exclusions"].row_count == 1


def test_lists_that_lie_there_together_are_taken_together_others_never(folder: Folder) -> None:
    for kind, content in (("members", MEMBERS), ("positions", POSITIONS), ("exclusions", NOBODY), ("staff", NOBODY)):
        folder.put(kind, content)
    folder.put("guests", MEMBERS)
    folder.put("register", "member,at,phone\n")
    folder.look(2)
    assert folder.loaded() == ["positions", "members", "exclusions", "staff"]
    assert {"guests.csv", "register.csv"} <= folder.names()


def test_a_file_that_cannot_be_read_stops_neither_the_core_nor_the_other_lists(folder: Folder) -> None:
    (folder.path / "members.csv").mkdir()
    folder.put("positions", POSITIONS)
    with capture_logs() as logged:
        folder.look(6)
    assert folder.loaded() == ["positions"]
    assert [line["event"] for line in logged] == ["list.loaded", "list.not_read"]
    (folder.path / "members.csv").rmdir()
    folder.put("members", MEMBERS)
    folder.look(2)
    assert folder.loaded() == ["positions", "members"]


@pytest.mark.parametrize("content", [MEMBERS, "member\n"])
def test_a_file_that_cannot_be_moved_is_not_taken_again_and_again(folder: Folder, content: str) -> None:
    for name in ("loaded", "refused"):
        (folder.path / name).write_text("in the way")
    folder.put("members", content)
    with capture_logs() as logged:
        folder.look(6)
    assert folder.loaded() == (["members"] if content is MEMBERS else [])
    assert [line["event"] for line in logged].count("list.not_put_aside") == 1
    folder.put("members", MEMBERS + "100010,Jan,Nel,Gold,1985-03-01,,,\n")
    folder.look(3)
    assert folder.casino.engine.list_rows["members"].row_count == 10


def test_a_database_that_is_busy_is_tried_again(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object) -> int:
        raise OperationalError("INSERT", {}, Exception("locked"))

    folder.put("members", MEMBERS)
    with monkeypatch.context() as patch:
        patch.setattr(house, "load_list", busy)
        folder.look()
        with pytest.raises(OperationalError):
            folder.look()
    assert folder.names() == {"members.csv"}
    folder.look()
    assert folder.loaded() == ["members"]
