"""Every checkpoint's slip as a file: written when it is signed, caught up with at a start, never changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from casino import Casino, seat_everybody
from structlog.testing import capture_logs

from draw_engine.log import read_slip
from draw_engine.service.ports import Checkpoint
from draw_engine.verify.checkpoints import signature_holds
from kiosk.printing.slip_files import SlipFiles

CASINOS = Callable[..., Casino]


@pytest.fixture
def casino(casinos: CASINOS) -> Casino:
    made = casinos(now="13:54")
    made.load_lists()
    seat_everybody(made)
    return made


def made_checkpoints(casino: Casino) -> list[Checkpoint]:
    return casino.engine.store.checkpoints(1, 1 << 40)


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_the_opening_s_slip_lies_there_before_the_session_starts(casino: Casino, tmp_path: Path) -> None:
    SlipFiles(casino.engine, tmp_path / "slips")
    casino.at("13:56")
    (opened,) = casino.said("draw.opened")
    (file,) = (tmp_path / "slips").iterdir()
    assert file.name == f"checkpoint-{opened.seq}.txt"
    slip = read_slip(file.read_text(encoding="ascii"))
    assert (slip["seq"], slip["hash"], slip["property"], slip["rehearsal"]) == (
        opened.seq,
        opened.hash,
        "silverstar",
        False,
    )
    assert signature_holds(slip, rehearsal=False)


def test_every_checkpoint_of_a_session_has_its_slip(casino: Casino, tmp_path: Path) -> None:
    SlipFiles(casino.engine, tmp_path / "slips")
    casino.finish("14:11")
    made = made_checkpoints(casino)
    assert len(made) == 2
    assert names(tmp_path / "slips") == {f"checkpoint-{one.seq}.txt" for one in made}


def test_what_was_not_written_is_written_at_the_next_start(casino: Casino, tmp_path: Path) -> None:
    casino.at("13:56")
    casino.restart()
    SlipFiles(casino.engine, tmp_path / "slips")
    assert names(tmp_path / "slips") == {f"checkpoint-{one.seq}.txt" for one in made_checkpoints(casino)}


def test_a_slip_that_lies_there_is_left_as_it_is(casino: Casino, tmp_path: Path) -> None:
    casino.at("13:56")
    (one,) = made_checkpoints(casino)
    file = tmp_path / f"checkpoint-{one.seq}.txt"
    file.write_text("printed and signed by hand\n")
    SlipFiles(casino.engine, tmp_path)
    assert file.read_text() == "printed and signed by hand\n"


def test_a_disk_that_takes_no_slip_stops_nothing(casino: Casino, tmp_path: Path) -> None:
    in_the_way = tmp_path / "slips"
    in_the_way.write_text("")
    with capture_logs() as logged:
        SlipFiles(casino.engine, in_the_way)
        casino.at("13:56")
    (one,) = made_checkpoints(casino)
    assert [(line["event"], line["seq"]) for line in logged] == [("slip.not_written", one.seq)]
    in_the_way.unlink()
    SlipFiles(casino.engine, in_the_way)
    assert names(in_the_way) == {f"checkpoint-{one.seq}.txt"}
