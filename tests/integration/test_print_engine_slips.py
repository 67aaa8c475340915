"""Every slip the engine queues can be made and printed: its facts are those that its wording needs."""

from __future__ import annotations

from casino import Casino
from desk_words import Casinos, checked, count, desk_casino, hand_over, held_prize, later, pay, scan, select_alone
from slip_facts_made import HOUSE

from draw_engine.log import read_slip
from draw_engine.service import prizes
from draw_engine.service.print_ports import PrintJob
from printers.escpos_bytes import encode
from printers.slips import slip_of


def pictures(casino: Casino) -> dict[str, str]:
    """The latest slip of each kind, as a person sees it."""
    jobs: list[PrintJob] = casino.engine.store.recent_print_jobs(50)
    return {job.kind: encode(slip_of(job.kind, job.data, HOUSE, job=job.id)).picture() for job in reversed(jobs)}


def test_what_a_paid_winner_gets(casinos: Casinos) -> None:
    casino = desk_casino(casinos, now="13:55")
    count(casino)
    claim = select_alone(casino)
    checked(casino, claim.ordinal)
    scan(casino, claim.ordinal, "E-0003")
    pay(casino, 75_000, claim.ordinal)
    seen = pictures(casino)
    assert "Seven hundred and fifty rand" in seen["winner_receipt"]
    assert "Envelope     E-0003" in seen["winner_receipt"]


def test_what_a_guest_who_declined_gets_until_the_prize_is_handed_over(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    hand_over(casino)
    seen = pictures(casino)
    assert {"decline_slip", "envelope_label", "claim_receipt", "checkpoint"} <= set(seen)
    assert "Receipt for a held prize" in seen["claim_receipt"]
    assert "Claim by     Sun 22 Oct 2023" in seen["envelope_label"]
    assert "Identified   South African ID" in seen["decline_slip"]


def test_what_goes_back_when_nobody_came(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    later(casino, "2023-10-23 00:00:00.000")
    prizes.expire_due(casino.engine, casino.engine.now())
    assert "E-0003  c0  award 1  until Sun 22 Oct" in pictures(casino)["return_list"]


def test_the_printed_checkpoint_is_the_one_the_log_has(casinos: Casinos) -> None:
    casino = held_prize(casinos)
    job = next(job for job in casino.engine.store.recent_print_jobs(50) if job.kind == "checkpoint")
    slip = read_slip(str(job.data["slip"]))
    (kept,) = casino.engine.store.checkpoints(slip["seq"], slip["seq"])
    assert (kept.hash, kept.signature) == (slip["hash"], slip["signature"])
    picture = encode(slip_of("checkpoint", job.data, HOUSE, job=job.id)).picture()
    assert "".join(str(job.data["slip"]).split()) in "".join(picture.split())
