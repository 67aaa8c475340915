"""The watched folder for lists: what lies there is loaded or set aside, and what cannot be taken holds up nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from casino import MEMBERS, NOBODY, POSITIONS, Casino

from kiosk import list_folder
from kiosk.list_folder import ListFolder

Casinos = Callable[..., Casino]


@pytest.fixture
def looks(casinos: Casinos, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[str]]:
    """Looks into the folder some times; gives the kinds loaded so far, in order."""
    casino = casinos()
    folder = ListFolder(tmp_path / "lists")
    monkeypatch.setattr(list_folder, "_LOOK_EVERY_SECONDS", 0.0)

    def look(times: int) -> list[str]:
        for _ in range(times):
            folder.look(casino.engine)
        return [entry.data["list"] for entry in casino.said("list.loaded")]

    return look


def test_a_list_is_taken_once_it_has_stopped_changing(looks: Callable[[int], list[str]], tmp_path: Path) -> None:
    file = tmp_path / "lists" / "members.csv"
    file.write_text(MEMBERS)
    assert looks(1) == []
    file.write_text(MEMBERS + "300001,A,B,Gold,1980-01-01,,,\n")
    assert looks(1) == []
    assert looks(1) == ["members"]
    assert not file.exists()
    assert (tmp_path / "lists" / "loaded" / "members.csv").exists()
    assert looks(5) == ["members"]


def test_a_list_with_faults_is_set_aside_with_all_of_them(looks: Callable[[int], list[str]], tmp_path: Path) -> None:
    (tmp_path / "lists" / "exclusions.csv").write_text("member,category,from,to,source\n1,fun,2023-10-07,,\n2,x,y,,\n")
    assert looks(3) == []
    told = (tmp_path / "lists" / "refused" / "exclusions.faults.txt").read_text()
    assert told.count("\nline ") == 3


def test_what_cannot_be_read_holds_up_no_other_list(looks: Callable[[int], list[str]], tmp_path: Path) -> None:
    lists = tmp_path / "lists"
    (lists / "positions.csv").mkdir()
    (lists / "exclusions.csv").write_text(NOBODY)
    assert looks(6) == ["exclusions"]
    (lists / "positions.csv").rmdir()
    (lists / "positions.csv").write_text(POSITIONS)
    assert looks(3) == ["exclusions", "positions"]


def test_what_cannot_be_moved_is_loaded_once(looks: Callable[[int], list[str]], tmp_path: Path) -> None:
    lists = tmp_path / "lists"
    (lists / "loaded").write_text("a file where the folder should be")
    (lists / "members.csv").write_text(MEMBERS)
    assert looks(8) == ["members"]
