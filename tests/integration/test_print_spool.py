"""The spool: lost answers, a core that restarts, a spool that is killed at any point."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest
from casino import Casino
from fake_printers import TcpPrinter
from print_bench import QUICK, TOKEN, PrintBench, SpoolLine, settle_down, turn
from werkzeug.serving import make_server

from draw_engine.errors import Refused
from draw_engine.service.print_ports import FAILED, PRINTED, QUEUED, SENDING, UNKNOWN
from kiosk.printing.spool import Outcome, run
from printers.feelings import Feeling, set_feeling
from printers.file_printer import FilePrinter
from printers.links import PrinterPlace
from printers.states import PrinterState


@pytest.fixture
def bench(tmp_path, migrated):
    file = tmp_path / "floordraw.db"
    file.write_bytes(migrated.read_bytes())
    casino = Casino(f"sqlite:///{file}", tmp_path)
    yield PrintBench(casino)
    casino.close()


@pytest.fixture
def paper(tmp_path):
    return tmp_path / "paper"


def printed(paper: Path, job: int) -> list[str]:
    """The slips of a job on the paper, whole ones, oldest first."""
    texts = [file.read_text() for file in sorted(paper.glob(f"job-{job}-*.txt"))]
    return [text for text in texts if "torn here" not in text]


def test_slips_are_printed_one_after_the_other_and_reported(bench, paper, tmp_path):
    jobs = [bench.queue(kind) for kind in ("winner_receipt", "decline_slip", "checkpoint", "envelope_label")]
    spool = bench.spool(FilePrinter(paper), tmp_path)
    while turn(spool):
        pass
    assert [bench.job(job).state for job in jobs] == [PRINTED] * 4
    assert [len(printed(paper, job)) for job in jobs] == [1] * 4
    assert not turn(spool)


def test_a_printer_that_cannot_print_is_not_given_a_slip(bench, paper, tmp_path):
    job = bench.queue()
    set_feeling(paper, Feeling(PrinterState.COVER_OPEN))
    spool = bench.spool(FilePrinter(paper), tmp_path)
    assert not turn(spool)
    assert (bench.job(job).state, bench.job(job).attempt) == (QUEUED, 0)
    assert bench.entries("printer.changed")[-1].data["state"] == "cover_open"
    set_feeling(paper, Feeling())
    spool._looked_at = None
    assert turn(spool)
    settle_down(spool)
    assert bench.job(job).state == PRINTED


def test_paper_out_mid_slip_and_the_reprint(bench, paper, tmp_path):
    job = bench.queue("winner_receipt")
    set_feeling(paper, Feeling(fails_after=700, then=PrinterState.PAPER_OUT))
    spool = bench.spool(FilePrinter(paper), tmp_path)
    assert turn(spool)
    assert not turn(spool)
    assert (bench.job(job).state, bench.job(job).detail) == (UNKNOWN, "paper_out")
    assert (paper / f"job-{job}-1.bin").stat().st_size == 700
    assert bench.settle(job, "reprint").status_code == 200
    set_feeling(paper, Feeling())
    spool._looked_at = None
    assert turn(spool)
    settle_down(spool)
    assert bench.job(job).state == PRINTED
    (whole,) = printed(paper, job)
    assert "R E P R I N T   1" in whole


def test_an_asking_whose_answer_is_lost_gets_its_slip_all_the_same(bench, paper, tmp_path):
    job = bench.queue()
    line = SpoolLine(bench)
    spool = bench.spool(FilePrinter(paper), tmp_path, line=line)
    asked = line.post

    def lose_the_first_order(path, said):
        answer = asked(path, said)
        if said.get("ask") and len([s for _, s in line.asked if s.get("ask")]) < 3:
            bench.casino.restart()  # the core dies behind its commit
            return None
        return answer

    line.post = lose_the_first_order
    assert turn(spool)
    settle_down(spool)
    assert (bench.job(job).state, bench.job(job).attempt) == (PRINTED, 1)
    assert len(printed(paper, job)) == 1


def test_a_report_is_sent_until_the_core_has_it_and_nothing_is_asked_before(bench, paper, tmp_path):
    first, second = bench.queue(), bench.queue()
    line = SpoolLine(bench)
    spool = bench.spool(FilePrinter(paper), tmp_path, line=line)
    assert turn(spool)
    line.lost = 2
    assert not turn(spool)
    assert not turn(spool)
    assert bench.job(second).state == QUEUED
    assert turn(spool)
    settle_down(spool)
    assert [bench.job(job).state for job in (first, second)] == [PRINTED, PRINTED]


def test_what_a_spool_knew_when_it_died_is_reported_by_the_next(bench, paper, tmp_path):
    job = bench.queue()
    assert turn(bench.spool(FilePrinter(paper), tmp_path))  # printed and written down, and dies here
    assert bench.job(job).state == SENDING
    assert not turn(bench.spool(FilePrinter(paper), tmp_path))
    assert bench.job(job).state == PRINTED


def test_a_spool_that_died_while_sending_leaves_the_slip_in_doubt(bench, paper, tmp_path):
    class Dies(FilePrinter):
        def print_slip(self, name, slip, watch):
            super().print_slip(name, slip, watch)
            raise KeyboardInterrupt

    job = bench.queue()
    with pytest.raises(KeyboardInterrupt):
        turn(bench.spool(Dies(paper), tmp_path))
    spool = bench.spool(FilePrinter(paper), tmp_path)
    assert not turn(spool)
    assert bench.job(job).state == UNKNOWN
    assert len(printed(paper, job)) == 1


def test_facts_that_make_no_slip_are_told_and_do_not_stop_the_others(bench, paper, tmp_path):
    bad = bench.queue("winner_receipt", amount="much")
    good = bench.queue()
    spool = bench.spool(FilePrinter(paper), tmp_path)
    while turn(spool):
        pass
    settle_down(spool)
    assert (bench.job(bad).state, bench.job(bad).detail) == (FAILED, "unreadable")
    assert bench.job(good).state == PRINTED
    assert not list(paper.glob(f"job-{bad}-*"))


def test_an_outcome_nobody_can_read_is_as_none(tmp_path):
    file = tmp_path / "desk-1.outcome.json"
    for text in ("", "{", "[]", '{"job": "x"}'):
        file.write_text(text)
        assert Outcome(file).read() is None


# -- processes --------------------------------------------------------------------------------------------------


@pytest.fixture
def served(bench):
    server = make_server("127.0.0.1", 0, bench.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join(5)
    server.server_close()


def test_one_printer_has_one_spool(tmp_path, served):
    stop = threading.Event()
    place = PrinterPlace("file", path=str(tmp_path / "paper"))
    said = {"core": served, "token": TOKEN, "folder": tmp_path / "spool", "timing": QUICK}
    first = threading.Thread(target=run, args=("desk-1", place), kwargs={**said, "stop": stop})
    first.start()
    try:
        until = time.monotonic() + 5
        while not (tmp_path / "spool" / "desk-1.lock").exists() and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.1)
        with pytest.raises(Refused, match="X_SPOOL_RUNS"):
            run("desk-1", place, stop=stop, **said)
    finally:
        stop.set()
        first.join(5)


_SPOOL = textwrap.dedent("""
    import sys, threading
    from pathlib import Path
    from kiosk.printing.spool import run
    from printers.links import PrinterPlace, Timing
    core, token, port, folder = sys.argv[1:]
    timing = Timing(connect=1, answer=0.3, send=1, confirm=0.5, patience=0, poll=0.01, look=0.2)
    place = PrinterPlace("network", host="127.0.0.1", port=int(port))
    run("desk-1", place, core=core, token=token, folder=Path(folder), stop=threading.Event(), timing=timing)
