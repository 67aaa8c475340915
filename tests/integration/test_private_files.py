"""What the core writes names guests: its files are for its own user alone, started by systemd or by hand."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.site import read_site
from draw_engine.seeds import SystemSeeds
from kiosk.assembly import open_store

SITE = b"""\
property = "silverstar"
property_name = "Silverstar"
database = "sqlite:///kept/floordraw.db"
journal_dir = "journal"
state_dir = "state"
check_address = "http://127.0.0.1:8080/check"
statutory_line = "18 and over."
rules_must_be_locked = false
"""


@pytest.fixture
def usual_mask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("usual_mask")
def test_the_database_is_for_its_own_user_alone(tmp_path: Path) -> None:
    store = open_store(read_site(SITE, tmp_path), SystemSeeds())
    store.put_setting("a", "b")
    files = [tmp_path / "kept", *(tmp_path / "kept").iterdir()]
    assert len(files) > 1
    assert [stat.S_IMODE(file.stat().st_mode) & 0o077 for file in files] == [0] * len(files)
    store.database.dispose()
