"""The print queue: jobs in the transaction of what they print, given out once, reported once, decided by people."""

from __future__ import annotations

import json

import pytest
from casino import Casino
from print_bench import TOKEN, PrintBench, SpoolLine, a_printer
from slip_facts_made import ALL

from draw_engine.errors import Refused, RuleBroken
from draw_engine.service import printing
from draw_engine.service.print_ports import DROPPED, FAILED, PRINTED, QUEUED, SENDING, UNKNOWN


@pytest.fixture
def bench(new_database, tmp_path):
    casino = Casino(new_database(), tmp_path)
    cage = a_printer("cage-1", token=CAGE, uses=["labels"], path=str(tmp_path / "cage"))
    yield PrintBench(casino, a_printer(), cage)
    casino.close()


CAGE = "token-of-the-cage"


def ask(bench, mark="a", *, token=TOKEN, **said):
    got = bench.post("/print-jobs/next", {"state": "ready", "ask": mark, **said}, token=token)
    assert got.status_code == 200, got.text
    return got.get_json()


def told(bench, order, outcome, detail=""):
    said = {"attempt": order["attempt"], "outcome": outcome, "detail": detail}
    got = bench.post(f"/print-jobs/{order['job']}/report", said)
    assert got.status_code == 200, got.text
    return got.get_json()["state"]


def later(bench, seconds):
    bench.casino.clock.set(bench.casino.clock.now() + int(seconds * 1000))


# -- queueing ---------------------------------------------------------------------------------------------------


def test_a_job_is_kept_with_what_it_prints_or_not_at_all(bench):
    engine = bench.engine

    def refuse():
        with engine.change() as work:
            printing.queue(work, kind="decline_slip", use="slips", data=ALL["decline_slip"], at=engine.now())
            raise Refused("X_VALUE_WRONG", "The entry is not taken.")

    with pytest.raises(Refused):
        refuse()
    assert printing.jobs(engine) == []
    job = bench.queue()
    bench.casino.restart()
    kept = bench.job(job)
    assert (kept.state, kept.kind, kept.use, kept.attempt) == (QUEUED, "decline_slip", "slips", 0)
    assert kept.data == ALL["decline_slip"]


def test_there_is_no_slip_of_another_kind(bench):
    with pytest.raises(RuleBroken), bench.engine.change() as work:
        printing.queue(work, kind="menu", use="slips", data={}, at=0)


def test_slips_of_a_claim_are_found_by_it(bench):
    engine = bench.engine
    with engine.change() as work:
        for ordinal in (1, 2):
            printing.queue(
                work, kind="winner_receipt", use="receipts", data=ALL["winner_receipt"], at=1, draw="d", ordinal=ordinal
            )
    assert [job.ordinal for job in engine.store.print_jobs_of("d", 2)] == [2]


# -- giving out -------------------------------------------------------------------------------------------------


def test_a_printer_gets_the_oldest_slip_of_its_uses_once(bench):
    slip, label, receipt = bench.queue("decline_slip"), bench.queue("envelope_label"), bench.queue("winner_receipt")
    assert ask(bench, "c1", token=CAGE)["job"]["job"] == label
    assert ask(bench, "c1", token=CAGE)["job"]["job"] == label
    for n, job in enumerate((slip, receipt)):
        order = ask(bench, f"a{n}")["job"]
        assert order["job"] == job
        assert told(bench, order, "printed") == PRINTED
    assert ask(bench, "a9")["job"] is None
    assert bench.job(label).printer == "cage-1"


def test_an_order_has_the_raw_facts_and_what_stands_on_every_slip(bench):
    bench.queue("winner_receipt")
    order = ask(bench)["job"]
    assert order["data"] == ALL["winner_receipt"]
    assert set(order["house"]) == {"property_name", "statutory_line", "check_address"}
    assert (order["attempt"], order["reprints"], order["first_printed_at"]) == (1, 0, None)


def test_the_same_asking_gets_the_same_slip_again_and_another_one_puts_it_in_doubt(bench):
    job = bench.queue()
    first = ask(bench, "a")["job"]
    bench.casino.restart()
    assert ask(bench, "a")["job"] == first
    assert bench.job(job).state == SENDING
    assert ask(bench, "b")["job"] is None
    assert (bench.job(job).state, bench.job(job).detail) == (UNKNOWN, "spool_ended")


def test_a_spool_that_is_still_at_it_says_so_and_one_with_nothing_in_hand_does_not(bench):
    job = bench.queue()
    ask(bench)
    bench.post("/print-jobs/next", {"state": "paper_out", "at_work": True})
    assert bench.job(job).state == SENDING
    bench.post("/print-jobs/next", {"state": "ready"})
    assert bench.job(job).state == UNKNOWN


# -- reporting --------------------------------------------------------------------------------------------------


