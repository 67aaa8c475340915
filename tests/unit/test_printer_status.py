"""Status bytes as Epson's pages on DLE EOT, GS r and automatic status back give them."""

import pytest

from printers.links import LinkTrouble
from printers.states import PrinterState
from printers.status import Talk, ask_state, judge

FINE = {1: 0x12, 2: 0x12, 3: 0x12, 4: 0x12}


class Wire:
    """A printer on a wire that answers from a table; `said` waits in the line already."""

    def __init__(self, answers=None, said=b""):
        self.answers = answers or {}
        self.asked = []
        self.line = bytearray(said)

    def send(self, data, _seconds):
        return len(data)

    def send_all(self, data, _seconds):
        self.asked.append(data)
        if data[:2] == b"\x10\x04":
            self.line += self.answers.get(data[2], b"")

    def receive(self, _seconds):
        said, self.line = bytes(self.line), bytearray()
        return said

    def close(self):
        pass


def state_of(**answers):
    table = {n: bytes([byte]) for n, byte in FINE.items()}
    table |= {int(name[1:]): answer for name, answer in answers.items()}
    return ask_state(Talk(Wire(table)), seconds=0.01)


@pytest.mark.parametrize(
    ("told", "state"),
    [
        ({}, PrinterState.READY),
        ({1: 0x16}, PrinterState.READY),  # the drawer's pin is high
        ({1: 0x1A}, PrinterState.OFFLINE),
        ({1: 0x1A, 2: 0x16}, PrinterState.COVER_OPEN),
        ({1: 0x1A, 2: 0x32}, PrinterState.PAPER_OUT),
        ({1: 0x1A, 4: 0x7E}, PrinterState.PAPER_OUT),
        ({4: 0x1E}, PrinterState.PAPER_LOW),
        ({1: 0x1A, 2: 0x52}, PrinterState.ERROR),
        ({1: 0x1A, 3: 0x1A}, PrinterState.ERROR),  # the cutter
        ({1: 0x1A, 3: 0x32}, PrinterState.ERROR),  # unrecoverable
        ({1: 0x1A, 3: 0x52}, PrinterState.ERROR),  # the head is hot
        ({1: 0x1A, 2: 0x36, 4: 0x7E}, PrinterState.COVER_OPEN),
    ],
)
def test_the_state_that_answers_amount_to(told, state):
    assert judge(FINE | told) is state


def test_a_printer_that_answers_all_four_is_ready():
    assert state_of() is PrinterState.READY


def test_silence_is_a_state_and_asks_once():
    wire = Wire()
    assert ask_state(Talk(wire), seconds=0.01) is PrinterState.SILENT
    assert len(wire.asked) == 1


@pytest.mark.parametrize("nonsense", [b"\x00", b"\xff", b"\x00" * 40, b"OK\r\n", bytes(range(0x80, 0xFF, 4))])
def test_nonsense_is_silence(nonsense):
    talk = Talk(Wire(dict.fromkeys(range(1, 5), nonsense)))
    assert ask_state(talk, seconds=0.01) is PrinterState.SILENT


def test_a_packet_that_came_unasked_is_no_answer_and_shifts_none():
    packet = bytes.fromhex("3800000f")  # cover open, as automatic status back
    wire = Wire({n: packet + bytes([byte]) for n, byte in FINE.items()}, said=packet)
    assert ask_state(Talk(wire), seconds=0.01) is PrinterState.READY


def test_an_answer_left_in_the_line_is_not_taken_for_a_later_one():
    wire = Wire({n: bytes([byte]) for n, byte in FINE.items()}, said=bytes([0x7E]))
    assert ask_state(Talk(wire), seconds=0.01) is PrinterState.READY


def test_xon_and_xoff_between_answers_are_passed_over():
    wire = Wire({n: b"\x13" + bytes([byte]) + b"\x11" for n, byte in FINE.items()})
    assert ask_state(Talk(wire), seconds=0.01) is PrinterState.READY


def test_a_line_that_is_gone_is_offline():
    class Gone(Wire):
        def receive(self, _seconds):
            raise LinkTrouble("closed")

    assert ask_state(Talk(Gone()), seconds=0.01) is PrinterState.OFFLINE


def test_a_confirmation_is_told_from_status_and_packets():
    talk = Talk(Wire(said=bytes.fromhex("3800000f120016")))
    assert talk.wait("confirm", 0.01) == 0x00
    assert talk.wait("status", 0.01) == 0x12
    assert talk.wait("status", 0.01) == 0x16
    assert talk.wait("confirm", 0.01) is None


def test_a_confirmation_that_comes_while_the_state_is_asked_is_kept():
    wire = Wire({1: b"\x00\x12", 2: b"\x12", 3: b"\x12", 4: b"\x12"})
    talk = Talk(wire)
    assert ask_state(talk, seconds=0.01) is PrinterState.READY
    assert talk.confirmed()


@pytest.mark.parametrize("state", PrinterState)
def test_what_may_be_printed_on(state):
    assert state.can_print == (state in {"ready", "paper_low", "silent"})
