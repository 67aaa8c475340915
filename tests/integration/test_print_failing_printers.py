"""A printer that fails after every byte (R6): no slip is lost, none is doubled unless a person asks for a REPRINT."""

from __future__ import annotations

import pytest
from casino import Casino
from fake_printers import FINE, OUT_OF_PAPER, Habits, SerialPrinter, TcpPrinter
from print_bench import QUICK, PrintBench, settle_down, turn
from slip_facts_made import ALL, HOUSE

from draw_engine.service.print_ports import FAILED, PRINTED, QUEUED, UNKNOWN
from printers.escpos_bytes import PrintedSlip, encode
from printers.links import PrinterPlace
from printers.sending import LineDevice, Sent
from printers.slips import slip_of
from printers.states import PrinterState

QUESTIONS = 12
"""Four questions of three bytes go before a slip."""
SLIP = encode(slip_of("decline_slip", ALL["decline_slip"], HOUSE, job=1))
REPRINT = b"REPRINT 1\n"


@pytest.fixture
def bench(tmp_path, migrated):
    casino = Casino(f"sqlite:///{_copied(migrated, tmp_path)}", tmp_path)
    yield PrintBench(casino)
    casino.close()


def _copied(migrated, folder):
    file = folder / "floordraw.db"
    file.write_bytes(migrated.read_bytes())
    return file


@pytest.fixture
def printer():
    printer = TcpPrinter()
    yield printer
    printer.close()


def device_of(printer, timing=QUICK):
    return LineDevice(PrinterPlace("network", host="127.0.0.1", port=printer.port), timing)


def test_no_slip_is_lost_or_doubled_whatever_byte_the_printer_fails_at(bench, printer, tmp_path):
    """The queue's rows against the bytes the printer got; ended and reset by turns, a person decides where in doubt."""
    spool = bench.spool(SeenReady(PrinterPlace("network", host="127.0.0.1", port=printer.port), QUICK), tmp_path)
    for n in range(QUESTIONS + len(SLIP.data) + 10):
        printer.papers.clear()
        job = bench.queue()
        how = "fin" if n % 2 else "rst"
        whole = QUESTIONS + len(SLIP.data) + len(str(job)) - 1 + 3  # its number stands in its last line; GS r 1
        printer.next_habits = [Habits(ends_after=n, how=how)]
        turn(spool)
        settle_down(spool)
        printer.wait_idle()
        state, slips = bench.job(job).state, printer.slips
        assert len(slips) <= 1, n
        if n > whole:
            assert state == PRINTED
            assert b"- end of slip" in slips[0]
        elif n == whole:  # it has confirmed and is gone: whether the answer was read in time is luck
            assert state in {PRINTED, UNKNOWN}
        elif n > QUESTIONS:
            assert state == UNKNOWN, n
        else:
            assert state in {FAILED, UNKNOWN}, n
        if state == FAILED:
            _goes_again_by_itself(bench, printer, spool, job, slips)
        elif state == UNKNOWN:
            _waits_for_a_person(bench, printer, spool, job, slips, again=n % 40 == 0)
    assert bench.ask(lambda engine: engine.store.print_jobs([QUEUED, FAILED, UNKNOWN, "sending"])) == []


def _goes_again_by_itself(bench, printer, spool, job, slips):
    assert not slips
    bench.casino.clock.set(bench.casino.clock.now() + 60_000)
    assert turn(spool)
    settle_down(spool)
    assert bench.job(job).state == PRINTED
    assert len(printer.slips) == 1
    assert REPRINT not in printer.slips[0]


def _waits_for_a_person(bench, printer, spool, job, slips, *, again):
    if not again:
        assert bench.settle(job, "came_out" if slips else "drop").status_code == 200
        return
    assert not turn(spool)  # it is not sent again by itself
    assert bench.job(job).state == UNKNOWN
    assert len(printer.slips) == len(slips)
    assert bench.settle(job, "reprint").status_code == 200
    assert turn(spool)
    settle_down(spool)
    assert bench.job(job).state == PRINTED
    assert len(printer.slips) == len(slips) + 1
    assert REPRINT in printer.slips[-1]


class SeenReady(LineDevice):
    """A printer whose state is asked at the sending alone: each sending is one connection."""

    def state(self):
        return PrinterState.READY


@pytest.mark.parametrize("how", ["fin", "rst"])
def test_what_is_called_failed_left_no_byte_and_what_is_called_printed_was_confirmed(printer, how):
    device = device_of(printer)
    for n in range(QUESTIONS + len(SLIP.data) + 5):
        printer.papers.clear()
        printer.next_habits = [Habits(ends_after=n, how=how)]
        sent = device.print_slip("job", SLIP, lambda _state: None)
        printer.wait_idle()
        paper = printer.papers[-1]
        assert len(paper.printed) <= sent.sent, n
        if sent.outcome == "failed":
            assert not paper.printed, n
        assert (sent.outcome == "printed") <= paper.confirmed, n
        assert (n > QUESTIONS + len(SLIP.data) + 3) <= (sent.outcome == "printed"), n


def test_a_serial_printer_pulled_after_every_byte():
    for n in range(QUESTIONS + len(SLIP.data) + 4):
        printer = SerialPrinter(Habits(ends_after=n))
        device = LineDevice(PrinterPlace("serial", path=printer.path, baud=115_200), QUICK)
        sent = device.print_slip("job", SLIP, lambda _state: None)
        printer.close()
        if n < QUESTIONS:
            assert sent in {Sent("failed", "offline"), Sent("failed", "unreachable")}, n
        else:
            assert (sent.outcome == "failed") <= (not printer.paper.printed), n
        assert (sent.outcome == "printed") <= printer.paper.confirmed, n
        assert len(printer.paper.printed) <= sent.sent, n


