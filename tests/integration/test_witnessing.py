"""A witness's dice and certificate: taken when and from whom the draw record says, and the record verifies."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from casino import STAFF, Casino, Session, book_toml, jhb, seat_everybody

from draw_engine import selection
from draw_engine.errors import Refused
from draw_engine.service import witnessing
from draw_engine.verify.report import HOLDS

DICE = "31415926535897932384"
TWO = (
    '[{ source = "witness", pattern = "[0-9]{20}", after = "opened" },'
    ' { source = "second", pattern = "[0-9]{24}", after = "opened" }]'
)
WITH_DICE = Session("first", "14:00", "14:10", entropy=TWO)
WITHOUT = Session("first", "14:00", "14:10")
OWN = {"name": "Nomsa  Dube", "profession": "attorney", "number": "LPC 12345"}


def witnessed(folder: Path, session: Session) -> Casino:
    casino = Casino(f"sqlite:///{folder / 'floordraw.db'}", folder, book=book_toml(session))
    casino.settings = replace(casino.settings, staff={**STAFF, "nomsa": "witness"})
    casino.engine.settings = casino.settings
    casino.load_lists()
    seat_everybody(casino)
    return casino


@pytest.fixture
def opened(tmp_path: Path) -> Any:
    casino = witnessed(tmp_path, WITH_DICE)
    casino.at("13:56")
    yield casino
    casino.close()


def give(casino: Casino, text: str = DICE, source: str = "witness", by: str = "nomsa") -> None:
    witnessing.give(casino.engine, casino.draw(), source=source, text=text, by=by)


def certify(casino: Casino, by: str = "nomsa", **other: str) -> witnessing.Certificate:
    own = {**OWN, **other}
    return witnessing.certify(casino.engine, casino.draw(), **own, statement="I saw it.", slips=[3, 1, 3], by=by)


def code_of(act: Callable[[], Any]) -> str:
    with pytest.raises(Refused) as refused:
        act()
    return refused.value.code


def play_out(casino: Casino) -> None:
    """To the session's end, every guest paid at once."""
    casino.finish("14:10")
    casino.at("14:10:20")


# -- dice --------------------------------------------------------------------------------------------------------


def test_dice_given_before_the_first_pool_are_in_every_ticket_and_the_record_verifies(opened: Casino) -> None:
    give(opened)
    (given,) = opened.said("entropy.given")
    assert (given.actor, given.data) == ("witness:nomsa", {"source": "witness", "text": DICE})
    assert opened.said("checkpoint.made")[0].seq < given.seq
    play_out(opened)
    certify(opened)
    opened.tick()
    draw = opened.draw()
    made, pools = draw.state.selections, {pool.id: pool for pool in draw.state.pools}
    assert made
    for one in made:
        pool = pools[one.pool]
        said = json.dumps([DICE], separators=(",", ":")).encode()
        public = hashlib.sha256(said).hexdigest()
        assert one.public_count == 1
        assert int(one.ticket) == selection.ticket(
            draw.seed,
            draw=draw.state.id,
            ordinal=one.ordinal,
            root=pool.root,
            size=pool.size,
            total=int(pool.total),
            public=public,
        )
    reports = opened.verify_closed()
    assert len(reports) == 2
    assert all(report.exit_code == HOLDS for report in reports.values())


def test_both_sources_count_in_their_order(opened: Casino) -> None:
    give(opened)
    give(opened, "9" * 24, "second")
    play_out(opened)
    certify(opened)
    opened.tick()
    assert {made.public_count for made in opened.draw().state.selections} == {2}
    assert opened.verify_closed()


def test_an_earlier_source_is_not_taken_after_a_later_one(opened: Casino) -> None:
    give(opened, "9" * 24, "second")
    assert code_of(lambda: give(opened)) == "X_ENTROPY_LATE"


def test_what_was_given_stands(opened: Casino) -> None:
    give(opened)
    assert code_of(lambda: give(opened, "0" * 20)) == "X_ALREADY_DONE"
    assert [entry.data["text"] for entry in opened.said("entropy.given")] == [DICE]


def test_dice_are_too_late_once_a_pool_is_frozen_and_the_draw_goes_on_without(opened: Casino) -> None:
    opened.go(opened.moments()[0])
    assert opened.draw().state.pools
    assert code_of(lambda: give(opened)) == "X_ENTROPY_LATE"
    play_out(opened)
    assert opened.draw().state.closed_at is not None, "nobody watches: it does not wait"
    assert opened.verify_closed()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "0 of 20 dice are typed: 20 are missing."),
        (DICE[:-1], "19 of 20 dice are typed: 1 are missing."),
        (DICE + "0", "21 digits are typed, 20 are asked: 1 too many."),
        (DICE[:6] + "x" + DICE[7:], "Sign 7 is no digit."),
        ("٣" + DICE[1:], "Sign 1 is no digit."),
        (DICE + "\n", "Sign 21 is no digit."),
    ],
)
def test_what_is_no_such_throw_is_refused_with_what_is_wrong(opened: Casino, text: str, says: str) -> None:
    with pytest.raises(Refused) as refused:
        give(opened, text)
    assert refused.value.code == "X_VALUE_WRONG"
    assert refused.value.sentence.startswith(says)
    assert not opened.said("entropy.given")


