"""The opening of claims, and what the record says of each: one forged fault each."""

from __future__ import annotations

import pytest
from verify_forger import a_session, a_won_session, an_electronic_draw, assert_fails, failing
from verify_forger_arithmetic import time

WINDOW = 90
ENDINGS = ("confirmed", "refused", "expired", "held", "not_rightful_card", "ineligible")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("record")


# Openings


def test_a_selection_without_a_claim(folder):
    draw = a_session()
    draw.select(moment=0, claim=False)
    draw.win(draw.select(moment=1))
    says = failing(draw.verified(folder))
    assert "ordinal 0 has neither a claim nor a duplicate's entry" in says["claims"]


def test_a_claim_opened_twice_or_for_another_ordinal(folder):
    draw = a_won_session()
    draw.claim("opened", 0)
    says = failing(draw.verified(folder))
    assert "the claim c0 was opened before" in says["claims"]
    assert "ordinal 0 has a claim already" in says["claims"]


def test_a_claim_for_no_selection(folder):
    draw = a_won_session()
    draw.win(draw.ordinal)
    says = failing(draw.verified(folder))
    assert "entry 16 (claim.found): the claim c2 had not been opened" in says["claims"]


def test_a_claim_opened_before_its_selection(folder):
    draw = a_won_session()
    opened = draw.entry("claim.opened")
    draw.drop("claim.opened")
    draw.entries.insert(draw.entries.index(draw.entry("selection.made")), opened)
    assert_fails(draw, folder, "claims", "entry 6 (claim.opened): ordinal 0 had not been selected")


def test_a_claim_for_a_duplicate(folder):
    draw = an_electronic_draw(["ann"])
    draw.win(draw.select(1))
    again = draw.select(2)
    draw.duplicate(again, 0)
    draw.claim("ineligible", again, 1, prize=None)
    draw.log("selection.lapsed", {"place": 2, "moment": None, "after": again, "reason": "unfilled"})
    assert "is a duplicate, which has no claim" in failing(draw.verified(folder))["claims"]


def test_an_entry_of_a_claim_with_another_s_ordinal(folder):
    draw = a_won_session()
    draw.entry("claim.found")["data"]["ordinal"] = 1
    says = failing(draw.verified(folder))
    assert "claim c0: it is of ordinal 1, the claim of 0" in says["claims"]


# The record's rows


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("opened_at", time(1)),
        ("found_at", time(1)),
        ("announced_at", time(1)),
        ("deadline_at", time(1)),
        ("presented_at", time(1)),
        ("ended_at", time(1)),
        ("outcome", "held"),
        ("prize", 75_000),
        ("id", "c9"),
        ("ordinal", 5),
    ],
)
def test_a_claim_that_is_not_as_logged(folder, name, value):
    draw = a_won_session()
    draw.before_digest.append(lambda record: record["claims"][0].update({name: value}))
    assert_fails(draw, folder, "outcomes", f"its {name} is {value}, logged")


def test_an_outcome_that_is_not_as_logged(folder):
    draw = a_won_session()
    draw.before_digest.append(lambda record: record["selections"][1].update(outcome="refused"))
    assert_fails(draw, folder, "outcomes", "ordinal 1: its outcome is refused, logged confirmed")


def test_a_claim_the_record_leaves_out(folder):
    draw = a_won_session()
    draw.before_digest.append(lambda record: record["claims"].pop())
    assert_fails(draw, folder, "outcomes", "the record has 1 claims, the log opened 2")


def test_claims_out_of_order(folder):
    draw = a_won_session()
    draw.before_digest.append(lambda record: record["claims"].reverse())
    assert "its id is c1, logged c0" in failing(draw.verified(folder))["outcomes"]