def test_a_serial_printer_that_is_there_prints_and_confirms():
    printer = SerialPrinter()
    device = LineDevice(PrinterPlace("serial", path=printer.path, baud=115_200), QUICK)
    assert device.state() == "ready"
    assert device.print_slip("job", SLIP, lambda _state: None) == Sent("printed", "", len(SLIP.data))
    printer.close()
    assert bytes(printer.paper.printed) == SLIP.data


def test_a_port_that_is_not_there_is_off_line():
    assert LineDevice(PrinterPlace("serial", path="/dev/no-such-port"), QUICK).state() == "offline"
    assert LineDevice(PrinterPlace("network", host="127.0.0.1", port=1), QUICK).state() == "offline"
    assert LineDevice(PrinterPlace("usb", vendor=1, product=1), QUICK).state() == "offline"
    sent = LineDevice(PrinterPlace("network", host="127.0.0.1", port=1), QUICK).print_slip("j", SLIP, lambda _: None)
    assert sent == Sent("failed", "unreachable")


# -- printers that lie, stall and keep silent -------------------------------------------------------------------


def result_of(printer, habits, timing=QUICK):
    seen = []
    printer.next_habits = [habits]
    sent = device_of(printer, timing).print_slip("job", SLIP, seen.append)
    printer.wait_idle()
    return sent, seen


def test_a_silent_printer_gets_the_slip_once_and_nobody_calls_it_printed(printer):
    sent, _ = result_of(printer, Habits(answers={}, confirms=False))
    assert sent == Sent("unknown", "silent", len(SLIP.data))
    assert printer.slips == [SLIP.data]


@pytest.mark.parametrize("nonsense", [b"\x00", b"\xff\xff", b"OK"])
def test_a_printer_that_talks_nonsense_is_not_believed(printer, nonsense):
    """One known virtual printer answers 00 to every write."""
    habits = Habits(answers=dict.fromkeys(range(1, 5), nonsense), echo=nonsense)
    sent, _ = result_of(printer, habits)
    assert sent.outcome == "unknown"
    assert printer.slips == [SLIP.data]


def test_packets_that_come_unasked_change_nothing(printer):
    sent, _ = result_of(printer, Habits(unasked=bytes.fromhex("10000000")))
    assert sent == Sent("printed", "", len(SLIP.data))


def test_a_printer_that_says_it_is_out_of_paper_gets_nothing(printer):
    sent, _ = result_of(printer, Habits(answers=OUT_OF_PAPER))
    assert sent == Sent("failed", "paper_out")
    assert printer.slips == []


def test_paper_out_in_the_middle_waits_for_hands_and_then_asks_a_person(printer):
    habits = Habits(confirms=False)
    habits.answers = Worsening(FINE, OUT_OF_PAPER)
    timing = QUICK_PATIENT
    sent, seen = result_of(printer, habits, timing)
    assert sent == Sent("unknown", "paper_out", len(SLIP.data))
    assert set(seen) == {"paper_out"}
    assert len(seen) >= 2  # it looked again


def test_paper_put_in_while_the_slip_waits_finishes_it(printer):
    habits = Habits(confirms=False)
    habits.answers = Worsening(FINE, OUT_OF_PAPER)

    def put_in_paper(_state):
        habits.answers = dict(FINE)
        habits.confirms = True
        printer_says(b"\x00")

    def printer_says(said):
        printer._open[-1].sendall(said)

    printer.next_habits = [habits]
    sent = device_of(printer, QUICK_PATIENT).print_slip("job", SLIP, put_in_paper)
    assert sent == Sent("printed", "", len(SLIP.data))
    assert printer.slips == [SLIP.data]


class Worsening(dict):
    """Fine for the four questions before the slip, then worse."""

    def __init__(self, before, after):
        super().__init__(before)
        self._left, self._after = 4, after

    def get(self, n, otherwise=b""):
        if self._left:
            self._left -= 1
            return super().get(n, otherwise)
        return self._after.get(n, otherwise)


QUICK_PATIENT = type(QUICK)(connect=1.0, answer=0.2, send=0.6, confirm=0.2, patience=0.5, poll=0.01)


def test_a_printer_that_stops_reading_does_not_hold_the_spool_for_ever(printer):
    """More than any buffer between them takes: the sending is given up in time, and nobody calls it failed."""
    long = PrintedSlip(b"x" * 20_000_000, ())
    printer.next_habits = [Habits(reads_until=QUESTIONS + 200)]
    sent = device_of(printer).print_slip("job", long, lambda _state: None)
    assert sent.outcome == "unknown"
    assert sent.detail in {"stuck", "closed"}  # the kernel may give up first
    assert 200 <= sent.sent < len(long.data)


def test_a_printer_for_one_client_serves_look_and_slip_one_after_the_other():
    printer = TcpPrinter(one_client=True)
    device = device_of(printer)
    for _ in range(3):
        assert device.state() == "ready"
        assert device.print_slip("job", SLIP, lambda _state: None).outcome == "printed"
    printer.wait_idle()
    assert printer.slips == [SLIP.data] * 3
    printer.close()


def test_a_printer_that_somebody_else_holds_is_silent_and_gets_the_slip_when_it_is_let_go():
    """It takes our connection and serves the other one: we do not know, so we neither lose nor double."""
    import socket  # noqa: PLC0415 - the other client

    printer = TcpPrinter(one_client=True)
    other = socket.create_connection(("127.0.0.1", printer.port))
    device = device_of(printer)
    sent = device.print_slip("job", SLIP, lambda _state: None)
    assert sent.outcome == "unknown"
    other.close()
    printer.wait_idle()
    printer.close()