def test_a_failed_slip_goes_again_by_itself_after_a_growing_while(bench):
    job = bench.queue()
    for attempt, wait in enumerate((2, 4, 8, 16, 30, 30), start=1):
        order = ask(bench, f"a{attempt}")["job"]
        assert order["attempt"] == attempt
        assert told(bench, order, "failed", "offline") == FAILED
        later(bench, wait - 0.001)
        assert ask(bench, f"b{attempt}")["job"] is None
        later(bench, 0.001)
    order = ask(bench, "z")["job"]
    assert told(bench, order, "printed") == PRINTED
    assert bench.job(job).reprints == 0


def test_a_failed_slip_lets_the_next_one_go_first(bench):
    bench.queue()
    second = bench.queue()
    told(bench, ask(bench, "a")["job"], "failed")
    assert ask(bench, "b")["job"]["job"] == second


def test_a_report_sent_twice_counts_once_and_a_late_one_changes_nothing(bench):
    job = bench.queue()
    order = ask(bench)["job"]
    assert told(bench, order, "unknown", "closed") == UNKNOWN
    assert told(bench, order, "unknown", "closed") == UNKNOWN
    assert bench.settle(job, "reprint").status_code == 200
    assert told(bench, order, "printed") == QUEUED
    again = ask(bench, "b")["job"]
    assert again["attempt"] == 2
    assert told(bench, order, "failed") == SENDING
    assert told(bench, again, "printed") == PRINTED


def test_a_slip_taken_for_lost_follows_the_report_that_comes_after_all(bench):
    job = bench.queue()
    order = ask(bench, "a")["job"]
    bench.post("/print-jobs/next", {"state": "ready"})
    assert bench.job(job).state == UNKNOWN
    assert told(bench, order, "printed") == PRINTED


def test_a_spool_that_was_never_heard_again_leaves_its_slip_to_a_person(bench):
    job = bench.queue()
    ask(bench)
    assert bench.settle(job, "came_out").get_json()["code"] == "X_PRINT_STATE"
    later(bench, 121)
    view = bench.client.get("/print-jobs").get_json()
    assert view["to_decide"] == 1
    assert bench.settle(job, "came_out").status_code == 200
    assert bench.job(job).state == PRINTED


# -- people -----------------------------------------------------------------------------------------------------


def in_doubt(bench, kind="decline_slip"):
    job = bench.queue(kind)
    told(bench, ask(bench, f"m{job}")["job"], "unknown", "closed")
    return job


@pytest.mark.parametrize(("decision", "state"), [("came_out", PRINTED), ("reprint", QUEUED), ("drop", DROPPED)])
def test_a_person_decides_and_the_log_says_who_and_nothing_of_the_guest(bench, decision, state):
    job = in_doubt(bench)
    assert bench.settle(job, decision).get_json() == {"ok": True, "job": job, "state": state}
    (settled,) = bench.entries("slip.settled")
    assert (settled.actor, settled.draw) == ("crew:kabelo", None)
    assert settled.data == {"decision": decision, "job": job, "kind": "decline_slip"}
    assert bench.settle(job, decision).get_json()["code"] == "X_PRINT_STATE"
    said = json.dumps(
        [dict(entry.data) for entry in bench.entries("slip.settled", "slip.reprinted", "printer.changed")]
    )
    assert "Thandi" not in said
    assert "1177" not in said


def test_a_reprint_counts_and_carries_the_first_time_and_the_same_facts(bench):
    job = bench.queue("winner_receipt")
    order = ask(bench, "a")["job"]
    later(bench, 5)
    told(bench, order, "printed")
    first = bench.casino.clock.now()
    for n in (1, 2):
        later(bench, 60)
        got = bench.post(f"/print-jobs/{job}/reprint", {"by": "nomvula"}, token=None)
        assert got.get_json() == {"ok": True, "job": job, "state": QUEUED, "reprints": n}
        again = ask(bench, f"r{n}")["job"]
        assert (again["reprints"], again["first_printed_at"], again["data"]) == (n, first, order["data"])
        told(bench, again, "printed")
    assert [entry.data for entry in bench.entries("slip.reprinted")] == [
        {"job": job, "kind": "winner_receipt", "n": n} for n in (1, 2)
    ]
    assert bench.job(job).first_printed_at == first


def test_a_slip_in_doubt_is_reprinted_with_the_time_it_was_sent(bench):
    job = in_doubt(bench)
    at = bench.casino.clock.now()
    later(bench, 300)
    assert bench.post(f"/print-jobs/{job}/reprint", {"by": "kabelo"}, token=None).status_code == 200
    order = ask(bench, "r")["job"]
    assert (order["reprints"], order["first_printed_at"]) == (1, at)


def test_a_waiting_slip_can_be_dropped_and_taken_up_again_without_being_a_reprint(bench):
    job = bench.queue()
    assert bench.settle(job, "came_out").get_json()["code"] == "X_PRINT_STATE"
    assert bench.post(f"/print-jobs/{job}/reprint", {"by": "kabelo"}, token=None).get_json()["code"] == "X_PRINT_STATE"
    assert bench.settle(job, "drop").status_code == 200
    assert ask(bench)["job"] is None
    assert bench.post(f"/print-jobs/{job}/reprint", {"by": "kabelo"}, token=None).get_json()["reprints"] == 0
    assert ask(bench, "b")["job"]["reprints"] == 0