""")
KILLS = 8


def test_a_spool_killed_at_any_point_loses_no_slip_and_doubles_none(bench, served, tmp_path):
    """Killed a little later each time; what it leaves in doubt is decided by a person, and a new one goes on."""
    printer = TcpPrinter()
    jobs = [bench.queue() for _ in range(60)]

    def start():
        command = [sys.executable, "-c", _SPOOL, served, TOKEN, str(printer.port), str(tmp_path / "spool")]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    decided = set()
    for n in range(KILLS):
        spool = start()
        before = len(printer.slips)
        _until(lambda before=before: len(printer.slips) > before)
        time.sleep(0.003 * n)
        os.kill(spool.pid, signal.SIGKILL)
        spool.wait(10)
    spool = start()
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            open_jobs = [job for job in map(bench.job, jobs) if job.state != PRINTED]
            if not open_jobs:
                break
            for job in open_jobs:
                if job.state == UNKNOWN:
                    assert bench.settle(job.id, "reprint").status_code == 200
                    decided.add(job.id)
            time.sleep(0.05)
    finally:
        spool.kill()
        spool.wait(10)
    printer.wait_idle()
    printer.close()
    assert [bench.job(job).state for job in jobs] == [PRINTED] * len(jobs)
    for job in jobs:
        whole = [slip for slip in printer.slips if f"- end of slip {job} -".encode() in slip]
        firsts = [slip for slip in whole if b"REPRINT" not in slip]
        assert len(firsts) <= 1
        assert len(whole) == 1 if job not in decided else 1 <= len(whole) <= 2
        assert (len(whole) > len(firsts)) == (job in decided)


def _until(true) -> None:
    until = time.monotonic() + 20
    while not true():
        assert time.monotonic() < until
        time.sleep(0.001)


def test_the_core_going_away_and_coming_back_stops_nothing(bench, paper, tmp_path):
    line = SpoolLine(bench)
    spool = bench.spool(FilePrinter(paper), tmp_path, line=line)
    line.refused = 3
    assert not turn(spool)
    assert not turn(spool)
    job = bench.queue()
    assert not turn(spool)
    assert turn(spool)
    settle_down(spool)
    assert bench.job(job).state == PRINTED