@pytest.mark.parametrize("by", ["nomvula", "kabelo", "zanele"])
def test_nobody_of_the_house_types_dice_or_certifies(opened: Casino, by: str) -> None:
    assert code_of(lambda: give(opened, by=by)) == "X_NO_PERMISSION"
    assert code_of(lambda: certify(opened, by=by)) == "X_NO_PERMISSION"
    assert code_of(lambda: witnessing.watch(opened.engine, opened.draw(), by=by)) == "X_NO_PERMISSION"


def test_a_source_the_rule_book_does_not_name_is_refused(opened: Casino) -> None:
    assert code_of(lambda: give(opened, source="beacon")) == "X_NO_SUCH_SOURCE"


def test_a_book_that_asks_for_none_takes_none(tmp_path: Path) -> None:
    casino = witnessed(tmp_path, WITHOUT)
    casino.at("13:56")
    assert code_of(lambda: give(casino)) == "X_ENTROPY_NOT_ASKED"
    casino.close()


# -- the certificate ---------------------------------------------------------------------------------------------


def test_the_log_has_neither_name_nor_number_and_the_certificate_has_both(opened: Casino) -> None:
    give(opened)
    play_out(opened)
    certificate = certify(opened)
    (entry,) = opened.said("draw.certified")
    hidden = hmac.new(opened.seeds.reference_key(), b"LPC 12345", hashlib.sha256).hexdigest()
    assert entry.data == {"by": "witness:nomsa", "profession": "attorney", "number": hidden}
    (sealed,) = opened.engine.store.paper_copies(f"certificate:{opened.draw().state.id}")
    (said,) = opened.said("certificate.sealed")
    assert said.data == {"sha256": hashlib.sha256(sealed.sealed).hexdigest()} == {"sha256": certificate.sha256}
    assert b"Dube" not in sealed.sealed
    log = json.dumps([entry.data for entry in opened.log()])
    assert "Dube" not in log
    assert "12345" not in log
    kept = witnessing.certificate_of(opened.engine, opened.draw())
    assert kept is not None
    assert (kept.facts["name"], kept.facts["number"]) == ("Nomsa Dube", "LPC 12345")
    assert (kept.facts["statement"], kept.facts["slips_compared"]) == ("I saw it.", [1, 3])
    opened.tick()
    assert opened.verify_closed()


def test_a_watched_draw_waits_a_quarter_of_an_hour_for_its_certificate(tmp_path: Path) -> None:
    casino = witnessed(tmp_path, WITHOUT)
    casino.at("13:56")
    witnessing.watch(casino.engine, casino.draw(), by="nomsa")
    casino.restart()
    casino.engine.settings = casino.settings
    play_out(casino)
    assert casino.draw().state.closed_at is None
    casino.go(jhb("14:24:50"))
    assert casino.draw().state.closed_at is None
    casino.go(jhb("14:26"))
    assert casino.draw().state.closed_at is not None
    assert code_of(lambda: certify(casino)) == "SS_OUTSIDE_SESSION"
    assert code_of(lambda: witnessing.watch(casino.engine, casino.draw(), by="nomsa")) == "SS_OUTSIDE_SESSION"
    assert casino.verify_closed()
    casino.close()


def test_a_certified_draw_closes_at_once_and_is_certified_once(opened: Casino) -> None:
    give(opened)
    play_out(opened)
    certify(opened)
    assert code_of(lambda: certify(opened)) == "X_ALREADY_DONE"
    opened.tick()
    assert opened.draw().state.closed_at == opened.clock.now()
    assert code_of(lambda: certify(opened)) == "X_ALREADY_DONE"


def test_a_draw_that_runs_cannot_be_certified(opened: Casino) -> None:
    assert code_of(lambda: certify(opened)) == "X_DRAW_RUNS"
    opened.go(opened.moments()[0])
    assert code_of(lambda: certify(opened)) == "X_DRAW_RUNS"


def test_every_wrong_field_is_named_at_once() -> None:
    faults = witnessing.faults_of_certificate(name="Nomsa", profession="croupier", number="?")
    assert set(faults) == {"name", "profession", "number"}
    assert witnessing.faults_of_certificate(**OWN) == {}
    assert set(witnessing.faults_of_certificate(**{**OWN, "name": "Nomsa\u200b Dube"})) == {"name"}


def test_nothing_is_kept_of_a_certificate_with_a_fault(opened: Casino) -> None:
    give(opened)
    play_out(opened)
    assert code_of(lambda: certify(opened, number="")) == "X_VALUE_WRONG"
    assert not opened.said("draw.certified", "certificate.sealed")
    assert witnessing.certificate_of(opened.engine, opened.draw()) is None


# -- rehearsed ---------------------------------------------------------------------------------------------------


def test_a_rehearsal_throws_the_dice_its_book_asks_for_and_its_record_verifies(play: Callable[..., Any]) -> None:
    rules = book_toml(WITH_DICE, opens_before=15)
    one, two = play(rules=rules), play(rules=rules)
    assert one.bytes == two.bytes, "the same seed throws the same dice"
    given = one.log("first", "entropy.given")
    assert [(entry["actor"], entry["data"]["source"]) for entry in given] == [
        ("witness:rehearsal", "witness"),
        ("witness:rehearsal", "second"),
    ]
    assert [len(entry["data"]["text"]) for entry in given] == [20, 24]
    assert (
        given[0]["data"]["text"] != play(rules=rules, seed=b"t" * 32).log("first", "entropy.given")[0]["data"]["text"]
    )
    assert {row["public_count"] for row in one.records["first"]["selections"]} == {2}