@pytest.mark.parametrize("by", ["nobody", "zanele", "bheki"])
def test_who_is_not_of_the_floor_decides_nothing(bench, by):
    job = in_doubt(bench)
    assert bench.settle(job, "drop", by=by).get_json()["code"] == "X_NO_PERMISSION"
    assert bench.job(job).state == UNKNOWN


def test_what_cannot_be_is_refused_in_words(bench):
    job = in_doubt(bench)
    assert bench.settle(job, "burn").get_json()["code"] == "X_VALUE_WRONG"
    assert bench.settle(99, "drop").get_json()["code"] == "X_NO_SUCH_JOB"
    assert bench.client.post(f"/print-jobs/{job}/settle", data="drop").get_json()["code"] == "X_VALUE_WRONG"
    order = ask(bench, "q", state="ready")
    assert order["job"] is None
    got = bench.post(f"/print-jobs/{job}/report", {"attempt": 1, "outcome": "eaten"})
    assert got.get_json()["code"] == "X_VALUE_WRONG"
    assert bench.post("/print-jobs/next", {"state": "sulking"}).get_json()["code"] == "X_VALUE_WRONG"
    assert bench.post(f"/print-jobs/{job}/report", {"outcome": "printed"}).get_json()["code"] == "X_VALUE_WRONG"


@pytest.mark.parametrize("token", [None, "", "another-token", TOKEN.upper()])
def test_a_spool_without_its_token_gets_nothing(bench, token):
    job = bench.queue()
    for path, said in (("/print-jobs/next", {"state": "ready", "ask": "a"}), (f"/print-jobs/{job}/report", {})):
        got = bench.post(path, said, token=token)
        assert (got.status_code, got.get_json()["code"]) == (403, "X_NO_PERMISSION")
    assert bench.job(job).state == QUEUED


# -- what people see --------------------------------------------------------------------------------------------


def test_a_printers_state_is_logged_when_it_changes_and_told_in_words(bench):
    view = bench.client.get("/print-jobs").get_json()["printers"][0]
    assert view["state"] == "never"
    line = SpoolLine(bench)
    since = bench.casino.clock.now() + 1000
    for state in ("ready", "paper_out", "paper_out", "ready"):
        later(bench, 1)
        line.post("/print-jobs/next", {"state": state})
        if state == "ready":
            since = bench.casino.clock.now()
    assert [entry.data["state"] for entry in bench.entries("printer.changed")] == ["ready", "paper_out", "ready"]
    view = bench.client.get("/print-jobs").get_json()["printers"][0]
    assert (view["id"], view["state"], view["since"]) == ("desk-1", "ready", since)
    later(bench, 16)
    view = bench.client.get("/print-jobs").get_json()["printers"][0]
    assert view["state"] == "unheard"
    assert view["todo"] == "Start it: floordraw print-spool desk-1"


def test_what_needs_a_person_comes_first_and_says_what_to_do(bench):
    printed = bench.queue()
    told(bench, ask(bench, "p")["job"], "printed")
    doubtful = in_doubt(bench, "winner_receipt")
    waiting = bench.queue("envelope_label")
    view = bench.client.get("/print-jobs").get_json()
    assert [slip["job"] for slip in view["slips"]] == [doubtful, waiting, printed]
    assert [slip["acts"] for slip in view["slips"]] == [["came_out", "reprint", "drop"], ["drop"], ["again"]]
    assert (view["to_decide"], view["waiting"]) == (1, 1)
    assert view["slips"][0]["guest"] == "Zoë Ndlovu-Müller"
    assert "Look at the printer" in view["slips"][0]["todo"]


def test_a_printer_that_is_a_folder_can_be_set_and_no_other(bench, tmp_path):
    said = {"state": "ready", "fails_after": 400, "then": "paper_out"}
    assert bench.post("/printers/cage-1/state", said, token=None).status_code == 200
    assert json.loads((tmp_path / "cage" / "state.json").read_text()) == said
    assert bench.post("/printers/desk-1/state", said, token=None).get_json()["code"] == "X_NO_SUCH_PRINTER"
    for wrong in ({"state": "happy"}, {"state": "ready", "fails_after": -1}, {"state": "ready", "fails_after": "x"}):
        assert bench.post("/printers/cage-1/state", wrong, token=None).get_json()["code"] == "X_VALUE_WRONG"


def test_every_slip_survives_a_restart_in_the_state_it_was_in(bench):
    in_doubt(bench)
    bench.queue()
    ask(bench, "s")
    bench.queue()
    states = {job.id: job.state for job in printing.jobs(bench.engine)}
    assert sorted(states.values()) == [QUEUED, SENDING, UNKNOWN]
    bench.casino.restart()
    assert {job.id: job.state for job in printing.jobs(bench.engine)} == states
