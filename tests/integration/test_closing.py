"""Closing: when every place is filled, lapsed or given up; the digest, the signatures, the copies."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from casino import Casino, seat_everybody
from people_words import HOUR, LERATO, PIETER, iso, jhb
from small_book import FIRST, SECOND, Session, book_toml

from draw_engine.canonical import jcs
from draw_engine.draw_state import DrawState
from draw_engine.errors import Refused
from draw_engine.records import record_digest
from draw_engine.service.engine import moments_of
from draw_engine.service.publishing import auditor_pack, published_copy

Casinos = Callable[..., Casino]


@pytest.fixture
def casino(casinos: Casinos) -> Casino:
    made = casinos()
    made.load_lists()
    seat_everybody(made)
    made.at("13:59")
    return made


def test_a_draw_closes_at_its_end_when_everything_is_settled(casino: Casino) -> None:
    casino.finish("14:09:59.999")
    assert casino.draw().state.settled()
    assert casino.draw().state.closed_at is None
    casino.at("14:10")
    (closed,) = casino.said("draw.closed")
    assert (closed.at, closed.actor) == (jhb("14:10"), "engine")


def test_a_draw_stays_open_while_a_claim_runs_and_closes_with_its_end(casino: Casino) -> None:
    casino.at("14:12")
    assert not casino.said("draw.closed")
    for ordinal in (0, 1):
        casino.pay(ordinal=ordinal)
    casino.tick()
    assert not casino.said("draw.closed")
    casino.at("14:13:00.500")
    casino.pay(ordinal=2)
    casino.tick()
    (closed,) = casino.said("draw.closed")
    assert closed.at == jhb("14:13:00.500")


def test_the_close_is_signed_and_is_the_record_s_last_entry(casino: Casino) -> None:
    casino.finish("14:11")
    closed, checkpoint = casino.log()[-2:]
    assert (closed.kind, checkpoint.kind) == ("draw.closed", "checkpoint.made")
    assert checkpoint.data == {"seq": closed.seq, "hash": closed.hash}
    record = json.loads(published_copy(casino.engine, casino.draw(), "public")["record.json"])
    assert record["log"][-1]["seq"] == closed.seq
    assert record["checkpoints"][-1]["seq"] == closed.seq
    assert record["closed_at"] == iso(closed.at)


def test_both_copies_have_the_one_digest_of_the_log(casino: Casino) -> None:
    casino.finish("14:11")
    (closed,) = casino.said("draw.closed")
    copies = {name: published_copy(casino.engine, casino.draw(), name) for name in ("public", "auditor")}
    records = {name: json.loads(files["record.json"]) for name, files in copies.items()}
    assert {record_digest(record) for record in records.values()} == {closed.data["record"]}
    assert sorted(copies["public"]) == ["record.json"]
    assert sorted(copies["auditor"]) == ["p0.pool", "p1.pool", "p2.pool", "record.json"]
    assert all(jcs(records[name]) == copies[name]["record.json"] for name in records)
    assert all(made["proof"] for made in records["public"]["selections"])
    assert not any(made["proof"] for made in records["auditor"]["selections"])


def test_an_open_draw_is_not_published(casino: Casino) -> None:
    with pytest.raises(Refused, match="X_DRAW_OPEN"):
        published_copy(casino.engine, casino.draw(), "auditor")
    casino.finish("14:11")


def test_the_verifier_counts_what_happened(casino: Casino) -> None:
    casino.go(casino.moments()[0])
    casino.end("ineligible")
    casino.tick()
    casino.finish("14:11")
    report = casino.verify_closed()["first auditor"]
    assert "1 ended as ineligible" in report.notices
    assert [check.name for check in report.checks if not check.ok] == []


def test_the_head_is_signed_every_hour_while_a_draw_is_open(casinos: Casinos) -> None:
    casino = casinos(book=book_toml(Session("first", "14:00", "17:00"), opens_before=5))
    casino.load_lists()
    casino.rated(LERATO)
    casino.at("16:59")
    opened = jhb("13:55")
    assert [entry.at for entry in casino.said("checkpoint.made")] == [opened + n * HOUR for n in range(4)]
    casino.finish("18:30")
    signed = casino.said("checkpoint.made")
    assert len(signed) == 5  # and the close; none an hour later, when no draw is open
    assert signed[-1].at == casino.draw().state.closed_at


def test_other_draws_and_the_house_s_own_entries_stand_withheld_where_they_should(casinos: Casinos) -> None:
    """The second session opens while the first one's claims run: each one's record shows its own entries alone."""
    casino = casinos(book=book_toml(FIRST, Session("second", "14:12", "14:20")))
    casino.load_lists()
    casino.rated(LERATO)
    casino.at("14:13")
    casino.load_lists()
    casino.finish("14:21")
    for plan in ("first", "second"):
        draw = casino.draw(plan)
        for copy in ("public", "auditor"):
            log = json.loads(published_copy(casino.engine, draw, copy)["record.json"])["log"]
            for entry in log:
                own = entry["draw"] == draw.state.id or entry["kind"] == "checkpoint.made"
                shown = own or (entry["draw"] is None and copy == "auditor")
                assert ("data" in entry) == shown, entry
            assert {entry["draw"] for entry in log if "body" in entry} >= {
                casino.draw("second" if plan == "first" else "first").state.id
            }


def test_a_record_can_still_be_published_after_a_restart(casino: Casino) -> None:
    casino.finish("14:11")
    before = published_copy(casino.engine, casino.draw(), "auditor")
    casino.restart()
    assert published_copy(casino.engine, casino.draw(), "auditor") == before


def test_the_auditor_s_pack_holds_what_the_pools_were_judged_from(casino: Casino) -> None:
    casino.at("14:05")
    casino.load_lists(exclusions=f"member,category,from,to,source\n{PIETER},self_excluded,2023-10-07,,desk\n")
    casino.finish("14:11")
    segment = casino.journal.segment
    files = auditor_pack(
        casino.engine, casino.draw(), read_segment=lambda _: casino.journal.lines(), site_toml=b"property = 1\n"
    )
    assert files["judging/rules.toml"] == casino.books[0].toml
    assert files["judging/site.toml"] == b"property = 1\n"
    assert files[f"judging/journal/{segment}.jsonl"] == casino.journal.lines()
    kinds = sorted(name.split("/")[-1].split(".")[0] for name in files if name.startswith("judging/lists/"))
    assert kinds == ["exclusions", "exclusions", "members", "positions", "staff"]
    rows = files["judging/references.csv"].decode().splitlines()
    assert rows[0] == "member,s"
    assert len(rows) - 1 == len({"100001", "100002", "100003", "100004", "100005", "100006", "100007", "100008"})


def test_the_log_tells_all_that_the_tables_hold(casino: Casino) -> None:
    """Folding the log alone gives the draws, selections and claims of the tables, to the millisecond."""
    casino.go(casino.moments()[0])
    deadline = casino.announce()
    casino.go(deadline + 250)
    casino.announce()
    casino.go(casino.clock.now() + 30_000)
    casino.present()
    casino.finish("14:41")
    store = casino.engine.store
    for row in store.draws():
        entries = [entry for entry in casino.log() if entry.draw == row.id]
        seed = casino.seeds.house_seed(row.id)
        state = DrawState(entries[0], moments_of(entries[0].data, seed))
        for entry in entries[1:]:
            state.apply(entry)
        told = (state.id, state.opened_at, state.opened_seq, state.closed_at, state.closed_seq)
        assert told == (row.id, row.opened_at, row.opened_seq, row.closed_at, row.closed_seq)
        assert [(s.ordinal, s.at, s.place, s.pool, s.ref, s.position) for s in state.selections] == [
            (s.ordinal, s.made_at, s.place, s.pool, s.ref, s.position) for s in store.selections(row.id)
        ]
        assert [
            (
                c.ordinal,
                c.opened_at,
                c.found_at,
                c.announced_at,
                c.deadline_at,
                c.presented_at,
                c.ended_at,
                c.outcome,
                c.prize,
            )
            for c in state.claims
        ] == casino.claim_rows(row.id)


def test_a_session_with_nobody_closes_with_every_place_lapsed(casinos: Casinos) -> None:
    casino = casinos(book=book_toml(FIRST, SECOND, carry=False))
    casino.load_lists()
    casino.at("14:41")
    for plan in ("first", "second"):
        draw = casino.draw(plan)
        assert draw.state.closed_at is not None
        assert not draw.state.pools
        assert sorted(published_copy(casino.engine, draw, "auditor")) == ["record.json"]
