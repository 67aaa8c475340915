"""Core and spool killed while guests are paid: each is paid once, and its receipt is there once or a person knows."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random  # noqa: TID251 - where to kill; nothing of the engine's is drawn from it

import pytest
from crash.runs import quick_folder
from paying_runs import CLAIMS, PayingRun, disturbed, prepare

RUNS = 8 if os.environ.get("FLOORDRAW_TEST_ALL") else 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = quick_folder(tmp_path_factory.mktemp("paying"))
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def prepared(folder: Path) -> Path:
    return prepare(folder / "prepared")


def test_undisturbed_every_receipt_comes_out_by_itself(prepared: Path, folder: Path) -> None:
    paid = PayingRun(prepared, folder / "run", Random("quiet"), [], quiet=True).run()
    assert (paid.faults, paid.core_deaths, paid.decided) == ([], 0, 0)
    assert len(list((folder / "run" / "paper").glob("*.bin"))) >= CLAIMS


@pytest.mark.parametrize("seed", range(RUNS))
def test_killed_while_paying(prepared: Path, folder: Path, seed: int) -> None:
    paid = disturbed(prepared, folder / "run", f"paying {seed}")
    assert paid.faults == []
    assert paid.core_deaths >= 1
