import json

import pytest
from slip_facts_made import ALL, HOUSE

from printers.escpos_bytes import REAL_TIME, encode
from printers.feelings import Feeling, read_feeling, set_feeling
from printers.file_printer import FilePrinter
from printers.sending import Sent
from printers.slips import slip_of
from printers.states import PrinterState


@pytest.fixture(scope="module")
def slip():
    return encode(slip_of("decline_slip", ALL["decline_slip"], HOUSE, job=3))


def unwatched(_state):
    return None


@pytest.mark.parametrize("kind", ALL)
def test_no_slip_holds_a_command_of_the_moment(kind):
    data = encode(slip_of(kind, ALL[kind], HOUSE, job=1)).data
    assert data.startswith(b"\x1b@")
    assert not any(command in data for command in REAL_TIME)


def test_a_slip_whose_length_bytes_are_a_command_of_the_moment_is_refused():
    # 1037 letters and three bytes before them: GS ( k announces 0x0410 bytes, low byte first.
    long = ALL["checkpoint"] | {"slip": "x" * 1037}
    with pytest.raises(ValueError, match="command of the moment"):
        encode(slip_of("checkpoint", long, HOUSE, job=1))


def test_a_slip_is_written_as_bytes_and_as_a_picture(tmp_path, slip):
    assert FilePrinter(tmp_path).print_slip("job-3-1", slip, unwatched) == Sent("printed", "", len(slip.data))
    assert (tmp_path / "job-3-1.bin").read_bytes() == slip.data
    picture = (tmp_path / "job-3-1.txt").read_text()
    assert "Guest        Thandi Mokoena" in picture
    assert "- end of slip 3 -" in picture
    assert "torn" not in picture


@pytest.mark.parametrize("state", ["paper_out", "cover_open", "offline", "error"])
def test_a_printer_that_cannot_print_leaves_no_byte(tmp_path, slip, state):
    set_feeling(tmp_path, Feeling(PrinterState(state)))
    assert FilePrinter(tmp_path).state() == state
    assert FilePrinter(tmp_path).print_slip("job-3-1", slip, unwatched) == Sent("failed", state)
    assert [file.name for file in tmp_path.iterdir()] == ["state.json"]


def test_a_silent_printer_prints_and_nobody_knows(tmp_path, slip):
    set_feeling(tmp_path, Feeling(PrinterState.SILENT))
    assert FilePrinter(tmp_path).print_slip("job-3-1", slip, unwatched).outcome == "unknown"
    assert (tmp_path / "job-3-1.bin").read_bytes() == slip.data


def test_paper_out_in_the_middle_is_a_torn_slip_and_the_printer_waits_for_paper(tmp_path, slip):
    seen = []
    set_feeling(tmp_path, Feeling(fails_after=400, then=PrinterState.PAPER_OUT))
    assert FilePrinter(tmp_path).print_slip("job-3-1", slip, seen.append) == Sent("unknown", "paper_out", 400)
    assert (tmp_path / "job-3-1.bin").read_bytes() == slip.data[:400]
    picture = (tmp_path / "job-3-1.txt").read_text()
    assert picture.endswith("~ ~ ~ torn here ~ ~ ~\n")
    assert "- end of slip" not in picture
    assert seen == [PrinterState.PAPER_OUT]
    assert read_feeling(tmp_path) == Feeling(PrinterState.PAPER_OUT)


def test_failing_before_the_first_byte_is_a_failure_that_can_be_tried_again(tmp_path, slip):
    set_feeling(tmp_path, Feeling(fails_after=0))
    assert FilePrinter(tmp_path).print_slip("job-3-1", slip, unwatched) == Sent("failed", "offline")


@pytest.mark.parametrize("text", ["{", "[]", '{"state": "happy"}', '{"fails_after": "many"}'])
def test_a_setting_nobody_can_read_is_an_error_state_and_no_exception(tmp_path, text):
    (tmp_path / "state.json").write_text(text)
    assert FilePrinter(tmp_path).state() is PrinterState.ERROR


def test_a_setting_written_by_hand_may_leave_out_what_is_usual(tmp_path):
    (tmp_path / "state.json").write_text(json.dumps({"state": "paper_low"}))
    assert read_feeling(tmp_path) == Feeling(PrinterState.PAPER_LOW)
    assert FilePrinter(tmp_path / "elsewhere").state() is PrinterState.READY


def test_the_picture_of_a_torn_slip_never_shows_more_than_was_sent(slip):
    shown = 0
    for sent in range(0, len(slip.data), 7):
        lines = len(slip.picture(sent).splitlines()) - 1
        assert lines >= shown
        shown = lines
        assert not any(at > sent for at, _ in slip.lines[:lines])
